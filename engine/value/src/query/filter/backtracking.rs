//! Patterns with look-around and back-references: they are tried step by step, and a step may walk
//! the rest of the text.

use std::sync::OnceLock;

use fancy_regex::{Regex, RegexBuilder, RegexInput};

use super::pattern::{COMPILED_BYTES_MAX, Flags, Groups};
use crate::{interrupt, query::QueryError};

/// Steps back that a pattern may take on one text, those of first tries left out; more are an
/// error.
pub(super) const STEPS_BACK_MAX: usize = 1_000_000;
/// Steps of a first try.
const STEPS_FIRST: usize = 4_096;
/// Each further try at one place has this many times the steps of the previous one. Nothing can
/// interrupt a try, so an interrupt takes effect after up to about this many times the search's
/// time so far.
const STEPS_FACTOR: usize = 4;
/// Further tries: the last one has `STEPS_BACK_MAX` steps or more.
const FURTHER_TRIES: usize = 4;

/// A compiled pattern.
#[derive(Debug, Clone)]
pub(super) struct Backtracking {
    pattern: String,
    flags: Flags,
    first: Regex,
    /// The same with more steps, compiled when they are needed.
    further: Box<[OnceLock<Option<Regex>>; FURTHER_TRIES]>,
}

impl Backtracking {
    /// `None` if it can't be compiled.
    pub(super) fn new(pattern: String, flags: Flags) -> Option<Self> {
        let first = compile(&pattern, flags, STEPS_FIRST)?;
        Some(Self { pattern, flags, first, further: Box::default() })
    }

    /// Whether the text matches.
    ///
    /// # Errors
    /// That of `too_many` when the search took too many steps to know, and when the operation had to end.
    pub(super) fn is_match(
        &self,
        text: &str,
        too_many: impl Fn() -> QueryError,
    ) -> Result<bool, QueryError> {
        let find =
            |regex: &Regex, input| regex.is_match_input(input).map(|found| found.then_some(()));
        self.search(text, 0, find, too_many).map(|found| found.is_some())
    }

    /// The groups of the first match at or after a byte of the text.
    ///
    /// # Errors
    /// As [`Backtracking::is_match`].
    pub(super) fn captures_at<'t>(
        &self,
        text: &'t str,
        start: usize,
        too_many: impl Fn() -> QueryError,
    ) -> Result<Option<Groups<'t>>, QueryError> {
        let find = |regex: &Regex, input: RegexInput<'t, str>| {
            let found = regex.captures_input(input)?;
            Ok(found.map(|found| {
                found.iter().map(|part| part.map(|p| (p.start(), p.as_str()))).collect()
            }))
        };
        self.search(text, start, find, too_many)
    }

    /// At all places at once with few steps; if that does not decide, at each place by itself.
    fn search<'t, T>(
        &self,
        text: &'t str,
        start: usize,
        find: impl Fn(&Regex, RegexInput<'t, str>) -> fancy_regex::Result<Option<T>>,
        too_many: impl Fn() -> QueryError,
    ) -> Result<Option<T>, QueryError> {
        interrupt::tick()?;
        if let Ok(found) = find(&self.first, RegexInput::new(text).from_pos(start)) {
            return Ok(found);
        }
        let (mut at, mut left) = (start, STEPS_BACK_MAX);
        loop {
            let input = || RegexInput::new(text).from_pos(at).anchored(true);
            interrupt::tick()?;
            let mut found = find(&self.first, input()).ok();
            let mut further = (0..FURTHER_TRIES).map(|number| self.further(number));
            while found.is_none() {
                let (regex, steps) = further.next().ok_or_else(&too_many)?;
                if left == 0 {
                    return Err(too_many());
                }
                left = left.saturating_sub(steps);
                interrupt::tick()?;
                found = regex.and_then(|regex| find(regex, input()).ok());
            }
            if let Some(Some(found)) = found {
                return Ok(Some(found));
            }
            match text.get(at..).and_then(|rest| rest.chars().next()) {
                Some(c) => at += c.len_utf8(),
                None => return Ok(None),
            }
        }
    }

    /// The pattern for a further try, and the steps that it has.
    fn further(&self, number: usize) -> (Option<&Regex>, usize) {
        let steps = (0..=number).fold(STEPS_FIRST, |steps, _| steps * STEPS_FACTOR);
        let slot = self.further.get(number);
        let regex = slot.and_then(|slot| {
            slot.get_or_init(|| compile(&self.pattern, self.flags, steps)).as_ref()
        });
        (regex, steps)
    }
}

fn compile(pattern: &str, flags: Flags, steps: usize) -> Option<Regex> {
    RegexBuilder::new(pattern)
        .case_insensitive(flags.ignore_case)
        .multi_line(flags.many_lines)
        .dot_matches_new_line(flags.dot_all)
        .ignore_whitespace(flags.extended)
        .delegate_size_limit(COMPILED_BYTES_MAX)
        .delegate_dfa_size_limit(COMPILED_BYTES_MAX)
        .max_prog_size(COMPILED_BYTES_MAX / 64)
        .backtrack_limit(steps)
        .build()
        .ok()
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };

    use crate::{
        interrupt::{Limit, StopReason, run_within},
        query::filter::Pattern,
    };

    /// Ends work at its thousandth look.
    #[derive(Default)]
    struct Thousandth(AtomicUsize);

    impl Limit for Thousandth {
        fn tick(&self) -> Result<(), StopReason> {
            let looks = self.0.fetch_add(1, Ordering::Relaxed);
            if looks < 1_000 { Ok(()) } else { Err(StopReason::Interrupted) }
        }
    }

    #[test]
    fn a_search_that_walks_the_text_from_each_place_can_be_ended() {
        let pattern = Pattern::new("(?=[^b]*b)a", "").expect("a pattern");
        let text = "a".repeat(50_000);
        let limit: Arc<dyn Limit> = Arc::new(Thousandth::default());
        let found = run_within(Some(limit), || pattern.is_match(&text));
        let ended = found.expect_err("asked to end").ended;
        assert_eq!(ended, Some(StopReason::Interrupted));
    }

    #[test]
    fn a_long_text_has_an_answer() {
        let check = |pattern: &str, text: &str, expected: Option<(usize, &str)>| {
            let compiled = Pattern::new(pattern, "").expect(pattern);
            assert_eq!(compiled.is_match(text), Ok(expected.is_some()), "{pattern}");
            let groups = compiled.captures_at(text, 0).expect(pattern);
            let whole = groups.and_then(|groups| groups.first().copied().flatten());
            assert_eq!(whole, expected, "{pattern}");
        };
        let long = |end: &str| format!("{}{end}", "é".repeat(1_100_000));
        let at = 2_200_000;
        check("(?<!x)[fg]oo", &long("foo"), Some((at, "foo")));
        check("(?<!x)[fg]oo", &long("xfoo"), None);
        check("(?<=é)(a|ab)(?=c|$)", &long("abc"), Some((at, "ab")));
        check(r"(\w)\1+", &long("xaay"), Some((at + 1, "aa")));
        check("(?!é)$", &long(""), Some((at, "")));
        // All in one place.
        check("^(?:(?!foo).)*$", &"a".repeat(300_000), Some((0, &"a".repeat(300_000))));
    }
}
