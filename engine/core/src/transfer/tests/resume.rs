//! Interrupted imports: resumed, rolled back, dismissed.

use std::{cell::Cell, fmt::Write as _, fs, io, path::Path, rc::Rc, sync::Arc};

use bson::{RawDocumentBuf, doc};

use crate::transfer::{
    ImportEnd, ImportMode, ImportReport, ImportRequest, Leniency, Nonstandard, Progress,
    ResumeRequest, TransferError, Zone, import, leave_import,
    limits::COMPLETE_IMPORTS_MAX,
    resume::checkpoint::{Checkpoint, ImportState},
    resume::rejects::tests as rejects,
    resume_import, roll_back_import,
    tests::{Fixture, gzip},
    unfinished_imports,
};
use crate::{
    command::testing::spoil,
    store::{RecordNumber, Scan, StoreError},
};

const DOCUMENTS: usize = 6_000;

/// How the documents of a file are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    Lines,
    SeveralALine,
    Objects,
    Array,
    Csv,
}

const ALL: [Written; 5] =
    [Written::Lines, Written::SeveralALine, Written::Objects, Written::Array, Written::Csv];

/// A file in which one document in fifty can't be stored, and one in two hundred has a value of
/// Extended JSON v1.
fn text(written: Written) -> Vec<u8> {
    let mut text = match written {
        Written::Csv => "_id,\"a\nb\"\n",
        Written::Array => "[",
        _ => "\u{feff}",
    }
    .to_owned();
    for n in 0..DOCUMENTS {
        let id = if n % 50 == 49 { n - 1 } else { n };
        let at = if n % 200 == 7 { ",\"at\":{\"$date\":5}" } else { "" };
        let end = if n + 1 == DOCUMENTS { "" } else { "," };
        let _ = match written {
            Written::Lines => writeln!(text, "{{\"_id\":{id},\"x\":\"é{n}\"{at}}}"),
            Written::SeveralALine if n % 7 > 0 => write!(text, "{{\"_id\":{id}}} "),
            Written::SeveralALine => writeln!(text, "{{\"_id\":{id}}}"),
            Written::Objects => writeln!(text, "{{\n  \"_id\":\n {id}\n}}"),
            Written::Array => writeln!(text, "{{\"_id\":{id}{at}}}{end}"),
            Written::Csv => writeln!(text, "{id},\"x\n{n}\""),
        };
    }
    if written == Written::Array {
        text.push(']');
    }
    text.into_bytes()
}

impl Fixture {
    fn at(&self, name: &str, bytes: &[u8]) -> ImportRequest {
        ImportRequest::new(vec![self.file(name, bytes)], self.namespace.clone())
    }

    /// Runs or resumes an import, and cancels it after this many more documents.
    fn cut(&self, request: &ImportRequest, more: u64) -> ImportReport {
        let progress = Progress::new();
        progress.cancel_at(self.imported() + more);
        let report = match unfinished_imports(&self.collections).unwrap().first() {
            Some(known) => resume_import(&self.collections, known.id, &progress),
            None => import(&self.collections, request, &progress),
        };
        report.unwrap()
    }

    fn imported(&self) -> u64 {
        unfinished_imports(&self.collections).unwrap().first().map_or(0, |known| known.imported)
    }

    fn resume(&self) -> Result<ImportReport, TransferError> {
        let known = unfinished_imports(&self.collections).unwrap().remove(0);
        resume_import(&self.collections, known.id, &Progress::new())
    }

    fn remembers(&self) -> usize {
        unfinished_imports(&self.collections).unwrap().len()
    }

    /// Whether the store holds nothing about any import.
    fn has_forgotten(&self) -> bool {
        let found: Result<bool, StoreError> =
            self.collections.store().read(|reader| Ok(reader.meta("imports")?.is_none()));
        found.unwrap()
    }

    fn records(&self) -> Vec<RecordNumber> {
        let collection = self.collections.catalog().collection(&self.namespace).unwrap();
        let found: Result<Vec<RecordNumber>, StoreError> =
            self.collections.store().read(|reader| {
                let documents = reader.documents(collection.id, 0, Scan::Forward)?;
                documents.map(|stored| Ok(stored?.record)).collect()
            });
        found.unwrap()
    }
}

