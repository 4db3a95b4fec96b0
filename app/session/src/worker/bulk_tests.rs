//! Changes of many documents over a real store.

use std::path::Path;
use std::sync::Arc;

use bson::doc;

use super::*;
use crate::job::bulk::Made;
use crate::job::{Gauge, TrashScope};
use crate::source::OpenRequest;
use crate::source::embedded::opener;

/// A store in a temporary folder. It closes before its folder is removed.
struct Store {
    source: Arc<dyn Source>,
    folder: tempfile::TempDir,
}

fn store() -> Store {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let request = OpenRequest {
        folder: Some(folder.path().join("store")),
        simulated_start_ms: Some(1_780_315_200_000),
        ..OpenRequest::default()
    };
    let opened = opener()(&request).expect("a store");
    Store { source: opened.source, folder }
}

impl Store {
    fn run(&self, command: &Document) -> Document {
        let reply = self.source.run("d", command);
        assert_eq!(refusal(&reply), None, "{command}");
        reply
    }

    fn fill(&self, count: i32) {
        let all: Vec<Document> = (0..count).map(|id| doc! {"_id": id, "n": id % 10}).collect();
        for some in all.chunks(1_000) {
            self.run(&doc! {"insert": "c", "documents": some.to_vec()});
        }
    }

    fn count(&self, collection: &str, filter: Document) -> i32 {
        let reply = self.run(&doc! {"count": collection, "query": filter});
        reply.get_i32("n").expect("a number")
    }

    fn change(&self, change: BulkChange) -> BulkReport {
        self.logged(change).0
    }

    fn logged(&self, change: BulkChange) -> (BulkReport, Vec<Document>) {
        let gauge = Arc::new(Gauge::default());
        let namespace = Namespace::new("d", "c");
        let work = BulkWork { namespace, change, journal: None, gauge };
        let mut sent = Vec::new();
        let report = run(self.source.as_ref(), &work, &Cancel::default(), &mut |reply| {
            sent.push(reply.command);
        });
        (report, sent)
    }
}

fn made(report: BulkReport, verb: &'static str) -> Arc<Made> {
    let pairs = report.pairs.expect("they are kept");
    Arc::new(Made { namespace: Namespace::new("d", "c"), pairs, verb, field: None })
}

fn update(filter: Document, update: Document) -> BulkChange {
    BulkChange::Update { target: Target::Matching(filter), update: Bson::Document(update) }
}

#[test]
fn all_that_match_are_deleted_in_steps_and_brought_back() {
    let store = store();
    store.fill(2_500);
    let filter = doc! {"n": {"$lt": 9}};
    let (report, sent) = store.logged(BulkChange::Delete(Target::Matching(filter.clone())));
    assert_eq!((report.changed, report.refused), (2_250, 0));
    assert_eq!(report.end, End::Complete);
    assert_eq!(sent.len(), 3, "steps of 1,000");
    assert_eq!((store.count("c", doc! {}), store.count("c", filter.clone())), (250, 0));
    let made = made(report, "Deleted");
    let back = store.change(BulkChange::Back(Arc::clone(&made)));
    assert_eq!((back.changed, back.unchanged), (2_250, 0));
    assert_eq!(store.count("c", filter.clone()), 2_250);
    assert_eq!(back.pairs.as_ref().map(Vec::len), Some(2_250));
    let again = store.change(BulkChange::Again(made));
    assert_eq!(again.changed, 2_250);
    assert_eq!(store.count("c", filter), 0);
}

#[test]
fn a_collation_decides_what_matches_and_not_which_id_is_meant() {
    let store = store();
    let all = ["a", "A", "b", "ä", "B"].map(|id| doc! { "_id": id, "w": id });
    let other = doc! { "_id": "Ä", "w": "other" };
    let documents: Vec<Document> = all.into_iter().chain([other]).collect();
    store.run(&doc! { "insert": "c", "documents": documents });
    let collation = doc! { "locale": "de", "strength": 1 };
    let matching =
        |word: &str| Target::Collated { filter: doc! { "w": word }, collation: collation.clone() };
    let change = BulkChange::Update {
        target: matching("A"),
        update: Bson::Document(doc! { "$set": { "x": 1 } }),
    };
    let report = store.change(change);
    assert_eq!((report.changed, &report.end), (3, &End::Complete));
    assert_eq!(store.count("c", doc! { "x": 1, "_id": { "$in": ["a", "A", "ä"] } }), 3);
    let except = Target::Collated {
        filter: doc! { "$and": [{ "w": "b" }, { "_id": { "$nin": ["x"] } }] },
        collation: collation.clone(),
    };
    let (report, sent) = store.logged(BulkChange::Delete(except));
    assert_eq!(report.changed, 2);
    assert!(!sent[0].to_string().contains("collation"), "{sent:?}");
    assert_eq!(store.count("c", doc! { "w": "other" }), 1, "Ä is equal to A, and another _id");
    let report = store.change(BulkChange::Delete(matching("none")));
    assert_eq!((report.changed, report.end), (0, End::Complete));
}

