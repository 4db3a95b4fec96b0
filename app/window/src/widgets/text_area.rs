//! A field for text of one line or many: as high as its text, up to a bound. Enter alone is left to
//! the panel; Shift+Enter begins a line.

use egui::{
    CornerRadius, Frame, Id, Key, KeyboardShortcut, Margin, Modifiers, Response, ScrollArea,
    Stroke, StrokeKind, TextEdit, Ui,
};

use super::paint;
use crate::theme::{colors, sizes, text};

/// Lines that are shown before the field scrolls.
const LINES_MAX: f32 = 12.0;

/// How a field looks and what it says.
#[derive(Debug, Clone, Copy)]
pub struct TextArea<'a> {
    pub name: &'a str,
    /// The hint while it is empty.
    pub hint: &'a str,
    /// Whether something is wrong with what is in it.
    pub invalid: bool,
    /// Whether something is in it that is not saved.
    pub changed: bool,
    pub bytes_max: usize,
    /// Its own id, so that the keyboard can be sent to it.
    pub id: Id,
}

impl TextArea<'_> {
    /// Draws the field. The response is that of the text.
    pub fn ui(&self, ui: &mut Ui, draft: &mut String) -> Response {
        let colors = colors(ui);
        let line = ui.fonts_mut(|fonts| fonts.row_height(&text::mono()));
        let background = ui.painter().add(egui::Shape::Noop);
        let frame = Frame::new().inner_margin(Margin::symmetric(9, 6));
        let drawn = frame.show(ui, |ui| {
            ui.set_width(ui.available_width());
            if lines(ui, draft) <= LINES_MAX {
                return self.edit_ui(ui, draft);
            }
            let scroll = ScrollArea::vertical().id_salt(self.name).max_height(line * LINES_MAX);
            scroll.auto_shrink([false, true]).show(ui, |ui| self.edit_ui(ui, draft)).inner
        });
        let response = drawn.inner;
        let border = match (self.invalid, self.changed, response.has_focus()) {
            (true, ..) => colors.error,
            (_, true, _) => colors.edited,
            (.., true) => colors.accent,
            _ => colors.hairline,
        };
        let shape = egui::epaint::RectShape::new(
            drawn.response.rect,
            CornerRadius::same(7),
            colors.field,
            Stroke::new(sizes::LINE, border),
            StrokeKind::Inside,
        );
        ui.painter().set(background, shape);
        paint::field_shadow(ui, drawn.response.rect);
        response
    }

    fn edit_ui(&self, ui: &mut Ui, draft: &mut String) -> Response {
        let edit = TextEdit::multiline(draft)
            .id(self.id)
            .font(text::mono())
            .hint_text(text::rich(self.hint, text::mono()).color(colors(ui).dim))
            .frame(Frame::new())
            .margin(Margin::ZERO)
            .desired_rows(1)
            .desired_width(f32::INFINITY)
            .return_key(KeyboardShortcut::new(Modifiers::SHIFT, Key::Enter))
            .char_limit(self.bytes_max);
        ui.add(edit).accessible_name(self.name)
    }
}

/// About how many lines a text takes.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn lines(ui: &Ui, content: &str) -> f32 {
    let chars = (ui.available_width() / paint::digit_width(ui).max(1.0)).max(1.0);
    // Of a long text, the length alone says that it is too high.
    if content.len() as f32 > 8.0 * chars * LINES_MAX {
        return f32::INFINITY;
    }
    content.split('\n').map(|line| (line.chars().count() as f32 / chars).ceil().max(1.0)).sum()
}
