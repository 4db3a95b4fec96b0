//! The file of one journal: records that are appended, each with its length and checksum.
//!
//! A record is a marker, the length of its body, the checksum of its body, and the body: one byte
//! for its kind, then BSON documents. The last record may be torn; a bad record with a good one
//! after it is damage.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use bson::oid::ObjectId;
use bson::{Document, RawDocumentBuf, doc};
use xxhash_rust::xxh3::xxh3_64;

use crate::job::bulk::Pair;
use crate::limits::{JOURNAL_BYTES_MAX, JOURNAL_RECORD_BYTES_MAX, JOURNALS_MAX};

/// The end of a journal's name.
const EXTENSION: &str = "journal";

/// The end of the name of one that is not whole yet.
const NEW: &str = "new";

const MARKER: [u8; 4] = *b"MFJ1";

/// Bytes before the body of a record: marker, length, checksum.
const HEAD: usize = 16;

/// The shortest BSON document: it is the place of a document that is not there.
const EMPTY: [u8; 5] = [5, 0, 0, 0, 0];

/// The kinds of records.
mod kind {
    pub const HEADER: u8 = 1;
    pub const PAIRS: u8 = 2;
    pub const STEP: u8 = 3;
    pub const DIGESTS: u8 = 4;
    pub const DONE: u8 = 5;
    pub const NOTE: u8 = 6;
}

/// A document of a step: as it is before, or as it is planned where there was none.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    pub before: Option<RawDocumentBuf>,
    pub planned: Option<RawDocumentBuf>,
}

/// One step: its documents, and what became of each once that is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Where `before` is not the document but its `_id` and digest.
    pub is_digests: bool,
    pub items: Vec<Item>,
    /// For each item, the document after the step, or only its `_id`; `None` if it did not change.
    pub done: Option<Vec<Option<RawDocumentBuf>>>,
}

/// A journal as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Contents {
    pub header: Document,
    /// The pairs of a change that is taken back or made again.
    pub pairs: Vec<Pair>,
    pub steps: Vec<Step>,
    /// The fields of all notes, the newest value of each.
    pub notes: Document,
    /// Records after a bad one: what is known of the operation has a gap.
    pub is_damaged: bool,
}

/// A journal that is being written. It is locked, so that no other window takes its operation for
/// one that was cut short.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    bytes: u64,
}

impl Journal {
    /// Begins a journal: once it has its name, its header and pairs are on the disk.
    ///
    /// # Errors
    /// One sentence; there is no journal then.
    pub fn begin(folder: &Path, header: &Document, pairs: &[Pair]) -> Result<Self, String> {
        let fail = |error: std::io::Error| no_room(folder, &error.to_string());
        fs::create_dir_all(folder).map_err(fail)?;
        if paths(folder).len() >= JOURNALS_MAX {
            return Err(format!(
                "{JOURNALS_MAX} operations are unfinished; continue, stop or undo some first"
            ));
        }
        let name = ObjectId::new().to_hex();
        let path = folder.join(format!("{name}.{EXTENSION}"));
        let new = folder.join(format!("{name}.{NEW}"));
        let begun = Self::write_new(&new, header, pairs).and_then(|mut journal| {
            fs::rename(&new, &path).map_err(fail)?;
            sync_folder(folder);
            journal.path = path;
            Ok(journal)
        });
        if begun.is_err() {
            let _ = fs::remove_file(&new);
        }
        begun
    }

    fn write_new(new: &Path, header: &Document, pairs: &[Pair]) -> Result<Self, String> {
        let fail = |error: std::io::Error| no_room(new, &error.to_string());
        let mut options = OpenOptions::new();
        // It holds documents, which other users must not read.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.read(true).write(true).create_new(true).open(new).map_err(fail)?;
        file.try_lock().map_err(|error| no_room(new, &error.to_string()))?;
        let mut journal = Self { file, path: new.to_owned(), bytes: 0 };
        journal.append(kind::HEADER, &[bytes_of(header)?.as_bytes()])?;
        for some in pairs.chunks(crate::limits::BULK_STEP_DOCUMENTS) {
            let both = some.iter().flat_map(|pair| [pair.before.as_ref(), pair.after.as_ref()]);
            let all: Vec<&[u8]> = both.map(bytes_or_empty).collect();
            journal.append(kind::PAIRS, &all)?;
        }
        journal.sync()?;
        Ok(journal)
    }

