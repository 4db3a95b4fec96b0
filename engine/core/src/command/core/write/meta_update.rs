//! Updates of a time series, which change the metadata of whole buckets.

use bson::{Document, RawDocumentBuf};

use super::{insert_documents::WriteRefusal, write_matching::DocumentChange};
use crate::{
    catalog::CollectionMeta,
    collection::DocumentWriter,
    command::core::{CommandError, Query},
    query::{Expr, Update},
    store::{RecordNumber, StoreError},
    value::{
        bucket::{self, Bucket},
        scan,
    },
};

/// Refuses an update that would change anything but metadata, or that would part a bucket.
///
/// # Errors
/// `InvalidOptions`
pub fn check(
    collection: &CollectionMeta,
    query: &Query,
    update: &Update,
) -> Result<(), CommandError> {
    let refused = |message: &str| {
        Err(CommandError::invalid_options(format!(
            "Cannot perform an update on a time-series collection {message}"
        )))
    };
    if update.is_pipeline() {
        return refused("using a pipeline update");
    }
    if update.is_replacement() {
        return refused("using a replacement document");
    }
    let options = collection.time_series();
    let Some(meta) = options.and_then(|options| options.meta_field) else {
        return refused("that does not have a metaField");
    };
    check_filter(query.target.filter.root(), &meta)?;
    if update.fields().any(|field| field != meta) {
        return refused(&format!("which updates a field that is not the metaField '{meta}'"));
    }
    Ok(())
}

/// All measurements of a bucket match such a filter, or none.
fn check_filter(filter: &Expr, meta: &str) -> Result<(), CommandError> {
    let refused = match filter {
        Expr::True | Expr::False => return Ok(()),
        Expr::And(parts) | Expr::Or(parts) | Expr::Nor(parts) => {
            return parts.iter().try_for_each(|part| check_filter(part, meta));
        }
        Expr::Not(part) => return check_filter(part, meta),
        Expr::Field { path, .. } if path.parts().first().is_some_and(|part| part.name == meta) => {
            return Ok(());
        }
        Expr::Field { .. } => format!(
            "Cannot perform an update or delete on a time-series collection when querying on a \
             field that is not the metaField '{meta}'"
        ),
        Expr::Expression(_) => {
            "Cannot use $expr when performing an update or delete on a time-series collection"
                .to_owned()
        }
        Expr::Schema(_) => {
            "Cannot use $jsonSchema when performing an update on a time-series collection; query \
             the metaField by operators"
                .to_owned()
        }
    };
    Err(CommandError::invalid_options(refused))
}

/// Changes the metadata of the bucket with the measurement at this place, if the bucket still
/// matches.
///
/// # Errors
/// Why it was refused.
pub fn one(
    writer: &mut DocumentWriter<'_, '_>,
    collection: &CollectionMeta,
    query: &Query,
    update: &Update,
    place: RecordNumber,
) -> Result<Option<DocumentChange>, WriteRefusal> {
    let record = bucket::split(place).0;
    let now_ms = writer.now_ms();
    let bucket = matching(writer, collection, query, record, now_ms);
    let Some((mut bucket, before)) = bucket.map_err(WriteRefusal::Transaction)? else {
        return Ok(None);
    };
    let context = query.update_context(now_ms, false);
    let after = update.apply(&before, &context);
    let after = after.map_err(|error| WriteRefusal::Statement(error.into()))?;
    let is_changed = after.is_some();
    let documents = u64::from(bucket.count());
    if let Some(after) = after {
        let packed = packed(&mut bucket, &after).map_err(WriteRefusal::Statement)?;
        writer.replace(collection, record, &packed)?;
    }
    Ok(Some(DocumentChange { before: None, after: None, is_changed, documents }))
}

/// The bucket, and its metadata as a document of one field or none.
fn matching(
    writer: &DocumentWriter<'_, '_>,
    collection: &CollectionMeta,
    query: &Query,
    record: RecordNumber,
    now_ms: i64,
) -> Result<Option<(Bucket, Document)>, CommandError> {
    let reader = writer.reader();
    let Some(stored) = reader.document(collection.id, record)? else { return Ok(None) };
    let packed = stored.document()?;
    let Some((_, measurement)) = bucket::measurements(packed).next() else { return Ok(None) };
    if !query.still_matches(collection, &stored, &measurement, now_ms)? {
        return Ok(None);
    }
    let Some(bucket) = Bucket::read(packed, None) else {
        return Err(StoreError::Bug { what: "a bucket that can't be read again".into() }.into());
    };
    let meta = bucket::meta_of(packed).map(Document::try_from).transpose()?;
    Ok(Some((bucket, meta.unwrap_or_default())))
}

fn packed(bucket: &mut Bucket, meta: &Document) -> Result<RawDocumentBuf, CommandError> {
    let raw = RawDocumentBuf::try_from(meta)?;
    let mut normalized = RawDocumentBuf::new();
    for (name, value) in raw.iter().filter_map(Result::ok) {
        normalized.append(name, bucket::normalized(value));
    }
    bucket.set_meta(Some(normalized).filter(|meta| meta.iter().next().is_some()));
    let packed = bucket.to_document();
    scan::check(packed.as_bytes())?;
    Ok(packed)
}