fn rejected(report: &ImportReport) -> String {
    report.rejects_files.iter().map(|file| fs::read_to_string(file).unwrap()).collect()
}

#[test]
fn a_resumed_import_is_as_an_unbroken_one() {
    for written in ALL {
        for packed in [false, true] {
            let bytes = text(written);
            let bytes = if packed { gzip(&bytes) } else { bytes };
            let unbroken = Fixture::new();
            let expected = unbroken.import(&unbroken.at("in", &bytes));
            assert_eq!(expected.rejected, DOCUMENTS as u64 / 50, "{written:?}");
            let fixture = Fixture::new();
            let request = fixture.at("in", &bytes);
            let mut cuts = 0;
            let mut report = fixture.cut(&request, 500);
            while report.end == ImportEnd::Cancelled {
                cuts += 1;
                assert_eq!(report.unfinished.is_some(), report.imported > 0);
                report = fixture.cut(&request, 500);
            }
            assert!(cuts > 1, "{written:?}: only {cuts} cuts");
            let counts = |of: &ImportReport| (of.end.clone(), of.imported, of.rejected, of.tally);
            assert_eq!(counts(&report), counts(&expected), "{written:?}");
            assert_eq!(rejected(&report), rejected(&expected), "{written:?}");
            assert_eq!(fixture.documents(), unbroken.documents(), "{written:?}");
            assert!(fixture.has_forgotten());
        }
    }
}

#[test]
fn a_resumed_import_takes_what_it_took_before_and_continues_counting() {
    let lines: String = (0..6_000)
        .map(|n| match n % 100 {
            0 => format!("{{\"_id\":{n},\"v\":NaN}}\n"),
            1 => format!("{{\"_id\":{n},\"v\":{{\"$date\":\"2026-01-31\"}}}}\n"),
            2 => format!("{{\"_id\":{n},\"v\":1,\"v\":2}}\n"),
            _ => format!("{{\"_id\":{n}}}\n"),
        })
        .collect();
    let mut leniency = Leniency::default();
    leniency.set(Nonstandard::NotFinite, true);
    leniency.set(Nonstandard::NoZone, true);
    leniency.zone = Zone::parse("Asia/Kathmandu").unwrap();
    let request = |fixture: &Fixture| {
        let files = vec![
            fixture.file("a", b"{\"_id\":-1,\"v\":NaN}\n"),
            fixture.file("b", lines.as_bytes()),
        ];
        ImportRequest { leniency, ..ImportRequest::new(files, fixture.namespace.clone()) }
    };
    let unbroken = Fixture::new();
    let expected = unbroken.import(&request(&unbroken));
    let counts = [Nonstandard::NotFinite, Nonstandard::NoZone, Nonstandard::DuplicateField]
        .map(|odd| expected.tally[odd]);
    assert_eq!((counts, expected.rejected), ([61, 60, 0], 60));
    let fixture = Fixture::new();
    let mut report = fixture.cut(&request(&fixture), 500);
    let mut cuts = 0;
    while report.end == ImportEnd::Cancelled {
        cuts += 1;
        let known = unfinished_imports(&fixture.collections).unwrap().remove(0);
        assert_eq!(known.request.leniency, leniency);
        // A resumed import must not repeat the options.
        report = fixture.cut(&fixture.at("c", b""), 500);
    }
    assert!(cuts > 1, "only {cuts} cuts");
    assert_eq!((report.end, report.rejected), (ImportEnd::Complete, 60));
    assert_eq!(report.tally, expected.tally);
    assert_eq!(fixture.documents(), unbroken.documents());
}

