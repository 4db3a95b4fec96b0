//! Changing and removing documents that a query finds, in bounded transactions with re-check.

use std::time::Duration;

use bson::{Bson, Document, RawDocumentBuf, oid::ObjectId, raw::RawDocument};

use super::{
    insert_documents::{WriteRefusal, insert_one},
    meta_update,
    new_document::with_id_first,
};
use crate::{
    catalog::{CollectionMeta, Namespace},
    clock::work_time,
    collection::DocumentWriter,
    command::core::{CommandError, Context, Query},
    limits::BATCH_MS_MAX,
    plan::check_interrupt,
    query::{Update, UpdateContext},
    store::RecordNumber,
    value::{bucket, scan},
};

const UNIQUE_NAMES: scan::Limits = scan::Limits {
    bytes_max: scan::DOCUMENT_BYTES_MAX,
    depth_max: scan::DEPTH_MAX,
    allow_duplicate_names: false,
};

#[derive(Debug, Default)]
pub struct StatementResult {
    pub matched: u64,
    /// Of these, those that are different now.
    pub changed: u64,
    /// The `_id` of the document that an upsert inserted.
    pub upserted: Option<Bson>,
}

/// The action on each matching document.
pub enum WriteAction<'a> {
    Update(&'a Update),
    Delete,
}

/// Changes or deletes every document that matches. The records are found in one read, then handled
/// in transactions of bounded size; a document that no longer matches is left alone. Work done
/// before an error is kept and reported.
///
/// # Errors
/// Why the search failed, before anything was written.
pub fn all(
    context: &Context,
    namespace: &Namespace,
    query: &Query,
    action: &WriteAction<'_>,
) -> Result<(StatementResult, Option<CommandError>), CommandError> {
    // A view is refused before a search that may take long.
    let collection = context.collections.catalog().collection(namespace);
    if let Some(collection) = &collection {
        check_all(collection, query, action)?;
    }
    // All records are found before the first one changes, or an update could meet a document that
    // it has moved.
    let mut records = query.records(context, namespace)?;
    if matches!(action, WriteAction::Update(_)) && collection.is_some_and(|it| it.is_time_series())
    {
        records.dedup_by_key(|place| bucket::split(*place).0);
    }
    let mut total = StatementResult::default();
    let mut rest = records.as_slice();
    while !rest.is_empty() {
        // Asked between transactions only, so that the reply can say exactly how many documents
        // were changed.
        if let Err(error) = check_interrupt() {
            return Ok((total, Some(error.into())));
        }
        match some(context, namespace, query, action, rest) {
            Ok((handled, done, error)) => {
                total.matched += done.matched;
                total.changed += done.changed;
                if error.is_some() {
                    return Ok((total, error));
                }
                rest = rest.get(handled..).unwrap_or_default();
            }
            Err(error) => return Ok((total, Some(error))),
        }
    }
    Ok((total, None))
}

/// One transaction: how many records were handled, what was done, and the error that ended it
/// early.
fn some(
    context: &Context,
    namespace: &Namespace,
    query: &Query,
    action: &WriteAction<'_>,
    records: &[RecordNumber],
) -> Result<(usize, StatementResult, Option<CommandError>), CommandError> {
    let time_max = Duration::from_millis(BATCH_MS_MAX);
    let batch_docs = context.collections.store().batch_docs();
    context.write(|writer| {
        let mut done = StatementResult::default();
        // The collection was dropped since the search, so none of the records is left.
        let Some(collection) = writer.collection(namespace) else {
            return Ok((records.len(), done, None));
        };
        // It may be another collection by now, whose records are of another kind.
        check_all(&collection, query, action)?;
        let began = work_time();
        let mut handled = 0;
        for record in records.iter().take(batch_docs) {
            handled += 1;
            match one(writer, &collection, query, action, *record) {
                Ok(Some(outcome)) => {
                    done.matched += outcome.documents;
                    done.changed += if outcome.is_changed { outcome.documents } else { 0 };
                }
                Ok(None) => {}
                Err(WriteRefusal::Statement(error)) => return Ok((handled, done, Some(error))),
                Err(WriteRefusal::Transaction(error)) => return Err(error),
            }
            // One writer serves all clients, so a statement may not keep it for longer.
            if work_time().saturating_sub(began) > time_max {
                break;
            }
        }
        Ok((handled, done, None))
    })
}

