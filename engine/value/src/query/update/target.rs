//! Reading and writing one concrete path of a decoded document.

use std::collections::{BTreeMap, HashSet};

use bson::{Bson, Document};

use super::value;
use crate::{
    query::{Code, QueryError},
    value::scan::DOCUMENT_BYTES_MAX,
};

/// Most nulls with which an array is filled up to a position beyond its end, as in MongoDB.
const BACKFILL_MAX: usize = 1_500_000;

/// How much one update may still write. A document that is too large is refused in the end; this
/// refuses it before it takes much memory.
pub(super) struct Growth {
    bytes: usize,
    nulls: usize,
}

impl Default for Growth {
    fn default() -> Self {
        // Twice the limit, since an update may replace as much as it writes.
        Self { bytes: DOCUMENT_BYTES_MAX.saturating_mul(2), nulls: BACKFILL_MAX }
    }
}

impl Growth {
    fn add(&mut self, value: &Bson) -> Result<(), QueryError> {
        let left = self.bytes.checked_sub(bytes_of(value));
        self.bytes = left.ok_or_else(|| {
            let message = format!(
                "The document after the update can't be stored: it has more than \
                 {DOCUMENT_BYTES_MAX} bytes"
            );
            QueryError::new(Code::BSON_OBJECT_TOO_LARGE, message)
        })?;
        Ok(())
    }

    /// The position that a part of a path names; an error when arrays would have to grow too far,
    /// `None` when the part is not a position.
    fn room(&mut self, elements: &[Bson], part: &str) -> Result<usize, Option<QueryError>> {
        let at = position(part).ok_or(None)?;
        let left = self.nulls.checked_sub(at.saturating_sub(elements.len()));
        self.nulls = left.ok_or_else(|| {
            Some(QueryError::new(
                Code::CANNOT_BACKFILL_ARRAY,
                format!("can't backfill more than {BACKFILL_MAX} elements"),
            ))
        })?;
        Ok(at)
    }
}

/// About the bytes of a value, never more than it has.
fn bytes_of(value: &Bson) -> usize {
    match value {
        Bson::String(text) => text.len(),
        Bson::Binary(binary) => binary.bytes.len(),
        Bson::Array(elements) => elements.iter().map(|element| bytes_of(element) + 2).sum(),
        Bson::Document(inner) => {
            inner.iter().map(|(name, value)| name.len() + bytes_of(value) + 2).sum()
        }
        _ => 0,
    }
}

/// The value at a path; positions lead into arrays.
pub(super) fn get<'d>(document: &'d Document, path: &[String]) -> Option<&'d Bson> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(document.get(first)?, |value, part| match value {
        Bson::Document(inner) => inner.get(part),
        Bson::Array(elements) => elements.get(position(part)?),
        _ => None,
    })
}

/// Writes the value, creating documents along the path. A number creates a field of that name in a
/// document, and reaches a position in an array, which is filled up with nulls.
pub(super) fn set(
    document: &mut Document,
    path: &[String],
    value: Bson,
    growth: &mut Growth,
) -> Result<(), QueryError> {
    growth.add(&value)?;
    let Some((first, rest)) = path.split_first() else { return Ok(()) };
    if rest.is_empty() {
        document.insert(first.clone(), value);
        return Ok(());
    }
    let mut slot = document.entry(first.clone()).or_insert_with(|| Bson::Document(Document::new()));
    let mut name = first;
    for (at, part) in rest.iter().enumerate() {
        let is_last = at + 1 == rest.len();
        let filler = || if is_last { Bson::Null } else { Bson::Document(Document::new()) };
        slot = match slot {
            Bson::Document(inner) => inner.entry(part.clone()).or_insert_with(filler),
            Bson::Array(elements) => match growth.room(elements, part) {
                Ok(at) => element(elements, at, filler)
                    .ok_or_else(|| QueryError::bad_value("an array has no such position"))?,
                Err(Some(error)) => return Err(error),
                Err(None) => {
                    return Err(not_viable(part, name, &Bson::Array(elements.clone())));
                }
            },
            other => return Err(not_viable(part, name, other)),
        };
        name = part;
    }
    *slot = value;
    Ok(())
}

fn element(
    elements: &mut Vec<Bson>,
    at: usize,
    filler: impl FnOnce() -> Bson,
) -> Option<&mut Bson> {
    if at >= elements.len() {
        elements.resize(at, Bson::Null);
        elements.push(filler());
    }
    elements.get_mut(at)
}

