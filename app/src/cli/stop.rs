//! The wish to stop: SIGINT and SIGTERM.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicBool, Ordering::Relaxed},
};

use super::Failure;

/// Set by the first signal. One for the process, because a signal belongs to the process.
static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Whether somebody wants to stop.
#[derive(Debug, Clone)]
pub(super) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Listens for the signals from now on.
    pub(super) fn listen() -> Result<Self, Failure> {
        if let Some(stop) = STOP.get() {
            return Ok(Self(Arc::clone(stop)));
        }
        let stop = Arc::new(AtomicBool::new(false));
        let wanted = Arc::clone(&stop);
        ctrlc::set_handler(move || wanted.store(true, Relaxed))
            .map_err(|error| Failure(format!("Signals can't be caught: {error}.")))?;
        let _ = STOP.set(Arc::clone(&stop));
        Ok(Self(stop))
    }

    /// Whether a signal has come.
    pub(super) fn is_wanted(&self) -> bool {
        self.0.load(Relaxed)
    }
}
