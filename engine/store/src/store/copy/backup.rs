//! Backups that appear as a whole or not at all, and the rotation of older ones.
//!
//! LMDB's own copy to a path truncates the target first, deletes it on an error and never syncs. So the copy
//! goes to a private temporary file next to the target, is synced and walked, and then renamed. Older backups
//! under the same name become `NAME.1` and `NAME.2`.
//!
//! The walk also verifies the checksums of all rows, because LMDB copies a damaged document as it
//! is. A copy with damaged rows is the best copy of the present data, but an older backup may be
//! the best of the damaged documents. So it is named `NAME.damaged`, and no older backup is rotated
//! for it.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path as FsPath, PathBuf};

use super::stream;
use crate::limits::BACKUPS_KEPT;
use crate::store::file::app_lock::{file_identity, open_chosen};
use crate::store::file::folder::{DATA_FILE, free_bytes, sync_folder};
use crate::store::file::stale_files;
use crate::store::progress::{JobStep, Watch};
use crate::store::{DamagedRows, Store, StoreError, walk};

/// A finished backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupReport {
    /// Size of the file.
    pub bytes: u64,
    /// The file; `NAME.damaged` when the store holds damaged rows.
    pub file: PathBuf,
    /// All backups under the target's name, newest first.
    pub kept: Vec<PathBuf>,
    /// Damaged rows of the store, and thus of the copy.
    pub damaged: DamagedRows,
}

impl Store {
    /// Writes a consistent, compact copy to `target` while the store is in use. It appears as a whole or not at
    /// all. Older backups are rotated, and [`BACKUPS_KEPT`] are kept in all. If rows of the store are damaged,
    /// the copy replaces the last damaged copy instead, and no backup is rotated.
    ///
    /// # Errors
    /// When `target` is inside the data folder or is not a backup, there is not enough space, a step fails, or
    /// `watch` stops it. The older backups are then unchanged.
    pub fn backup_to(
        &self,
        target: &FsPath,
        watch: &mut Watch<'_>,
    ) -> Result<BackupReport, StoreError> {
        let total = self.used_bytes();
        let parent = parent_of(target);
        check_target(self.folder(), parent, target)?;
        check_room(parent, total)?;
        let mut part = PartFile::begin(parent, target)?;
        self.copy_compact(part.file.as_file_mut(), total, watch)?;
        // The copy is walked before it gets its name: a backup that can't be restored must not
        // replace one that can.
        let (bytes, damaged) = part.check(watch)?;
        let file = if damaged.count == 0 { part.publish()? } else { part.publish_damaged()? };
        Ok(BackupReport { bytes, kept: kept(target), file, damaged })
    }
}

/// The backups under this name, newest first.
pub fn kept(file: &FsPath) -> Vec<PathBuf> {
    (0..BACKUPS_KEPT).map(|age| numbered(file, age)).filter(|path| path.is_file()).collect()
}

/// The copy with damaged rows under this name, if there is one.
pub fn damaged_copy(file: &FsPath) -> Option<PathBuf> {
    Some(damaged_name(file)).filter(|copy| copy.is_file())
}

/// `NAME.age`; `NAME` for the newest.
fn numbered(file: &FsPath, age: usize) -> PathBuf {
    if age == 0 {
        return file.to_owned();
    }
    let mut name = file.as_os_str().to_owned();
    name.push(format!(".{age}"));
    PathBuf::from(name)
}

/// The temporary file of a backup.
struct PartFile<'t> {
    file: tempfile::NamedTempFile,
    parent: &'t FsPath,
    target: &'t FsPath,
}

impl<'t> PartFile<'t> {
    fn begin(parent: &'t FsPath, target: &'t FsPath) -> Result<Self, StoreError> {
        let prefix = part_prefix(target);
        // Without this, each killed backup would leave a file as large as the store.
        stale_files::remove_stale(parent, &prefix.to_string_lossy());
        let file = tempfile::Builder::new()
            .prefix(&prefix)
            .tempfile_in(parent)
            .map_err(|error| failed(&error))?;
        // Where locks are unsupported, `remove_stale` removes nothing.
        let _ = file.as_file().try_lock();
        Ok(Self { file, parent, target })
    }

    /// Syncs and walks it. Returns its size and its damaged rows.
    fn check(&self, watch: &mut Watch<'_>) -> Result<(u64, DamagedRows), StoreError> {
        let file = self.file.as_file();
        // Before the rename, or a power cut could leave the name without the contents.
        file.sync_all().map_err(|error| failed(&error))?;
        let bytes = file.metadata().map_err(|error| failed(&error))?.len();
        let report = walk::read_watched(file, watch)?;
        if let Some(finding) = report.findings.first() {
            return Err(StoreError::damaged(format!("the backup was discarded because {finding}")));
        }
        // The last moment at which the user can stop it: the renames must all happen or none.
        JobStep::Replacing.report(watch, 0, 0)?;
        Ok((bytes, report.rows))
    }

    /// Rotates the older backups and gives the file the target's name.
    fn publish(self) -> Result<PathBuf, StoreError> {
        let Self { file, parent, target } = self;
        let mut rotation = Rotation::default();
        let placed = rotation
            .make_room(target)
            .and_then(|()| file.persist(target).map_err(|error| failed(&error.error)));
        if let Err(error) = placed {
            rotation.undo();
            return Err(error);
        }
        // The rename is durable only with the folder. Only then may the surplus backup go.
        sync_folder(parent)?;
        // If the process is killed before this, the next backup removes it.
        let _ = fs::remove_file(oldest(target));
        Ok(target.to_owned())
    }

    /// Gives the file the name of a copy with damaged rows.
    fn publish_damaged(self) -> Result<PathBuf, StoreError> {
        let name = damaged_name(self.target);
        self.file.persist(&name).map_err(|error| failed(&error.error))?;
        sync_folder(self.parent)?;
        Ok(name)
    }
}

