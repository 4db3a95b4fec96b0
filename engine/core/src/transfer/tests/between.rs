//! Bytes that programs and people put between documents, and documents in the syntax of mongosh.

use std::path::Path;

use bson::{Bson, RawDocumentBuf, doc, oid::ObjectId, rawdoc};
use proptest::{prelude::*, test_runner::TestCaseError};

use crate::transfer::read::{item::Item, records::Records, text_position::ResumePoint};
use crate::transfer::{ImportEnd, ReadOptions, tests::Fixture};
use crate::value::shell;

/// The bytes between two documents, with the number of commas, comments and marks in them.
fn between() -> impl Strategy<Value = (&'static str, u64)> {
    prop::sample::select(vec![
        ("\n", 0),
        ("\r\n", 0),
        (",\n", 1),
        (";\n", 1),
        (" ,\n\n", 1),
        ("\n// next\n", 1),
        ("\n/* 2 */\n", 1),
        ("\n/* two\n lines */\n", 1),
        ("\n\u{feff}", 1),
        ("\n\u{1e}", 1),
        (",\n// {\"a\": 1}\n", 2),
    ])
}

/// A document, and its text: JSON, or mongosh's.
fn document() -> impl Strategy<Value = (i32, bool, bool)> {
    (any::<i32>(), any::<bool>(), any::<bool>())
}

fn text((n, is_shell, is_pretty): (i32, bool, bool), id: i32) -> String {
    let end = if is_pretty { "\n" } else { "" };
    if is_shell {
        format!(
            "{{ _id: {id},{end} 'n': NumberInt({n}), at: ISODate(\"2024-01-01T00:00:00Z\"),{end} }}"
        )
    } else {
        format!(
            "{{\"_id\":{id},{end}\"n\":{n},\"at\":{{\"$date\":\"2024-01-01T00:00:00Z\"}}{end}}}"
        )
    }
}

/// A document as it is stored.
fn stored(id: i32, n: i32) -> RawDocumentBuf {
    rawdoc! { "_id": id, "n": n, "at": bson::DateTime::from_millis(1_704_067_200_000) }
}