    /// Opens the journal of an operation that was cut short. A torn last record is removed.
    ///
    /// # Errors
    /// One sentence: another window has it, it is gone, or nothing in it can be read.
    pub fn open(path: &Path) -> Result<(Self, Contents), String> {
        let fail = |error: std::io::Error| format!("Can't read {}: {error}", path.display());
        let mut file = OpenOptions::new().read(true).write(true).open(path).map_err(fail)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(IN_USE.to_owned()),
            Err(TryLockError::Error(error)) => return Err(fail(error)),
        }
        let mut all = Vec::new();
        let most = JOURNAL_BYTES_MAX.saturating_add(JOURNAL_RECORD_BYTES_MAX as u64);
        (&mut file).take(most).read_to_end(&mut all).map_err(fail)?;
        let (contents, whole) = read(&all);
        let contents = contents.ok_or_else(|| format!("{} is damaged", path.display()))?;
        let bytes = whole as u64;
        if !contents.is_damaged {
            file.set_len(bytes).map_err(fail)?;
        }
        file.seek(SeekFrom::End(0)).map_err(fail)?;
        Ok((Self { file, path: path.to_owned(), bytes }, contents))
    }

    /// Notes the documents of the next step, and waits until they are on the disk.
    ///
    /// # Errors
    /// One sentence; the step must not begin.
    pub fn step(&mut self, items: &[Item]) -> Result<(), String> {
        let both = items.iter().flat_map(|item| [item.before.as_ref(), item.planned.as_ref()]);
        self.append(kind::STEP, &both.map(bytes_or_empty).collect::<Vec<_>>())?;
        self.sync()
    }

    /// As [`step`](Self::step), with a digest in place of each document.
    ///
    /// # Errors
    /// One sentence; the step must not begin.
    pub fn step_digests(&mut self, items: &[Item]) -> Result<(), String> {
        let mut all = Vec::new();
        for item in items {
            let short = item.before.as_ref().map(digest).transpose()?;
            let planned = item.planned.as_ref().map(digest).transpose()?;
            all.extend([short, planned]);
        }
        self.append(
            kind::DIGESTS,
            &all.iter().map(Option::as_ref).map(bytes_or_empty).collect::<Vec<_>>(),
        )?;
        self.sync()
    }

    /// Notes what became of each document of the last step. It is on the disk with the next step: if
    /// it is lost, the documents are read again.
    pub fn done(&mut self, after: &[Option<RawDocumentBuf>]) -> Result<(), String> {
        self.append(
            kind::DONE,
            &after.iter().map(Option::as_ref).map(bytes_or_empty).collect::<Vec<_>>(),
        )
    }

    /// Notes a few fields, and waits until they are on the disk.
    pub fn note(&mut self, fields: &Document) -> Result<(), String> {
        self.append(kind::NOTE, &[bytes_of(fields)?.as_bytes()])?;
        self.sync()
    }

    /// The operation ended: nothing has to be remembered.
    pub fn finish(self) {
        // One that stays is offered once more, which does no harm.
        let _ = fs::remove_file(&self.path);
    }

    fn append(&mut self, kind: u8, documents: &[&[u8]]) -> Result<(), String> {
        let mut body = vec![kind];
        for document in documents {
            body.extend_from_slice(document);
        }
        let length = u32::try_from(body.len()).ok();
        let length = length.filter(|_| body.len() <= JOURNAL_RECORD_BYTES_MAX);
        let after = self.bytes.saturating_add((HEAD + body.len()) as u64);
        let (Some(length), true) = (length, after <= JOURNAL_BYTES_MAX) else {
            let most = JOURNAL_BYTES_MAX / (1024 * 1024);
            return Err(format!(
                "This operation needs more than {most} MiB of notes to be continued after a crash; \
                 use a filter that matches fewer documents"
            ));
        };
        let mut record = Vec::with_capacity(HEAD + body.len());
        record.extend_from_slice(&MARKER);
        record.extend_from_slice(&length.to_le_bytes());
        record.extend_from_slice(&xxh3_64(&body).to_le_bytes());
        record.extend_from_slice(&body);
        let written = self.file.write_all(&record);
        if let Err(error) = written {
            // No half record may come before the next one.
            let _ = self.file.set_len(self.bytes);
            let _ = self.file.seek(SeekFrom::End(0));
            return Err(no_room(&self.path, &error.to_string()));
        }
        self.bytes = after;
        Ok(())
    }

    fn sync(&self) -> Result<(), String> {
        self.file.sync_data().map_err(|error| no_room(&self.path, &error.to_string()))
    }
}

/// Why a journal can't be opened that another window has.
pub const IN_USE: &str = "Another window is at work on this operation";

/// Forgets an operation that was cut short.
///
/// # Errors
/// One sentence: another window has it.
pub fn forget(path: &Path) -> Result<(), String> {
    let Ok(file) = OpenOptions::new().read(true).write(true).open(path) else { return Ok(()) };
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        return Err(IN_USE.to_owned());
    }
    fs::remove_file(path).map_err(|error| format!("Can't remove {}: {error}", path.display()))
}

