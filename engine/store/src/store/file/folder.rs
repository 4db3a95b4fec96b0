//! The data folder: its permissions, its disk, and the space that LMDB's lock file needs in advance.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path as FsPath;

#[cfg(unix)]
use rustix::fs::Access;

use super::app_lock::open_chosen_to_write;
use crate::limits::READERS_MAX;
use crate::store::StoreError;

pub(in crate::store) const DATA_FILE: &str = "data.mdb";
/// The warning about a data folder that other users can open.
pub const OPEN_TO_OTHERS: &str =
    "Other users on this computer can open the data folder. Restrict access with chmod 700.";
pub(super) const LMDB_LOCK_FILE: &str = "lock.mdb";

/// LMDB's reader table: 64 bytes a reader, and at most a page for its header.
const LOCK_FILE_BYTES: u64 = 64 * READERS_MAX as u64 + 4096;

/// Creates the folder if it is missing, with access for its owner only. Warns when other users can open an
/// existing one.
pub(in crate::store) fn prepare(
    folder: &FsPath,
    read_only: bool,
    warnings: &mut Vec<String>,
) -> Result<(), StoreError> {
    match fs::metadata(folder) {
        Ok(metadata) if metadata.is_dir() => {
            if is_open_to_others(&metadata) {
                warnings.push(OPEN_TO_OTHERS.to_owned());
            }
            Ok(())
        }
        Ok(_) => {
            Err(StoreError::NotADatabase { what: "it is a file; a store is a folder".to_owned() })
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound && !read_only => {
            // The missing parents are listed before they are created; afterwards nothing
            // distinguishes them.
            let changed = parents_of_missing(folder);
            create_private(folder)
                .map_err(|error| StoreError::io("Can't create the data folder", &error))?;
            changed.into_iter().try_for_each(sync_folder)
        }
        Err(error) => Err(StoreError::io("Can't open the data folder", &error)),
    }
}

/// The folders in which creating this one, and its missing parents, adds an entry. Each must be synced.
fn parents_of_missing(folder: &FsPath) -> Vec<&FsPath> {
    let is_missing = |path: &&FsPath| !path.as_os_str().is_empty() && !path.exists();
    folder.ancestors().take_while(is_missing).filter_map(FsPath::parent).collect()
}

#[cfg(unix)]
fn is_open_to_others(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o077 != 0
}

#[cfg(not(unix))]
fn is_open_to_others(_: &fs::Metadata) -> bool {
    false
}

pub(super) fn create_private(folder: &FsPath) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Options that create a file with access for its owner only.
pub(in crate::store) fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // No truncation: the same options open lock files and data files that already exist.
    options
}

/// Syncs the entries of the data folder, so that new names survive a power failure.
pub(in crate::store) fn sync_folder(folder: &FsPath) -> Result<(), StoreError> {
    sync_names(folder).map_err(|error| StoreError::io("Can't sync the data folder to disk", &error))
}

/// Syncs the entries of any folder. A no-op on Windows, which can't open a folder and syncs it by itself.
///
/// # Errors
/// The folder can't be opened or synced.
pub fn sync_names(folder: &FsPath) -> io::Result<()> {
    // The parent of a plain file name is the empty path, which can't be opened.
    let folder = if folder.as_os_str().is_empty() { FsPath::new(".") } else { folder };
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Replaces a small file. After a crash at any moment it is the old one or the new one, whole. What a crash leaves is
/// next to it and has a name that begins with `unfinished`. Only its owner can read the new file.
///
/// # Errors
/// When a step fails. The old file is then unchanged, unless only the folder could not be flushed.
pub fn replace_file(path: &FsPath, bytes: &[u8], unfinished: &str) -> io::Result<()> {
    replace(path, bytes, tempfile::Builder::new().prefix(unfinished))
}

/// The same for a file that others may read as far as the system's settings let them, such as a page to
/// hand out.
///
/// # Errors
/// As [`replace_file`].
pub fn replace_shared_file(path: &FsPath, bytes: &[u8], unfinished: &str) -> io::Result<()> {
    replace(path, bytes, shared_part().prefix(unfinished))
}

/// Makes the unfinished form of a file that others may read.
pub fn shared_part() -> tempfile::Builder<'static, 'static> {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "other systems have no such mode"))]
    let mut builder = tempfile::Builder::new();
    // The system takes away what its settings don't grant.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}

