//! `$merge`: results go into a collection, one by one in bounded transactions.

use std::{sync::Arc, time::Duration};

use bson::{
    RawDocumentBuf,
    raw::{CString, RawBson, RawBsonRef, RawDocument, cstr},
};

use crate::command::core::write::new_document::PreparedDocument;
use crate::limits::{BATCH_BYTES_MAX, BATCH_DOCS_MAX};
use crate::{
    catalog::CollectionMeta,
    clock::work_time,
    collection::DocumentWriter,
    command::core::{
        CommandError, Context, Query,
        write::{
            insert_documents::{WriteRefusal, insert_one},
            new_document::{move_id_first, with_id_first, with_own_id_first},
            write_matching::{self, WriteAction},
        },
    },
    limits::BATCH_MS_MAX,
    pipeline::{Environment, Merge, PipelineError, Run, WhenMatched, WhenNotMatched},
    query::{self, Code, Filter, Scope, Update},
    value::{Collation, Path},
};

fn fail<T>(code: impl Into<Code>, message: impl Into<String>) -> Result<T, CommandError> {
    Err(PipelineError::stage(code, message).into())
}

/// Merges all results.
pub fn merge_all(
    context: &Context,
    environment: &Environment<'_>,
    run: &mut Run,
    merge: &Merge,
) -> Result<(), CommandError> {
    // A wrong target is refused before the pipeline does its work.
    let existing = context.collections.catalog().collection(&merge.into);
    if let Some(existing) = &existing {
        existing.check_holds_documents()?;
    }
    let is_sparse = check_unique(merge, existing.as_deref(), run.context().collation.as_ref())?;
    let work = MergeRun { merge, is_sparse, context, seen: Arc::clone(run.context()) };
    // By other fields, a new `_id` would change the one of the document that the result is merged
    // into.
    let is_by_id = merge.on.is_empty() || merge.on.iter().any(|on| on == "_id");
    let prepare = if is_by_id { with_id_first } else { with_own_id_first };
    while let Some(batch) = next_batch(environment, run, prepare)? {
        // MongoDB's batches are not ordered: the rest is merged after a document that is refused.
        let (mut done, mut first_error) = (0, None);
        while done < batch.len() {
            let (n, error) = work.some(batch.get(done..).unwrap_or_default())?;
            done += n;
            first_error = first_error.or(error);
        }
        first_error.map_or(Ok(()), Err)?;
    }
    Ok(())
}

/// The fields must be those of a unique index with the collation of the pipeline. Returns whether
/// it is a sparse one.
fn check_unique(
    merge: &Merge,
    existing: Option<&CollectionMeta>,
    collation: Option<&Collation>,
) -> Result<bool, CommandError> {
    let is_id = matches!(merge.on.as_slice(), [] | [_]) && merge.on.iter().all(|on| on == "_id");
    let of_ids = existing.and_then(CollectionMeta::id_index);
    // Under another collation, `_id`s that are equal for the pipeline could belong to two
    // documents.
    if is_id && of_ids.is_none_or(|index| index.collation.as_ref() == collation) {
        return Ok(false);
    }
    let has_fields = |index: &crate::catalog::IndexMeta| {
        let keys: Vec<&String> = index.key.source.keys().collect();
        index.collation.as_ref() == collation
            && keys.len() == merge.on.len()
            && merge.on.iter().all(|field| keys.contains(&field))
    };
    let found = existing.and_then(|collection| {
        let mut indexes = collection.indexes.iter();
        // A partial index proves uniqueness only within its filter.
        indexes.find(|index| index.unique && index.partial.is_none() && has_fields(index))
    });
    match found {
        Some(index) => Ok(index.sparse),
        None => fail(51183, "Cannot find index to verify that join fields will be unique"),
    }
}

fn insert(
    writer: &mut DocumentWriter<'_, '_>,
    collection: &CollectionMeta,
    document: &RawDocument,
) -> Result<(), WriteRefusal> {
    let document = move_id_first(document).map_err(WriteRefusal::Statement)?;
    insert_one(writer, collection, &document).map(drop)
}

struct MergeRun<'w> {
    merge: &'w Merge,
    is_sparse: bool,
    context: &'w Context,
    /// The context of its expressions, with the variables of the command.
    seen: Arc<query::Context>,
}

