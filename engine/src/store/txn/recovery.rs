//! What the store does when a write fails: more map, more room, or a look at the file.
//!
//! After a failed flush the system may drop pages that it could not write and report the next flush
//! as a success. So an input/output error is never retried: the store stops taking changes, closes
//! its environment, has the system forget what it remembers of the file, walks the file as it is on
//! disk, and goes on only if that is sound and holds everything that was acknowledged.

use std::sync::{Arc, PoisonError};

use super::env::Environment;
use super::error_class::{ErrorClass, Remedy};
use super::latch::Exclusive;
use super::write_state::Permit;
use crate::clock::work_time;
use crate::limits::{MAP_GROWTH_WAIT, READERS_MAX};
use crate::store::file::folder;
use crate::store::handle::{millis, too_many_readers};
use crate::store::{Store, StoreError, StoreNotice, StoreState, StoreStatus, Writer, open};

/// Why a transaction did not come to its end.
pub(in crate::store) enum Failure {
    /// Its writes are run again, once this has been put right.
    Retry(Cause),
    /// Its writes have failed.
    Final(StoreError),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Cause {
    /// A write that shared the transaction failed.
    Follower,
    Map(Remedy),
    /// The disk is full.
    DiskFull {
        /// The transaction was one that could only delete.
        deletes_only: bool,
    },
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Final(error)
    }
}

