//! Fields for values and documents as text: colors while typing, and a mark where reading stopped.

use egui::text::{LayoutJob, TextFormat};
use egui::text_edit::TextEditOutput;
use egui::{
    CornerRadius, Frame, Id, Key, KeyboardShortcut, Margin, Modifiers, Pos2, Response, ScrollArea,
    Stroke, StrokeKind, TextEdit, Ui, Vec2, vec2,
};

use super::code_box::pieces;
use super::paint;
use crate::theme::{Colors, colors, sizes, text};

/// Bytes up to which text is colored while it is typed; longer text stays in one color, so that
/// typing stays quick.
const COLOURED_BYTES_MAX: usize = 64 * 1024;

/// How a field looks and what it says.
#[derive(Debug, Clone, Copy, Default)]
pub struct CodeEdit<'a> {
    pub name: &'a str,
    /// The hint while it is empty.
    pub hint: &'a str,
    /// The byte at which reading stopped, if the text can't be read.
    pub error_at: Option<usize>,
    pub chars_max: Option<usize>,
    /// Its own id, so that the keyboard can be sent to it.
    pub id: Option<Id>,
    /// The height above and below the text that belongs to a field without a frame, in points.
    pub space: f32,
}

impl CodeEdit<'_> {
    /// Draws a field of one line.
    pub fn line_ui(&self, ui: &mut Ui, width: f32, draft: &mut String) -> Response {
        let colors = colors(ui);
        let size = Vec2::new(width, sizes::CONTROL);
        let (outer, _) = ui.allocate_exact_size(size, egui::Sense::hover());
        let inner = outer.shrink2(Vec2::new(10.0, 0.0));
        let background = ui.painter().add(egui::Shape::Noop);
        let error_at = self.error_at;
        let mut layouter = |ui: &Ui, buffer: &dyn egui::TextBuffer, _width: f32| {
            let job = typed(buffer.as_str(), colors, error_at);
            ui.fonts_mut(|fonts| fonts.layout_job(job))
        };
        let mut edit = TextEdit::singleline(draft)
            .font(text::mono())
            .hint_text(text::rich(self.hint, text::mono()).color(colors.dim))
            .frame(Frame::new())
            .margin(Margin::ZERO)
            .desired_width(inner.width())
            .align(egui::Align2::LEFT_CENTER)
            .min_size(inner.size())
            .layouter(&mut layouter);
        if let Some(id) = self.id {
            edit = edit.id(id);
        }
        let response = ui.put(inner, edit).accessible_name(self.name);
        let border = match (error_at.is_some(), response.has_focus()) {
            (true, _) => colors.error,
            (_, true) => colors.accent,
            _ => colors.hairline,
        };
        let stroke = Stroke::new(sizes::LINE, border);
        let radius = CornerRadius::same(7);
        let shape =
            egui::epaint::RectShape::new(outer, radius, colors.field, stroke, StrokeKind::Inside);
        ui.painter().set(background, shape);
        paint::field_shadow(ui, outer);
        response
    }

    /// Draws a field of many lines without a frame, as high as its text. Shift+Enter begins a line;
    /// Enter alone does nothing.
    pub fn bare_ui(&self, ui: &mut Ui, draft: &mut String) -> TextEditOutput {
        self.multiline_ui(ui, draft, |edit| {
            edit.frame(Frame::new().inner_margin(vec2(0.0, self.space)))
                .return_key(KeyboardShortcut::new(Modifiers::SHIFT, Key::Enter))
        })
    }

    /// Draws a field of many lines without a frame, as high as its text, in which Enter begins a
    /// line.
    pub fn lines_ui(&self, ui: &mut Ui, draft: &mut String) -> TextEditOutput {
        // Tab moves to the next control, or the keyboard could not leave the field.
        self.multiline_ui(ui, draft, |edit| {
            edit.frame(Frame::new()).margin(Margin::ZERO).lock_focus(false)
        })
    }

    /// The byte of the cursor of a field that was drawn, and the place below it.
    pub fn cursor(text: &str, output: &TextEditOutput) -> (usize, Pos2) {
        let at = output.cursor_range.map(|range| range.primary);
        let byte = at.map_or(text.len(), |at| {
            text.char_indices().nth(at.index.0).map_or(text.len(), |(byte, _)| byte)
        });
        let place = output.galley.pos_from_cursor(at.unwrap_or_default());
        (byte, output.galley_pos + place.left_bottom().to_vec2())
    }

    fn multiline_ui(
        &self,
        ui: &mut Ui,
        draft: &mut String,
        style: impl for<'t> FnOnce(TextEdit<'t>) -> TextEdit<'t>,
    ) -> TextEditOutput {
        let colors = colors(ui);
        let error_at = self.error_at;
        let mut layouter = |ui: &Ui, buffer: &dyn egui::TextBuffer, width: f32| {
            let mut job = typed(buffer.as_str(), colors, error_at);
            job.wrap.max_width = width;
            ui.fonts_mut(|fonts| fonts.layout_job(job))
        };
        let edit = TextEdit::multiline(draft)
            .font(text::mono())
            .hint_text(text::rich(self.hint, text::mono()).color(colors.dim))
            .desired_rows(1)
            .desired_width(f32::INFINITY)
            .char_limit(self.chars_max.unwrap_or(usize::MAX))
            .layouter(&mut layouter);
        let mut edit = style(edit);
        if let Some(id) = self.id {
            edit = edit.id(id);
        }
        let output = edit.show(ui);
        output.response.response.clone().accessible_name(self.name);
        output
    }

    /// Draws a field of many lines, `height` points high.
    pub fn area_ui(&self, ui: &mut Ui, height: f32, draft: &mut String) -> Response {
        self.area_output_ui(ui, height, draft).response.response
    }

    /// The same, with where the cursor is.
    pub fn area_output_ui(&self, ui: &mut Ui, height: f32, draft: &mut String) -> TextEditOutput {
        let colors = colors(ui);
        let error_at = self.error_at;
        let border = if error_at.is_some() { colors.error } else { colors.hairline };
        let mut layouter = |ui: &Ui, buffer: &dyn egui::TextBuffer, width: f32| {
            let mut job = typed(buffer.as_str(), colors, error_at);
            job.wrap.max_width = width;
            ui.fonts_mut(|fonts| fonts.layout_job(job))
        };
        Frame::new()
            .fill(colors.field)
            .stroke(Stroke::new(sizes::LINE, border))
            .corner_radius(CornerRadius::same(9))
            .inner_margin(Margin::same(10))
            .show(ui, |ui| {
                ScrollArea::vertical()
                    .id_salt(self.name)
                    .max_height(height)
                    .min_scrolled_height(height)
                    .auto_shrink(false)
                    .show(ui, |ui| {
                        let mut edit = TextEdit::multiline(draft)
                            .code_editor()
                            // Tab moves to the next control, or the keyboard could not leave the
                            // field.
                            .lock_focus(false)
                            .char_limit(self.chars_max.unwrap_or(usize::MAX))
                            .font(text::mono())
                            .frame(Frame::new())
                            .margin(Margin::ZERO)
                            .desired_width(f32::INFINITY)
                            .min_size(Vec2::new(0.0, height))
                            .layouter(&mut layouter);
                        if let Some(id) = self.id {
                            edit = edit.id(id);
                        }
                        let output = edit.show(ui);
                        output.response.response.clone().accessible_name(self.name);
                        output
                    })
                    .inner
            })
            .inner
    }
}

