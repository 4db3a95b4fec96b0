//! Compaction: rewrites the data file without its free pages.
//!
//! LMDB can't shrink a file in use. So a compact copy is written to a folder within the data folder, synced,
//! walked and compared. Then the store is closed and the copy renamed over the data file. The old file keeps a
//! second name until the new one has been opened once. At the next opening [`recover`] finishes or undoes what
//! a killed process left.

use std::fs;
use std::io;
use std::path::{Path as FsPath, PathBuf};
use std::sync::PoisonError;

use super::backup::check_room;
use super::stream;
use crate::clock::work_time;
use crate::limits::READERS_MAX;
use crate::store::file::app_lock::{file_identity, open_chosen};
use crate::store::file::folder::{self, DATA_FILE, sync_folder};
use crate::store::file::identity::{FileStamp, IdentityCard};
use crate::store::file::mapped_file::links;
use crate::store::handle::too_many_readers;
use crate::store::progress::{JobStep, Watch};
use crate::store::txn::env::Environment;
use crate::store::{Store, StoreError, walk};

/// The folder within the data folder that holds the copy while it is made.
const COPY_FOLDER: &str = "compacting";
/// The second name of the old data file until the new one has been opened.
const OLD_FILE: &str = "data.mdb.before-compaction";
/// The transaction number of LMDB's compact copies.
const COPY_TRANSACTION: u64 = 1;

/// A store and its compact copy, before the replacement. Dropping it removes the copy and closes the store.
pub struct Compaction {
    /// Dropped before the store, whose lock protects it.
    copy: CopyFolder,
    store: Store,
    folder: PathBuf,
    rows: [u64; 5],
    bytes: u64,
}

impl Compaction {
    /// Takes an open store out of use and writes its compact copy.
    ///
    /// # Errors
    /// When the store can't be written or is damaged, there is not enough space, a step fails, or `watch`
    /// stops it. The store is then unchanged, and closed.
    pub fn begin(store: Store, watch: &mut Watch<'_>) -> Result<Self, StoreError> {
        // A suspect or read-only store must not be replaced by a copy of what it may have lost.
        store.write_state.permit()?;
        let (folder, bytes, used) =
            (store.folder().to_owned(), store.file_bytes(), store.used_bytes());
        // Counted while the store is out of use, so the copy must have exactly as many.
        let rows = store.row_counts()?;
        // The free pages are what the copy leaves out, so it needs at most the pages in use.
        check_room(&folder, used)?;
        let copy = CopyFolder(folder.join(COPY_FOLDER));
        let compaction = Self { copy, store, folder, rows, bytes };
        compaction.copy(used, watch)?;
        Ok(compaction)
    }

    fn copy(&self, used: u64, watch: &mut Watch<'_>) -> Result<(), StoreError> {
        let into = self.copy_folder();
        // A folder that a killed compaction has left would make `create_new` fail below.
        remove_folder(into)?;
        folder::prepare(into, false, &mut Vec::new())?;
        let mut file = folder::private_file()
            .create_new(true)
            .open(into.join(DATA_FILE))
            .map_err(|error| failed(&error))?;
        self.store.copy_compact(&mut file, used, watch)?;
        file.sync_all().map_err(|error| failed(&error))?;
        match walk::walk_watched(&file, watch)?.findings.first() {
            // With the store's card, opening the copy does not take it for a file put there by hand.
            None => {
                let stamp = file.metadata().ok().map(|found| FileStamp::of(&found));
                self.card(walk::check_header(&file)?, stamp).write(into)
            }
            Some(finding) => {
                Err(StoreError::damaged(format!("the copy was discarded because {finding}")))
            }
        }
    }

    /// The data folder of the copy, to be opened, checked and closed again.
    pub fn copy_folder(&self) -> &FsPath {
        &self.copy.0
    }

    /// Size of the data file before the compaction.
    pub fn bytes_before(&self) -> u64 {
        self.bytes
    }

