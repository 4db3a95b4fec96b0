//! The window, as the command line asks for it.

use crate::job::{Beginning, OpenRequest};
use crate::state::lesson::LessonStart;

/// Whether a window was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowOutcome {
    /// It was open and is closed now.
    Closed,
    NoDisplay,
}

/// How to open the window.
#[derive(Debug, Clone, PartialEq)]
pub struct WindowRequest {
    pub store: OpenRequest,
    /// Whether the store that was open last comes before it: the command line names none.
    pub open_last: bool,
    /// Whether it begins as a presentation.
    pub present: bool,
    pub lesson: Option<LessonStart>,
    pub beginning: Option<Beginning>,
}
