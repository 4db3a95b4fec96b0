//! Workbooks of Excel and of the Open Document Format.

use std::io::{Cursor, Write as _};

use bson::{Bson, DateTime, Document, doc};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use crate::transfer::tests::Fixture;
use crate::transfer::{
    FieldType, ImportEnd, ImportReport, ImportRequest, Preview, Progress, ReadOptions,
    RecordFormat, TransferError, Zone, import, preview, resume_import,
};

fn zipped(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, text) in parts {
        writer.start_file(*name, options).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// Texts that the sheets of [`workbook`] share.
const TEXTS: [&str; 4] = ["name", "n", "ä & b", "2024-01-31"];

/// A workbook of sheets: the name, its state and its rows as XML. Style 1 is a date, 2 a time of day,
/// 3 a duration.
fn workbook(sheets: &[(&str, &str, &str)]) -> Vec<u8> {
    const RELATIONS: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
    const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let (mut list, mut relations, mut parts) = (Vec::new(), Vec::new(), Vec::new());
    for (number, (name, state, rows)) in sheets.iter().enumerate() {
        let id = number + 1;
        list.push(format!(
            "<sheet name=\"{name}\" sheetId=\"{id}\" state=\"{state}\" r:id=\"rId{id}\"/>"
        ));
        relations.push(format!(
            "<Relationship Id=\"rId{id}\" Type=\"{OFFICE}/worksheet\" \
             Target=\"worksheets/sheet{id}.xml\"/>"
        ));
        let sheet =
            format!("<worksheet xmlns=\"{MAIN}\"><sheetData>{rows}</sheetData></worksheet>");
        parts.push((format!("xl/worksheets/sheet{id}.xml"), sheet));
    }
    let (list, relations) = (list.concat(), relations.concat());
    let texts = TEXTS.map(|text| format!("<si><t>{}</t></si>", text.replace('&', "&amp;")));
    let formats =
        "<numFmts count=\"1\"><numFmt numFmtId=\"164\" formatCode=\"[h]:mm:ss\"/></numFmts>";
    let formats_used: String =
        ["0", "14", "21", "164"].map(|id| format!("<xf numFmtId=\"{id}\"/>")).concat();
    let mut all = vec![
        (
            "_rels/.rels".to_owned(),
            format!(
                "<Relationships xmlns=\"{RELATIONS}\"><Relationship Id=\"rId1\" \
                 Type=\"{OFFICE}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
            ),
        ),
        (
            "xl/workbook.xml".to_owned(),
            format!(
                "<workbook xmlns=\"{MAIN}\" xmlns:r=\"{OFFICE}\"><sheets>{list}</sheets></workbook>"
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels".to_owned(),
            format!("<Relationships xmlns=\"{RELATIONS}\">{relations}</Relationships>"),
        ),
        (
            "xl/styles.xml".to_owned(),
            format!(
                "<styleSheet xmlns=\"{MAIN}\">{formats}<cellXfs>{formats_used}</cellXfs></styleSheet>"
            ),
        ),
        (
            "xl/sharedStrings.xml".to_owned(),
            format!("<sst xmlns=\"{MAIN}\" uniqueCount=\"4\">{}</sst>", texts.concat()),
        ),
    ];
    all.append(&mut parts);
    let all: Vec<(&str, &str)> =
        all.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    zipped(&all)
}

/// A row of cells: the place, the attributes, the value.
fn row(number: u32, cells: &[(&str, &str, &str)]) -> String {
    let cell = |(column, attributes, value): &(&str, &str, &str)| {
        format!("<c r=\"{column}{number}\" {attributes}><v>{value}</v></c>")
    };
    format!("<row r=\"{number}\">{}</row>", cells.iter().map(cell).collect::<String>())
}

const SHARED: &str = "t=\"s\"";
const INLINE: &str = "t=\"str\"";

fn one_sheet(rows: &[String]) -> Vec<u8> {
    workbook(&[("Data", "visible", &rows.concat())])
}

fn imported(
    bytes: &[u8],
    change: impl FnOnce(&mut ImportRequest),
) -> (ImportReport, Vec<Document>) {
    let fixture = Fixture::new();
    let path = fixture.file("book.xlsx", bytes);
    let mut request = ImportRequest::new(vec![path], fixture.namespace.clone());
    change(&mut request);
    let report = fixture.import(&request);
    (report, documents(&fixture))
}

fn documents(fixture: &Fixture) -> Vec<Document> {
    let plain = |document: bson::RawDocumentBuf| {
        let mut document = Document::try_from(document.as_ref()).unwrap();
        if matches!(document.get("_id"), Some(Bson::ObjectId(_))) {
            document.remove("_id");
        }
        document
    };
    fixture.documents().into_iter().map(plain).collect()
}

fn look(bytes: &[u8], options: &ReadOptions) -> Result<Preview, TransferError> {
    let fixture = Fixture::new();
    preview(&fixture.file("book.xlsx", bytes), options)
}

#[test]
fn cells_keep_their_types() {
    let header: Vec<(&str, &str, &str)> = vec![
        ("A", SHARED, "0"),
        ("B", SHARED, "1"),
        ("C", INLINE, "x"),
        ("D", INLINE, "ok"),
        ("E", INLINE, "at"),
        ("F", INLINE, "time"),
        ("G", INLINE, "took"),
        ("H", INLINE, "wrong"),
    ];
    let values = vec![
        ("A", SHARED, "2"),
        ("B", "", "3"),
        ("C", "", "2.5"),
        ("D", "t=\"b\"", "1"),
        ("E", "s=\"1\"", "45322.5"),
        ("F", "s=\"2\"", "0.75"),
        ("G", "s=\"3\"", "1.5"),
        ("H", "t=\"e\"", "#N/A"),
    ];
    let more = vec![("B", "", "5000000000"), ("C", "", "1E+300"), ("E", "s=\"1\"", "1")];
    let bytes = one_sheet(&[row(1, &header), row(2, &values), row(4, &more)]);
    let (report, found) = imported(&bytes, |_| ());
    assert_eq!(report.end, ImportEnd::Complete);
    let noon = DateTime::from_millis(1_706_702_400_000);
    let first = DateTime::from_millis(-2_208_988_800_000);
    assert_eq!(
        found,
        [
            doc! {
                "name": "ä & b", "n": 3, "x": 2.5, "ok": true, "at": noon, "time": "18:00:00",
                "took": "36:00:00", "wrong": Bson::Null,
            },
            doc! { "n": 5_000_000_000_i64, "x": 1e300, "at": first },
        ]
    );
    assert_eq!((report.tally.as_text, report.tally.error_cells), (2, 1));
    let (_, found) = imported(&bytes, |it| it.types.zone = Zone::parse("+01:00").unwrap());
    assert_eq!(found[0].get_datetime("at").unwrap().timestamp_millis(), 1_706_698_800_000);
}

#[test]
fn formulas_without_a_value_are_counted() {
    let formula = "<row r=\"3\"><c r=\"A3\"><f>1+1</f></c><c r=\"B3\"><f>1+1</f><v>2</v></c>\
                   <c r=\"C3\" t=\"str\"><f>A1</f><v></v></c></row>";
    let only = "<row r=\"4\"><c r=\"A4\"><f t=\"shared\" si=\"0\" ref=\"A4:A5\">B3</f></c></row>\
                <row r=\"5\"><c r=\"A5\"><f t=\"shared\" si=\"0\"/></c></row>";
    let header = row(1, &[("A", INLINE, "a"), ("B", INLINE, "b")]);
    let bytes = one_sheet(&[header, formula.to_owned(), only.to_owned()]);
    let (report, found) = imported(&bytes, |_| ());
    assert_eq!((found, report.tally.empty_formulas), (vec![doc! { "b": 2 }], 3));
    let said = report.tally.sentences();
    assert!(said[0].starts_with("3 cells have a formula without a stored value"), "{said:?}");
}

#[test]
fn numbers_that_are_no_dates_stay_numbers() {
    let header = row(1, &[("A", INLINE, "at")]);
    let days = ["-1", "2958465", "2958466", "1e300", "-700000.5"];
    let rows = days
        .iter()
        .enumerate()
        .map(|(at, days)| row(u32::try_from(at).unwrap() + 2, &[("A", "s=\"1\"", days)]));
    let rows: Vec<String> = std::iter::once(header).chain(rows).collect();
    let (report, found) = imported(&one_sheet(&rows), |_| ());
    let last = DateTime::from_millis(253_402_214_400_000);
    let expected: [Bson; 5] =
        [(-1.0).into(), last.into(), 2_958_466.0.into(), 1e300.into(), (-700_000.5).into()];
    let found: Vec<Bson> = found.iter().map(|document| document["at"].clone()).collect();
    assert_eq!(found, expected);
    assert_eq!(report.tally.far_dates, 4);
}

#[test]
fn a_table_is_found_below_and_right_of_empty_cells() {
    let bytes = one_sheet(&[
        row(3, &[("C", INLINE, "a"), ("D", INLINE, "a"), ("F", INLINE, "b.c")]),
        row(5, &[("D", "", "1"), ("E", "", "2"), ("F", "", "3"), ("H", "", "4")]),
        row(6, &[("C", INLINE, "  ")]),
        row(7, &[("C", "", "5")]),
    ]);
    let (report, found) = imported(&bytes, |_| ());
    assert_eq!(report.end, ImportEnd::Complete);
    let first = doc! { "a_2": 1, "field4": 2, "b": { "c": 3 }, "field7": 4 };
    assert_eq!(found, [first, doc! { "a": 5 }]);
    let found = look(&bytes, &ReadOptions::default()).unwrap();
    let names: Vec<&str> = found.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["a", "a_2", "field4", "b.c", "field7"]);
    let (_, found) = imported(&bytes, |request| {
        request.renames = vec![("field7".to_owned(), "_id".to_owned())];
        request.types.add(FieldType::parse("b.c=text").unwrap());
    });
    assert_eq!(found[0].get_i32("_id").unwrap(), 4);
    assert_eq!(found[0].get_document("b").unwrap().get_str("c").unwrap(), "3");
}

#[test]
fn a_sheet_is_chosen_by_its_name() {
    let rows = |name: &str| row(1, &[("A", INLINE, name)]) + &row(2, &[("A", "", "1")]);
    let (hidden, first, second) = (rows("hidden"), rows("first"), rows("second"));
    let bytes = workbook(&[
        ("Lists", "hidden", &hidden),
        ("2023", "visible", &first),
        ("2024", "visible", &second),
    ]);
    let found = look(&bytes, &ReadOptions::default()).unwrap();
    assert_eq!(found.detected.form, RecordFormat::Workbook);
    assert_eq!(found.sheets, ["Lists", "2023", "2024"]);
    assert_eq!(found.sheet.as_deref(), Some("2023"));
    assert_eq!(imported(&bytes, |_| ()).1, [doc! { "first": 1 }]);
    let (_, found) = imported(&bytes, |request| request.sheet = Some("2024".to_owned()));
    assert_eq!(found, [doc! { "second": 1 }]);
    let options = ReadOptions { sheet: Some("2025".to_owned()), ..ReadOptions::default() };
    let error = look(&bytes, &options).unwrap_err().to_string();
    assert!(error.ends_with("no sheet \"2025\"; choose one of: Lists, 2023, 2024."), "{error}");
}

#[test]
fn an_import_of_a_sheet_resumes_at_its_row() {
    let mut rows = vec![row(1, &[("A", INLINE, "n"), ("B", INLINE, "time")])];
    rows.extend((2..3_002).map(|number| {
        row(number, &[("A", "", &(number - 2).to_string()), ("B", "s=\"2\"", "0.5")])
    }));
    let fixture = Fixture::new();
    let path = fixture.file("book", &one_sheet(&rows));
    let request = ImportRequest::new(vec![path], fixture.namespace.clone());
    let progress = Progress::new();
    progress.cancel_at(1_000);
    let report = import(&fixture.collections, &request, &progress).unwrap();
    assert_eq!(report.end, ImportEnd::Cancelled);
    let id = report.unfinished.unwrap();
    let report = resume_import(&fixture.collections, id, &Progress::new()).unwrap();
    assert_eq!((report.end, report.imported), (ImportEnd::Complete, 3_000));
    assert_eq!(report.tally.as_text, 3_000);
    let found: Vec<i32> =
        documents(&fixture).iter().map(|document| document.get_i32("n").unwrap()).collect();
    assert_eq!(found, (0..3_000).collect::<Vec<_>>());
}

#[test]
fn a_preview_of_a_long_sheet_goes_on() {
    let mut rows = vec![row(1, &[("A", INLINE, "n")])];
    rows.extend((2..9_000).map(|number| row(number, &[("A", "", "1")])));
    let found = look(&one_sheet(&rows), &ReadOptions::default()).unwrap();
    assert!(found.more);
    assert_eq!((found.documents.len(), found.sampled), (20, 5_000));
}

#[test]
fn an_empty_sheet_has_no_documents() {
    let (report, found) = imported(&one_sheet(&[]), |_| ());
    assert_eq!((report.end, found.len()), (ImportEnd::Complete, 0));
    let (report, found) = imported(&one_sheet(&[row(1, &[("A", INLINE, "a")])]), |_| ());
    let said = report.nothing_read();
    assert_eq!((report.end, found.len()), (ImportEnd::Complete, 0));
    let what = "the sheet has no rows below its header row, so nothing was imported.";
    assert!(said.is_some_and(|said| said.ends_with(what)));
}

/// The sentence with which a file is refused, or where its reading ends.
fn refusal(name: &str, bytes: &[u8]) -> String {
    let fixture = Fixture::new();
    let path = fixture.file(name, bytes);
    let request = ImportRequest::new(vec![path], fixture.namespace.clone());
    match import(&fixture.collections, &request, &Progress::new()) {
        Err(TransferError::NotReadable { what, .. }) => what,
        Err(error) => panic!("{error}"),
        Ok(report) => match report.end {
            ImportEnd::Broken(reject) => reject.reason,
            end => format!("{end:?} {}", report.imported),
        },
    }
}

#[test]
fn other_archives_and_damaged_workbooks_are_refused() {
    let sound = one_sheet(&[row(1, &[("A", INLINE, "a")]), row(2, &[("A", "", "1")])]);
    let check = |name: &str, bytes: &[u8], expected: &str| {
        let reason = refusal(name, bytes);
        assert!(reason.contains(expected), "{name}: {reason}");
    };
    check("a.zip", &zipped(&[("a.json", "{}")]), "the file is a zip archive; extract it first");
    check("a.xlsx", &sound[..sound.len() / 2], "the workbook is damaged");
    check("a.xlsx.gz", &crate::transfer::tests::gzip(&sound), "extract it first");
    check("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and more", "older version of Office");
    let claims = String::from_utf8_lossy(&sound).contains("uniqueCount=\"4\"");
    assert!(claims);
    let mut damaged = sound.clone();
    let at = damaged.windows(13).position(|part| part == b"uniqueCount=\"").unwrap();
    damaged[at + 13] = b'9';
    check("a.xlsx", &damaged, "the workbook is damaged");
    for at in (0..sound.len()).step_by(sound.len() / 150 + 1) {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x55;
        let reason = refusal("a.xlsx", &bytes);
        assert!(!reason.ends_with('.') && reason.len() < 400, "{at}: {reason}");
    }
}
