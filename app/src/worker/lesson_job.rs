//! Orders to lessons, and their outcomes.

use std::path::PathBuf;
use std::sync::Arc;

use crate::job::lesson::{LessonList, LessonRequest, LessonSource, LessonView, Problem};
use crate::source::Opened;

/// Work on lessons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LessonWork {
    /// Lists those of the program, and those of these files and folders.
    List(Vec<PathBuf>),
    /// Finds out which of the paths are lesson files or course folders.
    Sort(Vec<PathBuf>),
    /// Opens a file in the program that the system has for it.
    OpenFile(PathBuf),
    /// Writes the handout of a lesson to a file.
    Handout {
        /// Which lesson.
        source: LessonSource,
        /// A file that is overwritten.
        file: PathBuf,
    },
}

/// An order of the window.
#[derive(Debug, Clone, PartialEq)]
pub enum LessonOrder {
    /// Begins a lesson in place of the one that is played.
    Open {
        /// Names it in what comes back; ascending, from 1.
        number: u32,
        /// Which one.
        source: LessonSource,
    },
    /// Ends it.
    Close,
    /// Asks something of it.
    Perform(LessonRequest),
}

/// An outcome other than a snapshot.
#[derive(Clone)]
pub enum LessonOutcome {
    /// A lesson began, or its file has problems.
    Opened {
        /// The number of the order.
        number: u32,
        /// Its store.
        result: Result<Opened, Vec<Problem>>,
    },
    /// The newest snapshot.
    View {
        /// The number of the order.
        number: u32,
        view: Arc<LessonView>,
    },
    /// The list was read.
    Listed(Arc<LessonList>),
    /// The files dropped on the window.
    Sorted {
        /// Lesson files and course folders.
        lessons: Vec<PathBuf>,
        /// Anything else.
        files: Vec<PathBuf>,
    },
    /// A file can't be opened: one sentence.
    NotOpened(String),
    /// A file was written; the error is one sentence.
    Written(Result<PathBuf, String>),
}
