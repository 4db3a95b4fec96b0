//! Text dates become dates while a file is imported.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use bson::{Bson, doc};
use mayfly::action::{Action, TransferAction};
use zip::write::SimpleFileOptions;

use super::support::Window;

impl Window {
    /// Opens the import dialog on a file with this text.
    fn import_file(&mut self, name: &str, text: &str) {
        let path: PathBuf = self.folder.path().join(name);
        fs::write(&path, text).expect("a file can be written");
        self.ask(Action::Transfer(TransferAction::Import { files: vec![path], into: None }));
        self.until_named("Types");
    }

    /// The first value of a field in a collection of `test`.
    fn stored(&self, collection: &str, field: &str) -> Bson {
        let reply = self.run("test", &doc! {"find": collection, "sort": {"_id": 1}, "limit": 1});
        let batch = reply.get_document("cursor").expect("a cursor").get_array("firstBatch");
        let first = batch.expect("a batch").first().and_then(Bson::as_document).cloned();
        first.expect("a document").get(field).cloned().expect("a field")
    }
}

#[test]
fn a_csv_date_is_detected_converted_and_expires() {
    let mut window = Window::open();
    window.run(
        "test",
        &doc! {"createIndexes": "films", "indexes": [
            {"key": {"released": 1}, "name": "released_1", "expireAfterSeconds": 60}
        ]},
    );
    let csv = "_id,released,zip\n1,Jun 12 1998,01234\n2,Aug 07 1998,98052\n";
    window.import_file("films.csv", csv);
    window.until_named("all 2 values convert");
    assert!(window.has("1998-06-12 00:00:00Z"), "the converted value is shown");
    window.until_named("2 of 2 documents are already expired");
    window.click("Import options");
    let line = window.copied("Copy command");
    assert!(line.contains("--type 'released=date:%b %d %Y'"), "the same in a terminal: {line}");
    window.click("Import anyway");
    window.until_named("Import finished");
    assert_eq!(
        window.stored("films", "released"),
        Bson::DateTime(bson::DateTime::parse_rfc3339_str("1998-06-12T00:00:00Z").expect("a date"))
    );
    assert_eq!(window.stored("films", "zip"), Bson::String("01234".to_owned()));
    window.advance(120);
    window.until_window("they expired", |window| {
        window.run("test", &doc! {"count": "films"}).get_i32("n").ok() == Some(0)
    });
}

#[test]
fn the_preview_has_room_for_a_text_and_the_date_that_it_becomes() {
    let mut window = Window::open();
    window.import_file("hours.csv", "at,rain\n2015/01/01 08:00:00,0.0\n2015/01/01 09:00:00,1.5\n");
    window.until_named("all 2 values convert");
    let (before, after) = ("2015/01/01 08:00:00", "2015-01-01 08:00:00Z");
    let width = |text| window.place_of_part(text).expect(text).width();
    assert!(width(after) >= width(before), "{} beside {}", width(after), width(before));
    assert!(window.has("0.0"), "the header has the type");
}

#[test]
fn a_long_file_is_looked_at_in_part_and_says_so() {
    let mut window = Window::open();
    let rows = (0..6_000).map(|n| format!("2015/01/01 08:{:02}:{:02}\n", n / 60 % 60, n % 60));
    let csv = std::iter::once("at\n".to_owned()).chain(rows).collect::<Vec<_>>().concat();
    window.import_file("log.csv", &csv);
    window.until_named("the first 5,000 values convert");
    assert!(window.has_part("the newest of the first 5,000, 2015-01-01 08:59:59Z"));
}

