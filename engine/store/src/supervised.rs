//! Keeps background threads alive.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// Runs one piece of a thread's work. A panic ends only this piece: `tell` receives its message,
/// the result is `None`, and the thread continues.
pub fn supervised<T>(tell: impl FnOnce(String), work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| tell(panic_text(&*panic))).ok()
}

/// A panic's message, in one line.
pub fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no reason given").lines().next().unwrap_or_default().to_owned()
}