/// One document before and after.
pub struct DocumentChange {
    /// As it was; `None` when it was inserted.
    pub before: Option<RawDocumentBuf>,
    /// As it is; `None` when it was removed.
    pub after: Option<RawDocumentBuf>,
    pub is_changed: bool,
    /// 1, or the measurements of a bucket whose metadata was updated.
    pub documents: u64,
}

/// Acts on one record, if it still matches.
///
/// # Errors
/// Why it was refused.
pub fn one(
    writer: &mut DocumentWriter<'_, '_>,
    collection: &CollectionMeta,
    query: &Query,
    action: &WriteAction<'_>,
    record: RecordNumber,
) -> Result<Option<DocumentChange>, WriteRefusal> {
    if let WriteAction::Update(update) = action
        && collection.is_time_series()
    {
        return meta_update::one(writer, collection, query, update, record);
    }
    let now_ms = writer.now_ms();
    let Some(before) =
        current(writer, collection, query, record, now_ms).map_err(WriteRefusal::Transaction)?
    else {
        return Ok(None);
    };
    let WriteAction::Update(update) = action else {
        if collection.options.time_series.is_some() {
            writer.delete_measurement(collection, record)?;
        } else {
            writer.delete(collection, record)?;
        }
        let before = Some(before);
        return Ok(Some(DocumentChange { before, after: None, is_changed: true, documents: 1 }));
    };
    let context = query.update_context(now_ms, false);
    let changed = changed(update, &before, &context).map_err(WriteRefusal::Statement)?;
    let is_changed = changed.is_some();
    if let Some(after) = &changed {
        writer.replace(collection, record, after)?;
    }
    // In the `cosmos` dialect a client's `_ts` is not stored, so the reply must show the document
    // as it is stored.
    let changed = changed.map(|after| writer.stored(collection, &after).into_owned());
    let after = Some(changed.unwrap_or_else(|| before.clone()));
    Ok(Some(DocumentChange { after, before: Some(before), is_changed, documents: 1 }))
}

fn current(
    writer: &DocumentWriter<'_, '_>,
    collection: &CollectionMeta,
    query: &Query,
    record: RecordNumber,
    now_ms: i64,
) -> Result<Option<RawDocumentBuf>, CommandError> {
    let reader = writer.reader();
    if collection.options.time_series.is_some() {
        return measurement(writer, collection, query, record, now_ms);
    }
    let Some(stored) = reader.document(collection.id, record)? else { return Ok(None) };
    let document = stored.document()?;
    let matches = query.still_matches(collection, &stored, document, now_ms)?;
    Ok(matches.then(|| document.to_owned()))
}

/// The measurement at a place, if it still matches.
fn measurement(
    writer: &DocumentWriter<'_, '_>,
    collection: &CollectionMeta,
    query: &Query,
    place: RecordNumber,
    now_ms: i64,
) -> Result<Option<RawDocumentBuf>, CommandError> {
    let reader = writer.reader();
    let (record, number) = bucket::split(place);
    let Some(stored) = reader.document(collection.id, record)? else { return Ok(None) };
    let Some(found) = bucket::at(stored.document()?, number) else { return Ok(None) };
    let matches = query.still_matches(collection, &stored, &found, now_ms)?;
    Ok(matches.then_some(found))
}

