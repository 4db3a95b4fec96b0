//! An import of a file changes exactly as many values as the export said it would.

use bson::{Bson, DateTime, Document, RawDocumentBuf, doc, oid::ObjectId};
use proptest::{prelude::*, test_runner::TestCaseError};

use super::round_trip::{fields, raw, text, value};
use crate::transfer::{
    Compression, CsvForm, CsvOptions, ExportFormat, ExportQuery, ExportRequest, ImportEnd,
    ImportRequest, Losses, Progress, ReadAs, export_losses, tests::Fixture,
};

const FORMS: [CsvForm; 3] = [CsvForm::Exact, CsvForm::Typed, CsvForm::Spreadsheet];

fn bytes(value: &Bson) -> RawDocumentBuf {
    raw(&doc! { "": value.clone() })
}

/// Every value but documents with fields, with the names that lead to it.
fn leaves(document: &Document) -> Vec<(Vec<String>, Bson)> {
    let mut found = Vec::new();
    for (name, value) in document {
        match value {
            Bson::Document(inner) if !inner.is_empty() => {
                for (mut path, value) in leaves(inner) {
                    path.insert(0, name.clone());
                    found.push((path, value));
                }
            }
            value => found.push((vec![name.clone()], value.clone())),
        }
    }
    found
}

fn at<'d>(document: &'d Document, path: &[String]) -> Option<&'d Bson> {
    match (document.get(path.first()?)?, path.get(1..)?) {
        (value, []) => Some(value),
        (Bson::Document(inner), rest) => at(inner, rest),
        _ => None,
    }
}

/// Exports documents, imports the file, and returns what the export said and what came back. `None` if
/// two fields would have one column.
fn again(documents: &[Document], options: CsvOptions) -> Option<(Losses, Vec<Document>)> {
    let fixture = Fixture::new();
    for document in documents {
        fixture.insert(&raw(document));
    }
    let path = fixture.folder.path().join("out.csv");
    let request = ExportRequest {
        namespace: fixture.namespace.clone(),
        path: path.clone(),
        format: ExportFormat::Csv(options),
        query: ExportQuery::default(),
        compression: Compression::None,
        indexes: false,
    };
    let said = export_losses(&fixture.collections, &request, &Progress::new()).unwrap();
    let written = match fixture.export_to(&path, request.format) {
        Ok(report) => report,
        Err(error) => {
            assert!(error.to_string().contains("two fields would have the same column"), "{error}");
            return None;
        }
    };
    assert_eq!(said, written.losses, "it is said before");
    assert_eq!(said.unreadable, None);
    let again = Fixture::new();
    let request = ImportRequest::new(vec![path.clone()], again.namespace.clone());
    let report = again.import(&request);
    let file = || std::fs::read_to_string(&path).unwrap();
    assert_eq!(report.end, ImportEnd::Complete, "{:?}\n{}", report.rejects, file());
    assert_eq!(report.rejected, 0, "{:?}\n{}", report.rejects, file());
    let read = |document: RawDocumentBuf| Document::try_from(document.as_ref()).unwrap();
    Some((said, again.documents().into_iter().map(read).collect()))
}

/// Whether a name on some path is read as another.
fn may_move(document: &Document) -> bool {
    let is_odd = |name: &String| name.is_empty() || name.contains('.') || name.trim() != name;
    leaves(document).iter().any(|(path, _)| path.iter().any(is_odd))
}

/// How many values of a document are in it twice or more.
fn twins(document: &Document) -> u64 {
    let values: Vec<_> = leaves(document).iter().map(|(_, value)| bytes(value)).collect();
    let has_twin = |value: &&RawDocumentBuf| values.iter().filter(|it| it == value).count() > 1;
    values.iter().filter(has_twin).count() as u64
}

fn check(documents: &[Document], form: CsvForm) -> Result<Option<Losses>, TestCaseError> {
    let options = CsvOptions { form, ..CsvOptions::default() };
    let Some((said, read)) = again(documents, options) else { return Ok(None) };
    prop_assert_eq!(read.len(), documents.len());
    let lost: Vec<_> = documents
        .iter()
        .zip(&read)
        .flat_map(|(own, read)| leaves(own).into_iter().map(move |leaf| (leaf, read)))
        .filter(|((path, own), read)| at(read, path).map(bytes) != Some(bytes(own)))
        .map(|((path, own), read)| (path.clone(), own, at(read, &path).cloned()))
        .collect();
    // A value with a twin may seem kept: the twin came to its place.
    let twins = documents.iter().filter(|own| may_move(own)).map(twins).sum::<u64>();
    let counts = lost.len() as u64..=lost.len() as u64 + twins;
    prop_assert!(counts.contains(&said.count()), "{:?}: {:?}\n{:?}", form, said, lost);
    if !documents.iter().any(may_move) {
        let order = |own: &Document, of: &Document| -> Vec<Vec<String>> {
            let is_common = |path: &Vec<String>| at(own, path).is_some() && at(of, path).is_some();
            leaves(own).into_iter().map(|(path, _)| path).filter(is_common).collect()
        };
        let both = documents.iter().zip(&read);
        let moved = both.filter(|(own, read)| order(own, read) != order(read, own)).count();
        // A null that is an empty cell, or a word that is read as one, has no place in its
        // document, but counts.
        let has_emptied = said.values.iter().any(|lost| lost.read_as == ReadAs::Missing);
        let is_counted = if has_emptied || form == CsvForm::Spreadsheet {
            said.reordered >= moved as u64
        } else {
            said.reordered == moved as u64
        };
        prop_assert!(is_counted, "{:?}: {} and {:?}: {:?}", form, moved, said, documents);
    }
    Ok(Some(said))
}

