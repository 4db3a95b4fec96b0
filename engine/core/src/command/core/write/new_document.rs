//! A document before its insert: checked, `_id` first, empty timestamps replaced.

use std::{
    borrow::Cow,
    sync::{Mutex, PoisonError},
};

use bson::{
    RawDocumentBuf, Timestamp,
    oid::ObjectId,
    raw::{RawArray, RawBsonRef, RawDocument, cstr},
    spec::ElementType,
};

use crate::{
    command::core::{Code, CommandError},
    value::{
        field::Fields,
        scan::{self, DEPTH_MAX, DOCUMENT_BYTES_MAX, DocumentFacts},
    },
};

/// A document that may be inserted, or why not.
pub type PreparedDocument<'d> = Result<Cow<'d, RawDocument>, CommandError>;

/// The server's own timestamps: each is later than the one before.
#[derive(Debug, Default)]
pub struct Timestamps {
    last: Mutex<(u32, u32)>,
}

impl Timestamps {
    /// The next one at this time, in milliseconds since 1970.
    pub fn next(&self, now_ms: i64) -> Timestamp {
        let now = u32::try_from(now_ms.div_euclid(1_000)).unwrap_or_default();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = match *last {
            // A clock that was set back must not repeat a timestamp, so the last one counts up
            // instead.
            (time, _) if now > time => (now, 1),
            (time, u32::MAX) => (time.saturating_add(1), 1),
            (time, increment) => (time, increment + 1),
        };
        Timestamp { time: last.0, increment: last.1 }
    }
}

/// A document that a client inserts, in a command of which the scan has told what it met.
/// Timestamps of zero at its top become the server's, but for `_id`.
///
/// # Errors
/// The errors of the scan, and an invalid `_id`.
pub fn prepare<'d>(
    document: &'d RawDocument,
    met: DocumentFacts,
    stamp: Option<&dyn Fn() -> Timestamp>,
) -> PreparedDocument<'d> {
    check_size(document)?;
    // The scan counts the command's own levels too.
    if met.levels > DEPTH_MAX {
        scan::check(document.as_bytes())?;
    }
    // Drivers send `_id` first, so nearly every document is stored as it came, without a copy.
    if !met.late_id && !met.timestamp && has_plain_id_in_front(document) {
        return Ok(Cow::Borrowed(document));
    }
    let has_empty = look_through(document)?;
    let prepared = move_id_first(document)?;
    let Some(stamp) = stamp.filter(|_| has_empty) else { return Ok(prepared) };
    let mut stamped = RawDocumentBuf::new();
    for element in &*prepared {
        let (name, value) = element?;
        match value {
            value if name.as_str() != "_id" && is_empty(value) => stamped.append(name, stamp()),
            value => stamped.append(name, value),
        }
    }
    Ok(Cow::Owned(stamped))
}

/// Whether the `_id` is where it is stored and needs no closer look, as nearly always.
fn has_plain_id_in_front(document: &RawDocument) -> bool {
    let first = Fields::of(document).next();
    first.filter(|first| first.name == b"_id").is_some_and(|id| {
        matches!(
            id.kind,
            ElementType::ObjectId
                | ElementType::String
                | ElementType::Int32
                | ElementType::Int64
                | ElementType::Double
                | ElementType::DateTime
                | ElementType::Binary
        )
    })
}

fn is_empty(value: RawBsonRef<'_>) -> bool {
    matches!(value, RawBsonRef::Timestamp(Timestamp { time: 0, increment: 0 }))
}

fn check_size(document: &RawDocument) -> Result<(), CommandError> {
    let size = document.as_bytes().len();
    if size <= DOCUMENT_BYTES_MAX {
        return Ok(());
    }
    Err(CommandError::new(
        Code::BSON_OBJECT_TOO_LARGE,
        format!(
            "object to insert too large. size in bytes: {size}, max size: {DOCUMENT_BYTES_MAX}"
        ),
    ))
}

/// Checks the `_id` of a scanned document; whether another field holds an empty timestamp.
fn look_through(document: &RawDocument) -> Result<bool, CommandError> {
    let bad = |message: &str| Err(CommandError::new(Code::INVALID_ID_FIELD, message));
    let (mut has_id, mut has_empty) = (false, false);
    for element in document.iter_elements() {
        let element = element?;
        if element.key().as_str() != "_id" {
            has_empty |=
                element.element_type() == ElementType::Timestamp && is_empty(element.value()?);
            continue;
        }
        match element.value()? {
            RawBsonRef::RegularExpression(_) => return bad("can't use a regex for _id"),
            RawBsonRef::Undefined => return bad("can't use a undefined for _id"),
            RawBsonRef::Array(_) => return bad("can't use an array for _id"),
            RawBsonRef::Document(id) => check_names(id)?,
            _ => {}
        }
        if has_id {
            return bad("can't have multiple _id fields in one document");
        }
        has_id = true;
    }
    Ok(has_empty)
}

