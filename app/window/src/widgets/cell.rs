//! A value in a cell of a table: numbers at the right, ids and dates in their short form, the rest
//! on one line. The tooltip has the whole value.

use std::borrow::Cow;

use bson::Bson;
use bson::spec::BinarySubtype;
use egui::text::LayoutJob;
use egui::{Align, Align2, Rect, Response, Ui, pos2};
use mayfly_engine::value::Layout;
use mayfly_engine::value::shell::write_value;

use super::hint::Hint as _;
use super::value_text::{self, Kind};
use super::{figure, marks, paint, value};
use crate::job::Zone;
use crate::theme::{Colors, colors, sizes, text};

/// Gives the scroll bars of a table room in its layout.
pub fn keep_bars_beside(ui: &mut Ui) {
    let scroll = &mut ui.spacing_mut().scroll;
    // With room for the bars, the last row and the last column come out from under them.
    scroll.floating_allocated_width = scroll.bar_width + scroll.bar_outer_margin;
}

/// The height of a table's rows.
pub fn row_height(is_compact: bool) -> f32 {
    if is_compact { sizes::ROW_COMPACT } else { sizes::ROW }
}

/// Where a row begins in a table of `rows` rows and one more, which is the foot below the last.
#[expect(clippy::cast_precision_loss, reason = "egui places rows in points")]
pub fn row_top(row: u64, rows: u64, height: f32) -> f32 {
    let foot = if row > rows { sizes::TABLE_FOOT } else { 0.0 };
    row.min(rows) as f32 * height + foot
}

/// The edges at which a table is cut off, found while its cells are drawn.
#[derive(Debug, Clone, Copy)]
pub struct Cuts {
    area: Rect,
    sides: [bool; 2],
}

impl Default for Cuts {
    fn default() -> Self {
        Self { area: Rect::NOTHING, sides: [false, false] }
    }
}

impl Cuts {
    /// Notes a cell of a column that scrolls sideways.
    pub fn note(&mut self, ui: &Ui) {
        let (cell, seen) = (ui.max_rect(), ui.clip_rect());
        self.area = self.area.union(seen);
        self.sides[0] |= cell.left() < seen.left() - 0.5;
        self.sides[1] |= cell.right() > seen.right() + 0.5;
    }

    /// Fades the table at these edges.
    pub fn fade(self, ui: &Ui) {
        if self.area.is_positive() {
            paint::fade(ui, self.area, self.sides);
        }
    }
}

/// Lines of a nested value in a tooltip.
const HINT_LINES_MAX: usize = 24;

/// Characters of a text in a tooltip.
const HINT_CHARS_MAX: usize = 1_200;

pub fn words(value: &Bson) -> String {
    match value {
        Bson::ObjectId(id) => short_id(&id.to_hex(), 6),
        Bson::Binary(binary) if binary.subtype == BinarySubtype::Uuid => {
            let whole = write_value(value, Layout::OneLine);
            let inside = whole.strip_prefix("UUID('").and_then(|text| text.strip_suffix("')"));
            inside.map_or(whole.clone(), |text| short_id(text, 4))
        }
        Bson::DateTime(at) => Zone::Utc.date_time_millis(at.timestamp_millis()),
        Bson::Int64(number) => number.to_string(),
        Bson::Decimal128(number) => number.to_string(),
        Bson::String(content) if content.is_empty() => "''".to_owned(),
        Bson::String(content) => value::cut(content, value::VALUE_CHARS_MAX),
        Bson::Document(_) | Bson::Array(_) => value::preview(value),
        other => value::short(other),
    }
}

/// The first eight characters of an id and `last` of its last.
fn short_id(id: &str, last: usize) -> String {
    let start = id.char_indices().nth(8).map_or(id.len(), |(at, _)| at);
    let end = id.len().saturating_sub(last).max(start);
    format!("{}…{}", &id[..start], id.get(end..).unwrap_or_default())
}

pub fn is_right(value: &Bson) -> bool {
    matches!(
        value,
        Bson::Int32(_)
            | Bson::Int64(_)
            | Bson::Double(_)
            | Bson::Decimal128(_)
            | Bson::Timestamp(_)
    )
}

/// The value of a cell in its color, on one line.
pub fn job(value: &Bson, colors: &Colors) -> LayoutJob {
    let mut job = LayoutJob::default();
    let ink = match value {
        Bson::Document(_) | Bson::Array(_) => colors.dim,
        other => Kind::of(other).ink(colors),
    };
    value_text::append(&mut job, &words(value), &text::mono(), ink, colors);
    job
}

