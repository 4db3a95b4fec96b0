//! Restarts index builds whose state is damaged. Without the state it is unknown which documents
//! have entries, so nothing could be written to the collection.

use std::sync::Arc;

use super::steps::{self, find};
use crate::{
    catalog::{CollectionMeta, IndexMeta},
    collection::{
        Collections, DocumentWriter, PendingBuild, WriteError,
        write::{dropped_ranges::DroppedRange, unbuilt::read_range},
    },
    store::{IndexId, Reader, StoreError},
};

impl Collections {
    /// Repairs what can be derived from other data: counters and the state of index builds. Returns
    /// a sentence about each repair. What can't be repaired now is tried again at the next opening.
    pub fn mend(&self) -> Vec<String> {
        let mut sentences = self.recount_damaged().unwrap_or_default();
        sentences.extend(self.restart_damaged_builds().unwrap_or_default());
        sentences
    }

    /// Restarts each such build and returns a sentence about it. A build that can't be restarted
    /// stays as it is.
    ///
    /// # Errors
    /// When the store can't be read.
    fn restart_damaged_builds(&self) -> Result<Vec<String>, WriteError> {
        let mut sentences = Vec::new();
        for build in self.pending_builds() {
            let range = |reader: &Reader<'_>| read_range(reader, build.index);
            let is_damaged = StoreError::unless_damaged(self.store.read(range))?.is_none();
            if is_damaged && self.transact(|writer| restart(writer, &build)).is_ok() {
                sentences.push(format!(
                    "Repaired: restarting the build of index {} on {}.",
                    build.name, build.namespace
                ));
            }
        }
        Ok(sentences)
    }
}

/// The index gets a new number, so none of its old entries counts.
fn restart(writer: &mut DocumentWriter<'_, '_>, build: &PendingBuild) -> Result<(), WriteError> {
    let Some((collection, index)) = find(writer, build) else { return Ok(()) };
    writer.txn.forget_build(&index)?;
    // Without the range nothing says which entries exist, so all of them are dropped and a new id
    // begins without any.
    writer.txn.dropped.push(DroppedRange::Entries(index.id));
    let id = IndexId(writer.txn.writer.next_id()?);
    let next_record = writer.counters(collection.id.0)?.next_record;
    steps::begin(writer, id, next_record)?;
    let mut changed = CollectionMeta::clone(&collection);
    for one in changed.indexes.iter_mut().filter(|one| one.id == index.id) {
        *one = Arc::new(IndexMeta { id, ..IndexMeta::clone(&index) });
    }
    writer.txn.put_collection(changed)
}

#[cfg(test)]
mod tests {
    use bson::{doc, rawdoc};

    use crate::{
        catalog::{IndexState, Namespace, rules::CreateIndexesRequest},
        collection::{WriteError, ddl::indexes::register, tests::Bench},
        command::testing::spoil_meta,
    };

    #[test]
    fn opening_restarts_builds_with_damaged_state() {
        for damage in ["rotten", "wrong", "gone"] {
            let mut bench = Bench::new();
            let namespace = Namespace::new("test", "c");
            let insert = |bench: &Bench, ids: std::ops::Range<i32>| {
                bench.all().write(|writer| {
                    let collection = writer.create_if_missing(&namespace)?;
                    ids.clone().try_for_each(|id| {
                        let document = rawdoc! { "_id": id, "a": id };
                        writer.insert(&collection, &document).map(drop)
                    })
                })
            };
            insert(&bench, 0..5).expect("inserted");
            let request = CreateIndexesRequest {
                namespace: namespace.clone(),
                indexes: vec![doc! { "key": { "a": 1 }, "name": "a" }],
                ignore_unknown_options: false,
            };
            bench.all().transact(|writer| register(writer, &request).map(drop)).expect("begun");
            insert(&bench, 5..8).expect("inserted");
            let index = |bench: &Bench| {
                let collection = bench.all().catalog().collection(&namespace).expect("there");
                collection.index("a").cloned().expect("there")
            };
            let before = index(&bench);
            let range = format!("build/{}", before.id.0);
            let write = |bytes: Option<&[u8]>| {
                let written = bench.all().write(|writer| match bytes {
                    Some(bytes) => writer.put_meta(&range, bytes).map_err(WriteError::from),
                    None => writer.delete_meta(&range).map(drop).map_err(WriteError::from),
                });
                written.expect("written");
            };
            match damage {
                "rotten" => spoil_meta(bench.folder(), &range),
                "wrong" => write(Some(b"spoilt")),
                _ => write(None),
            }
            bench.reopen();
            assert!(insert(&bench, 8..9).is_err(), "nobody knows where the build stands");
            let told = bench.all().restart_damaged_builds().expect("begun anew");
            let sentence = "Repaired: restarting the build of index a on test.c.";
            assert_eq!(told, [sentence]);
            assert_eq!(bench.all().restart_damaged_builds(), Ok(Vec::new()));
            insert(&bench, 8..10).expect("inserted");
            let [build] = &bench.all().pending_builds()[..] else { panic!("one build") };
            bench.all().resume_build(build, &|| true).expect("built");
            assert_eq!(index(&bench).state, IndexState::Ready);
            while bench.all().reclaim_step().expect("a step").pending > 0 {}
            bench.check_sound();
            let entries = bench.all().store().read(|reader| {
                let entries =
                    |id: u32| Ok::<_, crate::store::StoreError>(reader.counters(id)?.entries);
                Ok::<_, crate::store::StoreError>((
                    entries(before.id.0)?,
                    entries(index(&bench).id.0)?,
                ))
            });
            assert_eq!(entries, Ok((0, 10)));
        }
    }
}
