//! Imports, exports and index builds with their progress.

use egui::{Align, Label, Layout, Ui, vec2};

use super::reserved;
use crate::action::{Action, Actions, TransferAction, ViewAction};
use crate::job::cut::CutWork;
use crate::state::operations::{Operation, Stage};
use crate::state::transfer::cut;
use crate::state::{State, duration};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, bar, empty_state};

/// Draws the operations, the newest first.
pub fn ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let cut = &state.transfer.cut;
    if state.operations.list().is_empty() && cut.is_empty() {
        empty_state::hint(ui, "No imports, exports, index builds or rollouts yet");
        return;
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    reserved::scroll("operations").show(ui, |ui| {
        for known in cut {
            cut_ui(ui, known, actions);
        }
        for operation in state.operations.list() {
            operation_ui(ui, operation, state, actions);
        }
    });
}

fn operation_ui(ui: &mut Ui, operation: &Operation, state: &State, actions: &mut Actions) {
    let colors = colors(ui);
    let running = state.progress_words(&operation.progress);
    let (icon, ink, words) = match &operation.stage {
        Stage::Running => (Icon::Wait, colors.busy, running.as_str()),
        Stage::Done(words) => (Icon::Check, colors.saved, words.as_str()),
        Stage::Cancelled(words) => (Icon::Stop, colors.dim, words.as_str()),
        Stage::Failed(words) => (Icon::Error, colors.error, words.as_str()),
    };
    let size = vec2(ui.available_width(), sizes::ROW);
    ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
        ui.label(icon.text().color(ink)).accessible_name(match &operation.stage {
            Stage::Running => "Running",
            Stage::Done(_) => "Done",
            Stage::Cancelled(_) => "Canceled",
            Stage::Failed(_) => "Failed",
        });
        // Names of files are in it.
        let title = with_marks(&operation.title);
        ui.label(text::rich(title.as_str(), text::body()));
        if operation.stage == Stage::Running {
            if operation.progress.total > 0 {
                ui.allocate_ui(vec2(160.0, 6.0), |ui| {
                    bar::ui(ui, operation.progress.share(), colors.accent, &title);
                });
            }
            pause_ui(ui, operation, state, actions);
            if let Some(cancel) = &operation.cancel {
                // A stopped rollout keeps the steps that it has taken, so its button doesn't say
                // *Cancel*.
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
        }
        ui.label(text::rich(took(operation, state), text::small()).color(colors.dim));
        ended_ui(ui, operation, state, actions);
        ui.add(
            Label::new(text::rich(with_marks(words), text::small()).color(colors.dim)).truncate(),
        );
    });
}

/// An operation that was cut short.
fn cut_ui(ui: &mut Ui, known: &CutWork, actions: &mut Actions) {
    let colors = colors(ui);
    let size = vec2(ui.available_width(), sizes::ROW);
    ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
        ui.label(Icon::Warning.text().color(colors.overdue)).accessible_name("Unfinished");
        let title = with_marks(&cut::title(known));
        ui.label(text::rich(title.as_str(), text::body()));
        let name = format!("Decide: {title}");
        let decide = Button::plain("Decide…").small().name(&name);
        if ui.add(decide.tooltip("Continue, stop or undo it")).clicked() {
            actions.push(Action::Transfer(TransferAction::ShowUnfinished));
        }
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
    if operation.stage == Stage::Running {
        return;
    }
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
