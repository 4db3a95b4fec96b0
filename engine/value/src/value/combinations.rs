//! The combinations of values that several paths have in one document.

use bson::raw::{RawArray, RawBsonRef, RawDocument};

use super::path::{Path, PathPart};

/// Two paths lead to different arrays, whose values can't be combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParallelArrays;

/// Visits every combination of values of these paths, at least one; whether an array was met. Paths
/// through the same array have their values in the same element.
///
/// # Errors
/// [`ParallelArrays`].
pub fn combinations<'d, 'p>(
    paths: impl Iterator<Item = &'p Path> + Clone,
    document: &'d RawDocument,
    visit: &mut dyn FnMut(&[Option<RawBsonRef<'d>>]),
) -> Result<bool, ParallelArrays> {
    let mut multikey = false;
    let mut parts = paths.clone().flat_map(Path::parts);
    let combined = if parts.any(|part| part.position.is_some()) {
        product(paths, document, &mut multikey, visit)
    } else {
        let at = |path: &'p Path| Field::at(RawBsonRef::Document(document), path.parts());
        expand(&paths.map(at).collect::<Vec<_>>(), &mut multikey, visit)
    };
    combined.map(|()| multikey).ok_or(ParallelArrays)
}

/// One path while arrays are being expanded.
#[derive(Clone, Copy)]
enum Field<'d, 'p> {
    Value(Option<RawBsonRef<'d>>),
    Array { array: &'d RawArray, rest: &'p [PathPart] },
}

impl<'d, 'p> Field<'d, 'p> {
    /// Goes down through documents as far as possible.
    fn at(mut value: RawBsonRef<'d>, mut parts: &'p [PathPart]) -> Self {
        loop {
            match (value, parts.split_first()) {
                (RawBsonRef::Array(array), _) => return Self::Array { array, rest: parts },
                (value, None) => return Self::Value(Some(value)),
                (RawBsonRef::Document(document), Some((part, rest))) => {
                    match document.get(&part.name).ok().flatten() {
                        Some(inner) => (value, parts) = (inner, rest),
                        None => return Self::Value(None),
                    }
                }
                (_, Some(_)) => return Self::Value(None),
            }
        }
    }

    /// This field for one element of the array; `None` means an empty array.
    fn element(self, element: Option<RawBsonRef<'d>>) -> Self {
        let Self::Array { rest, .. } = self else { return self };
        match (element, rest.is_empty()) {
            (None, true) => Self::Value(Some(RawBsonRef::Undefined)),
            (Some(element), true) => Self::Value(Some(element)),
            (Some(element @ RawBsonRef::Document(_)), false) => Self::at(element, rest),
            (_, false) => Self::Value(None),
        }
    }
}

/// Fields under the same array are taken from the same element. None for two different arrays.
/// Depth is bounded by the documents' own.
fn expand<'d>(
    fields: &[Field<'d, '_>],
    multikey: &mut bool,
    visit: &mut dyn FnMut(&[Option<RawBsonRef<'d>>]),
) -> Option<()> {
    let mut arrays = fields.iter().filter_map(|field| match field {
        Field::Array { array, .. } => Some(*array),
        Field::Value(_) => None,
    });
    let Some(array) = arrays.next() else {
        let values: Vec<_> = fields
            .iter()
            .map(|field| match field {
                Field::Value(value) => *value,
                Field::Array { .. } => None,
            })
            .collect();
        visit(&values);
        return Some(());
    };
    if arrays.any(|other| !std::ptr::eq(other.as_bytes(), array.as_bytes())) {
        return None;
    }
    *multikey = true;
    let elements = array.into_iter().map_while(Result::ok).map(Some);
    let empty = array.is_empty().then_some(None);
    for element in elements.chain(empty) {
        let inner: Vec<_> = fields.iter().map(|field| field.element(element)).collect();
        expand(&inner, multikey, visit)?;
    }
    Some(())
}

/// Every value of one path with every value of the others; only one of them may have several.
fn product<'d, 'p>(
    paths: impl Iterator<Item = &'p Path>,
    document: &'d RawDocument,
    multikey: &mut bool,
    visit: &mut dyn FnMut(&[Option<RawBsonRef<'d>>]),
) -> Option<()> {
    let mut columns = Vec::new();
    for path in paths {
        let mut values = Vec::new();
        *multikey |= path.index_values(document, &mut |value| values.push(value));
        columns.push(values);
    }
    if columns.iter().filter(|values| values.len() > 1).count() > 1 {
        return None;
    }
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
    for row in 0..rows {
        let tuple: Vec<_> = columns
            .iter()
            .map(|values| values.get(row).or(values.first()).copied().flatten())
            .collect();
        visit(&tuple);
    }
    Some(())
}
