//! Regular expressions of filters.

use regex::Regex;

/// A compiled regular expression with the text it came from.
#[derive(Debug, Clone)]
pub struct Pattern {
    source: String,
    options: String,
    regex: Regex,
}

impl Pattern {
    /// The pattern as written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The options as written, in alphabetical order.
    pub fn options(&self) -> &str {
        &self.options
    }

    /// Whether the text matches.
    pub fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}
