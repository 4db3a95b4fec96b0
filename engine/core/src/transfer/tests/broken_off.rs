//! Compressed files that break off, and those with something after their end.

use std::fs;

use bson::{RawDocumentBuf, rawdoc};
use proptest::{prelude::*, test_runner::TestCaseError};

use crate::transfer::{
    ImportEnd, ImportRequest, Progress, import, resume_import,
    tests::{Fixture, gzip},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    Lines,
    Pretty,
    Array,
    Bson,
}

/// Documents of about 40 bytes, and the text of a file with them.
fn file(layout: Layout, count: i32) -> (Vec<RawDocumentBuf>, Vec<u8>) {
    let documents: Vec<RawDocumentBuf> = (0..count)
        .map(|n| rawdoc! { "_id": n, "t": format!("{:x}", n.wrapping_mul(77_773)) })
        .collect();
    let text = |document: &RawDocumentBuf| {
        let mut text = Vec::new();
        crate::value::extjson::append_document(
            &mut text,
            document,
            crate::value::extjson::Style::Relaxed,
        );
        text
    };
    let bytes = match layout {
        Layout::Bson => documents.iter().flat_map(|it| it.as_bytes().to_vec()).collect(),
        Layout::Lines => {
            documents.iter().flat_map(|it| [text(it), b"\n".to_vec()].concat()).collect()
        }
        Layout::Pretty => {
            let pretty = |it| [b"{\n".to_vec(), text(it)[1..].to_vec(), b"\n\n".to_vec()].concat();
            documents.iter().flat_map(pretty).collect()
        }
        Layout::Array => {
            let all: Vec<Vec<u8>> = documents.iter().map(text).collect();
            [b"[".to_vec(), all.join(&b",\n"[..]), b"]".to_vec()].concat()
        }
    };
    (documents, bytes)
}

/// The documents that are whole in what can be decompressed.
fn whole(layout: Layout, documents: &[RawDocumentBuf], unpacked: &[u8]) -> usize {
    match layout {
        Layout::Bson => {
            let mut left = unpacked.len();
            let fits = |it: &&RawDocumentBuf| {
                let length = it.as_bytes().len();
                let fits = length <= left;
                left = left.saturating_sub(length);
                fits
            };
            documents.iter().take_while(fits).count()
        }
        _ => memchr::memchr_iter(b'}', unpacked).count(),
    }
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}

fn check(layout: Layout, count: i32, cut: f64, is_zstd: bool) -> Result<(), TestCaseError> {
    let fixture = Fixture::new();
    let (documents, bytes) = file(layout, count);
    let packed = if is_zstd { zstd(&bytes) } else { gzip(&bytes) };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share")]
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    let kept = 70.max((packed.len() as f64 * cut) as usize).min(packed.len() - 1);
    let path = fixture.file("in.data", &packed[..kept]);
    let mut unpacked = Vec::new();
    // The bytes before the error are kept.
    let _ = if is_zstd {
        std::io::copy(&mut zstd::Decoder::new(&packed[..kept]).unwrap(), &mut unpacked)
    } else {
        std::io::copy(&mut flate2::read::GzDecoder::new(&packed[..kept]), &mut unpacked)
    };
    let readable = whole(layout, &documents, &unpacked);
    let request = ImportRequest::new(vec![path.clone()], fixture.namespace.clone());
    if unpacked.is_empty() {
        return Ok(());
    }
    let report = match import(&fixture.collections, &request, &Progress::new()) {
        Ok(report) => report,
        // Less than a document may be of any format.
        Err(error) => {
            prop_assert!(readable == 0 && error.to_string().contains("get a new copy"), "{error}");
            return Ok(());
        }
    };
    prop_assert_eq!(report.imported, readable as u64, "{:?}", report.end);
    prop_assert_eq!(fixture.documents(), &documents[..readable]);
    let ImportEnd::Broken(reject) = &report.end else {
        return Err(TestCaseError::fail(format!("{:?}", report.end)));
    };
    prop_assert!(reject.reason.contains("get a new copy"), "{reject}");
    prop_assert_eq!(reject.position.document, readable as u64 + 1);
    if layout == Layout::Lines {
        prop_assert_eq!(reject.start_line, readable as u64 + 1);
    }
    // The advice can be followed.
    let Some(id) = report.unfinished else { return Ok(()) };
    fs::write(&path, &packed).unwrap();
    let report = resume_import(&fixture.collections, id, &Progress::new());
    let report = report.map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!(&report.end, &ImportEnd::Complete);
    prop_assert_eq!(fixture.documents(), documents);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_can_be_decompressed_is_imported_and_a_new_copy_completes_it(
        layout in prop::sample::select(
            vec![Layout::Lines, Layout::Pretty, Layout::Array, Layout::Bson],
        ),
        count in prop_oneof![20..200, 3_000..9_000],
        cut in 0.05..1.0,
        is_zstd in any::<bool>(),
    ) {
        check(layout, count, cut, is_zstd)?;
    }

    #[test]
    fn what_follows_compressed_data_is_ignored_and_counted(
        layout in prop::sample::select(
            vec![Layout::Lines, Layout::Pretty, Layout::Array, Layout::Bson],
        ),
        count in 1..300,
        rest in prop_oneof![
            (1..3_000_usize).prop_map(|count| vec![0; count]),
            Just(b"<html>\n".to_vec()),
        ],
    ) {
        let fixture = Fixture::new();
        let (documents, bytes) = file(layout, count);
        let mut packed = gzip(&bytes);
        packed.extend(&rest);
        let report = fixture.import(&fixture.request(&packed));
        prop_assert_eq!(&report.end, &ImportEnd::Complete);
        prop_assert_eq!(fixture.documents(), documents);
        prop_assert_eq!(report.tally.ignored_bytes, rest.len() as u64);
        prop_assert_eq!(report.tally.sentences().len(), 1);
    }
}

