//! Imports of CSV as programs and people write it.

use bson::{Bson, Document, RawDocumentBuf, doc};
use proptest::prelude::*;

use crate::transfer::{
    ColumnNote, CsvReading, FieldType, ImportEnd, ImportFormat, ImportRequest, Nonstandard,
    Progress, ReadOptions, TextEncoding, TransferError, Types, import, preview, resume_import,
    tests::{Fixture, gzip},
};

/// The documents of a file, without the `_id` that the import makes.
fn imported(name: &str, bytes: &[u8]) -> Vec<Document> {
    let fixture = Fixture::new();
    let path = fixture.file(name, bytes);
    let request = ImportRequest::new(vec![path], fixture.namespace.clone());
    let report = fixture.import(&request);
    assert_eq!((report.end, report.rejected), (ImportEnd::Complete, 0), "{:?}", report.rejects);
    documents(&fixture)
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

fn check(text: &str, expected: &[Document]) {
    assert_eq!(imported("a.csv", text.as_bytes()), expected, "{text}");
}

#[test]
fn no_header_is_refused() {
    check("\"\",\"x\",\"y\"\n1,0.5,\"a\"\n", &[doc! { "field0": 1, "x": 0.5, "y": "a" }]);
    check("x,y,\n0,0.5,\n1,0.7,\n", &[doc! { "x": 0, "y": 0.5 }, doc! { "x": 1, "y": 0.7 }]);
    check("x,,y\n1,2,3\n", &[doc! { "x": 1, "field1": 2, "y": 3 }]);
    check("a,a,a.b,a.b\n1,2,,\n", &[doc! { "a": 1, "a_2": 2 }]);
    check("No.,.x,a..b\n1,2,3\n", &[doc! { "No": 1, "x": 2, "a_b": 3 }]);
    check("\"Price\r\n(USD)\",b\r\n1,2\r\n", &[doc! { "Price (USD)": 1, "b": 2 }]);
    check("a.int32(),\n7,x\n", &[doc! { "a": 7, "field1": "x" }]);
    // Cells that the header lacks are columns too, and R leaves out the name of the first.
    check("a,field2\n1,2,3\n4\n", &[doc! { "a": 1, "field2": 2, "field2_2": 3 }, doc! { "a": 4 }]);
    check(
        "\"x\",\"y\"\n\"1\",0.5,\"a\"\n\"2\",0.7,\"b\"\n",
        &[doc! { "field0": "1", "x": 0.5, "y": "a" }, doc! { "field0": "2", "x": 0.7, "y": "b" }],
    );
    check("x,y\n1,2,\n3,4,\n", &[doc! { "x": 1, "y": 2 }, doc! { "x": 3, "y": 4 }]);
}

#[test]
fn a_column_inside_of_another_is_nested_unless_a_row_has_both() {
    check(
        "_id,o,o.x,o.y.z\n1,,2,3\n2,5,,\n",
        &[doc! { "_id": 1, "o": { "x": 2, "y": { "z": 3 } } }, doc! { "_id": 2, "o": 5 }],
    );
    check(
        "State,State.Code\nTexas,TX\nOhio,\n",
        &[doc! { "State": "Texas", "State_Code": "TX" }, doc! { "State": "Ohio" }],
    );
    check("x,x.1,x_1\n1,2,3\n", &[doc! { "x": 1, "x_1_2": 2, "x_1": 3 }]);
}

#[test]
fn brackets_make_arrays() {
    check(
        "_id,tags[0],tags[1],items[0].n\n1,a,b,5\n2,c,,\n3,,d,\n4,,,\n",
        &[
            doc! { "_id": 1, "tags": ["a", "b"], "items": [{ "n": 5 }] },
            doc! { "_id": 2, "tags": ["c"] },
            doc! { "_id": 3, "tags": [Bson::Null, "d"] },
            doc! { "_id": 4 },
        ],
    );
    check("m[0][0],m[0][1],m[1][0]\n1,2,3\n", &[doc! { "m": [[1, 2], [3]] }]);
    check("w[kg],x[1]\n1,2\n", &[doc! { "w[kg]": 1, "x[1]": 2 }]);
}

#[test]
fn the_separator_is_found_or_named() {
    let expected = [doc! { "item": "nut", "price": "1,50" }];
    for text in [
        "sep=;\nitem;price\nnut;1,50\n",
        "\u{feff}sep=;\r\nitem;price\r\nnut;1,50\r\n",
        "\"sep=;\"\nitem;price\nnut;1,50\n",
        "SEP=^\n\nitem^price\nnut^1,50\n",
        "item|price\nnut|1,50\n",
        "item;price\nnut;1,50\n",
        "item\tprice\nnut\t1,50\n",
    ] {
        check(text, &expected);
        assert_eq!(imported("a.txt", text.as_bytes()), expected, "{text}");
    }
}

#[test]
fn a_cell_without_a_value_is_no_field() {
    check(
        "a,b,c\n1,,x\n2, ,\"\"\n,,\n",
        &[doc! { "a": 1, "c": "x" }, doc! { "a": 2, "b": " ", "c": "" }, doc! {}],
    );
    check("a.int32(),b.string()\n,\n1,\"\"\n", &[doc! {}, doc! { "a": 1, "b": "" }]);
}

/// Wherever in a file a value stands, it gives its column the same type.
#[test]
fn a_column_has_one_type() {
    for odd in ["01234", "+1", "1.10", "2E10", "-0", "12345678901234567890", "1e-400", "193X"] {
        // The second file is longer than what tells the format.
        for (rows, places) in [(3_usize, vec![0, 1, 2]), (12_000, vec![11_999])] {
            for at in places {
                let row = |row| if row == at { format!("{odd},a\n") } else { format!("{row},a\n") };
                let text = format!("n,b\n{}", (0..rows).map(row).collect::<String>());
                let file = if at == 0 { gzip(text.as_bytes()) } else { text.into_bytes() };
                let found = imported("a.csv", &file);
                assert_eq!(found.len(), rows);
                let is_text =
                    |document: &Document| matches!(document.get("n"), Some(Bson::String(_)));
                assert!(found.iter().all(is_text), "{odd} in row {at} of {rows}");
                assert_eq!(found[at].get_str("n").ok(), Some(odd));
            }
        }
    }
}

/// Words for missing values are none next to numbers and booleans, and text next to text.
#[test]
fn words_for_missing_values_leave_a_column_of_one_type() {
    check(
        "n\n1\nNA\n2.5\n\n-\n-Inf\n\"\"\n",
        &[
            doc! { "n": 1 },
            doc! {},
            doc! { "n": 2.5 },
            doc! {},
            doc! { "n": f64::NEG_INFINITY },
            doc! {},
        ],
    );
    let found = imported("a.csv", b"n\n1\nNaN\n");
    assert!(found[1].get_f64("n").unwrap().is_nan());
    check(
        "n,b\nNA,True\n1.10,None\n-,FALSE\n",
        &[doc! { "n": "NA", "b": true }, doc! { "n": "1.10" }, doc! { "n": "-", "b": false }],
    );
    check("a\nNA\nNaN\n", &[doc! { "a": "NA" }, doc! { "a": "NaN" }]);
    let fixture = Fixture::new();
    let text = b"n,is\n1,True\nNA,nan\n3,FALSE\n\"\",\n";
    let mut request = fixture.request(text);
    let found = preview(&request.files[0], &ReadOptions::default()).unwrap();
    let notes: Vec<_> = found.columns.iter().flat_map(|it| it.notes.clone()).collect();
    let word = |word: &str| ColumnNote::MissingWord(word.to_owned());
    assert_eq!((notes, found.tally.missing_words), (vec![word("NA"), word("nan")], 2));
    let report = fixture.import(&request);
    assert_eq!(report.tally.missing_words, 2);
    assert!(report.notes()[0].starts_with("2 cells with a word for a missing value"));
    // A chosen type is for every cell.
    request.types.add(FieldType::parse("n=text").unwrap());
    request.drop = true;
    let report = fixture.import(&request);
    assert_eq!(report.tally.missing_words, 1);
    assert_eq!(documents(&fixture)[1], doc! { "n": "NA" });
}

#[test]
fn columns_of_true_and_false_are_booleans() {
    for (yes, no) in [("True", "False"), ("TRUE", "FALSE"), ("true", "false"), ("True", "FALSE")] {
        check(&format!("b\n{yes}\n {no} \n"), &[doc! { "b": true }, doc! { "b": false }]);
    }
    for odd in ["1", "yes", "tRUE", "Inf", "007"] {
        check(&format!("b\nTrue\n{odd}\n"), &[doc! { "b": "True" }, doc! { "b": odd }]);
    }
}

#[test]
fn text_keeps_its_blanks() {
    check(
        "a,n,d\n x, 1 ,\n\ty ,2\t, \n , ,\n",
        &[doc! { "a": " x", "n": 1 }, doc! { "a": "\ty ", "n": 2, "d": " " }, doc! { "a": " " }],
    );
    check(
        "a.string(),n.int32(),at.date(),is.boolean()\n x , 7 , 2020-01-01 , true \n , , , \n",
        &[
            doc! { "a": " x ", "n": 7, "at": bson::DateTime::from_millis(1_577_836_800_000), "is": true },
            doc! { "a": " " },
        ],
    );
    let fixture = Fixture::new();
    let mut request = fixture.request(b"a,n,at\n 1,  2 , x\n , , \n");
    for field in ["a=text", "n=int", "at=date"] {
        request.types.add(FieldType::parse(field).unwrap());
    }
    let report = fixture.import(&request);
    assert_eq!(documents(&fixture), [doc! { "a": " 1", "n": 2, "at": " x" }, doc! { "a": " " }]);
    let said = report.notes().concat();
    assert!(
        said.contains("at: 1 value did not convert to date, the first in line 2: 'x'"),
        "{said}"
    );
    // A blank around a column of text is a value, next to those inside of it.
    check("o,o.x\nword,\n ,2\n", &[doc! { "o": "word" }, doc! { "o": " ", "o_x": 2 }]);
    check("o,o.x\n1,\n ,2\n", &[doc! { "o": 1 }, doc! { "o": { "x": 2 } }]);
}

#[test]
fn a_column_whose_cells_alone_have_quotes_is_text() {
    let row = doc! { "zip": "42", "n": 1, "b": "True" };
    check("\"zip\",\"n\",\"b\"\n\"42\",1,\"True\"\n", &[row]);
    let all = doc! { "zip": 42, "n": 1, "b": true };
    check("\"zip\",\"n\",\"b\"\n\"42\",\"1\",\"True\"\n", &[all]);
    // R writes NA without quotes.
    check("zip,n\n\"42\",1\nNA,NA\n", &[doc! { "zip": "42", "n": 1 }, doc! { "zip": "NA" }]);
    // Quotes that a text needs say nothing about others.
    check("a,t\n\"1\",\"x,y\"\n2,z\n", &[doc! { "a": 1, "t": "x,y" }, doc! { "a": 2, "t": "z" }]);
    check(
        "a,t\n\"1\",\"x,y\"\n\"2\",z\n",
        &[doc! { "a": "1", "t": "x,y" }, doc! { "a": "2", "t": "z" }],
    );
    let fixture = Fixture::new();
    let found =
        preview(&fixture.file("a.csv", b"a,n\n\"7\",1\n"), &ReadOptions::default()).unwrap();
    assert_eq!(found.columns[0].notes, [ColumnNote::Quoted("7".to_owned())]);
}

#[test]
fn a_comma_before_decimals_is_read_where_it_is_no_separator() {
    let with = |text: &str, csv: CsvReading, types: &[&str]| {
        let fixture = Fixture::new();
        let mut request = fixture.request(text.as_bytes());
        request.csv = csv;
        for field in types {
            request.types.add(FieldType::parse(field).unwrap());
        }
        let options = ReadOptions { csv, ..ReadOptions::default() };
        let notes = preview(&request.files[0], &options).unwrap().columns[0].notes.clone();
        fixture.import(&request);
        (documents(&fixture), notes)
    };
    let plain = CsvReading::default();
    let chosen = CsvReading { decimal_comma: true, ..plain };
    let pi = |text: &str| ColumnNote::DecimalComma(text.to_owned());
    let both = |a: f64| vec![doc! { "n": a, "t": "x" }, doc! { "n": 5, "t": "y" }];
    assert_eq!(with("n;t\n3,25;x\n5;y\n", plain, &[]), (both(3.25), vec![pi("3,25")]));
    assert_eq!(with("n\tt\n-0,5\tx\n5\ty\n", plain, &[]), (both(-0.5), vec![pi("-0,5")]));
    // It may be one between thousands.
    let text = |text: &str| vec![doc! { "n": text, "t": "x" }, doc! { "n": "5", "t": "y" }];
    let unclear = || vec![ColumnNote::UnclearComma("1,234".to_owned())];
    assert_eq!(with("n;t\n1,234;x\n5;y\n", plain, &[]), (text("1,234"), unclear()));
    assert_eq!(with("n;t\n1,234;x\n5;y\n", chosen, &[]), (both(1.234), vec![pi("1,234")]));
    assert_eq!(with("n,t\n\"1,5\",x\n5,y\n", chosen, &[]), (both(1.5), vec![pi("1,5")]));
    assert_eq!(with("n,t\n\"1,5\",x\n5,y\n", plain, &[]).0, text("1,5"));
    assert_eq!(
        with("n.double();t.string()\n1,5;x\n5,0;y\n", chosen, &[]).0,
        [doc! { "n": 1.5, "t": "x" }, doc! { "n": 5.0, "t": "y" },]
    );
    // Points and commas are not of one language.
    assert_eq!(with("n;t\n3,25;x\n2.5;y\n", plain, &[]).0[1], doc! { "n": "2.5", "t": "y" });
    // Text that would lose a zero stays, until a type is chosen.
    let (found, notes) = with("n;t\n12,50;x\n5;y\n", plain, &[]);
    assert_eq!((found, notes), (text("12,50"), vec![ColumnNote::Altered("12,50".to_owned())]));
    assert_eq!(
        with("n;t\n12,50;x\n5;y\n", plain, &["n=double"]).0[0],
        doc! { "n": 12.5, "t": "x" }
    );
}

#[test]
fn backslashes_are_escapes_if_the_file_shows_it_or_the_user_says_so() {
    let quotes = "a,b\n\"He said \\\"hi\\\"\",1\n";
    check(quotes, &[doc! { "a": "He said \"hi\"", "b": 1 }]);
    check("a,b\nx\\,y,\\N\nz,2\n", &[doc! { "a": "x,y" }, doc! { "a": "z", "b": 2 }]);
    check("a,b\n\"C:\\dir\\\",1\n", &[doc! { "a": "C:\\dir\\", "b": 1 }]);
    let rows = "x,1\n".repeat(80_000);
    let late = format!("a,b\n{rows}y\\,z,2\n");
    let fixture = Fixture::new();
    let mut request = fixture.request(late.as_bytes());
    let found = preview(&request.files[0], &ReadOptions::default()).unwrap();
    assert_eq!(found.columns[2].notes, [ColumnNote::ShiftedByEscape]);
    request.csv.backslash_escapes = true;
    fixture.import(&request);
    assert_eq!(documents(&fixture)[80_000], doc! { "a": "y,z", "b": 2 });
    let late = format!("a,b\n{rows}\"y \\\"z\\\"\",2\n");
    let fixture = Fixture::new();
    let report = fixture.import(&fixture.request(late.as_bytes()));
    assert!(report.rejects[0].reason.contains("--backslash-escapes"), "{:?}", report.rejects);
}

#[test]
fn zero_bytes_at_the_end_are_ignored_and_counted() {
    let zeros = vec![0; 200_000];
    for (name, text) in [
        ("a.csv", "a,b\n1,2\n"),
        ("a.csv", "a,b\n1,2"),
        ("a.json", "{\"a\":1,\"b\":2}"),
        ("a.json", "[{\"a\":1,\"b\":2}]\n"),
    ] {
        for zeros in [&zeros[..1], &zeros[..]] {
            let fixture = Fixture::new();
            let path = fixture.file(name, &[text.as_bytes(), zeros].concat());
            let report = fixture.import(&ImportRequest::new(vec![path], fixture.namespace.clone()));
            assert_eq!((&report.end, report.rejected), (&ImportEnd::Complete, 0), "{report:?}");
            assert_eq!(documents(&fixture), [doc! { "a": 1, "b": 2 }], "{name}");
            assert_eq!(report.tally.padding_bytes, zeros.len() as u64, "{name}");
        }
    }
    let fixture = Fixture::new();
    let request =
        ImportRequest::new(vec![fixture.file("a.csv", &zeros)], fixture.namespace.clone());
    let error = import(&fixture.collections, &request, &Progress::new()).unwrap_err();
    assert!(error.to_string().contains("only zero bytes"), "{error}");
}

/// The name of the file does not matter.
#[test]
fn an_export_with_zero_bytes_in_its_text_is_read() {
    for text in ["a.string(),b.int32()\n\"x\0y\",1\n", "a.string()\nx\0y\n", "a,b\nx\0y,1\n"] {
        for name in ["a.csv", "a.dat", "a"] {
            let found = imported(name, text.as_bytes());
            assert_eq!(found[0].get_str("a").ok(), Some("x\0y"), "{name} {text:?}");
        }
    }
}

#[test]
fn a_file_in_another_format_than_the_chosen_one_is_refused() {
    let bson = bson::serialize_to_vec(&doc! { "a": 1 }).unwrap();
    for (format, bytes, words) in [
        (ImportFormat::Csv, &b"{\"a\": 1}\n"[..], "one JSON document per line, not CSV"),
        (ImportFormat::Csv, b"[{\"a\": 1}, {\"a\": 2}]", "a JSON array, not CSV"),
        (ImportFormat::Csv, b"PAR1,\n\0", "Parquet, not CSV"),
        (ImportFormat::Csv, &bson, "BSON, not CSV"),
        (ImportFormat::Json, b"a,b\n1,2\n", "comma-separated CSV, not JSON"),
        (ImportFormat::Json, &bson, "BSON, not JSON"),
        (ImportFormat::Json, b"PAR1,\n\0", "Parquet, not JSON"),
        (ImportFormat::Bson, b"PAR1,\n\0", "Parquet, not BSON"),
    ] {
        let fixture = Fixture::new();
        let request = ImportRequest { format, ..fixture.request(bytes) };
        let error = import(&fixture.collections, &request, &Progress::new()).unwrap_err();
        assert!(error.to_string().contains(words), "{words}: {error}");
    }
    for text in ["{a},[b]\n1,2\n", "[a],b\n1,2\n"] {
        let fixture = Fixture::new();
        let request =
            ImportRequest { format: ImportFormat::Csv, ..fixture.request(text.as_bytes()) };
        assert_eq!(fixture.import(&request).imported, 1, "{text}");
    }
}

#[test]
fn a_wrong_encoding_is_refused_and_a_file_without_rows_is_said() {
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    for (name, bytes) in [
        ("utf-16le", b"a,b\n1,2\n".to_vec()),
        ("utf-16be", b"a,b\n1,2\n3,K\xc3\xb6ln\n".to_vec()),
        ("utf-16be", wide("a,b\n1,2\n")),
    ] {
        let fixture = Fixture::new();
        for format in [ImportFormat::Auto, ImportFormat::Csv] {
            let path = fixture.file("a.csv", &bytes);
            let encoding = TextEncoding::parse(name).ok();
            let request = ImportRequest {
                format,
                encoding,
                ..ImportRequest::new(vec![path], fixture.namespace.clone())
            };
            let error = import(&fixture.collections, &request, &Progress::new()).unwrap_err();
            assert!(error.to_string().contains("choose another encoding"), "{error}");
        }
    }
    let fixture = Fixture::new();
    let header = fixture.file("header.csv", b"a,b\n");
    let report = fixture.import(&ImportRequest::new(vec![header], fixture.namespace.clone()));
    let said = report.nothing_read().unwrap_or_default();
    assert!(said.contains("has a header row and no rows below it"), "{said}");
}

#[test]
fn broken_characters_are_replaced_on_request_and_counted() {
    for (name, text) in
        [("", &b"a\xff,b\n1,x\xffy\n2,\xff\xfe\n"[..]), ("gbk", b"a\xff,b\n1,x\xffy\n2,\xff\xff\n")]
    {
        let fixture = Fixture::new();
        let mut request = fixture.request(text);
        request.encoding = TextEncoding::parse(name).ok();
        request.format = ImportFormat::Csv;
        request.leniency.set(Nonstandard::BrokenText, true);
        let report = fixture.import(&request);
        assert_eq!((report.imported, report.rejected), (2, 0), "{report:?}");
        assert_eq!(report.tally[Nonstandard::BrokenText], 3);
        assert_eq!(documents(&fixture)[0], doc! { "a\u{fffd}": 1, "b": "x\u{fffd}y" });
    }
}

#[test]
fn a_preview_has_the_names_and_types_of_the_import() {
    let fixture = Fixture::new();
    let rows =
        (0..10_000).map(|row| format!("{row},1.{},a\n", row % 9 + 1)).collect::<Vec<_>>().concat();
    let path = fixture.file("a.csv", format!(",price,No.\n{rows}1,1.10,a\n").as_bytes());
    let mut options = ReadOptions::default();
    let found = preview(&path, &options).unwrap();
    let columns: Vec<_> = found.columns.iter().map(|it| (&*it.header, &*it.name)).collect();
    assert_eq!(columns, [("", "field0"), ("price", "price"), ("No.", "No")]);
    assert_eq!(found.columns[1].notes, [ColumnNote::Altered("1.10".to_owned())]);
    assert_eq!(found.documents[0].get_str("price").ok(), Some("1.1"), "as the whole file");
    options.renames =
        vec![("field0".to_owned(), "_id".to_owned()), ("No.".to_owned(), "size.no".to_owned())];
    options.types.add(FieldType::parse("size.no=text").unwrap());
    let found = preview(&path, &options).unwrap();
    let first = Document::try_from(found.documents[0].as_ref()).unwrap();
    assert_eq!(first, doc! { "_id": 0, "price": "1.1", "size": { "no": "a" } });
    assert_eq!(found.counts[0].converted, found.sampled);
}

#[test]
fn a_column_gets_the_name_that_was_chosen() {
    let fixture = Fixture::new();
    let path = fixture.file("a.csv", b",a,a\n7,1,2\n");
    let with = |renames: &[(&str, &str)]| {
        let pair = |(from, to): &(&str, &str)| ((*from).to_owned(), (*to).to_owned());
        let request = ImportRequest {
            renames: renames.iter().map(pair).collect(),
            drop: true,
            ..ImportRequest::new(vec![path.clone()], fixture.namespace.clone())
        };
        let refused = import(&fixture.collections, &request, &Progress::new()).err();
        (documents(&fixture), refused.map_or_else(String::new, |error| error.to_string()))
    };
    assert_eq!(
        with(&[("field0", "_id"), ("a_2", "b.c")]).0,
        [doc! { "_id": 7, "a": 1, "b": { "c": 2 } }]
    );
    assert_eq!(with(&[("", "n")]).0, [doc! { "n": 7, "a": 1, "a_2": 2 }]);
    let refused = |renames: &[(&str, &str)], words: &str| {
        let (_, reason) = with(renames);
        assert!(reason.contains(words), "{reason}");
    };
    refused(&[("b", "c")], "no column is called \"b\"");
    refused(&[("a", "field0")], "two columns would be called \"field0\"");
    refused(&[("a", "..")], "\"..\" is not a name");
    refused(&[("a", "tags[5]")], "would not be its elements");
}

/// A table as R writes it: its header lacks the column of the row names, which only the rows show.
#[test]
fn a_column_that_only_the_rows_show_is_typed_and_named_like_the_others() {
    let text = b"\"x\",\"y\"\n\"1\",0.5,\"a\"\n\"2\",0.75,\"b\"\n";
    let with = |renames: &[(&str, &str)], types: &[&str]| {
        let fixture = Fixture::new();
        let path = fixture.file("r.csv", text);
        let pair = |(from, to): &(&str, &str)| ((*from).to_owned(), (*to).to_owned());
        let mut request = ImportRequest {
            renames: renames.iter().map(pair).collect(),
            ..ImportRequest::new(vec![path], fixture.namespace.clone())
        };
        for field in types {
            request.types.add(FieldType::parse(field).unwrap());
        }
        let report = fixture.import(&request);
        let reason = report.rejects.first().map(|it| it.reason.clone());
        (documents(&fixture).into_iter().next(), reason)
    };
    let plain = doc! { "field0": "1", "x": 0.5, "y": "a" };
    assert_eq!(with(&[], &[]).0, Some(plain.clone()));
    assert_eq!(with(&[], &["x=double"]).0, Some(plain), "a type moves no value");
    let named = with(&[("field0", "_id"), ("x", "n")], &["n=text"]).0;
    assert_eq!(named, Some(doc! { "_id": "1", "n": "0.5", "y": "a" }));
    let reason = with(&[("field0", "x.row")], &[]).1.expect("a row has both");
    assert!(reason.contains("inside of another column"), "{reason}");
}

#[test]
fn elements_of_an_array_lose_their_place_together() {
    check(
        "o,o.tags[0],o.tags[1]\n1,2,\n,3,4\n",
        &[doc! { "o": 1, "o_tags[0]": 2 }, doc! { "o_tags[0]": 3, "o": { "tags[1]": 4 } }],
    );
}

#[test]
fn a_blank_cell_around_others_is_filled_with_nothing() {
    let fixture = Fixture::new();
    let path = fixture.file("a.csv", b"o,o.x\n,2\n");
    let mut types = Types { unconverted: crate::transfer::Unconverted::Null, ..Types::default() };
    types.add(FieldType::parse("o=int").unwrap());
    let request =
        ImportRequest { types, ..ImportRequest::new(vec![path], fixture.namespace.clone()) };
    fixture.import(&request);
    assert_eq!(documents(&fixture), [doc! { "o": { "x": 2 } }]);
}

#[test]
fn an_import_that_stopped_goes_on_with_the_same_types_and_names() {
    let fixture = Fixture::new();
    let rows = (0..9_000).map(|row| format!("{row},{row},\n")).collect::<Vec<_>>().concat();
    let path = fixture.file("a.csv", format!("_id,zip,\n{rows}9000,01234,x\n").as_bytes());
    let request = ImportRequest {
        renames: vec![("field2".to_owned(), "note".to_owned())],
        ..ImportRequest::new(vec![path], fixture.namespace.clone())
    };
    let progress = Progress::new();
    progress.cancel_at(3_000);
    let report = import(&fixture.collections, &request, &progress).unwrap();
    assert_eq!(report.end, ImportEnd::Cancelled);
    let id = report.unfinished.expect("it can be resumed");
    resume_import(&fixture.collections, id, &Progress::new()).unwrap();
    let found = documents(&fixture);
    assert_eq!(found.len(), 9_001);
    assert!(found.iter().all(|document| document.get_str("zip").is_ok()));
    assert_eq!(found[9_000], doc! { "_id": 9_000, "zip": "01234", "note": "x" });
}

#[test]
fn text_that_is_no_table_is_refused_in_one_sentence() {
    for (name, text, words) in [
        ("a.json", "<html><body><h1>404, Not Found</h1></body></html>", "web page"),
        ("a.csv", "<!DOCTYPE html>\n<title>a, b</title>\n", "web page"),
        ("a.json", "callback({\"a\":1, \"b\":2})\n", "JavaScript"),
        ("a.js", "var data = [1, 2];\n", "JavaScript"),
        ("a.csv", "PAR1,\n\0", "Parquet"),
        ("a.json", "Not found, sorry\n", "not JSON documents or CSV"),
        ("a.txt", "Dear all,\nplease find it below.\n", "not JSON documents or CSV"),
    ] {
        let fixture = Fixture::new();
        let request = ImportRequest::new(
            vec![fixture.file(name, text.as_bytes())],
            fixture.namespace.clone(),
        );
        let error = import(&fixture.collections, &request, &Progress::new()).unwrap_err();
        assert!(matches!(error, TransferError::NotReadable { .. }), "{error:?}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[test]
fn a_blank_cell_of_a_chosen_type_is_null_if_that_was_chosen() {
    for (unconverted, expected) in [
        (crate::transfer::Unconverted::Keep, doc! { "b": 1 }),
        (crate::transfer::Unconverted::Null, doc! { "a": Bson::Null, "b": 1 }),
        (crate::transfer::Unconverted::Reject, doc! { "a": Bson::Null, "b": 1 }),
    ] {
        let fixture = Fixture::new();
        let path = fixture.file("a.csv", b"a,b\n,1\n");
        let mut types = Types { unconverted, ..Types::default() };
        types.add(FieldType::parse("a=int").unwrap());
        let request =
            ImportRequest { types, ..ImportRequest::new(vec![path], fixture.namespace.clone()) };
        fixture.import(&request);
        assert_eq!(documents(&fixture), [expected]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn lines_may_end_with_a_carriage_return_alone(
        rows in prop::collection::vec((any::<i32>(), "[b-dé]{1,6}"), 1..2_000),
        is_csv in any::<bool>(),
        is_packed in any::<bool>(),
        is_ended in any::<bool>(),
    ) {
        let mut lines: Vec<String> = Vec::new();
        if is_csv {
            lines.push("n,text".to_owned());
            lines.extend(rows.iter().map(|(n, text)| format!("{n},\"{text}\"")));
        } else {
            lines.extend(rows.iter().map(|(n, text)| format!("{{\"n\":{n},\"text\":\"{text}\"}}")));
        }
        let read = |end: &str| {
            let text = lines.join(end) + if is_ended { end } else { "" };
            let text = text.into_bytes();
            let fixture = Fixture::new();
            let text = if is_packed { gzip(&text) } else { text };
            let report = fixture.import(&fixture.request(&text));
            let of = |it: &RawDocumentBuf| {
                (it.get_i32("n").unwrap(), it.get_str("text").unwrap().to_owned())
            };
            let mut found: Vec<_> = fixture.documents().iter().map(of).collect();
            found.sort();
            (report.rejected, found)
        };
        let expected = read("\n");
        prop_assert_eq!(expected.1.len(), rows.len());
        prop_assert_eq!(read("\r"), expected);
    }
}

#[test]
fn a_file_in_another_encoding_is_refused_with_the_option_that_reads_it() {
    for text in [
        &b"name,town\nJos\xe9,M\xfcnchen\n"[..],
        b"{\"town\":\"K\xf6ln\"}\n",
        b"[{\"town\":\"K\xf6ln\"}]\n",
        b"[\n{\"town\":\"K\xf6ln\"}]\n",
    ] {
        let fixture = Fixture::new();
        let mut request = fixture.request(text);
        let refused = import(&fixture.collections, &request, &Progress::new()).unwrap_err();
        let what = refused.to_string();
        assert!(what.contains("--encoding Windows-1252"), "{what}");
        request.leniency.set(Nonstandard::BrokenText, true);
        let report = import(&fixture.collections, &request, &Progress::new()).unwrap();
        assert_eq!((report.imported, report.rejected), (1, 0), "{report:?}");
    }
}

#[test]
fn text_in_another_encoding_is_read() {
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let marked = [&b"\xff\xfe"[..], &wide("n,town\n1,Köln\n2,東京\n")].concat();
    for (name, text, expected) in [
        ("latin1", b"n,town\n1,K\xf6ln\n".to_vec(), &["Köln"][..]),
        ("latin1", b"[{\"town\":\"K\xf6ln\"},{\"town\":\"\xdf\"}]".to_vec(), &["Köln", "ß"]),
        ("shift_jis", b"{\"town\":\"\x93\x8c\x8b\x9e\"}\n".to_vec(), &["東京"]),
        ("utf-16", wide("n,town\n1,Köln\n2,東京\n"), &["Köln", "東京"]),
        // A byte order mark names the encoding.
        ("", marked, &["Köln", "東京"]),
    ] {
        for text in [gzip(&text), text] {
            let fixture = Fixture::new();
            let mut request = fixture.request(&text);
            request.encoding = TextEncoding::parse(name).ok();
            let report = import(&fixture.collections, &request, &Progress::new()).unwrap();
            assert_eq!(report.end, ImportEnd::Complete, "{name}: {report:?}");
            let documents = fixture.documents();
            let towns: Vec<_> = documents.iter().map(|it| it.get_str("town").unwrap()).collect();
            assert_eq!(towns, expected, "{name}");
        }
    }
}

#[test]
fn bytes_that_are_no_character_cost_their_row_and_a_wrong_encoding_is_refused() {
    let check = |name: &str, text: &[u8], replaces: bool| {
        let fixture = Fixture::new();
        let mut request = fixture.request(text);
        request.encoding = TextEncoding::parse(name).ok();
        request.leniency.set(Nonstandard::BrokenText, replaces);
        let report = import(&fixture.collections, &request, &Progress::new());
        report.map(|it| (it.imported, it.rejected)).map_err(|error| error.to_string())
    };
    let one = b"{\"a\":\"\x93\x8c\x8b\x9e\"}\n{\"a\":\"x\x81\"}\n";
    assert_eq!(check("shift_jis", one, false), Ok((1, 1)));
    assert_eq!(check("shift_jis", one, true), Ok((2, 0)));
    let wrong = check("euc-jp", b"a\nJos\xe9\nM\xfcller\n", false).unwrap_err();
    assert!(wrong.contains("is not EUC-JP; choose another encoding"), "{wrong}");
}

#[test]
fn an_import_of_decoded_text_resumes_where_it_stopped() {
    let text: String =
        (0..5_000).map(|n| format!("{{\"_id\":{n},\"a\":\"é東\"}}\n")).collect::<Vec<_>>().concat();
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let fixture = Fixture::new();
    let mut request = fixture.request(&wide);
    request.encoding = TextEncoding::parse("utf-16le").ok();
    let progress = Progress::new();
    progress.cancel_at(1_000);
    let report = import(&fixture.collections, &request, &progress).unwrap();
    let id = report.unfinished.expect("it was canceled");
    let resumed = resume_import(&fixture.collections, id, &Progress::new()).unwrap();
    assert_eq!(resumed.end, ImportEnd::Complete, "{resumed:?}");
    let documents = fixture.documents();
    assert_eq!(documents.len(), 5_000);
    assert!(documents.iter().all(|it| it.get_str("a").ok() == Some("é東")));
}
