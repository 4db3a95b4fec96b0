// What Mayfly adds: `clock`, `reaper`, `verdict` and their like. Each is a call of a command.
(() => {
  "use strict";

  const { run, invalid } = __shell;
  const admin = (command) => run("admin", command);

  const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

  /** Milliseconds of a number of seconds, or of a text such as "90s" or "5m". */
  const millis = (duration, method) => {
    const found = /^\s*([+-]?\d+(?:\.\d+)?)\s*(ms|s|m|h|d)\s*$/.exec(String(duration));
    const ms = found ? Number(found[1]) * UNIT_MS[found[2]] : Number(duration) * 1000;
    if (duration === "" || !Number.isFinite(ms)) {
      throw invalid(`${method}: expected seconds or a duration such as "90s", "5m", "2h" or "3d"`);
    }
    return Math.round(ms);
  };

  const long = (number) => Long.fromString(String(number));
  const read = (changes = {}) => admin({ mayflyClock: 1, ...changes });
  const nowMs = () => read().now.getTime();
  const status = () => admin({ serverStatus: 1 }).mayfly.reaper;

  /** When the next pass begins or began, in milliseconds since 1970; `Infinity` if the monitor is off. */
  const nextPassMs = () => {
    const { enabled, nextPass } = status();
    return enabled && nextPass ? nextPass.getTime() : Infinity;
  };

  /** Traffic by its name: what is called every how many milliseconds. */
  const flows = new Map();
  const CALLS_PER_SECOND_MAX = 200;
  /** Documents in the collections that a flow writes to. */
  const FLOW_DOCUMENTS_MAX = 5000;

  const written = (database, command) => {
    if (Array.isArray(command.nsInfo)) {
      return command.nsInfo.map(({ ns }) => [ns.split(".", 1)[0], ns.slice(ns.indexOf(".") + 1)]);
    }
    const name = command.insert ?? command.update ?? command.findAndModify;
    return typeof name === "string" ? [[database, name]] : [];
  };

  /** Calls once, and notes to which collections the call writes. */
  const callFlow = (flow, index) => {
    const send = __host.run;
    __host.run = (database, command) => {
      for (const place of written(database, command)) flow.places.set(place.join("."), place);
      return send(database, command);
    };
    try {
      flow.call(index);
    } finally {
      __host.run = send;
    }
  };

  const isFull = (flow) => {
    let documents = 0;
    for (const [database, name] of flow.places.values()) {
      documents += Number(run(database, { count: name }).n);
    }
    return documents >= FLOW_DOCUMENTS_MAX;
  };

  const sayLeftOut = (merged, refused) => {
    if (merged > 0) {
      __host.print(
        `traffic: ${merged} calls were merged: at most ${CALLS_PER_SECOND_MAX} a second`,
      );
    }
    if (refused > 0) {
      __host.print(
        `traffic: ${refused} calls were left out: ` +
          `the collections have ${FLOW_DOCUMENTS_MAX} documents or more`,
      );
    }
  };

  /** Writes that wait for their instant: `{atMs, call}`. */
  const writes = [];
  const first = (items) => {
    let next = null;
    for (const item of items) if (next === null || item.atMs < next.atMs) next = item;
    return next;
  };
  const nextFlow = () => first(flows.values());

  /** How time passes. A lesson, whose store has no monitor thread, has another way. */
  const time = {
    callsPerSecond: CALLS_PER_SECOND_MAX,
    nextPassMs,
    /** Refused on a store with the system's clock. */
    check: () => read({ advanceMS: long(0) }),
    /** Moves the clock to this instant or to a pass before it; returns whether it is there. */
    advance(toMs) {
      if (nextPassMs() <= toMs) {
        read({ advanceTo: "pass" });
        return false;
      }
      const nowAt = nowMs();
      if (toMs > nowAt) read({ advanceMS: long(toMs - nowAt) });
      return true;
    },
    /** Something happened: a pass, a call of traffic, a write. */
    happened() {},
  };

  /** Lets time pass until `endMs`, with every pass, call of traffic and write on the way, in order. */
  const advanceTo = (endMs) => {
    const began = __shell.systemTime();
    let calls = 0;
    let merged = 0;
    let refused = 0;
    for (;;) {
      const flow = nextFlow();
      const write = first(writes);
      const eventMs = Math.min(flow?.atMs ?? Infinity, write?.atMs ?? Infinity);
      const isEnd = eventMs > endMs;
      const isThere = time.advance(isEnd ? endMs : eventMs, isEnd);
      if (!isThere) {
        time.happened();
        continue;
      }
      if (isEnd) break;
      if (write?.atMs === eventMs && flow?.atMs !== eventMs) {
        writes.splice(writes.indexOf(write), 1);
        write.call();
        time.happened();
        continue;
      }
      flow.atMs += flow.everyMs;
      const allowed = time.callsPerSecond * (1 + (__shell.systemTime() - began) / 1000);
      // A merged call counts, so that the next one says how many came before.
      const index = flow.count++;
      if (calls >= allowed) {
        merged++;
      } else if (isFull(flow)) {
        refused++;
      } else {
        calls++;
        callFlow(flow, index);
        time.happened();
      }
    }
    sayLeftOut(merged, refused);
  };

  globalThis.clock = {
    /** The store's time. */
    now: () => read().now,
    /** Time passes: every pass and all traffic on the way happen, in order. Returns the new time. */
    advance(duration) {
      const ms = millis(duration, "clock.advance");
      if (ms < 0) throw invalid("clock.advance: time does not go back; use clock.jump");
      time.check();
      advanceTo(nowMs() + ms);
      return read().now;
    },
    /** Sets the wall clock alone, as an operator does; nothing on the way happens. */
    jump(duration) {
      return read({ set: new Date(nowMs() + millis(duration, "clock.jump")) }).now;
    },
    rate: (factor) => read({ rate: Number(factor) }),
    pause: () => read({ paused: true }),
    resume: () => read({ paused: false }),
    /** What happens next, without moving: `{at, kind, ns, _id}`. */
    nextEvent() {
      const events = [];
      const passMs = time.nextPassMs();
      if (passMs !== Infinity) events.push({ at: new Date(passMs), kind: "pass" });
      const flow = nextFlow();
      if (flow !== null) events.push({ at: new Date(flow.atMs), kind: "traffic", name: flow.name });
      for (const { name } of admin({ listDatabases: 1, nameOnly: true }).databases) {
        const list = { listCollections: 1, nameOnly: true, cursor: { batchSize: 10_000 } };
        for (const found of run(name, list).cursor.firstBatch) {
          events.push(...thresholds(name, found));
        }
      }
      events.sort((a, b) => a.at - b.at);
      return events[0] ?? null;
    },
  };

  /** The first threshold of a collection that is to come. */
  const thresholds = (database, { name, type }) => {
    if (type === "view" || name.startsWith("system.")) return [];
    const { batch } = run(database, { mayflyExpiring: name, limit: 1000 });
    const next = batch.find((row) => row.state === "waiting");
    if (next === undefined) return [];
    return [{ at: next.threshold, kind: "threshold", ns: `${database}.${name}`, _id: next._id }];
  };

  const set = (parameter, value) => admin({ setParameter: 1, [parameter]: value });

  globalThis.reaper = {
    /** One full pass now. */
    pass: () => admin({ mayflyReap: 1 }),
    every(duration) {
      const seconds = millis(duration, "reaper.every") / 1000;
      return set("ttlMonitorSleepSecs", NumberInt(Math.max(1, Math.round(seconds))));
    },
    on: () => set("ttlMonitorEnabled", true),
    off: () => set("ttlMonitorEnabled", false),
    /** What the passes removed and left, minute by minute. */
    history: (options) => admin({ mayflyPasses: 1, ...options }).spans,
  };

  /** A collection as `db.coll`, or its name. */
  const place = (collection, method) => {
    if (typeof collection === "string") return [__shell.database(), collection];
    if (typeof collection?._name === "string" && typeof collection._db === "string") {
      return [collection._db, collection._name];
    }
    throw invalid(`${method}: expected a collection, such as db.coll or "coll"`);
  };

  const page = (method, fields) => (collection, options) => {
    const [database, name] = place(collection, method);
    return run(database, { mayflyTrash: name, ...fields, ...options }).batch;
  };

  globalThis.verdict = (collection, id) => {
    const [database, name] = place(collection, "verdict");
    return run(database, { mayflyVerdict: name, id });
  };
  globalThis.whatIf = (collection, index, seconds, options) => {
    const [database, name] = place(collection, "whatIf");
    const expireAfterSeconds = millis(seconds, "whatIf") / 1000;
    const by = typeof index === "string" ? { name: index } : { keyPattern: index };
    return run(database, { mayflyWhatIf: name, index: { ...by, expireAfterSeconds, ...options } });
  };
  globalThis.archive = page("archive", { archived: true, documents: true });
  globalThis.trash = page("trash", {});
  globalThis.held = () => admin({ mayflyHeld: 1 });

  /** The removed documents that the trash still has, oldest first. */
  globalThis.ledger = (collection, options) => {
    const [database, name] = place(collection, "ledger");
    const { batch, trash } = run(database, { mayflyTrash: name, ...options });
    if (Number(trash.secs) === 0) {
      throw invalid(
        "ledger: removed documents are not kept; " +
          "turn on the trash with db.adminCommand({setParameter: 1, mayflyTrashSecs: 3600})",
      );
    }
    return batch.reverse().map(({ _id, index, expired, removed, pass }) => ({
      _id,
      index,
      threshold: expired,
      removed,
      lagSeconds: (removed - expired) / 1000,
      pass,
    }));
  };

  /** Calls `call(i)` on the simulated clock, each `every`, while `clock.advance` lets time pass. */
  globalThis.traffic = (name, every, call) => {
    const everyMs = millis(every, "traffic");
    if (!(everyMs > 0) || typeof call !== "function") {
      throw invalid("traffic: expected a name, a duration and a function");
    }
    const atMs = nowMs() + everyMs;
    flows.set(name, { name, everyMs, atMs, call, count: 0, places: new Map() });
  };
  globalThis.traffic.stop = (name) => flows.delete(name);

  /** For other files: how time passes, and what they share. */
  __shell.timeline = Object.assign(time, { advanceTo, first, flows, millis, nextFlow, nowMs, place, writes });
})();
