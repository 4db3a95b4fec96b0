//! Parquet and Arrow files.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, DictionaryArray,
    DurationSecondArray, FixedSizeBinaryArray, Float32Array, Float64Array, Int8Array, Int32Array,
    Int64Array, LargeStringArray, RecordBatch, StringArray, StringViewArray, StructArray,
    Time64MicrosecondArray, TimestampMicrosecondArray, TimestampMillisecondArray,
    TimestampNanosecondArray, TimestampSecondArray, UInt32Array, UInt64Array,
    builder::{Int32Builder, ListBuilder, MapBuilder, StringBuilder},
    types::Int8Type,
};
use arrow_ipc::{
    Block, CompressionType, root_as_footer,
    writer::{FileWriter, IpcWriteOptions, StreamWriter},
};
use arrow_schema::{DataType, Field, Schema};
use bson::{
    Binary, Bson, DateTime, Decimal128, Document, RawDocumentBuf, doc, spec::BinarySubtype,
};
use parquet::{
    arrow::ArrowWriter, basic::Compression as Codec, file::properties::WriterProperties,
};
use proptest::prelude::*;

use crate::transfer::tests::Fixture;
use crate::transfer::{
    FieldType, ImportEnd, ImportReport, ImportRequest, Progress, ReadOptions, RecordFormat, Tally,
    TransferError, Zone, preview, rehearse, resume_import,
};

/// How a batch is written.
#[derive(Debug, Clone, Copy)]
enum Form {
    Parquet(Codec),
    File(Option<CompressionType>),
    Stream,
}

const FORMS: [Form; 7] = [
    Form::Parquet(Codec::UNCOMPRESSED),
    Form::Parquet(Codec::SNAPPY),
    Form::Parquet(Codec::LZ4_RAW),
    Form::File(None),
    Form::File(Some(CompressionType::ZSTD)),
    Form::File(Some(CompressionType::LZ4_FRAME)),
    Form::Stream,
];

