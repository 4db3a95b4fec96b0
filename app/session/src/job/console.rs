//! Requests to the console, and its reports.

use super::Cancel;

/// One input to run.
#[derive(Debug, Clone, PartialEq)]
pub struct ConsoleRun {
    /// Names it in what comes back.
    pub number: u64,
    pub text: String,
    /// The database that a fresh runtime begins with.
    pub database: String,
    pub cancel: Cancel,
}

/// Asks for completions of the word before the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsoleQuestion {
    /// The text before the cursor.
    pub before: String,
    /// The database that a fresh runtime begins with.
    pub database: String,
}

/// The answer to a [`ConsoleQuestion`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsoleCompletion {
    /// The text before the cursor.
    pub before: String,
    /// Where the word begins in it, in bytes.
    pub start: usize,
    /// The replacements of the word, sorted.
    pub words: Vec<String>,
}

/// One thing that an input made visible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConsoleOutput {
    /// A line of `print` and its like.
    Printed(String),
    Value {
        /// As mongosh prints it.
        text: String,
        /// As Extended JSON on one line; empty if it is too long to keep.
        json: String,
    },
    Failed(String),
    /// A message of the window itself, such as that the input was stopped.
    Note(String),
}

impl ConsoleOutput {
    /// The sentences of a reply that explains itself, such as a verdict or a hold: those of the value, or
    /// else of the documents in its lists. `None` if it has none.
    pub fn sentence(&self) -> Option<String> {
        let Self::Value { json, .. } = self else { return None };
        let value: serde_json::Value = serde_json::from_str(json).ok()?;
        let own = |value: &serde_json::Value| Some(value.get("sentence")?.as_str()?.to_owned());
        if let Some(sentence) = own(&value) {
            return Some(sentence);
        }
        let lists = value.as_object()?.values().filter_map(serde_json::Value::as_array);
        let all: Vec<String> = lists.flatten().filter_map(own).collect();
        (!all.is_empty()).then(|| all.join("\n"))
    }

    /// Bytes of its text.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Printed(text) | Self::Failed(text) | Self::Note(text) => text.len(),
            Self::Value { text, json } => text.len() + json.len(),
        }
    }
}

/// A command that the console sent and that was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentCommand {
    /// As typed in mongosh.
    pub text: String,
    /// How long the store took, in microseconds.
    pub micros: u64,
    pub error: Option<String>,
}

/// The events in the console since the last report.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ConsoleReport {
    /// The input that all of it belongs to.
    pub run: u64,
    /// Outputs that were dropped because more came than the window keeps. They came before
    /// `outputs`.
    pub left_out: u64,
    pub outputs: Vec<ConsoleOutput>,
    pub sent: Vec<SentCommand>,
    /// A command was sent that may have changed more than documents and collections. Changes of those
    /// come as events.
    pub is_more_than_data: bool,
    /// The input has ended, and this is the database in use.
    pub ended: Option<String>,
    /// The latest answer to a question about a word. It belongs to no input.
    pub completion: Option<ConsoleCompletion>,
}
