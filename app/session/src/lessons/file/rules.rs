//! Rules that concern several parts of a lesson.

use std::collections::BTreeSet;

use super::{Problems, front, script};
use crate::job::lesson::{Block, BlockKind, Card, Lesson, LessonKind, Part};
use crate::limits::LESSON_CARDS_MAX;

/// Checks a lesson whose parts were read; names questions and traffic that have no name.
///
/// `show` has the places of the shown collections. After an unknown block, which may be any, nothing
/// is said to be missing.
pub fn check(lesson: &mut Lesson, show: &[usize], is_known: bool, problems: &Places<'_>) {
    count_cards(lesson, problems);
    if is_known {
        for card in &lesson.cards {
            order(card, problems);
            goals(card, problems);
        }
        kinds(lesson, problems);
    }
    name_questions(lesson, problems);
    name_traffic(lesson, problems);
    shown(lesson, show, problems);
}

/// Problems by line.
pub struct Places<'a> {
    pub text: &'a str,
    pub problems: &'a Problems<'a>,
}

impl Places<'_> {
    fn add(&self, line: usize, sentence: impl Into<String>) {
        self.problems.add(self.problems.start_of(line).min(self.text.len()), sentence);
    }
}

fn blocks(card: &Card) -> impl Iterator<Item = &Block> {
    card.parts.iter().filter_map(|part| match part {
        Part::Block(block) => Some(block),
        _ => None,
    })
}

fn count_cards(lesson: &Lesson, places: &Places<'_>) {
    if lesson.cards.is_empty() {
        places.problems.add(places.text.len(), "There is no card. Add ## Title.");
    }
    if let Some(card) = lesson.cards.get(LESSON_CARDS_MAX) {
        let sentence = format!("A lesson has at most {LESSON_CARDS_MAX} cards. Join some.");
        places.add(card.line, sentence);
    }
}

/// A question comes before what answers it, a setup before everything else that runs.
fn order(card: &Card, places: &Places<'_>) {
    let mut has_run = false;
    for (index, block) in blocks(card).enumerate() {
        match &block.kind {
            BlockKind::Question(_) => {
                let runs = |block: &Block| {
                    matches!(block.kind, BlockKind::Run { .. } | BlockKind::Play { .. })
                };
                if !blocks(card).skip(index + 1).any(runs) {
                    let sentence = "No `js run` or `js play` comes after the question on its card.";
                    places.add(block.line, format!("{sentence} Add one."));
                }
            }
            BlockKind::Setup(_) if has_run => {
                let sentence = "A setup block runs when the card opens. Put it before the others.";
                places.add(block.line, sentence);
            }
            BlockKind::Run { .. } | BlockKind::Play { .. } | BlockKind::Solution(_) => {
                has_run = true;
            }
            _ => {}
        }
    }
}

/// One goal a card at most, and one solution for it.
fn goals(card: &Card, places: &Places<'_>) {
    let (mut goal, mut solution): (Option<&Block>, Option<&Block>) = (None, None);
    for block in blocks(card) {
        let (slot, name) = match &block.kind {
            BlockKind::Goal(_) => (&mut goal, "goal"),
            BlockKind::Solution(_) => (&mut solution, "solution"),
            _ => continue,
        };
        if slot.replace(block).is_some() {
            let sentence = format!("A card has one {name}. Move this one to another card.");
            places.add(block.line, sentence);
        }
    }
    match (goal, solution) {
        (Some(goal), None) => {
            places.add(goal.line, "The goal has no `js solution` on its card. Add one.");
        }
        (None, Some(solution)) => {
            places.add(solution.line, "The solution has no `toml goal` on its card. Add one.");
        }
        (Some(goal), Some(solution)) => hints(goal, solution, places),
        (None, None) => {}
    }
}

/// No hint gives the solution away.
fn hints(goal: &Block, solution: &Block, places: &Places<'_>) {
    let words = |text: &str| text.split_whitespace().collect::<String>();
    let (BlockKind::Goal(goal_text), BlockKind::Solution(script)) = (&goal.kind, &solution.kind)
    else {
        return;
    };
    let script = words(script);
    for (index, hint) in goal_text.hints.iter().enumerate() {
        if !script.is_empty() && words(hint).contains(&script) {
            let number = index + 1;
            places.add(goal.line, format!("Hint {number} has the whole solution. Say less."));
        }
    }
}