fn replace(path: &FsPath, bytes: &[u8], part: &mut tempfile::Builder<'_, '_>) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or_else(|| FsPath::new("."));
    let mut file = part.tempfile_in(folder)?;
    file.write_all(bytes)?;
    // The contents are flushed before the rename, or a power failure could leave the name on an
    // empty file.
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    sync_names(folder)
}

/// Whether the kernel makes up the contents of a file, such as `/proc/kmsg`. A pipe under `/dev/fd`
/// is none.
pub(in crate::store) fn is_kernel_file(file: &FsPath) -> bool {
    #[cfg(target_os = "linux")]
    // A read of such a file may wait forever.
    if let Ok(found) = rustix::fs::statfs(file) {
        // proc, sysfs, debugfs, tracefs.
        const KERNEL: [u64; 4] = [0x9FA0, 0x6265_6572, 0x6462_6720, 0x7472_6163];
        return KERNEL.contains(&(u64::from_ne_bytes(found.f_type.to_ne_bytes()) & 0xFFFF_FFFF));
    }
    let _ = file;
    false
}

/// Refuses file systems on which LMDB's locks and memory map are unreliable.
pub(in crate::store) fn check_drive(folder: &FsPath) -> Result<(), StoreError> {
    #[cfg(target_os = "linux")]
    if let Ok(found) = rustix::fs::statfs(folder)
        && let Some(drive) = network_drive(u64::from_ne_bytes(found.f_type.to_ne_bytes()))
    {
        return Err(StoreError::NetworkDrive { drive: drive.to_owned() });
    }
    let _ = folder;
    Ok(())
}

/// The name of a network or user-space file system, by Linux's `f_type`.
#[cfg(any(target_os = "linux", test))]
fn network_drive(number: u64) -> Option<&'static str> {
    // Where `f_type` is signed, the conversion fills the upper half with ones.
    Some(match number & 0xFFFF_FFFF {
        0x6969 => "NFS",
        0x517B | 0xFF53_4D42 | 0xFE53_4D42 => "SMB",
        0x0102_1997 => "9p",
        0x6573_5546 => "FUSE",
        0x00C3_6400 => "Ceph",
        0x5346_414F | 0x6B41_4653 => "AFS",
        0x7375_7245 => "Coda",
        0x564C => "NCP",
        _ => return None,
    })
}

/// Bytes that this user may still write to the folder's disk, where the system reports it.
pub(in crate::store) fn free_bytes(folder: &FsPath) -> Option<u64> {
    #[cfg(unix)]
    {
        let found = rustix::fs::statvfs(folder).ok()?;
        // `f_bavail` leaves out the blocks that are reserved for root; `f_bfree` would promise too
        // much.
        found.f_bavail.checked_mul(found.f_frsize)
    }
    #[cfg(not(unix))]
    {
        let _ = folder;
        None
    }
}

/// Size of the folder's disk, where the system reports it.
pub(in crate::store) fn disk_bytes(folder: &FsPath) -> Option<u64> {
    #[cfg(unix)]
    {
        let found = rustix::fs::statvfs(folder).ok()?;
        found.f_blocks.checked_mul(found.f_frsize)
    }
    #[cfg(not(unix))]
    {
        let _ = folder;
        None
    }
}

/// Refuses a folder that this user may not list or enter.
pub(in crate::store) fn check_readable(folder: &FsPath) -> Result<(), StoreError> {
    #[cfg(unix)]
    if let Err(error) = rustix::fs::access(folder, Access::READ_OK | Access::EXEC_OK) {
        let why = io::Error::from(error);
        return Err(StoreError::Io { what: format!("Can't open the data folder: {why}") });
    }
    let _ = folder;
    Ok(())
}

/// Whether files can be created in the folder. Where the system can't tell in advance, this is true, and
/// creating one fails.
pub(in crate::store) fn takes_files(folder: &FsPath) -> bool {
    #[cfg(unix)]
    {
        rustix::fs::access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
    }
    #[cfg(not(unix))]
    {
        let _ = folder;
        true
    }
}

