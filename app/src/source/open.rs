//! Opening a store. It touches the disk, so it runs on a thread of the worker.

use std::path::PathBuf;
use std::sync::Arc;

use mayfly_engine::engine::OpenError;
use mayfly_engine::store::{OpenReport, WalkProgram};

use super::{Advice, Source};

/// Which store to open, and how.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OpenRequest {
    /// The data folder. `None`: the platform's data directory.
    pub folder: Option<PathBuf>,
    /// Open a fresh store in a temporary folder and fill it with the demo data.
    pub demo: bool,
    /// Run the store on a simulated clock that starts at this instant, in milliseconds since 1970.
    pub simulated_start_ms: Option<i64>,
    /// What walks a file that a person picked; without it this process does.
    pub walker: Option<WalkProgram>,
}

/// A store that is open.
#[derive(Clone)]
pub struct Opened {
    /// The store itself.
    pub source: Arc<dyn Source>,
    /// What the top bar calls it.
    pub name: String,
    /// Where it is.
    pub folder: Option<PathBuf>,
    /// What a person should know about how it opened, one sentence each.
    pub warnings: Vec<String>,
    /// What is unwise about its place.
    pub advice: Vec<Advice>,
    /// Whether the store was made just now.
    pub created: bool,
}

/// What a person should know about how a store opened, one sentence each.
#[must_use]
pub fn notices(report: &OpenReport) -> Vec<String> {
    let unclean = "Mayfly didn't shut down cleanly last time. The data file was checked; no damage \
                   found.";
    let unclean = report.unclean.then(|| unclean.to_owned());
    unclean.into_iter().chain(report.warnings.iter().cloned()).collect()
}

/// Why a store could not be opened: one sentence that says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{sentence}")]
pub struct OpenFailure {
    /// The sentence.
    pub sentence: String,
    /// Another program has the store open; nothing is wrong with it.
    pub is_in_use: bool,
}

impl OpenFailure {
    /// Something is wrong with the store, or with where it is.
    #[must_use]
    pub fn new(sentence: String) -> Self {
        Self { sentence, is_in_use: false }
    }
}

impl From<OpenError> for OpenFailure {
    fn from(error: OpenError) -> Self {
        Self { sentence: error.message, is_in_use: error.is_in_use }
    }
}

/// Opens the store that a request names.
pub type Opener = Arc<dyn Fn(&OpenRequest) -> Result<Opened, OpenFailure> + Send + Sync>;
