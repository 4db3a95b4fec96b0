//! The ledger of what was removed: how late, where each document is kept, and restoring them.

use egui::{Id, Response, RichText, Ui};

use super::pass_times::PassTimes;
use super::table::{Table, id_ui, text_ui};
use super::words::label;
use super::{lag, marks};
use crate::action::{Action, ExpiryAction, TrashAction, reaper, trash};
use crate::guide::Topic;
use crate::panels::activity::passes::RESTORE_HINT;
use crate::panels::guide_link;
use crate::panels::tab_actions::ExpiryActions;
use crate::state::expiry::{ExpiryView, Kept, Lane, Pick};
use crate::state::{State, Tab, Zone, number};
use crate::theme::{colors, sizes, text};
use crate::widgets::empty_state::{self, Picture};
use crate::widgets::hint::Hint as _;
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, figure, menu};

/// The button of a row.
const RESTORE: &str = "Restore";

/// Whether the chart of the lag is open.
const DETAILS: &str = "the chart of the removal lag";

/// The least width of `_id`s and of index names, in points.
const NAME_MIN: f32 = 120.0;
/// The same of `_id`s without index names.
const NAME_ALONE_MIN: f32 = 84.0;

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
        lag_ui(ui, state, view, times);
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
    // A server keeps no copy of what it removes.
    let restores = state.store.capabilities.archives && !state.view.is_presented();
    let removed = zone.heading("Removed");
    let (id, index) = name_widths(ui, restores);
    let mut columns = vec![
        ("_id", id),
        (removed.as_str(), if restores { sizes::COLUMN } else { sizes::COLUMN_DATE }),
        ("Lag", sizes::COLUMN_SHORT),
    ];
    if let Some(width) = index {
        columns.push(("Index", width));
    }
    if restores {
        columns.push(("", sizes::COLUMN_SHORT));
    }
    let rows: Vec<&Lane> = view.ledger.iter().collect();
    let chosen = view.selected_lane().map(|lane| (&lane.id, lane.removed_ms));
    let is_chosen = |lane: &Lane| {
        view.is_picked(lane)
            || view.picked.is_empty() && chosen == Some((&lane.id, lane.removed_ms))
    };
    let name = "removed documents";
    let table = Table { name, columns: &columns, rows: &rows, is_chosen: &is_chosen, state };
    let mut restored = None;
    let mut pressed = |response: &Response, lane: &Lane| row_ui(response, lane, actions);
    table.ui(ui, &mut pressed, |ui, lane, column| {
        let ink = colors(ui);
        let mono = |words: String| RichText::new(words).font(text::mono());
        if column == 0 {
            marks::ui(ui, &indexes, &lane.index);
            return id_ui(ui, lane, false);
        }
        let words = match column {
            1 => mono(removed_at(lane, zone, now_ms)).color(ink.date),
            2 => {
                return drop(figure::ui(ui, &lane.lag_figure(), figure::mono(ink.text)));
            }
            // The inspector says when it expired, and by which date.
            3 if index.is_some() => RichText::new(&lane.index).color(ink.dim),
            _ => {
                let kept = view.kept(lane);
                if restore_row_ui(ui, lane, &kept, &kept.label(zone, now_ms)) {
                    restored = lane.removed_ms.map(|at_ms| (lane.id.clone(), at_ms));
                }
                return;
            }
        };
        text_ui(ui, words, true);
    });
    if let Some((id, at_ms)) = restored {
        actions.push(ExpiryAction::Pick(id, at_ms, Pick::Only));
        actions.push(ExpiryAction::RestorePicked);
    }
}

/// The widths of `_id`s and of index names, so that the last column isn't cut. Where there is no room for
/// both, the inspector has the index.
fn name_widths(ui: &Ui, restores: bool) -> (f32, Option<f32>) {
    let (removed, columns) =
        if restores { (sizes::COLUMN, 4.0) } else { (sizes::COLUMN_DATE, 3.0) };
    let lag = if restores { 2.0 * sizes::COLUMN_SHORT } else { sizes::COLUMN_SHORT };
    let gaps = columns * ui.spacing().item_spacing.x + sizes::GAP;
    let room = ui.available_width() - removed - lag - gaps;
    let fitted = |share: f32| (room * share).clamp(NAME_MIN, sizes::COLUMN_WIDE);
    if room < 2.0 * NAME_MIN {
        return (room.clamp(NAME_ALONE_MIN, sizes::COLUMN_WIDE), None);
    }
    (fitted(0.55), Some(fitted(0.45)))
}

/// The button that restores a document, or why there is none. Returns whether it was pressed.
fn restore_row_ui(ui: &mut Ui, lane: &Lane, kept: &Kept, words: &str) -> bool {
    if !kept.is_restorable() {
        let words = RichText::new(with_marks(words)).color(colors(ui).dim);
        text_ui(ui, words, false).hint(why_not(kept));
        return false;
    }
    let name = format!("Restore {}", label(lane));
    let hint = format!("{words}. {RESTORE_HINT}");
    ui.add(Button::plain(RESTORE).small().name(&name).tooltip(&hint)).clicked()
}

