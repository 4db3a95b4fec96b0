//! Imports that did not reach the end of their files: resume, roll back or leave each.

use egui::{Context, Ui};
use mayfly_engine::transfer::UnfinishedImport;

use super::ask;
use super::import::{beside_scroll_bar, error_ui};
use crate::action::{Actions, TransferAction};
use crate::dialogs::close;
use crate::state::State;
use crate::state::transfer::import::file_name;
use crate::theme::{colors, sizes, text};
use crate::widgets::{Button, card, modal};

/// Draws the dialog.
pub fn ui(context: &Context, error: Option<&str>, state: &State, actions: &mut Actions) {
    let closing = modal::ui(
        context,
        "Unfinished imports",
        "They did not reach the end of their files; what they stored is there",
        sizes::DIALOG_WIDE,
        &mut *actions,
        |ui, actions| {
            beside_scroll_bar(ui);
            for known in &state.transfer.unfinished {
                one(ui, known, actions);
            }
            error_ui(ui, error);
        },
        |ui, actions| {
            if ui.add(Button::plain("Decide later")).clicked() {
                close(actions);
            }
        },
    );
    if closing.closes() {
        close(actions);
    }
}

fn one(ui: &mut Ui, known: &UnfinishedImport, actions: &mut Actions) {
    let files: Vec<String> = known.request.files.iter().map(|file| file_name(file)).collect();
    let files = files.join(", ");
    card::ui(ui, |ui| {
        ui.label(text::rich(known.sentence(), text::body()));
        if known.rejected > 0 {
            let words = format!("{} rejected until then", known.rejected);
            ui.label(text::rich(words, text::small()).color(colors(ui).dim));
        }
        ui.horizontal(|ui| {
            let buttons = [
                ("Resume", "Go on behind the last document that was stored"),
                ("Roll back", "Remove what it stored, but for what was changed since"),
                ("Leave", "Keep what it stored and forget the import"),
            ];
            let asked = [
                TransferAction::Resume(known.id),
                TransferAction::RollBack(known.id),
                TransferAction::Leave(known.id),
            ];
            for ((label, tooltip), action) in buttons.into_iter().zip(asked) {
                if label == "Resume" && known.rolling_back {
                    continue;
                }
                let spoken = format!("{label} the import of {files}");
                let button = Button::plain(label).small().name(&spoken).tooltip(tooltip);
                if ui.add(button).clicked() {
                    ask(actions, action);
                }
            }
        });
    });
}
