//! Debian's LMDB tools read a closed store, so its documents are accessible without this program.
//! They refuse an open store and do no harm to it.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use bson::oid::ObjectId;
use bson::spec::BinarySubtype;
use bson::{Binary, Bson, DateTime, Document, RawDocument, Regex, Timestamp, doc};
use mayfly_tests::program;
use mayfly_tests::store::{find_all, open_paused, run};

const DB: &str = "d";
const COLLECTION: &str = "c";

/// Documents of the collection.
const DOCUMENTS: i32 = 500;

/// A program that prints what it does on standard output.
fn tool(name: &str, arguments: &[&str], folder: &Path) -> Command {
    let mut command = Command::new(name);
    command.args(arguments).arg(folder);
    command
}

/// Runs a program that must succeed; returns its standard output.
fn output(command: &mut Command) -> String {
    let missing = "the tools are there; tests/run installs them (Debian's lmdb-utils)";
    let output = command.output().expect(missing);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    String::from_utf8(output.stdout).expect("the tools print ASCII")
}

/// A closed store with documents of every size and type, some of them changed and removed.
fn make_store(folder: &Path) {
    let engine = open_paused(folder, 1_700_000_000_000);
    let index = doc! { "key": { "at": 1 }, "name": "ttl", "expireAfterSeconds": 3_600 };
    run(&engine, DB, &doc! { "createIndexes": COLLECTION, "indexes": [index] });
    let documents: Vec<Document> = (0..DOCUMENTS).map(document).collect();
    run(&engine, DB, &doc! { "insert": COLLECTION, "documents": documents });
    let longer = doc! { "$set": { "more": "y".repeat(5_000) } };
    let update = doc! { "q": { "_id": { "$lt": 20 } }, "u": longer, "multi": true };
    run(&engine, DB, &doc! { "update": COLLECTION, "updates": [update] });
    let delete = doc! { "q": { "_id": { "$mod": [7, 3] } }, "limit": 0 };
    run(&engine, DB, &doc! { "delete": COLLECTION, "deletes": [delete] });
    engine.close().expect("the store closes");
}

fn document(number: i32) -> Document {
    let value: Bson = match number % 10 {
        0 => Bson::Double(f64::from(number) / 3.0),
        1 => Bson::Double(f64::NAN),
        2 => Bson::Int64(i64::MIN + i64::from(number)),
        3 => Bson::ObjectId(ObjectId::from_bytes([7; 12])),
        4 => Bson::Binary(Binary { subtype: BinarySubtype::Generic, bytes: vec![0, 255, 10] }),
        5 => Bson::Timestamp(Timestamp { time: 7, increment: 9 }),
        6 => "1.50E+3".parse().map(Bson::Decimal128).expect("a decimal"),
        7 => Bson::RegularExpression(Regex {
            pattern: "^a\"b".try_into().expect("no NUL"),
            options: "i".try_into().expect("no NUL"),
        }),
        8 => Bson::Array(vec![Bson::Null, Bson::MinKey, Bson::from(doc! { "é": "\u{0}\n" })]),
        _ => Bson::DateTime(DateTime::from_millis(i64::from(number) - 1_000)),
    };
    let size = usize::try_from(number % 37).unwrap_or_default() * 90;
    doc! { "_id": number, "value": value, "pad": "x".repeat(size), "at": DateTime::MAX }
}

/// The documents of a collection as `mayfly export` writes them.
fn export(store: &Path, to: &Path) -> String {
    let mut command = Command::new(program::path());
    command.args(["export", "--db", DB, "--collection", COLLECTION, "--ejson", "canonical"]);
    command.arg("--overwrite");
    output(command.arg("--data").arg(store).arg("--output").arg(to));
    fs::read_to_string(to).expect("the file can be read")
}

/// The bytes of the exported documents.
fn exported(text: &str) -> BTreeSet<Vec<u8>> {
    let bytes = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).expect("a line is JSON");
        let bson = Bson::try_from(value).expect("a line is Extended JSON");
        bson.as_document().expect("a line is a document").to_vec().expect("it fits")
    };
    text.lines().map(bytes).collect()
}

/// The values of a table, as `mdb_dump` prints them.
fn dumped(dump: &str) -> Vec<Vec<u8>> {
    let data = dump.lines().skip_while(|line| *line != "HEADER=END").skip(1);
    let rows: Vec<&str> = data.take_while(|line| *line != "DATA=END").collect();
    assert!(rows.len().is_multiple_of(2), "a key, a value");
    rows.chunks(2).map(|row| bytes_of(row[1])).collect()
}

