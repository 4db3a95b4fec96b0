//! `$out`: results become a collection, whole or not at all.

use std::time::Duration;

use bson::oid::ObjectId;
use bson::{Document, RawDocumentBuf, doc};

use super::merge::{merge_all, next_batch};
use crate::catalog::rules::{CreateIndexesRequest, CreateRequest};
use crate::catalog::{CollectionMeta, Namespace};
use crate::clock::work_time;
use crate::collection::Measurements;
use crate::command::core::write::insert_documents::insert_one;
use crate::command::core::write::new_document::with_id_first;
use crate::command::core::{CommandError, Context};
use crate::limits::BATCH_MS_MAX;
use crate::pipeline::{Environment, Out, Output, PipelineError, Run};
use crate::value::bucket::TimeSeries;

/// Writes all results.
///
/// # Errors
/// Those of the pipeline, or a result that can't be written.
pub fn write(
    context: &Context,
    environment: &Environment<'_>,
    run: &mut Run,
    output: &Output,
) -> Result<(), CommandError> {
    match output {
        Output::Out(out) => replace_collection(context, environment, run, out),
        Output::Merge(merge) => merge_all(context, environment, run, merge),
    }
}

/// Writes the results to a temporary collection, which replaces the target at the end, if the
/// target's options and indexes are then still those that were copied.
fn replace_collection(
    context: &Context,
    environment: &Environment<'_>,
    run: &mut Run,
    out: &Out,
) -> Result<(), CommandError> {
    // No client may use this name, so the next opening can drop what a killed `$out` has left.
    let beside = Namespace::of_output(&out.into.db, ObjectId::new())?;
    let existing = context.collections.catalog().collection(&out.into);
    if let Some(existing) = &existing {
        check_target(existing, out)?;
    }
    let outcome = fill(context, environment, run, &beside, existing.as_deref(), out)
        .and_then(|()| Ok(context.reaper.replace(&beside, &out.into, existing.as_deref())?));
    if outcome.is_err() {
        // The first error is returned. A collection that can't be dropped now is dropped at the
        // next opening of the store.
        let _ = context.collections.drop_collection(&beside);
    }
    outcome
}

fn check_target(existing: &CollectionMeta, out: &Out) -> Result<(), CommandError> {
    existing.check_is_no_view()?;
    match (&out.time_series, &existing.options.time_series) {
        (Some(_), None) => {
            let message = "Cannot create a time-series collection from a non time-series \
                           collection; drop it first, or choose another name";
            return Err(PipelineError::stage(7_268_700, message).into());
        }
        (Some(given), Some(found)) if TimeSeries::of(given) != TimeSeries::of(found) => {
            let message = format!(
                "Time-series options inputted must match the existing time-series collection. \
                 Received: {given}. Found: {found}. Leave them out to use those"
            );
            return Err(PipelineError::stage(7_406_103, message).into());
        }
        _ => {}
    }
    if existing.options.capped.is_some() {
        let message =
            format!("namespace '{}' is capped so it can't be used for $out", existing.namespace);
        return Err(PipelineError::stage(17152, message).into());
    }
    Ok(())
}

/// The new collection has the options and indexes of the one that it replaces.
fn fill(
    context: &Context,
    environment: &Environment<'_>,
    run: &mut Run,
    beside: &Namespace,
    existing: Option<&CollectionMeta>,
    out: &Out,
) -> Result<(), CommandError> {
    let options = match (existing, &out.time_series) {
        (Some(existing), _) => existing.options.to_document(),
        (None, Some(options)) => doc! { "timeseries": options },
        (None, None) => Document::new(),
    };
    context.collections.create_output(&CreateRequest { namespace: beside.clone(), options })?;
    // Created while the collection is empty, so that no build has to read the results again.
    if let Some(existing) = existing {
        let indexes = existing.indexes.iter().filter(|index| !index.is_id());
        let indexes: Vec<_> = indexes.map(|index| index.to_spec()).collect();
        if !indexes.is_empty() {
            let namespace = beside.clone();
            let request =
                CreateIndexesRequest { namespace, indexes, ignore_unknown_options: false };
            context.collections.create_indexes(&request, &mut |_| {})?;
        }
    }
    while let Some(batch) = next_batch(environment, run, with_id_first)? {
        insert_all(context, beside, &batch)?;
    }
    Ok(())
}

fn insert_all(
    context: &Context,
    namespace: &Namespace,
    batch: &[RawDocumentBuf],
) -> Result<(), CommandError> {
    let time_max = Duration::from_millis(BATCH_MS_MAX);
    let mut done = 0;
    while done < batch.len() {
        done += context.write(|writer| {
            let collection = writer.create_if_missing(namespace)?;
            let mut measurements = Measurements::new(&collection);
            let began = work_time();
            let mut written = 0;
            for document in batch.iter().skip(done) {
                match &mut measurements {
                    Some(measurements) => measurements.add(writer, document)?,
                    None => drop(insert_one(writer, &collection, document)?),
                }
                written += 1;
                if work_time().saturating_sub(began) > time_max {
                    break;
                }
            }
            if let Some(measurements) = measurements {
                measurements.finish(writer)?;
            }
            Ok(written)
        })?;
    }
    Ok(())
}
