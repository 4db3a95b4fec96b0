//! Orders to lessons, and their outcomes.

use std::sync::Arc;

use crate::job::lesson::{LessonRequest, LessonSource, LessonView, Problem};
use crate::source::Opened;

/// An order of the window.
#[derive(Debug, Clone, PartialEq)]
pub enum LessonOrder {
    /// Begins a lesson in place of the one that is played.
    Open {
        /// Names it in what comes back; ascending, from 1.
        number: u32,
        source: LessonSource,
        /// The seed of the numbers of a file with `[vary]`. `None` for its first values.
        seed: Option<u64>,
    },
    /// Ends it.
    Close,
    /// Asks something of it.
    Perform(LessonRequest),
    /// Time may be due.
    Look,
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
}
