//! `identity.json`: the identity of the store, outside the data file, which could be emptied or swapped.

use std::fs::Metadata;
use std::io::{ErrorKind, Read as _};
use std::path::Path as FsPath;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::app_lock::open_chosen;
use super::folder::replace_file;
use crate::store::StoreError;

const IDENTITY_FILE: &str = "identity.json";

/// The prefix of the file's name while it is being written.
pub(in crate::store) const UNFINISHED_PREFIX: &str = ".identity-";

/// The version of the tables' byte layout. A store with another one is refused.
pub(in crate::store) const FORMAT_VERSION: u32 = 4;

/// The identity of a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Identity {
    /// The store's UUID as text.
    pub uuid: String,
    /// When it was created, in milliseconds since 1970.
    #[serde(rename = "createdAtMs")]
    pub created_ms: i64,
    /// The version of the file format.
    pub format_version: u32,
}

/// The contents of `identity.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::store) struct IdentityCard {
    #[serde(flatten)]
    pub(in crate::store) identity: Identity,
    /// The data file was written at least once, so an empty one means that it was emptied.
    pub(in crate::store) had_data: bool,
    /// LMDB's last transaction when the store was last closed. A data file with a lower one was swapped or has
    /// lost its newer header; one with a higher one was swapped.
    pub(in crate::store) last_transaction: u64,
    /// The data file when the store was last closed. Missing in older files, and while a compaction replaces
    /// the data file, which must then be walked.
    #[serde(flatten)]
    pub(in crate::store) file: Option<FileStamp>,
    /// When the whole file was last walked, in milliseconds since 1970. Missing in older files.
    pub(in crate::store) last_walk_ms: Option<i64>,
}

/// Identifies a file without reading it. A copy gets another stamp, and is walked at opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::store) struct FileStamp {
    #[serde(rename = "dataBytes")]
    bytes: u64,
    /// Modification time in nanoseconds since 1970, where the system reports it.
    #[serde(rename = "dataModifiedNs")]
    modified_ns: Option<u64>,
    /// Its inode number, where the system has one.
    #[serde(rename = "dataNumber")]
    number: Option<u64>,
}

impl FileStamp {
    pub(in crate::store) fn of(found: &Metadata) -> Self {
        let modified = found.modified().ok();
        let since = modified.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
        // Without the device number, which may change at each boot.
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

impl FileStamp {
    pub(in crate::store) fn bytes(self) -> u64 {
        self.bytes
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

    /// Whether a data file with this last transaction is the one that was closed, unchanged.
    pub(in crate::store) fn knows_file(&self, transaction: u64, file: Option<FileStamp>) -> bool {
        // Two missing stamps are equal, but prove nothing.
        self.last_transaction == transaction && self.file.is_some() && self.file == file
    }

    /// Whether the data file is the one that was last open here. After an unclean end its size and time have
    /// changed, so only its inode number is compared.
    pub(in crate::store) fn is_own(&self, file: Option<FileStamp>, was_unclean: bool) -> bool {
        let (Some(closed), Some(found)) = (self.file, file) else { return false };
        closed == found || was_unclean && closed.number == found.number
    }

    /// `None` when the file is missing or invalid; only the latter adds a warning.
    pub(in crate::store) fn read(
        folder: &FsPath,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Self>, StoreError> {
        let mut text = Vec::new();
        let file = open_chosen(&folder.join(IDENTITY_FILE));
        match file.and_then(|mut file| file.read_to_end(&mut text)) {
            Ok(_) => {}
            // Only a card that is missing marks a foreign file; one that can't be read now must
            // not.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::io("Can't read identity.json", &error)),
        }
        let card = serde_json::from_slice(&text).ok();
        if card.is_none() {
            warnings.push("identity.json was invalid and has been rewritten.".to_owned());
        }
        Ok(card)
    }

    /// Whether this card on disk may stay although `current` differs.
    pub(in crate::store) fn still_holds(&self, current: &Self) -> bool {
        self.identity == current.identity
            && self.had_data == current.had_data
            // A lower number only costs a walk. A higher one would repeat the warning about an
            // older data file at each opening.
            && self.last_transaction <= current.last_transaction
    }

    /// Replaces the file atomically.
    pub(in crate::store) fn write(&self, folder: &FsPath) -> Result<(), StoreError> {
        let failed = |error: &std::io::Error| StoreError::io("Can't write identity.json", error);
        let text =
            serde_json::to_string_pretty(self).map_err(|error| failed(&error.into()))? + "\n";
        replace_file(&folder.join(IDENTITY_FILE), text.as_bytes(), UNFINISHED_PREFIX)
            .map_err(|error| failed(&error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_in_the_file_stay() {
        let identity = Identity { uuid: "u".to_owned(), created_ms: 5, format_version: 4 };
        let file = FileStamp { bytes: 9, modified_ns: None, number: Some(u64::MAX) };
        let mut card = IdentityCard {
            identity,
            had_data: true,
            last_transaction: 7,
            file: Some(file),
            last_walk_ms: Some(8),
        };
        let text = r#"{"uuid":"u","createdAtMs":5,"formatVersion":4,"hadData":true,"lastTransaction":7,"dataBytes":9,"dataModifiedNs":null,"dataNumber":18446744073709551615,"lastWalkMs":8}"#;
        assert_eq!(serde_json::to_string(&card).unwrap(), text);
        assert_eq!(serde_json::from_str::<IdentityCard>(text).unwrap(), card);
        // Of an earlier version, or during a compaction.
        (card.file, card.last_walk_ms) = (None, None);
        let unknown = text.replace(":9,", ":null,").replace(r#","lastWalkMs":8"#, "");
        assert_eq!(serde_json::from_str::<IdentityCard>(&unknown).unwrap(), card);
    }
}
