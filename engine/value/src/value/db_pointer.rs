//! The parts of the deprecated `DBPointer`, which the BSON crate keeps private.

use bson::{
    oid::ObjectId,
    raw::{RawBsonRef, RawDocumentBuf, cstr},
};

/// Bytes before the value in a document whose one field has the empty name: length, tag, NUL.
const VALUE_AT: usize = 6;

/// Namespace and id of a `DBPointer`; `None` for every other value.
pub(super) fn parts(value: RawBsonRef<'_>) -> Option<(String, ObjectId)> {
    value.as_db_pointer()?;
    let mut document = RawDocumentBuf::new();
    document.append(cstr!(""), value);
    let bytes = document.as_bytes().get(VALUE_AT..)?;
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let length = usize::try_from(i32::from_le_bytes(*length)).ok()?;
    let namespace = rest.get(..length.checked_sub(1)?)?;
    let id = rest.get(length..)?.first_chunk::<12>()?;
    Some((String::from_utf8_lossy(namespace).into_owned(), ObjectId::from_bytes(*id)))
}