#[test]
fn an_update_that_moves_documents_out_of_its_filter_meets_each_one_once() {
    let store = store();
    store.fill(3_000);
    store.run(&doc! {"createIndexes": "c", "indexes": [{"key": {"n": 1}, "name": "n_1"}]});
    let report = store.change(update(doc! {"n": {"$gte": 5}}, doc! {"$inc": {"n": 1}}));
    assert_eq!((report.changed, report.unchanged), (1_500, 0));
    assert_eq!(store.count("c", doc! {"n": 11}), 0, "none was counted up twice");
    assert_eq!(store.count("c", doc! {"n": 10}), 300);
    let back = store.change(BulkChange::Back(made(report, "Updated")));
    assert_eq!(back.changed, 1_500);
    assert_eq!(store.count("c", doc! {"n": 10}), 0);
    assert_eq!(store.count("c", doc! {"n": 5}), 300);
}

#[test]
fn every_value_comes_back_as_it_was() {
    let store = store();
    let odd = doc! {
        "_id": {"a": 1, "b": "$x"}, "n": 5_i64, "text": "$n", "sub": {"$in": [1]}, "d": 2.0,
        "at": bson::DateTime::from_millis(1), "list": [1, [2, "$$ROOT"]], "none": Bson::Null,
    };
    let all = [odd.clone(), doc! {"_id": 1_i64, "n": 1}, doc! {"_id": "1", "n": 2.5}];
    store.run(&doc! {"insert": "c", "documents": all.to_vec()});
    let read = |store: &Store| reply::documents(&store.run(&doc! {"find": "c", "filter": {}}));
    let before = read(&store);
    let change = doc! {"$set": {"n": "other", "new": 1}, "$unset": {"d": 1, "sub": 1}};
    let report = store.change(update(doc! {}, change));
    assert_eq!(report.changed, 3);
    let back = store.change(BulkChange::Back(made(report, "Updated")));
    assert_eq!((back.changed, back.refused, back.left.len()), (3, 0, 0), "{:?}", back.refusal);
    assert_eq!(read(&store), before);
}

#[test]
fn documents_that_expire_by_their_last_modification_come_back_too() {
    let store = store();
    let index = doc! {"key": {"_ts": 1}, "name": "ts", "expireAfterSeconds": 600};
    store.run(&doc! {"createIndexes": "c", "indexes": [index]});
    store.fill(3);
    let report = store.change(update(doc! {}, doc! {"$set": {"n": 9}}));
    let back = store.change(BulkChange::Back(made(report, "Updated")));
    assert_eq!((back.changed, back.left.len()), (3, 0));
}

#[test]
fn what_was_changed_since_is_not_taken_back() {
    let store = store();
    store.fill(20);
    let report = store.change(update(doc! {"_id": {"$lt": 3}}, doc! {"$set": {"a": 1}}));
    assert_eq!(report.changed, 3);
    let mine = doc! {"q": {"_id": 1}, "u": {"$set": {"mine": true}}};
    store.run(&doc! {"update": "c", "updates": [mine]});
    let back = store.change(BulkChange::Back(made(report, "Updated")));
    assert_eq!((back.changed, back.unchanged, back.left.len()), (2, 1, 1));
    assert_eq!(store.count("c", doc! {"mine": true, "a": 1}), 1);
    assert_eq!(store.count("c", doc! {"a": 1}), 1);
}

#[test]
fn documents_that_refuse_an_update_do_not_end_the_others() {
    let store = store();
    store.fill(1_200);
    for id in [3, 700] {
        let text = doc! {"q": {"_id": id}, "u": {"$set": {"n": "text"}}};
        store.run(&doc! {"update": "c", "updates": [text]});
    }
    let report = store.change(update(doc! {}, doc! {"$inc": {"n": 100}}));
    assert_eq!((report.changed, report.unchanged, report.refused), (1_198, 0, 2));
    assert!(report.refusal.is_some_and(|why| why.contains("$inc")));
    assert_eq!(store.count("c", doc! {"n": {"$gte": 100, "$lt": 110}}), 1_198, "each once");
    assert_eq!(report.end, End::Complete);
    assert_eq!(report.pairs.map(|pairs| pairs.len()), Some(1_198));
}

