//! Work on sandboxes.

use std::path::PathBuf;

use crate::job::lesson::{LessonToSave, NotSaved};
use crate::lessons;

use crate::source::{Namespace, OpenRequest, Source};

/// Work on a sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SandboxWork {
    /// Moves the open sandbox into a folder.
    Keep {
        /// A folder that is empty or missing.
        folder: PathBuf,
    },
    /// Copies a collection into a sandbox.
    Copy(Namespace),
    /// Writes it as a lesson.
    SaveLesson(LessonToSave),
}

/// The result of the work.
#[derive(Debug, Clone, PartialEq)]
pub enum SandboxDone {
    /// It is in the folder, and closed. The error: it is open where it was.
    Kept {
        /// The folder.
        folder: PathBuf,
        /// Why not: one sentence.
        result: Result<(), String>,
    },
    /// A sandbox to open. The error: one sentence.
    Copied(Result<Box<OpenRequest>, String>),
    /// A lesson was written.
    LessonSaved {
        /// Its file.
        file: PathBuf,
        /// Omissions of the lesson, in one sentence each.
        result: Result<Vec<String>, NotSaved>,
    },
}

impl SandboxWork {
    /// The same work with nothing done, because `message` says why not.
    #[must_use]
    pub fn failed(&self, message: String) -> SandboxDone {
        match self {
            Self::Keep { folder } => {
                SandboxDone::Kept { folder: folder.clone(), result: Err(message) }
            }
            Self::Copy(_) => SandboxDone::Copied(Err(message)),
            Self::SaveLesson(lesson) => SandboxDone::LessonSaved {
                file: lesson.file.clone(),
                result: Err(NotSaved::Failed(message)),
            },
        }
    }

    /// Does it. Takes as long as the sandbox is large.
    pub fn run(&self, source: Option<&dyn Source>) -> SandboxDone {
        let Some(source) = source else { return self.failed("No store is open".to_owned()) };
        match self {
            Self::Keep { folder } => {
                SandboxDone::Kept { folder: folder.clone(), result: source.move_to(folder) }
            }
            Self::Copy(namespace) => {
                SandboxDone::Copied(source.copy_to_sandbox(namespace).map(Box::new))
            }
            Self::SaveLesson(lesson) => SandboxDone::LessonSaved {
                file: lesson.file.clone(),
                result: lessons::sandbox::save(lesson, source),
            },
        }
    }
}
