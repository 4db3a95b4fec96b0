//! A small file that the program keeps for itself: settings, and the progress in lessons. It is JSON that people can
//! read. Several windows may write it, so each write reads it again and changes only what this window changed.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::thread;

use mayfly_engine::store::{open_chosen, replace_file};
use serde_json::{Value, json};

use crate::job::kept::{Fields, ListRule, merge};
use crate::limits::{
    DAMAGED_FILES_MAX, KEPT_FILE_BYTES_MAX, KEPT_FILE_LOCK_PAUSE, KEPT_FILE_LOCK_TRIES_MAX,
};

/// The version of the form. A file of a newer one is kept under another name before it is replaced.
const VERSION: u64 = 1;

const VERSION_FIELD: &str = "mayfly";
const CHECKSUM_FIELD: &str = "checksum";

/// The text before the digits of the checksum.
const CHECKSUM_BEGINS: &str = "\"checksum\": \"";

/// The checksum while it is computed.
const NO_CHECKSUM: &str = "0000000000000000";

/// One such file.
#[derive(Debug, Clone)]
pub struct KeptFile {
    path: PathBuf,
    rules: &'static [ListRule],
}

/// The path of the file of this name. `None` without a home folder.
pub fn data_file(name: &str) -> Option<PathBuf> {
    let folders = directories::ProjectDirs::from("", "", "mayfly")?;
    Some(folders.data_dir().join(name))
}

/// The result of reading a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// The readable part.
    pub fields: Fields,
    /// A note for the user: a damaged file, and where it is kept.
    pub notes: Vec<String>,
}

enum Content {
    Missing,
    Good(Fields),
    /// Damaged, or of a newer version. What of it can be read.
    Odd(Fields, &'static str),
}

impl KeptFile {
    /// A file, and which entries of its lists are the same.
    pub fn new(path: PathBuf, rules: &'static [ListRule]) -> Self {
        // A link stays a link: what it points to is replaced.
        let path = path.canonicalize().unwrap_or(path);
        Self { path, rules }
    }

    /// Reads the file. A damaged one is kept under another name, and what it lacks comes from the one before it.
    pub fn read(&self) -> Found {
        match self.content() {
            Ok(Content::Missing) => Found::default(),
            Ok(Content::Good(fields)) => Found { fields, notes: Vec::new() },
            Ok(Content::Odd(fields, why)) => {
                let before = read_text(&self.before()).map(|text| parse(&text));
                let fields = match before {
                    Ok(Content::Good(before)) => {
                        // The readable part of the damaged file is newer, so it wins over the file before.
                        merge(&Fields::new(), &before, &fields, self.rules)
                    }
                    _ => fields,
                };
                Found { fields, notes: vec![self.keep_damaged(why)] }
            }
            Err(error) => {
                let note = format!("Can't read {}: {error}", self.path.display());
                Found { fields: Fields::new(), notes: vec![note] }
            }
        }
    }

    /// Writes what changed from `base` to `ours`. The new file is on the disk when this returns. Returns what to
    /// tell the user.
    ///
    /// # Errors
    /// Why nothing was written. The old file is then as it was.
    pub fn write(&self, base: &Fields, ours: &Fields) -> Result<Vec<String>, String> {
        let failed = |error: io::Error| format!("Can't write {}: {error}", self.path.display());
        fs::create_dir_all(self.folder()).map_err(failed)?;
        // Read and written under one lock, or two windows would overwrite each other's changes.
        let lock = self.lock().map_err(failed)?;
        let mut notes = Vec::new();
        let fields = match self.content().map_err(failed)? {
            // A file that is gone, or damaged since, says nothing about what another window deleted.
            Content::Missing => ours.clone(),
            Content::Good(theirs) => merge(base, ours, &theirs, self.rules),
            // Kept first, because the write below replaces the only copy.
            Content::Odd(_, why) => {
                notes.push(self.keep_damaged(why));
                ours.clone()
            }
        };
        let text = text(fields);
        // Checked before anything is replaced: a file that is too large could not be read again.
        if text.len() > KEPT_FILE_BYTES_MAX {
            return Err(failed(io::Error::other("it would be too large")));
        }
        self.sweep();
        // A damaged file must not replace the last good one.
        if notes.is_empty() {
            self.keep_before();
        }
        replace_file(&self.path, text.as_bytes(), &self.beside(".new-")).map_err(failed)?;
        drop(lock);
        Ok(notes)
    }

