//! Operations that were cut short.

use std::path::PathBuf;

/// The decisions about an operation that was cut short. Each names its journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CutAction {
    Continue(PathBuf),
    TakeBack(PathBuf),
    /// Forgets it; what it did stays.
    Forget(PathBuf),
}