fn bytes_of(form: Form, batches: &[RecordBatch]) -> Vec<u8> {
    let schema = batches[0].schema();
    match form {
        Form::Parquet(codec) => {
            let properties = WriterProperties::builder().set_compression(codec).build();
            let mut writer = ArrowWriter::try_new(Vec::new(), schema, Some(properties)).unwrap();
            for batch in batches {
                writer.write(batch).unwrap();
                writer.flush().unwrap();
            }
            writer.into_inner().unwrap()
        }
        Form::File(compression) => {
            let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
            let mut writer =
                FileWriter::try_new_with_options(Vec::new(), &schema, options).unwrap();
            for batch in batches {
                writer.write(batch).unwrap();
            }
            writer.finish().unwrap();
            writer.into_inner().unwrap()
        }
        Form::Stream => {
            let mut writer = StreamWriter::try_new(Vec::new(), &schema).unwrap();
            for batch in batches {
                writer.write(batch).unwrap();
            }
            writer.finish().unwrap();
            writer.into_inner().unwrap()
        }
    }
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let columns = columns.into_iter().map(|(name, array)| (name, array, true));
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

fn ints(count: i32) -> RecordBatch {
    batch(vec![("n", Arc::new(Int32Array::from_iter_values(0..count)))])
}

/// Imports the bytes of a file. The documents have no `_id` that the import makes.
fn imported(
    bytes: &[u8],
    change: impl FnOnce(&mut ImportRequest),
) -> (ImportReport, Vec<Document>) {
    let fixture = Fixture::new();
    let path = fixture.file("table", bytes);
    let mut request = ImportRequest::new(vec![path], fixture.namespace.clone());
    change(&mut request);
    let report = fixture.import(&request);
    (report, documents(&fixture))
}

fn documents(fixture: &Fixture) -> Vec<Document> {
    let plain = |document: RawDocumentBuf| {
        let mut document = Document::try_from(document.as_ref()).unwrap();
        if matches!(document.get("_id"), Some(Bson::ObjectId(_))) {
            document.remove("_id");
        }
        document
    };
    fixture.documents().into_iter().map(plain).collect()
}

/// Checks the documents of a batch in each form.
#[track_caller]
fn check(columns: Vec<(&str, ArrayRef)>, expected: &[Document]) -> Tally {
    let batch = batch(columns);
    let mut tally = Tally::NONE;
    for form in FORMS {
        let (report, found) = imported(&bytes_of(form, std::slice::from_ref(&batch)), |_| ());
        assert_eq!(report.end, ImportEnd::Complete, "{form:?}: {report:?}");
        assert_eq!(found, expected, "{form:?}");
        tally = report.tally;
    }
    tally
}

fn date(ms: i64) -> DateTime {
    DateTime::from_millis(ms)
}

fn decimal(text: &str) -> Decimal128 {
    text.parse().unwrap()
}

#[test]
fn values_keep_their_types() {
    let tally = check(
        vec![
            ("flag", Arc::new(BooleanArray::from(vec![Some(true), None]))),
            ("i8", Arc::new(Int8Array::from(vec![Some(-7), None]))),
            ("i32", Arc::new(Int32Array::from(vec![Some(i32::MIN), None]))),
            ("i64", Arc::new(Int64Array::from(vec![Some(5), None]))),
            ("u32", Arc::new(UInt32Array::from(vec![Some(u32::MAX), None]))),
            ("u64", Arc::new(UInt64Array::from(vec![Some(6), Some(u64::MAX)]))),
            ("f32", Arc::new(Float32Array::from(vec![Some(0.5), None]))),
            ("f64", Arc::new(Float64Array::from(vec![Some(-0.1), None]))),
            ("text", Arc::new(StringArray::from(vec![Some("ä"), Some("")]))),
            ("large", Arc::new(LargeStringArray::from(vec![Some("l"), None]))),
            ("view", Arc::new(StringViewArray::from(vec![Some("view"), None]))),
            ("bytes", Arc::new(BinaryArray::from_opt_vec(vec![Some(b"\0\xff"), None]))),
        ],
        &[
            doc! {
                "flag": true, "i8": -7, "i32": i32::MIN, "i64": 5_i64, "u32": i64::from(u32::MAX),
                "u64": 6_i64, "f32": 0.5, "f64": -0.1, "text": "ä", "large": "l", "view": "view",
                "bytes": Binary { subtype: BinarySubtype::Generic, bytes: vec![0, 255] },
            },
            doc! { "u64": decimal("18446744073709551615"), "text": "" },
        ],
    );
    assert_eq!((tally.big_unsigned, tally.sentences().len()), (1, 1));
}

#[test]
fn decimals_keep_their_digits() {
    let of = |values: Vec<Option<i128>>, precision, scale| -> ArrayRef {
        let array = Decimal128Array::from(values).with_precision_and_scale(precision, scale);
        Arc::new(array.unwrap())
    };
    let long = 10_i128.pow(37);
    let tally = check(
        vec![
            ("price", of(vec![Some(1_999), Some(-5)], 10, 2)),
            ("long", of(vec![Some(long), Some(1)], 38, 0)),
        ],
        &[
            doc! { "price": decimal("19.99"), "long": long.to_string() },
            doc! { "price": decimal("-0.05"), "long": decimal("1") },
        ],
    );
    assert_eq!(tally.as_text, 1);
}

#[test]
fn dates_of_every_unit_are_dates() {
    let ms = 1_700_000_000_123;
    let tally = check(
        vec![
            ("day", Arc::new(Date32Array::from(vec![-1]))),
            ("s", Arc::new(TimestampSecondArray::from(vec![1_700_000_000]))),
            ("ms", Arc::new(TimestampMillisecondArray::from(vec![ms]))),
            ("us", Arc::new(TimestampMicrosecondArray::from(vec![ms * 1_000 + 7]))),
            ("ns", Arc::new(TimestampNanosecondArray::from(vec![ms * 1_000_000 - 1]))),
            ("utc", Arc::new(TimestampMillisecondArray::from(vec![ms]).with_timezone("+05:00"))),
            ("time", Arc::new(Time64MicrosecondArray::from(vec![45_296_000_250]))),
        ],
        &[doc! {
            "day": date(-86_400_000), "s": date(1_700_000_000_000), "ms": date(ms), "us": date(ms),
            "ns": date(ms - 1), "utc": date(ms), "time": "12:34:56.000250",
        }],
    );
    assert_eq!((tally.finer_dates, tally.as_text), (2, 1));
}

#[test]
fn infinite_dates_stay_numbers() {
    const LAST_MS: i64 = 8_640_000_000_000_000;
    let tally = check(
        vec![
            ("day", Arc::new(Date32Array::from(vec![i32::MAX, -i32::MAX, 100_000_000]))),
            ("s", Arc::new(TimestampSecondArray::from(vec![i64::MAX, i64::MIN, 0]))),
            ("ms", Arc::new(TimestampMillisecondArray::from(vec![LAST_MS + 1, -LAST_MS, LAST_MS]))),
            ("us", Arc::new(TimestampMicrosecondArray::from(vec![i64::MAX, -i64::MAX, 1]))),
        ],
        &[
            doc! {
                "day": i64::from(i32::MAX), "s": i64::MAX, "ms": LAST_MS + 1, "us": i64::MAX,
            },
            doc! {
                "day": -i64::from(i32::MAX), "s": i64::MIN, "ms": date(-LAST_MS), "us": -i64::MAX,
            },
            doc! { "day": date(LAST_MS), "s": date(0), "ms": date(LAST_MS), "us": date(0) },
        ],
    );
    assert_eq!((tally.far_dates, tally.finer_dates), (7, 1));
}

#[test]
fn a_timestamp_without_a_zone_is_read_in_the_chosen_one() {
    let at: ArrayRef = Arc::new(TimestampMillisecondArray::from(vec![0]));
    let utc: ArrayRef = Arc::new(TimestampMillisecondArray::from(vec![0]).with_timezone("UTC"));
    let bytes = bytes_of(FORMS[0], &[batch(vec![("at", at), ("utc", utc)])]);
    let (_, found) =
        imported(&bytes, |request| request.types.zone = Zone::parse("+02:00").unwrap());
    assert_eq!(found, [doc! { "at": date(-7_200_000), "utc": date(0) }]);
}

#[test]
fn nested_values_are_documents_and_arrays() {
    let mut list = ListBuilder::new(Int32Builder::new());
    list.append_value([Some(1), None, Some(3)]);
    list.append_null();
    list.append_value([]);
    let inner = StructArray::from(vec![
        (
            Arc::new(Field::new("a", DataType::Int32, true)),
            Arc::new(Int32Array::from(vec![Some(1), None, Some(3)])) as ArrayRef,
        ),
        (
            Arc::new(Field::new("b.c", DataType::Utf8, true)),
            Arc::new(StringArray::from(vec![Some("x"), None, None])) as ArrayRef,
        ),
    ]);
    let mut map = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    for (names, values) in [
        (vec!["k", "l"], vec![Some(1), None]),
        (vec![], vec![]),
        (vec!["k", "k"], vec![Some(1), Some(2)]),
    ] {
        for name in names {
            map.keys().append_value(name);
        }
        for value in values {
            map.values().append_option(value);
        }
        map.append(true).unwrap();
    }
    let mut numbered = MapBuilder::new(None, Int32Builder::new(), Int32Builder::new());
    for _ in 0..3 {
        numbered.keys().append_value(7);
        numbered.values().append_value(8);
        numbered.append(true).unwrap();
    }
    let words: DictionaryArray<Int8Type> =
        vec![Some("red"), None, Some("red")].into_iter().collect();
    let pair = || Bson::Array(vec![doc! { "k": 7, "v": 8 }.into()]);
    check(
        vec![
            ("list", Arc::new(list.finish())),
            ("inner", Arc::new(inner)),
            ("map", Arc::new(map.finish())),
            ("numbered", Arc::new(numbered.finish())),
            ("word", Arc::new(words)),
        ],
        &[
            doc! {
                "list": [1, Bson::Null, 3], "inner": { "a": 1, "b.c": "x" },
                "map": { "k": 1, "l": Bson::Null }, "numbered": pair(), "word": "red",
            },
            doc! { "inner": {}, "map": {}, "numbered": pair() },
            doc! {
                "list": [], "inner": { "a": 3 },
                "map": [{ "k": "k", "v": 1 }, { "k": "k", "v": 2 }], "numbered": pair(),
                "word": "red",
            },
        ],
    );
}

#[test]
fn sixteen_bytes_are_a_uuid_if_the_schema_says_so() {
    let bytes = [7_u8; 16];
    let array = || -> ArrayRef {
        Arc::new(FixedSizeBinaryArray::try_from_iter([bytes].into_iter()).unwrap())
    };
    let field = |name| Field::new(name, DataType::FixedSizeBinary(16), false);
    let uuid = field("uuid").with_extension_type(arrow_schema::extension::Uuid);
    let schema = Arc::new(Schema::new(vec![uuid, field("plain")]));
    let batch = RecordBatch::try_new(schema, vec![array(), array()]).unwrap();
    let of = |subtype| Binary { subtype, bytes: bytes.to_vec() };
    for form in FORMS {
        let (_, found) = imported(&bytes_of(form, std::slice::from_ref(&batch)), |_| ());
        let expected = doc! {
            "uuid": of(BinarySubtype::Uuid), "plain": of(BinarySubtype::Generic),
        };
        assert_eq!(found, [expected], "{form:?}");
    }
}

#[test]
fn durations_are_numbers_in_their_unit() {
    let duration: ArrayRef = Arc::new(DurationSecondArray::from(vec![90]));
    let bytes = bytes_of(Form::Stream, &[batch(vec![("took", duration)])]);
    assert_eq!(imported(&bytes, |_| ()).1, [doc! { "took": 90_i64 }]);
}

#[test]
fn columns_are_named_and_typed_as_those_of_csv() {
    let n = |value: i32| -> ArrayRef { Arc::new(Int32Array::from(vec![value])) };
    let at: ArrayRef = Arc::new(StringArray::from(vec!["2024-01-31"]));
    let columns = vec![("", n(1)), ("a.b", n(2)), ("a.c", n(3)), ("at", at)];
    let bytes = bytes_of(FORMS[0], &[batch(columns)]);
    let (report, found) = imported(&bytes, |request| {
        request.types.add(FieldType::parse("at=date").unwrap());
        request.types.add(FieldType::parse("a.b=text").unwrap());
        request.renames = vec![("field0".to_owned(), "_id".to_owned())];
    });
    let expected = doc! { "_id": 1, "a": { "b": "2", "c": 3 }, "at": date(1_706_659_200_000) };
    assert_eq!((report.tally.converted, found), (2, vec![expected]));
    let fixture = Fixture::new();
    let path = fixture.file("a.parquet", &bytes);
    let wrong = vec![("nothing".to_owned(), "x".to_owned())];
    let options = ReadOptions { renames: wrong, ..ReadOptions::default() };
    let error = preview(&path, &options).unwrap_err().to_string();
    assert!(error.contains("no column is called \"nothing\""), "{error}");
    let found = preview(&path, &ReadOptions::default()).unwrap();
    let names: Vec<&str> = found.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["field0", "a.b", "a.c", "at"]);
    assert_eq!((found.detected.form, found.more), (RecordFormat::Parquet, false));
    assert_eq!(found.paths.len(), 4);
}

