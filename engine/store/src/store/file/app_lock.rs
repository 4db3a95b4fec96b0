//! One program at a time: `app.lock`, a lock on the data file itself, and a registry of the data files that this
//! process has open.
//!
//! The lock on the data file holds where `app.lock` does not: after that file was removed, and in a second
//! folder whose `data.mdb` is a symbolic link to this one. It is an advisory lock of an open file, so closing
//! another descriptor of the data file does not drop it.
//!
//! The lock file holds the process id of its holder. A clean close overwrites that with a word, so a
//! process id in an unlocked file means that the last session ended uncleanly, and the data file must be
//! walked. The text is overwritten in place: on a full disk there is no space for a new block, and the store
//! must still open so that something can be deleted.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path as FsPath, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::folder::{
    DATA_FILE, LMDB_LOCK_FILE, is_kernel_file, private_file, sync_folder, takes_files,
};
use crate::store::StoreError;

const LOCK_FILE: &str = "app.lock";
const LOCK_TEXT_BYTES_MAX: u64 = 64;
const CLOSED: &str = "closed\n";

/// Device and file number.
type FileIdentity = (u64, u64);

/// Held while the store is open.
pub(in crate::store) struct AppLock {
    file: Option<File>,
    /// The locked data files: one, or two once a compaction is about to replace it.
    data: Vec<(FileIdentity, File)>,
    pub(in crate::store) was_unclean: bool,
    is_writable: bool,
    /// Whether dropping the lock marks a clean close.
    ends_cleanly: bool,
}

impl AppLock {
    /// Takes the lock; `InUse` when another process has it.
    pub(in crate::store) fn take(folder: &FsPath, read_only: bool) -> Result<Self, StoreError> {
        let path = folder.join(LOCK_FILE);
        if read_only {
            let file = match open_chosen(&path) {
                Ok(file) => Some(file),
                // A writer creates this file first. Without it there is no writer to keep out.
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) => {
                    return Err(StoreError::Io {
                        what: format!("Can't check whether the store is in use: {error}"),
                    });
                }
            };
            if let Some(file) = &file {
                lock(file)?;
            }
            let mut taken = Self::new(file, false);
            // Where `app.lock` is missing, the shared lock on the data file is what keeps a writer
            // out.
            taken.hold_data(&folder.join(DATA_FILE))?;
            return Ok(taken);
        }
        // Existing files may still be writable. They stay untouched.
        if !takes_files(folder) {
            return Err(StoreError::ReadOnly { what: "its folder can't be written".to_owned() });
        }
        let failed = |error: &io::Error| StoreError::io("Can't lock the data folder", error);
        let file = open_chosen_with(&private_file(), &path).map_err(|error| failed(&error))?;
        lock(&file)?;
        let mut taken = Self::new(None, true);
        // No `AppLock` owns the file yet, so no `Drop` would unlock it.
        taken.hold_data(&folder.join(DATA_FILE)).inspect_err(|_| unlock(&file))?;
        let text = read_text(&file).map_err(|error| failed(&error))?;
        // A lock file that was just created is empty, which is not an unclean end.
        taken.was_unclean = !text.is_empty() && text != CLOSED.as_bytes();
        // The process id is on disk before LMDB writes anything, so every crash from here on is
        // noticed.
        write_text(&file, &format!("{}\n", std::process::id())).map_err(|error| failed(&error))?;
        sync_folder(folder)?;
        taken.ends_cleanly = !taken.was_unclean;
        taken.file = Some(file);
        Ok(taken)
    }

    fn new(file: Option<File>, is_writable: bool) -> Self {
        Self { file, data: Vec::new(), was_unclean: true, is_writable, ends_cleanly: false }
    }

    /// Locks the file that `data_file` names, if there is one and it is not locked yet. Call it
    /// again before another file takes the name. A read-only opening lets other readers share the
    /// file.
    pub(in crate::store) fn hold_data(&mut self, data_file: &FsPath) -> Result<(), StoreError> {
        // Windows has no advisory locks: a lock would keep LMDB from its own file.
        while cfg!(unix) && fs::metadata(data_file).is_ok_and(|found| found.is_file()) {
            let unreadable = |error| StoreError::io("Can't read the data file", &error);
            let file = open_chosen(data_file).map_err(unreadable)?;
            let identity = file_identity(&file.metadata().map_err(unreadable)?);
            // The second round: the name may have moved to another file before the lock was taken.
            if self.data.iter().any(|(held, _)| *held == identity) {
                break;
            }
            lock_data(&file, data_file, self.is_writable)?;
            self.data.push((identity, file));
        }
        Ok(())
    }

    /// `InUse` when another process has the folder open. Writes nothing and keeps no lock.
    pub(in crate::store) fn check_free(folder: &FsPath) -> Result<(), StoreError> {
        if let Ok(file) = open_chosen(&folder.join(LOCK_FILE)) {
            lock(&file)?;
            unlock(&file);
        }
        Self::new(None, false).hold_data(&folder.join(DATA_FILE))
    }

    pub(in crate::store) fn is_writable(&self) -> bool {
        self.is_writable
    }

    /// The store is open and sound, so dropping the lock is a clean close from now on.
    pub(in crate::store) fn end_cleanly(&mut self) {
        self.ends_cleanly = true;
    }

    /// The next opening must walk the file.
    pub(in crate::store) fn end_uncleanly(&mut self) {
        self.ends_cleanly = false;
    }
}

