use bson::{Bson, DateTime, Document, doc};

use super::{DocumentDb, Habit, Habits, START_MS};
use crate::{frames, store::is_ok};

fn both() -> [DocumentDb; 2] {
    [Habits::documentdb(), Habits::mongodb()].map(DocumentDb::start)
}

/// The same command on both, and the codes of their refusals; 0 is success.
fn check_codes(command: &Document, expected: [i64; 2]) {
    let codes = both().map(|server| {
        let documents = vec![doc! { "_id": 1, "a": 1 }, doc! { "_id": 2, "a": 2 }];
        server.prepare("shop", &doc! { "insert": "c", "documents": documents });
        let key = doc! { "key": { "a": 1 }, "name": "a_1" };
        server.prepare("shop", &doc! { "createIndexes": "c", "indexes": [key] });
        code(&server.run("shop", command))
    });
    assert_eq!(codes, expected, "{command}");
}

fn code(reply: &Document) -> i64 {
    let number = |reply: &Document| reply.get("code").and_then(mayfly_engine::value::whole);
    let errors = reply.get_array("writeErrors").ok();
    let error = errors.and_then(|errors| errors.first()?.as_document()).and_then(number);
    if is_ok(reply) { error.unwrap_or(0) } else { number(reply).unwrap_or(-1) }
}

#[test]
fn it_refuses_what_documentdb_refuses() {
    let update = |more: Document| {
        let mut statement = doc! { "q": { "_id": 1 }, "u": { "$set": { "a": 3 } } };
        statement.extend(more);
        doc! { "update": "c", "updates": [statement] }
    };
    let mut with_let = update(doc! {});
    with_let.insert("let", doc! { "x": 1 });
    check_codes(&with_let, [115, 0]);
    check_codes(&update(doc! { "collation": { "locale": "de" } }), [115, 0]);
    check_codes(&update(doc! {}), [0, 0]);
    check_codes(&doc! { "find": "c", "sort": {} }, [15_976, 0]);
    check_codes(&doc! { "find": "c", "sort": { "a": 1 } }, [0, 0]);
    check_codes(&doc! { "find": "c", "hint": "b_1" }, [2, 2]);
    check_codes(&doc! { "find": "c", "hint": { "a": 1 } }, [0, 0]);
    check_codes(&doc! { "find": "c", "hint": "a_1" }, [0, 0]);
    let change = |index: Document| doc! { "collMod": "c", "index": index };
    let keys = doc! { "keyPattern": { "a": 1 }, "expireAfterSeconds": 60 };
    check_codes(&change(keys), [52_461_700, 0]);
    check_codes(&change(doc! { "name": "a_1", "expireAfterSeconds": 60 }), [72, 0]);
    check_codes(&change(doc! { "name": "a_1", "hidden": true }), [115, 0]);
    let create = |more: Document| {
        let mut index = doc! { "key": { "b": 1 }, "name": "b_1" };
        index.extend(more);
        doc! { "createIndexes": "c", "indexes": [index] }
    };
    check_codes(&create(doc! { "hidden": true }), [115, 0]);
    check_codes(&create(doc! { "collation": { "locale": "de" } }), [115, 0]);
    check_codes(&create(doc! { "expireAfterSeconds": 60 }), [0, 0]);
    check_codes(&doc! { "insert": "c", "documents": [{ "_id": 1 }] }, [11_000, 11_000]);
    check_codes(&doc! { "killCursors": "c", "cursors": [7] }, [2, 14]);
    let stream = doc! { "aggregate": "c", "pipeline": [{ "$changeStream": {} }], "cursor": {} };
    check_codes(&stream, [115, 40_573]);
    check_codes(&doc! { "mayflyClock": 1 }, [115, 59]);
}

