use std::{
    fs,
    sync::{Mutex, Weak},
    time::Duration,
};

use bson::rawdoc;

use super::*;
use crate::{
    clock::{Clock, ClockStatus, SimulatedClock, WaitEnd, WakeUp},
    store::{Store, StoreOptions},
    transfer::limits::EXPORT_DOCS_MAX,
};

type Deed = fn(&Collections, &Namespace);

/// Enough documents for three reads.
const DOCUMENTS: usize = EXPORT_DOCS_MAX * 2 + 1;

/// A clock that runs a closure when it is read. An export reads it before each of its reads.
struct Tripping {
    clock: SimulatedClock,
    collections: Mutex<Weak<Collections>>,
    /// Clock readings before the closure runs, and the closure.
    trip: Mutex<Option<(u32, Deed)>>,
}

impl Clock for Tripping {
    fn now_ms(&self) -> i64 {
        let mut trip = self.trip.lock().unwrap();
        let deed = match &mut *trip {
            Some((left @ 1.., _)) => {
                *left -= 1;
                None
            }
            due => due.take(),
        };
        drop(trip);
        if let Some((_, deed)) = deed {
            let collections = self.collections.lock().unwrap().upgrade().unwrap();
            deed(&collections, &Namespace::new("d", "c"));
        }
        self.clock.now_ms()
    }

    fn monotonic(&self) -> Duration {
        self.clock.monotonic()
    }

    fn wait_until(&self, deadline: Option<Duration>, wake: &WakeUp) -> WaitEnd {
        self.clock.wait_until(deadline, wake)
    }

    fn status(&self) -> ClockStatus {
        self.clock.status()
    }

    fn boot_id(&self) -> Option<String> {
        self.clock.boot_id()
    }
}

/// The result of an export over old files, and the files afterwards. `None` for a missing file.
struct Outcome {
    result: Result<ExportReport, TransferError>,
    text: Option<String>,
    indexes: Option<String>,
    parts: usize,
}

/// Exports a collection of three reads over old files. The closure runs before one of the reads,
/// after `reads` others.
fn export_while(format: ExportFormat, (reads, deed): (u32, Deed)) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    let options = StoreOptions { map_size_bytes: 1 << 30, ..StoreOptions::default() };
    let (store, _) = Store::open(&folder.path().join("data"), &options).unwrap();
    let clock = Arc::new(Tripping {
        clock: SimulatedClock::new(1_700_000_000_000),
        collections: Mutex::default(),
        trip: Mutex::default(),
    });
    let collections = Arc::new(Collections::new(Arc::new(store), Arc::clone(&clock) as _).unwrap());
    *clock.collections.lock().unwrap() = Arc::downgrade(&collections);
    let namespace = Namespace::new("d", "c");
    let filled: Result<(), WriteError> = collections.write(|writer| {
        let collection = writer.create_if_missing(&namespace)?;
        for id in 0..i32::try_from(DOCUMENTS).unwrap() {
            writer.insert(&collection, &rawdoc! { "_id": id })?;
        }
        Ok(())
    });
    filled.unwrap();
    let path = folder.path().join("out");
    let beside = indexes_path(&path);
    for path in [&path, &beside] {
        fs::write(path, "old").unwrap();
    }
    let request = ExportRequest {
        namespace,
        path: path.clone(),
        format,
        query: ExportQuery::default(),
        compression: Compression::None,
        indexes: true,
    };
    // The export itself reads the time once, at its start.
    *clock.trip.lock().unwrap() = Some((reads + 1, deed));
    let result = export(&collections, &request, &Progress::new());
    assert!(clock.trip.lock().unwrap().is_none(), "it never happened");
    let parts = fs::read_dir(folder.path()).unwrap().filter(|entry| {
        entry.as_ref().unwrap().file_name().to_string_lossy().starts_with(".mayfly-export-")
    });
    Outcome {
        result,
        text: fs::read_to_string(&path).ok(),
        indexes: fs::read_to_string(&beside).ok(),
        parts: parts.count(),
    }
}

/// `expected` is the number of documents in the new file, or `None` if the export is refused.
#[track_caller]
fn check(deed: Deed, expected: Option<usize>) {
    let Outcome { result, text, indexes, parts } =
        export_while(ExportFormat::Ndjson(Style::Relaxed), (1, deed));
    if let Some(expected) = expected {
        assert_eq!(result.map(|report| report.exported), Ok(expected as u64));
        assert_eq!(text.map(|text| text.lines().count()), Some(expected));
        assert_eq!(indexes.as_deref(), Some("[\n]\n"));
    } else {
        assert_eq!(result, Err(TransferError::CollectionGone { namespace: "d.c".to_owned() }));
        assert_eq!((text.as_deref(), indexes.as_deref()), (Some("old"), Some("old")));
    }
    assert_eq!(parts, 0);
}

