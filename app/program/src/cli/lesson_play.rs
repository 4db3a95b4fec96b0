//! A lesson in the terminal: cards as text, questions on standard input, lanes as lines.

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::sync::{Arc, Mutex, PoisonError};

use bson::{Bson, Document, doc};
use mayfly_engine::value::shell::{self, Layout};

use super::Failure;
use crate::job::lesson::{
    Block, BlockKind, BlockState, BlockView, Card, Guess, Lesson, LessonRequest, LessonSource,
    LessonView, Part, Question, QuestionKind,
};
use crate::job::reply::batch;
use crate::job::{Cancel, ConsoleOutput, ConsoleRun};
use crate::lessons::audience::Audience;
use crate::lessons::file::duration_ms;
use crate::lessons::runner::{Pace, Runner};
use crate::source::Source as _;
use crate::state::duration;

/// Documents of one collection that are shown.
const LANES_MAX: i32 = 12;

/// Why playing ended before the last card.
#[derive(Debug)]
enum Ended {
    Input,
    Failure(String),
}

impl From<std::io::Error> for Ended {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Self::Input,
            _ => Self::Failure(format!("Can't use the terminal: {error}.")),
        }
    }
}

type Played = Result<(), Ended>;

/// Plays a lesson from a card on. Needs the stack of a console.
pub(super) fn run(
    lesson: &Arc<Lesson>,
    source: LessonSource,
    card: usize,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let console = Arc::new(Console::default());
    let audience = Arc::clone(&console) as Arc<dyn Audience>;
    let runner = Runner::open(Arc::clone(lesson), source, audience, Pace::AtOnce);
    let mut runner = runner.map_err(Failure)?;
    if card > 0 {
        runner.perform(LessonRequest::OpenCard(card));
    }
    let mut terminal = Terminal { runner, console, input, out };
    match terminal.play(lesson, card) {
        Ok(()) => Ok(()),
        Err(Ended::Input) => {
            // Nothing can be said where nothing is read.
            let _ = writeln!(terminal.out);
            Ok(())
        }
        Err(Ended::Failure(sentence)) => Err(Failure(sentence)),
    }
}

/// The output of the lesson's console.
#[derive(Default)]
struct Console(Mutex<Vec<ConsoleOutput>>);

impl Console {
    fn take(&self) -> Vec<ConsoleOutput> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Audience for Console {
    fn publish(&self, _: LessonView) {}

    fn is_interrupted(&self) -> bool {
        false
    }

    fn console(&self, _: u64, output: ConsoleOutput) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(output);
    }

    fn console_ended(&self, _: u64, _: String) {}

    fn wake(&self) {}
}

struct Terminal<'a> {
    runner: Runner,
    console: Arc<Console>,
    input: &'a mut dyn BufRead,
    out: &'a mut dyn Write,
}

