//! What a word in the console may become.

use super::Shell;
use crate::job::Cancel;
use crate::limits::CONSOLE_COMPLETION_MAX;

/// What a word may become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// Where the word begins, in bytes. It ends at the cursor.
    pub start: usize,
    /// What replaces it.
    pub text: String,
}

impl Shell {
    /// What the word before the cursor, a position in bytes, may become: globals, collections,
    /// methods, operators and fields, sorted. Empty if that takes longer than
    /// [`CONSOLE_COMPLETION_MAX`].
    #[must_use]
    pub fn complete(&self, text: &str, cursor: usize) -> Vec<Completion> {
        let before = text.get(..cursor).unwrap_or(text);
        let cancel = Cancel::default().within(CONSOLE_COMPLETION_MAX);
        let mut found = self.completions(before, cancel).into_iter();
        let length = found.next().and_then(|length| length.parse().ok()).unwrap_or(0);
        let start = before.len().saturating_sub(length);
        found.map(|text| Completion { start, text }).collect()
    }
}