/// Whether an existing file may be written.
pub(in crate::store) fn is_writable(file: &FsPath) -> Result<bool, StoreError> {
    match open_chosen_to_write(file) {
        Ok(_) => Ok(true),
        Err(error) => match StoreError::io("Can't write the data file", &error) {
            StoreError::ReadOnly { .. } => Ok(false),
            error => Err(error),
        },
    }
}

/// Drops a file from the page cache, so that the next read gets what is on disk.
pub(in crate::store) fn forget_cached(file: &File) {
    #[cfg(target_os = "linux")]
    let _ = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed);
    let _ = file;
}

/// Allocates `lock.mdb` in full. Closing a file drops all POSIX locks of this process on it. So no
/// environment may have this one open: the caller holds `app.lock` and the registration of the data
/// file.
pub(in crate::store) fn reserve_lock_file(folder: &FsPath) -> Result<(), StoreError> {
    let failed = |error: &io::Error| StoreError::io("Can't create the store's lock file", error);
    let file = private_file().open(folder.join(LMDB_LOCK_FILE)).map_err(|error| failed(&error))?;
    // LMDB maps the file, and on a full disk a write to an unallocated block of a map kills the
    // process.
    allocate(&file, LOCK_FILE_BYTES).map_err(|error| failed(&error))
}

/// Extends a file to at least this length, with every block allocated.
pub(super) fn allocate(file: &File, bytes: u64) -> io::Result<()> {
    let len = file.metadata()?.len();
    if reserved(file, bytes)? || len >= bytes {
        return Ok(());
    }
    // Zeros are written because extending the length alone would leave a hole without blocks.
    io::Seek::seek(&mut &*file, io::SeekFrom::End(0))?;
    io::copy(&mut io::Read::take(io::repeat(0), bytes - len), &mut &*file).map(drop)
}

/// False where the file system can't reserve.
#[cfg(target_os = "linux")]
fn reserved(file: &File, bytes: u64) -> io::Result<bool> {
    use rustix::io::Errno;
    match rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), 0, bytes) {
        Ok(()) => Ok(true),
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn reserved(_: &File, _: u64) -> io::Result<bool> {
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parent_of_a_new_folder_is_synced() {
        let parent = tempfile::tempdir().expect("a folder");
        let parent = parent.path();
        let new = parent.join("a/b/c");
        assert_eq!(parents_of_missing(&new), [&*parent.join("a/b"), &*parent.join("a"), parent]);
        assert_eq!(parents_of_missing(&parent.join("a")), [parent]);
        assert_eq!(parents_of_missing(parent), Vec::<&FsPath>::new());
        let relative = FsPath::new("no such folder/b");
        assert_eq!(parents_of_missing(relative), [FsPath::new("no such folder"), FsPath::new("")]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_read_of_a_kernel_file_is_not_begun() {
        for file in ["/proc/kmsg", "/proc/version", "/sys/kernel"] {
            assert!(is_kernel_file(FsPath::new(file)), "{file}");
        }
        let file = tempfile::NamedTempFile::new().expect("a file");
        assert!(!is_kernel_file(file.path()));
        assert!(!is_kernel_file(FsPath::new("/dev/null")));
        let refused = super::super::app_lock::open_chosen(FsPath::new("/proc/kmsg"));
        assert!(refused.expect_err("refused").to_string().contains("kernel"));
    }

    #[test]
    fn knows_network_drives_by_number() {
        assert_eq!(network_drive(0x6969), Some("NFS"));
        assert_eq!(network_drive(0xFFFF_FFFF_FF53_4D42), Some("SMB"));
        assert_eq!(network_drive(0xEF53), None, "ext4");
        assert_eq!(network_drive(0x0102_1994), None, "tmpfs");
    }

    #[cfg(unix)]
    #[test]
    fn a_shared_file_is_as_open_as_any_and_another_is_private() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        fs::write(path("any"), "").expect("written");
        replace_shared_file(&path("shared"), b"", ".new-").expect("written");
        replace_file(&path("private"), b"", ".new-").expect("written");
        let mode = |name: &str| {
            fs::metadata(path(name)).expect("it is there").permissions().mode() & 0o777
        };
        assert_eq!((mode("shared"), mode("private")), (mode("any"), 0o600));
    }
}
