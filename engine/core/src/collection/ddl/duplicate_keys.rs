//! Finds duplicate values in an index, which prevent it from becoming unique.
//!
//! The index is read in parts, and other writers work in between: a value that one document loses
//! and another gains can appear twice. So each suspect is checked again, all documents of one value
//! in one transaction. A document that reads hide is not a violation: it is evicted, as for a new
//! document.

use std::ops::Bound;

use bson::Bson;

use crate::{
    catalog::{CatalogSnapshot, CollectionMeta, IndexMeta},
    collection::{Collections, WriteError, write::unique::shares_value},
    limits::{READ_DOCS_MAX, VIOLATIONS_MAX},
    store::{CollectionId, IndexId, Reader, RecordNumber, Scan, StoreError},
};

struct DuplicateScan {
    collection: CollectionId,
    index: IndexId,
    /// The last entry that was read.
    last: Option<(Vec<u8>, RecordNumber)>,
    /// The key of the last violation.
    told: Option<Vec<u8>>,
    /// The `_id`s of documents that share a value.
    violations: Vec<Vec<Bson>>,
}

/// Documents that share a value.
struct Group {
    first: RecordNumber,
    /// The `_id`s of the visible ones, at most `VIOLATIONS_MAX`.
    shown: Vec<Bson>,
    hidden: Vec<RecordNumber>,
}

impl Collections {
    /// Checks that an index holds no value twice.
    pub(super) fn check_unique(
        &self,
        collection: CollectionId,
        index: IndexId,
        is_dry_run: bool,
    ) -> Result<(), WriteError> {
        let mut scan =
            DuplicateScan { collection, index, last: None, told: None, violations: Vec::new() };
        // `prepareUnique` is set, so writers refuse new duplicates between two parts.
        while self.scan_part(&mut scan, is_dry_run)? {}
        let violations = scan.violations;
        if violations.is_empty() { Ok(()) } else { Err(WriteError::NotUnique { violations }) }
    }

    /// Reads one more part; returns whether there is more.
    fn scan_part(&self, scan: &mut DuplicateScan, is_dry_run: bool) -> Result<bool, WriteError> {
        let (suspects, is_end) = self.read(|reader, catalog| scan.part(reader, catalog))?;
        for key in suspects {
            if scan.told.as_ref() == Some(&key) {
                continue;
            }
            let now_ms = self.clock.now_ms();
            let groups = self.read(|reader, catalog| scan.groups(reader, catalog, &key, now_ms))?;
            for Group { shown, mut hidden, .. } in groups {
                if shown.len() > 1 {
                    scan.violations.push(shown);
                    scan.told = Some(key.clone());
                } else if !is_dry_run {
                    // One document may keep the value.
                    hidden.truncate(hidden.len().saturating_sub(usize::from(shown.is_empty())));
                    self.evict_hidden(scan.collection, &hidden)?;
                }
            }
            if scan.violations.len() >= VIOLATIONS_MAX {
                return Ok(false);
            }
        }
        Ok(!is_end)
    }

    /// Evicts those of the documents that reads still hide.
    fn evict_hidden(
        &self,
        collection: CollectionId,
        records: &[RecordNumber],
    ) -> Result<(), WriteError> {
        records.chunks(self.store.batch_docs()).try_for_each(|records| {
            self.transact(|writer| {
                let Some(collection) = writer.catalog().collection_by_id(collection).cloned()
                else {
                    return Ok(());
                };
                for record in records {
                    let stored = writer.reader().document(collection.id, *record)?;
                    let Some(stored) = stored else { continue };
                    let document = stored.document()?;
                    if collection.hides(document, stored.modified_ms, writer.now_ms()) {
                        writer.evict(&collection, *record)?;
                    }
                }
                Ok(())
            })
        })
    }
}

impl DuplicateScan {
    /// Keys that appear twice, and whether the index is exhausted. Empty if the index was dropped.
    fn part(
        &mut self,
        reader: &Reader<'_>,
        catalog: &CatalogSnapshot,
    ) -> Result<(Vec<Vec<u8>>, bool), StoreError> {
        let mut suspects: Vec<Vec<u8>> = Vec::new();
        if self.definition(catalog).is_none() {
            return Ok((suspects, true));
        }
        let end = Bound::Unbounded;
        let entries = match &self.last {
            None => reader.entries(self.index, end, end, Scan::Forward)?,
            Some((key, record)) => {
                reader.entries_after(self.index, (key, *record), end, Scan::Forward)?
            }
        };
        for (seen, entry) in entries.enumerate() {
            let entry = entry?;
            let is_twice = self.last.as_ref().is_some_and(|(key, _)| key == entry.key);
            if is_twice && suspects.last().is_none_or(|key| key != entry.key) {
                suspects.push(entry.key.to_vec());
            }
            self.last = Some((entry.key.to_vec(), entry.record));
            if seen >= READ_DOCS_MAX || suspects.len() >= VIOLATIONS_MAX {
                return Ok((suspects, false));
            }
        }
        Ok((suspects, true))
    }

