//! `identity.json`: who the store is, outside of the file that could be emptied or swapped.

use std::fs::Metadata;
use std::io::{ErrorKind, Read as _, Write};
use std::path::Path as FsPath;
use std::time::SystemTime;

use serde_json::{Value, json};

use super::app_lock::open_chosen;
use super::folder::sync_folder;
use crate::limits::WALK_PAUSE_MS;
use crate::store::{Identity, StoreError};

const IDENTITY_FILE: &str = "identity.json";

/// How the name of the file begins while it is written.
pub(in crate::store) const UNFINISHED_PREFIX: &str = ".identity-";

/// The version of the tables' layout. Another one is refused.
pub(in crate::store) const FORMAT_VERSION: u32 = 3;

/// The file's contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) struct IdentityCard {
    pub(in crate::store) identity: Identity,
    /// The data file was written at least once, so an empty one means that it was emptied.
    pub(in crate::store) had_data: bool,
    /// LMDB's last transaction when the store was last closed. A data file that is behind was swapped
    /// or has lost its newer header; one that is ahead was swapped.
    pub(in crate::store) last_transaction: u64,
    /// The data file when the store was last closed.
    pub(in crate::store) file: Option<FileStamp>,
    /// When the whole file was last walked, in milliseconds since 1970.
    pub(in crate::store) last_walk_ms: Option<i64>,
}

/// What tells a file from another one without a look into it. A copy has other marks, and is walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) struct FileStamp {
    bytes: u64,
    /// When it was last written, in nanoseconds since 1970, where the system tells.
    modified_ns: Option<u64>,
    /// Its number on its disk, where the system has such.
    number: Option<u64>,
}

impl FileStamp {
    pub(in crate::store) fn of(found: &Metadata) -> Self {
        let modified = found.modified().ok();
        let since = modified.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
        // Not also the disk's number: that may be another one after each start of the computer.
        #[cfg(unix)]
        let number = Some(std::os::unix::fs::MetadataExt::ino(found));
        #[cfg(not(unix))]
        let number = None;
        Self {
            bytes: found.len(),
            modified_ns: since.and_then(|since| u64::try_from(since.as_nanos()).ok()),
            number,
        }
    }
}

impl IdentityCard {
    pub(in crate::store) fn new(created_ms: i64) -> Self {
        let uuid = bson::Uuid::new().to_string();
        let identity = Identity { uuid, created_ms, format_version: FORMAT_VERSION };
        Self {
            identity,
            had_data: false,
            last_transaction: 0,
            file: None,
            last_walk_ms: Some(created_ms),
        }
    }

    /// Whether a data file with this last transaction is the one that was closed, just as it was.
    pub(in crate::store) fn knows_file(&self, transaction: u64, file: Option<FileStamp>) -> bool {
        self.last_transaction == transaction && self.file.is_some() && self.file == file
    }

    /// Whether the data file is the one that was open here last; one that was not closed has changed since.
    pub(in crate::store) fn is_own(&self, file: Option<FileStamp>, was_unclean: bool) -> bool {
        let (Some(closed), Some(found)) = (self.file, file) else { return false };
        closed == found || was_unclean && closed.number == found.number
    }

    /// Whether it is time for another walk. A clock that was set back says nothing, so then it is.
    pub(in crate::store) fn walk_is_due(&self, now_ms: i64) -> bool {
        self.last_walk_ms
            .and_then(|last| now_ms.checked_sub(last))
            .is_none_or(|since| !(0..WALK_PAUSE_MS).contains(&since))
    }

    /// `None` when there is no such file or it can't be understood; `warnings` tells which.
    pub(in crate::store) fn read(
        folder: &FsPath,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Self>, StoreError> {
        let mut text = Vec::new();
        let file = open_chosen(&folder.join(IDENTITY_FILE));
        match file.and_then(|mut file| file.read_to_end(&mut text)) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::io("Can't read identity.json", &error)),
        }
        let card = parse(&text);
        if card.is_none() {
            warnings.push("identity.json could not be understood and is written anew.".to_owned());
        }
        Ok(card)
    }

    /// Whether this card on disk may stay in place of `current`. An older transaction number only costs
    /// a walk; a newer one would warn again and again after a backup was put in place.
    pub(in crate::store) fn still_holds(&self, current: &Self) -> bool {
        self.identity == current.identity
            && self.had_data == current.had_data
            && self.last_transaction <= current.last_transaction
    }

    /// Writes the file so that either the old or the new contents survive.
    pub(in crate::store) fn write(&self, folder: &FsPath) -> Result<(), StoreError> {
        let failed = |error: &std::io::Error| StoreError::io("Can't write identity.json", error);
        let value = json!({
            "uuid": self.identity.uuid,
            "createdAtMs": self.identity.created_ms,
            "formatVersion": self.identity.format_version,
            "hadData": self.had_data,
            "lastTransaction": self.last_transaction,
            "dataBytes": self.file.map(|file| file.bytes),
            "dataModifiedNs": self.file.and_then(|file| file.modified_ns),
            "dataNumber": self.file.and_then(|file| file.number),
            "lastWalkMs": self.last_walk_ms,
        });
        let mut file = tempfile::Builder::new()
            .prefix(UNFINISHED_PREFIX)
            .tempfile_in(folder)
            .map_err(|error| failed(&error))?;
        writeln!(file, "{value:#}")
            .and_then(|()| file.as_file().sync_all())
            .map_err(|error| failed(&error))?;
        file.persist(folder.join(IDENTITY_FILE)).map_err(|error| failed(&error.error))?;
        sync_folder(folder)
    }
}

fn parse(text: &[u8]) -> Option<IdentityCard> {
    let value: Value = serde_json::from_slice(text).ok()?;
    let number = |name: &str| value.get(name).and_then(Value::as_u64);
    Some(IdentityCard {
        identity: Identity {
            uuid: value.get("uuid")?.as_str()?.to_owned(),
            created_ms: value.get("createdAtMs")?.as_i64()?,
            format_version: value.get("formatVersion")?.as_u64()?.try_into().ok()?,
        },
        had_data: value.get("hadData")?.as_bool()?,
        last_transaction: number("lastTransaction")?,
        // A card without them is an older one, or one of a file that is to be walked.
        file: number("dataBytes").map(|bytes| FileStamp {
            bytes,
            modified_ns: number("dataModifiedNs"),
            number: number("dataNumber"),
        }),
        // Written since there is a weekly walk.
        last_walk_ms: value.get("lastWalkMs").and_then(Value::as_i64),
    })
}
