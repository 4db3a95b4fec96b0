//! Proves that lessons hold: plays each file without a window and compares what it says with what
//! the engine does.

#[cfg(all(test, feature = "broken_rules"))]
mod broken_rules;
mod giveaway;
mod placed;
mod places;
mod play;
mod prerequisites;
mod prose;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use mayfly_engine::clock::{Clock as _, SystemClock};

pub(super) use self::play::play;
use self::play::{Played, play_from};
use self::prerequisites::Listed;
use self::prose::problem;
use super::{file, shipped};
use crate::job::lesson::{Block, BlockKind, Lesson, Part, Problem};
use crate::limits::{LESSON_CHECK_DRAWS, LESSON_CHECK_PLAY_MAX, LESSON_CHECK_THREADS};
use crate::shell::watch::{self, Waited};

/// The file next to lessons that has the known answers of the engine.
pub const ANSWERS: &str = "answers.json";

/// The known answers of each lesson, by its slug.
pub type Answers = BTreeMap<String, BTreeMap<String, String>>;

/// A lesson file to check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedFile {
    /// The name of the file without `.md`.
    pub slug: String,
    pub name: String,
    pub bytes: Vec<u8>,
    /// The answers that the engine is known to give, by the ids of the questions.
    pub answers: BTreeMap<String, String>,
}

/// The result of checking one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CheckReport {
    pub name: String,
    /// The lesson's title; empty if the file can't be read.
    pub title: String,
    /// Mistakes, in the order of the file.
    pub problems: Vec<Problem>,
    /// Possible mistakes, in the order of the file.
    pub warnings: Vec<Problem>,
    /// How long one play of the whole file took.
    pub took: Duration,
    /// The engine's answer to each question, by its id.
    pub answers: Vec<(String, String)>,
}

impl CheckReport {
    /// Whether everything that the file says is true.
    pub fn holds(&self) -> bool {
        self.problems.is_empty()
    }
}

/// Checks files, [`LESSON_CHECK_THREADS`] at a time. Hands over the reports in the order of the
/// files.
///
/// # Errors
/// The system gave no thread.
pub fn check_all(
    files: &[CheckedFile],
    report: &mut dyn FnMut(&CheckReport),
) -> std::io::Result<()> {
    let next = AtomicUsize::new(0);
    let uneven = places::uneven(files);
    let listed: Vec<Listed<'_>> =
        files.iter().map(|file| Listed::new(&file.slug, &file.name, &file.bytes)).collect();
    thread::scope(|scope| {
        let (sender, reports) = crossbeam_channel::unbounded();
        for _ in 0..LESSON_CHECK_THREADS.min(files.len()) {
            let (sender, next) = (sender.clone(), &next);
            let (uneven, listed) = (&uneven, &listed);
            let work = move || {
                while let Some((at, file)) = take(files, next) {
                    let mut found = supervised(file);
                    found.problems.extend(uneven.get(&at).cloned());
                    let is_shipped = |slug: &str| shipped::text(slug).is_some();
                    found.problems.extend(prerequisites::problem(at, listed, is_shipped));
                    // The receiver stays until every sender is gone.
                    let _ = sender.send((at, found));
                }
            };
            let builder = thread::Builder::new().name("mayfly-lesson-check".to_owned());
            builder.spawn_scoped(scope, work)?;
        }
        drop(sender);
        let mut early = BTreeMap::new();
        let mut shown = 0;
        for (at, found) in reports {
            early.insert(at, found);
            while let Some(found) = early.remove(&shown) {
                report(&found);
                shown += 1;
            }
        }
        Ok(())
    })
}

/// Checks a file on a thread that is abandoned if a script of the file can't be stopped.
fn supervised(file: &CheckedFile) -> CheckReport {
    let checked = file.clone();
    let sentence = match watch::run("mayfly-lesson-script", move || check(&checked)) {
        Ok(Waited::Answer(report)) => return report,
        Ok(Waited::Ended) => "The check ended by a bug".to_owned(),
        Ok(Waited::Stuck(stuck)) => format!("{stuck}."),
        Err(error) => format!("The check could not start: {error}."),
    };
    let problems = vec![problem(1, sentence)];
    CheckReport { name: file.name.clone(), problems, ..CheckReport::default() }
}

/// The next file that no thread has taken.
fn take<'f>(files: &'f [CheckedFile], next: &AtomicUsize) -> Option<(usize, &'f CheckedFile)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    files.get(at).map(|file| (at, file))
}

#[cfg(unix)]
fn work_time() -> Duration {
    use nix::time::{ClockId, clock_gettime};
    // The time that this thread has worked, so that a busy computer does not fail a lesson.
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}

/// The time that went by.
#[cfg(not(unix))]
fn work_time() -> Duration {
    SystemClock.monotonic()
}

