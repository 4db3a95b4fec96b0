//! Replies to commands, as documents.

use bson::{Bson, Document};
use mayfly_engine::value::whole;

/// Whether the command succeeded.
pub fn is_ok(reply: &Document) -> bool {
    match reply.get("ok") {
        Some(Bson::Boolean(ok)) => *ok,
        // A fraction isn't zero, though it has no whole part.
        Some(Bson::Double(ok)) => *ok != 0.0,
        ok => ok.and_then(whole).is_some_and(|ok| ok != 0),
    }
}

/// The message of a reply with `ok: 0`, with the name of its code.
pub fn sentence(reply: &Document) -> String {
    let message = reply.get_str("errmsg").unwrap_or("The store gave no reason");
    match reply.get_str("codeName") {
        Ok(name) if !name.is_empty() => format!("{message} ({name})"),
        _ => message.to_owned(),
    }
}

/// Why a store refused a command, in one sentence; `None` for a reply that went well.
pub fn refusal(reply: &Document) -> Option<String> {
    (!is_ok(reply)).then(|| sentence(reply))
}

/// The reply, if it went well.
///
/// # Errors
/// Why the store refused the command, in one sentence.
pub fn checked(reply: Document) -> Result<Document, String> {
    refusal(&reply).map_or(Ok(reply), Err)
}

/// A count in a reply, whichever number type it has.
pub fn number(document: &Document, name: &str) -> Option<u64> {
    u64::try_from(document.get(name).and_then(whole)?).ok()
}

/// The documents in a reply with a cursor, of its first batch or a further one.
pub fn batch(reply: &Document) -> impl Iterator<Item = &Document> {
    let cursor = reply.get_document("cursor").ok();
    let batch = cursor.and_then(|cursor| {
        cursor.get_array("firstBatch").or_else(|_| cursor.get_array("nextBatch")).ok()
    });
    batch.into_iter().flatten().filter_map(Bson::as_document)
}

/// The documents of a [`batch`].
pub fn documents(reply: &Document) -> Vec<Document> {
    batch(reply).cloned().collect()
}

/// The errors of the documents that a write refused.
pub fn write_errors(reply: &Document) -> impl Iterator<Item = &Document> {
    reply.get_array("writeErrors").into_iter().flatten().filter_map(Bson::as_document)
}

/// The cursor for the documents that follow; `None` if none do.
pub fn cursor(reply: &Document) -> Option<i64> {
    let id = reply.get_document("cursor").ok()?.get("id").and_then(whole)?;
    (id != 0).then_some(id)
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    #[test]
    fn a_batch_is_read_whichever_it_is_and_a_cursor_ends_at_zero() {
        let check = |reply: &Document, ids: &[i32], next: Option<i64>| {
            let found: Vec<_> = batch(reply).filter_map(|it| it.get_i32("_id").ok()).collect();
            assert_eq!((found.as_slice(), cursor(reply)), (ids, next), "{reply}");
        };
        let two = vec![doc! { "_id": 1 }, doc! { "_id": 2 }];
        check(&doc! { "cursor": { "id": 7_i64, "firstBatch": two.clone() } }, &[1, 2], Some(7));
        check(&doc! { "cursor": { "id": 0_i64, "nextBatch": two } }, &[1, 2], None);
        check(&doc! { "cursor": { "id": 7, "firstBatch": [] } }, &[], Some(7));
        check(&doc! { "ok": 0 }, &[], None);
    }

    #[test]
    fn success_has_any_type_of_number() {
        for ok in [Bson::Int32(1), Bson::Int64(1), Bson::Double(1.0), Bson::Boolean(true)] {
            assert!(is_ok(&doc! { "ok": &ok }), "{ok}");
        }
        assert!(!is_ok(&doc! { "ok": 0.0, "errmsg": "no" }) && !is_ok(&doc! {}));
    }
}