#[test]
fn the_order_of_day_and_month_is_asked() {
    let mut window = Window::open();
    window.import_file("days.csv", "_id,day\n1,03/04/2020\n2,05/06/2020\n");
    window.until_named("03/04/2020 in row 1 can be read in two ways");
    assert!(window.has("day: Month first"));
    window.choose("Type of day", "Date");
    window.until_named("Choose whether the day or the month comes first in day");
    assert!(!window.is_enabled("Import"), "nothing is guessed");
    window.click("day: Day first");
    window.until_named("all 2 values convert");
    window.click("Import");
    window.until_named("Import finished");
    assert_eq!(
        window.stored("days", "day"),
        Bson::DateTime(bson::DateTime::parse_rfc3339_str("2020-04-03T00:00:00Z").expect("a date"))
    );
}

#[test]
fn json_text_is_offered_and_what_does_not_convert_is_counted() {
    let mut window = Window::open();
    let json = "{\"_id\": 1, \"a\": {\"at\": \"2015/01/01 08:00:00\"}}\n\
                {\"_id\": 2, \"a\": {\"at\": \"2015/02/01 08:00:00\"}}\n\
                {\"_id\": 3, \"a\": {\"at\": \"unknown\"}}\n";
    window.import_file("log.json", json);
    window.until_named("2 of 3 values look like dates (%Y/%m/%d %H:%M:%S)");
    window.click("Import options");
    let line = window.copied("Copy command");
    assert!(!line.contains("--type"), "JSON has types; they stay until the user says so: {line}");
    window.click("Convert a.at to dates");
    window.until_named("1 of 3 values do not convert; first in line 3");
    window.type_into("Time zone for dates in text", "Europe/Berlin");
    window.until_named("2015-01-01 07:00:00Z");
    window.click("What does not convert: Null");
    let line = window.copied("Copy command");
    assert!(line.contains("--zone Europe/Berlin --type"), "{line}");
    assert!(line.contains("--unconverted null"), "{line}");
    window.click("Import");
    window.until_named("Import finished");
    window.until_named("a.at: 1 value did not convert to date, the first in");
    let reply = window.run("test", &doc! {"find": "log", "sort": {"_id": 1}});
    let text = reply.to_string();
    assert!(text.contains("2015-01-01 7:00:00.0 +00:00:00"), "{text}");
    assert!(text.contains("\"at\": null"), "{text}");
}

#[test]
fn a_layout_can_be_typed_and_the_distance_to_now_kept() {
    let mut window = Window::open();
    window.import_file("odd.csv", "_id,at\n1,2015|01|31\n2,2015|02|01\n");
    window.click("List all 2 fields");
    window.choose("Type of at", "Date");
    window.until_named("2 of 2 values do not convert");
    window.choose("Layout of at", "Custom layout…");
    window.type_into("Custom layout of at", "%Y|%m");
    window.until_named("needs the day, %d");
    window.type_into("Custom layout of at", "%Y|%m|%d");
    window.until_named("all 2 values convert");
    window.click("Keep the distance of at to now");
    window.click("Import options");
    let line = window.copied("Copy command");
    assert!(line.contains("--keep-distance 'at=2015-02-01 00:00:00Z'"), "{line}");
    window.click("Import");
    window.until_named("Import finished");
    // The newest becomes now, 2026-06-01T12:00:00Z; the other one keeps its distance of a day.
    let at = window.stored("odd", "at").as_datetime().copied().expect("a date");
    let day_ms = 86_400_000;
    let now_ms = window.state().now_ms();
    assert!((now_ms - day_ms - at.timestamp_millis()).abs() < 60_000, "{at}");
}