/// Checks one file. Needs a thread with a stack of
/// [`CONSOLE_THREAD_STACK`](crate::limits::CONSOLE_THREAD_STACK).
pub fn check(checked: &CheckedFile) -> CheckReport {
    let report = CheckReport { name: checked.name.clone(), ..CheckReport::default() };
    let lesson = match file::read(&checked.slug, &checked.bytes) {
        Ok(lesson) => Arc::new(lesson),
        Err(problems) => return CheckReport { problems, ..report },
    };
    let (started, worked) = (SystemClock.monotonic(), work_time());
    let played = play(&lesson);
    let took = SystemClock.monotonic().saturating_sub(started);
    let worked = work_time().saturating_sub(worked);
    let mut problems = played.problems.clone();
    problems.extend(hints(&lesson));
    if problems.is_empty() {
        problems.extend(other_answers(&lesson, &played, &checked.answers));
    }
    if worked > LESSON_CHECK_PLAY_MAX {
        let most = LESSON_CHECK_PLAY_MAX.as_secs();
        problems.push(problem(1, format!("A play takes {worked:.1?}. Keep it below {most} s.")));
    }
    if problems.is_empty() {
        problems.extend(repeats(&lesson, &played));
    }
    if problems.is_empty() {
        problems.extend(other_draws(checked));
    }
    let text = String::from_utf8_lossy(&checked.bytes);
    problems.extend(giveaway::problems(&text, &lesson, &played.answers));
    for problem in &mut problems {
        placed::place(problem, &text);
    }
    problems.sort();
    let warnings = prose::warnings(&text, &played.instants);
    let (title, answers) = (lesson.title.clone(), played.answers);
    CheckReport { title, problems, warnings, took, answers, ..report }
}

/// Problems of a file with `[vary]` under other numbers: the first seed with one.
fn other_draws(checked: &CheckedFile) -> Vec<Problem> {
    let text = String::from_utf8_lossy(&checked.bytes);
    if !file::varies(&text) {
        return Vec::new();
    }
    for seed in 1..=LESSON_CHECK_DRAWS {
        let drawn = file::parse_drawn(&checked.slug, &text, Some(seed));
        let mut problems = drawn.map_or_else(|all| all, |lesson| play(&Arc::new(lesson)).problems);
        for problem in &mut problems {
            problem.sentence = format!("With seed {seed}: {}", problem.sentence);
        }
        if !problems.is_empty() {
            return problems;
        }
    }
    Vec::new()
}

/// Answers that differ from the recorded ones.
fn other_answers(
    lesson: &Lesson,
    played: &Played,
    recorded: &BTreeMap<String, String>,
) -> Vec<Problem> {
    if recorded.is_empty() {
        return Vec::new();
    }
    let questions =
        lesson.cards.iter().flat_map(|card| &card.parts).filter_map(|part| match part {
            Part::Block(Block { kind: BlockKind::Question(question), line }) => {
                Some((question, line))
            }
            _ => None,
        });
    let mut problems = Vec::new();
    // A question alone would hold with any of its choices, so its answer is compared with the
    // recorded one.
    for (question, line) in questions {
        let is_it = |(id, _): &&(String, String)| *id == question.id;
        let said = played.answers.iter().find(is_it).map_or("nothing", |(_, text)| text);
        let sentence = match recorded.get(&question.id) {
            Some(known) if known == said => continue,
            Some(known) => format!("the engine answers {said:?}, and {ANSWERS} says {known:?}."),
            None => format!("{ANSWERS} has no answer to it. Record it with --record."),
        };
        problems.push(problem(*line, format!("predict {:?}: {sentence}", question.id)));
    }
    problems
}

/// Plays the file again, and opens each card by itself: both must end as the first play did.
fn repeats(lesson: &Arc<Lesson>, first: &Played) -> Vec<Problem> {
    let mut problems = Vec::new();
    let second = play(lesson);
    for (card, (first, second)) in lesson.cards.iter().zip(first.ends.iter().zip(&second.ends)) {
        if first != second {
            problems.push(problem(
                card.line,
                format!(
                    "A second play ends this card otherwise: {}. Use `T(…)` and fixed `_id`s.",
                    first.difference(second)
                ),
            ));
            break;
        }
    }
    for (index, card) in lesson.cards.iter().enumerate().skip(1) {
        let Some(expected) = first.openings.get(index) else { break };
        match play_from(lesson, index) {
            Err(sentence) => problems.push(problem(card.line, sentence)),
            Ok(found) if found != *expected => {
                let sentence = format!(
                    "Opened by itself, this card begins otherwise than after the cards before it: {}.",
                    expected.difference(&found)
                );
                problems.push(problem(card.line, sentence));
            }
            Ok(_) => {}
        }
    }
    problems
}

/// Hints that give the solution away.
fn hints(lesson: &Lesson) -> Vec<Problem> {
    let mut problems = Vec::new();
    for card in &lesson.cards {
        let blocks = || {
            card.parts.iter().filter_map(|part| match part {
                Part::Block(block) => Some(block),
                _ => None,
            })
        };
        let steps: Vec<String> = blocks()
            .filter_map(|block| match &block.kind {
                BlockKind::Solution(script) => Some(script),
                _ => None,
            })
            .flat_map(|script| script.split([';', '\n']).map(bare))
            // A shorter step, such as a `play`, gives nothing away.
            .filter(|step| step.len() > HINTED_BYTES_MAX)
            .collect();
        for block in blocks() {
            let BlockKind::Goal(goal) = &block.kind else { continue };
            for hint in &goal.hints {
                let hint_text = bare(hint);
                if steps.iter().any(|step| hint_text.contains(step.as_str())) {
                    let sentence = format!("This hint contains a step of the solution: {hint:?}.");
                    problems.push(problem(block.line, sentence));
                }
            }
        }
    }
    problems
}

/// The longest step of a solution that a hint may contain, in bytes without white space.
const HINTED_BYTES_MAX: usize = 24;

/// A text without white space and quotes.
fn bare(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '"' | '\'' | '`')).collect()
}
