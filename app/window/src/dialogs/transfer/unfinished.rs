//! Imports that did not reach the end of their files: resume, roll back or leave each. Operations that
//! were cut short: continue, stop or undo each.

use egui::{Context, Ui};
use mayfly_engine::transfer::UnfinishedImport;

use super::imported;
use super::parts::ask;
use crate::action::{Action, Actions, CutAction, TransferAction};
use crate::dialogs::frame::DialogFrame;
use crate::job::cut::CutWork;
use crate::state::State;
use crate::state::transfer::cut::{self, CutWay};
use crate::state::transfer::import::file_name;
use crate::theme::{colors, sizes, text};
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, card};

/// The width of the buttons, so that they form a column.
const BUTTON: f32 = 96.0;

/// Draws the dialog.
pub fn ui(context: &Context, error: Option<&str>, state: &State, actions: &mut Actions) {
    let (title, subtitle) = if state.transfer.cut.is_empty() {
        ("Unfinished imports", "These imports stopped early. Documents imported so far are kept")
    } else {
        ("Unfinished operations", "These were cut short. What they did so far is kept")
    };
    let frame = DialogFrame::<()>::new(title)
        .subtitle(subtitle)
        .width(sizes::DIALOG_WIDE)
        .error(error)
        .leave("Decide later");
    let outcome = frame.ui(context, |ui| {
        for known in &state.transfer.cut {
            cut_ui(ui, known, state, actions);
        }
        for known in &state.transfer.unfinished {
            one(ui, known, state.store.connection.is_some(), actions);
        }
    });
    _ = outcome.end(actions);
}

/// An operation that was cut short, and what can be done with it.
fn cut_ui(ui: &mut Ui, known: &CutWork, state: &State, actions: &mut Actions) {
    let title = with_marks(&cut::title(known));
    card::ui(ui, |ui| {
        ui.label(text::rich(title.as_str(), text::title()));
        let mut words = cut::words(known);
        if known.began_ms != 0 {
            words = format!("{words}. Began {}", state.zone().date_time(known.began_ms));
        }
        ui.label(text::rich(with_marks(&words), text::body()));
        ui.spacing_mut().item_spacing.y = sizes::GAP_SMALL;
        for (way, sentence) in cut::ways(known) {
            let file = known.file.clone();
            let (label, action) = match way {
                CutWay::Continue => ("Continue", CutAction::Continue(file)),
                CutWay::Stop => ("Stop", CutAction::Forget(file)),
                CutWay::Undo => ("Undo", CutAction::TakeBack(file)),
            };
            let spoken = format!("{label}: {title}");
            if way_ui(ui, Button::plain(label).name(&spoken), &sentence) {
                actions.push(Action::Cut(action));
            }
        }
    });
}

fn one(ui: &mut Ui, known: &UnfinishedImport, is_server: bool, actions: &mut Actions) {
    let files: Vec<String> = known.request.files.iter().map(|file| file_name(file)).collect();
    let files = with_marks(&files.join(", "));
    card::ui(ui, |ui| {
        ui.label(text::rich(known.sentence(), text::body()));
        if known.rejected > 0 {
            let words = format!("{} rejected so far", known.rejected);
            ui.label(text::rich(words, text::small()).color(colors(ui).dim));
        }
        ui.spacing_mut().item_spacing.y = sizes::GAP_SMALL;
        let removes = if is_server {
            imported::BY_ID
        } else {
            "Removes imported documents, except those changed since"
        };
        let ways = [
            ("Resume", "Resumes after the last stored document", TransferAction::Resume(known.id)),
            ("Roll back", removes, TransferAction::RollBack(known.id)),
            (
                "Dismiss",
                "Keeps imported documents and clears this entry",
                TransferAction::Leave(known.id),
            ),
        ];
        for (label, sentence, action) in ways {
            if label == "Resume" && known.rolling_back {
                continue;
            }
            let spoken = format!("{label} the import of {files}");
            if way_ui(ui, Button::plain(label).name(&spoken), sentence) {
                ask(actions, action);
            }
        }
    });
}

/// A button and what it does. Returns whether it was pressed.
fn way_ui(ui: &mut Ui, button: Button<'_>, sentence: &str) -> bool {
    let row = ui.horizontal(|ui| {
        let pressed = ui.add(button.width_min(BUTTON)).clicked();
        ui.add_space(sizes::GAP_TINY);
        ui.label(text::rich(sentence, text::body()).color(colors(ui).dim));
        pressed
    });
    row.inner
}