/// As [`check_action`], but metadata may be changed.
fn check_all(
    collection: &CollectionMeta,
    query: &Query,
    action: &WriteAction<'_>,
) -> Result<(), CommandError> {
    match action {
        WriteAction::Update(update) if collection.is_time_series() => {
            meta_update::check(collection, query, update)
        }
        _ => check_action(collection, action),
    }
}

/// Refuses to change a measurement or to insert one by an upsert.
fn check_action(collection: &CollectionMeta, action: &WriteAction<'_>) -> Result<(), CommandError> {
    match action {
        WriteAction::Delete => Ok(collection.check_is_no_view()?),
        WriteAction::Update(_) => Ok(collection.check_holds_documents()?),
    }
}

fn changed(
    update: &Update,
    before: &RawDocument,
    context: &UpdateContext<'_>,
) -> Result<Option<RawDocumentBuf>, CommandError> {
    let Some(after) = update.apply(&Document::try_from(before)?, context)? else { return Ok(None) };
    // Of two fields with one name only the last is in the decoded document.
    if !update.is_replacement() && scan::check_with(before.as_bytes(), &UNIQUE_NAMES).is_err() {
        return Err(CommandError::bad_value(
            "the document has a field name twice, and the update would lose one of the two fields; \
             replace the whole document instead",
        ));
    }
    let after = RawDocumentBuf::try_from(&after)?;
    // Checked again, because operators such as `$push` may nest or grow a document past the limits.
    scan::check(after.as_bytes())?;
    Ok(Some(after))
}

/// Acts on the first document that matches, in one transaction; inserts one when none does and
/// `upsert` says so.
///
/// # Errors
/// Why it was refused; nothing was written then.
pub fn first(
    context: &Context,
    namespace: &Namespace,
    query: &Query,
    action: &WriteAction<'_>,
    upsert: bool,
) -> Result<StatementResult, CommandError> {
    first_giving(context, namespace, query, action, upsert, &|_| Ok(None)).map(|(done, _)| done)
}

/// Makes the reply from a changed, deleted or inserted document.
pub type MakeReply<'g> =
    dyn Fn(DocumentChange) -> Result<Option<RawDocumentBuf>, CommandError> + Sync + 'g;

/// As [`first`], and returns the result of `give`. If `give` fails, nothing is written: a deleted
/// document that is not returned would be lost.
///
/// # Errors
/// As [`first`], and what `give` meets.
pub fn first_giving(
    context: &Context,
    namespace: &Namespace,
    query: &Query,
    action: &WriteAction<'_>,
    upsert: bool,
    give: &MakeReply<'_>,
) -> Result<(StatementResult, Option<RawDocumentBuf>), CommandError> {
    // A search without an index can be long, so it runs before the write transaction.
    let candidate = context.read(|reader, catalog| match catalog.collection(namespace) {
        None => Ok(None),
        Some(collection) => {
            check_action(&collection, action)?;
            query.first_record(reader, &collection, context.now_ms())
        }
    })?;
    // Without a match there is nothing to write, and no reason to queue for the writer.
    if candidate.is_none() && !upsert {
        return Ok((StatementResult::default(), None));
    }
    context.write(|writer| {
        let collection = match writer.collection(namespace) {
            Some(collection) => collection,
            // Only an upsert may create the collection that it names.
            None if upsert => writer.create_if_missing(namespace)?,
            None => return Ok((StatementResult::default(), None)),
        };
        check_action(&collection, action)?;
        // With an order the first one may be another by now.
        let mut outcome = match candidate.filter(|_| query.target.sort.is_none()) {
            Some(record) => one(writer, &collection, query, action, record)?,
            None => None,
        };
        // The candidate may have changed or gone since it was found, so the search is repeated
        // here.
        if outcome.is_none() {
            let now_ms = writer.now_ms();
            let record = query.first_record(&writer.reader(), &collection, now_ms)?;
            if let Some(record) = record {
                outcome = one(writer, &collection, query, action, record)?;
            }
        }
        match (outcome, action) {
            (Some(outcome), _) => {
                let changed = u64::from(outcome.is_changed);
                Ok((StatementResult { matched: 1, changed, upserted: None }, give(outcome)?))
            }
            (None, WriteAction::Update(update)) if upsert => {
                let (done, outcome) = insert_upsert(writer, &collection, query, update)?;
                Ok((done, give(outcome)?))
            }
            (None, _) => Ok((StatementResult::default(), None)),
        }
    })
}

