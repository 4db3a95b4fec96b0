//! The ledger of what was removed: how late, where each document is kept, and restoring them.

use egui::{Response, RichText, Ui};

use super::pass_times::PassTimes;
use super::table::{Table, id_ui, text_ui};
use super::{lag, marks};
use crate::action::{Action, ExpiryAction, TrashAction, trash};
use crate::guide::Topic;
use crate::panels::guide_link;
use crate::panels::reaper_log::RESTORE_HINT;
use crate::panels::tab_actions::ExpiryActions;
use crate::state::expiry::{ExpiryView, Kept, Lane, Pick};
use crate::state::{State, Tab, Zone, duration, number};
use crate::theme::{colors, sizes, text};
use crate::widgets::empty_state::{self, Picture};
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, figure};

/// Draws what was removed while the view was open.
pub(super) fn ui(
    ui: &mut Ui,
    state: &State,
    tab: &Tab,
    times: &PassTimes,
    actions: &mut ExpiryActions<'_>,
) {
    let view = &tab.expiry;
    if !view.ledger.is_empty() {
        ui.horizontal_wrapped(|ui| lag_ui(ui, view));
        if knows_lags(view, times) {
            lag::ui(ui, state, view, times);
        }
    }
    if !state.view.is_presented() {
        ui.horizontal_wrapped(|ui| buttons_ui(ui, state, tab, actions));
    }
    if view.ledger.is_empty() {
        let sentence = "No removals since you opened this tab";
        empty_state::with_more_ui(ui, Picture::Time, sentence, None, |ui| {
            guide_link::ui(ui, state, Topic::Passes, actions.queue);
        });
        return;
    }
    ui.add_space(sizes::GAP_SMALL);
    table_ui(ui, state, tab, actions);
}

/// Whether it can be said how late removals were: what is normal follows from the sleep between passes,
/// which not every server tells, and two looks are no instant.
fn knows_lags(view: &ExpiryView, times: &PassTimes) -> bool {
    let has_sleep = times.server.is_none_or(|next| next.sleep_ms().is_some());
    has_sleep && view.ledger.iter().all(|lane| lane.seen_ms.is_none())
}

fn table_ui(ui: &mut Ui, state: &State, tab: &Tab, actions: &mut ExpiryActions<'_>) {
    let (view, zone, indexes) = (&tab.expiry, state.clock.zone(), tab.indexes.ttl());
    let now_ms = state.now_ms();
    let removed = zone.heading("Removed");
    let columns = [
        ("_id", sizes::COLUMN),
        (removed.as_str(), sizes::COLUMN_DATE),
        ("Lag", sizes::COLUMN_SHORT),
        ("Kept", sizes::COLUMN_DATE),
        ("Index", sizes::COLUMN),
    ];
    let rows: Vec<&Lane> = view.ledger.iter().collect();
    let chosen = view.selected_lane().map(|lane| (&lane.id, lane.removed_ms));
    let is_chosen = |lane: &Lane| {
        view.is_picked(lane)
            || view.picked.is_empty() && chosen == Some((&lane.id, lane.removed_ms))
    };
    let (name, is_presented) = ("removed documents", state.view.is_presented());
    let table = Table { name, columns: &columns, rows: &rows, is_chosen: &is_chosen, is_presented };
    let mut pressed = |response: &Response, lane: &Lane| row_ui(response, lane, actions);
    table.ui(ui, &mut pressed, |ui, lane, column| {
        let ink = colors(ui);
        let mono = |words: String| RichText::new(words).font(text::mono());
        if column == 0 {
            marks::ui(ui, &indexes, &lane.index);
            return id_ui(ui, lane, false);
        }
        let words = match column {
            1 => mono(removed_at(lane, zone)).color(ink.date),
            2 => {
                return drop(figure::ui(ui, &lane.lag_figure(), figure::mono(ink.text)));
            }
            3 => {
                let kept = view.kept(lane);
                let ink = if kept.is_restorable() { ink.accent } else { ink.dim };
                RichText::new(with_marks(&kept.label(zone, now_ms))).color(ink)
            }
            // The inspector says when it expired, and by which date.
            _ => RichText::new(&lane.index).color(ink.dim),
        };
        text_ui(ui, words, true);
    });
}

/// When a document went.
fn removed_at(lane: &Lane, zone: Zone) -> String {
    let at = lane.removed_ms.unwrap_or(lane.threshold_ms);
    if lane.seen_ms.is_some() {
        // A look found that it was gone: no more is known.
        return format!("by {}", zone.date_time(at));
    }
    zone.date_time_millis(at)
}

