//! Extended JSON that was read is written so that it reads as the same bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mayfly_engine::value::{extjson, scan, shell};

fuzz_target!(|text: &str| {
    let _ = shell::read_document(text);
    let Ok(document) = extjson::read_document(text) else { return };
    scan::check(document.as_bytes()).expect("what was read is a sound document");
    let written =
        extjson::write_document(&document, extjson::Style::Canonical, extjson::Layout::OneLine);
    let again = extjson::read_document(&written)
        .unwrap_or_else(|error| panic!("{written} can't be read: {error}"));
    assert_eq!(again.as_bytes(), document.as_bytes(), "{written}");
});
