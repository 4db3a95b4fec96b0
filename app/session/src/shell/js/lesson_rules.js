// What a challenge allows. The rules are in Rust; here methods tell their names.
(() => {
  "use strict";

  const { state } = __lesson;
  const rules = { areInForce: false };
  /** The methods that run, the outermost first. */
  const running = [];

  const isFree = () => !rules.areInForce || state.isEvaluating;
  const check = (argument) => {
    const { refused } = __host.call("permit", { methods: running, ...argument });
    if (refused !== undefined) throw new Error(`Not in this challenge: ${refused}`);
  };

  /** Replaces a method by one that is known by its name while it runs. */
  const named = (object, method, name, isCommand) => {
    const call = object[method];
    const wrapped = {
      [method](...values) {
        if (isFree()) return Reflect.apply(call, this, values);
        check({ method: name, isCommand });
        running.push(name);
        try {
          return Reflect.apply(call, this, values);
        } finally {
          running.pop();
        }
      },
    }[method];
    Object.defineProperty(wrapped, "length", { value: call.length, configurable: true });
    Object.assign(wrapped, call);
    __shell.hide(object, { [method]: wrapped });
  };
  const nameAll = (prototype) => {
    for (const method of Object.getOwnPropertyNames(prototype)) {
      const { value } = Object.getOwnPropertyDescriptor(prototype, method);
      const isMethod = typeof value === "function" && method !== "constructor";
      if (isMethod && !method.startsWith("_")) named(prototype, method, method, true);
    }
  };
  nameAll(__shell.Collection.prototype);
  nameAll(Object.getPrototypeOf(db));
  nameAll(__shell.Bulk.prototype);
  for (const method of ["pass", "every", "on", "off"]) {
    named(reaper, method, `reaper.${method}`, false);
  }
  for (const method of ["advance", "jump"]) named(clock, method, `clock.${method}`, false);
  named(traffic, "stop", "traffic.stop", false);
  for (const name of ["at", "pass", "play", "replicationDelay", "traffic"]) {
    named(globalThis, name, name, false);
  }

  const send = __host.run;
  __host.run = (database, command) => {
    if (!isFree()) check({ command });
    return send(database, command);
  };

  /** Puts the rules in force that the host knows, or out of force. */
  __lesson.setRules = (areInForce) => {
    rules.areInForce = areInForce;
    running.length = 0;
  };
})();
