//! The inputs and outputs of the console, line by line and bounded.

use std::collections::VecDeque;

use crate::job::ConsoleOutput;
use crate::limits::{
    CONSOLE_BYTES_MAX, CONSOLE_EDITED_BYTES_MAX, CONSOLE_FOLD_LINES, CONSOLE_FOLDED_HEAD,
    CONSOLE_FOLDED_TAIL, CONSOLE_LINES_MAX, CONSOLE_PRINTED_LINES_MAX,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryKind {
    /// An input, with the database in use.
    Input {
        database: String,
    },
    /// Lines of `print` and its like.
    Printed,
    Value {
        /// As Extended JSON on one line; empty if it was too long to keep.
        json: String,
    },
    Failed,
    Note,
}

/// One entry, of one or more lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub id: u64,
    pub kind: EntryKind,
    pub text: String,
    /// Where its lines begin, in bytes. There is at least one.
    starts: Vec<usize>,
    is_unfolded: bool,
}

impl Entry {
    fn new(id: u64, kind: EntryKind, text: String) -> Self {
        let starts = starts(&text, 0).collect();
        Self { id, kind, text, starts, is_unfolded: false }
    }

    /// How many lines it has.
    pub fn lines(&self) -> usize {
        self.starts.len()
    }

    /// One of its lines, counted from 0.
    pub fn line(&self, at: usize) -> &str {
        let Some(start) = self.starts.get(at) else { return "" };
        // Without the line's end.
        let end = self.starts.get(at + 1).map_or(self.text.len(), |next| next - 1);
        self.text.get(*start..end).unwrap_or_default().trim_end_matches('\r')
    }

    fn is_folded(&self) -> bool {
        self.lines() > CONSOLE_FOLD_LINES && !self.is_unfolded
    }

    /// Its rows on the screen: its lines, or the first and the last ones and between them a row that
    /// unfolds the rest.
    fn rows(&self) -> usize {
        if self.is_folded() { CONSOLE_FOLDED_HEAD + 1 + CONSOLE_FOLDED_TAIL } else { self.lines() }
    }

    /// One of its rows, counted from 0.
    fn row(&self, at: usize) -> Row<'_> {
        let lines = self.lines();
        match at.checked_sub(CONSOLE_FOLDED_HEAD).filter(|_| self.is_folded()) {
            None => Row::Line { entry: self, at },
            Some(0) => {
                let shown = CONSOLE_FOLDED_HEAD + CONSOLE_FOLDED_TAIL;
                Row::Folded { entry: self, lines: lines - shown }
            }
            Some(after) => Row::Line { entry: self, at: lines - CONSOLE_FOLDED_TAIL + after - 1 },
        }
    }

    fn bytes(&self) -> usize {
        let json = match &self.kind {
            EntryKind::Value { json } => json.len(),
            _ => 0,
        };
        self.text.len() + json
    }
}

/// Where the lines of `text` begin, after `offset` bytes before it.
fn starts(text: &str, offset: usize) -> impl Iterator<Item = usize> {
    let ends = text.match_indices('\n').map(move |(at, _)| offset + at + 1);
    std::iter::once(offset).chain(ends)
}

/// One row on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Row<'a> {
    /// Outputs before the first entry that were dropped.
    Dropped(u64),
    Line {
        entry: &'a Entry,
        at: usize,
    },
    /// The lines of an entry that are folded.
    Folded {
        entry: &'a Entry,
        lines: usize,
    },
}

/// The inputs and outputs. The oldest entries are dropped first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Transcript {
    entries: VecDeque<Entry>,
    lines: usize,
    bytes: usize,
    dropped: u64,
    last_id: u64,
    version: u64,
}

impl Transcript {
    /// A number that changes when a row on the screen becomes another one.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Empties it.
    pub fn clear(&mut self) {
        let (last_id, version) = (self.last_id, self.version + 1);
        *self = Self { last_id, version, ..Self::default() };
    }

