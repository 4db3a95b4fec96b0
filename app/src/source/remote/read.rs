//! Reading documents of a collection on a server.

use bson::{Bson, Document, RawDocumentBuf, doc};
use mayfly_engine::value::whole;

use super::asking::Asking;
use crate::job::due::TtlIndex;

/// Documents of a collection up to which each is looked at. Above that, a sample is.
const WHOLE_MAX: u64 = 10_000;

/// Documents in a sample. A share of a half is then right within two percent, nearly always.
const SAMPLE: i64 = 2_500;

/// How long a question of the window's own may take on the server.
pub(super) const OWN_TIME_MS: i64 = 2_000;

/// Documents of a collection, all or a sample.
pub(super) struct Scan {
    /// What was looked at: `_id` and the fields that rules look at.
    pub documents: Vec<RawDocumentBuf>,
    /// Documents of the collection; if these are not all, as far as its server knows.
    pub total: u64,
}

impl Scan {
    /// Documents of a sample; `None`: all were looked at.
    pub fn sample(&self) -> Option<u64> {
        let seen = self.documents.len() as u64;
        (seen < self.total).then_some(seen)
    }

    /// A count of these documents as one of all.
    pub fn scaled(&self, count: u64) -> u64 {
        let seen = self.documents.len() as u64;
        if seen == 0 || seen >= self.total {
            return count;
        }
        let scaled = u128::from(count) * u128::from(self.total) / u128::from(seen);
        u64::try_from(scaled).unwrap_or(u64::MAX)
    }
}

/// Whether a reply is one of success.
pub(super) fn is_ok(reply: &Document) -> bool {
    reply.get("ok").is_some_and(|ok| whole(ok).is_some_and(|ok| ok != 0))
}

/// The documents in the reply with a cursor.
pub(super) fn batch(reply: &Document) -> impl Iterator<Item = &Document> {
    let cursor = reply.get_document("cursor").ok();
    let found = cursor.and_then(|cursor| {
        cursor.get_array("firstBatch").or_else(|_| cursor.get_array("nextBatch")).ok()
    });
    found.into_iter().flatten().filter_map(Bson::as_document)
}

/// All documents that a command's cursor gives, at most `max`.
///
/// # Errors
/// The server's reply.
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
        let cursor = reply.get_document("cursor").ok();
        let id = cursor.and_then(|cursor| whole(cursor.get("id")?)).unwrap_or(0);
        if id == 0 {
            return Ok(found);
        }
        if found.len() as u64 >= max {
            let close = doc! { "killCursors": asking.collection, "cursors": [id] };
            asking.run(close);
            return Ok(found);
        }
        reply = asking.run(doc! { "getMore": id, "collection": asking.collection });
    }
}

/// What must be read of a document to tell what rules say of it; `None`: all of it, because a partial
/// filter may look at any field.
pub(super) fn projection(rules: &[TtlIndex]) -> Option<Document> {
    let mut fields = doc! { "_id": 1 };
    for rule in rules {
        if rule.partial().is_some() {
            return None;
        }
        // The whole top-level field: two paths in one collide.
        let top = rule.field.split('.').next().unwrap_or_default();
        fields.insert(top, 1);
    }
    Some(fields)
}

/// Looks at the documents of a collection, or at a sample of too many.
///
/// # Errors
/// The server's reply.
pub(super) fn scan(asking: &Asking<'_>, rules: &[TtlIndex]) -> Result<Scan, Document> {
    let counted = asking.run(doc! { "count": asking.collection });
    if !is_ok(&counted) {
        return Err(counted);
    }
    let total = counted.get("n").and_then(whole).and_then(|n| u64::try_from(n).ok()).unwrap_or(0);
    let fields = projection(rules);
    let is_whole = total <= WHOLE_MAX;
    let command = if is_whole {
        let mut find = doc! { "find": asking.collection, "filter": {}, "batchSize": 10_000 };
        find.extend(fields.map(|fields| ("projection".to_owned(), Bson::from(fields))));
        find
    } else {
        let mut pipeline = vec![doc! { "$sample": { "size": SAMPLE } }];
        pipeline.extend(fields.map(|fields| doc! { "$project": fields }));
        doc! {
            "aggregate": asking.collection, "pipeline": pipeline, "cursor": { "batchSize": SAMPLE },
            "maxTimeMS": OWN_TIME_MS,
        }
    };
    let found = all(asking, command, WHOLE_MAX * 2)?;
    let documents: Vec<_> =
        found.iter().filter_map(|found| RawDocumentBuf::try_from(found).ok()).collect();
    let total = if is_whole { documents.len() as u64 } else { total };
    Ok(Scan { documents, total })
}