fn check(
    documents: &[(i32, bool, bool)],
    gaps: &[(&str, u64)],
    first: (&str, u64),
) -> Result<(), TestCaseError> {
    // A file that begins with a comma may be CSV.
    let is_begin = !first.0.starts_with([',', ';', ' ']);
    let (mut file, mut separators) =
        if is_begin { (first.0.to_owned(), first.1) } else { Default::default() };
    let mut expected = Vec::new();
    for (id, (of, (gap, count))) in (0_i32..).zip(documents.iter().zip(gaps)) {
        expected.push(stored(id, of.0));
        file += &text(*of, id);
        file += gap;
        separators += count;
    }
    // The mark at the start of a file is not between documents.
    separators -= u64::from(file.starts_with('\u{feff}'));
    let fixture = Fixture::new();
    let report = fixture.import(&fixture.request(file.as_bytes()));
    prop_assert_eq!(&report.end, &ImportEnd::Complete);
    prop_assert_eq!(report.rejected, 0, "{:?}\n{}", report.rejects, file);
    prop_assert_eq!(fixture.documents(), expected, "{}", file);
    prop_assert_eq!(report.tally.separators, separators, "{:?}", file);
    let in_shell = documents.iter().filter(|of| of.1).count() as u64;
    prop_assert_eq!(report.tally.shell_documents, in_shell);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn bytes_between_documents_reject_none_of_them(
        documents in prop::collection::vec(document(), 1..8),
        gaps in prop::collection::vec(between(), 8),
        first in between(),
    ) {
        check(&documents, &gaps, first)?;
    }

    #[test]
    fn arrays_and_documents_are_read_in_any_order_and_resumed_anywhere(
        parts in prop::collection::vec(part(), 1..6),
        inside in prop::sample::select(vec![",", ",\n", "\n,\n", " , ", ", // next\n"]),
        edge in prop::sample::select(vec!["", "\n"]),
        each in 1..5_usize,
    ) {
        let (mut file, mut expected, mut rejected, mut id) = (String::new(), Vec::new(), 0, 0);
        for (is_array, documents, gap) in &parts {
            let texts = documents.iter().map(|(of, is_bad)| {
                id += 1;
                if *is_bad {
                    rejected += 1;
                    return format!("{{\"_id\": {id}, \"n\": oops}}");
                }
                expected.push(id);
                text(*of, id)
            });
            let texts = texts.collect::<Vec<_>>();
            if *is_array {
                file.extend(["[", edge, &texts.join(inside), edge, "]", gap]);
            } else {
                file.extend(texts.iter().flat_map(|text| [text, "\n"]));
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, &file).unwrap();
        for each in [each, usize::MAX] {
            let (found, bad) = read_in_runs(&path, each);
            prop_assert_eq!((&found, bad.len()), (&expected, rejected), "{}\n{:?}", file, bad);
        }
    }
}

/// Whether it is an array, its documents, each of which may be bad, and the bytes after the array.
type Part = (bool, Vec<((i32, bool, bool), bool)>, &'static str);

fn part() -> impl Strategy<Value = Part> {
    let documents = prop::collection::vec((document(), prop::bool::weighted(0.1)), 1..4);
    (any::<bool>(), documents, prop::sample::select(vec!["", "\n", ",\n", "\n\n"]))
}

/// The `_id`s in a file, and why others were rejected. A new run begins after `each` records.
fn read_in_runs(path: &Path, each: usize) -> (Vec<i32>, Vec<String>) {
    let (mut at, mut found, mut bad) = (ResumePoint::START, Vec::new(), Vec::new());
    loop {
        let mut records = Records::open(path, &ReadOptions::default(), None).unwrap();
        if at != ResumePoint::START {
            records.resume(at).unwrap();
        }
        for _ in 0..each {
            match records.next() {
                Item::End => return (found, bad),
                Item::Document(_) => found.push(records.document().get_i32("_id").unwrap()),
                Item::Bad(record) => {
                    bad.push(record.reason);
                    if record.fatal {
                        return (found, bad);
                    }
                }
            }
        }
        at = records.resume_point();
    }
}

#[test]
fn a_line_that_cannot_be_read_costs_no_other_line_also_with_arrays() {
    for (text, ids, rejected) in [
        (
            "{\"_id\":1}\n[{\"_id\":2},\n{\"_id\":\"x},\n{\"_id\":4}]\n{\"_id\":5}\n",
            vec![1, 2, 4, 5],
            1,
        ),
        ("{\"_id\":1}\n[1, 2]\n{\"_id\":5}\n", vec![1, 5], 1),
        ("{\"_id\":1}\n[{\"_id\":2},{\"_id\":\"x}]\n{\"_id\":5}\n", vec![1, 2, 5], 1),
        ("{\"_id\":1}\n[{\"_id\":2},\n", vec![1, 2], 1),
        ("[{\"_id\":1}]\n{\"_id\": oops}\n{\"_id\":3}\n", vec![1, 3], 1),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, text).unwrap();
        for each in [1, 2, usize::MAX] {
            let (found, bad) = read_in_runs(&path, each);
            assert_eq!((&found, bad.len()), (&ids, rejected), "{text}: {bad:?}");
        }
    }
}

#[test]
fn a_file_in_the_syntax_of_mongosh_is_read_as_its_paste() {
    let id = ObjectId::parse_str("5d505646cf6d4fe581014ab2").unwrap();
    for text in [
        "/* 1 */\n{\n    \"_id\" : ObjectId(\"5d505646cf6d4fe581014ab2\"),\n    \"n\" : NumberLong(5)\n}\n",
        "{ \"_id\" : ObjectId(\"5d505646cf6d4fe581014ab2\"), n: Long('5') }",
        "// exported\n[{_id: ObjectId('5d505646cf6d4fe581014ab2'), 'n': NumberLong(\"5\")},]",
        "{_id: new ObjectId('5d505646cf6d4fe581014ab2'), /* five */ n: NumberLong(5)},\n",
    ] {
        let fixture = Fixture::new();
        let report = fixture.import(&fixture.request(text.as_bytes()));
        assert_eq!((report.imported, report.rejected), (1, 0), "{text}: {:?}", report.rejects);
        assert_eq!(fixture.documents(), [rawdoc! { "_id": id, "n": 5_i64 }], "{text}");
        let pasted = shell::read_values_at(text.trim_start_matches("// exported\n"), 0).unwrap();
        let pasted = match pasted.into_iter().next().unwrap() {
            Bson::Array(mut all) => all.remove(0),
            one => one,
        };
        assert_eq!(pasted, Bson::Document(doc! { "_id": id, "n": 5_i64 }), "{text}");
    }
}

#[test]
fn errors_in_documents_are_still_errors() {
    for (text, imported, reason) in [
        ("{a: 1}\n{a: }\n{a: 3}\n", 2, "a value is missing here"),
        ("{\"a\": NaN}\n{\"a\": 1}\n", 1, "--nan"),
        ("{at: new Date()}\n{a: 2}\n", 1, "write the date"),
        ("{\"at\": ISODate()}\n{a: 2}\n", 1, "write the date"),
        ("{at: Date.now()}\n{a: 2}\n", 1, "write the date"),
        ("{\"a\": 1}\n/* open\n", 1, "unexpected end of text"),
        ("{\"a\": 1}\n{\"a\": 1, \"a\": 2}\n", 1, "--last-duplicate"),
        ("[{\"a\": 1}] x", 1, "unexpected text after the array"),
        ("[\"text\", 2]", 0, "wrap each one"),
        ("[{\"a\": 1}, 2]", 1, "wrap each one"),
    ] {
        let fixture = Fixture::new();
        let report = fixture.import(&fixture.request(text.as_bytes()));
        assert_eq!((report.imported, report.rejected), (imported, 1), "{text}: {report:?}");
        assert!(report.rejects[0].reason.contains(reason), "{text}: {}", report.rejects[0]);
    }
}

#[test]
fn many_comments_after_one_another_are_passed() {
    let fixture = Fixture::new();
    let text = "// x\n,\n".repeat(100_000) + "{\"_id\":1}\n";
    let report = fixture.import(&fixture.request(["{\"_id\":0}\n", &text].concat().as_bytes()));
    assert_eq!((report.imported, report.rejected, report.tally.separators), (2, 0, 200_000));
}

/// The rules of mongosh would read these as other values, without a word.
#[test]
fn an_escape_or_a_number_that_json_refuses_is_not_read_by_other_rules() {
    for text in [
        r#"{"_id": 1, "path": "C:\dir\x41"}"#,
        r#"{"_id": 1, "pattern": "\d+"}"#,
        r#"{"_id": 1, "zip": 01234}"#,
        "{_id: 1, zip: 01234}",
        "{_id: 1, n: -010}",
    ] {
        let fixture = Fixture::new();
        let report = fixture.import(&fixture.request(text.as_bytes()));
        assert_eq!((report.imported, report.rejected), (0, 1), "{text}");
    }
}
