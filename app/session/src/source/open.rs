//! Opening a store. It touches the disk, so it runs on a thread of the worker.

use std::path::PathBuf;
use std::sync::Arc;

use mayfly_engine::clock::ClockStatus;
use mayfly_engine::store::OpenReport;

use super::Source;
use crate::job::{Advice, Attached, OpenError, OpenRequest};

/// A store that is open.
#[derive(Clone)]
pub struct Opened {
    /// The store itself.
    pub source: Arc<dyn Source>,
    /// Its name in the top bar.
    pub name: String,
    pub folder: Option<PathBuf>,
    pub clock: ClockStatus,
    /// Warnings about the opening, one sentence each.
    pub warnings: Vec<String>,
    /// Warnings about its place.
    pub advice: Vec<Advice>,
    /// The server, or `None` for a store on this machine.
    pub attached: Option<Box<Attached>>,
}

/// Warnings about how a store opened, one sentence each.
pub fn notices(report: &OpenReport) -> Vec<String> {
    let unclean = "Mayfly didn't shut down cleanly last time. The data file was checked; no damage \
                   found.";
    let unclean = report.unclean.then(|| unclean.to_owned());
    unclean.into_iter().chain(report.warnings.iter().cloned()).collect()
}

/// Opens the store that a request names.
pub type Opener = Arc<dyn Fn(&OpenRequest) -> Result<Opened, OpenError> + Send + Sync>;
