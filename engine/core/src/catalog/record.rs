//! The stored form of catalog records: BSON documents.

use std::sync::Arc;

use bson::{Bson, Document, RawDocument, Uuid, doc, spec::BinarySubtype};

use super::{
    Capped, Clustered, CollectionMeta, CollectionOptions, EntryForm, IndexKey, IndexMeta,
    IndexState, Namespace, Validation, ValidationAction, ValidationLevel, View,
};
use crate::{
    limits::{COMMAND_BYTES_MAX, COMMAND_DEPTH_MAX},
    query::Filter,
    store::{CollectionId, IndexId, StoreError},
    value::{
        Collation,
        bucket::TimeSeries,
        collation::SORT_KEY_FORM,
        integer,
        scan::{self, Limits},
    },
};

/// Limits for reading: as large as any command that could have created a record.
const READ: Limits = Limits {
    bytes_max: COMMAND_BYTES_MAX,
    depth_max: COMMAND_DEPTH_MAX,
    allow_duplicate_names: false,
};

/// The form of an index with [`IndexMeta::has_implicit_ids`]. A version that does not know it
/// refuses the collection with a clear error.
const VALUES_OR_RECORD: &str = "valuesOrRecord";

/// The forms of an index with a collation, whose keys hold text in the form
/// [`SORT_KEY_FORM`]. A version that makes other sort keys refuses the collection.
const COLLATED: &str = "collated1";
const COLLATED_OR_RECORD: &str = "collated1OrRecord";
const _: () = assert!(SORT_KEY_FORM == 1, "the names above have its number");

/// The record of one collection.
///
/// # Errors
/// `Bug` when the record can't be written as BSON.
pub(crate) fn write(collection: &CollectionMeta) -> Result<Vec<u8>, StoreError> {
    let indexes: Vec<Bson> = collection.indexes.iter().map(|index| write_index(index)).collect();
    let mut options = collection.options.to_document();
    options.remove("clusteredIndex");
    to_bytes(&doc! {
        "id": i64::from(collection.id.0),
        "uuid": collection.uuid,
        "options": options,
        "clustered": collection.options.clustered.as_ref().map(|clustered| clustered.name.clone()),
        "indexes": indexes,
    })
}

/// Whether a record is within the limits of a document.
pub(crate) fn fits(record: &[u8]) -> bool {
    // Commands may be larger, but a larger record could not be read again.
    scan::check(record).is_ok()
}

/// Reads the record of one collection.
///
/// # Errors
/// The unreadable part, as part of a sentence.
pub(crate) fn read(db: &str, name: &str, bytes: &[u8]) -> Result<CollectionMeta, String> {
    let record = from_bytes(bytes).ok_or("its definition is not a valid document")?;
    read_collection(db, name, &record)
}

/// The record of all dialects that are not the default.
///
/// # Errors
/// `Bug` when the record can't be written as BSON.
pub(crate) fn write_dialects<'a>(
    dialects: impl Iterator<Item = (&'a str, Bson)>,
) -> Result<Vec<u8>, StoreError> {
    to_bytes(&dialects.map(|(db, dialect)| (db.to_owned(), dialect)).collect())
}

/// Reads the record of dialects, unchecked.
///
/// # Errors
/// `Damaged` when it is not BSON.
pub(crate) fn read_dialects(bytes: &[u8]) -> Result<Document, StoreError> {
    let damaged = || StoreError::Damaged { what: "the list of dialects can't be read".into() };
    from_bytes(bytes).ok_or_else(damaged)
}

fn to_bytes(record: &Document) -> Result<Vec<u8>, StoreError> {
    record
        .to_vec()
        .map_err(|error| StoreError::Bug { what: format!("a record is not BSON: {error}") })
}

fn from_bytes(bytes: &[u8]) -> Option<Document> {
    let raw: &RawDocument = scan::check_with(bytes, &READ).ok()?;
    Document::try_from(raw).ok()
}

fn write_index(index: &IndexMeta) -> Bson {
    let form = match index.form {
        EntryForm::Values if index.collation.is_some() && index.has_implicit_ids => {
            COLLATED_OR_RECORD
        }
        EntryForm::Values if index.collation.is_some() => COLLATED,
        EntryForm::Values if index.has_implicit_ids => VALUES_OR_RECORD,
        EntryForm::Values => "values",
        EntryForm::LastModified => "lastModified",
        EntryForm::Nothing => "nothing",
        EntryForm::Buckets => "buckets",
    };
    let partial =
        index.partial.as_ref().and_then(|filter| Document::try_from(filter.source()).ok());
    let mut record = doc! {
        "id": i64::from(index.id.0),
        "name": &index.name,
        "key": index.key.source.clone(),
        "form": form,
        "unique": index.unique,
        "prepareUnique": index.prepare_unique,
        "sparse": index.sparse,
        "hidden": index.hidden,
        "partial": partial,
        "expireAfterSeconds": index.expire_after_secs,
        "building": index.state == IndexState::Building,
        "multikey": index.multikey,
        "clustered": index.clustered,
        "extra": index.extra.clone(),
    };
    if let Some(collation) = &index.collation {
        record.insert("collation", collation.spec().clone());
    }
    if let Some(since_ms) = index.ttl_since_ms {
        record.insert("ttlSinceMs", since_ms);
    }
    Bson::Document(record)
}

