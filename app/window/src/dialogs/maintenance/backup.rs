//! Writes a backup while the store is in use.

use egui::{Context, Ui};

use super::parts::{SHOW_HOME, about, ask, back, heading, name_of, words};
use crate::action::{Actions, MaintenanceAction};
use crate::dialogs::frame::DialogFrame;
use crate::dialogs::transfer::ChoosePath;
use crate::job::KeptBackup;
use crate::state::State;
use crate::state::maintenance::BackupDraft;
use crate::state::maintenance::dialogs::backup_text;
use crate::theme::sizes;
use crate::widgets::field::labelled;
use crate::widgets::{Button, card, key_value};

/// Draws the dialog.
pub fn ui(context: &Context, draft: &mut BackupDraft, state: &State, actions: &mut Actions) {
    let subtitle = "Copy the whole store to one file and verify it. The store stays open.";
    let file = draft.file();
    let button = Button::primary("Back up").enabled(file.is_some());
    let frame = DialogFrame::new("Back up the store")
        .subtitle(subtitle)
        .command(file.map(|file| backup_text(&file)))
        .error(draft.error.as_deref())
        .no_leave()
        .button(button.tooltip("Write the backup now"), MaintenanceAction::Backup)
        .button(back(), SHOW_HOME);
    let outcome = frame.ui(context, |ui| {
        path_ui(ui, draft, state, actions);
        ui.push_id("kept", |ui| kept_ui(ui, draft, state));
    });
    if let Some(action) = outcome.end(actions) {
        ask(actions, action);
    }
}

fn path_ui(ui: &mut Ui, draft: &mut BackupDraft, state: &State, actions: &mut Actions) {
    let problem = draft.problem();
    labelled(ui, "File", problem, |ui| {
        let path = ChoosePath {
            name: "Backup path",
            hint: "/home/you/store.backup",
            choose: "Choose…",
            take: None,
            invalid: problem.is_some() || draft.path.trim().is_empty(),
        };
        if path.ui(ui, &mut draft.path, state, actions).changed {
            ask(actions, MaintenanceAction::PathChanged);
        }
    });
}

/// The backups under this name.
fn kept_ui(ui: &mut Ui, draft: &BackupDraft, state: &State) {
    let backup_list = state.maintenance.backup_list.as_ref();
    let backup_list =
        backup_list.filter(|backup_list| Some(&backup_list.file) == draft.file().as_ref());
    let backups = backup_list.map(|backup_list| backup_list.backups.as_slice()).unwrap_or_default();
    if backups.is_empty() {
        words(ui, "No backups with this name yet. The last three are kept.");
    } else {
        heading(ui, "Backups with this name (last three kept)");
        list_ui(ui, backups, state);
    }
    if let Some(damaged) = backup_list.and_then(|backup_list| backup_list.damaged.as_ref()) {
        heading(ui, "Copy with damaged documents; kept until the next damaged copy replaces it");
        list_ui(ui, std::slice::from_ref(damaged), state);
    }
}

fn list_ui(ui: &mut Ui, kept: &[KeptBackup], state: &State) {
    card::ui(ui, |ui| {
        ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
        for backup in kept {
            let shown = about(backup, state);
            key_value::ui(ui, &name_of(&backup.path), &shown);
        }
    });
}
