//! Imports that give fields other types.

use std::path::Path;

use bson::{Bson, doc};

use crate::transfer::{
    FieldType, ImportEnd, ImportReport, ImportRequest, Progress, ReadOptions, Types, Unconverted,
    Zone, import, preview, rehearse, tests::Fixture,
};
use crate::{
    catalog::rules::CreateIndexesRequest,
    value::date_text::{DateForm, Order},
};

fn types(all: &[&str]) -> Types {
    let mut types = Types::default();
    for text in all {
        types.add(FieldType::parse(text).unwrap());
    }
    types
}

/// Imports a file as these types and returns the documents as text without their `_id`.
fn imported(fixture: &Fixture, path: &Path, types: Types) -> (ImportReport, Vec<String>) {
    let request = ImportRequest {
        types,
        drop: true,
        ..ImportRequest::new(vec![path.to_owned()], fixture.namespace.clone())
    };
    let report = import(&fixture.collections, &request, &Progress::new()).unwrap();
    let text = |document: bson::RawDocumentBuf| {
        let mut document = bson::Document::try_from(document.as_ref()).unwrap();
        document.remove("_id");
        Bson::Document(document).into_relaxed_extjson().to_string()
    };
    (report, fixture.documents().into_iter().map(text).collect())
}

#[test]
fn cells_get_the_chosen_types() {
    let fixture = Fixture::new();
    let csv = "at,zip,n,ok,id,big,dec,u,e\n\
               2015/01/01 08:00:00,01234,7,yes,65e0a1b2c3d4e5f60718293a,5,1.50,\
               00112233-4455-6677-8899-aabbccddeeff,1709280000\n";
    let path = fixture.file("a.csv", csv.as_bytes());
    let mut types = types(&[
        "at=date:%Y/%m/%d %H:%M:%S",
        "n=double",
        "ok=bool",
        "id=objectId",
        "big=long",
        "dec=decimal",
        "u=uuid",
        "e=date:s",
    ]);
    types.zone = Zone::parse("Europe/Berlin").unwrap();
    let (report, documents) = imported(&fixture, &path, types);
    assert_eq!((report.tally.converted, report.tally.unconverted), (8, 0));
    assert_eq!(
        documents,
        [concat!(
            r#"{"at":{"$date":"2015-01-01T07:00:00Z"},"zip":"01234","n":7.0,"ok":true,"#,
            r#""id":{"$oid":"65e0a1b2c3d4e5f60718293a"},"big":5,"dec":{"$numberDecimal":"1.50"},"#,
            r#""u":{"$binary":{"base64":"ABEiM0RVZneImaq7zN3u/w==","subType":"04"}},"#,
            r#""e":{"$date":"2024-03-01T08:00:00Z"}}"#
        )]
    );
}

