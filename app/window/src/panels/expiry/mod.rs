//! The Expiry view: the documents of a collection in time. *Now* is fixed; documents move in
//! from the right, cross it at their threshold, and leave with a pass of the reaper.

mod axis;
pub(crate) mod calendar;
mod controls;
mod density;
mod inspector;
mod lag;
mod lane_painter;
mod lanes;
mod ledger;
mod legend;
mod lesson;
mod marks;
mod motion;
mod pass_times;
mod scale;
pub(crate) mod server;
mod sweep;
mod table;
mod timeline;
mod totals;
mod what_if;
pub(super) mod words;

pub(super) use self::axis::{Backdrop, Marks, paint_now, ticks};
pub(super) use self::lane_painter::LanePainter;
pub(super) use self::motion::Pose;
pub(super) use self::scale::Scale;
pub(super) use pass_times::{next_pass, removals};

use egui::{Label, Ui};
use mayfly_engine::reply::DocCount;

use crate::action::{Action, Actions, ExpiryAction};
use crate::guide::Topic as GuideTopic;
use crate::limits::{MOVE_MS_RANGE, SERVER_DENSITY_APART_MS};
use crate::panels::guide_link;
use crate::panels::lesson::why;
use crate::state::drafts::TabDraft;
use crate::state::expiry::Mode;
use crate::state::lesson::why::Topic;
use crate::state::{State, Tab};
use crate::theme::{colors, sizes, text};
use crate::widgets::Button;
use crate::widgets::empty_state::{self, Picture};
use crate::widgets::hint::Hint as _;
use crate::widgets::marks::visible;

use self::pass_times::pass_times;
use crate::panels::tab_actions::ExpiryActions;

/// How long rows keep their places after the last move of the pointer, in seconds.
const HOLD_SECS: f32 = 3.0;

/// Draws the view.
pub fn ui(ui: &mut Ui, state: &State, tab: &Tab, _draft: &mut TabDraft, actions: &mut Actions) {
    let is_presented = state.view.is_presented();
    let margin = egui::Margin::symmetric(if is_presented { 12 } else { 16 }, 10);
    let margin = if is_presented { egui::Margin { top: 4, bottom: 2, ..margin } } else { margin };
    egui::Frame::new().inner_margin(margin).show(ui, |ui| {
        redraw(ui, state, tab, actions);
        view_ui(ui, state, tab, &mut ExpiryActions::new(tab.id, actions, Action::Expiry));
    });
}

/// Draws what the inspector shows while this view is shown.
pub fn inspector_ui(ui: &mut Ui, state: &State, tab: &Tab, actions: &mut Actions) {
    inspector::ui(ui, state, tab, &mut ExpiryActions::new(tab.id, actions, Action::Expiry));
}

fn view_ui(ui: &mut Ui, state: &State, tab: &Tab, actions: &mut ExpiryActions<'_>) {
    if let Some(stall) = &state.reaper.stall {
        let words = text::rich(stall, text::strong()).color(colors(ui).error);
        ui.add(Label::new(words).wrap());
        ui.add_space(sizes::GAP_SMALL);
    }
    let connection = state.store.connection.as_ref();
    if let Some(silence) = connection.and_then(|it| it.silence(state.clock.zone())) {
        let words = format!("{silence}: documents may have been removed");
        let words = text::rich(words, text::strong()).color(colors(ui).text);
        ui.add(Label::new(words).wrap());
        ui.add_space(sizes::GAP_SMALL);
    }
    if state.view.is_presented() || !state.tabs_together().is_empty() {
        // Keys and the palette do what the controls do, and the line above has the totals.
    } else if !lacks_ttl(tab) {
        controls::ui(ui, state, tab, actions);
        ui.add_space(sizes::GAP_SMALL);
    } else if let Some(found) = controls::totals(state, tab) {
        ui.horizontal(|ui| totals::ui(ui, state, tab, &found, actions));
    }
    if !state.view.is_presented() && tab.expiry.mode.lists_waiting() {
        cliff_ui(ui, state, tab, actions);
        brush_ui(ui, state, tab, actions);
        if tab.expiry.mode == Mode::Table {
            ui.horizontal_wrapped(|ui| marks::toggles_ui(ui, tab, actions));
        }
    }
    let hovered = content_ui(ui, state, tab, actions);
    // Rows keep their places under a pointer that moves. A pointer that rests must not freeze the
    // view.
    let is_moving = ui.input(|input| input.pointer.time_since_last_movement() < HOLD_SECS);
    let held = hovered && is_moving || tab.expiry.rests(state.uptime);
    if held != tab.expiry.held {
        actions.push(ExpiryAction::Hold(held));
    }
    // In every mode, because the totals next to the view are read from it. The pause keeps a server
    // from extra work.
    let apart_ms = if state.store.connection.is_some() { SERVER_DENSITY_APART_MS } else { 0 };
    if tab.expiry.is_density_stale(state.now_ms(), apart_ms) {
        actions.push(ExpiryAction::RefreshDensity);
    }
}

