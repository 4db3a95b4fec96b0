//! `$out` while other commands run, and the leftovers of a killed one.

use std::sync::{Arc, Mutex};

use crate::{
    catalog::{
        Namespace,
        rules::{CreateIndexesRequest, CreateRequest},
    },
    collection::Collections,
    command::testing::Lab,
    event::Event,
};

type Deed = fn(&Collections, &Namespace);

const OUT: &str = "{aggregate: 'from', pipeline: [{$out: 'c'}], cursor: {}}";

/// Lets something happen to the collection `c` once the first results of a `$out` are written.
fn meanwhile(lab: &Lab, deed: Deed) -> Arc<Mutex<Option<Deed>>> {
    let deed = Arc::new(Mutex::new(Some(deed)));
    let collections = Arc::downgrade(lab.engine.collections());
    let to_do = Arc::clone(&deed);
    lab.engine.collections().observe(move |change| {
        let Event::DataChanged(namespace) = change else { return };
        if !namespace.is_unfinished_output() {
            return;
        }
        let due = to_do.lock().expect("not poisoned").take();
        if let (Some(deed), Some(collections)) = (due, collections.upgrade()) {
            deed(&collections, &Namespace::new("test", "c"));
        }
    });
    deed
}

/// Runs a `$out` into `c` while something happens to it. `expected`: the error's words, or none.
#[track_caller]
fn check(begin: &[&str], deed: Deed, expected: Option<&str>) -> Lab {
    let lab = Lab::new();
    lab.ok("{insert: 'from', documents: [{_id: 1}, {_id: 2}]}");
    for command in begin {
        lab.ok(command);
    }
    let left = meanwhile(&lab, deed);
    let reply = lab.run(OUT);
    assert!(left.lock().expect("not poisoned").is_none(), "it never happened");
    match expected {
        None => assert_eq!(reply.get_f64("ok").ok(), Some(1.0), "{reply}"),
        Some(words) => {
            let text = reply.get_str("errmsg").unwrap_or_default();
            assert!(text.contains(words) && reply.get_i32("code").ok() == Some(125), "{reply}");
        }
    }
    let names = lab.ok("{listCollections: 1, nameOnly: true}").to_string();
    assert!(!names.contains("tmp."), "{names}");
    lab
}

fn index(collections: &Collections, namespace: &Namespace) {
    let request = CreateIndexesRequest {
        namespace: namespace.clone(),
        indexes: vec![bson::doc! { "key": { "at": 1 }, "name": "ttl", "expireAfterSeconds": 60 }],
        ignore_unknown_options: false,
    };
    collections.create_indexes(&request, &mut |_| {}).expect("an index");
}

fn create(collections: &Collections, namespace: &Namespace) {
    let request = CreateRequest { namespace: namespace.clone(), options: bson::doc! {} };
    collections.create(&request).expect("created");
}

const INDEXES: Option<&str> = Some("indexes of target collection test.c changed during processing");
const OPTIONS: Option<&str> =
    Some("collection options of target collection test.c changed during processing");
const FILLED: &str = "{insert: 'c', documents: [{_id: 9}]}";

#[test]
fn what_was_acknowledged_meanwhile_is_not_undone() {
    let lab = check(&[FILLED], index, INDEXES);
    lab.check(
        "{listIndexes: 'c'}",
        "{'cursor.firstBatch.1.name': 'ttl', 'cursor.firstBatch.1.expireAfterSeconds': 60}",
    );
    assert_eq!(lab.ids("{find: 'c'}"), [9.into()]);
    let with_index = "{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a'}]}";
    let dropped_index = |collections: &Collections, namespace: &Namespace| {
        collections.drop_collection(namespace).expect("dropped");
        create(collections, namespace);
    };
    check(&[FILLED, with_index], dropped_index, INDEXES);
    check(&[], create, INDEXES);
    check(&[FILLED], |all, name| drop(all.drop_collection(name)), INDEXES);
    let capped = |collections: &Collections, namespace: &Namespace| {
        collections.convert_to_capped(namespace, 1_000_000).expect("capped");
    };
    let lab = check(&[FILLED], capped, OPTIONS);
    assert_eq!(lab.ids("{find: 'c'}"), [9.into()]);
}

#[test]
fn what_is_the_same_again_may_be_replaced() {
    let lab = check(
        &[
            FILLED,
            "{createIndexes: 'c', indexes: [{key: {at: 1}, name: 'ttl', expireAfterSeconds: 60}]}",
        ],
        |collections, namespace| {
            collections.drop_collection(namespace).expect("dropped");
            create(collections, namespace);
            index(collections, namespace);
        },
        None,
    );
    assert_eq!(lab.ids("{find: 'c'}"), [1.into(), 2.into()]);
    lab.check("{listIndexes: 'c'}", "{'cursor.firstBatch.1.name': 'ttl'}");
}

#[test]
fn what_a_killed_out_has_left_is_not_reaped_and_goes_at_the_next_opening() {
    let lab = Lab::new();
    let left = "tmp.agg_out.6561e0d2a1b2c3d4e5f60718";
    let namespace = Namespace::new("test", left);
    let request = CreateRequest { namespace, options: bson::doc! {} };
    lab.engine.collections().create_output(&request).expect("created");
    for coll in [left, "tmp.agg_out.mine"] {
        lab.ok(&format!(
            "{{createIndexes: '{coll}', indexes: [{{key: {{at: 1}}, name: 'ttl', expireAfterSeconds: 60}}]}}"
        ));
        lab.ok(&format!(
            "{{insert: '{coll}', documents: [{{at: ISODate('2023-12-31T23:00:00Z')}}]}}"
        ));
    }
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 1}");
    lab.check(&format!("{{count: '{left}'}}"), "{n: 1}");
    let lab = lab.reopened();
    lab.check(
        "{listCollections: 1, nameOnly: true}",
        "{'cursor.firstBatch.0.name': 'tmp.agg_out.mine', '-cursor.firstBatch.1': 1}",
    );
    let report = lab.engine.collections().verify(&mut |_| true).expect("checked");
    assert_eq!(report.findings, []);
}

#[test]
fn nobody_else_gives_a_collection_a_name_with_which_it_would_go() {
    let lab = Lab::new();
    let name = "tmp.agg_out.6561e0d2a1b2c3d4e5f60718";
    lab.ok("{insert: 'c', documents: [{_id: 1}]}");
    for command in [
        format!("{{create: '{name}'}}"),
        format!("{{insert: '{name}', documents: [{{_id: 1}}]}}"),
        format!("{{createIndexes: '{name}', indexes: [{{key: {{a: 1}}, name: 'a'}}]}}"),
        format!("{{update: '{name}', updates: [{{q: {{}}, u: {{a: 1}}, upsert: true}}]}}"),
        format!("{{aggregate: 'c', pipeline: [{{$out: '{name}'}}], cursor: {{}}}}"),
        format!("{{aggregate: 'c', pipeline: [{{$merge: '{name}'}}], cursor: {{}}}}"),
        format!("{{renameCollection: 'test.c', to: 'test.{name}'}}"),
    ] {
        let reply = lab.run(&command);
        assert!(reply.to_string().contains("is reserved for the output of $out"), "{reply}");
    }
    let lab = lab.reopened();
    assert_eq!(lab.ids("{find: 'c'}"), [1.into()]);
}
