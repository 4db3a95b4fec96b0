//! Reads files before an import: a preview, and a rehearsal that stores nothing.

use std::{
    collections::{BTreeSet, HashMap},
    path::Path,
    sync::Arc,
};

use bson::{RawDocument, RawDocumentBuf, oid::ObjectId};
use xxhash_rust::xxh3::xxh3_128;

use crate::transfer::limits::{PREVIEW_BYTES_MAX, PREVIEW_DOCS_MAX, SAMPLE_DOCS_MAX};
use crate::transfer::read::item::{BadRecord, Item};
use crate::transfer::read::prepare::prepare;
use crate::transfer::read::records::Records;
use crate::transfer::read::sample::PathSampler;
use crate::transfer::{
    DetectedFormat, FieldCounts, PathSample, Progress, ReadOptions, Reject, TableColumn, Tally,
    TransferError, Types, Unconverted,
};
use crate::{
    catalog::{CollectionMeta, IndexMeta, Namespace},
    collection::Collections,
    plan::document_with_id,
    query::{Filter, filter::type_name},
    store::StoreError,
    ttl::{Minutes, Rule, expiry},
    value::{Direction, key},
};

/// The start of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Preview {
    /// The detected format.
    pub detected: DetectedFormat,
    /// The first documents, at most [`PREVIEW_DOCS_MAX`].
    pub documents: Vec<RawDocumentBuf>,
    /// The top-level fields of these documents, in order of appearance.
    pub fields: Vec<FieldTypes>,
    /// Unreadable documents among them.
    pub rejects: Vec<Reject>,
    /// Non-standard values among them.
    pub tally: Tally,
    /// Whether the file continues.
    pub more: bool,
    /// The paths of the first documents, at most [`SAMPLE_DOCS_MAX`], as the file has them.
    pub paths: Vec<PathSample>,
    /// How many documents that are.
    pub sampled: u64,
    /// The first documents with their chosen types; empty if none are chosen. A value that does not
    /// convert stays, also where its document would be rejected.
    pub converted: Vec<RawDocumentBuf>,
    /// How the sampled values of each field with a chosen type convert.
    pub counts: Vec<FieldCounts>,
    /// The columns of a table.
    pub columns: Vec<TableColumn>,
    /// The sheets of a workbook, by their names.
    pub sheets: Vec<String>,
    /// The one that was read.
    pub sheet: Option<String>,
}

/// A field and the types of its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldTypes {
    /// The field's name.
    pub name: String,
    /// MongoDB's type names, each with the number of documents.
    pub types: Vec<(&'static str, usize)>,
}

/// The expected result of importing a file into a collection.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rehearsal {
    /// Documents that can be stored.
    pub documents: u64,
    /// Documents that would be rejected.
    pub rejected: u64,
    /// Documents whose `_id` already exists in the collection. The mode decides what happens.
    pub taken: u64,
    /// Other documents whose `_id` is a duplicate within the file. The mode decides what happens.
    pub repeated: u64,
    /// Documents that are already expired. The next pass would remove them.
    pub overdue: u64,
    /// The minute after now in which most documents would expire: its beginning, in milliseconds
    /// since 1970, and at least how many; exact while they expire in a few thousand minutes.
    pub busiest: Option<(i64, u64)>,
    /// The same by TTL index.
    pub indexes: Vec<RehearsedIndex>,
}

impl Rehearsal {
    /// Adds the counts of a further file of the same collection.
    pub(in crate::transfer) fn add(&mut self, more: Self) {
        self.documents += more.documents;
        self.rejected += more.rejected;
        self.taken += more.taken;
        self.repeated += more.repeated;
        self.overdue += more.overdue;
        let count = |busiest: &Option<(i64, u64)>| busiest.map_or(0, |(_, count)| count);
        if count(&more.busiest) > count(&self.busiest) {
            self.busiest = more.busiest;
        }
        if self.indexes.is_empty() {
            self.indexes = more.indexes;
            return;
        }
        for (index, more) in self.indexes.iter_mut().zip(more.indexes) {
            index.overdue += more.overdue;
            index.waiting += more.waiting;
            index.never += more.never;
        }
    }
}

/// The effect of one TTL index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RehearsedIndex {
    /// Its name.
    pub index: String,
    /// Documents past its threshold.
    pub overdue: u64,
    /// Documents that expire later.
    pub waiting: u64,
    /// Documents that never expire.
    pub never: u64,
}

