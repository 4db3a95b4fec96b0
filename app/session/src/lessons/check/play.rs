//! One play of a whole file, as someone plays it who guesses and shows every solution.

use std::collections::BTreeSet;
use std::sync::Arc;

use bson::doc;
use mayfly_engine::reply::ExpiringPage;

use super::placed;
use super::prose::problem;
use crate::job::ConsoleOutput;
use crate::job::lesson::{
    Block, BlockKind, BlockState, Card, Goal, Guess, Lesson, LessonRequest, LessonSource,
    LessonView, Part, Problem, Question, QuestionKind,
};
use crate::lessons::audience::NoAudience;
use crate::lessons::runner::{EngineAnswer, Pace, Runner, misfit, recorded};
use crate::lessons::stage::{COSMOS_DATABASE, DATABASE};
use crate::source::Source as _;

/// The result of a play.
#[derive(Debug, Clone, Default)]
pub(in crate::lessons) struct Played {
    pub(in crate::lessons) problems: Vec<Problem>,
    /// The store at the beginning of each card.
    pub(super) openings: Vec<Stored>,
    /// The store at the end of each card.
    pub(super) ends: Vec<Stored>,
    /// The instants that have a meaning in the run, in milliseconds since 1970: where it stopped, and
    /// every pass, write, date and threshold.
    pub(super) instants: BTreeSet<i64>,
    /// The engine's answer to each question, by its id.
    pub(in crate::lessons) answers: Vec<(String, String)>,
}

/// Everything that a store holds, and what was removed from it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in crate::lessons) struct Stored {
    /// Each document with its namespace.
    documents: Vec<(String, Vec<u8>)>,
    /// The removed documents, one line each.
    removed: Vec<String>,
}

impl Stored {
    fn of(runner: &Runner) -> Self {
        let removed = runner.ledger().iter().map(|row| format!("{row:?}")).collect();
        Self { documents: runner.contents(), removed }
    }

    /// The first difference to another one, in words.
    pub(super) fn difference(&self, other: &Self) -> String {
        let counts =
            |what: &str, ours: usize, others: usize| format!("{ours} {what}, not {others}");
        let (ours, others) = (&self.documents, &other.documents);
        if ours.len() != others.len() {
            return counts("documents", others.len(), ours.len());
        }
        if let Some((ours, _)) = ours.iter().zip(others).find(|(ours, others)| ours != others) {
            return format!("a document of {} differs", ours.0);
        }
        let (ours, others) = (&self.removed, &other.removed);
        if ours.len() != others.len() {
            return counts("removals", others.len(), ours.len());
        }
        match ours.iter().zip(others).find(|(ours, others)| ours != others) {
            Some((ours, others)) => format!("removed: {others}, not {ours}"),
            None => "nothing differs".to_owned(),
        }
    }
}

/// Opens a card of a fresh lesson.
pub(super) fn play_from(lesson: &Arc<Lesson>, card: usize) -> Result<Stored, String> {
    let mut runner = open(lesson)?;
    runner.perform(LessonRequest::OpenCard(card));
    match runner.view().failure {
        Some(sentence) => Err(sentence),
        None => Ok(Stored::of(&runner)),
    }
}

/// Plays all cards in order.
pub(in crate::lessons) fn play(lesson: &Arc<Lesson>) -> Played {
    let mut played = Played::default();
    let mut runner = match open(lesson) {
        Ok(runner) => runner,
        Err(sentence) => {
            played.problems.push(problem(1, sentence));
            return played;
        }
    };
    for index in 0..lesson.cards.len() {
        runner.perform(LessonRequest::OpenCard(index));
        played.openings.push(Stored::of(&runner));
        let mut problems = play_card(lesson, index, &mut runner, &mut played.instants);
        for problem in &mut problems {
            in_plain_words(&lesson.cards[index], problem, &mut runner);
        }
        played.ends.push(Stored::of(&runner));
        let is_broken = !problems.is_empty();
        played.problems.extend(problems);
        if is_broken {
            // Later problems would repeat it.
            break;
        }
    }
    played.answers = answers(&runner);
    played.instants.extend(runner.events());
    for row in runner.ledger() {
        played.instants.extend([row.threshold_ms, row.removed_ms]);
    }
    played
}

