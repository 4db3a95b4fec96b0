//! Opens a store, step by step. The order matters: LMDB runs only once this process holds the folder, the lock
//! file is allocated on disk, and the data file was checked with plain reads.

use std::fs::{self, File};
use std::ops::ControlFlow;
use std::path::Path as FsPath;
use std::sync::Arc;

use super::copy::{compact, restore};
use super::file::app_lock::{AppLock, Registration, open_chosen};
use super::file::folder::{self, DATA_FILE};
use super::file::identity::{FORMAT_VERSION, FileStamp, IdentityCard, UNFINISHED_PREFIX};
use super::file::stale_files;
use super::handle::{HeldFolder, OpenParts};
use super::opening_walk::Unwalked;
use super::txn::env::{Environment, EnvironmentOptions};
use super::walk::PageGuard;
use super::{
    DamagedRows, JobProgress, OpenReport, Reader, Store, StoreError, StoreOptions, StructureReport,
    Writer, walk,
};
use crate::limits::DISK_FREE_BYTES_LOW;

/// The largest size of LMDB's two header pages.
const HEADER_BYTES_MAX: u64 = 2 * 65_536;
/// The row of the table `meta` with the store's UUID.
const UUID: &str = "uuid";
/// The row of the table `meta` with the format version.
const FORMAT: &str = "formatVersion";

impl Store {
    /// Opens the store in `folder`, or creates one there. A folder that can't be written is opened read-only,
    /// with a warning in the report.
    ///
    /// # Errors
    /// Any kind but `Busy`.
    pub fn open(
        folder: &FsPath,
        options: &StoreOptions,
    ) -> Result<(Store, OpenReport), StoreError> {
        let (parts, report) = open(folder, options)?;
        Ok((Self::new(parts)?, report))
    }
}

fn open(folder: &FsPath, options: &StoreOptions) -> Result<(OpenParts, OpenReport), StoreError> {
    let mut warnings = Vec::new();
    folder::prepare(folder, options.read_only, &mut warnings)?;
    let folder = fs::canonicalize(folder)
        .map_err(|error| StoreError::io("Can't open the data folder", &error))?;
    folder::check_readable(&folder)?;
    folder::check_drive(&folder)?;
    let data_path = folder.join(DATA_FILE);
    let (mut lock, read_only) = take_lock(&folder, &data_path, options.read_only, &mut warnings)?;
    if read_only.is_none() {
        recover(&folder, &data_path, &mut lock, &mut warnings)?;
    }
    let card = IdentityCard::read(&folder, &mut warnings)?;
    let created = is_new(&data_path, card.as_ref())?;
    if created {
        create_data_file(&folder, &data_path, read_only.is_some(), options.now_ms, &mut lock)?;
    }
    // LMDB must not open a file twice in one process: closing one of the two would drop the POSIX
    // locks of the other.
    let registration = Registration::take(&data_path)?;
    if read_only.is_none() {
        prepare_files(&folder, &mut warnings)?;
    }
    let full_check = options.full_check || read_only.is_some();
    let how = StoreOptions { full_check, ..options.clone() };
    let mut check = FileCheck::default();
    if !created {
        check = check_data_file(&data_path, card.as_ref(), &lock, &how, &mut warnings)?;
    }
    let guard = check.guard.take();
    let env = Environment::open(&folder, options.environment(read_only.is_some()), guard.clone())?;
    let card_on_disk = card.clone();
    let mut card = identify(&env, card, read_only.is_some(), options.now_ms, &mut warnings)?;
    if check.was_walked {
        card.last_walk_ms = Some(options.now_ms);
    }
    let is_other = check.is_behind || !created && is_foreign(card_on_disk.as_ref(), &card);
    let mut unwritten_restore_ms = None;
    if read_only.is_none() {
        // A killed process leaves reader slots, whose snapshots keep freed pages from being reused.
        env.env().clear_stale_readers()?;
        if is_other && !note_restored(&env, options.now_ms, &mut warnings)? {
            // The old card stays, so that the next opening finds the replaced file again.
            unwritten_restore_ms = Some(options.now_ms);
        } else {
            update_card(&card, card_on_disk.as_ref(), &folder)?;
        }
        compact::remove_old_file(&folder);
        lock.end_cleanly();
    }
    let unclean = lock.was_unclean && !created && read_only.is_none();
    let identity = card.identity.clone();
    let (read_only_now, damaged) = (read_only.is_some(), check.damaged);
    let report =
        OpenReport { identity, unclean, created, read_only: read_only_now, warnings, damaged };
    let held = HeldFolder { card, _registration: registration, lock };
    let ballast_bytes_max = options.ballast_bytes_max;
    let now_ms = options.now_ms;
    let unwalked = guard.zip(check.file).map(|(guard, file)| Unwalked { guard, file, now_ms });
    let parts = OpenParts {
        env,
        folder,
        held,
        read_only,
        unwritten_restore_ms,
        ballast_bytes_max,
        unwalked,
    };
    Ok((parts, report))
}

