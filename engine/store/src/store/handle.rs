//! The open store.

use std::fs::{self, File};
use std::ops::ControlFlow;
use std::path::{Path as FsPath, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use super::file::app_lock::{AppLock, Registration, open_chosen};
use super::file::ballast::Ballast;
use super::file::folder::DATA_FILE;
use super::file::identity::{FileStamp, IdentityCard};
use super::notice::Notices;
use super::opening_walk::{OpeningWalk, Unwalked};
use super::progress::Watch;
use super::txn::commit_queue::CommitQueue;
use super::txn::env::{Environment, EnvironmentOptions};
use super::txn::error_class::{ErrorClass, Remedy};
use super::txn::latch::{Exclusive, TxnLatch};
use super::txn::write_state::WriteState;
use super::{Reader, StoreError, StoreNotice, StoreState, StructureReport, WalkProgram, walk};
use crate::clock::work_time;
use crate::limits::{MAP_GROWTH_WAIT, READERS_KEPT, READERS_MAX, STALE_READERS_PAUSE};

pub(super) struct OpenParts {
    pub(super) env: Environment,
    pub(super) folder: PathBuf,
    pub(super) held: HeldFolder,
    /// Why the store is read-only, if it is.
    pub(super) read_only: Option<String>,
    /// When opening found that the data file was replaced, if the store could not record that.
    pub(super) unwritten_restore_ms: Option<i64>,
    pub(super) ballast_bytes_max: u64,
    pub(super) unwalked: Option<Unwalked>,
}

/// Keeps other openers out while the store is open. Fields drop in this order: the lock must be
/// last, since another process opens the folder as soon as it is free.
pub(super) struct HeldFolder {
    pub(super) card: IdentityCard,
    pub(super) _registration: Registration,
    pub(super) lock: AppLock,
}

/// Writes and commits since the store was opened.
#[derive(Default)]
pub(super) struct Counts {
    pub(super) writes: AtomicU64,
    pub(super) commits: AtomicU64,
}

/// An open store. Dropping it closes it.
pub struct Store {
    /// An error only while the file is reopened, or after that failed.
    env: RwLock<Result<Arc<Environment>, StoreError>>,
    pub(super) held: Mutex<HeldFolder>,
    folder: PathBuf,
    latch: TxnLatch,
    commit_queue: CommitQueue,
    counts: Counts,
    pub(super) write_state: Arc<WriteState>,
    pub(super) ballast: Ballast,
    pub(super) notices: Arc<Notices>,
    pub(super) opening_walk: Option<OpeningWalk>,
    /// When stale readers were last cleared, in milliseconds of [`work_time`].
    cleaned_ms: AtomicU64,
    /// When opening found that the data file was replaced, until the store holds that mark.
    pub(super) unwritten_restore_ms: Mutex<Option<i64>>,
    pub(super) copies: AtomicUsize,
}

impl Store {
    /// Starts an opened store.
    pub(super) fn new(parts: OpenParts) -> Result<Self, StoreError> {
        let OpenParts { env, folder, held, read_only, unwritten_restore_ms, .. } = parts;
        let write_state = Arc::new(WriteState::new(read_only));
        let notices = Arc::new(Notices::default());
        let walk = parts.unwalked.map(|unwalked| {
            OpeningWalk::start(unwalked, Arc::clone(&write_state), Arc::clone(&notices))
        });
        let store = Self {
            env: RwLock::new(Ok(Arc::new(env))),
            held: Mutex::new(held),
            latch: TxnLatch::default(),
            commit_queue: CommitQueue::default(),
            counts: Counts::default(),
            write_state,
            ballast: Ballast::new(&folder, parts.ballast_bytes_max),
            notices,
            opening_walk: walk.transpose()?,
            cleaned_ms: AtomicU64::new(millis(work_time())),
            unwritten_restore_ms: Mutex::new(unwritten_restore_ms),
            copies: AtomicUsize::new(0),
            folder,
        };
        if store.write_state.state() == StoreState::Ok {
            store.ballast.keep();
        }
        Ok(store)
    }

    /// A short read. The transaction ends with the call. `work` must not call the store: a nested call could
    /// wait for a map change that waits for this read.
    ///
    /// # Errors
    /// Those of `work`; `Busy` when too many readers are alive.
    pub fn read<T, E: From<StoreError>>(
        &self,
        work: impl FnOnce(&Reader<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let began = work_time();
        // The size is adopted once. If the next try fails in the same way, waiting would not help
        // either.
        let mut may_adopt = true;
        loop {
            // A backup and the status may use the slots that are left when clients use up theirs.
            let guard = self.latch.enter_read(began, READERS_MAX - READERS_KEPT);
            let guard = guard.ok_or_else(too_many_readers)?;
            self.report_long_read(guard.long_read);
            let env = self.env()?;
            match env.read() {
                Ok(txn) => {
                    let snapshot = env.snapshot(&txn);
                    let result = work(&Reader::new(&txn, &env.tables, snapshot));
                    // Checked even if `work` has swallowed the error, because the next write may
                    // build on that page.
                    self.check_read_damage(&env);
                    return result;
                }
                Err(error) => {
                    if !may_adopt
                        || ErrorClass::of(&error, None) != ErrorClass::Retry(Remedy::Adopt)
                    {
                        return Err(StoreError::from(error).into());
                    }
                }
            }
            may_adopt = false;
            // Adopting a size needs the latch alone, so this read must end first.
            drop((env, guard));
            self.adopt()?;
        }
    }

    pub(super) fn commit_queue(&self) -> &CommitQueue {
        &self.commit_queue
    }

    pub(super) fn latch(&self) -> &TxnLatch {
        &self.latch
    }

    pub(super) fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Doubles the map.
    pub(super) fn grow(&self) -> Result<(), StoreError> {
        self.move_map(Environment::grow)
    }

    /// Takes over the map size that another process has set.
    pub(super) fn adopt(&self) -> Result<(), StoreError> {
        self.move_map(Environment::adopt)
    }

    fn move_map(
        &self,
        how: fn(&Environment, &Exclusive<'_>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let exclusive = self.latch.exclusive(MAP_GROWTH_WAIT).ok_or_else(long_read)?;
        let env = self.env()?;
        let map_bytes = env.map_bytes();
        let moved = how(&env, &exclusive);
        drop(env);
        // The refusal stays the answer, even if the old map could be restored.
        moved.or_else(|refused| self.map_again(map_bytes, &exclusive).and(Err(refused)))
    }

    /// The environment. A caller that uses it holds the latch, or drops it soon: closing waits for it.
    pub(super) fn env(&self) -> Result<Arc<Environment>, StoreError> {
        self.env.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the environment; returns the previous one.
    pub(super) fn replace_env(
        &self,
        env: Result<Arc<Environment>, StoreError>,
    ) -> Result<Arc<Environment>, StoreError> {
        let mut current = self.env.write().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut current, env)
    }

    /// Periodic work, done by the leader of each group of writes.
    pub(super) fn run_housekeeping(&self) {
        let now = work_time();
        self.report_long_read(self.latch.long_read(now));
        let now = millis(now);
        let before = self.cleaned_ms.load(Ordering::Relaxed);
        if now.saturating_sub(before) >= millis(STALE_READERS_PAUSE) {
            self.cleaned_ms.store(now, Ordering::Relaxed);
            self.clear_stale_readers();
        }
    }

    /// Frees the reader slots of processes that were killed.
    pub(super) fn clear_stale_readers(&self) {
        let cleared = self.env().ok().and_then(|env| env.env().clear_stale_readers().ok());
        if let Some(count @ 1..) = cleared {
            self.notices.send(&StoreNotice::StaleReaders { count });
        }
    }

    fn report_long_read(&self, age: Option<Duration>) {
        if let Some(age) = age {
            self.notices.send(&StoreNotice::LongRead { ms: millis(age) });
        }
    }

    /// Sends all further notices to `observer`, which must not write to the store.
    pub fn observe(&self, observer: impl Fn(&StoreNotice) + Send + Sync + 'static) {
        self.notices.observe(Box::new(observer));
    }

    /// How the environment is opened, with a map of this size.
    pub(super) fn environment_options(map_size_bytes: u64) -> EnvironmentOptions {
        EnvironmentOptions { map_size_bytes, read_only: false }
    }

    /// The data folder.
    pub fn folder(&self) -> &FsPath {
        &self.folder
    }

    /// The store's UUID. A copy has the same one.
    pub fn uuid(&self) -> String {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.card.identity.uuid.clone()
    }

    /// When the store was created, in milliseconds since 1970.
    pub fn created_ms(&self) -> i64 {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.card.identity.created_ms
    }

    /// Checks the structure of an open store's file. Writers wait until it is done.
    ///
    /// # Errors
    /// When the file can't be read. Damage is a finding, not an error.
    pub fn check(&self) -> Result<StructureReport, StoreError> {
        let data_file = self.folder.join(DATA_FILE);
        self.check_file_in_place()?;
        if matches!(self.write_state.state(), StoreState::ReadOnly | StoreState::Suspect) {
            return walk_file(&data_file);
        }
        // This write changes nothing. Being the leader keeps all other writers out.
        self.write_queued(|_| walk_file(&data_file), false)
    }

    /// Checks whether another program has the store open, without opening it.
    ///
    /// # Errors
    /// `InUse` with its process id.
    pub fn check_free(folder: &FsPath) -> Result<(), StoreError> {
        AppLock::check_free(folder)
    }

    /// Checks the structure and the row checksums of a store that is not open.
    ///
    /// # Errors
    /// `InUse`, or the file can't be read. Damage is a finding, not an error.
    pub fn check_structure(folder: &FsPath) -> Result<StructureReport, StoreError> {
        Self::check_structure_watched(folder, None, &mut |_| ControlFlow::Continue(()))
    }

    /// As [`Store::check_structure`], by `walker` if given, with progress; `watch` may stop it.
    ///
    /// # Errors
    /// `InUse`, `Stopped`, or the file can't be read. Damage is a finding, not an error.
    pub fn check_structure_watched(
        folder: &FsPath,
        walker: Option<&WalkProgram>,
        watch: &mut Watch<'_>,
    ) -> Result<StructureReport, StoreError> {
        let data_file = folder.join(DATA_FILE);
        let _lock = match AppLock::take(folder, false) {
            Err(StoreError::ReadOnly { .. }) => AppLock::take(folder, true),
            other => other,
        }?;
        let _registration = Registration::take(&data_file)?;
        Self::check_file(&data_file, walker, watch)
    }

    /// Checks the structure and the row checksums of a data file or backup that is not open; by `walker` if
    /// given.
    ///
    /// # Errors
    /// `Stopped`, or the file can't be read or is not a store. Damage is a finding, not an error.
    pub fn check_file(
        file: &FsPath,
        walker: Option<&WalkProgram>,
        watch: &mut Watch<'_>,
    ) -> Result<StructureReport, StoreError> {
        walk::walk_picked(&open_file(file)?, walker, watch)
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // The card must not name a file that is not this store's.
        let is_in_place = self.check_file_in_place().is_ok();
        // Taking it out ends the walk, whose thread reads the file that is about to be unlocked.
        let walked_ms = self.opening_walk.take().and_then(|walk| walk.walked_ms());
        let closed = StoreError::Bug { what: "the store is closed".to_owned() };
        let last_transaction = self.replace_env(Err(closed)).ok().map(|env| {
            let last_transaction = env.last_transaction();
            Environment::close(env);
            last_transaction
        });
        let state = self.write_state.state();
        let is_unmarked = self.unwritten_restore_ms().is_some();
        let held = self.held.get_mut().unwrap_or_else(PoisonError::into_inner);
        match last_transaction {
            // A suspect or detached file must be walked at the next opening, so its stamp is not
            // recorded.
            Some(last) if is_in_place && state != StoreState::Suspect && !is_unmarked => {
                let found = fs::metadata(self.folder.join(DATA_FILE));
                let file = found.ok().map(|found| FileStamp::of(&found));
                let is_new = !held.card.knows_file(last, file) || walked_ms.is_some();
                held.card.last_walk_ms = walked_ms.or(held.card.last_walk_ms);
                held.card.last_transaction = last;
                held.card.file = file;
                let is_writable = held.lock.is_writable() && state != StoreState::ReadOnly;
                if is_new && is_writable && held.card.write(&self.folder).is_err() {
                    held.lock.end_uncleanly();
                }
            }
            _ => held.lock.end_uncleanly(),
        }
    }
}

pub(super) fn too_many_readers() -> StoreError {
    StoreError::Busy { what: "too many reads are running".to_owned() }
}

pub(super) fn long_read() -> StoreError {
    StoreError::Busy { what: "a long read keeps it from growing".to_owned() }
}

pub(super) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn walk_file(data_file: &FsPath) -> Result<StructureReport, StoreError> {
    walk::walk(&open_file(data_file)?)
}

fn open_file(data_file: &FsPath) -> Result<File, StoreError> {
    open_chosen(data_file).map_err(|error| StoreError::io("Can't read the data file", &error))
}
