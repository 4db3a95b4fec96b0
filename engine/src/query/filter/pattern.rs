//! Regular expressions of filters.

use regex::{Captures, Regex, RegexBuilder};

use crate::query::{QueryError, QueryErrorKind};

/// Most bytes of memory that a compiled pattern may take; larger ones are refused.
const COMPILED_BYTES_MAX: usize = 4 << 20;
/// Longest pattern in bytes, as in MongoDB.
const PATTERN_BYTES_MAX: usize = 16_764;
/// Characters that have a meaning in a pattern.
const META: &str = "\\^$.|?*+()[]{}";

/// A compiled regular expression with the text it came from.
#[derive(Debug, Clone)]
pub struct Pattern {
    source: String,
    options: String,
    regex: Regex,
}

impl Pattern {
    /// Compiles a pattern. Matching takes time linear in the text, so look-around and
    /// back-references do not exist.
    ///
    /// # Errors
    /// `InvalidRegex` with the reason.
    pub fn new(source: &str, options: &str) -> Result<Self, QueryError> {
        let invalid = |reason: String| QueryError::new(QueryErrorKind::InvalidRegex, reason);
        if source.len() > PATTERN_BYTES_MAX {
            return Err(invalid(format!(
                "Regular expression is too long: at most {PATTERN_BYTES_MAX} bytes are possible"
            )));
        }
        let mut builder = RegexBuilder::new(source);
        builder.size_limit(COMPILED_BYTES_MAX).dfa_size_limit(COMPILED_BYTES_MAX);
        for option in options.chars() {
            match option {
                'i' => builder.case_insensitive(true),
                'm' => builder.multi_line(true),
                's' => builder.dot_matches_new_line(true),
                'x' => builder.ignore_whitespace(true),
                'u' => &mut builder,
                _ => {
                    return Err(invalid(format!(
                        "invalid flag in regex options: {option}; use i, m, s, x or u"
                    )));
                }
            };
        }
        let regex = builder.build().map_err(|error| invalid(reason(source, &error)))?;
        let mut options: Vec<char> = options.chars().collect();
        options.sort_unstable();
        options.dedup();
        Ok(Self { source: source.to_owned(), options: options.into_iter().collect(), regex })
    }

    /// The pattern as written.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The options as written, in alphabetical order.
    #[must_use]
    pub fn options(&self) -> &str {
        &self.options
    }

    /// Whether the text matches.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// The first match at or after a byte of the text, with its groups.
    #[must_use]
    pub(crate) fn captures_at<'t>(&self, text: &'t str, start: usize) -> Option<Captures<'t>> {
        self.regex.captures_at(text, start)
    }

    /// The text that every match starts with, if the pattern is anchored and plain there.
    #[must_use]
    pub fn literal_prefix(&self) -> Option<&str> {
        let rest = self.source.strip_prefix('^')?;
        if !self.options.is_empty() || rest.contains('|') {
            return None;
        }
        let end = rest.find(|c| META.contains(c)).unwrap_or(rest.len());
        let (mut prefix, after) = rest.split_at(end);
        if after.starts_with(['?', '*', '{']) {
            // The last character is optional.
            let last = prefix.chars().next_back()?;
            prefix = prefix.strip_suffix(last)?;
        }
        (!prefix.is_empty()).then_some(prefix)
    }
}

fn reason(source: &str, error: &regex::Error) -> String {
    const LOOK_AROUND: [&str; 4] = ["(?=", "(?!", "(?<=", "(?<!"];
    if LOOK_AROUND.iter().any(|mark| source.contains(mark)) {
        return "Regular expression is invalid: look-ahead and look-behind are not supported; \
                write it without them"
            .to_owned();
    }
    if let regex::Error::CompiledTooBig(_) = error {
        return "Regular expression is invalid: it is too large when compiled; shorten its \
                repetitions"
            .to_owned();
    }
    let text = error.to_string();
    let last = text.lines().next_back().unwrap_or_default();
    format!("Regular expression is invalid: {}", last.strip_prefix("error: ").unwrap_or(last))
}