fn documents(fields: Vec<Document>) -> Vec<Document> {
    let with_id = |(id, fields): (i32, Document)| {
        let mut document = doc! { "_id": id };
        document.extend(fields.into_iter().filter(|(name, _)| name != "_id"));
        document
    };
    (0..).zip(fields).map(with_id).collect()
}

/// Documents with a few fields that many share, some of one type and some of many.
fn plain() -> impl Strategy<Value = Vec<Document>> {
    let words = [
        "", " ", "\t", " x", "1 ", "NA", "NaN", "-Inf", "null", "None", "-", "True", "FALSE",
        "true", "1,5", "1,234", "007", "1.10", "\"7\"", "a\\", "\\N", "a\0b", "\0",
    ];
    let words = prop::sample::select(words.to_vec());
    let doubles = vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.5, 1e300];
    let scalar = prop_oneof![
        words.prop_map(Bson::from),
        any::<bool>().prop_map(Bson::Boolean),
        prop::sample::select(doubles).prop_map(Bson::Double),
        text().prop_map(Bson::String),
        "[0-9]{1,12}".prop_map(Bson::String),
        any::<i32>().prop_map(Bson::Int32),
        any::<i64>().prop_map(Bson::Int64),
        Just(Bson::Null),
        // The names in a document may be odd. Those in an array are all kept.
        value().prop_map(|value| match value {
            Bson::Document(_) => Bson::Array(vec![value]),
            value => value,
        }),
    ];
    let inner = prop::collection::vec(("[xy]", scalar.clone()), 0..3)
        .prop_map(|fields| Bson::Document(fields.into_iter().collect()));
    let value = prop_oneof![4 => scalar, 1 => inner];
    let field = (prop::sample::select(vec!["a", "b", "c", "d e", "\u{e9}", "x[kg]"]), value);
    let fields = prop::collection::vec(field, 0..5).prop_map(|fields| {
        fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Document>()
    });
    let digits = ("[0-9]{1,9}", any::<i64>(), any::<i64>(), any::<Option<bool>>());
    let digits = digits.prop_map(|(phone, long, at, is)| {
        let is = is.map_or_else(|| Bson::from("NA"), Bson::Boolean);
        doc! { "phone": phone, "long": long, "at": DateTime::from_millis(at), "is": is }
    });
    prop::collection::vec(prop_oneof![3 => fields, 1 => digits], 1..12).prop_map(documents)
}

/// Documents with names that CSV can't have, or means otherwise.
fn odd() -> impl Strategy<Value = Vec<Document>> {
    prop::collection::vec(fields(value()), 1..8).prop_map(documents)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn as_many_values_are_lost_as_said(documents in plain()) {
        for form in FORMS {
            let said = check(&documents, form)?.expect("no two fields have one column");
            if form == CsvForm::Typed {
                prop_assert_eq!(said.values, Vec::new(), "{:?}", documents);
            }
        }
    }

    #[test]
    fn as_many_values_are_lost_as_said_of_odd_names(documents in odd()) {
        for form in FORMS {
            check(&documents, form)?;
        }
    }

    #[test]
    fn as_many_chosen_values_are_lost_as_said(documents in plain()) {
        for form in FORMS {
            for fields in [&["_id", "a", "a.x", "b.y"][..], &["phone"], &["c"], &["a.x", "d e"]] {
                // The Extended JSON of a document has its fields, and their columns come to it.
                let is_twice = fields.contains(&"a") && fields.contains(&"a.x");
                if form == CsvForm::Typed && is_twice {
                    continue;
                }
                let names: Vec<String> = fields.iter().map(|name| (*name).to_owned()).collect();
                let options = CsvOptions { fields: Some(names.clone()), form, ..CsvOptions::default() };
                let Some((said, read)) = again(&documents, options) else { continue };
                let mut lost = 0;
                for (own, read) in documents.iter().zip(&read) {
                    for name in &names {
                        let path: Vec<String> = name.split('.').map(str::to_owned).collect();
                        let (own, read) = (at(own, &path).map(bytes), at(read, &path).map(bytes));
                        // A file of one column has text or null where the field is missing.
                        lost += u64::from(own != read && (own.is_some() || names.len() == 1));
                    }
                }
                prop_assert_eq!(said.count(), lost, "{:?} {:?}: {:?}", form, names, documents);
            }
        }
    }
}