    /// Notes what is run.
    pub fn input(&mut self, database: &str, text: &str) {
        let kind = EntryKind::Input { database: database.to_owned() };
        let text = text.trim();
        let end = (0..=CONSOLE_EDITED_BYTES_MAX.min(text.len())).rev();
        let end = end.into_iter().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let rest = if end < text.len() { " …" } else { "" };
        self.add(kind, format!("{}{rest}", &text[..end]));
    }

    /// Notes what the window has to say.
    pub fn note(&mut self, text: &str) {
        self.add(EntryKind::Note, text.to_owned());
    }

    /// Notes an output. Printed lines that follow one another are one entry.
    pub fn push(&mut self, output: ConsoleOutput) {
        let (kind, text) = match output {
            ConsoleOutput::Printed(line) => {
                let Some(line) = self.continued(line) else { return };
                (EntryKind::Printed, line)
            }
            ConsoleOutput::Value { text, json } => (EntryKind::Value { json }, text),
            // A stack ends with an empty line.
            ConsoleOutput::Failed(text) => (EntryKind::Failed, text.trim_end().to_owned()),
            ConsoleOutput::Note(text) => (EntryKind::Note, text),
        };
        self.add(kind, text);
    }

    /// Notes that outputs were dropped before they came here.
    pub fn leave_out(&mut self, outputs: u64) {
        if outputs > 0 {
            // Older entries would look as if nothing were missing after them.
            self.dropped += self.lines as u64 + outputs;
            self.entries.clear();
            (self.lines, self.bytes) = (0, 0);
            self.version += 1;
        }
    }

    /// Shows all lines of an entry.
    pub fn unfold(&mut self, id: u64) {
        if let Some(entry) = self.entries.iter_mut().find(|entry| entry.id == id) {
            entry.is_unfolded = true;
            self.version += 1;
        }
    }

    /// How many rows there are on the screen.
    pub fn rows(&self) -> u64 {
        let dropped = u64::from(self.dropped > 0);
        self.entries.iter().map(|entry| entry.rows() as u64).sum::<u64>() + dropped
    }

