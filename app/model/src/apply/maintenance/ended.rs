//! The end of a maintenance job.

use std::sync::Arc;

use mayfly_engine::store::{JobProgress, JobStep, StructureReport};

use crate::apply::question::Answer;
use crate::apply::{Apply, store};
use crate::job::{Backup, JobGauge};
use crate::source::maintenance::{MaintenanceError, OfflineDone};
use crate::state::dialogs::Dialog as AnyDialog;
use crate::state::maintenance::{Checked, Dialog, Ended, Kind, Running, Tone};
use crate::state::operations::{OperationId, Progress, Stage};
use crate::state::toasts::Kind as ToastKind;
use crate::state::{Phase, State, number};
use crate::worker::{Desk, Manners};

/// Takes over what runs, if it still does.
pub(super) fn take(run: &RunOf, cx: &mut Apply<'_>) -> Option<Running> {
    cx.state.maintenance.running.take_if(|one| one.operation == run.operation)
}

/// Another version of the store is in its place, which may hold documents that were removed.
pub(super) fn forget_removed(state: &mut State) {
    state.reaper.forget_passes();
    for tab in state.tabs.open_mut() {
        tab.expiry.forget_removed();
    }
}

pub(super) fn told(done: &OfflineDone, is_simulated: bool) -> Ended {
    match done {
        OfflineDone::Restored(report) => Ended::restored(report, is_simulated),
        OfflineDone::Compacted(report) => Ended::compacted(report),
        OfflineDone::Verified(report) => Ended::verified(report),
    }
}

/// A command that was carried out is listed with the others.
pub(super) fn log(running: &Running, error: Option<&MaintenanceError>, state: &mut State) {
    let took = state.uptime.saturating_sub(running.asked).as_micros();
    let micros = u64::try_from(took).unwrap_or(u64::MAX);
    let error = error.map(|error| match error {
        MaintenanceError::Stopped => "Canceled".to_owned(),
        MaintenanceError::Failed(sentence) => sentence.clone(),
    });
    state.commands.push(state.clock.now_ms(), &running.command, micros, error, false);
}

pub(super) fn backed_up(
    running: Running,
    result: Result<Backup, MaintenanceError>,
    state: &mut State,
) {
    match result {
        Ok(backup) => {
            succeeded(&running, Ended::backup(backup), state);
        }
        Err(error) => failed(running, error, state),
    }
}

pub(super) fn checked(
    running: Running,
    result: Result<StructureReport, MaintenanceError>,
    state: &mut State,
) {
    let report = match result {
        Ok(report) => report,
        Err(error) => return failed(running, error, state),
    };
    let file = running.file.clone().unwrap_or_default();
    let found = match report.findings.as_slice() {
        [] => {
            let damage = report.rows.summary(report.rows.first.iter().map(ToString::to_string));
            Checked::Sound { file, pages: report.pages_used, damage }
        }
        [finding] => Checked::Damaged(format!("This backup is damaged: {}.", without_end(finding))),
        [finding, more @ ..] => {
            let more = number::counted(more.len() as u64, "more problem", "more problems");
            let finding = without_end(finding);
            Checked::Damaged(format!("This backup is damaged: {finding}, and {more}."))
        }
    };
    let stage = match &found {
        Checked::Damaged(sentence) => Stage::Failed(sentence.clone()),
        Checked::Sound { damage: Some(damage), .. } => Stage::Failed(format!("{damage}.")),
        _ => Stage::Done("No damage found in the backup".to_owned()),
    };
    state.operations.end(running.operation, stage);
    let Dialog::Restore(mut draft) = running.draft else { return };
    draft.checked = found;
    replace_running(running.operation, Dialog::Restore(draft), state);
}

pub(super) fn without_end(sentence: &str) -> &str {
    sentence.trim_end_matches('.')
}

pub(super) fn succeeded(running: &Running, ended: Ended, state: &mut State) {
    let stage = match ended.tone {
        Tone::Good => Stage::Done(ended.sentence.clone()),
        Tone::Bad => Stage::Failed(ended.sentence.clone()),
    };
    if ended.tone == Tone::Bad {
        state.maintenance.damage = Some(ended.findings.first().unwrap_or(&ended.sentence).clone());
    }
    state.operations.end(running.operation, stage);
    if is_shown(running.operation, state) {
        replace_running(running.operation, Dialog::Ended(Box::new(ended)), state);
        return;
    }
    let kind = if ended.tone == Tone::Good { ToastKind::Done } else { ToastKind::Error };
    let words = format!("{}. {}", ended.title, ended.sentence);
    state.toast(kind, words);
}

