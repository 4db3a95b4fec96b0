// `db.collection.explain()`: the commands of a collection, explained instead of run.
(() => {
  "use strict";

  const { Collection, deprecated, hidden, need, run } = __shell;

  const ONE_AND = ["findOneAndDelete", "findOneAndReplace", "findOneAndUpdate"];

  class Explainable {
    constructor(collection, verbosity) {
      hidden(this, { _collection: collection, _verbosity: verbosity });
    }

    [__shell.printable]() {
      return `Explainable(${this._collection.getFullName()})`;
    }

    _explain(command) {
      return run(this._collection._db, { explain: command, verbosity: this._verbosity });
    }

    getCollection() {
      return this._collection;
    }

    getVerbosity() {
      return this._verbosity;
    }

    setVerbosity(verbosity) {
      this._verbosity = verbosity;
    }

    find(query, projection, options) {
      const command = this._collection._findCommand(query, projection, options);
      return new __shell.ExplainableCursor(this._collection._db, command, this._verbosity);
    }

    aggregate(...values) {
      const [pipeline, options] = __shell.stages(values);
      return this._explain(
        __shell.aggregateCommand(this._collection._name, pipeline, options),
      );
    }

    count(query, options) {
      return this._explain(this._collection._countCommand(query, options));
    }

    distinct(key, query, options) {
      return this._explain(this._collection._distinctCommand(key, query, options));
    }

    findAndModify(options) {
      const collection = this._collection;
      return this._explain(collection._modifyCommand(...collection._findAndModifyFields(options)));
    }

    remove(...values) {
      const collection = this._collection;
      const fields = collection._removeFields(values, "Explainable.remove");
      return this._explain(collection._deleteCommand(...fields));
    }

    update(...values) {
      deprecated("Collection.update() is deprecated. Use updateOne, updateMany, or bulkWrite.");
      need(values, 2, "Explainable.update");
      const [q, u, options] = values;
      const statement = { q, u, multi: Boolean(options?.multi) };
      return this._explain(this._collection._updateCommand(statement, options));
    }

    mapReduce(map, reduce, options) {
      const texts = { map: String(map), reduce: String(reduce) };
      return this._explain({ mapReduce: this._collection._name, ...texts, ...options });
    }

    help() {
      return __shell.help("Explainable");
    }
  }
  for (const method of ONE_AND) {
    hidden(Explainable.prototype, {
      [method](...values) {
        const collection = this._collection;
        const fields = collection._findOneAndFields(method, values);
        return this._explain(collection._modifyCommand(...fields));
      },
    });
  }

  hidden(Collection.prototype, {
    explain(verbosity = "queryPlanner") {
      const names = { true: "allPlansExecution", false: "queryPlanner" };
      return new Explainable(this, names[verbosity] ?? verbosity);
    },
  });

  hidden(__shell.ExplainableCursor.prototype, {
    [__shell.page]: undefined,
    [__shell.printable]() {
      return this.finish();
    },
  });
})();