    /// Compares the opened copy with the store, table by table.
    ///
    /// # Errors
    /// `Damaged` when a table has another number of rows.
    pub fn compare(&self, copy: &Store) -> Result<(), StoreError> {
        let rows = copy.row_counts()?;
        if rows == self.rows {
            return Ok(());
        }
        Err(StoreError::damaged(format!(
            "the compact copy was discarded because its tables have {rows:?} rows and the store's \
             have {:?}",
            self.rows
        )))
    }

    /// Closes the store and replaces its data file by the copy. The next opening must use a full check, and
    /// removes the old file.
    ///
    /// # Errors
    /// When the system refuses. The old file then stays, or the next opening puts it back.
    pub fn replace(mut self, watch: &mut Watch<'_>) -> Result<PathBuf, StoreError> {
        JobStep::Replacing.report(watch, 0, 0)?;
        // Last look before the rename: the name may lead to a file that another program put there,
        // which must stay.
        self.store.check_file_in_place()?;
        self.close()?;
        replace_steps(&self.folder, usize::MAX)?;
        Ok(self.folder.clone())
    }

    /// Closes the environment and prepares the folder for another data file. The locks stay held.
    fn close(&mut self) -> Result<(), StoreError> {
        let closed = StoreError::Bug { what: "the store is closed".to_owned() };
        // LMDB must not have the file mapped when its name goes to another one: a commit would go
        // to the old file.
        Environment::close(self.store.replace_env(Err(closed))?);
        let copy = self.copy_folder().join(DATA_FILE);
        // No file matches transaction 0, so the next opening walks whichever file it finds.
        let card = self.card(0, None);
        let held = self.store.held.get_mut().unwrap_or_else(PoisonError::into_inner);
        // If the process ends before the new file was opened once, the next opening must walk it.
        held.lock.end_uncleanly();
        // Before it takes the name of the data file, so that the name never leads to an unlocked file.
        held.lock.hold_data(&copy)?;
        // On disk before the first rename, so that `recover` can tell that nothing was written
        // since.
        card.write(&self.folder)
    }

    /// The store's card for another data file.
    fn card(&self, last_transaction: u64, file: Option<FileStamp>) -> IdentityCard {
        let held = self.store.held.lock().unwrap_or_else(PoisonError::into_inner);
        // A copy's transactions start at 1 again, so with the old number it would look like an
        // older file.
        IdentityCard { last_transaction, file, ..held.card.clone() }
    }
}

/// The folder of the copy; removed on drop.
struct CopyFolder(PathBuf);

impl Drop for CopyFolder {
    fn drop(&mut self) {
        // The next opening removes what is left.
        let _ = remove_folder(&self.0);
    }
}

/// The steps that replace the data file by the copy, the first `count` of them.
fn replace_steps(folder: &FsPath, count: usize) -> Result<(), StoreError> {
    let (data, old) = (folder.join(DATA_FILE), folder.join(OLD_FILE));
    let copy = folder.join(COPY_FOLDER).join(DATA_FILE);
    let all: [&dyn Fn() -> io::Result<()>; 4] = [
        // A hard link keeps the name in place; the rename is for file systems without links.
        &|| fs::hard_link(&data, &old).or_else(|_| fs::rename(&data, &old)),
        // The old file's second name must be on disk before its first name goes to the copy.
        &|| sync(folder),
        &|| fs::rename(&copy, &data),
        &|| sync(folder),
    ];
    for step in all.iter().take(count) {
        step().map_err(|error| failed(&error))?;
    }
    Ok(())
}

/// Simulates a kill after `count` steps of the replacement, and `look` before it.
#[cfg(test)]
pub(in crate::store) fn stop_after(
    mut compaction: Compaction,
    count: usize,
    look: impl FnOnce(),
) -> Result<(), StoreError> {
    compaction.close()?;
    replace_steps(&compaction.folder, count)?;
    look();
    let Compaction { copy, .. } = compaction;
    std::mem::forget(copy);
    Ok(())
}

fn sync(folder: &FsPath) -> io::Result<()> {
    sync_folder(folder).map_err(io::Error::other)
}

