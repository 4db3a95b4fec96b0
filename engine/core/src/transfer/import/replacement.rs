//! The check before an import drops the documents that it replaces.

use std::path::PathBuf;

use crate::transfer::{
    DetectedFormat, ImportRequest, RecordFormat, TransferError, import::preview::preview,
    read::container::split,
};

/// Refuses to drop documents where none can be read in their place. Such a file is more likely a
/// failed copy, or read with the wrong options, than a replacement.
///
/// # Errors
/// [`TransferError::NotReadable`], with the first problem.
pub(super) fn check_replacement(
    request: &ImportRequest,
    files: &[(PathBuf, DetectedFormat)],
) -> Result<(), TransferError> {
    let Some((first, _)) = files.first() else { return Ok(()) };
    let (mut file, mut problem) = (first, "the file is empty".to_owned());
    for (path, form) in files.iter().map(|(path, found)| (path, found.form)) {
        if form == RecordFormat::Empty {
            continue;
        }
        // A file inside another one is read once, in its turn.
        if split(path).is_some() {
            return Ok(());
        }
        let found = preview(path, &request.read_options())?;
        // An array without elements says that there are none.
        let is_none = form == RecordFormat::Array && found.rejects.is_empty();
        if is_none || !found.documents.is_empty() {
            return Ok(());
        }
        file = path;
        problem = found.rejects.first().map_or_else(
            || "no document was found in it".to_owned(),
            |reject| format!("{}: {}", reject.position.words(), reject.reason),
        );
    }
    let namespace = &request.namespace;
    Err(TransferError::NotReadable {
        path: file.display().to_string(),
        what: format!(
            "{problem}, so {namespace} was not dropped; to delete its documents, drop the \
             collection"
        ),
    })
}
