// Runs in mongosh and in `mayfly shell`, which must print the same.
const shown = (value) => { printjson(value); };
printjson(db.items.insertOne({_id: 1, name: "a", n: NumberInt(5), at: new Date(0)}));
printjson(db.items.insertMany([{_id: 2, n: 2.5}, {_id: 3, n: NumberLong(7), tags: ["x", "y"]}, {_id: 4, d: NumberDecimal("1.50")}]));
print(db.items.find().toArray());
printjson(db.items.updateOne({_id: 1}, {$set: {name: "b"}, $inc: {n: 1}}));
printjson(db.items.updateMany({}, {$set: {seen: true}}));
printjson(db.items.replaceOne({_id: 9}, {x: 1}, {upsert: true}));
printjson(db.items.deleteOne({_id: 9}));
printjson(db.items.findOneAndUpdate({_id: 2}, {$inc: {n: 1}}, {returnDocument: "after"}));
print(db.items.countDocuments({seen: true}), db.items.estimatedDocumentCount());
printjson(db.items.distinct("_id"));
db.items.find({}, {_id: 1, n: 1}).sort({_id: -1}).skip(1).limit(2).forEach(printjson);
print(db.items.find().sort({_id: 1}).map(d => d._id).toArray());
print(db.items.find({_id: 1}).hasNext(), db.items.find({_id: 77}).hasNext());
print(db.items.createIndex({n: 1}), db.items.createIndexes([{name: 1}, {at: -1}]));
printjson(db.items.getIndexes());
print(db.items.dropIndex("n_1"));
printjson(db.items.aggregate([{$group: {_id: "$seen", n: {$sum: 1}}}]).toArray());
for (const bad of [() => db.items.insertOne({_id: 1}), () => db.items.find({$bad: 1}).toArray(), () => db.items.createIndex({at: -1}, {expireAfterSeconds: -5}), () => db.items.updateOne({}, {a: 1}), () => db.runCommand({nope: 1}), () => db.items.insertOne(), () => db.items.find({a: {$in: 3}}).itcount()]) {
  try { printjson(bad()); } catch (error) { print(error.name, error.code, error.codeName, error.message); }
}
print(db.items.find({_id: 1}).explain().queryPlanner.winningPlan.stage);
print(ObjectId("65a000000000000000000001"), ISODate("2026-01-01T00:00:00Z"), NumberLong("9007199254740993"), NumberDecimal("1.50"), UUID("00112233-4455-6677-8899-aabbccddeeff"), BinData(0, "AQID"), Timestamp(1, 2), MinKey(), MaxKey(), /a/i, null, undefined, true, 1.5, "text");
print({a: ObjectId("65a000000000000000000001"), b: [ISODate("2026-01-01T00:00:00Z"), {c: NumberLong(5)}], d: undefined, e: null, f: [[]], g: {}});
print(EJSON.stringify({ a: NumberLong(5), at: ISODate("2026-01-01T00:00:00Z") }));