/// The first part of a path that a value above it makes impossible, with the name of that value and
/// the value.
fn blocked<'d>(document: &'d Document, path: &'d [String]) -> Option<(&'d str, &'d str, &'d Bson)> {
    let (first, rest) = path.split_first()?;
    let (mut name, mut value) = (first, document.get(first)?);
    for part in rest {
        let next = match value {
            Bson::Document(inner) => inner.get(part),
            Bson::Array(elements) if position(part).is_some() => {
                position(part).and_then(|at| elements.get(at))
            }
            _ => return Some((part, name, value)),
        };
        (name, value) = (part, next?);
    }
    None
}

/// Refuses a missing field that could not be created, as MongoDB does for operators that only take
/// something away.
pub(super) fn check_viable(document: &Document, path: &[String]) -> Result<(), QueryError> {
    blocked(document, path).map_or(Ok(()), |(part, name, value)| Err(not_viable(part, name, value)))
}

fn not_viable(part: &str, name: &str, value: &Bson) -> QueryError {
    QueryError::new(
        Code::PATH_NOT_VIABLE,
        format!("Cannot create field '{part}' in element {{{}}}", value::shown(name, value)),
    )
}

/// Removes fields; an element of an array becomes null instead.
pub(super) fn remove_all(document: &mut Document, paths: &[&[String]]) {
    // A document loses all its fields in one pass, because each single removal moves the fields
    // after it.
    let mut by_parent: BTreeMap<&[String], HashSet<&str>> = BTreeMap::new();
    for path in paths {
        if let Some((last, parent)) = path.split_last() {
            by_parent.entry(parent).or_default().insert(last);
        }
    }
    for (parent, names) in by_parent {
        let Some((first, rest)) = parent.split_first() else {
            remove_names(document, &names);
            continue;
        };
        let parent = rest.iter().try_fold(document.get_mut(first), |value, part| {
            Some(match value? {
                Bson::Document(inner) => inner.get_mut(part),
                Bson::Array(elements) => elements.get_mut(position(part)?),
                _ => None,
            })
        });
        match parent.flatten() {
            Some(Bson::Document(inner)) => remove_names(inner, &names),
            Some(Bson::Array(elements)) => {
                for name in names {
                    if let Some(slot) = position(name).and_then(|at| elements.get_mut(at)) {
                        *slot = Bson::Null;
                    }
                }
            }
            _ => {}
        }
    }
}

fn remove_names(document: &mut Document, names: &HashSet<&str>) {
    let rest = std::mem::take(document);
    document.extend(rest.into_iter().filter(|(name, _)| !names.contains(name.as_str())));
}

/// Writes a field under another name too, replacing an existing one. False, and nothing happens, if
/// it is missing.
pub(super) fn copy(
    document: &mut Document,
    from: &[String],
    to: &[String],
    growth: &mut Growth,
) -> Result<bool, QueryError> {
    let through_array = |path: &[String]| {
        (1..path.len())
            .filter_map(|end| path.get(..end))
            .find(|head| get(document, head).is_some_and(is_array))
            .and_then(|head| head.last().cloned())
    };
    if let Some((part, name, value)) = blocked(document, from) {
        return Err(QueryError::new(
            Code::PATH_NOT_VIABLE,
            format!(
                "Cannot use the part ({part}) of ({}) to traverse the element ({{{}}})",
                from.join("."),
                value::shown(name, value)
            ),
        ));
    }
    let Some(value) = get(document, from).cloned() else { return Ok(false) };
    for (path, role) in [(from, "source"), (to, "destination")] {
        if let Some(array) = through_array(path) {
            return Err(QueryError::bad_value(format!(
                "The {role} field cannot be an array element, '{}' in doc with {} has an array \
                 field called '{array}'",
                path.join("."),
                value::shown_id(document)
            )));
        }
    }
    set(document, to, value, growth)?;
    Ok(true)
}

fn is_array(value: &Bson) -> bool {
    matches!(value, Bson::Array(_))
}

fn position(part: &str) -> Option<usize> {
    let plain = part.bytes().all(|byte| byte.is_ascii_digit());
    let padded = part.len() > 1 && part.starts_with('0');
    if plain && !padded { part.parse().ok() } else { None }
}
