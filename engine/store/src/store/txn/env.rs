//! The LMDB environment, its tables, writing cursors, and the borrow of a write by another thread:
//! the only file with unsafe code.

use std::path::Path as FsPath;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use std::thread::{self, Thread};

use heed::types::Bytes;
use heed::{
    CommitOrAbort, Env, EnvFlags, EnvOpenOptions, MdbError, PutFlags, ReservedSpace, RoTxn,
    RwRevIter, RwTxn, WithoutTls,
};

use super::latch::Exclusive;
use super::snapshot::SnapshotNumber;
use super::tables::{Row, Table, Tables, named};
use crate::limits::{LMDB_KEY_BYTES_MAX, MAP_SIZE_BYTES_MIN, READERS_MAX};
use crate::store::file::mapped_file::{Detachment, MappedFile};
use crate::store::table::TABLE_NAMES;
use crate::store::walk::PageGuard;
use crate::store::{StoreError, Writer};

/// How an environment is opened.
#[derive(Debug, Clone, Copy)]
pub(in crate::store) struct EnvironmentOptions {
    pub(in crate::store) map_size_bytes: u64,
    pub(in crate::store) read_only: bool,
}

pub(in crate::store) struct Environment {
    env: Env<WithoutTls>,
    pub(in crate::store) tables: Tables,
    /// Counts started commits. Only a change matters.
    commits: AtomicU64,
    /// The number of this opening in this process, from 1.
    opening: u64,
    /// Unknown on systems without file numbers.
    file: Option<MappedFile>,
}

/// Environments opened by this process so far.
static OPENINGS: AtomicU64 = AtomicU64::new(0);

impl Environment {
    /// Opens the environment in `folder`. The caller holds `app.lock` and has checked the file.
    pub(in crate::store) fn open(
        folder: &FsPath,
        options: EnvironmentOptions,
        guard: Option<Arc<PageGuard>>,
    ) -> Result<Self, StoreError> {
        let EnvironmentOptions { map_size_bytes, read_only } = options;
        let smallest = map_size_bytes.min(MAP_SIZE_BYTES_MIN);
        let mut size = map_size_bytes;
        let env = loop {
            // A system with little address space, such as a container with a limit, still opens the
            // store with a smaller map.
            match open_env(folder, to_usize(size), READERS_MAX, read_only) {
                Err(heed::Error::Io(error))
                    if error.kind() == std::io::ErrorKind::OutOfMemory && size / 2 >= smallest =>
                {
                    size /= 2;
                }
                other => break other?,
            }
        };
        let tables = if read_only { open_tables(&env)? } else { create_tables(&env)? };
        let tables = Tables::new(tables, guard, folder);
        let opening = OPENINGS.fetch_add(1, Ordering::Relaxed) + 1;
        // A read-only store commits nothing that could be lost.
        let file = if read_only { None } else { MappedFile::in_folder(folder) };
        let environment = Self { env, tables, commits: AtomicU64::new(0), opening, file };
        environment.check_guarantees()?;
        Ok(environment)
    }

