//! `collMod`.

use std::ops::Bound;

use bson::Bson;

use super::{Collections, WriteError, unique::shares_value};
use crate::{
    catalog::{
        CollectionMeta, IndexMeta,
        rules::{CollModOutcome, CollModRequest, coll_mod},
    },
    limits::{READ_DOCS_MAX, VIOLATIONS_MAX},
    store::{IndexId, Reader, RecordNumber, Scan, StoreError},
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
        let (mut last, mut groups) = (None, Vec::new());
        loop {
            let (rest, found) =
                self.store.read(|reader| scan_part(reader, collection, index, last.take()))?;
            groups.extend(found);
            match rest {
                Some(entry) if groups.len() < VIOLATIONS_MAX => last = Some(entry),
                _ if groups.is_empty() => return Ok(()),
                _ => break,
            }
        }
        let violations = self.store.read(|reader| ids(reader, collection, &groups))?;
        Err(WriteError::NotUnique { violations })
    }
}

/// Records that have a value in common.
type Group = Vec<RecordNumber>;

/// The last entry that was looked at.
type Last = (Vec<u8>, RecordNumber);

/// One read: where to go on, if there is more, and the groups found.
fn scan_part(
    reader: &Reader<'_>,
    collection: &CollectionMeta,
    index: &IndexMeta,
    mut last: Option<Last>,
) -> Result<(Option<Last>, Vec<Group>), StoreError> {
    let mut groups: Vec<Group> = Vec::new();
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
            match groups.last_mut().filter(|group| group.last() == Some(record)) {
                Some(group) if group.len() < VIOLATIONS_MAX => group.push(entry.record),
                Some(_) => {}
                None => groups.push(vec![*record, entry.record]),
            }
        }
        last = Some((entry.key.to_vec(), entry.record));
        if seen >= READ_DOCS_MAX || groups.len() >= VIOLATIONS_MAX {
            return Ok((last, groups));
        }
    }
    Ok((None, groups))
}

/// The `_id`s of the records.
fn ids(
    reader: &Reader<'_>,
    collection: &CollectionMeta,
    groups: &[Group],
) -> Result<Vec<Vec<Bson>>, StoreError> {
    let mut found = Vec::with_capacity(groups.len());
    for group in groups {
        let mut ids = Vec::with_capacity(group.len());
        for record in group {
            if let Some(stored) = reader.document(collection.id, *record)? {
                let id = stored.document()?.get("_id").ok().flatten();
                ids.extend(id.and_then(|id| Bson::try_from(id).ok()));
            }
        }
        found.push(ids);
    }
    Ok(found)
}

fn same_value_twice(
    reader: &Reader<'_>,
    collection: &CollectionMeta,
    index: &IndexMeta,
    first: RecordNumber,
    second: RecordNumber,
) -> Result<bool, StoreError> {
    match reader.document(collection.id, first)? {
        Some(stored) => shares_value(reader, collection, index, stored.document()?, second),
        None => Ok(false),
    }
}