/// Reads the start of a file, with a bound on its bytes.
///
/// # Errors
/// When it can't be read or its format is unknown.
pub fn preview(path: &Path, options: &ReadOptions) -> Result<Preview, TransferError> {
    let zone = options.types.zone;
    let types = Types { zone, ..Types::default() };
    let plain = ReadOptions { types, ..options.clone() };
    let mut preview = look(Records::open(path, &plain, None)?, path);
    if !options.types.is_empty() {
        let mut options = options.clone();
        if options.types.unconverted == Unconverted::Reject {
            options.types.unconverted = Unconverted::Keep;
        }
        look_converted(Records::open(path, &options, None)?, &mut preview);
    }
    Ok(preview)
}

fn look(mut records: Records<'_>, path: &Path) -> Preview {
    records.want(PREVIEW_BYTES_MAX);
    let mut preview = Preview {
        detected: records.detected(),
        documents: Vec::new(),
        fields: Vec::new(),
        rejects: Vec::new(),
        tally: Tally::NONE,
        more: true,
        paths: Vec::new(),
        sampled: 0,
        converted: Vec::new(),
        counts: Vec::new(),
        columns: Vec::new(),
        sheets: records.sheets().to_vec(),
        sheet: records.sheet().map(str::to_owned),
    };
    let mut positions = HashMap::new();
    let mut sampler = PathSampler::default();
    while preview.documents.len() + preview.rejects.len() < PREVIEW_DOCS_MAX
        && preview.more
        && !records.is_enough()
    {
        match records.next() {
            Item::End => preview.more = false,
            Item::Bad(bad) => {
                preview.more = !bad.fatal || records.is_enough();
                let BadRecord { position, start_line, reason, fatal, .. } = bad;
                preview.rejects.push(Reject {
                    file: path.to_owned(),
                    position,
                    start_line,
                    reason,
                });
                if fatal {
                    break;
                }
            }
            Item::Document(_) => {
                let document = records.document().to_owned();
                sampler.add(&document);
                count_types(&mut preview.fields, &mut positions, &document);
                preview.documents.push(document);
            }
        }
    }
    preview.tally = records.tally();
    let is_readable = preview.more && !records.is_enough();
    if is_readable {
        while_sampled(&mut records, sampler.documents(), |document| sampler.add(document));
    }
    preview.sampled = sampler.documents();
    preview.paths = sampler.finish();
    preview.columns = records.columns();
    for sample in &mut preview.paths {
        sample.declared = records.declared(&sample.path);
    }
    preview
}

/// Reads on to the end of the sample, after this many documents of it.
fn while_sampled(records: &mut Records<'_>, before: u64, mut each: impl FnMut(&RawDocument)) {
    let mut documents = before;
    while documents < SAMPLE_DOCS_MAX && !records.is_enough() {
        match records.next() {
            Item::End => break,
            Item::Bad(bad) if bad.fatal => break,
            Item::Bad(_) => {}
            Item::Document(_) => {
                documents += 1;
                each(records.document());
            }
        }
    }
}

/// Reads the same documents with their chosen types.
fn look_converted(mut records: Records<'_>, preview: &mut Preview) {
    records.want(PREVIEW_BYTES_MAX);
    let shown = preview.documents.len();
    let converted = &mut preview.converted;
    while_sampled(&mut records, 0, |document| {
        if converted.len() < shown {
            converted.push(document.to_owned());
        }
    });
    preview.counts = records.field_counts().to_vec();
}

/// Counts the documents of a file that would be rejected, have an existing or duplicate `_id`, or
/// are already expired. Reads at most `documents_max` documents.
///
/// # Errors
/// When the file can't be read or its format is unknown, the store fails, or the user cancels.
pub fn rehearse(
    collections: &Collections,
    namespace: &Namespace,
    path: &Path,
    options: &ReadOptions,
    documents_max: u64,
    progress: &Progress,
) -> Result<Rehearsal, TransferError> {
    let collection = collections.catalog().collection(namespace);
    let indexes = collection.iter().flat_map(|collection| &collection.indexes);
    let rules = rules_of(indexes.map(Arc::as_ref));
    let now_ms = collections.clock().now_ms();
    let (collections, seen) = (Some(collections), BTreeSet::new());
    let mut ids = IdCheck { collections, collection: collection.clone(), seen };
    rehearse_file(&rules, now_ms, &mut ids, path, (options, documents_max), progress)
}

/// The rules of TTL indexes.
pub(in crate::transfer) fn rules_of<'i>(
    indexes: impl Iterator<Item = &'i IndexMeta>,
) -> Vec<RehearsalRule> {
    let rules = indexes.filter_map(|index| {
        let (rule, partial) = (index.ttl_rule()?, index.partial.clone());
        Some(RehearsalRule { index: index.name.clone(), rule, partial })
    });
    rules.collect()
}

