//! How the deletions on a server come to the window: from a change stream, or by reading again.
//!
//! A server tells nothing by itself. While an Expiry view of one is shown, `apply/poll.rs` looks at its
//! soonest documents every 10 s (every 30 s while a change stream runs or the window has no focus), opens a
//! change stream of the collection. Once a minute while a server is attached, `state/sampling.rs` chooses up to 5
//! collections whose overdue documents are counted, with the passes that the TTL monitor has made. An idle
//! view of one collection sends at most 16 commands a minute; a test counts them. `source/remote/events.rs` is the change
//! stream; its thread is `mayfly-watch`, and it ends with the view. A server without one is polled, and the
//! reason is kept (`state/watch.rs`). `state/monitor.rs` estimates the next pass from the counted passes and
//! from removals that were noticed. A field that did not come back counts as not known, whatever `ok` says.
//! `panels/expiry/server.rs` has the words: a removal is never said to be more than is known of it.

use std::time::Duration;

use super::Namespace;
use crate::job::{Cancel, WatchEnd};
use crate::limits::WATCH_AGAIN;

/// How deletions come.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Delivery {
    /// By reading again; no change stream was asked for yet.
    #[default]
    Unasked,
    /// By reading again, because there is no change stream. The reason follows *polled:*.
    Polled(String),
    Streamed {
        /// Whether the collection keeps documents as they were, which gives each its threshold.
        has_pre_images: bool,
    },
}

/// The change streams of a server.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Streams {
    pub delivery: Delivery,
    /// Whether deletions came since documents were read last.
    pub has_news: bool,
    is_unsupported: bool,
    broke: Option<Duration>,
}

impl Streams {
    pub fn end(&mut self, end: WatchEnd, uptime: Duration) {
        self.delivery = match end {
            WatchEnd::Left => Delivery::Unasked,
            WatchEnd::Unsupported(why) => {
                self.is_unsupported = true;
                Delivery::Polled(why)
            }
            WatchEnd::Broken(why) => {
                self.broke = Some(uptime);
                Delivery::Polled(why)
            }
        };
    }

    /// Whether a change stream reports deletions.
    pub fn is_streamed(&self) -> bool {
        matches!(self.delivery, Delivery::Streamed { .. })
    }

    pub(super) fn can_open(&self, uptime: Duration) -> bool {
        let rests = self.broke.is_some_and(|at| uptime.saturating_sub(at) < WATCH_AGAIN);
        !self.is_unsupported && !rests
    }
}

/// The change stream that is open.
#[derive(Debug, Clone)]
pub struct OpenStream {
    pub(super) store: u64,
    pub(super) namespace: Namespace,
    pub(super) generation: u64,
    pub(super) cancel: Cancel,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Attached, ServerMark};
    use crate::state::State;
    use crate::state::connect::Connection;
    use crate::state::open_stream::{begin, namespace_of, turn_to};

    #[test]
    fn a_stream_is_of_the_collection_that_is_shown() {
        let attached = Attached {
            address: "mongodb://h/".to_owned(),
            name: "h".to_owned(),
            mark: ServerMark::default(),
            topology: String::new(),
            version: String::new(),
            ahead_ms: 0,
            pass_job: None,
            is_replica_set: false,
            slow_down: crate::job::server::SlowDown::default(),
            stored: crate::job::Stored::default(),
        };
        let mut state = State::default();
        let cancel = Cancel::default();
        let [one, other] = ["a", "b"].map(|name| Namespace::new("d", name));
        assert!(!turn_to(&mut state, Some(&one)), "no server is attached");
        state.store.connection = Some(Connection::new(Box::new(attached)));
        assert!(!turn_to(&mut state, None) && turn_to(&mut state, Some(&one)));
        begin(&mut state, one.clone(), 7, cancel.clone());
        assert!(!turn_to(&mut state, Some(&one)));
        assert_eq!(namespace_of(&state, 7), Some(one.clone()));
        assert!(turn_to(&mut state, Some(&other)) && cancel.is_cancelled());
        assert_eq!(namespace_of(&state, 7), None);
        let end = |state: &mut State, end: WatchEnd| {
            state.stream = None;
            let uptime = state.uptime;
            state.store.connection.as_mut().expect("a server").streams.end(end, uptime);
        };
        end(&mut state, WatchEnd::Broken("it broke".to_owned()));
        assert!(!turn_to(&mut state, Some(&other)));
        state.uptime += WATCH_AGAIN;
        assert!(turn_to(&mut state, Some(&other)));
        let cancel = Cancel::default();
        begin(&mut state, other.clone(), 8, cancel.clone());
        state.store.number += 1;
        assert_eq!(namespace_of(&state, 8), None);
        assert!(turn_to(&mut state, Some(&other)) && cancel.is_cancelled());
        end(&mut state, WatchEnd::Unsupported("none".to_owned()));
        state.uptime += WATCH_AGAIN * 9;
        assert!(!turn_to(&mut state, Some(&other)), "it has none at all");
    }
}
