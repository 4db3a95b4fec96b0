//! The latest log lines, in memory, in the JSON format of MongoDB's structured log.
//!
//! `getLog` returns them. They contain names and numbers, never documents.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

use bson::{Bson, DateTime, Document, doc};

use crate::limits::{LOG_LINE_BYTES_MAX, LOG_LINES_MAX};

/// The log: a ring of lines.
#[derive(Debug, Default)]
pub struct Log(Mutex<LogRing>);

#[derive(Debug, Default)]
struct LogRing {
    lines: VecDeque<String>,
    written: u64,
    /// Warnings about the start; new lines never evict them.
    startup_warnings: Vec<String>,
}

/// How much a line matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    Error,
    Warning,
    Info,
}

/// One line before it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct LogLine {
    /// Milliseconds since 1970.
    pub at_ms: i64,
    pub severity: Severity,
    /// The part of the program, at most 8 letters, e.g. `INDEX`.
    pub component: &'static str,
    /// The number of this kind of line; MongoDB's where it has one.
    pub id: i32,
    pub context: String,
    /// The message, the same for every line of this kind.
    pub message: &'static str,
    pub attributes: Document,
}

impl Log {
    /// Writes a line. A full ring drops its oldest line.
    pub fn write(&self, line: &LogLine) {
        let text = line.to_text();
        let mut ring = self.lock();
        if ring.lines.len() >= LOG_LINES_MAX {
            ring.lines.pop_front();
        }
        ring.lines.push_back(text);
        ring.written = ring.written.saturating_add(1);
    }

    /// Keeps a line as a startup warning, outside the ring.
    pub fn warn_at_start(&self, line: &LogLine) {
        self.write(line);
        let mut ring = self.lock();
        if ring.startup_warnings.len() < LOG_LINES_MAX {
            let text = line.to_text();
            ring.startup_warnings.push(text);
        }
    }

    /// The lines of the ring, oldest first, and how many were ever written.
    pub fn lines(&self) -> (Vec<String>, u64) {
        let ring = self.lock();
        (ring.lines.iter().cloned().collect(), ring.written)
    }

    /// The warnings of the start.
    pub fn startup_warnings(&self) -> Vec<String> {
        self.lock().startup_warnings.clone()
    }

    /// Forgets the lines of the ring.
    pub fn clear(&self) {
        self.lock().lines.clear();
    }

    fn lock(&self) -> MutexGuard<'_, LogRing> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Severity {
    fn letter(self) -> &'static str {
        match self {
            Self::Error => "E",
            Self::Warning => "W",
            Self::Info => "I",
        }
    }
}

impl LogLine {
    /// One line of JSON: `t`, `s`, `c`, `id`, `ctx`, `msg`, `attr`.
    pub fn to_text(&self) -> String {
        let mut line = doc! {
            "t": DateTime::from_millis(self.at_ms),
            "s": self.severity.letter(),
            "c": self.component,
            "id": self.id,
            "ctx": &self.context,
            "msg": self.message,
        };
        if !self.attributes.is_empty() {
            line.insert("attr", self.attributes.clone());
        }
        let text = Bson::Document(line.clone()).into_relaxed_extjson().to_string();
        if text.len() <= LOG_LINE_BYTES_MAX {
            return text;
        }
        line.insert("attr", doc! { "truncated": true });
        Bson::Document(line).into_relaxed_extjson().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(number: i32) -> LogLine {
        LogLine {
            at_ms: 1_704_067_200_000,
            severity: Severity::Info,
            component: "INDEX",
            id: 5_479_200,
            context: "TTLMonitor".to_owned(),
            message: "Deleted expired documents using index",
            attributes: doc! { "numDeleted": number, "index": "a\u{1b}_1" },
        }
    }

    #[test]
    fn a_line_is_json_without_control_characters() {
        assert_eq!(
            line(3).to_text(),
            r#"{"t":{"$date":"2024-01-01T00:00:00Z"},"s":"I","c":"INDEX","id":5479200,"ctx":"TTLMonitor","msg":"Deleted expired documents using index","attr":{"numDeleted":3,"index":"a\u001b_1"}}"#
        );
        let mut long = line(1);
        long.attributes.insert("index", "x".repeat(LOG_LINE_BYTES_MAX));
        assert!(long.to_text().ends_with(r#""attr":{"truncated":true}}"#));
    }

    #[test]
    fn the_oldest_line_goes_first() {
        let log = Log::default();
        for number in 0..1_100 {
            log.write(&line(number));
        }
        let (lines, written) = log.lines();
        assert_eq!((lines.len(), written), (LOG_LINES_MAX, 1_100));
        assert!(lines.first().is_some_and(|line| line.contains("\"numDeleted\":76")));
        log.warn_at_start(&line(1));
        log.clear();
        assert_eq!((log.lines().0.len(), log.startup_warnings().len()), (0, 1));
    }
}