/// A click chooses a row, with Ctrl one more, with Shift all up to it.
fn row_ui(response: &Response, lane: &Lane, actions: &mut ExpiryActions<'_>) {
    let Some(at_ms) = lane.removed_ms else { return };
    let pick = |how| ExpiryAction::Pick(lane.id.clone(), at_ms, how);
    if response.clicked() {
        let keys = response.ctx.input(|input| input.modifiers);
        actions.push(pick(match () {
            () if keys.shift => Pick::Range,
            () if keys.command => Pick::Toggle,
            () => Pick::Only,
        }));
    }
}

/// Why a document can't be restored; empty where it can.
pub(super) fn why_not(kept: &Kept) -> &'static str {
    match kept {
        Kept::In(_) => "",
        Kept::Unknown => "Looking for it in the trash and the archive",
        Kept::Older => "Of this _id a later document is kept; restore that one",
        Kept::Restored => "Restored to the collection",
        Kept::Nowhere => {
            "Neither the trash nor the archive has it: it was removed while they were off, or too \
             long ago"
        }
    }
}

/// How late the removals were.
fn lag_ui(ui: &mut Ui, view: &ExpiryView) {
    let ink = colors(ui);
    let mut words = |words: RichText| ui.add(egui::Label::new(words).extend());
    if let Some((median, most, max)) = view.lag_ms() {
        let figure = |name: &str, ms| format!("{name} {}", duration::figure(ms));
        let lag = [figure("p50", median), figure("p99", most), figure("max", max)].join("   ");
        words(RichText::new("Removal lag").color(ink.dim));
        words(RichText::new(lag).font(text::mono()));
    }
    if view.ledger_dropped > 0 {
        let dropped = format!("{} more not shown", number::count(view.ledger_dropped));
        words(RichText::new(dropped).color(ink.dim));
    }
}

fn buttons_ui(ui: &mut Ui, state: &State, tab: &Tab, actions: &mut ExpiryActions<'_>) {
    let (view, namespace) = (&tab.expiry, &tab.namespace);
    let has_rows = !view.ledger.is_empty();
    // A server keeps no copy of what it removes.
    let is_kept = state.store.capabilities.archives;
    if has_rows && is_kept {
        restore_ui(ui, view, actions);
    }
    let save = Button::plain("Save ledger…").enabled(has_rows && state.can_export());
    if ui.add(save.tooltip("Write the removals to an NDJSON or CSV file")).clicked() {
        actions.push(ExpiryAction::SaveLedger);
    }
    if ui.add(Button::plain("Copy as NDJSON").enabled(has_rows)).clicked() {
        actions.push(ExpiryAction::CopyLedger);
    }
    if !is_kept {
        return;
    }
    let show = Button::plain(trash::SHOW.label).tooltip(trash::SHOW.tooltip);
    if ui.add(show).clicked() {
        actions.queue.push(Action::Trash(TrashAction::Open(Some(namespace.clone()))));
    }
}

/// Restores the chosen documents that are kept.
fn restore_ui(ui: &mut Ui, view: &ExpiryView, actions: &mut ExpiryActions<'_>) {
    let count = view.picked_kept().len() as u64;
    let label = match (count, view.picked.len()) {
        (0 | 1, 0 | 1) => "Restore selected".to_owned(),
        _ => format!("Restore {}", number::counted(count, "document", "documents")),
    };
    let mut picked = view.ledger.iter().filter(|lane| view.is_picked(lane));
    let hint = match (count, picked.next()) {
        (0, None) => "Select documents first: with Ctrl several, with Shift a range",
        (0, Some(lane)) => why_not(&view.kept(lane)),
        _ => RESTORE_HINT,
    };
    if ui.add(Button::plain(&label).enabled(count > 0).tooltip(hint)).clicked() {
        actions.push(ExpiryAction::RestorePicked);
    }
    let any = view.ledger.iter().any(|lane| view.kept(lane).is_restorable());
    let all = Button::plain("Select restorable").enabled(any);
    if ui.add(all.tooltip("Select all removals that the trash or the archive has")).clicked() {
        actions.push(ExpiryAction::PickRestorable);
    }
}

#[cfg(test)]
mod tests {
    use bson::Bson;

    use super::*;

    #[test]
    fn a_removal_that_was_not_told_has_no_milliseconds() {
        let check = |seen_ms, expected: &str| {
            let lane = Lane {
                id: Bson::Int32(7),
                index: "at_1".into(),
                field: "at".into(),
                base_ms: 0,
                threshold_ms: 0,
                own_ttl: false,
                dates_ms: Vec::new(),
                removed_ms: Some(10_219),
                removable_ms: None,
                seen_ms,
            };
            assert_eq!(removed_at(&lane, Zone::Utc), expected);
        };
        check(Some(9_000), "by 1970-01-01 00:00:10");
        check(None, "1970-01-01 00:00:10.219Z");
    }
}
