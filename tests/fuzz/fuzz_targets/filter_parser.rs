//! Any document is a filter or is refused, and a filter accepts any document.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mayfly_engine::query::{Filter, Projection, Sort};
use mayfly_engine::value::{scan, shell};

fuzz_target!(|bytes: &[u8]| {
    let from_text = || shell::read_document(std::str::from_utf8(bytes).ok()?).ok();
    let owned = match scan::check(bytes) {
        Ok(document) => document.to_owned(),
        Err(_) => match from_text().map(|document| bson::RawDocumentBuf::try_from(&document)) {
            Some(Ok(document)) => document,
            _ => return,
        },
    };
    if let Ok(filter) = Filter::parse(&owned) {
        let _ = filter.matches(&owned);
    }
    if let Ok(Some(sort)) = Sort::parse(&owned) {
        let _ = sort.key(&owned);
    }
    let _ = Projection::parse(&owned);
});
