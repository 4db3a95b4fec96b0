//! Whole texts to BSON.

use bson::{
    Bson, RawDocumentBuf,
    raw::{RawBson, RawDocument},
};

use super::{
    error::{Fault, SourcePosition, TextError},
    parser::{Dialect, Parser, Work},
};

/// Reads one document; nothing but white space may follow.
pub(in crate::value) fn read_document(
    text: &str,
    dialect: Dialect,
    now_ms: Option<i64>,
) -> Result<RawDocumentBuf, TextError> {
    let mut work = Work { now_ms, ..Work::default() };
    let mut parser = Parser::new(text.as_bytes(), 0, dialect, &mut work);
    let done = parser.whole_document().and_then(|()| parser.end());
    let end = parser.at;
    done.and_then(|()| {
        RawDocumentBuf::from_bytes(work.out).map_err(|_| Fault::new(end, "this is not a document"))
    })
    .map_err(|fault| SourcePosition::START.error(text.as_bytes(), fault))
}

/// Reads one value; nothing but white space may follow.
pub(in crate::value) fn read_value(text: &str, dialect: Dialect) -> Result<Bson, TextError> {
    let mut work = Work::default();
    let mut parser = Parser::new(text.as_bytes(), 0, dialect, &mut work);
    let done = parser.whole_value().and_then(|()| parser.end());
    let end = parser.at;
    done.and_then(|()| {
        let document = RawDocument::from_bytes(&work.out).ok();
        let value = document.and_then(|document| document.get("").ok().flatten());
        value
            .and_then(|value| Bson::try_from(RawBson::from(value)).ok())
            .ok_or_else(|| Fault::new(end, "this is not a value"))
    })
    .map_err(|fault| SourcePosition::START.error(text.as_bytes(), fault))
}