#[test]
fn an_import_resumes_at_its_row() {
    for form in [FORMS[0], FORMS[3], FORMS[6]] {
        let fixture = Fixture::new();
        let batches: Vec<RecordBatch> = (0..5)
            .map(|part| {
                let numbers = part * 1_000..(part + 1) * 1_000;
                let at = numbers.clone().map(|n| i64::from(n) * 1_000 + 1);
                batch(vec![
                    ("n", Arc::new(Int32Array::from_iter_values(numbers))),
                    ("at", Arc::new(TimestampMicrosecondArray::from_iter_values(at))),
                ])
            })
            .collect();
        let path = fixture.file("table", &bytes_of(form, &batches));
        let request = ImportRequest::new(vec![path], fixture.namespace.clone());
        let progress = Progress::new();
        progress.cancel_at(1_500);
        let report = crate::transfer::import(&fixture.collections, &request, &progress).unwrap();
        assert_eq!(report.end, ImportEnd::Cancelled);
        assert!((1_500..5_000).contains(&report.imported), "{form:?}: {}", report.imported);
        let id = report.unfinished.unwrap();
        let report = resume_import(&fixture.collections, id, &Progress::new()).unwrap();
        assert_eq!((report.end, report.imported), (ImportEnd::Complete, 5_000), "{form:?}");
        assert_eq!(report.tally.finer_dates, 5_000, "{form:?}");
        let found: Vec<i32> =
            documents(&fixture).iter().map(|document| document.get_i32("n").unwrap()).collect();
        assert_eq!(found, (0..5_000).collect::<Vec<_>>(), "{form:?}");
    }
}

