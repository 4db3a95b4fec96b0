//! An archive's settings and their stored form.

use std::{
    path::{Path, PathBuf},
    time::SystemTime,
};

use bson::{Bson, Document, doc};
use xxhash_rust::xxh3::xxh3_64;

use super::ArchiveError;
use crate::{
    catalog::Namespace,
    limits::{ARCHIVE_LIMIT_BYTES_MIN, ARCHIVE_LIMIT_SECS_MIN},
    store::{CollectionId, Store},
};

/// The folder of archives in a data folder.
const FOLDER: &str = "archive";

/// Longest folder name in bytes; a longer one is cut and ends with a hash of the whole.
const NAME_BYTES_MAX: usize = 120;

/// Longest bucket prefix in bytes.
const PREFIX_BYTES_MAX: usize = 500;

/// The user's settings for an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// An absolute path, `file://` or `s3://`; empty means the data folder.
    pub target: String,
    /// Maximum bytes; the oldest segments are removed.
    pub max_bytes: Option<u64>,
    /// Maximum seconds since removal; segments with nothing younger are removed.
    pub max_age_secs: Option<u64>,
}

/// An archive as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record {
    /// The collection, which may have been renamed since.
    pub collection: CollectionId,
    /// The collection's name when the archive was made.
    pub namespace: Namespace,
    /// The archive's folder in the store's part of the target, unique in the store.
    pub folder: String,
    pub is_on: bool,
    pub settings: Settings,
}

/// A parsed target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    Folder(PathBuf),
    /// A bucket of an object store, or a prefix in it.
    Bucket {
        bucket: String,
        /// The prefix, without leading or trailing slashes.
        prefix: String,
    },
}

impl Settings {
    /// Checks the limits and the syntax of the target.
    ///
    /// # Errors
    /// `BadSetting`, `NotSupported`.
    pub(super) fn check(&self) -> Result<(), ArchiveError> {
        if self.max_bytes.is_some_and(|bytes| bytes < ARCHIVE_LIMIT_BYTES_MIN) {
            return Err(ArchiveError::bad(format!(
                "maxBytes is too small; an archive needs at least {ARCHIVE_LIMIT_BYTES_MIN} bytes"
            )));
        }
        if self.max_age_secs.is_some_and(|secs| secs < ARCHIVE_LIMIT_SECS_MIN) {
            return Err(ArchiveError::bad(format!(
                "maxAgeSecs is too small; an archive keeps documents for at least \
                 {ARCHIVE_LIMIT_SECS_MIN} seconds"
            )));
        }
        self.target(Path::new("/")).map(drop)
    }

    /// The archive's location as shown to the user.
    pub(super) fn location(&self, data_folder: &Path) -> String {
        match self.target(data_folder) {
            Ok(Target::Folder(path)) => path.display().to_string(),
            Ok(Target::Bucket { .. }) | Err(_) => self.target.clone(),
        }
    }

    /// Parses the target.
    pub(super) fn target(&self, data_folder: &Path) -> Result<Target, ArchiveError> {
        let target = self.target.as_str();
        if target.is_empty() {
            return Ok(Target::Folder(data_folder.join(FOLDER)));
        }
        if let Some(rest) = target.strip_prefix("s3://") {
            return bucket(rest);
        }
        // The errors below never quote the target, because it may hold a password.
        let path = target.strip_prefix("file://").unwrap_or(target);
        if target.contains("://") && path == target {
            return Err(ArchiveError::NotSupported {
                message: "the target is not supported; use a folder or s3://bucket".to_owned(),
            });
        }
        if !Path::new(path).is_absolute() || path.contains('\0') {
            return Err(ArchiveError::bad("the target must be an absolute path"));
        }
        Ok(Target::Folder(PathBuf::from(path)))
    }
}

