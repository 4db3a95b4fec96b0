//! Documents from a server into other stores, and from files into a server.

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;

use bson::raw::{RawArrayBuf, RawBsonRef, cstr};
use bson::{Document, RawDocument, RawDocumentBuf, doc, rawdoc};
use mayfly::action::{Action, TransferAction};
use mayfly::job::{Cancel, CopyPart, CopyPlan, End, Namespace};
use mayfly::source::copying::{self, NewSandbox};
use mayfly::source::embedded::opener;
use mayfly::source::{Capabilities, Events, OpenRequest, Source, TakeBatch, remote};
use mayfly_engine::transfer::Progress;
use mayfly_tests::documentdb::{DocumentDb, Habits};

use super::connect::{Served, attached};
use super::support::{START_MS, Window};

/// A document with a value of every type, and with what only bytes can say.
fn odd() -> RawDocumentBuf {
    let mut odd = rawdoc! {
        "_id": { "a": 1, "b": [1_i64, "x"] },
        "double": -0.0,
        "nan": f64::from_bits(0x7ff8_0000_0000_1234),
        "text": "a\u{0}b",
        "array": [1, [2.5, null]],
        "inner": { "": 1, "a.b": 2, "$c": 3 },
        "generic": bson::Binary { subtype: bson::spec::BinarySubtype::Generic, bytes: vec![0, 255] },
        "uuid": bson::Binary { subtype: bson::spec::BinarySubtype::Uuid, bytes: vec![7; 16] },
        "own": bson::Binary { subtype: bson::spec::BinarySubtype::UserDefined(200), bytes: vec![] },
        "oid": bson::oid::ObjectId::from_bytes([9; 12]),
        "yes": true,
        "early": bson::DateTime::from_millis(i64::MIN),
        "null": null,
        "int": i32::MIN,
        "long": 1_i64,
        "stamp": bson::Timestamp { time: 7, increment: 8 },
        "decimal": bson::Decimal128::from_bytes([1; 16]),
    };
    odd.append(
        cstr!("regex"),
        RawBsonRef::RegularExpression(bson::raw::RawRegexRef {
            pattern: cstr!("^a"),
            options: cstr!("xi"),
        }),
    );
    odd.append(cstr!("code"), RawBsonRef::JavaScriptCode("f()"));
    odd.append(cstr!("symbol"), RawBsonRef::Symbol("s"));
    odd.append(cstr!("undefined"), RawBsonRef::Undefined);
    odd.append(cstr!("min"), RawBsonRef::MinKey);
    odd.append(cstr!("max"), RawBsonRef::MaxKey);
    let scoped = rawdoc! { "x": 1 };
    odd.append(
        cstr!("scoped"),
        RawBsonRef::JavaScriptCodeWithScope(bson::raw::RawJavaScriptCodeWithScopeRef {
            code: "g()",
            scope: &scoped,
        }),
    );
    // A field that is there twice: no decoded document holds both.
    odd.append(cstr!("twice"), 1);
    odd.append(cstr!("twice"), "two");
    odd
}

fn insert(source: &dyn Source, documents: &[RawDocumentBuf]) {
    let mut all = RawArrayBuf::new();
    for document in documents {
        all.push(document.clone());
    }
    let mut command = rawdoc! { "insert": "odd" };
    command.append(cstr!("documents"), all);
    let reply = source.run_bytes("test", &command, &|| false);
    assert_eq!(reply.get_i32("n").ok(), i32::try_from(documents.len()).ok(), "{reply}");
}

fn all_bytes(source: &dyn Source, collection: &str) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let find = doc! { "find": collection };
    source
        .read_batches("test", &find, &Cancel::default(), &mut |documents| {
            found.extend(documents.iter().map(|document| document.as_bytes().to_vec()));
            Ok(())
        })
        .expect("documents");
    found
}