#[test]
fn a_row_that_is_too_large_is_rejected_with_its_number() {
    let large = "x".repeat(17 << 20);
    let text: ArrayRef = Arc::new(StringArray::from(vec!["a", &large, "c"]));
    let (report, found) = imported(&bytes_of(FORMS[0], &[batch(vec![("text", text)])]), |_| ());
    assert_eq!(found, [doc! { "text": "a" }, doc! { "text": "c" }]);
    let shown = report.rejects[0].to_string();
    assert!(shown.contains("table: row 2: the document has 17"), "{shown}");
}

#[test]
fn a_preview_reads_no_more_than_it_shows() {
    let large = "x".repeat(1 << 20);
    let text: ArrayRef = Arc::new(StringArray::from_iter_values((0..60).map(|_| &large)));
    for form in [FORMS[1], FORMS[4]] {
        let fixture = Fixture::new();
        let bytes = bytes_of(form, &[batch(vec![("text", Arc::clone(&text))])]);
        let found = preview(&fixture.file("table", &bytes), &ReadOptions::default()).unwrap();
        assert!(found.more && (5..60).contains(&found.sampled), "{form:?}: {}", found.sampled);
    }
}

#[test]
fn a_rehearsal_counts_the_rows() {
    let fixture = Fixture::new();
    let path = fixture.file("a.arrow", &bytes_of(FORMS[3], &[ints(7), ints(7)]));
    let (collections, namespace) = (&fixture.collections, &fixture.namespace);
    let options = ReadOptions::default();
    let found = rehearse(collections, namespace, &path, &options, 100, &Progress::new()).unwrap();
    assert_eq!((found.documents, found.rejected), (14, 0));
}