#[test]
fn types_in_a_csv_header_are_shown_and_kept() {
    let mut window = Window::open();
    let csv = "_id.int32(),at.date_ms(M/d/yyyy h:mm tt),note.string()\n\
               1,2/1/2015 10:20 PM,2015-01-01\n2,2/2/2015 10:20 PM,2015-01-02\n";
    window.import_file("typed.csv", csv);
    window.until_named("The header says date_ms(M/d/yyyy h:mm tt)");
    window.until_named("The header says string()");
    window.click("Import options");
    let line = window.copied("Copy command");
    assert!(!line.contains("--type"), "the header says it all: {line}");
    window.choose("Type of at", "Date");
    window.until_named("all 2 values convert");
    assert!(window.has("2015-02-01 22:20:00Z"), "by the layout of the header");
    window.click("Keep the distance of at to now");
    window.click("Import");
    window.until_named("Import finished");
    let at = window.stored("typed", "at").as_datetime().copied().expect("a date");
    let day_ms = 86_400_000;
    let now_ms = window.state().now_ms();
    assert!((now_ms - day_ms - at.timestamp_millis()).abs() < 60_000, "{at}");
    assert_eq!(window.stored("typed", "note"), Bson::String("2015-01-01".to_owned()));
}

#[test]
fn a_column_without_a_name_is_named_and_its_type_stays_its_own() {
    let mut window = Window::open();
    let text =
        "\"\",seen,zip\n\"1\",2026-01-31T12:00:00Z,00501\n\"2\",2026-02-28T12:00:00Z,10001\n";
    window.import_file("r.csv", text);
    window.until_named("Name of field0");
    assert_eq!(window.value("Name of field0"), "field0");
    assert!(!window.has("Name of seen"), "it is as the header has it");
    window.type_into("Name of field0", "_id");
    window.click("Rename any of 3 columns");
    window.type_into("Name of seen", "at");
    window.until_named("all 2 values convert");
    window.click("Import options");
    let line = window.copied("Copy command");
    assert!(line.contains("--rename field0=_id --rename seen=at --type at=date"), "{line}");
    window.until_enabled("Import");
    window.click("Import");
    window.until_named("Import finished");
    assert!(matches!(window.stored("r", "at"), Bson::DateTime(_)));
    assert_eq!(window.stored("r", "_id"), Bson::from("1"), "its cells alone have quotes");
}

#[test]
fn the_dialog_ends_above_the_lower_edge_of_the_window() {
    let mut window = Window::open();
    let header: Vec<String> = (0..30).map(|n| format!("d{n}")).collect();
    let row = vec!["Jun 12 1998"; 30].join(",");
    window.import_file("wide.csv", &format!("{}\n{row}\n{row}\n", header.join(",")));
    window.until_named("all 2 values convert");
    let place = mayfly::widgets::modal::place(&window.harness.ctx).expect("a dialog");
    assert!(place.bottom() <= 800.0 - 16.0, "{place}");
    let button = window.place("Import");
    assert!(button.bottom() <= place.bottom(), "{button} is below {place}");
}

#[test]
fn a_field_that_gets_another_type_comes_first_in_the_preview() {
    let mut window = Window::open();
    let names: Vec<String> = (0..20).map(|n| format!("column{n}")).collect();
    let values: Vec<String> = (0..20).map(|n| format!("value{n}")).collect();
    let csv = format!(
        "{},day\n{},1998-06-12 10:00\n{},1999-01-01 11:00\n",
        names.join(","),
        values.join(","),
        values.join(",")
    );
    window.import_file("wide.csv", &csv);
    window.until_named("all 2 values convert");
    let day = window.place_of_part("1998-06-12 10:00:00Z").expect("the converted value");
    let first = window.place_of_part("value0").expect("the first column");
    assert!(day.right() < first.left(), "{day} and {first}");
}

