// What mongosh offers for a deployment: the rest of the connection, `rs` and `sh`.
(() => {
  "use strict";

  const { MongoServerError, MongoshDeprecatedError, MongoshUnimplementedError } = __shell.errors;
  const { Mongo, compact, hidden, invalid, need, run } = __shell;

  const unsupported = (message) => () => {
    throw new MongoshUnimplementedError(message);
  };
  const noEncryption = () => {
    throw invalid(
      "Cannot call getClientEncryption() without field-level encryption options",
      "SHAPI-10005",
    );
  };

  /** One operation of the `bulkWrite` command; `at` is the position of its namespace. */
  const OPERATIONS = {
    insertOne: (at, { document }) => ({ insert: at, document: __shell.withId(document) }),
    updateOne: (at, model) => update(at, model, false),
    updateMany: (at, model) => update(at, model, true),
    replaceOne: (at, { replacement, ...model }) =>
      change(at, { ...model, updateMods: replacement, multi: false }),
    deleteOne: (at, model) => remove(at, model, false),
    deleteMany: (at, model) => remove(at, model, true),
  };
  const change = (at, { filter, updateMods, multi, upsert, arrayFilters, hint, collation }) =>
    compact({ update: at, filter, updateMods, multi, upsert, arrayFilters, hint, collation });
  const update = (at, { update: updateMods, ...model }, multi) => {
    __shell.checkUpdate(model.filter, updateMods);
    return change(at, { ...model, updateMods, multi });
  };
  const remove = (at, { filter, hint, collation }, multi) =>
    compact({ delete: at, filter, multi, hint, collation });

  // One node: every read preference and every concern means the same, so they are only remembered.
  const chosen = { readPref: "primary", readConcern: undefined, writeConcern: undefined };

  hidden(Mongo.prototype, {
    bulkWrite(models, options = {}) {
      const spaces = [...new Set(models.map(({ namespace }) => namespace))];
      const ops = models.map(({ name, namespace, ...model }) => {
        if (!Object.hasOwn(OPERATIONS, name)) throw invalid(`Unknown bulkWrite model "${name}"`);
        return OPERATIONS[name](spaces.indexOf(namespace), model);
      });
      const { ordered, bypassDocumentValidation, comment, writeConcern } = options;
      const reply = run(
        "admin",
        compact({
          bulkWrite: 1,
          ops,
          nsInfo: spaces.map((ns) => ({ ns })),
          errorsOnly: true,
          ordered,
          bypassDocumentValidation,
          let: options.let,
          comment,
          writeConcern,
        }),
      );
      const failed = reply.cursor?.firstBatch.find(({ ok }) => ok === 0);
      if (failed !== undefined) throw new MongoServerError(failed);
      return {
        acknowledged: true,
        insertedCount: reply.nInserted,
        matchedCount: reply.nMatched,
        modifiedCount: reply.nModified,
        deletedCount: reply.nDeleted,
        upsertedCount: reply.nUpserted,
        insertResults: undefined,
        updateResults: undefined,
        deleteResults: undefined,
      };
    },
    use: (name) => __shell.use(name),
    show: (what, argument) => __shell.showCommand(what, argument),
    watch(pipeline = [], options = {}) {
      const stage = { $changeStream: { ...options, allChangesForCluster: true } };
      const cursor = __shell.aggregate("admin", 1, [stage, ...pipeline]);
      cursor._start();
      return cursor;
    },
    close() {},
    connect() {
      return db;
    },
    getReadPrefMode: () => chosen.readPref,
    getReadPref: () => ({ mode: chosen.readPref }),
    getReadPrefTagSet: () => undefined,
    getReadConcern: () => chosen.readConcern,
    getWriteConcern: () => chosen.writeConcern,
    setReadPref(mode) {
      chosen.readPref = mode;
    },
    setReadConcern(level) {
      chosen.readConcern = level;
    },
    setWriteConcern(concern) {
      chosen.writeConcern = typeof concern === "object" ? concern : { w: concern };
    },
    setSecondaryOk: () => db.setSecondaryOk(),
    setSlaveOk() {
      throw new MongoshDeprecatedError(
        "Setting slaveOk is deprecated, use setReadPref instead.",
      );
    },
    startSession: unsupported("Sessions are not supported: a store has no transactions"),
    setCausalConsistency: unsupported(
      "It is not possible to set causal consistency for an entire connection due to the driver, " +
        "use startSession({causalConsistency: <>}) instead.",
    ),
    isCausalConsistency: unsupported(
      "Causal consistency for drivers is set via Mongo.startSession and can be checked via " +
        "session.getOptions. The default value is true",
    ),
    getKeyVault: noEncryption,
    getClientEncryption: noEncryption,
  });

  /** `rs`: a store isn't a replica set, and the engine says so. */
  class ReplicaSet {
    [__shell.printable]() {
      return `ReplicaSet class connected to ${__shell.mongo.getURI()} via db ${db.getName()}`;
    }

    help() {
      return __shell.help("ReplicaSet");
    }

    freeze(...values) {
      need(values, 1, "ReplicaSet.freeze");
      return run("admin", { replSetFreeze: values[0] });
    }

    syncFrom(host) {
      return run("admin", { replSetSyncFrom: host });
    }

    secondaryOk() {
      return db.setSecondaryOk();
    }
  }
  for (const [command, ...methods] of [
    ["replSetGetStatus", "status"],
    ["replSetGetConfig", "conf", "config", "reconfig", "reconfigForPSASet"],
    ["replSetGetConfig", "add", "addArb", "remove"],
    ["replSetInitiate", "initiate"],
    ["replSetStepDown", "stepDown"],
    ["hello", "hello"],
    ["isMaster", "isMaster"],
  ]) {
    for (const method of methods) {
      hidden(ReplicaSet.prototype, { [method]: () => run("admin", { [command]: 1 }) });
    }
  }
  for (const method of [
    "printReplicationInfo",
    "printSecondaryReplicationInfo",
    "printSlaveReplicationInfo",
  ]) {
    hidden(ReplicaSet.prototype, { [method]: () => db[method]() });
  }
  globalThis.rs = new ReplicaSet();

  /** `sh`: a store is not sharded, and the engine says so. */
  class Shard {
    [__shell.printable]() {
      return `Shard class connected to ${__shell.mongo.getURI()} via db ${db.getName()}`;
    }

    help() {
      return __shell.help("Shard");
    }

    status() {
      return db.printShardingStatus();
    }
  }
  const MONGOS = ["enableSharding", "shardCollection"];
  const WARNED = ["addShard", "balancerStatus"];
  for (const [command, ...methods] of [
    ["enableSharding", "enableSharding"],
    ["shardCollection", "shardCollection", "shardAndDistributeCollection"],
    ["addShard", "addShard"],
    ["addShardToZone", "addShardToZone", "addShardTag"],
    ["removeShardFromZone", "removeShardFromZone", "removeShardTag"],
    ["updateZoneKeyRange", "updateZoneKeyRange", "addTagRange"],
    ["updateZoneKeyRange", "removeRangeFromZone", "removeTagRange"],
    ["balancerStart", "startBalancer", "startAutoMerger", "enableAutoMerger"],
    ["balancerStop", "stopBalancer", "stopAutoMerger", "disableAutoMerger", "setBalancerState"],
    ["balancerStatus", "isBalancerRunning", "isAutoMergerEnabled"],
    ["balancerCollectionStatus", "balancerCollectionStatus"],
    ["listShards", "listShards", "isConfigShardEnabled", "shardDrainingStatus"],
    ["split", "splitAt", "splitFind"],
    ["moveChunk", "moveChunk"],
    ["moveRange", "moveRange"],
    ["moveCollection", "moveCollection"],
    ["reshardCollection", "reshardCollection"],
    ["unshardCollection", "unshardCollection"],
  ]) {
    for (const method of methods) {
      hidden(Shard.prototype, {
        [method](...values) {
          if (WARNED.includes(command)) __shell.warnNotSharded();
          try {
            return run("admin", { [command]: values[0] ?? 1 });
          } catch (error) {
            if (MONGOS.includes(command) && error instanceof MongoServerError) {
              error.message += ". Are you connected to mongos?";
            }
            throw error;
          }
        },
      });
    }
  }
  globalThis.sh = new Shard();
})();