/// The journals in a folder, the oldest first. One that was never whole is removed.
pub fn paths(folder: &Path) -> Vec<PathBuf> {
    let Ok(found) = fs::read_dir(folder) else { return Vec::new() };
    let mut all = Vec::new();
    for path in found.flatten().map(|entry| entry.path()) {
        match path.extension().and_then(|end| end.to_str()) {
            Some(EXTENSION) => all.push(path),
            // Locked: it is being written.
            Some(NEW) => drop(forget(&path)),
            _ => {}
        }
    }
    all.sort();
    all
}

/// The `_id` of a document and the digest of its bytes.
///
/// # Errors
/// It is too large.
pub fn digest(raw: &RawDocumentBuf) -> Result<RawDocumentBuf, String> {
    let id = raw.get("_id").ok().flatten().and_then(|id| bson::Bson::try_from(id).ok());
    let sum = i64::from_le_bytes(xxh3_64(raw.as_bytes()).to_le_bytes());
    bytes_of(&doc! { "_id": id.unwrap_or(bson::Bson::Null), "digest": sum })
}

fn no_room(path: &Path, error: &str) -> String {
    format!(
        "Nothing further was changed, because the operation can't be noted in {}: {error}. Free \
         some disk space, then try again",
        path.display()
    )
}

fn sync_folder(folder: &Path) {
    // Some systems can't sync a folder; the name is then on the disk a little later.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

fn bytes_of(document: &Document) -> Result<RawDocumentBuf, String> {
    RawDocumentBuf::try_from(document).map_err(|error| error.to_string())
}

fn bytes_or_empty(document: Option<&RawDocumentBuf>) -> &[u8] {
    document.map_or(&EMPTY, |raw| raw.as_bytes())
}

/// The contents of the records, and the number of bytes in whole records. `None` without a header.
fn read(all: &[u8]) -> (Option<Contents>, usize) {
    let (mut at, mut contents) = (0, None);
    while let Some((body, next)) = record(all, at) {
        let Some(()) = take(body, &mut contents) else { break };
        at = next;
    }
    if let Some(contents) = &mut contents {
        contents.is_damaged = has_record_after(all, at);
    }
    (contents, at)
}

/// The body of the record at this place, and the place after it.
fn record(all: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let head = all.get(at..at.checked_add(HEAD)?)?;
    let length = u32::from_le_bytes(head.get(4..8)?.try_into().ok()?) as usize;
    let sum = u64::from_le_bytes(head.get(8..16)?.try_into().ok()?);
    let (from, to) = (at + HEAD, (at + HEAD).checked_add(length)?);
    let body = all.get(from..to)?;
    (head.starts_with(&MARKER) && length <= JOURNAL_RECORD_BYTES_MAX && xxh3_64(body) == sum)
        .then_some((body, to))
}

fn has_record_after(all: &[u8], at: usize) -> bool {
    let rest = all.get(at..).unwrap_or_default();
    let places = rest.windows(MARKER.len()).enumerate();
    places.filter(|(_, four)| *four == MARKER).any(|(place, _)| record(all, at + place).is_some())
}

/// Adds a record. `None` if it can't follow the records before it.
fn take(body: &[u8], contents: &mut Option<Contents>) -> Option<()> {
    let (kind, rest) = body.split_first()?;
    let documents = documents(rest)?;
    let Some(known) = contents else {
        let header = documents.first().filter(|_| *kind == kind::HEADER)?.as_ref()?;
        *contents = Some(Contents {
            header: Document::try_from(header.as_ref()).ok()?,
            pairs: Vec::new(),
            steps: Vec::new(),
            notes: Document::new(),
            is_damaged: false,
        });
        return Some(());
    };
    let in_twos = documents.chunks_exact(2);
    let twos = in_twos.map(|two| (two[0].clone(), two[1].clone()));
    match *kind {
        kind::PAIRS => {
            known.pairs.extend(twos.map(|(before, after)| Pair { before, after }));
        }
        kind::STEP | kind::DIGESTS => {
            let items = twos.map(|(before, planned)| Item { before, planned }).collect();
            known.steps.push(Step { is_digests: *kind == kind::DIGESTS, items, done: None });
        }
        kind::DONE => {
            let last = known.steps.last_mut()?;
            (last.items.len() == documents.len()).then_some(())?;
            last.done = Some(documents);
        }
        kind::NOTE => {
            let note = documents.first()?.as_ref()?;
            known.notes.extend(Document::try_from(note.as_ref()).ok()?);
        }
        _ => return None,
    }
    Some(())
}

/// The documents of a body; `None` for one that is empty.
fn documents(mut rest: &[u8]) -> Option<Vec<Option<RawDocumentBuf>>> {
    let mut all = Vec::new();
    while !rest.is_empty() {
        let length = u32::from_le_bytes(rest.get(..4)?.try_into().ok()?) as usize;
        let (one, after) = rest.split_at_checked(length)?;
        let is_empty = one == EMPTY;
        all.push(if is_empty {
            None
        } else {
            Some(RawDocumentBuf::from_bytes(one.to_vec()).ok()?)
        });
        rest = after;
    }
    Some(all)
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