/// The bucket of a target, `bucket/part/of/it`.
fn bucket(rest: &str) -> Result<Target, ArchiveError> {
    let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
    let is_name = (3..=63).contains(&bucket.len())
        && bucket.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-'));
    let is_part = prefix.len() <= PREFIX_BYTES_MAX
        && prefix.split('/').all(|part| !matches!(part, "." | ".."))
        && prefix.chars().all(|letter| !letter.is_control() && !"?#@:".contains(letter));
    if !is_name || !is_part {
        return Err(ArchiveError::bad(
            "the target is not a bucket; enter s3://bucket or s3://bucket/prefix without \
 credentials: those come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or from the AWS profile, and \
             another server from AWS_ENDPOINT_URL",
        ));
    }
    Ok(Target::Bucket { bucket: bucket.to_owned(), prefix: prefix.trim_matches('/').to_owned() })
}

impl Target {
    /// The folder that the user chose; `None` for the data folder and for a bucket.
    pub(super) fn chosen_folder(&self, data_folder: &Path) -> Option<PathBuf> {
        match self {
            Self::Folder(path) if *path != data_folder.join(FOLDER) => Some(path.clone()),
            _ => None,
        }
    }

    /// This store's part of a target.
    pub(super) fn of_store(self, data_folder: &Path, uuid: &str) -> Self {
        match self {
            Self::Folder(path) if path == data_folder.join(FOLDER) => Self::Folder(path),
            // Other stores may share the target. The data folder is this store's own.
            Self::Folder(path) => Self::Folder(path.join(uuid)),
            Self::Bucket { bucket, prefix } if prefix.is_empty() => {
                Self::Bucket { bucket, prefix: uuid.to_owned() }
            }
            Self::Bucket { bucket, prefix } => {
                Self::Bucket { bucket, prefix: format!("{prefix}/{uuid}") }
            }
        }
    }
}

impl Record {
    pub(super) fn to_document(&self) -> Document {
        let whole = |number: Option<u64>| number.and_then(|number| i64::try_from(number).ok());
        doc! {
            "id": i64::from(self.collection.0),
            "ns": self.namespace.to_string(),
            "folder": &self.folder,
            "on": self.is_on,
            "target": &self.settings.target,
            "maxBytes": whole(self.settings.max_bytes),
            "maxAgeSecs": whole(self.settings.max_age_secs),
        }
    }

    pub(super) fn from_document(document: &Document) -> Option<Self> {
        let limit = |name: &str| match document.get(name) {
            Some(Bson::Int64(number)) => u64::try_from(*number).ok(),
            _ => None,
        };
        Some(Self {
            collection: CollectionId(u32::try_from(document.get_i64("id").ok()?).ok()?),
            namespace: Namespace::parse(document.get_str("ns").ok()?).ok()?,
            folder: document.get_str("folder").ok()?.to_owned(),
            is_on: document.get_bool("on").ok()?,
            settings: Settings {
                target: document.get_str("target").ok()?.to_owned(),
                max_bytes: limit("maxBytes"),
                max_age_secs: limit("maxAgeSecs"),
            },
        })
    }
}

/// The folder name of a collection, unique even on a case-insensitive file system.
pub(super) fn folder_name(namespace: &Namespace) -> String {
    let text = namespace.to_string();
    let mut name = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-' => name.push(char::from(byte)),
            _ => name.extend(['%', hex(byte >> 4), hex(byte & 15)]),
        }
    }
    if name.len() > NAME_BYTES_MAX {
        name.truncate(NAME_BYTES_MAX);
        name.push('~');
        name.extend(
            xxh3_64(text.as_bytes())
                .to_be_bytes()
                .iter()
                .flat_map(|byte| [hex(byte >> 4), hex(byte & 15)]),
        );
    }
    name
}

fn hex(digit: u8) -> char {
    char::from_digit(u32::from(digit), 16).unwrap_or('0').to_ascii_uppercase()
}

