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

#[test]
fn a_conversion_leaves_placeholders_and_the_other_unit_alone() {
    // Numbers: seconds, zeros, a year as text, milliseconds, and an instant of 1985.
    let secs = NOW_MS / 1_000;
    let mut all: Vec<Bson> = (0..97).map(|n| (secs + n).into()).collect();
    all.extend([0.into(), "2026".into(), NOW_MS.into(), 500_000_000.into(), vec![secs].into()]);
    let store = Store::new();
    store.index("shop", ttl("d", 365 * 86_400));
    store.insert("shop", values("d", all));
    let said = store.mend(FindingId::NeverAll);
    let converted = store.ids("shop", doc! { "d": { "$type": "date" } });
    assert_eq!(converted, (0..97).collect::<Vec<i64>>(), "{said:?}");
    let from = doc! { "$gte": date(0), "$lt": date(97_000) };
    assert_eq!(store.ids("shop", doc! { "d": from }).len(), 97);
    // Text: dates and placeholders.
    let store = Store::new();
    store.index("shop", ttl("d", 365 * 86_400));
    let text = ["2026-05-01", "2026-05-02T10:00:00Z", "0001-01-01", "9999-12-31", "N/A", "2026"];
    store.insert("shop", values("d", text));
    store.insert("shop", [doc! { "_id": 9_i64, "d": 5 }]);
    store.mend(FindingId::NeverAll);
    assert_eq!(store.ids("shop", doc! { "d": { "$type": "date" } }), [0, 1]);
}

#[test]
fn the_lines_for_a_partial_rule_reach_only_its_documents() {
    let partial = |field: &str| {
        let mut index = ttl(field, 999_999_999);
        index.insert("partialFilterExpression", doc! { "paid": true });
        index
    };
    let with = |value: &dyn Fn(i64) -> Bson| {
        let store = Store::new();
        store.index("shop", partial("at"));
        let document = |n| doc! { "_id": n, "at": value(n), "paid": n % 2 == 0 };
        store.insert("shop", (0..30).map(document));
        store
    };
    let odd = doc! { "paid": false, "at": { "$type": "date" } };
    let store = with(&|_| "2026-05-01".into());
    store.mend(FindingId::NeverAll);
    assert_eq!(store.ids("shop", doc! { "at": { "$type": "date" } }).len(), 15);
    assert_eq!(store.ids("shop", odd.clone()).len(), 0);
    // The find lists those that no line converts.
    let store = with(&|_| Bson::Null);
    let said = store.run(&format!(
        "{}.toArray().length",
        store.finding(FindingId::NeverAll).mend.command.expect("a command")
    ));
    assert_eq!(said, ["15"]);
    let store = with(&|n| DateTime::from_millis(NOW_MS / 1_000 + n).into());
    store.mend(FindingId::Unit);
    assert_eq!(store.ids("shop", doc! { "at": { "$gte": date(0) } }).len(), 15);
    // The rule that comes instead keeps the filter.
    let store = Store::new();
    store.index("shop", partial("createdAt"));
    store.index("shop", doc! { "key": { "createdDate": 1 }, "name": "createdDate_1" });
    let document = |n| doc! { "_id": n, "createdDate": date(n), "paid": n % 2 == 0 };
    store.insert("shop", (0..30).map(document));
    store.mend(FindingId::NeverAll);
    let made = store.indexes().into_iter().find(|it| it.contains_key("expireAfterSeconds"));
    let filter = made.and_then(|it| it.get_document("partialFilterExpression").ok().cloned());
    assert_eq!(filter, Some(doc! { "paid": true }));
}

#[test]
fn dates_of_the_wrong_unit_are_corrected_in_arrays_too() {
    for (wrong, id) in [(NOW_MS / 1_000, FindingId::Unit), (NOW_MS * 1_000, FindingId::Unit)] {
        let store = Store::new();
        store.index("shop", ttl("a.at", 60));
        let wrong = DateTime::from_millis(wrong);
        let rows = [
            doc! { "_id": 0_i64, "a": { "at": wrong } },
            doc! { "_id": 1_i64, "a": { "at": [wrong, date(5), "x"] } },
            doc! { "_id": 2_i64, "a": [{ "at": wrong }] },
            doc! { "_id": 3_i64, "a": { "at": date(5) } },
        ];
        store.insert("shop", rows);
        store.mend(id);
        assert_eq!(store.ids("shop", doc! { "a.at": date(0) }), [0, 1]);
        assert_eq!(store.ids("shop", doc! { "a.at": [date(0), date(5), "x"] }), [1]);
        assert_eq!(store.ids("shop", doc! { "a.0.at": wrong }), [2], "it is left alone");
    }
}

