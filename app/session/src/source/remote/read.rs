//! Reading documents of a collection on a server.

use bson::{Bson, Document, RawDocumentBuf, doc};
use mayfly_engine::value::whole;

use super::asking::Asking;
use crate::job::due::TtlIndex;
use crate::job::reply::{batch, cursor, is_ok, number};

/// How long a question of the window's own may take on the server.
pub(super) const OWN_TIME_MS: i64 = 2_000;

/// `MaxTimeMSExpired`; other servers use it for their own limits, too.
const LATE: i64 = 50;

/// Whether a reply says that the time was over.
pub(super) fn is_late(reply: &Document) -> bool {
    reply.get("code").and_then(whole) == Some(LATE)
}

/// All documents that a command's cursor gives, at most `max`.
pub(super) fn all(
    asking: &Asking<'_>,
    command: Document,
    max: u64,
) -> Result<Vec<Document>, Document> {
    let mut found = Vec::new();
    let mut reply = asking.run(command);
    loop {
        if !is_ok(&reply) {
            return Err(reply);
        }
        found.extend(batch(&reply).cloned());
        let Some(id) = cursor(&reply) else { return Ok(found) };
        if found.len() as u64 >= max {
            let close = doc! { "killCursors": asking.collection, "cursors": [id] };
            asking.run(close);
            return Ok(found);
        }
        reply = asking.run(doc! { "getMore": id, "collection": asking.collection });
    }
}

/// The fields of a document that its rules' verdicts depend on. `None` for all of them.
pub(super) fn projection(rules: &[TtlIndex]) -> Option<Document> {
    let mut fields = doc! { "_id": 1 };
    for rule in rules {
        if rule.partial().is_some() {
            // A partial filter may look at any field.
            return None;
        }
        // The whole top-level field: two paths in one collide.
        let top = rule.field.split('.').next().unwrap_or_default();
        fields.insert(top, 1);
    }
    Some(fields)
}

/// The `n` of a reply.
pub(super) fn counted(reply: &Document) -> u64 {
    number(reply, "n").unwrap_or(0)
}

/// The documents of a collection; `None` where they are too many. What was read decides: a count may
/// be an old one.
pub(super) fn all_of_few(
    asking: &Asking<'_>,
    rules: &[TtlIndex],
) -> Result<Option<Vec<RawDocumentBuf>>, Document> {
    let max = asking.read_limits.whole_max;
    let limit = i64::try_from(max.saturating_add(1)).unwrap_or(i64::MAX);
    let many = asking.run(doc! {
        "count": asking.collection, "query": {}, "limit": limit, "maxTimeMS": OWN_TIME_MS,
    });
    if is_late(&many) || is_ok(&many) && counted(&many) > max {
        return Ok(None);
    }
    if !is_ok(&many) {
        return Err(many);
    }
    let mut find =
        doc! { "find": asking.collection, "filter": {}, "limit": limit, "batchSize": limit };
    find.extend(projection(rules).map(|fields| ("projection".to_owned(), Bson::from(fields))));
    let found = all(asking, find, max.saturating_add(1))?;
    Ok((found.len() as u64 <= max).then(|| raw(&found)))
}

/// The documents of one `$sample`.
pub(super) fn sample(
    asking: &Asking<'_>,
    rules: &[TtlIndex],
    size: u32,
) -> Result<Vec<RawDocumentBuf>, Document> {
    let mut pipeline = vec![doc! { "$sample": { "size": i64::from(size) } }];
    pipeline.extend(projection(rules).map(|fields| doc! { "$project": fields }));
    // A batch that may have more ends the cursor.
    let command = doc! {
        "aggregate": asking.collection, "pipeline": pipeline,
        "cursor": { "batchSize": i64::from(size) + 1 }, "maxTimeMS": OWN_TIME_MS,
    };
    Ok(raw(&all(asking, command, size.into())?))
}

/// Documents as they are compared with rules.
pub(super) fn raw(found: &[Document]) -> Vec<RawDocumentBuf> {
    found.iter().filter_map(|found| RawDocumentBuf::try_from(found).ok()).collect()
}
