// Values of Keyv in @keyv/mongo: one that expired is not found, one without a TTL stays.

import assert from "node:assert/strict";
import KeyvMongo from "@keyv/mongo";
import Keyv from "keyv";
import { MongoClient } from "mongodb";
import { advance, startNow, ttlIndexes } from "./clock.mjs";

const client = new MongoClient(process.env.MAYFLY_URI);
const values = client.db("caches").collection("pages");
const store = new KeyvMongo({ url: process.env.MAYFLY_URI, db: "caches", collection: "pages" });
const cache = new Keyv({ store, namespace: "pages", throwOnErrors: true });

try {
  await startNow(client);
  await cache.set("short", { title: "gone in a minute" }, 60_000);
  await cache.set("long", { title: "gone in an hour" }, 3_600_000);
  await cache.set("kept", { title: "stays" });
  assert.deepEqual(await ttlIndexes(values), [{ key: { expiresAt: 1 }, expireAfterSeconds: 0 }]);
  assert.deepEqual(await cache.get("short"), { title: "gone in a minute" });

  await advance(client, 61);
  assert.equal(await cache.get("short"), undefined);
  assert.equal(await cache.has("short"), false);
  assert.deepEqual(await values.distinct("key"), ["pages:kept", "pages:long"]);
  await cache.set("short", { title: "again" }, 60_000);
  await advance(client, 3600);
  assert.deepEqual(await cache.get(["short", "long", "kept"]), [undefined, undefined, { title: "stays" }]);
  assert.equal(await cache.delete("kept"), true);
  assert.equal(await values.countDocuments(), 0);
  console.log("Keyv: values hold and expire");
} finally {
  await cache.disconnect();
  await client.close();
}