    /// A snapshot of the last commit. LMDB reads the number of the last commit and then copies the
    /// roots of its tables, from the header page that the commit after next overwrites.
    pub(in crate::store) fn read(&self) -> Result<RoTxn<'_, WithoutTls>, heed::Error> {
        // A thread that is preempted between LMDB's read of the number and its copy of the roots
        // may get the roots of a commit that is not on disk yet. So it retries after a commit.
        without_commits(&self.commits, || self.env.read_txn())
    }

    /// The commit that a transaction of [`Environment::read`] sees.
    pub(in crate::store) fn snapshot(&self, txn: &RoTxn<'_>) -> Option<SnapshotNumber> {
        SnapshotNumber::new(self.opening, txn.id() as u64)
    }

    pub(in crate::store) fn write(&self) -> Result<RwTxn<'_>, heed::Error> {
        self.env.write_txn()
    }

    /// Commits a transaction of this environment.
    pub(super) fn commit(&self, txn: RwTxn<'_>) -> Result<(), heed::Error> {
        // Counted first, so that no reader misses the commit.
        self.commits.fetch_add(1, Ordering::SeqCst);
        // Pairs with the fence in `without_commits`: a reader that saw any page of this commit sees
        // the counter too.
        fence(Ordering::SeqCst);
        txn.commit()?;
        // Asked after each commit, because LMDB enlarges the file while it commits.
        if let (Some(file), Ok(bytes)) = (&self.file, self.env.real_disk_size()) {
            file.committed(bytes);
        }
        Ok(())
    }

    /// The guard that the next environment of this file needs.
    pub(super) fn guard(&self) -> Option<Arc<PageGuard>> {
        self.tables.guard.clone()
    }

    /// Why `data.mdb` in this folder no longer is the file that is mapped.
    pub(in crate::store) fn detached(&self, folder: &FsPath) -> Option<Detachment> {
        self.file.as_ref()?.detached(folder)
    }

    pub(in crate::store) fn env(&self) -> &Env<WithoutTls> {
        &self.env
    }

    /// Doubles the map.
    #[expect(unsafe_code, reason = "heed can't know that no transaction is alive; the latch does")]
    pub(in crate::store) fn grow(&self, _exclusive: &Exclusive<'_>) -> Result<(), StoreError> {
        // LMDB may move the map, so no transaction may be alive in this process.
        let size = self.env.info().map_size.saturating_mul(2);
        // SAFETY: every transaction of this environment holds a `TxnGuard`, `_exclusive` proves that none
        // is alive, and `app.lock` keeps other processes out.
        unsafe { self.env.resize(size) }.map_err(|error| match error {
            heed::Error::Io(error) if error.kind() == std::io::ErrorKind::OutOfMemory => {
                StoreError::Io {
                    what: format!(
                        "The system grants the store no more than {} bytes of address space",
                        size / 2
                    ),
                }
            }
            error => error.into(),
        })
    }

    /// Takes over the map size that another process has set.
    #[expect(unsafe_code, reason = "heed can't know that no transaction is alive; the latch does")]
    pub(in crate::store) fn adopt(&self, _exclusive: &Exclusive<'_>) -> Result<(), StoreError> {
        // SAFETY: as in `grow`.
        unsafe { self.env.resize(0) }.map_err(StoreError::from)
    }

    pub(in crate::store) fn map_bytes(&self) -> u64 {
        self.env.info().map_size as u64
    }

    /// The number of the last committed transaction.
    pub(in crate::store) fn last_transaction(&self) -> u64 {
        self.env.info().last_txn_id as u64
    }

    /// Bytes of the pages in use, without the list of free pages, and of all pages.
    pub(super) fn used_bytes(&self) -> Result<(u64, u64), StoreError> {
        let txn = self.read()?;
        let main = self.env.unnamed_database_stat();
        // Two header pages and the one of the list of tables.
        let mut pages = 2 + main.branch_pages + main.leaf_pages + main.overflow_pages;
        for table in self.tables.all() {
            let stat = table.stat(&txn)?;
            pages += stat.branch_pages + stat.leaf_pages + stat.overflow_pages;
        }
        let page_bytes = u64::from(main.page_size);
        let all = self.env.info().last_page_number as u64 + 1;
        Ok((pages as u64 * page_bytes, all * page_bytes))
    }

    /// Closes the environment and waits until every other handle is dropped.
    pub(in crate::store) fn close(this: Arc<Self>) {
        let closing = this.env.clone().prepare_for_closing();
        drop(this);
        closing.wait();
    }

    /// Checks how LMDB was built and opened.
    fn check_guarantees(&self) -> Result<(), StoreError> {
        // Each of these flags weakens durability, and another maximum key length would be another
        // format.
        let forbidden = EnvFlags::NO_SYNC
            | EnvFlags::NO_META_SYNC
            | EnvFlags::MAP_ASYNC
            | EnvFlags::WRITE_MAP
            | EnvFlags::NO_SUB_DIR;
        let flags = self.env.get_flags()?;
        if flags & forbidden.bits() != 0 || self.env.max_key_size() != LMDB_KEY_BYTES_MAX {
            return Err(StoreError::Bug {
                what: format!(
                    "LMDB has keys of {} bytes and flags {flags:#x}",
                    self.env.max_key_size()
                ),
            });
        }
        Ok(())
    }
}

#[expect(unsafe_code, reason = "mapping a file is unsafe: someone else could change it")]
#[expect(clippy::disallowed_methods, reason = "the one opener that the ban names")]
pub(in crate::store) fn open_env(
    folder: &FsPath,
    map_size: usize,
    readers_max: u32,
    read_only: bool,
) -> Result<Env<WithoutTls>, heed::Error> {
    let mut options = EnvOpenOptions::new().read_txn_without_tls();
    options.map_size(map_size).max_readers(readers_max).max_dbs(8);
    if read_only {
        // SAFETY: without locks LMDB can't see writers. There are none: the caller holds `app.lock`, or
        // the folder can't be written.
        unsafe { options.flags(EnvFlags::READ_ONLY | EnvFlags::NO_LOCK) };
    }
    // SAFETY: `app.lock` and the registry of open files keep every other opener out. The walk has checked
    // the file's structure; until it has, the page guard checks what each read needs, and nothing writes.
    unsafe { options.open(folder) }
}

