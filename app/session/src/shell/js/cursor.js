// Cursors: sent at their first use, read batch by batch, closed when nothing refers to them.
(() => {
  "use strict";

  const { MongoCursorInUseError, MongoInvalidArgumentError, MongoshUnimplementedError } =
    __shell.errors;
  const hidden = (object, fields) => {
    for (const field of Reflect.ownKeys(fields)) {
      Object.defineProperty(object, field, {
        value: fields[field],
        writable: true,
        configurable: true,
      });
    }
  };
  __shell.hidden = hidden;

  /** Cursors that the server holds open, by their number. */
  const open = new Map();

  const track = (cursor) => {
    for (const [id, { db, coll, number, ref }] of open) {
      if (ref.deref() === undefined) {
        open.delete(id);
        __host.run(db, { killCursors: coll, cursors: [number] });
      }
    }
    const { _db: db, _coll: coll, _number: number } = cursor;
    open.set(String(number), { db, coll, number, ref: new WeakRef(cursor) });
  };

  /** What find and aggregate cursors share; `_command` is sent for the first document. */
  class BaseCursor {
    constructor(db, command) {
      hidden(this, {
        _db: db,
        _command: command,
        _coll: undefined,
        _number: undefined,
        _batch: [],
        _at: 0,
        _batchSize: undefined,
        _transform: null,
        _awaitMs: undefined,
      });
    }

    _set(field, value) {
      if (this._number !== undefined) {
        throw new MongoCursorInUseError("Cursor is already initialized");
      }
      this._command[field] = value;
      return this;
    }

    _take({ id, ns, firstBatch, nextBatch }) {
      this._number = id;
      if (ns !== undefined) this._coll = ns.slice(ns.indexOf(".") + 1);
      this._batch = firstBatch ?? nextBatch;
      this._at = 0;
    }

    _isDone() {
      return this._number !== undefined && String(this._number) === "0";
    }

    /** Sends the command. */
    _start() {
      if (this._number !== undefined) return;
      this._take(__shell.run(this._db, this._sent()).cursor);
      if (!this._isDone()) track(this);
    }

    /** Fetches the next batch; returns whether the cursor may have more. */
    _more() {
      if (this._number === undefined) {
        this._start();
        return true;
      }
      if (this._isDone()) return false;
      const key = String(this._number);
      const more = { getMore: this._number, collection: this._coll };
      if (this._batchSize) more.batchSize = this._batchSize;
      if (this._awaitMs !== undefined) more.maxTimeMS = this._awaitMs;
      try {
        this._take(__shell.run(this._db, more).cursor);
      } catch (error) {
        this._number = 0;
        throw error;
      } finally {
        if (this._isDone()) open.delete(key);
      }
      return true;
    }

    _isTailable() {
      return false;
    }

    hasNext() {
      while (this._at >= this._batch.length) {
        if (!this._more()) return false;
        if (this._isTailable() && this._batch.length === 0) return false;
      }
      return true;
    }

    next() {
      if (!this.hasNext()) return null;
      const document = this._batch[this._at];
      this._batch[this._at++] = undefined;
      return this._transform ? this._transform(document) : document;
    }

    tryNext() {
      if (this._at >= this._batch.length) this._more();
      return this._at < this._batch.length ? this.next() : null;
    }

    *[Symbol.iterator]() {
      while (this.hasNext()) yield this.next();
    }

    toArray() {
      const documents = [];
      while (this.hasNext()) documents.push(this.next());
      return documents;
    }

    forEach(visit) {
      while (this.hasNext()) {
        if (visit(this.next()) === false) return;
      }
    }

    map(change) {
      const before = this._transform;
      this._transform = before ? (document) => change(before(document)) : change;
      return this;
    }

    itcount() {
      let count = 0;
      for (; this.hasNext(); count++) this.next();
      return count;
    }

    close() {
      if (this._number === undefined) {
        this._number = 0;
      } else if (!this._isDone()) {
        open.delete(String(this._number));
        __host.run(this._db, { killCursors: this._coll, cursors: [this._number] });
        this._number = 0;
      }
    }

    isExhausted() {
      return this._isDone() && this.objsLeftInBatch() === 0;
    }

    isClosed() {
      return this.isExhausted();
    }

    objsLeftInBatch() {
      return this._batch.length - this._at;
    }

    pretty() {
      return this;
    }

    disableBlockWarnings() {
      return this;
    }

    batchSize(size) {
      this._batchSize = size;
      return this;
    }

    maxTimeMS(milliseconds) {
      return this._set("maxTimeMS", milliseconds);
    }

    explain(verbosity = "queryPlanner") {
      return __shell.run(this._db, { explain: this._sent(), verbosity });
    }

    help() {
      return __shell.help(this.constructor.name);
    }

    /** The next documents to display. */
    [__shell.page](count) {
      const documents = [];
      while (documents.length < count && this.hasNext()) documents.push(this.next());
      return documents;
    }
  }

  const wanted = (spec) => {
    if (typeof spec === "string") return { [spec]: 1 };
    if (Array.isArray(spec)) {
      return Object.fromEntries(spec.map((part) => (Array.isArray(part) ? part : [part, 1])));
    }
    if (spec === null || typeof spec !== "object") {
      throw new MongoInvalidArgumentError(
        `Invalid sort format: ${JSON.stringify(spec)} Sort must be a valid object`,
      );
    }
    return spec;
  };

  const whole = (name, value) => {
    if (typeof value !== "number") {
      throw new MongoInvalidArgumentError(`Operation "${name}" requires an integer`);
    }
    return Math.trunc(value);
  };

  /** The documents that a filter selects. */
  class Cursor extends BaseCursor {
    _sent() {
      const command = { ...this._command };
      if (this._batchSize !== undefined) command.batchSize = this._batchSize;
      return command;
    }

    _isTailable() {
      return this._command.tailable === true;
    }

    limit(count) {
      const limit = whole("limit", count);
      if (limit < 0) this._set("singleBatch", true);
      return this._set("limit", Math.abs(limit));
    }

    skip(count) {
      return this._set("skip", whole("skip", count));
    }

    sort(spec) {
      return this._set("sort", wanted(spec));
    }

    projection(spec) {
      return this._set("projection", spec);
    }

    addOption(option) {
      const name = {
        2: "tailable",
        8: "oplogReplay",
        16: "noCursorTimeout",
        32: "awaitData",
        128: "allowPartialResults",
      }[option];
      if (name !== undefined) return this._set(name, true);
      const other = { 4: "slaveOk", 64: "exhaust" }[option];
      if (other === undefined) throw __shell.invalid(`Unknown option flag number: ${option}.`);
      throw new MongoshUnimplementedError(`the ${other} option is not supported.`);
    }

    allowDiskUse(flag = true) {
      if (this._command.sort === undefined) {
        throw new MongoInvalidArgumentError('Option "allowDiskUse" requires a sort specification');
      }
      return this._set("allowDiskUse", flag);
    }

    tailable({ awaitData } = {}) {
      if (awaitData) this._set("awaitData", true);
      return this._set("tailable", true);
    }

    maxAwaitTimeMS(milliseconds) {
      this._awaitMs = milliseconds;
      return this;
    }

    readConcern(level) {
      return this._set("readConcern", { level });
    }

    readPref() {
      return this;
    }

    _count(names) {
      const { find, filter } = this._command;
      const options = __shell.pick(this._command, names);
      return __shell.run(this._db, { count: find, query: filter, ...options }).n;
    }

    count() {
      return this._count(["hint", "limit", "skip", "maxTimeMS", "collation", "comment"]);
    }

    size() {
      return this.count();
    }
  }
  for (const [method, field, usual] of [
    ["hint", "hint"],
    ["min", "min"],
    ["max", "max"],
    ["collation", "collation"],
    ["comment", "comment"],
    ["returnKey", "returnKey", true],
    ["showRecordId", "showRecordId", true],
    ["noCursorTimeout", "noCursorTimeout", true],
    ["allowPartialResults", "allowPartialResults", true],
    ["oplogReplay", "oplogReplay", true],
  ]) {
    const set = {
      [method](value = usual) {
        return this._set(field, value);
      },
    };
    hidden(Cursor.prototype, { [method]: set[method] });
  }
  hidden(Cursor.prototype, { maxScan: __shell.removed("maxScan") });

  /** The documents that a pipeline gives. */
  class AggregationCursor extends BaseCursor {
    _sent() {
      const command = { ...this._command };
      if (this._batchSize !== undefined) command.cursor = { batchSize: this._batchSize };
      return command;
    }

    _stage(stage) {
      return this._set("pipeline", [...this._command.pipeline, stage]);
    }

    skip(count) {
      return this._stage({ $skip: count });
    }

    sort(spec) {
      return this._stage({ $sort: wanted(spec) });
    }

    projection(spec) {
      return this._stage({ $project: spec });
    }
  }

  /** A find cursor that displays its plan. */
  class ExplainableCursor extends Cursor {
    constructor(db, command, verbosity) {
      super(db, command);
      hidden(this, { _verbosity: verbosity });
    }

    finish() {
      return this.explain(this._verbosity);
    }
  }

  Object.assign(__shell, { BaseCursor, Cursor, AggregationCursor, ExplainableCursor });
})();
