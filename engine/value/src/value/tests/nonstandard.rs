//! Text that is refused by default, and how it is read on request.

use crate::value::{
    extjson::{
        Documents, Form, Layout, Leniency, Nonstandard, Step, Style, Tally, read_document,
        write_document,
    },
    shell,
    text::TextError,
    zone::Zone,
};

fn only(nonstandard: Nonstandard) -> Leniency {
    let mut leniency = Leniency::default();
    leniency.set(nonstandard, true);
    leniency
}

/// The canonical text of the only document, and what was met in it.
fn read(bytes: &[u8], leniency: Leniency) -> Result<(String, Tally), TextError> {
    let mut documents = Documents::new(Form::Stream).lenient(leniency);
    let found = documents.step(bytes, true)?;
    assert!(matches!(found, Step::Document { .. }), "{found:?}");
    let text = write_document(documents.document(), Style::Canonical, Layout::OneLine);
    // Documents on single lines have another reader.
    let mut lines = Documents::new(Form::Stream).lenient(leniency);
    assert!(lines.line(&[bytes, b"\n"].concat()));
    assert_eq!((lines.document(), lines.tally()), (documents.document(), documents.tally()));
    Ok((text, documents.tally()))
}

/// Every leniency but this one refuses the document; this one gives
/// `expected`, and the count.
fn check(bytes: impl AsRef<[u8]>, nonstandard: Nonstandard, expected: &str, count: u64) {
    let bytes = bytes.as_ref();
    let shown = String::from_utf8_lossy(bytes);
    let mut others = Leniency::default();
    for other in Nonstandard::ALL {
        others.set(other, other != nonstandard);
    }
    for leniency in [Leniency::default(), others] {
        assert_eq!(read(bytes, leniency).unwrap_err().nonstandard, Some(nonstandard), "{shown}");
    }
    let (text, tally) = read(bytes, only(nonstandard)).unwrap();
    assert_eq!(text, expected, "{shown}");
    let mut counted = Tally::NONE;
    counted.set(nonstandard, count);
    assert_eq!(tally, counted, "{shown}");
}

/// Refused whatever is asked for.
fn check_never(text: &str) {
    let mut all = Leniency::default();
    for nonstandard in Nonstandard::ALL {
        all.set(nonstandard, true);
    }
    let refused = read(text.as_bytes(), all).unwrap_err();
    assert_eq!(refused.nonstandard, None, "{text}: {refused}");
    assert_eq!(read(text.as_bytes(), Leniency::default()).unwrap_err(), refused, "{text}");
}

