//! Imports, exports and index builds with their progress.

use egui::{Label, Ui, vec2};

use crate::action::{Action, Actions, TransferAction, ViewAction};
use crate::job::cut::CutWork;
use crate::state::operations::{Operation, Stage};
use crate::state::transfer::cut;
use crate::state::{State, duration};
use crate::theme::{Icon, colors, text};
use crate::widgets::log_row::LogRow;
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, bar};

pub(super) fn row_ui(ui: &mut Ui, operation: &Operation, state: &State, actions: &mut Actions) {
    let colors = colors(ui);
    let running = state.progress_words(&operation.progress);
    let (icon, ink, spoken, words) = match &operation.stage {
        Stage::Running => (Icon::Wait, colors.busy, "Running", running.as_str()),
        Stage::Done(words) => (Icon::Check, colors.saved, "Done", words.as_str()),
        Stage::Cancelled(words) => (Icon::Stop, colors.dim, "Canceled", words.as_str()),
        Stage::Failed(words) => (Icon::Error, colors.error, "Failed", words.as_str()),
    };
    let time = state.clock.zone().time_of_day_millis(operation.started_ms);
    // Names of files are in it.
    let title = with_marks(&operation.title);
    let end = |ui: &mut Ui| {
        ui.label(text::rich(took(operation, state), text::mono_small()).color(colors.dim));
        if operation.stage == Stage::Running {
            cancel_ui(ui, operation, state, actions);
            pause_ui(ui, operation, state, actions);
            if operation.progress.total > 0 {
                ui.allocate_ui(vec2(160.0, 6.0), |ui| {
                    bar::ui(ui, operation.progress.share(), colors.accent, &title);
                });
            }
        } else {
            ended_ui(ui, operation, state, actions);
        }
    };
    LogRow { icon, ink, spoken, time: &time }.ui(ui, end, |ui| {
        ui.label(text::rich(title.as_str(), text::body()));
        let words = text::rich(with_marks(words), text::small()).color(colors.dim);
        ui.add(Label::new(words).truncate());
    });
}

fn cancel_ui(ui: &mut Ui, operation: &Operation, state: &State, actions: &mut Actions) {
    let Some(cancel) = &operation.cancel else { return };
    // A stopped rollout keeps the steps that it has taken, so its button doesn't say *Cancel*.
    let is_rollout = state.rollouts.iter().any(|run| run.operation == operation.id);
    let label = match (cancel.is_cancelled(), is_rollout) {
        (true, _) => "Stopping…",
        (false, true) => "Stop",
        (false, false) => "Cancel",
    };
    let button = Button::plain(label).small().enabled(!cancel.is_cancelled());
    if ui.add(button).clicked() {
        actions.push(Action::View(ViewAction::Cancel(operation.id)));
    }
}

/// An operation that was cut short.
pub(super) fn cut_ui(ui: &mut Ui, known: &CutWork, actions: &mut Actions) {
    let colors = colors(ui);
    let title = with_marks(&cut::title(known));
    let end = |ui: &mut Ui| {
        let name = format!("Decide: {title}");
        let decide = Button::plain("Decide…").small().name(&name);
        if ui.add(decide.tooltip("Continue, stop or undo it")).clicked() {
            actions.push(Action::Transfer(TransferAction::ShowUnfinished));
        }
    };
    let row = LogRow { icon: Icon::Warning, ink: colors.text, spoken: "Unfinished", time: "" };
    row.ui(ui, end, |ui| {
        ui.label(text::rich(title.as_str(), text::body()));
        let words = with_marks(&cut::words(known));
        ui.add(Label::new(text::rich(words, text::small()).color(colors.dim)).truncate());
    });
}

/// Pauses a rollout.
fn pause_ui(ui: &mut Ui, operation: &Operation, state: &State, actions: &mut Actions) {
    let Some(run) = state.rollouts.iter().find(|run| run.operation == operation.id) else { return };
    let label = if run.gauge.is_paused() { "Continue" } else { "Pause" };
    if ui.add(Button::plain(label).small()).clicked() {
        actions.push(Action::View(ViewAction::Pause(operation.id)));
    }
}

/// How long it has taken.
fn took(operation: &Operation, state: &State) -> String {
    let took = operation.took(state.uptime).as_millis();
    duration::span(i64::try_from(took).unwrap_or(i64::MAX))
}

/// The buttons of an operation that ended.
fn ended_ui(ui: &mut Ui, operation: &Operation, state: &State, actions: &mut Actions) {
    let title = with_marks(&operation.title);
    if let Some(file) = &operation.file {
        let name = format!("Copy path: {title}");
        let copy = Button::icon_only(Icon::Copy, &name).small().tooltip("Copy the file's path");
        if ui.add(copy).clicked() {
            actions.push(Action::View(ViewAction::Copy(file.clone())));
        }
    }
    if state.transfer.results.iter().any(|result| result.operation == operation.id) {
        let name = format!("Show result: {title}");
        if ui.add(Button::plain("Result").small().name(&name)).clicked() {
            actions.push(Action::Transfer(TransferAction::ShowResult(operation.id)));
        }
    }
    if state.transfer.again.contains_key(&operation.id) {
        let name = format!("Run again: {title}");
        let again = Button::plain("Run again…").small().name(&name);
        if ui.add(again.tooltip("Open its dialog, filled in")).clicked() {
            actions.push(Action::Transfer(TransferAction::Again(operation.id)));
        }
    }
}
