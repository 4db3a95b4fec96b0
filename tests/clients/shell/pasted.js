db.coll.createIndex({"_ts":1}, {expireAfterSeconds: 10})
db.coll.insert({id:1, location: "Paris", ttl: 20.0})
db.coll.insert({id:1, location: "Paris", ttl: 20.5}) //TTL value contains non-zero decimal part.
db.coll.find()
db.tickets.createIndex({lastModifiedDate: 1})
db.eventlog.createIndex( { "lastModifiedDate": 1 }, { expireAfterSeconds: 3600 } )
db.runCommand({ "collMod": "tickets", "index": { "keyPattern": { "lastModifiedDate": 1 }, "expireAfterSeconds": 100 } })
1; 2
a = 3
let q = 4
let q = 5
q
show collections
use other
db
db.c.insertOne({_id: 1})
db.c.find({_id: 1})
({a: 1, b: [1, 2, {c: 3}]})
db.c.findOne({nope: 1})
[1, 2, 3].map(x => x * 2)
"text"
function f(x) {
  return x + 1
}
f(1)
if (true) {
  7
}
new Date(0)
null
undefined
