//! Panics of a job as sentences.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::job::Event;

/// The name of the thread that forwards events.
pub(super) const EVENTS: &str = "mayfly-events";

/// The end of the thread that forwards events.
pub(super) fn not_shown(why: &str) -> Event {
    let message =
        format!("The window no longer receives updates from the store. Reopen the store. {why}");
    Event::ThreadDied { thread: EVENTS.to_owned(), message }
}

/// Runs `work`; a panic becomes a sentence, so that one bad command never ends a thread.
///
/// # Errors
/// `work` panicked: one sentence for the user.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work))
        .map_err(|_| "Internal error. See the console log for details".to_owned())
}
