// Writes in batches: `bulkWrite`, `insertMany` and the builder of `initializeOrderedBulkOp`.
(() => {
  "use strict";

  const {
    MongoBatchReExecutionError,
    MongoBulkWriteError,
    MongoInvalidArgumentError,
    WriteError,
  } = __shell.errors;
  const { hidden, invalid, need, pick } = __shell;

  /** Operations of one command, as the server's `maxWriteBatchSize`. */
  const BATCH_OPERATIONS_MAX = 100_000;
  /** Bytes of one command, as the server's `maxMessageSizeBytes`, less its other fields. */
  const BATCH_BYTES_MAX = 48_000_000 - 16_384;

  const INSERT = { batchType: 1, command: "insert", list: "documents" };
  const UPDATE = { batchType: 2, command: "update", list: "updates" };
  const DELETE = { batchType: 3, command: "delete", list: "deletes" };

  /** An upper bound of a value's bytes in BSON: a character has at most 3 bytes in UTF-8. */
  const bytes = (value) => {
    if (typeof value === "string") return value.length * 3 + 5;
    if (value === null || typeof value !== "object") return 16;
    if (value._bsontype !== undefined) {
      const long = value.buffer ?? value.pattern ?? value.code ?? value.value ?? "";
      return 64 + (long.length ?? 0) * 3;
    }
    let sum = 5;
    for (const name in value) sum += name.length * 3 + 2 + bytes(value[name]);
    return sum;
  };

  /** The operations of a bulk write, grouped into the commands that send them. */
  class Batches {
    constructor(isOrdered) {
      this.isOrdered = isOrdered;
      this.batches = [];
      this.count = 0;
    }

    _open(kind, size) {
      const { batches } = this;
      const last = this.isOrdered
        ? batches[batches.length - 1]
        : batches.findLast((batch) => batch.kind === kind);
      const fits =
        last !== undefined &&
        last.kind === kind &&
        last.operations.length < BATCH_OPERATIONS_MAX &&
        last.size + size <= BATCH_BYTES_MAX;
      if (fits) return last;
      const batch = { kind, size: 0, operations: [], indexes: [] };
      batches.push(batch);
      return batch;
    }

    add(kind, operation) {
      const size = bytes(operation);
      const batch = this._open(kind, size);
      batch.size += size;
      batch.operations.push(operation);
      batch.indexes.push(this.count++);
    }
  }

  /** What a failed bulk write did before. */
  class BulkWriteResult {
    constructor(fields) {
      Object.assign(this, fields);
    }
  }

  /** What the batches of a bulk write did so far. */
  class Outcome {
    constructor() {
      this.counts = { inserted: 0, matched: 0, modified: 0, deleted: 0 };
      this.upsertedIds = {};
      this.insertedIds = {};
      this.writeErrors = [];
    }

    take({ kind, operations, indexes }, reply, isOrdered) {
      const failed = new Set();
      for (const { index, code, errmsg, errInfo } of reply.writeErrors ?? []) {
        failed.add(index);
        const op = operations[index];
        const error = { index: indexes[index], code, errmsg, errInfo, op };
        this.writeErrors.push(new WriteError(error));
      }
      const { counts } = this;
      if (kind === INSERT) {
        counts.inserted += reply.n;
        const end = isOrdered && failed.size > 0 ? Math.min(...failed) : operations.length;
        for (let index = 0; index < end; index++) {
          if (!failed.has(index)) this.insertedIds[indexes[index]] = operations[index]._id;
        }
      } else if (kind === UPDATE) {
        const upserted = reply.upserted ?? [];
        counts.matched += reply.n - upserted.length;
        counts.modified += reply.nModified ?? 0;
        for (const { index, _id } of upserted) this.upsertedIds[indexes[index]] = _id;
      } else {
        counts.deleted += reply.n;
      }
    }

    /** A driver whose command failed as a whole lists the ids of all inserts. */
    assumeInserted(batches) {
      for (const { kind, operations, indexes } of batches) {
        if (kind !== INSERT) continue;
        operations.forEach(({ _id }, index) => {
          this.insertedIds[indexes[index]] = _id;
        });
      }
    }

    success(acknowledged) {
      const { counts, insertedIds, upsertedIds } = this;
      return new __shell.BulkWriteResult({
        acknowledged,
        insertedCount: counts.inserted,
        insertedIds,
        matchedCount: counts.matched,
        modifiedCount: counts.modified,
        deletedCount: counts.deleted,
        upsertedCount: Object.keys(upsertedIds).length,
        upsertedIds,
      });
    }

    failure(response) {
      const { counts, insertedIds, upsertedIds } = this;
      const result = new BulkWriteResult({
        insertedCount: counts.inserted,
        matchedCount: counts.matched,
        modifiedCount: counts.modified,
        deletedCount: counts.deleted,
        upsertedCount: Object.keys(upsertedIds).length,
        upsertedIds,
        insertedIds,
      });
      return new MongoBulkWriteError(response, this.writeErrors, result);
    }
  }

  const OPTIONS = ["writeConcern", "comment", "let", "bypassDocumentValidation", "maxTimeMS"];

  /** Sends the batches; throws once all that may run have run. */
  const execute = (collection, { batches, isOrdered }, options) => {
    if (batches.length === 0) {
      throw new MongoInvalidArgumentError("Invalid BulkOperation, Batch cannot be empty");
    }
    const outcome = new Outcome();
    const shared = pick(options, OPTIONS);
    let concern;
    for (const batch of batches) {
      const { command, list } = batch.kind;
      const reply = __host.run(collection._db, {
        [command]: collection._name,
        [list]: batch.operations,
        ordered: isOrdered,
        ...shared,
      });
      if (reply.ok !== 1) {
        outcome.assumeInserted(batches);
        throw outcome.failure(reply);
      }
      outcome.take(batch, reply, isOrdered);
      concern ??= reply.writeConcernError;
      if (isOrdered && outcome.writeErrors.length > 0) break;
    }
    const [first] = outcome.writeErrors;
    if (first !== undefined) throw outcome.failure({ errmsg: first.errmsg, code: first.code });
    if (concern !== undefined) throw outcome.failure(concern);
    return outcome.success(options?.writeConcern?.w !== 0);
  };

  const statement = (fields, { collation, hint, upsert, arrayFilters, sort }) => {
    const given = { collation, hint, upsert, arrayFilters, sort };
    return { ...fields, ...pick(given, Object.keys(given)) };
  };

  const update = (multi, { filter, update: u, ...options }) => {
    __shell.checkUpdate(filter, u);
    return [UPDATE, statement({ q: filter, u, multi }, options)];
  };
  const remove = (limit, { filter, ...options }) => [
    DELETE,
    statement({ q: filter, limit }, options),
  ];

  const OPERATIONS = {
    insertOne: (spec) => [INSERT, spec.document ?? spec],
    updateOne: (spec) => update(false, spec),
    updateMany: (spec) => update(true, spec),
    replaceOne({ filter, replacement, ...options }) {
      __shell.checkReplacement(filter, replacement);
      return [UPDATE, statement({ q: filter, u: replacement ?? {}, multi: false }, options)];
    },
    deleteOne: (spec) => remove(1, spec),
    deleteMany: (spec) => remove(0, spec),
  };

  /** Inserts documents; returns their ids by position. */
  __shell.insertMany = (collection, documents, options) => {
    const batches = new Batches(options.ordered !== false);
    for (const document of documents) batches.add(INSERT, __shell.withId(document));
    return execute(collection, batches, options).insertedIds;
  };

  /** Runs operations. Generated ids are added to the documents given, as drivers do. */
  __shell.bulkWrite = (collection, operations, options) => {
    if (!Array.isArray(operations)) {
      throw new MongoInvalidArgumentError('Argument "operations" must be an array of documents');
    }
    const batches = new Batches(options.ordered !== false);
    for (const operation of operations) {
      const [name] = Object.keys(operation ?? {});
      if (!Object.hasOwn(OPERATIONS, name ?? "")) {
        throw new MongoInvalidArgumentError(
          "bulkWrite only supports insertOne, updateOne, updateMany, deleteOne, deleteMany",
        );
      }
      const [kind, sent] = OPERATIONS[name](operation[name]);
      if (kind === INSERT) sent._id ??= __shell.newId();
      batches.add(kind, sent);
    }
    return execute(collection, batches, options);
  };

  /** Collects operations until `execute`. */
  class Bulk {
    constructor(collection, isOrdered) {
      hidden(this, {
        _collection: collection,
        _batches: new Batches(isOrdered),
        _counts: { nInsertOps: 0, nUpdateOps: 0, nRemoveOps: 0 },
        _isExecuted: false,
      });
    }

    [__shell.printable]() {
      return this.toJSON();
    }

    _add(kind, operation) {
      const counter = { 1: "nInsertOps", 2: "nUpdateOps", 3: "nRemoveOps" }[kind.batchType];
      this._batches.add(kind, operation);
      this._counts[counter]++;
      return this;
    }

    insert(...values) {
      need(values, 1, "Bulk.insert");
      return this._add(INSERT, __shell.withId(values[0]));
    }

    find(...values) {
      need(values, 1, "Bulk.find");
      return new BulkFindOp(this, values[0]);
    }

    execute(writeConcern) {
      if (this._isExecuted) {
        throw new MongoBatchReExecutionError(
          "This batch has already been executed, create new batch to execute",
        );
      }
      const options = writeConcern === undefined ? {} : { writeConcern };
      if (this._batches.count > 0) this._isExecuted = true;
      return execute(this._collection, this._batches, options);
    }

    getOperations() {
      if (!this._isExecuted) {
        throw invalid("Cannot call getOperations on an unexecuted Bulk operation", "COMMON-10002");
      }
      return this._batches.batches.map(({ kind, operations, indexes }) => ({
        originalZeroIndex: indexes[0],
        batchType: kind.batchType,
        operations,
      }));
    }

    toJSON() {
      return { ...this._counts, nBatches: this._batches.batches.length };
    }

    toString() {
      return JSON.stringify(this.toJSON());
    }

    help() {
      return __shell.help("Bulk");
    }
  }

  /** The filter of the next operation of a `Bulk`. */
  class BulkFindOp {
    constructor(bulk, filter) {
      hidden(this, { _bulk: bulk, _filter: filter, _options: {} });
    }

    [__shell.printable]() {
      return "BulkFindOp";
    }

    _set(option, value) {
      this._options[option] = value;
      return this;
    }

    arrayFilters(filters) {
      return this._set("arrayFilters", filters);
    }

    collation(spec) {
      return this._set("collation", spec);
    }

    hint(index) {
      return this._set("hint", index);
    }

    upsert(flag = true) {
      return this._set("upsert", flag);
    }

    _add(name, fields) {
      const spec = { filter: this._filter, ...fields, ...this._options };
      return this._bulk._add(...OPERATIONS[name](spec));
    }

    update(change) {
      return this._add("updateMany", { update: change });
    }

    updateOne(change) {
      return this._add("updateOne", { update: change });
    }

    replaceOne(replacement) {
      return this._add("replaceOne", { replacement });
    }

    delete() {
      return this._add("deleteMany", {});
    }

    deleteOne() {
      return this._add("deleteOne", {});
    }

    remove() {
      return this.delete();
    }

    removeOne() {
      return this.deleteOne();
    }
  }

  Object.assign(__shell, { Bulk, BulkFindOp });
})();