#[test]
fn the_last_of_fields_with_the_same_name_stays() {
    let check = |text: &str, expected: &str, count| {
        check(text, Nonstandard::DuplicateField, expected, count);
    };
    check(r#"{"a":"x","a":"y"}"#, r#"{"a":"y"}"#, 1);
    check(r#"{"a":"x","b":"","a":"y","c":"z"}"#, r#"{"b":"","a":"y","c":"z"}"#, 1);
    check(r#"{"a":"","a":"x","b":"","a":"y","b":"z"}"#, r#"{"a":"y","b":"z"}"#, 3);
    check(r#"{"_id":"x","a":"","_id":"y"}"#, r#"{"a":"","_id":"y"}"#, 1);
    check(r#"{"a":{"b":"x","c":"","b":"y"},"b":""}"#, r#"{"a":{"c":"","b":"y"},"b":""}"#, 1);
    check(
        r#"{"a":[{"b":"","b":{"c":"x","c":"y"}}],"d":""}"#,
        r#"{"a":[{"b":{"c":"y"}}],"d":""}"#,
        2,
    );
    check(r#"{"a":{"b":"","b":""},"a":{"b":"x"}}"#, r#"{"a":{"b":"x"}}"#, 2);
    check(
        r#"{"a":{"$code":"f","$scope":{"x":"","x":"y"}},"b":""}"#,
        r#"{"a":{"$code":"f","$scope":{"x":"y"}},"b":""}"#,
        1,
    );
    check(
        r#"{"a":{"$scope":{"x":"","x":"y"},"$code":"f"}}"#,
        r#"{"a":{"$code":"f","$scope":{"x":"y"}}}"#,
        1,
    );
    check(r#"{"a\u0062":"x","ab":"y"}"#, r#"{"ab":"y"}"#, 1);
    check_never(r#"{"a":{"$binary":{"base64":"","base64":""}}}"#);
}

#[test]
fn of_very_many_fields_with_the_same_names_the_last_ones_stay() {
    let fields = |value: &str| -> Vec<String> {
        (0..20_000).map(|name| format!(r#""f{name}":"{value}""#)).collect()
    };
    let twice = [fields("old"), fields("new"), vec![r#""one":"""#.to_owned()]].concat();
    let once = [fields("new"), vec![r#""one":"""#.to_owned()]].concat();
    let text = |fields: &[String]| format!("{{{}}}", fields.join(","));
    check(text(&twice), Nonstandard::DuplicateField, &text(&once), 20_000);
    let same = vec![r#""a":"""#.to_owned(); 50_000];
    check(text(&same), Nonstandard::DuplicateField, r#"{"a":""}"#, 49_999);
}

#[test]
fn whole_numbers_beyond_64_bits_are_doubles() {
    let check = |number: &str, expected: &str| {
        let expected = format!(r#"{{"a":[{{"$numberDouble":"{expected}"}}]}}"#);
        check(format!(r#"{{"a":[{number}]}}"#), Nonstandard::BigInteger, &expected, 1);
    };
    check("9223372036854775808", "9.223372036854776e18");
    check("-9223372036854775809", "-9.223372036854776e18");
    check("99999999999999999999", "1e20");
    for number in ["9223372036854775807", "-9223372036854775808"] {
        let (text, tally) =
            read(format!(r#"{{"a":{number}}}"#).as_bytes(), only(Nonstandard::BigInteger)).unwrap();
        let expected = format!(r#"{{"a":{{"$numberLong":"{number}"}}}}"#);
        assert_eq!((text, tally), (expected, Tally::NONE));
    }
    check_never(r#"{"a":{"$numberLong":"9223372036854775808"}}"#);
    check_never(r#"{"a":{"$date":9223372036854775808}}"#);
    check_never(r#"{"a":1e400}"#);
    check_never(&format!(r#"{{"a":{}}}"#, "9".repeat(400)));
}

#[test]
fn words_for_numbers_that_are_not_finite() {
    let check = |word: &str| {
        let expected = format!(r#"{{"a":{{"b":{{"$numberDouble":"{word}"}}}}}}"#);
        check(format!(r#"{{"a":{{"b":{word}}}}}"#), Nonstandard::NotFinite, &expected, 1);
    };
    check("NaN");
    check("Infinity");
    check("-Infinity");
    for word in ["nan", "-NaN", "+Infinity", "Infinity1", "-Inf", "inf", "undefined"] {
        check_never(&format!(r#"{{"a":{word}}}"#));
    }
    check_never(r#"{"a":{"$numberDouble":"nan"}}"#);
}

#[test]
fn dates_without_a_zone_are_read_in_the_chosen_one() {
    let in_zone = |zone: &str, date: &str, expected: &str| {
        let mut leniency = only(Nonstandard::NoZone);
        leniency.zone = Leniency::read_zone(zone).unwrap();
        let text = format!(r#"{{"a":[{{"$date":"{date}"}}]}}"#);
        let (found, tally) = read(text.as_bytes(), leniency).unwrap();
        let expected = read_document(&format!(r#"{{"a":[{{"$date":"{expected}"}}]}}"#)).unwrap();
        assert_eq!(found, write_document(&expected, Style::Canonical, Layout::OneLine), "{date}");
        assert_eq!(tally[Nonstandard::NoZone], u64::from(!date.ends_with('Z')), "{date}");
    };
    in_zone("UTC", "2026-01-31T12:00:00", "2026-01-31T12:00:00Z");
    in_zone("UTC", "2026-01-31", "2026-01-31T00:00:00Z");
    in_zone("+05:45", "2026-01-31T12:00:00.25", "2026-01-31T06:15:00.25Z");
    in_zone("-0330", "2026-01-31 23:00", "2026-02-01T02:30:00Z");
    in_zone("+05:45", "1969-12-31T23:59:59.999", "1969-12-31T18:14:59.999Z");
    in_zone("Europe/Berlin", "2026-01-31T12:00:00", "2026-01-31T11:00:00Z");
    in_zone("Europe/Berlin", "2026-07-31T12:00:00", "2026-07-31T10:00:00Z");
    in_zone("+05:45", "2026-01-31T12:00:00Z", "2026-01-31T12:00:00Z");
    check(
        r#"{"a":{"$date":"1970-01-01"}}"#,
        Nonstandard::NoZone,
        r#"{"a":{"$date":{"$numberLong":"0"}}}"#,
        1,
    );
    for wrong in ["2026-13-01", "2026-02-30T00:00", "2026-01-31T12", "yesterday", ""] {
        check_never(&format!(r#"{{"a":{{"$date":"{wrong}"}}}}"#));
    }
}

#[test]
fn zones_as_people_type_them() {
    let check = |text: &str, expected: Option<Zone>| {
        assert_eq!(Leniency::read_zone(text).ok(), expected, "{text}");
    };
    check(" UTC ", Some(Zone::UTC));
    check("+05:45", Some(Zone::Fixed(20_700)));
    check("-0330", Some(Zone::Fixed(-12_600)));
    check("+14", Some(Zone::Fixed(50_400)));
    check("Asia/Kathmandu", Zone::parse("Asia/Kathmandu"));
    for wrong in ["", "+5", "+05:75", "+0560", "+24:00", "-99", "Nowhere", "\u{e9}\u{e9}"] {
        check(wrong, None);
    }
}

#[test]
fn broken_text_is_replaced() {
    let check = |text: &[u8], expected: &str, count| {
        let bytes = [b"{\"a\":[\"", text, b"\"]}"].concat();
        check(bytes, Nonstandard::BrokenText, &format!("{{\"a\":[\"{expected}\"]}}"), count);
    };
    check(br"x\ud800y", "x\u{fffd}y", 1);
    check(br"\udc00", "\u{fffd}", 1);
    check(br"\ud800A", "\u{fffd}A", 1);
    check(br"\ud800\n", "\u{fffd}\\n", 1);
    check(br"\ud83d\ud83d\ude00", "\u{fffd}\u{1f600}", 1);
    check(br"\ud800\ud801", "\u{fffd}\u{fffd}", 2);
    check(b"a\xffb\xe2\x82c\xc3\xa9", "a\u{fffd}b\u{fffd}c\u{e9}", 2);
    check(b"\xff\\u0041\\ud800\xc3", "\u{fffd}A\u{fffd}\u{fffd}", 3);
    // Names too, and those that begin like a wrapper's.
    let name = b"{\"x\":{\"$\xff\":\"\"},\"\\ud800\":\"\"}";
    super::nonstandard::check(
        name,
        Nonstandard::BrokenText,
        "{\"x\":{\"$\u{fffd}\":\"\"},\"\u{fffd}\":\"\"}",
        2,
    );
    check_never(r#"{"a":"\ud8zz"}"#);
    check_never(r#"{"a":"\x41"}"#);
}

#[test]
fn what_was_met_in_a_document_that_is_refused_does_not_count() {
    let mut all = Leniency::default();
    for nonstandard in Nonstandard::ALL {
        all.set(nonstandard, true);
    }
    let odd = r#"{"a":NaN,"b":99999999999999999999,"c":"\ud800","d":{"$date":"2026-01-31"},"a":1"#;
    let mut documents = Documents::new(Form::Stream).lenient(all);
    documents.step(format!("{odd},\"e\":tru}}\n").as_bytes(), true).unwrap_err();
    assert!(!documents.line(format!("{odd},\"e\":tru}}\n").as_bytes()));
    for cut in 1..odd.len() {
        let found = documents.step(&odd.as_bytes()[..cut], false);
        assert!(matches!(found, Ok(Step::NeedMore)), "{cut}: {found:?}");
    }
    assert_eq!(documents.tally(), Tally::NONE);
    documents.step(format!("{odd}}}\n").as_bytes(), true).unwrap();
    assert_eq!(documents.tally().sentences().len(), Nonstandard::ALL.len());
}

#[test]
fn whoever_types_text_is_told_without_a_choice() {
    for text in [r#"{"a":1,"a":2}"#, r#"{"a":99999999999999999999}"#, r#"{"a":"\ud800"}"#] {
        assert!(read_document(text).is_err() && shell::read_document(text).is_err(), "{text}");
    }
}
