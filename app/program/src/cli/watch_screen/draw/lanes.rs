//! One line per document: what it is at, the time left, a bar, and which document it is.

use ratatui::{buffer::Buffer, layout::Rect, style::Style};

use super::pen::{Pen, cells, title};
use crate::{
    cli::{
        watch_screen::{
            chooser::ALL,
            layout::{Columns, MARK, NARROW},
            view::{Lane, Phase, SCALES, WatchView},
        },
        watched_store::time_left,
    },
    state::{Zone, duration},
    theme::terminal::TerminalColors,
};

/// From this height on, the columns have headings.
const HEADINGS_HEIGHT: u16 = 8;

/// The last cell of a bar that would be longer.
const LONGER: &str = "»";

/// A cell of a bar that is overdue time.
const OVERDUE: &str = "▒";

/// A cell without a bar.
const EMPTY: &str = "·";

/// A cell of a removed document.
const REMOVED: &str = "─";

/// Parts of a cell, in eighths.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// With less room an `ObjectId` is cut at its end.
const BOTH_ENDS_MIN: usize = 9;

/// Digits of an `ObjectId` as text.
const OBJECT_ID_DIGITS: usize = 24;

/// Draws the lanes under their title.
pub(super) fn ui(buffer: &mut Buffer, area: Rect, view: &WatchView, ink: &TerminalColors) {
    let (scale, _) = SCALES[view.scale];
    let chosen = match (&view.chosen, view.namespaces.as_slice()) {
        (Some(namespace), _) | (None, [namespace]) => namespace.to_string(),
        (None, _) => ALL.to_owned(),
    };
    let scale = format!("full bar {scale}");
    let heading = if area.width < NARROW { "Next" } else { "Expiring next" };
    let parts = [
        (heading, ink.strong),
        (" · ", ink.dim),
        (scale.as_str(), ink.text),
        (" · ", ink.dim),
        (chosen.as_str(), ink.text),
    ];
    title(buffer, area, &parts, ink.dim);
    let columns = view.columns();
    let has_headings = area.height >= HEADINGS_HEIGHT;
    if has_headings {
        headings(&mut Pen::new(buffer, area, 1), columns, ink.dim);
    }
    let first = 1 + u16::from(has_headings);
    let rows = area.height.saturating_sub(first);
    let lanes = view.lanes(usize::from(rows));
    if lanes.is_empty() && rows > 0 {
        let words = if view.has_read { "No more documents to expire." } else { "Reading…" };
        Pen::new(buffer, area, first).skip(MARK).write(words, ink.dim);
    }
    for (line, lane) in (first..).zip(lanes) {
        lane_ui(&mut Pen::new(buffer, area, line), view, lane, columns, ink);
    }
}

fn headings(pen: &mut Pen<'_>, columns: Columns, style: Style) {
    pen.skip(MARK).right("time left", columns.time, style).skip(columns.bar + 1);
    for (words, width) in [
        ("expires at", columns.threshold),
        ("index", columns.index),
        ("collection", columns.namespace),
        ("_id", columns.id),
    ] {
        pen.column(words, width, style);
    }
}

fn lane_ui(
    pen: &mut Pen<'_>,
    view: &WatchView,
    lane: &Lane,
    columns: Columns,
    ink: &TerminalColors,
) {
    let now_ms = view.clock.now_ms();
    let phase = view.phase(lane);
    let (mark, style) = match phase {
        Phase::Waiting => (" ", ink.waiting),
        Phase::Soon => ("*", ink.soon),
        Phase::Overdue => ("!", ink.overdue),
        Phase::Removed { is_fading: false } => ("x", ink.removed),
        Phase::Removed { is_fading: true } => ("x", ink.fading),
    };
    let is_removed = lane.document.removed_ms.is_some();
    let data = if is_removed { style } else { ink.text };
    pen.column(mark, MARK, style).right(&time(lane, now_ms, columns.time), columns.time, style);
    let left_ms = lane.left_ms(now_ms);
    let (_, scale_ms) = SCALES[view.scale];
    let (bar, empty) = if is_removed {
        (String::new(), REMOVED)
    } else {
        (bar(left_ms, columns.bar, scale_ms), EMPTY)
    };
    let rest = usize::from(columns.bar.saturating_sub(cells(&bar)));
    pen.write(&bar, style).write(&empty.repeat(rest), ink.dim).skip(1);
    let threshold = Zone::Utc.when(lane.document.threshold_ms, now_ms);
    // Where only the day has room, the time of day is left out.
    let room = usize::from(columns.threshold).saturating_sub(1).min(threshold.len());
    let dim = if is_removed { style } else { ink.dim };
    pen.column(threshold.get(..room).unwrap_or_default(), columns.threshold, dim);
    pen.column(&lane.document.index, columns.index, dim);
    pen.column(&lane.namespace.to_string(), columns.namespace, data);
    let room = usize::from(pen.room());
    pen.write(&both_ends(&lane.label, room), data);
}

