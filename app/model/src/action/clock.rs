//! A simulated clock.

use super::entry::{Entry, Group};
use super::keys::key;
use super::store_actions::ClockAction;
use super::{Action, LessonAction};
use crate::job::lesson::LessonRequest;
use crate::state::State;
use crate::state::clock::Mode;
use crate::state::lesson::steps;

/// The region's entries.
pub const ENTRIES: &[Entry] = &[
    Entry {
        group: Group::Time,
        label: "Start or pause the clock",
        tooltip: "Start or pause the simulated clock",
        keys: Some(key("Space")),
        action: start_or_pause,
    },
    Entry {
        group: Group::Time,
        label: "Advance the clock by one second",
        tooltip: "Advance the simulated clock by one second",
        keys: None,
        action: |state| simulated(state, ClockAction::Advance(1_000)),
    },
    Entry {
        group: Group::Time,
        label: "Advance the clock by one minute",
        tooltip: "Advance the simulated clock by one minute",
        keys: None,
        action: |state| simulated(state, ClockAction::Advance(60_000)),
    },
    Entry {
        group: Group::Time,
        label: "Advance to the next event",
        tooltip: "Advance the simulated clock to the next threshold or pass",
        keys: Some(key("→")),
        action: |state| simulated(state, ClockAction::ToNextEvent),
    },
    Entry {
        action: |state| simulated(state, ClockAction::SetRate(60.0)),
        ..speed("Run the clock at ×60", "One simulated minute a second")
    },
    Entry {
        action: |state| simulated(state, ClockAction::SetRate(3_600.0)),
        ..speed("Run the clock at ×3600", "One simulated hour a second")
    },
    Entry {
        group: Group::Time,
        label: "Advance to the next pass",
        tooltip: "Advance the simulated clock to the next pass",
        keys: None,
        action: |state| {
            state.reaper.next_pass_ms?;
            simulated(state, ClockAction::ToNextPass)
        },
    },
];

const fn speed(label: &'static str, tooltip: &'static str) -> Entry {
    Entry { group: Group::Time, label, tooltip, keys: None, action: |_| None }
}

/// In a lesson, the button of the card that plays comes first.
fn start_or_pause(state: &State) -> Option<Action> {
    let Mode::Simulated { paused, .. } = state.clock.mode() else { return None };
    if let Some(view) = state.lessons.view() {
        if steps::is_running(view) {
            return Some(Action::Lesson(LessonAction::Request(LessonRequest::Stop)));
        }
        if steps::next_block(view).is_some() {
            return Some(Action::Lesson(LessonAction::RunNext));
        }
    }
    simulated(state, ClockAction::SetPaused(!paused))
}

/// While a question of a lesson is open, time stands still.
fn simulated(state: &State, action: ClockAction) -> Option<Action> {
    let is_free = state.clock.is_simulated() && !state.lessons.has_open_question();
    is_free.then_some(Action::Clock(action))
}
