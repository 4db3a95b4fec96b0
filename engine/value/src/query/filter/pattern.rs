//! Regular expressions of filters.

use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};

use super::{
    backtracking::{Backtracking, STEPS_BACK_MAX},
    dialect,
};
use crate::{interrupt, query::QueryError};

/// Most bytes of memory that a compiled pattern may take; larger ones are refused.
pub(super) const COMPILED_BYTES_MAX: usize = 4 << 20;
/// Longest pattern in bytes, as in MongoDB.
const PATTERN_BYTES_MAX: usize = 16_384;
/// Characters that have a meaning in a pattern.
const META: &str = "\\^$.|?*+()[]{}";

/// The end of the text, with the line end that may be its last character or before it: whether
/// there is a match is the same for both, and the first takes time linear in the text.
const END_TAKEN: &str = r"(?:\n?\z)";
const END_AHEAD: &str = r"(?=\n?\z)";

/// So much of a pattern is shown when it took too many.
const SHOWN_CHARS_MAX: usize = 100;

/// A compiled regular expression with the text it came from.
#[derive(Debug, Clone)]
pub struct Pattern {
    source: String,
    options: String,
    matcher: Matcher,
    /// Where a match ends, if `$` is in the pattern: the matcher takes the line end into it.
    ending: Option<Box<OnceLock<Option<Backtracking>>>>,
}

#[derive(Debug, Clone)]
enum Matcher {
    /// Takes time linear in the text.
    Linear(Regex),
    /// Knows look-around and back-references; gives up after a number of steps.
    Backtracking(Box<Backtracking>),
}

/// The parts of one match, the whole first: where each begins and its text; `None` for a group that
/// took no part.
pub(crate) type Groups<'t> = Vec<Option<(usize, &'t str)>>;

/// The options of a pattern.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each option is on or off by itself")]
pub(super) struct Flags {
    pub(super) ignore_case: bool,
    pub(super) many_lines: bool,
    pub(super) dot_all: bool,
    pub(super) extended: bool,
}

impl Flags {
    fn parse(options: &str) -> Result<Self, QueryError> {
        let mut flags = Self::default();
        for option in options.chars() {
            match option {
                'i' => flags.ignore_case = true,
                'm' => flags.many_lines = true,
                's' => flags.dot_all = true,
                'x' => flags.extended = true,
                'u' => {}
                _ => {
                    return Err(QueryError::new(
                        51108,
                        format!(" invalid flag in regex options: {option}"),
                    ));
                }
            }
        }
        Ok(flags)
    }

    fn linear(self, source: &str) -> Result<Regex, regex::Error> {
        RegexBuilder::new(source)
            .case_insensitive(self.ignore_case)
            .multi_line(self.many_lines)
            .dot_matches_new_line(self.dot_all)
            .ignore_whitespace(self.extended)
            .size_limit(COMPILED_BYTES_MAX)
            .dfa_size_limit(COMPILED_BYTES_MAX)
            .build()
    }
}

