//! The values that paths reach, as tables.

use std::ops::ControlFlow;

use bson::raw::RawBsonRef;

use crate::value::{Layout, Path, PathError, extjson};

fn show(value: Option<RawBsonRef<'_>>) -> String {
    value.map_or("missing".to_owned(), |value| {
        extjson::write_value(value, extjson::Style::Relaxed, Layout::OneLine)
    })
}

fn index(path: &str, document: &str, expected: &[&str], multikey: bool) {
    let document = extjson::read_document(document).unwrap();
    let mut found = Vec::new();
    let path = Path::parse(path).unwrap();
    let met = path.index_values(&document, &mut |value| found.push(show(value)));
    assert_eq!(found, expected, "{path} in {document:?}");
    assert_eq!(met, multikey, "{path} in {document:?}");
}

fn matches(path: &str, document: &str, expected: &[&str]) {
    let document = extjson::read_document(document).unwrap();
    let mut found = Vec::new();
    let done = Path::parse_any(path).unwrap().match_values(&document, &mut |candidate| {
        let mark = if candidate.in_array { "*" } else { "" };
        found.push(format!("{mark}{}", show(candidate.value)));
        ControlFlow::<()>::Continue(())
    });
    assert_eq!(done, ControlFlow::Continue(()));
    assert_eq!(found, expected, "{path}");
}

const UNDEFINED: &str = r#"{"$undefined":true}"#;

#[test]
fn index_values() {
    index("a", r#"{"a":1}"#, &["1"], false);
    index("a", r#"{"b":1}"#, &["missing"], false);
    index("a", r#"{"a":null}"#, &["null"], false);
    index("a", r#"{"a":[1,2]}"#, &["1", "2"], true);
    index("a", r#"{"a":[]}"#, &[UNDEFINED], true);
    index("a", r#"{"a":[[1]]}"#, &["[1]"], true);
    index("a", r#"{"a":[[]]}"#, &["[]"], true);
    index("a.b", r#"{"a":{"b":1}}"#, &["1"], false);
    index("a.b", r#"{"a":5}"#, &["missing"], false);
    index("a.b", r#"{"a":{}}"#, &["missing"], false);
    index("a.b", r#"{"a":[{"b":1},{"b":[2,3]},{"c":4}]}"#, &["1", "2", "3", "missing"], true);
    index("a.b", r#"{"a":[[1,2]]}"#, &["missing"], true);
    index("a.b", r#"{"a":[[{"b":1}]]}"#, &["missing"], true);
    index("a.b", r#"{"a":[]}"#, &["missing"], true);
    index("a.b", r#"{"a":[1,{"b":2}]}"#, &["missing", "2"], true);
    index("a.0", r#"{"a":[7,8]}"#, &["7"], true);
    index("a.0", r#"{"a":{"0":7}}"#, &["7"], false);
    index("a.0", r#"{"a":[{"0":7}]}"#, &[r#"{"0":7}"#, "7"], true);
    index("a.1", r#"{"a":[{"1":7}]}"#, &["7"], true);
    index("a.0", r#"{"a":[[1,2],3]}"#, &["1", "2"], true);
    index("a.0.b", r#"{"a":[{"b":1},{"b":2}]}"#, &["1"], true);
    index("a.00", r#"{"a":[7]}"#, &["missing"], true);
}

#[test]
fn match_values() {
    matches("a", r#"{"a":1}"#, &["1"]);
    matches("a", r"{}", &["missing"]);
    matches("a", r#"{"a":[1,[2]]}"#, &["*1", "*[2]", "[1,[2]]"]);
    matches("a", r#"{"a":[]}"#, &["[]"]);
    matches("a.b", r#"{"a":5}"#, &["missing"]);
    matches("a.b", r#"{"a":[]}"#, &[]);
    matches("a.b", r#"{"a":[1,2]}"#, &[]);
    matches("a.b", r#"{"a":[{"b":1},{"c":1}]}"#, &["1", "missing"]);
    matches("a.b", r#"{"a":[{"b":[1]}]}"#, &["*1", "[1]"]);
    matches("a.b", r#"{"a":[[{"b":1}]]}"#, &[]);
    matches("a.0", r#"{"a":[7]}"#, &["7"]);
    matches("a.0", r#"{"a":[[1,2],3]}"#, &["[1,2]"]);
    matches("a.0.0", r#"{"a":[[1,2],3]}"#, &["1"]);
    matches("a.0.b", r#"{"a":[{"b":1}]}"#, &["1", "missing"]);
    matches("a.0.b", r#"{"a":[{"b":[1]}]}"#, &["*1", "[1]", "missing"]);
    matches("a.0.b", r#"{"a":[[{"b":1}]]}"#, &["1"]);
    matches("a.0.b", r#"{"a":[5]}"#, &[]);
    matches("", r#"{"":1}"#, &["1"]);
}

#[test]
fn plain_descent() {
    let get = |path: &str, document: &str| {
        let document = extjson::read_document(document).unwrap();
        show(Path::parse(path).unwrap().get(&document))
    };
    assert_eq!(get("a.b", r#"{"a":{"b":[1]}}"#), "[1]");
    assert_eq!(get("a.b", r#"{"a":[{"b":1}]}"#), "missing");
    assert_eq!(get("a.0", r#"{"a":{"0":1}}"#), "1");
}

#[test]
fn what_is_no_path() {
    let check = |text: &str, error| assert_eq!(Path::parse(text), Err(error), "{text:?}");
    check("", PathError::Empty);
    for text in [".", ".a", "a.", "a..b"] {
        check(text, PathError::EmptyPart);
    }
    check("a\0", PathError::NulByte);
    check(&["a"; 101].join("."), PathError::TooDeep);
    assert_eq!(Path::parse("a.0.b").unwrap().to_string(), "a.0.b");
}

#[test]
fn hostile_positions_end_in_time() {
    let document = format!("{{\"0\":{}1{}}}", "[{\"0\":".repeat(45), "}]".repeat(45));
    let document = extjson::read_document(&document).unwrap();
    let path = Path::parse(&["0"; 90].join(".")).unwrap();
    let mut visits = 0;
    path.index_values(&document, &mut |_| visits += 1);
    assert!(visits < 100_000, "{visits}");
}
