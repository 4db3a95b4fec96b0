//! Backups, checks and work on a closed store, as questions: what is done, and the state at its end.

use std::path::PathBuf;

use mayfly_engine::store::{StructureReport, WalkProgram};

use super::backups::look;
use super::ended::{
    RunOf, backed_up, checked, failed, forget_removed, log, refused, succeeded, take, told,
};
use crate::apply::effects::QUEUE_FULL;
use crate::apply::question::{Answer, Question, Report, Run};
use crate::apply::{Apply, store, stores};
use crate::job::Backup;
use crate::source::OpenRequest;
use crate::source::maintenance::{MaintenanceError, Offline, OfflineDone, OfflineWork};
use crate::state::Phase;
use crate::worker::{Desk, Lane, Manners, maintenance};

#[derive(Debug, PartialEq)]
pub(super) struct WriteBackup {
    pub run: RunOf,
    pub file: PathBuf,
}

impl Question for WriteBackup {
    type Answer = Result<Backup, MaintenanceError>;

    fn answered(&self, _: u64, result: Self::Answer, cx: &mut Apply<'_>) {
        let Some(running) = take(&self.run, cx) else { return };
        log(&running, result.as_ref().err(), cx.state);
        backed_up(running, result, cx.state);
        look(cx);
    }
}

impl Run for WriteBackup {
    const LANE: Lane = Lane::Transfer;

    fn manners(&self) -> Manners {
        RunOf::manners()
    }

    fn run(&self, desk: &Desk<'_, Answer>, report: Report<Self>) {
        let write = || maintenance::backup(desk.source.as_deref(), &self.file, &self.run.gauge);
        report.send(self.run.stopping(desk, write));
    }

    fn failed(&self, message: String) -> Self::Answer {
        Err(MaintenanceError::Failed(message))
    }
}

/// A look at the structure of a backup.
#[derive(Debug, PartialEq)]
pub(super) struct CheckBackup {
    pub run: RunOf,
    pub file: PathBuf,
    pub walker: Option<WalkProgram>,
}

impl Question for CheckBackup {
    type Answer = Result<StructureReport, MaintenanceError>;

    fn answered(&self, _: u64, result: Self::Answer, cx: &mut Apply<'_>) {
        if let Some(running) = take(&self.run, cx) {
            checked(running, result, cx.state);
        }
    }
}

impl Run for CheckBackup {
    const LANE: Lane = Lane::Transfer;

    fn manners(&self) -> Manners {
        RunOf::manners()
    }

    fn run(&self, desk: &Desk<'_, Answer>, report: Report<Self>) {
        let check = || maintenance::check(&self.file, self.walker.as_ref(), &self.run.gauge);
        report.send(self.run.stopping(desk, check));
    }

    fn failed(&self, message: String) -> Self::Answer {
        Err(MaintenanceError::Failed(message))
    }
}

/// A restore, a compaction or a check, for which the store is closed.
#[derive(Debug, PartialEq)]
pub(super) struct WorkOffline {
    pub run: RunOf,
    pub work: OfflineWork,
    /// Which store it is, if it isn't open.
    pub request: OpenRequest,
}

impl Question for WorkOffline {
    type Answer = Offline;

    fn answered(&self, _: u64, Offline { done, reopened }: Offline, cx: &mut Apply<'_>) {
        let Some(running) = take(&self.run, cx) else { return };
        log(&running, done.as_ref().err(), cx.state);
        if matches!(done, Ok(OfflineDone::Restored(_))) {
            forget_removed(cx.state);
        }
        match reopened {
            Some(Ok(warnings)) => store::reopened(warnings, cx),
            Some(Err(failure)) => cx.state.store.phase = Phase::Failed(failure),
            None => stores::open(cx.state.store.request.clone(), cx),
        }
        match done {
            Ok(done) => {
                let ended = told(&done, cx.state.clock.is_simulated());
                succeeded(&running, ended, cx.state);
            }
            Err(error) => failed(running, error, cx.state),
        }
        look(cx);
    }
}

impl Run for WorkOffline {
    const LANE: Lane = Lane::Transfer;

    fn manners(&self) -> Manners {
        RunOf::manners()
    }

    fn run(&self, desk: &Desk<'_, Answer>, report: Report<Self>) {
        let source = desk.source.as_deref();
        let work = || maintenance::offline(source, &self.work, &self.request, &self.run.gauge);
        let offline = self.run.stopping(desk, work);
        if matches!(offline.reopened, Some(Ok(_)))
            && let Some(threads) = desk.threads
        {
            // The event subscription ended with the closed store.
            threads.follow_again();
        }
        report.send(offline);
    }

    fn failed(&self, message: String) -> Offline {
        Offline { done: Err(MaintenanceError::Failed(message)), reopened: None }
    }

    fn full(&self, _: u64, cx: &mut Apply<'_>) {
        refused(self.run.operation, QUEUE_FULL.to_owned(), cx);
    }
}
