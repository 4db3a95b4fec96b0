//! Imports of files and their rehearsals.

use mayfly_engine::transfer::{ImportReport, ImportRequest, Progress, Rehearsal, TransferError};

use super::{Failure, TransferDone, TransferWork};
use crate::limits::REHEARSED_DOCS_MAX;
use crate::source::{Source, Transfers};

impl TransferWork {
    /// Imports or rehearses files. `None` if the source has no access to files.
    pub(super) fn run_imports(&self, source: Option<&dyn Source>) -> Option<TransferDone> {
        let transfers = source?.transfers()?;
        Some(match self {
            Self::Rehearse { files, options, namespace, progress } => {
                let mut sum = Sum::default();
                for path in files {
                    let left = REHEARSED_DOCS_MAX.saturating_sub(sum.0.documents + sum.0.rejected);
                    match transfers.rehearse(namespace, path, options, left, progress) {
                        Ok(part) => sum.add(part),
                        Err(TransferError::Cancelled) => {
                            return Some(TransferDone::Rehearsal(Ok(None)));
                        }
                        Err(error) => return Some(self.failed(error.to_string())),
                    }
                }
                TransferDone::Rehearsal(Ok(Some(sum.0)))
            }
            // It may have been canceled while it waited, and must not drop anything then.
            Self::Import { progress, .. } if progress.is_cancelled() => {
                TransferDone::Import(Err(Failure::Cancelled))
            }
            Self::Import { request, progress } => {
                TransferDone::Import(transfers.import(request, progress).map_err(Failure::from))
            }
            Self::ImportMany { requests, progress } => {
                TransferDone::Imports(import_many(transfers, requests, progress))
            }
            _ => return None,
        })
    }
}

/// Imports into one collection after the other, until the user cancels.
fn import_many(
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
