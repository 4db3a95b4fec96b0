//! A lesson that is written from an open sandbox.

use std::path::PathBuf;

use crate::job::Dialect;

/// A lesson to write from an open sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LessonToSave {
    pub title: String,
    pub db: String,
    pub dialect: Dialect,
    /// The commands of the sandbox, as mongosh writes them.
    pub commands: Vec<String>,
    pub file: PathBuf,
    /// Whether a file that is there is replaced.
    pub replaces: bool,
}

/// Why a lesson was not written. Nothing was changed then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotSaved {
    /// There is a file of this name.
    Exists,
    Failed(String),
}