fn create_tables(env: &Env<WithoutTls>) -> Result<[Table; 5], StoreError> {
    let txn = env.write_txn()?;
    let tables = env.create_databases_and_commit(txn, |opener, txn| {
        let create = |name| opener.create_database::<Bytes, Bytes>(txn, Some(name));
        let [meta, catalog, documents, entries, counters] = TABLE_NAMES.map(create);
        let tables = [meta?, catalog?, documents?, entries?, counters?];
        Ok::<_, heed::Error>(CommitOrAbort::<_, ()>::Commit(tables))
    })?;
    tables.commit().map(named).ok_or_else(no_tables)
}

fn open_tables(env: &Env<WithoutTls>) -> Result<[Table; 5], StoreError> {
    let txn = env.read_txn()?;
    let tables = env.open_databases_and_commit(txn, |opener, txn| {
        let open = |name| match opener.open_database::<Bytes, Bytes>(txn, Some(name)) {
            Ok(Some(table)) => Ok(table),
            Ok(None) => Err(heed::Error::Mdb(MdbError::NotFound)),
            Err(error) => Err(error),
        };
        let [meta, catalog, documents, entries, counters] = TABLE_NAMES.map(open);
        let tables = [meta?, catalog?, documents?, entries?, counters?];
        Ok::<_, heed::Error>(CommitOrAbort::<_, ()>::Commit(tables))
    })?;
    tables.commit().map(named).ok_or_else(no_tables)
}

/// Calls `take` until no commit starts during the call.
fn without_commits<T, E>(
    commits: &AtomicU64,
    mut take: impl FnMut() -> Result<T, E>,
) -> Result<T, E> {
    loop {
        let before = commits.load(Ordering::Acquire);
        let taken = take()?;
        fence(Ordering::Acquire);
        if commits.load(Ordering::Relaxed) == before {
            return Ok(taken);
        }
    }
}

fn no_tables() -> StoreError {
    StoreError::damaged("its tables are missing")
}

fn to_usize(size: u64) -> usize {
    usize::try_from(size).unwrap_or(1 << (usize::BITS - 2))
}

/// A cursor that stays at the last row it touched, so that a row near it needs no search from the root.
pub(in crate::store) struct Cursor<'t> {
    rows: RwRevIter<'t, Bytes, Bytes>,
}

impl<'t> Cursor<'t> {
    pub(in crate::store) fn new(table: Table, txn: &'t mut RwTxn<'_>) -> Result<Self, heed::Error> {
        let mut rows = table.rev_iter_mut(txn)?;
        // The first step positions the cursor at the table's end. Later steps go back from the last row.
        rows.next().transpose()?;
        Ok(Self { rows })
    }

    /// Puts a row anywhere in the table, and stays at it.
    #[expect(unsafe_code, reason = "LMDB may move what it has lent, so no borrow may be alive")]
    pub(in crate::store) fn put(
        &mut self,
        flags: PutFlags,
        key: &[u8],
        value: &[u8],
    ) -> Result<(), heed::Error> {
        // SAFETY: any row lent by the transaction or this cursor borrows one of the two, and `&mut self`
        // borrows both exclusively. So `key` and `value` are not in the map.
        unsafe { self.rows.put_current_with_options::<Bytes>(flags, key, value) }
    }

    /// As [`Cursor::put`], but `write` writes the value of `len` bytes in place. Returns its address.
    #[expect(unsafe_code, reason = "LMDB may move what it has lent, so no borrow may be alive")]
    pub(in crate::store) fn put_with(
        &mut self,
        flags: PutFlags,
        key: &[u8],
        len: usize,
        write: impl FnOnce(&mut ReservedSpace<'_>) -> std::io::Result<()>,
    ) -> Result<usize, heed::Error> {
        let mut address = 0;
        // SAFETY: as in `put`. A value that is not written in full is an error, and the transaction aborts.
        unsafe {
            self.rows.put_current_reserved_with_flags(flags, key, len, |space| {
                address = space.as_uninit_mut().as_ptr().addr();
                write(space)
            })
        }?;
        Ok(address)
    }

    /// The row before the last one touched.
    pub(in crate::store) fn row_before(&mut self) -> Result<Option<Row<'_>>, heed::Error> {
        self.rows.next().transpose()
    }

