//! The console: its transcript, what runs, and what was typed before.

mod history;
mod transcript;

use std::time::Duration;

pub use history::{History, KnownHistory};
pub use transcript::{Entry, EntryKind, Row, Transcript};

use crate::job::{Cancel, ConsoleCompletion, ConsoleReport, ConsoleRun, SentCommand};

/// Names the field that is typed into, so that the keyboard can be sent to it.
pub const INPUT: &str = "console input";

/// The database of a console where no collection is open, as in mongosh.
pub const DATABASE: &str = "test";

/// An input that runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Running {
    number: u64,
    pub cancel: Cancel,
    /// When it began, in window time.
    pub since: Duration,
}

/// The console of the open store.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Console {
    pub transcript: Transcript,
    /// Inputs of this store, the oldest first.
    pub history: History,
    pub running: Option<Running>,
    /// The database in use; `None` until something was run.
    pub database: Option<String>,
    /// The latest completion of the word before the cursor.
    pub completion: Option<ConsoleCompletion>,
}

impl Console {
    /// A console that remembers these inputs.
    pub fn with_history(history: History) -> Self {
        Self { history, ..Self::default() }
    }

    /// Begins an input; `None` while another one runs or if there is none.
    pub fn begin(
        &mut self,
        text: &str,
        database: &str,
        number: u64,
        now: Duration,
    ) -> Option<ConsoleRun> {
        if self.running.is_some() || text.trim().is_empty() {
            return None;
        }
        let (database, cancel) = (database.to_owned(), Cancel::default());
        self.database = Some(database.clone());
        self.transcript.input(&database, text);
        self.history.push(text);
        self.running = Some(Running { number, cancel: cancel.clone(), since: now });
        Some(ConsoleRun { number, text: text.to_owned(), database, cancel })
    }

    /// Takes a report of the thread. Returns the commands that were sent.
    pub fn learn(&mut self, report: ConsoleReport) -> Vec<SentCommand> {
        if report.completion.is_some() {
            self.completion = report.completion;
        }
        // An input of a store that is not shown any more.
        if self.running.as_ref().is_none_or(|running| running.number != report.run) {
            return report.sent;
        }
        self.transcript.leave_out(report.left_out);
        for output in report.outputs {
            self.transcript.push(output);
        }
        if let Some(database) = report.ended {
            self.database = Some(database);
            self.running = None;
        }
        report.sent
    }

    /// The same store was opened again: variables are gone, the transcript stays.
    pub fn restart(&mut self, why: &str) {
        self.running = None;
        if !self.transcript.is_empty() {
            self.transcript.note(why);
        }
    }
}

/// The list of completions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Completing {
    /// The text before the cursor that was asked about.
    pub before: String,
    pub at: usize,
}

/// The text being typed in the console.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ConsoleDraft {
    pub text: String,
    /// A pasted text that is too long to be edited. It runs as it is.
    pub pasted: Option<String>,
    /// The input of the history that is shown, or `None` for a new one.
    at: Option<usize>,
    /// The new input while one of the history is shown.
    kept: String,
    /// The row at the top of the transcript.
    pub row: u64,
    /// How much of that row is above the top, in points.
    pub offset: f32,
    pub pointed: Option<u64>,
    /// Whether the keyboard was in the input in the last frame.
    pub had_focus: bool,
    /// The height of the input, in points.
    pub height: f32,
    /// The text was put there, so the cursor goes to its end.
    pub is_put: bool,
    /// Completions are offered for the word before the cursor.
    pub completes: Option<Completing>,
    /// How many rows and points there were when the transcript was drawn last with its end in sight.
    pub end: Option<(u64, f32)>,
}

impl ConsoleDraft {
    /// Shows the input before. Returns whether there is one.
    pub fn older(&mut self, history: &History) -> bool {
        let at = self.at.unwrap_or(history.inputs().len());
        at > 0 && self.show(at - 1, history)
    }

    /// Shows the next input, after the last one what was typed. Returns whether there is one.
    pub fn newer(&mut self, history: &History) -> bool {
        let Some(at) = self.at else { return false };
        if at + 1 < history.inputs().len() {
            return self.show(at + 1, history);
        }
        self.text = std::mem::take(&mut self.kept);
        (self.at, self.is_put) = (None, true);
        true
    }

    /// Shows the next older input that holds what was typed. Returns whether there is one.
    pub fn search(&mut self, history: &History) -> bool {
        let wanted = if self.at.is_some() { self.kept.clone() } else { self.text.clone() };
        let before = self.at.unwrap_or(history.inputs().len()).min(history.inputs().len());
        let holds = |input: &String| input.contains(wanted.trim());
        match history.inputs()[..before].iter().rposition(holds) {
            Some(found) => self.show(found, history),
            None => false,
        }
    }

