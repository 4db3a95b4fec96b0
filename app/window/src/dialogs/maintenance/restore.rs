//! Puts a backup in the place of the store: chosen, looked at, and only then restored.

use std::path::Path;

use egui::{Align, Context, Layout, Ui};

use super::parts::{SHOW_HOME, about, ask, back, heading, name_of, words};
use crate::action::{Actions, MaintenanceAction};
use crate::dialogs::frame::DialogFrame;
use crate::dialogs::transfer::{ChoosePath, notice_ui};
use crate::dialogs::words::{COMMAND_LINE, COMMAND_LINE_HINT, RESTORE};
use crate::job::KeptBackup;
use crate::state::maintenance::dialogs::{check_line, restore_line};
use crate::state::maintenance::{Checked, RestoreDraft};
use crate::state::{State, number};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::field::labelled;
use crate::widgets::hint::Hint as _;
use crate::widgets::{Button, card};

/// Draws the dialog.
pub fn ui(context: &Context, draft: &mut RestoreDraft, state: &State, actions: &mut Actions) {
    let subtitle = "Replace this store with a backup. The current store is kept in a folder next \
                    to it.";
    let (hint, line) = line(draft, state);
    let button = if draft.sound().is_some() {
        let button = Button::danger("Replace store with backup").name(RESTORE);
        button.tooltip("Close the store and restore the backup")
    } else {
        let tooltip = "Check the backup for damage without changing anything";
        Button::primary("Check backup").enabled(draft.file().is_some()).tooltip(tooltip)
    };
    let action = match draft.sound() {
        Some(_) => MaintenanceAction::Restore,
        None => MaintenanceAction::Check,
    };
    let frame = DialogFrame::new("Restore a backup")
        .subtitle(subtitle)
        .command_named(COMMAND_LINE, hint, line)
        .error(draft.error.as_deref())
        .no_leave()
        .button(button.room_for("Replace store with backup"), action)
        .button(back(), SHOW_HOME);
    let outcome = frame.ui(context, |ui| {
        ui.push_id("kept", |ui| kept_ui(ui, draft, state, actions));
        ui.push_id("path", |ui| path_ui(ui, draft, state, actions));
        ui.push_id("checked", |ui| checked_ui(ui, draft, state));
    });
    if let Some(action) = outcome.end(actions) {
        ask(actions, action);
    }
}

/// The store's own backups, to choose from.
fn kept_ui(ui: &mut Ui, draft: &mut RestoreDraft, state: &State, actions: &mut Actions) {
    let backup_list = state.maintenance.backup_list.as_ref();
    if backup_list.is_none_or(|backup_list| backup_list.backups.is_empty()) {
        words(ui, "No backup in the default location. Choose a file.");
    }
    let Some(backup_list) = backup_list else { return };
    let parts = [
        ("Backups of this store", backup_list.backups.as_slice()),
        ("Copies that contain damaged documents", backup_list.damaged.as_slice()),
        (
            "Stores replaced by earlier restores; delete these folders when you no longer need \
             them",
            backup_list.replaced.as_slice(),
        ),
    ];
    for (title, kept) in parts.into_iter().filter(|(_, kept)| !kept.is_empty()) {
        heading(ui, title);
        ui.scope(|ui| {
            ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
            for backup in kept {
                one_ui(ui, backup, draft, state, actions);
            }
        });
    }
}

fn one_ui(
    ui: &mut Ui,
    backup: &KeptBackup,
    draft: &mut RestoreDraft,
    state: &State,
    actions: &mut Actions,
) {
    let name = kept_name(&backup.path);
    let path = backup.path.display().to_string();
    ui.horizontal(|ui| {
        let is_chosen = draft.path == path;
        let response = ui.radio(is_chosen, text::rich(name.as_str(), text::body()));
        let response = response.hint(path.as_str());
        if response.clicked() && !is_chosen {
            draft.path = path;
            ask(actions, MaintenanceAction::PathChanged);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let ink = colors(ui).dim;
            ui.label(text::rich(about(backup, state), text::mono()).color(ink));
        });
    });
}

/// Every store's data file has the same name; the folder identifies the store.
fn kept_name(path: &Path) -> String {
    let folder = path.parent().filter(|_| path.ends_with("data.mdb"));
    name_of(folder.unwrap_or(path))
}

fn path_ui(ui: &mut Ui, draft: &mut RestoreDraft, state: &State, actions: &mut Actions) {
    let problem = draft.problem();
    labelled(ui, "File", problem, |ui| {
        let path = ChoosePath {
            name: "Backup path",
            hint: "/home/you/store.backup",
            choose: "Choose…",
            take: None,
            invalid: problem.is_some(),
        };
        if path.ui(ui, &mut draft.path, state, actions).changed {
            ask(actions, MaintenanceAction::PathChanged);
        }
    });
}

/// The result of checking the backup, and the effect of a restore.
fn checked_ui(ui: &mut Ui, draft: &RestoreDraft, state: &State) {
    let ink = colors(ui);
    match &draft.checked {
        Checked::Nothing => {
            words(ui, "Check the backup first. This changes nothing.");
        }
        Checked::Damaged(sentence) => notice_ui(ui, Icon::Error, "Error", ink.error, sentence),
        Checked::Sound { file, pages, damage } => {
            let name = kept_name(file);
            if let Some(damage) = damage {
                let sentence = format!(
                    "{name} has damage: {damage}. The rest can be restored; an older backup may \
                     have the damaged parts."
                );
                notice_ui(ui, Icon::Error, "Damaged", ink.error, &sentence);
            } else {
                let pages = number::counted(*pages, "page is", "pages are");
                let sentence = format!("No damage found in {name}: {pages} in use.");
                notice_ui(ui, Icon::Check, "No damage", ink.accent, &sentence);
            }
            card::bordered(ui, ink.overdue, |ui| {
                let when = written(file, state);
                let sentence = format!(
                    "Changes made after {when} will be lost. The store closes during the restore, \
                     and connected clients are disconnected."
                );
                notice_ui(ui, Icon::Warning, "Warning", ink.overdue, &sentence);
            });
        }
    }
}

fn written(file: &Path, state: &State) -> String {
    let backup_list = state.maintenance.backup_list.as_ref();
    let known =
        backup_list.and_then(|backup_list| backup_list.all().find(|known| known.path == *file));
    known.map_or_else(
        || "the backup was made".to_owned(),
        |known| {
            let (zone, ms) = (state.clock.zone(), known.written_ms);
            format!("{} {}", zone.date_time(ms), zone.name(ms))
        },
    )
}

/// The line for a terminal, with the heading over it: to check a backup, no store has to be closed.
fn line(draft: &RestoreDraft, state: &State) -> (&'static str, Option<String>) {
    let file = draft.file();
    match state.data_folder().filter(|_| draft.sound().is_some()) {
        Some(folder) => (COMMAND_LINE_HINT, file.map(|file| restore_line(&file, &folder))),
        None => (COMMAND_LINE, file.map(|file| check_line(&file))),
    }
}
