//! Times of day in the prose that are no event of the run.

use std::collections::BTreeSet;

use crate::job::lesson::Problem;

const DAY_MS: i64 = 86_400_000;

/// A warning for each `hh:mm:ss` outside of fenced blocks and front matter at which nothing happens.
/// `instants` are in milliseconds since 1970.
pub(super) fn warnings(text: &str, instants: &BTreeSet<i64>) -> Vec<Problem> {
    let known: BTreeSet<i64> = instants.iter().map(|at| at.rem_euclid(DAY_MS) / 1_000).collect();
    let mut warnings = Vec::new();
    let (mut is_in_front, mut fence) = (false, None);
    for (index, line) in text.lines().enumerate() {
        if line.trim_end() == "+++" {
            is_in_front = !is_in_front;
            continue;
        }
        let marks = line.trim_start();
        let ticks = marks.len() - marks.trim_start_matches('`').len();
        match fence {
            Some(open) if ticks >= open && marks[ticks..].trim().is_empty() => fence = None,
            None if ticks >= 3 => fence = Some(ticks),
            _ => {}
        }
        if is_in_front || fence.is_some() || ticks >= 3 {
            continue;
        }
        for (column, time) in times(line) {
            if !known.contains(&seconds(time)) {
                let sentence = format!(
                    "{time} is not a threshold, pass, write or date of this lesson. Is the time right?"
                );
                warnings.push(Problem { column, ..problem(index + 1, sentence) });
            }
        }
    }
    warnings
}

/// The times of day in a text, each with its column in characters, from 1.
pub(super) fn times(line: &str) -> Vec<(usize, &str)> {
    let bytes = line.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let is_time = |at: usize| {
        (0..8).all(|step| match step {
            2 | 5 => bytes.get(at + step) == Some(&b':'),
            _ => is_digit(at + step),
        }) && !(at > 0 && is_digit(at - 1))
            && !is_digit(at + 8)
    };
    let starts = (0..bytes.len()).filter(|at| is_time(*at));
    starts.map(|at| (line[..at].chars().count() + 1, &line[at..at + 8])).collect()
}

/// Seconds since midnight of an `hh:mm:ss`.
fn seconds(time: &str) -> i64 {
    time.split(':').filter_map(|part| part.parse::<i64>().ok()).fold(0, |sum, part| sum * 60 + part)
}

/// A problem at the beginning of a line.
pub(super) fn problem(line: usize, sentence: impl Into<String>) -> Problem {
    Problem { line, column: 1, sentence: sentence.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_times_of_the_prose_without_an_event_are_named() {
        let text = "+++\nstart = 2026-01-01T12:00:00Z\n+++\n## Ä 12:00:01 and 12:00:02\n\n\
                    ```js play\nplay(\"until 12:00:03\")\n```\n12:00:04, 112:00:05, 12:00:1\n";
        let found = warnings(text, &BTreeSet::from([1_767_268_801_000, 1_767_268_801_999]));
        let found: Vec<_> = found.iter().map(|found| (found.line, found.column)).collect();
        assert_eq!(found, [(4, 19), (9, 1)]);
    }
}
