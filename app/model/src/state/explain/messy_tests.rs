//! Plans of queries over the messy documents of the schema's tests.

use bson::{Bson, Document, doc};
use mayfly_engine::engine::{ClockOption, Engine, EngineOptions};
use mayfly_engine::value::extjson;

use super::{Advice, Answer};
use crate::commands::explain;
use crate::commands::query::Query;

fn engine() -> (tempfile::TempDir, Engine) {
    let folder = tempfile::tempdir().expect("a folder");
    let options = EngineOptions {
        clock: ClockOption::Simulated { start_ms: 0 },
        run_reaper: false,
        ..EngineOptions::default()
    };
    let engine = Engine::open(&folder.path().join("s"), options).expect("a store");
    let lines = include_str!("../../../../session/src/inspect/schema/messy.ndjson").lines();
    let read = |line: &str| {
        let document = extjson::read_document(line).expect("a document");
        Document::try_from(&*document).expect("a document")
    };
    let documents: Vec<Document> = lines.map(read).collect();
    let reply = engine.run("d", &doc! { "insert": "messy", "documents": documents });
    assert_eq!(reply.get_i32("n").ok(), Some(6), "{reply}");
    (folder, engine)
}

fn advice(engine: &Engine, filter: Document, sort: Document) -> Advice {
    let query = Query { filter, sort, ..Query::default() };
    let command = explain::find("messy", &query);
    let reply = engine.run("d", &command);
    Answer::read(&reply, &command).unwrap_or_else(|| panic!("{reply}")).advice
}

#[test]
fn sentences_over_messy_documents() {
    let (_folder, engine) = engine();
    let check = |filter: Document, sort: Document, sentence: &str, index: &[(&str, bool)]| {
        let found = advice(&engine, filter, sort);
        assert_eq!(found.sentence, sentence);
        let suggested: Vec<(&str, bool)> = found
            .index
            .iter()
            .flatten()
            .map(|(field, descends)| (field.as_str(), *descends))
            .collect();
        assert_eq!(suggested, index, "{sentence}");
    };
    let none = Document::new;
    check(none(), none(), "Read 6 documents: the query has no filter", &[]);
    check(
        doc! { "a.b": true },
        none(),
        "Read 6 documents to return 1: an index on a.b would help",
        &[("a.b", false)],
    );
    check(
        doc! { "🦊": "🐾" },
        none(),
        "Read 6 documents to return 2: an index on 🦊 would help",
        &[("🦊", false)],
    );
    check(
        doc! { "👩‍👩‍👧.👍🏽": { "$exists": true } },
        none(),
        "Read 6 documents to return 1: no index serves the rest of this filter",
        &[],
    );
    // The two that match are read again after the sort.
    check(
        doc! { "geo.type": "Point", "when": { "$gte": "2" } },
        doc! { "name": -1 },
        "Read 8 documents to return 2, and sorted them in memory: an index on geo.type, name and \
         when would help",
        &[("geo.type", false), ("name", true), ("when", false)],
    );
    check(
        doc! { "name": Bson::Null },
        none(),
        "Read 6 documents to return 1: an index on name would help",
        &[("name", false)],
    );
    // No index can have an empty name.
    check(
        doc! { "": 0 },
        none(),
        "Read 6 documents to return 1: no index serves the rest of this filter",
        &[],
    );
}
