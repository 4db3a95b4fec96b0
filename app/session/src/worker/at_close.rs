//! Long work that a window which closes stops.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Stops what runs when the window closes.
#[derive(Default)]
pub struct AtClose(Mutex<Stops>);

#[derive(Default)]
struct Stops {
    next: u64,
    running: Vec<(u64, Box<dyn Fn() + Send>)>,
}

impl AtClose {
    /// Does work that `stop` ends soon.
    pub fn stopping<T>(&self, stop: impl Fn() + Send + 'static, work: impl FnOnce() -> T) -> T {
        let number = {
            let mut stops = self.lock();
            stops.next += 1;
            let number = stops.next;
            stops.running.push((number, Box::new(stop)));
            number
        };
        let done = work();
        self.lock().running.retain(|(other, _)| *other != number);
        done
    }

    pub(super) fn stop_all(&self) {
        for (_, stop) in &self.lock().running {
            stop();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Stops> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
