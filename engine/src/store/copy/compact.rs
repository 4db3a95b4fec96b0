//! The data file written anew without its free pages.
//!
//! LMDB can't shrink a file in use, so: a compact copy in a folder within the data folder, flushed,
//! walked and compared; the store closed; the copy renamed over the data file. The old file keeps a
//! second name until the new one has been opened once. [`recover`] knows at the next opening where a
//! killed program stopped.

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
use crate::store::handle::too_many_readers;
use crate::store::progress::{JobStep, Watch};
use crate::store::txn::env::Environment;
use crate::store::{Store, StoreError, walk};

/// The folder within the data folder that holds the copy while it is made.
const COPY_FOLDER: &str = "compacting";
/// The second name of the old data file until the new one has been opened.
const OLD_FILE: &str = "data.mdb.before-compaction";
/// The transaction that LMDB's compact copy has.
const COPY_TRANSACTION: u64 = 1;

/// A store whose compact copy waits for its place. Dropping it removes the copy and closes the store.
pub struct Compaction {
    /// Goes before the store, which keeps everybody else out.
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
    /// When the store can only be read or is not sound, there is not enough room, a step fails, or `watch`
    /// stops it. The store is then as it was, and closed.
    pub fn begin(store: Store, watch: &mut Watch<'_>) -> Result<Self, StoreError> {
        store.write_state.permit()?;
        let (folder, bytes, used) =
            (store.folder().to_owned(), store.file_bytes(), store.used_bytes());
        let rows = store.row_counts()?;
        check_room(&folder, used)?;
        let copy = CopyFolder(folder.join(COPY_FOLDER));
        let compaction = Self { copy, store, folder, rows, bytes };
        compaction.copy(used, watch)?;
        Ok(compaction)
    }

    fn copy(&self, used: u64, watch: &mut Watch<'_>) -> Result<(), StoreError> {
        let into = self.copy_folder();
        remove_folder(into)?;
        folder::prepare(into, false, &mut Vec::new())?;
        let mut file = folder::private_file()
            .create_new(true)
            .open(into.join(DATA_FILE))
            .map_err(|error| failed(&error))?;
        self.store.copy_compact(&mut file, used, watch)?;
        file.sync_all().map_err(|error| failed(&error))?;
        match walk::walk_watched(&file, watch)?.findings.first() {
            // With the card of its store nobody takes the copy for a file that was put there by hand.
            None => {
                let stamp = file.metadata().ok().map(|found| FileStamp::of(&found));
                self.card(walk::check_header(&file)?, stamp).write(into)
            }
            Some(finding) => {
                Err(StoreError::damaged(format!("the copy was not used, because {finding}")))
            }
        }
    }

    /// Where the copy is: a data folder, to be opened, looked at and closed again.
    #[must_use]
    pub fn copy_folder(&self) -> &FsPath {
        &self.copy.0
    }

    /// Bytes of the data file as it was.
    #[must_use]
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
            "the compact copy was not used, because its tables have {rows:?} rows and the store's \
             have {:?}",
            self.rows
        )))
    }

    /// Closes the store and puts the copy in the place of its data file. The store is to be opened with
    /// a full check next, which also removes the old file.
    ///
    /// # Errors
    /// When the system refuses; the old file is then in its place.
    pub fn replace(mut self, watch: &mut Watch<'_>) -> Result<PathBuf, StoreError> {
        JobStep::Replacing.report(watch, 0, 0)?;
        self.close()?;
        replace_steps(&self.folder, usize::MAX)?;
        Ok(self.folder.clone())
    }

    /// Closes the store and prepares its folder for another data file. Its locks are held still.
    fn close(&mut self) -> Result<(), StoreError> {
        let closed = StoreError::Bug { what: "the store is closed".to_owned() };
        Environment::close(self.store.replace_env(Err(closed))?);
        // No file has this number, so whichever is in place next is walked.
        let card = self.card(0, None);
        let held = self.store.held.get_mut().unwrap_or_else(PoisonError::into_inner);
        // Until the new file has been opened once, a cut must lead to a full check.
        held.lock.end_uncleanly();
        card.write(&self.folder)
    }

    /// The card of the store for the copy, whose transactions count from 1 again: with the number of the
    /// old file the new one would be taken for an older one.
    fn card(&self, last_transaction: u64, file: Option<FileStamp>) -> IdentityCard {
        let held = self.store.held.lock().unwrap_or_else(PoisonError::into_inner);
        IdentityCard { last_transaction, file, ..held.card.clone() }
    }
}

