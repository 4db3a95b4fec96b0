//! Who watches a lesson.

use crate::job::ConsoleOutput;
use crate::job::lesson::LessonView;

/// Takes what a lesson shows, and interrupts it. Called from the lesson's thread, except
/// [`wake`](Self::wake).
pub trait Audience: Send + Sync + 'static {
    /// Takes a snapshot in place of the one before.
    fn publish(&self, view: LessonView);

    /// Whether what plays must end where it is. Asked every few milliseconds.
    fn is_interrupted(&self) -> bool;

    /// Takes an output of an input of the console.
    fn console(&self, run: u64, output: ConsoleOutput);

    /// An input of the console ended; this database is in use.
    fn console_ended(&self, run: u64, database: String);

    /// The store was asked for something that only the lesson's thread may do. Called from the
    /// thread that asks.
    fn wake(&self);
}

/// An empty room: for checks.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoAudience;

impl Audience for NoAudience {
    fn publish(&self, _: LessonView) {}

    fn is_interrupted(&self) -> bool {
        false
    }

    fn console(&self, _: u64, _: ConsoleOutput) {}

    fn console_ended(&self, _: u64, _: String) {}

    fn wake(&self) {}
}
