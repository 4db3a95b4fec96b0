//! Imports and operations that did not reach their end.

use std::path::Path;

use bson::Document;
use bson::oid::ObjectId;
use mayfly_engine::transfer::{Progress, RollBackReport, UnfinishedImport};

use super::Failure;
use crate::job::cut::CutWork;
use crate::job::reply::refusal;
use crate::source::{Source, Transfers};
use crate::worker::journal::{cut, file};

/// The imports that did not reach the end of their files, and the operations that were cut short.
///
/// # Errors
/// They can't be listed: one sentence.
pub fn unfinished(source: &dyn Source) -> Result<(Vec<UnfinishedImport>, Vec<CutWork>), String> {
    let imports = transfers(source)?.unfinished().map_err(|error| error.to_string())?;
    Ok((imports, cut::list(source)))
}

/// Forgets an import; its documents stay.
///
/// # Errors
/// The store fails: one sentence.
pub fn leave(source: &dyn Source, id: ObjectId) -> Result<(), String> {
    transfers(source)?.leave(id).map_err(|error| error.to_string())
}

/// Rolls back one import after the other. What was removed before one fails stays removed.
///
/// # Errors
/// The store fails; the rest can be rolled back later.
pub fn roll_back(
    transfers: &dyn Transfers,
    ids: &[ObjectId],
    progress: &Progress,
) -> Result<RollBackReport, Failure> {
    let mut sum = RollBackReport::default();
    for id in ids {
        let report = transfers.roll_back(*id, progress)?;
        sum.removed += report.removed;
        sum.changed += report.changed;
        sum.gone += report.gone;
        sum.replaced += report.replaced;
        sum.lists_damaged += report.lists_damaged;
        sum.collection_removed |= report.collection_removed;
        if report.cancelled {
            sum.cancelled = true;
            break;
        }
    }
    Ok(sum)
}

/// Forgets an operation that was cut short, after this command if there is one.
///
/// # Errors
/// The store refuses the command, and the operation is remembered: one sentence.
pub fn forget(
    source: &dyn Source,
    journal: &Path,
    first: Option<&(String, Document)>,
) -> Result<(), String> {
    let refusal = first.and_then(|(db, command)| refusal(&source.run(db, command)));
    refusal.map_or_else(|| file::forget(journal), Err)
}

/// The way for files in and out of a store.
///
/// # Errors
/// The store has none: one sentence.
pub fn transfers(source: &dyn Source) -> Result<&dyn Transfers, String> {
    source.transfers().ok_or("Import and export are not supported for this store".to_owned())
}
