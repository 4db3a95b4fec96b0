//! Documents for the tables of the tests.

use bson::{Bson, Document, raw::RawDocumentBuf};

/// Extended JSON with unquoted names and single quotes.
pub(crate) fn doc(text: &str) -> Document {
    let names = regex::Regex::new(r"([{,]\s*)([A-Za-z_$][\w$]*)\s*:").expect("constant");
    let text = names.replace_all(&text.replace('\'', "\""), "$1\"$2\":").into_owned();
    let json: serde_json::Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    match Bson::try_from(json).unwrap_or_else(|error| panic!("{text}: {error}")) {
        Bson::Document(document) => document,
        other => panic!("not a document: {other}"),
    }
}

/// The same as raw BSON.
pub(crate) fn raw(text: &str) -> RawDocumentBuf {
    RawDocumentBuf::try_from(doc(text)).expect("plain document")
}
