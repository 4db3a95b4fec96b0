//! Databases to a folder with a manifest, and back.

use std::{
    fs,
    path::{Path, PathBuf},
};

use bson::{
    Binary, Bson, Decimal128, Document, JavaScriptCodeWithScope, RawDocumentBuf, Regex, Timestamp,
    doc, oid::ObjectId, spec::BinarySubtype,
};

use crate::catalog::{
    Namespace,
    rules::{CreateIndexesRequest, CreateRequest},
};
use crate::transfer::{
    Compression, Dump, DumpChoice, DumpExport, DumpImport, DumpReport, Progress, TransferError,
    dump::manifest::{ListedCollection, ListedFile},
    export_dump, import_dump, read_dump,
    tests::Fixture,
};

/// A document with a value of each type.
fn every_type(id: i32) -> Document {
    let code = |text: &str| text.to_owned();
    doc! {
        "_id": id,
        "double": 0.5, "negative zero": -0.0, "text": "a\u{0}b", "document": { "x": 1 },
        "array": [1, "two", null],
        "binary": Binary { subtype: BinarySubtype::Uuid, bytes: vec![7; 16] },
        "undefined": Bson::Undefined, "object id": ObjectId::from_bytes([3; 12]),
        "bool": true, "at": bson::DateTime::from_millis(1_800_000_000_000), "null": null,
        "regex": Regex { pattern: "a+".try_into().unwrap(), options: "i".try_into().unwrap() },
        "code": Bson::JavaScriptCode(code("f()")), "symbol": Bson::Symbol(code("s")),
        "scoped": JavaScriptCodeWithScope { code: code("g()"), scope: doc! { "y": 2 } },
        "int": 5, "timestamp": Timestamp { time: 9, increment: 8 }, "long": 5_i64,
        "decimal": "1.10".parse::<Decimal128>().unwrap(),
        "least": Bson::MinKey, "greatest": Bson::MaxKey,
    }
}

/// A store with the database `d`: `c` with a TTL index and others, a capped, a validated and a
/// clustered collection, and a view.
fn filled() -> Fixture {
    let fixture = Fixture::new();
    for id in 0..3 {
        fixture.insert(&RawDocumentBuf::try_from(&every_type(id)).unwrap());
    }
    let indexes = vec![
        doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 60 },
        doc! { "key": { "int": 1 }, "name": "int_1",
        "partialFilterExpression": { "int": { "$gt": 5_i64 } } },
    ];
    let namespace = fixture.namespace.clone();
    let request = CreateIndexesRequest { namespace, indexes, ignore_unknown_options: false };
    fixture.collections.create_indexes(&request, &mut |_| {}).unwrap();
    for (name, options) in [
        ("a view", doc! { "viewOn": "c", "pipeline": [{ "$match": { "int": 5 } }] }),
        ("clustered", doc! { "clusteredIndex": { "key": { "_id": 1 }, "unique": true } }),
        ("odd / Name", doc! { "capped": true, "size": 4096 }),
        ("validated", doc! { "validator": { "n": { "$gt": 5 } }, "validationAction": "warn" }),
    ] {
        let request = CreateRequest { namespace: Namespace::new("d", name), options };
        fixture.collections.create(&request).unwrap();
    }
    fixture
}

fn export(fixture: &Fixture, folder: &Path, db: Option<&str>) -> Result<DumpReport, TransferError> {
    let request = DumpExport {
        db: db.map(str::to_owned),
        collections: None,
        folder: folder.to_owned(),
        compression: Compression::None,
    };
    export_dump(&fixture.collections, &request, &Progress::new())
}

fn into(db: &str, dump: &Dump) -> DumpImport {
    let choice = |of: &crate::transfer::DumpCollection| {
        let into = Namespace::new(db, &of.name);
        DumpChoice { collection: of.clone(), into, indexes: true, ttl: true }
    };
    DumpImport { choices: dump.collections.iter().map(choice).collect(), ..DumpImport::default() }
}