    /// The documents with this key, as of this transaction.
    fn groups(
        &self,
        reader: &Reader<'_>,
        catalog: &CatalogSnapshot,
        key: &[u8],
        now_ms: i64,
    ) -> Result<Vec<Group>, StoreError> {
        let mut groups: Vec<Group> = Vec::new();
        let Some((collection, index)) = self.definition(catalog) else { return Ok(groups) };
        let at_key = Bound::Included(key);
        for entry in reader.entries(self.index, at_key, at_key, Scan::Forward)? {
            let entry = entry?;
            let record = entry.record;
            let Some(stored) = reader.document(collection.id, record)? else { continue };
            let document = stored.document()?;
            let mut at = None;
            for (number, group) in groups.iter().enumerate() {
                // Different values may have the same key if it was truncated.
                if entry.exact || shares_value(reader, collection, index, document, group.first)? {
                    at = Some(number);
                    break;
                }
            }
            let at = at.unwrap_or_else(|| {
                groups.push(Group { first: record, shown: Vec::new(), hidden: Vec::new() });
                groups.len() - 1
            });
            let Some(group) = groups.get_mut(at) else { continue };
            if collection.hides(document, stored.modified_ms, now_ms) {
                group.hidden.push(record);
                continue;
            }
            let id = document.get("_id").ok().flatten();
            group.shown.extend(id.and_then(|id| Bson::try_from(id).ok()));
            if group.shown.len() >= VIOLATIONS_MAX {
                break;
            }
        }
        Ok(groups)
    }

    fn definition<'c>(
        &self,
        catalog: &'c CatalogSnapshot,
    ) -> Option<(&'c CollectionMeta, &'c IndexMeta)> {
        let collection = catalog.collection_by_id(self.collection)?;
        Some((collection, collection.index_by_id(self.index)?))
    }
}

#[cfg(test)]
mod tests {
    use bson::{Document, doc};

    use super::*;
    use crate::{catalog::Namespace, command::testing::Lab};

    const PREPARE: &str = "{collMod: 'c', index: {name: 'u', prepareUnique: true}}";
    const UNIQUE: &str = "{collMod: 'c', index: {name: 'u', unique: true}}";

    #[test]
    fn a_value_that_moves_between_two_parts_is_no_duplicate() {
        let lab = Lab::new();
        let last = i32::try_from(READ_DOCS_MAX).expect("small");
        let documents: Vec<Document> = (0..=last + 1).map(|n| doc! { "_id": n, "u": n }).collect();
        lab.run_document(&doc! { "insert": "c", "documents": documents });
        lab.ok("{createIndexes: 'c', indexes: [{key: {u: 1}, name: 'u'}]}");
        lab.ok(PREPARE);
        let collections = lab.engine.collections();
        let namespace = Namespace::new("test", "c");
        let collection = collections.catalog().collection(&namespace).expect("there");
        let (collection, index) = (collection.id, collection.index("u").expect("there").id);
        let mut scan =
            DuplicateScan { collection, index, last: None, told: None, violations: Vec::new() };
        assert_eq!(collections.scan_part(&mut scan, false), Ok(true));
        // The last value of the part.
        lab.run_document(
            &doc! { "delete": "c", "deletes": [{ "q": { "_id": last }, "limit": 1 }] },
        );
        lab.run_document(&doc! { "insert": "c", "documents": [{ "_id": last + 9, "u": last }] });
        assert_eq!(collections.scan_part(&mut scan, false), Ok(false));
        assert_eq!(scan.violations, Vec::<Vec<Bson>>::new());
        lab.check(UNIQUE, "{ok: 1, unique_new: true}");
    }

    #[test]
    fn hidden_documents_are_no_violation_and_are_evicted() {
        let long = "x".repeat(600);
        for value in ["1".to_owned(), format!("'{long}'")] {
            let lab = Lab::new();
            lab.ok("{createIndexes: 'c', indexes: [{key: {u: 1}, name: 'u'}, \
                 {key: {_ts: 1}, name: 'ts', expireAfterSeconds: 10}]}");
            lab.ok(&format!(
                "{{insert: 'c', documents: [{{_id: 1, u: {value}}}, {{_id: 2, u: {value}}}, \
                 {{_id: 3, u: 2}}, {{_id: 4, u: {value}, ttl: -1}}]}}"
            ));
            lab.ok(PREPARE);
            lab.check(UNIQUE, "{code: 359, violations: [{ids: [1, 2, 4]}]}");
            lab.ok("{mayflyClock: 1, advanceMS: NumberLong(20000)}");
            lab.check(
                "{collMod: 'c', index: {name: 'u', unique: true}, dryRun: true}",
                "{ok: 1, '-unique_new': true}",
            );
            let namespace = Namespace::new("test", "c");
            let collections = lab.engine.collections();
            let collection = collections.catalog().collection(&namespace).expect("there");
            let left = || collections.store().read(|reader| reader.counters(collection.id.0));
            assert_eq!(left().expect("read").documents, 4);
            lab.check(UNIQUE, "{ok: 1, unique_new: true}");
            assert_eq!(left().expect("read").documents, 2);
            lab.check("{find: 'c'}", "{'cursor.firstBatch.0._id': 4}");
            let report = collections.verify(&mut |_| true).expect("read");
            assert_eq!(report.findings, []);
        }
    }
}