impl Pattern {
    /// Compiles a pattern. Matching takes time linear in the text, except for look-around and
    /// back-references, which have a bound of steps.
    ///
    /// # Errors
    /// `InvalidRegex`, `RegexFlag` or `BadValue` with the reason.
    pub fn new(source: &str, options: &str) -> Result<Self, QueryError> {
        let invalid = |reason: String| QueryError::new(51091, reason);
        if source.contains('\0') {
            return Err(QueryError::bad_value(
                "Regular expression cannot contain an embedded null byte",
            ));
        }
        if options.contains('\0') {
            return Err(QueryError::new(
                51108,
                "Regular expression options string cannot contain an embedded null byte",
            ));
        }
        if source.len() > PATTERN_BYTES_MAX {
            return Err(invalid(format!(
                "Regular expression is invalid: it is too long; at most {PATTERN_BYTES_MAX} bytes \
                 are possible"
            )));
        }
        let flags = Flags::parse(options)?;
        let keeps_end = flags.many_lines || dialect::sets_many_lines(source);
        let (taken, ahead) = if keeps_end { ("$", "$") } else { (END_TAKEN, END_AHEAD) };
        let pattern = dialect::translated(source, taken);
        let (matcher, ending) = match flags.linear(&pattern) {
            Ok(regex) => {
                let has_end = pattern.contains(END_TAKEN);
                (Matcher::Linear(regex), has_end.then(Box::default))
            }
            Err(error @ regex::Error::CompiledTooBig(_)) => return Err(invalid(reason(&error))),
            Err(error) => {
                let regex = Backtracking::new(dialect::translated(source, ahead), flags);
                (
                    Matcher::Backtracking(Box::new(regex.ok_or_else(|| invalid(reason(&error)))?)),
                    None,
                )
            }
        };
        let mut options: Vec<char> = options.chars().collect();
        options.sort_unstable();
        options.dedup();
        let options = options.into_iter().collect();
        Ok(Self { source: source.to_owned(), options, matcher, ending })
    }

    /// The pattern as written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The options as written, in alphabetical order.
    pub fn options(&self) -> &str {
        &self.options
    }

    /// Whether the text matches.
    ///
    /// # Errors
    /// `RegexSteps` when the search took too many steps to know, and when the operation had to end.
    pub fn is_match(&self, text: &str) -> Result<bool, QueryError> {
        match &self.matcher {
            Matcher::Linear(regex) => Ok(regex.is_match(text)),
            Matcher::Backtracking(regex) => regex.is_match(text, || self.too_many_steps()),
        }
    }

    /// The first match at or after a byte of the text, with its groups.
    ///
    /// # Errors
    /// As [`Pattern::is_match`].
    pub(crate) fn captures_at<'t>(
        &self,
        text: &'t str,
        start: usize,
    ) -> Result<Option<Groups<'t>>, QueryError> {
        interrupt::tick()?;
        if start > text.len() {
            return Ok(None);
        }
        let stepping =
            |regex: &Backtracking| regex.captures_at(text, start, || self.too_many_steps());
        match &self.matcher {
            Matcher::Linear(regex) => {
                let Some(found) = regex.captures_at(text, start) else { return Ok(None) };
                if text.ends_with('\n')
                    && let Some(exact) = self.exact_end()
                {
                    return stepping(exact);
                }
                let parts = found.iter().map(|part| part.map(|p| (p.start(), p.as_str())));
                Ok(Some(parts.collect()))
            }
            Matcher::Backtracking(regex) => stepping(regex),
        }
    }

    fn too_many_steps(&self) -> QueryError {
        let shown: String = self.source.chars().take(SHOWN_CHARS_MAX).collect();
        QueryError::new(
            51156,
            format!(
                "the regular expression /{shown}/ took more than {STEPS_BACK_MAX} steps on one text, \
                 so it is not known whether it matches; write it without look-around, \
                 back-references and nested repetitions"
            ),
        )
    }

    /// The pattern that only looks at a line end before the end of the text.
    fn exact_end(&self) -> Option<&Backtracking> {
        let compile = || {
            let flags = Flags::parse(&self.options).ok()?;
            Backtracking::new(dialect::translated(&self.source, END_AHEAD), flags)
        };
        self.ending.as_ref()?.get_or_init(compile).as_ref()
    }

    /// The text that every match starts with, if the pattern is anchored and plain there.
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

fn reason(error: &regex::Error) -> String {
    if let regex::Error::CompiledTooBig(_) = error {
        return "Regular expression is invalid: it is too large when compiled; shorten its \
                repetitions"
            .to_owned();
    }
    let text = error.to_string();
    let last = text.lines().next_back().unwrap_or_default();
    format!("Regular expression is invalid: {}", last.strip_prefix("error: ").unwrap_or(last))
}
