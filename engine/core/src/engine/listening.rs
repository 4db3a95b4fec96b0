//! The listener that `mayflyListen` switches.

use std::sync::{Mutex, MutexGuard, PoisonError, Weak};

use crate::{
    command::{Context, ListenAt, ListenerSwitch, ListeningStatus},
    wire::{ListenOptions, Listener},
};

/// Switches one listener on and off. The context holds it, so it holds the context weakly.
pub(super) struct Switch {
    context: Weak<Context>,
    listener: Mutex<Option<Listener>>,
}

impl Switch {
    pub(super) fn new(context: Weak<Context>) -> Self {
        Self { context, listener: Mutex::new(None) }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Listener>> {
        self.listener.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ListenerSwitch for Switch {
    fn switch_on(&self, at: ListenAt, with_password: bool) -> Result<(), String> {
        let mut listener = self.lock();
        if listener.is_some() {
            return Ok(());
        }
        let context = self.context.upgrade().ok_or("the store is closing")?;
        let options = ListenOptions { at, with_password, ..ListenOptions::default() };
        *listener = Some(Listener::start(context, options).map_err(|error| error.to_string())?);
        Ok(())
    }

    fn switch_off(&self) {
        // Out of the lock first: ending waits for the commands that are running.
        let listener = self.lock().take();
        drop(listener);
    }

    fn status(&self) -> Option<ListeningStatus> {
        self.lock().as_ref().map(Listener::status)
    }
}
