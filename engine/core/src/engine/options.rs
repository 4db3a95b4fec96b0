//! How to open an engine, and why that can fail.

use std::io;

use thiserror::Error;

use crate::{
    collection::Role,
    store::{StoreError, StoreOptions},
};

/// Which clock an engine runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClockOption {
    /// The system clock.
    #[default]
    System,
    /// A simulated clock that stands still at first.
    Simulated {
        /// Milliseconds since 1970.
        start_ms: i64,
    },
    /// The simulated clock that the store ran on, paused where it stopped, until a release on the
    /// system clock; otherwise the system clock.
    Stored,
}

/// How to open an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineOptions {
    /// Which clock it runs on.
    pub clock: ClockOption,
    /// Whether the TTL monitor runs in the background. Without it passes run only on command.
    pub run_reaper: bool,
    /// Opens a member of the teaching replica set in this role. `None` is a standalone server.
    pub role: Option<Role>,
    /// How the store is opened. `now_ms` is filled in from the clock.
    pub store: StoreOptions,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            clock: ClockOption::System,
            run_reaper: true,
            role: None,
            store: StoreOptions::default(),
        }
    }
}

/// Why an engine could not be opened or closed. The text is a sentence for the user.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct OpenError {
    /// States the problem, then what to do.
    pub message: String,
    /// Another program has the folder open; nothing is wrong with it.
    pub is_in_use: bool,
    /// The watcher stopped the work; nothing was changed.
    pub is_stopped: bool,
}

impl OpenError {
    /// Something is wrong with the folder, or with where it is.
    pub fn new(message: String) -> Self {
        Self { message, is_in_use: false, is_stopped: false }
    }
}

impl From<StoreError> for OpenError {
    fn from(error: StoreError) -> Self {
        let is_in_use = matches!(error, StoreError::InUse { .. } | StoreError::LinkInUse { .. });
        let is_stopped = matches!(error, StoreError::Stopped);
        Self { message: error.to_string(), is_in_use, is_stopped }
    }
}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> Self {
        Self::new(format!("The system gave no thread for background work: {error}."))
    }
}
