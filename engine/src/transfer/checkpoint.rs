//! How far an import is, kept in the store with every transaction of it.
//!
//! | value of the table `meta` | holds |
//! |---|---|
//! | `imports` | the ids of all imports that did not reach their end |
//! | `import/<id>` | the checkpoint |
//! | `import/<id>/rejects` | what the last transaction has rejected, until the next one |
//! | `import/<id>/<n>` | the documents that its transaction `n` has inserted, for a roll back |

use std::collections::BTreeMap;
use std::path::PathBuf;

use bson::{Bson, Document, RawDocument, RawDocumentBuf, doc, oid::ObjectId};

use super::{
    Format, ImportRequest, Lenience, Mode, Oddity, Place, Reject, Tally, TransferError, Zone,
    identity::{FileIdentity, bits, unbits},
    inserted::Inserted,
    limits::{FORGET_LISTS_MAX, REASONS_MAX, UNFINISHED_MAX},
    place::Mark,
};
use crate::{
    catalog::Namespace,
    collection::DocumentWriter,
    store::{Reader, StoreError},
};

/// The value of the table `meta` with the ids of all checkpoints.
const LIST: &str = "imports";

/// What is being done with an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// It stores documents.
    Importing,
    /// It takes them back.
    RollingBack,
    /// Its lists of documents are removed.
    Forgetting,
}

/// How far an import is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Checkpoint {
    pub id: ObjectId,
    pub started_ms: i64,
    pub state: State,
    /// What to import, with whole paths.
    pub request: ImportRequest,
    pub identities: Vec<FileIdentity>,
    /// The collection that the documents are in; `None` before the first transaction.
    pub collection: Option<u32>,
    /// The import has made the collection.
    pub created: bool,
    /// The number of the file that is read.
    pub file: usize,
    /// Where that file goes on.
    pub mark: Mark,
    /// What of the values in the files before it was not as Extended JSON has it.
    pub tally_before: Tally,
    /// Documents stored, those that replaced or changed another one counted.
    pub imported: u64,
    /// Documents that replaced or changed another one.
    pub replaced: u64,
    pub skipped: u64,
    pub rejected: u64,
    /// Rejected documents that do not count for stopping, because somebody has resumed since.
    pub forgiven: u64,
    /// How many were rejected for which reason.
    pub reasons: BTreeMap<String, u64>,
    /// The file of rejected documents of the file that is read, and how much of it counts. In the
    /// store that is without the tail.
    pub rejects: Option<(PathBuf, u64)>,
    /// The store has a tail: what the last transaction has rejected, to be written behind what counts.
    pub has_tail: bool,
    /// The files of rejected documents of the files before it.
    pub rejects_before: Vec<PathBuf>,
    /// The file before this one whose rest could not be read.
    pub broken: Option<Reject>,
    /// Lists of inserted documents.
    pub lists: u64,
}

impl Checkpoint {
    /// Before the first document.
    ///
    /// # Errors
    /// When a file can't be read.
    pub(super) fn new(request: &ImportRequest, now_ms: i64) -> Result<Self, TransferError> {
        let of = |path: &PathBuf| FileIdentity::of(path);
        let identities: Vec<_> = request.files.iter().map(of).collect::<Result<_, _>>()?;
        let files = identities.iter().map(|identity| identity.path.clone()).collect();
        Ok(Self {
            id: ObjectId::new(),
            started_ms: now_ms,
            state: State::Importing,
            request: ImportRequest { files, ..request.clone() },
            identities,
            collection: None,
            created: false,
            file: 0,
            mark: Mark::START,
            tally_before: Tally::default(),
            imported: 0,
            replaced: 0,
            skipped: 0,
            rejected: 0,
            forgiven: 0,
            reasons: BTreeMap::new(),
            rejects: None,
            has_tail: false,
            rejects_before: Vec::new(),
            broken: None,
            lists: 0,
        })
    }

    /// Documents looked at.
    pub(super) fn read(&self) -> u64 {
        self.imported + self.skipped + self.rejected
    }

    /// How many values so far were not as version 2 of Extended JSON has them.
    pub(super) fn tally(&self) -> Tally {
        self.tally_before + self.mark.tally
    }