fn bytes_of(hex: &str) -> Vec<u8> {
    let hex = hex.trim();
    let pairs = (0..hex.len()).step_by(2).map(|at| &hex[at..at + 2]);
    pairs.map(|pair| u8::from_str_radix(pair, 16).expect("two digits")).collect()
}

/// The document at the end of a value. The bytes before it are Mayfly's own.
fn document_in(value: &[u8]) -> Vec<u8> {
    let starts = (1..value.len().min(32)).filter(|start| {
        let rest = &value[*start..];
        let told = rest.first_chunk().map(|bytes| u32::from_le_bytes(*bytes) as usize);
        told == Some(rest.len())
            && RawDocument::from_bytes(rest).is_ok_and(|found| Document::try_from(found).is_ok())
    });
    let starts: Vec<usize> = starts.collect();
    assert_eq!(starts.len(), 1, "one document ends the value");
    value[starts[0]..].to_vec()
}

#[test]
fn the_tools_read_a_closed_store() {
    let room = tempfile::tempdir().expect("a temporary folder can be made");
    let store = room.path().join("store");
    make_store(&store);
    let text = export(&store, &room.path().join("export"));
    let expected = exported(&text);
    assert!(expected.len() > 400, "{} documents", expected.len());

    let dump = output(&mut tool("mdb_dump", &["-s", "documents"], &store));
    let values = dumped(&dump);
    let found: BTreeSet<Vec<u8>> = values.iter().map(|value| document_in(value)).collect();
    assert_eq!(values.len(), expected.len());
    assert!(found == expected, "the dump and the export differ");
    let stat = output(&mut tool("mdb_stat", &["-s", "documents"], &store));
    assert!(stat.contains(&format!("Entries: {}", expected.len())), "{stat}");

    // Both ways back: a compact copy, and a loaded dump.
    let copy = room.path().join("copy");
    fs::create_dir(&copy).expect("a folder can be made");
    output(tool("mdb_copy", &["-c"], &store).arg(&copy));
    assert!(export(&copy, &room.path().join("of-copy")) == text, "of the copy");
    let whole = room.path().join("dump");
    let loaded = room.path().join("loaded");
    fs::create_dir(&loaded).expect("a folder can be made");
    output(tool("mdb_dump", &["-a", "-f"], &whole).arg(&store));
    let from = Stdio::from(File::open(&whole).expect("the dump can be read"));
    output(tool("mdb_load", &[], &loaded).stdin(from));
    assert!(export(&loaded, &room.path().join("of-loaded")) == text, "of what was loaded");
    assert!(export(&store, &room.path().join("again")) == text, "the store itself");
}

#[test]
fn the_tools_leave_an_open_store_alone() {
    let room = tempfile::tempdir().expect("a temporary folder can be made");
    let store = room.path().join("store");
    make_store(&store);
    let engine = open_paused(&store, 1_700_000_000_000);
    // As bytes: NaN is not equal to itself.
    let stored = || {
        let all = find_all(&engine, DB, COLLECTION, doc! {}).into_iter();
        all.map(|document| document.to_vec().expect("it fits")).collect::<Vec<_>>()
    };
    let before = stored();
    let bytes = fs::read(store.join("data.mdb")).expect("the file can be read");
    let copy = room.path().join("copy");
    fs::create_dir(&copy).expect("a folder can be made");
    let mut commands = [
        tool("mdb_stat", &["-a"], &store),
        tool("mdb_dump", &["-a"], &store),
        tool("mdb_copy", &["-c"], &store),
    ];
    commands[2].arg(&copy);
    for command in &mut commands {
        let refused = command.output().expect("the tools are there");
        let said = String::from_utf8_lossy(&refused.stderr);
        assert!(!refused.status.success() && said.contains("VERSION_MISMATCH"), "{said}");
        assert!(refused.stdout.is_empty(), "{command:?} printed something");
    }
    assert!(fs::read(store.join("data.mdb")).expect("the file can be read") == bytes);
    assert!(stored() == before);
    run(&engine, DB, &doc! { "insert": COLLECTION, "documents": [{ "_id": "one more" }] });
    let checked = run(&engine, DB, &doc! { "validate": COLLECTION, "full": true });
    assert!(checked.get_bool("valid").unwrap_or(false), "{checked}");
    engine.close().expect("the store closes");
}