/// Finishes or undoes what a killed process left in the folder.
fn recover(
    folder: &FsPath,
    data_path: &FsPath,
    lock: &mut AppLock,
    warnings: &mut Vec<String>,
) -> Result<(), StoreError> {
    compact::recover(folder, warnings)?;
    // It may have given the name to another file.
    lock.hold_data(data_path)?;
    // Only the lock holder writes such files, so these are stale.
    stale_files::remove_stale(folder, UNFINISHED_PREFIX);
    restore::recover(folder, warnings);
    Ok(())
}

/// Refuses a shared data file, allocates the lock file, and warns of a disk that is almost full.
fn prepare_files(folder: &FsPath, warnings: &mut Vec<String>) -> Result<(), StoreError> {
    refuse_second_name(folder)?;
    if folder::free_bytes(folder).is_some_and(|bytes| bytes < DISK_FREE_BYTES_LOW) {
        warnings.push("The disk is almost full.".to_owned());
    }
    folder::reserve_lock_file(folder)
}

/// Whether the data file, with the card `found`, belongs to another store than the card on disk. A data file
/// without a card was copied into the folder.
fn is_foreign(on_disk: Option<&IdentityCard>, found: &IdentityCard) -> bool {
    on_disk.is_none_or(|old| old.had_data && old.identity.uuid != found.identity.uuid)
}

/// Refuses a data file with a second name. The name that an interrupted compaction has left is
/// removed once the store is open.
fn refuse_second_name(folder: &FsPath) -> Result<(), StoreError> {
    let Some(names) = compact::foreign_names(folder).filter(|names| *names > 1) else {
        return Ok(());
    };
    // A program that opens the file by the other name does not see our lock.
    Err(StoreError::SharedFile { names })
}

/// Creates the card and the empty data file of a new store.
fn create_data_file(
    folder: &FsPath,
    data_path: &FsPath,
    read_only: bool,
    now_ms: i64,
    lock: &mut AppLock,
) -> Result<(), StoreError> {
    if read_only {
        return Err(StoreError::NotADatabase { what: "the folder holds no data file".to_owned() });
    }
    // The card comes first: it tells a partial header that a first opening has left from a foreign
    // file.
    IdentityCard::write(&IdentityCard::new(now_ms), folder)?;
    let failed = |error| StoreError::io("Can't create the data file", &error);
    let file = folder::private_file().open(data_path).map_err(failed)?;
    lock.hold_data(data_path)?;
    file.set_len(0).map_err(failed)?;
    folder::sync_folder(folder)
}

/// Records in the store that its file was replaced, by an older one or by another store's. False when that
/// failed.
fn note_restored(
    env: &Environment,
    now_ms: i64,
    warnings: &mut Vec<String>,
) -> Result<bool, StoreError> {
    let mut writer = Writer::begin(env, None)?;
    let marked = writer.mark_restored(now_ms);
    // On a full disk the store must still open.
    let is_noted = marked.is_ok() && writer.commit().is_ok();
    if !is_noted {
        warnings.push("The store could not record that its data file was replaced.".to_owned());
    }
    Ok(is_noted)
}

/// Takes the lock for writing if that is requested and possible. Otherwise takes it for reading, and returns
/// why.
fn take_lock(
    folder: &FsPath,
    data_path: &FsPath,
    read_only: bool,
    warnings: &mut Vec<String>,
) -> Result<(AppLock, Option<String>), StoreError> {
    if read_only {
        return Ok((AppLock::take(folder, true)?, Some("it was opened read-only".to_owned())));
    }
    // Without data there is nothing to read: the error must say why no store can be created.
    let has_data = fs::metadata(data_path).is_ok_and(|found| found.is_file() && found.len() > 0);
    let what = match AppLock::take(folder, false) {
        Err(StoreError::ReadOnly { .. }) if has_data && folder::takes_files(folder) => {
            "its files can't be written"
        }
        Err(StoreError::ReadOnly { .. }) if has_data => "its folder can't be written",
        Ok(lock) if !has_data || folder::is_writable(data_path)? => return Ok((lock, None)),
        Ok(_) => "its data file can't be written",
        Err(error) => return Err(error),
    };
    warnings.push(format!("The store is open read-only because {what}. Nothing is removed."));
    Ok((AppLock::take(folder, true)?, Some(what.to_owned())))
}

