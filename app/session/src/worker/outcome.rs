//! Messages of the worker to the window.

use super::lesson_job::LessonOutcome;
use super::reply::Reply;
use super::secret_job::SecretReport;
use crate::job::{ConsoleReport, Event, OpenError};
use crate::source::Opened;

/// A message of the worker. `A` is the answer to a question.
pub enum Outcome<A> {
    /// A question is answered, or will not be.
    Asked(A),
    /// The traffic of the demo store sent a command.
    Traffic(Reply),
    /// An order was dropped, because its queue was full.
    OrderRefused,
    /// Something happened in the console.
    Console(ConsoleReport),
    /// The system's keyring answers.
    Secret(SecretReport),
    /// A store was opened or could not be.
    Opened(Result<Opened, OpenError>),
    /// Something happened in the store of this number.
    Event(u32, Event),
    /// The thread of the lesson answers.
    Lesson(LessonOutcome),
}
