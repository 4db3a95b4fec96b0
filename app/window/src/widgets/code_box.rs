//! A command as typed in mongosh, with simple colors and a button that copies it.

use egui::text::LayoutJob;
use egui::{CornerRadius, Frame, Label, Margin, Stroke, TextFormat, Ui};

use super::{Button, value_text};
use crate::quoted;
use crate::theme::{Colors, Icon, colors, sizes, text};

/// The height of a box of one line, in points: the button, the margins, the border.
pub const ONE_LINE: f32 = sizes::CONTROL_SMALL + 2.0 * (8.0 + sizes::LINE);

/// Draws the command. Returns whether the user asked to copy it.
#[must_use = "the button must do what it says"]
pub fn ui(ui: &mut Ui, name: &str, code: &str) -> bool {
    boxed(ui, name, "Copy command", |ui, width| highlighted(ui, code, width))
}

/// Draws the place of a command that is not known yet.
pub fn empty_ui(ui: &mut Ui, words: &str) {
    framed(ui, |ui| {
        ui.set_height(sizes::CONTROL_SMALL);
        ui.horizontal_centered(|ui| {
            ui.label(text::rich(words, text::small()).color(colors(ui).dim));
        });
    });
}

/// Draws plain text, such as an address, without colors. Returns whether the user asked to copy
/// it.
#[must_use = "the button must do what it says"]
pub fn plain_ui(ui: &mut Ui, name: &str, copy_name: &str, words: &str) -> bool {
    boxed(ui, name, copy_name, |ui, width| {
        let (mut job, colors) = (LayoutJob::default(), colors(ui));
        job.wrap.max_width = width;
        // An address has no words: lines end at the edge.
        job.wrap.break_anywhere = true;
        value_text::append(&mut job, words, &text::mono(), colors.text, colors);
        job
    })
}

/// Draws lines of text. Returns whether the user asked to copy them.
#[must_use = "the button must do what it says"]
pub fn text_ui(ui: &mut Ui, name: &str, copy_name: &str, lines: &str) -> bool {
    boxed(ui, name, copy_name, |ui, width| {
        let format = TextFormat::simple(text::mono(), colors(ui).text);
        let mut job = LayoutJob::single_section(lines.to_owned(), format);
        job.wrap.max_width = width;
        job
    })
}

/// Draws a document. Returns whether the user asked to copy it.
#[must_use = "the button must do what it says"]
pub fn document_ui(ui: &mut Ui, code: &str) -> bool {
    boxed(ui, "Document", "Copy document", |ui, width| highlighted(ui, code, width))
}

fn boxed(
    ui: &mut Ui,
    name: &str,
    copy_name: &str,
    words: impl FnOnce(&Ui, f32) -> LayoutJob,
) -> bool {
    let mut copy = false;
    framed(ui, |ui| {
        ui.with_layout(egui::Layout::right_to_left(egui::Align::TOP), |ui| {
            let button = Button::icon_only(Icon::Copy, copy_name).small();
            copy = ui.add(button).clicked();
            ui.with_layout(egui::Layout::top_down(egui::Align::LEFT), |ui| {
                let job = words(ui, ui.available_width());
                // The first line is level with the middle of the button.
                let line = ui.fonts_mut(|fonts| fonts.row_height(&text::mono()));
                ui.add_space(((sizes::CONTROL_SMALL - line) / 2.0).max(0.0));
                ui.add(Label::new(job).selectable(true)).accessible_name(name);
            });
        });
    });
    copy
}

fn framed(ui: &mut Ui, add: impl FnOnce(&mut Ui)) {
    let colors = colors(ui);
    Frame::new()
        .fill(colors.background)
        .stroke(Stroke::new(sizes::LINE, colors.hairline))
        .corner_radius(CornerRadius::same(9))
        .inner_margin(Margin { left: 14, right: 6, top: 8, bottom: 8 })
        .show(ui, |ui| {
            ui.set_min_width(ui.available_width());
            add(ui);
        });
}

