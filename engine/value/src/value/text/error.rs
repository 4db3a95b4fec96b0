//! Errors in text, with their place.

use std::borrow::Cow;

use super::Nonstandard;

/// Why a text could not be read, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} (line {line}, column {column})")]
pub struct TextError {
    /// One sentence that says what is wrong and what to do.
    pub message: String,
    /// Offset in bytes.
    pub offset: usize,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The form that a lenient reader would have accepted.
    pub nonstandard: Option<Nonstandard>,
}

impl TextError {
    /// The same error with its place in `text`, which was read after `before` and with more after it.
    #[must_use]
    pub fn within(self, before: &str, text: &str) -> Self {
        let offset = self.offset.saturating_sub(before.len()).min(text.len());
        let place = SourcePosition::START.after(text.as_bytes().get(..offset).unwrap_or_default());
        Self { offset: place.offset, line: place.line, column: place.column, ..self }
    }
}

/// Why parsing stopped, before lines and columns are counted.
#[derive(Debug)]
pub(in crate::value) struct Fault {
    /// Offset in bytes from where the parser began.
    pub(in crate::value) at: usize,
    /// The problem, or `None` if the bytes just end too early.
    pub(in crate::value) message: Option<Cow<'static, str>>,
    /// The form that a lenient reader would have accepted.
    pub(in crate::value) nonstandard: Option<Nonstandard>,
}

impl Fault {
    pub(in crate::value) fn new(at: usize, message: impl Into<Cow<'static, str>>) -> Self {
        Self { at, message: Some(message.into()), nonstandard: None }
    }

    pub(super) fn odd(
        at: usize,
        nonstandard: Nonstandard,
        message: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self { nonstandard: Some(nonstandard), ..Self::new(at, message) }
    }

    pub(in crate::value) fn cut(at: usize) -> Self {
        Self { at, message: None, nonstandard: None }
    }
}

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::value) struct SourcePosition {
    pub(in crate::value) offset: usize,
    line: usize,
    column: usize,
}

impl SourcePosition {
    pub(in crate::value) const START: Self = Self { offset: 0, line: 1, column: 1 };

    /// A place that is known already.
    pub(in crate::value) const fn at(line: usize, column: usize, offset: usize) -> Self {
        Self { offset, line, column }
    }

    /// The position after these bytes.
    pub(in crate::value) fn after(self, bytes: &[u8]) -> Self {
        let start = memchr::memrchr(b'\n', bytes);
        let newlines = start.map_or(0, |_| memchr::memchr_iter(b'\n', bytes).count());
        let tail = bytes.get(start.map_or(0, |at| at + 1)..).unwrap_or_default();
        let characters = tail.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
        Self {
            offset: self.offset + bytes.len(),
            line: self.line + newlines,
            column: characters + if newlines == 0 { self.column } else { 1 },
        }
    }

    /// The error at this place of a parser that read `bytes` from here on.
    pub(in crate::value) fn error(self, bytes: &[u8], fault: Fault) -> TextError {
        let place = self.after(bytes.get(..fault.at).unwrap_or(bytes));
        let message = fault.message.unwrap_or(Cow::Borrowed(
            "unexpected end of text; a closing quote, bracket or brace is missing",
        ));
        TextError {
            message: message.into_owned(),
            offset: place.offset,
            line: place.line,
            column: place.column,
            nonstandard: fault.nonstandard,
        }
    }
}