/// The engine's answer to each question, and which choice is true.
fn answers(runner: &Runner) -> Vec<(String, String)> {
    let view = runner.view();
    let mut answers = Vec::new();
    for (card, shown) in view.lesson.cards.iter().zip(&view.cards) {
        for (part, shown) in card.parts.iter().zip(&shown.parts) {
            let Part::Block(Block { kind: BlockKind::Question(question), .. }) = part else {
                continue;
            };
            let shown = shown.as_ref().and_then(|block| block.question.as_ref());
            let Some(shown) = shown else { continue };
            let text = recorded(question, shown.true_choice, shown.answer.as_ref());
            answers.push((question.id.clone(), text));
        }
    }
    answers
}

fn open(lesson: &Arc<Lesson>) -> Result<Runner, String> {
    let from = LessonSource::Shipped(lesson.slug.clone());
    Runner::open(Arc::clone(lesson), from, Arc::new(NoAudience), Pace::AtOnce)
}

/// Plays the open card. Ends with the first part that does not hold.
fn play_card(
    lesson: &Lesson,
    index: usize,
    runner: &mut Runner,
    instants: &mut BTreeSet<i64>,
) -> Vec<Problem> {
    let card = &lesson.cards[index];
    let mut goals = Vec::new();
    if let Some(problem) = not_begun(card, runner) {
        return vec![problem];
    }
    note_instants(lesson, runner, instants);
    for (part, found) in card.parts.iter().enumerate() {
        let Part::Block(block) = found else { continue };
        let broken = match &block.kind {
            BlockKind::Setup(_) | BlockKind::Traffic(_) => failed(runner, part, block),
            BlockKind::Question(question) => {
                let told = told_by_members(&runner.view(), block.line);
                runner.perform(LessonRequest::Guess { part, guess: guess(question) });
                told
            }
            BlockKind::Run { .. } | BlockKind::Play { .. } => {
                runner.perform(LessonRequest::Run { part });
                failed(runner, part, block)
                    .or_else(|| unexpected(block, runner))
                    .or_else(|| not_shown(block, part, runner))
                    .or_else(|| answered(card, part, runner))
            }
            BlockKind::Goal(goal) => {
                goals.push((part, block, goal));
                open_goal(goal, part, block, runner)
            }
            BlockKind::Solution(_) => {
                runner.perform(LessonRequest::Run { part });
                failed(runner, part, block).or_else(|| reached(&goals, runner))
            }
        };
        note_instants(lesson, runner, instants);
        if let Some(broken) = broken {
            return vec![broken];
        }
    }
    let mut problems: Vec<Problem> = not_begun(card, runner).into_iter().collect();
    let view = runner.view();
    if problems.is_empty() && !view.cards.get(index).is_some_and(|card| card.is_done) {
        let waiting = card.parts.iter().enumerate().find_map(|(part, found)| {
            let Part::Block(block) = found else { return None };
            let state = view.cards.get(index)?.parts.get(part)?.as_ref()?.state;
            (state != BlockState::Done).then_some((block.line, state))
        });
        let (line, state) = waiting.unwrap_or((card.line, BlockState::Waiting));
        let why = match state {
            BlockState::Waiting => "something before it is not done",
            BlockState::Ready => "it was not run",
            BlockState::Running => "it still runs",
            BlockState::Failed | BlockState::Done => "it failed",
        };
        problems.push(problem(line, format!("This part can't be finished: {why}.")));
    }
    problems
}

/// Why the card could not begin, at the block that failed.
fn not_begun(card: &Card, runner: &Runner) -> Option<Problem> {
    let sentence = runner.view().failure?;
    let line = runner.failed_line().unwrap_or(card.line);
    let kind = block_at(card, line).map_or("card", |block| words(&block.kind));
    Some(problem(line, format!("{kind}: {sentence}")))
}

fn block_at(card: &Card, line: usize) -> Option<&Block> {
    card.parts.iter().find_map(|part| match part {
        Part::Block(block) if block.line == line => Some(block),
        _ => None,
    })
}

