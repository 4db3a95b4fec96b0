//! One play of a lesson, as far as its paper needs it: the documents of each question, and the moments
//! of its timeline.

use std::collections::BTreeMap;
use std::sync::Arc;

use bson::{Bson, doc};
use mayfly_engine::reply::ExpiringPage;

use crate::job::RemovedDocument;
use crate::job::lesson::{
    Block, BlockKind, Card, DocumentAmong, Guess, Lesson, LessonRequest, LessonSource, Part,
    Question, QuestionKind,
};
use crate::job::reply::batch;
use crate::lessons::audience::NoAudience;
use crate::lessons::runner::{Pace, Runner, blocks};
use crate::lessons::stage::{COSMOS_DATABASE, DATABASE};
use crate::limits::LESSON_PAPER_LANES_MAX;
use crate::source::Source as _;

/// A question as it was played.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct AskedQuestion {
    /// The documents that were shown until it was answered, each with its collection: first those that it
    /// names. The choices of a question about documents are those that were there when it was asked.
    pub documents: Vec<(String, DocumentAmong)>,
    /// Whether more than one collection is shown.
    pub has_collections: bool,
    /// How many more there were.
    pub more: usize,
    /// When it was asked and when it was answered, in milliseconds since 1970.
    pub from_ms: i64,
    pub to_ms: i64,
    /// The moments of each document, by the places of `documents`.
    pub moments: Vec<Moments>,
    pub answer: Option<Bson>,
    pub true_choice: Option<usize>,
}

/// The moments of a document until the answer, in milliseconds since 1970.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Moments {
    /// `None` if it has none.
    pub threshold_ms: Option<i64>,
    /// `None` if it is still stored.
    pub removed_ms: Option<i64>,
}

/// The questions of a lesson by their ids, and its start in milliseconds since 1970.
#[derive(Debug, Default)]
pub(super) struct Recording {
    pub start_ms: i64,
    pub questions: BTreeMap<String, AskedQuestion>,
}

/// Plays a lesson as its file says. Needs the stack of a console.
///
/// # Errors
/// One sentence: why it can't be played.
pub(super) fn record(lesson: &Arc<Lesson>, source: LessonSource) -> Result<Recording, String> {
    let mut runner = Runner::open(Arc::clone(lesson), source, Arc::new(NoAudience), Pace::AtOnce)?;
    let mut recording = Recording { start_ms: runner.view().time.start_ms, ..Recording::default() };
    for (at, card) in lesson.cards.iter().enumerate() {
        runner.perform(LessonRequest::OpenCard(at));
        record_card(lesson, card, &mut runner, &mut recording);
        if let Some(sentence) = runner.view().failure {
            return Err(sentence);
        }
    }
    Ok(recording)
}

fn record_card(lesson: &Lesson, card: &Card, runner: &mut Runner, recording: &mut Recording) {
    for (part, kind, _) in blocks(card) {
        match kind {
            BlockKind::Question(question) => {
                let asked = asked(lesson, question, runner);
                recording.questions.insert(question.id.clone(), asked);
                runner.perform(LessonRequest::Pass { part });
            }
            BlockKind::Run { .. } | BlockKind::Play { .. } | BlockKind::Solution(_) => {
                runner.perform(LessonRequest::Run { part });
            }
            BlockKind::Setup(_) | BlockKind::Goal(_) | BlockKind::Traffic(_) => {}
        }
        let open = card.parts.iter().enumerate().filter_map(|(at, found)| match found {
            Part::Block(Block { kind: BlockKind::Question(question), .. })
                if at < part && card.answered_by(at).is_some_and(|last| part <= last) =>
            {
                Some(question)
            }
            _ => None,
        });
        for question in open {
            if let Some(asked) = recording.questions.get_mut(&question.id) {
                add_documents(lesson, question, runner, asked);
            }
        }
        let answered = card.parts.iter().enumerate().filter_map(|(at, found)| match found {
            Part::Block(block) if card.answered_by(at) == Some(part) => match &block.kind {
                BlockKind::Question(question) => Some((at, question)),
                _ => None,
            },
            _ => None,
        });
        for (at, question) in answered {
            if let Some(asked) = recording.questions.get_mut(&question.id) {
                choose_lanes(question, asked);
                answer(lesson, at, runner, asked);
            }
        }
    }
}

fn place(shown: &str) -> (&str, &str) {
    shown.strip_prefix("cosmos.").map_or((DATABASE, shown), |name| (COSMOS_DATABASE, name))
}

