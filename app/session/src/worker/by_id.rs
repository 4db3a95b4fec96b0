//! Documents of a step, read by their `_id`s.

use std::collections::BTreeMap;

use bson::{Bson, Document, RawDocumentBuf, doc};
use mayfly_engine::value::{Layout, shell};

use crate::commands::{bulk, documents};
use crate::job::{Namespace, reply};
use crate::limits::BULK_STEP_DOCUMENTS;

/// A document as the store has it.
#[derive(Clone)]
pub struct Found {
    pub id: Bson,
    pub raw: RawDocumentBuf,
}

/// The documents of one step, by the text of their `_id`.
pub type ByKey = BTreeMap<String, Found>;

/// The documents with these `_id`s, in as many replies as they take. `run` sends a command to their
/// database. With a `field`, only that is read.
pub fn read<E: From<String>>(
    run: impl Fn(&Document) -> Result<Document, E>,
    at: &Namespace,
    ids: Vec<Bson>,
    field: Option<&str>,
) -> Result<ByKey, E> {
    let (mut left, mut all) = (ids, ByKey::new());
    while !left.is_empty() {
        let found = some(&run, at, bulk::among(&Document::new(), left.clone()), field)?;
        if found.is_empty() {
            break;
        }
        all.extend(found);
        left.retain(|id| !all.contains_key(&key(id)));
    }
    Ok(all)
}

/// Documents that match, as many as one reply holds.
pub fn some<E: From<String>>(
    run: impl Fn(&Document) -> Result<Document, E>,
    at: &Namespace,
    filter: Document,
    field: Option<&str>,
) -> Result<ByKey, E> {
    let count = i64::try_from(BULK_STEP_DOCUMENTS).unwrap_or(i64::MAX);
    let mut find = documents::read(&at.collection, filter, count);
    if let Some(field) = field {
        find.insert("projection", doc! { field: 1 });
    }
    let reply = run(&find)?;
    let found = reply::batch(&reply).map(|document| {
        let (id, raw) = (id_of(document), RawDocumentBuf::try_from(document));
        Ok((key(&id), Found { id, raw: raw.map_err(|error| error.to_string())? }))
    });
    found.collect()
}

pub fn key(id: &Bson) -> String {
    shell::write_value(id, Layout::OneLine)
}

pub fn id_of(document: &Document) -> Bson {
    document.get("_id").cloned().unwrap_or(Bson::Null)
}

pub fn ids_of(found: &ByKey) -> Vec<Bson> {
    found.values().map(|one| one.id.clone()).collect()
}
