//! One line of progress on a terminal during work on a whole file.

use std::{
    io::{IsTerminal as _, Write as _},
    ops::ControlFlow,
    path::Path,
    sync::Arc,
};

use mayfly_engine::{
    clock::{Clock, SystemClock},
    engine::OpenError,
    store::{JobProgress, JobStep, WalkProgram, Watch},
};

use super::{Failure, store::check_exists, walk::itself};
use crate::shutdown::ShutdownSignal;

/// Shows progress on standard error if that is a terminal. A signal stops the work.
pub(super) struct JobLine {
    shutdown: ShutdownSignal,
    is_terminal: bool,
    shown: Option<(JobStep, u64)>,
}

impl JobLine {
    pub(super) fn new() -> Result<Self, Failure> {
        let is_terminal = std::io::stderr().is_terminal();
        let shutdown = ShutdownSignal::listen().map_err(Failure::from_error)?;
        Ok(Self { shutdown, is_terminal, shown: None })
    }

    /// Updates the line. Breaks off the work after a signal.
    pub(super) fn watch(&mut self, at: JobProgress) -> ControlFlow<()> {
        let percent = at.done.saturating_mul(100).checked_div(at.total).unwrap_or(0).min(100);
        if self.is_terminal && self.shown != Some((at.step, percent)) {
            self.shown = Some((at.step, percent));
            eprint!("\r\x1b[K{}: {percent} %", word(at.step));
            // A broken terminal must not stop the work.
            let _ = std::io::stderr().flush();
        }
        if self.shutdown.is_requested() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl Drop for JobLine {
    fn drop(&mut self) {
        if self.shown.is_some() {
            eprint!("\r\x1b[K");
        }
    }
}

/// Works on the data folder of a closed store, with its line of progress.
pub(super) fn on_folder<R>(
    data: &Path,
    work: impl FnOnce(
        &Path,
        &Arc<dyn Clock>,
        Option<&WalkProgram>,
        &mut Watch<'_>,
    ) -> Result<R, OpenError>,
) -> Result<R, Failure> {
    check_exists(data)?;
    let mut line = JobLine::new()?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    work(data, &clock, itself().as_ref(), &mut |at| line.watch(at)).map_err(Failure::from_error)
}

fn word(step: JobStep) -> &'static str {
    match step {
        JobStep::Walking => "checking the file",
        JobStep::Copying => "copying",
        JobStep::Reading => "reading the documents",
        JobStep::Replacing => "replacing files",
    }
}
