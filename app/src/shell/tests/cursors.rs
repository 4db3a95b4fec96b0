//! Cursors.

use super::transcript;

#[test]
fn a_cursor_gives_its_documents_once() {
    transcript(
        r#"
> let made = db.c.insertMany(Array.from({length: 45}, (_, i) => ({_id: i, k: i % 3})))
> db.c.find({k: 1}).sort({_id: -1}).limit(2).map(d => d._id).toArray().join()
43,40
> [...db.c.find().skip(43)].length
2
> let cursor = db.c.find({_id: {$lt: 2}})
> cursor.next()._id
0
> cursor.hasNext()
true
> cursor.next()._id
1
> cursor.next()
null
> cursor.isExhausted()
true
> cursor.limit(1)
MongoCursorInUseError: Cursor is already initialized
> db.c.find().limit(3).size()
3
> db.c.aggregate([{$group: {_id: null, n: {$sum: 1}}}]).next().n
45
> db.c.find().limit('x')
MongoInvalidArgumentError: Operation "limit" requires an integer
> db.c.find({$bad: 1})
MongoServerError[BadValue]: unknown top level operator: $bad. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.
"#,
    );
}