#[test]
fn several_files_are_resumed_in_the_right_one() {
    let text = |from: i32| {
        let lines: Vec<String> =
            (from..from + 3_000).map(|n| format!("{{\"_id\":{n}}}\n")).collect();
        lines.concat() + "{\"_id\":tru}\n"
    };
    let unbroken = Fixture::new();
    let fixture = Fixture::new();
    let request = |fixture: &Fixture| {
        let files =
            [fixture.file("a", text(0).as_bytes()), fixture.file("b", text(9_000).as_bytes())];
        let broken = fixture.file("broken", b"[{\"_id\":-1},{\"_id\":");
        let files = [files[0].clone(), broken, files[1].clone()].to_vec();
        ImportRequest::new(files, fixture.namespace.clone())
    };
    let expected = unbroken.import(&request(&unbroken));
    let request = request(&fixture);
    let mut report = fixture.cut(&request, 3_500);
    while report.end == ImportEnd::Cancelled {
        report = fixture.cut(&request, 900);
    }
    assert!(matches!(&report.end, ImportEnd::Broken(reject) if reject.file.ends_with("broken")));
    assert_eq!((report.imported, report.rejected), (expected.imported, expected.rejected));
    assert_eq!(report.rejects_files.len(), 3);
    assert_eq!(rejected(&report), rejected(&expected));
    assert_eq!(fixture.documents(), unbroken.documents());
}

#[test]
fn a_roll_back_removes_what_was_inserted_and_nothing_else() {
    for before in [true, false] {
        let fixture = Fixture::new();
        if before {
            fixture.import(&fixture.at("first", b"{\"_id\":-1}\n{\"_id\":-2}\n"));
        }
        let old = fixture.documents();
        let report = fixture.cut(&fixture.at("in", &text(Written::Lines)), 2_000);
        assert_eq!(report.end, ImportEnd::Cancelled);
        let id = report.unfinished.unwrap();
        let cancelled = Progress::new();
        cancelled.cancel();
        let halt = roll_back_import(&fixture.collections, id, &cancelled).unwrap();
        assert!(halt.cancelled && halt.removed == 0);
        let done = roll_back_import(&fixture.collections, id, &Progress::new()).unwrap();
        assert_eq!((done.removed, done.changed, done.gone), (report.imported, 0, 0));
        assert_eq!(done.collection_removed, !before);
        assert_eq!(fixture.collections.catalog().collection(&fixture.namespace).is_some(), before);
        assert_eq!(fixture.documents(), old);
        assert!(fixture.has_forgotten());
    }
}

#[test]
fn a_roll_back_keeps_what_was_changed_since() {
    let fixture = Fixture::new();
    let report = fixture.cut(&fixture.at("in", &text(Written::Lines)), 2_000);
    let collection = fixture.collections.catalog().collection(&fixture.namespace).unwrap();
    let records = fixture.records();
    let changed = RawDocumentBuf::try_from(&doc! { "_id": 10, "mine": true }).unwrap();
    let done: Result<(), crate::collection::WriteError> = fixture.collections.write(|writer| {
        writer.replace(&collection, records[10], &changed)?;
        writer.delete(&collection, records[20]).map(drop)
    });
    done.unwrap();
    let id = report.unfinished.unwrap();
    let done = roll_back_import(&fixture.collections, id, &Progress::new()).unwrap();
    assert_eq!((done.changed, done.gone), (1, 1));
    assert_eq!(done.removed + 2, report.imported);
    assert_eq!(fixture.documents(), [changed]);
    assert!(!done.collection_removed);
}

#[test]
fn a_roll_back_resumes_after_a_damaged_document() {
    let fixture = Fixture::new();
    let report = fixture.cut(&fixture.at("in", &text(Written::Lines)), 2_000);
    spoil(&fixture.folder.path().join("data"), "é30\0".as_bytes());
    let done = roll_back_import(&fixture.collections, report.unfinished.unwrap(), &Progress::new());
    let done = done.unwrap();
    assert_eq!((done.removed + 1, done.changed, done.gone), (report.imported, 1, 0));
    assert!(!done.collection_removed && fixture.has_forgotten());
}

