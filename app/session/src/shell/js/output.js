// What an input displays: values, pages of cursors, `print`, `printjson`, and its settings.
(() => {
  "use strict";

  const { show: showValue } = __shell;

  /** Key of the method by which an object of the shell says what to display instead of itself. */
  __shell.printable = Symbol("printable");
  /** Key of a mark: displayed by itself, the object has no class name. */
  __shell.unnamed = Symbol("unnamed");
  /** Key of a cursor's method that takes the documents of one page. */
  __shell.page = Symbol("page");

  /** A text to display with the value that it stands for. */
  class Listing {
    constructor(text, value) {
      this.text = text;
      this.value = value;
    }
  }
  __shell.Listing = Listing;

  /** The cursor that `it` continues. */
  let displayed = null;

  const MORE = 'Type "it" for more';

  const page = (cursor) => {
    const documents = cursor[__shell.page](__shell.batchSize());
    displayed = cursor.isExhausted() ? null : cursor;
    if (documents.length === 0) return new Listing("", []);
    const text = __shell.inspect(documents, Infinity);
    return new Listing(displayed === null ? text : `${text}\n${MORE}`, documents);
  };

  /** The next page of the cursor displayed last. */
  __shell.more = () => (displayed === null ? "no cursor" : page(displayed));

  /** What to display for a value: itself, or what it says. */
  const resolve = (value) => {
    if (value === null || typeof value !== "object") return value;
    if (value instanceof Error) return new Listing(__shell.failure(value), String(value));
    if (value[__shell.unnamed]) return { ...value };
    const printable = value[__shell.printable];
    if (printable !== undefined) return resolve(printable.call(value));
    return value[__shell.page] === undefined ? value : page(value);
  };

  const text = (value) => {
    const shown = resolve(value);
    if (shown instanceof Listing) return shown.text;
    return __shell.text(shown);
  };

  __shell.show = (value) => {
    const shown = resolve(value);
    if (shown instanceof Listing) return [shown.text, (showValue(shown.value) ?? ["", "null"])[1]];
    return showValue(shown);
  };

  globalThis.print = (...values) => {
    __host.print(values.map(text).join(" "));
  };

  globalThis.printjson = (...values) => {
    const texts = values.map((value) => {
      const shown = resolve(value);
      if (shown instanceof Listing) {
        return Array.isArray(shown.value) ? __shell.lines(shown.value) : shown.text;
      }
      return __shell.lines(shown);
    });
    __host.print(texts.join(" "));
  };

  const { print } = globalThis;
  globalThis.console = {
    log: print,
    info: print,
    debug: print,
    warn: print,
    error: print,
    dir: print,
    clear() {},
  };

  const DEFAULTS = { displayBatchSize: 20, maxTimeMS: null };
  const settings = new Map(Object.entries(DEFAULTS));
  let queryBatchSize;

  /** How many documents of a cursor are displayed at once. */
  __shell.batchSize = () => queryBatchSize ?? settings.get("displayBatchSize");
  __shell.setting = (name) => settings.get(name);

  const isPositive = (number) => Number.isInteger(number) && number > 0;
  const VALID = {
    displayBatchSize: [isPositive, "a positive integer"],
    maxTimeMS: [(limit) => limit === null || isPositive(limit), "null or a positive integer"],
  };
  const unknown = (name) => `Option "${name}" is not available in this environment`;

  class ShellConfig {
    get(name) {
      return settings.get(name);
    }
    set(name, value) {
      if (!settings.has(name)) return unknown(name);
      const [isValid, rule] = VALID[name];
      if (!isValid(value)) return `Cannot set option "${name}": ${name} must be ${rule}`;
      settings.set(name, value);
      return `Setting "${name}" has been changed`;
    }
    reset(name) {
      if (!settings.has(name)) return unknown(name);
      settings.set(name, DEFAULTS[name]);
      return `Setting "${name}" has been reset to its default value`;
    }
    [__shell.printable]() {
      return new Map(settings);
    }
  }
  globalThis.config = new ShellConfig();

  class DBQuery {
    get shellBatchSize() {
      return queryBatchSize;
    }
    set shellBatchSize(size) {
      __shell.deprecated(
        'DBQuery.shellBatchSize is deprecated, please use config.set("displayBatchSize") instead',
      );
      queryBatchSize = size;
    }
  }
  globalThis.DBQuery = new DBQuery();
  globalThis.DBQuery.Option = {
    tailable: 2,
    slaveOk: 4,
    oplogReplay: 8,
    noTimeout: 16,
    awaitData: 32,
    exhaust: 64,
    partial: 128,
  };

  globalThis.version = () => "2.12.0";
  globalThis.isInteractive = () => true;
})();
