//! `mayfly shell --uri-env`: the console on a server, read-only. `MAYFLY_TEST_URI` names any other server
//! to test: `MAYFLY_TEST_URI=mongodb://… tests/run attach`.

use std::process::{Command, Output};

use mayfly_engine::clock::{Clock as _, SystemClock};
use mayfly_tests::{program, server::Server};
use mongodb::bson::{DateTime, Document, doc, oid::ObjectId};
use mongodb::sync::Client;

/// The variable that holds the connection string.
const VARIABLE: &str = "MAYFLY_TEST_ATTACH";

fn shell(uri: &str, script: &str) -> Output {
    let kept = tempfile::tempdir().expect("a folder");
    let mut command = program::keeping_in(kept.path());
    command.args(["shell", "--uri-env", VARIABLE, "--db", "shop", "--json", "--eval", script]);
    command.env(VARIABLE, uri).output().expect("it starts")
}

/// The output of a script that must succeed.
fn printed(uri: &str, script: &str) -> String {
    let output = shell(uri, script);
    let (said, failed) = texts(&output);
    assert!(output.status.success(), "{script}: {said} {failed}");
    said.trim().to_owned()
}

/// The errors of a script that must fail.
fn refused(uri: &str, script: &str) -> String {
    let output = shell(uri, script);
    let (said, failed) = texts(&output);
    assert!(!output.status.success(), "{script}: {said}");
    format!("{said}{failed}")
}

fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

fn server() -> Server {
    let server = Server::start(&[]);
    let client = Client::with_uri_str(&server.uri).expect("a client");
    let orders = client.database("shop").collection::<Document>("orders");
    let documents =
        (0..2_500).map(|n| doc! { "_id": n, "paid": n % 2 == 0, "total": f64::from(n) });
    orders.insert_many(documents).run().expect("inserted");
    server
}

/// The password of a server's connection string.
fn password(uri: &str) -> &str {
    let login =
        uri.split_once("://").and_then(|(_, rest)| rest.split_once('@')).expect("a login").0;
    login.split_once(':').expect("a password").1
}

#[test]
fn a_server_is_read_and_never_written() {
    let server = server();
    let uri = server.uri.as_str();
    assert_eq!(printed(uri, "db.orders.countDocuments({paid: true})"), "1250");
    // More than a batch: the cursor is read on with its session.
    assert_eq!(printed(uri, "db.orders.find({}).toArray().length"), "2500");
    let sum = "db.orders.aggregate([{$group: {_id: '$paid', n: {$sum: 1}}}]).toArray().length";
    assert_eq!(printed(uri, sum), "2");
    assert_eq!(printed(uri, "db.getCollectionNames()"), "[\"orders\"]");
    for write in [
        "db.orders.insertOne({_id: 'new'})",
        "db.orders.deleteMany({})",
        "db.orders.updateOne({_id: 1}, {$set: {paid: 1}})",
        "db.orders.createIndex({total: 1}, {expireAfterSeconds: 1})",
        "db.orders.drop()",
        "db.orders.aggregate([{$out: 'copy'}]).toArray()",
        "db.dropDatabase()",
        "db.runCommand({collMod: 'orders', validator: {}})",
    ] {
        assert!(refused(uri, write).contains("read-only"), "{write}: {}", refused(uri, write));
    }
    assert_eq!(printed(uri, "db.orders.countDocuments({})"), "2500");
    assert_eq!(printed(uri, "db.getCollectionNames()"), "[\"orders\"]");
}

#[test]
fn a_failure_names_its_step_and_never_the_password() {
    let server = Server::start(&[]);
    let uri = server.uri.as_str();
    let secret = password(uri);
    let wrong = uri.replace(secret, "wrong-S3cret");
    let nowhere = "mongodb://u:wrong-S3cret@127.0.0.1:1/";
    let no_name = "mongodb://u:wrong-S3cret@no-such-host.invalid/";
    for (uri, part) in [
        (wrong.as_str(), "refused the login"),
        (nowhere, "does not accept connections on port 1"),
        (no_name, "can't be resolved"),
        ("mongodb://u@127.0.0.1:1", "Enter the password of u"),
        ("https://example.com", "is not a database address"),
    ] {
        let said = refused(uri, "1");
        assert!(said.contains(part), "{part}: {said}");
        assert!(!said.contains("S3cret"), "{said}");
    }
    let output = shell(uri, "db.runCommand({connectionStatus: 1}); db.getMongo()");
    let (said, failed) = texts(&output);
    assert!(failed.contains("read-only"), "{failed}");
    assert!(!format!("{said}{failed}").contains(secret), "{said}{failed}");
}

#[test]
fn a_missing_variable_is_said() {
    let mut command = Command::new(program::path());
    let output =
        command.args(["shell", "--uri-env", "MAYFLY_TEST_NOT_SET"]).output().expect("it starts");
    let (_, failed) = texts(&output);
    assert!(
        !output.status.success() && failed.contains("MAYFLY_TEST_NOT_SET is not set"),
        "{failed}"
    );
}

/// `mayfly` with arguments, split at spaces, and the connection string in a variable.
fn run(uri: &str, line: &str) -> (bool, String) {
    let kept = tempfile::tempdir().expect("a folder");
    let mut command = program::keeping_in(kept.path());
    let output = command.args(line.split(' ')).env(VARIABLE, uri).output().expect("it starts");
    let (said, failed) = texts(&output);
    assert!(!format!("{said}{failed}").contains(password(uri)), "{said}{failed}");
    (output.status.success(), format!("{said}{failed}"))
}