#[test]
fn what_was_replaced_stays_and_is_said() {
    let fixture = Fixture::new();
    fixture.import(&fixture.at("first", b"{\"_id\":0,\"old\":1}\n{\"_id\":-1}\n"));
    let request =
        ImportRequest { mode: ImportMode::Replace, ..fixture.at("in", &text(Written::Lines)) };
    let report = fixture.cut(&request, 1_500);
    let known = unfinished_imports(&fixture.collections).unwrap().remove(0);
    assert_eq!(known.replaced, 1 + report.imported / 50, "{known:?}");
    assert!(known.sentence().contains("A rollback keeps"), "{}", known.sentence());
    let done = roll_back_import(&fixture.collections, known.id, &Progress::new()).unwrap();
    assert_eq!(done.replaced, known.replaced);
    assert!(done.sentence().contains("kept as they are"), "{}", done.sentence());
    let ids: Vec<i32> =
        fixture.documents().iter().map(|document| document.get_i32("_id").unwrap()).collect();
    // The import itself later changed a document that one of the file's own replaced.
    assert!(ids.starts_with(&[0, -1]) && ids[2..].iter().all(|id| id % 50 == 48), "{ids:?}");
}

#[test]
fn what_can_not_be_resumed() {
    let cut = || {
        let fixture = Fixture::new();
        let report = fixture.cut(&fixture.at("in", &text(Written::Lines)), 1_000);
        (fixture, report.unfinished.unwrap())
    };
    let check = |fixture: &Fixture, words: &str| {
        let refused = fixture.resume().unwrap_err().to_string();
        assert!(refused.contains(words), "{refused:?} lacks {words:?}");
    };
    let (fixture, _) = cut();
    fs::write(fixture.folder.path().join("in"), text(Written::Array)).unwrap();
    check(&fixture, "changed after the import started");
    let (fixture, _) = cut();
    fs::remove_file(fixture.folder.path().join("in")).unwrap();
    check(&fixture, "file not found");
    let (fixture, _) = cut();
    fixture.collections.drop_collection(&fixture.namespace).unwrap();
    check(&fixture, "is not the collection that the import started with");
    let (fixture, id) = cut();
    let documents = fixture.documents();
    leave_import(&fixture.collections, id).unwrap();
    assert_eq!(fixture.documents(), documents);
    assert!(fixture.has_forgotten());
    let refused = resume_import(&fixture.collections, id, &Progress::new()).unwrap_err();
    assert!(refused.to_string().contains("no longer exists"), "{refused}");
}

#[test]
fn stops_are_remembered_and_resumed_behind_what_was_rejected() {
    let fixture = Fixture::new();
    let bad = b"{\"_id\":1}\nx\n{\"_id\":2}\ny\n{\"_id\":3}\n";
    let request = ImportRequest { stop_on_error: true, ..fixture.at("in", bad) };
    assert_eq!(fixture.import(&request).end, ImportEnd::StoppedOnError);
    let known = unfinished_imports(&fixture.collections).unwrap().remove(0);
    assert!(known.is_of(&request) && !known.is_of(&fixture.at("other", bad)));
    let report = fixture.resume().unwrap();
    assert_eq!((report.end, report.imported, report.rejected), (ImportEnd::StoppedOnError, 2, 2));
    let report = fixture.resume().unwrap();
    assert_eq!((report.end, report.imported, report.rejected), (ImportEnd::Complete, 3, 2));
    assert_eq!(fixture.remembers(), 0);
}

#[test]
fn more_than_one_bad_document_in_ten_stops() {
    let text = |bad_every: usize| {
        let line = |n: usize| match n % bad_every {
            1 => "{\"_id\":x}\n".to_owned(),
            _ => format!("{{\"_id\":{n}}}\n"),
        };
        (0..5_000).map(line).collect::<String>()
    };
    let check = |bad_every, end: ImportEnd, imported, rejected| {
        let fixture = Fixture::new();
        let report = fixture.import(&fixture.at("in", text(bad_every).as_bytes()));
        assert_eq!((report.imported, report.rejected), (imported, rejected), "{bad_every}");
        assert_eq!(report.end, end, "{bad_every}");
        (fixture, report)
    };
    check(11, ImportEnd::Complete, 4_545, 455);
    let (fixture, _) = check(8, ImportEnd::TooManyRejects, 876, 126);
    // The user who resumes has seen them.
    let report = fixture.resume().unwrap();
    assert_eq!((report.end, report.imported, report.rejected), (ImportEnd::Complete, 4_375, 625));
}

