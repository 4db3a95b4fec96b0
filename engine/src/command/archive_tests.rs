//! The commands about archives.

use super::testing::Lab;

/// A collection with a TTL of a minute, two documents that are due and one that is not.
fn lab() -> Lab {
    let lab = Lab::new();
    lab.ok(
        r#"{createIndexes: "c", indexes: [{key: {at: 1}, name: "ttl", expireAfterSeconds: 60}]}"#,
    );
    lab.ok(r#"{insert: "c", documents: [
            {_id: 1, at: ISODate("2023-12-31T23:00:00Z"), n: "one"},
            {_id: 2, at: ISODate("2023-12-31T23:30:00Z"), n: "two"},
            {_id: 3, at: ISODate("2024-01-01T00:00:00Z"), n: "three"}]}"#);
    lab
}

#[test]
fn an_archive_is_switched_on_listed_and_switched_off() {
    let lab = lab();
    lab.check("{mayflyArchives: 1}", "{archives: []}");
    lab.check(
        r#"{mayflyArchive: "c", maxBytes: 1000000, maxAgeSecs: 86400}"#,
        r#"{ok: 1, ns: "test.c", on: true, target: "", maxBytes: 1000000, maxAgeSecs: 86400, state: "ready"}"#,
    );
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 2}");
    let listed = r#"{"archives.0.ns": "test.c", "archives.0.documents": 2, "archives.0.segments": 1,
        "archives.0.state": "ready", "archives.0.unreadableBytes": 0}"#;
    lab.check("{mayflyArchives: 1}", listed);
    let lab = lab.reopened();
    lab.check("{mayflyArchives: 1}", listed);
    lab.check(r#"{mayflyArchive: "c", off: true}"#, r#"{on: false, state: "off"}"#);
    lab.check("{mayflyArchives: 1}", r#"{"archives.0.documents": 2, "archives.0.on": false}"#);
    lab.check(r#"{mayflyArchive: "c"}"#, r#"{on: true, maxBytes: null}"#);
}

#[test]
fn settings_are_checked() {
    let lab = lab();
    lab.ok(r#"{create: "v", viewOn: "c", pipeline: []}"#);
    lab.ok(r#"{create: "ts", timeseries: {timeField: "t"}}"#);
    let check = |command: &str, code: i32| lab.check(command, &format!("{{ok: 0, code: {code}}}"));
    check(r#"{mayflyArchive: "none"}"#, 26);
    check(r#"{mayflyArchive: "none", off: true}"#, 26);
    check(r#"{mayflyArchive: "v"}"#, 166);
    check(r#"{mayflyArchive: "ts"}"#, 115);
    check(r#"{mayflyArchive: "c", maxBytes: 10}"#, 2);
    check(r#"{mayflyArchive: "c", maxAgeSecs: -1}"#, 2);
    check(r#"{mayflyArchive: "c", target: "old"}"#, 2);
    check(r#"{mayflyArchive: "c", target: "gs://bucket/x"}"#, 238);
    check(r#"{mayflyArchive: "c", target: 5}"#, 14);
    check(r#"{mayflyArchive: "c", off: true, maxBytes: 1000000}"#, 2);
    check(r#"{mayflyArchive: "c", other: 1}"#, 40415);
    lab.check("{mayflyArchives: 1}", "{archives: []}");
}

#[test]
fn an_archive_follows_a_renamed_collection_and_outlives_a_dropped_one() {
    let lab = lab();
    lab.ok(r#"{mayflyArchive: "c"}"#);
    lab.ok(r#"{mayflyReap: 1}"#);
    lab.engine.run("admin", &bson::doc! { "renameCollection": "test.c", "to": "test.d" });
    lab.check("{mayflyArchives: 1}", r#"{"archives.0.ns": "test.d", "archives.0.on": true}"#);
    lab.ok(r#"{drop: "d"}"#);
    lab.check("{mayflyArchives: 1}", r#"{"archives.0.ns": "test.c", "archives.0.documents": 2}"#);
    lab.ok(r#"{create: "c"}"#);
    lab.ok(r#"{mayflyArchive: "c"}"#);
    let gone_on = r#"{"archives.0.ns": "test.c", "archives.0.documents": 2, "-archives.1": 1}"#;
    lab.check("{mayflyArchives: 1}", gone_on);
    lab.reopened().check("{mayflyArchives: 1}", gone_on);
}
