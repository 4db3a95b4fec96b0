//! Imports, exports and index builds with their progress.

use egui::{Align, Layout, Ui, vec2};

use crate::action::{Action, Actions, ViewAction};
use crate::state::State;
use crate::state::operations::{Operation, Stage};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, bar, empty_state};

/// Draws the operations, the newest first.
pub fn ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    if state.operations.list().is_empty() {
        empty_state::hint(ui, "No imports, exports or index builds yet");
        return;
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    super::drawer::scroll("operations").show(ui, |ui| {
        for operation in state.operations.list() {
            operation_ui(ui, operation, actions);
        }
    });
}

fn operation_ui(ui: &mut Ui, operation: &Operation, actions: &mut Actions) {
    let colors = colors(ui);
    let (icon, ink, words) = match &operation.stage {
        Stage::Running => (Icon::Wait, colors.busy, operation.progress.text.as_str()),
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
            let total = operation.progress.total;
            if total > 0 {
                #[expect(clippy::cast_precision_loss, reason = "a bar of a few hundred points")]
                let share = operation.progress.done as f32 / total as f32;
                ui.allocate_ui(vec2(160.0, 6.0), |ui| {
                    bar::ui(ui, share, colors.accent, &title);
                });
            }
            if let Some(cancel) = &operation.cancel {
                let label = if cancel.is_cancelled() { "Stopping…" } else { "Cancel" };
                let button = Button::plain(label).small().enabled(!cancel.is_cancelled());
                if ui.add(button).clicked() {
                    actions.push(Action::View(ViewAction::Cancel(operation.id)));
                }
            }
        }
        ui.label(text::rich(with_marks(words), text::small()).color(colors.dim));
    });
}
