// Loaded first by the tests in mongosh: the simulated clock, and a check that stops the script.

function must(holds, what) {
  if (!holds) throw new Error(what);
}

function passes() {
  return Number(db.serverStatus().metrics.ttl.passes);
}

/** Advances time by this many seconds, at least one. Returns after the monitor's own pass at the new time. */
function advance(seconds) {
  const before = passes();
  db.adminCommand({ mayflyClock: 1, advanceMS: NumberLong(seconds * 1000) });
  for (let tries = 0; passes() === before; tries += 1) {
    must(tries < 4000, "the TTL monitor made no pass");
    sleep(5);
  }
}
