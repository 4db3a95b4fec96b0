//! Verify compares documents with index entries, counters and checksums.

use std::ops::Bound;

use bson::RawDocument;

use crate::{
    catalog::{CollectionMeta, IndexMeta, IndexState, Namespace},
    collection::{
        Collections,
        write::{keys::keys_of, trash, trash_row, unbuilt::read_range},
    },
    event::Finding,
    limits::FINDINGS_MAX,
    store::{Entry, Reader, RecordNumber, Scan, StoreError, StoredDocument, entry_bytes},
    value::{field::field, id_number::RecordName, scan},
};

/// Documents between two calls of `progress`, which is also called once per collection.
const PROGRESS_DOCS: u64 = 1_000;
/// Entries of an index between two calls of `progress`.
const PROGRESS_ENTRIES: u64 = 10_000;

/// The result of verify.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VerifyReport {
    /// Collections checked.
    pub collections: u64,
    /// Documents checked.
    pub documents: u64,
    /// Index entries checked.
    pub entries: u64,
    /// Empty for a sound store.
    pub findings: Vec<Finding>,
    /// Findings beyond `FINDINGS_MAX`.
    pub findings_not_listed: u64,
    /// Whether the check was stopped before its end.
    pub stopped: bool,
}

/// How far verify is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyProgress {
    /// The collection that is being checked.
    pub namespace: Namespace,
    /// Documents checked so far, in all collections.
    pub documents: u64,
    /// Documents in the store according to the counters.
    pub documents_total: u64,
}

impl Collections {
    /// Documents in the store according to the counters.
    pub(crate) fn documents_counted(&self) -> Result<u64, StoreError> {
        let catalog = self.catalog();
        self.store.read(|reader| {
            // A damaged counter is reported by the check itself; here it only affects the progress.
            let documents = |id| reader.counters(id).map_or(0, |counters| counters.documents);
            let all = catalog.all_collections().map(|collection| documents(collection.id.0));
            Ok(all.fold(0, u64::saturating_add))
        })
    }

    /// Checks every collection: documents against the entries of each index both ways, counters,
    /// checksums. Each collection is read in one transaction. `progress` returns false to stop.
    ///
    /// # Errors
    /// When the store can't be read at all. Anything wrong is a finding, not an error.
    pub fn verify(
        &self,
        progress: &mut dyn FnMut(&VerifyProgress) -> bool,
    ) -> Result<VerifyReport, StoreError> {
        let mut report = VerifyReport::default();
        let catalog = self.catalog();
        let documents_total = self.documents_counted()?;
        for (namespace, closed) in catalog.all_closed() {
            let reason = closed.reason();
            let sentence = format!("Not checked because it can't be used: {reason}.");
            report.findings.push(Finding { namespace, index: None, record: None, sentence });
        }
        if let Some(sentence) = catalog.without_dialect_in_words() {
            let namespace = Namespace::new("admin", "store");
            report.findings.push(Finding { namespace, index: None, record: None, sentence });
        }
        if catalog.nameless() > 0 {
            let sentence = format!(
                "Definitions so damaged that their collection names are unknown: {}. Their \
                 collections were not checked.",
                catalog.nameless()
            );
            let namespace = Namespace::new("admin", "store");
            report.findings.push(Finding { namespace, index: None, record: None, sentence });
        }
        for collection in catalog.all_collections() {
            if report.stopped {
                break;
            }
            let checked = self.read(|reader, catalog| {
                // Definitions as of this read: dropped ones are being reclaimed and must not count
                // as damage.
                let Some(collection) = catalog.collection_by_id(collection.id) else {
                    return Ok::<_, StoreError>(());
                };
                let (report, progress) = (&mut report, &mut *progress);
                CollectionCheck { reader, collection, report, documents_total, progress }.run()
            });
            match checked {
                // The other collections use other pages.
                Err(StoreError::Damaged { what } | StoreError::ReadAborted { what }) => {
                    let namespace = collection.namespace.clone();
                    let sentence = format!(
                        "The check stopped early because the file is damaged: {what}. Restore a \
                         backup, or export the rest."
                    );
                    report.findings.push(Finding {
                        namespace,
                        index: None,
                        record: None,
                        sentence,
                    });
                }
                checked => checked?,
            }
        }
        if !report.stopped {
            let (documents, namespace) = (report.documents, Namespace::new("admin", "trash"));
            let at = VerifyProgress { namespace, documents, documents_total };
            let found = self.store.read(|reader| trash::verify(reader, &mut || progress(&at)))?;
            report.stopped = found.is_none();
            let found = found.into_iter().flatten();
            report.findings.extend(found.map(|(of, why)| trash_row::finding(of, &why)));
        }
        report.findings.truncate(FINDINGS_MAX);
        Ok(report)
    }
}

