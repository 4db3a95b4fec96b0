//! A look at the checksums of some documents, for every opening.

use std::fs::File;
use std::ops::ControlFlow;
use std::time::Duration;

use super::check::{tables, walker};
use super::header::NO_PAGE;
use crate::clock::work_time;
use crate::store::{DamagedRows, StoreError};

/// Reads the documents on some pages, evenly spread over all of them, until the time `until` of the clock
/// of work. Returns those that do not match their checksums. A page that can't be right is an error.
pub(in crate::store) fn sample(
    file: &File,
    pages: usize,
    until: Duration,
) -> Result<DamagedRows, StoreError> {
    let mut nobody = |_| ControlFlow::Continue(());
    let mut walker = walker(file, &mut nobody)?;
    let documents = tables(&mut walker)?.into_iter().find(|(name, _)| *name == "documents");
    let Some((name, tree)) = documents.filter(|(_, tree)| tree.root != NO_PAGE) else {
        return Ok(DamagedRows::default());
    };
    let goes_on = || work_time() < until;
    for page in (0..pages).take_while(|_| goes_on()) {
        // The middle of its part, so that neither end counts more.
        walker.leaf_at((name, &tree), (2 * page + 1, 2 * pages), &goes_on)?;
    }
    Ok(walker.damaged)
}
