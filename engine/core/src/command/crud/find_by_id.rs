//! `find` of one document by its `_id`: the most frequent read of all, and the shortest way.
//! Whatever is unusual about a command leaves it to the way of all others.

use bson::raw::{RawBsonRef, RawDocument};

use crate::{
    catalog::CollectionMeta,
    command::core::{
        Answer, CommandError, Context, Request,
        cursor::batch_reply::{BatchName, BatchReply},
        field::COMMON,
    },
    plan::{ById, find_by_id},
    query::filter::is_equal,
    store::Reader,
    value::field::{Fields, field},
};

/// A `find` by `_id` alone.
#[derive(Clone, Copy)]
pub struct IdLookup<'r> {
    db: &'r str,
    collection: &'r str,
    id: RawBsonRef<'r>,
}

impl<'r> IdLookup<'r> {
    /// The `_id` of a `find` that asks for nothing else.
    pub fn read(request: &Request<'r>) -> Option<Self> {
        let mut id = None;
        let mut fields = Fields::of(request.document);
        for field in fields.by_ref().skip(1) {
            match (field.name, field.plain_value()) {
                (b"filter", Some(RawBsonRef::Document(filter))) if id.is_none() => {
                    id = Some(id_of(filter)?);
                }
                // A negative limit and a batch size of 0 have meanings of their own, so they take
                // the general way.
                (b"limit", Some(RawBsonRef::Int32(0..) | RawBsonRef::Int64(0..)))
                | (b"batchSize", Some(RawBsonRef::Int32(1..) | RawBsonRef::Int64(1..)))
                | (b"singleBatch", Some(RawBsonRef::Boolean(_))) => {}
                (name, _) if COMMON.iter().any(|field| field.name.as_bytes() == name) => {}
                _ => return None,
            }
        }
        let RawBsonRef::String(collection) = request.first().ok()? else { return None };
        // The fields ended early if the bytes are malformed; the general way has an error for that.
        let id = id.filter(|_| fields.is_at_end())?;
        Some(Self { db: request.db, collection, id })
    }

    /// The reply; `None` when the collection needs the way of all others.
    ///
    /// # Errors
    /// The operation was stopped, or the store failed.
    pub fn answer(self, context: &Context) -> Result<Option<Answer>, CommandError> {
        context.read(|reader, catalog| {
            // A name in the catalog is valid, so it needs no check.
            let found = catalog.collection_named(self.db, self.collection);
            found.map_or(Ok(None), |collection| self.reply(context, reader, collection))
        })
    }

    fn reply(
        self,
        context: &Context,
        reader: &Reader<'_>,
        collection: &CollectionMeta,
    ) -> Result<Option<Answer>, CommandError> {
        let ById::Looked(found) = find_by_id(reader, collection, self.id)? else { return Ok(None) };
        let ns = [self.db, ".", self.collection];
        let Some(stored) = found else {
            return Ok(Some(BatchReply::new(BatchName::First, 1).finish_of(0, &ns)));
        };
        let document = stored.document()?;
        let mut batch = BatchReply::with_room(BatchName::First, 1, document.as_bytes().len());
        let is_shown = !collection.hides_expired()
            // In such a database an overdue document doesn't exist for a read, not even by its
            // `_id`.
            || !collection.hides(document, stored.modified_ms, context.now_ms());
        // An index may only narrow: the document decides.
        if is_shown && field(document, "_id").is_some_and(|id| is_equal(id, self.id)) {
            batch.push(document);
            context.metrics.documents.returned.add(1);
        }
        Ok(Some(batch.finish_of(0, &ns)))
    }
}

/// The `_id` of a filter that has no other field. A document may hold operators, and null, arrays
/// and regular expressions match by rules of their own.
fn id_of(filter: &RawDocument) -> Option<RawBsonRef<'_>> {
    let mut fields = Fields::of(filter);
    if fields.next()?.name != b"_id" || !fields.is_at_end() {
        return None;
    }
    let id = field(filter, "_id")?;
    let is_plain = matches!(
        id,
        RawBsonRef::ObjectId(_)
            | RawBsonRef::String(_)
            | RawBsonRef::Int32(_)
            | RawBsonRef::Int64(_)
            | RawBsonRef::Double(_)
            | RawBsonRef::Decimal128(_)
            | RawBsonRef::Binary(_)
            | RawBsonRef::DateTime(_)
            | RawBsonRef::Boolean(_)
            | RawBsonRef::Timestamp(_)
    );
    is_plain.then_some(id)
}

#[cfg(test)]
mod tests {
    use bson::{Bson, Document, doc, raw::cstr, rawdoc};

    use crate::command::testing::Lab;
    use crate::value::shell;

    /// `_id`s that are equal to one another, nearly so, or not at all; more than can be stored.
    const IDS: [&str; 28] = [
        "1",
        "1.0",
        "NumberLong(1)",
        "NumberDecimal('1.0')",
        "2",
        "0",
        "-0.0",
        "NaN",
        "NumberDecimal('NaN')",
        "NumberLong('9007199254740993')",
        "9007199254740992",
        "'1'",
        "''",
        "'a\\u0000b'",
        "true",
        "false",
        "ISODate('2024-01-01')",
        "Timestamp(1, 2)",
        "ObjectId('65920080aabbccddeeff0011')",
        "BinData(0, 'AQI=')",
        "BinData(4, 'AAECAwQFBgcICQoLDA0ODw==')",
        "null",
        "{a: 1}",
        "{a: 1.0}",
        "{$gt: 0, $lt: 2}",
        "{$in: ['1', 'z']}",
        "[1]",
        "/^1/",
    ];

