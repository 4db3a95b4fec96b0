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

/// Reads one value after the other, with white space or a comma between two. There is at least one.
pub(in crate::value) fn read_values(
    text: &str,
    dialect: Dialect,
    now_ms: Option<i64>,
) -> Result<Vec<Bson>, TextError> {
    let mut work = Work { now_ms, ..Work::default() };
    let (bytes, mut values, mut at) = (text.as_bytes(), Vec::new(), 0);
    loop {
        let mut parser = Parser::new(bytes, at, dialect, &mut work);
        let is_over = parser.next_value(values.is_empty());
        at = parser.at;
        let value = is_over.and_then(|is_over| {
            let missing = || Fault::new(at, "this is not a value");
            if is_over { Ok(None) } else { value_of(&work.out).map(Some).ok_or_else(missing) }
        });
        match value.map_err(|fault| SourcePosition::START.error(bytes, fault))? {
            Some(value) => values.push(value),
            None => return Ok(values),
        }
    }
}

/// The value that [`Parser::whole_value`] wrote.
fn value_of(out: &[u8]) -> Option<Bson> {
    let value = RawDocument::from_bytes(out).ok()?.get("").ok().flatten()?;
    Bson::try_from(RawBson::from(value)).ok()
}

/// Reads one value; nothing but white space may follow.
pub(in crate::value) fn read_value(
    text: &str,
    dialect: Dialect,
    now_ms: Option<i64>,
) -> Result<Bson, TextError> {
    let mut work = Work { now_ms, ..Work::default() };
    let mut parser = Parser::new(text.as_bytes(), 0, dialect, &mut work);
    let done = parser.whole_value().and_then(|()| parser.end());
    let end = parser.at;
    done.and_then(|()| value_of(&work.out).ok_or_else(|| Fault::new(end, "this is not a value")))
        .map_err(|fault| SourcePosition::START.error(text.as_bytes(), fault))
}