#[test]
fn each_resumption_may_reject_as_many_documents_as_a_new_import() {
    let bad = "{\"_id\":x}\n".repeat(2_500);
    let text = format!("{{\"_id\":1}}\n{bad}{{\"_id\":2}}\n");
    let fixture = Fixture::new();
    let report = fixture.import(&fixture.at("in", text.as_bytes()));
    // Of a thousand documents, more than one in ten.
    assert_eq!((report.end, report.rejected), (ImportEnd::TooManyRejects, 999));
    let report = fixture.resume().unwrap();
    assert_eq!((report.end, report.rejected), (ImportEnd::TooManyRejects, 1_999));
    let report = fixture.resume().unwrap();
    assert_eq!((report.end, report.rejected, report.imported), (ImportEnd::Complete, 2_500, 2));

    let check = |rejects_max, end, rejected| {
        let fixture = Fixture::new();
        let request = fixture.at("in", text.as_bytes());
        let report = fixture.import(&ImportRequest { rejects_max: Some(rejects_max), ..request });
        assert_eq!((&report.end, report.rejected), (&end, rejected), "{rejects_max}");
        (fixture, report)
    };
    check(0, ImportEnd::Complete, 2_500);
    check(2_501, ImportEnd::Complete, 2_500);
    let (fixture, report) = check(7, ImportEnd::TooManyRejects, 7);
    let request = ResumeRequest { id: report.unfinished.unwrap(), rejects_max: Some(0) };
    let report = resume_import(&fixture.collections, request, &Progress::new()).unwrap();
    assert_eq!((report.end, report.rejected), (ImportEnd::Complete, 2_500));
}

#[test]
fn a_file_with_a_long_name_has_rejects_too() {
    let fixture = Fixture::new();
    for (name, bytes) in [("n".repeat(255), 255), ("ü".repeat(120), 240)] {
        let report = fixture.import(&fixture.at(&name, b"{}\nx\n{}\n"));
        assert_eq!((name.len(), report.end.clone()), (bytes, ImportEnd::Complete));
        assert_eq!((report.imported, report.rejected), (2, 1));
        assert_eq!(report.rejects_files[0].parent(), Some(fixture.folder.path()));
        assert!(rejected(&report).contains("\"line\":2"));
    }
}

#[test]
fn a_rejected_document_is_kept_whole() {
    let fixture = Fixture::new();
    let long = "y".repeat(15 << 20);
    let text = format!("{{\"_id\":1}}\n{{\"a\":\"{long}\",}}x\n{{\"_id\":1,\"b\":\"{long}\"}}\n");
    let report = fixture.import(&fixture.at("in", text.as_bytes()));
    assert_eq!((report.imported, report.rejected), (1, 2));
    for line in rejected(&report).lines() {
        assert!(line.contains(&long) && !line.contains("\"cut\""), "{}", &line[..200]);
    }
    let text = format!("{{\"_id\":7}}\n{{\"a\":{}}}\n", "y".repeat(17 << 20));
    let report = fixture.import(&fixture.at("longer", text.as_bytes()));
    let line = rejected(&report);
    assert!(line.contains("\"cut\":true"), "{}", line.len());
}

#[test]
fn a_drop_forgets_what_was_cut_off() {
    let fixture = Fixture::new();
    let request = fixture.at("in", &text(Written::Lines));
    fixture.cut(&request, 1_000);
    assert_eq!(fixture.remembers(), 1);
    let report = fixture.import(&ImportRequest { drop: true, ..request });
    assert_eq!(report.end, ImportEnd::Complete);
    assert!(fixture.has_forgotten());
    assert!(Path::new(&report.rejects_files[0]).exists());
}

#[test]
fn what_was_not_forgotten_whole_is_forgotten_when_an_import_begins() {
    let fixture = Fixture::new();
    fixture.cut(&fixture.at("in", &text(Written::Lines)), 1_000);
    let known = unfinished_imports(&fixture.collections).unwrap().remove(0);
    // The process ended between two transactions that forget the import.
    let begun = fixture.collections.write(|writer| {
        let mut checkpoint = Checkpoint::load(&writer.reader(), known.id)?.unwrap();
        checkpoint.state = ImportState::Forgetting;
        checkpoint.save(writer)
    });
    begun.unwrap();
    assert!(fixture.remembers() == 0 && !fixture.has_forgotten());
    let report = fixture.import(&fixture.at("other", b"{\"_id\":-1}\n"));
    assert_eq!(report.end, ImportEnd::Complete);
    assert!(fixture.has_forgotten());
}