    fn document(text: &str) -> Document {
        shell::read_document(text).expect(text)
    }

    /// The result of a find by either way: the batch, or the error code.
    fn found(lab: &Lab, filter: &Document, rest: &str) -> (Option<String>, Option<i32>) {
        let mut find = doc! { "find": "c", "filter": filter.clone() };
        find.extend(document(rest));
        let reply = lab.run_document(&find);
        let batch = crate::command::testing::at(&reply, "cursor");
        // As text, in which NaN is NaN.
        (batch.as_ref().map(Bson::to_string), reply.get_i32("code").ok())
    }

    #[track_caller]
    fn check_all(lab: &Lab) {
        let long = format!("'{}'", "x".repeat(600));
        for id in IDS.iter().copied().chain([long.as_str()]) {
            let filter = document(&format!("{{_id: {id}}}"));
            let slow = found(lab, &filter, "{hint: {$natural: 1}}");
            assert!(slow.0.is_some() || slow.1.is_some(), "{id}");
            for rest in ["{}", "{limit: 1}", "{limit: 0, batchSize: 2}", "{singleBatch: true}"] {
                assert_eq!(found(lab, &filter, rest), slow, "{id} {rest}");
            }
        }
    }

    #[test]
    fn the_short_way_gives_what_the_long_way_gives() {
        let lab = Lab::new();
        check_all(&lab);
        let long = format!("'{}'", "x".repeat(600));
        for (number, id) in IDS.iter().copied().chain([long.as_str()]).enumerate() {
            let mut document = document(&format!("{{_id: {id}}}"));
            document.insert("n", i32::try_from(number).expect("few"));
            // Those that are equal to an earlier one, and those that can't be an `_id`, are
            // refused.
            lab.run_document(&doc! { "insert": "c", "documents": [document] });
        }
        lab.check("{count: 'c'}", "{n: 19}");
        check_all(&lab);
    }

    #[test]
    fn collections_of_all_kinds() {
        for options in
            ["capped: true, size: 100000", "clusteredIndex: {key: {_id: 1}, unique: true}"]
        {
            let lab = Lab::new();
            lab.ok(&format!("{{create: 'c', {options}}}"));
            lab.ok("{insert: 'c', documents: [{_id: 1}, {_id: 'x', a: 2}]}");
            check_all(&lab);
        }
        let lab = Lab::new();
        lab.ok("{insert: 'under', documents: [{_id: 1, a: 1}, {_id: 2, a: 2}]}");
        lab.ok("{create: 'c', viewOn: 'under', pipeline: [{$match: {a: 2}}]}");
        lab.check("{find: 'c', filter: {_id: 1}}", "{'cursor.firstBatch': []}");
        lab.check("{find: 'c', filter: {_id: 2}}", "{'cursor.firstBatch': [{_id: 2, a: 2}]}");
    }

    #[test]
    fn what_is_hidden_is_not_found() {
        let lab = Lab::new();
        lab.ok(
            "{createIndexes: 'c', indexes: [{key: {_ts: 1}, name: 'ts', expireAfterSeconds: 10}]}",
        );
        lab.ok("{insert: 'c', documents: [{_id: 1}, {_id: 2, ttl: 1000}]}");
        lab.engine.simulated_clock().expect("a clock").advance_ms(20_000);
        lab.check("{find: 'c', filter: {_id: 1}}", "{'cursor.firstBatch': []}");
        lab.check("{find: 'c', filter: {_id: 2}}", "{'cursor.firstBatch': [{_id: 2, ttl: 1000}]}");
    }

    #[test]
    fn refusals_are_those_of_every_find() {
        let lab = Lab::new();
        lab.ok("{insert: 'c', documents: [{_id: 1}]}");
        for (rest, code) in [
            ("limit: -1", 2),
            ("batchSize: -1", 2),
            ("batchSize: 'x'", 14),
            ("limit: 'x'", 14),
            ("singleBatch: 1", 14),
            ("unknown: 1", 40415),
            ("awaitData: true", 9),
            ("collation: {locale: 'xx'}", 2),
            ("readConcern: {level: 'linearizable'}", 123),
            ("maxTimeMS: -1", 2),
            ("hint: 'none'", 2),
            ("projection: {a: 1, b: 0}", 31254),
        ] {
            lab.check(
                &format!("{{find: 'c', filter: {{_id: 1}}, {rest}}}"),
                &format!("{{code: {code}}}"),
            );
        }
        lab.check("{find: 'c', filter: {_id: 1}, batchSize: 0}", "{'cursor.firstBatch': []}");
        lab.check("{find: 'c', filter: {_id: 1}, skip: 1}", "{'cursor.firstBatch': []}");
        let mut twice = rawdoc! { "find": "c", "filter": { "_id": 1 } };
        twice.append(cstr!("filter"), rawdoc! { "_id": 2 });
        let reply = lab.engine.run_raw("test", &twice);
        let reply = Document::try_from(reply).expect("a reply");
        assert_eq!(reply.get_i32("code").ok(), Some(40413), "{reply}");
        lab.check("{find: 'none', filter: {_id: 1}}", "{'cursor.firstBatch': [], 'cursor.id': 0}");
        lab.check("{find: '', filter: {_id: 1}}", "{code: 73}");
    }
}
