//! Imports of files and their rehearsals.

use std::path::PathBuf;

use mayfly_engine::transfer::{
    ImportReport, ImportRequest, Progress, ReadOptions, Rehearsal, TransferError,
};

use super::Failure;
use crate::job::Namespace;
use crate::limits::REHEARSED_DOCS_MAX;
use crate::source::Transfers;

/// Counts documents past their threshold already. `None` if it was canceled.
///
/// # Errors
/// A file can't be read: one sentence.
pub fn rehearse(
    transfers: &dyn Transfers,
    namespace: &Namespace,
    files: &[PathBuf],
    options: &ReadOptions,
    progress: &Progress,
) -> Result<Option<Rehearsal>, String> {
    let mut sum = Sum::default();
    for path in files {
        let left = REHEARSED_DOCS_MAX.saturating_sub(sum.0.documents + sum.0.rejected);
        match transfers.rehearse(namespace, path, options, left, progress) {
            Ok(part) => sum.add(part),
            Err(TransferError::Cancelled) => return Ok(None),
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(Some(sum.0))
}

/// Imports into one collection after the other, until the user cancels.
pub fn import_each(
    transfers: &dyn Transfers,
    requests: &[ImportRequest],
    progress: &Progress,
) -> Vec<Result<ImportReport, Failure>> {
    let mut done = Vec::new();
    for request in requests {
        if progress.is_cancelled() {
            break;
        }
        done.push(transfers.import(request, progress).map_err(Failure::from));
    }
    done
}

/// The rehearsals of several files as one.
#[derive(Default)]
struct Sum(Rehearsal);

impl Sum {
    fn add(&mut self, part: Rehearsal) {
        self.0.documents += part.documents;
        self.0.rejected += part.rejected;
        self.0.taken += part.taken;
        self.0.repeated += part.repeated;
        self.0.overdue += part.overdue;
        self.0.busiest = match (self.0.busiest, part.busiest) {
            (Some(sum), Some(part)) if sum.0 == part.0 => Some((sum.0, sum.1 + part.1)),
            (sum, part) => [sum, part].into_iter().flatten().max_by_key(|(_, count)| *count),
        };
        for found in part.indexes {
            match self.0.indexes.iter_mut().find(|known| known.index == found.index) {
                None => self.0.indexes.push(found),
                Some(known) => {
                    known.overdue += found.overdue;
                    known.waiting += found.waiting;
                    known.never += found.never;
                }
            }
        }
    }
}