    /// The input was run, or something else takes its place.
    pub fn replace(&mut self, text: &str) {
        text.clone_into(&mut self.text);
        self.kept.clear();
        (self.at, self.pasted, self.is_put) = (None, None, true);
        self.completes = None;
    }

    fn show(&mut self, at: usize, history: &History) -> bool {
        let Some(input) = history.inputs().get(at) else { return false };
        if self.at.is_none() {
            self.kept = std::mem::take(&mut self.text);
        }
        self.text.clone_from(input);
        (self.at, self.is_put) = (Some(at), true);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{ConsoleOutput, Namespace};

    fn ended(run: u64, database: &str) -> ConsoleReport {
        ConsoleReport { run, ended: Some(database.to_owned()), ..ConsoleReport::default() }
    }

    fn begin(console: &mut Console, text: &str, number: u64) -> Option<ConsoleRun> {
        console.begin(text, "demo", number, Duration::ZERO)
    }

    #[test]
    fn one_input_runs_at_a_time() {
        let mut console = Console::default();
        let run = begin(&mut console, "1", 5).expect("it begins");
        assert_eq!((run.number, run.database.as_str()), (5, "demo"));
        assert_eq!(begin(&mut console, "2", 6), None);
        console.learn(ended(4, "other"));
        assert!(console.running.is_some(), "the end of an older input");
        console.learn(ended(5, "shop"));
        assert_eq!((console.database.as_deref(), &console.running), (Some("shop"), &None));
        assert_eq!(begin(&mut console, "  \n", 7), None);
    }

    #[test]
    fn the_database_is_that_of_the_tab_in_front_until_something_was_run() {
        let mut state = crate::state::State::default();
        assert_eq!(state.console_database(), "test");
        state.tabs.show(&Namespace::new("demo", "sessions"));
        assert_eq!(state.console_database(), "demo");
        begin(&mut state.console, "1", 1).expect("it begins");
        state.tabs.show(&Namespace::new("shop", "carts"));
        assert_eq!(state.console_database(), "demo");
    }

    #[test]
    fn outputs_of_another_store_are_not_shown() {
        let mut console = Console::default();
        begin(&mut console, "1", 5).expect("it begins");
        let rows = console.transcript.rows();
        let outputs = vec![ConsoleOutput::Printed("old".to_owned())];
        console.learn(ConsoleReport { run: 4, outputs: outputs.clone(), ..ended(4, "d") });
        assert_eq!(console.transcript.rows(), rows);
        console.learn(ConsoleReport { run: 5, outputs, ..ended(5, "d") });
        assert_eq!(console.transcript.rows(), rows + 1);
    }

    #[test]
    fn the_history_is_walked_and_what_was_typed_comes_back() {
        let mut history = History::default();
        for input in ["use demo", "db.sessions.find()", "1 + 1"] {
            history.push(input);
        }
        let mut draft = ConsoleDraft { text: "typed".to_owned(), ..ConsoleDraft::default() };
        assert!(!draft.newer(&history));
        assert!(draft.older(&history) && draft.text == "1 + 1");
        assert!(draft.older(&history) && draft.older(&history) && draft.text == "use demo");
        assert!(!draft.older(&history) && draft.text == "use demo");
        for expected in ["db.sessions.find()", "1 + 1", "typed"] {
            assert!(draft.newer(&history));
            assert_eq!(draft.text, expected);
        }
    }

    #[test]
    fn the_history_is_searched_from_the_latest_on() {
        let mut history = History::default();
        for input in ["db.a.find()", "1", "db.b.find()", "2"] {
            history.push(input);
        }
        let mut draft = ConsoleDraft { text: "find".to_owned(), ..ConsoleDraft::default() };
        assert!(draft.search(&history) && draft.text == "db.b.find()");
        assert!(draft.search(&history) && draft.text == "db.a.find()");
        assert!(!draft.search(&history) && draft.text == "db.a.find()");
        draft.replace("");
        assert!(draft.older(&history) && draft.text == "2");
    }

    #[test]
    fn a_restart_keeps_the_transcript() {
        let mut console = Console::default();
        console.restart("again");
        assert!(console.transcript.is_empty());
        begin(&mut console, "1", 1).expect("it begins");
        console.restart("again");
        assert_eq!((console.running.clone(), console.transcript.rows()), (None, 2));
    }
}
