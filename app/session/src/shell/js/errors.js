// Errors with mongosh's names and texts, and the commands that throw them.
(() => {
  "use strict";

  const named = (name, parent = Error) => {
    const made = class extends parent {};
    Object.defineProperty(made, "name", { value: name });
    Object.defineProperty(made.prototype, "name", { value: name, configurable: true });
    return made;
  };

  const MongoError = named("MongoError");

  /** A reply with `ok: 0`, or the write error of a reply. */
  class MongoServerError extends MongoError {
    constructor(response) {
      super(response.errmsg ?? "n/a");
      this.errorResponse = response;
      for (const [field, value] of Object.entries(response)) {
        if (field !== "errmsg" && field !== "errorLabels") this[field] = value;
      }
      Object.defineProperty(this, "errmsg", { value: response.errmsg, configurable: true });
    }
  }
  Object.defineProperty(MongoServerError.prototype, "name", { value: "MongoServerError" });

  const MongoWriteConcernError = named("MongoWriteConcernError", MongoServerError);
  const MongoInvalidArgumentError = named("MongoInvalidArgumentError", MongoError);
  const MongoCursorInUseError = named("MongoCursorInUseError", MongoError);
  const MongoBatchReExecutionError = named("MongoBatchReExecutionError", MongoError);

  /** One failed write of a batch. */
  class WriteError {
    constructor(err) {
      this.err = err;
    }
    get code() {
      return this.err.code;
    }
    get index() {
      return this.err.index;
    }
    get errmsg() {
      return this.err.errmsg;
    }
    get errInfo() {
      return this.err.errInfo;
    }
    getOperation() {
      return this.err.op;
    }
    toJSON() {
      const { index, code, errmsg, op } = this.err;
      return { code, index, errmsg, op };
    }
    toString() {
      return `WriteError(${JSON.stringify(this.toJSON())})`;
    }
  }

  /** A batch of which some write failed; `result` counts the others. */
  class MongoBulkWriteError extends MongoServerError {
    constructor(response, writeErrors, result) {
      super(response);
      this.writeErrors = writeErrors;
      this.result = result;
    }
  }
  Object.defineProperty(MongoBulkWriteError.prototype, "name", { value: "MongoBulkWriteError" });
  for (const field of [
    "insertedCount",
    "matchedCount",
    "modifiedCount",
    "deletedCount",
    "upsertedCount",
    "upsertedIds",
    "insertedIds",
  ]) {
    Object.defineProperty(MongoBulkWriteError.prototype, field, {
      get() {
        return this.result[field];
      },
    });
  }

  const coded = (name, usual) => {
    const made = named(name);
    const coding = class extends made {
      constructor(message, code = usual) {
        super(code ? `[${code}] ${message}` : message);
        if (code) this.code = code;
      }
    };
    Object.defineProperty(coding, "name", { value: name });
    return coding;
  };
  const MongoshInvalidInputError = coded("MongoshInvalidInputError", "COMMON-10001");
  const MongoshDeprecatedError = coded("MongoshDeprecatedError", "COMMON-10003");
  const MongoshUnimplementedError = coded("MongoshUnimplementedError", "COMMON-90002");
  const MongoshRuntimeError = coded("MongoshRuntimeError");

  __shell.errors = {
    MongoError,
    MongoServerError,
    MongoWriteConcernError,
    MongoInvalidArgumentError,
    MongoCursorInUseError,
    MongoBatchReExecutionError,
    MongoBulkWriteError,
    MongoshInvalidInputError,
    MongoshDeprecatedError,
    MongoshUnimplementedError,
    MongoshRuntimeError,
    WriteError,
  };

  /** Runs a command and returns its reply; a failed one throws. */
  __shell.run = (db, command) => {
    const reply = __host.run(db, command);
    if (reply.ok !== 1) throw new MongoServerError(reply);
    return reply;
  };

  /** Runs a write; its first write error throws. */
  __shell.write = (db, command) => {
    const reply = __shell.run(db, command);
    if (reply.writeErrors !== undefined) throw new MongoServerError(reply.writeErrors[0]);
    if (reply.writeConcernError !== undefined) {
      throw new MongoWriteConcernError(reply.writeConcernError);
    }
    return reply;
  };

  /** A copy of a command without the fields that have no value. */
  __shell.compact = (command) => {
    const copy = {};
    for (const field in command) {
      if (command[field] !== undefined) copy[field] = command[field];
    }
    return copy;
  };

  /** The options among `names` that were given. */
  __shell.pick = (options, names) => {
    const picked = {};
    if (options === null || typeof options !== "object") return picked;
    for (const name of names) {
      if (options[name] !== undefined) picked[name] = options[name];
    }
    return picked;
  };

  __shell.invalid = (message, code) => new MongoshInvalidInputError(message, code);

  /** The first `count` arguments of a method must be there. */
  __shell.need = (values, count, method) => {
    for (let position = 0; position < count; position++) {
      if (values[position] === undefined) {
        throw __shell.invalid(`Missing required argument at position ${position} (${method})`);
      }
    }
  };

  /** An argument has one of some types of JavaScript. */
  __shell.needType = (value, position, types, method) => {
    __shell.need([...Array(position).fill(0), value], position + 1, method);
    if (!types.includes(typeof value)) {
      throw __shell.invalid(
        `Argument at position ${position} must be of type ${types.join(" or ")}, ` +
          `got ${typeof value} instead (${method})`,
      );
    }
  };

  const warned = new Set();

  /** Prints a warning, once per console. */
  __shell.warn = (text) => {
    if (warned.has(text)) return;
    warned.add(text);
    __host.print(text);
  };
  __shell.deprecated = (text) => __shell.warn(`DeprecationWarning: ${text}`);

  __shell.removed = (name) => () => {
    throw new MongoshDeprecatedError(
      `\`${name}()\` was removed because it was deprecated in MongoDB 4.0`,
    );
  };

  /** Where the expression that ends at `end` begins: names, dots and closed brackets. */
  const expressionStart = (text, end) => {
    let at = end;
    let depth = 0;
    while (at > 0) {
      const before = text[at - 1];
      if (")]".includes(before)) depth++;
      else if (depth === 0 && !/[\w$.]/.test(before)) break;
      else if ("([".includes(before)) depth--;
      at--;
    }
    return at;
  };

  const isFunction = (chain) => {
    const found = chain.split(".").reduce((value, name) => value?.[name], globalThis);
    return typeof found === "function";
  };

  /** The first call on `db` in a text that isn't one of its methods. */
  const unknownMethod = (source) => {
    const calls = source.matchAll(/(?<![\w$.])(db(?:\.[\w$]+)+)\s*\(/g);
    return [...calls].map(([, chain]) => chain).find((chain) => !isFunction(chain));
  };

  /** What an error of QuickJS says, with the words of mongosh for the most common ones. */
  const clear = ({ message, stack }, source) => {
    const read = /^cannot read property '(.*)' of (null|undefined)$/.exec(message);
    if (read) return `Cannot read properties of ${read[2]} (reading '${read[1]}')`;
    const place = /^\s*at [^\n]*:(\d+):(\d+)\)?\n?/.exec(stack);
    if (message !== "not a function" || place === null) return String(message);
    const line = source.split("\n")[place[1] - 1] ?? "";
    const at = place[2] - 1;
    const called = /^\.?[\w$]+(?=\s*\()/.exec(line.slice(at))?.[0];
    // Where an argument is a call, its place is that of the last one.
    const unknown = called === undefined || isFunction(called) ? unknownMethod(source) : undefined;
    if (unknown !== undefined) return `${unknown} is not a function`;
    if (called === undefined) return message;
    return `${line.slice(expressionStart(line, at), at)}${called} is not a function`;
  };

  /** What is printed for something thrown by a statement, whose text makes some errors clearer. */
  __shell.failure = (thrown, source = "") => {
    if (!(thrown instanceof Error)) {
      return `Error: ${typeof thrown === "string" ? thrown : __shell.inspect(thrown)}`;
    }
    const code = typeof thrown.codeName === "string" ? `[${thrown.codeName}]` : "";
    const message = clear(thrown, source);
    let text = `${thrown.name}${code}${message === "" ? "" : `: ${message}`}`;
    if (thrown instanceof MongoBulkWriteError) {
      text += `\nResult: ${__shell.inspect(thrown.result)}`;
      text += `\nWrite Errors: ${__shell.inspect(thrown.writeErrors)}`;
    } else if (thrown instanceof MongoServerError && thrown.errInfo !== undefined) {
      text += `\nAdditional information: ${__shell.inspect(thrown.errInfo)}`;
    }
    return text;
  };
})();
