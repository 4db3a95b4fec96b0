// Sessions of Express in connect-mongo: a session that expired is a new one at the next request.

import assert from "node:assert/strict";
import { once } from "node:events";
import MongoStore from "connect-mongo";
import express from "express";
import session from "express-session";
import { MongoClient } from "mongodb";
import { advance, startNow, ttlIndexes } from "./clock.mjs";

const TTL_SECS = 3600;
const client = new MongoClient(process.env.MAYFLY_URI);
const sessions = client.db("shop").collection("sessions");
const store = MongoStore.create({ client, dbName: "shop", ttl: TTL_SECS });
const app = express();
app.use(session({ secret: "a secret", resave: false, saveUninitialized: false, store }));
app.get("/", (request, response) => {
  request.session.views = (request.session.views ?? 0) + 1;
  response.json({ id: request.sessionID, views: request.session.views });
});
app.get("/leave", (request, response) => request.session.destroy(() => response.json({})));

/** A browser: it keeps its cookie, and returns the answer of a page. */
function browser(port) {
  let cookie = "";
  return async (path) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { cookie } });
    cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? cookie;
    assert.equal(response.status, 200);
    return response.json();
  };
}

async function check(port) {
  const open = browser(port);
  const first = await open("/");
  assert.equal(first.views, 1);
  assert.deepEqual(await open("/"), { id: first.id, views: 2 });
  assert.deepEqual(await ttlIndexes(sessions), [{ key: { expires: 1 }, expireAfterSeconds: 0 }]);
  const stored = await sessions.findOne({ _id: first.id });
  assert.equal(JSON.parse(stored.session).views, 2);
  await advance(client, TTL_SECS - 60);
  assert.deepEqual(await open("/"), { id: first.id, views: 3 });
  // The request extended the session by the time of this program, on which only seconds passed.
  await advance(client, 120);
  assert.equal(await sessions.countDocuments(), 0);
  const next = await open("/");
  assert.equal(next.views, 1);
  assert.notEqual(next.id, first.id);
  await open("/leave");
  assert.equal(await sessions.countDocuments(), 0);
}

const server = app.listen(0, "127.0.0.1");
try {
  await once(server, "listening");
  await startNow(client);
  await check(server.address().port);
  console.log("connect-mongo: sessions hold and expire");
} finally {
  server.close();
  server.closeAllConnections();
  await client.close();
}
