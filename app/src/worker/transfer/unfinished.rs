//! Imports and operations that did not reach their end.

use std::path::Path;

use bson::Document;

use super::{Failure, TransferDone, TransferWork};
use crate::source::Source;
use crate::worker::job::Reply;
use crate::worker::journal::{cut, file};

impl TransferWork {
    /// Does what is about imports and operations that did not reach their end. `None`: the source has no
    /// way for files.
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
            Self::RollBack { id, progress } => {
                let done = transfers.roll_back(*id, progress);
                return Some(TransferDone::RolledBack(done.map_err(Failure::from)));
            }
            Self::Leave(id) => transfers.leave(*id),
            _ => Ok(()),
        };
        let found = left.and_then(|()| transfers.unfinished());
        let found = found.map(|imports| (imports, cut::list(source)));
        Some(TransferDone::Unfinished(found.map_err(|error| error.to_string())))
    }
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