#[test]
fn a_csv_column_with_a_leading_zero_is_text() {
    let fixture = Fixture::new();
    let path = fixture.file("a.csv", b"zip,n\n98052,1\n01234,2\n98053,3\n");
    let (_, documents) = imported(&fixture, &path, Types::default());
    let zips = ["98052", "01234", "98053"].iter().zip(1..);
    let expected: Vec<_> = zips.map(|(zip, n)| format!(r#"{{"zip":"{zip}","n":{n}}}"#)).collect();
    assert_eq!(documents, expected);
    let (_, documents) = imported(&fixture, &path, types(&["zip=int"]));
    assert_eq!(documents[1], r#"{"zip":1234,"n":2}"#);
}

#[test]
fn fields_of_json_get_types_in_documents_and_arrays() {
    let fixture = Fixture::new();
    let json = br#"{"a":{"at":"Jun 12 1998","x":1},"log":[{"at":"1.2.2020"},{"at":null}],"n":1.5}
{"a":[{"at":"Aug 07 1998"}],"log":"none","days":["Jan 1 2000","Jan 2 2000"]}
"#;
    let path = fixture.file("a.json", json);
    let (report, documents) = imported(
        &fixture,
        &path,
        types(&["a.at=date:%b %d %Y", "log.at=date:%d.%m.%Y", "days=date:%b %d %Y", "n=text"]),
    );
    assert_eq!((report.imported, report.tally.converted), (2, 6));
    assert_eq!(
        documents,
        [
            concat!(
                r#"{"a":{"at":{"$date":"1998-06-12T00:00:00Z"},"x":1},"#,
                r#""log":[{"at":{"$date":"2020-02-01T00:00:00Z"}},{"at":null}],"n":"1.5"}"#
            ),
            concat!(
                r#"{"a":[{"at":{"$date":"1998-08-07T00:00:00Z"}}],"log":"none","#,
                r#""days":[{"$date":"2000-01-01T00:00:00Z"},{"$date":"2000-01-02T00:00:00Z"}]}"#
            ),
        ]
    );
}

#[test]
fn what_does_not_convert_is_kept_null_or_rejected() {
    let fixture = Fixture::new();
    let csv = fixture.file("a.csv", b"at\n2015-01-02\nN/A\n\"\"\n2015-02-30\n");
    let json = fixture.file(
        "a.json",
        b"{\"at\":\"2015-01-02\"}\n{\"at\":\"N/A\"}\n{\"at\":\"\"}\n{\"at\":\"2015-02-30\"}\n",
    );
    let good = r#"{"at":{"$date":"2015-01-02T00:00:00Z"}}"#;
    let null = r#"{"at":null}"#;
    for path in [csv, json] {
        let check = |unconverted, expected: &[&str], rejected| {
            let types = Types { unconverted, ..types(&["at=date"]) };
            let (report, documents) = imported(&fixture, &path, types);
            assert_eq!(documents, expected, "{unconverted:?} {}", path.display());
            assert_eq!((report.rejected, report.tally.unconverted), (rejected, 2));
            report
        };
        let kept = [good, r#"{"at":"N/A"}"#, r#"{"at":""}"#, r#"{"at":"2015-02-30"}"#];
        check(Unconverted::Keep, &kept, 0);
        check(Unconverted::Null, &[good, null, null, null], 0);
        let report = check(Unconverted::Reject, &[good, null], 2);
        assert_eq!(report.end, ImportEnd::Complete);
        let reasons: Vec<_> = report.rejects.iter().map(|it| it.reason.as_str()).collect();
        assert_eq!(
            reasons,
            [
                "at is 'N/A', which does not convert to date: it does not match the layout",
                "at is '2015-02-30', which does not convert to date: there is no such day",
            ]
        );
        let lines: Vec<_> = report.rejects.iter().map(|it| it.position.line).collect();
        let header = u64::from(path.extension().is_some_and(|it| it == "csv"));
        assert_eq!(lines, [2 + header, 4 + header]);
    }
}

#[test]
fn dates_move_with_the_distance_to_now() {
    let fixture = Fixture::new();
    let path = fixture.file("a.json", br#"{"at":{"$date":"2015-01-02T00:00:00Z"}}"#);
    let mut types = types(&["at=date"]);
    types.fields[0].shift_ms = 86_400_000;
    let (_, documents) = imported(&fixture, &path, types);
    assert_eq!(documents, [r#"{"at":{"$date":"2015-01-03T00:00:00Z"}}"#]);
}

#[test]
fn a_preview_says_how_dates_are_written_and_what_converts() {
    let fixture = Fixture::new();
    let rows: Vec<String> = (1..=31).map(|day| format!("1/{day}/2015 01:00,x\n")).collect();
    let csv = format!("time,note\n{}unknown,\n", rows.concat());
    let path = fixture.file("a.csv", csv.as_bytes());
    let found = preview(&path, &ReadOptions::default()).unwrap();
    assert_eq!((found.documents.len(), found.sampled), (20, 32));
    let time = &found.paths[0];
    let dates = time.dates.as_ref().unwrap();
    let forms: Vec<_> = dates.forms.iter().map(DateForm::words).collect();
    assert_eq!(forms, ["%m/%d/%Y %H:%M"]);
    assert_eq!((dates.values, dates.converts), (32, 31));
    let Order::Decided { by, rows, .. } = &dates.order else { panic!("{dates:?}") };
    assert_eq!((by.row, by.text.as_str(), *rows), (13, "1/13/2015 01:00", 19));
    assert_eq!(found.paths[1].dates, None);
    assert!(found.converted.is_empty());

    let options =
        ReadOptions { types: types(&["time=date:%m/%d/%Y %H:%M"]), ..ReadOptions::default() };
    let found = preview(&path, &options).unwrap();
    assert_eq!(found.documents[12].get_str("time").ok(), Some("1/13/2015 01:00"));
    let converted = found.converted[12].get_datetime("time").unwrap();
    assert_eq!(converted.try_to_rfc3339_string().unwrap(), "2015-01-13T01:00:00Z");
    let counts = &found.counts[0];
    assert_eq!((counts.converted, counts.failed), (31, 1));
    assert_eq!(
        counts.first_failed.as_ref().map(|it| (it.position.document, it.value.as_str())),
        Some((32, "'unknown'"))
    );
}

#[test]
fn a_rehearsal_sees_that_converted_text_expires() {
    let fixture = Fixture::new();
    let path = fixture.file("a.csv", b"at\nJun 12 1998\nAug 07 1998\nsoon\n");
    let request = CreateIndexesRequest {
        namespace: fixture.namespace.clone(),
        indexes: vec![doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 60 }],
        ignore_unknown_options: false,
    };
    fixture.collections.create_indexes(&request, &mut |_| {}).unwrap();
    let options = ReadOptions { types: types(&["at=date:%b %d %Y"]), ..ReadOptions::default() };
    let (all, into) = (&fixture.collections, &fixture.namespace);
    let count = |options| rehearse(all, into, &path, options, 10, &Progress::new()).unwrap();
    assert_eq!(count(&options).overdue, 2);
    let plain = count(&ReadOptions::default());
    assert_eq!((plain.documents, plain.overdue, plain.indexes[0].never), (3, 0, 3));
}

#[test]
fn a_rehearsal_finds_the_minute_in_which_most_expires() {
    let fixture = Fixture::new();
    let day = "2999-01-01T00:00";
    let rows = ["00", "10", "59"].map(|secs| format!("{day}:{secs}Z\n")).concat();
    let text = format!("at\n1998-01-01T00:00:00Z\n{rows}2999-01-02T00:00:00Z\nsoon\n");
    let path = fixture.file("a.csv", text.as_bytes());
    let options = ReadOptions { types: types(&["at=date"]), ..ReadOptions::default() };
    let (all, into) = (&fixture.collections, &fixture.namespace);
    let busiest = || rehearse(all, into, &path, &options, 10, &Progress::new()).unwrap().busiest;
    assert_eq!(busiest(), None, "no index removes them");
    let request = CreateIndexesRequest {
        namespace: fixture.namespace.clone(),
        indexes: vec![doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 60 }],
        ignore_unknown_options: false,
    };
    fixture.collections.create_indexes(&request, &mut |_| {}).unwrap();
    let day_ms = bson::DateTime::parse_rfc3339_str("2999-01-01T00:01:00Z").unwrap();
    assert_eq!(busiest(), Some((day_ms.timestamp_millis(), 3)));
}
