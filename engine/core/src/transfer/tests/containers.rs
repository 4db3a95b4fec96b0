//! Dumps inside of one file: archives of mongodump, tars, and snapshots of Atlas.

use std::{fs, io::Write as _, path::Path};

use bson::{RawDocumentBuf, rawdoc};
use proptest::{prelude::*, test_runner::TestCaseError};

use crate::catalog::Namespace;
use crate::transfer::{
    Dump, DumpChoice, DumpImport, DumpOutcome, ImportEnd, ImportRequest, Progress, ReadOptions,
    TransferError, import, import_dump,
    limits::READ_BYTES,
    looks_like_dump,
    read::records::Records,
    read_dump, read_dump_with, rehearse_dump, resume_import,
    tests::{Fixture, gzip},
    visit_in_file_order,
};

const METADATA: &str = r#"{"options":{},"indexes":[{"v":2,"key":{"_id":1},"name":"_id_"},{"v":2,"key":{"at":1},"name":"at_1","expireAfterSeconds":60}]}"#;

/// Database, collection, and the numbers of its documents.
type Collection = (&'static str, &'static str, Vec<i32>);

fn document(n: i32) -> RawDocumentBuf {
    rawdoc! { "_id": n, "text": "x".repeat((n.unsigned_abs() % 50) as usize) }
}

fn data(numbers: &[i32]) -> Vec<u8> {
    numbers.iter().flat_map(|n| document(*n).as_bytes().to_vec()).collect()
}

fn crc64(bytes: &[u8]) -> u64 {
    let step = |sum: u64| if sum & 1 == 1 { (sum >> 1) ^ 0xc96c_5795_d787_0f42 } else { sum >> 1 };
    let add = |sum: u64, byte: &u8| (0..8).fold(sum ^ u64::from(*byte), |sum, _| step(sum));
    !bytes.iter().fold(u64::MAX, add)
}

const END: [u8; 4] = [0xff; 4];

/// An archive whose segments take turns, `each` documents at a time, of at most `at_once` collections.
fn archive(collections: &[Collection], each: usize, at_once: usize) -> Vec<u8> {
    let mut out = vec![0x6d, 0xe2, 0x99, 0x81];
    let header = rawdoc! { "concurrent_collections": 4, "version": "0.1" };
    out.extend(header.as_bytes());
    for (db, name, numbers) in collections {
        let size = i32::try_from(data(numbers).len()).unwrap();
        let of = rawdoc! { "db": *db, "collection": *name, "metadata": METADATA, "size": size, "type": "collection" };
        out.extend(of.as_bytes());
    }
    out.extend(END);
    let mut left: Vec<(&Collection, &[i32])> =
        collections.iter().map(|it| (it, it.2.as_slice())).collect();
    while !left.is_empty() {
        let mut turn = 0;
        left.retain_mut(|((db, name, all), rest)| {
            turn += 1;
            if turn > at_once {
                return true;
            }
            let (now, later) = rest.split_at(each.min(rest.len()));
            if now.is_empty() {
                let sum = crc64(&data(all)).cast_signed();
                let end = rawdoc! { "db": *db, "collection": *name, "EOF": true, "CRC": sum };
                out.extend(end.as_bytes());
            } else {
                let begin = rawdoc! { "db": *db, "collection": *name, "EOF": false, "CRC": 0_i64 };
                out.extend(begin.as_bytes());
                out.extend(data(now));
            }
            out.extend(END);
            *rest = later;
            !now.is_empty()
        });
    }
    out
}

