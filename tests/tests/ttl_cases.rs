//! Every case of `tests/cases` holds: what the documentation, sources and tests of MongoDB and
//! Cosmos DB say about TTL, run through the engine on a simulated clock.
//!
//! A case is one line of Extended JSON: `setup` commands, one `command`, and the expected reply.
//! Mayfly's own commands have shorthands: `$ttlPass`, `$clock`, `$dialect`, `$restart`.

#[path = "ttl_cases/expectation.rs"]
mod expectation;
#[path = "ttl_cases/runner.rs"]
mod runner;

use std::{collections::BTreeMap, fs, path::Path};

use bson::Document;
use mayfly_engine::value::extjson;

/// Known failures, each with its reason. The test fails when one of them passes.
const EXPECTED_FAILURES: &[(&str, &str)] = &[];

/// One line of a case file.
struct Case {
    id: String,
    document: Document,
    is_certain: bool,
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let mut files: Vec<_> = fs::read_dir(&folder)
        .expect("the folder of cases")
        .map(|entry| entry.expect("an entry of the folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no case files in {}", folder.display());
    files.iter().flat_map(|file| cases_of(file)).collect()
}

fn cases_of(file: &Path) -> Vec<Case> {
    let text = fs::read_to_string(file).expect("a readable case file");
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(number, line)| {
            let place = format!("{}:{}", file.display(), number + 1);
            let raw = extjson::read_document(line)
                .unwrap_or_else(|error| panic!("{place}: {}", error.message));
            let document =
                Document::try_from(raw).unwrap_or_else(|error| panic!("{place}: {error}"));
            let id = document.get_str("id").unwrap_or_else(|_| panic!("{place}: no id")).to_owned();
            let is_certain = document.get_str("confidence").ok() != Some("low");
            Case { id, document, is_certain }
        })
        .collect()
}

#[test]
fn all_cases_hold() {
    let expected: BTreeMap<&str, &str> = EXPECTED_FAILURES.iter().copied().collect();
    let mut wrong = Vec::new();
    let (mut held, mut uncertain, mut known) = (0, 0, 0);
    let cases = cases();
    for case in &cases {
        match (runner::run(&case.document), expected.get(case.id.as_str())) {
            (Ok(()), None) => held += 1,
            (Ok(()), Some(_)) => {
                wrong.push(format!("{}: holds, but is listed as failing", case.id));
            }
            (Err(_), Some(_)) => known += 1,
            (Err(reason), None) if case.is_certain => wrong.push(format!("{}: {reason}", case.id)),
            (Err(reason), None) => {
                uncertain += 1;
                println!("of low confidence and failing: {}: {reason}", case.id);
            }
        }
    }
    println!("{held} hold, {known} fail as listed, {uncertain} of low confidence fail");
    for id in expected.keys() {
        assert!(
            cases.iter().any(|case| case.id == *id),
            "{id} is listed, but there is no such case"
        );
    }
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}