fn whole(collection: &str) -> CopyPlan {
    let namespace = Namespace::new("test", collection);
    let (part, indexes) = (CopyPart::Matching(Document::new()), Vec::new());
    let into = namespace.clone();
    CopyPlan { from: namespace, part, into, past_validators: true, indexes }
}

fn in_folder(folder: &Path) -> Arc<dyn Source> {
    let request = OpenRequest { folder: Some(folder.to_owned()), ..OpenRequest::default() };
    opener()(&request).map_err(|error| error.message).expect("a store").source
}

#[test]
fn every_type_and_byte_arrives_both_ways() {
    let served = Served::start(&[]);
    insert(served.source.as_ref(), &[odd(), rawdoc! { "_id": 1, "n": 1 }]);
    let (server, _) = remote::open(&served.uri).expect("a server");
    let sandbox = NewSandbox::create(START_MS).expect("a sandbox");
    let (progress, cancel) = (Progress::new(), Cancel::default());
    let copy = |from: &dyn Source, to: &dyn Source, plan: &CopyPlan| {
        copying::copy(from, to, plan, &progress, &cancel).0
    };
    let report = copy(server.as_ref(), sandbox.source.as_ref(), &whole("odd"));
    assert_eq!((report.copied, report.refused, report.end), (2, 0, End::Complete));
    let before = all_bytes(served.source.as_ref(), "odd");
    assert_eq!(before[0], odd().as_bytes());
    assert_eq!(all_bytes(sandbox.source.as_ref(), "odd"), before);
    // Back, into another collection.
    let into = Namespace::new("test", "back");
    let plan = CopyPlan { into, ..whole("odd") };
    let report = copy(sandbox.source.as_ref(), server.as_ref(), &plan);
    assert!(matches!(report.end, End::Failed(why) if why.contains("read-only")));
    server.set_locked(false);
    let report = copy(sandbox.source.as_ref(), server.as_ref(), &plan);
    assert_eq!((report.copied, report.end), (2, End::Complete));
    assert_eq!(all_bytes(served.source.as_ref(), "back"), before);
    // Again: each is there already.
    let report = copy(sandbox.source.as_ref(), server.as_ref(), &plan);
    assert_eq!((report.copied, report.skipped), (0, 2));
    server.close();
}

/// A store that cancels while it hands over its second batch.
struct CancelsAfter {
    inner: Arc<dyn Source>,
    cancel: Cancel,
}

impl Source for CancelsAfter {
    fn run(&self, db: &str, command: &Document) -> Document {
        self.inner.run(db, command)
    }

    fn read_batches(
        &self,
        db: &str,
        command: &Document,
        cancel: &Cancel,
        take: &mut TakeBatch<'_>,
    ) -> Result<(), String> {
        let batches = Cell::new(0);
        self.inner.read_batches(db, command, cancel, &mut |documents: &[&RawDocument]| {
            batches.set(batches.get() + 1);
            if batches.get() == 2 {
                self.cancel.cancel();
            }
            take(documents)
        })
    }

    fn subscribe(&self) -> Events {
        self.inner.subscribe()
    }

    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }
}

#[test]
fn a_copy_that_is_canceled_keeps_what_it_has_and_can_be_rolled_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let served = Served::start(&[]);
    let documents: Vec<_> = (0..2_500).map(|n| rawdoc! { "_id": n }).collect();
    for part in documents.chunks(1_000) {
        insert(served.source.as_ref(), part);
    }
    let (inner, _) = remote::open(&served.uri).expect("a server");
    let cancel = Cancel::default();
    let from = CancelsAfter { inner, cancel: cancel.clone() };
    let to = in_folder(&folder.path().join("store"));
    to.run("test", &doc! { "insert": "odd", "documents": [{ "_id": 5, "own": true }] });
    let progress = Progress::new();
    let (report, ids) = copying::copy(&from, to.as_ref(), &whole("odd"), &progress, &cancel);
    assert_eq!(report.end, End::Cancelled);
    assert_eq!((report.copied, report.skipped, ids.count()), (999, 1, 999));
    let namespace = Namespace::new("test", "odd");
    let back = mayfly::source::inserts::roll_back(to.as_ref(), &namespace, &ids, &Progress::new());
    assert_eq!(back.map(|report| (report.removed, report.gone)), Ok((999, 0)));
    let left = all_bytes(to.as_ref(), "odd");
    assert_eq!(left, [rawdoc! { "_id": 5, "own": true }.into_bytes()]);
    to.close();
}

