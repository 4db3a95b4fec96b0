//! Paths of updates, with their positional parts.

use crate::query::{Code, QueryError};

/// Most parts of a path: no document has more levels.
const PARTS_MAX: usize = 100;

/// A dotted path whose parts may be positional.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UpdatePath {
    pub(super) text: String,
    pub(super) parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// A field's name or a position.
    Name(String),
    /// `$`: the element that the filter matched.
    Matched,
    /// `$[]`: every element.
    Every,
    /// `$[name]`: every element that the array filter matches.
    Filtered(String),
}

impl UpdatePath {
    pub(super) fn parse(text: &str) -> Result<Self, QueryError> {
        if text.is_empty() {
            return Err(QueryError::new(
                Code::EMPTY_FIELD_NAME,
                "An empty update path is not valid.",
            ));
        }
        let parts = text.split('.').map(|part| Self::part(text, part));
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        if parts.len() > PARTS_MAX {
            return Err(QueryError::bad_value(format!(
                "an update path has at most {PARTS_MAX} parts"
            )));
        }
        if !matches!(parts.first(), Some(Part::Name(_))) {
            return Err(QueryError::bad_value(format!(
                "Cannot have positional (i.e. '$') element in the first position in path '{text}'"
            )));
        }
        if parts.iter().filter(|part| **part == Part::Matched).count() > 1 {
            return Err(QueryError::bad_value(format!(
                "Too many positional (i.e. '$') elements found in path '{text}'"
            )));
        }
        Ok(Self { text: text.to_owned(), parts })
    }

    fn part(text: &str, part: &str) -> Result<Part, QueryError> {
        if part.is_empty() {
            return Err(QueryError::new(
                Code::EMPTY_FIELD_NAME,
                format!(
                    "The update path '{text}' contains an empty field name, which is not allowed."
                ),
            ));
        }
        if part == "$" {
            return Ok(Part::Matched);
        }
        if let Some(name) = part.strip_prefix("$[").and_then(|rest| rest.strip_suffix(']')) {
            return Ok(if name.is_empty() { Part::Every } else { Part::Filtered(name.to_owned()) });
        }
        Ok(Part::Name(part.to_owned()))
    }

    pub(super) fn is_positional(&self) -> bool {
        self.parts.iter().any(|part| !matches!(part, Part::Name(_)))
    }

    /// Whether one path is the other one or leads to it.
    pub(super) fn conflicts_with(&self, other: &Self) -> bool {
        self.parts.iter().zip(&other.parts).all(|(a, b)| a == b)
    }

    /// Where this path conflicts with a later one in order: this path leads to the other one, or
    /// one of the two names all elements of an array and the other a single element.
    pub(super) fn conflict_with(&self, other: &Self) -> Option<String> {
        let mut pairs = self.parts.iter().zip(&other.parts);
        let Some(at) = pairs.position(|(a, b)| a != b) else { return Some(self.text.clone()) };
        let all_elements =
            |path: &Self| matches!(path.parts.get(at), Some(Part::Every | Part::Filtered(_)));
        let names = || self.text.split('.').take(at).collect::<Vec<_>>().join(".");
        (all_elements(self) != all_elements(other)).then(names)
    }
}