    fn content(&self) -> io::Result<Content> {
        match read_text(&self.path) {
            Ok(text) => Ok(parse(&text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Content::Missing),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                Ok(Content::Odd(Fields::new(), DAMAGED))
            }
            Err(error) => Err(error),
        }
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    /// The file's name with another ending.
    fn beside(&self, ending: &str) -> String {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        format!("{name}{ending}")
    }

    /// The file before the latest write.
    fn before(&self) -> PathBuf {
        self.folder().join(self.beside(".before"))
    }

    /// Two windows must not read and write between each other.
    fn lock(&self) -> io::Result<File> {
        // The file itself can't be locked, because it is replaced.
        let path = self.folder().join(self.beside(".lock"));
        let lock = File::options().create(true).append(true).open(path)?;
        for _ in 0..KEPT_FILE_LOCK_TRIES_MAX {
            match lock.try_lock() {
                Err(fs::TryLockError::WouldBlock) => thread::park_timeout(KEPT_FILE_LOCK_PAUSE),
                // Where the disk has no locks, the last writer wins.
                Ok(()) | Err(fs::TryLockError::Error(_)) => return Ok(lock),
            }
        }
        Err(io::Error::other("another Mayfly window does not finish writing it"))
    }

    /// Deletes what killed writers left. The lock says that none writes now.
    fn sweep(&self) {
        let begins = self.beside(".new-");
        for path in self.files(&begins) {
            let _ = fs::remove_file(path);
        }
    }

    /// Keeps the present file for a day on which the next one is damaged.
    fn keep_before(&self) {
        let before = self.before();
        let _ = fs::remove_file(&before);
        let _ = fs::hard_link(&self.path, &before);
    }

    /// Keeps a damaged file under a name made of its content, and says so.
    fn keep_damaged(&self, why: &str) -> String {
        let bytes = read_bytes(&self.path).unwrap_or_default();
        let begins = self.beside(".damaged-");
        let target = self.folder().join(format!("{begins}{:016x}", hash(&bytes)));
        let path = self.path.display();
        if !target.exists() {
            // A link needs no space, so it also works on a full disk.
            let linked = fs::hard_link(&self.path, &target);
            // Copied where the disk has no hard links.
            let copied = linked.or_else(|_| replace_file(&target, &bytes, &self.beside(".new-")));
            if let Err(error) = copied {
                return format!("{path} {why}, and can't be kept under another name: {error}");
            }
        }
        let mut known = self.files(&begins);
        known.sort_by_key(|path| fs::metadata(path).and_then(|it| it.modified()).ok());
        // Bounded, or a program that damages the file at each start would fill the disk.
        for path in known.iter().rev().skip(DAMAGED_FILES_MAX).filter(|path| **path != target) {
            let _ = fs::remove_file(path);
        }
        format!(
            "{path} {why}. It is kept as {}; check that nothing is missing",
            target.file_name().unwrap_or_default().display()
        )
    }

    /// The files next to this one whose names begin so.
    fn files(&self, begins: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.folder()).into_iter().flatten().flatten();
        let is_one = |name: &str| name.starts_with(begins);
        entries
            .filter(|entry| entry.file_name().to_str().is_some_and(is_one))
            .map(|entry| entry.path())
            .collect()
    }
}

const DAMAGED: &str = "was damaged, or changed by another program";
const NEWER: &str = "was written by a newer Mayfly";

fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    // Opening a pipe would wait for a writer.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    let most = u64::try_from(KEPT_FILE_BYTES_MAX).unwrap_or(u64::MAX);
    // One byte more than allowed shows that a file is too long; a limit alone would cut it.
    open_chosen(path)?.take(most + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A file that is too long counts as damaged, as one that is not text.
fn read_text(path: &Path) -> io::Result<String> {
    let bytes = read_bytes(path)?;
    let wrong = || io::Error::from(io::ErrorKind::InvalidData);
    if bytes.len() > KEPT_FILE_BYTES_MAX {
        return Err(wrong());
    }
    String::from_utf8(bytes).map_err(|_| wrong())
}

/// A number that changes with each changed byte: FNV-1a, which is the same in every version of the program.
pub fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn text(fields: Fields) -> String {
    let mut all = Fields::from_iter([
        (VERSION_FIELD.to_owned(), json!(VERSION)),
        (CHECKSUM_FIELD.to_owned(), json!(NO_CHECKSUM)),
    ]);
    all.extend(fields);
    let mut text = format!("{:#}\n", Value::Object(all));
    // The digits are replaced in the text, so that the checksum covers the form on the disk.
    if let Some(at) = checksum_at(&text) {
        let checksum = format!("{:016x}", hash(text.as_bytes()));
        text.replace_range(at, &checksum);
    }
    text
}

/// Where the digits of the checksum are.
fn checksum_at(text: &str) -> Option<std::ops::Range<usize>> {
    let from = text.find(CHECKSUM_BEGINS)? + CHECKSUM_BEGINS.len();
    let at = from..from + NO_CHECKSUM.len();
    text.get(at.clone()).is_some_and(str::is_ascii).then_some(at)
}

fn parse(text: &str) -> Content {
    let Ok(Value::Object(mut fields)) = serde_json::from_str::<Value>(text) else {
        return Content::Odd(Fields::new(), DAMAGED);
    };
    let version = fields.shift_remove(VERSION_FIELD);
    // The other fields keep their order, because people read the file.
    let checksum = fields.shift_remove(CHECKSUM_FIELD);
    // Without both, someone wrote it by hand, or an earlier build did.
    if version.is_none() && checksum.is_none() {
        return Content::Good(fields);
    }
    let is_right = checksum_at(text).is_some_and(|at| {
        let mut zeroed = text.to_owned();
        let digits = text[at.clone()].to_owned();
        zeroed.replace_range(at, NO_CHECKSUM);
        digits == format!("{:016x}", hash(zeroed.as_bytes()))
    });
    match version.and_then(|version| version.as_u64()) {
        Some(version) if is_right && version > VERSION => Content::Odd(fields, NEWER),
        Some(VERSION) if is_right => Content::Good(fields),
        _ => Content::Odd(fields, DAMAGED),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &[ListRule] = &[ListRule::latest_first("favorites", &["name"], usize::MAX)];

    fn favorites(names: &[&str]) -> Fields {
        let entries: Vec<Value> =
            names.iter().map(|name| json!({"name": name, "text": "{ a: 1 }"})).collect();
        Fields::from_iter([
            ("zoom".to_owned(), json!(1.25)),
            ("favorites".to_owned(), Value::Array(entries)),
        ])
    }

    fn file_in(folder: &tempfile::TempDir) -> KeptFile {
        KeptFile::new(folder.path().join("settings.json"), RULES)
    }

    fn damaged(folder: &tempfile::TempDir) -> Vec<Vec<u8>> {
        file_in(folder)
            .files("settings.json.damaged-")
            .iter()
            .map(|path| fs::read(path).expect("a file"))
            .collect()
    }

    #[test]
    fn a_thousand_damages_lose_no_entry_silently() {
        let names = ["Paid orders", "Late", "Ünïcode"];
        let mut random = 7_u64;
        let mut below = |end: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            usize::try_from(random >> 33).expect("64 bits") % end
        };
        let mut said = 0;
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = file_in(&folder);
        let (first, whole) = (favorites(&names[..2]), favorites(&names));
        file.write(&Fields::new(), &first).expect("written");
        file.write(&first, &whole).expect("written");
        let original = fs::read(&file.path).expect("a file");
        let before = fs::read(file.before()).expect("a file");
        for _ in 0..1_000 {
            for path in file.files("settings.json.") {
                fs::remove_file(path).expect("removed");
            }
            fs::write(file.before(), &before).expect("written");
            let mut bytes = original.clone();
            let at = below(bytes.len());
            match below(5) {
                0 => bytes[at] ^= 1 << below(8),
                1 => bytes[at] = u8::try_from(below(256)).expect("a byte"),
                2 => bytes.truncate(at),
                3 => bytes[at..].fill(0),
                _ => drop(bytes.remove(at)),
            }
            // Another file, because the one before may be linked to it.
            fs::remove_file(&file.path).expect("removed");
            fs::write(&file.path, &bytes).expect("written");
            let found = file.read();
            if bytes == original || found.notes.is_empty() {
                assert_eq!(found.fields, whole, "{}", String::from_utf8_lossy(&bytes));
                continue;
            }
            said += 1;
            assert_eq!(damaged(&folder), [bytes.clone()]);
            let Some(Value::Array(kept)) = found.fields.get("favorites") else {
                panic!("{:?}", found.fields);
            };
            // The file before has them.
            for name in &names[..2] {
                assert!(kept.iter().any(|entry| entry["name"] == *name), "{kept:?}");
            }
            // The next write replaces the damaged file, and keeps what was read.
            if said % 20 == 0 {
                file.write(&found.fields, &found.fields).expect("written");
                assert_eq!(file.read(), Found { fields: found.fields, notes: Vec::new() });
            }
        }
        assert!(said > 900, "{said}");
    }

    #[test]
    fn a_newer_form_is_kept_and_unknown_fields_stay() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = file_in(&folder);
        let mut fields = favorites(&["a"]);
        fields.insert("of a newer version".to_owned(), json!([1]));
        file.write(&Fields::new(), &fields).expect("written");
        // A version that does not know the field.
        file.write(&favorites(&["a"]), &favorites(&["a", "b"])).expect("written");
        let found = file.read();
        assert_eq!(found.fields.get("of a newer version"), Some(&json!([1])));
        assert_eq!(found.fields.get("favorites"), favorites(&["a", "b"]).get("favorites"));
        let text = fs::read_to_string(&file.path).expect("a file");
        let newer = text.replace("\"mayfly\": 1", "\"mayfly\": 2");
        let at = checksum_at(&newer).expect("a checksum");
        let mut newer = newer;
        newer.replace_range(at.clone(), NO_CHECKSUM);
        let checksum = format!("{:016x}", hash(newer.as_bytes()));
        newer.replace_range(at, &checksum);
        fs::write(&file.path, &newer).expect("written");
        let found = file.read();
        assert!(found.notes[0].contains(NEWER), "{:?}", found.notes);
        assert_eq!(damaged(&folder), [newer.into_bytes()]);
    }

    #[test]
    fn a_bounded_number_of_damaged_files_is_kept() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = file_in(&folder);
        for number in 0..DAMAGED_FILES_MAX + 3 {
            // Another file each time, as an editor would write it.
            let _ = fs::remove_file(&file.path);
            fs::write(&file.path, format!("{{ {number}")).expect("written");
            assert_eq!(file.read().notes.len(), 1);
        }
        assert_eq!(damaged(&folder).len(), DAMAGED_FILES_MAX);
    }

    #[test]
    fn a_file_that_is_gone_is_written_whole() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = file_in(&folder);
        let known = favorites(&["a", "b"]);
        file.write(&Fields::new(), &known).expect("written");
        fs::remove_file(&file.path).expect("removed");
        file.write(&known, &favorites(&["a", "b", "c"])).expect("written");
        assert_eq!(file.read().fields, favorites(&["a", "b", "c"]));
    }
}
