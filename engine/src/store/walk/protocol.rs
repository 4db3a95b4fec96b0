//! The messages of a walk in a subprocess: one JSON text a line. An untrusted file may have taken the sender
//! over, so the receiver validates every message.

use serde_json::{Value, json};

use crate::store::progress::JobProgress;
use crate::store::table::{OPLOG_NAME, TABLE_NAMES};
use crate::store::{CollectionId, DamagedRow, DamagedRows, IndexId, StoreError, StructureReport};

/// The report of a walk, or why the file could not be walked.
pub(super) type Outcome = Result<StructureReport, StoreError>;

/// One line of output.
#[derive(Debug, PartialEq)]
pub(super) enum Message {
    /// Bytes done and bytes in total.
    Progress(u64, u64),
    Outcome(Outcome),
}

pub(super) fn progress_text(at: JobProgress) -> String {
    json!({ "done": at.done, "total": at.total }).to_string()
}

pub(super) fn outcome_text(outcome: &Outcome) -> String {
    let value = match outcome {
        Ok(report) => json!({
            "pagesUsed": report.pages_used,
            "pagesFree": report.pages_free,
            "findings": report.findings,
            "damagedRows": report.rows.count,
            "rows": report.rows.first.iter().map(row_value).collect::<Vec<_>>(),
        }),
        Err(StoreError::NotADatabase { what }) => json!({ "notADatabase": what }),
        Err(StoreError::VersionMismatch { found, expected }) => {
            json!({ "version": found, "expected": expected })
        }
        Err(error) => json!({ "failed": error.to_string().trim_end_matches('.') }),
    };
    value.to_string()
}

/// `None` for an invalid line.
pub(super) fn parse(line: &[u8]) -> Option<Message> {
    let value: Value = serde_json::from_slice(line).ok()?;
    let number = |name: &str| value.get(name)?.as_u64();
    let text = |name: &str| Some(value.get(name)?.as_str()?.to_owned());
    if let (Some(done), Some(total)) = (number("done"), number("total")) {
        return Some(Message::Progress(done, total));
    }
    let error = if let Some(what) = text("notADatabase") {
        StoreError::NotADatabase { what }
    } else if let (Some(found), Some(expected)) = (number("version"), number("expected")) {
        let (found, expected) = (found.try_into().ok()?, expected.try_into().ok()?);
        StoreError::VersionMismatch { found, expected }
    } else if let Some(what) = text("failed") {
        StoreError::Io { what }
    } else {
        let texts = value.get("findings")?.as_array()?.iter();
        let rows = value.get("rows")?.as_array()?.iter();
        return Some(Message::Outcome(Ok(StructureReport {
            pages_used: number("pagesUsed")?,
            pages_free: number("pagesFree")?,
            findings: texts.map(|text| Some(text.as_str()?.to_owned())).collect::<Option<_>>()?,
            rows: DamagedRows {
                count: number("damagedRows")?,
                first: rows.map(row).collect::<Option<_>>()?,
            },
        })));
    };
    Some(Message::Outcome(Err(error)))
}

fn row_value(row: &DamagedRow) -> Value {
    match row {
        // JSON numbers don't hold 128 bits.
        DamagedRow::Document { collection, record } => {
            json!({ "collection": collection.0, "record": record.to_string() })
        }
        DamagedRow::Entry { index } => json!({ "index": index.0 }),
        DamagedRow::Counters { id } => json!({ "counters": id }),
        DamagedRow::Definition { name } => json!({ "definition": name }),
        DamagedRow::Meta { name } => json!({ "meta": name }),
        DamagedRow::Unknown { table } => json!({ "table": table }),
    }
}

fn row(value: &Value) -> Option<DamagedRow> {
    let number = |name: &str| u32::try_from(value.get(name)?.as_u64()?).ok();
    let text = |name: &str| value.get(name)?.as_str();
    let (name, _) = value.as_object()?.iter().next()?;
    Some(match name.as_str() {
        "collection" => DamagedRow::Document {
            collection: CollectionId(number("collection")?),
            record: text("record")?.parse().ok()?,
        },
        "index" => DamagedRow::Entry { index: IndexId(number("index")?) },
        "counters" => DamagedRow::Counters { id: number("counters")? },
        "definition" => DamagedRow::Definition { name: text("definition")?.to_owned() },
        "meta" => DamagedRow::Meta { name: text("meta")?.to_owned() },
        "table" => {
            let table = text("table")?;
            let mut names = TABLE_NAMES.into_iter().chain([OPLOG_NAME]);
            DamagedRow::Unknown { table: names.find(|name| *name == table)? }
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::JobStep;

    #[test]
    fn messages_round_trip() {
        let check = |outcome: &Outcome| {
            assert_eq!(
                parse(outcome_text(outcome).as_bytes()).as_ref(),
                Some(&Message::Outcome(outcome.clone()))
            );
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
        let at = JobProgress { step: JobStep::Walking, done: 3, total: 9 };
        assert_eq!(parse(progress_text(at).as_bytes()), Some(Message::Progress(3, 9)));
    }

    #[test]
    fn an_invalid_line_is_refused() {
        let check = |line: &str| assert_eq!(parse(line.as_bytes()), None, "{line}");
        check("");
        check("sound");
        check("{}");
        check(r#"{"done":-1,"total":2}"#);
        check(r#"{"pagesUsed":1,"pagesFree":0,"findings":[]}"#);
        check(r#"{"pagesUsed":1,"pagesFree":0,"findings":[1],"damagedRows":0,"rows":[]}"#);
        check(
            r#"{"pagesUsed":1,"pagesFree":0,"findings":[],"damagedRows":1,"rows":[{"table":"x"}]}"#,
        );
    }
}