/// Nothing was done: back to the dialog it was started from, which says why.
pub(super) fn failed(running: Running, error: MaintenanceError, state: &mut State) {
    let sentence = match error {
        MaintenanceError::Stopped => {
            let words = match running.kind {
                Kind::Backup => "Canceled. No backup was written",
                Kind::Check => "Canceled. The backup was not checked",
                Kind::Restore => "Canceled. The store is unchanged",
                Kind::Compact => "Canceled. The data file is unchanged",
                Kind::Verify => "Canceled before the check finished",
            };
            state.operations.end(running.operation, Stage::Cancelled(words.to_owned()));
            state.toast(ToastKind::Info, words);
            replace_running(running.operation, running.draft, state);
            return;
        }
        MaintenanceError::Failed(sentence) => sentence,
    };
    state.operations.end(running.operation, Stage::Failed(sentence.clone()));
    let draft = with_error(running.draft, sentence.clone());
    if is_shown(running.operation, state) {
        replace_running(running.operation, draft, state);
    } else {
        state.toast(ToastKind::Error, sentence);
    }
}

/// The job came back without having been done.
pub fn refused(operation: OperationId, sentence: String, cx: &mut Apply<'_>) {
    let running = cx.state.maintenance.running.take_if(|running| running.operation == operation);
    let Some(running) = running else { return };
    if matches!(cx.state.store.phase, Phase::Away(_)) {
        store::reopened(Vec::new(), cx);
    }
    failed(running, MaintenanceError::Failed(sentence), cx.state);
}

pub(super) fn back_to(draft: Dialog, sentence: String, state: &mut State) {
    state.dialogs.replace(AnyDialog::Maintenance(with_error(draft, sentence)));
}

pub(super) fn with_error(mut draft: Dialog, sentence: String) -> Dialog {
    match &mut draft {
        Dialog::Backup(draft) => draft.error = Some(sentence),
        Dialog::Restore(draft) => {
            draft.error = Some(sentence);
            draft.checked = Checked::Nothing;
        }
        Dialog::Compact { error } | Dialog::Verify { error } => *error = Some(sentence),
        Dialog::Home | Dialog::Running(_) | Dialog::Ended(_) => {}
    }
    draft
}

pub(super) fn is_shown(operation: OperationId, state: &State) -> bool {
    let shown = AnyDialog::Maintenance(Dialog::Running(operation));
    state.dialogs.open() == Some(&shown)
}

pub(super) fn replace_running(operation: OperationId, dialog: Dialog, state: &mut State) {
    if is_shown(operation, state) {
        state.dialogs.replace(AnyDialog::Maintenance(dialog));
    }
}

/// How far it is, in words.
pub(super) fn shown(at: Option<JobProgress>) -> Progress {
    let Some(JobProgress { step, done, total }) = at else { return Progress::default() };
    let of = |done: String, total: &dyn Fn() -> String| match at {
        Some(JobProgress { total: 0, .. }) => done,
        _ => format!("{done} of {}", total()),
    };
    let bytes = || of(number::bytes(done), &|| number::bytes(total));
    let text = match step {
        JobStep::Walking if done == 0 && total == 0 => {
            "Waiting for the store to be idle".to_owned()
        }
        JobStep::Walking => format!("Checking file structure: {}", bytes()),
        JobStep::Copying => format!("Copying: {}", bytes()),
        JobStep::Reading => {
            let documents = of(number::count(done), &|| number::count(total));
            format!("Reading documents: {documents}")
        }
        JobStep::Replacing => "Replacing files".to_owned(),
    };
    Progress { done, total, text }
}

/// The line in Operations of what runs, which tells one run from another.
#[derive(Debug)]
pub(super) struct RunOf {
    pub operation: OperationId,
    pub gauge: Arc<JobGauge>,
}

impl PartialEq for RunOf {
    fn eq(&self, other: &Self) -> bool {
        self.operation == other.operation
    }
}

impl RunOf {
    /// It closes the store or moves it, so it is alone in its lane.
    pub(super) fn manners() -> Manners {
        Manners { is_alone: true, ..Manners::default() }
    }

    /// Does work that a window which closes stops.
    pub(super) fn stopping<T>(&self, desk: &Desk<'_, Answer>, work: impl FnOnce() -> T) -> T {
        let cancel = self.gauge.cancel.clone();
        desk.at_close.stopping(move || cancel.cancel(), work)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_in_words() {
        let check = |step, done, total, expected: &str| {
            assert_eq!(shown(Some(JobProgress { step, done, total })).text, expected);
        };
        check(JobStep::Walking, 0, 0, "Waiting for the store to be idle");
        check(JobStep::Walking, 4_000, 8_000, "Checking file structure: 4.0 kB of 8.0 kB");
        check(JobStep::Copying, 4_000, 0, "Copying: 4.0 kB");
        check(JobStep::Reading, 1_200, 5_000, "Reading documents: 1,200 of 5,000");
        check(JobStep::Replacing, 0, 0, "Replacing files");
        assert_eq!(shown(None), Progress::default());
    }
}
