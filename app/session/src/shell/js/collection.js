// Collections: reads and single writes.
(() => {
  "use strict";

  const { MongoInvalidArgumentError, MongoshInvalidInputError } = __shell.errors;
  const { compact, deprecated, hidden, need, pick, run, write } = __shell;
  const { ObjectId } = globalThis;

  __shell.newId = () => new ObjectId();

  /** A document as it is stored: with an `_id`, which a driver generates. */
  __shell.withId = (document) => {
    if (document?._id != null) return document;
    if (document !== null && typeof document === "object" && "_id" in document) {
      return { ...document, _id: __shell.newId() };
    }
    return { _id: __shell.newId(), ...document };
  };

  const isObject = (value) => value !== null && typeof value === "object";
  const startsWithOperator = (update) =>
    Array.isArray(update)
      ? update.some(startsWithOperator)
      : isObject(update) && (Object.keys(update)[0] ?? "").startsWith("$");

  /** What a driver refuses before it sends an update. */
  __shell.checkUpdate = (filter, update) => {
    if (!isObject(filter)) {
      throw new MongoInvalidArgumentError("Selector must be a valid JavaScript object");
    }
    if (update !== undefined && !isObject(update)) {
      throw new MongoInvalidArgumentError("Document must be a valid JavaScript object");
    }
    if (!startsWithOperator(update)) {
      throw new MongoInvalidArgumentError("Update document requires atomic operators");
    }
  };
  __shell.checkReplacement = (filter, replacement) => {
    if (!isObject(filter)) {
      throw new MongoInvalidArgumentError("Selector must be a valid JavaScript object");
    }
    if (replacement !== undefined && !isObject(replacement)) {
      throw new MongoInvalidArgumentError("Document must be a valid JavaScript object");
    }
    if (!Array.isArray(replacement) && startsWithOperator(replacement)) {
      throw new MongoInvalidArgumentError("Replacement document must not contain atomic operators");
    }
  };

  const result = (name) => {
    const made = class {
      constructor(fields) {
        Object.assign(this, fields);
      }
    };
    Object.defineProperty(made, "name", { value: name });
    hidden(made.prototype, { [__shell.unnamed]: true });
    return made;
  };
  const InsertOneResult = result("InsertOneResult");
  const UpdateResult = result("UpdateResult");
  const DeleteResult = result("DeleteResult");
  __shell.InsertManyResult = result("InsertManyResult");
  __shell.BulkWriteResult = result("BulkWriteResult");

  const isAcknowledged = (options) => options?.writeConcern?.w !== 0;

  const WRITE = ["writeConcern", "comment", "let", "maxTimeMS", "bypassDocumentValidation"];
  const UPDATE = ["upsert", "arrayFilters", "hint", "collation", "sort"];
  const DELETE = ["hint", "collation"];
  const FIND = [
    "allowDiskUse",
    "allowPartialResults",
    "awaitData",
    "batchSize",
    "collation",
    "comment",
    "hint",
    "let",
    "limit",
    "max",
    "maxTimeMS",
    "min",
    "noCursorTimeout",
    "oplogReplay",
    "projection",
    "readConcern",
    "returnKey",
    "showRecordId",
    "singleBatch",
    "skip",
    "sort",
    "tailable",
  ];
  const COUNT = ["skip", "limit", "hint", "collation", "comment", "maxTimeMS", "readConcern"];
  const AGGREGATE = [
    "allowDiskUse",
    "bypassDocumentValidation",
    "collation",
    "comment",
    "hint",
    "let",
    "maxTimeMS",
    "readConcern",
    "writeConcern",
  ];

  /** The command of an aggregation; `target` is a collection, or 1 for the database. */
  __shell.aggregateCommand = (target, pipeline, options) => {
    const cursor = { ...options?.cursor };
    if (options?.batchSize !== undefined) cursor.batchSize = options.batchSize;
    const maxTimeMS = __shell.setting("maxTimeMS") ?? undefined;
    return compact({
      aggregate: target,
      pipeline,
      cursor,
      maxTimeMS,
      ...pick(options, AGGREGATE),
    });
  };

  /** Runs a pipeline: lazily, or at once if it writes or explains itself. */
  __shell.aggregate = (db, target, pipeline, options) => {
    const command = __shell.aggregateCommand(target, pipeline, options);
    if (options?.explain) {
      const verbosity = typeof options.explain === "string" ? options.explain : "queryPlanner";
      return run(db, { explain: command, verbosity });
    }
    const cursor = new __shell.AggregationCursor(db, command);
    const last = Array.isArray(pipeline) ? pipeline[pipeline.length - 1] : undefined;
    if (isObject(last) && ("$out" in last || "$merge" in last)) cursor._start();
    return cursor;
  };

  /** A pipeline is an array, or its stages one by one. */
  __shell.stages = (values) => {
    if (Array.isArray(values[0]) || values.length === 0) return [values[0] ?? [], values[1]];
    return [values, undefined];
  };

  class Collection {
    constructor(database, name) {
      hidden(this, { _database: database, _db: database._name, _name: name });
    }

    [__shell.printable]() {
      return this.getFullName();
    }

    getName() {
      return this._name;
    }

    getFullName() {
      return `${this._db}.${this._name}`;
    }

    getDB() {
      return this._database;
    }

    getMongo() {
      return this._database.getMongo();
    }

    help() {
      return __shell.help("Collection");
    }

    _findCommand(query, projection, options) {
      const filter = query ?? {};
      if (!isObject(filter) || Array.isArray(filter)) {
        throw new MongoInvalidArgumentError("Query filter must be a plain object or ObjectId");
      }
      const command = { find: this._name, filter: filter._bsontype ? { _id: filter } : filter };
      if (projection != null) command.projection = projection;
      Object.assign(command, pick(options, FIND));
      const { limit } = command;
      if (limit < 0) Object.assign(command, { limit: -limit, singleBatch: true });
      const maxTimeMS = __shell.setting("maxTimeMS");
      if (maxTimeMS !== null) command.maxTimeMS ??= maxTimeMS;
      return command;
    }

    find(query, projection, options) {
      return new __shell.Cursor(this._db, this._findCommand(query, projection, options));
    }

    findOne(query, projection, options) {
      const command = this._findCommand(query, projection, options);
      Object.assign(command, { limit: 1, singleBatch: true });
      return run(this._db, command).cursor.firstBatch[0] ?? null;
    }

    _countCommand(query, options) {
      return { count: this._name, query: query ?? {}, ...pick(options, COUNT) };
    }

    count(query, options) {
      deprecated(
        "Collection.count() is deprecated. Use countDocuments or estimatedDocumentCount.",
      );
      return run(this._db, this._countCommand(query, options)).n;
    }

    countDocuments(query, options) {
      const pipeline = [{ $match: query ?? {} }];
      if (options?.skip !== undefined) pipeline.push({ $skip: options.skip });
      if (options?.limit !== undefined) pipeline.push({ $limit: options.limit });
      pipeline.push({ $group: { _id: 1, n: { $sum: 1 } } });
      const command = __shell.aggregateCommand(this._name, pipeline, options);
      return run(this._db, command).cursor.firstBatch[0]?.n ?? 0;
    }

    estimatedDocumentCount(options) {
      return run(this._db, { count: this._name, ...pick(options, ["maxTimeMS", "comment"]) }).n;
    }

    _distinctCommand(key, query, options) {
      const names = ["collation", "comment", "hint", "maxTimeMS", "readConcern"];
      return compact({ distinct: this._name, key, query: query ?? {}, ...pick(options, names) });
    }

    distinct(key, query, options) {
      return run(this._db, this._distinctCommand(key, query, options)).values;
    }

    aggregate(...values) {
      const [pipeline, options] = __shell.stages(values);
      return __shell.aggregate(this._db, this._name, pipeline, options);
    }

    insertOne(...values) {
      need(values, 1, "Collection.insertOne");
      const [document, options] = values;
      const stored = __shell.withId(document);
      const command = { insert: this._name, documents: [stored] };
      if (options !== undefined) Object.assign(command, pick(options, WRITE));
      write(this._db, command);
      return new InsertOneResult({
        acknowledged: isAcknowledged(options),
        insertedId: stored._id,
      });
    }

    insertMany(...values) {
      need(values, 1, "Collection.insertMany");
      const [documents, options] = values;
      if (!Array.isArray(documents)) {
        throw new MongoInvalidArgumentError('Argument "docs" must be an array of documents');
      }
      const insertedIds = __shell.insertMany(this, documents, { ...options });
      return new __shell.InsertManyResult({ acknowledged: isAcknowledged(options), insertedIds });
    }

    insert(...values) {
      deprecated("Collection.insert() is deprecated. Use insertOne, insertMany, or bulkWrite.");
      need(values, 1, "Collection.insert");
      const [documents, options] = values;
      return this.insertMany(Array.isArray(documents) ? documents : [documents], options);
    }

    save(...values) {
      deprecated(
        "Collection.save() is deprecated. Use insertOne, insertMany, updateOne, or updateMany.",
      );
      need(values, 1, "Collection.save");
      const [document, options] = values;
      if (document._id === undefined) return this.insertOne(document, options);
      return this.replaceOne({ _id: document._id }, document, { ...options, upsert: true });
    }

    _updateCommand(statement, options) {
      const update = { ...statement, ...pick(options, UPDATE) };
      return { update: this._name, updates: [update], ...pick(options, WRITE) };
    }

    _update(statement, options) {
      const { n, nModified, upserted } = write(this._db, this._updateCommand(statement, options));
      const acknowledged = isAcknowledged(options);
      const upsertedCount = upserted?.length ?? 0;
      return new UpdateResult({
        acknowledged,
        insertedId: upserted?.[0]?._id ?? null,
        matchedCount: acknowledged ? n - upsertedCount : undefined,
        modifiedCount: acknowledged ? nModified : undefined,
        upsertedCount,
      });
    }

    updateOne(...values) {
      need(values, 1, "Collection.updateOne");
      const [q, u, options] = values;
      __shell.checkUpdate(q, u);
      return this._update({ q, u, multi: false }, options);
    }

    updateMany(...values) {
      need(values, 1, "Collection.updateMany");
      const [q, u, options] = values;
      __shell.checkUpdate(q, u);
      return this._update({ q, u, multi: true }, options);
    }

    replaceOne(...values) {
      need(values, 1, "Collection.replaceOne");
      const [q, u, options] = values;
      __shell.checkReplacement(q, u);
      return this._update({ q, u: u ?? {}, multi: false }, options);
    }

    update(...values) {
      deprecated("Collection.update() is deprecated. Use updateOne, updateMany, or bulkWrite.");
      need(values, 2, "Collection.update");
      const [filter, update, options] = values;
      return options?.multi
        ? this.updateMany(filter, update, options)
        : this.updateOne(filter, update, options);
    }

    _deleteCommand(q, limit, options) {
      const statement = { q, limit, ...pick(options, DELETE) };
      return { delete: this._name, deletes: [statement], ...pick(options, WRITE) };
    }

    _delete(q, limit, options) {
      const { n } = write(this._db, this._deleteCommand(q, limit, options));
      const acknowledged = isAcknowledged(options);
      return new DeleteResult({ acknowledged, deletedCount: acknowledged ? n : undefined });
    }

    deleteOne(...values) {
      need(values, 1, "Collection.deleteOne");
      return this._delete(values[0], 1, values[1]);
    }

    deleteMany(...values) {
      need(values, 1, "Collection.deleteMany");
      return this._delete(values[0], 0, values[1]);
    }

    /** The filter, the limit and the options of a `remove`. */
    _removeFields(values, name) {
      deprecated(
        "Collection.remove() is deprecated. " +
          "Use deleteOne, deleteMany, findOneAndDelete, or bulkWrite.",
      );
      need(values, 1, name);
      const [query, options] = values;
      const justOne = typeof options === "boolean" ? options : options?.justOne;
      return [query, justOne ? 1 : 0, options];
    }

    remove(...values) {
      return this._delete(...this._removeFields(values, "Collection.remove"));
    }

    _modifyCommand(fields, options) {
      const names = ["sort", "collation", "hint", "upsert", "arrayFilters", ...WRITE];
      const command = { findAndModify: this._name, ...fields, ...pick(options, names) };
      const projection = options?.projection ?? options?.fields;
      if (projection !== undefined) command.fields = projection;
      return compact(command);
    }

    _modify(fields, options) {
      const reply = run(this._db, this._modifyCommand(fields, options));
      if (reply.writeConcernError !== undefined) {
        throw new __shell.errors.MongoWriteConcernError(reply.writeConcernError);
      }
      return reply.value ?? null;
    }

    _findOneAndFields(method, values) {
      need(values, 1, `Collection.${method}`);
      const [query, update, options] = values;
      if (method === "findOneAndDelete") return [{ query, remove: true }, update];
      const which = options?.returnDocument;
      if (which !== undefined && which !== "before" && which !== "after") {
        throw new MongoshInvalidInputError("returnDocument needs to be either 'before' or 'after'");
      }
      if (method === "findOneAndUpdate") __shell.checkUpdate(query, update);
      else __shell.checkReplacement(query, update);
      const isNew =
        which === "after" ||
        (which === undefined &&
          (options?.new || options?.returnNewDocument || options?.returnOriginal === false));
      return [{ query, update: update ?? {}, new: Boolean(isNew) }, options];
    }

    _findAndModifyFields(options) {
      need([options], 1, "Collection.findAndModify");
      const { query, remove, update } = options;
      if (!remove && update === undefined) {
        throw new MongoshInvalidInputError("Must specify options.update or options.remove");
      }
      const change = remove ? { remove: true } : { update, new: options.new };
      return [{ query: query ?? {}, ...change }, options];
    }

    findOneAndUpdate(...values) {
      return this._modify(...this._findOneAndFields("findOneAndUpdate", values));
    }

    findOneAndReplace(...values) {
      return this._modify(...this._findOneAndFields("findOneAndReplace", values));
    }

    findOneAndDelete(...values) {
      return this._modify(...this._findOneAndFields("findOneAndDelete", values));
    }

    findAndModify(options) {
      return this._modify(...this._findAndModifyFields(options));
    }

    bulkWrite(operations, options) {
      return __shell.bulkWrite(this, operations, options ?? {});
    }

    initializeOrderedBulkOp() {
      return new __shell.Bulk(this, true);
    }

    initializeUnorderedBulkOp() {
      return new __shell.Bulk(this, false);
    }

    runCommand(command, options) {
      if (typeof command === "string") {
        return run(this._db, { [command]: this._name, ...options });
      }
      return run(this._db, command);
    }
  }

  __shell.Collection = Collection;

  const proxied = {
    get(collection, name) {
      if (typeof name === "symbol" || name in collection) return collection[name];
      if (name.startsWith("_")) return undefined;
      return collection._database.getCollection(`${collection._name}.${name}`);
    },
  };

  /** A collection whose unknown properties are collections below it. */
  __shell.openCollection = (database, name) => new Proxy(new Collection(database, name), proxied);
})();
