//! What keeps background threads alive.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{
    event::{EngineEvent, EventHub},
    handle::panic_text,
};

/// Does a piece of a thread's work. A panic ends this piece alone: it is told, the answer is `None`, and
/// the thread goes on.
pub fn supervised<T>(hub: &EventHub, thread: &str, work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work))
        .map_err(|panic| {
            let (thread, message) = (thread.to_owned(), panic_text(&*panic));
            hub.send(&EngineEvent::ThreadDied { thread, message });
        })
        .ok()
}