#[test]
fn its_replies_have_the_shape_of_documentdb() {
    let server = DocumentDb::start(Habits::documentdb());
    server.prepare("shop", &doc! { "insert": "c", "documents": [{ "_id": 1 }] });
    let hello = server.run("admin", &doc! { "hello": 1 });
    assert_eq!(hello.get_str("msg").ok(), Some("isdbgrid"));
    assert_eq!(hello.get_i64("localTime").ok(), Some(START_MS));
    assert!(hello.get_document("internal").is_ok());
    let unknown = doc! {
        "ok": 0.0, "code": 115, "codeName": "CommandNotSupported",
        "errmsg": "Unknown request received: serverStatus",
    };
    assert_eq!(server.run("admin", &doc! { "serverStatus": 1 }), unknown);
    let databases = doc! { "databases": [{ "name": "shop" }], "ok": 1.0 };
    assert_eq!(server.run("admin", &doc! { "listDatabases": 1 }), databases);
    let twice = server.run("shop", &doc! { "insert": "c", "documents": [{ "_id": 1 }] });
    let error = doc! {
        "index": 0, "code": 11_000,
        "errmsg": "Duplicate key violation on the requested collection: Index '_id_'",
    };
    assert_eq!(twice.get_array("writeErrors").ok(), Some(&vec![Bson::Document(error)]));
    let at = doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 10 };
    let made = server.run("shop", &doc! { "createIndexes": "c", "indexes": [at] });
    let shard = doc! {
        "numIndexesBefore": 1, "numIndexesAfter": 2, "createdCollectionAutomatically": false,
        "ok": 1,
    };
    assert_eq!(made, doc! { "raw": { "defaultShard": shard }, "ok": 1 });
    let change = |secs: i32| {
        let index = doc! { "name": "at_1", "expireAfterSeconds": secs };
        server.run("shop", &doc! { "collMod": "c", "index": index })
    };
    let changed =
        doc! { "ok": 1, "expireAfterSeconds_old": 10_i64, "expireAfterSeconds_new": 20.0 };
    assert_eq!(change(20), changed);
    assert_eq!(change(20), doc! { "ok": 1 });
}

#[test]
fn a_pipeline_with_replace_with_stores_the_id_twice() {
    for (server, fields) in both().into_iter().zip([3, 2]) {
        server.prepare("shop", &doc! { "insert": "c", "documents": [{ "_id": 1, "a": 1 }] });
        let replace = |u: Bson| {
            let statement = doc! { "q": { "_id": 1 }, "u": u, "upsert": true };
            server.prepare("shop", &doc! { "update": "c", "updates": [statement] });
            server.stored("shop", "c")[0].iter().count()
        };
        assert_eq!(replace(Bson::Array(vec![doc! { "$replaceWith": "$$ROOT" }.into()])), fields);
        assert_eq!(replace(Bson::Array(vec![doc! { "$set": { "a": 2 } }.into()])), fields);
        assert_eq!(replace(doc! { "_id": 1, "a": 3 }.into()), 2);
    }
}

#[test]
fn counts_are_late_and_samples_are_neighbors() {
    for (server, is_documentdb) in both().into_iter().zip([true, false]) {
        let documents = |from: i32, to: i32| -> Vec<Document> {
            (from..to).map(|id| doc! { "_id": id }).collect()
        };
        server.prepare("shop", &doc! { "insert": "c", "documents": documents(0, 5_000) });
        let more = doc! { "insert": "c", "documents": documents(5_000, 5_500) };
        assert!(is_ok(&server.run("shop", &more)));
        let count = |command: Document, field: &str| {
            let reply = server.run("shop", &command);
            reply.get(field).and_then(mayfly_engine::value::whole)
        };
        let plain = || count(doc! { "count": "c" }, "n");
        let stats = || count(doc! { "collStats": "c" }, "count");
        let late = if is_documentdb { 5_000 } else { 5_500 };
        assert_eq!((plain(), stats()), (Some(late), Some(late)));
        assert_eq!(count(doc! { "count": "c", "query": {} }, "n"), Some(5_500));
        server.advance_ms(5_000);
        assert_eq!((plain(), stats()), (Some(5_500), Some(5_500)));
        let sample = doc! {
            "aggregate": "c", "pipeline": [{ "$sample": { "size": 2_500 } }],
            "cursor": { "batchSize": 3_000 },
        };
        let batch = super::answer::batch(&server.run("shop", &sample));
        let mut ids: Vec<i32> = batch.iter().filter_map(|one| one.get_i32("_id").ok()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 2_500);
        let runs = 1 + ids.windows(2).filter(|pair| pair[1] != pair[0] + 1).count();
        assert_eq!(runs < 40, is_documentdb, "{runs} runs");
    }
}

#[test]
fn a_pass_is_bounded_and_keeps_a_document_at_its_threshold() {
    for (server, removed) in both().into_iter().zip([[10_000, 2_000], [12_001, 0]]) {
        let date = |ms: i64| DateTime::from_millis(START_MS + ms);
        let mut documents: Vec<Document> =
            (0..12_000).map(|id| doc! { "_id": id, "at": date(-60_000) }).collect();
        // Its threshold is the next full minute.
        documents.push(doc! { "_id": "exact", "at": date(50_000) });
        documents.push(doc! { "_id": "later", "at": date(3_600_000) });
        server.prepare("shop", &doc! { "insert": "c", "documents": documents });
        let at = doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 10 };
        server.prepare("shop", &doc! { "createIndexes": "c", "indexes": [at] });
        assert_eq!(server.next_pass(), removed[0]);
        assert_eq!(server.now_ms(), START_MS + 60_000);
        assert_eq!(server.pass(), removed[1]);
        let left = server.run("shop", &doc! { "count": "c", "query": {} });
        let left = left.get("n").and_then(mayfly_engine::value::whole);
        assert_eq!(left, Some(if removed[1] == 0 { 1 } else { 2 }));
        assert_eq!(server.next_pass(), u64::from(removed[1] > 0));
    }
}