    /// Counts one rejected document.
    pub(super) fn count_reject(&mut self, reason: &str) {
        self.rejected += 1;
        let known = self.reasons.contains_key(reason) || self.reasons.len() < REASONS_MAX;
        let reason = if known { reason } else { "other reasons" };
        *self.reasons.entry(reason.to_owned()).or_default() += 1;
    }

    /// Takes a file as begun.
    pub(super) fn begin_file(&mut self, file: usize) {
        if file == self.file {
            return;
        }
        self.tally_before = self.tally();
        self.mark = Mark::START;
        self.file = file;
        self.rejects_before.extend(self.rejects.take().map(|(path, _)| path));
    }

    /// Reads a checkpoint.
    ///
    /// # Errors
    /// When the store fails or what it holds is none.
    pub(super) fn load(reader: &Reader<'_>, id: ObjectId) -> Result<Option<Self>, StoreError> {
        let Some(bytes) = reader.meta(&name(id))? else { return Ok(None) };
        let found = RawDocument::from_bytes(bytes)
            .ok()
            .and_then(|raw| Document::try_from(raw).ok())
            .and_then(|document| from_bson(id, &document));
        found.map(Some).ok_or_else(|| StoreError::damaged("a checkpoint of an import"))
    }

    /// Keeps the checkpoint in a transaction.
    ///
    /// # Errors
    /// When the store fails, or remembers too many imports already.
    pub(super) fn save(&self, writer: &mut DocumentWriter<'_>) -> Result<(), TransferError> {
        let mut ids = list(&writer.reader())?;
        if !ids.contains(&self.id) {
            if ids.len() >= UNFINISHED_MAX {
                let what = format!(
                    "The store remembers {UNFINISHED_MAX} imports that did not reach their end; \
                     resume, roll back or leave some of them first."
                );
                return Err(TransferError::Unfinished { what });
            }
            ids.push(self.id);
            put_list(writer, &ids)?;
        }
        let bytes = raw(&to_bson(self))?;
        Ok(writer.put_meta(&name(self.id), bytes.as_bytes())?)
    }

    /// Keeps a list of documents that were inserted.
    ///
    /// # Errors
    /// When the store fails.
    pub(super) fn push_list(
        &mut self,
        writer: &mut DocumentWriter<'_>,
        inserted: &Inserted,
    ) -> Result<(), StoreError> {
        writer.put_meta(&list_name(self.id, self.lists), &inserted.to_bytes())?;
        self.lists += 1;
        Ok(())
    }

    /// The newest list of inserted documents, which is removed.
    ///
    /// # Errors
    /// When the store fails.
    pub(super) fn pop_list(
        &mut self,
        writer: &mut DocumentWriter<'_>,
    ) -> Result<Option<Inserted>, StoreError> {
        let Some(last) = self.lists.checked_sub(1) else { return Ok(None) };
        self.lists = last;
        let name = list_name(self.id, last);
        let found = match writer.reader().meta(&name)? {
            Some(bytes) => Inserted::from_bytes(bytes)
                .ok_or_else(|| StoreError::damaged("a list of imported documents"))?,
            None => Inserted::default(),
        };
        writer.delete_meta(&name)?;
        Ok(Some(found))
    }

    /// Keeps what this transaction has rejected, as lines, in the place of what the one before has.
    ///
    /// # Errors
    /// When the store fails.
    pub(super) fn put_tail(
        &mut self,
        writer: &mut DocumentWriter<'_>,
        lines: &[u8],
    ) -> Result<(), StoreError> {
        if !lines.is_empty() {
            writer.put_meta(&tail_name(self.id), lines)?;
        } else if self.has_tail {
            writer.delete_meta(&tail_name(self.id))?;
        }
        self.has_tail = !lines.is_empty();
        Ok(())
    }

    /// What the last transaction has rejected, as lines.
    ///
    /// # Errors
    /// When the store fails.
    pub(super) fn tail(&self, reader: &Reader<'_>) -> Result<Vec<u8>, StoreError> {
        let found = if self.has_tail { reader.meta(&tail_name(self.id))? } else { None };
        Ok(found.unwrap_or_default().to_vec())
    }