/// Tells a store from its copies, in 8 hexadecimal digits: by the path of its folder, its number and
/// when it was made. A store that was moved is another one too, which only leaves files at a target.
pub(super) fn writer_of(store: &Store) -> String {
    let path = store.folder().canonicalize().unwrap_or_else(|_| store.folder().to_owned());
    let mut all = path.as_os_str().as_encoded_bytes().to_vec();
    if let Ok(found) = path.metadata() {
        #[cfg(unix)]
        all.extend(std::os::unix::fs::MetadataExt::ino(&found).to_be_bytes());
        let created = found.created().ok();
        let since = created.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
        all.extend(since.unwrap_or_default().as_nanos().to_be_bytes());
    }
    format!("{:08x}", xxh3_64(&all) >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(target: &str, expected: Result<Target, &str>) {
        let settings = Settings { target: target.to_owned(), max_bytes: None, max_age_secs: None };
        match (settings.target(Path::new("/data")), expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected),
            (Err(found), Err(expected)) => {
                assert!(found.to_string().contains(expected), "{found}");
                assert!(!found.to_string().contains("word"), "{found}");
            }
            (found, expected) => panic!("{target}: {found:?}, not {expected:?}"),
        }
    }

    #[test]
    fn a_target_is_a_folder_or_a_bucket() {
        check("", Ok(Target::Folder("/data/archive".into())));
        check("/mnt/old things", Ok(Target::Folder("/mnt/old things".into())));
        check("file:///mnt/a", Ok(Target::Folder("/mnt/a".into())));
        let bucket = |bucket: &str, prefix: &str| {
            Ok(Target::Bucket { bucket: bucket.to_owned(), prefix: prefix.to_owned() })
        };
        check("s3://bucket", bucket("bucket", ""));
        check("s3://my.bucket-2/a/b c/", bucket("my.bucket-2", "a/b c"));
        for refused in
            ["s3://", "s3://b", "s3://Bucket/x", "s3://key:word@bucket/x", "s3://bucket/a?key=word"]
        {
            check(refused, Err("the target is not a bucket"));
        }
        check("old", Err("must be an absolute path"));
        check("file://old", Err("must be an absolute path"));
        check("gs://bucket", Err("not supported"));
        check("http://host/", Err("not supported"));
        check("https://key:word@host/bucket", Err("not supported"));
        check("S3://key:word@bucket", Err("not supported"));
        check("key:word@bucket", Err("must be an absolute path"));
    }

    #[test]
    fn a_chosen_place_has_a_part_for_each_store() {
        let check = |target: &str, expected: Target| {
            let settings =
                Settings { target: target.to_owned(), max_bytes: None, max_age_secs: None };
            let target = settings.target(Path::new("/data")).expect("a target");
            assert_eq!(target.of_store(Path::new("/data"), "me"), expected);
        };
        let bucket = |prefix: &str| Target::Bucket {
            bucket: "bucket".to_owned(),
            prefix: prefix.to_owned(),
        };
        check("", Target::Folder("/data/archive".into()));
        check("/data/archive", Target::Folder("/data/archive".into()));
        check("/mnt/a", Target::Folder("/mnt/a/me".into()));
        check("s3://bucket", bucket("me"));
        check("s3://bucket/a/b/", bucket("a/b/me"));
    }

    #[test]
    fn folder_names_are_safe_and_differ() {
        let name = |db: &str, collection: &str| folder_name(&Namespace::new(db, collection));
        assert_eq!(name("shop", "carts.old"), "shop.carts.old");
        assert_eq!(name("Shop", "a/b c"), "%53hop.a%2Fb%20c");
        assert_eq!(name("d", "ü"), "d.%C3%BC");
        assert_eq!(name("d", "%53"), "d.%2553");
        let long = name("d", &"x".repeat(240));
        assert!(long.len() < 150 && long != name("d", &"x".repeat(241)), "{long}");
    }

    #[test]
    fn a_record_comes_back_from_the_store() {
        let record = Record {
            collection: CollectionId(9),
            namespace: Namespace::new("d", "c.x"),
            folder: "d.c.x-2".to_owned(),
            is_on: true,
            settings: Settings {
                target: "/x".to_owned(),
                max_bytes: Some(1 << 40),
                max_age_secs: None,
            },
        };
        assert_eq!(Record::from_document(&record.to_document()), Some(record));
        assert_eq!(Record::from_document(&doc! { "id": 1 }), None);
    }
}