/// When a document went.
fn removed_at(lane: &Lane, zone: Zone, now_ms: i64) -> String {
    let at = zone.when(lane.removed_ms.unwrap_or(lane.threshold_ms), now_ms);
    // A look found that it was gone: no more is known.
    if lane.seen_ms.is_some() { format!("by {at}") } else { at }
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

/// How late the removals were, in one sentence; figures and a chart on request.
fn lag_ui(ui: &mut Ui, state: &State, view: &ExpiryView, times: &PassTimes) {
    let ink = colors(ui);
    let promise = view.promise(times.allowed_ms()).filter(|_| knows_lags(view, times));
    let (mut sentence, color) = if let Some(promise) = &promise {
        let color = if promise.late > 0 { ink.overdue } else { ink.text };
        (lag::sentence(promise, times.allowed_ms()), color)
    } else {
        let removed = number::counted(view.ledger.len() as u64, "document", "documents");
        (format!("{removed} removed"), ink.text)
    };
    if view.ledger_dropped > 0 {
        sentence.push_str("; ");
        sentence.push_str(&number::count(view.ledger_dropped));
        sentence.push_str(" more not shown");
    }
    let is_presented = state.view.is_presented();
    let id = Id::unique(DETAILS);
    let mut is_open = is_presented || ui.data(|data| data.get_temp(id)).unwrap_or(false);
    ui.horizontal_wrapped(|ui| {
        ui.label(text::rich(sentence, text::body()).color(color));
        let details = Button::ghost("Details").small().menu().selected(is_open).name("Lag details");
        if promise.is_some() && !is_presented && ui.add(details).clicked() {
            is_open = !is_open;
            ui.data_mut(|data| data.insert_temp(id, is_open));
        }
    });
    if promise.is_some() && is_open {
        lag::ui(ui, state, view, times);
    }
}

fn buttons_ui(ui: &mut Ui, state: &State, tab: &Tab, actions: &mut ExpiryActions<'_>) {
    let view = &tab.expiry;
    let has_rows = !view.ledger.is_empty();
    let save = Button::plain("Save ledger…").enabled(has_rows && state.can_export());
    if ui.add(save.tooltip("Write the removals to an NDJSON or CSV file")).clicked() {
        actions.push(ExpiryAction::SaveLedger);
    }
    let more = ui.add(Button::plain("More").menu().name("More for the ledger"));
    menu::below(&more, |ui| more_ui(ui, state, tab, actions));
    // Each row has its own button.
    let picked = view.picked_kept().len() as u64;
    if view.picked.len() > 1 && state.store.capabilities.archives {
        let label = format!("Restore {}", number::counted(picked, "document", "documents"));
        let restore = Button::plain(&label).enabled(picked > 0).tooltip(RESTORE_HINT);
        if ui.add(restore).clicked() {
            actions.push(ExpiryAction::RestorePicked);
        }
    }
    keep_ui(ui, state, false, actions);
}

/// Turns the trash on, next to what it did not keep: too late for that, in time for the next ones.
pub(super) fn keep_ui(ui: &mut Ui, state: &State, is_small: bool, actions: &mut ExpiryActions<'_>) {
    let keep = reaper::UNDO_ON.now(state).filter(|_| state.store.capabilities.archives);
    let Some(action) = keep else { return };
    let button = Button::plain("Keep removed documents").tooltip(reaper::UNDO_ON.tooltip);
    if ui.add(if is_small { button.small() } else { button }).clicked() {
        actions.queue.push(action);
    }
}

fn more_ui(ui: &mut Ui, state: &State, tab: &Tab, actions: &mut ExpiryActions<'_>) {
    let view = &tab.expiry;
    let has_rows = !view.ledger.is_empty();
    if menu::entry(ui, "Copy as NDJSON", "", has_rows).clicked() {
        actions.push(ExpiryAction::CopyLedger);
    }
    // A server keeps no copy of what it removes.
    if !state.store.capabilities.archives {
        return;
    }
    let any = view.ledger.iter().any(|lane| view.kept(lane).is_restorable());
    let all = menu::entry(ui, "Select restorable", "Ctrl+click", any);
    if all.hint("Select all removals that the trash or the archive has").clicked() {
        actions.push(ExpiryAction::PickRestorable);
    }
    if menu::entry(ui, trash::SHOW.label, "", true).hint(trash::SHOW.tooltip).clicked() {
        actions.queue.push(Action::Trash(TrashAction::Open(Some(tab.namespace.clone()))));
    }
}

#[cfg(test)]
mod tests {
    use bson::Bson;

    use super::*;

    #[test]
    fn a_removal_that_was_not_told_is_known_up_to_a_time() {
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
            assert_eq!(removed_at(&lane, Zone::Utc, 20_000), expected);
        };
        check(Some(9_000), "by 00:00:10");
        check(None, "00:00:10");
    }
}
