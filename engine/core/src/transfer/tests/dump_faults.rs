//! One thing in a dump that can't be read costs its own collection something, and no other one.

use std::{fs, path::Path};

use bson::{RawDocumentBuf, doc};
use proptest::{prelude::*, test_runner::TestCaseError};

use crate::catalog::Namespace;
use crate::transfer::{
    Dump, DumpChoice, DumpImport, Progress, import_dump, read_dump, tests::Fixture,
};

/// Faults as they are met in folders of dumps, at the collection with a name of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    EmptyMetadata,
    BlankMetadata,
    CutMetadata(usize),
    NotAText,
    /// `NaN`, `Infinity` or `-Infinity` as the time to live.
    Bare(&'static str),
    DirectoryAsData,
    UsersAndRoles,
    ShortenedName,
    CutData,
    AppleDouble,
    /// A folder next to that of the database, whose name can't be one.
    OddFolder(&'static str),
}

impl Fault {
    /// Whether its own documents are imported all the same.
    fn keeps_documents(self) -> bool {
        use Fault::{BlankMetadata, CutMetadata, EmptyMetadata, NotAText};
        matches!(self, EmptyMetadata | BlankMetadata | CutMetadata(_) | NotAText | Self::Bare(_))
    }
}

fn faults() -> impl Strategy<Value = Fault> {
    let word = prop::sample::select(vec!["NaN", "Infinity", "-Infinity"]);
    let folder = prop::sample::select(vec!["a.b", "with space", "a$b", "x\"y"]);
    prop_oneof![
        Just(Fault::EmptyMetadata),
        Just(Fault::BlankMetadata),
        (1..METADATA.len() - 1).prop_map(Fault::CutMetadata),
        Just(Fault::NotAText),
        word.prop_map(Fault::Bare),
        Just(Fault::DirectoryAsData),
        Just(Fault::UsersAndRoles),
        Just(Fault::ShortenedName),
        Just(Fault::CutData),
        Just(Fault::AppleDouble),
        folder.prop_map(Fault::OddFolder),
    ]
}

const METADATA: &str = r#"{"options":{},"indexes":[{"v":2,"key":{"_id":1},"name":"_id_"},{"v":2,"key":{"at":1},"name":"at_1","expireAfterSeconds":60}]}"#;

/// Three documents without dates, so nothing expires.
fn data() -> Vec<u8> {
    let raw = |n: i32| RawDocumentBuf::try_from(&doc! { "_id": n }).unwrap().as_bytes().to_vec();
    (1..=3).flat_map(raw).collect()
}

fn write(folder: &Path, name: &str, metadata: Option<&[u8]>, data: Option<&[u8]>) {
    fs::create_dir_all(folder).unwrap();
    if let Some(metadata) = metadata {
        fs::write(folder.join(format!("{name}.metadata.json")), metadata).unwrap();
    }
    if let Some(data) = data {
        fs::write(folder.join(format!("{name}.bson")), data).unwrap();
    }
}

/// Writes a collection with a fault. Returns the name by which a report must mention it.
fn spoil(root: &Path, number: usize, fault: Fault) -> String {
    let app = root.join("app");
    let name = format!("bad{number}");
    let data = data();
    let mut metadata = METADATA.as_bytes().to_vec();
    match fault {
        Fault::EmptyMetadata => metadata.clear(),
        Fault::BlankMetadata => metadata = b" \n".to_vec(),
        Fault::CutMetadata(length) => metadata.truncate(length),
        Fault::NotAText => metadata = vec![0xff; 20],
        Fault::Bare(word) => metadata = METADATA.replace(":60", &format!(":{word}")).into_bytes(),
        Fault::CutData => {
            write(&app, &name, Some(&metadata), Some(&data[..data.len() - 1]));
            return name;
        }
        Fault::DirectoryAsData => {
            write(&app, &name, Some(&metadata), None);
            fs::create_dir_all(app.join(format!("{name}.bson"))).unwrap();
            return name;
        }
        Fault::UsersAndRoles => {
            for kind in ["users", "roles", "version"] {
                write(&app, &format!("$admin.system.{kind}"), None, Some(&data));
            }
            return "$admin.system.roles".to_owned();
        }
        Fault::ShortenedName => {
            let short = format!("{name}{}%24x8f9Wm", "long".repeat(50));
            write(&app, &short, None, Some(&data));
            return short.replace("%24", "$");
        }
        Fault::AppleDouble => {
            write(&app, &format!("._{name}"), Some(b"\0\x05"), Some(b"\0\x05"));
            // It is invisible, like every file whose name begins with a dot.
            return String::new();
        }
        Fault::OddFolder(folder) => {
            write(&root.join(folder), &name, Some(&metadata), Some(&data));
            return name;
        }
    }
    write(&app, &name, Some(&metadata), Some(&data));
    name
}

/// Everything that a report says of a name.
fn said_of(dump: &Dump, outcomes: &[crate::transfer::DumpOutcome], name: &str) -> Vec<String> {
    let mut said: Vec<String> =
        dump.notes.iter().filter(|note| note.contains(name)).cloned().collect();
    for found in dump.collections.iter().filter(|found| found.name == name) {
        said.extend(found.refused.clone());
    }
    for outcome in outcomes.iter().filter(|outcome| outcome.into.collection == name) {
        said.extend(outcome.notes.clone());
        said.extend(outcome.documents.as_ref().err().cloned());
        said.extend(
            outcome.documents.as_ref().ok().and_then(crate::transfer::ImportReport::sentence),
        );
    }
    said
}

fn check(faults: &[Fault]) -> Result<(), TestCaseError> {
    let fixture = Fixture::new();
    let root = fixture.folder.path().join("dump");
    for good in ["good", "whole"] {
        write(&root.join("app"), good, Some(METADATA.as_bytes()), Some(&data()));
    }
    let bad: Vec<String> =
        faults.iter().enumerate().map(|(number, fault)| spoil(&root, number, *fault)).collect();
    let dump = read_dump(&root).map_err(|error| TestCaseError::fail(error.to_string()))?;
    let importable = dump.collections.iter().filter(|found| found.refused.is_none());
    let choices = importable.map(|found| DumpChoice {
        into: Namespace::checked(found.db.as_deref().unwrap_or("x"), &found.name).unwrap(),
        collection: found.clone(),
        indexes: true,
        ttl: true,
    });
    let request = DumpImport { choices: choices.collect(), ..DumpImport::default() };
    let outcomes = import_dump(&fixture.collections, &request, &Progress::new()).unwrap();
    let imported = |name: &str| {
        let of = outcomes.iter().find(|outcome| outcome.into.collection == name)?;
        let report = of.documents.as_ref().ok()?;
        Some((report.imported, of.indexes.clone()))
    };
    for good in ["good", "whole"] {
        prop_assert_eq!(imported(good), Some((3, vec!["at_1".to_owned()])));
        prop_assert_eq!(said_of(&dump, &outcomes, good), Vec::<String>::new());
    }
    for (name, fault) in bad.iter().zip(faults).filter(|(name, _)| !name.is_empty()) {
        let said = said_of(&dump, &outcomes, name);
        prop_assert!(!said.is_empty(), "nothing is said of {name}: {fault:?}");
        if fault.keeps_documents() {
            prop_assert_eq!(imported(name), Some((3, Vec::new())), "{:?}", fault);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_fault_in_a_dump_is_named_and_costs_no_other_collection(
        faults in prop::collection::vec(faults(), 1..5)
    ) {
        check(&faults)?;
    }
}

#[test]
fn a_plus_in_the_name_of_a_file_is_a_space() {
    let folder = tempfile::tempdir().unwrap();
    let shop = folder.path().join("my+shop");
    for (stem, metadata) in [
        ("a+b", None),
        ("c%2Bd%20e", None),
        ("f+g", Some(r#"{"options":{},"indexes":[]}"#)),
        ("h+i", Some(r#"{"options":{},"indexes":[],"collectionName":"h+i"}"#)),
        ("%+f%zz", None),
    ] {
        write(&shop, stem, metadata.map(str::as_bytes), Some(&data()));
    }
    let dump = read_dump(folder.path()).unwrap();
    let names: Vec<_> = dump.collections.iter().map(|found| found.name.as_str()).collect();
    assert_eq!(names, ["% f%zz", "a b", "c+d e", "f g", "h+i"]);
    // mongodump takes the name of a database as it is.
    assert!(dump.collections.iter().all(|found| found.db.as_deref() == Some("my+shop")));
}