/// Warns of many documents that will go together, and says what can be done.
fn cliff_ui(ui: &mut Ui, state: &State, tab: &Tab, actions: &mut ExpiryActions<'_>) {
    let now_ms = state.now_ms();
    let Some(cliff) = tab.expiry.cliff(now_ms) else { return };
    ui.horizontal_wrapped(|ui| {
        let words = text::rich(words::cliff(&cliff, now_ms, &pass_times(state, tab)), text::body());
        ui.label(words.color(colors(ui).overdue)).hint(
            "Removing many documents at once delays other writes. \
             To spread them, add a random number of seconds to each date.",
        );
        let show = Button::plain("Show there").small().tooltip("Scroll the timeline there");
        if ui.add(show).clicked() {
            actions.push(ExpiryAction::ShowRange(cliff.from_ms, cliff.to_ms));
        }
        why::link_ui(ui, state, Topic::Cliff, actions.queue);
    });
    ui.add_space(sizes::GAP_SMALL);
}

/// The chosen range: how many documents are in it, and what can be done with them.
fn brush_ui(ui: &mut Ui, state: &State, tab: &Tab, actions: &mut ExpiryActions<'_>) {
    let (Some(brush), Some(found)) = (tab.expiry.brush, tab.expiry.in_range()) else { return };
    let (now_ms, zone) = (state.now_ms(), state.clock.zone());
    ui.horizontal_wrapped(|ui| {
        let listed = tab.expiry.first_of_range();
        let words = words::range(brush, found, listed, now_ms, zone);
        ui.label(text::rich(words, text::body()));
        if ui.add(Button::plain("Show documents").small()).clicked() {
            actions.push(ExpiryAction::FilterBrush);
        }
        if ui.add(Button::plain("Zoom in on it").small()).clicked() {
            actions.push(ExpiryAction::ShowRange(brush.from_ms, brush.to_ms));
        }
        if ui.add(Button::plain("Clear range").small()).clicked() {
            actions.push(ExpiryAction::Brush(None));
        }
    });
    ui.add_space(sizes::GAP_SMALL);
}

/// Whether there is nothing to show or to control: no TTL index, and nothing was removed by an
/// earlier one.
fn lacks_ttl(tab: &Tab) -> bool {
    tab.indexes.is_loaded() && tab.indexes.ttl().is_empty() && tab.expiry.ledger.is_empty()
}

/// Whether no document is overdue or will expire.
fn nothing_counted(state: &State, tab: &Tab) -> bool {
    let counted = controls::totals(state, tab).map(|totals| totals.overdue.plus(totals.waiting));
    // A server may refuse to count.
    let none = counted.map_or(state.store.connection.is_some(), DocCount::is_zero);
    // The list may be older than the counts: it is empty too when it was asked for before an index
    // was ready.
    none && tab.expiry.brush.is_none()
}

