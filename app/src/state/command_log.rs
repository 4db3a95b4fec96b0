//! Every command that the window has sent, in mongosh syntax.

use std::collections::VecDeque;

use crate::limits::{COMMAND_LOG_MAX, COMMAND_TEXT_CHARS_MAX};

/// The commands, the oldest first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CommandLog {
    records: VecDeque<CommandRecord>,
    count: u64,
    /// How long the store took for the user's last command, in microseconds.
    pub last_micros: Option<u64>,
}

/// One command that was answered.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandRecord {
    /// Counts from 1.
    pub number: u64,
    /// When the answer came, in milliseconds since 1970 by the store's clock.
    pub at_ms: i64,
    /// As typed in mongosh.
    pub text: String,
    /// How long the store took, in microseconds.
    pub micros: u64,
    /// Why it failed.
    pub error: Option<String>,
    /// Whether the window asked by itself, to keep what it shows fresh.
    pub background: bool,
}

impl CommandLog {
    /// Notes a command.
    pub fn push(
        &mut self,
        at_ms: i64,
        text: &str,
        micros: u64,
        error: Option<String>,
        background: bool,
    ) {
        self.count += 1;
        if !background {
            self.last_micros = Some(micros);
        }
        if self.records.len() >= COMMAND_LOG_MAX {
            // The user's commands are kept longer than background reads.
            let at = self.records.iter().position(|record| record.background).unwrap_or(0);
            self.records.remove(at);
        }
        let text = shortened(text);
        let number = self.count;
        self.records.push_back(CommandRecord { number, at_ms, text, micros, error, background });
    }

    /// The commands, the oldest first.
    #[must_use]
    pub fn records(&self) -> &VecDeque<CommandRecord> {
        &self.records
    }

    /// Empties the log.
    pub fn clear(&mut self) {
        self.records.clear();
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(COMMAND_TEXT_CHARS_MAX) {
        Some((at, _)) => format!("{} … ({} bytes in total)", &text[..at], text.len()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_did_stays_longest() {
        let mut log = CommandLog::default();
        log.push(0, "mine", 1, None, false);
        for _ in 0..COMMAND_LOG_MAX + 3 {
            log.push(0, "its own", 1, None, true);
        }
        assert_eq!(log.records().len(), COMMAND_LOG_MAX);
        assert_eq!(log.records()[0].text, "mine");
    }

    #[test]
    fn long_commands_are_cut() {
        let text = "ä".repeat(COMMAND_TEXT_CHARS_MAX + 1);
        let mut log = CommandLog::default();
        log.push(0, &text, 1, None, false);
        assert!(log.records()[0].text.ends_with(&format!("({} bytes in total)", text.len())));
    }
}