    /// Removes some of its lists, at last itself. Whether it is gone.
    ///
    /// # Errors
    /// When the store fails.
    pub(super) fn forget(
        &mut self,
        writer: &mut DocumentWriter<'_>,
    ) -> Result<bool, TransferError> {
        self.state = State::Forgetting;
        self.put_tail(writer, &[])?;
        let from = self.lists.saturating_sub(FORGET_LISTS_MAX);
        for number in from..self.lists {
            writer.delete_meta(&list_name(self.id, number))?;
        }
        self.lists = from;
        if from > 0 {
            self.save(writer)?;
            return Ok(false);
        }
        let mut ids = list(&writer.reader())?;
        if let Some(at) = ids.iter().position(|id| *id == self.id) {
            ids.remove(at);
            put_list(writer, &ids)?;
            writer.delete_meta(&name(self.id))?;
        }
        Ok(true)
    }
}

/// The ids of all checkpoints, oldest first.
///
/// # Errors
/// When the store fails.
pub(super) fn list(reader: &Reader<'_>) -> Result<Vec<ObjectId>, StoreError> {
    let bytes = reader.meta(LIST)?.unwrap_or_default();
    let id = |bytes: &[u8]| bytes.try_into().ok().map(ObjectId::from_bytes);
    let ids: Option<_> = bytes.chunks(12).map(id).collect();
    ids.ok_or_else(|| StoreError::damaged("the list of unfinished imports"))
}

fn put_list(writer: &mut DocumentWriter<'_>, ids: &[ObjectId]) -> Result<(), StoreError> {
    if ids.is_empty() {
        return writer.delete_meta(LIST).map(drop);
    }
    writer.put_meta(LIST, &ids.iter().flat_map(ObjectId::bytes).collect::<Vec<u8>>())
}

fn name(id: ObjectId) -> String {
    format!("import/{id}")
}

fn tail_name(id: ObjectId) -> String {
    format!("import/{id}/rejects")
}

fn list_name(id: ObjectId, number: u64) -> String {
    format!("import/{id}/{number}")
}

fn raw(document: &Document) -> Result<RawDocumentBuf, TransferError> {
    RawDocumentBuf::try_from(document)
        .map_err(|error| TransferError::Bug { what: error.to_string() })
}

const MODES: [(Mode, &str); 4] = [
    (Mode::Insert, "insert"),
    (Mode::Skip, "skip"),
    (Mode::Replace, "replace"),
    (Mode::Merge, "merge"),
];
const FORMATS: [(Format, &str); 3] =
    [(Format::Auto, "auto"), (Format::Json, "json"), (Format::Csv, "csv")];
/// Names on disk.
const ODDITIES: [(Oddity, &str); 5] = [
    (Oddity::DuplicateField, "duplicateField"),
    (Oddity::BigInteger, "bigInteger"),
    (Oddity::NotFinite, "notFinite"),
    (Oddity::NoZone, "noZone"),
    (Oddity::BrokenText, "brokenText"),
];
const LEAP_SECONDS: &str = "leapSecond";
const STATES: [(State, &str); 3] = [
    (State::Importing, "importing"),
    (State::RollingBack, "rollingBack"),
    (State::Forgetting, "forgetting"),
];

