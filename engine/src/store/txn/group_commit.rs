//! Writes that share one durable commit.
//!
//! A commit waits for the disk, so concurrent small writes would each wait for all that came before.
//! Instead the thread whose turn it is runs its own write and then those in line in one transaction,
//! and commits once for all. A write can't tell the difference: it sees what the ones before it wrote,
//! as if they had committed, and if they can't commit then neither does it.
//!
//! LMDB can't undo a part of a transaction. So a write that fails after it changed something, a panic
//! or a map that is too small gives the whole transaction up, and each of the writes runs again alone.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use super::commit_queue::Turn;
use super::env::{Environment, Lent};
use super::recovery::{Cause, Failure};
use crate::limits::{GROUP_OPERATIONS_MAX, GROUP_WRITES_MAX, MAP_GROWTHS_MAX};
use crate::store::{Store, StoreError, Writer};

/// One write of one thread, whatever it returns. Another thread may run it.
pub(super) trait Member: Send {
    /// Runs it in this transaction and keeps what it returned; says whether that was `Ok`.
    fn run(&mut self, writer: &mut Writer<'_>) -> bool;
    /// What it returned, if anything, came to nothing.
    fn fail(&mut self, error: StoreError);
}

/// A closure and what it returned last.
struct Write<F, T, E> {
    work: F,
    outcome: Option<thread::Result<Result<T, E>>>,
}

impl<F, T, E> Member for Write<F, T, E>
where
    F: FnMut(&mut Writer<'_>) -> Result<T, E> + Send,
    T: Send,
    E: From<StoreError> + Send,
{
    fn run(&mut self, writer: &mut Writer<'_>) -> bool {
        // The closure's own thread goes on with the panic, so nobody sees a half-done state.
        let outcome = catch_unwind(AssertUnwindSafe(|| (self.work)(writer)));
        let is_ok = matches!(outcome, Ok(Ok(_)));
        self.outcome = Some(outcome);
        is_ok
    }

    fn fail(&mut self, error: StoreError) {
        self.outcome = Some(Ok(Err(error.into())));
    }
}

/// Writes of others in the hands of a leader. What they have returned is true once their transaction has
/// ended.
#[derive(Default)]
struct Company {
    others: Vec<Lent>,
    is_settled: bool,
}

impl Company {
    fn fail(&mut self, error: &StoreError) {
        for other in &mut self.others {
            other.member().fail(error.clone());
        }
    }
}

impl Drop for Company {
    fn drop(&mut self) {
        if !self.is_settled {
            let what = "the thread that wrote it has stopped".to_owned();
            self.fail(&StoreError::OutcomeUnknown { what });
        }
    }
}

/// How many writes and commits there were since the store was opened.
#[derive(Default)]
pub(in crate::store) struct Counts {
    writes: AtomicU64,
    commits: AtomicU64,
}

impl Store {
    /// One durable write: commits when `work` returns `Ok`, else nothing of it remains. Writes of
    /// other threads may share the commit, so `work` may run on another thread while this one waits;
    /// and it may run again from the start, so it must be repeatable.
    ///
    /// # Errors
    /// What `work` returns; `DiskFull`, `ReadOnly`, `Suspect` or `OutcomeUnknown` when
    /// it can't be written; `Bug` when called
    /// from inside a write.
    pub fn write<T: Send, E: From<StoreError> + Send>(
        &self,
        work: impl FnMut(&mut Writer<'_>) -> Result<T, E> + Send,
    ) -> Result<T, E> {
        self.write_in_turn(work, true)
    }

    pub(in crate::store) fn write_in_turn<T: Send, E: From<StoreError> + Send>(
        &self,
        work: impl FnMut(&mut Writer<'_>) -> Result<T, E> + Send,
        may_share: bool,
    ) -> Result<T, E> {
        if let Err(StoreError::ReadOnly { what }) = self.health.permit() {
            return Err(StoreError::ReadOnly { what }.into());
        }
        self.look_for_room();
        let mut own = Write { work, outcome: None };
        if let Some(turn) = self.line().stand(&mut own, may_share)? {
            self.attend();
            self.reopen_if_suspect();
            self.lead(&mut own, may_share.then_some(&turn));
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
    #[must_use]
    pub fn commits(&self) -> u64 {
        self.counts().commits.load(Ordering::Relaxed)
    }

    /// Writes that changed something and were committed since the store was opened.
    #[must_use]
    pub fn writes(&self) -> u64 {
        self.counts().writes.load(Ordering::Relaxed)
    }

    /// Writes that stand in line now.
    #[cfg(test)]
    pub(crate) fn waiting(&self) -> usize {
        self.line().waiting()
    }

    /// Runs `own` and, given a turn to share, writes from the line.
    fn lead(&self, own: &mut dyn Member, shared: Option<&Turn<'_>>) {
        let mut company = Company::default();
        match self.run_together(own, shared, &mut company.others) {
            Ok(()) => {}
            Err(Failure::Again(cause)) => {
                // More map may not be needed once each has a transaction of its own.
                if matches!(cause, Cause::Room { deletes_only: false }) {
                    let _ = self.put_right(cause);
                }
                self.run_alone(own);
                for other in &mut company.others {
                    self.run_alone(other.member());
                }
            }
            Err(Failure::Final(error)) => {
                company.fail(&error);
                own.fail(error);
            }
        }
        company.is_settled = true;
    }

    /// One transaction for `own` and those in line that arrive before it commits.
    fn run_together(
        &self,
        own: &mut dyn Member,
        shared: Option<&Turn<'_>>,
        others: &mut Vec<Lent>,
    ) -> Result<(), Failure> {
        let _guard = self.latch().enter();
        let env = self.env()?;
        let mut writer = self.begin(&env)?;
        let is_ok = own.run(&mut writer);
        self.look_at(&env, &mut writer)?;
        if !is_ok || writer.operations() == 0 {
            return Ok(());
        }
        let mut writes = 1;
        while others.len() + 1 < GROUP_WRITES_MAX && writer.operations() < GROUP_OPERATIONS_MAX {
            let Some(next) = shared.and_then(Turn::take_next) else { break };
            let before = writer.operations();
            let next = others.push_mut(next);
            let is_ok = next.member().run(&mut writer);
            let has_written = writer.operations() > before;
            self.look_at(&env, &mut writer)?;
            if !is_ok && has_written {
                return Err(Failure::Again(Cause::Company));
            }
            writes += u64::from(has_written);
        }
        self.commit(writer, writes)
    }

    /// One transaction for this write, as often as something can be put right.
    fn run_alone(&self, member: &mut dyn Member) {
        for _ in 0..MAP_GROWTHS_MAX {
            let cause = match self.try_alone(member) {
                Ok(()) => return,
                Err(Failure::Again(cause)) => cause,
                Err(Failure::Final(error)) => return member.fail(error),
            };
            if let Err(error) = self.put_right(cause) {
                return member.fail(error);
            }
        }
        member.fail(StoreError::TooLarge);
    }

    fn try_alone(&self, member: &mut dyn Member) -> Result<(), Failure> {
        let _guard = self.latch().enter();
        let env = self.env()?;
        let mut writer = self.begin(&env)?;
        let is_ok = member.run(&mut writer);
        self.look_at(&env, &mut writer)?;
        if !is_ok || writer.operations() == 0 {
            return Ok(());
        }
        self.commit(writer, 1)
    }

    /// Whether LMDB failed while a write ran, whatever the write has made of it.
    fn look_at(&self, env: &Environment, writer: &mut Writer<'_>) -> Result<(), Failure> {
        if let Some(damage) = self.look_at_reads(env) {
            return Err(Failure::Final(damage));
        }
        let Some(error) = writer.take_failure() else { return Ok(()) };
        match self.failure(&error, writer.deletes_only()) {
            // The write has its answer already: it is a mistake in itself, or comes at a bad time.
            Failure::Final(
                StoreError::Bug { .. } | StoreError::Busy { .. } | StoreError::TooLarge,
            ) => Ok(()),
            failure => Err(failure),
        }
    }

    fn commit(&self, writer: Writer<'_>, writes: u64) -> Result<(), Failure> {
        let deletes_only = writer.deletes_only();
        writer.commit().map_err(|error| self.failure(&error, deletes_only))?;
        if deletes_only {
            self.health.deleted(true);
        }
        self.counts().writes.fetch_add(writes, Ordering::Relaxed);
        self.counts().commits.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}
