//! `collMod`.

use std::ops::Bound;

use super::{Collections, WriteError, unique::shares_value};
use crate::{
    catalog::{
        CatalogError, CatalogErrorKind, CollectionMeta, IndexMeta,
        rules::{CollModOutcome, CollModRequest, coll_mod},
    },
    limits::READ_DOCS_MAX,
    store::{IndexId, Reader, Scan, StoreError},
};

impl Collections {
    /// Changes an index or a collection's own TTL.
    ///
    /// # Errors
    /// When MongoDB's `collMod` refuses the request too, each with its kind.
    pub fn coll_mod(&self, request: &CollModRequest) -> Result<CollModOutcome, WriteError> {
        let catalog = self.catalog();
        let collection = catalog.collection(&request.namespace);
        let dialect = catalog.dialect(&request.namespace.db);
        let now_ms = self.clock.now_ms();
        let plan = coll_mod::plan(request, collection.as_deref(), dialect, now_ms)?;
        if let (Some(collection), Some(index)) = (&collection, plan.must_be_unique) {
            self.check_unique(collection, index)?;
        }
        if request.dry_run {
            return Ok(plan.outcome);
        }
        self.transact(|writer| {
            let collection = writer.collection(&request.namespace);
            let dialect = writer.catalog().dialect(&request.namespace.db);
            let plan = coll_mod::plan(request, collection.as_deref(), dialect, writer.now_ms())?;
            if collection.as_deref() != Some(&plan.collection) {
                writer.txn.put_collection(plan.collection)?;
            }
            Ok(plan.outcome)
        })
    }

    /// Checks that an index holds no value twice. Writers refuse new duplicates meanwhile, because
    /// `prepareUnique` is set.
    fn check_unique(&self, collection: &CollectionMeta, id: IndexId) -> Result<(), WriteError> {
        let Some(index) = collection.index_by_id(id) else { return Ok(()) };
        let mut last = None;
        loop {
            let part =
                self.store.read(|reader| scan_part(reader, collection, index, last.take()))?;
            match part {
                Part::Duplicate => {
                    return Err(WriteError::Catalog(CatalogError::new(
                        CatalogErrorKind::CannotConvertIndexToUnique,
                        format!(
                            "the index {} holds a value twice, so it can't become unique; remove the duplicates first",
                            index.name
                        ),
                    )));
                }
                Part::More(entry) => last = Some(entry),
                Part::End => return Ok(()),
            }
        }
    }
}

enum Part {
    Duplicate,
    /// The last entry of this part.
    More((Vec<u8>, u64)),
    End,
}

fn scan_part(
    reader: &Reader<'_>,
    collection: &CollectionMeta,
    index: &IndexMeta,
    mut last: Option<(Vec<u8>, u64)>,
) -> Result<Part, StoreError> {
    let entries = match &last {
        None => reader.entries(index.id, Bound::Unbounded, Bound::Unbounded, Scan::Forward)?,
        Some((key, record)) => {
            reader.entries_after(index.id, (key, *record), Bound::Unbounded, Scan::Forward)?
        }
    };
    for (seen, entry) in entries.enumerate() {
        let entry = entry?;
        if let Some((key, record)) = &last
            && key == entry.key
            && (entry.exact || same_value_twice(reader, collection, index, *record, entry.record)?)
        {
            return Ok(Part::Duplicate);
        }
        last = Some((entry.key.to_vec(), entry.record));
        if seen >= READ_DOCS_MAX {
            return Ok(last.map_or(Part::End, Part::More));
        }
    }
    Ok(Part::End)
}

fn same_value_twice(
    reader: &Reader<'_>,
    collection: &CollectionMeta,
    index: &IndexMeta,
    first: u64,
    second: u64,
) -> Result<bool, StoreError> {
    match reader.document(collection.id, first)? {
        Some(stored) => shares_value(reader, collection, index, stored.document()?, second),
        None => Ok(false),
    }
}
