//! Restores a backup into a new folder, which replaces the old one only once it is known to be sound. The old
//! folder is kept next to it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Path as FsPath, PathBuf};

use tempfile::TempDir;

use super::backup::{check_room, parent_of};
use super::stream;
use crate::limits::REPLACED_FOLDERS_MAX;
use crate::store::file::app_lock::{AppLock, create_chosen, is_free, open_chosen};
use crate::store::file::folder::{self, DATA_FILE, sync_folder};
use crate::store::file::identity::{FileStamp, IdentityCard};
use crate::store::file::stale_files;
use crate::store::progress::{JobStep, Watch};
use crate::store::{StoreError, StoreOptions, walk};

/// A backup, copied to a new folder, before the replacement. Dropping it removes the copy.
pub struct Restoration {
    /// The new folder, under a temporary name.
    unfinished: TempDir,
    /// Locked while this value lives, so that no other restore takes the copy for a stale one.
    _working: File,
    target: PathBuf,
    /// Keeps other processes out of the folder to be replaced.
    old: Option<AppLock>,
}

/// A finished restore.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoredFolder {
    /// The data folder.
    pub folder: PathBuf,
    /// Where the replaced folder is now, if there was one.
    pub before: Option<PathBuf>,
}

impl Restoration {
    /// Copies the backup to a private new folder next to `target` and checks the copy. With `replace`, `target`
    /// may hold a store that is not in use. Open the copy with the same options.
    ///
    /// # Errors
    /// When the backup is damaged, `target` is in use or not empty, there is not enough space, a step fails, or
    /// `watch` stops it. Everything is then unchanged.
    pub fn begin(
        backup: &FsPath,
        target: &FsPath,
        replace: bool,
        options: &StoreOptions,
        watch: &mut Watch<'_>,
    ) -> Result<Self, StoreError> {
        let (parent, name) = parent_and_name(target)?;
        let target = parent.join(&name);
        // Held until the swap, so that no other program opens the store that is about to be
        // replaced.
        let old = lock_target(&target, replace)?;
        let source = open_chosen(backup).map_err(|error| unreadable(&error))?;
        let bytes = begin_backup(&source)?;
        check_room(&parent, bytes)?;
        let prefix = unfinished_prefix(&name);
        stale_files::remove_stale(&parent, &prefix.to_string_lossy());
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        // The copy may hold documents that other users must not read.
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let unfinished =
            builder.prefix(&prefix).tempdir_in(&parent).map_err(|error| failed(&error))?;
        let working = create(&unfinished.path().join(stale_files::WORKING_FILE))?;
        // Where locks are unsupported, `remove_stale` removes nothing.
        let _ = working.try_lock();
        let restoration = Self { unfinished, _working: working, target, old };
        let copy = restoration.copy(&source, bytes, watch)?;
        // The copy is checked rather than the backup, which may change while it is read.
        restoration.check(&copy, options, watch)?;
        Ok(restoration)
    }

    fn copy(&self, source: &File, total: u64, watch: &mut Watch<'_>) -> Result<File, StoreError> {
        let mut from = source;
        io::Seek::rewind(&mut from).map_err(|error| unreadable(&error))?;
        let path = self.folder().join(DATA_FILE);
        let mut into = create(&path)?;
        stream::copy_blocks(&mut from, &mut into, &mut |done| {
            JobStep::Copying.report(watch, done, total)
        })?;
        into.sync_all().map_err(|error| failed(&error))?;
        // Read-only, because a subprocess may inherit this file.
        open_chosen(&path).map_err(|error| failed(&error))
    }

    /// Walks the copy, and writes its card, which records the walk.
    fn check(
        &self,
        copy: &File,
        options: &StoreOptions,
        watch: &mut Watch<'_>,
    ) -> Result<(), StoreError> {
        let report = walk::walk_picked(copy, options.walker.as_ref(), watch)?;
        if let Some(finding) = report.findings.first() {
            return Err(StoreError::damaged(format!("the backup can't be used because {finding}")));
        }
        let file = copy.metadata().ok().map(|found| FileStamp::of(&found));
        let last_transaction = walk::check_header(copy)?;
        IdentityCard { last_transaction, file, ..IdentityCard::new(options.now_ms) }
            .write(self.folder())
    }

    /// The data folder of the copy, to be opened, checked and closed again.
    pub fn folder(&self) -> &FsPath {
        self.unfinished.path()
    }

    /// Replaces `target` by the new folder.
    ///
    /// # Errors
    /// When the system refuses. The old folder then keeps its name.
    pub fn finish(self) -> Result<RestoredFolder, StoreError> {
        let Self { unfinished, _working, target, old } = self;
        // If there was no store at the start, one may have been created since.
        let old = old.map_or_else(|| lock_target(&target, false), |old| Ok(Some(old)))?;
        // From here on an interrupted restore leaves a complete store, which the next opening must
        // not remove as stale.
        fs::remove_file(unfinished.path().join(stale_files::WORKING_FILE))
            .map_err(|error| failed(&error))?;
        sync_folder(unfinished.path())?;
        let before = if target.exists() { Some(free_name(&target)?) } else { None };
        match &before {
            None => fs::rename(unfinished.path(), &target).map_err(|error| failed(&error))?,
            Some(before) => swap(unfinished.path(), &target, before)?,
        }
        // Keeps `TempDir` from removing its old name, which may belong to something else now.
        let _ = unfinished.keep();
        sync_folder(parent_of(&target))?;
        // The lock goes last: until the folder is synced, no one may open either store.
        drop(old);
        Ok(RestoredFolder { folder: target, before })
    }
}