/// Writes a new card if the old one differs. On a full disk an old one may stay if it only lacks the last walk
/// or transaction: that costs an extra walk, no more.
fn update_card(
    card: &IdentityCard,
    on_disk: Option<&IdentityCard>,
    folder: &FsPath,
) -> Result<(), StoreError> {
    if on_disk == Some(card) {
        return Ok(());
    }
    let old_holds = on_disk.is_some_and(|old| old.still_holds(card));
    match card.write(folder) {
        Err(StoreError::DiskFull { .. }) if old_holds => Ok(()),
        result => result,
    }
}

/// Reopens the environment of a store after a failed write. The file must be sound as it is on disk, and not
/// older than the last acknowledged transaction.
pub(super) fn open_again(
    folder: &FsPath,
    options: EnvironmentOptions,
    last_transaction: u64,
) -> Result<Environment, StoreError> {
    let file = open_chosen(&folder.join(DATA_FILE))
        .map_err(|error| StoreError::io("Can't read the data file", &error))?;
    // After a failed flush the cache may hold pages that never reached the disk.
    folder::forget_cached(&file);
    if walk::check_header(&file)? < last_transaction {
        return Err(StoreError::damaged(
            "an earlier change is missing after a failed write to the disk",
        ));
    }
    let report = walk::read_watched(&file, &mut ignore_progress)?;
    refuse_damage(&report)?;
    drop(file);
    // LMDB maps the lock file again. If it was removed in between, its blocks must be allocated
    // again.
    folder::reserve_lock_file(folder)?;
    Environment::open(folder, options, Some(Arc::new(PageGuard::walked(report.rows))))
}