#[test]
fn a_pipeline_updates_and_an_update_without_effect_is_counted() {
    let store = store();
    store.fill(30);
    let stages = Bson::Array(vec![bson::bson!({"$set": {"twice": {"$multiply": ["$n", 2]}}})]);
    let target = Target::Ids((0..10).map(Bson::Int32).collect());
    let report =
        store.change(BulkChange::Update { target: target.clone(), update: stages.clone() });
    assert_eq!((report.changed, report.unchanged), (10, 0));
    assert_eq!(store.count("c", doc! {"_id": 7, "twice": 14}), 1);
    let report = store.change(BulkChange::Update { target, update: stages });
    assert_eq!((report.changed, report.unchanged), (0, 10));
}

#[test]
fn documents_are_copied_and_those_that_are_there_stay() {
    let store = store();
    store.fill(1_500);
    store.run(&doc! {"insert": "e", "documents": [{"_id": 7, "mine": true}]});
    let to = Namespace::new("d", "e");
    let copy = BulkChange::Copy { target: Target::Matching(doc! {}), to: to.clone(), folder: None };
    let report = store.change(copy);
    assert_eq!((report.changed, report.unchanged, report.refused), (1_499, 1, 0));
    assert_eq!(store.count("e", doc! {"mine": true}), 1);
    let pairs = report.pairs.expect("they are kept");
    let made = Arc::new(Made { namespace: to, pairs, verb: "Copied", field: None });
    assert_eq!(store.change(BulkChange::Back(made)).changed, 1_499);
    assert_eq!((store.count("e", doc! {}), store.count("c", doc! {})), (1, 1_500));
}

#[test]
fn documents_are_copied_to_another_store() {
    let (store, other) = (store(), store());
    store.fill(1_100);
    let folder = other.folder.path().join("store");
    let copy = |folder: &Path| BulkChange::Copy {
        target: Target::Matching(doc! {"n": 1}),
        to: Namespace::new("d", "e"),
        folder: Some(folder.to_owned()),
    };
    let End::Failed(in_use) = store.change(copy(&folder)).end else { panic!("it is open") };
    assert!(in_use.contains("use"), "{in_use}");
    other.source.close();
    let report = store.change(copy(&folder));
    assert_eq!((report.changed, report.end), (110, End::Complete));
    let opened = opener()(&OpenRequest { folder: Some(folder), ..OpenRequest::default() });
    let reply = opened.expect("it is free again").source.run("d", &doc! {"count": "e"});
    assert_eq!(reply.get_i32("n").ok(), Some(110));
    let missing = store.folder.path().join("none");
    let End::Failed(none) = store.change(copy(&missing)).end else { panic!("none is there") };
    assert!(none.contains("holds no store") && !missing.exists(), "{none}");
}

#[test]
fn a_canceled_change_says_what_was_done_until_then() {
    let store = store();
    store.fill(3_000);
    let gauge = Arc::new(Gauge::default());
    let change = BulkChange::Delete(Target::Matching(doc! {}));
    let work = BulkWork { namespace: Namespace::new("d", "c"), change, journal: None, gauge };
    let cancel = work.gauge.cancel.clone();
    let report = run(store.source.as_ref(), &work, &Cancel::default(), &mut |_| cancel.cancel());
    assert_eq!((report.changed, &report.end), (1_000, &End::Cancelled));
    assert_eq!(work.gauge.now(), (1_000, 3_000));
    assert_eq!(store.count("c", doc! {}), 2_000);
    let back = store.change(BulkChange::Back(made(report, "Deleted")));
    assert_eq!((back.changed, store.count("c", doc! {})), (1_000, 3_000));
}

#[test]
fn what_is_too_large_to_keep_is_changed_without_undo() {
    let store = store();
    let text = "x".repeat(9 * 1024 * 1024);
    for id in 0..8 {
        store.run(&doc! {"insert": "c", "documents": [{"_id": id, "text": &text}]});
    }
    let report = store.change(BulkChange::Delete(Target::Matching(doc! {})));
    assert_eq!((report.changed, report.pairs, report.end), (8, None, End::Complete));
}

#[test]
fn a_collection_is_emptied_in_steps() {
    let store = store();
    store.fill(2_500);
    let (report, sent) = store.logged(BulkChange::Empty);
    assert_eq!((report.changed, &report.end), (2_500, &End::Complete));
    assert_eq!((report.pairs, sent.len()), (None, 3));
    assert_eq!(store.count("c", doc! {}), 0);
}

