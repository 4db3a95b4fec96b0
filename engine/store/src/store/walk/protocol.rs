//! The messages of a walk in a subprocess: one JSON text a line. An untrusted file may have taken the sender
//! over, so the receiver validates every message.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::store::{StoreError, StructureReport};

/// The report of a walk, or why the file could not be walked.
pub(super) type Outcome = Result<StructureReport, StoreError>;

/// One line of output.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) enum Message {
    /// Bytes done and bytes in total.
    Progress {
        done: u64,
        total: u64,
    },
    Report(StructureReport),
    NotADatabase(String),
    OtherVersion {
        found: u32,
        expected: u32,
    },
    Failed(String),
}

impl From<Outcome> for Message {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Ok(report) => Self::Report(report),
            Err(StoreError::NotADatabase { what }) => Self::NotADatabase(what),
            Err(StoreError::VersionMismatch { found, expected }) => {
                Self::OtherVersion { found, expected }
            }
            Err(error) => Self::Failed(error.to_string().trim_end_matches('.').to_owned()),
        }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

impl Message {
    /// `None` for an invalid line.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }

    /// The outcome, if this is not about progress.
    pub(super) fn outcome(self) -> Option<Outcome> {
        Some(match self {
            Self::Progress { .. } => return None,
            Self::Report(report) => Ok(report),
            Self::NotADatabase(what) => Err(StoreError::NotADatabase { what }),
            Self::OtherVersion { found, expected } => {
                Err(StoreError::VersionMismatch { found, expected })
            }
            Self::Failed(what) => Err(StoreError::Io { what }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{CollectionId, DamagedRow, DamagedRows, IndexId};

    #[test]
    fn messages_round_trip() {
        let check = |outcome: &Outcome| {
            let line = Message::from(outcome.clone()).to_string();
            let read = Message::parse(line.as_bytes()).and_then(Message::outcome);
            assert_eq!(read.as_ref(), Some(outcome), "{line}");
        };
        let first = vec![
            DamagedRow::Document { collection: CollectionId(3), record: u128::MAX },
            DamagedRow::Entry { index: IndexId(4) },
            DamagedRow::Counters { id: 5 },
            DamagedRow::Definition { name: "a\u{0}b.\"c\"".to_owned() },
            DamagedRow::Meta { name: "uuid".to_owned() },
            DamagedRow::Unknown { table: "catalog" },
        ];
        check(&Ok(StructureReport {
            pages_used: 7,
            pages_free: 8,
            findings: vec!["page 3 of the \"list\" is\nbad".to_owned()],
            rows: DamagedRows { count: 9, first },
        }));
        check(&Ok(StructureReport::default()));
        check(&Err(StoreError::NotADatabase { what: "it looks like text".to_owned() }));
        check(&Err(StoreError::VersionMismatch { found: 2, expected: 1 }));
        check(&Err(StoreError::Io { what: "Can't read it: no".to_owned() }));
        let progress = || Message::Progress { done: 3, total: 9 };
        assert_eq!(Message::parse(progress().to_string().as_bytes()), Some(progress()));
        assert_eq!(progress().outcome(), None);
    }

    #[test]
    fn an_invalid_line_is_refused() {
        let check = |line: &str| assert_eq!(Message::parse(line.as_bytes()), None, "{line}");
        check("");
        check("sound");
        check("{}");
        check(r#"{"progress":{"done":-1,"total":2}}"#);
        check(r#"{"progress":{"done":1,"total":2}}{}"#);
        let report = |findings: &str, rows: &str| {
            let rows = format!(r#""rows":{{"count":1,"first":[{rows}]}}"#);
            format!(
                r#"{{"report":{{"pagesUsed":1,"pagesFree":0,"findings":[{findings}],{rows}}}}}"#
            )
        };
        let row = r#"{"unknown":{"table":"catalog"}}"#;
        assert!(Message::parse(report("", row).as_bytes()).is_some());
        check(&report("1", row));
        check(&report("", r#"{"unknown":{"table":"x"}}"#));
        check(&report("", row).replace(r#""pagesFree":0,"#, ""));
    }
}