struct CollectionCheck<'c, 't> {
    reader: &'c Reader<'t>,
    collection: &'c CollectionMeta,
    report: &'c mut VerifyReport,
    documents_total: u64,
    progress: &'c mut dyn FnMut(&VerifyProgress) -> bool,
}

/// An index, and how many entries the documents require.
struct ExpectedEntries<'c> {
    index: &'c IndexMeta,
    /// Records without entries yet, while the index is being built.
    unbuilt: (RecordNumber, RecordNumber),
    entries: u64,
    missing: bool,
}

impl<'c> CollectionCheck<'c, '_> {
    fn run(mut self) -> Result<(), StoreError> {
        if !self.go_on() {
            return Ok(());
        }
        self.report.collections += 1;
        let mut expected = Vec::new();
        for index in &self.collection.indexes {
            let unbuilt = if index.state == IndexState::Building {
                let range = read_range(self.reader, index.id);
                self.sound(Some(index), "An index build", range)?.unwrap_or_default()
            } else {
                (0, 0)
            };
            expected.push(ExpectedEntries { index, unbuilt, entries: 0, missing: false });
        }
        self.documents(&mut expected)?;
        if self.report.stopped {
            return Ok(());
        }
        for index in &expected {
            self.entries(index)?;
            if self.report.stopped {
                break;
            }
        }
        Ok(())
    }

    fn documents(&mut self, expected: &mut [ExpectedEntries<'c>]) -> Result<(), StoreError> {
        let id = self.collection.id;
        let counters = self.sound(None, "A counter", self.reader.counters(id.0))?;
        let (mut documents, mut bytes, mut next) = (0_u64, 0_u64, 0);
        let mut are_sound = true;
        for stored in self.reader.documents(id, 0, Scan::Forward)? {
            self.report.documents += 1;
            documents += 1;
            if self.report.documents.is_multiple_of(PROGRESS_DOCS) && !self.go_on() {
                return Ok(());
            }
            let Some(stored) = self.sound(None, "A document", stored)? else {
                are_sound = false;
                continue;
            };
            bytes += stored.bytes.len() as u64;
            next = stored.record + 1;
            self.document(&stored, expected)?;
        }
        let Some(counters) = counters else { return Ok(()) };
        // The length of a damaged document is unknown.
        if counters.documents != documents || are_sound && counters.bytes != bytes {
            self.find(None, None, format!(
                "The counters say {} documents with {} bytes, but there are {documents} with {bytes}.",
                counters.documents, counters.bytes
            ));
        }
        if counters.next_record < next {
            self.find(
                None,
                None,
                format!(
                    "The next record number is {}, but there is {}.",
                    counters.next_record,
                    RecordName(next - 1)
                ),
            );
        }
        Ok(())
    }

    fn document(
        &mut self,
        stored: &StoredDocument<'_>,
        expected: &mut [ExpectedEntries<'c>],
    ) -> Result<(), StoreError> {
        let record = stored.record;
        let document = match scan::check(stored.bytes) {
            Ok(document) => document,
            Err(error) => {
                self.find(
                    None,
                    Some(record),
                    format!("{:#} is not valid BSON: {error}.", RecordName(record)),
                );
                return Ok(());
            }
        };
        for expected in expected {
            let index = expected.index;
            if (expected.unbuilt.0..expected.unbuilt.1).contains(&record) {
                continue;
            }
            let Ok(found) = keys_of(index, document, stored.modified_ms) else {
                self.find(
                    Some(index),
                    Some(record),
                    format!("{:#} can't be in the index {}.", RecordName(record), index.name),
                );
                continue;
            };
            if found.multikey && !index.multikey {
                self.find(
                    Some(index),
                    Some(record),
                    format!(
                        "{:#} has an array, but the index {} is not marked for arrays.",
                        RecordName(record),
                        index.name
                    ),
                );
            }
            if index.has_implicit_ids && !self.is_numbered(index, document, record) {
                continue;
            }
            for (key, exact) in found.keys.into_keys() {
                expected.entries += 1;
                if !self.has_entry(index, &key, record, exact)? {
                    expected.missing = true;
                    self.find(
                        Some(index),
                        Some(record),
                        format!(
                            "The index {} has no entry for {}. {}",
                            index.name,
                            RecordName(record),
                            to_mend(index)
                        ),
                    );
                }
            }
        }
        Ok(())
    }

    /// Whether a document needs an entry in the index on `_id`. Reports a number that its `_id`
    /// does not produce, and an `_id` that another document is stored under.
    fn is_numbered(
        &mut self,
        index: &IndexMeta,
        document: &RawDocument,
        record: RecordNumber,
    ) -> bool {
        let made = field(document, "_id").and_then(|id| index.record_of(id));
        if !index.has_entries_of(record) {
            if made != Some(record) {
                let sentence =
                    format!("{:#} is stored there but has another _id.", RecordName(record));
                self.find(Some(index), Some(record), sentence);
            }
            return false;
        }
        let other = made.map(|made| self.reader.document(self.collection.id, made));
        // A damaged one is reported where it is stored.
        if let Some(Ok(Some(other))) = other {
            let sentence = format!(
                "{:#} has the same _id as {}.",
                RecordName(record),
                RecordName(other.record)
            );
            self.find(Some(index), Some(record), sentence);
        }
        true
    }

    fn has_entry(
        &self,
        index: &IndexMeta,
        key: &[u8],
        record: RecordNumber,
        exact: bool,
    ) -> Result<bool, StoreError> {
        // Starts after the entry before the wanted one; record numbers start at 1.
        let before = (key, record.saturating_sub(1));
        let upper = Bound::Included(key);
        let entry = self.reader.entries_after(index.id, before, upper, Scan::Forward)?.next();
        let entry = match entry.transpose() {
            // Damaged entries are reported when the index is read.
            Err(StoreError::Damaged { .. }) => None,
            other => other?,
        };
        Ok(entry.is_some_and(|entry| {
            entry.record == record && entry.key == key && entry.exact == exact
        }))
    }

    /// Every required entry was looked up before. Only if the numbers differ is each entry traced
    /// back to its document.
    fn entries(&mut self, expected: &ExpectedEntries<'c>) -> Result<(), StoreError> {
        let index = expected.index;
        let all =
            || self.reader.entries(index.id, Bound::Unbounded, Bound::Unbounded, Scan::Forward);
        let (mut count, mut bytes, mut twice) = (0_u64, 0_u64, Vec::new());
        let mut last: Option<Entry<'_>> = None;
        for entry in all()? {
            let Some(entry) = self.sound(Some(index), "An index entry", entry)? else { continue };
            bytes += entry_bytes(index.id, entry.key, entry.record);
            count += 1;
            if count.is_multiple_of(PROGRESS_ENTRIES) && !self.go_on() {
                return Ok(());
            }
            if index.unique && entry.exact && last.is_some_and(|last| last.key == entry.key) {
                twice.push(entry.record);
            }
            last = Some(entry);
        }
        let mut strays = Vec::new();
        if count != expected.entries || expected.missing {
            for entry in all()? {
                match entry {
                    Ok(entry) if !self.is_wanted(index, &entry, expected.unbuilt)? => {
                        strays.push(entry.record);
                    }
                    // Damaged entries were reported above.
                    Ok(_) | Err(StoreError::Damaged { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        self.report.entries += count;
        for record in twice {
            self.find(
                Some(index),
                Some(record),
                format!(
                    "The unique index {} holds the key of {} twice.",
                    index.name,
                    RecordName(record)
                ),
            );
        }
        for record in strays {
            self.find(
                Some(index),
                Some(record),
                format!(
                    "The index {} has an entry that does not match {}. {}",
                    index.name,
                    RecordName(record),
                    to_mend(index)
                ),
            );
        }
        let counters = self.sound(Some(index), "A counter", self.reader.counters(index.id.0))?;
        let Some(counters) = counters else { return Ok(()) };
        if (counters.entries, counters.bytes) != (count, bytes) {
            self.find(
                Some(index),
                None,
                format!(
                    "The counters of the index {} say {} entries with {} bytes, but there are \
                     {count} with {bytes}.",
                    index.name, counters.entries, counters.bytes
                ),
            );
        }
        Ok(())
    }

    fn is_wanted(
        &self,
        index: &IndexMeta,
        entry: &Entry<'_>,
        unbuilt: (RecordNumber, RecordNumber),
    ) -> Result<bool, StoreError> {
        if (unbuilt.0..unbuilt.1).contains(&entry.record) || !index.has_entries_of(entry.record) {
            return Ok(false);
        }
        let stored = match self.reader.document(self.collection.id, entry.record) {
            Ok(Some(stored)) => stored,
            Ok(None) => return Ok(false),
            // The document was reported before; its entries can't be judged.
            Err(StoreError::Damaged { .. }) => return Ok(true),
            Err(error) => return Err(error),
        };
        let Ok(document) = RawDocument::from_bytes(stored.bytes) else { return Ok(true) };
        let keys = keys_of(index, document, stored.modified_ms);
        Ok(keys.is_ok_and(|found| found.keys.get(entry.key) == Some(entry.exact)))
    }

    /// The value that was read. Damage becomes a finding and gives `None`.
    fn sound<T>(
        &mut self,
        index: Option<&IndexMeta>,
        kind: &str,
        read: Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        match read {
            Ok(value) => Ok(Some(value)),
            Err(StoreError::Damaged { what }) => {
                self.find(index, None, format!("{kind} is damaged: {what}."));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn go_on(&mut self) -> bool {
        let namespace = self.collection.namespace.clone();
        let (documents, documents_total) = (self.report.documents, self.documents_total);
        let at = VerifyProgress { namespace, documents, documents_total };
        self.report.stopped = !(self.progress)(&at);
        !self.report.stopped
    }

    fn find(&mut self, index: Option<&IndexMeta>, record: Option<RecordNumber>, sentence: String) {
        if self.report.findings.len() >= FINDINGS_MAX {
            self.report.findings_not_listed += 1;
            return;
        }
        let namespace = self.collection.namespace.clone();
        let index = index.map(|index| index.name.clone());
        self.report.findings.push(Finding { namespace, index, record, sentence });
    }
}

/// The remedy for entries that do not match the documents; the documents are authoritative.
fn to_mend(index: &IndexMeta) -> &'static str {
    if index.is_id() {
        "Export the collection and import it into a new one."
    } else {
        "Drop the index and create it again."
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use bson::{Document, doc};

    use crate::command::testing::Lab;

    #[test]
    fn collections_dropped_during_verify_are_no_findings() {
        let lab = Lab::new();
        let documents: Vec<Document> = (0..1_500).map(|n| doc! { "_id": n }).collect();
        lab.run_document(&doc! { "insert": "a", "documents": documents });
        for name in ["b", "c"] {
            lab.ok(&format!("{{insert: '{name}', documents: [{{_id: 1, a: 1}}]}}"));
            lab.ok(&format!(
                "{{createIndexes: '{name}', indexes: [{{key: {{a: 1}}, name: 'a'}}]}}"
            ));
        }
        let collections = lab.engine.collections();
        let mut calls = 0;
        let report = collections.verify(&mut |at| {
            calls += usize::from(at.namespace.collection == "a");
            if calls == 1 {
                let drop_both = || {
                    lab.ok("{dropIndexes: 'b', index: 'a'}");
                    lab.ok("{drop: 'c'}");
                    while collections.reclaim_step().expect("reclaimed").pending > 0 {}
                };
                thread::scope(|scope| drop(scope.spawn(drop_both)));
            }
            true
        });
        let report = report.expect("readable");
        assert_eq!((calls, report.findings), (2, Vec::new()));
    }

    #[test]
    fn a_lost_page_is_a_finding_and_the_other_collections_are_checked() {
        let lab = Lab::new();
        let documents: Vec<Document> = (0..3_000).map(|n| doc! { "_id": n }).collect();
        lab.run_document(&doc! { "insert": "a", "documents": documents });
        lab.ok("{insert: 'b', documents: [{_id: 1, a: 1}]}");
        let collections = lab.engine.collections();
        crate::store::lose_page(collections.store().folder(), "documents");
        let report = collections.verify(&mut |_| true).expect("damage isn't an error");
        assert_eq!(report.collections, 2);
        assert!(report.findings.iter().all(|found| found.namespace.collection == "a"));
        let last = &report.findings.last().expect("a finding").sentence;
        assert!(last.contains("the file is damaged: LMDB"), "{last}");
    }

    #[test]
    fn recreating_an_index_removes_stray_entries() {
        let lab = Lab::new();
        let create = "{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a'}]}";
        lab.ok(create);
        lab.ok("{insert: 'c', documents: [{_id: 1, a: 1}]}");
        let collections = lab.engine.collections();
        let namespace = crate::catalog::Namespace::new("test", "c");
        let collection = collections.catalog().collection(&namespace).expect("there");
        let index = collection.index("a").expect("an index").id;
        let record = collections.store().read(|reader| {
            let mut documents = reader.documents(collection.id, 0, super::Scan::Forward)?;
            documents.next().map(|stored| stored.map(|stored| stored.record)).transpose()
        });
        let record = record.expect("readable").expect("a document");
        let put = collections.store().write(|writer| writer.put_entry(index, b"b", record, true));
        put.expect("written");
        let findings = || collections.verify(&mut |_| true).expect("readable").findings;
        let first = findings().into_iter().next().expect("a finding").sentence;
        let expected =
            "that does not match document with _id 1. Drop the index and create it again.";
        assert!(first.contains(expected), "{first}");
        lab.ok("{dropIndexes: 'c', index: 'a'}");
        lab.ok(create);
        assert_eq!(findings(), []);
    }
}
