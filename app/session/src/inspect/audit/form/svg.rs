//! The chart of a rule: the documents that expire by it on each of the next 30 days.

use std::fmt::Write as _;

use crate::inspect::audit::facts::Days;
use crate::job::{Zone, number};

const WIDTH: u64 = 640;

/// Height of the bars.
const HEIGHT: u64 = 90;

/// Room above them for the largest number, and below for dates.
const ABOVE: u64 = 16;
const BELOW: u64 = 18;

pub(super) const DAY_MS: i64 = 86_400_000;

/// The chart as an element of HTML; nothing where no document expires.
pub(super) fn days(days: &Days, now_ms: i64) -> String {
    let most = days.counts.iter().copied().max().unwrap_or(0);
    if most == 0 {
        return String::new();
    }
    let count = days.counts.len().max(1) as u64;
    let step = WIDTH / count;
    let about = if days.is_exact { "" } else { "about " };
    let label = format!(
        "Documents that expire on each of the next {count} days, at most {about}{}",
        number::count(most)
    );
    let height = ABOVE + HEIGHT + BELOW;
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{label}\"><title>{label}</title>\n"
    );
    let ground = ABOVE + HEIGHT;
    // Writing to a String can't fail.
    let _ = writeln!(
        svg,
        "<line class=\"axis\" x1=\"0\" x2=\"{WIDTH}\" y1=\"{ground}\" y2=\"{ground}\"/>"
    );
    let mut from_ms = now_ms;
    for (x, documents) in (0..).map(|at: u64| at * step).zip(&days.counts) {
        // A day with one document of a million is still seen.
        let bar = u128::from(*documents) * u128::from(HEIGHT) / u128::from(most);
        let bar = u64::try_from(bar).unwrap_or(HEIGHT).max(u64::from(*documents > 0));
        let (y, width) = (ground - bar, step - 2);
        if bar > 0 {
            let words = number::counted(*documents, "document", "documents");
            let _ = writeln!(
                svg,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{bar}\"><title>{}: {about}{words}</title></rect>",
                day(from_ms)
            );
        }
        if *documents == most {
            let (at, anchor) = if x > WIDTH / 2 { (x + width, "end") } else { (x, "start") };
            let _ = writeln!(
                svg,
                "<text x=\"{at}\" y=\"{}\" text-anchor=\"{anchor}\">{about}{}</text>",
                (y).saturating_sub(4).max(11),
                number::count(*documents)
            );
        }
        from_ms = from_ms.saturating_add(DAY_MS);
    }
    let last_ms = from_ms.saturating_sub(DAY_MS);
    for (x, anchor, ms) in [(0, "start", now_ms), (WIDTH, "end", last_ms)] {
        let _ = writeln!(
            svg,
            "<text x=\"{x}\" y=\"{}\" text-anchor=\"{anchor}\">{}</text>",
            height - 4,
            day(ms)
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// The date of an instant.
pub(super) fn day(ms: i64) -> String {
    Zone::Utc.date_time(ms).split(' ').next().unwrap_or_default().to_owned()
}
