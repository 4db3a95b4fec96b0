//! Opening a store, step by step. The order matters: nothing of LMDB runs before the folder is ours,
//! its lock file has room on disk, and the data file has been checked with plain reads.

use std::fs::{self, File};
use std::path::{Path as FsPath, PathBuf};

use super::app_lock::{AppLock, Registration};
use super::env::Environment;
use super::folder::{self, DATA_FILE};
use super::identity::{Card, FORMAT_VERSION};
use super::{OpenReport, Reader, StoreError, StoreOptions, Writer, walk};
use crate::limits::DISK_FREE_BYTES_LOW;

/// Bytes of LMDB's two header pages at most.
const HEADER_BYTES_MAX: u64 = 2 * 65_536;
/// The value of the table `meta` that holds the store's UUID.
const UUID: &str = "uuid";
/// The value of the table `meta` that holds the format version.
const FORMAT: &str = "formatVersion";

/// The parts of an open store. Fields drop in this order: LMDB first, the lock last.
pub(super) struct Opened {
    pub(super) env: Environment,
    pub(super) folder: PathBuf,
    pub(super) card: Card,
    pub(super) _registration: Registration,
    pub(super) lock: AppLock,
}

pub(super) fn open(
    folder: &FsPath,
    options: &StoreOptions,
) -> Result<(Opened, OpenReport), StoreError> {
    let mut warnings = Vec::new();
    folder::prepare(folder, options.read_only, &mut warnings)?;
    let folder = fs::canonicalize(folder)
        .map_err(|error| StoreError::io("Can't open the data folder", &error))?;
    folder::check_drive(&folder)?;
    let mut lock = AppLock::take(&folder, options.read_only)?;

    let data_path = folder.join(DATA_FILE);
    let card = Card::read(&folder, &mut warnings)?;
    let created = is_new(&data_path, card.as_ref())?;
    if created && options.read_only {
        return Err(StoreError::NotADatabase { what: "the folder holds no data file".to_owned() });
    }
    if created {
        Card::write(&Card::new(options.now_ms), &folder)?;
        folder::private_file()
            .truncate(true)
            .open(&data_path)
            .map_err(|error| StoreError::io("Can't make the data file", &error))?;
        folder::sync_folder(&folder)?;
    }
    let registration = Registration::take(&data_path)?;
    if !options.read_only {
        if folder::free_bytes(&folder).is_some_and(|bytes| bytes < DISK_FREE_BYTES_LOW) {
            warnings.push("The disk is almost full.".to_owned());
        }
        folder::reserve_lock_file(&folder)?;
    }
    let mut is_other = false;
    if !created {
        let suspicious = lock.was_unclean || options.full_check || options.read_only;
        is_other = check_data_file(&data_path, card.as_ref(), suspicious, &mut warnings)?;
    }

    let env = Environment::open(&folder, options.map_size_bytes, options.read_only)?;
    let card_on_disk = card.clone();
    let card = identify(&env, card, options, &mut warnings)?;
    is_other |= card_on_disk
        .as_ref()
        .is_some_and(|old| old.had_data && old.identity.uuid != card.identity.uuid);
    if is_other && !options.read_only {
        let mut writer = Writer::new(env.write()?, &env.tables);
        let marked = writer.mark_restored(options.now_ms);
        // Without room for the mark the store opens all the same.
        if marked.is_err() || writer.commit().is_err() {
            warnings.push("It could not be noted that the data file was replaced.".to_owned());
        }
    }
    if !options.read_only {
        env.env().clear_stale_readers()?;
        // A full disk has no room for a new card, and an old one that is right needs none.
        if !card_on_disk.is_some_and(|old| old.still_holds(&card)) {
            card.write(&folder)?;
        }
        lock.end_cleanly();
    }
    let unclean = lock.was_unclean && !created && !options.read_only;
    let report = OpenReport { identity: card.identity.clone(), unclean, created, warnings };
    Ok((Opened { env, folder, card, _registration: registration, lock }, report))
}

/// Whether there is no data yet. An empty file where data was is not a new store.
fn is_new(data_path: &FsPath, card: Option<&Card>) -> Result<bool, StoreError> {
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
            "{DATA_FILE} is empty or missing, but this store had data; put a backup in its place"
        )));
    }
    // A store whose first opening did not end: nothing was acknowledged, and its header may be half there.
    let is_begun = card.is_some_and(|card| !card.had_data) && len <= HEADER_BYTES_MAX;
    let has_header = || File::open(data_path).is_ok_and(|file| walk::check_header(&file).is_ok());
    Ok(len == 0 || (is_begun && !has_header()))
}

/// The header always; the whole file when something is out of the ordinary. Whether the file is an
/// older one than when the store was last closed.
fn check_data_file(
    data_path: &FsPath,
    card: Option<&Card>,
    suspicious: bool,
    warnings: &mut Vec<String>,
) -> Result<bool, StoreError> {
    let file = File::open(data_path)
        .map_err(|error| StoreError::io("Can't read the data file", &error))?;
    let transaction = walk::check_header(&file)?;
    let is_behind = card.is_some_and(|card| transaction < card.last_transaction);
    if is_behind {
        warnings.push(format!(
            "{DATA_FILE} is older than when the store was last closed: changes are missing."
        ));
    }
    if card.is_none() {
        warnings.push("identity.json was missing; the data file was checked.".to_owned());
    }
    if suspicious || is_behind || card.is_none() {
        let report = walk::walk(&file)?;
        if let Some(first) = report.findings.first() {
            return Err(StoreError::damaged(first.as_str()));
        }
    }
    Ok(is_behind)
}

/// Compares the store's own identity with the card beside it, and gives a new store one.
fn identify(
    env: &Environment,
    card: Option<Card>,
    options: &StoreOptions,
    warnings: &mut Vec<String>,
) -> Result<Card, StoreError> {
    let mut card = card.unwrap_or_else(|| Card::new(options.now_ms));
    let (uuid, format) = {
        let txn = env.read()?;
        let reader = Reader::new(&txn, &env.tables);
        let uuid = reader.meta(UUID)?.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        (uuid, reader.meta(FORMAT)?.and_then(super::codec::leading_id))
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
        (None, None) if !options.read_only => {
            let mut writer = Writer::new(env.write()?, &env.tables);
            writer.put_meta(UUID, card.identity.uuid.as_bytes())?;
            writer.put_meta(FORMAT, &FORMAT_VERSION.to_be_bytes())?;
            writer.commit()?;
        }
        _ => return Err(StoreError::damaged("the store has lost its own name")),
    }
    card.identity.format_version = FORMAT_VERSION;
    card.had_data = true;
    card.last_transaction = last_transaction(env);
    Ok(card)
}

/// The number of the last committed transaction.
pub(super) fn last_transaction(env: &Environment) -> u64 {
    env.env().info().last_txn_id as u64
}
