//! The BSON and Extended JSON cases shared by MongoDB's drivers, from the copy in one of them.

use std::fs;

use mayfly_engine::value::{
    Layout, compare_documents,
    extjson::{Style, read_document, write_document},
    scan,
};
use serde_json::Value;

use super::installed;

/// A number without its type in `$date` is accepted on purpose: old dumps have it.
const READ_ALL_THE_SAME: [&str; 1] = ["Bad $date (number, not string or hash)"];

#[derive(Debug, Default, PartialEq)]
struct Cases {
    valid: u32,
    damaged: u32,
    refused: u32,
}

/// The failures, one line per case.
struct Findings(Vec<String>);

impl Findings {
    fn expect(&mut self, is_so: bool, what: impl FnOnce() -> String) {
        if !is_so {
            self.0.push(what());
        }
    }
}

#[test]
fn pymongo_brings_a_corpus_of_bson_that_is_read_as_drivers_read_it() {
    let mut cases = Cases::default();
    let mut findings = Findings(Vec::new());
    for entry in fs::read_dir(installed("corpus")).expect("the corpus") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let text = fs::read_to_string(&path).expect("a file of cases");
            file(&serde_json::from_str(&text).expect("JSON"), &mut cases, &mut findings);
        }
    }
    assert!(findings.0.is_empty(), "{}", findings.0.join("\n"));
    assert_eq!(cases, Cases { valid: 731, damaged: 75, refused: 180 });
}

fn file(file: &Value, cases: &mut Cases, findings: &mut Findings) {
    let about = text(file, "description").unwrap_or_default();
    let list = |name: &str| file.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    for case in list("valid") {
        valid(about, &case, findings);
        cases.valid += 1;
    }
    for case in list("decodeErrors") {
        let bytes = bytes(&case, "bson").expect("bytes");
        let is_refused = scan::check(&bytes).is_err();
        findings.expect(is_refused, || format!("{}: taken as BSON", name(about, &case)));
        cases.damaged += 1;
    }
    for case in list("parseErrors") {
        let given = text(&case, "string").expect("text");
        let is_decimal = text(file, "bson_type") == Some("0x13");
        let json = if is_decimal {
            serde_json::json!({ "d": { "$numberDecimal": given } }).to_string()
        } else {
            given.to_owned()
        };
        let is_expected =
            READ_ALL_THE_SAME.iter().any(|read| text(&case, "description") == Some(*read));
        let is_refused = read_document(&json).is_err();
        findings.expect(is_refused != is_expected, || {
            format!("{}: refused {is_refused}: {json}", name(about, &case))
        });
        cases.refused += 1;
    }
}

fn valid(about: &str, case: &Value, findings: &mut Findings) {
    let name = name(about, case);
    let canonical = text(case, "canonical_extjson").expect("text");
    let bytes_of_case = bytes(case, "canonical_bson").expect("bytes");
    let Ok(document) = scan::check(&bytes_of_case) else {
        findings.0.push(format!("{name}: refused as BSON"));
        return;
    };
    let written =
        [(Style::Canonical, Some(canonical)), (Style::Relaxed, text(case, "relaxed_extjson"))];
    for (style, expected) in written {
        let Some(expected) = expected else { continue };
        let ours = write_document(document, style, Layout::OneLine);
        findings.expect(value(&ours) == value(expected), || {
            format!("{name}: written {style:?} as {ours}, not {expected}")
        });
    }
    let ours = write_document(document, Style::Canonical, Layout::OneLine);
    let is_lossy = case.get("lossy").is_some();
    let given = [Some(ours.as_str()), Some(canonical), text(case, "degenerate_extjson")];
    for json in given.into_iter().flatten() {
        let read = read_document(json);
        let is_same = read.as_ref().is_ok_and(|read| read.as_bytes() == document.as_bytes());
        findings.expect(is_lossy || is_same, || format!("{name}: {json} is read as {read:?}"));
    }
    // Formats that leave out types keep the values.
    let ours = write_document(document, Style::Typed, Layout::OneLine);
    let is_equal =
        read_document(&ours).is_ok_and(|read| compare_documents(&read, document).is_eq());
    findings.expect(is_equal, || format!("{name}: {ours} has other values"));
    if let Some(degenerate) = bytes(case, "degenerate_bson") {
        let is_taken = scan::check(&degenerate).is_ok();
        findings.expect(is_taken, || format!("{name}: degenerate BSON is refused"));
    }
}

fn name(about: &str, case: &Value) -> String {
    format!("{about}, {}", text(case, "description").unwrap_or_default())
}

fn text<'c>(case: &'c Value, field: &str) -> Option<&'c str> {
    case.get(field).and_then(Value::as_str)
}

/// Two hex digits per byte.
fn bytes(case: &Value, field: &str) -> Option<Vec<u8>> {
    let digits = text(case, field)?;
    let pairs = (0..digits.len()).step_by(2).map(|at| digits.get(at..at + 2).expect("a pair"));
    Some(pairs.map(|pair| u8::from_str_radix(pair, 16).expect("a byte")).collect())
}

/// JSON with exponents in one notation.
fn value(json: &str) -> Value {
    fn one_way(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    if name == "$numberDouble" {
                        let text = value.as_str().expect("a double as text");
                        *value = text.to_lowercase().replace("e+", "e").into();
                    }
                    one_way(value);
                }
            }
            Value::Array(values) => values.iter_mut().for_each(one_way),
            _ => {}
        }
    }
    let mut value = serde_json::from_str(json).unwrap_or_else(|error| panic!("{error} in {json}"));
    one_way(&mut value);
    value
}
