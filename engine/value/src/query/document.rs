//! Building raw documents.

use bson::raw::{CStr, RawBsonRef, RawDocumentBuf};

use super::QueryError;

/// Appends a field, whose name may come from a user. A name with a NUL character is refused.
pub(crate) fn append(
    document: &mut RawDocumentBuf,
    name: &str,
    value: RawBsonRef<'_>,
) -> Result<(), QueryError> {
    document.append(<&CStr>::try_from(name)?, value);
    Ok(())
}
