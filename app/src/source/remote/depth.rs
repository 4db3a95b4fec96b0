//! Replies that are nested too deeply to be read.
//!
//! The driver decodes a reply, and this program walks it, by recursion: a reply of some kilobytes
//! would overflow a thread's stack, which ends the process. The driver has no hook before it decodes
//! one, so its threads have a large stack ([`DRIVER_STACKS`](crate::limits::DRIVER_STACKS)). What it
//! hands over is looked at here without recursion, on its thread, and a deep reply is dropped there
//! too, because that recurses as well.
//!
//! Two bounds of the driver remain. About 2 million levels in a greeting or an error overflow 4 GiB of
//! stack. And the reply to a command is copied once for each level: 50,000 levels, 400 KB, take 10 GB
//! of memory.

use bson::{Bson, Document, RawBsonRef, RawDocument};
use mongodb::error::Error;

use super::{failure, said};
use crate::limits::SERVER_LEVELS_MAX;

/// A reply as the other threads may have it: its messages can be shown, and a deep one is replaced
/// by an error. Call it on a thread of the driver.
///
/// # Errors
/// The driver's own.
pub fn bounded(reply: Result<Document, Error>) -> Result<Document, Error> {
    let mut reply = reply?;
    if is_deep_document(&reply) {
        return Ok(failure::too_deep());
    }
    said::make_showable(&mut reply);
    Ok(reply)
}

/// Whether a document has more than [`SERVER_LEVELS_MAX`] levels.
#[must_use]
pub fn is_deep_document(document: &Document) -> bool {
    enum Level<'a> {
        Document(bson::document::Iter<'a>),
        Array(std::slice::Iter<'a, Bson>),
    }
    let mut levels = vec![Level::Document(document.iter())];
    while let Some(level) = levels.last_mut() {
        let next = match level {
            Level::Document(fields) => fields.next().map(|(_, value)| value),
            Level::Array(values) => values.next(),
        };
        let inner = match next {
            None => {
                levels.pop();
                continue;
            }
            Some(Bson::Document(document)) => Level::Document(document.iter()),
            Some(Bson::Array(values)) => Level::Array(values.iter()),
            Some(Bson::JavaScriptCodeWithScope(code)) => Level::Document(code.scope.iter()),
            Some(_) => continue,
        };
        if levels.len() >= SERVER_LEVELS_MAX {
            return true;
        }
        levels.push(inner);
    }
    false
}

/// The same for a document's bytes. What can't be read doesn't count.
#[must_use]
pub fn is_deep(document: &RawDocument) -> bool {
    let mut levels = vec![document.iter()];
    while let Some(level) = levels.last_mut() {
        let inner = match level.next() {
            None | Some(Err(_)) => {
                levels.pop();
                continue;
            }
            Some(Ok((_, RawBsonRef::Document(document)))) => document.iter(),
            Some(Ok((_, RawBsonRef::Array(values)))) => {
                let Ok(values) = RawDocument::from_bytes(values.as_bytes()) else { continue };
                values.iter()
            }
            Some(Ok((_, RawBsonRef::JavaScriptCodeWithScope(code)))) => code.scope.iter(),
            Some(Ok(_)) => continue,
        };
        if levels.len() >= SERVER_LEVELS_MAX {
            return true;
        }
        levels.push(inner);
    }
    false
}

#[cfg(test)]
mod tests {
    use bson::{RawDocumentBuf, doc};

    use super::*;

    #[test]
    fn only_what_is_too_deep_is_refused() {
        for (levels, expected) in
            [(1, false), (SERVER_LEVELS_MAX, false), (SERVER_LEVELS_MAX + 1, true)]
        {
            let mut document = doc! { "a": 1 };
            for level in 1..levels {
                let wide = Bson::Array(vec![Bson::Null; 3]);
                let inner = Bson::Document(document);
                document = doc! { "wide": wide, "inner": inner };
                if level % 2 == 0 {
                    document.insert("last", 1);
                }
            }
            assert_eq!(is_deep_document(&document), expected, "{levels}");
            let raw = RawDocumentBuf::try_from(&document).expect("bytes");
            assert_eq!(is_deep(&raw), expected, "{levels}");
        }
        let arrays = (0..SERVER_LEVELS_MAX).fold(Bson::Null, |inner, _| Bson::Array(vec![inner]));
        assert!(is_deep_document(&doc! { "a": arrays }));
    }
}
