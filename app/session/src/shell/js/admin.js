// Collections: indexes, statistics and everything else about a collection as a whole.
(() => {
  "use strict";

  const { MongoshDeprecatedError, MongoshRuntimeError } = __shell.errors;
  const { Collection, compact, deprecated, hidden, invalid, need, needType, pick, run } = __shell;

  /** What drivers pass on from an index's options. */
  const INDEX_OPTIONS = [
    "2dsphereIndexVersion",
    "background",
    "bits",
    "bucketSize",
    "collation",
    "default_language",
    "expireAfterSeconds",
    "hidden",
    "language_override",
    "max",
    "min",
    "name",
    "partialFilterExpression",
    "prepareUnique",
    "sparse",
    "storageEngine",
    "textIndexVersion",
    "unique",
    "version",
    "weights",
    "wildcardProjection",
  ];

  const indexName = (key) => Object.entries(key).map((part) => part.join("_")).join("_");

  /** An index by name or key pattern, as `collMod` names it. */
  const chosen = (index) => (typeof index === "string" ? { name: index } : { keyPattern: index });

  const admin = {
    _createIndexes(keys, options, commitQuorum) {
      const indexes = keys.map((key) => {
        const { name = indexName(key), ...others } = pick(options, INDEX_OPTIONS);
        return { key: typeof key === "string" ? { ...key } : key, name, ...others };
      });
      const shared = pick(options, ["writeConcern", "comment", "maxTimeMS"]);
      run(this._db, compact({ createIndexes: this._name, indexes, commitQuorum, ...shared }));
      return indexes.map(({ name }) => name);
    },

    createIndex(...values) {
      need(values, 1, "Collection.createIndex");
      const [key, options, commitQuorum] = values;
      return this._createIndexes([key], options, commitQuorum)[0];
    },

    createIndexes(keys, options, commitQuorum) {
      return this._createIndexes(keys, options, commitQuorum);
    },

    ensureIndex(...values) {
      need(values, 1, "Collection.ensureIndex");
      const [key, options, commitQuorum] = values;
      return this._createIndexes([key], options, commitQuorum);
    },

    getIndexes() {
      return new __shell.AggregationCursor(this._db, { listIndexes: this._name }).toArray();
    },

    getIndexSpecs() {
      return this.getIndexes();
    },

    getIndices() {
      return this.getIndexes();
    },

    getIndexKeys() {
      return this.getIndexes().map(({ key }) => key);
    },

    dropIndexes(index = "*") {
      return run(this._db, { dropIndexes: this._name, index });
    },

    dropIndex(...values) {
      need(values, 1, "Collection.dropIndex");
      const [index] = values;
      if (index === "*") {
        throw invalid(
          "To drop indexes in the collection using '*', use db.collection.dropIndexes().",
        );
      }
      if (Array.isArray(index)) {
        throw invalid(
          "The index to drop must be either the index name or the index specification document.",
        );
      }
      return this.dropIndexes(index);
    },

    _hide(index, isHidden) {
      const change = index === undefined ? {} : chosen(index);
      return run(this._db, { collMod: this._name, index: { ...change, hidden: isHidden } });
    },

    hideIndex(index) {
      return this._hide(index, true);
    },

    unhideIndex(index) {
      return this._hide(index, false);
    },

    reIndex() {
      return run(this._db, { reIndex: this._name });
    },

    /** Options as `collStats` had them, or a scale alone. */
    stats(options) {
      const scale = (typeof options === "number" ? options : options?.scale) ?? 1;
      const command = __shell.aggregateCommand(this._name, [{ $collStats: { storageStats: {} } }]);
      const [reply] = run(this._db, command).cursor.firstBatch;
      const stored = reply.storageStats;
      const scaled = (size) => (size === undefined ? undefined : size / scale);
      return compact({
        ok: 1,
        capped: stored.capped,
        max: stored.max,
        sharded: false,
        size: scaled(stored.size),
        count: stored.count,
        numOrphanDocs: stored.numOrphanDocs,
        storageSize: scaled(stored.storageSize),
        totalIndexSize: scaled(stored.totalIndexSize),
        totalSize: scaled(stored.totalSize),
        indexSizes: Object.fromEntries(
          Object.entries(stored.indexSizes).map(([name, size]) => [name, size / scale]),
        ),
        avgObjSize: stored.avgObjSize ?? 0,
        maxSize: scaled(stored.maxSize),
        ns: reply.ns,
        nindexes: stored.nindexes,
        scaleFactor: scale,
      });
    },

    dataSize() {
      return this.stats().size;
    },

    storageSize() {
      return this.stats().storageSize;
    },

    totalSize() {
      return this.stats().totalSize;
    },

    totalIndexSize(...values) {
      if (values.length > 0) {
        throw invalid(
          '"totalIndexSize" takes no argument. ' +
            "Use db.collection.stats to get detailed information.",
        );
      }
      return this.stats().totalIndexSize;
    },

    latencyStats(options) {
      return this.aggregate([{ $collStats: { latencyStats: options ?? {} } }]).toArray();
    },

    validate(options = false) {
      const fields = typeof options === "boolean" ? { full: options } : options;
      return run(this._db, { validate: this._name, ...fields });
    },

    exists() {
      return this._database.getCollectionInfos({ name: this._name })[0] ?? null;
    },

    isCapped() {
      const info = this.exists();
      if (info === null) {
        throw new MongoshRuntimeError(`collection ${this.getFullName()} not found`);
      }
      return Boolean(info.options?.capped);
    },

    convertToCapped(size) {
      return run(this._db, { convertToCapped: this._name, size });
    },

    drop(options) {
      const reply = __host.run(this._db, {
        drop: this._name,
        ...pick(options, ["writeConcern", "comment", "maxTimeMS"]),
      });
      if (reply.ok === 1) return true;
      if (reply.codeName === "NamespaceNotFound") return false;
      throw new __shell.errors.MongoServerError(reply);
    },

    renameCollection(...values) {
      needType(values[0], 0, ["string"], "Collection.renameCollection");
      const [name, dropTarget] = values;
      run("admin", {
        renameCollection: this.getFullName(),
        to: `${this._db}.${name}`,
        dropTarget: Boolean(dropTarget),
      });
      return { ok: 1 };
    },

    mapReduce(map, reduce, options) {
      deprecated(
        "Collection.mapReduce() is deprecated. Use an aggregation instead.\n" +
          "See https://mongodb.com/docs/manual/core/map-reduce for details.",
      );
      const given = typeof options === "string" ? { out: options } : options;
      const texts = { map: String(map), reduce: String(reduce) };
      return run(this._db, { mapReduce: this._name, ...texts, ...given });
    },

    watch(pipeline = [], options = {}) {
      const stages = Array.isArray(pipeline) ? pipeline : [pipeline];
      const cursor = this.aggregate([{ $changeStream: { ...options } }, ...stages]);
      cursor._start();
      return cursor;
    },

    getPlanCache() {
      return new PlanCache(this);
    },

    getShardDistribution() {
      throw invalid(`Collection ${this._name} is not sharded`, "SHAPI-10001");
    },

    getShardVersion() {
      return run("admin", { getShardVersion: this.getFullName() });
    },

    getShardLocation() {
      return this._database.aggregate([{ $listClusterCatalog: {} }]).toArray();
    },

    analyzeShardKey(key, options) {
      return run("admin", { analyzeShardKey: this.getFullName(), key, ...options });
    },

    configureQueryAnalyzer(options) {
      return run("admin", { configureQueryAnalyzer: this.getFullName(), ...options });
    },

    checkMetadataConsistency(options) {
      return run(this._db, { checkMetadataConsistency: this._name, ...options });
    },

    compactStructuredEncryptionData() {
      throw invalid(
        'The "compactStructuredEncryptionData" command requires Mongo instance configured ' +
          "with auto encryption.",
      );
    },

    getSearchIndexes(name) {
      const stage = { $listSearchIndexes: name === undefined ? {} : { name } };
      return this.aggregate([stage]).toArray();
    },

    createSearchIndex(...values) {
      const definition = values.findLast((value) => typeof value === "object") ?? {};
      const name = typeof values[0] === "string" ? values[0] : "default";
      return this.createSearchIndexes([{ name, definition }])[0];
    },

    createSearchIndexes(indexes) {
      const reply = run(this._db, { createSearchIndexes: this._name, indexes });
      return reply.indexesCreated.map(({ name }) => name);
    },

    dropSearchIndex(name) {
      run(this._db, { dropSearchIndex: this._name, name });
    },

    updateSearchIndex(name, definition) {
      run(this._db, { updateSearchIndex: this._name, name, definition });
    },
  };
  hidden(Collection.prototype, admin);

  /** The plan cache of a collection. */
  class PlanCache {
    constructor(collection) {
      hidden(this, { _collection: collection });
    }

    [__shell.printable]() {
      return `PlanCache for collection ${this._collection._name}.`;
    }

    clear() {
      return this._collection.runCommand("planCacheClear");
    }

    clearPlansByQuery(query, projection, sort) {
      return this._collection.runCommand("planCacheClear", compact({ query, projection, sort }));
    }

    list(pipeline = []) {
      return this._collection.aggregate([{ $planCacheStats: {} }, ...pipeline]).toArray();
    }

    help() {
      return __shell.help("PlanCache");
    }
  }
  for (const method of ["getPlansByQuery", "listQueryShapes"]) {
    hidden(PlanCache.prototype, {
      [method]() {
        throw new MongoshDeprecatedError(
          `PlanCache.${method} was deprecated, please use PlanCache.list instead`,
        );
      },
    });
  }
  __shell.PlanCache = PlanCache;
})();