/// Checks the names in an `_id`, at any level. Those of a `DBRef` may begin with a dollar: first
/// `$ref` with a text, then `$id`, and then `$db` with a text or another field
/// (`storageValidEmbedded` in MongoDB's `bsonobj.cpp`).
fn check_names(id: &RawDocument) -> Result<(), CommandError> {
    let mut fields = id.iter();
    let mut is_first = true;
    while let Some(field) = fields.next() {
        let (mut name, mut value) = field?;
        if is_first && name == "$ref" && matches!(value, RawBsonRef::String(_)) {
            match fields.next().transpose()? {
                Some((after, _)) if after == "$id" => {}
                _ => return Err(dollar_in_id(name.as_str())),
            }
            let Some(third) = fields.next() else { return Ok(()) };
            (name, value) = third?;
            if name == "$db" && matches!(value, RawBsonRef::String(_)) {
                is_first = false;
                continue;
            }
        }
        // An `_id` is looked up by equality, so no field of it may look like an operator.
        if name.as_str().starts_with('$') {
            return Err(dollar_in_id(name.as_str()));
        }
        match value {
            RawBsonRef::Document(inner) => check_names(inner)?,
            RawBsonRef::Array(elements) => check_elements(elements)?,
            _ => {}
        }
        is_first = false;
    }
    Ok(())
}

fn check_elements(elements: &RawArray) -> Result<(), CommandError> {
    for element in elements {
        match element? {
            RawBsonRef::Document(inner) => check_names(inner)?,
            RawBsonRef::Array(inner) => check_elements(inner)?,
            _ => {}
        }
    }
    Ok(())
}

fn dollar_in_id(name: &str) -> CommandError {
    CommandError::new(
        Code::DOLLAR_PREFIXED_FIELD_NAME,
        format!("_id fields may not contain '$'-prefixed fields: {name} is not valid for storage."),
    )
}

/// A checked document with its `_id` in front; a new `ObjectId` when it has none.
///
/// # Errors
/// The errors of the scan; `InvalidIdField`.
pub fn with_id_first(document: &RawDocument) -> PreparedDocument<'_> {
    move_id_first(scan::check(document.as_bytes())?)
}

/// As [`with_id_first`], but a document without an `_id` gets none: it may be meant for one that
/// has its own.
///
/// # Errors
/// As [`with_id_first`].
pub fn with_own_id_first(document: &RawDocument) -> PreparedDocument<'_> {
    let document = scan::check(document.as_bytes())?;
    if document.get("_id")?.is_some() {
        move_id_first(document)
    } else {
        Ok(Cow::Borrowed(document))
    }
}

/// As [`with_id_first`], of a document that has been checked.
///
/// # Errors
/// As [`with_id_first`].
pub fn move_id_first(document: &RawDocument) -> PreparedDocument<'_> {
    let id = document.get("_id")?;
    if let Some(id) = id {
        check_id(id)?;
    }
    let is_first = matches!(document.iter().next(), Some(Ok((name, _))) if name.as_str() == "_id");
    if is_first {
        return Ok(Cow::Borrowed(document));
    }
    let mut moved = RawDocumentBuf::new();
    match id {
        Some(id) => moved.append(cstr!("_id"), id),
        None => moved.append(cstr!("_id"), ObjectId::new()),
    }
    for element in document {
        let (name, value) = element?;
        if name.as_str() != "_id" {
            moved.append(name, value);
        }
    }
    // A new `_id` may take the document over the limit.
    scan::check(moved.as_bytes())?;
    Ok(Cow::Owned(moved))
}

fn check_id(id: RawBsonRef<'_>) -> Result<(), CommandError> {
    let kind = match id {
        RawBsonRef::Array(_) => "array",
        RawBsonRef::RegularExpression(_) => "regex",
        RawBsonRef::Undefined => "undefined",
        RawBsonRef::Document(id) => return check_names(id),
        _ => return Ok(()),
    };
    Err(CommandError::new(
        Code::INVALID_ID_FIELD,
        format!("The '_id' value cannot be of type {kind}"),
    ))
}