#[test]
fn rejected_documents_are_written_outside_of_the_transaction_and_once() {
    let bytes = text(Written::Lines);
    let unbroken = Fixture::new();
    let store = Arc::clone(unbroken.collections.store());
    let moments = Rc::new(Cell::new(0));
    let seen = Rc::clone(&moments);
    rejects::look(move |_| {
        seen.set(seen.get() + 1);
        // Refused from inside a transaction.
        store.write(|writer| writer.put_meta("look", b"")).map_err(io::Error::other)
    });
    let expected = unbroken.import(&unbroken.at("in", &bytes));
    assert_eq!(
        (expected.end.clone(), expected.rejected),
        (ImportEnd::Complete, DOCUMENTS as u64 / 50)
    );
    assert!(moments.get() >= 6, "{} moments", moments.get());
    // Interrupted at each write: before the file has what is committed, and before the checkpoint
    // says so. A slow machine makes more and smaller batches, so each run has its own number of
    // writes.
    let mut cut = 0;
    loop {
        let fixture = Fixture::new();
        let mut left = cut;
        rejects::look(move |_| {
            left -= 1;
            if left < 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
        });
        let report = fixture.import(&fixture.at("in", &bytes));
        rejects::look_away();
        if report.end == ImportEnd::Complete {
            break;
        }
        assert!(matches!(report.end, ImportEnd::Failed(_)), "{cut}: {:?}", report.end);
        let report = fixture.resume().unwrap();
        assert_eq!((report.end.clone(), report.rejected), (ImportEnd::Complete, expected.rejected));
        assert_eq!(rejected(&report), rejected(&expected), "{cut}");
        assert_eq!(report.rejects_files.len(), 1);
        assert_eq!(fixture.documents(), unbroken.documents(), "{cut}");
        assert!(fixture.has_forgotten());
        cut += 1;
    }
    assert!(cut >= 6, "{cut} moments");
}

#[test]
fn whoever_leaves_an_import_has_what_it_rejected() {
    let fixture = Fixture::new();
    rejects::look(|_| Err(io::ErrorKind::StorageFull.into()));
    let report = fixture.import(&fixture.at("in", b"{\"_id\":1}\nx\n{\"_id\":2}\n"));
    rejects::look_away();
    assert!(matches!(report.end, ImportEnd::Failed(_)), "{:?}", report.end);
    leave_import(&fixture.collections, report.unfinished.unwrap()).unwrap();
    assert!(rejected(&report).contains("\"line\":2"), "{}", rejected(&report));
    assert!(fixture.has_forgotten());
}

#[test]
fn a_file_that_has_the_name_meanwhile_is_not_written_over() {
    let fixture = Fixture::new();
    let wanted = fixture.folder.path().join("later").join("in.jsonl");
    let bad = b"{\"_id\":1}\nx\n{\"_id\":2}\n";
    let request = ImportRequest { rejects: Some(wanted.clone()), ..fixture.at("in", bad) };
    let report = fixture.import(&request);
    assert!(matches!(report.end, ImportEnd::Failed(_)), "{:?}", report.end);
    assert_eq!((report.imported, report.rejects_files.len()), (2, 0));
    fs::create_dir(wanted.parent().unwrap()).unwrap();
    fs::write(&wanted, "somebody else's").unwrap();
    let report = fixture.resume().unwrap();
    assert_eq!((report.end.clone(), report.rejected), (ImportEnd::Complete, 1));
    assert_eq!(fs::read_to_string(&wanted).unwrap(), "somebody else's");
    assert_eq!(report.rejects_files, [wanted.with_file_name("in-2.jsonl")]);
    assert!(rejected(&report).contains("\"line\":2"));
    assert!(fixture.has_forgotten());
}

