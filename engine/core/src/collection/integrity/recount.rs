//! Recomputes damaged counters from what they count. While they are damaged nothing can be written
//! to their collection, and nothing in it expires.

use std::{collections::BTreeSet, ops::Bound::Unbounded, sync::Arc};

use super::damage_text::named;
use crate::{
    catalog::CollectionMeta,
    collection::{Collections, WriteError, write::trash_row::TRASH},
    store::{CollectionId, Counters, DamagedRow, IndexId, Reader, Scan, StoreError, entry_bytes},
};

impl Collections {
    /// Recounts everything whose counters are damaged or missing. Each takes one transaction of any
    /// length: what is counted in parts could change in between. Returns a sentence about each;
    /// what can't be counted stays as it is.
    ///
    /// # Errors
    /// When the store fails.
    pub(in crate::collection) fn recount_damaged(&self) -> Result<Vec<String>, WriteError> {
        let catalog = self.catalog();
        let wrong: BTreeSet<u32> = self.store.read(|reader| {
            let mut wrong = BTreeSet::new();
            for row in reader.check_rows("counters", &[])? {
                if let (_, Some(DamagedRow::Counters { id })) = row? {
                    wrong.insert(id);
                }
            }
            let of = |collection: &Arc<CollectionMeta>| {
                let indexes = collection.indexes.iter().map(|index| index.id.0);
                indexes.chain([collection.id.0]).collect::<Vec<u32>>()
            };
            for id in catalog.all_collections().flat_map(of).chain([TRASH.0]) {
                if reader.lacks_counters(id)? {
                    wrong.insert(id);
                }
            }
            Ok::<_, StoreError>(wrong)
        })?;
        let mut sentences = Vec::new();
        for id in wrong {
            // One transaction each, so that a collection that can't be counted doesn't keep the
            // others damaged.
            let counted = self.transact(|writer| {
                let counters = counted(&writer.reader(), id)?;
                writer.txn.writer.set_counters(id, counters).map_err(WriteError::from)
            });
            if counted.is_ok() {
                let name = named(&catalog, &DamagedRow::Counters { id });
                sentences.push(format!("Repaired: {name} were damaged and have been rebuilt."));
            }
        }
        if self.recount_waiting()? {
            sentences.push(
                "Repaired: the counts of removed documents that wait for archives were wrong and have \
                 been rebuilt."
                    .to_owned(),
            );
        }
        Ok(sentences)
    }
}

/// The correct counters for this number. Collections and indexes share one number space, so either
/// documents or entries have it.
fn counted(reader: &Reader<'_>, id: u32) -> Result<Counters, StoreError> {
    let mut counters = Counters::default();
    let mut documents = reader.documents(CollectionId(id), 0, Scan::Forward)?;
    // Damaged documents count too: they are stored until they are removed by name.
    while let Some(document) = documents.next_unverified() {
        let document = document?;
        counters.documents += 1;
        counters.bytes += document.bytes().len() as u64;
        counters.next_record = document.record.saturating_add(1);
    }
    let index = IndexId(id);
    for entry in reader.entries(index, Unbounded, Unbounded, Scan::Forward)? {
        counters.entries += 1;
        if let Some(entry) = StoreError::unless_damaged(entry)? {
            counters.bytes += entry_bytes(index, entry.key, entry.record);
        }
    }
    Ok(counters)
}

#[cfg(test)]
mod tests {
    use crate::{
        catalog::Namespace,
        command::testing::Lab,
        store::{StoreError, Writer},
    };

    fn findings(lab: &Lab) -> Vec<String> {
        let report = lab.engine.collections().verify(&mut |_| true).expect("checked");
        report.findings.into_iter().map(|finding| finding.sentence).collect()
    }