/// `code` with the colors of values, wrapped at `width`.
pub fn highlighted(ui: &Ui, code: &str, width: f32) -> LayoutJob {
    let (mut job, colors) = (LayoutJob::default(), colors(ui));
    for (kind, piece) in pieces(code) {
        let ink = kind.ink(colors);
        if piece.contains('\n') {
            // Line ends of our own layout stay line ends.
            job.append(piece, 0.0, TextFormat::simple(text::mono(), ink));
        } else {
            value_text::append(&mut job, piece, &text::mono(), ink, colors);
        }
    }
    value_text::wrap(ui, &mut job, width);
    job
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    Text,
    Number,
    Flag,
    Call,
    Name,
    Sign,
}

impl Piece {
    pub(super) fn ink(self, colors: &Colors) -> egui::Color32 {
        match self {
            Self::Text => colors.string,
            Self::Flag => colors.dim,
            Self::Call => colors.call,
            Self::Number | Self::Name | Self::Sign => colors.text,
        }
    }
}

/// Cuts code into pieces; together they are the code again.
pub(super) fn pieces(code: &str) -> Vec<(Piece, &str)> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let (kind, length) = match first {
            '"' | '\'' => (Piece::Text, quoted::length(rest, first).unwrap_or(rest.len())),
            '0'..='9' => (Piece::Number, run(rest, |c| c.is_alphanumeric() || c == '.')),
            '-' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => {
                (Piece::Number, 1 + run(&rest[1..], |c| c.is_alphanumeric() || c == '.'))
            }
            // An option of a command line is one name, whatever words are in it.
            '-' if rest[1..].starts_with('-') => {
                (Piece::Name, run(rest, |c| c.is_alphanumeric() || c == '-'))
            }
            c if c.is_alphabetic() || matches!(c, '_' | '$') => {
                let length = run(rest, |c| c.is_alphanumeric() || matches!(c, '_' | '$'));
                (word(&rest[..length], &rest[length..]), length)
            }
            c => (Piece::Sign, c.len_utf8()),
        };
        let (piece, later) = rest.split_at(length);
        found.push((kind, piece));
        rest = later;
    }
    found
}

fn word(word: &str, after: &str) -> Piece {
    match word {
        "db" | "new" | "use" => Piece::Call,
        "true" | "false" | "null" | "undefined" => Piece::Flag,
        "NaN" | "Infinity" | "MinKey" | "MaxKey" => Piece::Number,
        _ if after.starts_with('(') && word.starts_with(char::is_uppercase) => Piece::Call,
        _ => Piece::Name,
    }
}

fn run(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c| !belongs(c)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_the_code_again() {
        for code in [
            "db.sessions.createIndex({ at: 1 }, { expireAfterSeconds: -100.5 })",
            "{ a: 'it\\'s', b: \"two\", c: ISODate('2026-01-01'), d: null }",
            "'open",
            "ü-x",
            "-",
            "",
        ] {
            let whole: String = pieces(code).iter().map(|(_, piece)| *piece).collect();
            assert_eq!(whole, code);
        }
    }

    #[test]
    fn kinds_of_pieces() {
        let kind = |code: &str, wanted: &str| {
            pieces(code).into_iter().find(|(_, piece)| *piece == wanted).map(|(kind, _)| kind)
        };
        assert_eq!(kind("db.c.find({})", "db"), Some(Piece::Call));
        assert_eq!(kind("{a: -1.5}", "-1.5"), Some(Piece::Number));
        assert_eq!(kind("{a: 'x'}", "'x'"), Some(Piece::Text));
        assert_eq!(kind("{a: ISODate('x')}", "ISODate"), Some(Piece::Call));
        assert_eq!(kind("{a: true}", "true"), Some(Piece::Flag));
        assert_eq!(kind("{find: 1}", "find"), Some(Piece::Name));
        assert_eq!(kind("mayfly export --db demo", "--db"), Some(Piece::Name));
    }
}
