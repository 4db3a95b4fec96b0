//! Documents out of streams, however they are cut.

use crate::value::extjson::{Documents, Form, Step};

/// The values of `a` in the documents found, reading `chunk` bytes more at a time.
fn read(bytes: &[u8], form: Form, chunk: usize) -> Result<Vec<i32>, String> {
    let mut documents = Documents::new(form);
    let mut found = Vec::new();
    let (mut start, mut end) = (0, 0);
    loop {
        let last = end == bytes.len();
        match documents.step(&bytes[start..end], last) {
            Ok(Step::Document { consumed }) => {
                found.push(documents.document().get_i32("a").unwrap_or(-1));
                start += consumed;
            }
            Ok(Step::End { consumed }) => {
                assert_eq!(start + consumed, bytes.len());
                assert_eq!(documents.count(), found.len() as u64);
                return Ok(found);
            }
            Ok(Step::NeedMore) => {
                assert!(!last, "more wanted at the end");
                end = (end + chunk).min(bytes.len());
            }
            Err(error) => return Err(error.to_string()),
        }
    }
}

fn check(text: &str, form: Form, expected: Result<&[i32], &str>) {
    for chunk in [1, 2, 3, 7, 1_000] {
        let found = read(text.as_bytes(), form, chunk);
        match (&found, expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{text:?} by {chunk}"),
            (Err(found), Err(hint)) => {
                assert!(found.contains(hint), "{text:?} by {chunk}: {found}");
            }
            _ => panic!("{text:?} by {chunk}: {found:?}"),
        }
    }
}

#[test]
fn streams() {
    let stream = |text, expected| check(text, Form::Stream, expected);
    stream("", Ok(&[]));
    stream(" \n", Ok(&[]));
    stream("{}", Ok(&[-1]));
    stream("{\"a\":1}\n{\"a\":2}\n", Ok(&[1, 2]));
    stream("{\"a\":1}\r\n\r\n{\"a\":2}", Ok(&[1, 2]));
    stream("\u{feff}{\"a\":1}{\"a\":2} {\n\"a\":\n3}", Ok(&[1, 2, 3]));
    stream("{\"a\":1,\"b\":\"é😀\\ud83d\\ude00\"}", Ok(&[1]));
    stream("{\"a\":12345,\"b\":99999999999999999999.5}", Ok(&[12345]));
    stream("{\"a\":1}\n{\"a\":2,}\n", Err("trailing comma; remove it (line 2, column 7)"));
    stream("{\"a\":1}\n{\"a\":tru}\n", Err("(line 2, column 6)"));
    stream("{\"a\":1}\n{\"a\":", Err("unexpected end of text"));
    stream("{\"a\":1} 5", Err("a document is expected here"));
    stream("[{\"a\":1}]", Err("not an array"));
}

#[test]
fn arrays() {
    let array = |text, expected| check(text, Form::Array, expected);
    array("[]", Ok(&[]));
    array("[ ]\n", Ok(&[]));
    array("[{\"a\":1},{\"a\":2}]\n", Ok(&[1, 2]));
    array(" [\n{\"a\":1}\n,\n{\"a\":2}\n]\n ", Ok(&[1, 2]));
    array("[{\"a\":1},]", Err("trailing comma"));
    array("[{\"a\":1} {\"a\":2}]", Err("comma or the closing bracket"));
    array("[{\"a\":1}", Err("unexpected end of text"));
    array("[1]", Err("a document is expected"));
    array("[] x", Err("unexpected text after"));
    array("{}", Err("an array is expected"));
    array("", Err("unexpected end of text"));
}

#[test]
fn bytes_that_are_no_text() {
    for (bytes, hint) in [
        (&b"\xff\xfe{\0}\0"[..], "UTF-16"),
        (b"\xfe\xff\0{\0}", "UTF-16"),
        (b"\x1f\x8b\x08\0", "gzip"),
        (b"{\"a\":\"\xc3\"}", "UTF-8"),
        (b"{\"a\":\"\xc3", "unexpected end of text"),
    ] {
        let error = read(bytes, Form::Stream, 1_000).unwrap_err();
        assert!(error.contains(hint), "{error}");
    }
}

#[test]
fn a_bad_line_can_be_skipped() {
    let text = b"{\"a\":1}\n{\"a\":oops}\n{\"a\":3}\n{\"a\":{\"$date\":5}}";
    let mut documents = Documents::new(Form::Stream);
    let Ok(Step::Document { consumed: first }) = documents.step(text, true) else { panic!() };
    assert!(documents.step(&text[first..], true).is_err());
    let skipped = "\n{\"a\":oops}\n".len();
    documents.skip(&text[first..first + skipped]);
    assert_eq!(&text[first + skipped..][..7], b"{\"a\":3}");
    let at = first + skipped;
    let Ok(Step::Document { consumed }) = documents.step(&text[at..], true) else { panic!() };
    assert_eq!(documents.document().get_i32("a").unwrap(), 3);
    assert_eq!(documents.tally().legacy_values, 0);
    assert!(matches!(documents.step(&text[at + consumed..], true), Ok(Step::Document { .. })));
    assert_eq!((documents.count(), documents.tally().legacy_values), (3, 1));
}

#[test]
fn dates_at_second_60_are_counted_in_whatever_chunks_they_come() {
    let text = br#"{"at":{"$date":"2016-12-31T23:59:60Z"}} {"at":{"$date":"2016-12-31T23:59:59Z"}}
        {"at":[{"$date":"2016-12-31T23:59:60.5+00:00"}]}"#;
    let mut documents = Documents::new(Form::Stream);
    let (mut start, mut end) = (0, 0);
    let mut found = 0;
    while end < text.len() {
        end += 1;
        match documents.step(&text[start..end], end == text.len()) {
            Ok(Step::Document { consumed }) => {
                found += 1;
                start += consumed;
            }
            Ok(Step::NeedMore) => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((found, documents.tally().leap_seconds), (3, 2));
    let sentences = documents.tally().sentences();
    assert_eq!(sentences, ["2 dates at second 60 were read as 59.999"]);
}

#[test]
fn lines_that_hold_one_document() {
    let check = |line: &str, expected: bool| {
        let mut documents = Documents::new(Form::Stream);
        assert_eq!(documents.line(line.as_bytes()), expected, "{line:?}");
        assert_eq!(documents.count(), u64::from(expected), "{line:?}");
        let a = documents.document().get_i32("a").ok();
        assert!(!expected || a == Some(1), "{line:?}");
        let is_old = expected && line.contains("$date");
        assert_eq!(documents.tally().legacy_values, u64::from(is_old), "{line:?}");
    };
    check("{\"a\":1}\n", true);
    check("{ \"a\" : 1 , \"b\":{\"$date\":5}} \r\n", true);
    check("{\"a\":1}", false);
    check(" {\"a\":1}\n", false);
    check("\u{feff}{\"a\":1}\n", false);
    check("{\"a\":1}{\"a\":2}\n", false);
    check("{\"a\":1} 5\n", false);
    check("{\"b\":{\"$date\":5},\"a\":}\n", false);
    check("{\"a\":1\n", false);
    check("\n", false);
    check("", false);
    let mut array = Documents::new(Form::Array);
    assert!(!array.line(b"{\"a\":1}\n"));
    // The position is reported before the next step.
    let mut documents = Documents::new(Form::Stream);
    assert!(documents.line(b"{\"a\":1}\n"));
    documents.resume((2, 1, 8), false);
    let error = documents.step(b"{\"a\":tru}\n", true).unwrap_err();
    assert_eq!((error.line, error.column, error.offset), (2, 6, 13));
}