/// Renames of the older backups, which can be undone when the new one fails to get its name.
#[derive(Default)]
struct Rotation {
    /// Old and new names, in order of renaming.
    moved: Vec<(PathBuf, PathBuf)>,
    /// The second name of the newest backup, which still has its first one.
    linked: Option<PathBuf>,
}

impl Rotation {
    /// Rotates the older backups. `target` keeps its name until the new file replaces it, and the oldest one
    /// has a hidden name until then.
    fn make_room(&mut self, target: &FsPath) -> Result<(), StoreError> {
        let Ok(newest) = fs::metadata(target) else { return Ok(()) };
        let next = numbered(target, 1);
        // The last backup was killed at this point, after it had made the link.
        if fs::metadata(&next).is_ok_and(|next| file_identity(&next) == file_identity(&newest)) {
            return Ok(());
        }
        // Backups older than a free name keep theirs.
        let is_taken = |age: &usize| fs::symlink_metadata(numbered(target, *age)).is_ok();
        let taken = (1..BACKUPS_KEPT).take_while(is_taken).count();
        // From the oldest to the newest, or a rename would replace the next older one.
        for age in (1..=taken).rev() {
            let to =
                if age + 1 < BACKUPS_KEPT { numbered(target, age + 1) } else { oldest(target) };
            self.rename(numbered(target, age), to)?;
        }
        // With a link the target's name always leads to a complete backup, even if the process is
        // killed here.
        if fs::hard_link(target, &next).is_ok() {
            self.linked = Some(next);
            return Ok(());
        }
        // Without hard links the target's name is missing for a moment.
        self.rename(target.to_owned(), next)
    }

    fn rename(&mut self, from: PathBuf, to: PathBuf) -> Result<(), StoreError> {
        fs::rename(&from, &to).map_err(|error| failed(&error))?;
        self.moved.push((from, to));
        Ok(())
    }

    /// Restores the old names. A file that can't be renamed back keeps its new name.
    fn undo(self) {
        if let Some(linked) = self.linked {
            let _ = fs::remove_file(linked);
        }
        for (from, to) in self.moved.into_iter().rev() {
            let _ = fs::rename(to, from);
        }
    }
}

/// The name of a copy with damaged rows.
fn damaged_name(target: &FsPath) -> PathBuf {
    let mut name = target.as_os_str().to_owned();
    name.push(".damaged");
    PathBuf::from(name)
}

/// The hidden name of the surplus backup, until the new one has its name.
fn oldest(target: &FsPath) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(".oldest");
    target.with_file_name(name)
}

fn part_prefix(target: &FsPath) -> OsString {
    let mut prefix = OsString::from(".");
    prefix.push(target.file_name().unwrap_or_default());
    prefix.push(".part-");
    prefix
}

pub(super) fn parent_of(path: &FsPath) -> &FsPath {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(FsPath::new("."))
}

/// Refuses a disk with less free space than this.
pub(super) fn check_room(folder: &FsPath, bytes: u64) -> Result<(), StoreError> {
    match free_bytes(folder) {
        Some(free) if free < bytes => Err(StoreError::Io {
            what: format!(
                "Not enough disk space: the copy needs up to {bytes} bytes, and {} has {free} free",
                folder.display()
            ),
        }),
        _ => Ok(()),
    }
}

fn check_target(data_folder: &FsPath, parent: &FsPath, target: &FsPath) -> Result<(), StoreError> {
    let refused = |why: &str| StoreError::Io { what: format!("Can't write the backup: {why}") };
    // A symbolic link could lead into the data folder under another name.
    let parent = fs::canonicalize(parent).map_err(|error| failed(&error))?;
    // A backup in the data folder would be lost with it.
    if parent.starts_with(data_folder) {
        return Err(refused("the target is inside the data folder; choose another folder"));
    }
    let names = (0..BACKUPS_KEPT).map(|age| numbered(target, age));
    for path in names.chain([damaged_name(target)]) {
        let found = match fs::symlink_metadata(&path) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(failed(&error)),
        };
        if !found.is_file() {
            return Err(refused("the target exists and is not a regular file"));
        }
        // Compared by file number, because a hard link to the store's own file has another name.
        let data_file = fs::metadata(data_folder.join(DATA_FILE));
        if data_file.is_ok_and(|data| file_identity(&data) == file_identity(&found)) {
            return Err(refused("the target is the store's own file"));
        }
        // A typing error in the target must not cost a file that isn't a backup.
        if !may_be_replaced(&path).map_err(|error| failed(&error))? {
            return Err(refused(&format!(
                "{} exists and is not a backup; choose another name or delete it",
                path.display()
            )));
        }
    }
    Ok(())
}

/// Whether the file is empty, or starts like an LMDB file, damaged or not.
fn may_be_replaced(path: &FsPath) -> io::Result<bool> {
    let begin = begin_of(path)?;
    Ok(begin.is_empty() || walk::begins_like_a_store(&begin))
}

/// Whether the file starts like an LMDB file: a data file or a backup.
///
/// # Errors
/// When it can't be read.
pub fn is_data_file(path: &FsPath) -> io::Result<bool> {
    Ok(walk::begins_like_a_store(&begin_of(path)?))
}

fn begin_of(path: &FsPath) -> io::Result<Vec<u8>> {
    let mut begin = Vec::new();
    open_chosen(path)?.take(walk::HEADER_BEGIN_BYTES as u64).read_to_end(&mut begin)?;
    Ok(begin)
}

fn failed(error: &io::Error) -> StoreError {
    if matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) {
        return stream::not_written(error);
    }
    StoreError::io("Can't write the backup", error)
}
