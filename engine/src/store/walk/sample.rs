//! The checksums of a sample of documents, verified whenever a store is opened.

use std::fs::File;
use std::ops::ControlFlow;
use std::time::Duration;

use super::check::{tables, walker};
use super::header::NO_PAGE;
use crate::clock::work_time;
use crate::store::{DamagedRows, StoreError};

/// Verifies the documents on evenly spread leaf pages, until [`work_time`] is `until`. Returns the damaged
/// ones. A corrupt page is an error.
pub(in crate::store) fn sample(
    file: &File,
    pages: usize,
    until: Duration,
) -> Result<DamagedRows, StoreError> {
    let mut ignore_progress = |_| ControlFlow::Continue(());
    let mut walker = walker(file, &mut ignore_progress)?;
    let documents = tables(&mut walker)?.into_iter().find(|(name, _)| *name == "documents");
    let Some((name, tree)) = documents.filter(|(_, tree)| tree.root != NO_PAGE) else {
        return Ok(DamagedRows::default());
    };
    let in_time = || work_time() < until;
    for page in (0..pages).take_while(|_| in_time()) {
        // The middle of each of the equal parts.
        walker.leaf_at((name, &tree), (2 * page + 1, 2 * pages), &in_time)?;
    }
    Ok(walker.damaged)
}
