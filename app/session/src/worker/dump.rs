//! Folders of mongodump and exported databases, as work for the threads.
//!
//! A folder of mongodump, or a `.bson` file next to its metadata, is found by the preview;
//! the dialog of its collections takes the place of the import's. The engine's `import_dump` creates each
//! collection, imports its documents as any import does, then creates the chosen indexes. `export_dump`
//! writes such a folder (`mayfly export` without `--collection`), then its `manifest.json`. An import of a
//! folder with a manifest first checks that each file is as listed. Both run over any `DumpSource` or
//! `DumpTarget`: the engine's collections, or a server (`source/remote/dumps.rs`).

use mayfly_engine::transfer::{
    DumpCollection, Progress, Rehearsal, TransferError, visit_in_file_order,
};

use crate::limits::REHEARSED_DOCS_MAX;
use crate::source::Transfers;

/// Counts the documents of each collection past their threshold already. `None` if it was canceled.
pub fn rehearse(
    transfers: &dyn Transfers,
    collections: &[DumpCollection],
    progress: &Progress,
) -> Option<Vec<Rehearsal>> {
    let mut all: Vec<Option<Rehearsal>> = vec![None; collections.len()];
    visit_in_file_order(collections, progress, |at| {
        let (Some(collection), Some(one)) = (collections.get(at), all.get_mut(at)) else { return };
        *one = match transfers.rehearse_dump(collection, REHEARSED_DOCS_MAX, progress) {
            Ok(one) => Some(one),
            Err(TransferError::Cancelled) => None,
            // The import says what is wrong with a file.
            Err(_) => Some(Rehearsal::default()),
        };
    });
    all.into_iter().collect()
}