#[test]
fn documents_are_exported_and_imported() {
    let server = server();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("orders.bson");
    let file = file.display();
    let to = format!("--uri-env {VARIABLE} --db shop --collection");
    let export = format!("export {to} orders --format bson --limit 1200 --sort {{\"_id\":-1}} -o");
    let (is_done, said) = run(&server.uri, &format!("{export} {file}"));
    assert!(is_done && said.contains("exported 1200"), "{said}");
    let import = format!("import {to} copies {file}");
    let (is_done, said) = run(&server.uri, &import);
    assert!(is_done && said.contains("imported 1200, skipped 0, rejected 0"), "{said}");
    let (is_done, said) = run(&server.uri, &format!("{import} --mode skip"));
    assert!(is_done && said.contains("imported 0, skipped 1200, rejected 0"), "{said}");
    let (is_done, said) = run(&server.uri, &import);
    assert!(!is_done && said.contains("1,000 documents were rejected"), "{said}");
    let client = Client::with_uri_str(&server.uri).expect("a client");
    let copies = client.database("shop").collection::<Document>("copies");
    let least = copies.find_one(doc! {}).sort(doc! { "_id": 1 }).run().expect("found");
    assert_eq!(least, Some(doc! { "_id": 1_300, "paid": true, "total": 1_300.0 }));
    let (is_done, said) = run(&server.uri, &format!("{export} {file}.gz --gzip"));
    assert!(is_done && said.contains("exported 1200"), "{said}");
    let (is_done, said) = run(&server.uri, &format!("{import}.gz --mode skip"));
    assert!(is_done && said.contains("imported 0, skipped 1200, rejected 0"), "{said}");
}

/// The variable that names a server to test, besides the one that the tests start: any but a
/// production server, because a database is made on it and dropped.
const ANY_SERVER: &str = "MAYFLY_TEST_URI";

/// The database that is made.
const DATABASE: &str = "mayfly_attach_test";

/// Documents whose dates are an hour apart, the first an hour ahead, so that no monitor removes one
/// during the test. One has no date and one a text.
fn fill(uri: &str, now_ms: i64) {
    let client = Client::with_uri_str(uri).expect("a client");
    let database = client.database(DATABASE);
    let due = database.collection::<Document>("due");
    due.drop().run().expect("dropped");
    let hour = |n: i64| DateTime::from_millis(now_ms + n * 3_600_000);
    let mut documents: Vec<Document> =
        (1..=30_i64).map(|n| doc! { "_id": ObjectId::new(), "n": n, "at": hour(n) }).collect();
    documents.push(doc! { "_id": ObjectId::new(), "n": 31_i64 });
    documents.push(doc! { "_id": ObjectId::new(), "n": 32_i64, "at": "2026-01-01" });
    due.insert_many(documents).run().expect("inserted");
    let index = doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 0 };
    let made = database.run_command(doc! { "createIndexes": "due", "indexes": [index] }).run();
    made.expect("a TTL index");
}

#[test]
fn any_server_tells_what_expires() {
    let named = std::env::var(ANY_SERVER).ok();
    let own = named.is_none().then(|| Server::start(&[]));
    let uri = named.or_else(|| own.as_ref().map(|own| own.uri.clone())).expect("a server");
    let now_ms = SystemClock.now_ms();
    fill(&uri, now_ms);
    let ask = |script: &str| {
        let script = format!("const database = db.getSiblingDB('{DATABASE}'); {script}");
        printed(&uri, &script)
    };
    assert_eq!(ask("database.due.countDocuments({})"), "32");
    let refused = refused(&uri, "db.getSiblingDB('mayfly_attach_test').due.deleteMany({})");
    assert!(refused.contains("read-only"), "{refused}");
    let soonest = "database.runCommand({mayflyExpiring: 'due', limit: 10}).batch.length";
    assert_eq!(ask(soonest), "10");
    let all = "let after, seen = 0; do { const page = database.runCommand({mayflyExpiring: 'due', \
               limit: 7, ...(after ? {after} : {})}); seen += page.batch.length; after = page.next; } \
               while (after); seen";
    assert_eq!(ask(all), "30");
    let (from, to) = (now_ms + 5 * 3_600_000 - 60_000, now_ms + 15 * 3_600_000 - 60_000);
    let forecast = format!(
        "const found = database.runCommand({{mayflyForecast: 'due', from: new Date({from}), to: new \
         Date({to}), buckets: 10}}); [found.counts.map(Number), found.beyond, found.never].join(' ')"
    );
    assert_eq!(ask(&forecast), "\"1,1,1,1,1,1,1,1,1,1 20 2\"");
    let what_if = "const found = database.runCommand({mayflyWhatIf: 'due', index: {keyPattern: {at: \
                   1}, expireAfterSeconds: 3600}}); [found.total, found.overdueNow, \
                   found.never.fieldMissing, found.never.string].join(' ')";
    assert_eq!(ask(what_if), "\"32 0 1 1\"");
    let verdict = "const id = database.due.findOne({n: 32})._id; database.runCommand({mayflyVerdict: \
                   'due', id}).verdicts[0].reason";
    assert_eq!(ask(verdict), "\"string\"");
    let client = Client::with_uri_str(&uri).expect("a client");
    client.database(DATABASE).drop().run().expect("dropped");
}
