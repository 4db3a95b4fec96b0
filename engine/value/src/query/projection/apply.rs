//! The part of a document that a projection keeps.

use bson::raw::{RawArray, RawArrayBuf, RawBsonRef, RawDocument, RawDocumentBuf};

use super::{Child, Mode, Node, Slice};
use crate::{interrupt, query::QueryError};

/// Fields keep their order; among kept ones those of `$elemMatch` come last. Recursion is bounded by
/// the depth of the document.
///
/// # Errors
/// An element that `$elemMatch` can't decide on.
pub(super) fn document(
    mode: Mode,
    node: &Node,
    document: &RawDocument,
) -> Result<RawDocumentBuf, QueryError> {
    let mut out = RawDocumentBuf::new();
    let mut matched = Vec::new();
    for (name, value) in document.into_iter().map_while(Result::ok) {
        interrupt::tick_among(node.children.len())?;
        match node.child(name.as_str()) {
            None if mode == Mode::Exclusion => out.append(name, value),
            Some(Child::Leaf) if mode == Mode::Inclusion => out.append(name, value),
            None | Some(Child::Leaf) => {}
            Some(Child::Tree(inner)) => match value {
                RawBsonRef::Document(value) => {
                    out.append(name, self::document(mode, inner, value)?);
                }
                RawBsonRef::Array(value) => out.append(name, array(mode, inner, value)?),
                _ if mode == Mode::Exclusion || inner.is_computed => out.append(name, value),
                _ => {}
            },
            Some(Child::Slice(part)) => match value {
                RawBsonRef::Array(value) => out.append(name, part.of(value)),
                _ => out.append(name, value),
            },
            Some(Child::ElemMatch(test)) => {
                if let Some(array) = value.as_array() {
                    let found = test.matching_element(array)?;
                    match found {
                        Some((_, element)) if mode == Mode::Exclusion => {
                            out.append(name, only(element));
                        }
                        found => matched.extend(found.map(|(_, element)| (name, element))),
                    }
                }
            }
        }
    }
    for (name, element) in matched {
        out.append(name, only(element));
    }
    Ok(out)
}

fn only(element: RawBsonRef<'_>) -> RawArrayBuf {
    let mut array = RawArrayBuf::new();
    array.push(element);
    array
}

fn array(mode: Mode, node: &Node, array: &RawArray) -> Result<RawArrayBuf, QueryError> {
    let mut out = RawArrayBuf::new();
    for value in array.into_iter().map_while(Result::ok) {
        match value {
            RawBsonRef::Document(value) => out.push(document(mode, node, value)?),
            RawBsonRef::Array(value) => out.push(self::array(mode, node, value)?),
            _ if mode == Mode::Exclusion || node.is_computed => out.push(value),
            _ => {}
        }
    }
    Ok(out)
}

impl Slice {
    fn of(self, array: &RawArray) -> RawArrayBuf {
        let count = array.into_iter().count();
        let distance = usize::try_from(self.skip.unsigned_abs()).unwrap_or(usize::MAX);
        let skip = if self.skip < 0 { count.saturating_sub(distance) } else { distance };
        let limit = usize::try_from(self.limit).unwrap_or(0);
        array.into_iter().map_while(Result::ok).skip(skip).take(limit).collect()
    }
}