/// Says a failure in plain words, and moves a syntax error to its line.
fn in_plain_words(card: &Card, problem: &mut Problem, runner: &mut Runner) {
    let mut evaluate = |text: &str| runner.evaluate(text).ok().map(|said| said.value);
    placed::suggest(problem, &mut evaluate);
    let script = block_at(card, problem.line).and_then(|block| match &block.kind {
        BlockKind::Setup(script)
        | BlockKind::Solution(script)
        | BlockKind::Run { script, .. }
        | BlockKind::Play { script, .. } => Some(script.as_str()),
        BlockKind::Traffic(traffic) => Some(traffic.script.as_str()),
        BlockKind::Question(_) | BlockKind::Goal(_) => None,
    });
    let script = script.filter(|_| problem.sentence.contains("SyntaxError"));
    if let Some(line) = script.and_then(|script| placed::syntax_line(&mut evaluate, script)) {
        problem.line += line + 1;
    }
}

/// Notes where the clock stands, and the dates and thresholds of the shown documents.
fn note_instants(lesson: &Lesson, runner: &Runner, instants: &mut BTreeSet<i64>) {
    let source = runner.source();
    instants.insert(source.now_ms());
    for shown in &lesson.show {
        let cosmos = shown.strip_prefix("cosmos.").map(|name| (COSMOS_DATABASE, name));
        let (db, name) = cosmos.unwrap_or((DATABASE, shown));
        let found = source.run(db, &doc! {"mayflyExpiring": name, "limit": EXPIRING_MAX});
        let Some(page) = ExpiringPage::from_document(&found) else { continue };
        for row in page.batch {
            instants.extend([row.base_ms, row.threshold_ms]);
            instants.extend(row.dates_ms.unwrap_or_default());
        }
    }
}

/// Documents of a collection whose dates the prose may name.
const EXPIRING_MAX: i32 = 1_000;

fn guess(question: &Question) -> Guess {
    // Any guess will do, because a check only has to commit one.
    match &question.kind {
        QuestionKind::Choose => Guess::Choice(0),
        QuestionKind::Count { min, .. } => Guess::Count(*min),
        QuestionKind::Which { .. } => Guess::Which(Vec::new()),
        QuestionKind::Pin => Guess::Pin(0),
    }
}

/// A block that failed against what the file says.
fn failed(runner: &Runner, part: usize, block: &Block) -> Option<Problem> {
    let view = runner.view();
    let found = view.cards.get(view.card)?.parts.get(part)?.as_ref()?;
    let why = match found.state {
        BlockState::Failed => match &block.kind {
            BlockKind::Run { fails: Some(code), .. } => not_failed(*code, &found.output),
            _ => said(&found.output),
        },
        BlockState::Waiting => "something before it is not done".to_owned(),
        BlockState::Ready | BlockState::Running | BlockState::Done => return None,
    };
    Some(problem(block.line, format!("{}: {why}", words(&block.kind))))
}

/// An `expect` of the file that did not hold.
fn unexpected(block: &Block, runner: &mut Runner) -> Option<Problem> {
    let message = runner.take_unexpected()?;
    Some(problem(block.line, format!("{}: {message}", words(&block.kind))))
}

/// A block that should have failed with this code.
fn not_failed(code: i32, output: &[ConsoleOutput]) -> String {
    let other = output.iter().find_map(|output| match output {
        ConsoleOutput::Failed(message) => Some(message.as_str()),
        _ => None,
    });
    format!("expected error {code}, got {}", other.unwrap_or("ok"))
}

/// The last thing that a block printed.
fn said(output: &[ConsoleOutput]) -> String {
    output
        .last()
        .map_or_else(|| "it failed without a word".to_owned(), |last| text(last).to_owned())
}

fn text(output: &ConsoleOutput) -> &str {
    match output {
        ConsoleOutput::Failed(text)
        | ConsoleOutput::Note(text)
        | ConsoleOutput::Printed(text)
        | ConsoleOutput::Value { text, .. } => text,
    }
}

fn words(kind: &BlockKind) -> &'static str {
    match kind {
        BlockKind::Setup(_) => "js setup",
        BlockKind::Run { .. } => "js run",
        BlockKind::Play { .. } => "js play",
        BlockKind::Question(_) => "toml predict",
        BlockKind::Goal(_) => "toml goal",
        BlockKind::Solution(_) => "js solution",
        BlockKind::Traffic(_) => "js traffic",
    }
}