/// The folder of the copy; goes with this value.
struct CopyFolder(PathBuf);

impl Drop for CopyFolder {
    fn drop(&mut self) {
        // What can't be removed now is removed at the next opening.
        let _ = remove_folder(&self.0);
    }
}

/// Puts the copy in place, in `count` replace_steps at most.
fn replace_steps(folder: &FsPath, count: usize) -> Result<(), StoreError> {
    let (data, old) = (folder.join(DATA_FILE), folder.join(OLD_FILE));
    let copy = folder.join(COPY_FOLDER).join(DATA_FILE);
    let all: [&dyn Fn() -> io::Result<()>; 4] = [
        &|| fs::hard_link(&data, &old).or_else(|_| fs::rename(&data, &old)),
        &|| sync(folder),
        &|| fs::rename(&copy, &data),
        &|| sync(folder),
    ];
    for step in all.iter().take(count) {
        step().map_err(|error| failed(&error))?;
    }
    Ok(())
}

/// As if the program were killed after so many replace_steps of the replacement.
#[cfg(test)]
pub(in crate::store) fn stop_after(
    mut compaction: Compaction,
    count: usize,
) -> Result<(), StoreError> {
    compaction.close()?;
    replace_steps(&compaction.folder, count)?;
    let Compaction { copy, .. } = compaction;
    std::mem::forget(copy);
    Ok(())
}

fn sync(folder: &FsPath) -> io::Result<()> {
    sync_folder(folder).map_err(io::Error::other)
}

/// Ends a compaction that was cut off: the data file is then either the old one or a good new one. The old
/// one takes no place of a file that may have been written to since. The caller holds `app.lock`.
pub(in crate::store) fn recover(
    folder: &FsPath,
    warnings: &mut Vec<String>,
) -> Result<(), StoreError> {
    remove_folder(&folder.join(COPY_FOLDER))?;
    let (data, old) = (folder.join(DATA_FILE), folder.join(OLD_FILE));
    let Ok(old_found) = fs::metadata(&old) else { return Ok(()) };
    let wrong = match fs::metadata(&data) {
        Ok(found) if file_identity(&found) == file_identity(&old_found) => return Ok(()),
        Ok(_) => what_is_wrong(&data),
        Err(error) => Some(error.to_string()),
    };
    let Some(wrong) = wrong else { return Ok(()) };
    if !was_just_replaced(folder)? {
        return Err(StoreError::damaged(format!(
            "{DATA_FILE}: {wrong}. Restore a backup. Beside it, {OLD_FILE} holds the store as it was \
             before it was last compacted; rename it to {DATA_FILE} if nothing newer is left"
        )));
    }
    fs::rename(&old, &data).map_err(|error| failed(&error))?;
    sync_folder(folder)?;
    warnings.push(
        "A compaction was cut off; the data file from before it is in its place again.".to_owned(),
    );
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

/// Whether nothing was written since a compaction has begun to replace the data file: the card is still
/// that of [`Compaction::close`], and so is the number that a copy begins with. A file that is missing or
/// has no head that can be read was not opened either, by what the card says.
fn was_just_replaced(folder: &FsPath) -> Result<bool, StoreError> {
    let card = IdentityCard::read(folder, &mut Vec::new())?;
    let is_closed = card.is_some_and(|card| card.last_transaction == 0 && card.file.is_none());
    let transaction =
        open_chosen(&folder.join(DATA_FILE)).ok().and_then(|file| walk::check_header(&file).ok());
    Ok(is_closed && transaction.is_none_or(|transaction| transaction <= COPY_TRANSACTION))
}

/// The store has been opened: the old file of a compaction is no longer needed.
pub(in crate::store) fn remove_old_file(folder: &FsPath) {
    // It does no harm; the next opening tries again.
    let _ = fs::remove_file(folder.join(OLD_FILE));
}

impl Store {
    /// Rows of each table.
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
