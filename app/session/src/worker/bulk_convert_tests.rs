//! Text becomes dates, on both kinds of server, and becomes text again.

use std::sync::{Arc, Mutex};

use bson::{DateTime, doc};
use mayfly_engine::transfer::{Unconverted, Zone};
use mayfly_engine::value::date_text::DateForm;
use mayfly_tests::documentdb::{DocumentDb, Habit, Habits};

use super::*;
use crate::job::bulk::Made;
use crate::job::convert::Conversion;
use crate::job::{ConnectionString, Gauge};
use crate::source::remote::open_string;
use crate::source::{Capabilities, Events};

/// A server where another client writes just before the first update.
struct Meddled {
    source: Arc<dyn Source>,
    write: Mutex<Option<Document>>,
}

impl Source for Meddled {
    fn run(&self, db: &str, command: &Document) -> Document {
        let write =
            self.write.lock().expect("not poisoned").take_if(|_| command.contains_key("update"));
        if let Some(write) = write {
            self.source.run(db, &write);
        }
        self.source.run(db, command)
    }

    fn read_back(&self, db: &str, find: &Document) -> Option<Result<Vec<RawDocumentBuf>, String>> {
        self.source.read_back(db, find)
    }

    fn subscribe(&self) -> Events {
        self.source.subscribe()
    }

    fn capabilities(&self) -> Capabilities {
        self.source.capabilities()
    }
}

struct Lab {
    server: DocumentDb,
    source: Meddled,
}

fn day(id: i32) -> String {
    format!("2024-05-{:02}", id % 28 + 1)
}

impl Lab {
    fn new(habits: Habits) -> Self {
        let server = DocumentDb::start(habits);
        let document = |id: i32| doc! { "_id": id, "a": { "at": day(id), "n": id }, "s": "x" };
        let mut documents: Vec<Document> = (0..1_200).map(document).collect();
        documents.push(doc! { "_id": 2_000, "a": { "at": "TBD" } });
        documents.push(doc! { "_id": 2_001, "a": { "at": ["2024-05-01"] } });
        documents.push(doc! { "_id": 2_002, "a": [{ "at": "2024-05-01" }] });
        documents.push(doc! { "_id": 2_003, "a": { "at": 5 } });
        server.prepare("d", &doc! { "insert": "c", "documents": documents });
        let string = ConnectionString::read(&server.uri()).expect("a string");
        let source = open_string(&string, None).expect("it connects");
        source.set_locked(false);
        Self { server, source: Meddled { source, write: Mutex::default() } }
    }

    fn meanwhile(&self, id: i32, set: Document) {
        let update = doc! { "q": { "_id": id }, "u": { "$set": set } };
        let write = doc! { "update": "c", "updates": [update] };
        *self.source.write.lock().expect("not poisoned") = Some(write);
    }

    fn change(&self, change: BulkChange) -> BulkReport {
        let gauge = Arc::new(Gauge::default());
        let namespace = Namespace::new("d", "c");
        let work = BulkWork { namespace, change, journal: None, gauge };
        run(&self.source, &work, &Cancel::default(), &mut |_| ())
    }

    fn convert(&self, unconverted: Unconverted) -> BulkReport {
        self.change(BulkChange::Convert(Conversion {
            path: "a.at".to_owned(),
            forms: vec![DateForm::Iso],
            zone: Zone::UTC,
            unconverted,
        }))
    }

    fn at(&self, id: i32) -> Bson {
        let found = self.server.run("d", &doc! { "find": "c", "filter": { "_id": id } });
        let found = found.get_document("cursor").and_then(|it| it.get_array("firstBatch"));
        let found = found.expect("a batch")[0].as_document().expect("a document").clone();
        found.get_document("a").expect("a").get("at").cloned().expect("a field")
    }

    fn stored(&self) -> Vec<RawDocumentBuf> {
        self.server.stored("d", "c")
    }
}

fn made(report: &BulkReport) -> Arc<Made> {
    let pairs = report.pairs.clone().expect("they are kept");
    let namespace = Namespace::new("d", "c");
    Arc::new(Made { namespace, pairs, verb: "Converted", field: Some("a.at".to_owned()) })
}

fn date(text: &str) -> Bson {
    DateTime::parse_rfc3339_str(format!("{text}T00:00:00Z")).expect("a date").into()
}

#[test]
fn text_becomes_dates_and_text_again() {
    for habits in [Habits::documentdb(), Habits::mongodb()] {
        let lab = Lab::new(habits);
        let before = lab.stored();
        let report = lab.convert(Unconverted::Keep);
        assert_eq!((report.changed, &report.end), (1_200, &End::Complete), "{report:?}");
        assert_eq!((report.unchanged, report.refused), (0, 0));
        assert_eq!(lab.at(3), date("2024-05-04"));
        assert_eq!(lab.at(2_000), "TBD".into());
        let after = lab.stored();
        let back = lab.change(BulkChange::Back(made(&report)));
        assert_eq!((back.changed, &back.end), (1_200, &End::Complete));
        assert_eq!(lab.stored(), before, "byte by byte");
        let again = lab.change(BulkChange::Again(made(&report)));
        assert_eq!((again.changed, &again.end), (1_200, &End::Complete));
        assert_eq!(lab.stored(), after);
        for update in lab.server.sent("update") {
            let text = update.to_string();
            assert!(!text.contains("$replaceWith") && !update.contains_key("let"), "{text}");
            assert!(update.get_array("updates").is_ok_and(|all| all.len() <= 1_000));
        }
    }
}