/// The time left, since the threshold, or from there to the removal: with a word if it has room.
fn time(lane: &Lane, now_ms: i64, width: u16) -> String {
    let left_ms = lane.left_ms(now_ms);
    let (words, short) = match lane.document.late_ms() {
        Some(late_ms) => {
            let lag = duration::span(late_ms);
            // The document went between two looks at a server.
            if lane.document.seen_ms.is_some() {
                (format!("gone ≤{lag}"), format!("≤{lag}"))
            } else {
                (format!("removed +{lag}"), format!("+{lag}"))
            }
        }
        None if left_ms > 0 => return time_left(left_ms),
        None => (time_left(left_ms), duration::overdue(left_ms.saturating_neg())),
    };
    if cells(&words) < width { words } else { short }
}

/// A bar of the time left, or of the time since the threshold. Returns it without the empty cells.
fn bar(left_ms: i64, cells: u16, scale_ms: i64) -> String {
    let cells = usize::from(cells);
    let part = |ms: i64, parts: usize| -> usize {
        let parts = i128::try_from(parts).unwrap_or(i128::MAX);
        let scale = i128::from(scale_ms);
        usize::try_from((i128::from(ms) * parts + scale - 1) / scale).unwrap_or(usize::MAX)
    };
    if left_ms > scale_ms {
        return format!("{}{LONGER}", "█".repeat(cells.saturating_sub(1)));
    }
    if left_ms <= 0 {
        return OVERDUE.repeat(part(left_ms.saturating_neg(), cells).clamp(1, cells.max(1)));
    }
    let eighths = part(left_ms, cells * 8);
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

/// Both ends of an `ObjectId` that has no room: those of one minute differ in the last digits only.
fn both_ends(label: &str, room: usize) -> String {
    let is_object_id =
        label.len() == OBJECT_ID_DIGITS && label.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_object_id || !(BOTH_ENDS_MIN..OBJECT_ID_DIGITS).contains(&room) {
        return label.to_owned();
    }
    let start = (room - 1) / 3;
    format!("{}…{}", &label[..start], &label[OBJECT_ID_DIGITS - (room - 1 - start)..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_shrinks_with_the_time_left_and_grows_when_overdue() {
        let check = |left_ms, expected: &str| assert_eq!(bar(left_ms, 8, 8_000), expected);
        check(8_001, "███████»");
        check(i64::MAX, "███████»");
        check(8_000, "████████");
        check(4_000, "████");
        check(3_500, "███▌");
        check(1, "▏");
        check(0, "▒");
        check(-3_000, "▒▒▒");
        check(-9_000, "▒▒▒▒▒▒▒▒");
        check(i64::MIN, "▒▒▒▒▒▒▒▒");
    }

    #[test]
    fn an_object_id_shows_both_ends() {
        let id = "6b05b228764665c6126f40d2";
        assert_eq!(both_ends(id, 24), id);
        assert_eq!(both_ends(id, 12), "6b0…126f40d2");
        assert_eq!(both_ends(id, 12).chars().count(), 12);
        assert_eq!(both_ends("session-1", 4), "session-1", "the column cuts it");
    }
}