/// The sentence with which a file is refused, or where its reading ends.
fn refusal(name: &str, bytes: &[u8]) -> String {
    let fixture = Fixture::new();
    let path = fixture.file(name, bytes);
    let request = ImportRequest::new(vec![path], fixture.namespace.clone());
    let progress = Progress::new();
    match crate::transfer::import(&fixture.collections, &request, &progress) {
        Err(TransferError::NotReadable { what, .. }) => what,
        Err(error) => panic!("{error}"),
        Ok(report) => match report.end {
            ImportEnd::Broken(reject) => reject.reason,
            end => format!("{end:?} {}", report.imported),
        },
    }
}

#[test]
fn a_file_that_broke_off_says_so() {
    for form in FORMS {
        let bytes = bytes_of(form, &[ints(3_000), ints(3_000)]);
        for length in [bytes.len() / 2, bytes.len() - bytes.len() / 10] {
            let reason = refusal("table", &bytes[..length]);
            assert!(reason.contains("is cut short; get a new copy"), "{form:?} {length}: {reason}");
        }
    }
}

#[test]
fn a_compressed_or_encrypted_parquet_file_is_refused() {
    let bytes = bytes_of(FORMS[0], &[ints(3)]);
    let packed = crate::transfer::tests::gzip(&bytes);
    assert_eq!(
        refusal("a.parquet.gz", &packed),
        "a compressed Parquet file can't be read; extract it first"
    );
    let mut secret = bytes.clone();
    let end = secret.len() - 4;
    secret[end..].copy_from_slice(b"PARE");
    assert_eq!(refusal("a", &secret), "the Parquet file is encrypted; decrypt it first");
    secret[..4].copy_from_slice(b"PARE");
    assert_eq!(refusal("a", &secret), "the Parquet file is encrypted; decrypt it first");
    // Arrow is read in order, so it may be compressed.
    let packed = crate::transfer::tests::gzip(&bytes_of(FORMS[3], &[ints(3)]));
    assert_eq!(imported(&packed, |_| ()).1.len(), 3);
}

