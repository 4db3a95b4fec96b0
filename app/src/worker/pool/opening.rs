//! One store in place of another, its events, and its rollouts.

use std::sync::{Arc, PoisonError};
use std::thread;

use super::Shared;
use crate::job::OperationId;
use crate::job::rollout::{RolloutEnd, RolloutWork};
use crate::limits::EVENT_WAKE;
use crate::source::{OpenError, Opened, Source};
use crate::worker::guarded::{EVENTS, guarded, not_shown};
use crate::worker::job::Outcome;
use crate::worker::rollout;
use crate::worker::sources::OWN;

impl Shared {
    /// Closes the user's store for another one.
    pub(super) fn leave_own(&self) {
        let old = self.sources.set_own(None);
        self.console.detach();
        if let Some(old) = old {
            old.close();
        }
    }

    pub(super) fn opened(self: &Arc<Self>, opened: Result<Opened, OpenError>) {
        let made = opened.as_ref().ok().and_then(|opened| opened.source.sample_data());
        self.traffic.opened(made);
        if let Ok(opened) = &opened {
            let source = Arc::clone(&opened.source);
            self.sources.set_own(Some(Arc::clone(&source)));
            self.console.attach(Arc::clone(&source));
            if let Err(message) = guarded(|| self.follow(source.as_ref(), OWN)) {
                self.tell(Outcome::Event(not_shown(&message)));
            }
        }
        self.tell(Outcome::Opened(opened));
    }

    /// Rolls out a TTL in a store, beside everything else.
    pub(super) fn roll_out(&self, store: u32, work: RolloutWork, operation: OperationId) {
        let started = self.sources.of(store).ok_or("No store is open".to_owned());
        let started = started.and_then(|source| {
            let (outcomes, wake) = (self.outcomes.clone(), Arc::clone(&self.wake));
            rollout::start(work, operation, source, self.ends.clone(), outcomes, wake)
                .map_err(|error| format!("Can't start a thread: {error}"))
        });
        match started {
            Ok(thread) => {
                let mut rollouts = self.rollouts.lock().unwrap_or_else(PoisonError::into_inner);
                rollouts.retain(|thread| !thread.is_finished());
                rollouts.push(thread);
            }
            Err(why) => {
                let end = RolloutEnd::Failed(why);
                self.tell(Outcome::Rollout { operation, end });
            }
        }
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
                let outcome = match store {
                    OWN => Outcome::Event(event),
                    lesson => Outcome::LessonEvent(lesson, event),
                };
                if outcomes.send(outcome).is_err() {
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
            self.tell(Outcome::Event(not_shown(&error.to_string())));
        }
    }
}
