//! One program at a time: `app.lock`, and within this process a registry of open data files.
//!
//! The lock's file holds the number of the process. A clean end overwrites it with a word; so a number
//! in a file that nobody has locked tells that the last session was cut off, and the data file must be
//! walked. The text is overwritten in place, because a full disk has no room for a new block and the
//! store must still open, to have something deleted.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path as FsPath, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::folder::{LMDB_LOCK_FILE, private_file, sync_folder, takes_files};
use crate::store::StoreError;

const LOCK_FILE: &str = "app.lock";
const LOCK_TEXT_BYTES_MAX: u64 = 64;
const CLOSED: &str = "closed\n";

/// Held while the store is open.
pub(in crate::store) struct AppLock {
    file: Option<File>,
    pub(in crate::store) was_unclean: bool,
    is_writable: bool,
    /// Whether dropping the lock leaves the mark of a clean end.
    ends_cleanly: bool,
}

impl AppLock {
    /// Takes the lock, or says who has it.
    pub(in crate::store) fn take(folder: &FsPath, read_only: bool) -> Result<Self, StoreError> {
        let path = folder.join(LOCK_FILE);
        if read_only {
            let file = match open_chosen(&path) {
                Ok(file) => Some(file),
                // Nobody can write here without this file; if it is missing there is nobody to keep out.
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) => {
                    return Err(StoreError::Io {
                        what: format!("It can't be told whether the store is in use: {error}"),
                    });
                }
            };
            if let Some(file) = &file {
                lock(file)?;
            }
            return Ok(Self { file, was_unclean: true, is_writable: false, ends_cleanly: false });
        }
        // The files that are there may be writable all the same. They are left as they are.
        if !takes_files(folder) {
            return Err(StoreError::ReadOnly { what: "its folder can't be written".to_owned() });
        }
        let failed = |error: &io::Error| StoreError::io("Can't lock the data folder", error);
        let file = open_chosen_with(&private_file(), &path).map_err(|error| failed(&error))?;
        lock(&file)?;
        let text = read_text(&file).map_err(|error| failed(&error))?;
        let was_unclean = !text.is_empty() && text != CLOSED.as_bytes();
        write_text(&file, &format!("{}\n", std::process::id())).map_err(|error| failed(&error))?;
        sync_folder(folder)?;
        Ok(Self { file: Some(file), was_unclean, is_writable: true, ends_cleanly: !was_unclean })
    }

    /// Says who has the folder open, if somebody has. Nothing is taken or written.
    pub(in crate::store) fn check_free(folder: &FsPath) -> Result<(), StoreError> {
        let Ok(file) = open_chosen(&folder.join(LOCK_FILE)) else { return Ok(()) };
        lock(&file)?;
        unlock(&file);
        Ok(())
    }

    /// Whether it was taken for writing.
    pub(in crate::store) fn is_writable(&self) -> bool {
        self.is_writable
    }

    /// The store is open and sound: from now on a plain end is a clean end.
    pub(in crate::store) fn end_cleanly(&mut self) {
        self.ends_cleanly = true;
    }

    /// Something failed that the next opening must look into.
    pub(in crate::store) fn end_uncleanly(&mut self) {
        self.ends_cleanly = false;
    }
}

impl Drop for AppLock {
    fn drop(&mut self) {
        if let (Some(file), true) = (&self.file, self.ends_cleanly) {
            // Failing here only costs the next opening a walk.
            let _ = write_text(file, CLOSED);
        }
        if let Some(file) = &self.file {
            unlock(file);
        }
    }
}

fn lock(file: &File) -> Result<(), StoreError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse { pid: holder(file) }),
        Err(TryLockError::Error(error)) => {
            Err(StoreError::io("Can't lock the data folder", &error))
        }
    }
}

/// Said and not left to the end of `file`: a program that another thread is just starting has a copy
/// of every open file for a moment, and the lock would last as long as the copy.
fn unlock(file: &File) {
    let _ = file.unlock();
}

