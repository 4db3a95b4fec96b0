//! Removes dropped ranges in bounded steps.
//!
//! If the list of them is damaged, it is rebuilt from the numbers in the store that no definition
//! has: numbers are never reused. That waits until every definition can be read, because a
//! collection with a damaged definition would look dropped too. Ranges dropped during the wait are
//! removed as usual.

use std::{collections::BTreeSet, iter};

use crate::{
    catalog::CatalogSnapshot,
    collection::{
        Collections, WriteError,
        write::dropped_ranges::{DroppedRange, DroppedRanges},
        write::trash_row::TRASH,
    },
    store::{CollectionId, IndexId, Reader, StoreError},
};

/// The result of one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReclaimStep {
    /// Documents and entries removed.
    pub removed: usize,
    /// Ranges still to be removed; 0 when all are done.
    pub pending: usize,
}

impl Collections {
    /// Removes one bounded part of the dropped ranges.
    ///
    /// # Errors
    /// When the store fails.
    pub fn reclaim_step(&self) -> Result<ReclaimStep, WriteError> {
        // Usually there is nothing, which a read finds without a write transaction.
        let DroppedRanges { ranges, is_lost } = self.store.read(DroppedRanges::read)?;
        if ranges.is_empty() {
            return if is_lost { self.rebuild_list() } else { Ok(ReclaimStep::default()) };
        }
        let batch_docs = self.store.batch_docs();
        self.transact(|writer| {
            // Read again in the transaction, because another collection may have been dropped
            // since.
            let mut pending = DroppedRanges::read(&writer.reader())?;
            let (mut removed, mut done) = (0, 0);
            for range in pending.ranges.iter().copied() {
                let room = batch_docs.saturating_sub(removed);
                if room == 0 {
                    break;
                }
                let cleared = match range {
                    DroppedRange::Documents(id) => writer.txn.writer.clear_documents(id, room)?,
                    DroppedRange::Entries(id) => writer.txn.writer.clear_entries(id, room)?,
                };
                removed += cleared;
                // A range that has used up the step may have more rows.
                if cleared == room {
                    break;
                }
                writer.txn.forget_counters(range.id())?;
                done += 1;
            }
            pending.ranges.drain(..done);
            pending.write(writer.txn.writer)?;
            Ok(ReclaimStep { removed, pending: pending.ranges.len() })
        })
    }

    /// Replaces a damaged list, if its contents can be derived.
    fn rebuild_list(&self) -> Result<ReclaimStep, WriteError> {
        let nothing = ReclaimStep::default();
        let Some(found) = self.read(orphans)? else { return Ok(nothing) };
        let (sound, unsure): (Vec<Orphan>, Vec<Orphan>) =
            found.into_iter().partition(|it| it.is_sound);
        // Only numbers in doubt were found, and they don't prove that anything was dropped.
        if sound.is_empty() && !unsure.is_empty() {
            return Ok(nothing);
        }
        self.transact(|writer| {
            let mut pending = DroppedRanges::read(&writer.reader())?;
            if pending.is_lost && pending.ranges.is_empty() {
                let known = known(writer.catalog());
                let ranges = sound.iter().map(|left| left.range);
                pending.ranges.extend(ranges.filter(|range| !known.contains(&range.id())));
                pending.is_lost = !unsure.is_empty();
                pending.write(writer.txn.writer)?;
            }
            Ok(ReclaimStep { removed: 0, pending: pending.ranges.len() })
        })
    }
}

/// A stored range that no definition names.
struct Orphan {
    range: DroppedRange,
    /// Whether the number itself passed its checksum and was ever assigned.
    is_sound: bool,
}

/// The ranges that no definition names; `None` when that can't be known.
fn orphans(
    reader: &Reader<'_>,
    catalog: &CatalogSnapshot,
) -> Result<Option<Vec<Orphan>>, StoreError> {
    match find_orphans(reader, catalog) {
        Err(StoreError::Damaged { .. } | StoreError::ReadAborted { .. }) => Ok(None),
        looked => looked,
    }
}

