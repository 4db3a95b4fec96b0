//! The drain: moves rows of the trash to archives once their time is up, and enforces the limits of
//! archives. `thread` calls it.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use super::{
    handle::{Reaper, lock},
    thread::DRAIN_NAME,
};
use crate::{
    archive::{Archive, ArchiveError},
    event::Event,
    limits::{ARCHIVE_GATHER_MS, THREAD_RETRY},
};

impl Reaper {
    /// Moves what is due, and removes what the limits of archives forbid. Returns how long until
    /// there may be more to do; `None` until something changes.
    pub fn drain_due(&self) -> Option<Duration> {
        // A clock that causes a hold must neither move nor prune anything by age.
        if self.is_clock_doubtful() || self.held().is_some() {
            return None;
        }
        let _one_at_a_time = lock(&self.draining);
        let now_ms = self.clock().now_ms();
        let next_ms = self.drain(now_ms, ARCHIVE_GATHER_MS);
        self.archives().prune(now_ms, &|| self.goes_on());
        let wait_ms = next_ms?.saturating_sub(now_ms).max(1);
        Some(Duration::from_millis(wait_ms.unsigned_abs()))
    }

    /// Moves everything that is due now, as a request of the user.
    pub fn drain_now(&self) {
        let _one_at_a_time = lock(&self.draining);
        for archive in self.archives().all() {
            archive.retry_now();
        }
        let now_ms = self.clock().now_ms();
        self.drain(now_ms, 0);
        if !self.is_clock_doubtful() {
            self.archives().prune(now_ms, &|| self.goes_on());
        }
    }

    /// Wakes the thread.
    pub fn wake_drain(&self) {
        self.drain_wake.notify();
    }

    /// Returns when the next row is due or a failed archive is tried again, in milliseconds since
    /// 1970.
    fn drain(&self, now_ms: i64, gather_ms: i64) -> Option<i64> {
        let all = self.archives().all();
        // An archive that fails keeps no other from its turn.
        let next = |archive: &Arc<Archive>| self.drain_archive(archive.folder(), now_ms, gather_ms);
        all.iter().filter_map(next).min()
    }

    fn drain_archive(&self, folder: &str, now_ms: i64, gather_ms: i64) -> Option<i64> {
        while self.goes_on() {
            // Its settings may change between two steps.
            let all = self.archives().all();
            let archive = &**all.iter().find(|archive| archive.folder() == folder)?;
            let (had_failed, had_left) = (archive.failure().is_some(), archive.left());
            let step = self.archives().drain_step(archive, now_ms, gather_ms);
            if let Some(left) = archive.left().filter(|left| had_left.as_ref() != Some(left)) {
                self.hub().thread_failed(DRAIN_NAME, left);
            }
            match step {
                Ok(step) => {
                    self.tell_moved(archive, step.moved);
                    if !step.more {
                        return step.next_ms;
                    }
                }
                Err(error) => {
                    if !had_failed {
                        self.tell_failure(&error);
                    }
                    let now = self.clock().monotonic();
                    let retry_at = archive.failure().map(|failure| failure.retry_at);
                    let wait =
                        retry_at.map_or(THREAD_RETRY, |at| at.saturating_sub(now)).as_millis();
                    return Some(now_ms.saturating_add(i64::try_from(wait).unwrap_or(i64::MAX)));
                }
            }
        }
        None
    }

    fn tell_moved(&self, archive: &Archive, documents: u64) {
        if documents > 0 {
            let namespace = self.archives().name_of(archive);
            self.hub().send(&Event::Archived { namespace, documents });
        }
    }

    fn tell_failure(&self, error: &ArchiveError) {
        self.hub().thread_failed(DRAIN_NAME, error.to_string());
    }

    fn goes_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }
}