/// A text that the file promises and the reply does not have.
fn not_shown(block: &Block, part: usize, runner: &Runner) -> Option<Problem> {
    let BlockKind::Run { shows, .. } = &block.kind else { return None };
    let view = runner.view();
    let found = view.cards.get(view.card)?.parts.get(part)?.as_ref()?;
    let reply = found.output.iter().map(text).collect::<Vec<_>>().join("\n");
    let missing = shows.iter().find(|text| !spaced(&reply).contains(&spaced(text)))?;
    let sentence =
        format!("js run: the reply does not show {missing:?}. It is: {}", spaced(&reply));
    Some(problem(block.line, sentence))
}

/// A text with single spaces.
fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Members that say how their monitors work while a question is open.
fn told_by_members(view: &LessonView, line: usize) -> Option<Problem> {
    let member = view.members.iter().find(|member| !member.monitor.is_empty())?;
    let sentence = format!(
        "predict: member {} says {:?} while the question is open.",
        member.name, member.monitor
    );
    Some(problem(line, sentence))
}

/// The questions that a block answers must have exactly one true choice, or an answer of their
/// kind, and it must come from the engine.
fn answered(card: &Card, part: usize, runner: &Runner) -> Option<Problem> {
    card.parts.iter().enumerate().find_map(|(asked, found)| {
        let Part::Block(Block { kind: BlockKind::Question(question), line }) = found else {
            return None;
        };
        if card.answered_by(asked) != Some(part) {
            return None;
        }
        let sentence = wrong_answer(question, runner.answer(asked))?;
        Some(problem(*line, format!("predict {:?}: {sentence}", question.id)))
    })
}

/// The mistake in the engine's answer to a question.
fn wrong_answer(
    question: &Question,
    answer: Option<Result<EngineAnswer, String>>,
) -> Option<String> {
    let answer = match answer {
        None => return Some("it was never asked. Put the block that plays after it.".to_owned()),
        Some(Err(sentence)) => return Some(sentence),
        Some(Ok(answer)) => answer,
    };
    let said = &answer.value;
    if !answer.unread.is_empty() {
        return Some("its answer never reads the engine. Let `ask` compute it.".to_owned());
    }
    if let Some(why) = misfit(question, said) {
        return Some(format!("the engine answers {said}, {why}."));
    }
    if question.kind != QuestionKind::Choose {
        return None;
    }
    let texts = |indexes: &[usize]| {
        let texts = indexes.iter().filter_map(|index| question.choices.get(*index));
        texts.map(|choice| format!("{:?}", choice.text)).collect::<Vec<_>>().join(", ")
    };
    match answer.true_choices.as_slice() {
        [_] => None,
        [] if question.ask.is_empty() => {
            Some("no choice is true. Widen the `when` of one.".to_owned())
        }
        [] => Some(format!("the engine answers {said}, which no choice has. Correct one `is`.")),
        several => Some(format!(
            "{} choices are true: {}. Make one narrower.",
            several.len(),
            texts(several)
        )),
    }
}

fn open_goal(goal: &Goal, part: usize, block: &Block, runner: &mut Runner) -> Option<Problem> {
    match runner.near_value(part) {
        Ok(None) => {}
        Ok(Some(said)) => {
            let sentence = format!("goal: `near` says {said:?} before anything was done.");
            return Some(problem(block.line, sentence));
        }
        Err(sentence) => return Some(problem(block.line, format!("goal: {sentence}"))),
    }
    match runner.goal_value(part) {
        Ok(false) => None,
        // A goal must not be reached before its solution.
        Ok(true) => {
            let sentence = format!("goal: {:?} is true before its solution.", goal.when);
            Some(problem(block.line, sentence))
        }
        Err(sentence) => Some(problem(block.line, format!("goal: {sentence}"))),
    }
}

/// Every goal of the card is reached by its solution, and none is lost.
fn reached(goals: &[(usize, &Block, &Goal)], runner: &Runner) -> Option<Problem> {
    let view = runner.view();
    let card = view.cards.get(view.card)?;
    goals.iter().find_map(|(part, block, goal)| {
        let shown = card.parts.get(*part)?.as_ref()?;
        if let Some(why) = &shown.lost {
            return Some(problem(block.line, format!("goal: the solution loses it: {why}")));
        }
        let sentence = format!("goal: {:?} is false after the solution.", goal.when);
        (!shown.is_reached).then(|| problem(block.line, sentence))
    })
}
