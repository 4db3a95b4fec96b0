//! Ends a read whose client is gone: nothing would take the reply.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use super::connection::Connection;
use crate::{
    clock::work_time,
    interrupt::{Limit, StopReason},
};

/// The time between two looks at the socket.
const LOOK_PAUSE: Duration = Duration::from_millis(100);

/// The commands that end with their client: those that MongoDB marks so. A write continues, because a
/// client may send it and leave.
const ENDED: [&str; 11] = [
    "find",
    "getMore",
    "aggregate",
    "count",
    "distinct",
    "explain",
    "collStats",
    "dbStats",
    "dataSize",
    "validate",
    "listDatabases",
];

/// The limit of a command that only its client is waiting for.
pub struct ClientLimit {
    connection: Arc<Connection>,
    /// On the clock of [`work_time`], in microseconds.
    next_look_us: AtomicU64,
}

impl ClientLimit {
    /// The limit of a command with this name; `None` if it continues without its client.
    pub fn of(command: &str, connection: &Arc<Connection>) -> Option<Arc<dyn Limit>> {
        let next_look_us = AtomicU64::new(micros(work_time().saturating_add(LOOK_PAUSE)));
        let limit = || Self { connection: Arc::clone(connection), next_look_us };
        ENDED.contains(&command).then(|| Arc::new(limit()) as Arc<dyn Limit>)
    }
}

impl Limit for ClientLimit {
    fn tick(&self) -> Result<(), StopReason> {
        // Reading the clock at each tick would slow a scan down.
        Ok(())
    }

    fn check(&self) -> Result<(), StopReason> {
        let now = work_time();
        if micros(now) < self.next_look_us.load(Ordering::Relaxed) {
            return Ok(());
        }
        let next = micros(now.saturating_add(LOOK_PAUSE));
        self.next_look_us.store(next, Ordering::Relaxed);
        if self.connection.is_client_gone() { Err(StopReason::ClientGone) } else { Ok(()) }
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
