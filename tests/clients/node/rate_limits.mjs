// Limits of rate-limiter-flexible: a counter that expired starts over.

import assert from "node:assert/strict";
import { MongoClient } from "mongodb";
import { RateLimiterMongo } from "rate-limiter-flexible";
import { advance, startNow, ttlIndexes } from "./clock.mjs";

const client = new MongoClient(process.env.MAYFLY_URI);
const logins = client.db("limits").collection("logins");

try {
  await client.connect();
  await startNow(client);
  const limiter = new RateLimiterMongo({
    storeClient: client,
    dbName: "limits",
    tableName: "logins",
    points: 3,
    duration: 60,
  });
  await limiter.createIndexes();
  assert.deepEqual(await ttlIndexes(logins), [{ key: { expire: -1 }, expireAfterSeconds: 0 }]);

  // The first write of a key races with nineteen others: each is counted, and three pass.
  const asked = await Promise.allSettled(Array.from({ length: 20 }, () => limiter.consume("ada")));
  const passed = asked.filter(({ status }) => status === "fulfilled");
  assert.equal(passed.length, 3);
  assert(asked.every(({ status, reason }) => status === "fulfilled" || reason.msBeforeNext > 0));
  assert.equal((await limiter.get("ada")).consumedPoints, 20);
  await limiter.penalty("eve", 2);
  await limiter.reward("eve", 1);
  assert.equal((await limiter.consume("eve")).remainingPoints, 1);
  await limiter.block("mallory", 3600);
  assert.equal(await limiter.delete("eve"), true);
  assert.equal(await logins.countDocuments(), 2);

  await advance(client, 61);
  assert.deepEqual(await logins.distinct("key"), ["rlflx:mallory"]);
  assert.equal(await limiter.get("ada"), null);
  assert.equal((await limiter.consume("ada")).consumedPoints, 1);
  await assert.rejects(limiter.consume("mallory"), ({ msBeforeNext }) => msBeforeNext > 0);
  await advance(client, 3600);
  assert.equal((await limiter.consume("mallory")).remainingPoints, 2);
  console.log("rate-limiter-flexible: limits hold and expire");
} finally {
  await client.close();
}
