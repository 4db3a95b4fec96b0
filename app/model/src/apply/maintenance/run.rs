//! Backups, restores, compactions and checks: their start, their progress and their end.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::ended::{RunOf, back_to, shown};
use super::jobs::{CheckBackup, WorkOffline, WriteBackup};
use crate::apply::Apply;
use crate::job::JobGauge;
use crate::limits::METER_PAUSE;
use crate::source::maintenance::OfflineWork;
use crate::state::dialogs::Dialog as AnyDialog;
use crate::state::maintenance::dialogs::{
    backup_text, check_line, compact_line, restore_line, verify_line,
};
use crate::state::maintenance::{Dialog, Kind, Running, key};
use crate::state::{Phase, State};

/// Writes a backup as drafted in the open dialog.
pub fn backup(cx: &mut Apply<'_>) {
    let Some(AnyDialog::Maintenance(Dialog::Backup(draft))) = cx.state.dialogs.open() else {
        return;
    };
    let Some(file) = draft.file() else { return };
    let draft = Dialog::Backup(draft.clone());
    if let Some(folder) = &cx.state.store.folder {
        let file = file.to_string_lossy().into_owned();
        if !cx.state.store.request.is_temporary() {
            cx.state.settings.backups.insert(key(folder), file);
        }
    }
    let command = backup_text(&file);
    begin(Kind::Backup, Some(file.clone()), draft, command, cx, |run, cx| {
        cx.run(WriteBackup { run, file });
    });
}

/// Looks at the structure of the backup that is chosen in the open dialog.
pub fn check(cx: &mut Apply<'_>) {
    let Some(AnyDialog::Maintenance(Dialog::Restore(draft))) = cx.state.dialogs.open() else {
        return;
    };
    let Some(file) = draft.file() else { return };
    let draft = Dialog::Restore(draft.clone());
    let command = check_line(&file);
    begin(Kind::Check, Some(file.clone()), draft, command, cx, |run, cx| {
        let walker = cx.state.store.request.walker.clone();
        cx.run(CheckBackup { run, file, walker });
    });
}

/// Puts the backup that is chosen in the open dialog in the place of the store.
pub fn restore(cx: &mut Apply<'_>) {
    let Some(AnyDialog::Maintenance(Dialog::Restore(draft))) = cx.state.dialogs.open() else {
        return;
    };
    let Some(backup) = draft.sound() else { return };
    let draft = Dialog::Restore(draft.clone());
    let command = restore_line(&backup, &cx.state.data_folder().unwrap_or_default());
    let work = OfflineWork::Restore { backup: backup.clone() };
    offline(Kind::Restore, Some(backup), work, draft, command, cx);
}

/// Rewrites the data file.
pub fn compact(cx: &mut Apply<'_>) {
    let command = compact_line(&cx.state.data_folder().unwrap_or_default());
    let draft = Dialog::Compact { error: None };
    offline(Kind::Compact, None, OfflineWork::Compact, draft, command, cx);
}

/// Reads everything.
pub fn verify(cx: &mut Apply<'_>) {
    let command = verify_line(&cx.state.data_folder().unwrap_or_default());
    let draft = Dialog::Verify { error: None };
    offline(Kind::Verify, None, OfflineWork::Verify, draft, command, cx);
}

fn offline(
    kind: Kind,
    file: Option<PathBuf>,
    work: OfflineWork,
    draft: Dialog,
    command: String,
    cx: &mut Apply<'_>,
) {
    if !cx.state.transfer.running.is_empty() {
        let words = "An import or export is running; wait for it to finish or cancel it".to_owned();
        back_to(draft, words, cx.state);
        return;
    }
    begin(kind, file, draft, command, cx, |run, cx| {
        let request = cx.state.store.request.clone();
        cx.run(WorkOffline { run, work, request });
    });
    if let (Some(words), true) = (kind.away(), cx.state.is_open()) {
        cx.state.store.phase = Phase::Away(words);
    }
}

fn begin(
    kind: Kind,
    file: Option<PathBuf>,
    draft: Dialog,
    command: String,
    cx: &mut Apply<'_>,
    send: impl FnOnce(RunOf, &mut Apply<'_>),
) {
    if cx.state.maintenance.running.is_some() {
        return;
    }
    let (now_ms, asked) = (cx.state.now_ms(), cx.state.uptime);
    let gauge = Arc::new(JobGauge::default());
    let title = match &file {
        Some(file) => format!("{}: {}", kind.title(), name_of(file)),
        None => format!("{} the store", kind.title()),
    };
    let cancel = Some(gauge.cancel.clone());
    let operation = cx.state.operations.begin(title, now_ms, asked, cancel);
    let run = RunOf { operation, gauge: Arc::clone(&gauge) };
    cx.state.maintenance.running =
        Some(Running { operation, kind, file, gauge, draft, command, asked });
    cx.state.dialogs.replace(AnyDialog::Maintenance(Dialog::Running(operation)));
    send(run, cx);
}

fn name_of(file: &Path) -> String {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| file.display().to_string())
}

/// Shows how far it is. Returns the time until the next look.
pub fn follow(state: &mut State) -> Option<Duration> {
    let running = state.maintenance.running.as_ref()?;
    let operation = state.operations.get_mut(running.operation)?;
    operation.progress = shown(running.gauge.job());
    Some(METER_PAUSE)
}