#[test]
fn who_cancels_when_all_is_stored_comes_too_late() {
    let fixture = Fixture::new();
    let report = fixture.cut(&fixture.at("in", "{}\n".repeat(10).as_bytes()), 10);
    assert_eq!((report.end, report.imported, report.unfinished), (ImportEnd::Complete, 10, None));
    assert!(fixture.has_forgotten());
}

/// On Unix a file name is bytes and need not be valid UTF-8.
#[cfg(unix)]
#[test]
fn a_file_whose_name_is_no_text_is_found_again() {
    use std::os::unix::ffi::OsStrExt as _;
    let fixture = Fixture::new();
    let path = fixture.folder.path().join(std::ffi::OsStr::from_bytes(b"in\xff.json"));
    fs::write(&path, text(Written::Lines)).unwrap();
    let request = ImportRequest::new(vec![path], fixture.namespace.clone());
    fixture.cut(&request, 1_000);
    let known = unfinished_imports(&fixture.collections).unwrap().remove(0);
    assert!(known.is_of(&request), "{known:?}");
    let report = fixture.resume().unwrap();
    assert_eq!((report.end, report.rejects_files.len()), (ImportEnd::Complete, 1));
    assert_eq!(report.imported, DOCUMENTS as u64 - DOCUMENTS as u64 / 50);
}

#[test]
fn a_complete_import_that_remembers_what_it_inserted_is_rolled_back() {
    let fixture = Fixture::new();
    let plain = fixture.at("plain.json", b"{\"_id\": -1}\n");
    assert_eq!(fixture.import(&plain).complete, None);
    let request =
        ImportRequest { keeps_inserted: true, ..fixture.at("kept.json", &text(Written::Lines)) };
    let report = fixture.import(&request);
    assert_eq!((&report.end, report.unfinished), (&ImportEnd::Complete, None));
    assert!(report.rejected > 0, "also after a rejected document");
    let id = report.complete.expect("it can be rolled back");
    assert_eq!(unfinished_imports(&fixture.collections).unwrap(), []);
    let done = roll_back_import(&fixture.collections, id, &Progress::new()).unwrap();
    assert_eq!((done.removed, done.changed), (report.imported, 0));
    assert_eq!(fixture.documents().len(), 1, "the one of before is left");
    assert!(roll_back_import(&fixture.collections, id, &Progress::new()).is_err(), "once");
}

#[test]
fn an_import_that_stored_nothing_leaves_no_collection() {
    // All rejected, the file unreadable from its first document on, and the first one fatal.
    for (keeps_inserted, stop_on_error) in [(true, false), (false, false), (false, true)] {
        let fixture = Fixture::new();
        let text = b"_id,n\n1,\"x\n";
        let request =
            ImportRequest { stop_on_error, keeps_inserted, ..fixture.at("rejected.csv", text) };
        let report = fixture.import(&request);
        assert_eq!((report.imported, report.rejected), (0, 1), "{:?}", report.end);
        assert_eq!((report.complete, report.unfinished), (None, None));
        assert!(fixture.collections.catalog().collection(&request.namespace).is_none());
    }
    // One that was there before stays.
    let fixture = Fixture::new();
    fixture.import(&fixture.at("plain.json", b"{\"_id\": 1}\n"));
    let again = fixture.at("again.json", b"{\"_id\": 1}\n");
    assert_eq!(fixture.import(&again).imported, 0);
    assert_eq!(fixture.documents().len(), 1);
}

#[test]
fn the_oldest_complete_imports_are_forgotten() {
    let fixture = Fixture::new();
    let import = |number: usize| {
        let text = format!("{{\"_id\": {number}}}\n");
        let request = ImportRequest {
            keeps_inserted: true,
            ..fixture.at(&format!("{number}.json"), text.as_bytes())
        };
        fixture.import(&request).complete.expect("it can be rolled back")
    };
    let ids: Vec<_> = (0..=COMPLETE_IMPORTS_MAX).map(import).collect();
    let roll_back = |id| roll_back_import(&fixture.collections, id, &Progress::new());
    assert!(roll_back(ids[0]).is_err());
    assert_eq!(roll_back(ids[1]).unwrap().removed, 1);
    assert_eq!(roll_back(ids[COMPLETE_IMPORTS_MAX]).unwrap().removed, 1);
}
