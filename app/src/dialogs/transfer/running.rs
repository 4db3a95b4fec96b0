//! How far an import or export is.

use egui::Context;

use super::super::close;
use crate::action::{Action, Actions, ViewAction};
use crate::dialogs::{CONTINUE, KEEPS_RUNNING, STARTING};
use crate::state::State;
use crate::state::operations::OperationId;
use crate::state::transfer::Kind;
use crate::theme::{colors, sizes, text};
use crate::widgets::{Button, bar, modal};

/// Draws the progress. Closing the dialog stops nothing.
pub fn ui(context: &Context, operation: OperationId, state: &State, actions: &mut Actions) {
    let found = state.operations.list().iter().find(|known| known.id == operation);
    let Some(found) = found else {
        close(actions);
        return;
    };
    let stopping = found.cancel.as_ref().is_some_and(crate::job::Cancel::is_cancelled);
    let progress = &found.progress;
    let what_stays = match state.transfer.get(operation).map(|running| &running.kind) {
        Some(Kind::Export { .. }) => "Stop without writing a file",
        Some(Kind::ExportDatabase) => "Stop without writing a folder",
        Some(Kind::Copy) => "Stop and keep documents copied so far",
        Some(Kind::RollBack { .. }) => "Stop; you can roll back the rest later",
        Some(Kind::Import { .. } | Kind::ImportDump { .. }) | None => {
            "Stop and keep documents imported so far"
        }
    };
    let progress_words = state.progress_words(progress);
    let closing = modal::ui(
        context,
        &found.title,
        "",
        sizes::DIALOG,
        &mut (),
        |ui, ()| {
            #[expect(clippy::cast_precision_loss, reason = "a bar of a few hundred points")]
            let share = match progress.total {
                0 => 0.0,
                total => progress.done as f32 / total as f32,
            };
            let colors = colors(ui);
            bar::ui(ui, share, colors.accent, "Progress");
            let words = match (progress_words.as_str(), progress.total) {
                ("", _) => STARTING.to_owned(),
                (words, 0) => words.to_owned(),
                (words, _) => format!("{:.0}% · {words}", share.clamp(0.0, 1.0) * 100.0),
            };
            ui.label(text::rich(words, text::mono_small()).color(colors.dim));
        },
        |ui, ()| {
            let background = Button::primary(CONTINUE);
            if ui.add(background.tooltip(KEEPS_RUNNING)).clicked() {
                close(actions);
            }
            let label = if stopping { "Stopping…" } else { "Cancel" };
            let cancel = Button::plain(label).enabled(!stopping);
            if ui.add(cancel.tooltip(what_stays)).clicked() {
                actions.push(Action::View(ViewAction::Cancel(operation)));
            }
        },
    );
    if closing.closes() {
        close(actions);
    }
}