/// A TTL index, as a rehearsal needs it.
#[derive(Debug, Clone)]
pub struct RehearsalRule {
    /// Its name.
    pub index: String,
    /// Its rule.
    pub rule: Rule,
    /// The documents that it has, or `None` for all.
    pub partial: Option<Filter>,
}

/// As [`rehearse`], for a collection that this process does not store, such as one of a server. Does
/// not know which `_id`s it has.
///
/// # Errors
/// As [`rehearse`].
pub fn rehearse_rules(
    rules: &[RehearsalRule],
    now_ms: i64,
    path: &Path,
    options: &ReadOptions,
    documents_max: u64,
    progress: &Progress,
) -> Result<Rehearsal, TransferError> {
    let mut ids = IdCheck { collections: None, collection: None, seen: BTreeSet::new() };
    rehearse_file(rules, now_ms, &mut ids, path, (options, documents_max), progress)
}

fn rehearse_file(
    rules: &[RehearsalRule],
    now_ms: i64,
    ids: &mut IdCheck<'_>,
    path: &Path,
    (options, documents_max): (&ReadOptions, u64),
    progress: &Progress,
) -> Result<Rehearsal, TransferError> {
    let mut rehearsal = Rehearsal::default();
    rehearsal.indexes.extend(rules.iter().map(|rule| {
        let index = rule.index.clone();
        RehearsedIndex { index, overdue: 0, waiting: 0, never: 0 }
    }));
    let mut records = Records::open(path, options, Some(progress))?;
    records.survey_at_most(PREVIEW_BYTES_MAX);
    let (mut stored, mut ahead) = (Vec::new(), Minutes::default());
    while rehearsal.documents + rehearsal.rejected < documents_max {
        if progress.is_cancelled() {
            return Err(TransferError::Cancelled);
        }
        stored.clear();
        match records.next() {
            Item::End => break,
            Item::Bad(bad) if bad.fatal => {
                rehearsal.rejected += 1;
                break;
            }
            Item::Document(_)
                if prepare(records.document(), ObjectId::new, &mut stored).is_ok() => {}
            Item::Bad(_) | Item::Document(_) => {
                rehearsal.rejected += 1;
                continue;
            }
        }
        let document = records.document();
        rehearsal.documents += 1;
        ids.count(document, &mut rehearsal)?;
        let (mut is_overdue, mut first_ms) = (false, None);
        for (RehearsalRule { rule, partial, .. }, counts) in
            rules.iter().zip(&mut rehearsal.indexes)
        {
            let covered = partial.as_ref().is_none_or(|filter| filter.covers(document));
            let verdict = expiry(rule, document, now_ms);
            let count = match verdict.threshold_ms() {
                Some(threshold_ms) if covered && threshold_ms <= now_ms => {
                    is_overdue = true;
                    &mut counts.overdue
                }
                Some(threshold_ms) if covered => {
                    first_ms = Some(first_ms.map_or(threshold_ms, |first| threshold_ms.min(first)));
                    &mut counts.waiting
                }
                _ => &mut counts.never,
            };
            *count += 1;
        }
        rehearsal.overdue += u64::from(is_overdue);
        if let Some(first_ms) = first_ms.filter(|_| !is_overdue) {
            ahead.add(first_ms);
        }
    }
    rehearsal.busiest = ahead.busiest();
    Ok(rehearsal)
}

/// Calls `visit` with the first documents of a file that can be stored, at most `documents_max`.
/// Returns how many there were.
///
/// # Errors
/// When the file can't be read or its format is unknown.
pub fn visit_documents(
    path: &Path,
    options: &ReadOptions,
    documents_max: u64,
    visit: &mut dyn FnMut(&RawDocument),
) -> Result<u64, TransferError> {
    let mut records = Records::open(path, options, None)?;
    records.survey_at_most(PREVIEW_BYTES_MAX);
    let (mut stored, mut documents) = (Vec::new(), 0);
    while documents < documents_max {
        stored.clear();
        match records.next() {
            Item::End => break,
            Item::Bad(bad) if bad.fatal => break,
            Item::Document(_)
                if prepare(records.document(), ObjectId::new, &mut stored).is_ok() =>
            {
                visit(records.document());
                documents += 1;
            }
            Item::Bad(_) | Item::Document(_) => {}
        }
    }
    Ok(documents)
}