#[test]
fn the_encoding_of_a_file_is_chosen() {
    let mut window = Window::open();
    let path = window.folder.path().join("names.csv");
    fs::write(&path, b"name,n\nM\xfcller,1\nJos\xe9,2\n").expect("a file can be written");
    window.ask(Action::Transfer(TransferAction::Import { files: vec![path], into: None }));
    window.until_window("the encoding is named", |window| {
        window.has_part("looks like Windows-1252; choose that encoding")
    });
    assert!(!window.has("Types"));
    window.click("Import options");
    window.choose("Encoding of text", "Shift_JIS");
    window.until_window("another one is refused too", |window| {
        window.has_part("the text is not Shift_JIS; choose another encoding")
    });
    window.choose("Encoding of text", "Automatic (UTF-8)");
    window.until_named("Read as windows-1252");
    window.click("Read as windows-1252");
    window.until_window("the text is read", |window| window.has_part("Müller"));
    let line = window.copied("Copy command");
    assert!(line.contains("--encoding windows-1252"), "{line}");
    window.until_enabled("Import");
    window.click("Import");
    window.until_named("Import finished");
    assert_eq!(window.stored("names", "name"), Bson::String("Müller".to_owned()));
}

/// A workbook with these sheets: the name, then a column with its cells.
fn workbook(sheets: &[(&str, &[&str])]) -> Vec<u8> {
    let (mut list, mut relations, mut parts) = (Vec::new(), Vec::new(), Vec::new());
    for (at, (name, cells)) in sheets.iter().enumerate() {
        let id = at + 1;
        list.push(format!("<sheet name=\"{name}\" sheetId=\"{id}\" r:id=\"r{id}\"/>"));
        relations.push(format!(
            "<Relationship Id=\"r{id}\" Type=\"{OFFICE}/worksheet\" \
             Target=\"worksheets/s{id}.xml\"/>"
        ));
        let cell = |text| format!("<row><c t=\"inlineStr\"><is><t>{text}</t></is></c></row>");
        let rows = cells.iter().map(cell).collect::<Vec<_>>().concat();
        let sheet =
            format!("<worksheet xmlns=\"{MAIN}\"><sheetData>{rows}</sheetData></worksheet>");
        parts.push((format!("xl/worksheets/s{id}.xml"), sheet));
    }
    let (list, relations) = (list.concat(), relations.concat());
    let book = format!(
        "<workbook xmlns=\"{MAIN}\" xmlns:r=\"{OFFICE}\"><sheets>{list}</sheets></workbook>"
    );
    let root = format!(
        "<Relationship Id=\"r1\" Type=\"{OFFICE}/officeDocument\" Target=\"xl/workbook.xml\"/>"
    );
    let related = |all| format!("<Relationships xmlns=\"{RELATIONS}\">{all}</Relationships>");
    parts.push(("xl/workbook.xml".to_owned(), book));
    parts.push(("_rels/.rels".to_owned(), related(root)));
    parts.push(("xl/_rels/workbook.xml.rels".to_owned(), related(relations)));
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, text) in parts {
        writer.start_file(name, options).expect("a part");
        writer.write_all(text.as_bytes()).expect("written");
    }
    writer.finish().expect("a workbook").into_inner()
}

const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const RELATIONS: &str = "http://schemas.openxmlformats.org/package/2006/relationships";

#[test]
fn a_sheet_of_a_workbook_is_chosen_and_imported() {
    let mut window = Window::open();
    let path = window.folder.path().join("team.xlsx");
    let sheets: [(&str, &[&str]); 2] =
        [("People", &["name", "Ana"]), ("Towns", &["town", "Berlin", "Oslo"])];
    fs::write(&path, workbook(&sheets)).expect("a file can be written");
    window.ask(Action::Transfer(TransferAction::Import { files: vec![path], into: None }));
    window.until_window("the first sheet is shown", |window| window.has_part("Ana"));
    window.click("Towns");
    window.until_window("the other sheet is shown", |window| window.has_part("Oslo"));
    assert!(!window.has_part("Ana"));
    window.click("Import options");
    let line = window.copied("Copy command");
    assert!(line.contains("--sheet Towns"), "{line}");
    window.until_enabled("Import");
    window.click("Import");
    window.until_named("Import finished");
    let count = window.run("test", &doc! {"count": "team"});
    assert_eq!(count.get_i32("n").ok(), Some(2));
    assert_eq!(window.stored("team", "town"), Bson::String("Berlin".to_owned()));
}
