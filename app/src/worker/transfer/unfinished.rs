//! Imports and operations that did not reach their end.

use std::path::Path;

use bson::Document;
use bson::oid::ObjectId;
use mayfly_engine::transfer::{Progress, RollBackReport};

use super::{Failure, TransferDone, TransferWork};
use crate::source::{Source, Transfers};
use crate::worker::journal::{cut, file};
use crate::worker::reply::Reply;

impl TransferWork {
    /// Handles imports and operations that did not reach their end. `None` if the source has no
    /// access to files.
    pub(super) fn run_unfinished(&self, source: Option<&dyn Source>) -> Option<TransferDone> {
        let source = source?;
        let transfers = source.transfers()?;
        let left = match self {
            Self::Forget { journal, first } => match forget(source, journal, first.as_ref()) {
                Ok(()) => Ok(()),
                Err(sentence) => return Some(TransferDone::Unfinished(Err(sentence))),
            },
            Self::Resume { id, progress } => {
                let done = transfers.resume(*id, progress);
                return Some(TransferDone::Import(done.map_err(Failure::from)));
            }
            Self::RollBack { ids, progress } => {
                return Some(TransferDone::RolledBack(roll_back(transfers, ids, progress)));
            }
            Self::Leave(id) => transfers.leave(*id),
            _ => Ok(()),
        };
        let found = left.and_then(|()| transfers.unfinished());
        let found = found.map(|imports| (imports, cut::list(source)));
        Some(TransferDone::Unfinished(found.map_err(|error| error.to_string())))
    }
}

/// Rolls back one import after the other. What was removed before one fails stays removed.
fn roll_back(
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

/// Forgets an operation that was cut short, unless the store refuses what comes first.
fn forget(
    source: &dyn Source,
    journal: &Path,
    first: Option<&(String, Document)>,
) -> Result<(), String> {
    let refusal = first.and_then(|(db, command)| Reply::refusal(&source.run(db, command)));
    refusal.map_or_else(|| file::forget(journal), Err)
}
