//! Stores that are opened, shown and closed, and their events.

use std::sync::Arc;
use std::thread;

use super::{Shared, Worker};
use crate::limits::EVENT_WAKE;
use crate::source::{OpenError, OpenRequest, Opened, Source};
use crate::worker::connect;
use crate::worker::guarded::{EVENTS, guarded, not_shown};
use crate::worker::order::Order;
use crate::worker::outcome::Outcome;

/// Why a folder can't be opened twice.
const OPEN_ALREADY: &str = "This store is open in this window already. Choose it in the sidebar.";

impl<A: Send + 'static> Worker<A> {
    /// Brings an open store to the front, or makes room for one that is opened next. What was asked
    /// of the store before is of no use any more.
    pub(super) fn show(&self, number: u32) {
        let shared = &self.shared;
        shared.slow_reads.cancel(|_| true);
        shared.sources.set_front(number);
        self.shown.set(number);
        let source = shared.sources.of(number);
        shared.traffic.opened(source.as_ref().and_then(|source| source.sample_data()));
        shared.console.detach();
        if let Some(source) = source {
            shared.console.attach(source);
        }
    }
}

impl<A: Send + 'static> Shared<A> {
    /// Opens a store, or closes one.
    pub(super) fn change_stores(self: &Arc<Self>, store: u32, order: Order) {
        match order {
            Order::Open(request) => {
                // The store that had this number may be the same folder.
                let opened = guarded(|| {
                    self.leave(store);
                    match &request.server {
                        Some(server) => connect::open(server, &self.ends),
                        None => (self.opener)(&request),
                    }
                });
                let opened = opened.unwrap_or_else(|message| Err(OpenError::new(message)));
                self.opened(store, opened.map_err(|error| self.or_open_already(&request, error)));
            }
            Order::Adopt(opened) => {
                let left = guarded(|| self.leave(store));
                self.opened(store, left.map(|()| *opened).map_err(OpenError::new));
            }
            Order::Close(number) => {
                if let Err(message) = guarded(|| self.leave(number)) {
                    self.failed("mayfly-write", message);
                }
            }
            // A store was shown when that was asked for.
            _ => {}
        }
    }

    /// Closes a store of the user's own.
    fn leave(&self, number: u32) {
        let old = self.sources.take(number);
        if number == self.sources.front() {
            self.console.detach();
        }
        if let Some(old) = old {
            old.close();
        }
    }

    fn opened(self: &Arc<Self>, number: u32, opened: Result<Opened, OpenError>) {
        let made = opened.as_ref().ok().and_then(|opened| opened.source.sample_data());
        self.traffic.opened(made);
        if let Ok(opened) = &opened {
            let source = Arc::clone(&opened.source);
            self.sources.put(number, Arc::clone(&source));
            self.console.attach(Arc::clone(&source));
            if let Err(message) = guarded(|| self.follow(source.as_ref(), number)) {
                self.tell(Outcome::Event(number, not_shown(&message)));
            }
        }
        self.tell(Outcome::Opened(opened));
    }

    /// Says which open store a folder belongs to, where opening it found the folder in use.
    fn or_open_already(&self, request: &OpenRequest, error: OpenError) -> OpenError {
        let folder = request.data_folder().ok().filter(|_| error.is_in_use);
        let is_ours = folder
            .is_some_and(|folder| self.sources.all().iter().any(|source| source.is_in(&folder)));
        if is_ours { OpenError::new(OPEN_ALREADY.to_owned()) } else { error }
    }

    /// Forwards the events of a source until the source is gone. The thread is not joined: it ends
    /// with its source, and it touches nothing but a channel.
    pub(super) fn follow(self: &Arc<Self>, source: &dyn Source, store: u32) {
        let mut events = source.subscribe();
        let outcomes = self.outcomes.clone();
        let wake = Arc::clone(&self.wake);
        let forward = move || {
            loop {
                let (event, is_last) = match guarded(|| events.next()) {
                    Ok(Some(event)) => (event, false),
                    Ok(None) => return,
                    Err(message) => (not_shown(&message), true),
                };
                if outcomes.send(Outcome::Event(store, event)).is_err() {
                    return;
                }
                wake(EVENT_WAKE);
                if is_last {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name(EVENTS.to_owned()).spawn(forward);
        if let Err(error) = thread {
            self.tell(Outcome::Event(store, not_shown(&error.to_string())));
        }
    }
}