impl Terminal<'_> {
    fn play(&mut self, lesson: &Arc<Lesson>, first: usize) -> Played {
        writeln!(self.out, "{}", lesson.title)?;
        writeln!(self.out, "Simulated time. Nothing here touches your data.")?;
        for (at, card) in lesson.cards.iter().enumerate().skip(first) {
            if at > first {
                self.line("\n[Enter] Next card ")?;
                self.runner.perform(LessonRequest::OpenCard(at));
            }
            let (number, count) = (at + 1, lesson.cards.len());
            writeln!(self.out, "\n== {number}/{count} {}\n", card.title)?;
            self.check()?;
            for part in 0..card.parts.len() {
                self.part(lesson, card, part)?;
            }
        }
        writeln!(self.out, "\nThe lesson is done.")?;
        Ok(())
    }

    /// Ends with what the lesson can't continue from.
    fn check(&self) -> Played {
        match self.runner.view().failure {
            Some(sentence) => Err(Ended::Failure(sentence)),
            None => Ok(()),
        }
    }

    /// Asks, and reads a line.
    fn line(&mut self, prompt: &str) -> Result<String, Ended> {
        write!(self.out, "{prompt}")?;
        self.out.flush()?;
        let mut line = String::new();
        match self.input.read_line(&mut line)? {
            0 => Err(Ended::Input),
            _ => Ok(line.trim().to_owned()),
        }
    }

    fn view(&self, part: usize) -> Option<BlockView> {
        let view = self.runner.view();
        view.cards.get(view.card)?.parts.get(part)?.clone()
    }

    fn part(&mut self, lesson: &Lesson, card: &Card, part: usize) -> Played {
        match &card.parts[part] {
            Part::Prose(text) => Ok(writeln!(self.out, "{text}\n")?),
            Part::Notes(_) | Part::Handle(_) => Ok(()),
            Part::Block(Block { kind, .. }) => match kind {
                BlockKind::Run { label, script, .. } => {
                    self.block(card, part, (label, "Run"), script)
                }
                BlockKind::Play { label, script } => {
                    self.block(card, part, (label, "Play"), script)?;
                    self.lanes(lesson)
                }
                BlockKind::Question(question) => self.question(question, part),
                BlockKind::Goal(goal) => self.goal(card, part, &goal.task),
                BlockKind::Traffic(traffic) => {
                    let secs = traffic.every.as_secs_f64();
                    Ok(writeln!(self.out, "Traffic: every {secs} s\n")?)
                }
                BlockKind::Setup(_) | BlockKind::Solution(_) => Ok(()),
            },
        }
    }

    /// Runs a block and prints what it and the engine say.
    fn block(
        &mut self,
        card: &Card,
        part: usize,
        (label, default): (&str, &str),
        script: &str,
    ) -> Played {
        for line in script.lines() {
            writeln!(self.out, "  > {line}")?;
        }
        let label = if label.is_empty() { default } else { label };
        self.line(&format!("[Enter] {label} "))?;
        self.runner.perform(LessonRequest::Run { part });
        self.check()?;
        let view = self.view(part);
        for output in view.iter().flat_map(|view| &view.output) {
            self.output(output)?;
        }
        if view.is_some_and(|view| view.state == BlockState::Failed) {
            writeln!(self.out, "This did not do what the lesson says.")?;
        }
        for before in 0..part {
            if let Part::Block(Block { kind: BlockKind::Question(question), .. }) =
                &card.parts[before]
                && card.answered_by(before) == Some(part)
            {
                self.verdict(question, before)?;
            }
        }
        Ok(writeln!(self.out)?)
    }

    fn output(&mut self, output: &ConsoleOutput) -> Played {
        let (ConsoleOutput::Printed(text)
        | ConsoleOutput::Value { text, .. }
        | ConsoleOutput::Failed(text)
        | ConsoleOutput::Note(text)) = output;
        for line in text.lines() {
            writeln!(self.out, "  {line}")?;
        }
        Ok(())
    }

    /// Asks a question until the answer has its form.
    fn question(&mut self, question: &Question, part: usize) -> Played {
        writeln!(self.out, "? {}", question.text)?;
        if question.kind == QuestionKind::Choose {
            for (index, choice) in question.choices.iter().enumerate() {
                writeln!(self.out, "  {}) {}", index + 1, choice.text)?;
            }
        }
        let form = match &question.kind {
            QuestionKind::Choose => format!("1 to {}", question.choices.len()),
            QuestionKind::Count { min, max } => format!("{min} to {max}"),
            QuestionKind::Which { .. } => "_ids with commas between them".to_owned(),
            QuestionKind::Pin => "seconds from the start, such as 90 or 5m".to_owned(),
        };
        loop {
            let line = self.line(&format!("Your guess ({form}): "))?;
            if let Some(guess) = guess(question, &line) {
                self.runner.perform(LessonRequest::Guess { part, guess });
                return Ok(writeln!(self.out)?);
            }
        }
    }

    fn verdict(&mut self, question: &Question, part: usize) -> Played {
        let Some(shown) = self.view(part).and_then(|view| view.question) else { return Ok(()) };
        if let Some(answer) = &shown.answer {
            let choice = shown.true_choice.and_then(|choice| question.choices.get(choice));
            let text = choice.map(|choice| choice.text.clone()).filter(|text| !text.is_empty());
            let text = text.unwrap_or_else(|| shell::write_value(answer, Layout::OneLine));
            writeln!(self.out, "Answer: {text}")?;
        }
        let verdict = shown.verdict.unwrap_or_default();
        if let Some(yours) = verdict.yours {
            writeln!(self.out, "Your guess: {yours}")?;
        }
        if !verdict.truth.is_empty() {
            writeln!(self.out, "{}", verdict.truth)?;
        }
        if verdict.is_changed {
            writeln!(self.out, "You changed the data, so the answer is not that of the lesson.")?;
        }
        Ok(())
    }

    /// Reads commands until a goal is reached, given up or lost.
    fn goal(&mut self, card: &Card, part: usize, task: &str) -> Played {
        writeln!(self.out, "Your turn: {task}")?;
        writeln!(self.out, "Type commands, or .hint, .solution, .restart, .skip")?;
        let mut number = 0;
        loop {
            let view = self.view(part);
            if view.as_ref().is_some_and(|view| view.is_reached) {
                return Ok(writeln!(self.out, "Reached.\n")?);
            }
            let (lost, near) = view.map_or((None, None), |view| (view.lost, view.near));
            if let Some(reason) = lost {
                writeln!(self.out, "{reason} Type .restart to begin the card again.")?;
            } else if let Some(near) = near {
                writeln!(self.out, "Not yet. {near}")?;
            }
            match self.line("> ")?.as_str() {
                "" => {}
                ".skip" => return Ok(()),
                ".restart" => self.runner.perform(LessonRequest::RestartCard),
                ".hint" => self.hint(card, part)?,
                ".solution" => self.solution(card)?,
                text => {
                    number += 1;
                    self.runner.perform(LessonRequest::Console(ConsoleRun {
                        number,
                        text: text.to_owned(),
                        database: "lesson".to_owned(),
                        cancel: Cancel::default(),
                    }));
                    for output in self.console.take() {
                        self.output(&output)?;
                    }
                }
            }
            self.check()?;
        }
    }

    fn hint(&mut self, card: &Card, part: usize) -> Played {
        self.runner.perform(LessonRequest::Hint { part });
        let shown = self.view(part).map_or(0, |view| view.hints);
        if let Part::Block(Block { kind: BlockKind::Goal(goal), .. }) = &card.parts[part] {
            for hint in goal.hints.iter().take(shown) {
                writeln!(self.out, "  {hint}")?;
            }
        }
        Ok(())
    }

    /// Shows the solution and runs it.
    fn solution(&mut self, card: &Card) -> Played {
        for (part, content) in card.parts.iter().enumerate() {
            if let Part::Block(Block { kind: BlockKind::Solution(script), .. }) = content {
                for line in script.lines() {
                    writeln!(self.out, "  > {line}")?;
                }
                self.runner.perform(LessonRequest::RestartCard);
                self.runner.perform(LessonRequest::Run { part });
                for output in self.view(part).map(|view| view.output).unwrap_or_default() {
                    self.output(&output)?;
                }
            }
        }
        Ok(())
    }

    /// One line for each document of the shown collections.
    fn lanes(&mut self, lesson: &Lesson) -> Played {
        let view = self.runner.view();
        let (now_ms, removed) = (view.time.now_ms, view.removed);
        writeln!(self.out, "{}  removed {removed}", time(now_ms))?;
        for name in &lesson.show {
            let (db, collection) = match name.strip_prefix("cosmos.") {
                Some(collection) => ("cosmos", collection),
                None => ("lesson", name.as_str()),
            };
            let due = self.thresholds(db, collection);
            for id in self.ids(db, collection) {
                let text = shell::write_value(&id, Layout::OneLine);
                let state = due.get(&text).map_or_else(
                    || "never expires".to_owned(),
                    |at_ms| match now_ms - at_ms {
                        late_ms if late_ms >= 0 => {
                            format!("overdue {}", duration::span(late_ms / 1_000 * 1_000))
                        }
                        _ => format!("expires {}", time(*at_ms)),
                    },
                );
                writeln!(self.out, "  {name}  {text}  {state}")?;
            }
        }
        Ok(writeln!(self.out)?)
    }

    fn ids(&self, db: &str, collection: &str) -> Vec<Bson> {
        let find = doc! { "find": collection, "projection": { "_id": 1 }, "limit": LANES_MAX };
        let reply = self.runner.source().run(db, &find);
        batch(&reply).filter_map(|document| document.get("_id").cloned()).collect()
    }

    /// When documents expire, in milliseconds since 1970, by the text of their `_id`.
    fn thresholds(&self, db: &str, collection: &str) -> BTreeMap<String, i64> {
        let ids = self.ids(db, collection);
        let reply = self.runner.source().run(db, &doc! { "mayflyVerdict": collection, "ids": ids });
        let documents = reply.get_array("documents").into_iter().flatten();
        let due = |document: &Document| {
            let id = shell::write_value(document.get("_id")?, Layout::OneLine);
            Some((id, document.get_datetime("threshold").ok()?.timestamp_millis()))
        };
        documents.filter_map(Bson::as_document).filter_map(due).collect()
    }
}