/// Whether there is no data yet. An empty file in place of former data is damage, not a new store.
fn is_new(data_path: &FsPath, card: Option<&IdentityCard>) -> Result<bool, StoreError> {
    let len = match fs::metadata(data_path) {
        Ok(metadata) if metadata.is_file() => metadata.len(),
        Ok(_) => {
            let what = format!("{DATA_FILE} is not a file");
            return Err(StoreError::NotADatabase { what });
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => 0,
        Err(error) => return Err(StoreError::io("Can't read the data file", &error)),
    };
    if len == 0 && card.is_some_and(|card| card.had_data) {
        return Err(StoreError::damaged(format!(
            "{DATA_FILE} is empty or missing; restore a backup"
        )));
    }
    // The first opening of this store was interrupted. Nothing was acknowledged, and the header may be partial.
    let is_begun = card.is_some_and(|card| !card.had_data) && len <= HEADER_BYTES_MAX;
    Ok(len == 0 || is_begun && !has_header(data_path)?)
}

/// Whether the file begins like a store.
fn has_header(data_path: &FsPath) -> Result<bool, StoreError> {
    let file = open_chosen(data_path)
        .map_err(|error| StoreError::io("Can't read the data file", &error))?;
    match walk::check_header(&file) {
        Ok(_) => Ok(true),
        // A file that can't be read now is not an empty one: taking it for new would cost its data.
        Err(error @ StoreError::Io { .. }) => Err(error),
        Err(_) => Ok(false),
    }
}

/// The result of checking the data file before it is opened.
#[derive(Default)]
struct FileCheck {
    /// The file is older than when the store was last closed.
    is_behind: bool,
    was_walked: bool,
    /// Damaged rows, if the walk has ended.
    damaged: DamagedRows,
    /// On, if the walk has not ended; it continues with `file`.
    guard: Option<Arc<PageGuard>>,
    file: Option<File>,
}

/// Checks the headers and walks the file, because LMDB must not follow a damaged page. A large file that looks as
/// it was closed is walked later; until then a guard takes the place of the walk.
fn check_data_file(
    data_path: &FsPath,
    card: Option<&IdentityCard>,
    lock: &AppLock,
    options: &StoreOptions,
    warnings: &mut Vec<String>,
) -> Result<FileCheck, StoreError> {
    let file = open_chosen(data_path)
        .map_err(|error| StoreError::io("Can't read the data file", &error))?;
    // Someone else may have made the file to break its reader, so the subprocess reads it before
    // even the header is read here.
    let walked = walk_foreign(&file, card, lock, options)?;
    let transaction = walk::check_header(&file)?;
    let is_behind = card.is_some_and(|card| transaction < card.last_transaction);
    if is_behind {
        warnings.push(format!(
            "{DATA_FILE} is older than when the store was last closed: changes are missing."
        ));
    }
    // A file that is older anyway was reported above; two warnings would describe one loss.
    if !is_behind && walk::is_last_commit_lost(&file)? {
        warnings.push(
            "The last change may be missing: its transaction is incomplete or damaged.".to_owned(),
        );
    }
    if card.is_none() {
        warnings.push("identity.json was missing; the data file was checked.".to_owned());
    }
    let stamp = file.metadata().ok().map(|found| FileStamp::of(&found));
    // A clean close records the file's stamp. A file with another one was put there by hand.
    let is_other = card.is_none_or(|card| !card.knows_file(transaction, stamp));
    let is_long = stamp.is_some_and(|stamp| stamp.bytes() > options.open_walk_bytes);
    let must_end = options.full_check || lock.was_unclean || is_other;
    if walked.is_none() && is_long && !must_end {
        let guard = Some(Arc::new(PageGuard::new(&file)?));
        return Ok(FileCheck { is_behind, guard, file: Some(file), ..FileCheck::default() });
    }
    let report = match walked {
        Some(report) => report,
        None => walk::read_watched(&file, &mut ignore_progress)?,
    };
    refuse_damage(&report)?;
    let guard = Some(Arc::new(PageGuard::walked(report.rows.clone())));
    Ok(FileCheck { is_behind, was_walked: true, damaged: report.rows, guard, file: None })
}

/// Walks a file that was not the last one open in this folder in a subprocess, if there is a walker, before
/// anything else reads it. Returns what that found.
fn walk_foreign(
    file: &File,
    card: Option<&IdentityCard>,
    lock: &AppLock,
    options: &StoreOptions,
) -> Result<Option<StructureReport>, StoreError> {
    let stamp = file.metadata().ok().map(|found| FileStamp::of(&found));
    let is_own = card.is_some_and(|card| card.is_own(stamp, lock.was_unclean));
    let Some(walker) = options.walker.as_ref().filter(|_| !is_own) else { return Ok(None) };
    let report = walk::walk_picked(file, Some(walker), &mut ignore_progress)?;
    refuse_damage(&report)?;
    Ok(Some(report))
}

fn refuse_damage(report: &StructureReport) -> Result<(), StoreError> {
    report.findings.first().map_or(Ok(()), |first| Err(StoreError::damaged(first.as_str())))
}

fn ignore_progress(_: JobProgress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// The error for a store of unknown format.
fn unidentified() -> StoreError {
    StoreError::damaged(
        "its UUID or format version can't be read; restore a backup, or extract the documents with \
         LMDB's mdb_dump",
    )
}

/// Compares the identity inside the data file with the card, and gives a new store one.
fn identify(
    env: &Environment,
    card: Option<IdentityCard>,
    read_only: bool,
    now_ms: i64,
    warnings: &mut Vec<String>,
) -> Result<IdentityCard, StoreError> {
    let mut card = card.unwrap_or_else(|| IdentityCard::new(now_ms));
    let (uuid, format) = {
        let txn = env.read()?;
        // An unreadable version must not count as a missing one: the arm for new stores would
        // overwrite it.
        let reader = Reader::new(&txn, &env.tables, None);
        let own = reader.meta(UUID).and_then(|uuid| Ok((uuid, reader.meta(FORMAT)?)));
        let (uuid, format) = StoreError::unless_damaged(own)?.ok_or_else(unidentified)?;
        let uuid = uuid.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        (uuid, format.and_then(super::table::codec::number))
    };
    match (uuid, format) {
        (Some(uuid), Some(FORMAT_VERSION)) => {
            if card.had_data && card.identity.uuid != uuid {
                warnings.push(format!("{DATA_FILE} comes from another store."));
            }
            card.identity.uuid = uuid;
        }
        (_, Some(found)) if found != FORMAT_VERSION => {
            return Err(StoreError::VersionMismatch { found, expected: FORMAT_VERSION });
        }
        (None, None) if !read_only => {
            // Both rows are in one transaction: a store with a UUID and no version could not be
            // opened.
            let mut writer = Writer::begin(env, None)?;
            writer.put_meta(UUID, card.identity.uuid.as_bytes())?;
            writer.put_meta(FORMAT, &FORMAT_VERSION.to_be_bytes())?;
            writer.commit()?;
        }
        _ => return Err(unidentified()),
    }
    card.identity.format_version = FORMAT_VERSION;
    card.had_data = true;
    card.last_transaction = env.last_transaction();
    Ok(card)
}
