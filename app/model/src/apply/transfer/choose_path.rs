//! The system's file dialog, for the dialog that is open.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::open_draft::import_draft;
use super::preview::look;
use crate::action::{Action, MaintenanceAction};
use crate::apply::question::{Answer, Question, Report, Run};
use crate::apply::{Apply, apply};
use crate::limits::{FILE_DIALOG_ANSWER_MIN, FILE_DIALOG_MAX, IMPORT_FILES_MAX};
use crate::state::State;
use crate::state::dialogs::Dialog as AnyDialog;
use crate::state::maintenance::Dialog as MaintenanceDialog;
use crate::state::transfer::import::whole_path;
use crate::state::transfer::{Asker, Chooser, Dialog};
use crate::worker::file_dialog::{self, Choose, ChosenFiles, ChosenPath};
use crate::worker::{Desk, Lane};

/// Said when the system has no file dialog.
const NO_CHOOSER: &str = "The system file dialog didn't open; enter the path instead";

/// The paths that the user chooses in the system's dialog.
#[derive(Debug, PartialEq)]
pub(super) struct ChoosePath(pub Choose);

impl Question for ChoosePath {
    type Answer = ChosenFiles;

    fn answered(&self, generation: u64, chosen: ChosenFiles, cx: &mut Apply<'_>) {
        let asked = cx.state.transfer.chooser.take_if(|open| open.generation == generation);
        let shown = asked_by(cx.state).map(|(asker, _)| asker);
        if asked.is_none_or(|asked| shown != Some(asked.asker)) {
            return;
        }
        if chosen.files.is_empty() && chosen.took < FILE_DIALOG_ANSWER_MIN {
            cx.state.transfer.chooser_note = Some(NO_CHOOSER);
        }
        take(chosen.files, cx);
    }
}

impl Run for ChoosePath {
    const LANE: Lane = Lane::Read;

    fn run(&self, _: &Desk<'_, Answer>, report: Report<Self>) {
        file_dialog::open(self.0.clone(), move |chosen| report.send(chosen));
    }

    fn failed(&self, _: String) -> ChosenFiles {
        ChosenFiles::default()
    }
}

/// Gives up on a file dialog that did not answer in time. Returns the time until that.
pub fn give_up_chooser(state: &mut State) -> Option<Duration> {
    let open = state.transfer.chooser.as_ref()?;
    let age = state.uptime.saturating_sub(open.since);
    if age < FILE_DIALOG_MAX {
        return Some(FILE_DIALOG_MAX.saturating_sub(age));
    }
    state.transfer.chooser = None;
    state.transfer.chooser_note = Some(NO_CHOOSER);
    None
}

/// The dialog that is open, if it is one that asks for files, and what it lets the user choose.
fn asked_by(state: &State) -> Option<(Asker, Choose)> {
    let last = state.transfer.folder.clone();
    let above = |path: Option<PathBuf>| path?.parent().map(PathBuf::from);
    let (asker, what, folder) = match state.dialogs.open()? {
        AnyDialog::Transfer(Dialog::Import(_)) => (Asker::Import, ChosenPath::Files, last),
        AnyDialog::Transfer(Dialog::Export(draft)) => {
            let name = draft.file_name();
            (Asker::Export(draft.namespace.clone()), ChosenPath::Target(name), last)
        }
        AnyDialog::Transfer(Dialog::ExportDatabase(draft)) => {
            let asker = Asker::ExportDatabase(draft.db.clone());
            (asker, ChosenPath::DumpTarget, above(whole_path(&draft.path)))
        }
        AnyDialog::Transfer(Dialog::Copy(draft)) => {
            (Asker::Copy(draft.from.clone()), ChosenPath::Folder, whole_path(&draft.path))
        }
        AnyDialog::Maintenance(MaintenanceDialog::Backup(draft)) => {
            let file = draft.file().unwrap_or_default();
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (Asker::Backup, ChosenPath::BackupTarget(name), above(Some(file)))
        }
        AnyDialog::Maintenance(MaintenanceDialog::Restore(draft)) => {
            (Asker::Restore, ChosenPath::Backup, above(draft.file()))
        }
        AnyDialog::OpenFolder(draft) => {
            (Asker::OpenFolder, ChosenPath::Folder, whole_path(&draft.path))
        }
        AnyDialog::OpenLesson(draft) => {
            (Asker::OpenLesson, ChosenPath::Lesson, above(whole_path(&draft.path)))
        }
        AnyDialog::Handout(draft) => (Asker::Handout, ChosenPath::Target(draft.name.clone()), last),
        AnyDialog::SaveLesson(draft) => {
            (Asker::SaveLesson, ChosenPath::Target(draft.file_name()), last)
        }
        AnyDialog::LeaveSandbox(draft) => {
            (Asker::LeaveSandbox, ChosenPath::Folder, whole_path(&draft.path))
        }
        _ => return None,
    };
    Some((asker, Choose { what, folder }))
}

/// Opens the system's dialog for the dialog that is open.
pub(super) fn choose(cx: &mut Apply<'_>) {
    if let Some((asker, choose)) = asked_by(cx.state) {
        open(asker, choose, cx);
    }
}

/// Opens the system's dialog for a folder of mongodump, for the open import.
pub(super) fn choose_dump(cx: &mut Apply<'_>) {
    if import_draft(cx.state).is_some() {
        let folder = cx.state.transfer.folder.clone();
        open(Asker::Import, Choose { what: ChosenPath::Dump, folder }, cx);
    }
}

fn open(asker: Asker, choose: Choose, cx: &mut Apply<'_>) {
    if cx.state.transfer.chooser.is_none() {
        let (generation, since) = (cx.run(ChoosePath(choose)), cx.state.uptime);
        cx.state.transfer.chooser_note = None;
        cx.state.transfer.chooser = Some(Chooser { asker, generation, since });
    }
}

/// Puts the chosen files into the dialog that is open.
fn take(files: Vec<PathBuf>, cx: &mut Apply<'_>) {
    let Some(first) = files.first().cloned() else { return };
    let path = first.to_string_lossy().into_owned();
    let folder = first.parent().map(Path::to_owned);
    match cx.state.dialogs.open_mut() {
        Some(AnyDialog::Maintenance(dialog)) => {
            if let Some(typed) = dialog.path_mut() {
                *typed = path;
                apply(Action::Maintenance(MaintenanceAction::PathChanged), cx);
            }
        }
        Some(AnyDialog::OpenFolder(draft)) => (draft.path, draft.looking) = (path, None),
        Some(AnyDialog::OpenLesson(draft)) => draft.path = path,
        Some(AnyDialog::Handout(draft)) => draft.path = path,
        Some(AnyDialog::SaveLesson(draft)) => {
            draft.path = path;
            draft.path_changed();
        }
        Some(AnyDialog::LeaveSandbox(draft)) => (draft.path, draft.error) = (path, None),
        Some(AnyDialog::Transfer(Dialog::Copy(draft))) => (draft.path, draft.error) = (path, None),
        Some(AnyDialog::Transfer(Dialog::ExportDatabase(draft))) => draft.suggest(&first),
        Some(AnyDialog::Transfer(Dialog::Export(draft))) => {
            (draft.path, draft.error, draft.is_named) = (path, None, true);
            draft.exists.clear();
            cx.state.transfer.folder = folder;
        }
        Some(AnyDialog::Transfer(Dialog::Import(draft))) => {
            draft.add(files, IMPORT_FILES_MAX);
            cx.state.transfer.folder = folder;
            look(cx);
        }
        _ => {}
    }
}