/// The required parts of a scene and a challenge.
fn kinds(lesson: &Lesson, places: &Places<'_>) {
    let all = || lesson.cards.iter().flat_map(blocks);
    match lesson.kind {
        LessonKind::Scene => {
            for block in all() {
                if matches!(block.kind, BlockKind::Question(_) | BlockKind::Goal(_)) {
                    let sentence = "A scene has no questions and no goals. Use kind = \"lesson\".";
                    places.add(block.line, sentence);
                }
            }
        }
        LessonKind::Challenge => {
            if !all().any(|block| matches!(block.kind, BlockKind::Goal(_))) {
                places.add(1, "A challenge needs a goal. Add a `toml goal` block.");
            }
        }
        LessonKind::Lesson => {}
    }
}

/// Gives questions without an id one by their number.
fn name_questions(lesson: &mut Lesson, places: &Places<'_>) {
    let mut used = BTreeSet::new();
    let mut unnamed = Vec::new();
    for block in blocks_mut(lesson) {
        let line = block.line;
        let BlockKind::Question(question) = &mut block.kind else { continue };
        if question.id.is_empty() {
            unnamed.push(question);
        } else if !used.insert(question.id.clone()) {
            let sentence = format!("Two questions have the id `{}`. Rename one.", question.id);
            places.add(line, sentence);
        }
    }
    for question in unnamed {
        question.id = free_name("question", &mut used);
    }
}

fn name_traffic(lesson: &mut Lesson, places: &Places<'_>) {
    let mut used = BTreeSet::new();
    let mut unnamed = Vec::new();
    for block in blocks_mut(lesson) {
        let line = block.line;
        let BlockKind::Traffic(traffic) = &mut block.kind else { continue };
        if traffic.name.is_empty() {
            unnamed.push(traffic);
        } else if !used.insert(traffic.name.clone()) {
            let sentence = format!("Two blocks have the name `{}`. Rename one.", traffic.name);
            places.add(line, sentence);
        }
    }
    for traffic in unnamed {
        traffic.name = free_name("traffic", &mut used);
    }
}

fn blocks_mut(lesson: &mut Lesson) -> impl Iterator<Item = &mut Block> {
    lesson.cards.iter_mut().flat_map(|card| &mut card.parts).filter_map(|part| match part {
        Part::Block(block) => Some(block),
        _ => None,
    })
}

fn free_name(name: &str, used: &mut BTreeSet<String>) -> String {
    let mut number = 1;
    loop {
        let candidate = format!("{name}-{number}");
        if used.insert(candidate.clone()) {
            return candidate;
        }
        number += 1;
    }
}

/// Every shown collection is mentioned by a script.
fn shown(lesson: &Lesson, places_of_show: &[usize], places: &Places<'_>) {
    let scripts: Vec<&str> =
        lesson.cards.iter().flat_map(blocks).filter_map(|block| script_of(&block.kind)).collect();
    let mut used = BTreeSet::new();
    for text in &scripts {
        script::collections(text, &mut used);
    }
    let used: Vec<&str> = used.iter().map(String::as_str).collect();
    for (index, name) in lesson.show.iter().enumerate() {
        let word = name.strip_prefix("cosmos.").unwrap_or(name);
        if !scripts.iter().any(|text| script::mentions(text, word)) {
            let at = places_of_show.get(index).copied().unwrap_or(0);
            places.problems.add(at, front::unused_collection(name, &used));
        }
    }
}

fn script_of(kind: &BlockKind) -> Option<&str> {
    match kind {
        BlockKind::Setup(script)
        | BlockKind::Solution(script)
        | BlockKind::Run { script, .. }
        | BlockKind::Play { script, .. } => Some(script),
        BlockKind::Traffic(traffic) => Some(&traffic.script),
        BlockKind::Question(_) | BlockKind::Goal(_) => None,
    }
}