fn insert(collections: &Collections, namespace: &Namespace, document: &RawDocument) {
    let inserted: Result<_, WriteError> = collections.write(|writer| {
        let collection = writer.create_if_missing(namespace)?;
        writer.insert(&collection, document)
    });
    inserted.unwrap();
}

fn dropped(collections: &Collections, namespace: &Namespace) {
    collections.drop_collection(namespace).unwrap();
    while collections.reclaim_step().unwrap().pending > 0 {}
}

#[test]
fn a_collection_that_goes_away_meanwhile_leaves_the_old_file() {
    check(dropped, None);
    check(
        |collections, namespace| {
            dropped(collections, namespace);
            let again: Result<_, WriteError> =
                collections.write(|writer| writer.create_if_missing(namespace));
            again.unwrap();
        },
        None,
    );
}

#[test]
fn a_new_name_meanwhile_changes_nothing() {
    check(
        |collections, namespace| {
            let to = Namespace::new("d", "new");
            collections.rename(namespace, &to).unwrap();
        },
        Some(DOCUMENTS),
    );
}

#[test]
fn a_field_that_comes_between_the_reading_of_columns_and_of_rows_is_not_left_out() {
    let check = |fields: Option<Vec<String>>, deed: Deed, expected: Result<usize, &str>| {
        // Three reads find the columns.
        let form = CsvForm::Spreadsheet;
        let format = ExportFormat::Csv(CsvOptions { fields, form, ..CsvOptions::default() });
        let outcome = export_while(format, (3, deed));
        assert_eq!(outcome.parts, 0);
        match expected {
            Ok(rows) => {
                let lines = outcome.text.map(|text| text.lines().count());
                assert_eq!(lines, Some(rows + 1));
            }
            Err(end) => {
                let told = outcome.result.unwrap_err().to_string();
                assert!(told.ends_with(end), "{told}");
                assert_eq!(outcome.text.as_deref(), Some("old"));
                assert_eq!(outcome.indexes.as_deref(), Some("old"));
            }
        }
    };
    let grown: Deed = |collections, namespace| {
        insert(collections, namespace, &rawdoc! { "_id": -1, "a": { "b": 1 } });
    };
    let told =
        "out: the field \"a.b\" was added during the export; export again, or choose the fields.";
    check(None, grown, Err(told));
    check(Some(vec!["_id".to_owned()]), grown, Ok(DOCUMENTS + 1));
    check(
        None,
        |collections, namespace| insert(collections, namespace, &rawdoc! { "_id": -1 }),
        Ok(DOCUMENTS + 1),
    );
    check(
        None,
        |collections, namespace| {
            insert(collections, namespace, &rawdoc! { "_id": -1, "": { "_id": 2 } });
        },
        Err("two fields would have the same column \"_id\" in CSV; choose the fields, or another \
             format."),
    );
}

/// A cell that its column's type doesn't fit would be rejected with its row.
#[test]
fn a_type_that_comes_between_the_reading_of_columns_and_of_rows_is_not_written() {
    let form = CsvForm::Typed;
    let format = ExportFormat::Csv(CsvOptions { form, ..CsvOptions::default() });
    let outcome = export_while(
        format,
        (3, |collections, namespace| insert(collections, namespace, &rawdoc! { "_id": "x" })),
    );
    let told = outcome.result.unwrap_err().to_string();
    assert!(told.contains("the field \"_id\" got another type during the export"), "{told}");
    assert_eq!((outcome.text.as_deref(), outcome.parts), (Some("old"), 0));
}

#[test]
fn the_indexes_appear_only_beside_documents_that_did() {
    let Outcome { result, text, indexes, parts } = export_while(
        ExportFormat::Ndjson(Style::Relaxed),
        (2, |collections, _| {
            // The rename to the target fails.
            let path = collections.store().folder().with_file_name("out");
            fs::remove_file(&path).unwrap();
            fs::create_dir(&path).unwrap();
        }),
    );
    assert!(matches!(result, Err(TransferError::File { .. })), "{result:?}");
    assert_eq!((text.as_deref(), indexes.as_deref(), parts), (None, Some("old"), 0));
}

#[test]
fn documents_whose_indexes_can_not_be_written_do_not_appear() {
    let Outcome { result, text, parts, .. } = export_while(
        ExportFormat::Ndjson(Style::Relaxed),
        (2, |collections, _| {
            let path = indexes_path(&collections.store().folder().with_file_name("out"));
            fs::remove_file(&path).unwrap();
            fs::create_dir(&path).unwrap();
        }),
    );
    assert!(matches!(result, Err(TransferError::Target { .. })), "{result:?}");
    assert_eq!((text.as_deref(), parts), (Some("old"), 0));
}