#[test]
fn a_document_that_the_target_refuses_is_counted_and_the_rest_is_copied() {
    let folder = tempfile::tempdir().expect("a folder");
    let served = Served::start(&[]);
    let documents: Vec<_> = (0..10).map(|n| rawdoc! { "_id": n, "n": n % 9 }).collect();
    insert(served.source.as_ref(), &documents);
    let (from, _) = remote::open(&served.uri).expect("a server");
    let to = in_folder(&folder.path().join("store"));
    let unique = doc! { "key": { "n": 1 }, "name": "n_1", "unique": true };
    to.run("test", &doc! { "createIndexes": "odd", "indexes": [unique] });
    let (progress, cancel) = (Progress::new(), Cancel::default());
    let (report, _) = copying::copy(from.as_ref(), to.as_ref(), &whole("odd"), &progress, &cancel);
    assert_eq!((report.copied, report.refused), (9, 1));
    assert!(report.refusals[0].contains("_id 9"), "{:?}", report.refusals);
    to.close();
}

/// Carts, of which three are overdue, with a TTL index and another one.
fn carts() -> Vec<Document> {
    let now_ms = mayfly_engine::clock::Clock::now_ms(&mayfly_engine::clock::SystemClock);
    let at = |hours: i64| bson::DateTime::from_millis(now_ms + hours * 3_600_000);
    let all: Vec<Document> =
        (0..8_i64).map(|n| doc! { "_id": n, "at": at(n - 3), "n": n % 2 }).collect();
    vec![
        doc! { "insert": "carts", "documents": all },
        doc! { "createIndexes": "carts", "indexes": [
            { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 1_800 },
            { "key": { "n": 1 }, "name": "n_1" },
        ] },
    ]
}

fn served_carts() -> Served {
    let served = Served::start(&[]);
    served.source.run("admin", &doc! { "setParameter": 1, "ttlMonitorEnabled": false });
    for command in carts() {
        served.source.run("test", &command);
    }
    served
}

#[test]
fn a_collection_of_a_server_is_rehearsed_in_a_sandbox() {
    let served = served_carts();
    let mut window = attached(&served);
    window.until_named("Collection test.carts");
    let copy = TransferAction::Copy {
        namespace: Namespace::new("test", "carts"),
        filter: "{n: 1}".to_owned(),
    };
    window.ask(Action::Transfer(copy));
    window.until_named("4 documents");
    window.click("Documents: Whole collection");
    window.until_named("8 documents");
    assert!(window.has("Copy the other indexes (1)"));
    window.until_named("The first pass would remove 3 of 8 documents copied");
    window.click("at_1 · after 30 min");
    window.click("Copy");
    window.until("the sandbox is open", |state| {
        state.is_open() && state.store.connection.is_none() && state.is_in_sandbox()
    });
    window.until_named("Collection test.carts");
    window.until("its indexes are there", |state| {
        state.tabs.active().is_some_and(|tab| tab.expiry.lanes.len() == 8)
    });
    assert_eq!(served.count("carts"), 8);
}

