//! Reads and writes of collections.

use super::transcript;

#[test]
fn writes_report_what_they_did() {
    transcript(
        r"
> use shop
switched to db shop
> use shop
already on db shop
> db
shop
> db.a.b.c
shop.a.b.c
> db['na-me']
shop.na-me
> db.coll.insertOne({_id: 1, a: 1}).insertedId
1
> Object.keys(db.coll.insertMany([{_id: 2}, {_id: 3}]).insertedIds).length
2
> db.coll.updateOne({_id: 2}, {$set: {a: 5}}).modifiedCount
1
> db.coll.updateOne({_id: 2}, {a: 5})
MongoInvalidArgumentError: Update document requires atomic operators
> db.coll.updateOne({_id: 9}, {$set: {a: 5}}, {upsert: true}).insertedId
9
> db.coll.replaceOne({_id: 9}, {$set: {q: 1}})
MongoInvalidArgumentError: Replacement document must not contain atomic operators
> db.coll.findOneAndUpdate({_id: 2}, {$inc: {a: 1}}, {returnDocument: 'after'}).a
6
> db.coll.countDocuments({a: {$gt: 4}})
2
> db.coll.count()
DeprecationWarning: Collection.count() is deprecated. Use countDocuments or estimatedDocumentCount.
4
> db.coll.count()
4
> db.coll.deleteMany({a: 5}).deletedCount
1
> db.coll.distinct('a').length
2
",
    );
}

#[test]
fn errors_read_as_mongosh_prints_them() {
    transcript(
        r#"
> db.c.insertOne({_id: 1}).acknowledged
true
> db.c.insertOne({_id: 1})
MongoServerError: E11000 duplicate key error collection: test.c index: _id_ dup key: { _id: 1 }
> db.c.insertOne()
MongoshInvalidInputError: [COMMON-10001] Missing required argument at position 0 (Collection.insertOne)
> db.runCommand({nope: 1})
MongoServerError[CommandNotFound]: no such command: 'nope'
> db = 5
MongoshInvalidInputError: [COMMON-10002] Cannot reassign 'db' to non-Database type
> missing
ReferenceError: missing is not defined
> throw 5
Error: 5
> show foo
MongoshInvalidInputError: [COMMON-10001] 'foo' is not a valid argument for "show".
"#,
    );
}