/// The first message of a file of Polars has no length, so the schema is read from the footer.
#[test]
fn a_file_without_the_length_of_its_schema_is_read() {
    let bytes = bytes_of(Form::File(None), &[ints(3), ints(2)]);
    let schema = bytes.windows(4).position(|part| part == [0xff; 4]).unwrap();
    let mut changed = bytes.clone();
    changed[schema..schema + 8].fill(1);
    let (report, found) = imported(&changed, |_| ());
    assert_eq!((report.end, found.len()), (ImportEnd::Complete, 5));
    let reason = refusal("a", &changed[..bytes.len() - 9]);
    assert_eq!(reason, "the Arrow file is cut short; get a new copy");
}

/// Polars writes the words of a column after the numbers that name them.
#[test]
fn a_dictionary_after_its_batch_is_read() {
    let words: DictionaryArray<Int8Type> = ["red", "green", "red"].into_iter().collect();
    let bytes = bytes_of(Form::File(None), &[batch(vec![("word", Arc::new(words))])]);
    let end = bytes.len() - 10;
    let length = u32::from_le_bytes(*bytes[end..].first_chunk().unwrap()) as usize;
    let footer = root_as_footer(&bytes[end - length..end]).unwrap();
    let part = |of: &Block| {
        let start = usize::try_from(of.offset()).unwrap();
        let length = i64::from(of.metaDataLength()) + of.bodyLength();
        start..start + usize::try_from(length).unwrap()
    };
    let dictionary = part(footer.dictionaries().unwrap().get(0));
    let rows = part(footer.recordBatches().unwrap().get(0));
    assert_eq!(dictionary.end, rows.start, "the dictionary is written first");
    let mut changed = bytes[..dictionary.start].to_vec();
    let schema = changed.windows(4).position(|part| part == [0xff; 4]).unwrap();
    changed[schema..schema + 8].fill(1);
    changed.extend_from_slice(&bytes[rows.clone()]);
    changed.extend_from_slice(&bytes[dictionary.clone()]);
    changed.extend_from_slice(&bytes[rows.end..]);
    // The blocks of the footer begin with their offsets.
    let moved = [(dictionary.start, dictionary.start + rows.len()), (rows.start, dictionary.start)];
    let places = moved.map(|(from, to)| {
        let from = (from as u64).to_le_bytes();
        let at = bytes[end - length..end].windows(8).position(|part| part == from).unwrap();
        (end - length + at, (to as u64).to_le_bytes())
    });
    for (at, offset) in places {
        changed[at..at + 8].copy_from_slice(&offset);
    }
    let (report, found) = imported(&changed, |_| ());
    assert_eq!(report.end, ImportEnd::Complete);
    let found: Vec<_> = found.iter().map(|it| it.get_str("word").unwrap()).collect();
    assert_eq!(found, ["red", "green", "red"]);
}