/// Checks the `_id`s of a file.
struct IdCheck<'i> {
    /// `None` if the collection is elsewhere.
    collections: Option<&'i Collections>,
    /// `None` if the collection doesn't exist.
    collection: Option<Arc<CollectionMeta>>,
    /// Hashes of the `_id`s so far, at most one per rehearsed document.
    seen: BTreeSet<u128>,
}

impl IdCheck<'_> {
    /// Counts an existing or duplicate `_id`. A document without one gets a new one.
    fn count(
        &mut self,
        document: &RawDocument,
        rehearsal: &mut Rehearsal,
    ) -> Result<(), StoreError> {
        let Ok(Some(id)) = document.get("_id") else { return Ok(()) };
        let key = key::encode(Some(id), Direction::Ascending);
        let is_new = self.seen.insert(xxh3_128(&key.bytes));
        let is_there = match self.collections.zip(self.collection.as_ref()) {
            Some((collections, collection)) => collections.store().read(|reader| {
                Ok::<_, StoreError>(document_with_id(reader, collection, id)?.is_some())
            })?,
            None => false,
        };
        if is_there {
            rehearsal.taken += 1;
        } else if !is_new {
            rehearsal.repeated += 1;
        }
        Ok(())
    }
}

/// `positions` maps a field to its index in `fields`: documents can have a million fields.
fn count_types(
    fields: &mut Vec<FieldTypes>,
    positions: &mut HashMap<String, usize>,
    document: &RawDocumentBuf,
) {
    for (name, value) in document.iter().filter_map(Result::ok) {
        let name = name.as_str();
        let position = positions.get(name).copied().unwrap_or_else(|| {
            positions.insert(name.to_owned(), fields.len());
            fields.push(FieldTypes { name: name.to_owned(), types: Vec::new() });
            fields.len() - 1
        });
        let Some(field) = fields.get_mut(position) else { continue };
        let kind = type_name(value);
        match field.types.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, count)) => *count += 1,
            None => field.types.push((kind, 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{self, Read},
        sync::{
            Arc,
            atomic::{AtomicU64, Ordering::Relaxed},
        },
    };

    use super::*;
    use crate::transfer::{IMPORT_TEXT_BYTES_MAX, ImportFormat, read::input::Input};

    /// Text that starts like this and repeats one letter, up to [`FAR`] bytes.
    struct Endless {
        begin: &'static [u8],
        letter: u8,
        read: Arc<AtomicU64>,
    }

    const FAR: u64 = 1 << 30;

    impl Read for Endless {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let count = self.begin.read(into)?;
            let (_, rest) = into.split_at_mut(count);
            rest.fill(self.letter);
            let all = if self.read.load(Relaxed) < FAR { into.len() } else { 0 };
            self.read.fetch_add(all as u64, Relaxed);
            Ok(all)
        }
    }

    #[track_caller]
    fn check(
        begin: &'static str,
        letter: u8,
        format: ImportFormat,
        documents: usize,
        rejects: &[&str],
    ) {
        let read = Arc::new(AtomicU64::new(0));
        let endless = Endless { begin: begin.as_bytes(), letter, read: Arc::clone(&read) };
        let (path, input) = (Path::new("endless"), Input::over(Box::new(endless)));
        let options = ReadOptions { format, ..ReadOptions::default() };
        let records = Records::of(input, path, &options).unwrap();
        let preview = look(records, path);
        assert_eq!(preview.documents.len(), documents);
        let reasons: Vec<&str> = preview.rejects.iter().map(|it| it.reason.as_str()).collect();
        assert_eq!(reasons, rejects);
        let read_max = PREVIEW_BYTES_MAX + IMPORT_TEXT_BYTES_MAX as u64;
        assert!(read.load(Relaxed) <= read_max, "{} bytes were read", read.load(Relaxed));
    }

    #[test]
    fn a_preview_of_what_never_ends_comes_to_an_end() {
        const TOO_LONG: &str =
            "the document is larger than 16 MiB, or its text is larger than 256 MiB; split it";
        check("{\"a\":1}\n{\"b\":\"", b'x', ImportFormat::Auto, 1, &[TOO_LONG]);
        check("{\"a\":1}\n", b' ', ImportFormat::Auto, 1, &[TOO_LONG]);
        check("{\"b\":\"", b'x', ImportFormat::Auto, 0, &[TOO_LONG]);
        check("[{\"a\":1},{\"b\":\"", b'x', ImportFormat::Auto, 1, &[TOO_LONG]);
        check("a,b\n1,2\n3,", b'4', ImportFormat::Auto, 1, &["the row is too long; split it"]);
        check("a,b\n1,2\n\"", b'x', ImportFormat::Csv, 1, &["the row is too long; split it"]);
    }
}
