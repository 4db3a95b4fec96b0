// Runs after the vendors' commands, in `mayfly shell` on a simulated clock.
const left = (what) => print(what, db.coll.countDocuments(), db.eventlog.countDocuments(), db.tickets.countDocuments());
const ago = (seconds) => ({ lastModifiedDate: new Date(Date.now() - seconds * 1000) });
db.eventlog.insertMany([ago(3540), ago(0)]);
db.tickets.insertMany([ago(40), ago(0)]);
left("at the start:");
clock.advance("11s"); reaper.pass();
left("after 10 s:");
clock.advance("10s"); reaper.pass();
left("after 20 s:");
clock.advance("40s"); reaper.pass();
left("after 60 s:");
