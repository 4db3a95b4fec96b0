// Databases, the connection and the global `db`.
(() => {
  "use strict";

  const { MongoServerError } = __shell.errors;
  const { compact, deprecated, hidden, invalid, need, needType, pick, run } = __shell;

  const isDatabaseName = (name) => name !== "" && !/[/\\. "$*<>:|?\0]/.test(name);

  class Database {
    constructor(mongo, name) {
      hidden(this, { _mongo: mongo, _name: name, _collections: new Map() });
    }

    [__shell.printable]() {
      return this._name;
    }

    getName() {
      return this._name;
    }

    getMongo() {
      return this._mongo;
    }

    getCollection(name) {
      const known = this._collections.get(name);
      if (known !== undefined) return known;
      needType(name, 0, ["string"], "Database.getColl");
      if (name === "" || /[$\0]/.test(name)) throw invalid(`Invalid collection name: ${name}`);
      const collection = __shell.openCollection(this, name);
      this._collections.set(name, collection);
      return collection;
    }

    getSiblingDB(...values) {
      needType(values[0], 0, ["string"], "Database.getSiblingDB");
      return this._mongo._database(values[0]);
    }

    getSisterDB(name) {
      return this.getSiblingDB(name);
    }

    help() {
      return __shell.help("Database");
    }

    _run(command) {
      return run(this._name, command);
    }

    runCommand(...values) {
      const [command, options] = values;
      needType(command, 0, ["string", "object"], "Database.runCommand");
      return this._run(typeof command === "string" ? { [command]: 1, ...options } : command);
    }

    adminCommand(...values) {
      const [command] = values;
      needType(command, 0, ["string", "object"], "Database.adminCommand");
      return run("admin", typeof command === "string" ? { [command]: 1 } : command);
    }

    aggregate(...values) {
      const [pipeline, options] = __shell.stages(values);
      return __shell.aggregate(this._name, 1, pipeline, options);
    }

    getCollectionInfos(filter = {}, options = {}) {
      const names = ["nameOnly", "authorizedCollections", "comment", "maxTimeMS"];
      const command = { listCollections: 1, filter, ...pick(options, names) };
      return new __shell.AggregationCursor(this._name, command).toArray();
    }

    getCollectionNames() {
      const infos = this.getCollectionInfos({}, { nameOnly: true });
      return infos.map(({ name }) => name).sort();
    }

    createCollection(...values) {
      needType(values[0], 0, ["string"], "Database.createCollection");
      this._run({ create: values[0], ...values[1] });
      return { ok: 1 };
    }

    createView(...values) {
      needType(values[0], 0, ["string"], "Database.createView");
      needType(values[1], 1, ["string"], "Database.createView");
      need(values, 3, "Database.createView");
      const [name, viewOn, pipeline, options] = values;
      this._run({ create: name, viewOn, pipeline, ...options });
      return { ok: 1 };
    }

    dropDatabase(writeConcern) {
      this._run(compact({ dropDatabase: 1, writeConcern }));
      return { ok: 1, dropped: this._name };
    }

    stats(options = {}) {
      const fields = typeof options === "object" ? options : { scale: options };
      return this._run({ dbStats: 1, scale: 1, ...fields });
    }

    serverStatus(options) {
      return run("admin", { serverStatus: 1, ...options });
    }

    version() {
      return this.serverBuildInfo().version;
    }

    serverBits() {
      return this.serverBuildInfo().bits;
    }

    currentOp(options = {}) {
      const { $all = false, $ownOps = false, ...filter } =
        typeof options === "boolean" ? { $all: options } : options;
      const scope = { allUsers: !$ownOps, idleConnections: $all, truncateOps: false };
      const pipeline = [{ $currentOp: scope }, { $match: filter }];
      const inprog = __shell.aggregate("admin", 1, pipeline).toArray();
      return { inprog, ok: 1 };
    }

    killOp(op) {
      return run("admin", compact({ killOp: 1, op }));
    }

    getProfilingStatus() {
      return this._run({ profile: -1 });
    }

    setProfilingLevel(...values) {
      need(values, 1, "Database.setProfilingLevel");
      const [level, options] = values;
      if (typeof level !== "number" || level < 0 || level > 2) {
        throw invalid(`Input level ${level} is out of range [0..2]`);
      }
      const fields = typeof options === "number" ? { slowms: options } : options;
      return this._run({ profile: level, ...fields });
    }

    setLogLevel(level, component) {
      const parts = component === undefined ? [] : component.split(".");
      const verbosity = parts.reduceRight((inner, part) => ({ [part]: inner }), {
        verbosity: level,
      });
      return run("admin", { setParameter: 1, logComponentVerbosity: verbosity });
    }

    getLogComponents() {
      const reply = run("admin", { getParameter: 1, logComponentVerbosity: 1 });
      return reply.logComponentVerbosity;
    }

    listCommands() {
      const { commands } = this._run({ listCommands: 1 });
      const sorted = Object.entries(commands).sort(([a], [b]) => (a < b ? -1 : 1));
      const text = sorted.map(([name, command]) => {
        const flags = ["requiresAuth", "secondaryOk", "adminOnly", "apiVersions"];
        const set = flags.filter((flag) => command[flag] === true);
        const lines = [`${name}: ${set.map((flag) => ` ${flag}`).join("")}`];
        lines.push(command.help || "no help defined");
        const versions = command.apiVersions ?? [];
        if (versions.length > 0) lines.push(`API Versions ${versions.join(" ")}`);
        return lines.join("\n");
      });
      return new __shell.Listing(text.join("\n\n"), commands);
    }

    commandHelp(name) {
      return this._run({ [name]: 1, help: true }).help;
    }

    printCollectionStats(scale = 1) {
      if (typeof scale !== "number" || scale < 1) {
        throw invalid(`scale has to be a number >= 1, got ${scale}`);
      }
      const texts = this.getCollectionNames().map((name) => {
        let stats;
        try {
          stats = this.getCollection(name).stats({ scale });
        } catch (error) {
          if (!(error instanceof MongoServerError)) throw error;
          stats = { ok: 0, errmsg: error.message };
        }
        return `${name}\n${__shell.inspect(stats)}`;
      });
      return new __shell.Listing(texts.join("\n---\n"), null);
    }

    getLastErrorObj(...values) {
      deprecated("Database.getLastErrorObj() is deprecated and will be removed in the future.");
      return this._lastError(values);
    }

    getLastError(...values) {
      deprecated("Database.getLastError() is deprecated and will be removed in the future.");
      const reply = this._lastError(values);
      return reply.err ?? null;
    }

    _lastError([w, wtimeout, j]) {
      try {
        return this._run(compact({ getlasterror: 1, w, wtimeout, j }));
      } catch (error) {
        if (error instanceof MongoServerError) return error;
        throw error;
      }
    }

    watch(pipeline = [], options = {}) {
      const cursor = this.aggregate([{ $changeStream: { ...options } }, ...pipeline]);
      cursor._start();
      return cursor;
    }

    sql() {
      throw new __shell.errors.MongoshRuntimeError(
        "db.sql currently only works when connected to a Data Lake",
        "COMMON-10004",
      );
    }

    auth(user, pwd) {
      return this._run({ authenticate: 1, user, pwd });
    }

    setSecondaryOk() {
      deprecated(
        '.setSecondaryOk() is deprecated. Use .setReadPref("primaryPreferred") instead\n' +
          'Setting read preference from "primary" to "primaryPreferred"',
      );
    }

    checkMetadataConsistency(options) {
      return this._run({ checkMetadataConsistency: 1, ...options });
    }

    createEncryptedCollection() {
      throw invalid(
        "createEncryptedCollection requires Mongo instance configured with auto encryption.",
      );
    }
  }

  __shell.warnNotSharded = () => {
    __shell.warn(
      "Warning: MongoshWarning: [SHAPI-10003] You are not connected to a mongos. " +
        "This command may not work as expected.",
    );
  };
  const NO_SET = "Replication not detected. Are you connected to a replset?";
  const refused = (message, code) => () => {
    throw invalid(message, code);
  };
  hidden(Database.prototype, {
    getReplicationInfo: refused(NO_SET, "SHAPI-10002"),
    printReplicationInfo: refused(NO_SET, "SHAPI-10002"),
    printSecondaryReplicationInfo: refused(
      "local.system.replset is empty. Are you connected to a replica set?",
      "SHAPI-10002",
    ),
    printShardingStatus() {
      __shell.warnNotSharded();
      throw invalid(
        "This db does not have sharding enabled. " +
          "Be sure you are connecting to a mongos from the shell and not to a mongod.",
        "SHAPI-10003",
      );
    },
    cloneDatabase: __shell.removed("cloneDatabase"),
    cloneCollection: __shell.removed("cloneCollection"),
    copyDatabase: __shell.removed("copyDatabase"),
    printSlaveReplicationInfo: refused(
      "printSlaveReplicationInfo has been deprecated. Use printSecondaryReplicationInfo instead",
      "COMMON-10003",
    ),
  });

  /** Methods that are a command of the same shape: on the database, or on `admin`. */
  for (const [method, command, onAdmin] of [
    ["hello", "hello"],
    ["isMaster", "isMaster"],
    ["serverBuildInfo", "buildInfo", true],
    ["hostInfo", "hostInfo", true],
    ["serverCmdLineOpts", "getCmdLineOpts", true],
    ["fsyncUnlock", "fsyncUnlock", true],
    ["shutdownServer", "shutdown", true],
    ["rotateCertificates", "rotateCertificates", true],
    ["logout", "logout"],
    ["dropAllUsers", "dropAllUsersFromDatabase"],
    ["dropAllRoles", "dropAllRolesFromDatabase"],
  ]) {
    hidden(Database.prototype, {
      [method](options) {
        return run(onAdmin ? "admin" : this._name, { [command]: 1, ...options });
      },
    });
  }

  /** Methods about users and roles: the command's first field, and those of further arguments. */
  for (const [method, fields] of [
    ["createUser", ["createUser"]],
    ["updateUser", ["updateUser"]],
    ["dropUser", ["dropUser"]],
    ["createRole", ["createRole"]],
    ["updateRole", ["updateRole"]],
    ["dropRole", ["dropRole"]],
    ["changeUserPassword", ["updateUser", "pwd"]],
    ["grantRolesToUser", ["grantRolesToUser", "roles"]],
    ["revokeRolesFromUser", ["revokeRolesFromUser", "roles"]],
    ["grantRolesToRole", ["grantRolesToRole", "roles"]],
    ["revokeRolesFromRole", ["revokeRolesFromRole", "roles"]],
    ["grantPrivilegesToRole", ["grantPrivilegesToRole", "privileges"]],
    ["revokePrivilegesFromRole", ["revokePrivilegesFromRole", "privileges"]],
  ]) {
    hidden(Database.prototype, {
      [method](...values) {
        need(values, fields.length, `Database.${method}`);
        const [first, second] = values;
        if (typeof first === "object") {
          const { user, role, ...others } = first;
          return this._run({ [fields[0]]: user ?? role, ...others });
        }
        if (fields[1] === undefined) return this._run({ [fields[0]]: first, ...second });
        return this._run({ [fields[0]]: first, [fields[1]]: second });
      },
    });
  }

  hidden(Database.prototype, {
    fsyncLock() {
      return run("admin", { fsync: 1, lock: true });
    },
    getUser(user, options) {
      return this._run({ usersInfo: { user, db: this._name }, ...options }).users[0] ?? null;
    },
    getUsers(options) {
      return this._run({ usersInfo: 1, ...options });
    },
    getRole(role, options) {
      return this._run({ rolesInfo: { role, db: this._name }, ...options }).roles[0] ?? null;
    },
    getRoles(options) {
      return this._run({ rolesInfo: 1, ...options });
    },
  });

  const proxied = {
    get(database, name) {
      if (typeof name === "symbol" || name in database) return database[name];
      if (name.startsWith("_")) return undefined;
      return database.getCollection(name);
    },
  };

  /** The connection. */
  class Mongo {
    constructor() {
      hidden(this, { _databases: new Map() });
    }

    [__shell.printable]() {
      return this.getURI();
    }

    _database(name) {
      if (!isDatabaseName(name)) throw invalid(`Invalid database name: ${name}`);
      let database = this._databases.get(name);
      if (database === undefined) {
        database = new Proxy(new Database(this, name), proxied);
        this._databases.set(name, database);
      }
      return database;
    }

    getDB(...values) {
      needType(values[0], 0, ["string"], "Mongo.getDB");
      return this._database(values[0]);
    }

    getCollection(...values) {
      needType(values[0], 0, ["string"], "Mongo.getCollection");
      const [name] = values;
      const dot = name.indexOf(".");
      if (dot < 1) throw invalid("Collection must be of the format <db>.<collection>");
      return this._database(name.slice(0, dot)).getCollection(name.slice(dot + 1));
    }

    getDBs(options) {
      return run("admin", { listDatabases: 1, ...options });
    }

    getDBNames(options) {
      return this.getDBs(options).databases.map(({ name }) => name);
    }

    getURI() {
      return "mayfly:";
    }

    help() {
      return __shell.help("Mongo");
    }
  }

  __shell.Mongo = Mongo;
  const mongo = new Mongo();
  let current = mongo._database("test");

  Object.defineProperty(globalThis, "db", {
    configurable: true,
    enumerable: true,
    get: () => current,
    set(database) {
      if (!(database instanceof Database)) {
        throw invalid("Cannot reassign 'db' to non-Database type", "COMMON-10002");
      }
      current = database;
    },
  });

  /** The name of the database in use. */
  __shell.database = () => current._name;

  /** Uses another database; returns what is printed. */
  __shell.use = (name) => {
    needType(name, 0, ["string"], "Mongo.use");
    if (name === current._name) return `already on db ${name}`;
    current = mongo._database(name);
    return `switched to db ${name}`;
  };
  __shell.mongo = mongo;
})();