impl Drop for AppLock {
    fn drop(&mut self) {
        if let (Some(file), true) = (&self.file, self.ends_cleanly) {
            // A failure only makes the next opening walk the file.
            let _ = write_text(file, CLOSED);
        }
        // The data file is unlocked first: the next opener takes `app.lock` first and then needs
        // the data file.
        self.data.iter().map(|(_, file)| file).chain(&self.file).for_each(unlock);
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

fn lock_data(file: &File, data_file: &FsPath, is_writable: bool) -> Result<(), StoreError> {
    match if is_writable { file.try_lock() } else { file.try_lock_shared() } {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(data_in_use(file, data_file)),
        // A read-only disk may not support locks.
        Err(TryLockError::Error(_)) if !is_writable => Ok(()),
        Err(TryLockError::Error(error)) => Err(StoreError::io("Can't lock the data file", &error)),
    }
}

/// The error for a data file that another opening has locked.
fn data_in_use(file: &File, data_file: &FsPath) -> StoreError {
    let is_ours =
        file.metadata().is_ok_and(|found| open_files().contains_key(&file_identity(&found)));
    let target = fs::canonicalize(data_file).unwrap_or_else(|_| data_file.to_owned());
    let pid = if is_ours {
        Some(std::process::id())
    } else {
        // The process id is next to the file that a link leads to, not next to the link.
        open_chosen(&target.with_file_name(LOCK_FILE)).ok().and_then(|file| holder(&file))
    };
    if fs::symlink_metadata(data_file).is_ok_and(|found| found.is_symlink()) {
        return StoreError::LinkInUse { target: target.display().to_string(), pid };
    }
    StoreError::InUse { pid }
}

/// Unlocks without closing the file.
fn unlock(file: &File) {
    // Explicitly, because a process that another thread is spawning holds a copy of every open file
    // for a moment, and the lock lives as long as the copy.
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
    // Truncating the file first would free its block, which a full disk may not grant again.
    file.rewind()?;
    file.write_all(text.as_bytes())?;
    file.set_len(text.len() as u64)?;
    file.sync_all()
}

/// The data files that are open in this process, by device and file number, with the path of LMDB's lock file
/// of each. LMDB must not open a file twice in one process, under any name.
static OPEN_FILES: Mutex<BTreeMap<FileIdentity, PathBuf>> = Mutex::new(BTreeMap::new());

/// A data file's entry in the registry.
pub(in crate::store) struct Registration {
    identity: FileIdentity,
    /// Kept open as long as the entry: once a removed file is closed, the system may give its number to a new
    /// file.
    _file: File,
}

impl Registration {
    pub(in crate::store) fn take(data_file: &FsPath) -> Result<Self, StoreError> {
        let unreadable = |error| StoreError::io("Can't read the data file", &error);
        let file = open_chosen(data_file).map_err(unreadable)?;
        let identity = file_identity(&file.metadata().map_err(unreadable)?);
        match open_files().entry(identity) {
            Entry::Vacant(entry) => {
                entry.insert(data_file.with_file_name(LMDB_LOCK_FILE));
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

fn open_files() -> MutexGuard<'static, BTreeMap<FileIdentity, PathBuf>> {
    OPEN_FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens a file that the user chose, or one in a folder that the user chose. Refuses LMDB's lock file of a
/// store that is open in this process: closing it would drop the POSIX lock that LMDB holds on it.
///
/// # Errors
/// When it is such a file, or can't be opened.
pub fn open_chosen(file: &FsPath) -> io::Result<File> {
    open_chosen_with(File::options().read(true), file)
}

/// As [`open_chosen`], for writing to an existing file.
///
/// # Errors
/// As [`open_chosen`].
pub fn open_chosen_to_write(file: &FsPath) -> io::Result<File> {
    open_chosen_with(File::options().write(true), file)
}

/// Creates a file that the user named, with access for its owner only.
///
/// # Errors
/// When the name exists, or the file can't be created.
pub fn create_chosen(file: &FsPath) -> io::Result<File> {
    // `create_new` fails on an existing name, so this can't open the lock file of an open store.
    private_file().create_new(true).open(file)
}

fn open_chosen_with(options: &OpenOptions, file: &FsPath) -> io::Result<File> {
    // A file that does not exist yet can't be the lock file.
    let identity = fs::metadata(file).ok().map(|found| file_identity(&found));
    let is_it =
        |path: &PathBuf| fs::metadata(path).is_ok_and(|it| Some(file_identity(&it)) == identity);
    if open_files().values().any(is_it) {
        return Err(io::Error::other("it is the lock file of an open store; choose another file"));
    }
    if is_kernel_file(file) {
        return Err(io::Error::other(
            "it belongs to the system's kernel, and reading it may never end; copy its text to a file",
        ));
    }
    options.open(file)
}

/// Device and file number: equal for two names of one file.
#[cfg(unix)]
pub(in crate::store) fn file_identity(metadata: &fs::Metadata) -> FileIdentity {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

/// Whether the folder holds a store that no process has open.
pub(in crate::store) fn is_free(folder: &FsPath) -> bool {
    folder.join(LOCK_FILE).is_file() && AppLock::check_free(folder).is_ok()
}

/// Without file numbers every file counts as another one, and only `app.lock` keeps a second opener out.
#[cfg(not(unix))]
pub(super) fn file_identity(_: &fs::Metadata) -> FileIdentity {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    (0, NEXT.fetch_add(1, Ordering::Relaxed))
}