    /// The rows from `first` on.
    pub fn rows_from(&self, first: u64) -> impl Iterator<Item = Row<'_>> {
        let dropped = (self.dropped > 0).then_some(Row::Dropped(self.dropped));
        let (mut skipped, mut begin) = (usize::from(dropped.is_some()) as u64, 0);
        let dropped = dropped.filter(|_| first == 0);
        for entry in &self.entries {
            let rows = entry.rows() as u64;
            if skipped + rows > first {
                break;
            }
            skipped += rows;
            begin += 1;
        }
        let within = usize::try_from(first.saturating_sub(skipped)).unwrap_or(usize::MAX);
        let entries = self.entries.iter().skip(begin);
        let rows = entries.flat_map(|entry| (0..entry.rows()).map(|at| entry.row(at)));
        dropped.into_iter().chain(rows.skip(within))
    }

    /// Adds a printed line to the entry at the end. Returns it if it begins another entry.
    fn continued(&mut self, line: String) -> Option<String> {
        let last = self.entries.back_mut().filter(|last| {
            last.kind == EntryKind::Printed && last.lines() < CONSOLE_PRINTED_LINES_MAX
        });
        let Some(last) = last else { return Some(line) };
        last.text.push('\n');
        let lines = last.lines();
        last.starts.extend(starts(&line, last.text.len()));
        last.text.push_str(&line);
        self.lines += last.lines() - lines;
        self.bytes += line.len() + 1;
        self.bound();
        None
    }

    fn add(&mut self, kind: EntryKind, text: String) {
        self.last_id += 1;
        let entry = Entry::new(self.last_id, kind, text);
        self.lines += entry.lines();
        self.bytes += entry.bytes();
        self.entries.push_back(entry);
        self.bound();
    }

    fn bound(&mut self) {
        while (self.lines > CONSOLE_LINES_MAX || self.bytes > CONSOLE_BYTES_MAX)
            && self.entries.len() > 1
        {
            let Some(oldest) = self.entries.pop_front() else { return };
            self.lines -= oldest.lines();
            self.bytes -= oldest.bytes();
            self.dropped += oldest.lines() as u64;
            self.version += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(line: &str) -> ConsoleOutput {
        ConsoleOutput::Printed(line.to_owned())
    }

    /// The rows as text.
    fn shown(transcript: &Transcript, first: u64) -> Vec<String> {
        let rows = transcript.rows_from(first).map(|row| match row {
            Row::Dropped(lines) => format!("dropped {lines}"),
            Row::Line { entry, at } => entry.line(at).to_owned(),
            Row::Folded { lines, .. } => format!("folded {lines}"),
        });
        rows.collect()
    }

    #[test]
    fn printed_lines_are_one_entry() {
        let mut transcript = Transcript::default();
        transcript.input("demo", "print(1)\n");
        for line in ["a", "b\nc", "", "d"] {
            transcript.push(printed(line));
        }
        let value = ConsoleOutput::Value { text: "{\n}".to_owned(), json: "{}".to_owned() };
        transcript.push(value);
        transcript.push(printed("e"));
        assert_eq!(shown(&transcript, 0), ["print(1)", "a", "b", "c", "", "d", "{", "}", "e"]);
        assert_eq!(transcript.rows(), 9);
        assert_eq!(shown(&transcript, 4), ["", "d", "{", "}", "e"]);
        assert_eq!(shown(&transcript, 6), ["{", "}", "e"]);
        assert!(shown(&transcript, 9).is_empty());
        assert_eq!(transcript.entries.len(), 4);
    }

    #[test]
    fn a_long_output_is_folded_until_it_is_asked_for() {
        let mut transcript = Transcript::default();
        let lines: Vec<String> = (0..=CONSOLE_FOLD_LINES).map(|line| line.to_string()).collect();
        transcript.push(ConsoleOutput::Value { text: lines.join("\n"), json: String::new() });
        let rows = shown(&transcript, 0);
        assert_eq!(rows.len() as u64, transcript.rows());
        let (head, rest) = rows.split_at(CONSOLE_FOLDED_HEAD);
        let (hidden, tail) = rest.split_first().expect("a folded row");
        assert_eq!(head, &lines[..CONSOLE_FOLDED_HEAD]);
        assert_eq!(hidden, "folded 101");
        assert_eq!(tail, &lines[lines.len() - CONSOLE_FOLDED_TAIL..]);
        transcript.unfold(1);
        assert_eq!(shown(&transcript, 0), lines);
    }

    #[test]
    fn a_million_lines_are_bounded() {
        let mut transcript = Transcript::default();
        for number in 0..1_000_000 {
            transcript.push(printed(&number.to_string()));
        }
        assert!(transcript.lines <= CONSOLE_LINES_MAX);
        assert_eq!(transcript.dropped + transcript.lines as u64, 1_000_000);
        assert_eq!(shown(&transcript, 0)[0], format!("dropped {}", transcript.dropped));
        assert_eq!(
            transcript.entries.back().map(|last| last.line(last.lines() - 1)),
            Some("999999")
        );
    }

    #[test]
    fn bytes_are_bounded_but_the_latest_output_stays() {
        let mut transcript = Transcript::default();
        for _ in 0..3 {
            let text = "x".repeat(CONSOLE_BYTES_MAX);
            transcript.push(ConsoleOutput::Failed(text));
        }
        assert_eq!((transcript.entries.len(), transcript.dropped), (1, 2));
        transcript.clear();
        assert_eq!((transcript.rows(), transcript.bytes), (0, 0));
    }

    #[test]
    fn what_was_left_out_leaves_no_gap() {
        let mut transcript = Transcript::default();
        transcript.push(printed("old"));
        transcript.leave_out(0);
        assert_eq!(shown(&transcript, 0), ["old"]);
        transcript.leave_out(20);
        transcript.push(printed("new"));
        assert_eq!(shown(&transcript, 0), ["dropped 21", "new"]);
    }
}
