//! The console's commands: batches within the server's bounds, and no cursor left open.

use super::transcript;

#[test]
fn large_batches_are_split() {
    transcript(
        r"
> const {run} = __host; const sent = []
> __host.run = (db, command) => { sent.push(command.documents.length); return {ok: 1, n: 1} }; 0
0
> db.c.insertMany(Array(100001).fill({_id: 1})).acknowledged
true
> sent
[ 100000, 1 ]
> sent.length = 0; db.c.insertMany(Array(40).fill({_id: 1, text: 'x'.repeat(1e6)})).acknowledged
true
> sent.every(count => count <= 48), sent.reduce((sum, count) => sum + count)
40
> sent.length > 1
true
"
        .trim_start(),
    );
}

#[test]
fn abandoned_cursors_are_closed() {
    transcript(
        r"
> db.c.insertMany(Array.from({length: 9}, (_, i) => ({_id: i}))).acknowledged
true
> for (let i = 0; i < 50; i++) db.c.find().batchSize(2).next(); 0
0
> let kept = db.c.find().batchSize(2); kept.next()
{ _id: 0 }
> db.serverStatus().metrics.cursor.open.total
Long('1')
> kept.itcount()
8
> db.serverStatus().metrics.cursor.open.total
Long('0')
> let closed = db.c.find().batchSize(2); closed.next()
{ _id: 0 }
> closed.close()
> db.serverStatus().metrics.cursor.open.total
Long('0')
"
        .trim_start(),
    );
}
