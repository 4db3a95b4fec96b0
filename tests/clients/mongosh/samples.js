// Runs after clock.js. cosmos.js and manual.js contain the vendors' commands word for word.

const here = process.env.MAYFLY_SAMPLES;
db.adminCommand({ setParameter: 1, ttlMonitorSleepSecs: 1 });

load(`${here}/cosmos.js`);
must(db.coll.countDocuments() === 5, `${db.coll.countDocuments()} of five documents are there`);
must(db.coll.getIndexes()[1].expireAfterSeconds === 10, "the index has its seconds");
must(db.coll.find().toArray().every((document) => !("_ts" in document)), "_ts is not seen");
advance(10);
must(db.coll.countDocuments() === 3, `${db.coll.countDocuments()} are left after 10 s`);
advance(10);
must(db.coll.countDocuments() === 0, `${db.coll.countDocuments()} are left after 20 s`);

const now = db.adminCommand({ mayflyClock: 1 }).now;
const dates = [0, 2].map((hours) => ({ lastModifiedDate: new Date(now.getTime() - hours * 3600000) }));
db.eventlog.insertMany(dates);
db.tickets.insertMany(dates.map(({ lastModifiedDate }) => ({ lastModifiedDate })));
db.tickets.createIndex({ lastModifiedDate: 1 });
load(`${here}/manual.js`);
must(db.tickets.getIndexes()[1].expireAfterSeconds === 100, "collMod made it a TTL index");
advance(1);
must(db.eventlog.countDocuments() === 1, "the old event is gone");
must(db.tickets.countDocuments() === 1, "the old ticket is gone");
advance(100);
must(db.tickets.countDocuments() === 0, "the other ticket is gone");

// Typical shell input.
must(db.version().startsWith("8.2."), db.version());
must(db.currentOp().ok === 1, "currentOp answers");
must(db.coll.stats().count === 0, "stats answers");
must(db.stats().collections >= 3, "db.stats answers");
must(db.getCollectionNames().includes("tickets"), "collections are listed");
must(db.adminCommand({ listDatabases: 1 }).databases.length > 0, "databases are listed");
must(db.tickets.find({ lastModifiedDate: { $lt: now } }).explain().queryPlanner.winningPlan !== undefined, "explain");
must(db.tickets.validate().valid === true, "validate answers");
must(db.coll.insertOne({ _id: 1, n: NumberDecimal("1.50") }).acknowledged, "insertOne");
must(db.coll.findOne({ _id: 1 }).n.toString() === "1.50", "a decimal keeps its zero");
must(db.coll.updateOne({ _id: 1 }, [{ $set: { m: { $add: ["$n", 1] } } }]).modifiedCount === 1, "pipeline update");
must(db.coll.aggregate([{ $project: { m: { $toString: "$m" } } }]).toArray()[0].m === "2.50", "aggregate");
must(db.setProfilingLevel(0).ok === 1, "profile");
must(db.serverStatus().version === db.version(), "serverStatus");
must(db.hello().isWritablePrimary === true, "hello");
must(db.hostInfo().ok === 1 && db.serverCmdLineOpts().ok === 1, "hostInfo and getCmdLineOpts");
must(db.coll.drop() === true, "drop");
must(db.eventlog.renameCollection("events").ok === 1, "renameCollection");
must(db.dropDatabase().ok === 1, "dropDatabase");
print(`mongosh ${version()}: samples and everyday work hold`);
