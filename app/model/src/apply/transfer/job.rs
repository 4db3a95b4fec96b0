//! Imports, exports and roll backs as questions. Operations shows how far one is, and its dialog
//! takes its end.

use std::fmt;
use std::sync::Arc;

use mayfly_engine::transfer::Progress;

use crate::apply::Apply;
use crate::apply::question::{Answer, Question, Report, Run};
use crate::job::{Cancel, Namespace};
use crate::source::Source;
use crate::state::dialogs::Dialog as AnyDialog;
use crate::state::operations::OperationId;
use crate::state::transfer::{Again, Dialog, Kind, Meter, Running};
use crate::worker::transfer::Failure;
use crate::worker::{Desk, Lane, Manners};

/// Work with files that the user watches.
pub(super) trait FileWork: fmt::Debug + Send + Sync + 'static {
    type Done: Send + 'static;

    /// Does it; `progress` stops it. The error: nothing was changed.
    fn run(&self, source: &dyn Source, progress: &Progress) -> Result<Self::Done, Failure>;

    /// Takes its end.
    fn ended(operation: OperationId, result: Result<Self::Done, Failure>, cx: &mut Apply<'_>);
}

/// One work with files.
#[derive(Debug)]
pub(super) struct FileJob<W> {
    operation: OperationId,
    progress: Arc<Progress>,
    into: Vec<Namespace>,
    work: W,
}

impl<W> PartialEq for FileJob<W> {
    fn eq(&self, other: &Self) -> bool {
        self.operation == other.operation
    }
}

impl<W: FileWork> Question for FileJob<W> {
    type Answer = Result<W::Done, Failure>;

    fn answered(&self, _: u64, result: Self::Answer, cx: &mut Apply<'_>) {
        W::ended(self.operation, result, cx);
    }
}

impl<W: FileWork> Run for FileJob<W> {
    const LANE: Lane = Lane::Transfer;

    fn manners(&self) -> Manners {
        Manners { into: self.into.clone(), ..Manners::default() }
    }

    fn run(&self, desk: &Desk<'_, Answer>, report: Report<Self>) {
        let work = || {
            // It may have been canceled while it waited, and must not drop anything then.
            if self.progress.is_cancelled() {
                return Err(Failure::Cancelled);
            }
            let source = desk.open_source().map_err(Failure::Failed)?;
            self.work.run(source.as_ref(), &self.progress)
        };
        let progress = Arc::clone(&self.progress);
        report.send(desk.at_close.stopping(move || progress.cancel(), work));
    }

    fn failed(&self, message: String) -> Self::Answer {
        Err(Failure::Failed(message))
    }
}

/// Starts work, and shows its progress in the place of the dialog that it was drafted in. `total`
/// is how many documents there are, or 0 where the progress counts bytes.
pub(super) fn start<W: FileWork>(
    title: String,
    total: u64,
    draft: Dialog,
    kind: Kind,
    work: W,
    cx: &mut Apply<'_>,
) {
    let operation = begin(title, total, draft, kind, cx);
    send(operation, work, cx);
}

/// Shows the progress of work that begins later.
pub(super) fn begin(
    title: String,
    total: u64,
    draft: Dialog,
    kind: Kind,
    cx: &mut Apply<'_>,
) -> OperationId {
    let state = &mut *cx.state;
    let (now_ms, uptime) = (state.now_ms(), state.uptime);
    let operation = state.operations.begin(title, now_ms, uptime, Some(Cancel::default()));
    let again = Again::of(&draft).map(|again| (operation, again));
    state.transfer.again.extend(again);
    state.transfer.running.push(Running {
        operation,
        progress: Arc::new(Progress::new()),
        meter: Meter::default(),
        documents_total: total,
        draft,
        asked: uptime,
        began: None,
        kind,
    });
    state.dialogs.replace(AnyDialog::Transfer(Dialog::Running(operation)));
    operation
}

/// Hands over the work of an operation.
pub(super) fn send<W: FileWork>(operation: OperationId, work: W, cx: &mut Apply<'_>) {
    let Some(running) = cx.state.transfer.get(operation) else { return };
    let (progress, into) = (Arc::clone(&running.progress), running.kind.targets().to_vec());
    cx.run(FileJob { operation, progress, into, work });
}