fn find_orphans(
    reader: &Reader<'_>,
    catalog: &CatalogSnapshot,
) -> Result<Option<Vec<Orphan>>, StoreError> {
    if !catalog.is_all_of(reader)? {
        return Ok(None);
    }
    let Some(last) = reader.last_id()? else { return Ok(None) };
    let known = known(catalog);
    let documents = reader.numbers_in("documents")?.into_iter();
    let documents = documents.map(|(id, sound)| (DroppedRange::Documents(CollectionId(id)), sound));
    let entries = reader.numbers_in("entries")?.into_iter();
    let entries = entries.map(|(id, sound)| (DroppedRange::Entries(IndexId(id)), sound));
    let all = documents.chain(entries).filter(|(range, _)| !known.contains(&range.id()));
    // A number above the last assigned one is wrong, or the counter is.
    let all = all.map(|(range, sound)| Orphan { range, is_sound: sound && range.id() <= last });
    Ok(Some(all.collect()))
}

/// The numbers of all collections and indexes, and of the trash.
fn known(catalog: &CatalogSnapshot) -> BTreeSet<u32> {
    let indexes = catalog.all_collections().flat_map(|collection| &collection.indexes);
    let collections = catalog.all_collections().map(|collection| collection.id.0);
    collections.chain(indexes.map(|index| index.id.0)).chain(iter::once(TRASH.0)).collect()
}

/// A sentence about dropped ranges that nothing will remove.
pub(crate) fn lost_in_words(reader: &Reader<'_>) -> Result<Option<String>, StoreError> {
    let words = "The list of dropped collections and indexes was damaged, so their disk space is \
     not reclaimed yet. No documents are lost. It is reclaimed once the store is open for writing \
     and every definition can be read; until then, exporting to a new store frees it.";
    Ok(DroppedRanges::read(reader)?.is_lost.then(|| words.to_owned()))
}

#[cfg(test)]
mod tests {
    use bson::{Document, doc, rawdoc};

    use super::*;
    use crate::collection::write::dropped_ranges::PENDING_META;
    use crate::{
        catalog::{
            Namespace,
            rules::{CreateIndexesRequest, CreateRequest},
        },
        collection::{ddl::create_drop::drop_collection, tests::Bench},
        command::testing::{Lab, spoil, spoil_meta},
        store::{RecordNumber, Scan, Writer},
    };

    fn filled(lab: &Lab, names: &[&str]) {
        for name in names {
            lab.run_document(&doc! { "insert": *name, "documents": [{ "_id": 1 }, { "_id": 2 }] });
        }
    }

    fn documents(lab: &Lab, id: CollectionId) -> usize {
        let read = |reader: &Reader<'_>| Ok(reader.documents(id, 0, Scan::Forward)?.count());
        lab.engine.collections().store().read::<_, StoreError>(read).expect("readable")
    }

    fn id(lab: &Lab, name: &str) -> CollectionId {
        let namespace = Namespace::new("test", name);
        lab.engine.collections().catalog().collection(&namespace).expect("exists").id
    }

    /// A damaged list names nothing, and no existing collection counts as dropped.
    #[test]
    fn dropping_works_with_a_damaged_list() {
        for is_rotten in [false, true] {
            let lab = Lab::new();
            filled(&lab, &["a", "b", "c"]);
            let (kept, dropped) = (id(&lab, "a"), id(&lab, "b"));
            let collections = lab.engine.collections();
            let put = |writer: &mut Writer<'_>| writer.put_meta(PENDING_META, b"no list");
            collections.store().write::<_, StoreError>(put).expect("written");
            if is_rotten {
                lab.spoil_meta(PENDING_META);
            }
            assert_eq!(collections.reclaim_step(), Ok(ReclaimStep::default()));
            lab.ok("{drop: 'b'}");
            while collections.reclaim_step().expect("reclaimed").pending > 0 {}
            assert_eq!((documents(&lab, kept), documents(&lab, dropped)), (2, 0));
            lab.ok("{drop: 'c'}");
            while collections.reclaim_step().expect("reclaimed").pending > 0 {}
            let lost = collections.store().read(lost_in_words).expect("readable");
            assert_eq!((lost, documents(&lab, kept)), (None, 2));
        }
    }

