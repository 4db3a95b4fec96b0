//! Lessons: the list, the one that is played, and what the user has not committed yet.
//!
//! A lesson is played in the ordinary window: its store is the open one. `state/parked_store.rs` puts what
//! the window knows of the user's store aside; the worker keeps that store open, with its TTL monitor, and
//! every job says which of the two it is for (`worker/sources.rs`). Answers to jobs from before a switch are
//! dropped (`State::switched_at`). The thread `mayfly-lesson-stage` keeps the runtime; `mayfly-lesson`
//! supervises it. It publishes whole snapshots (`LessonView`), of which the window takes the newest;
//! `state/lesson/steps.rs` derives from one what can be done next, for buttons, keys and the presenter alike.
//! Time runs in the window between two snapshots and stops at `TimeView::until_ms`. When time went back,
//! after a restart, the views forget what they saw (`apply/lesson/show.rs`). `panels/lesson/` draws the
//! banner and the card; `panels/expiry/lesson.rs` adds boxes to the lanes and a pin to the axis while a
//! question asks for them. In a presentation, `LessonAction::Step` is one press of a clicker.
//!
//! The Lessons page (`panels/lesson/page/`) takes the place of the collection; `state/lesson/catalog.rs`
//! makes its series from the list that a job on the readers returns. What was dropped on the window is sorted
//! there too, because only the disk knows a course from a file. `panels/lesson/members/` draws the members of
//! a replica set with the lane painter of the Expiry view. `state/lesson/why.rs` is the one table from what
//! the window shows to the lesson that explains it; `action::lesson::learn` offers none while a lesson is
//! played.

mod answer;
pub mod catalog;
pub mod save;
pub mod steps;
pub mod why;

use std::path::PathBuf;
use std::sync::Arc;

pub use answer::{Answers, PresentedCard};

use super::ParkedStore;
use crate::job::Namespace;
use crate::job::lesson::{LessonList, LessonSource, LessonView, Problem};

pub const DATABASE: &str = "lesson";

/// The database with Cosmos DB's rules, in lessons that compare both.
pub const COSMOS: &str = "cosmos";

/// Everything about lessons.
#[derive(Debug, Default)]
pub struct Lessons {
    /// The list; `None` until it was read.
    pub list: Option<Arc<LessonList>>,
    pub is_asked: bool,
    /// Whether the Lessons page is shown in place of the collection.
    pub is_page_shown: bool,
    pub opening: Option<Opening>,
    pub playing: Option<Playing>,
    /// Why the last lesson was not opened.
    pub failed: Option<(LessonSource, Vec<Problem>)>,
    /// Lesson files and course folders that the user opened.
    pub opened: Vec<PathBuf>,
}

/// A lesson that is being prepared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    pub number: u32,
    pub source: LessonSource,
}

#[derive(Debug)]
pub struct Playing {
    pub number: u32,
    pub source: LessonSource,
    /// The newest snapshot; `None` until the first one came.
    pub view: Option<Arc<LessonView>>,
    /// The store that comes back when it is closed.
    pub own: Box<ParkedStore>,
    pub answers: Answers,
    pub presented: PresentedCard,
    /// Whether the notes of the presenter are shown.
    pub shows_notes: bool,
    pub is_black: bool,
    /// When it began, in window time.
    pub since: std::time::Duration,
}

impl Lessons {
    /// The newest snapshot of the lesson that is played.
    pub fn view(&self) -> Option<&LessonView> {
        self.playing.as_ref()?.view.as_deref()
    }

    pub fn is_playing(&self) -> bool {
        self.playing.is_some()
    }

    /// Whether a question waits for its answer, so that time stands still.
    pub fn has_open_question(&self) -> bool {
        self.view().is_some_and(|view| steps::open_question(view).is_some())
    }
}

impl Playing {
    /// The lesson's title, as far as it is known.
    pub fn title(&self) -> &str {
        self.view.as_ref().map_or("", |view| view.lesson.title.as_str())
    }
}

/// The collection that `show` or `among` names.
pub fn namespace(shown: &str) -> Namespace {
    match shown.strip_prefix("cosmos.") {
        Some(collection) => Namespace::new(COSMOS, collection),
        None => Namespace::new(DATABASE, shown),
    }
}