#[test]
fn a_field_that_has_an_index_gets_its_ttl_in_place() {
    for (key, name, expected) in [
        (doc! { "createdDate": 1 }, "createdDate_1", "createdDate_1"),
        (doc! { "createdDate": -1 }, "newest", "newest"),
        // Another index has the usual name.
        (doc! { "createdDate": 1, "n": 1 }, "createdDate_1", "createdDate_ttl"),
    ] {
        let store = Store::new();
        store.index("shop", ttl("createdAt", 86_400));
        store.index("shop", doc! { "key": key, "name": name });
        let document = |n| doc! { "_id": n, "createdDate": date(n - 400 * DAY_MS) };
        store.insert("shop", (0..30).map(document));
        store.mend(FindingId::NeverAll);
        let rule = |store: &Store| {
            let mut rules = store.indexes();
            rules.retain(|index| index.contains_key("expireAfterSeconds"));
            let names = rules.iter().filter_map(|index| index.get_str("name").ok());
            names.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(rule(&store), [expected]);
        // A collection without a rule likewise.
        let store = Store::new();
        let key = if expected == "createdDate_ttl" {
            doc! { "at": 1, "n": 1 }
        } else {
            doc! { "at": 1 }
        };
        store.index("shop", doc! { "key": key, "name": "at_1" });
        store.insert("shop", (0..30).map(|n| doc! { "_id": n, "at": date(-n * 20 * DAY_MS) }));
        store.mend(FindingId::Candidate);
        let name = if expected == "createdDate_ttl" { "at_ttl" } else { "at_1" };
        assert_eq!(rule(&store), [name]);
    }
}

impl Store {
    fn count(&self) -> usize {
        self.ids("shop", Document::new()).len()
    }

    fn pass_after(&self, ms: i64) {
        self.ok("admin", &doc! { "mayflyClock": 1, "advanceMS": ms });
        self.ok("admin", &doc! { "mayflyReap": 1 });
    }
}

/// Lines that run a pass instead of waiting for one, and print how many documents it leaves.
fn with_passes(lines: &str) -> String {
    let pass = "db.adminCommand({ mayflyReap: 1 }); print(coll.countDocuments({}))";
    lines.replace("sleep(60000)", pass)
}

/// The most documents that went in a pass.
fn steepest(said: &[String], before: usize) -> usize {
    let counts = said.iter().filter_map(|line| line.parse::<usize>().ok());
    let counts: Vec<usize> = std::iter::once(before).chain(counts).collect();
    counts.windows(2).map(|pair| pair[0] - pair[1]).max().unwrap_or(before)
}

#[test]
fn a_minute_ahead_is_spread_by_its_lines() {
    let store = Store::new();
    store.index("shop", ttl("b", 60));
    store.index("shop", ttl("a", 60));
    // One rule has documents that are overdue, another one those of the minute.
    let count = 10_020_i64;
    let minute = |n: i64| doc! { "_id": n, "b": date(DAY_MS + n * 59_000 / count) };
    store.insert("shop", (0..count).map(minute));
    store.insert("shop", (count..count + 5).map(|n| doc! { "_id": n, "a": date(-DAY_MS) }));
    let finding = store.finding(FindingId::Cliff);
    assert_eq!(finding.place.index.as_deref(), Some("b_1"));
    let lines = with_passes(&finding.mend.command.expect("a command"));
    let said = store.run(&lines);
    assert!(said.iter().any(|line| line.contains("Run these lines again after")), "{said:?}");
    store.pass_after(DAY_MS + 180_000);
    assert_eq!(store.count(), 10_020, "none of the minute went");
    let said = store.run(&lines);
    assert_eq!(store.count(), 0, "{said:?}");
    // Documents of the same second go together.
    assert!(steepest(&said, 10_020) <= 1_002 + 180, "{said:?}");
    let secs = store.indexes().iter().filter_map(|it| it.get_i32("expireAfterSeconds").ok()).min();
    assert_eq!(secs, Some(60));
}

#[test]
fn a_backlog_goes_in_steps_also_by_a_hidden_index() {
    let store = Store::new();
    store.index("shop", ttl("at", 60));
    let hide = doc! { "collMod": "c", "index": { "name": "at_1", "hidden": true } };
    store.ok("shop", &hide);
    store.ok("admin", &doc! { "setParameter": 1, "ttlMonitorEnabled": false });
    store.insert("shop", (0..600_i64).map(|n| doc! { "_id": n, "at": date(-n * 60_000) }));
    let lines = store.finding(FindingId::BacklogAtStart).mend.command.expect("a command");
    let said = store.run(&with_passes(&lines));
    assert_eq!(store.count(), 1, "{said:?}");
    assert!(steepest(&said, 600) <= 61, "{said:?}");
}

#[test]
fn the_time_of_insertion_is_past_at_insertion() {
    let store = Store::new();
    store.index("shop", ttl("createdAt", 0));
    // As a program makes them: the `_id` with whole seconds, and the date next to it.
    let insert = |after_ms: i64| {
        let id = |n: i64| {
            let mut id = [u8::try_from(n).expect("few"); 12];
            let secs = u32::try_from((NOW_MS + n * 450) / 1_000).expect("a time");
            id[..4].copy_from_slice(&secs.to_be_bytes());
            bson::oid::ObjectId::from_bytes(id)
        };
        let row = |n| doc! { "_id": id(n), "createdAt": date(n * 450 + after_ms) };
        store.ok("shop", &doc! { "delete": "c", "deletes": [{ "q": {}, "limit": 0 }] });
        store
            .ok("shop", &doc! { "insert": "c", "documents": (0..30).map(row).collect::<Vec<_>>() });
    };
    insert(0);
    let found = store.finding(FindingId::ZeroAndPast);
    assert!(found.evidence[0].starts_with("30 of 30"), "{found:?}");
    insert(60_000);
    let found = store.audit().findings;
    assert!(found.iter().all(|one| one.id != FindingId::ZeroAndPast), "{found:?}");
}