impl MergeRun<'_> {
    /// One transaction: how many were tried, and the first refusal.
    fn some(
        &self,
        batch: &[RawDocumentBuf],
    ) -> Result<(usize, Option<CommandError>), CommandError> {
        let time_max = Duration::from_millis(BATCH_MS_MAX);
        self.context.write(|writer| {
            let collection = writer.create_if_missing(&self.merge.into)?;
            let began = work_time();
            let (mut done, mut first_error) = (0, None);
            for document in batch {
                match self.one(writer, &collection, document) {
                    Ok(()) => {}
                    Err(WriteRefusal::Statement(error)) => {
                        first_error = first_error.or(Some(error));
                    }
                    Err(WriteRefusal::Transaction(error)) => return Err(error),
                }
                done += 1;
                if work_time().saturating_sub(began) > time_max {
                    break;
                }
            }
            Ok((done, first_error))
        })
    }

    fn one(
        &self,
        writer: &mut DocumentWriter<'_, '_>,
        collection: &CollectionMeta,
        document: &RawDocument,
    ) -> Result<(), WriteRefusal> {
        // The insert finds a duplicate by itself, so no search is needed.
        if self.merge.when_matched == WhenMatched::Fail {
            return insert(writer, collection, document);
        }
        let mut query = Query::matching(self.filter(document).map_err(WriteRefusal::Statement)?);
        query.target.limit = Some(1);
        let now_ms = writer.now_ms();
        let found = query
            // Searched within the transaction, so that a document inserted since is met and not
            // duplicated.
            .first_record(&writer.reader(), collection, now_ms)
            .map_err(WriteRefusal::Transaction)?;
        match found {
            Some(record) => {
                if let Some(update) = self.update(document).map_err(WriteRefusal::Statement)? {
                    let action = WriteAction::Update(&update);
                    write_matching::one(writer, collection, &query, &action, record)?;
                }
                Ok(())
            }
            None => match self.merge.when_not_matched {
                WhenNotMatched::Insert => insert(writer, collection, document),
                WhenNotMatched::Discard => Ok(()),
                WhenNotMatched::Fail => fail(
                    Code::MERGE_STAGE_NO_MATCHING_DOCUMENT,
                    "$merge could not find a matching document in the target collection for at \
                     least one document in the source collection",
                )
                .map_err(WriteRefusal::Statement),
            },
        }
    }

    /// The document with the same values in the fields of `on`.
    fn filter(&self, document: &RawDocument) -> Result<Filter, CommandError> {
        let id = ["_id".to_owned()];
        let fields =
            if self.merge.on.is_empty() { id.as_slice() } else { self.merge.on.as_slice() };
        let mut filter = RawDocumentBuf::new();
        for field in fields {
            let path = Path::parse(field).ok();
            let value = path.and_then(|path| path.get(document));
            match value {
                Some(RawBsonRef::Array(_)) => {
                    return fail(
                        51185,
                        format!("$merge write error: 'on' field '{field}' cannot be an array"),
                    );
                }
                // A sparse index has no entry for a missing field, so it proves nothing about such
                // documents.
                None | Some(RawBsonRef::Null | RawBsonRef::Undefined) if self.is_sparse => {
                    return fail(
                        51132,
                        format!(
                            "$merge write error: 'on' field '{field}' cannot be missing, null or \
                             undefined if supporting index is sparse"
                        ),
                    );
                }
                _ => {}
            }
            let mut equal = RawDocumentBuf::new();
            // A missing field matches as null, as it is in the unique index.
            equal.append(cstr!("$eq"), value.unwrap_or(RawBsonRef::Null));
            filter.append(CString::try_from(field.as_str())?, equal);
        }
        Ok(Filter::parse_in(&filter, self.seen.collation.as_ref())?)
    }

    /// The update of an existing document, or `None` to leave it unchanged.
    fn update(&self, document: &RawDocument) -> Result<Option<Update>, CommandError> {
        let update = match &self.merge.when_matched {
            WhenMatched::KeepExisting | WhenMatched::Fail => return Ok(None),
            WhenMatched::Replace => Update::parse(RawBsonRef::Document(document), &[])?,
            WhenMatched::Merge => {
                let mut set = RawDocumentBuf::new();
                set.append(cstr!("$set"), document);
                Update::parse(RawBsonRef::Document(&set), &[])?
            }
            WhenMatched::Pipeline(stages) => {
                let mut array = bson::RawArrayBuf::new();
                for stage in stages {
                    array.push(&**stage);
                }
                let variables = self.variables(document)?;
                {
                    let collation = self.seen.collation.as_ref();
                    Update::parse_with(RawBsonRef::Array(&array), &[], &variables, collation)?
                }
            }
        };
        Ok(Some(update))
    }

    /// Those of the command; `$$new`, which is the result itself; and those of the stage.
    fn variables(
        &self,
        document: &RawDocument,
    ) -> Result<Vec<(String, Option<RawBson>)>, CommandError> {
        let mut variables = self.seen.variables.clone();
        variables.push(("new".to_owned(), Some(RawBson::Document(document.to_owned()))));
        let scope = Scope::new(document, &self.seen);
        for (name, expression) in &self.merge.variables {
            let value = expression.evaluate(&scope)?.into_owned();
            query::check_made(value.as_ref())?;
            variables.push((name.clone(), value));
        }
        Ok(variables)
    }
}

/// Results for one transaction, prepared; `None` at the end.
pub fn next_batch(
    environment: &Environment<'_>,
    run: &mut Run,
    prepare: fn(&RawDocument) -> PreparedDocument<'_>,
) -> Result<Option<Vec<RawDocumentBuf>>, CommandError> {
    let (mut batch, mut bytes) = (Vec::new(), 0);
    // Bounded by bytes too, because each result may have 16 MiB.
    while batch.len() < BATCH_DOCS_MAX && bytes < BATCH_BYTES_MAX {
        let Some(document) = run.advance(environment)? else { break };
        bytes += document.as_bytes().len();
        batch.push(prepare(&document)?.into_owned());
    }
    Ok((!batch.is_empty()).then_some(batch))
}