/// Text as it is typed, in colors.
fn typed(code: &str, colors: &Colors, error_at: Option<usize>) -> LayoutJob {
    let mut job = LayoutJob { break_on_newline: true, ..LayoutJob::default() };
    if code.len() > COLOURED_BYTES_MAX {
        job.append(code, 0.0, TextFormat::simple(text::mono(), colors.text));
        return job;
    }
    let error = error_at.map(|at| marked(code, at));
    let mut at = 0;
    // Every character stays in the job, or the cursor would be elsewhere.
    for (kind, piece) in pieces(code) {
        let ink = kind.ink(colors);
        let end = at + piece.len();
        match error {
            Some((from, to)) if from < end && to > at => {
                let (from, to) = (from.max(at) - at, to.min(end) - at);
                let plain = TextFormat::simple(text::mono(), ink);
                let wrong = TextFormat {
                    background: colors.error_background,
                    underline: Stroke::new(sizes::LINE_STRONG, colors.error),
                    ..TextFormat::simple(text::mono(), colors.error)
                };
                for (part, format) in [
                    (&piece[..from], plain.clone()),
                    (&piece[from..to], wrong),
                    (&piece[to..], plain),
                ] {
                    if !part.is_empty() {
                        job.append(part, 0.0, format);
                    }
                }
            }
            _ => job.append(piece, 0.0, TextFormat::simple(text::mono(), ink)),
        }
        at = end;
    }
    job
}

/// The bytes of the character at which reading stopped; at the end, of the last one.
fn marked(code: &str, at: usize) -> (usize, usize) {
    let at = at.min(code.len());
    let at = (0..=at).rev().find(|at| code.is_char_boundary(*at)).unwrap_or(0);
    match code[at..].chars().next() {
        Some(c) => (at, at + c.len_utf8()),
        None => (code.char_indices().next_back().map_or(0, |(last, _)| last), code.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_is_a_whole_character() {
        let check =
            |code: &str, at, expected| assert_eq!(marked(code, at), expected, "{code} {at}");
        check("{a: }", 4, (4, 5));
        check("{a", 2, (1, 2));
        check("ä", 1, (0, 2));
        check("", 0, (0, 0));
        check("a", 99, (0, 1));
    }

    #[test]
    fn colours_change_no_character() {
        for (code, at) in [("{a: 'x', b: ISODate(}", Some(20)), ("{ü: 1}\n", None), ("", Some(0))]
        {
            assert_eq!(
                typed(code, Colors::of(true, crate::theme::Contrast::Normal), at).text,
                code
            );
        }
    }
}