/// Paints the value of a cell into the part of `rect` that is on the screen. What is cut ends with
/// `…`, and a number begins with it: the digits that are left would be another number.
pub fn paint(ui: &Ui, rect: Rect, value: &Bson, mut job: LayoutJob) {
    let seen = figure::seen(ui, rect);
    let rect = if is_right(value) { seen } else { rect.with_max_x(seen.right()) };
    if is_right(value)
        && let Some(ink) = job.sections.first().map(|section| section.format.color)
    {
        let measured = |words: &str| paint::measured(ui, words, text::mono()).x;
        if let Cow::Owned(cut) = figure::fitted(&job.text, rect.width(), measured) {
            job = LayoutJob::default();
            value_text::append(&mut job, &cut, &text::mono(), ink, colors(ui));
        }
    }
    job.wrap = egui::text::TextWrapping::truncate_at_width(rect.width().max(1.0));
    job.halign = Align::LEFT;
    let galley = ui.fonts_mut(|fonts| fonts.layout_job(job));
    let (anchor, align) = if is_right(value) {
        (pos2(rect.right(), rect.center().y), Align2::RIGHT_CENTER)
    } else {
        (rect.left_center(), Align2::LEFT_CENTER)
    };
    let place = align.anchor_size(anchor, galley.size());
    ui.painter().galley(place.min, galley, colors(ui).text);
}

/// Says the whole value of a cell where the pointer rests.
pub fn hint_ui(cell: &Response, value: &Bson, when: impl Fn(i64) -> String) {
    cell.clone().hint_ui(|ui| {
        ui.set_max_width(sizes::TOOLTIP_VALUE);
        ui.label(text::rich(hint(value, when), text::mono_small()));
    });
}

/// The whole value for the tooltip; `when` says an instant in words.
pub fn hint(value: &Bson, when: impl Fn(i64) -> String) -> String {
    match value {
        Bson::ObjectId(id) => {
            let made = when(id.timestamp().timestamp_millis());
            format!("{}\nCreated {made}", write_value(value, Layout::OneLine))
        }
        Bson::DateTime(at) => {
            format!("{}\n{}", write_value(value, Layout::OneLine), when(at.timestamp_millis()))
        }
        Bson::String(content) => {
            let is_cut = content.chars().nth(HINT_CHARS_MAX).is_some();
            let shown: String = content.chars().take(HINT_CHARS_MAX).collect();
            let lines: Vec<String> = shown.lines().map(marks::visible).collect();
            format!("{}{}", lines.join("\n"), if is_cut { "…" } else { "" })
        }
        Bson::Document(_) | Bson::Array(_) => {
            let outline = value::outline(value, 0);
            let whole = value::unquoted_deeper(&write_value(&outline, Layout::Indented));
            let mut lines: Vec<&str> = whole.lines().take(HINT_LINES_MAX).collect();
            if whole.lines().nth(HINT_LINES_MAX).is_some() {
                lines.push("…");
            }
            marks::visible_lines(&lines.join("\n"))
        }
        other => marks::visible(&value::short(other)),
    }
}

#[cfg(test)]
mod tests {
    use bson::oid::ObjectId;
    use bson::{Binary, DateTime, bson};

    use super::*;

    #[test]
    fn a_foot_is_below_the_last_row() {
        let check = |row, expected: f32| assert!((row_top(row, 2, 32.0) - expected).abs() < 1e-3);
        check(0, 0.0);
        check(1, 32.0);
        check(2, 64.0);
        check(3, 64.0 + sizes::TABLE_FOOT);
        assert!((row_top(3, 3, row_height(true)) - 72.0).abs() < 1e-3);
    }

    #[test]
    fn a_cell_is_short_and_its_tooltip_whole() {
        let check = |value: Bson, expected: &str| assert_eq!(words(&value), expected);
        let id = Bson::ObjectId(ObjectId::from_bytes([0xab; 12]));
        check(id.clone(), "abababab…ababab");
        assert_eq!(
            hint(&id, |_| "then".to_owned()),
            format!("{}\nCreated then", value::short(&id))
        );
        check(Bson::DateTime(DateTime::from_millis(1_500)), "1970-01-01 00:00:01.500Z");
        check(Bson::DateTime(DateTime::from_millis(1_000)), "1970-01-01 00:00:01.000Z");
        check(Bson::Int64(5), "5");
        check(Bson::Double(5.0), "5.0");
        check(bson!("a\"b"), "a\"b");
        check(bson!(""), "''");
        check(bson!({"a": 1}), "{ a: 1 }");
        let uuid = Binary { subtype: BinarySubtype::Uuid, bytes: vec![0xcd; 16] };
        check(Bson::Binary(uuid), "cdcdcdcd…cdcd");
        assert!(is_right(&bson!(1)) && !is_right(&bson!("1")));
    }
}