#[test]
fn another_file_is_no_copy_of_the_one_that_broke_off() {
    let fixture = Fixture::new();
    let packed = gzip(&file(Layout::Lines, 4_000).1);
    let path = fixture.file("in.data", &packed[..packed.len() / 2]);
    let request = ImportRequest::new(vec![path.clone()], fixture.namespace.clone());
    let id = fixture.import(&request).unfinished.unwrap();
    for other in [gzip(&file(Layout::Array, 4_000).1), file(Layout::Lines, 9_000).1] {
        fs::write(&path, other).unwrap();
        let refused = resume_import(&fixture.collections, id, &Progress::new());
        assert!(refused.is_err_and(|error| error.to_string().contains("changed")));
    }
}

/// A file that was whole is another one once it is longer, even if its first MiB is the same.
#[test]
fn a_longer_file_is_no_copy_of_one_that_did_not_break_off() {
    let mut seed = 1_u64;
    let mut digits = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        seed
    };
    let lines: Vec<String> =
        (0..120_000).map(|id| format!("{{\"_id\":{id},\"v\":\"{:x}\"}}\n", digits())).collect();
    let (whole, longer) =
        (gzip(lines[..100_000].concat().as_bytes()), gzip(lines.concat().as_bytes()));
    assert!(whole.len() > 1 << 20 && whole[..1 << 20] == longer[..1 << 20]);
    let fixture = Fixture::new();
    let path = fixture.file("in.json.gz", &whole);
    let request = ImportRequest::new(vec![path.clone()], fixture.namespace.clone());
    let progress = Progress::new();
    progress.cancel_at(3_000);
    let report = import(&fixture.collections, &request, &progress).unwrap();
    assert_eq!(report.end, ImportEnd::Cancelled);
    fs::write(&path, &longer).unwrap();
    let id = report.unfinished.expect("it can be resumed");
    let refused = resume_import(&fixture.collections, id, &Progress::new());
    assert!(refused.is_err_and(|error| error.to_string().contains("changed")));
}

/// 1 MiB of the same byte a line, which gzip packs a thousand times smaller.
#[test]
fn a_file_that_unpacks_without_end_is_not_read_on() {
    let fixture = Fixture::new();
    let line = format!("{{\"t\":\"{}\"}}\n", "a".repeat(1 << 20));
    let report = fixture.import(&fixture.request(&gzip(line.repeat(300).as_bytes())));
    let ImportEnd::Broken(reject) = &report.end else { panic!("{:?}", report.end) };
    assert!(reject.reason.contains("may fill the disk"), "{}", reject.reason);
    assert!(report.imported < 110, "{} of 300 were imported", report.imported);
}