fn read_collection(db: &str, name: &str, record: &Document) -> Result<CollectionMeta, String> {
    let unknown = |part: &str| format!("this version can't read the {part} of its definition");
    let clustered =
        record.get_str("clustered").ok().map(|name| Clustered { name: name.to_owned() });
    let options = record.get_document("options").map_err(|_| unknown("list of options"))?.clone();
    let indexes = record.get_array("indexes").map_err(|_| unknown("list of indexes"))?.iter();
    let read_index = |index: &Bson| {
        let index = index.as_document().ok_or_else(|| unknown("list of indexes"))?;
        let name = index.get_str("name").unwrap_or_default();
        let index = read_index(index).ok_or_else(|| unknown(&format!("index \"{name}\"")))?;
        Ok::<_, String>(Arc::new(index))
    };
    Ok(CollectionMeta {
        id: CollectionId(id(record).ok_or_else(|| unknown("number"))?),
        uuid: record.get("uuid").and_then(uuid).ok_or_else(|| unknown("UUID"))?,
        namespace: Namespace { db: db.to_owned(), collection: name.to_owned() },
        options: read_options(options, clustered)
            .ok_or_else(|| unknown("validator or the view's pipeline"))?,
        indexes: indexes.map(read_index).collect::<Result<_, _>>()?,
    })
}

fn uuid(value: &Bson) -> Option<Uuid> {
    match value {
        Bson::Binary(uuid) if uuid.subtype == BinarySubtype::Uuid => {
            uuid.bytes.as_slice().try_into().ok().map(Uuid::from_bytes)
        }
        _ => None,
    }
}

fn read_options(mut options: Document, clustered: Option<Clustered>) -> Option<CollectionOptions> {
    let capped = options.remove("capped").is_some();
    let size_bytes = options.remove("size").as_ref().and_then(integer);
    let docs_max = options.remove("max").as_ref().and_then(integer);
    let collation = read_collation(options.remove("collation"))?;
    let validation = read_validation(&mut options, collation.as_ref())?;
    let view = match (options.remove("viewOn"), options.remove("pipeline")) {
        (Some(Bson::String(on)), Some(Bson::Array(stages))) => {
            let stages = stages.iter().map(|stage| stage.as_document().cloned());
            Some(View { on, pipeline: stages.collect::<Option<_>>()? })
        }
        _ => None,
    };
    let time_series = match options.remove("timeseries") {
        // Stored as given until the defaults were stored with them.
        Some(Bson::Document(given)) => Some(TimeSeries::with_defaults(&given)),
        _ => None,
    };
    Some(CollectionOptions {
        capped: capped.then_some(Capped { size_bytes, docs_max }),
        clustered,
        expire_after_secs: options.remove("expireAfterSeconds").as_ref().and_then(integer),
        time_series,
        view,
        collation,
        validation,
        extra: options,
    })
}

/// The outer `None` is one that can't be read.
#[expect(clippy::option_option, reason = "no collation is one too")]
fn read_collation(spec: Option<Bson>) -> Option<Option<Collation>> {
    match spec {
        Some(Bson::Document(spec)) => {
            let spec = bson::RawDocumentBuf::try_from(&spec).ok()?;
            Collation::read(&spec, "collation").ok()
        }
        _ => Some(None),
    }
}

fn read_validation(options: &mut Document, collation: Option<&Collation>) -> Option<Validation> {
    let validator = match options.remove("validator") {
        Some(Bson::Document(given)) => Some(Validation::parse(&given, collation).ok()?),
        _ => None,
    };
    let mut word = |field: &str| options.remove(field);
    let level = word("validationLevel");
    let action = word("validationAction");
    let level = level.as_ref().and_then(Bson::as_str).and_then(ValidationLevel::from_name);
    let action = action.as_ref().and_then(Bson::as_str).and_then(ValidationAction::from_name);
    Some(Validation { validator, level, action })
}

fn read_index(record: &Document) -> Option<IndexMeta> {
    let flag = |name| record.get_bool(name).ok();
    let collation = read_collation(record.get("collation").cloned())?;
    let partial = match record.get("partial")? {
        Bson::Document(filter) => {
            let filter = bson::RawDocumentBuf::try_from(filter).ok()?;
            Some(Filter::parse_in(&filter, collation.as_ref()).ok()?)
        }
        _ => None,
    };
    let form = record.get_str("form").ok()?;
    Some(IndexMeta {
        id: IndexId(id(record)?),
        name: record.get_str("name").ok()?.to_owned(),
        key: IndexKey::read(record.get_document("key").ok()?)?,
        form: match form {
            "values" | VALUES_OR_RECORD | COLLATED | COLLATED_OR_RECORD => EntryForm::Values,
            "lastModified" => EntryForm::LastModified,
            "nothing" => EntryForm::Nothing,
            "buckets" => EntryForm::Buckets,
            _ => return None,
        },
        unique: flag("unique")?,
        prepare_unique: flag("prepareUnique")?,
        sparse: flag("sparse")?,
        hidden: flag("hidden")?,
        collation,
        partial,
        expire_after_secs: record.get("expireAfterSeconds").and_then(integer),
        ttl_since_ms: record.get("ttlSinceMs").and_then(integer),
        state: if flag("building")? { IndexState::Building } else { IndexState::Ready },
        multikey: flag("multikey")?,
        clustered: flag("clustered")?,
        has_implicit_ids: form == VALUES_OR_RECORD || form == COLLATED_OR_RECORD,
        extra: record.get_document("extra").ok()?.clone(),
    })
}

fn id(record: &Document) -> Option<u32> {
    record.get("id").and_then(integer).and_then(|id| u32::try_from(id).ok())
}