/// A question as it is asked.
fn asked(lesson: &Lesson, question: &Question, runner: &Runner) -> AskedQuestion {
    let from_ms = runner.source().now_ms();
    let mut asked = AskedQuestion { from_ms, to_ms: from_ms, ..AskedQuestion::default() };
    if let QuestionKind::Which { among } = &question.kind {
        asked.documents = documents(among, runner);
    } else {
        asked.has_collections = lesson.show.len() > 1;
        add_documents(lesson, question, runner, &mut asked);
    }
    asked
}

/// The documents of a collection.
fn documents(shown: &str, runner: &Runner) -> Vec<(String, DocumentAmong)> {
    let (db, name) = place(shown);
    let limit = i64::try_from(FOUND_MAX).unwrap_or(i64::MAX);
    let command = doc! {"find": name, "limit": limit, "batchSize": limit, "singleBatch": true};
    let found = runner.source().run(db, &command);
    batch(&found)
        .filter_map(DocumentAmong::of)
        .map(|document| (shown.to_owned(), document))
        .collect()
}

/// Adds the documents that the lesson shows by now. A block between question and answer may insert them.
fn add_documents(lesson: &Lesson, question: &Question, runner: &Runner, asked: &mut AskedQuestion) {
    if matches!(question.kind, QuestionKind::Which { .. }) {
        return;
    }
    for (shown, document) in lesson.show.iter().flat_map(|shown| documents(shown, runner)) {
        let is_it = |(of, known): &(String, DocumentAmong)| *of == shown && known.id == document.id;
        if asked.documents.len() < FOUND_MAX && !asked.documents.iter().any(is_it) {
            asked.documents.push((shown, document));
        }
    }
}

/// Keeps the lanes that fit on the paper: first the documents that the question names.
fn choose_lanes(question: &Question, asked: &mut AskedQuestion) {
    let between = |letter: char| !(letter.is_alphanumeric() || matches!(letter, '-' | '_'));
    let words: Vec<&str> = question.text.split(between).collect();
    let is_named = |id: &Bson| id.as_str().is_some_and(|id| words.contains(&id));
    asked.documents.sort_by_key(|(_, document)| !is_named(&document.id));
    asked.more = asked.documents.len().saturating_sub(LESSON_PAPER_LANES_MAX);
    asked.documents.truncate(LESSON_PAPER_LANES_MAX);
}

/// Documents of a question that are counted.
const FOUND_MAX: usize = 1_000;

fn answer(lesson: &Lesson, part: usize, runner: &Runner, asked: &mut AskedQuestion) {
    let source = runner.source();
    let mut thresholds: Vec<(&String, Bson, i64)> = Vec::new();
    for shown in &lesson.show {
        let (db, name) = place(shown);
        let found = source.run(db, &doc! {"mayflyExpiring": name, "limit": 1_000});
        let page = ExpiringPage::from_document(&found);
        let rows = page.into_iter().flat_map(|page| page.batch);
        thresholds.extend(rows.map(|row| (shown, row.id, row.threshold_ms)));
    }
    let ledger = runner.ledger();
    let moments = asked.documents.iter().map(|(shown, DocumentAmong { id, .. })| {
        let (db, name) = place(shown);
        let is_it = |row: &&RemovedDocument| {
            row.id == *id && row.namespace.db == db && row.namespace.collection == name
        };
        let removed = ledger.iter().rev().find(is_it);
        let waits = thresholds.iter().find(|(of, other, _)| *of == shown && other == id);
        Moments {
            threshold_ms: removed.map(|row| row.threshold_ms).or(waits.map(|(.., at_ms)| *at_ms)),
            removed_ms: removed.map(|row| row.removed_ms),
        }
    });
    asked.moments = moments.collect();
    asked.to_ms = source.now_ms();
    let view = runner.view();
    let shown = view.cards.get(view.card).and_then(|card| card.parts.get(part));
    if let Some(Some(question)) = shown.map(|block| block.as_ref()?.question.clone()) {
        (asked.answer, asked.true_choice) = (question.answer, question.true_choice);
    }
}

/// A guess in words, such as the text of a choice, a time of day or the `_id`s.
pub fn guess_words(question: &Question, guess: &Guess, start_ms: i64) -> String {
    match guess {
        Guess::Choice(at) => {
            question.choices.get(*at).map(|choice| choice.text.clone()).unwrap_or_default()
        }
        Guess::Count(count) => count.to_string(),
        Guess::Which(ids) => ids_words(ids),
        Guess::Pin(ms) => super::time(start_ms.saturating_add(*ms)),
    }
}

/// `_id`s, with commas between them.
pub(super) fn ids_words(ids: &[Bson]) -> String {
    if ids.is_empty() {
        return "none".to_owned();
    }
    let words = ids.iter().map(|id| match id {
        Bson::String(text) => text.clone(),
        other => other.to_string(),
    });
    words.collect::<Vec<_>>().join(", ")
}
