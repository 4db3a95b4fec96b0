//! The line at the bottom.

use egui::{Align, Layout, Ui};

use super::expiry;
use crate::action::{Action, Actions, ViewAction};
use crate::job::PassReport;
use crate::limits::SERVER_LATE_LOOKS_MAX;
use crate::state::clock::Mode;
use crate::state::connect::Connection;
use crate::state::maintenance::Status;
use crate::state::operations::Stage;
use crate::state::tabs::ViewKind;
use crate::state::view::Activity;
use crate::state::{ParkedStore, Phase, State, duration, number};
use crate::theme::{colors, sizes, text};
use crate::widgets::hint::Hint as _;
use crate::widgets::marks::visible;

/// Draws the line.
pub fn ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = sizes::GAP_LARGE;
        ui.add_space(sizes::GAP);
        let dim = |ui: &mut Ui, words: String| {
            let ink = colors(ui).dim;
            ui.label(text::rich(words, text::small()).color(ink));
        };
        if let Some(playing) = &state.lessons.playing {
            own_ui(ui, state, &playing.own, actions);
        }
        for words in left(state) {
            dim(ui, words);
        }
        if let Some(words) = running(state) {
            dim(ui, words);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(sizes::GAP);
            let is_expiry = state.tabs.active().is_some_and(|tab| tab.view == ViewKind::Expiry);
            if let Some(next) = expiry::next_pass(state).filter(|_| is_expiry && state.is_open()) {
                dim(ui, next.sentence(state.now_ms(), state.clock.zone()));
            }
            if let Some(pass) = state.reaper.last_pass() {
                let words = last_pass(pass);
                let shown = text::rich(&words, text::small()).color(colors(ui).dim);
                let log = ui.add(egui::Label::new(shown).sense(egui::Sense::click()));
                log.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, &words));
                if log.hint("Show the passes of the TTL monitor").clicked() {
                    let passes = ViewAction::ShowActivity(Activity::Passes);
                    actions.push(Action::View(passes));
                }
            }
            if state.reaper.removed_total() > 0 {
                let removed = number::count(state.reaper.removed_total());
                dim(ui, format!("{removed} removed since launch"));
            }
        });
    });
}

/// The user's store during a lesson, on the time of this machine.
fn own_ui(ui: &mut Ui, state: &State, own: &ParkedStore, actions: &mut Actions) {
    let colors = colors(ui);
    let monitor = if own.reaper.enabled { "TTL monitor on" } else { "TTL monitor off" };
    let (time, wait) = match own.clock.mode() {
        Mode::Real => {
            let wall_ms = state.wall_ms;
            let rest = u64::try_from(1_000 - wall_ms.rem_euclid(1_000)).unwrap_or(1_000);
            (state.zone().time_of_day(wall_ms), Some(rest))
        }
        Mode::Simulated { .. } => (state.zone().time_of_day(own.clock.now_ms()), None),
    };
    let word = if wait.is_some() { "REAL TIME" } else { "SIMULATED" };
    actions.redraw_after(std::time::Duration::from_millis(wait.unwrap_or(60_000)));
    ui.label(text::rich(word, text::small()).color(colors.text));
    let name = visible(&own.store.name);
    let words = format!("{time} · {name} stays open · {monitor}");
    ui.label(text::rich(words, text::small()).color(colors.dim));
}

/// A pass in one line: `Pass 5 · removed 23 · lag p50 30 s`. The lag is that of the index with the
/// most removals.
fn last_pass(pass: &PassReport) -> String {
    let mut words = format!("Pass {} · removed {}", pass.number, number::count(pass.deleted));
    let most = pass.indexes.iter().max_by_key(|index| index.deleted);
    if let Some(index) = most.filter(|index| index.deleted > 0) {
        words.push_str(" · lag p50 ");
        words.push_str(&duration::span(index.lag_p50_ms));
    }
    words
}

/// How far the operation is that runs the longest.
fn running(state: &State) -> Option<String> {
    let mut list = state.operations.list().iter().rev();
    let operation = list.find(|operation| operation.stage == Stage::Running)?;
    let (done, total) = (operation.progress.done, operation.progress.total);
    let share = done.saturating_mul(100).checked_div(total);
    Some(match share {
        Some(share) => format!("{}: {share} %", operation.title),
        None => format!("{}…", operation.title),
    })
}

/// The lock of a server, how removals come from it, and how old its last answer is. Only an Expiry view
/// is read again.
fn server(connection: &Connection, state: &State) -> String {
    let lock = if connection.is_locked(state.uptime) { "Read-only" } else { "Unlocked" };
    let age = connection.answered.map(|at| {
        let secs = state.uptime.saturating_sub(at).as_secs();
        duration::span(i64::try_from(secs).unwrap_or(i64::MAX).saturating_mul(1_000))
    });
    let tab = state.tabs.active().filter(|tab| tab.view == ViewKind::Expiry);
    match (tab, age) {
        _ if connection.is_silent => format!("{lock} server · no answer"),
        (None, _) | (_, None) => format!("{lock} server"),
        (Some(tab), Some(age)) if tab.expiry.late_looks >= SERVER_LATE_LOOKS_MAX => {
            format!("{lock} server · too slow, answered {age} ago; Refresh looks again")
        }
        (Some(_), Some(age)) if connection.streams.is_streamed() => {
            format!("{lock} server · streamed, answered {age} ago")
        }
        (Some(_), Some(age)) => format!("{lock} server · polled {age} ago"),
    }
}

fn left(state: &State) -> Vec<String> {
    match &state.store.phase {
        Phase::Opening => return vec!["Opening the store…".to_owned()],
        Phase::Failed(_) => return vec!["No store is open".to_owned()],
        Phase::Away(why) => return vec![(*why).to_owned()],
        Phase::Open => {}
    }
    let mut words = Vec::new();
    words.extend(state.store.connection.as_ref().map(|connection| server(connection, state)));
    let tab = state.tabs.active();
    let shown = tab.and_then(|tab| state.tree.collection(&tab.namespace));
    if let Some(documents) = shown.and_then(|found| found.documents) {
        words.push(number::counted(documents, "document", "documents"));
    }
    if let Some(bytes) = shown.and_then(|found| found.bytes) {
        words.push(number::bytes(bytes));
    }
    if let Some(micros) = state.commands.last_micros() {
        words.push(duration::micros(micros));
    }
    let walk = state.maintenance.status.as_ref().and_then(Status::walk_words);
    words.extend(walk.map(|walk| format!("Data file {walk}")));
    words
}
