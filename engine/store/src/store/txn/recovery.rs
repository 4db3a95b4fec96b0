//! Recovery after a failed write: grow the map, make space on the disk, or check the file.
//!
//! After a failed flush the system may drop the pages that it could not write and report the next flush as
//! a success. So an input/output error is never retried. The store stops accepting writes, closes its
//! environment, drops the file from the page cache, walks the file as it is on disk, and continues only if
//! the file is sound and contains every acknowledged write.

use std::sync::{Arc, PoisonError};

use super::env::Environment;
use super::error_class::{ErrorClass, Remedy};
use super::latch::Exclusive;
use super::write_state::Permit;
use crate::clock::work_time;
use crate::limits::{MAP_GROWTH_WAIT, READERS_MAX};
use crate::store::file::folder;
use crate::store::file::mapped_file::Detachment;
use crate::store::handle::{millis, too_many_readers};
use crate::store::opening_walk::OpeningWalk;
use crate::store::walk::header_damage;
use crate::store::{Store, StoreError, StoreNotice, StoreState, StoreStatus, Writer, open};

/// Why a transaction did not commit.
pub(in crate::store) enum Failure {
    /// Its writes run again, each in its own transaction.
    Retry(Cause),
    /// Its writes fail with this error.
    Final(StoreError),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Cause {
    /// A follower failed after it had changed something.
    Follower,
    Map(Remedy),
    DiskFull {
        /// The transaction could only delete.
        deletes_only: bool,
    },
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Final(error)
    }
}

