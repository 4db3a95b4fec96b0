//! The answer to a command.

use bson::{Bson, Document};

use super::code;
use crate::job::reply::{checked, is_ok};

/// The answer to a command.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The database the command ran on; empty for work with files.
    pub db: String,
    /// The command that was run; empty for work with files.
    pub command: Document,
    /// The reply, or why there is none, in one sentence.
    pub result: Result<Document, String>,
    /// MongoDB's code of the error, if the store gave one.
    pub code: Option<ErrorCode>,
    /// How long the store took, in microseconds.
    pub micros: u64,
}

/// Why a command failed, for programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorCode {
    /// MongoDB's number.
    pub number: i32,
    /// MongoDB's name for it; empty where there is none.
    pub name: String,
}

impl ErrorCode {
    fn of(reply: &Document) -> Option<Self> {
        let number = match reply.get("code")? {
            Bson::Int32(number) => *number,
            Bson::Int64(number) => i32::try_from(*number).ok()?,
            _ => return None,
        };
        let name = reply.get_str("codeName").unwrap_or_default().to_owned();
        Some(Self { number, name })
    }
}

impl Reply {
    /// The result of a command: the store's reply, or why it was not sent.
    pub fn new(
        db: String,
        command: Document,
        answer: Result<Document, String>,
        micros: u64,
    ) -> Self {
        let code = answer.as_ref().ok().filter(|reply| !is_ok(reply)).and_then(ErrorCode::of);
        let result = answer.and_then(checked);
        Self { db, command, result, code, micros }
    }

    /// The reply of a command that went well.
    pub fn ok(&self) -> Option<&Document> {
        self.result.as_ref().ok()
    }

    /// Whether the command failed with this code.
    pub fn failed_with(&self, code: i32) -> bool {
        self.code.as_ref().is_some_and(|found| found.number == code)
    }

    /// Whether the command took too long, by the server's measure or by this program's.
    pub fn is_late(&self) -> bool {
        self.failed_with(code::MAX_TIME_MS_EXPIRED) || self.failed_with(code::NETWORK_TIMEOUT)
    }

    /// Whether a lock of this program may have refused the command.
    pub fn is_refused_by_a_lock(&self) -> bool {
        self.failed_with(code::UNAUTHORIZED)
    }

    /// Whether no answer came from the server.
    pub fn is_without_answer(&self) -> bool {
        self.failed_with(code::HOST_UNREACHABLE) || self.failed_with(code::NETWORK_TIMEOUT)
    }

    /// Whether the window canceled it before it was answered.
    pub fn is_stopped(&self) -> bool {
        self.code.is_none() && self.error() == Some(STOPPED)
    }

    /// Why the command failed, in one sentence.
    pub fn error(&self) -> Option<&str> {
        self.result.as_ref().err().map(String::as_str)
    }
}

/// The answer to a query that was canceled.
pub(super) const STOPPED: &str = "The query was stopped";

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    fn reply(answer: Document) -> Reply {
        Reply::new("d".to_owned(), doc! { "find": "c" }, Ok(answer), 1)
    }

    #[test]
    fn a_code_is_what_the_store_says_and_no_word_of_the_sentence() {
        let error = |more: Document| {
            let mut error = doc! { "ok": 0.0, "errmsg": "it failed (DataCorruptionDetected)" };
            error.extend(more);
            reply(error)
        };
        let damaged = error(doc! { "code": 301, "codeName": "DataCorruptionDetected" });
        assert!(damaged.failed_with(301) && !damaged.failed_with(2));
        let name = "DataCorruptionDetected".to_owned();
        assert_eq!(damaged.code, Some(ErrorCode { number: 301, name }));
        let other = error(doc! { "code": 2, "codeName": "BadValue" });
        assert!(other.failed_with(2) && !other.failed_with(301));
        assert_eq!(other.error(), Some("it failed (DataCorruptionDetected) (BadValue)"));
        assert!(error(doc! { "code": 301_i64 }).failed_with(301));
        assert_eq!(error(doc! {}).code, None);
        let fine = reply(doc! { "ok": 1.0, "code": 301 });
        assert_eq!((fine.ok().is_some(), fine.code), (true, None));
    }
}