#[test]
fn a_copy_into_a_folder_is_told_and_rolled_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("other");
    let served = served_carts();
    let mut window = attached(&served);
    window.until_named("Collection test.carts");
    window.point_secondary("Collection test.carts");
    window.click("Copy to a store…");
    window.until_named("8 documents");
    window.click("Documents: Sample");
    window.type_into("Documents in the sample", "none");
    window.until_named("Enter how many documents");
    assert!(!window.is_enabled("Copy"));
    window.type_into("Documents in the sample", "100");
    window.click("To: Store on this machine");
    window.type_into("Store folder", &data.display().to_string());
    window.type_into("Collection", "sample");
    window.click("Copy");
    window.until_named("Copy finished");
    window.until_named("1 index created");
    let count = |data: &Path| {
        let store = in_folder(data);
        let counted = store.run("test", &doc! { "count": "sample" });
        let listed = store.run("test", &doc! { "listIndexes": "sample" }).to_string();
        store.close();
        (counted.get_i32("n").expect("a count"), listed.contains("at_1"))
    };
    assert_eq!(count(&data), (8, false), "no TTL index unless it is chosen");
    window.click("Roll back");
    window.until_named("8 documents removed.");
    assert_eq!(count(&data).0, 0);
}

#[test]
fn a_collection_is_copied_to_a_server() {
    let served = Served::start(&[doc! { "insert": "notes", "documents": [{ "_id": 2 }] }]);
    let documents: Vec<Document> = (0..5).map(|n| doc! { "_id": n, "n": n }).collect();
    let mut window = Window::open_after(&[doc! { "insert": "notes", "documents": documents }]);
    window.until_named("Collection test.notes");
    window.point_secondary("Collection test.notes");
    window.click("Copy to a server…");
    window.until_named("5 documents");
    assert!(!window.is_enabled("Copy"));
    window.type_into("Connection string", "mongodb://203.0.113.7:1");
    window.until_named("Name to confirm");
    assert!(!window.is_enabled("Copy"), "a server far away asks for the name");
    window.type_into("Connection string", &served.uri);
    window.until_enabled("Copy");
    window.click("Copy");
    window.until_named("Copy finished");
    let [copied, skipped] = ["4", "1"];
    assert!(window.has(copied) && window.has(skipped));
    assert_eq!(served.count("notes"), 5);
    assert!(!format!("{:?}", window.state()).contains(&served.password()));
    window.click("Roll back");
    window.until_named("4 documents removed.");
    assert_eq!(served.count("notes"), 1);
}

#[test]
fn a_copy_goes_to_the_server_that_is_open() {
    let server = DocumentDb::start(Habits::documentdb());
    server.prepare("shop", &doc! { "insert": "carts", "documents": [{ "_id": 1 }] });
    let mut window = super::documentdb::attached(&server);
    window.click("Store store");
    window.until("the store is shown", |state| state.store.connection.is_none());
    window.run("test", &doc! { "insert": "notes", "documents": [{ "_id": 1 }, { "_id": 2 }] });
    window.until_named("Collection test.notes");
    window.point_secondary("Collection test.notes");
    window.click("Copy to a server…");
    window.until_named("2 documents");
    assert_eq!(window.value("Connection string"), server.uri());
    window.until_enabled("Copy");
    window.click("Copy");
    window.until_named("Copy finished");
    assert_eq!(server.stored("test", "notes").len(), 2);
}

fn import(window: &mut Window, file: &Path) {
    let files = vec![file.to_owned()];
    let into = Some(Namespace::new("test", "notes"));
    window.ask(Action::Transfer(TransferAction::Import { files, into }));
    window.until_named("Import documents");
    window.type_into("Collection", "notes");
    window.until_window("it can be imported", |window| {
        window.has("Unlock…") || window.has("Import") && window.is_enabled("Import")
    });
}

fn unlock(window: &mut Window) {
    window.choose("Locked", "Unlock this connection…");
    window.click("Unlock");
    window.until_named("Unlocked: changes are made on");
}

