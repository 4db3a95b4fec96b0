//! How far work on the whole store is.

use egui::Context;

use super::parts::words;
use crate::action::{Action, Actions, ViewAction};
use crate::dialogs::close;
use crate::dialogs::{CONTINUE, KEEPS_RUNNING, STARTING};
use crate::job::Cancel;
use crate::state::operations::OperationId;
use crate::state::{Phase, State};
use crate::theme::{colors, sizes, text};
use crate::widgets::{Button, bar, modal};

/// Draws the progress. While the store is closed there is nothing else to do in the window, so the
/// dialog stays until the store is open again.
pub fn ui(context: &Context, operation: OperationId, state: &State, actions: &mut Actions) {
    let Some(found) = state.operations.list().iter().find(|known| known.id == operation) else {
        close(actions);
        return;
    };
    let is_away = matches!(state.store.phase, Phase::Away(_));
    let stopping = found.cancel.as_ref().is_some_and(Cancel::is_cancelled);
    let progress = &found.progress;
    let closing = modal::ui(
        context,
        &found.title,
        "",
        sizes::DIALOG,
        actions,
        |ui, _| {
            #[expect(clippy::cast_precision_loss, reason = "a bar of a few hundred points")]
            let share = match progress.total {
                0 => 0.0,
                total => (progress.done as f32 / total as f32).clamp(0.0, 1.0),
            };
            let ink = colors(ui);
            bar::ui(ui, share, ink.accent, "Progress");
            let how_far = if progress.text.is_empty() { STARTING } else { &progress.text };
            ui.label(text::rich(how_far, text::mono_small()).color(ink.dim));
            if let Phase::Away(why) = &state.store.phase {
                words(ui, &format!("{why}. Your tabs stay open."));
            }
        },
        |ui, actions| {
            let label = if stopping { "Stopping…" } else { "Cancel" };
            let tooltip = "Cancel without changing anything";
            if ui.add(Button::plain(label).enabled(!stopping).tooltip(tooltip)).clicked() {
                actions.push(Action::View(ViewAction::Cancel(operation)));
            }
            if !is_away {
                let button = Button::plain(CONTINUE);
                let tooltip = KEEPS_RUNNING;
                if ui.add(button.tooltip(tooltip)).clicked() {
                    close(actions);
                }
            }
        },
    );
    if closing.closes() && !is_away {
        close(actions);
    }
}