    /// Otherwise dropping a database would write bytes quadratic in its collections.
    #[test]
    fn the_list_is_written_once_in_a_transaction() {
        let lab = Lab::new();
        filled(&lab, &["a", "b", "c"]);
        let collections = lab.engine.collections();
        let listed = collections.transact(|writer| {
            let catalog = std::sync::Arc::clone(&writer.txn.catalog);
            for collection in catalog.all_collections() {
                drop_collection(writer, collection)?;
            }
            let pending = DroppedRanges::read(&writer.reader())?;
            Ok::<_, WriteError>((pending.ranges.len(), writer.txn.dropped.len()))
        });
        assert_eq!(listed, Ok((0, 6)));
        let pending = collections.store().read(DroppedRanges::read).expect("readable").ranges;
        assert!(pending.is_empty() || pending.len() == 6, "all at once: {pending:?}");
    }

    fn name(collection: &str) -> Namespace {
        Namespace::new("test", collection)
    }

    /// A collection with three documents and an index whose name contains the collection's.
    fn fill(bench: &Bench, collection: &str) {
        let namespace = name(collection);
        let filled = bench.all().write(|writer| {
            let collection = writer.create_if_missing(&namespace)?;
            (0..3).try_for_each(|id| {
                writer.insert(&collection, &rawdoc! { "_id": id, "a": id }).map(drop)
            })
        });
        filled.expect("filled");
        let index = doc! { "key": { "a": 1 }, "name": format!("a_{collection}") };
        let request =
            CreateIndexesRequest { namespace, indexes: vec![index], ignore_unknown_options: false };
        bench.all().create_indexes(&request, &mut |_| {}).expect("created");
    }

    fn create(bench: &Bench, collection: &str, options: Document) {
        let request = CreateRequest { namespace: name(collection), options };
        bench.all().create(&request).expect("created");
    }

