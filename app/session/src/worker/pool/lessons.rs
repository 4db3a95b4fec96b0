//! Lessons: their thread, and their store next to the user's.

use std::sync::Arc;

use super::{Shared, Worker};
use crate::job::lesson::Problem;
use crate::source::Opened;
use crate::worker::guarded::{guarded, not_shown};
use crate::worker::lesson::{LessonHall, THREAD};
use crate::worker::lesson_job::{LessonOrder, LessonOutcome};
use crate::worker::outcome::Outcome;

impl<A: Send + 'static> Worker<A> {
    /// Begins or ends a lesson, or asks something of it. Never waits.
    pub fn order_lesson(&self, order: LessonOrder) {
        match order {
            LessonOrder::Open { number, .. } => self.ordered.set(number),
            LessonOrder::Close => {
                let front = self.shared.sources.front();
                self.ordered.set(front);
                self.shown.set(front);
                self.shared.sources.set_lesson(None);
            }
            LessonOrder::Perform(_) | LessonOrder::Look => {}
        }
        self.shared.lesson.order(order);
    }
}

impl<A: Send + 'static> LessonHall for Arc<Shared<A>> {
    fn begun(&self, number: u32, result: Result<Opened, Vec<Problem>>) {
        if let Ok(opened) = &result {
            self.sources.set_lesson(Some((number, Arc::clone(&opened.source))));
            if let Err(message) = guarded(|| self.follow(opened.source.as_ref(), number)) {
                self.tell(Outcome::Event(number, not_shown(&message)));
            }
        }
        self.tell(Outcome::Lesson(LessonOutcome::Opened { number, result }));
    }

    fn ended(&self) {
        if let Some(source) = self.sources.lesson() {
            source.close();
        }
    }

    fn broke(&self, message: String) {
        self.failed(THREAD, message);
    }
}
