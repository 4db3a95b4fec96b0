//! The wish to stop: SIGINT and SIGTERM.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicBool, Ordering::Relaxed},
};

use crossbeam_channel::{Receiver, bounded};

use super::Failure;

/// Set by the first signal. One for the process, because a signal belongs to the process.
static STOP: OnceLock<Stop> = OnceLock::new();

/// Whether somebody wants to stop.
#[derive(Debug, Clone)]
pub(super) struct Stop {
    is_wanted: Arc<AtomicBool>,
    told: Receiver<()>,
}

impl Stop {
    /// Listens for the signals from now on.
    pub(super) fn listen() -> Result<Self, Failure> {
        if let Some(stop) = STOP.get() {
            return Ok(stop.clone());
        }
        let (tell, told) = bounded(1);
        let stop = Self { is_wanted: Arc::new(AtomicBool::new(false)), told };
        let wanted = Arc::clone(&stop.is_wanted);
        let handler = move || {
            wanted.store(true, Relaxed);
            // A second signal finds the first still waiting, which is as good.
            let _ = tell.try_send(());
        };
        ctrlc::set_handler(handler)
            .map_err(|error| Failure(format!("Signals can't be caught: {error}.")))?;
        let _ = STOP.set(stop.clone());
        Ok(stop)
    }

    /// Whether a signal has come.
    pub(super) fn is_wanted(&self) -> bool {
        self.is_wanted.load(Relaxed)
    }

    /// Waits until a signal comes.
    pub(super) fn wait(&self) {
        while !self.is_wanted() && self.told.recv().is_ok() {}
    }
}
