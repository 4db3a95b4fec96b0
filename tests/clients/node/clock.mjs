// Moves the server's simulated clock and waits until the TTL monitor has made a pass at the new time.

import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { Long } from "mongodb";

const PATIENCE_MS = 20_000;

async function passes(client) {
  return (await client.db("admin").command({ serverStatus: 1 })).metrics.ttl.passes;
}

async function move(client, change) {
  const before = await passes(client);
  await client.db("admin").command({ mayflyClock: 1, ...change });
  const until = performance.now() + PATIENCE_MS;
  while ((await passes(client)) === before) {
    assert(performance.now() < until, "the TTL monitor made no pass");
    await setTimeout(5);
  }
}

/** Advances time by this many seconds, at least one. */
export async function advance(client, seconds) {
  await move(client, { advanceMS: Long.fromNumber(seconds * 1000) });
}

/** Sets the server to the time of this program, from which a library computes when something expires. */
export async function startNow(client) {
  await client.db("admin").command({ setParameter: 1, ttlMonitorSleepSecs: 1 });
  await move(client, { set: new Date() });
}

/** The keys and periods of the TTL indexes of a collection. */
export async function ttlIndexes(collection) {
  const indexes = await collection.indexes();
  return indexes
    .filter(({ expireAfterSeconds }) => expireAfterSeconds !== undefined)
    .map(({ key, expireAfterSeconds }) => ({ key, expireAfterSeconds }));
}