impl Store {
    /// A write transaction, as far as the store takes changes.
    pub(super) fn begin<'e>(&self, env: &'e Environment) -> Result<Writer<'e>, Failure> {
        let refusal = match self.write_state.permit()? {
            Permit::Everything => None,
            Permit::Deletions(refusal) => Some(refusal),
        };
        let deletes_only = refusal.is_some();
        Writer::begin(env, refusal).map_err(|error| self.failure(&error, deletes_only))
    }

    /// What LMDB's error in a write transaction leads to.
    pub(in crate::store) fn failure(&self, error: &heed::Error, deletes_only: bool) -> Failure {
        match ErrorClass::of(error, folder::free_bytes(self.folder())) {
            ErrorClass::Retry(remedy) => Failure::Retry(Cause::Map(remedy)),
            ErrorClass::DiskFull => Failure::Retry(Cause::DiskFull { deletes_only }),
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

    /// A page that can't be right is the same for the store, whether a read or a write has met it: what
    /// is written next may end in it. Says what it is.
    pub(in crate::store) fn check_read_damage(&self, env: &Environment) -> Option<StoreError> {
        let damage = env.tables.damage()?;
        if self.write_state.state() != StoreState::Suspect {
            self.become_suspect(&damage.to_string());
        }
        Some(damage.clone())
    }

    fn become_suspect(&self, why: &str) {
        let is_news = self.write_state.turn_suspect(format!(
            "{}; close it and open it again to have it checked",
            why.trim_end_matches('.')
        ));
        if is_news {
            self.report_state();
        }
    }

    /// Puts right what kept a transaction from its end, or says why it can't be put right.
    pub(super) fn recover(&self, cause: Cause) -> Result<(), StoreError> {
        match cause {
            Cause::Follower => Ok(()),
            Cause::Map(Remedy::Grow) => self.grow(),
            Cause::Map(Remedy::Adopt) => self.adopt(),
            Cause::DiskFull { deletes_only: false } => {
                // What the write was is not known here: run again, it finds out whether it may go on.
                if self.write_state.turn_disk_full(folder::disk_bytes(self.folder())) {
                    self.report_state();
                }
                Ok(())
            }
            Cause::DiskFull { deletes_only: true } => {
                self.write_state.deletion_ended(false);
                if self.ballast.release() {
                    Ok(())
                } else {
                    Err(self.write_state.disk_full_error())
                }
            }
        }
    }

    /// Ends a full disk when there is room again.
    pub(super) fn end_disk_full(&self) {
        if self.write_state.state() != StoreState::DiskFull {
            return;
        }
        let on_disk = folder::free_bytes(self.folder()).unwrap_or(0);
        let in_file = self.used().map_or(0, |(live, whole)| whole.saturating_sub(live));
        if self.write_state.room_found(on_disk.saturating_add(in_file)) {
            self.ballast.keep();
            self.report_state();
        }
    }

    /// Documents that one transaction should delete at most: few at first on a full disk, where each
    /// changed page needs a new one.
    #[must_use]
    pub fn batch_docs(&self) -> usize {
        self.write_state.batch_docs()
    }

    /// Whether the disk was full at the last write.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.write_state.state() == StoreState::DiskFull
    }

    /// Re-opens a suspect store, as often as is allowed. Only for a write that has its turn and no
    /// transaction.
    pub(super) fn reopen_if_suspect(&self) {
        if self.write_state.state() != StoreState::Suspect {
            return;
        }
        // If a long read prevents it, the next write tries again.
        let Some(exclusive) = self.latch().exclusive(MAP_GROWTH_WAIT) else { return };
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
                self.write_state.turn_suspect(error.to_string().trim_end_matches('.').to_owned());
                self.report_state();
            }
        }
    }

    fn reopen(&self, _exclusive: &Exclusive<'_>) -> Result<(), StoreError> {
        let env = self.take_env()?;
        let (map_bytes, last_transaction) = (env.map_bytes(), env.last_transaction());
        Environment::close(env);
        self.put_env(open::open_again(self.folder(), map_bytes, last_transaction))
    }

    /// Maps the file as before. LMDB gives its map up before it asks for a larger one; when the system
    /// refuses that, it has none, and the next look at the environment would end the process.
    pub(in crate::store) fn map_again(
        &self,
        map_bytes: u64,
        _exclusive: &Exclusive<'_>,
    ) -> Result<(), StoreError> {
        Environment::close(self.take_env()?);
        self.put_env(Environment::open(self.folder(), map_bytes, false))
            .inspect_err(|error| self.become_suspect(&error.to_string()))
    }

    /// Takes the environment out of its place, where everybody is told to wait meanwhile.
    fn take_env(&self) -> Result<Arc<Environment>, StoreError> {
        let meanwhile = StoreError::Busy { what: "its file is being checked".to_owned() };
        let taken = self.replace_env(Err(meanwhile));
        if let Err(error) = &taken {
            // There was none, and why not stays the answer.
            drop(self.replace_env(Err(error.clone())));
        }
        taken
    }

    fn put_env(&self, opened: Result<Environment, StoreError>) -> Result<(), StoreError> {
        let result = opened.as_ref().map_or_else(|error| Err(error.clone()), |_| Ok(()));
        // Its place holds the closed one's stand-in, which nobody needs.
        drop(self.replace_env(opened.map(Arc::new)));
        result
    }

    fn report_state(&self) {
        let (state, reason) = (self.write_state.state(), self.write_state.reason());
        self.notices.send(&StoreNotice::State { state, reason });
    }

    /// Whether the store can be written at all.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.write_state.state() == StoreState::ReadOnly
    }

    /// How the store is.
    #[must_use]
    pub fn status(&self) -> StoreStatus {
        self.end_disk_full();
        let now = work_time();
        let (readers, oldest) = self.latch().readers();
        let anchor = self.anchor.lock().unwrap_or_else(PoisonError::into_inner);
        let last_walk_ms = anchor.card.last_walk_ms;
        drop(anchor);
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

    /// Holds the latch, as every access to the map must: while the map moves there is none.
    fn map_bytes(&self) -> u64 {
        let _guard = self.latch().enter();
        self.env().map_or(0, |env| env.map_bytes())
    }

    /// Bytes of `data.mdb` on disk; 0 when the system does not tell.
    #[must_use]
    pub fn file_bytes(&self) -> u64 {
        self.env().ok().and_then(|env| env.env().real_disk_size().ok()).unwrap_or(0)
    }

    /// Bytes of the pages that hold something, without the list of free pages; 0 when it can't be told.
    #[must_use]
    pub fn used_bytes(&self) -> u64 {
        self.used().map_or(0, |(live, _)| live)
    }

    /// Bytes of the pages that hold something, and of all.
    fn used(&self) -> Result<(u64, u64), StoreError> {
        let guard = self.latch().enter_read(work_time(), READERS_MAX);
        let _guard = guard.ok_or_else(too_many_readers)?;
        self.env()?.used_bytes()
    }
}
