//! Extended JSON, as tables.

use crate::value::{
    Layout,
    extjson::{Style, read_document, read_value, write_document},
    scan,
};

/// The canonical text of the value in the field `v`.
fn canonical(value: &str) -> String {
    let document = read_document(&format!("{{\"v\":{value}}}"));
    let document = document.unwrap_or_else(|error| panic!("{value}: {error}"));
    let text = write_document(&document, Style::Canonical, Layout::OneLine);
    text.strip_prefix("{\"v\":").and_then(|text| text.strip_suffix('}')).unwrap().to_owned()
}

fn read(value: &str, expected: &str) {
    assert_eq!(canonical(value), expected, "{value}");
}

fn refuse(value: &str, hint: &str) {
    let error = read_document(&format!("{{\"v\":{value}}}")).map(drop).unwrap_err();
    assert!(error.message.contains(hint), "{value}: {error}");
    assert_eq!(error.line, 1);
}

fn written(value: &str, style: Style, expected: &str) {
    let document = read_document(&format!("{{\"v\":{value}}}")).unwrap();
    let text = write_document(&document, style, Layout::OneLine);
    assert_eq!(text, format!("{{\"v\":{expected}}}"));
}

#[test]
fn numbers() {
    read("0", r#"{"$numberInt":"0"}"#);
    read("-2147483648", r#"{"$numberInt":"-2147483648"}"#);
    read("2147483648", r#"{"$numberLong":"2147483648"}"#);
    read("9007199254740993", r#"{"$numberLong":"9007199254740993"}"#);
    read("9223372036854775807", r#"{"$numberLong":"9223372036854775807"}"#);
    read("-9223372036854775808", r#"{"$numberLong":"-9223372036854775808"}"#);
    read("1.0", r#"{"$numberDouble":"1.0"}"#);
    read("-0", r#"{"$numberDouble":"-0.0"}"#);
    read("-0.0", r#"{"$numberDouble":"-0.0"}"#);
    read("1e3", r#"{"$numberDouble":"1000.0"}"#);
    read("2.2250738585072011e-308", r#"{"$numberDouble":"2.225073858507201e-308"}"#);
    read(r#"{"$numberDouble":"-Infinity"}"#, r#"{"$numberDouble":"-Infinity"}"#);
    read(r#"{"$numberDecimal":"1.50"}"#, r#"{"$numberDecimal":"1.50"}"#);
    refuse("9223372036854775808", "$numberDecimal");
    refuse("18446744073709551616", "$numberDecimal");
    refuse("1e400", "out of range for a double");
    refuse("NaN", "$numberDouble");
    refuse("01", "not a number");
    refuse("1.", "not a number");
    refuse(".5", "unexpected character");
    refuse("+1", "unexpected character");
    refuse(r#"{"$numberDouble":"1e400"}"#, "$numberDouble holds");
    refuse(r#"{"$numberDouble":"nan"}"#, "$numberDouble holds");
    refuse(r#"{"$numberInt":"2147483648"}"#, "32-bit");
    refuse(r#"{"$numberInt":5}"#, "32-bit");
    refuse(r#"{"$numberLong":" 5"}"#, "64-bit");
    refuse(r#"{"$numberLong":"9223372036854775808"}"#, "64-bit");
    refuse(r#"{"$numberDecimal":"1E+7000"}"#, "34 digits");
    refuse(r#"{"$numberDecimal":"1..2"}"#, "34 digits");
    refuse(r#"{"$numberDecimal":"+-1"}"#, "34 digits");
    refuse(r#"{"$numberDecimal":""}"#, "34 digits");
}

#[test]
fn dates() {
    let ms = |ms: i64| format!("{{\"$date\":{{\"$numberLong\":\"{ms}\"}}}}");
    let date = |text: &str, expected: i64| {
        read(&format!("{{\"$date\":\"{text}\"}}"), &ms(expected));
    };
    date("1970-01-01T00:00:00Z", 0);
    date("1969-12-31T23:59:59.999Z", -1);
    date("2014-01-01T00:00:00.000-0500", 1_388_552_400_000);
    date("2014-01-01T00:00:00+05:30", 1_388_514_600_000);
    date("2026-01-02T03:04:05.123456789Z", 1_767_323_045_123);
    date("2016-12-31T23:59:60Z", 1_483_228_799_999);
    date("2024-02-29T00:00Z", 1_709_164_800_000);
    date("9999-12-31T23:59:59.999Z", 253_402_300_799_999);
    date("0001-01-01T00:00:00Z", -62_135_596_800_000);
    read(r#"{"$date":1388534400000}"#, &ms(1_388_534_400_000));
    for edge in [i64::MIN, -1, 0, 1, 253_402_300_799_999, 253_402_300_800_000, i64::MAX] {
        read(&ms(edge), &ms(edge));
    }
    for bad in [
        "2026-13-01T00:00:00Z",
        "2026-02-30T00:00:00Z",
        "2023-02-29T00:00:00Z",
        "2026-01-01T00:00:00",
        "2026-01-01",
        "10000-01-01T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00Zx",
        "",
    ] {
        refuse(&format!("{{\"$date\":\"{bad}\"}}"), "$date holds");
    }
    refuse(r#"{"$date":1.5}"#, "$date holds");
    refuse(r#"{"$date":null}"#, "$date holds");
    written(&ms(1), Style::Relaxed, r#"{"$date":"1970-01-01T00:00:00.001Z"}"#);
    written(&ms(0), Style::Typed, r#"{"$date":"1970-01-01T00:00:00Z"}"#);
    written(&ms(-1), Style::Relaxed, &ms(-1));
    written(&ms(253_402_300_800_000), Style::Relaxed, &ms(253_402_300_800_000));
}

#[test]
fn wrappers() {
    let same = |text: &str| read(text, text);
    same(r#"{"$oid":"0123456789abcdef01234567"}"#);
    same(r#"{"$binary":{"base64":"AAEC","subType":"80"}}"#);
    same(r#"{"$binary":{"base64":"AAEC","subType":"02"}}"#);
    same(r#"{"$regularExpression":{"pattern":"a\"","options":"im"}}"#);
    same(r#"{"$timestamp":{"t":4294967295,"i":0}}"#);
    same(r#"{"$code":"f()"}"#);
    same(r#"{"$code":"f()","$scope":{"a":{"$oid":"0123456789abcdef01234567"}}}"#);
    same(r#"{"$symbol":"s"}"#);
    same(r#"{"$minKey":1}"#);
    same(r#"{"$maxKey":1}"#);
    same(r#"{"$undefined":true}"#);
    same(r#"{"$dbPointer":{"$ref":"d.c","$id":{"$oid":"0123456789abcdef01234567"}}}"#);
    same(r#"{"$ref":"c","$id":{"$oid":"0123456789abcdef01234567"},"$db":"d","x":true}"#);
    same(r#"{"$ref":"c"}"#);
    same(r#"{"$regex":"a","$options":"i"}"#);
    same(r#"{"$unknown":"a"}"#);
    same(r#"{"a":"b","$oid":"x"}"#);
    let code = r#"{"$code":"f","$scope":{}}"#;
    read(r#"{"$scope":{},"$code":"f"}"#, code);
    read(
        r#"{ "$binary" : { "subType":"0", "base64":"AA==" } }"#,
        r#"{"$binary":{"base64":"AA==","subType":"00"}}"#,
    );
    read(r#"{"$binary":"AA==","$type":"05"}"#, r#"{"$binary":{"base64":"AA==","subType":"05"}}"#);
    read(
        r#"{"$uuid":"00112233-4455-6677-8899-aabbccddeeff"}"#,
        r#"{"$binary":{"base64":"ABEiM0RVZneImaq7zN3u/w==","subType":"04"}}"#,
    );
    read(
        r#"{"$regularExpression":{"options":"mi","pattern":"a"}}"#,
        r#"{"$regularExpression":{"pattern":"a","options":"im"}}"#,
    );
    read(
        r#"{"$regularExpression":{"pattern":"a","options":"ΗxΑ\""}}"#,
        r#"{"$regularExpression":{"pattern":"a","options":"\"xΑΗ"}}"#,
    );
    refuse(r#"{"$oid":"xyz"}"#, "24 hexadecimal");
    refuse(r#"{"$oid":"0123456789abcdef0123456"}"#, "24 hexadecimal");
    refuse(r#"{"$oid":"0123456789abcdef01234567","x":1}"#, "$oid must be the only field");
    refuse(r#"{"$oid":5}"#, "24 hexadecimal");
    refuse(r#"{"$date":{"$numberLong":"1"},"x":1}"#, "$date must be the only field");
    refuse(r#"{"$code":"f","$scope":{"a":{"$oid":"x"}}}"#, "24 hexadecimal");
    refuse(r#"{"$code":"f","x":1}"#, "next to $code");
    refuse(r#"{"$scope":{}}"#, "requires $code");
    refuse(r#"{"$binary":{"base64":"AA"}}"#, "$binary holds");
    refuse(r#"{"$binary":{"base64":"A","subType":"00"}}"#, "$binary holds");
    refuse(r#"{"$binary":{"base64":"AA==","subType":"00","x":1}}"#, "$binary holds");
    refuse(r#"{"$timestamp":{"t":-1,"i":0}}"#, "$timestamp holds");
    refuse(r#"{"$timestamp":{"t":1}}"#, "$timestamp holds");
    refuse(r#"{"$timestamp":{"t":1,"t":1}}"#, "$timestamp holds");
    refuse(r#"{"$minKey":2}"#, "$minKey holds");
    refuse(r#"{"$undefined":false}"#, "$undefined holds");
    refuse(r#"{"$regularExpression":{"pattern":"a\u0000","options":""}}"#, "NUL");
}

#[test]
fn wrappers_are_plain_fields_at_the_top() {
    let document = read_document(r#"{"$oid":"0123456789abcdef01234567"}"#).unwrap();
    assert_eq!(document.get_str("$oid").unwrap(), "0123456789abcdef01234567");
    assert!(read_value(r#"{"$oid":"0123456789abcdef01234567"}"#).unwrap().as_object_id().is_some());
}

#[test]
fn text() {
    read(r#""\u0041\n\"\\\/""#, r#""A\n\"\\/""#);
    read(r#""\ud83d\ude00""#, "\"😀\"");
    read(r#""\u0000""#, r#""\u0000""#);
    refuse(r#""\ud800""#, "half of a character");
    refuse(r#""\ud800\u0041""#, "half of a character");
    refuse(r#""\udc00""#, "half of a character");
    refuse(r#""\x41""#, "escape does not exist");
    refuse("\"a\nb\"", "unescaped newline");
    refuse("'a'", "double quotes");
}

#[test]
fn structure() {
    refuse("[1,]", "trailing comma");
    refuse("{\"a\":1,}", "trailing comma");
    refuse("[1 2]", "comma or the closing bracket");
    refuse("{\"a\" 1}", "colon");
    refuse("{a:1}", "double quotes");
    assert!(read_document("{\"v\":[").unwrap_err().message.contains("unexpected end of text"));
    refuse("1 / x", "comma or the closing brace");
    refuse("/* x */ 1", "comments");
    refuse(r#"{"a":1,"a":2}"#, "duplicate field \"a\"");
    refuse(r#"{"a\u0000":1}"#, "NUL");
    read(
        r#"{"":1,"a.b":2,"$x":3}"#,
        r#"{"":{"$numberInt":"1"},"a.b":{"$numberInt":"2"},"$x":{"$numberInt":"3"}}"#,
    );
    let many: Vec<_> = (0..200).map(|n| format!("\"f{n}\":1")).collect();
    refuse(&format!("{{{},\"f7\":1}}", many.join(",")), "duplicate field \"f7\"");
    assert!(read_document(&format!("{{{}}}", many.join(","))).is_ok());
    for top in ["", " ", "1", "\"a\"", "[]", "null", "{}{}", "{} x"] {
        assert!(read_document(top).is_err(), "{top}");
    }
    let deep =
        |levels: usize| format!("{{\"a\":{}1{}}}", "[".repeat(levels - 1), "]".repeat(levels - 1));
    assert!(read_document(&deep(100)).is_ok());
    assert!(read_document(&deep(101)).unwrap_err().message.contains("100 levels"));
    assert!(read_document(&deep(100_000)).is_err());
    let scopes = r#"{"$scope":"#.repeat(1_000);
    assert!(read_value(&scopes).is_err());
}

#[test]
fn errors_have_a_place() {
    let error = read_document("{\n  \"é\": tru\n}").unwrap_err();
    assert_eq!((error.line, error.column, error.offset), (2, 8, 10));
    assert!(error.to_string().ends_with("(line 2, column 8)"), "{error}");
}

#[test]
fn styles() {
    let long = "9007199254740993";
    let wrapped = r#"{"$numberLong":"9007199254740993"}"#;
    written(long, Style::Typed, wrapped);
    written(long, Style::Relaxed, long);
    written("9007199254740992", Style::Typed, "9007199254740992");
    written(r#"{"$numberLong":"5"}"#, Style::Typed, "5");
    written("1.0", Style::Relaxed, "1.0");
    written("1e300", Style::Typed, "1e300");
    written(r#""\u007f\u0001""#, Style::Typed, r#""\u007f\u0001""#);
    // Also those after 7f, some of which control a terminal; their neighbors stay as they are.
    written(
        "\"\u{80}\u{9b}2J\u{9f}\u{a0}é\u{c2}\"",
        Style::Typed,
        "\"\\u0080\\u009b2J\\u009f\u{a0}é\u{c2}\"",
    );
    let document = read_document(r#"{"a":{"b":[1,{}]},"c":[]}"#).unwrap();
    let text = write_document(&document, Style::Typed, Layout::Indented);
    let expected = "{\n  \"a\": {\n    \"b\": [\n      1,\n      {}\n    ]\n  },\n  \"c\": []\n}";
    assert_eq!(text, expected);
}

#[test]
fn size_has_a_limit() {
    // Length, tag, name, text length, two NULs.
    let text = |bytes: usize| format!("{{\"a\":\"{}\"}}", "x".repeat(bytes - 13));
    assert_eq!(read_document(&text(16_777_216)).unwrap().as_bytes().len(), 16_777_216);
    assert!(read_document(&text(16_777_217)).unwrap_err().message.contains("larger"));
}

#[test]
fn a_wrapper_is_no_level() {
    // 99 levels above the innermost document, which holds the value.
    let around = |value: &str| format!("{}{value}{}", "{\"a\":".repeat(100), "}".repeat(100));
    for value in [
        r#"{"$date":"2026-01-31T12:00:00Z"}"#,
        r#"{"$oid":"0123456789abcdef01234567"}"#,
        r#"{"$numberLong":"1"}"#,
        r#"{"$binary":{"base64":"","subType":"00"}}"#,
        r#"{"$timestamp":{"t":1,"i":2}}"#,
    ] {
        let document = read_document(&around(value)).unwrap_or_else(|error| panic!("{error}"));
        let text = write_document(&document, Style::Canonical, Layout::OneLine);
        let again = read_document(&text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(again, document, "{value}");
    }
    for value in ["{}", "[]", r#"{"$code":"","$scope":{}}"#, r#"{"$scope":{},"$code":""}"#] {
        let error = read_document(&around(value)).unwrap_err();
        assert!(error.message.contains("100 levels"), "{value}: {error}");
    }
    // A scope is a document, so it is one level and no more.
    let around = |value: &str| format!("{}{value}{}", "{\"a\":".repeat(99), "}".repeat(99));
    for value in ["{}", r#"{"$code":"","$scope":{"b":1}}"#, r#"{"$scope":{},"$code":""}"#] {
        let document = read_document(&around(value)).unwrap_or_else(|error| panic!("{error}"));
        let met = scan::check_telling(document.as_bytes(), &scan::Limits::default()).unwrap().1;
        assert_eq!(met.levels, 100, "{value}");
    }
}