/// The data files of stores that restores have replaced. Each can be checked and restored like a backup.
pub fn replaced(folder: &FsPath) -> Vec<PathBuf> {
    let files =
        (1..=REPLACED_FOLDERS_MAX).map(|number| replaced_name(folder, number).join(DATA_FILE));
    files.filter(|file| file.is_file()).collect()
}

/// Finds complete stores that an interrupted restore left next to a data folder under a hidden name: the
/// replaced one, or the restored one. Gives each the name of a replaced store, and warns.
pub(in crate::store) fn recover(target: &FsPath, warnings: &mut Vec<String>) {
    let Some(name) = target.file_name() else { return };
    let prefix = unfinished_prefix(name);
    let prefix = prefix.to_string_lossy();
    let Ok(found) = fs::read_dir(parent_of(target)) else { return };
    for entry in found.flatten() {
        let hidden = entry.path();
        let is_stale = entry.file_name().to_string_lossy().starts_with(&*prefix)
            && hidden.join(DATA_FILE).is_file()
            && !hidden.join(stale_files::WORKING_FILE).exists()
            && is_free(&hidden);
        if !is_stale {
            continue;
        }
        let named = free_name(target).and_then(|named| {
            fs::rename(&hidden, &named).map_err(|error| failed(&error))?;
            Ok(named)
        });
        let place = named.unwrap_or(hidden);
        warnings.push(format!(
            "A restore was interrupted. A second copy of this store is in {}; check both before you \
             delete one.",
            place.display()
        ));
    }
}

/// Checks that a restored store may replace this folder, and locks the store in it.
fn lock_target(target: &FsPath, replace: bool) -> Result<Option<AppLock>, StoreError> {
    let found = match fs::symlink_metadata(target) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(&error)),
    };
    let refused = |what: &str| StoreError::Io { what: format!("{} {what}", target.display()) };
    if !found.is_dir() {
        return Err(refused("is not a folder"));
    }
    if fs::read_dir(target).map_err(|error| failed(&error))?.next().is_none() {
        return Ok(None);
    }
    if !target.join(DATA_FILE).exists() {
        return Err(refused("contains other files and no store; choose another folder"));
    }
    if !replace {
        return Err(refused(
            "already contains a store; confirm the replacement (--replace on the command line)",
        ));
    }
    AppLock::take(target, false).map(Some)
}

/// Checks the header of a backup. Returns its size.
fn begin_backup(source: &File) -> Result<u64, StoreError> {
    let metadata = source.metadata().map_err(|error| unreadable(&error))?;
    if !metadata.is_file() {
        return Err(StoreError::NotADatabase { what: "a backup is a file".to_owned() });
    }
    match walk::check_begin(source) {
        Err(StoreError::Damaged { what }) => {
            Err(StoreError::damaged(format!("the backup can't be used because {what}")))
        }
        other => other.map(|()| metadata.len()),
    }
}

/// The folder's canonical parent, and its name.
fn parent_and_name(target: &FsPath) -> Result<(PathBuf, OsString), StoreError> {
    // An existing folder may be given as a link or with `..`. Only its real name can be swapped.
    let target = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
    let Some(name) = target.file_name() else {
        return Err(StoreError::Io { what: "This folder can't be replaced".to_owned() });
    };
    let parent = fs::canonicalize(parent_of(&target)).map_err(|error| failed(&error))?;
    folder::check_drive(&parent)?;
    Ok((parent, name.to_owned()))
}

fn unfinished_prefix(name: &OsStr) -> OsString {
    let mut prefix = OsString::from(".");
    prefix.push(name);
    prefix.push(".restoring-");
    prefix
}

/// `DIR.before-restore-N`.
fn replaced_name(target: &FsPath, number: usize) -> PathBuf {
    let mut name = target.as_os_str().to_owned();
    name.push(format!(".before-restore-{number}"));
    PathBuf::from(name)
}

/// The first unused name of a replaced store.
fn free_name(target: &FsPath) -> Result<PathBuf, StoreError> {
    let mut names = (1..=REPLACED_FOLDERS_MAX).map(|number| replaced_name(target, number));
    names.find(|path| fs::symlink_metadata(path).is_err()).ok_or_else(|| StoreError::Io {
        what: format!(
            "Too many folders from earlier restores ({REPLACED_FOLDERS_MAX}); delete some"
        ),
    })
}

/// Renames `target` to `before` and `new` to `target`. Where the system can exchange two names, a store has
/// the target's name at every moment.
fn swap(new: &FsPath, target: &FsPath, before: &FsPath) -> Result<(), StoreError> {
    if exchange(new, target) {
        return fs::rename(new, before).map_err(|error| {
            // Undo the exchange, so that nothing changes.
            exchange(new, target);
            failed(&error)
        });
    }
    fs::rename(target, before).map_err(|error| failed(&error))?;
    fs::rename(new, target).map_err(|error| {
        // The first error is the one to report.
        let _ = fs::rename(before, target);
        failed(&error)
    })
}

/// Exchanges two names atomically. False when the system can't.
#[cfg(target_os = "linux")]
fn exchange(one: &FsPath, other: &FsPath) -> bool {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn exchange(_: &FsPath, _: &FsPath) -> bool {
    false
}

fn create(path: &FsPath) -> Result<File, StoreError> {
    create_chosen(path).map_err(|error| failed(&error))
}

fn unreadable(error: &io::Error) -> StoreError {
    StoreError::io("Can't read the backup", error)
}

fn failed(error: &io::Error) -> StoreError {
    if matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) {
        return stream::not_written(error);
    }
    StoreError::io("Can't restore the backup", error)
}