/// The collections of a database, with options and indexes.
fn definitions(fixture: &Fixture, db: &str) -> Vec<(String, Document, Vec<Document>)> {
    let catalog = fixture.collections.catalog();
    let mut all: Vec<_> = catalog
        .collections(db)
        .map(|found| {
            let indexes = found.indexes.iter().map(|index| index.to_spec()).collect();
            (found.namespace.collection.clone(), found.options.to_document(), indexes)
        })
        .collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

#[test]
fn a_database_goes_to_a_folder_and_comes_back() {
    let fixture = filled();
    for (number, compression) in Compression::ALL.into_iter().enumerate() {
        let folder = fixture.folder.path().join(format!("dump{number}"));
        let request = DumpExport {
            db: Some("d".to_owned()),
            collections: None,
            folder: folder.clone(),
            compression,
        };
        let report = export_dump(&fixture.collections, &request, &Progress::new()).unwrap();
        assert_eq!((report.documents(), report.collections.len()), (3, 4));
        assert_eq!(report.views, [Namespace::new("d", "a view")]);
        assert!(folder.join(format!("d/odd%20%2F%20Name.bson{}", compression.ending())).is_file());
        let dump = read_dump(&folder).unwrap();
        assert_eq!(dump, read_dump(&folder.join("d")).unwrap(), "the manifest is beside it");
        let counts = dump.collections.iter().map(|found| found.listed.map(|it| it.documents));
        assert_eq!(counts.collect::<Vec<_>>(), [None, Some(3), Some(0), Some(0), Some(0)]);
        let again = Fixture::new();
        let outcomes =
            import_dump(&again.collections, &into("d", &dump), &Progress::new()).unwrap();
        assert!(outcomes.iter().all(crate::transfer::DumpOutcome::is_complete), "{outcomes:?}");
        assert_eq!(again.documents(), fixture.documents());
        assert_eq!(definitions(&again, "d"), definitions(&fixture, "d"));
    }
}

#[test]
fn all_databases_go_to_one_folder() {
    let fixture = filled();
    let other = Namespace::new("e", "one");
    let request = CreateRequest { namespace: other.clone(), options: doc! {} };
    fixture.collections.create(&request).unwrap();
    let folder = fixture.folder.path().join("dump");
    export(&fixture, &folder, None).unwrap();
    let dump = read_dump(&folder).unwrap();
    let dbs: Vec<_> = dump.collections.iter().filter_map(|found| found.db.as_deref()).collect();
    assert_eq!(dbs, ["d", "d", "d", "d", "d", "e"]);
    assert_eq!(read_dump(&folder.join("e")).unwrap().collections.len(), 1);
    let manifest = fs::read(folder.join("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
    assert_eq!(manifest["program"], "Mayfly");
    assert_eq!(manifest["formatVersion"], 1);
    assert_eq!(manifest["collections"][1]["documents"], 3);
    assert_eq!(manifest["collections"][1]["data"]["path"], "d/c.bson");
}

/// Exports a database, applies `change` to its folder, and imports it. Returns the reasons for the
/// collections that are refused, and the notes. Expects all others.
fn refusals(change: impl FnOnce(&Path)) -> Vec<String> {
    let fixture = filled();
    let folder = fixture.folder.path().join("dump");
    export(&fixture, &folder, Some("d")).unwrap();
    change(&folder);
    let again = Fixture::new();
    let dump = read_dump(&folder).unwrap();
    let (refused, sound): (Vec<_>, Vec<_>) =
        dump.collections.into_iter().partition(|found| found.refused.is_some());
    let named = |found: crate::transfer::DumpCollection| {
        let name = format!("{}.{}", found.db.unwrap_or_default(), found.name);
        (name, found.refused.unwrap())
    };
    let mut refused: Vec<(String, String)> = refused.into_iter().map(named).collect();
    let sound = Dump { collections: sound, notes: Vec::new() };
    for outcome in import_dump(&again.collections, &into("d", &sound), &Progress::new()).unwrap() {
        match outcome.documents {
            Err(what) => refused.push((outcome.into.to_string(), what)),
            Ok(report) => assert_eq!(report.end, crate::transfer::ImportEnd::Complete),
        }
    }
    let mut expected = definitions(&fixture, "d");
    expected.retain(|(name, ..)| refused.iter().all(|(not, _)| *not != format!("d.{name}")));
    assert_eq!(definitions(&again, "d"), expected);
    let said = refused.into_iter().map(|(_, what)| what).chain(dump.notes);
    said.map(|what| what.replace(&format!("{}/", folder.display()), "")).collect()
}

#[test]
fn only_the_collection_whose_file_differs_from_the_manifest_is_refused() {
    let copy = "copy the folder again";
    let missing = refusals(|folder| fs::remove_file(folder.join("d/c.bson")).unwrap());
    assert_eq!(missing, [format!("d/c.bson: it is missing, but the manifest lists it; {copy}")]);
    let lost = refusals(|folder| {
        for name in ["d/validated.bson", "d/validated.metadata.json"] {
            fs::remove_file(folder.join(name)).unwrap();
        }
    });
    let what = "it is missing, but the manifest lists it;";
    assert_eq!(lost, [format!("d/validated.metadata.json: {what} {copy}")]);
    let extra = refusals(|folder| {
        fs::write(folder.join("d/more.bson"), b"").unwrap();
    });
    let what = "it is not in the manifest of its folder; move it out of the folder";
    assert_eq!(extra, [format!("d/more.bson: {what}")]);
    let elsewhere = refusals(|folder| {
        fs::create_dir(folder.join("e")).unwrap();
        fs::write(folder.join("e/c.bson"), b"").unwrap();
    });
    assert_eq!(elsewhere, [format!("e/c.bson: {what}")]);
    let short = refusals(|folder| {
        let file = fs::OpenOptions::new().write(true).open(folder.join("d/c.bson")).unwrap();
        file.set_len(10).unwrap();
    });
    let what = "d/c.bson: it has 10 bytes, but the manifest says ";
    assert!(short.len() == 1 && short[0].starts_with(what), "{short:?}");
    let altered = |name: &'static str| {
        refusals(move |folder| {
            let path = folder.join(name);
            let mut bytes = fs::read(&path).unwrap();
            *bytes.last_mut().unwrap() ^= 1;
            fs::write(&path, bytes).unwrap();
        })
    };
    let what = "its content is not what the manifest was written for;";
    for (name, stop) in
        [("d/c.bson", "."), ("d/c.metadata.json", ""), ("d/a%20view.metadata.json", "")]
    {
        assert_eq!(altered(name), [format!("{name}: {what} {copy}{stop}")]);
    }
}

/// The error of a read of the folder after `change`.
fn refusal(change: impl FnOnce(&Path)) -> String {
    let fixture = filled();
    let folder = fixture.folder.path().join("dump");
    export(&fixture, &folder, Some("d")).unwrap();
    change(&folder);
    let sentence = read_dump(&folder).unwrap_err().to_string();
    sentence.replace(&folder.display().to_string(), "DIR")
}

#[test]
fn a_manifest_that_cannot_be_used_says_why() {
    let with = |text: &'static str| {
        refusal(move |folder| fs::write(folder.join("manifest.json"), text).unwrap())
    };
    assert!(with("{").starts_with("DIR/manifest.json: it is damaged;"));
    assert!(with("{}").starts_with("DIR/manifest.json: it is not a manifest of Mayfly;"));
    let newer = r#"{"program":"Mayfly","formatVersion":2,"collections":[]}"#;
    assert!(with(newer).starts_with("DIR/manifest.json: a newer version of Mayfly wrote it;"));
    let outside = r#"{"program":"Mayfly","formatVersion":1,"collections":[{"db":"d",
        "collection":"c","type":"collection","documents":0,"data":null,
        "metadata":{"path":"../x","bytes":1,"xxh3":"0"}}]}"#;
    assert!(with(outside).starts_with("DIR/manifest.json: it is damaged;"));
}

