//! The walk that an opening has not waited for, on its own thread.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

use super::notice::Notices;
use super::txn::write_state::WriteState;
use super::walk::{PageGuard, WalkState};
use super::{Store, StoreError, StoreNotice};
use crate::clock::work_time;
use crate::interrupt;
use crate::limits::{WALK_WRITE_POLL, WALK_WRITE_WAIT};

/// A file whose walk has not ended, and the guard of its reads.
pub(super) struct Unwalked {
    pub(super) guard: Arc<PageGuard>,
    pub(super) file: File,
    /// When the store was opened, in milliseconds since 1970.
    pub(super) now_ms: i64,
}

/// The walk of an opened store. Dropping it cancels the walk and waits for its thread.
pub(super) struct OpeningWalk {
    guard: Arc<PageGuard>,
    now_ms: i64,
    thread: Option<JoinHandle<()>>,
}

impl OpeningWalk {
    /// Starts the thread.
    pub(super) fn start(
        unwalked: Unwalked,
        write_state: Arc<WriteState>,
        notices: Arc<Notices>,
    ) -> Result<Self, StoreError> {
        let Unwalked { guard, file, now_ms } = unwalked;
        let walking = Arc::clone(&guard);
        let work = move || {
            // A panic counts as damage. Otherwise each write would wait its full minute for a walk
            // that has ended.
            let walked = catch_unwind(AssertUnwindSafe(|| walking.walk(&file)));
            let failed = |_| WalkState::Damaged("the check of its file failed".to_owned());
            let end = walked.unwrap_or_else(failed);
            // Writes that wait must find what they may do.
            tell(&end, &write_state, &notices);
            walking.end(end);
        };
        let thread = Builder::new()
            .name("Page check".to_owned())
            .spawn(work)
            .map_err(|error| StoreError::io("Can't start the check of the data file", &error))?;
        Ok(Self { guard, now_ms, thread: Some(thread) })
    }

    /// When the file was walked, if it was, in milliseconds since 1970.
    pub(super) fn walked_ms(&self) -> Option<i64> {
        matches!(self.guard.state(), WalkState::Sound(_)).then_some(self.now_ms)
    }
}

impl Drop for OpeningWalk {
    fn drop(&mut self) {
        self.guard.cancel();
        if let Some(thread) = self.thread.take() {
            // It catches its panics.
            let _ = thread.join();
        }
    }
}

/// Reports damage. Reads stay guarded after a corrupt page.
fn tell(end: &WalkState, write_state: &WriteState, notices: &Notices) {
    match end {
        WalkState::Sound(damaged) if damaged.count > 0 => {
            notices.send(&StoreNotice::DamagedRows { count: damaged.count });
        }
        WalkState::Damaged(what) => {
            // Another opening would read the same file and find the same page.
            write_state.give_up_reopening();
            let damage = StoreError::damaged(what.as_str()).to_string();
            let why = format!(
                "{}; restore a backup, or export what can be read",
                damage.trim_end_matches('.')
            );
            if write_state.turn_suspect(why) {
                let (state, reason) = (write_state.state(), write_state.reason());
                notices.send(&StoreNotice::State { state, reason });
            }
        }
        WalkState::Sound(_) | WalkState::Running | WalkState::Canceled => {}
    }
}

impl Store {
    /// Waits for the walk that an opening has not waited for.
    pub(super) fn await_walk(&self) -> Result<(), StoreError> {
        let Some(walk) = self.opening_walk.as_ref().filter(|walk| walk.guard.is_on()) else {
            return Ok(());
        };
        // A write that changes pages, or a copy that follows all of them, must not meet a corrupt
        // one.
        let until = work_time().saturating_add(WALK_WRITE_WAIT);
        loop {
            match walk.guard.wait(WALK_WRITE_POLL) {
                // Damage has changed what the store accepts.
                WalkState::Sound(_) | WalkState::Damaged(_) => return Ok(()),
                // A write that has a time limit ends with that limit, not after the minute.
                WalkState::Running if work_time() < until && interrupt::tick().is_ok() => {}
                WalkState::Running => {
                    let what = format!("its file is being checked ({} %)", walk.guard.percent());
                    return Err(StoreError::Busy { what });
                }
                WalkState::Canceled => {
                    return Err(StoreError::Busy { what: "it is being closed".to_owned() });
                }
            }
        }
    }

    /// Ends the walk that still runs, and all writes that wait for it, because the store will be closed.
    pub fn cancel_walk(&self) {
        if let Some(walk) = &self.opening_walk {
            walk.guard.cancel();
        }
    }

    /// Percent of the file that were checked so far; `None` once all of it was.
    pub fn walk_percent(&self) -> Option<u64> {
        let walk = self.opening_walk.as_ref()?;
        (walk.guard.state() == WalkState::Running).then(|| walk.guard.percent())
    }

    /// Whether a walk has found rows that don't match their checksums.
    pub fn has_damaged_rows(&self) -> bool {
        self.env().is_ok_and(|env| env.tables.has_damaged_rows())
    }
}
