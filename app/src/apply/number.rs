//! Counts in replies.

use bson::Document;
use mayfly_engine::value::whole;

/// A count in a reply, whichever number type it has.
pub fn number(document: &Document, name: &str) -> Option<u64> {
    u64::try_from(document.get(name).and_then(whole)?).ok()
}
