//! Completion of a word in the console.

use super::Shell;
use crate::job::Cancel;
use crate::limits::CONSOLE_COMPLETION_MAX;

/// A completion of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// Where the word begins, in bytes. It ends at the cursor.
    pub start: usize,
    pub text: String,
}

impl Shell {
    /// The completions of the word before the cursor, a position in bytes: globals, collections,
    /// methods, operators and fields, sorted. Empty if that takes longer than
    /// [`CONSOLE_COMPLETION_MAX`].
    pub fn complete(&self, text: &str, cursor: usize) -> Vec<Completion> {
        let before = text.get(..cursor).unwrap_or(text);
        let cancel = Cancel::default().within(CONSOLE_COMPLETION_MAX);
        let mut found = self.completions(before, cancel).into_iter();
        let length = found.next().and_then(|length| length.parse().ok()).unwrap_or(0);
        let start = before.len().saturating_sub(length);
        found.map(|text| Completion { start, text }).collect()
    }
}