#[test]
fn text_that_begins_like_a_table_is_text() {
    for text in ["PARENT,CHILD\n1,2\n", "PAR1,PAR2\n1,2\n", "ARROW1,ARROW2\n1,2\n"] {
        let (report, found) = imported(text.as_bytes(), |_| ());
        assert_eq!((report.imported, found.len()), (1, 1), "{text}");
    }
}

#[test]
fn a_damaged_file_ends_in_one_sentence() {
    for form in FORMS {
        let sound = bytes_of(form, &[ints(300), ints(300)]);
        for at in (0..sound.len()).step_by(sound.len() / 20 + 1) {
            for flip in [0xff, 0x01] {
                let mut bytes = sound.clone();
                bytes[at] ^= flip;
                let reason = refusal("table.bson.bak", &bytes);
                assert!(!reason.ends_with('.') && reason.len() < 400, "{form:?} {at}: {reason}");
            }
        }
    }
}

#[derive(Debug, Clone)]
enum Column {
    Ints(Vec<Option<i64>>),
    Doubles(Vec<Option<f64>>),
    Texts(Vec<Option<String>>),
    Lists(Vec<Option<Vec<Option<i32>>>>),
}

impl Column {
    fn array(&self) -> ArrayRef {
        match self {
            Self::Ints(values) => Arc::new(Int64Array::from(values.clone())),
            Self::Doubles(values) => Arc::new(Float64Array::from(values.clone())),
            Self::Texts(values) => Arc::new(StringArray::from(values.clone())),
            Self::Lists(values) => {
                let mut list = ListBuilder::new(Int32Builder::new());
                for value in values {
                    list.append_option(value.clone());
                }
                Arc::new(list.finish())
            }
        }
    }

    fn value(&self, row: usize) -> Option<Bson> {
        let element = |value: &Option<i32>| value.map_or(Bson::Null, Bson::Int32);
        match self {
            Self::Ints(values) => values[row].map(Bson::Int64),
            Self::Doubles(values) => values[row].map(Bson::Double),
            Self::Texts(values) => values[row].clone().map(Bson::String),
            Self::Lists(values) => {
                values[row].as_ref().map(|list| Bson::Array(list.iter().map(element).collect()))
            }
        }
    }
}

fn column(rows: usize) -> impl Strategy<Value = Column> {
    use prop::collection::vec as of;
    prop_oneof![
        of(any::<Option<i64>>(), rows).prop_map(Column::Ints),
        of(prop::option::of(-1e9..1e9_f64), rows).prop_map(Column::Doubles),
        of(prop::option::of("[a-z\u{e4}]{0,9}"), rows).prop_map(Column::Texts),
        of(prop::option::of(of(any::<Option<i32>>(), 0..4)), rows).prop_map(Column::Lists),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn random_batches_are_imported_as_they_are(
        columns in (1_usize..40).prop_flat_map(|rows| prop::collection::vec(column(rows), 1..6)),
        form in prop::sample::select(FORMS.to_vec()),
        parts in 1_usize..4,
    ) {
        let names: Vec<String> = (0..columns.len()).map(|number| format!("c{number}")).collect();
        let arrays = columns.iter().map(Column::array);
        let whole = batch(names.iter().map(String::as_str).zip(arrays).collect());
        let rows = whole.num_rows();
        let size = rows.div_ceil(parts);
        let pieces: Vec<RecordBatch> = (0..rows)
            .step_by(size)
            .map(|at| whole.slice(at, size.min(rows - at)))
            .collect();
        let (report, found) = imported(&bytes_of(form, &pieces), |_| ());
        prop_assert_eq!(report.end, ImportEnd::Complete);
        let expected: Vec<Document> = (0..rows)
            .map(|row| {
                let fields = names.iter().zip(&columns);
                fields
                    .filter_map(|(name, column)| Some((name.clone(), column.value(row)?)))
                    .collect()
            })
            .collect();
        prop_assert_eq!(found, expected);
    }
}
