//! The places of the right choices: over a course, each place has its share of them.

use std::collections::BTreeMap;

use super::CheckedFile;
use super::prose::problem;
use crate::job::lesson::{Block, BlockKind, Part, Problem, QuestionKind};
use crate::lessons::file;

/// Right choices that a place may have more than its share.
const MORE_MAX: usize = 1;

/// The files whose right choice is too often at the same place, by their index, with the question
/// that is one too many. Only questions with a recorded answer count.
pub(super) fn uneven(files: &[CheckedFile]) -> BTreeMap<usize, Problem> {
    let mut places: BTreeMap<usize, Vec<Vec<(usize, usize)>>> = BTreeMap::new();
    for (index, checked) in files.iter().enumerate() {
        for (line, choices, place) in right_places(checked) {
            let of_count = places.entry(choices).or_insert_with(|| vec![Vec::new(); choices]);
            of_count[place].push((index, line));
        }
    }
    let mut found = BTreeMap::new();
    for (choices, places) in places {
        let all: usize = places.iter().map(Vec::len).sum();
        let most = all.div_ceil(choices) + MORE_MAX;
        for (place, at) in places.iter().enumerate() {
            let Some((index, line)) = at.get(most).filter(|_| all >= 2 * choices) else { continue };
            let sentence = format!(
                "The right choice is number {} in {} of {all} questions with {choices} choices. Move it here.",
                place + 1,
                at.len()
            );
            found.insert(*index, problem(*line, sentence));
        }
    }
    found
}

/// The line of each question to choose, its number of choices, and the index of the right one.
fn right_places(checked: &CheckedFile) -> Vec<(usize, usize, usize)> {
    let Ok(lesson) = file::read(&checked.slug, &checked.bytes) else { return Vec::new() };
    let parts = lesson.cards.iter().flat_map(|card| &card.parts);
    let questions = parts.filter_map(|part| match part {
        Part::Block(Block { kind: BlockKind::Question(question), line }) => Some((question, line)),
        _ => None,
    });
    questions
        .filter(|(question, _)| question.kind == QuestionKind::Choose)
        .filter_map(|(question, line)| {
            let known = checked.answers.get(&question.id)?;
            let place = question.choices.iter().position(|choice| choice.text == *known)?;
            Some((*line, question.choices.len(), place))
        })
        .collect()
}
