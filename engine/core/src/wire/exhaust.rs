//! Cursors whose batches are sent without being asked for ("exhaust").

use bson::raw::RawDocument;

/// The cursor of a `getMore` that runs again at once: it succeeded, brought documents and left the
/// cursor open.
///
/// An empty batch ends the stream, as the protocol permits: a tailable cursor that waits for
/// nothing would fill the connection with them. The client then asks again.
pub fn open_cursor(command: &RawDocument, reply: &RawDocument) -> Option<i64> {
    let (name, _) = command.iter().next()?.ok()?;
    let is_ok = reply.get_f64("ok").is_ok_and(|ok| ok > 0.0);
    if name != "getMore" || !is_ok {
        return None;
    }
    let cursor = reply.get_document("cursor").ok()?;
    let is_empty = cursor.get_array("nextBatch").ok()?.is_empty();
    cursor.get_i64("id").ok().filter(|id| *id != 0 && !is_empty)
}

#[cfg(test)]
mod tests {
    use bson::rawdoc;

    use super::*;

    #[test]
    fn only_an_open_cursor_with_documents_goes_on() {
        let more = rawdoc! { "getMore": 7_i64, "collection": "c" };
        let reply = |id: i64, ok: f64, batch: bson::RawArrayBuf| {
            rawdoc! {
                "cursor": { "nextBatch": batch, "id": id, "ns": "d.c" }, "ok": ok,
            }
        };
        let some = || bson::RawArrayBuf::from_iter([1]);
        assert_eq!(open_cursor(&more, &reply(7, 1.0, some())), Some(7));
        assert_eq!(open_cursor(&more, &reply(0, 1.0, some())), None);
        assert_eq!(open_cursor(&more, &reply(7, 1.0, bson::RawArrayBuf::new())), None);
        assert_eq!(open_cursor(&more, &reply(7, 0.0, some())), None);
        assert_eq!(open_cursor(&more, &rawdoc! { "ok": 0.0, "code": 43 }), None);
        assert_eq!(open_cursor(&more, &rawdoc! { "ok": 1.0 }), None);
        let find = rawdoc! { "find": "c" };
        assert_eq!(open_cursor(&find, &reply(7, 1.0, some())), None);
    }
}
