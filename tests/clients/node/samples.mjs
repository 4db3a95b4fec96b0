// The samples of both vendors' documentation in the Node driver's own idiom, on the server's simulated clock.

import assert from "node:assert/strict";
import { Double, Int32, Long, MongoClient, MongoServerError } from "mongodb";
import driver from "mongodb/package.json" with { type: "json" };
import { advance } from "./clock.mjs";

const client = new MongoClient(process.env.MAYFLY_URI);
const admin = client.db("admin");

async function cosmos() {
  const coll = client.db("cosmos").collection("coll");
  assert.equal(await coll.createIndex({ _ts: 1 }, { expireAfterSeconds: 10 }), "_ts_1");
  await coll.insertOne({ id: 1, location: "Paris", ttl: new Double(20.0) });
  await coll.insertOne({ id: 1, location: "Paris", ttl: new Int32(20) });
  await coll.insertOne({ id: 1, location: "Paris", ttl: Long.fromNumber(20) });
  await coll.insertOne({ id: 1, location: "Paris", ttl: 20.5 });
  await coll.insertOne({ id: 1, location: "Paris", ttl: Long.fromString("2147483649") });
  assert.equal(await coll.countDocuments(), 5);
  assert((await coll.find().toArray()).every((document) => !("_ts" in document)));
  await advance(client, 9);
  assert.equal(await coll.countDocuments(), 5);
  await advance(client, 1);
  assert.equal(await coll.countDocuments(), 3);
  assert.equal(await coll.estimatedDocumentCount(), 3);
  await advance(client, 10);
  assert.equal(await coll.countDocuments(), 0);
  assert.equal(await coll.estimatedDocumentCount(), 0);
}

async function manual() {
  const db = client.db("manual");
  const { now } = await admin.command({ mayflyClock: 1 });
  const dates = [0, 2].map((hours) => ({ lastModifiedDate: new Date(now.getTime() - hours * 3_600_000) }));
  await db.collection("eventlog").insertMany(structuredClone(dates));
  await db.collection("eventlog").createIndex({ lastModifiedDate: 1 }, { expireAfterSeconds: 3600 });
  await advance(client, 1);
  assert.equal(await db.collection("eventlog").countDocuments(), 1);
  await db.collection("tickets").insertMany(structuredClone(dates));
  await db.collection("tickets").createIndex({ lastModifiedDate: 1 });
  const change = {
    collMod: "tickets",
    index: { keyPattern: { lastModifiedDate: 1 }, expireAfterSeconds: 100 },
  };
  assert.equal((await db.command(change)).expireAfterSeconds_new, 100);
  assert.equal((await db.command(change)).expireAfterSeconds_old, 100);
  await advance(client, 101);
  assert.equal(await db.collection("tickets").countDocuments(), 0);
}

async function everyday() {
  const things = client.db("everyday").collection("things");
  const many = Array.from({ length: 300 }, (_, n) => ({ _id: n, group: n % 3 }));
  assert.equal((await things.insertMany(many)).insertedCount, 300);
  assert.equal((await things.updateMany({ group: 1 }, { $inc: { n: 1 } })).modifiedCount, 100);
  assert.equal((await things.find({ group: 2 }, { batchSize: 7 }).toArray()).length, 100);
  assert.equal((await things.findOneAndDelete({ _id: 299 }))._id, 299);
  const groups = await things.aggregate([{ $sortByCount: "$group" }, { $sort: { _id: 1 } }]).toArray();
  assert.deepEqual(groups, [{ _id: 0, count: 100 }, { _id: 1, count: 100 }, { _id: 2, count: 99 }]);
  const wrote = await things.bulkWrite([
    { insertOne: { document: { _id: "a" } } },
    { updateOne: { filter: { _id: "a" }, update: [{ $set: { n: { $add: [1, 1] } } }] } },
    { deleteOne: { filter: { _id: 0 } } },
  ]);
  assert.deepEqual([wrote.insertedCount, wrote.modifiedCount, wrote.deletedCount], [1, 1, 1]);
  assert.equal((await things.findOne({ _id: "a" })).n, 2);
  await assert.rejects(things.insertOne({ _id: 1 }), (error) => error.code === 11000 && error.keyValue._id === 1);
  await assert.rejects(things.createIndex({ a: 1, b: 1 }, { expireAfterSeconds: 1 }), (error) => error.code === 67);
  await assert.rejects(client.db("everyday").command({ fly: 1 }), (error) => {
    return error instanceof MongoServerError && error.codeName === "CommandNotFound";
  });
  const session = client.startSession();
  session.startTransaction();
  // The driver wraps a standalone's error in its own message.
  await assert.rejects(things.insertOne({ x: 1 }, { session }), (error) => {
    return error.errorResponse.originalError.code === 20;
  });
  await session.abortTransaction().catch(() => {});
  await session.endSession();
  await things.drop();
}

async function collations() {
  const words = client.db("collations").collection("words");
  await words.insertMany(["Zebra", "äpfel", "APFEL", "apfel"].map((w, _id) => ({ _id, w })));
  const german = { locale: "de", strength: 1 };
  assert.equal((await words.find({ w: "Äpfel" }, { collation: german }).toArray()).length, 3);
  const sorted = await words.find().collation({ locale: "de" }).sort({ w: 1 }).toArray();
  assert.deepEqual(sorted.map(({ _id }) => _id), [3, 2, 1, 0]);
  const users = client.db("collations").collection("users");
  await users.createIndex({ name: 1 }, { unique: true, collation: { locale: "en", strength: 2 } });
  await users.insertOne({ name: "a" });
  await assert.rejects(users.insertOne({ name: "A" }), (error) => error.code === 11000);
}

async function bulk() {
  const done = await client.bulkWrite(
    [
      { name: "insertOne", namespace: "bulk.a", document: { _id: 1 } },
      { name: "insertOne", namespace: "bulk.b", document: { _id: 1, w: "x" } },
      { name: "updateOne", namespace: "bulk.a", filter: { _id: 2 }, update: { $set: { n: 1 } }, upsert: true },
      { name: "deleteMany", namespace: "bulk.b", filter: { w: "X" }, collation: { locale: "en", strength: 2 } },
    ],
    { verboseResults: true },
  );
  assert.deepEqual([done.insertedCount, done.upsertedCount, done.deletedCount], [2, 1, 1]);
  assert.equal(done.updateResults.get(2).upsertedId, 2);
  const again = [{ name: "insertOne", namespace: "bulk.a", document: { _id: 1 } }];
  await assert.rejects(client.bulkWrite(again), (error) => error.writeErrors.get(0).code === 11000);
}

try {
  const { version } = await admin.command({ buildInfo: 1 });
  assert.match(version, /^8\.2\./);
  await admin.command({ setParameter: 1, ttlMonitorSleepSecs: 1 });
  await cosmos();
  await manual();
  await everyday();
  await collations();
  await bulk();
  console.log(`Node driver ${driver.version}: samples and everyday work hold`);
} finally {
  await client.close();
}