impl Store {
    /// A write transaction, with what the state of the store permits.
    pub(super) fn begin<'e>(&self, env: &'e Environment) -> Result<Writer<'e>, Failure> {
        // LMDB reads pages as soon as the transaction begins, so the file is checked before.
        self.check_attached(env)?;
        let refusal = match self.write_state.permit()? {
            Permit::Everything => None,
            Permit::Deletions(refusal) => Some(refusal),
        };
        let deletes_only = refusal.is_some();
        Writer::begin(env, refusal).map_err(|error| self.failure(&error, deletes_only))
    }

    /// Classifies LMDB's error in a write transaction and changes the store's state to match.
    pub(in crate::store) fn failure(&self, error: &heed::Error, deletes_only: bool) -> Failure {
        match ErrorClass::of(error, folder::free_bytes(self.folder())) {
            ErrorClass::Retry(remedy) => Failure::Retry(Cause::Map(remedy)),
            ErrorClass::DiskFull => Failure::Retry(Cause::DiskFull { deletes_only }),
            // A header that was overwritten under an open store makes LMDB answer as to a bug of
            // the caller.
            ErrorClass::Bug if let Some(damage) = header_damage(self.folder()) => {
                self.write_state.give_up_reopening();
                self.become_suspect(&damage.to_string());
                Failure::Final(damage)
            }
            ErrorClass::Busy | ErrorClass::Bug => Failure::Final(StoreError::from(error)),
            ErrorClass::ReadOnly => {
                self.write_state.turn_read_only("its folder can no longer be written");
                self.report_state();
                Failure::Final(StoreError::from(error))
            }
            ErrorClass::Damaged => {
                let error = StoreError::from(error);
                self.become_suspect(&error.to_string());
                Failure::Final(error)
            }
            ErrorClass::Suspect => {
                self.become_suspect(&format!("a write to the disk failed ({error})"));
                Failure::Final(StoreError::OutcomeUnknown {
                    what: format!("a write to the disk failed ({error})"),
                })
            }
        }
    }

    /// Makes the store suspect if a read found a corrupt page. Returns the damage.
    pub(in crate::store) fn check_read_damage(&self, env: &Environment) -> Option<StoreError> {
        let damage = env.tables.damage()?;
        if self.write_state.state() != StoreState::Suspect {
            // The guard reads the file itself: to open it again would find the same.
            if env.tables.guard().is_some() {
                self.write_state.give_up_reopening();
            }
            // The next write may build on the corrupt page.
            self.become_suspect(&damage.to_string());
        }
        Some(damage.clone())
    }

    fn become_suspect(&self, why: &str) {
        let is_news = self
            .write_state
            .turn_suspect(format!("{}; reopen the store to check it", why.trim_end_matches('.')));
        if is_news {
            self.report_state();
        }
    }

    /// Removes the cause of a failed transaction, or returns why that is impossible.
    pub(super) fn recover(&self, cause: Cause) -> Result<(), StoreError> {
        match cause {
            Cause::Follower => Ok(()),
            Cause::Map(Remedy::Grow) => self.grow(),
            Cause::Map(Remedy::Adopt) => self.adopt(),
            Cause::DiskFull { deletes_only: false } => {
                // Whether the write only deletes is not known here. When it runs again, the permit decides.
                if self.write_state.turn_disk_full(folder::disk_bytes(self.folder())) {
                    self.report_state();
                }
                Ok(())
            }
            Cause::DiskFull { deletes_only: true } => {
                // The batch shrinks even if the ballast helps, because that helps only once.
                self.write_state.deletion_ended(false);
                if self.ballast.release() {
                    Ok(())
                } else {
                    Err(self.write_state.disk_full_error())
                }
            }
        }
    }

    /// Compares `data.mdb` with the file that is mapped, and changes the state to match.
    ///
    /// # Errors
    /// `Suspect` when writes to the file would be lost.
    pub(super) fn check_attached(&self, env: &Environment) -> Result<(), StoreError> {
        let Some(Detachment { why, is_cut }) = env.detached(self.folder()) else {
            if self.write_state.state() == StoreState::Detached {
                self.write_state.recovered();
                self.report_state();
            }
            return Ok(());
        };
        let error = StoreError::Suspect { what: why.to_owned() };
        if is_cut {
            // A read of a page that is missing would end the process.
            drop(self.replace_env(Err(error.clone())));
        }
        if self.write_state.turn_detached(why) {
            self.report_state();
        }
        Err(error)
    }

    /// Checks that `data.mdb` is still the file that this store has open. If it was removed, everything in the
    /// store is lost once the store closes.
    ///
    /// # Errors
    /// `Suspect`, with what happened to the file.
    pub fn check_file_in_place(&self) -> Result<(), StoreError> {
        let _guard = self.latch().enter();
        match self.env() {
            Ok(env) => self.check_attached(&env),
            Err(error) if self.write_state.state() == StoreState::Detached => Err(error),
            // A closed store has said why.
            Err(_) => Ok(()),
        }
    }

    /// Leaves `DiskFull` once there is space again.
    pub(super) fn end_disk_full(&self) {
        if self.write_state.state() != StoreState::DiskFull {
            return;
        }
        let on_disk = folder::free_bytes(self.folder()).unwrap_or(0);
        // Free pages within the file count too: after deletions the disk can be as full as before.
        let in_file = self.used().map_or(0, |(live, whole)| whole.saturating_sub(live));
        if self.write_state.leave_disk_full(on_disk.saturating_add(in_file)) {
            self.ballast.keep();
            self.report_state();
        }
    }

    /// The most documents that one transaction should delete. Few at first on a full disk, because each
    /// changed page needs a new one.
    pub fn batch_docs(&self) -> usize {
        self.write_state.batch_docs()
    }

    /// Whether the store accepts deletions only, because the disk is full.
    pub fn is_full(&self) -> bool {
        self.write_state.state() == StoreState::DiskFull
    }

    /// Reopens the file of a suspect store, at most `REOPENINGS_MAX` times. Only for a leader without a
    /// transaction: it waits for all transactions to end.
    pub(super) fn reopen_if_suspect(&self) {
        if self.write_state.state() != StoreState::Suspect {
            return;
        }
        // If a long read prevents it, the next write tries again.
        let Some(exclusive) = self.latch().exclusive(MAP_GROWTH_WAIT) else { return };
        // Asked only once the latch is held: otherwise a long read would use up the attempts.
        if !self.write_state.start_reopening() {
            return;
        }
        match self.reopen(&exclusive) {
            Ok(()) => {
                self.write_state.recovered();
                self.notices.send(&StoreNotice::Reopened);
                // `end_disk_full` enters the latch as a reader.
                drop(exclusive);
                self.end_disk_full();
            }
            Err(error) => {
                let why = match error {
                    StoreError::Suspect { what } => what,
                    error => error.to_string().trim_end_matches('.').to_owned(),
                };
                self.write_state.turn_suspect(why);
                self.report_state();
            }
        }
    }

    fn reopen(&self, _exclusive: &Exclusive<'_>) -> Result<(), StoreError> {
        // Opening by name would open another file, or create one.
        self.check_attached(&*self.env()?)?;
        let env = self.take_env()?;
        // Read before the environment closes; afterwards only the file could tell, and that is in
        // doubt.
        let (map_bytes, last_transaction) = (env.map_bytes(), env.last_transaction());
        Environment::close(env);
        let options = Self::environment_options(map_bytes);
        self.put_env(open::open_again(self.folder(), options, last_transaction))
    }

    /// Maps the file as before.
    pub(in crate::store) fn map_again(
        &self,
        map_bytes: u64,
        _exclusive: &Exclusive<'_>,
    ) -> Result<(), StoreError> {
        self.check_attached(&*self.env()?)?;
        // LMDB unmaps the file before it asks for a larger map. When the system refuses that, no
        // map is left, and the next access to the environment would crash the process.
        let env = self.take_env()?;
        let guard = env.guard();
        Environment::close(env);
        self.put_env(Environment::open(self.folder(), Self::environment_options(map_bytes), guard))
            .inspect_err(|error| self.become_suspect(&error.to_string()))
    }

    /// Takes the environment out of the store, whose users get `Busy` until [`Store::put_env`].
    fn take_env(&self) -> Result<Arc<Environment>, StoreError> {
        let busy = StoreError::Busy { what: "its file is being checked".to_owned() };
        let taken = self.replace_env(Err(busy));
        if let Err(error) = &taken {
            // The store has no environment. The reason stays the answer.
            drop(self.replace_env(Err(error.clone())));
        }
        taken
    }

    fn put_env(&self, opened: Result<Environment, StoreError>) -> Result<(), StoreError> {
        let result = opened.as_ref().map_or_else(|error| Err(error.clone()), |_| Ok(()));
        // This replaces the `Busy` of `take_env`, so there is no environment to close.
        drop(self.replace_env(opened.map(Arc::new)));
        result
    }

    fn report_state(&self) {
        let (state, reason) = (self.write_state.state(), self.write_state.reason());
        self.notices.send(&StoreNotice::State { state, reason });
    }

    /// Whether the store can be written at all.
    pub fn is_read_only(&self) -> bool {
        self.write_state.state() == StoreState::ReadOnly
    }

    /// State and sizes of the store. Leaves `DiskFull` if there is space again, and looks whether the data file
    /// is still in its place.
    pub fn status(&self) -> StoreStatus {
        // The state says it.
        let _ = self.check_file_in_place();
        self.end_disk_full();
        let now = work_time();
        let (readers, oldest) = self.latch().readers();
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let walked_ms = self.opening_walk.as_ref().and_then(OpeningWalk::walked_ms);
        let last_walk_ms = walked_ms.or(held.card.last_walk_ms);
        drop(held);
        StoreStatus {
            state: self.write_state.state(),
            reason: self.write_state.reason(),
            free_bytes: folder::free_bytes(self.folder()),
            file_bytes: self.file_bytes(),
            live_bytes: self.used_bytes(),
            ballast_bytes: self.ballast.bytes(),
            map_bytes: self.map_bytes(),
            readers,
            oldest_read_ms: oldest.map(|began| millis(now.saturating_sub(began))),
            last_walk_ms,
            reopenings: self.write_state.reopenings(),
        }
    }

    /// Bytes of address space that LMDB has reserved.
    fn map_bytes(&self) -> u64 {
        // As every access to the map: while the map moves there is none.
        let _guard = self.latch().enter();
        self.env().map_or(0, |env| env.map_bytes())
    }

    /// Bytes of `data.mdb` on disk; 0 when unknown.
    pub fn file_bytes(&self) -> u64 {
        // The length comes from LMDB's descriptor, so it is right even if the name leads to another
        // file.
        self.env().ok().and_then(|env| env.env().real_disk_size().ok()).unwrap_or(0)
    }

    /// Bytes of the pages in use, without the list of free pages; 0 when unknown.
    pub fn used_bytes(&self) -> u64 {
        self.used().map_or(0, |(live, _)| live)
    }

    /// Bytes of the pages in use, and of all pages.
    fn used(&self) -> Result<(u64, u64), StoreError> {
        let guard = self.latch().enter_read(work_time(), READERS_MAX);
        let _guard = guard.ok_or_else(too_many_readers)?;
        self.env()?.used_bytes()
    }
}
