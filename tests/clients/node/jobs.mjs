// Jobs of Agenda: finished ones expire by an index on when they finished, and a repeated one continues.

import assert from "node:assert/strict";
import { once } from "node:events";
import { MongoBackend } from "@agendajs/mongo-backend";
import { Agenda } from "agenda";
import { MongoClient } from "mongodb";
import { advance, startNow, ttlIndexes } from "./clock.mjs";

const KEPT_SECS = 3600;
const client = new MongoClient(process.env.MAYFLY_URI);
const db = client.db("agenda");
const stored = db.collection("agendaJobs");
const agenda = new Agenda({ backend: new MongoBackend({ mongo: db }), processEvery: 20 });
const greeted = [];
agenda.define("greet", async ({ attrs }) => greeted.push(attrs.data.name));
agenda.define("print", async () => {
  throw new Error("out of paper");
});
agenda.define("tidy", async () => {});

try {
  await client.connect();
  await startNow(client);
  await agenda.start();
  await stored.createIndex(
    { lastFinishedAt: 1 },
    { expireAfterSeconds: KEPT_SECS, partialFilterExpression: { type: "normal" } },
  );
  const ttl = [{ key: { lastFinishedAt: 1 }, expireAfterSeconds: KEPT_SECS }];
  assert.deepEqual(await ttlIndexes(stored), ttl);

  const events = ["success:greet", "fail:print", "success:tidy"].map((name) => once(agenda, name));
  await agenda.now("greet", { name: "Ada" });
  await agenda.now("print", {});
  await agenda.every("1 hour", "tidy");
  await agenda.schedule(new Date(Date.now() + 86_400_000), "greet", { name: "Eve" });
  const [, [error]] = await Promise.all(events);
  assert.equal(error.message, "out of paper");
  assert.deepEqual(greeted, ["Ada"]);
  assert.equal((await agenda.queryJobs({ name: "greet" })).total, 2);
  const [failed] = (await agenda.queryJobs({ name: "print" })).jobs;
  assert.equal(failed.failReason, "out of paper");
  await agenda.stop();

  await advance(client, KEPT_SECS + 60);
  const { jobs } = await agenda.queryJobs();
  assert.deepEqual(jobs.map(({ name }) => name).sort(), ["greet", "tidy"]);
  assert.equal(jobs.find(({ name }) => name === "greet").data.name, "Eve");
  assert.equal(await agenda.cancel({ name: "greet" }), 1);
  console.log("Agenda: jobs run and expire");
} finally {
  await agenda.stop();
  await client.close();
}
// Agenda keeps a timer for each job that ran.
process.exit();