fn tar_entry(out: &mut Vec<u8>, name: &str, kind: u8, content: &[u8]) {
    if name.len() > 100 {
        tar_entry(out, "././@LongLink", b'L', &[name.as_bytes(), b"\0"].concat());
    }
    let mut header = [0_u8; 512];
    let short = &name.as_bytes()[..name.len().min(100)];
    header[..short.len()].copy_from_slice(short);
    header[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
    header[156] = kind;
    header[257..262].copy_from_slice(b"ustar");
    header[148..156].fill(b' ');
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    out.extend(header);
    out.extend(content);
    out.resize(out.len().next_multiple_of(512), 0);
}

fn tar(collections: &[Collection], prefix: &str) -> Vec<u8> {
    let mut out = Vec::new();
    tar_entry(&mut out, &format!("{prefix}dump/"), b'5', b"");
    for (db, name, numbers) in collections {
        let stem = format!("{prefix}dump/{db}/{name}");
        tar_entry(&mut out, &format!("{stem}.bson.gz"), b'0', &gzip(&data(numbers)));
        tar_entry(&mut out, &format!("{stem}.metadata.json"), b'0', METADATA.as_bytes());
    }
    tar_entry(&mut out, "dump/app/._runs.bson", b'0', b"\0\0");
    out.extend([0; 1_024]);
    out
}

/// A tar of the files in a folder, `turn` places from their order.
fn tar_of(root: &Path, turn: usize) -> Vec<u8> {
    let (mut out, mut open, mut files) = (Vec::new(), vec![root.to_owned()], Vec::new());
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { open.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    let turn = turn % files.len();
    files.rotate_left(turn);
    for path in files {
        let name = path.strip_prefix(root).unwrap().to_str().unwrap();
        tar_entry(&mut out, name, b'0', &fs::read(&path).unwrap());
    }
    out
}

fn snapshot(root: &Path, collections: &[Collection]) {
    for (db, name, numbers) in collections {
        let folder = root.join("2024-01-01/17").join(db).join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("metadata.json"), METADATA).unwrap();
        for (at, part) in numbers.chunks(3).enumerate() {
            let lines = part
                .iter()
                .map(|n| {
                    let document = document(*n);
                    let text = document.get_str("text").unwrap();
                    format!("{{\"_id\":{{\"$numberInt\":\"{n}\"}},\"text\":\"{text}\"}}\n")
                })
                .collect::<Vec<_>>()
                .concat();
            fs::write(folder.join(format!("rs0.{at}.json.gz")), gzip(lines.as_bytes())).unwrap();
        }
    }
}

fn request(dump: &Dump) -> DumpImport {
    let choices = dump.collections.iter().map(|found| DumpChoice {
        into: Namespace::checked(found.db.as_deref().unwrap(), &found.name).unwrap(),
        collection: found.clone(),
        indexes: true,
        ttl: true,
    });
    DumpImport { choices: choices.collect(), ..DumpImport::default() }
}

fn restored(fixture: &Fixture, dump: &Dump) -> Vec<DumpOutcome> {
    import_dump(&fixture.collections, &request(dump), &Progress::new()).unwrap()
}

fn check_restored(path: &Path, collections: &[Collection]) -> Result<(), TestCaseError> {
    prop_assert!(looks_like_dump(path));
    let dump = read_dump(path).map_err(|error| TestCaseError::fail(error.to_string()))?;
    let fixture = Fixture::new();
    let outcomes = restored(&fixture, &dump);
    prop_assert_eq!(outcomes.len(), collections.len(), "{:?}", dump);
    for outcome in outcomes {
        let of = |it: &&Collection| (it.0, it.1) == (&*outcome.into.db, &*outcome.into.collection);
        let (.., numbers) = collections.iter().find(of).unwrap();
        prop_assert!(outcome.is_complete(), "{:?}", outcome);
        prop_assert_eq!(&outcome.indexes, &["at_1"]);
        let expected: Vec<_> = numbers.iter().map(|n| document(*n)).collect();
        let mut found = fixture.documents_of(&outcome.into);
        // The parts of a snapshot are read in the order of their tar.
        found.sort_by_key(|document| document.get_i32("_id").unwrap());
        prop_assert_eq!(found, expected);
    }
    Ok(())
}

fn collections() -> impl Strategy<Value = Vec<Collection>> {
    let numbers = || prop::collection::btree_set(0..5_000_i32, 1..40);
    (numbers(), numbers(), numbers()).prop_map(|(a, b, c)| {
        let list = |numbers: std::collections::BTreeSet<i32>| numbers.into_iter().collect();
        vec![("app", "runs", list(a)), ("app", "a.b c", list(b)), ("shop", "runs", list(c))]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn a_dump_inside_of_a_file_is_restored_as_a_folder_is(
        all in collections(),
        each in 1..9_usize,
        at_once in 1..4_usize,
        is_packed in any::<bool>(),
        has_long_names in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let prefix = if has_long_names { "long/".repeat(30) } else { "./".to_owned() };
        for bytes in [archive(&all, each, at_once), tar(&all, &prefix)] {
            let path = folder.path().join("dump.any");
            fs::write(&path, if is_packed { gzip(&bytes) } else { bytes }).unwrap();
            check_restored(&path, &all)?;
        }
        let root = folder.path().join("exported_snapshots");
        snapshot(&root, &all);
        check_restored(&root, &all)?;
        let path = folder.path().join("snapshot.tar");
        let bytes = tar_of(&root, each);
        fs::write(&path, if is_packed { gzip(&bytes) } else { bytes }).unwrap();
        check_restored(&path, &all)?;
    }

    #[test]
    fn an_import_out_of_a_container_is_resumed(
        all in collections(),
        each in 1..9_usize,
        at in 1..40_u64,
        is_packed in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        for bytes in [archive(&all, each, 2), tar(&all, "")] {
            let path = folder.path().join("dump.any");
            fs::write(&path, if is_packed { gzip(&bytes) } else { bytes }).unwrap();
            for found in read_dump(&path).unwrap().collections {
                let fixture = Fixture::new();
                let request = ImportRequest::new(found.files.clone(), fixture.namespace.clone());
                let progress = Progress::new();
                progress.cancel_at(at);
                let report = import(&fixture.collections, &request, &progress).unwrap();
                if let Some(id) = report.unfinished {
                    let report = resume_import(&fixture.collections, id, &Progress::new()).unwrap();
                    prop_assert_eq!(report.end, ImportEnd::Complete);
                }
                let of = |it: &&Collection| (Some(it.0), it.1) == (found.db.as_deref(), &*found.name);
                let expected: Vec<_> =
                    all.iter().find(of).unwrap().2.iter().map(|n| document(*n)).collect();
                prop_assert_eq!(fixture.documents(), expected);
            }
        }
    }

    #[test]
    fn a_damaged_archive_keeps_what_can_be_read_and_says_what_is_missing(
        all in collections(),
        each in 1..9_usize,
        at in 0.0..1.0,
        is_cut in any::<bool>(),
    ) {
        let mut bytes = archive(&all, each, 3);
        let prelude = archive(&[], 1, 1).len() + all.iter().map(|_| 420).sum::<usize>();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share")]
        #[expect(clippy::cast_precision_loss, reason = "a share")]
        let at = prelude + ((bytes.len() - prelude - 1) as f64 * at) as usize;
        if is_cut {
            bytes.truncate(at);
        } else {
            bytes[at] ^= 0x55;
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dump.archive");
        fs::write(&path, bytes).unwrap();
        let Ok(dump) = read_dump(&path) else { return Ok(()) };
        let fixture = Fixture::new();
        let mut has_said = false;
        for outcome in restored(&fixture, &dump) {
            let of = |it: &&Collection| (it.0, it.1) == (&*outcome.into.db, &*outcome.into.collection);
            let Some((.., numbers)) = all.iter().find(of) else { continue };
            let is_whole = matches!(&outcome.documents, Ok(report)
                if report.end == ImportEnd::Complete && report.rejected == 0);
            has_said |= !is_whole;
            // Nothing of it can be read; the sentence says why.
            let Ok(report) = &outcome.documents else { continue };
            prop_assert!(report.imported <= numbers.len() as u64);
            prop_assert!(!is_whole || report.imported == numbers.len() as u64, "{:?}", outcome);
        }
        // Damage in a header may cost nothing.
        for (db, name, numbers) in all.iter().filter(|_| !has_said) {
            let expected: Vec<_> = numbers.iter().map(|n| document(*n)).collect();
            let found = fixture.documents_of(&Namespace::new(*db, *name));
            prop_assert_eq!(found, expected, "nothing is said of the damage at {}", at);
        }
    }
}

#[test]
fn a_tar_that_is_cut_short_keeps_its_other_files() {
    let all = vec![("app", "runs", vec![1, 2, 3]), ("app", "zz", (0..500).collect())];
    let bytes = tar(&all, "");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dump.tar");
    let end = bytes.len() - 1_024 - 512 * 5;
    fs::write(&path, &bytes[..end]).unwrap();
    let dump = read_dump(&path).unwrap();
    assert!(dump.notes[0].contains("may not be complete"), "{:?}", dump.notes);
    let fixture = Fixture::new();
    let outcomes = restored(&fixture, &dump);
    let runs = outcomes.iter().find(|it| it.into.collection == "runs").unwrap();
    assert!(runs.is_complete(), "{runs:?}");
    let cut = outcomes.iter().find(|it| it.into.collection == "zz").unwrap();
    assert!(!cut.is_complete(), "{cut:?}");
}

#[test]
fn an_archive_among_files_says_what_it_is() {
    let fixture = Fixture::new();
    for (bytes, words) in [
        (archive(&[("d", "c", vec![1])], 1, 1), "an archive of mongodump; import it alone"),
        (gzip(&tar(&[("d", "c", vec![1])], "")), "a tar archive; import it alone"),
    ] {
        let request = fixture.request(&bytes);
        let refused = import(&fixture.collections, &request, &Progress::new());
        assert!(refused.is_err_and(|error| error.to_string().contains(words)), "{words}");
    }
}

#[test]
fn a_snapshot_says_which_of_its_folders_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    snapshot(folder.path(), &[("app", "runs", vec![1, 2])]);
    let many = folder.path().join("2024-01-01/17/app/many");
    fs::create_dir(&many).unwrap();
    for number in 0..20_001 {
        fs::write(many.join(format!("{number}.json")), "").unwrap();
    }
    let dump = read_dump(folder.path()).unwrap();
    assert_eq!(dump.collections.len(), 1);
    assert!(dump.notes.iter().any(|note| note.contains("app/many")), "{:?}", dump.notes);
}

/// Collections with one document each, whose `_id` is the number of its collection.
fn many(count: i32) -> Vec<Collection> {
    let of = |n: i32| ("app", &*Box::leak(format!("c{n:03}").into_boxed_str()), vec![n]);
    (0..count).map(of).collect()
}

#[test]
fn a_container_is_read_once_for_all_of_its_collections() {
    const COLLECTIONS: i32 = 60;
    // Enough bytes that a reading of the start is a small part.
    let numbers: Vec<i32> = (0..2_000).collect();
    let mut all = many(COLLECTIONS);
    for (.., of) in &mut all {
        of.clone_from(&numbers);
    }
    all.reverse();
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("parts");
    snapshot(
        &root,
        &all.iter().map(|(db, name, _)| (*db, *name, (0..60).collect())).collect::<Vec<_>>(),
    );
    for (name, bytes, readings) in [
        ("tar", tar(&all, ""), 1),
        ("alone", archive(&all, 100, 1), 1),
        ("in turns", archive(&all, 100, 4), 4),
        ("snapshot", tar_of(&root, 0), 1),
    ] {
        for is_packed in [false, true] {
            let path = folder.path().join(name);
            fs::write(&path, if is_packed { gzip(&bytes) } else { bytes.clone() }).unwrap();
            let length = fs::metadata(&path).unwrap().len();
            let dump = read_dump(&path).unwrap();
            let fixture = Fixture::new();
            let progress = Progress::new();
            let drops = DumpImport { drop: true, ..request(&dump) };
            let outcomes = import_dump(&fixture.collections, &drops, &progress).unwrap();
            assert!(outcomes.iter().all(DumpOutcome::is_complete), "{outcomes:?}");
            let names: Vec<_> = outcomes.iter().map(|it| it.into.collection.clone()).collect();
            assert!(
                names.is_sorted() && names.len() == 60,
                "in the order of the request: {names:?}"
            );
            let (read, most) = (progress.now().bytes, (readings + 1) * length);
            assert!(read <= most, "{name}, {is_packed}: {read} bytes of {length}");
            let progress = Progress::new();
            let (mut visited, options) = (0, ReadOptions::default());
            visit_in_file_order(&dump.collections, &progress, |at| {
                let of = &dump.collections[at];
                visited += rehearse_dump(of, &options, 0, 10, &progress).unwrap().documents;
            });
            assert_eq!(visited, 600);
            let read = progress.now().bytes;
            assert!(read <= most, "{name}, {is_packed}: {read} bytes of {length} rehearsed");
        }
    }
}

#[test]
fn a_damaged_container_is_not_read_again_for_each_lost_collection() {
    let mut all = many(40);
    for (.., of) in &mut all {
        *of = (0..500).collect();
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dump.archive");
    let mut bytes = archive(&all, 100, 1);
    bytes.truncate(bytes.len() / 2);
    for bytes in [gzip(&bytes), bytes] {
        fs::write(&path, &bytes).unwrap();
        let dump = read_dump(&path).unwrap();
        let (fixture, progress) = (Fixture::new(), Progress::new());
        let outcomes = import_dump(&fixture.collections, &request(&dump), &progress).unwrap();
        assert_eq!(outcomes.len(), 40);
        let why = "the archive is cut short";
        let lost = outcomes.iter().filter_map(|it| it.documents.as_ref().err());
        let lost: Vec<_> = lost.inspect(|error| assert!(error.contains(why), "{error}")).collect();
        assert!((15..25).contains(&lost.len()), "{}", lost.len());
        let (read, most) = (progress.now().bytes, 5 * bytes.len() as u64);
        assert!(read <= most, "{read} bytes of {}", bytes.len());
    }
}

#[test]
fn a_canceled_import_skips_no_more_of_a_container() {
    let all = [("app", "large", (0..200_000).collect()), ("app", "small", vec![1])];
    let folder = tempfile::tempdir().unwrap();
    for (bytes, is_packed) in
        [(tar(&all, ""), true), (archive(&all, 1_000, 1), true), (archive(&all, 1_000, 1), false)]
    {
        let path = folder.path().join("dump.any");
        fs::write(&path, if is_packed { gzip(&bytes) } else { bytes }).unwrap();
        let mut dump = read_dump(&path).unwrap();
        dump.collections.retain(|found| found.name == "small");
        let fixture = Fixture::new();
        let progress = Progress::new();
        progress.cancel();
        let is_tar = dump.collections[0].files[0].extension().is_some_and(|end| end == "gz");
        let listed = read_dump_with(&path, &progress).err();
        assert_eq!(
            listed,
            is_tar.then_some(TransferError::Cancelled),
            "an archive lists its files"
        );
        let file = dump.collections[0].files[0].as_path();
        let error = Records::open(file, &ReadOptions::default(), Some(&progress)).err();
        assert_eq!(error, Some(TransferError::Cancelled));
        assert!(progress.now().bytes <= 3 * READ_BYTES as u64, "{}", progress.now().bytes);
        let outcomes = import_dump(&fixture.collections, &request(&dump), &progress).unwrap();
        assert!(outcomes.is_empty(), "{outcomes:?}");
    }
}

#[test]
fn of_two_files_with_one_name_in_a_tar_the_later_one_counts() {
    let all = vec![("app", "a", vec![1]), ("app", "b", vec![2]), ("app", "c", vec![3])];
    let newer = tar(&[("app", "b", vec![20, 21]), ("app", "a", vec![10])], "");
    let folder = tempfile::tempdir().unwrap();
    for is_packed in [false, true] {
        let older = tar(&all, "");
        let bytes = [&older[..older.len() - 1_024], &newer].concat();
        let path = folder.path().join("dump.tar");
        fs::write(&path, if is_packed { gzip(&bytes) } else { bytes }).unwrap();
        let expected = [("app", "a", vec![10]), ("app", "b", vec![20, 21]), ("app", "c", vec![3])];
        check_restored(&path, &expected).unwrap();
    }
}

#[test]
fn two_dumps_of_a_database_are_not_mixed() {
    let (a, b) = (("app", "runs", vec![1]), ("app", "more", vec![2]));
    let other = ("shop", "carts", vec![3]);
    let folder = tempfile::tempdir().unwrap();
    let tars = [tar(std::slice::from_ref(&a), "monday/"), tar(&[b.clone(), other.clone()], "")];
    let path = folder.path().join("dump.tar");
    fs::write(&path, [&tars[0][..tars[0].len() - 1_024], &tars[1]].concat()).unwrap();
    let snapshots = folder.path().join("snapshots");
    snapshot(&snapshots.join("monday"), &[a]);
    snapshot(&snapshots.join("tuesday"), &[b, other]);
    for path in [path, snapshots] {
        let dump = read_dump(&path).unwrap();
        let refused = dump.collections.iter().map(|it| (&*it.name, it.refused.as_deref()));
        let [("more", Some(more)), ("runs", Some(runs)), ("carts", None)] =
            refused.collect::<Vec<_>>()[..]
        else {
            panic!("{dump:?}")
        };
        assert_eq!(more, runs);
        assert!(more.contains("monday/") && more.contains(" and in "), "{more}");
    }
}

#[test]
fn a_time_series_collection_says_what_to_export_instead() {
    let folder = tempfile::tempdir().unwrap();
    let options = r#"{"options":{"timeseries":{"timeField":"at"}},"type":"timeseries"}"#;
    let mut bytes = archive(&[], 1, 1);
    bytes.truncate(bytes.len() - 4);
    let of = rawdoc! { "db": "app", "collection": "ts", "metadata": options, "type": "timeseries" };
    bytes.extend(of.as_bytes());
    bytes.extend(END);
    let archived = folder.path().join("dump.archive");
    fs::write(&archived, bytes).unwrap();
    let plain = folder.path().join("dump");
    fs::create_dir_all(plain.join("app")).unwrap();
    fs::write(plain.join("app/ts.metadata.json"), options).unwrap();
    fs::write(plain.join("app/system.buckets.ts.bson"), "").unwrap();
    for path in [archived, plain] {
        let dump = read_dump(&path).unwrap();
        let of = dump.collections.iter().find(|found| found.name == "ts").unwrap();
        let refused = of.refused.as_deref().unwrap();
        assert!(refused.contains("time-series") && refused.contains("mongoexport"), "{refused}");
    }
}

#[test]
fn an_archive_whose_metadata_is_endless_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dump.archive");
    let large = " ".repeat(15 << 20);
    let of = rawdoc! { "db": "app", "collection": "c", "metadata": large, "type": "collection" };
    let mut file = fs::File::create(&path).unwrap();
    let start = archive(&[], 1, 1);
    file.write_all(&start[..start.len() - 4]).unwrap();
    for _ in 0..18 {
        file.write_all(of.as_bytes()).unwrap();
    }
    file.write_all(&END).unwrap();
    let error = read_dump(&path).unwrap_err().to_string();
    assert!(error.contains("metadata is too large"), "{error}");
}