/// Says why no document will expire. An empty collection doesn't lack dates.
fn none_expire_ui(ui: &mut Ui, state: &State, tab: &Tab, actions: &mut ExpiryActions<'_>) {
    let totals = controls::totals(state, tab);
    if totals.is_some_and(|totals| totals.documents().is_zero()) {
        empty_state::ui(ui, Picture::Time, "The collection has no documents", None);
        return;
    }
    let sentence = "No documents will expire: none has a date in the TTL field";
    empty_state::with_more_ui(ui, Picture::Time, sentence, None, |ui| {
        guide_link::ui(ui, state, GuideTopic::NeverExpires, actions.queue);
    });
}

/// Draws the documents. Returns whether the pointer is over rows that must not move away from it.
fn content_ui(ui: &mut Ui, state: &State, tab: &Tab, actions: &mut ExpiryActions<'_>) -> bool {
    let view = &tab.expiry;
    if view.mode == Mode::Calendar {
        match &view.calendar {
            Some(calendar) => calendar::scrolled_ui(ui, calendar, state, actions.queue),
            // The mode is that of the last start.
            None => actions.push(ExpiryAction::Show(Mode::Calendar)),
        }
        return false;
    }
    if let Some(why) = state.tree.why_nothing_expires(&tab.namespace.db) {
        let sentence = format!("Nothing expires here because {}", visible(why));
        empty_state::ui(ui, Picture::Time, &sentence, None);
        return false;
    }
    if lacks_ttl(tab) {
        let sentence = "No TTL index, so documents in this collection never expire";
        // While a question is open, the answer is the next step. A room sees no dialogs.
        let is_asking = state.lessons.has_open_question() || state.view.is_presented();
        let create = (!is_asking).then_some("Create a TTL index…");
        let button = empty_state::with_more_ui(ui, Picture::Time, sentence, create, |ui| {
            ui.add_space(sizes::GAP_SMALL);
            why::link_ui(ui, state, Topic::NoTtlIndex, actions.queue);
            guide_link::ui(ui, state, GuideTopic::SetTtl, actions.queue);
        });
        if button.is_some_and(|button| button.clicked()) {
            actions.push(ExpiryAction::CreateIndex);
        }
        return false;
    }
    let times = pass_times(state, tab);
    match view.mode {
        Mode::Removed => {
            ledger::ui(ui, state, tab, &times, actions);
            false
        }
        // An empty range is said above; it must stay possible to choose another one.
        _ if view.loaded && view.lanes.is_empty() && nothing_counted(state, tab) => {
            none_expire_ui(ui, state, tab, actions);
            false
        }
        Mode::Calendar => false,
        Mode::Table => table::waiting_ui(ui, state, tab, &times, actions),
        Mode::Timeline => timeline::ui(ui, state, tab, &times, actions),
    }
}

/// Requests the next frame: digits change with the clock's steps, and on a short axis the bars move
/// between them.
fn redraw(ui: &Ui, state: &State, tab: &Tab, actions: &mut Actions) {
    let view = &tab.expiry;
    actions.redraw_at(&state.clock, state.clock.next_step_ms());
    if view.mode == Mode::Timeline && !state.nothing_due_soon() {
        let scale = Scale::new(view.axis, &state.clock, ui.max_rect());
        let (least, most) = MOVE_MS_RANGE;
        let moved = scale.ms_per_half_point().max(least);
        if moved < most / 2 {
            actions.redraw_moving(&state.clock, moved);
        }
    }
    if let Some(pass) = view.pass.filter(|_| view.rests(state.uptime)) {
        actions.redraw_after(pass.rests_until.saturating_sub(state.uptime));
    }
}

#[cfg(test)]
mod tests {
    use crate::panels::expiry::pass_times::known_ms;
    use std::time::Duration;

    use super::*;
    use crate::state::connect::Connection;

    #[test]
    fn nothing_is_known_since_the_last_answer_of_a_silent_server() {
        let mut state = State::default();
        let shown_ms = state.clock.shown_ms();
        let mut connection = Connection::new(Box::default());
        connection.note_answer(Duration::from_secs(1), shown_ms - 129_000);
        state.store.connection = Some(connection.clone());
        assert_eq!(known_ms(&state), shown_ms);
        connection.is_silent = true;
        state.store.connection = Some(connection);
        assert_eq!(known_ms(&state), shown_ms - 129_000);
    }
}
