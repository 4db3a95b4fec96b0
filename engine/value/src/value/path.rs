//! Dotted paths and what they reach in a document.

use std::{fmt, ops::ControlFlow};

use bson::raw::{RawArray, RawBsonRef, RawDocument};

use super::field::field;

/// A parsed dotted path such as `a.b.0`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Path {
    text: String,
    parts: Vec<PathPart>,
}

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PathPart {
    /// The field's name.
    pub name: String,
    /// The position in an array, when the name is a plain number.
    pub position: Option<usize>,
}

/// Why a text is not a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// The text is empty.
    #[error("the field path is empty; name a field")]
    Empty,
    /// A part between two dots is empty.
    #[error("the field path has an empty part; write it without leading, trailing or double dots")]
    EmptyPart,
    /// A field name can't contain a NUL character.
    #[error("the field path holds a NUL character; remove it")]
    NulByte,
    /// More parts than a document can have levels.
    #[error("the field path has too many parts; at most 100 are possible")]
    TooDeep,
}

/// One value that a match predicate looks at.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'d> {
    /// The value; `None` where the branch has no such field.
    pub value: Option<RawBsonRef<'d>>,
    /// Whether the value is an element of the array at the end of the path.
    pub in_array: bool,
}

/// Most parts of a path: no document has more levels.
const PARTS_MAX: usize = 100;

/// Parts of one path that may be positions. Each may branch into "element number n" and
/// "field named n", so their number bounds the work on hostile documents.
const POSITIONS_MAX: usize = 8;

impl Path {
    /// Parses a path. Parts must not be empty.
    ///
    /// # Errors
    /// See [`PathError`].
    pub fn parse(text: &str) -> Result<Self, PathError> {
        if text.is_empty() {
            return Err(PathError::Empty);
        }
        if text.split('.').any(str::is_empty) {
            return Err(PathError::EmptyPart);
        }
        Self::parse_any(text)
    }

    /// Parses a path as filters take it: also with empty parts (a field may have the empty name).
    ///
    /// # Errors
    /// [`PathError::NulByte`] and [`PathError::TooDeep`].
    pub fn parse_any(text: &str) -> Result<Self, PathError> {
        if text.contains('\0') {
            return Err(PathError::NulByte);
        }
        if text.split('.').count() > PARTS_MAX {
            return Err(PathError::TooDeep);
        }
        let mut positions = 0;
        let parts = text.split('.').map(|name| {
            let position = position_of(name).filter(|_| positions < POSITIONS_MAX);
            positions += usize::from(position.is_some());
            PathPart { name: name.to_owned(), position }
        });
        Ok(Self { parts: parts.collect(), text: text.to_owned() })
    }

    /// The path as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The parts, first to last; at least one.
    pub fn parts(&self) -> &[PathPart] {
        &self.parts
    }

    /// Whether a part after the first may be a position in an array. A match predicate then meets
    /// documents in the array that lack a field of that name, and takes the field for missing
    /// there; [`Path::index_values`] has nothing for them when the position is filled.
    pub fn may_name_position(&self) -> bool {
        self.parts.iter().skip(1).any(|part| part.position.is_some())
    }

    /// Visits every value that an index on this path stores for the document, and returns whether
    /// an array was met (the index is then multikey).
    ///
    /// Arrays of documents along the path and one array at its end are expanded; an array in an
    /// array is a value, or null if the path continues. A number in the path is a position of the
    /// array, and also a field of that name in its documents. An empty array at the end gives
    /// undefined; a missing field gives `None`. The same value may be visited more than once.
    pub fn index_values<'d>(
        &self,
        document: &'d RawDocument,
        visit: &mut dyn FnMut(Option<RawBsonRef<'d>>),
    ) -> bool {
        let mut multikey = false;
        index_document(&self.parts, document, visit, &mut multikey);
        multikey
    }

    /// Visits every value that a match predicate looks at, until `visit` breaks.
    ///
    /// At the end of each branch that is the value itself, and for an array there first each of
    /// its elements. A branch through a document without the field gives `None`; elements of an
    /// array that are not documents give nothing. An array at a position that ends the path is a
    /// value as it is.
    pub fn match_values<'d, B>(
        &self,
        document: &'d RawDocument,
        visit: &mut dyn FnMut(Candidate<'d>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        match_document(&self.parts, document, visit)
    }