/// The guess that a line is; `None` if it has not the form of one.
fn guess(question: &Question, line: &str) -> Option<Guess> {
    match &question.kind {
        QuestionKind::Choose => {
            let choice = line.parse::<usize>().ok()?.checked_sub(1)?;
            (choice < question.choices.len()).then_some(Guess::Choice(choice))
        }
        QuestionKind::Count { min, max } => {
            let count = line.parse().ok()?;
            (*min..=*max).contains(&count).then_some(Guess::Count(count))
        }
        QuestionKind::Which { .. } => {
            let words = line.split(',').map(str::trim).filter(|word| !word.is_empty());
            let id = |word: &str| {
                shell::read_value(word).unwrap_or_else(|_| Bson::String(word.to_owned()))
            };
            Some(Guess::Which(words.map(id).collect()))
        }
        QuestionKind::Pin => {
            let text = if line.ends_with(|last: char| last.is_ascii_digit()) {
                format!("{line}s")
            } else {
                line.to_owned()
            };
            duration_ms(&text).map(Guess::Pin)
        }
    }
}

/// The time of day of an instant, in UTC.
fn time(at_ms: i64) -> String {
    let text = bson::DateTime::from_millis(at_ms).try_to_rfc3339_string().unwrap_or_default();
    text.split_once('T').map(|(_, time)| time.trim_end_matches('Z').to_owned()).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lessons::library;
    use crate::limits::CONSOLE_THREAD_STACK;

    fn played(lesson: &str, input: &'static str) -> String {
        let source = library::find(lesson, &[]).unwrap();
        let lesson = library::read(&source).unwrap();
        let play = move || {
            let mut out = Vec::new();
            run(&lesson, source, 0, &mut input.as_bytes(), &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        let thread = std::thread::Builder::new().stack_size(CONSOLE_THREAD_STACK);
        thread.spawn(play).unwrap().join().unwrap()
    }

    #[test]
    fn a_lesson_is_played_to_its_end() {
        let text = played("35-sixty-seconds-is-no-promise", "\n1\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n");
        assert!(text.contains("== 1/3 A pass takes time"), "{text}");
        assert!(text.contains("Answer: At 12:06:10, by the next pass"), "{text}");
        assert!(text.contains("12:06:11  removed 251"), "{text}");
        assert!(text.ends_with("The lesson is done.\n"), "{text}");
    }

    #[test]
    fn a_goal_is_reached_by_commands() {
        let text = played("c10", ".hint\ndb.sessions.countDocuments()\n.solution\n\n");
        assert!(text.contains("Two things are wrong"), "{text}");
        assert!(text.contains("\n> "), "{text}");
        assert!(text.contains("Reached."), "{text}");
    }

    #[test]
    fn a_goal_that_is_not_reached_says_how_far_it_is() {
        let text = played(
            "1",
            "\n1\n\n\n\n\ndb.eventlog.insertOne({ lastModifiedDate: T('-10m'), _id: 'mine' })\n.solution\n\n",
        );
        let expected = "Not yet. The threshold of mine is 12:50:00, not 12:00:45.";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn the_end_of_the_input_ends_the_lesson() {
        let text = played("35-sixty-seconds-is-no-promise", "x\n");
        assert!(text.ends_with("Your guess (1 to 3): \n"), "{text}");
    }
}
