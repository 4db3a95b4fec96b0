//! The lines that findings suggest, run on the store that was audited.

use std::sync::Arc;

use bson::{Bson, DateTime, Document, doc};

use crate::inspect::audit::{Audit, Finding, FindingId};
use crate::job::reply::{batch, refusal};
use crate::job::{Cancel, OpenRequest, Sandbox};
use crate::shell::{Output, Shell, ShellLimits};
use crate::source::{Source, embedded};
use crate::worker::audit::{AuditSubject, AuditWork};

/// 2026-06-01T12:00:00Z.
const NOW_MS: i64 = 1_780_315_200_000;

const DAY_MS: i64 = 86_400_000;

struct Store(Arc<dyn Source>);

impl Store {
    fn new() -> Self {
        let request = OpenRequest {
            sandbox: Some(Sandbox::Empty),
            simulated_start_ms: Some(NOW_MS),
            ..OpenRequest::default()
        };
        let opened = embedded::opener()(&request).map_err(|error| error.message);
        Self(opened.expect("a sandbox").source)
    }

    #[track_caller]
    fn ok(&self, db: &str, command: &Document) -> Document {
        let reply = self.0.run(db, command);
        assert_eq!(refusal(&reply), None, "{command}");
        reply
    }

    fn index(&self, db: &str, index: Document) {
        self.ok(db, &doc! { "createIndexes": "c", "indexes": [index] });
    }

    fn insert(&self, db: &str, documents: impl IntoIterator<Item = Document>) {
        let documents: Vec<Document> = documents.into_iter().collect();
        for part in documents.chunks(5_000) {
            self.ok(db, &doc! { "insert": "c", "documents": part.to_vec() });
        }
    }

    fn audit(&self) -> Audit {
        let subject = AuditSubject { name: "here".to_owned(), ..AuditSubject::default() };
        let found = AuditWork::new(subject).run(self.0.as_ref(), &Cancel::default(), &|_| ());
        found.expect("an audit")
    }

    #[track_caller]
    fn finding(&self, id: FindingId) -> Finding {
        let found = self.audit().findings;
        let one = found.iter().find(|finding| finding.id == id).cloned();
        one.unwrap_or_else(|| panic!("{found:#?}"))
    }

    /// Runs lines as the console does. Returns what they print.
    #[track_caller]
    fn run(&self, lines: &str) -> Vec<String> {
        let limits = ShellLimits { time: None, ..ShellLimits::default() };
        let mut shell = Shell::new(Arc::clone(&self.0), limits).expect("a shell");
        let mut said = Vec::new();
        let all = shell.run_input(lines, &Cancel::default(), &mut |output| match output {
            Output::Printed(line) | Output::Failed(line) => said.push(line),
            Output::Value { text, .. } => said.push(text),
        });
        assert!(all, "{lines}\n{said:?}");
        said
    }

    /// Runs the lines of a finding.
    #[track_caller]
    fn mend(&self, id: FindingId) -> Vec<String> {
        let finding = self.finding(id);
        self.run(&finding.mend.command.expect("a command"))
    }

    /// The `_id`s that a filter finds, in order.
    fn ids(&self, db: &str, filter: Document) -> Vec<i64> {
        let find = doc! {
            "find": "c", "filter": filter, "sort": { "_id": 1 }, "batchSize": 20_000,
        };
        let reply = self.ok(db, &find);
        let id = |document: &Document| document.get_i64("_id").ok();
        batch(&reply).filter_map(id).collect()
    }

    fn indexes(&self) -> Vec<Document> {
        batch(&self.ok("shop", &doc! { "listIndexes": "c" })).cloned().collect()
    }
}

/// Documents with these values in a field, numbered from 0.
fn values<V: Into<Bson>>(field: &str, values: impl IntoIterator<Item = V>) -> Vec<Document> {
    let numbered = values.into_iter().zip(0_i64..);
    numbered.map(|(value, id)| doc! { "_id": id, field: value.into() }).collect()
}

fn date(after_ms: i64) -> DateTime {
    DateTime::from_millis(NOW_MS + after_ms)
}

fn ttl(field: &str, secs: i64) -> Document {
    doc! { "key": { field: 1 }, "name": format!("{field}_1"), "expireAfterSeconds": secs }
}

#[test]
fn a_field_named_ttl_means_nothing_without_the_rules_of_cosmos() {
    let store = Store::new();
    store.insert("shop", values("ttl", vec![300_i64; 40]));
    assert_eq!(store.audit().findings, []);
    // An index on `_ts` gives it its meaning.
    let index = doc! { "key": { "_ts": 1 }, "name": "_ts_1", "expireAfterSeconds": 9_999_999 };
    store.index("shop", index);
    store.insert("shop", [doc! { "_id": 100_i64, "ttl": "60" }]);
    assert!(store.finding(FindingId::CosmosTtl).sentence.contains("1 document"));
    let cosmos = Store::new();
    cosmos.ok("cosmos", &doc! { "mayflyDialect": "cosmos" });
    cosmos.insert("cosmos", values("ttl", vec![300_i64; 40]));
    let said = cosmos.finding(FindingId::CosmosTtl);
    assert!(said.evidence[0].contains("up to 40 documents may go"), "{said:?}");
    assert!(said.mend.sentence.contains("removes each one"), "{said:?}");
}

#[test]
fn exactly_the_documents_whose_ttl_is_ignored_are_listed() {
    let store = Store::new();
    store.ok("cosmos", &doc! { "mayflyDialect": "cosmos" });
    let index = doc! { "key": { "_ts": 1 }, "name": "_ts_1", "expireAfterSeconds": 9_999_999 };
    store.index("cosmos", index);
    let decimal = || Bson::Decimal128("60".parse().expect("a decimal"));
    let all: Vec<Bson> = vec![
        (-1).into(),
        60.into(),
        60.0.into(),
        i64::from(i32::MAX).into(),
        1.5.into(),
        decimal(),
        vec![60].into(),
        "60".into(),
        0.into(),
        (-2).into(),
        (i64::from(i32::MAX) + 1).into(),
        Bson::Null,
        f64::NAN.into(),
    ];
    store.insert("cosmos", values("ttl", all));
    store.insert("cosmos", [doc! { "_id": 99_i64 }]);
    let finding = store.finding(FindingId::CosmosTtl);
    let ignored = finding.documents.map(mayfly_engine::reply::DocCount::likely);
    assert_eq!(ignored, Some(9), "{finding:?}");
    let command = finding.mend.command.expect("a command");
    let said = store.run(&format!("{command}.toArray().map((one) => Number(one._id)).join()"));
    assert_eq!(said, ["4,5,6,7,8,9,10,11,12"], "{command}");
}