#[test]
fn a_change_by_another_client_is_kept() {
    for habits in [Habits::documentdb(), Habits::mongodb()] {
        let lab = Lab::new(habits);
        lab.meanwhile(7, doc! { "a.at": ["2024-05-08", "x"] });
        let report = lab.convert(Unconverted::Keep);
        assert_eq!((report.changed, report.unchanged), (1_199, 1), "{report:?}");
        assert_eq!(lab.at(7), Bson::Array(vec!["2024-05-08".into(), "x".into()]));
        // Other fields may change before the undo, and a date that no longer stands stays.
        lab.meanwhile(8, doc! { "a.at": "later" });
        let other = doc! { "q": { "_id": 9 }, "u": { "$set": { "s": "y" } } };
        lab.server.prepare("d", &doc! { "update": "c", "updates": [other] });
        let back = lab.change(BulkChange::Back(made(&report)));
        assert_eq!((back.changed, back.left.len()), (1_198, 1), "{:?}", back.end);
        assert_eq!((lab.at(8), lab.at(9)), ("later".into(), day(9).into()));
    }
}

#[test]
fn all_or_nothing_is_decided_before_the_first_write() {
    let lab = Lab::new(Habits::documentdb());
    let before = lab.stored();
    let report = lab.convert(Unconverted::Reject);
    let End::Failed(sentence) = &report.end else { panic!("{:?}", report.end) };
    assert!(sentence.contains("_id 2000, “TBD”"), "{sentence}");
    assert_eq!(lab.stored(), before);
    assert!(lab.server.sent("update").is_empty());
    let report = lab.convert(Unconverted::Null);
    assert_eq!(report.changed, 1_201, "{report:?}");
    assert_eq!(lab.at(2_000), Bson::Null);
    let back = lab.change(BulkChange::Back(made(&report)));
    assert_eq!(back.changed, 1_201, "{:?}", back.end);
    assert_eq!(lab.stored(), before);
}

#[test]
fn a_server_that_stores_another_date_ends_the_conversion() {
    let lab = Lab::new(Habits::documentdb().with(Habit::Garbling));
    let report = lab.convert(Unconverted::Keep);
    let End::Failed(sentence) = &report.end else { panic!("{:?}", report.end) };
    assert!(sentence.contains("twice"), "{sentence}");
    assert_eq!(lab.server.sent("update").len(), 1, "nothing more is sent");
}

/// A server that takes some dates, and then asks to slow down for too long.
struct Tired(&'static Lab, Mutex<u32>);

impl Source for Tired {
    fn run(&self, db: &str, command: &Document) -> Document {
        self.0.source.run(db, command)
    }

    fn run_write(&self, db: &str, command: &Document, _: &dyn Fn() -> bool) -> Document {
        let mut left = self.1.lock().expect("not poisoned");
        if *left == 0 {
            return doc! { "ok": 0.0, "code": 16_500, "errmsg": "took nothing for 120 s" };
        }
        *left -= 1;
        let mut some = command.clone();
        some.get_array_mut("updates").expect("a list").truncate(10);
        let mut reply = self.0.source.run(db, &some);
        let error =
            |at: i32| doc! { "index": at, "code": 16_500, "errmsg": "took nothing for 120 s" };
        let count = command.get_array("updates").expect("a list").len();
        let count = i32::try_from(count).expect("small");
        reply.insert("writeErrors", (10..count).map(error).collect::<Vec<_>>());
        reply
    }

    fn subscribe(&self) -> Events {
        self.0.source.subscribe()
    }

    fn capabilities(&self) -> Capabilities {
        self.0.source.capabilities()
    }
}

#[test]
fn a_server_that_asks_to_slow_down_for_too_long_ends_the_conversion() {
    let lab: &'static Lab = Box::leak(Box::new(Lab::new(Habits::mongodb())));
    let before = lab.stored();
    let tired = Tired(lab, Mutex::new(1));
    let change = BulkChange::Convert(Conversion {
        path: "a.at".to_owned(),
        forms: vec![DateForm::Iso],
        zone: Zone::UTC,
        unconverted: Unconverted::Keep,
    });
    let gauge = Arc::new(Gauge::default());
    let work = BulkWork { namespace: Namespace::new("d", "c"), change, journal: None, gauge };
    let report = run(&tired, &work, &Cancel::default(), &mut |_| ());
    assert_eq!(report.end, End::Failed("took nothing for 120 s".to_owned()));
    assert_eq!(report.changed, 10, "what was done is known");
    let back = lab.change(BulkChange::Back(made(&report)));
    assert_eq!((back.changed, lab.stored()), (10, before));
}
