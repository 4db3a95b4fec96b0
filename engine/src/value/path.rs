//! Dotted paths and what they reach in a document.

use std::{fmt, ops::ControlFlow};

use bson::raw::{RawBsonRef, RawDocument};

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
    /// A NUL character can't stand in a field name.
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

impl Path {
    /// Parses a path. Parts must not be empty.
    ///
    /// # Errors
    /// What [`PathError`] names.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        todo!("{text}")
    }

    /// Parses a path as filters take it: also with empty parts (a field may be named ``).
    ///
    /// # Errors
    /// [`PathError::NulByte`] and [`PathError::TooDeep`].
    pub fn parse_any(text: &str) -> Result<Self, PathError> {
        todo!("{text}")
    }

    /// The path as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The parts, first to last; at least one.
    pub fn parts(&self) -> &[PathPart] {
        &self.parts
    }

    /// Visits every value that an index on this path stores for the document, and returns whether
    /// an array was met (the index is then multikey). See `TTL.md` 1.3 on arrays.
    pub fn index_values<'d>(
        &self,
        document: &'d RawDocument,
        visit: &mut dyn FnMut(Option<RawBsonRef<'d>>),
    ) -> bool {
        let _ = (document, visit);
        todo!()
    }

    /// Visits every value that a match predicate looks at, until `visit` breaks.
    pub fn match_values<'d>(
        &self,
        document: &'d RawDocument,
        visit: &mut dyn FnMut(Candidate<'d>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let _ = (document, visit);
        todo!()
    }

    /// Plain descent through documents only; arrays are not entered.
    pub fn get<'d>(&self, document: &'d RawDocument) -> Option<RawBsonRef<'d>> {
        let _ = document;
        todo!()
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
