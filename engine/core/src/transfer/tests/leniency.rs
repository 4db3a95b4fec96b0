//! Imports that accept non-standard JSON.

use std::fs;

use bson::{Document, RawDocumentBuf, doc};

use crate::transfer::{
    ImportRequest, Leniency, Nonstandard, Progress, ReadOptions, Tally, preview, rehearse,
    tests::Fixture,
};

/// The first 5 documents have one non-standard form each, in the order of [`Nonstandard::ALL`]; the last one is
/// valid.
const DOCUMENTS: [&[u8]; 6] = [
    br#"{"_id":1,"v":{"a":1,"a":2}}"#,
    br#"{"_id":2,"v":[99999999999999999999]}"#,
    br#"{"_id":3,"v":-Infinity}"#,
    br#"{"_id":4,"v":{"$date":"1970-01-01T05:45:00"}}"#,
    b"{\"_id\":5,\"v\":\"\xff\"}",
    br#"{"_id":6}"#,
];

fn all() -> Leniency {
    let mut leniency = Leniency::default();
    for nonstandard in Nonstandard::ALL {
        leniency.set(nonstandard, true);
    }
    leniency.zone = Leniency::read_zone("+05:45").unwrap();
    leniency
}

/// NDJSON, documents that span lines, and an array.
fn forms() -> [Vec<u8>; 3] {
    let pretty: Vec<Vec<u8>> =
        DOCUMENTS.iter().map(|document| [b"{\n", &document[1..]].concat()).collect();
    [
        DOCUMENTS.join(&b'\n'),
        pretty.join(&b'\n'),
        [b"[", DOCUMENTS.join(&b',').as_slice(), b"]"].concat(),
    ]
}

fn raw(document: &Document) -> RawDocumentBuf {
    RawDocumentBuf::try_from(document).unwrap()
}

#[test]
fn each_nonstandard_form_is_taken_alone_and_counted() {
    let values = [
        doc! { "_id": 1, "v": { "a": 2 } },
        doc! { "_id": 2, "v": [1e20] },
        doc! { "_id": 3, "v": f64::NEG_INFINITY },
        doc! { "_id": 4, "v": bson::DateTime::from_millis(0) },
        doc! { "_id": 5, "v": "\u{fffd}" },
    ];
    let good = doc! { "_id": 6 };
    for bytes in forms() {
        for (nonstandard, value) in Nonstandard::ALL.into_iter().zip(&values) {
            let fixture = Fixture::new();
            let mut leniency = all();
            for other in Nonstandard::ALL {
                leniency.set(other, other == nonstandard);
            }
            let report = fixture.import(&ImportRequest { leniency, ..fixture.request(&bytes) });
            assert_eq!((report.imported, report.rejected), (2, 4), "{nonstandard:?}");
            let mut tally = Tally::NONE;
            tally.set(nonstandard, 1);
            assert_eq!(report.tally, tally);
            assert_eq!(fixture.documents(), [raw(value), raw(&good)]);
        }
        let fixture = Fixture::new();
        let report = fixture.import(&ImportRequest { leniency: all(), ..fixture.request(&bytes) });
        assert_eq!((report.imported, report.rejected), (6, 0));
        assert_eq!(report.tally.sentences().len(), Nonstandard::ALL.len());
    }
}

#[test]
fn nothing_odd_is_taken_by_itself_and_the_reason_names_the_option() {
    for bytes in forms() {
        let fixture = Fixture::new();
        let report = fixture.import(&fixture.request(&bytes));
        assert_eq!((report.imported, report.rejected), (1, 5));
        assert_eq!(report.tally, Tally::NONE);
        assert_eq!(fixture.documents(), [raw(&doc! { "_id": 6 })]);
        for (nonstandard, reject) in Nonstandard::ALL.into_iter().zip(&report.rejects) {
            let option = format!("option \"{}\" ({})", nonstandard.option(), nonstandard.flag());
            assert!(reject.reason.contains(&option), "{reject}");
        }
        let text = fs::read_to_string(&report.rejects_files[0]).unwrap();
        assert!(text.contains("--last-duplicate") && text.lines().count() == 5, "{text}");
    }
}

#[test]
fn other_reasons_name_no_option() {
    let fixture = Fixture::new();
    let report = fixture.import(&fixture.request(b"{\"_id\":tru}\n{\"_id\":1e400}\n"));
    assert_eq!(report.rejected, 2);
    assert!(report.rejects.iter().all(|reject| !reject.reason.contains("option")));
}

#[test]
fn what_is_looked_at_before_is_read_in_the_same_way() {
    for bytes in forms() {
        let fixture = Fixture::new();
        let path = fixture.file("p", &bytes);
        let look = |leniency| {
            let options = ReadOptions { leniency, ..ReadOptions::default() };
            let found = preview(&path, &options).unwrap();
            let progress = Progress::new();
            let (all, into) = (&fixture.collections, &fixture.namespace);
            let rehearsed = rehearse(all, into, &path, &options, 1_000, &progress).unwrap();
            let read = (found.documents.len(), found.rejects.len());
            (read, found.tally.sentences().len(), (rehearsed.documents, rehearsed.rejected))
        };
        assert_eq!(look(Leniency::default()), ((1, 5), 0, (1, 5)));
        assert_eq!(look(all()), ((6, 0), 5, (6, 0)));
    }
}