    /// Removes a row. False when it did not exist.
    #[expect(unsafe_code, reason = "LMDB may move what it has lent, so no borrow may be alive")]
    pub(in crate::store) fn delete(&mut self, key: &[u8]) -> Result<bool, heed::Error> {
        // heed has no search for a writing cursor. If the row exists, this put only moves to it. Otherwise it
        // creates a row, which `del_current` removes again.
        let was_there = match self.put(PutFlags::NO_OVERWRITE, key, &[]) {
            Ok(()) => false,
            Err(heed::Error::Mdb(MdbError::KeyExist)) => true,
            Err(error) => return Err(error),
        };
        // SAFETY: as in `put`.
        unsafe { self.rows.del_current() }.map(|removed| removed && was_there)
    }
}

/// One thread's write, of any result type. Another thread may run it.
pub(super) trait PendingWrite: Send {
    /// Runs it in this transaction and stores the result; returns whether that is `Ok`.
    fn run(&mut self, writer: &mut Writer<'_>) -> bool;
    /// Replaces the result: what the write did is lost.
    fn fail(&mut self, error: StoreError);
}

/// A write that another thread may run. Its owner is parked in [`BorrowedWrite::scope`] until this value is
/// dropped.
pub(super) struct BorrowedWrite {
    write: NonNull<dyn PendingWrite>,
    is_returned: Arc<AtomicBool>,
    owner: Thread,
}

// SAFETY: `PendingWrite` requires `Send`, so another thread may use the pointee. The pointer is the only
// access to it until this value is dropped, because the owner is parked in `scope`.
#[expect(unsafe_code, reason = "the pointer is an exclusive borrow of something Send")]
unsafe impl Send for BorrowedWrite {}

impl BorrowedWrite {
    /// Passes a borrow of `write` to `give` and parks until it is dropped, as `std::thread::scope` waits
    /// for its threads.
    #[expect(unsafe_code, reason = "erases the lifetime of a borrow that this call outlives")]
    pub(super) fn scope(write: &mut dyn PendingWrite, give: impl FnOnce(Self)) {
        struct UntilReturned(Arc<AtomicBool>);
        impl Drop for UntilReturned {
            fn drop(&mut self) {
                while !self.0.load(Ordering::Acquire) {
                    thread::park();
                }
            }
        }
        let write = NonNull::from(write);
        // SAFETY: only the lifetime changes. The pointer is used only through the `BorrowedWrite`, which
        // can't be copied. `until_returned` keeps this call, and with it the borrow, alive until that value
        // is dropped, even when `give` panics. If it is never dropped, this call never returns.
        let write = unsafe {
            std::mem::transmute::<NonNull<dyn PendingWrite + '_>, NonNull<dyn PendingWrite>>(write)
        };
        let is_returned = Arc::new(AtomicBool::new(false));
        let until_returned = UntilReturned(Arc::clone(&is_returned));
        give(Self { write, is_returned, owner: thread::current() });
        drop(until_returned);
    }

    #[expect(unsafe_code, reason = "the pointer is an exclusive borrow")]
    pub(super) fn write(&mut self) -> &mut dyn PendingWrite {
        // SAFETY: the pointer comes from an exclusive borrow that `scope` holds until this value is
        // dropped. The borrow returned here ends before that, because it borrows this value.
        unsafe { self.write.as_mut() }
    }
}

impl Drop for BorrowedWrite {
    fn drop(&mut self) {
        // Once the flag is set, the owner may free the write: from here on only fields of this value are
        // used.
        self.is_returned.store(true, Ordering::Release);
        self.owner.unpark();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_that_a_commit_overtakes_is_taken_again() {
        let commits = AtomicU64::new(7);
        let mut overtaking = [1, 2, 0, 5].into_iter();
        let mut taken = 0;
        let result = without_commits(&commits, || {
            taken += 1;
            let more = overtaking.next().ok_or("taken too often")?;
            commits.fetch_add(more, Ordering::SeqCst);
            Ok::<_, &str>(taken)
        });
        assert_eq!(result, Ok(3));
        assert_eq!(without_commits(&commits, || Err::<(), _>("refused")), Err("refused"));
    }
}
