//! Work on sandboxes.

use std::path::PathBuf;

use crate::source::Source;

/// What is done with a sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SandboxWork {
    /// Moves the open sandbox into a folder.
    Keep {
        /// A folder that is empty or missing.
        folder: PathBuf,
    },
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SandboxDone {
    /// It is in the folder, and closed. The error: it is open where it was.
    Kept {
        /// The folder.
        folder: PathBuf,
        /// Why not: one sentence.
        result: Result<(), String>,
    },
}

impl SandboxWork {
    /// The same work with nothing done, because `message` says why not.
    #[must_use]
    pub fn failed(&self, message: String) -> SandboxDone {
        let Self::Keep { folder } = self;
        SandboxDone::Kept { folder: folder.clone(), result: Err(message) }
    }

    /// Does it. Takes as long as the sandbox is large.
    #[expect(clippy::must_use_candidate, reason = "it is done for what it does")]
    pub fn run(&self, source: Option<&dyn Source>) -> SandboxDone {
        let Self::Keep { folder } = self;
        let Some(source) = source else { return self.failed("No store is open".to_owned()) };
        SandboxDone::Kept { folder: folder.clone(), result: source.move_to(folder) }
    }
}