    /// Plain descent through documents only; arrays are not entered.
    pub fn get<'d>(&self, document: &'d RawDocument) -> Option<RawBsonRef<'d>> {
        let (last, before) = self.parts.split_last()?;
        let mut document = document;
        for part in before {
            document = field(document, &part.name)?.as_document()?;
        }
        field(document, &last.name)
    }
}

/// Whether a field's name is reserved for operators: it begins with `$` and isn't one of a `DBRef`,
/// whose fields paths may lead to.
pub fn is_reserved_name(name: &str) -> bool {
    name.starts_with('$') && !matches!(name, "$ref" | "$id" | "$db")
}

fn position_of(name: &str) -> Option<usize> {
    let plain = name.bytes().all(|byte| byte.is_ascii_digit());
    let padded = name.len() > 1 && name.starts_with('0');
    if plain && !padded { name.parse().ok() } else { None }
}

fn elements(array: &RawArray) -> impl Iterator<Item = RawBsonRef<'_>> {
    array.into_iter().map_while(Result::ok)
}

fn element(array: &RawArray, position: Option<usize>) -> Option<RawBsonRef<'_>> {
    elements(array).nth(position?)
}

fn index_document<'d>(
    parts: &[PathPart],
    document: &'d RawDocument,
    visit: &mut dyn FnMut(Option<RawBsonRef<'d>>),
    multikey: &mut bool,
) {
    let Some((part, rest)) = parts.split_first() else { return };
    match field(document, &part.name) {
        Some(value) => index_value(rest, value, visit, multikey),
        None => visit(None),
    }
}

/// `parts` are what is left of the path below `value`. Recursion is bounded by their number.
fn index_value<'d>(
    parts: &[PathPart],
    value: RawBsonRef<'d>,
    visit: &mut dyn FnMut(Option<RawBsonRef<'d>>),
    multikey: &mut bool,
) {
    match (value, parts.split_first()) {
        (RawBsonRef::Array(array), None) => {
            *multikey = true;
            if array.is_empty() {
                visit(Some(RawBsonRef::Undefined));
            }
            elements(array).for_each(|element| visit(Some(element)));
        }
        (value, None) => visit(Some(value)),
        (RawBsonRef::Document(document), Some(_)) => {
            index_document(parts, document, visit, multikey);
        }
        (RawBsonRef::Array(array), Some((part, rest))) => {
            *multikey = true;
            let at_position = element(array, part.position);
            if let Some(value) = at_position {
                index_value(rest, value, visit, multikey);
            }
            if array.is_empty() {
                visit(None);
            }
            for element in elements(array) {
                match element.as_document() {
                    Some(inner) if at_position.is_none() || field(inner, &part.name).is_some() => {
                        index_document(parts, inner, visit, multikey);
                    }
                    None if at_position.is_none() => visit(None),
                    Some(_) | None => {}
                }
            }
        }
        (_, Some(_)) => visit(None),
    }
}

fn match_document<'d, B>(
    parts: &[PathPart],
    document: &'d RawDocument,
    visit: &mut dyn FnMut(Candidate<'d>) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let Some((part, rest)) = parts.split_first() else { return ControlFlow::Continue(()) };
    match field(document, &part.name) {
        Some(value) => match_value(rest, value, visit),
        None => visit(Candidate { value: None, in_array: false }),
    }
}

/// `parts` are what is left of the path below `value`. Recursion is bounded by their number.
fn match_value<'d, B>(
    parts: &[PathPart],
    value: RawBsonRef<'d>,
    visit: &mut dyn FnMut(Candidate<'d>) -> ControlFlow<B>,
) -> ControlFlow<B> {
    match (value, parts.split_first()) {
        (_, None) => {
            if let RawBsonRef::Array(array) = value {
                for element in elements(array) {
                    visit(Candidate { value: Some(element), in_array: true })?;
                }
            }
            visit(Candidate { value: Some(value), in_array: false })
        }
        (RawBsonRef::Document(document), Some(_)) => match_document(parts, document, visit),
        (RawBsonRef::Array(array), Some((part, rest))) => {
            match element(array, part.position) {
                Some(value) if rest.is_empty() => {
                    visit(Candidate { value: Some(value), in_array: false })?;
                }
                Some(value @ (RawBsonRef::Document(_) | RawBsonRef::Array(_))) => {
                    match_value(rest, value, visit)?;
                }
                Some(_) | None => {}
            }
            for document in elements(array).filter_map(RawBsonRef::as_document) {
                match_document(parts, document, visit)?;
            }
            ControlFlow::Continue(())
        }
        (_, Some(_)) => visit(Candidate { value: None, in_array: false }),
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