#[test]
fn a_column_beside_one_with_a_number_is_not_inside_of_it() {
    let inner = doc! { "a": "x", "": Bson::MinKey };
    let documents = documents(vec![doc! { "c": Bson::MinKey }, doc! { "c": inner }]);
    for (form, expected) in FORMS.into_iter().zip([2, 1, 2]) {
        let said = check(&documents, form).unwrap().expect("no two fields have one column");
        assert_eq!(said.count(), expected, "{form:?}: {said:?}");
    }
}

#[test]
fn each_kind_of_loss_has_its_words() {
    let said = |values: Vec<Bson>, form: CsvForm| {
        let documents = documents(values.into_iter().map(|value| doc! { "v": value }).collect());
        check(&documents, form).unwrap().unwrap().sentences()
    };
    let lost = |values: Vec<Bson>, form: CsvForm, words: &str| {
        assert_eq!(said(values, form), [words.to_owned()]);
    };
    let (exact, table) = (CsvForm::Exact, CsvForm::Spreadsheet);
    let text = |text: &str| Bson::from(text);
    lost(vec![text("1"), Bson::from(22)], exact, "1 text of \"v\" will be read as numbers");
    lost(vec![Bson::from(1), text("x")], exact, "1 int of \"v\" will be read as text");
    lost(vec![Bson::from(1_i64)], exact, "1 long of \"v\" will be read as numbers of another type");
    lost(vec![Bson::Null], exact, "1 null of \"v\" will be read as text");
    lost(vec![Bson::Null], table, "1 null of \"v\" will be missing");
    lost(
        vec![Bson::from(1), text("NA"), Bson::from(f64::NAN)],
        exact,
        "1 text of \"v\" will be missing",
    );
    lost(
        vec![text("True"), Bson::from(true)],
        exact,
        "1 text of \"v\" will be read as true or false",
    );
    lost(vec![text("=1")], table, "1 text of \"v\" will be read as other text");
    lost(
        vec![Bson::from(ObjectId::from_bytes([7; 12]))],
        exact,
        "1 ObjectId of \"v\" will be read as text",
    );
    lost(
        vec![Bson::Decimal128("1.5".parse().unwrap())],
        exact,
        "1 decimal of \"v\" will be read as numbers of another type",
    );
    for kept in [
        vec![text("007"), text("12")],
        vec![text("")],
        vec![Bson::from(true), Bson::from(false)],
        vec![Bson::from(0.5), Bson::from(7)],
    ] {
        assert_eq!(said(kept, exact), Vec::<String>::new());
    }
}

/// The types of values that a header with types can name, and what only Mayfly reads.
#[test]
fn a_typed_header_names_the_types_of_mongoimport() {
    let fixture = Fixture::new();
    let id = ObjectId::from_bytes([1; 12]);
    let bytes = bson::Binary { subtype: bson::spec::BinarySubtype::Generic, bytes: vec![1, 2] };
    fixture.insert(&raw(&doc! {
        "_id": id, "phone": "01234", "n": 7, "long": 7_i64, "d": f64::INFINITY, "is": true,
        "at": DateTime::from_millis(0), "bytes": bytes, "mixed": 1, "tags": ["a", 1_i64],
    }));
    fixture.insert(&raw(&doc! { "_id": ObjectId::from_bytes([2; 12]), "mixed": Bson::Null }));
    let path = fixture.folder.path().join("out.csv");
    let options = CsvOptions { form: CsvForm::Typed, ..CsvOptions::default() };
    let report = fixture.export_to(&path, ExportFormat::Csv(options)).unwrap();
    assert_eq!(report.losses, Losses::default());
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        "_id.objectId(),phone.string(),n.int32(),long.int64(),d.double(),is.boolean(),at.date(),\
         bytes.binary(base64),mixed.ejson(),tags.ejson()\r\n\
         010101010101010101010101,01234,7,7,Infinity,true,1970-01-01T00:00:00Z,AQI=,1,\
         \"[\"\"a\"\",{\"\"$numberLong\"\":\"\"1\"\"}]\"\r\n\
         020202020202020202020202,,,,,,,,null,\r\n"
    );
}

/// A name that looks like one with a type makes all others need a type.
#[test]
fn a_header_that_no_import_reads_is_said() {
    let fixture = Fixture::new();
    fixture.insert(&raw(&doc! { "_id": 1, "a": { "string()": 2 } }));
    let path = fixture.folder.path().join("out.csv");
    let options = CsvOptions::default();
    let report = fixture.export_to(&path, ExportFormat::Csv(options)).unwrap();
    let said = report.losses.sentences();
    assert!(
        said[0].starts_with("nothing is read, because the column \"_id\" has no type"),
        "{said:?}"
    );
    let options = CsvOptions { form: CsvForm::Typed, ..CsvOptions::default() };
    let report = fixture.export_to(&path, ExportFormat::Csv(options)).unwrap();
    assert_eq!(report.losses, Losses::default());
}
