//! Lessons: their thread, their store beside the user's, their list.

use std::sync::Arc;

use super::{Shared, Worker};
use crate::job::lesson::Problem;
use crate::source::Opened;
use crate::worker::guarded::{guarded, not_shown};
use crate::worker::job::Outcome;
use crate::worker::lesson::{LessonHall, THREAD};
use crate::worker::lesson_job::{LessonOrder, LessonOutcome, LessonWork};
use crate::worker::sources::OWN;

impl Worker {
    /// Begins or ends a lesson, or asks something of it. Never waits.
    pub fn order_lesson(&self, order: LessonOrder) {
        match order {
            LessonOrder::Open { number, .. } => self.ordered.set(number),
            LessonOrder::Close => {
                self.ordered.set(OWN);
                self.shown.set(OWN);
                self.shared.sources.set_lesson(None);
            }
            LessonOrder::Perform(_) => {}
        }
        self.shared.lesson.order(order);
    }
}

impl Shared {
    /// Lists lessons, or writes a handout.
    pub(super) fn lessons(&self, work: LessonWork) {
        let outcome = match work {
            LessonWork::List(opened) => {
                let list = guarded(|| self.shelf.list(&opened));
                LessonOutcome::Listed(Arc::new(list.unwrap_or_default()))
            }
            LessonWork::Handout { source, file } => {
                let written = guarded(|| self.shelf.handout(&source, &file));
                LessonOutcome::Written(written.and_then(|written| written).map(|()| file))
            }
        };
        self.tell(Outcome::Lesson(outcome));
    }
}

impl LessonHall for Arc<Shared> {
    fn begun(&self, number: u32, result: Result<Opened, Vec<Problem>>) {
        if let Ok(opened) = &result {
            self.sources.set_lesson(Some((number, Arc::clone(&opened.source))));
            if let Err(message) = guarded(|| self.follow(opened.source.as_ref(), number)) {
                self.tell(Outcome::LessonEvent(number, not_shown(&message)));
            }
        }
        self.tell(Outcome::Lesson(LessonOutcome::Opened { number, result }));
    }

    fn broke(&self, message: String) {
        self.failed(THREAD, message);
    }
}
