//! Long work on whole files: where it stands, and the wish to stop it.

use std::ops::ControlFlow;

use super::StoreError;

/// What a long piece of work does now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobStep {
    /// Looking at the structure of a file, in bytes.
    Walking,
    /// Writing a copy, in bytes.
    Copying,
    /// Reading every document and index entry, in documents.
    Reading,
    /// Putting the new file or folder in place. It can't be stopped and takes a moment.
    Replacing,
}

/// Where a long piece of work stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobProgress {
    /// What it does now.
    pub step: JobStep,
    /// How much of the step is done, in the step's unit.
    pub done: u64,
    /// How much there is to do, as far as known; 0 when it is not.
    pub total: u64,
}

/// Told where the work stands; `Break` stops it, and everything is then as it was before.
///
/// It must not call the store that the work is done on.
pub type Watch<'w> = dyn FnMut(JobProgress) -> ControlFlow<()> + 'w;

impl JobStep {
    /// Tells the watcher.
    ///
    /// # Errors
    /// `Stopped` when it wants that.
    pub(crate) fn report(
        self,
        watch: &mut Watch<'_>,
        done: u64,
        total: u64,
    ) -> Result<(), StoreError> {
        match watch(JobProgress { step: self, done, total }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(StoreError::Stopped),
        }
    }
}
