//! The backups in a folder.

use std::path::PathBuf;

use crate::apply::Apply;
use crate::apply::question::{Answer, Question, Report, Run};
use crate::job::BackupList;
use crate::state::dialogs::Dialog as AnyDialog;
use crate::state::maintenance::{Dialog, key};
use crate::worker::{Desk, Lane, maintenance};

/// Looks which backups there are.
pub(super) fn look(cx: &mut Apply<'_>) {
    let folder = cx.state.data_folder();
    let known = folder.as_ref().and_then(|folder| cx.state.settings.backups.get(&key(folder)));
    let file = known.map(PathBuf::from);
    look_for(file, folder, cx);
}

pub(super) fn look_for(file: Option<PathBuf>, folder: Option<PathBuf>, cx: &mut Apply<'_>) {
    // Backups of a sandbox next to its temporary folder would be lost with it.
    let folder = folder.filter(|_| !cx.state.store.request.is_temporary());
    cx.state.maintenance.look = Some(cx.run(ListBackups { file, folder }));
}

/// The backups that are kept. Questions are equal whatever the names: the newest names count.
#[derive(Debug)]
pub(super) struct ListBackups {
    /// The name that backups are written under; without one, the usual one of the folder.
    file: Option<PathBuf>,
    /// The data folder; without one no home folder was found.
    folder: Option<PathBuf>,
}

impl PartialEq for ListBackups {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Question for ListBackups {
    type Answer = BackupList;

    fn answered(&self, generation: u64, backup_list: BackupList, cx: &mut Apply<'_>) {
        // Else it is about a store that is no longer open.
        if cx.state.maintenance.look != Some(generation) {
            return;
        }
        match cx.state.dialogs.open_mut() {
            Some(AnyDialog::Maintenance(Dialog::Backup(draft))) if draft.path.is_empty() => {
                draft.path = backup_list.file.display().to_string();
            }
            Some(AnyDialog::Maintenance(Dialog::Restore(draft))) if draft.path.is_empty() => {
                let newest =
                    backup_list.backups.first().map(|newest| newest.path.display().to_string());
                draft.path = newest.unwrap_or_default();
            }
            _ => {}
        }
        cx.state.maintenance.backup_list = Some(backup_list);
        cx.state.maintenance.listed_at = cx.state.uptime;
    }
}

impl Run for ListBackups {
    const LANE: Lane = Lane::Read;

    fn run(&self, _: &Desk<'_, Answer>, report: Report<Self>) {
        report.send(maintenance::look(self.file.as_deref(), self.folder.as_deref()));
    }

    fn failed(&self, _: String) -> BackupList {
        BackupList::default()
    }
}
