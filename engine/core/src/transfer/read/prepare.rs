//! Prepares a document for the store: `_id` first, and the limits that hold for every write.

use bson::{RawDocument, RawDocumentBuf, oid::ObjectId, raw::RawBsonRef};

use crate::value::{is_reserved_name, scan::DOCUMENT_BYTES_MAX};

/// Appends the document to `arena` with `_id` as its first field. A missing `_id` becomes `new_id`.
///
/// # Errors
/// Why the document can't be stored, without a full stop.
pub(in crate::transfer) fn prepare(
    document: &RawDocument,
    new_id: impl FnOnce() -> ObjectId,
    arena: &mut Vec<u8>,
) -> Result<(), String> {
    let mut elements = document.iter();
    let first = elements.next().and_then(Result::ok);
    let bytes = document.as_bytes();
    let length = match first {
        Some((name, id)) if name.as_str() == "_id" => {
            check_id(id)?;
            check_size(bytes.len())?;
            arena.extend_from_slice(bytes);
            return Ok(());
        }
        _ => match document.get("_id") {
            Ok(Some(id)) => {
                check_id(id)?;
                let moved = id_first(document)?;
                check_size(moved.as_bytes().len())?;
                arena.extend_from_slice(moved.as_bytes());
                return Ok(());
            }
            _ => bytes.len() + NEW_ID_BYTES,
        },
    };
    check_size(length)?;
    let length = i32::try_from(length).unwrap_or(i32::MAX);
    arena.extend_from_slice(&length.to_le_bytes());
    arena.extend_from_slice(b"\x07_id\0");
    arena.extend_from_slice(&new_id().bytes());
    arena.extend_from_slice(bytes.get(4..).unwrap_or_default());
    Ok(())
}

/// Type byte, name with terminator, and the 12 bytes of an `ObjectId`.
const NEW_ID_BYTES: usize = 1 + 4 + 12;

fn check_size(bytes: usize) -> Result<(), String> {
    if bytes <= DOCUMENT_BYTES_MAX {
        return Ok(());
    }
    Err(format!("the document has {bytes} bytes; at most {DOCUMENT_BYTES_MAX} are allowed"))
}

fn check_id(id: RawBsonRef<'_>) -> Result<(), String> {
    let kind = match id {
        RawBsonRef::Array(_) => "an array",
        RawBsonRef::RegularExpression(_) => "a regular expression",
        RawBsonRef::Undefined => "undefined",
        RawBsonRef::Document(id) => return check_names(id),
        _ => return Ok(()),
    };
    Err(format!("_id can't be {kind}; use a value of another type"))
}

/// An `_id` is looked up by equality, so its fields must not look like operators. Those of a DBRef
/// don't.
fn check_names(id: &RawDocument) -> Result<(), String> {
    let names = id.iter().map_while(Result::ok).map(|(name, _)| name.as_str());
    let odd = names.filter(|name| is_reserved_name(name));
    odd.take(1).try_for_each(|name| {
        Err(format!("_id can't have a field that starts with $, such as {name}; rename it"))
    })
}

fn id_first(document: &RawDocument) -> Result<RawDocumentBuf, String> {
    let damaged = |_| "the document is damaged".to_owned();
    let mut moved = RawDocumentBuf::new();
    if let Some(id) = document.get("_id").map_err(damaged)? {
        moved.append(bson::raw::cstr!("_id"), id);
    }
    for element in document {
        let (name, value) = element.map_err(damaged)?;
        if name.as_str() != "_id" {
            moved.append(name, value);
        }
    }
    Ok(moved)
}
