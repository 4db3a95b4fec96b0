//! Group commit: writes of several threads share one durable commit.
//!
//! A commit waits for the disk, so concurrent small writes would each wait for all commits before theirs.
//! Instead the leader runs its own write and then queued ones in one transaction, and commits once. A
//! write can't tell the difference: it sees what earlier writes wrote, as if they had committed, and if
//! they can't commit, neither does it.
//!
//! LMDB can't roll back a part of a transaction. So when a write fails after it changed something, or
//! panics, or the map is too small, the whole transaction is aborted and each write runs again alone.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::Ordering;
use std::thread;

use super::commit_queue::Leader;
use super::env::{BorrowedWrite, Environment, PendingWrite};
use super::recovery::{Cause, Failure};
use crate::limits::{GROUP_OPERATIONS_MAX, GROUP_WRITES_MAX, MAP_GROWTHS_MAX};
use crate::store::{Store, StoreError, StoreState, Writer};

/// A closure and the result of its last run.
struct Write<F, T, E> {
    work: F,
    outcome: Option<thread::Result<Result<T, E>>>,
}

impl<F, T, E> PendingWrite for Write<F, T, E>
where
    F: FnMut(&mut Writer<'_>) -> Result<T, E> + Send,
    T: Send,
    E: From<StoreError> + Send,
{
    fn run(&mut self, writer: &mut Writer<'_>) -> bool {
        // The closure's own thread resumes the panic, and the transaction is aborted, so `AssertUnwindSafe`
        // exposes no broken state.
        let outcome = catch_unwind(AssertUnwindSafe(|| (self.work)(writer)));
        let is_ok = matches!(outcome, Ok(Ok(_)));
        self.outcome = Some(outcome);
        is_ok
    }

    fn fail(&mut self, error: StoreError) {
        self.outcome = Some(Ok(Err(error.into())));
    }
}

/// Writes of other threads that a leader runs. Their results count only once the transaction has ended.
#[derive(Default)]
struct Followers {
    writes: Vec<BorrowedWrite>,
    is_settled: bool,
}

impl Followers {
    fn fail(&mut self, error: &StoreError) {
        for follower in &mut self.writes {
            follower.write().fail(error.clone());
        }
    }
}

impl Drop for Followers {
    fn drop(&mut self) {
        if !self.is_settled {
            // The leader panicked in between. Without this its followers would wait for ever.
            let what = "the thread that wrote it has stopped".to_owned();
            self.fail(&StoreError::OutcomeUnknown { what });
        }
    }
}

impl Store {
    /// One durable write: commits when `work` returns `Ok`, else rolls back. Writes of other threads may
    /// share the commit, so `work` may run on another thread while this one waits. It may also run more
    /// than once, so it must be repeatable.
    ///
    /// # Errors
    /// Those of `work`; `DiskFull`, `ReadOnly`, `Suspect` or `OutcomeUnknown` when it can't be
    /// written; `Bug` when called from inside a write.
    pub fn write<T: Send, E: From<StoreError> + Send>(
        &self,
        work: impl FnMut(&mut Writer<'_>) -> Result<T, E> + Send,
    ) -> Result<T, E> {
        self.write_queued(work, true)
    }

    pub(in crate::store) fn write_queued<T: Send, E: From<StoreError> + Send>(
        &self,
        work: impl FnMut(&mut Writer<'_>) -> Result<T, E> + Send,
        may_share: bool,
    ) -> Result<T, E> {
        // A read-only store is refused before it could wait for the walk, whose end changes nothing
        // for it.
        if let Err(StoreError::ReadOnly { what }) = self.write_state.permit() {
            return Err(StoreError::ReadOnly { what }.into());
        }
        self.await_walk()?;
        // The name may lead to the mapped file again since the last look.
        if self.write_state.state() == StoreState::Detached {
            self.check_file_in_place()?;
        }
        self.end_disk_full();
        let mut own = Write { work, outcome: None };
        if let Some(leader) = self.commit_queue().lead_or_wait(&mut own, may_share)? {
            self.run_housekeeping();
            self.reopen_if_suspect();
            self.lead(&mut own, may_share.then_some(&leader));
            // Reopened at once: the next write may come much later, and the store would stay
            // suspect until then.
            self.reopen_if_suspect();
        }
        match own.outcome {
            Some(Ok(result)) => result,
            Some(Err(panic)) => resume_unwind(panic),
            None => Err(StoreError::Bug { what: "a write was lost".to_owned() }.into()),
        }
    }

    /// Durable commits since the store was opened. Fewer than [`Store::writes`] when writes of
    /// several threads shared them.
    pub fn commits(&self) -> u64 {
        self.counts().commits.load(Ordering::Relaxed)
    }

    /// Writes that changed something and were committed since the store was opened.
    pub fn writes(&self) -> u64 {
        self.counts().writes.load(Ordering::Relaxed)
    }

    /// Writes that wait for a commit.
    #[cfg(any(test, feature = "testing"))]
    pub fn queued_writes(&self) -> usize {
        self.commit_queue().queued()
    }

    /// Runs `own` and, if the commit may be shared, queued writes.
    fn lead(&self, own: &mut dyn PendingWrite, shared: Option<&Leader<'_>>) {
        let mut followers = Followers::default();
        match self.run_group(own, shared, &mut followers.writes) {
            Ok(()) => {}
            Err(Failure::Retry(cause)) => {
                // Writes that run in their own transactions may not need a larger map. But a full
                // disk must be known before any of them runs again.
                if matches!(cause, Cause::DiskFull { deletes_only: false }) {
                    let _ = self.recover(cause);
                }
                // The leader's own write came first in the group, so it stays the first of the
                // repeated ones.
                self.run_alone(own);
                for follower in &mut followers.writes {
                    self.run_alone(follower.write());
                }
            }
            Err(Failure::Final(error)) => {
                followers.fail(&error);
                own.fail(error);
            }
        }
        followers.is_settled = true;
    }

    /// One transaction for `own` and the writes that are queued before it commits.
    fn run_group(
        &self,
        own: &mut dyn PendingWrite,
        shared: Option<&Leader<'_>>,
        followers: &mut Vec<BorrowedWrite>,
    ) -> Result<(), Failure> {
        // The guard is taken before the environment is, or a reopening could close that in between.
        let _guard = self.latch().enter();
        let env = self.env()?;
        let mut writer = self.begin(&env)?;
        let is_ok = own.run(&mut writer);
        self.check_failure(&env, &mut writer)?;
        // No follower is in the transaction yet, so dropping it loses nothing of another thread.
        if !is_ok || writer.operations() == 0 {
            return Ok(());
        }
        let mut writes = 1;
        while followers.len() + 1 < GROUP_WRITES_MAX && writer.operations() < GROUP_OPERATIONS_MAX {
            let Some(next) = shared.and_then(Leader::take_next) else { break };
            let before = writer.operations();
            // In `followers` before it runs, so that every way out of here answers its owner.
            let next = followers.push_mut(next);
            let is_ok = next.write().run(&mut writer);
            let has_written = writer.operations() > before;
            self.check_failure(&env, &mut writer)?;
            // LMDB can't roll back a part of a transaction, so all of them run again, each alone.
            // A follower that failed before it wrote anything has harmed nothing, so the others
            // commit.
            if !is_ok && has_written {
                return Err(Failure::Retry(Cause::Follower));
            }
            writes += u64::from(has_written);
        }
        self.commit(&env, writer, writes)
    }

    /// One transaction for this write alone, retried as long as recovery succeeds.
    fn run_alone(&self, write: &mut dyn PendingWrite) {
        for _ in 0..MAP_GROWTHS_MAX {
            let cause = match self.try_alone(write) {
                Ok(()) => return,
                Err(Failure::Retry(cause)) => cause,
                Err(Failure::Final(error)) => return write.fail(error),
            };
            if let Err(error) = self.recover(cause) {
                return write.fail(error);
            }
        }
        write.fail(StoreError::TooLarge);
    }

    fn try_alone(&self, write: &mut dyn PendingWrite) -> Result<(), Failure> {
        let _guard = self.latch().enter();
        let env = self.env()?;
        let mut writer = self.begin(&env)?;
        let is_ok = write.run(&mut writer);
        self.check_failure(&env, &mut writer)?;
        if !is_ok || writer.operations() == 0 {
            return Ok(());
        }
        self.commit(&env, writer, 1)
    }

    /// Whether LMDB failed while a write ran, even if the write ignored it.
    fn check_failure(&self, env: &Environment, writer: &mut Writer<'_>) -> Result<(), Failure> {
        if let Some(damage) = self.check_read_damage(env) {
            return Err(Failure::Final(damage));
        }
        let Some(error) = writer.take_failure() else { return Ok(()) };
        match self.failure(&error, writer.deletes_only()) {
            // Only this write failed, and it has the error already. The transaction and the file are sound.
            Failure::Final(
                StoreError::Bug { .. } | StoreError::Busy { .. } | StoreError::TooLarge,
            ) => Ok(()),
            failure => Err(failure),
        }
    }

    fn commit(&self, env: &Environment, writer: Writer<'_>, writes: u64) -> Result<(), Failure> {
        let deletes_only = writer.deletes_only();
        // Checked before the commit: LMDB writes through an open descriptor, so it would succeed
        // even if the name is gone, and no later opening would find the change.
        self.check_attached(env)?;
        writer.commit().map_err(|error| self.failure(&error, deletes_only))?;
        if deletes_only {
            self.write_state.deletion_ended(true);
        }
        self.counts().writes.fetch_add(writes, Ordering::Relaxed);
        self.counts().commits.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}
