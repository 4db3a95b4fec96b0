//! Values colored by kind, with the characters that can't be seen shown as marks.

use std::ops::Range;

use bson::Bson;
use egui::text::{ByteIndex, LayoutJob, LayoutSection, TextFormat};
use egui::{Color32, FontId, Ui};

use super::paint;
pub use crate::job::invisible::{mark, with_marks};
use crate::theme::{Colors, text};

/// The kind of a value, for its color.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    String,
    Number,
    /// Booleans and null: they say little next to other values.
    Flag,
    Date,
    Id,
    /// Anything else: documents, arrays, code.
    Other,
}

impl Kind {
    pub fn of(value: &Bson) -> Self {
        match value {
            Bson::String(_) | Bson::Symbol(_) => Self::String,
            Bson::Double(_) | Bson::Int32(_) | Bson::Int64(_) | Bson::Decimal128(_) => Self::Number,
            Bson::Boolean(_) | Bson::Null | Bson::Undefined => Self::Flag,
            Bson::DateTime(_) | Bson::Timestamp(_) => Self::Date,
            Bson::ObjectId(_) | Bson::Binary(_) | Bson::DbPointer(_) => Self::Id,
            _ => Self::Other,
        }
    }

    #[must_use]
    pub fn ink(self, colors: &Colors) -> Color32 {
        match self {
            Self::String => colors.string,
            Self::Flag => colors.dim,
            Self::Date => colors.date,
            Self::Id => colors.id,
            Self::Number | Self::Other => colors.text,
        }
    }
}

/// Appends `content` to `job` in `ink`; characters that can't be seen become marks.
pub fn append(job: &mut LayoutJob, content: &str, font: &FontId, ink: Color32, colors: &Colors) {
    let mut plain = String::new();
    let flush = |job: &mut LayoutJob, plain: &mut String| {
        if !plain.is_empty() {
            job.append(plain, 0.0, TextFormat::simple(font.clone(), ink));
            plain.clear();
        }
    };
    for c in content.chars() {
        match mark(c) {
            None => plain.push(c),
            // In their own color, so that data can't hide or reorder anything on the
            // screen.
            Some(mark) => {
                flush(job, &mut plain);
                job.append(&mark, 0.0, TextFormat::simple(font.clone(), colors.mark));
            }
        }
    }
    flush(job, &mut plain);
}

/// `content` in one color, with marks, in the monospaced face.
pub fn job(content: &str, kind: Kind, colors: &Colors) -> LayoutJob {
    let mut job = LayoutJob::default();
    append(&mut job, content, &text::mono(), kind.ink(colors), colors);
    job
}

/// Sets parts of a text off, such as what was found in it. `ranges` are in order and don't overlap.
pub fn set_off(job: &mut LayoutJob, ranges: &[Range<usize>], colors: &Colors) {
    if ranges.is_empty() {
        return;
    }
    let sections = std::mem::take(&mut job.sections);
    for section in sections {
        let (mut from, end) = (section.byte_range.start.0, section.byte_range.end.0);
        let mut leading = section.leading_space;
        let mut push = |job: &mut LayoutJob, from: usize, to: usize, is_found: bool| {
            if from >= to {
                return;
            }
            let mut format = section.format.clone();
            if is_found {
                format.background = colors.found;
                format.color = colors.on_found;
            }
            let byte_range = ByteIndex(from)..ByteIndex(to);
            let leading_space = std::mem::take(&mut leading);
            job.sections.push(LayoutSection { leading_space, byte_range, format });
        };
        for range in ranges {
            let (start, stop) = (range.start.max(from), range.end.min(end));
            if start < stop {
                push(job, from, start, false);
                push(job, start, stop, true);
                from = stop;
            }
        }
        push(job, from, end, false);
    }
}

/// Wraps `job`, which is in the monospaced face, at `width`: between words, or anywhere if one of
/// them needs more than a line.
pub fn wrap(ui: &Ui, job: &mut LayoutJob, width: f32) {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some hundreds")]
    let chars = (width / paint::digit_width(ui).max(1.0)) as usize;
    let is_long = |word: &str| word.chars().nth(chars).is_some();
    job.wrap.max_width = width;
    // Otherwise a word of more than a line would start a new line after an almost empty one.
    job.wrap.break_anywhere = job.text.split_whitespace().any(is_long);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_longer_than_a_line_begins_behind_the_one_before_it() {
        let check = |content: &str, expected: &[&str]| {
            let context = egui::Context::default();
            crate::theme::install_fonts(&context);
            // Fonts are there from the second frame on.
            context.run_ui(egui::RawInput::default(), |_| {}).textures_delta.clear();
            let mut rows = Vec::new();
            let mut output = context.run_ui(egui::RawInput::default(), |ui| {
                let mut job = job(content, Kind::Other, crate::theme::colors(ui));
                wrap(ui, &mut job, 10.5 * paint::digit_width(ui));
                let galley = ui.fonts_mut(|fonts| fonts.layout_job(job));
                rows = galley.rows.iter().map(|row| row.text().trim_end().to_owned()).collect();
            });
            // Nothing is painted; a debug build refuses to drop textures unseen.
            output.textures_delta.clear();
            assert_eq!(rows, expected, "{content}");
        };
        check("a: 'xxxxxxxxxxxx'", &["a: 'xxxxxx", "xxxxxx'"]);
        check("id: Id('0123456789')", &["id: Id('01", "23456789')"]);
        check("one two three", &["one two", "three"]);
    }

    #[test]
    fn what_is_found_is_set_off_and_nothing_is_lost() {
        let colors = Colors::of(true, crate::theme::Contrast::Normal);
        let mut job = job("one two", Kind::String, colors);
        job.append(" three", 0.0, TextFormat::default());
        set_off(&mut job, &[1..2, 5..9], colors);
        let parts: Vec<(&str, bool)> = job
            .sections
            .iter()
            .map(|section| {
                let range = section.byte_range.start.0..section.byte_range.end.0;
                (&job.text[range], section.format.background == colors.found)
            })
            .collect();
        let expected = [
            ("o", false),
            ("n", true),
            ("e t", false),
            ("wo", true),
            (" t", true),
            ("hree", false),
        ];
        assert_eq!(parts, expected);
    }

    #[test]
    fn kinds() {
        assert_eq!(Kind::of(&Bson::Int64(1)), Kind::Number);
        assert_eq!(Kind::of(&Bson::Null), Kind::Flag);
        assert_eq!(Kind::of(&Bson::Boolean(true)), Kind::Flag);
        assert_eq!(Kind::of(&Bson::String(String::new())), Kind::String);
        assert_eq!(Kind::of(&Bson::DateTime(bson::DateTime::MIN)), Kind::Date);
        assert_eq!(Kind::of(&Bson::Array(Vec::new())), Kind::Other);
    }
}
