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
pub mod exam;
pub mod save;
pub mod steps;
pub mod why;

use std::path::PathBuf;
use std::sync::Arc;

pub use answer::{Answers, PresentedCard};

use self::catalog::SeriesKey;
use self::exam::Exam;
use super::clock::Clock;
use super::{Dialog, ParkedStore};
use crate::job::Namespace;
use crate::job::lesson::{LessonList, LessonSource, LessonView, Problem, Stop, Tour};

/// Under what the window keeps which control of a card is used next.
pub const MAIN_CONTROL: &str = "main control of a lesson";

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
    pub sheet: Sheet,
    /// `None` until it was drawn.
    pub exam: Option<Exam>,
    /// The text in the search field of the list.
    pub search: String,
    pub opening: Option<Opening>,
    pub playing: Option<Playing>,
    /// Why the last lesson was not opened.
    pub failed: Option<(LessonSource, Vec<Problem>)>,
    /// Lesson files and course folders that the user opened.
    pub opened: Vec<PathBuf>,
    pub watched: WatchedFiles,
}

/// The files on the screen that an editor may save.
#[derive(Debug, Default)]
pub struct WatchedFiles {
    pub paths: Vec<PathBuf>,
    /// When they were looked at last, in window time.
    pub looked: Option<std::time::Duration>,
    /// A number that changes when one of them is saved. `None` until the first look.
    pub stamp: Option<u64>,
}

/// The contents of the Lessons page.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Sheet {
    #[default]
    List,
    /// The end of a series.
    Summary(SeriesKey),
    Exam,
}

/// How a lesson begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LessonStart {
    pub source: LessonSource,
    /// The index of the card; `None` for the first one.
    pub card: Option<usize>,
    /// The seed of the numbers of a file with `[vary]`. `None` for its first values.
    pub seed: Option<u64>,
    pub way: Way,
}

impl LessonStart {
    /// The beginning of a lesson of a series.
    pub fn new(source: LessonSource) -> Self {
        Self { source, card: None, seed: None, way: Way::Series }
    }
}

/// The way on from a lesson that was played to its end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Way {
    /// Through its series.
    #[default]
    Series,
    /// Along the half-hour path.
    Path,
    /// Along a run sheet, or through the cards to repeat.
    Tour {
        tour: Arc<Tour>,
        /// The index of the present stop.
        at: usize,
    },
}

impl Way {
    /// The present stop of a tour.
    pub fn stop(&self) -> Option<&Stop> {
        match self {
            Self::Tour { tour, at } => tour.stops.get(*at),
            Self::Series | Self::Path => None,
        }
    }

    /// Whether both are along the same tour.
    pub fn continues(&self, before: &Self) -> bool {
        match (self, before) {
            (Self::Tour { tour, .. }, Self::Tour { tour: other, .. }) => Arc::ptr_eq(tour, other),
            _ => false,
        }
    }
}

/// A lesson that is being prepared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    pub number: u32,
    pub start: LessonStart,
}

#[derive(Debug)]
pub struct Playing {
    pub number: u32,
    pub source: LessonSource,
    /// The newest snapshot; `None` until the first one came.
    pub view: Option<Arc<LessonView>>,
    /// The card that it begins with. Snapshots of other cards before it are not shown.
    pub begins_at: Option<usize>,
    /// The store that comes back when it is closed.
    pub own: Box<ParkedStore>,
    /// The dialog from which it was opened. It comes back too.
    pub dialog: Option<Dialog>,
    pub answers: Answers,
    pub presented: PresentedCard,
    /// Whether the notes of the presenter are shown.
    pub shows_notes: bool,
    pub is_black: bool,
    /// When it began, in window time.
    pub since: std::time::Duration,
    pub way: Way,
    pub opened_from: OpenedFrom,
    /// Why the file can't be read as it was saved last. The lesson goes by the file before.
    pub broken: Vec<Problem>,
}

/// The place to return to when a lesson is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenedFrom {
    /// The Lessons page.
    Page,
    Collection,
}

impl Lessons {
    /// The newest snapshot of the lesson that is played.
    pub fn view(&self) -> Option<&LessonView> {
        self.playing.as_ref()?.view.as_deref()
    }

    pub fn is_playing(&self) -> bool {
        self.playing.is_some()
    }

    /// Whether the Lessons page shows its list.
    pub fn is_list_shown(&self) -> bool {
        self.is_page_shown && !self.is_playing() && self.sheet == Sheet::List
    }

    /// Whether a question waits for its answer, so that time stands still.
    pub fn has_open_question(&self) -> bool {
        self.view().is_some_and(|view| steps::open_question(view).is_some())
    }
}

impl Playing {
    /// Whether the way leads on from the open card to another lesson.
    pub fn is_at_last_card(&self) -> bool {
        let Some(view) = &self.view else { return false };
        let only = self.way.stop().and_then(|stop| stop.card);
        view.is_last_card() || only == Some(view.card)
    }

    /// The time of its clock. Where a time of day would not show that days went by, with the date.
    pub fn time_shown(&self, clock: &Clock) -> String {
        let (zone, shown_ms) = (clock.zone(), clock.shown_ms());
        let start_ms = self.view.as_ref().map(|view| view.time.start_ms);
        let day = |ms| zone.wall(ms).map(|wall| wall.date());
        if start_ms.is_none_or(|start_ms| day(start_ms) == day(shown_ms)) {
            zone.time_of_day(shown_ms)
        } else {
            zone.date_time(shown_ms)
        }
    }

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