    #[test]
    fn opening_rebuilds_damaged_counters() {
        let lab = Lab::new();
        lab.ok("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a'}]}");
        lab.ok("{insert: 'c', documents: [{_id: 1, a: [1, 2]}, {_id: 'x', a: 3}, {_id: 9}]}");
        lab.ok("{delete: 'c', deletes: [{q: {_id: 1}, limit: 1}]}");
        let namespace = Namespace::new("test", "c");
        let collection = lab.engine.collections().catalog().collection(&namespace).expect("there");
        let index = collection.index("a").expect("there").id.0;
        lab.spoil_counters(collection.id.0);
        lab.spoil_counters(index);
        let refused = lab.run("{insert: 'c', documents: [{_id: 10}]}").to_string();
        assert!(refused.contains("a record of counters does not match"), "{refused}");
        assert_eq!(findings(&lab).len(), 2);
        let lab = lab.reopened();
        let warnings = &lab.engine.open_report().warnings;
        for name in ["the counters of test.c ", "the counters of the index a of test.c "] {
            assert!(warnings.iter().any(|it| it.contains(name)), "{warnings:?}");
        }
        assert_eq!(findings(&lab), Vec::<String>::new());
        lab.ok("{insert: 'c', documents: [{_id: 10, a: 1}, {_id: 8, a: 1}, {_id: 'y', a: 1}]}");
        lab.check("{count: 'c'}", "{n: 5}");
        assert_eq!(findings(&lab), Vec::<String>::new());
        let lab = lab.reopened();
        assert!(!lab.engine.open_report().warnings.iter().any(|it| it.contains("counters")));
    }

    #[test]
    fn counters_are_not_blamed_for_a_damaged_document() {
        let lab = Lab::new();
        lab.ok("{insert: 'c', documents: [{_id: 1, a: 'whole'}, {_id: 2, a: 'soon damaged'}]}");
        lab.spoil(b"soon damaged");
        let sentence = "A document is damaged: document with _id 2 does not match its checksum; use \
                        mayflyDamaged to list and remove damaged documents.";
        assert_eq!(findings(&lab), [sentence]);
        let lab = lab.reopened();
        let sentence = "The check at opening found damage: 1 stored item is damaged (document with _id 2 \
         of test.c). You can still export everything else; run Verify for a full report.";
        let warnings = &lab.engine.open_report().warnings;
        assert!(warnings.iter().any(|it| it == sentence), "{warnings:?}");
    }

    /// Like a flipped bit in a row's key: nothing is found under the right key, as for a new
    /// collection.
    #[test]
    fn missing_counters_block_writes_until_they_are_rebuilt() {
        for ids in ["{_id: 'x', a: 1}, {_id: 'y', a: 2}", "{_id: 0, a: 1}, {_id: 1, a: 2}"] {
            let lab = Lab::new();
            lab.ok("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a'}]}");
            lab.ok(&format!("{{insert: 'c', documents: [{ids}]}}"));
            let all = || lab.ok("{find: 'c'}").to_string();
            let before = all();
            let collections = lab.engine.collections();
            let namespace = Namespace::new("test", "c");
            let collection = collections.catalog().collection(&namespace).expect("there");
            let index = collection.index("a").expect("there").id.0;
            let gone = |writer: &mut Writer<'_>| {
                Ok::<_, StoreError>(
                    writer.delete_counters(collection.id.0)? && writer.delete_counters(index)?,
                )
            };
            assert_eq!(collections.store().write(gone), Ok(true));
            for documents in ["{_id: 'z'}", "{_id: 'z'}, {_id: 7}"] {
                let refused = lab.run(&format!("{{insert: 'c', documents: [{documents}]}}"));
                assert!(refused.to_string().contains("counter record is missing"), "{refused}");
            }
            assert_eq!(all(), before);
            let lab = lab.reopened();
            let warnings = &lab.engine.open_report().warnings;
            for name in ["the counters of test.c ", "the counters of the index a of test.c "] {
                assert!(warnings.iter().any(|it| it.contains(name)), "{warnings:?}");
            }
            lab.ok("{insert: 'c', documents: [{_id: 'z', a: 3}, {_id: 'a', a: 3}]}");
            lab.check("{count: 'c'}", "{n: 4}");
            assert_eq!(findings(&lab), Vec::<String>::new());
        }
    }
}
