//! Changes of many documents on both kinds of server, and their undo.

use std::sync::Arc;

use bson::doc;
use mayfly_tests::documentdb::{DocumentDb, Habit, Habits};

use super::*;
use crate::job::bulk::Made;
use crate::job::{ConnectionString, Gauge};
use crate::source::remote::open_string;
use crate::source::{Capabilities, Events};

/// A server without a folder for journals on this machine.
struct Unkept(Arc<dyn Source>);

impl Source for Unkept {
    fn run(&self, db: &str, command: &Document) -> Document {
        self.0.run(db, command)
    }

    fn read_back(&self, db: &str, find: &Document) -> Option<Result<Vec<RawDocumentBuf>, String>> {
        self.0.read_back(db, find)
    }

    fn subscribe(&self) -> Events {
        self.0.subscribe()
    }

    fn capabilities(&self) -> Capabilities {
        self.0.capabilities()
    }
}

struct Lab {
    server: DocumentDb,
    source: Arc<dyn Source>,
}

impl Lab {
    fn new(habits: Habits) -> Self {
        let server = DocumentDb::start(habits);
        let documents: Vec<Document> =
            (0..250).map(|id| doc! { "_id": id, "n": id % 10, "a": { "b": [id] } }).collect();
        server.prepare("d", &doc! { "insert": "c", "documents": documents });
        let string = ConnectionString::read(&server.uri()).expect("a string");
        let source = open_string(&string, None).expect("it connects");
        source.set_locked(false);
        Self { server, source: Arc::new(Unkept(source)) }
    }

    fn change(&self, change: BulkChange) -> BulkReport {
        let gauge = Arc::new(Gauge::default());
        let namespace = Namespace::new("d", "c");
        let work = BulkWork { namespace, change, journal: None, gauge };
        run(self.source.as_ref(), &work, &Cancel::default(), &mut |_| ())
    }

    fn update(&self, update: Bson) -> BulkReport {
        let target = Target::Matching(doc! { "n": { "$lt": 5 } });
        self.change(BulkChange::Update { target, update })
    }
}

fn made(report: &BulkReport) -> Arc<Made> {
    let pairs = report.pairs.clone().expect("they are kept");
    Arc::new(Made { namespace: Namespace::new("d", "c"), pairs, verb: "Updated", field: None })
}

#[test]
fn an_update_is_undone_and_made_again() {
    for habits in [Habits::documentdb(), Habits::mongodb()] {
        let lab = Lab::new(habits);
        let before = lab.server.stored("d", "c");
        let report = lab.update(doc! { "$set": { "a": 1, "x": 2 } }.into());
        assert_eq!((report.changed, &report.end), (125, &End::Complete));
        let after = lab.server.stored("d", "c");
        assert_ne!(after, before);
        let made = made(&report);
        let back = lab.change(BulkChange::Back(Arc::clone(&made)));
        assert_eq!((back.changed, back.refused, &back.end), (125, 0, &End::Complete));
        assert_eq!(lab.server.stored("d", "c"), before);
        let again = lab.change(BulkChange::Again(made));
        assert_eq!((again.changed, &again.end), (125, &End::Complete));
        assert_eq!(lab.server.stored("d", "c"), after);
        for update in lab.server.sent("update") {
            assert!(!update.contains_key("let"), "{update}");
        }
    }
}

#[test]
fn an_update_that_a_server_carries_out_otherwise_stops_and_can_be_undone() {
    let lab = Lab::new(Habits::documentdb());
    let before = lab.server.stored("d", "c");
    let pipeline = doc! { "$replaceWith": { "$mergeObjects": ["$$ROOT", { "x": 1 }] } };
    let report = lab.update(Bson::Array(vec![pipeline.into()]));
    let End::Failed(sentence) = &report.end else { panic!("{:?}", report.end) };
    assert!(sentence.contains("with its field _id twice"), "{sentence}");
    let back = lab.change(BulkChange::Back(made(&report)));
    assert_eq!((back.changed, &back.end), (125, &End::Complete));
    assert_eq!(lab.server.stored("d", "c"), before);
}

#[test]
fn an_undo_that_a_server_carries_out_otherwise_stops() {
    let lab = Lab::new(Habits::documentdb().with(Habit::Garbling));
    let report = lab.update(doc! { "$set": { "x": 2 } }.into());
    let back = lab.change(BulkChange::Back(made(&report)));
    let End::Failed(sentence) = &back.end else { panic!("{:?}", back.end) };
    assert!(sentence.contains("with its field _id twice"), "{sentence}");
}
