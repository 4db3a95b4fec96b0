//! Words about documents.

use egui::Ui;

use crate::state::documents::due::Due;
use crate::state::number::{count, counted};
use crate::state::{Clock, Namespace, State, Tab, Zone, duration};
use crate::theme::sizes;

/// An empty collection.
pub fn nothing(namespace: &Namespace) -> String {
    let name = crate::widgets::marks::visible(&namespace.to_string());
    format!("{name} is empty")
}

pub const NONE_READABLE: &str = "All documents in this collection are damaged";

/// Said of the list where expired documents are hidden.
pub const HIDDEN: &str = "Expired documents are hidden and not counted";

/// Which rows are on the screen: `1–50 of 12,408`. While the total is not known, the rows that are
/// loaded tell that there are more.
pub fn range(shown: (u64, u64), total: Option<u64>, loaded_end: u64) -> String {
    let (first, end) = shown;
    if end <= first {
        return total.map(|total| counted(total, "document", "documents")).unwrap_or_default();
    }
    let rows = format!("{}–{}", count(first + 1), count(end));
    match total {
        Some(total) => format!("{rows} of {}", count(total)),
        None if loaded_end > end => format!("{rows} of more than {}", count(end)),
        None => format!("{rows} of {} or more", count(end)),
    }
}

/// When a document expires, for a list: the words, and whether it is past its threshold.
pub fn due(due: Due, clock: &Clock) -> (String, bool) {
    match due {
        Due::Never => ("never expires".to_owned(), false),
        Due::At { threshold_ms, .. } => {
            // Digits step together with all others, with the full steps of the clock.
            let rest = threshold_ms.saturating_sub(clock.shown_ms());
            if threshold_ms > clock.now_ms() {
                (duration::countdown(rest), false)
            } else {
                (format!("{} overdue", duration::overdue(rest.saturating_neg())), true)
            }
        }
    }
}

/// An instant in the chosen zone and in UTC, and how far away it is.
pub fn instant(ms: i64, clock: &Clock) -> String {
    let apart = ms.saturating_sub(clock.shown_ms());
    let span = duration::span(apart.saturating_abs());
    let away = if apart < 0 { format!("{span} ago") } else { format!("in {span}") };
    format!("{}\n{away}", clock.zone().both(ms))
}

/// When a document expires, read aloud: the threshold, which doesn't change every second.
pub fn due_spoken(due: Due, zone: Zone) -> String {
    match due {
        Due::Never => "Never expires".to_owned(),
        Due::At { threshold_ms, .. } => {
            format!("Expires at {}", zone.date_time_millis(threshold_ms))
        }
    }
}

/// The width that the list has once the inspector is open: no text moves when a first document is
/// selected.
pub(super) fn settled_width(ui: &Ui, state: &State, tab: &Tab) -> f32 {
    let width = ui.available_width();
    let opens = state.settings.inspector && !tab.has_inspector() && !state.view.is_presented();
    let beside = width - sizes::INSPECTOR;
    if opens && beside >= sizes::VIEW_MIN { beside } else { width }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        let check = |shown, total, expected: &str| assert_eq!(range(shown, total, 50), expected);
        check((0, 50), Some(12_408), "1–50 of 12,408");
        check((999_990, 1_000_000), Some(1_000_000), "999,991–1,000,000 of 1,000,000");
        check((0, 20), None, "1–20 of more than 20");
        check((30, 50), None, "31–50 of 50 or more");
        check((0, 0), Some(0), "0 documents");
    }
}