#[test]
fn commands_and_cursors_end_by_its_clock() {
    for (server, is_documentdb) in both().into_iter().zip([true, false]) {
        let documents: Vec<Document> = (0..10).map(|id| doc! { "_id": id }).collect();
        server.prepare("shop", &doc! { "insert": "c", "documents": documents });
        let find = doc! { "find": "c", "batchSize": 2 };
        let open = server.run("shop", &find);
        let id = open.get_document("cursor").and_then(|cursor| cursor.get_i64("id")).expect("open");
        let more = doc! { "getMore": id, "collection": "c", "batchSize": 2 };
        server.advance_ms(74_999);
        assert_eq!(code(&server.run("shop", &more)), 0);
        server.advance_ms(75_000);
        assert_eq!(code(&server.run("shop", &more)), if is_documentdb { 43 } else { 0 });
        server.slow_down("find", 10_001);
        assert_eq!(code(&server.run("shop", &find)), if is_documentdb { 50 } else { 0 });
        let mut hurried = find;
        hurried.insert("maxTimeMS", 1_000);
        assert_eq!(code(&server.run("shop", &hurried)), 50);
    }
}

#[test]
fn an_explained_scan_has_its_own_totals_and_no_parsed_query() {
    let server = DocumentDb::start(Habits::documentdb());
    let documents: Vec<Document> = (0..100).map(|id| doc! { "_id": id, "a": id % 2 }).collect();
    server.prepare("shop", &doc! { "insert": "c", "documents": documents });
    let find = doc! { "find": "c", "filter": { "a": 1 }, "sort": { "b": 1 }, "limit": 3 };
    let explained = server.run("shop", &doc! { "explain": find, "verbosity": "executionStats" });
    let planner = explained.get_document("queryPlanner").expect("a plan");
    assert!(!planner.contains_key("parsedQuery"));
    let stats = explained.get_document("executionStats").expect("stats");
    assert_eq!(stats.get_i64("totalDocsExamined").ok(), Some(3));
    let mut stage = stats.get_document("executionStages").expect("stages");
    let mut names = vec![stage.get_str("stage").unwrap_or_default()];
    while let Ok(input) = stage.get_document("inputStage") {
        names.push(input.get_str("stage").unwrap_or_default());
        stage = input;
    }
    assert_eq!(names, ["LIMIT", "SORT", "COLLSCAN"]);
    // The sorted ones are read once more.
    assert_eq!(stage.get_i32("totalDocsExamined").ok(), Some(103));
    let pipeline = doc! { "aggregate": "c", "pipeline": [{ "$match": { "a": 1 } }], "cursor": {} };
    let explained = server.run("shop", &doc! { "explain": pipeline });
    let stages = explained.get_array("stages").expect("stages");
    assert!(stages[0].as_document().is_some_and(|stage| stage.contains_key("$cursor")));
}

#[test]
fn it_records_what_came_and_can_be_silent_and_stopped() {
    let server = DocumentDb::start(Habits::documentdb().without(Habit::FewCommands));
    let ping = frames::msg(0, &frames::bytes(&doc! { "ping": 1, "$db": "admin" }));
    let port = server.listener.port();
    let is_answered = || frames::exchange(port, &ping).is_ok_and(|answer| !answer.is_empty());
    assert!(is_answered());
    let insert = doc! { "insert": "c", "documents": [{ "_id": 1 }], "$db": "shop" };
    let sent = frames::exchange(port, &frames::msg(0, &frames::bytes(&insert)));
    assert!(sent.is_ok_and(|answer| !answer.is_empty()));
    assert_eq!(server.sent("insert"), [insert]);
    assert_eq!(server.writes(), ["insert"]);
    server.silence();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(is_answered);
        assert!(!waiting.is_finished());
        server.resume();
        assert!(waiting.join().expect("a thread"));
    });
    server.stop();
    assert!(!is_answered());
    server.restart();
    assert!(is_answered());
}