fn holder(file: &File) -> Option<u32> {
    String::from_utf8(read_text(file).ok()?).ok()?.trim().parse().ok()
}

fn read_text(file: &File) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    file.take(LOCK_TEXT_BYTES_MAX).read_to_end(&mut text)?;
    Ok(text)
}

fn write_text(mut file: &File, text: &str) -> io::Result<()> {
    file.rewind()?;
    file.write_all(text.as_bytes())?;
    file.set_len(text.len() as u64)?;
    file.sync_all()
}

/// The data files that are open in this process, by device and file number, and LMDB's lock file of
/// each. LMDB must not open a file twice in one process, whatever names lead to it.
static OPEN_FILES: Mutex<BTreeMap<(u64, u64), PathBuf>> = Mutex::new(BTreeMap::new());

/// A data file's place in the registry.
pub(in crate::store) struct Registration {
    identity: (u64, u64),
    /// Kept open until the place is given back: the system gives the number of a file that was removed
    /// to a new one as soon as nobody has it open.
    _file: File,
}

impl Registration {
    pub(in crate::store) fn take(data_file: &FsPath) -> Result<Self, StoreError> {
        let unreadable = |error| StoreError::io("Can't read the data file", &error);
        let file = open_chosen(data_file).map_err(unreadable)?;
        let identity = file_identity(&file.metadata().map_err(unreadable)?);
        match open_files().entry(identity) {
            Entry::Vacant(place) => {
                place.insert(data_file.with_file_name(LMDB_LOCK_FILE));
                Ok(Self { identity, _file: file })
            }
            Entry::Occupied(_) => Err(StoreError::InUse { pid: Some(std::process::id()) }),
        }
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        open_files().remove(&self.identity);
    }
}

fn open_files() -> MutexGuard<'static, BTreeMap<(u64, u64), PathBuf>> {
    OPEN_FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens a file that a person chose, or one in a folder that a person chose. Never LMDB's lock file of a
/// store that is open here, whatever its name: whoever closes it again drops the lock that LMDB holds on it.
///
/// # Errors
/// When it is such a file, or can't be opened.
pub(crate) fn open_chosen(file: &FsPath) -> io::Result<File> {
    open_chosen_with(File::options().read(true), file)
}

/// The same for writing, of a file that is there.
///
/// # Errors
/// As [`open_chosen`].
pub(crate) fn open_chosen_to_write(file: &FsPath) -> io::Result<File> {
    open_chosen_with(File::options().write(true), file)
}

/// Makes a file that a person chose, for its owner only.
///
/// # Errors
/// When there is something under that name, or nothing can be made there.
pub(crate) fn create_chosen(file: &FsPath) -> io::Result<File> {
    private_file().create_new(true).open(file)
}

fn open_chosen_with(options: &OpenOptions, file: &FsPath) -> io::Result<File> {
    // What is not there yet is nobody's lock.
    let identity = fs::metadata(file).ok().map(|found| file_identity(&found));
    let is_it =
        |path: &PathBuf| fs::metadata(path).is_ok_and(|it| Some(file_identity(&it)) == identity);
    if open_files().values().any(is_it) {
        return Err(io::Error::other(
            "it is the lock of a store that is open; choose another file",
        ));
    }
    options.open(file)
}

/// Device and file number: equal for two names of one file.
#[cfg(unix)]
pub(in crate::store) fn file_identity(metadata: &fs::Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

/// Whether a store lies in this folder that no program has open.
pub(in crate::store) fn is_free(folder: &FsPath) -> bool {
    open_chosen(&folder.join(LOCK_FILE)).is_ok_and(|file| file.try_lock().is_ok())
}

/// Without file numbers `app.lock` alone keeps a second opener out; each file counts as another.
#[cfg(not(unix))]
pub(super) fn file_identity(_: &fs::Metadata) -> (u64, u64) {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    (0, NEXT.fetch_add(1, Ordering::Relaxed))
}
