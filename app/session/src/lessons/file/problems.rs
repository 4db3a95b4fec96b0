//! The mistakes in a file, with the place of each.

use std::cell::RefCell;

use crate::job::lesson::Problem;
use crate::limits::LESSON_PROBLEMS_MAX;

/// Characters of a name from the file that are shown.
const NAME_CHARS_MAX: usize = 60;

/// Characters in one sentence.
const SENTENCE_CHARS_MAX: usize = 500;

/// Collects the problems of one text. Places are byte offsets into that text.
#[derive(Debug)]
pub struct Problems<'a> {
    text: &'a str,
    /// The offset of each line's first byte, ascending.
    lines: Vec<usize>,
    found: RefCell<Vec<Problem>>,
}

impl<'a> Problems<'a> {
    /// None so far.
    pub fn new(text: &'a str) -> Self {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        Self { text, lines: std::iter::once(0).chain(ends).collect(), found: RefCell::default() }
    }

    /// The line of an offset, from 1.
    pub fn line(&self, offset: usize) -> usize {
        self.lines.partition_point(|start| *start <= offset).max(1)
    }

    /// The offset of a line's first byte.
    pub fn start_of(&self, line: usize) -> usize {
        self.lines.get(line.saturating_sub(1)).copied().unwrap_or(self.text.len())
    }

    /// Adds one. The sentence says what is wrong and what to write instead.
    pub fn add(&self, offset: usize, sentence: impl Into<String>) {
        let line = self.line(offset);
        let start = self.lines.get(line - 1).copied().unwrap_or(0);
        let before = self.text.get(start..offset.min(self.text.len())).unwrap_or_default();
        let sentence = printable(&sentence.into());
        let problem = Problem { line, column: before.chars().count() + 1, sentence };
        self.found.borrow_mut().push(problem);
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.found.borrow().is_empty()
    }

    /// All of them in the order of the file, at most [`LESSON_PROBLEMS_MAX`].
    #[must_use]
    pub fn into_sorted(self) -> Vec<Problem> {
        let mut found = self.found.into_inner();
        found.sort();
        found.dedup();
        found.truncate(LESSON_PROBLEMS_MAX);
        found
    }
}

/// A sentence on one line, in which long names are cut.
fn printable(sentence: &str) -> String {
    let cut = |(index, part): (usize, &str)| {
        let is_name = index % 2 == 1 && part.chars().count() > NAME_CHARS_MAX;
        let length = if is_name { NAME_CHARS_MAX } else { usize::MAX };
        let kept = part
            .chars()
            .take(length)
            .map(|letter| if letter.is_control() { char::REPLACEMENT_CHARACTER } else { letter });
        kept.chain(is_name.then_some('…')).collect::<String>()
    };
    let text = sentence.split('`').enumerate().map(cut).collect::<Vec<_>>().join("`");
    text.chars().take(SENTENCE_CHARS_MAX).collect()
}

/// The line and the column, from 1, where a text has a name in quotes.
pub fn place_of(text: &str, name: &str) -> (usize, usize) {
    let quoted = format!("\"{name}\"");
    let mut lines = text.lines().zip(1..);
    let found = lines.find_map(|(line, number)| Some((number, &line[..line.find(&quoted)?])));
    found.map_or((1, 1), |(line, before)| (line, before.chars().count() + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_lines_and_columns_of_characters() {
        let text = "é\nab→c\n";
        let problems = Problems::new(text);
        for offset in [text.len(), 8, 3, 0] {
            problems.add(offset, "x");
        }
        let places: Vec<_> =
            problems.into_sorted().iter().map(|problem| (problem.line, problem.column)).collect();
        assert_eq!(places, [(1, 1), (2, 1), (2, 4), (3, 1)]);
    }

    #[test]
    fn long_names_are_cut() {
        let problems = Problems::new("");
        problems.add(0, format!("Unknown `{}\n` here.", "a".repeat(100)));
        let sentence = problems.into_sorted().remove(0).sentence;
        assert_eq!(sentence, format!("Unknown `{}…` here.", "a".repeat(60)));
    }

    #[test]
    fn there_are_at_most_a_hundred() {
        let problems = Problems::new("");
        for number in 0..500 {
            problems.add(number, number.to_string());
        }
        assert_eq!(problems.into_sorted().len(), LESSON_PROBLEMS_MAX);
    }
}