#[test]
fn a_small_collection_is_emptied_by_the_command_that_is_shown() {
    let store = store();
    store.fill(3);
    let (report, sent) = store.logged(BulkChange::Empty);
    assert_eq!(report.changed, 3);
    assert_eq!(sent, [crate::commands::store::empty("c")]);
}

#[test]
fn a_collection_is_duplicated_in_steps_with_its_indexes() {
    let store = store();
    store.fill(2_500);
    let to = Namespace::new("d", "copy");
    let indexes = vec![doc! {"key": {"n": 1}, "name": "n_1"}];
    let (report, sent) = store.logged(BulkChange::Duplicate { to: to.clone(), indexes });
    assert_eq!((report.changed, &report.end), (2_500, &End::Complete));
    let names: Vec<&str> =
        sent.iter().filter_map(|one| one.keys().next()).map(|it| &**it).collect();
    assert_eq!(names, ["create", "createIndexes", "insert", "insert", "insert"]);
    assert_eq!(store.count("copy", doc! {}), 2_500);
    let again = store.change(BulkChange::Duplicate { to, indexes: Vec::new() });
    assert!(matches!(again.end, End::Failed(_)), "{again:?}");
    assert_eq!(store.count("copy", doc! {}), 2_500, "what was there stays");
}

#[test]
fn nothing_is_left_of_a_copy_that_is_canceled() {
    let store = store();
    store.fill(2_500);
    let to = Namespace::new("d", "copy");
    let change = BulkChange::Duplicate { to, indexes: Vec::new() };
    let gauge = Arc::new(Gauge::default());
    let work = BulkWork { namespace: Namespace::new("d", "c"), change, journal: None, gauge };
    let report = run(store.source.as_ref(), &work, &Cancel::default(), &mut |reply| {
        if reply.command.contains_key("insert") {
            work.gauge.cancel.cancel();
        }
    });
    assert_eq!((report.changed, report.end), (0, End::Cancelled));
    let listed = store.run(&doc! {"listCollections": 1}).to_string();
    assert!(!listed.contains("copy"), "{listed}");
}

/// A store with this many documents in the trash, whose rule would remove them again.
fn trashed(count: i32) -> Store {
    let store = store();
    let index = doc! {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 60};
    store.run(&doc! {"createIndexes": "c", "indexes": [index]});
    store.source.run("admin", &doc! {"setParameter": 1, "mayflyTrashSecs": 600});
    let at = bson::DateTime::from_millis(0);
    let all: Vec<Document> = (0..count).map(|id| doc! {"_id": id, "at": at}).collect();
    for some in all.chunks(1_000) {
        store.run(&doc! {"insert": "c", "documents": some.to_vec()});
    }
    store.source.run("admin", &doc! {"mayflyReap": 1});
    assert_eq!(store.count("c", doc! {}), 0);
    store
}

#[test]
fn a_restore_that_is_canceled_says_what_remains_and_holds_its_rule() {
    let store = trashed(2_500);
    let gauge = Arc::new(Gauge::default());
    let change = BulkChange::Restore(TrashScope::default());
    let work = BulkWork { namespace: Namespace::new("admin", ""), change, journal: None, gauge };
    let mut held = None;
    let report = run(store.source.as_ref(), &work, &Cancel::default(), &mut |_| {
        held = store.source.run("admin", &doc! {"mayflyHeld": 1}).get_bool("held").ok();
        work.gauge.cancel.cancel();
    });
    assert_eq!(held, Some(true), "before the second step");
    assert_eq!((report.changed, report.remaining, report.is_held), (1_000, 1_500, true));
    assert_eq!(report.end, End::Cancelled);
    assert_eq!(work.gauge.now(), (1_000, 2_500));
    assert_eq!(store.count("c", doc! {}), 1_000);
    let rest = store.change(BulkChange::Restore(TrashScope::default()));
    assert_eq!((rest.changed, rest.remaining, rest.end), (1_500, 0, End::Complete));
    assert_eq!(store.count("c", doc! {}), 2_500);
}

#[test]
fn a_restore_passes_what_stays_in_the_trash() {
    let store = trashed(1_500);
    // The newest in the trash, which come first, are there again.
    let all: Vec<Document> = (0..1_200).map(|n| doc! {"_id": 1_499 - n, "new": true}).collect();
    for some in all.chunks(1_000) {
        store.run(&doc! {"insert": "c", "documents": some.to_vec()});
    }
    let report = store.change(BulkChange::Restore(TrashScope::default()));
    assert_eq!((report.changed, report.unchanged, report.end), (300, 1_200, End::Complete));
    assert_eq!(store.count("c", doc! {"new": true}), 1_200);
    assert_eq!(store.count("c", doc! {}), 1_500);
}
