//! Bytes that pass the scan of untrusted input can be read, compared, shown and stored.
#![no_main]

use std::cmp::Ordering;

use bson::Document;
use libfuzzer_sys::fuzz_target;
use mayfly_engine::value::{Path, compare_documents, scan};

fuzz_target!(|bytes: &[u8]| {
    let Ok(document) = scan::check(bytes) else { return };
    assert_eq!(document.as_bytes(), bytes);
    for element in document {
        let (name, _) = element.expect("a scanned document has sound elements");
        if let Ok(path) = Path::parse(name.as_str()) {
            path.index_values(document, &mut |_| {});
        }
    }
    Document::try_from(document).expect("a scanned document can be decoded");
    assert_eq!(compare_documents(document, document), Ordering::Equal);
});