fn word<T: PartialEq>(words: &[(T, &'static str)], value: &T) -> &'static str {
    words.iter().find(|(known, _)| known == value).map_or("", |(_, word)| word)
}

fn value<T: Copy>(words: &[(T, &str)], from: &Document, name: &str) -> Option<T> {
    let word = from.get_str(name).ok()?;
    words.iter().find(|(_, known)| *known == word).map(|(value, _)| *value)
}

fn path(path: &std::path::Path) -> String {
    path.to_string_lossy().into_owned()
}

fn to_bson(of: &Checkpoint) -> Document {
    let request = &of.request;
    let reasons = of.reasons.iter();
    let reasons: Vec<_> =
        reasons.map(|(reason, count)| doc! { "reason": reason, "count": bits(*count) }).collect();
    let mut document = doc! {
        "startedMs": of.started_ms,
        "state": word(&STATES, &of.state),
        "db": &request.namespace.db,
        "collection": &request.namespace.collection,
        "format": word(&FORMATS, &request.format),
        "mode": word(&MODES, &request.mode),
        "drop": request.drop,
        "stopOnError": request.stop_on_error,
        "files": of.identities.iter().map(FileIdentity::to_bson).collect::<Vec<_>>(),
        "created": of.created,
        "file": bits(of.file as u64),
        "place": place_to_bson(of.mark.place),
        "legacy": bits(of.mark.tally.legacy_values),
        "oddities": oddities_to_bson(&of.mark.tally),
        "legacyBefore": bits(of.tally_before.legacy_values),
        "odditiesBefore": oddities_to_bson(&of.tally_before),
        "imported": bits(of.imported),
        "replaced": bits(of.replaced),
        "skipped": bits(of.skipped),
        "rejected": bits(of.rejected),
        "forgiven": bits(of.forgiven),
        "reasons": reasons,
        "rejectsBefore": of.rejects_before.iter().map(|file| path(file)).collect::<Vec<_>>(),
        "lists": bits(of.lists),
    };
    if request.lenience != Lenience::default() {
        document.insert("lenience", lenience_to_bson(request.lenience));
    }
    if let Some(wanted) = &request.rejects {
        document.insert("rejectsWanted", path(wanted));
    }
    if let Some(id) = of.collection {
        document.insert("collectionId", i64::from(id));
    }
    if let Some((file, bytes)) = &of.rejects {
        document.insert("rejects", doc! { "path": path(file), "bytes": bits(*bytes) });
    }
    if of.has_tail {
        document.insert("tail", true);
    }
    if let Some(Reject { file, place, reason }) = &of.broken {
        let place = place_to_bson(*place);
        document.insert("broken", doc! { "path": path(file), "place": place, "reason": reason });
    }
    document
}

fn place_to_bson(place: Place) -> Vec<Bson> {
    let numbers = [place.line, place.column, place.offset, place.document];
    numbers.map(|number| Bson::Int64(bits(number))).to_vec()
}

fn place_from_bson(from: &Document) -> Option<Place> {
    let numbers = from.get_array("place").ok()?.iter().map(|number| number.as_i64().map(unbits));
    let numbers: Vec<u64> = numbers.collect::<Option<_>>()?;
    let [line, column, offset, document] = numbers.try_into().ok()?;
    Some(Place { line, column, offset, document })
}

fn lenience_to_bson(of: Lenience) -> Document {
    let taken = ODDITIES.iter().filter(|(oddity, _)| of.takes(*oddity));
    doc! { "takes": taken.map(|(_, word)| *word).collect::<Vec<_>>(), "zone": of.zone.to_string() }
}

/// Nothing odd is taken by an import that says nothing about it.
fn lenience_from_bson(from: &Document) -> Option<Lenience> {
    let mut lenience = Lenience::default();
    let Ok(from) = from.get_document("lenience") else { return Some(lenience) };
    for taken in from.get_array("takes").ok()? {
        let (oddity, _) = ODDITIES.iter().find(|(_, word)| taken.as_str() == Some(word))?;
        lenience.set(*oddity, true);
    }
    lenience.zone = Zone::parse(from.get_str("zone").ok()?)?;
    Some(lenience)
}

fn oddities_to_bson(of: &Tally) -> Document {
    let oddities = ODDITIES.iter().map(|(oddity, word)| (*word, of[*oddity]));
    let all = oddities.chain([(LEAP_SECONDS, of.leap_seconds)]);
    all.map(|(word, count)| (word.to_owned(), bits(count).into())).collect()
}

fn tally_from_bson(from: &Document, legacy: &str, oddities: &str) -> Option<Tally> {
    let mut tally = Tally::default();
    tally.legacy_values = unbits(from.get_i64(legacy).ok()?);
    let Ok(from) = from.get_document(oddities) else { return Some(tally) };
    for (oddity, word) in ODDITIES {
        tally.set(oddity, unbits(from.get_i64(word).ok()?));
    }
    tally.leap_seconds = from.get_i64(LEAP_SECONDS).map_or(0, unbits);
    Some(tally)
}

fn from_bson(id: ObjectId, from: &Document) -> Option<Checkpoint> {
    let number = |name: &str| Some(unbits(from.get_i64(name).ok()?));
    let documents = |name: &str| {
        let all = from.get_array(name).ok()?.iter().map(Bson::as_document);
        all.collect::<Option<Vec<_>>>()
    };
    let identities = documents("files")?.into_iter().map(FileIdentity::from_bson);
    let identities: Vec<FileIdentity> = identities.collect::<Option<_>>()?;
    let namespace =
        Namespace::new(from.get_str("db").ok()?, from.get_str("collection").ok()?).ok()?;
    let request = ImportRequest {
        files: identities.iter().map(|identity| identity.path.clone()).collect(),
        namespace,
        format: value(&FORMATS, from, "format")?,
        lenience: lenience_from_bson(from)?,
        mode: value(&MODES, from, "mode")?,
        drop: from.get_bool("drop").ok()?,
        stop_on_error: from.get_bool("stopOnError").ok()?,
        rejects: from.get_str("rejectsWanted").ok().map(PathBuf::from),
    };
    let reasons = documents("reasons")?.into_iter().map(|reason| {
        let count = unbits(reason.get_i64("count").ok()?);
        Some((reason.get_str("reason").ok()?.to_owned(), count))
    });
    let before = from.get_array("rejectsBefore").ok()?.iter();
    Some(Checkpoint {
        id,
        started_ms: from.get_i64("startedMs").ok()?,
        state: value(&STATES, from, "state")?,
        request,
        identities,
        collection: from.get_i64("collectionId").ok().and_then(|id| u32::try_from(id).ok()),
        created: from.get_bool("created").ok()?,
        file: usize::try_from(number("file")?).ok()?,
        mark: Mark {
            place: place_from_bson(from)?,
            tally: tally_from_bson(from, "legacy", "oddities")?,
        },
        tally_before: tally_from_bson(from, "legacyBefore", "odditiesBefore")?,
        imported: number("imported")?,
        replaced: number("replaced")?,
        skipped: number("skipped")?,
        rejected: number("rejected")?,
        forgiven: number("forgiven")?,
        reasons: reasons.collect::<Option<_>>()?,
        rejects: from.get_document("rejects").ok().and_then(|rejects| {
            let bytes = unbits(rejects.get_i64("bytes").ok()?);
            Some((PathBuf::from(rejects.get_str("path").ok()?), bytes))
        }),
        has_tail: from.get_bool("tail").unwrap_or(false),
        rejects_before: before.filter_map(|file| file.as_str().map(PathBuf::from)).collect(),
        broken: from.get_document("broken").ok().and_then(|broken| {
            Some(Reject {
                file: PathBuf::from(broken.get_str("path").ok()?),
                place: place_from_bson(broken)?,
                reason: broken.get_str("reason").ok()?.to_owned(),
            })
        }),
        lists: number("lists")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_is_read_as_it_was_written_also_by_a_version_without_options() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let namespace = Namespace::new("db", "c").unwrap();
        let mut request = ImportRequest::new(vec![file.path().to_owned()], namespace);
        request.lenience.set(Oddity::NoZone, true);
        request.lenience.zone = Zone::parse("+05:45").unwrap();
        let mut written = Checkpoint::new(&request, 7).unwrap();
        for tally in [&mut written.mark.tally, &mut written.tally_before] {
            tally.legacy_values = 3;
            tally.leap_seconds = 4;
            tally.set(Oddity::NoZone, 5);
        }
        let mut bson = to_bson(&written);
        let read = from_bson(written.id, &bson).unwrap();
        assert_eq!(read.request.lenience, request.lenience);
        assert_eq!(
            (read.mark.tally, read.tally_before),
            (written.mark.tally, written.tally_before)
        );
        for since in ["lenience", "oddities", "odditiesBefore"] {
            assert!(bson.remove(since).is_some(), "{since}");
        }
        let old = from_bson(written.id, &bson).unwrap();
        assert_eq!(old.request.lenience, Lenience::default());
        let mut known = Tally::default();
        known.legacy_values = 3;
        assert_eq!((old.mark.tally, old.tally_before), (known, known));
    }
}