    /// A store with `kept`, a dropped `gone`, and a damaged list of dropped ranges.
    fn damaged() -> Bench {
        let mut bench = Bench::new();
        for name in ["kept", "gone", "other"] {
            fill(&bench, name);
        }
        create(&bench, "view", doc! { "viewOn": "kept", "pipeline": [] });
        create(&bench, "series", doc! { "timeseries": { "timeField": "t" } });
        bench.all().drop_collection(&name("gone")).expect("dropped");
        let removed = |writer: &mut Writer<'_>| {
            writer.put_document(TRASH, 1, 0, rawdoc! { "ns": "test.kept" }.as_bytes())
        };
        bench.all().store().write(removed).expect("a row of the trash");
        spoil_meta(bench.folder(), PENDING_META);
        bench.reopen();
        bench
    }

    /// The numbers under which there are documents, and entries.
    fn stored(bench: &Bench) -> (Vec<u32>, Vec<u32>) {
        let ids = |reader: &Reader<'_>, table| {
            let numbers = reader.numbers_in(table)?;
            Ok::<Vec<u32>, StoreError>(numbers.into_iter().map(|(id, _)| id).collect())
        };
        let read = |reader: &Reader<'_>| {
            Ok::<_, StoreError>((ids(reader, "documents")?, ids(reader, "entries")?))
        };
        bench.all().store().read(read).expect("read")
    }

    fn ids(bench: &Bench, collection: &str) -> (u32, Vec<u32>) {
        let collection = bench.all().catalog().collection(&name(collection)).expect("there");
        (collection.id.0, collection.indexes.iter().map(|index| index.id.0).collect())
    }

    fn reclaim(bench: &Bench) -> usize {
        let mut removed = 0;
        loop {
            let step = bench.all().reclaim_step().expect("a step");
            removed += step.removed;
            if step == ReclaimStep::default() {
                return removed;
            }
        }
    }

    fn is_lost(bench: &Bench) -> bool {
        let lost = bench.all().store().read(lost_in_words).expect("readable");
        lost.is_some_and(|words| words.contains("not reclaimed yet"))
    }

    #[test]
    fn a_damaged_list_is_rebuilt_from_orphans() {
        let bench = damaged();
        assert!(is_lost(&bench));
        assert_eq!(bench.all().drop_collection(&name("other")), Ok(Some(2)));
        // Three documents and three entries of each of the two.
        assert_eq!(reclaim(&bench), 12);
        let (kept, indexes) = ids(&bench, "kept");
        let secondary: Vec<u32> = indexes.into_iter().skip(1).collect();
        assert_eq!(stored(&bench), (vec![TRASH.0, kept], secondary));
        assert!(!is_lost(&bench));
        let report = bench.all().verify(&mut |_| true).expect("read");
        // The row in the trash was not written by a pass.
        assert!(report.findings.iter().all(|found| found.namespace.collection == "trash"));
        assert_eq!(bench.all().drop_collection(&name("kept")), Ok(Some(2)));
        assert_eq!(reclaim(&bench), 6);
    }

    #[test]
    fn orphans_stay_while_a_definition_is_unreadable() {
        // With the damage before and after the store is reopened.
        for is_reopened in [true, false] {
            let mut bench = damaged();
            let (other, indexes) = ids(&bench, "other");
            let (mut documents, mut entries) = stored(&bench);
            documents.retain(|id| *id != other);
            entries.retain(|id| !indexes.contains(id));
            assert_eq!((documents.len(), entries.len()), (3, 2));
            spoil(bench.folder(), b"a_kept");
            if is_reopened {
                bench.reopen();
            }
            assert_eq!(bench.all().drop_collection(&name("other")), Ok(Some(2)));
            assert_eq!(reclaim(&bench), 6);
            assert_eq!(stored(&bench), (documents, entries));
            assert!(is_lost(&bench));
            // The definition is readable again.
            let flipped: Vec<u8> = b"a_kept"
                .iter()
                .enumerate()
                .map(|(at, byte)| if at == 0 { byte ^ 1 } else { *byte })
                .collect();
            spoil(bench.folder(), &flipped);
            bench.reopen();
            assert_eq!(reclaim(&bench), 6);
            assert_eq!(stored(&bench).0, [TRASH.0, ids(&bench, "kept").0]);
        }
    }

    #[test]
    fn rows_with_doubtful_numbers_are_not_removed() {
        let bench = damaged();
        let put = |id: u32, record: RecordNumber| {
            let document = rawdoc! { "_id": 1, "mark": format!("needle {id}") };
            let collection = CollectionId(id);
            bench
                .all()
                .store()
                .write(|writer| writer.put_document(collection, record, 0, document.as_bytes()))
        };
        // One number that was never assigned, and one that may be wrong.
        let never = 900;
        let id = bench
            .all()
            .store()
            .write(|writer: &mut Writer<'_>| writer.next_id())
            .expect("a number");
        put(never, 1).and(put(id, 1)).expect("put");
        spoil(bench.folder(), format!("needle {id}").as_bytes());
        assert_eq!(reclaim(&bench), 6);
        let left = stored(&bench).0;
        assert!(left.contains(&never) && left.contains(&id), "{left:?}");
        assert!(is_lost(&bench));
        let documents = bench.all().store().read(|reader| {
            Ok::<_, StoreError>(reader.documents(CollectionId(never), 0, Scan::Forward)?.count())
        });
        assert_eq!(documents, Ok(1));
    }
}