/// Updates the first match of each query in one transaction, because a flush to the disk costs more than
/// many changes. Returns the results of the first ones: of all, or up to an error in order, or as
/// many as one transaction may take.
///
/// # Errors
/// Why the transaction failed; nothing was written then.
pub fn first_of_each(
    context: &Context,
    namespace: &Namespace,
    updates: &[(Query, Update)],
    is_ordered: bool,
) -> Result<Vec<Result<StatementResult, CommandError>>, CommandError> {
    let time_max = Duration::from_millis(BATCH_MS_MAX);
    context.write(|writer| {
        let mut results = Vec::with_capacity(updates.len());
        let Some(collection) = writer.collection(namespace) else {
            results.resize_with(updates.len(), || Ok(StatementResult::default()));
            return Ok(results);
        };
        let began = work_time();
        for (query, update) in updates {
            let action = WriteAction::Update(update);
            check_action(&collection, &action)?;
            let record = query.first_record(&writer.reader(), &collection, writer.now_ms())?;
            let done = match record {
                Some(record) => one(writer, &collection, query, &action, record),
                None => Ok(None),
            };
            let result = match done {
                Ok(done) => Ok(StatementResult {
                    matched: u64::from(done.is_some()),
                    changed: u64::from(done.is_some_and(|done| done.is_changed)),
                    upserted: None,
                }),
                Err(WriteRefusal::Statement(error)) => Err(error),
                Err(WriteRefusal::Transaction(error)) => return Err(error),
            };
            // An unordered update continues in the same transaction after a statement that was
            // refused.
            let ends = is_ordered && result.is_err();
            results.push(result);
            if ends || work_time().saturating_sub(began) > time_max {
                break;
            }
        }
        Ok(results)
    })
}

fn insert_upsert(
    writer: &mut DocumentWriter<'_, '_>,
    collection: &CollectionMeta,
    query: &Query,
    update: &Update,
) -> Result<(StatementResult, DocumentChange), CommandError> {
    let filter = &query.target.filter;
    let seed = update.upsert_seed(filter)?;
    let context = query.update_context(writer.now_ms(), true);
    let document = update.apply(&seed, &context)?.unwrap_or(seed);
    let mut with_id = Document::new();
    // MongoDB stores `_id` first, wherever the update has put it.
    let id = document.get("_id").cloned().unwrap_or_else(|| ObjectId::new().into());
    with_id.insert("_id", id.clone());
    with_id.extend(document.into_iter().filter(|(name, _)| name != "_id"));
    let after = RawDocumentBuf::try_from(&with_id)?;
    let checked = with_id_first(&after)?;
    insert_one(writer, collection, &checked)?;
    let modified = StatementResult { matched: 0, changed: 0, upserted: Some(id) };
    let after = writer.stored(collection, &after).into_owned();
    let change =
        DocumentChange { before: None, after: Some(after), is_changed: true, documents: 1 };
    Ok((modified, change))
}

/// Removes the first document that matches, or all.
///
/// # Errors
/// The error if nothing was deleted; a later error is returned next to the result.
pub fn delete(
    context: &Context,
    namespace: &Namespace,
    mut query: Query,
    is_multi: bool,
) -> Result<(StatementResult, Option<CommandError>), CommandError> {
    if is_multi {
        return all(context, namespace, &query, &WriteAction::Delete);
    }
    query.target.limit = Some(1);
    let done = first(context, namespace, &query, &WriteAction::Delete, false)?;
    Ok((done, None))
}