#[test]
fn files_go_into_a_server_once_it_is_unlocked() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("notes.json");
    let lines = "{\"_id\": 1, \"n\": 10, \"a.b\": 1}\n{\"_id\": 3, \"n\": 30}\nnot JSON\n";
    std::fs::write(&file, lines).expect("written");
    let served = Served::start(&[doc! { "insert": "notes", "documents": [
        { "_id": 1, "n": 1, "kept": true }, { "_id": 2, "n": 2 },
    ] }]);
    let mut window = attached(&served);
    window.until_named("Collection test.notes");
    import(&mut window, &file);
    window.click("Unlock…");
    // The question comes before the dialog, which waits for the answer.
    window.until_named("Allow changes on this server?");
    assert_eq!(served.count("notes"), 2);
    window.click("Unlock");
    window.until_enabled("Import");
    window.click("Cancel");
    let one = |id: i32| {
        let found = served.source.run("test", &doc! { "find": "notes", "filter": { "_id": id } });
        let batch = found.get_document("cursor").and_then(|cursor| cursor.get_array("firstBatch"));
        batch.expect("a batch").first().and_then(|one| one.as_document().cloned()).expect("one")
    };
    for (mode, figures, after) in [
        ("Merge", ["2 imported", "1 rejected"], doc! { "_id": 1, "n": 10, "kept": true, "a.b": 1 }),
        ("Replace", ["2 imported", "1 rejected"], doc! { "_id": 1, "n": 10, "a.b": 1 }),
        ("Skip", ["2 skipped", "1 rejected"], doc! { "_id": 1, "n": 10, "a.b": 1 }),
        ("Insert", ["0 imported", "3 rejected"], doc! { "_id": 1, "n": 10, "a.b": 1 }),
    ] {
        import(&mut window, &file);
        window.click("Import options");
        window.click(&format!("Mode: {mode}"));
        window.click("Import");
        window.until_named("Import finished");
        let report = window.state().transfer.results.back().expect("a result").report.clone();
        let told = [
            format!("{} imported", report.imported),
            format!("{} skipped", report.skipped),
            format!("{} rejected", report.rejected),
        ];
        assert!(figures.iter().all(|figure| told.iter().any(|told| told == figure)), "{told:?}");
        assert_eq!(one(1), after, "{mode}");
        assert_eq!(served.count("notes"), 3, "{mode}");
        window.click("Done");
    }
}

#[test]
fn an_import_that_stopped_is_rolled_back_from_a_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("notes.json");
    std::fs::write(&file, "{\"_id\": 7}\n{\"_id\": 8}\n{\"_id\": 1}\n{\"_id\": 9}\n").expect("it");
    let served = Served::start(&[doc! { "insert": "notes", "documents": [{ "_id": 1 }] }]);
    let mut window = attached(&served);
    window.until_named("Collection test.notes");
    unlock(&mut window);
    import(&mut window, &file);
    window.click("Import options");
    window.click("Stop at the first rejected document");
    window.click("Import");
    window.until_named("Import stopped");
    assert_eq!(served.count("notes"), 3);
    assert!(window.has("Resume import"));
    window.until("it is known", |state| state.transfer.unfinished.len() == 1);
    window.click("Roll back");
    window.until_named("2 documents removed.");
    assert_eq!(served.count("notes"), 1);
    window.until("it is forgotten", |state| state.transfer.unfinished.is_empty());
}

#[test]
fn a_production_server_asks_for_the_name_before_an_import() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("notes.csv");
    std::fs::write(&file, "n,at\n1,2\n").expect("written");
    let served = Served::start(&[doc! { "insert": "notes", "documents": [{ "_id": 1 }] }]);
    let mut window = Window::open();
    window.choose("Menu", "Connect to a server…");
    window.type_into("Connection string", &served.uri);
    window.click("Production: others depend on this data");
    window.click("Connect");
    window.until_named("Collection test.notes");
    window.choose("Locked", "Unlock this connection…");
    window.click("Unlock");
    import(&mut window, &file);
    window.click("Import");
    window.until_named("Change a production server?");
    assert!(!window.is_enabled("Change it"));
    assert_eq!(served.count("notes"), 1);
    window.type_into("Name to confirm", "notes");
    window.click("Change it");
    window.until_named("Import finished");
    assert_eq!(served.count("notes"), 2);
}