#[test]
fn without_its_manifest_a_folder_is_one_of_mongodump() {
    let fixture = filled();
    let folder = fixture.folder.path().join("dump");
    export(&fixture, &folder, Some("d")).unwrap();
    fs::remove_file(folder.join("manifest.json")).unwrap();
    fs::remove_file(folder.join("d/validated.bson")).unwrap();
    let dump = read_dump(&folder).unwrap();
    assert!(dump.collections.iter().all(|found| found.listed.is_none()));
    assert_eq!(dump.collections.iter().filter(|found| found.refused.is_some()).count(), 1);
}

#[test]
fn an_export_that_fails_leaves_the_folder_as_it_was() {
    let fixture = filled();
    let folder = fixture.folder.path().join("dumps");
    let request = |db: &str, name: Option<&str>| DumpExport {
        db: Some(db.to_owned()),
        collections: name.map(|name| vec![name.to_owned()]),
        folder: folder.clone(),
        compression: Compression::None,
    };
    let failed = |request: &DumpExport, progress: &Progress| {
        export_dump(&fixture.collections, request, progress).unwrap_err()
    };
    let missing = failed(&request("d", Some("none")), &Progress::new());
    assert_eq!(missing, TransferError::NoCollection { namespace: "d.none".to_owned() });
    let none = failed(&request("e", None), &Progress::new()).to_string();
    assert!(none.ends_with("dumps: the database e has no collections."), "{none}");
    let canceled = || {
        let progress = Progress::new();
        progress.cancel_at(2);
        failed(&request("d", None), &progress)
    };
    assert_eq!(canceled(), TransferError::Cancelled);
    assert!(!folder.exists());
    fs::create_dir(&folder).unwrap();
    assert_eq!(canceled(), TransferError::Cancelled);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    let file: PathBuf = folder.join("mine.txt");
    fs::write(&file, b"mine").unwrap();
    let refused = failed(&request("d", None), &Progress::new()).to_string();
    assert!(refused.ends_with("the folder has files; choose an empty or a new folder."));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    let request = DumpExport { folder: file, ..request("d", None) };
    let refused = failed(&request, &Progress::new()).to_string();
    assert!(refused.ends_with("it is a file; choose a folder."), "{refused}");
    let inside = fixture.folder.path().join("data/dump");
    let request = DumpExport { folder: inside.clone(), ..request };
    let refused = failed(&request, &Progress::new()).to_string();
    assert!(refused.ends_with("data/dump: it is inside the data folder; choose another folder."));
    assert!(!inside.exists());
}

#[test]
fn the_names_in_a_manifest_stay() {
    let file = |path: &str| ListedFile { path: path.to_owned(), bytes: 1, checksum: 10 };
    let listed = ListedCollection {
        db: "d".to_owned(),
        name: "c".to_owned(),
        kind: "collection".to_owned(),
        documents: 2,
        metadata: file("d/c.metadata.json"),
        data: Some(file("d/c.bson")),
    };
    let text = r#"{"db":"d","collection":"c","type":"collection","documents":2,"metadata":{"path":"d/c.metadata.json","bytes":1,"xxh3":"000000000000000a"},"data":{"path":"d/c.bson","bytes":1,"xxh3":"000000000000000a"}}"#;
    assert_eq!(serde_json::to_string(&listed).unwrap(), text);
    assert_eq!(serde_json::from_str::<ListedCollection>(text).unwrap(), listed);
    let view = ListedCollection { data: None, ..listed };
    assert!(serde_json::to_string(&view).unwrap().ends_with(r#","data":null}"#));
}
