//! A value in a cell of a table: numbers at the right, ids and dates in their short form, the rest
//! on one line. The tooltip has the whole value.

use std::borrow::Cow;

use bson::Bson;
use bson::spec::BinarySubtype;
use egui::text::LayoutJob;
use egui::{Align, Align2, Rect, Ui, pos2};
use mayfly_engine::value::Layout;
use mayfly_engine::value::shell::write_value;

use super::value_text::{self, Kind};
use super::{figure, marks, paint, value};
use crate::job::Zone;
use crate::theme::{Colors, colors, text};

/// Gives the scroll bars of a table room in its layout.
pub fn keep_bars_beside(ui: &mut Ui) {
    let scroll = &mut ui.spacing_mut().scroll;
    // With room for the bars, the last row and the last column come out from under them.
    scroll.floating_allocated_width = scroll.bar_width + scroll.bar_outer_margin;
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
