// What only lessons have: `T`, `play`, `at` and their like. The clock moves through `__host.call`.
(() => {
  "use strict";

  const { hide, invalid, timeline: time } = __shell;
  const { millis, place } = time;
  const ask = (name, argument = {}) => {
    state.reads++;
    return __host.call(name, argument);
  };
  const { startMs, seed, hasBoth, members } = __host.call("lesson", {});

  const state = {
    /** How often the engine was read. */
    reads: 0,
    reply: undefined,
    error: undefined,
    /** The member of the replica set that commands go to; `null`: the one that the window reads. */
    member: null,
    /** Expressions that are watched while time passes. */
    goal: null,
    /** Whether an expression or the traffic of the file runs, which the goal's rules don't bind. */
    isEvaluating: false,
  };

  // `xorshift128`, so that each run of a lesson gives the same numbers.
  const words = Uint32Array.from(seed);
  const nextWord = () => {
    const shifted = words[3] ^ (words[3] << 11);
    words.copyWithin(1, 0, 3);
    words[0] = words[1] ^ (words[1] >>> 19) ^ shifted ^ (shifted >>> 8);
    return words[0];
  };
  const hexWord = () => nextWord().toString(16).padStart(8, "0");
  hide(Math, { random: () => (nextWord() * 2 ** 21 + (nextWord() >>> 11)) / 2 ** 53 });
  const process = hexWord() + hexWord().slice(0, 2);
  let counter = nextWord() & 0xff_ffff;
  const hex = (number, digits) => (number >>> 0).toString(16).padStart(digits, "0").slice(-digits);
  __host.objectId = (seconds) => {
    counter = (counter + 1) & 0xff_ffff;
    return hex(seconds % 2 ** 32, 8) + process + hex(counter, 6);
  };
  __host.uuid = () => {
    const digits = [...(hexWord() + hexWord() + hexWord() + hexWord())];
    digits[12] = "4";
    digits[16] = "89ab"[Number.parseInt(digits[16], 16) & 3];
    return digits.join("");
  };

  const send = __host.run;
  __host.run = (database, command) => {
    state.reads++;
    if (state.member === null) return send(database, command);
    return __host.call("run", { member: state.member, database, command });
  };

  /** When the monitor wakes next, and whether it then runs a pass. */
  const schedule = () => __host.call("schedule", { member: state.member });
  Object.assign(time, {
    callsPerSecond: Infinity,
    nowMs: () => __host.now(),
    nextPassMs() {
      const { passMs, isOn } = schedule();
      return isOn ? passMs : Infinity;
    },
    check() {},
    advance(toMs, isEnd) {
      return __host.call("advance", { toMs, isEnd }).isThere;
    },
    happened() {
      __host.call("happened", {});
      watch();
    },
  });

  const unbound = (call) => {
    const before = state.isEvaluating;
    state.isEvaluating = true;
    try {
      return call();
    } finally {
      state.isEvaluating = before;
    }
  };
  /** The texts of expressions that failed, for their messages. */
  const failed = new WeakMap();
  const evaluate = (text) =>
    unbound(() => {
      try {
        return (0, eval)(text);
      } catch (thrown) {
        if (thrown instanceof Error && !failed.has(thrown)) failed.set(thrown, text);
        throw thrown;
      }
    });

  /** Looks whether the goal is reached or lost. */
  const watch = () => {
    if (state.goal === null || state.isEvaluating) return;
    const { when, fails } = state.goal;
    if (evaluate(`(${when}\n)`) === true) __host.call("reached", {});
    if (fails !== null && evaluate(`(${fails}\n)`) === true) __host.call("lost", {});
  };

  const startOf = (text, method) => startMs + millis(text, method);

  /** The next instant with this time of day, UTC. */
  const untilMs = (text) => {
    const found = /^(\d{1,2}):(\d{2}):(\d{2})(?:\.(\d{1,3}))?$/.exec(text);
    if (found === null) {
      throw invalid(`play: expected a time such as "until 12:05:00", got "until ${text}"`);
    }
    const [hours, minutes, seconds] = found.slice(1, 4).map(Number);
    const ofDay = ((hours * 60 + minutes) * 60 + seconds) * 1000;
    const ms = ofDay + Number((found[4] ?? "").padEnd(3, "0"));
    const day = 86_400_000;
    const now = __host.now();
    const today = Math.floor(now / day) * day + ms;
    return today > now ? today : today + day;
  };

  const nothing = (what) => invalid(`play: there is no next ${what}`);
  const thresholdMs = () => ask("threshold").atMs ?? Infinity;
  const goals = {
    "next pass"() {
      const passMs = time.nextPassMs();
      if (passMs === Infinity) throw invalid("play: no pass comes, because the monitor is off");
      return passMs;
    },
    "next threshold": thresholdMs,
    "next event": () =>
      Math.min(
        time.nextPassMs(),
        thresholdMs(),
        time.nextFlow()?.atMs ?? Infinity,
        time.first(time.writes)?.atMs ?? Infinity,
      ),
  };

  /** When `play(what)` ends. */
  const endOf = (what) => {
    const text = String(what).trim();
    if (Object.hasOwn(goals, text)) {
      const endMs = goals[text]();
      if (endMs === Infinity) throw nothing(text.slice(5));
      return endMs;
    }
    if (text.startsWith("until ")) return untilMs(text.slice(6).trim());
    if (/^[a-z]{2}/i.test(text)) {
      const words = [...Object.keys(goals), "until 12:05:00"].map((goal) => `"${goal}"`);
      throw invalid(`play: expected ${words.join(", ")} or a duration such as "90s", got "${text}"`);
    }
    return __host.now() + millis(text, "play");
  };

  const advanceTo = (endMs) => {
    __host.call("begin", { endMs });
    try {
      time.advanceTo(endMs);
    } finally {
      __host.call("end", {});
    }
    return new Date();
  };

  hide(globalThis, {
    T: (duration = "0s") => new Date(startOf(duration, "T")),
    play(what) {
      const endMs = endOf(what);
      if (endMs < __host.now()) throw invalid("play: time does not go back");
      advanceTo(endMs);
    },
    pass: () => reaper.pass(),
    at(duration, call) {
      const atMs = startOf(duration, "at");
      if (typeof call !== "function") throw invalid("at: expected a duration and a function");
      if (atMs < __host.now()) throw invalid(`at: ${duration} is over`);
      time.writes.push({ atMs, call });
    },
    visible(collection, id) {
      const [database, name] = place(collection, "visible");
      const command = { find: name, filter: { _id: { $eq: id } }, limit: 1, singleBatch: true };
      return __shell.run(database, command).cursor.firstBatch.length > 0;
    },
    stored(collection, id) {
      const [database, name] = place(collection, "stored");
      return ask("stored", { member: state.member, database, name, id }).isStored;
    },
    removedAfter(collection, id) {
      const [database, name] = place(collection, "removedAfter");
      return ask("removed", { member: state.member, database, name, id }).seconds;
    },
    ledger(collection, options) {
      const [database, name] = place(collection, "ledger");
      const { rows } = ask("ledger", { member: state.member, database, name });
      return options?.limit === undefined ? rows : rows.slice(-options.limit);
    },
    expect(condition, message = "a condition of the lesson does not hold") {
      if (condition) return;
      __host.call("unexpected", { message: String(message) });
      throw new Error(String(message));
    },
  });
  for (const name of ["reply", "error"]) {
    Object.defineProperty(globalThis, name, {
      configurable: true,
      get() {
        state.reads++;
        return state[name];
      },
    });
  }

  Object.assign(clock, {
    now: () => {
      state.reads++;
      const { member } = state;
      return new Date(member === null ? __host.now() : __host.call("memberTime", { member }).nowMs);
    },
    advance(duration) {
      const ms = millis(duration, "clock.advance");
      if (ms < 0) throw invalid("clock.advance: time does not go back; use clock.jump");
      return advanceTo(__host.now() + ms);
    },
    jump(duration) {
      __host.call("jump", { ms: millis(duration, "clock.jump"), member: state.member });
      return new Date();
    },
    rate: (factor) => ask("pace", { rate: Number(factor) }),
    pause: () => ask("pace", { isPaused: true }),
    resume: () => ask("pace", { isPaused: false }),
  });

  const { pass } = reaper;
  reaper.pass = () => {
    const report = pass();
    time.happened();
    return report;
  };

  /** Calls something on one member. */
  const onMember = (name, call) => {
    const before = state.member;
    state.member = name;
    try {
      return call();
    } finally {
      state.member = before;
    }
  };

  /** An object whose methods act on one member. */
  const ofMember = (name, target) =>
    new Proxy(target, {
      get(object, property) {
        const value = onMember(name, () => object[property]);
        return typeof property === "symbol" ? value : routed(name, value, object);
      },
    });
  const routed = (name, value, object) => {
    if (typeof value === "function") {
      return (...values) => routed(name, onMember(name, () => value.apply(object, values)));
    }
    const isShell = typeof value === "object" && value !== null && "_mongo" in value;
    const isOpen = typeof value?.toArray === "function" || typeof value?._db === "string";
    return isShell || isOpen ? ofMember(name, value) : value;
  };

  /** What can be done with a member. */
  const ACTS = ["stepDown", "stop", "start", "readFrom"];
  const act = (name, what) => {
    state.reads++;
    return __host.call("member", { name, what });
  };

  globalThis.member = (name) => {
    if (!members.includes(name)) {
      throw invalid(`member: there is no member ${name}; this lesson has ${members.join(", ") || "none"}`);
    }
    const methods = { archive, held, ledger, removedAfter, stored, trash, verdict, visible, whatIf };
    const made = Object.assign(
      { name, db: ofMember(name, db), clock: ofMember(name, clock), reaper: ofMember(name, reaper) },
      Object.fromEntries(
        Object.entries(methods).map(([method, call]) => [method, routed(name, call)]),
      ),
      Object.fromEntries(ACTS.map((what) => [what, () => act(name, what)])),
    );
    return Object.defineProperty(made, "state", { get: () => act(name, "state").state });
  };
  for (const what of ACTS) hide(globalThis, { [what]: (name) => act(name, what) });
  globalThis.replicationDelay = (duration) =>
    __host.call("replicationDelay", { ms: millis(duration, "replicationDelay") });

  const { show, failure } = __shell;
  __shell.show = (value) => {
    const shown = show(value);
    state.reply = value;
    return shown;
  };
  __shell.failure = (thrown, source) => {
    state.error = thrown;
    const isKnown = thrown instanceof Error && failed.has(thrown);
    return failure(thrown, isKnown ? failed.get(thrown) : source);
  };

  __shell.use("lesson");
  if (hasBoth) hide(globalThis, { cosmos: db.getSiblingDB("cosmos") });

  /** For the runner alone. */
  hide(globalThis, {
    __lesson: {
      state,
      evaluate,
      watch,
      /** A run block begins. */
      begin() {
        state.reply = undefined;
        state.error = undefined;
        __shell.use("lesson");
      },
      /** Hands over the value of an expression, and whether it read the engine. */
      answer(text) {
        const before = state.reads;
        const value = evaluate(`(${text}\n)`);
        __host.call("answer", { value: value ?? null, hasRead: state.reads > before });
      },
      code: () => __host.call("answer", { value: state.error?.code ?? null, hasRead: true }),
      setGoal(when, fails) {
        state.goal = when === null ? null : { when, fails };
      },
      play: advanceTo,
      /** Starts a traffic block of the file. */
      traffic(name, everyMs, script) {
        const body = (0, eval)(`(function (i) {${script}\n})`);
        traffic(name, everyMs / 1000, (i) => unbound(() => body(i)));
      },
      stopTraffic: (name) => time.flows.delete(name),
      next() {
        const events = [
          ["pass", time.nextPassMs()],
          ["threshold", thresholdMs()],
          ["traffic", time.nextFlow()?.atMs ?? Infinity],
          ["write", time.first(time.writes)?.atMs ?? Infinity],
        ];
        const [kind, atMs] = events.reduce((a, b) => (b[1] < a[1] ? b : a));
        __host.call("answer", { value: atMs === Infinity ? null : [kind, atMs], hasRead: true });
      },
    },
  });
})();