/// The number of names of the data file without the one that an interrupted compaction has left. `None` when
/// there is no such file, or the system counts no names.
pub(in crate::store) fn foreign_names(folder: &FsPath) -> Option<u64> {
    let found = fs::metadata(folder.join(DATA_FILE)).ok()?;
    let old = fs::metadata(folder.join(OLD_FILE)).ok();
    let is_same = old.is_some_and(|old| file_identity(&old) == file_identity(&found));
    Some(links(&found)?.saturating_sub(u64::from(is_same)))
}

/// Recovers from an interrupted compaction: afterwards the data file is the old one or a sound new one. The
/// old one never replaces a file that may have been written to since. The caller holds `app.lock`.
pub(in crate::store) fn recover(
    folder: &FsPath,
    warnings: &mut Vec<String>,
) -> Result<(), StoreError> {
    // A copy that was not renamed is useless: the store may have changed since.
    remove_folder(&folder.join(COPY_FOLDER))?;
    let (data, old) = (folder.join(DATA_FILE), folder.join(OLD_FILE));
    let Ok(old_found) = fs::metadata(&old) else { return Ok(()) };
    let wrong = match fs::metadata(&data) {
        // Both names lead to one file, so the copy was not renamed yet and the old file is in
        // place.
        Ok(found) if file_identity(&found) == file_identity(&old_found) => return Ok(()),
        Ok(_) => what_is_wrong(&data),
        Err(error) => Some(error.to_string()),
    };
    let Some(wrong) = wrong else { return Ok(()) };
    // Writes since the replacement are only in the new file, so the old one must not replace it.
    if !was_just_replaced(folder)? {
        return Err(StoreError::damaged(format!(
            "{DATA_FILE}: {wrong}. Restore a backup. If you have none, rename {OLD_FILE} (the store \
             before its last compaction) to {DATA_FILE}"
        )));
    }
    fs::rename(&old, &data).map_err(|error| failed(&error))?;
    sync_folder(folder)?;
    warnings.push("A compaction was interrupted; the previous data file was restored.".to_owned());
    Ok(())
}

fn what_is_wrong(data: &FsPath) -> Option<String> {
    let walked = open_chosen(data)
        .map_err(|error| StoreError::io("Can't read the data file", &error))
        .and_then(|file| walk::walk(&file));
    match walked {
        Ok(report) => report.findings.into_iter().next(),
        Err(StoreError::Damaged { what }) => Some(what),
        Err(error) => Some(error.to_string().trim_end_matches('.').to_owned()),
    }
}

/// Whether nothing was written since a compaction began to replace the data file: the card is still the one of
/// [`Compaction::close`], and the transaction number that of a copy. A data file that is missing or has no
/// readable header was not opened since either, according to the card.
fn was_just_replaced(folder: &FsPath) -> Result<bool, StoreError> {
    let card = IdentityCard::read(folder, &mut Vec::new())?;
    let is_closed = card.is_some_and(|card| card.last_transaction == 0 && card.file.is_none());
    let transaction =
        open_chosen(&folder.join(DATA_FILE)).ok().and_then(|file| walk::check_header(&file).ok());
    Ok(is_closed && transaction.is_none_or(|transaction| transaction <= COPY_TRANSACTION))
}

/// Removes the old file of a compaction. The caller has opened the new one.
pub(in crate::store) fn remove_old_file(folder: &FsPath) {
    // It does no harm, and the next opening tries again.
    let _ = fs::remove_file(folder.join(OLD_FILE));
}

impl Store {
    /// The number of rows of each table.
    fn row_counts(&self) -> Result<[u64; 5], StoreError> {
        let guard = self.latch().enter_read(work_time(), READERS_MAX);
        let _guard = guard.ok_or_else(too_many_readers)?;
        let env = self.env()?;
        let txn = env.read()?;
        let mut rows = [0; 5];
        for (row, table) in rows.iter_mut().zip(env.tables.all()) {
            *row = table.len(&txn)?;
        }
        Ok(rows)
    }
}

fn remove_folder(folder: &FsPath) -> Result<(), StoreError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(&error)),
        _ => Ok(()),
    }
}

fn failed(error: &io::Error) -> StoreError {
    if matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) {
        return stream::not_written(error);
    }
    StoreError::io("Can't compact the store", error)
}
