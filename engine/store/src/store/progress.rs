//! Progress and cancellation of long work on whole files.

use std::ops::ControlFlow;

use super::StoreError;

/// The current step of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobStep {
    /// Walking the structure of a file; in bytes.
    Walking,
    /// Writing a copy; in bytes.
    Copying,
    /// Reading every document and index entry; in documents.
    Reading,
    /// Putting the new file or folder in place. Quick, and can't be stopped.
    Replacing,
}

/// How far a job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobProgress {
    /// The current step.
    pub step: JobStep,
    /// How much of the step is done, in its unit.
    pub done: u64,
    /// The estimated total of the step; 0 when unknown.
    pub total: u64,
}

/// Receives progress. `Break` stops the job, which then leaves everything as it was.
///
/// It must not call the store that the job works on.
pub type Watch<'w> = dyn FnMut(JobProgress) -> ControlFlow<()> + 'w;

impl JobStep {
    /// Reports progress to `watch`.
    ///
    /// # Errors
    /// `Stopped` when `watch` breaks.
    pub fn report(self, watch: &mut Watch<'_>, done: u64, total: u64) -> Result<(), StoreError> {
        match watch(JobProgress { step: self, done, total }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(StoreError::Stopped),
        }
    }
}
