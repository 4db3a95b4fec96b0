// Values as mongosh prints them: the format of Node's `util.inspect`.
"use strict";
(() => {
  const { custom, hide } = __shell;
  const WIDTH = 80;
  // A value with more nested levels than this is broken into lines.
  const COMPACT = 3;
  // Without breaks, strings up to here stay on one line.
  const LINE_MIN = 16;
  const DEPTH = 6;
  const ITEMS_MAX = 100;
  const CHARS_MAX = 10_000;

  const short = { "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", "\\": "\\\\" };
  const escaped = (char) => {
    if (short[char]) return short[char];
    const code = char.charCodeAt(0);
    return code > 255
      ? `\\u${code.toString(16)}`
      : `\\x${code.toString(16).toUpperCase().padStart(2, "0")}`;
  };
  const special =
    /[\x00-\x1f\x7f-\x9f\\]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
  // Single quotes, unless the text has them and others fit better.
  const quote = (text) => {
    const fits = !text.includes("'")
      ? "'"
      : !text.includes('"')
        ? '"'
        : !text.includes("`") && !text.includes("${")
          ? "`"
          : "'";
    const inner = text.replace(special, escaped);
    return fits + (fits === "'" ? inner.replaceAll("'", "\\'") : inner) + fits;
  };
  const plainKey = /^[a-zA-Z_][a-zA-Z_0-9]*$/;
  const keyText = (key) => {
    if (typeof key === "symbol") return `[${String(key).replace(special, escaped)}]`;
    if (key === "__proto__") return "['__proto__']";
    return plainKey.test(key) ? key : quote(key);
  };
  const number = (value) => (Object.is(value, -0) ? "-0" : String(value));

  const tagOf = (value) => {
    const tag = value[Symbol.toStringTag];
    return typeof tag === "string" && !Object.hasOwn(enumerable(value), Symbol.toStringTag)
      ? tag
      : "";
  };
  const enumerable = (value) => {
    const found = Object.getOwnPropertyDescriptor(value, Symbol.toStringTag);
    return found?.enumerable ? { [Symbol.toStringTag]: true } : {};
  };
  // The name of the class, `null` without a prototype.
  const className = (value) => {
    for (let at = value; at !== null; at = Object.getPrototypeOf(at)) {
      const made = Object.getOwnPropertyDescriptor(at, "constructor")?.value;
      if (typeof made === "function" && made.name !== "" && value instanceof made) return made.name;
    }
    return null;
  };
  const prefix = (name, tag, fallback, size = "") => {
    if (name === null) {
      const shown = tag !== "" && tag !== fallback ? `[${tag}] ` : "";
      return `[${fallback}${size}: null prototype] ${shown}`;
    }
    return `${name}${size} ${tag !== "" && tag !== name ? `[${tag}] ` : ""}`;
  };
  const isKind = (value, method) => {
    try {
      method.call(value);
      return true;
    } catch {
      return false;
    }
  };
  const getter = (cls, name) => Object.getOwnPropertyDescriptor(cls.prototype, name).get;
  const [mapSize, setSize] = [getter(Map, "size"), getter(Set, "size")];
  const typedTag = getter(Object.getPrototypeOf(Uint8Array), Symbol.toStringTag);
  const bufferLength = getter(ArrayBuffer, "byteLength");
  const dataLength = getter(DataView, "byteLength");
  const boxes = [
    [Number, "Number"],
    [String, "String"],
    [Boolean, "Boolean"],
    [BigInt, "BigInt"],
    [Symbol, "Symbol"],
  ];
  const unreadable = { WeakMap: WeakMap.prototype.has, WeakSet: WeakSet.prototype.has };

  const isIndex = (key) =>
    typeof key === "string" && /^(0|[1-9][0-9]*)$/.test(key) && Number(key) < 2 ** 32 - 1;
  const keysOf = (value, isList) => {
    const symbols = Object.getOwnPropertySymbols(value).filter((key) =>
      Object.prototype.propertyIsEnumerable.call(value, key),
    );
    const keys = Object.keys(value);
    // Indexes come first.
    let start = keys.length;
    while (isList && start > 0 && !isIndex(keys[start - 1])) start -= 1;
    return [...(isList ? keys.slice(start) : keys), ...symbols];
  };

  class Printer {
    constructor(depth, isFull, isBroken) {
      this.depth = depth;
      this.compact = isBroken ? 0 : COMPACT;
      this.itemsMax = isFull ? Infinity : ITEMS_MAX;
      this.charsMax = isFull ? Infinity : CHARS_MAX;
      this.seen = [];
      this.circular = new Map();
      this.indent = 0;
      this.current = 0;
    }

    value(value, level, isTyped = false) {
      switch (typeof value) {
        case "string":
          return this.string(value);
        case "number":
          return number(value);
        case "bigint":
          return `${value}n`;
        case "symbol":
          return String(value).replace(special, escaped);
        case "object":
          if (value !== null) break;
        // Falls through: `null` is a primitive.
        case "undefined":
        case "boolean":
          return String(value);
      }
      const printable = value[__shell.printable];
      if (typeof printable === "function") {
        const shown = printable.call(value);
        return typeof shown === "string" ? shown : this.value(shown, level);
      }
      const own = value[custom];
      if (typeof own === "function" && value !== __shell.inspect) {
        const options = {
          depth: this.depth,
          isFull: this.itemsMax === Infinity,
          isBroken: this.compact === 0,
        };
        const text = own.call(value, this.depth - level, options, __shell.inspect);
        if (text !== value) {
          return typeof text === "object"
            ? this.value(text, level)
            : String(text).replaceAll("\n", `\n${" ".repeat(this.indent)}`);
        }
      }
      if (this.seen.includes(value)) {
        if (!this.circular.has(value)) this.circular.set(value, this.circular.size + 1);
        return `[Circular *${this.circular.get(value)}]`;
      }
      return this.object(value, level, isTyped);
    }

    string(text) {
      let rest = "";
      if (text.length > this.charsMax) {
        const left = text.length - this.charsMax;
        text = text.slice(0, this.charsMax);
        rest = `... ${left} more character${left > 1 ? "s" : ""}`;
      }
      if (text.length > LINE_MIN && text.length > WIDTH - this.indent - 4) {
        return (
          text
            .split(/(?<=\n)/)
            .map(quote)
            .join(` +\n${" ".repeat(this.indent + 2)}`) + rest
        );
      }
      return quote(text) + rest;
    }

    // Base text, braces, and a function that lists the entries; or a text that needs no entries.
    shape(value) {
      const name = className(value);
      const tag = tagOf(value);
      if (Array.isArray(value)) {
        const start =
          name === "Array" && tag === "" ? "" : prefix(name, tag, "Array", `(${value.length})`);
        const keys = keysOf(value, true);
        if (value.length === 0 && keys.length === 0) return `${start}[]`;
        return {
          braces: [`${start}[`, "]"],
          keys,
          list: (level) => this.array(value, level),
          isArray: true,
        };
      }
      const keys = keysOf(value, false);
      if (Object.getPrototypeOf(value) === Object.prototype && tag === "" && name === "Object") {
        return this.collection(
          Object.prototype.toString.call(value) === "[object Arguments]" ? "[Arguments] " : "",
          0,
          keys,
          () => [],
        );
      }
      if (typeof value === "function")
        return this.withBase(this.functionBase(value, name, tag), keys);
      if (isKind(value, mapSize)) {
        const size = mapSize.call(value);
        return this.collection(prefix(name, tag, "Map", `(${size})`), size, keys, (level) =>
          this.map(value, level),
        );
      }
      if (isKind(value, setSize)) {
        const size = setSize.call(value);
        return this.collection(prefix(name, tag, "Set", `(${size})`), size, keys, (level) =>
          this.items(Set.prototype.values.call(value), level),
        );
      }
      const typed = ArrayBuffer.isView(value) && typedTag.call(value);
      if (typed) {
        const start = prefix(name, tag, typed, `(${value.length})`);
        const others = keysOf(value, true);
        if (value.length === 0 && others.length === 0) return `${start}[]`;
        return {
          braces: [`${start}[`, "]"],
          keys: others,
          list: () => this.numbers(value),
          isArray: true,
        };
      }
      return this.rest(value, name, tag, keys);
    }

    collection(start, size, keys, list) {
      if (size === 0 && keys.length === 0) return `${start}{}`;
      return { braces: [`${start}{`, "}"], keys, list };
    }

    withBase(base, keys) {
      return keys.length === 0 ? base : { base, braces: ["{", "}"], keys, list: () => [] };
    }

    rest(value, name, tag, keys) {
      if (value instanceof Error)
        return this.withBase(
          this.error(value, keys),
          keys.filter((key) => key !== "stack"),
        );
      if (Object.prototype.toString.call(value) === "[object RegExp]" && value instanceof RegExp) {
        const text = RegExp.prototype.toString.call(value);
        return this.withBase(
          name === "RegExp" ? text : `${prefix(name, tag, "RegExp")}${text}`,
          keys,
        );
      }
      for (const [cls, kind] of boxes) {
        if (!(value instanceof cls) || !isKind(value, cls.prototype.valueOf)) continue;
        const inner = cls.prototype.valueOf.call(value);
        const text =
          `[${kind}${name === kind ? "" : ` (${name ?? "null prototype"})`}: ` +
          `${typeof inner === "string" ? quote(inner) : this.value(inner, 0)}]`;
        return this.withBase(text, kind === "String" ? keys.filter((key) => !isIndex(key)) : keys);
      }
      if (isKind(value, bufferLength)) {
        const bytes = new Uint8Array(value);
        const shown = [...bytes.slice(0, Math.min(ITEMS_MAX / 2, bytes.length))];
        const left = bytes.length - shown.length;
        const text =
          `[Uint8Contents]: <${shown.map((byte) => byte.toString(16).padStart(2, "0")).join(" ")}` +
          `${left > 0 ? ` ... ${left} more byte${left > 1 ? "s" : ""}` : ""}>`;
        return {
          braces: [`${prefix(name, tag, "ArrayBuffer")}{`, "}"],
          keys,
          list: () => [text, `byteLength: ${bytes.length}`],
        };
      }
      if (isKind(value, dataLength)) {
        return {
          braces: [`${prefix(name, tag, "DataView")}{`, "}"],
          keys,
          list: (level) =>
            ["byteLength", "byteOffset", "buffer"].map(
              (key) => `${key}: ${this.nested(value[key], level)}`,
            ),
        };
      }
      for (const [kind, has] of Object.entries(unreadable)) {
        if (isKind(value, has)) {
          return {
            braces: [`${prefix(name, tag, kind)}{`, "}"],
            keys,
            list: () => ["<items unknown>"],
          };
        }
      }
      const start = name === "Object" && tag === "" ? "" : prefix(name, tag, "Object");
      return this.collection(start, 0, keys, () => []);
    }

    functionBase(value, name, tag) {
      const source = Function.prototype.toString.call(value);
      if (source.startsWith("class") && source.endsWith("}")) {
        const parent = Object.getPrototypeOf(value)?.name;
        return (
          `[class ${Object.hasOwn(value, "name") && value.name ? value.name : "(anonymous)"}` +
          `${name !== "Function" && name !== null ? ` [${name}]` : ""}` +
          `${parent ? ` extends ${parent}` : name === null ? " extends [null prototype]" : ""}]`
        );
      }
      const kind = Object.getPrototypeOf(value)?.[Symbol.toStringTag] || "Function";
      const called =
        value.name === "" || typeof value.name !== "string" ? " (anonymous)" : `: ${value.name}`;
      return (
        `[${kind}${name === null ? " (null prototype)" : ""}${called}]` +
        `${name !== kind && name !== null && name !== "Function" ? ` ${name}` : ""}` +
        `${tag !== "" && tag !== name && tag !== kind ? ` [${tag}]` : ""}`
      );
    }

    // Without the stack: its lines name places in the console's own files.
    error(value) {
      const text = Error.prototype.toString.call(value);
      return this.seen.length === 0 ? text : `[${text}]`;
    }

    object(value, level) {
      const shape = this.shape(value);
      if (typeof shape === "string") return shape;
      const { base = "", braces, keys, list, isArray } = shape;
      if (level > this.depth) {
        const name = className(value) ?? "Object: null prototype";
        return `[${isArray && Array.isArray(value) ? "Array" : name}]`;
      }
      this.seen.push(value);
      this.current = level;
      const output = list(level + 1);
      for (const key of keys) output.push(this.property(value, key, level + 1));
      this.seen.pop();
      let start = base;
      if (this.circular.has(value)) {
        const reference = `<ref *${this.circular.get(value)}>`;
        start = base === "" ? reference : `${reference} ${base}`;
      }
      return this.join(output, start, braces, level, isArray ? value : undefined);
    }

    nested(value, level) {
      this.indent += 2;
      const text = this.value(value, level);
      this.indent -= 2;
      return text;
    }

    property(value, key, level) {
      const found = Object.getOwnPropertyDescriptor(value, key) ?? { value: value[key] };
      const text = found.get
        ? found.set
          ? "[Getter/Setter]"
          : "[Getter]"
        : found.set
          ? "[Setter]"
          : this.nested(found.value, level);
      return `${keyText(key)}: ${text}`;
    }

    more(count, total) {
      const left = total - count;
      return left > 0 ? [`... ${left} more item${left > 1 ? "s" : ""}`] : [];
    }

    array(value, level) {
      const output = [];
      let at = 0;
      while (at < value.length && output.length < this.itemsMax) {
        if (at in value) {
          const found = Object.getOwnPropertyDescriptor(value, at) ?? { value: value[at] };
          output.push(
            found.get || found.set
              ? this.property(value, String(at), level).replace(/^[^:]*: /, "")
              : this.nested(found.value, level),
          );
          at += 1;
        } else {
          const start = at;
          while (at < value.length && !(at in value)) at += 1;
          output.push(`<${at - start} empty item${at - start > 1 ? "s" : ""}>`);
        }
      }
      return [...output, ...this.more(at, value.length)];
    }

    numbers(value) {
      const count = Math.min(value.length, this.itemsMax);
      const output = Array.from({ length: count }, (_, at) =>
        typeof value[at] === "bigint" ? `${value[at]}n` : number(value[at]),
      );
      return [...output, ...this.more(count, value.length)];
    }

    items(values, level) {
      const output = [];
      let total = 0;
      for (const item of values) {
        total += 1;
        if (total <= this.itemsMax) output.push(this.nested(item, level));
      }
      return [...output, ...this.more(output.length, total)];
    }

    map(value, level) {
      const output = [];
      let total = 0;
      for (const [key, item] of Map.prototype.entries.call(value)) {
        total += 1;
        if (total <= this.itemsMax)
          output.push(`${this.nested(key, level)} => ${this.nested(item, level)}`);
      }
      return [...output, ...this.more(output.length, total)];
    }

    // One line if at most `COMPACT` levels are inside and it fits, else a line each.
    join(output, base, braces, level, list) {
      const entries = output.length;
      const lines =
        list !== undefined && entries > 6 && this.compact > 0 ? this.columns(output, list) : output;
      const start = base === "" ? "" : `${base} `;
      if (this.current - level < this.compact && entries === lines.length) {
        const width = lines.length + this.indent + braces[0].length + base.length + 10;
        const total = lines.reduce((sum, line) => sum + line.length, width + lines.length);
        if (total <= WIDTH && !base.includes("\n")) {
          const line = lines.join(", ");
          if (!line.includes("\n")) return `${start}${braces[0]} ${line} ${braces[1]}`;
        }
      }
      const indent = `\n${" ".repeat(this.indent)}`;
      return `${start}${braces[0]}${indent}  ${lines.join(`,${indent}  `)}${indent}${braces[1]}`;
    }

    // More than six short items of an array: in columns, about 2.5 times as wide as high.
    columns(output, list) {
      const count = output.length - (this.itemsMax < output.length ? 1 : 0);
      const lengths = output.slice(0, count).map((item) => item.length + 2);
      const total = lengths.reduce((sum, length) => sum + length, 0);
      const longest = (items) => items.reduce((most, length) => Math.max(most, length), 0);
      const widest = longest(lengths);
      if (widest * 3 + this.indent >= WIDTH || (total / widest <= 5 && widest > 8)) return output;
      const bias = Math.max(widest - 3 - Math.sqrt(widest - total / output.length), 1);
      const columns = Math.min(
        Math.round(Math.sqrt(2.5 * bias * count) / bias),
        Math.floor((WIDTH - this.indent) / widest),
        COMPACT * 4,
        15,
      );
      if (columns <= 1) return output;
      const widths = Array.from({ length: columns }, (_, column) =>
        longest(lengths.filter((_, at) => at % columns === column)),
      );
      const isNumeric = Array.from(output, (_, at) => list[at]).every(
        (item) => typeof item === "number" || typeof item === "bigint",
      );
      const rows = [];
      for (let from = 0; from < count; from += columns) {
        const row = output.slice(from, Math.min(from + columns, count));
        const cells = row.map((item, at) => {
          const isLast = at === row.length - 1;
          if (isNumeric)
            return isLast ? item.padStart(widths[at] - 2) : `${item}, `.padStart(widths[at]);
          return isLast ? item : `${item}, `.padEnd(widths[at]);
        });
        rows.push(cells.join(""));
      }
      return [...rows, ...output.slice(count)];
    }
  }

  // `depth` is a number of levels, or the options of an outer call. `Infinity` lifts every bound.
  const inspect = (value, depth = DEPTH) => {
    const options = typeof depth === "number" ? { depth, isFull: depth === Infinity } : depth;
    return new Printer(options.depth ?? DEPTH, options.isFull, options.isBroken).value(value, 0);
  };
  // What the console prints: strings bare, everything else inspected.
  const text = (value, depth) => {
    if (typeof value === "string") return value.toWellFormed();
    return value === undefined ? "" : inspect(value, depth).toWellFormed();
  };
  // With a field a line, as `printjson` has it.
  const lines = (value) => text(value, { depth: Infinity, isFull: true, isBroken: true });
  // A document or array of the store prints whole, and on one line wherever it fits by itself.
  function printStored(_depth, { isBroken }) {
    return new Printer(Infinity, true, isBroken).object(this, 0);
  }
  hide(__shell, { printStored, quote, inspect, text, lines });
  hide(globalThis, {
    tojson: (value, indent, isOneLine) => (isOneLine ? text(value) : lines(value)),
    tojsononeline: text,
    bsonsize: (document) => __host.size(document),
  });
  __shell.show = (value) => (value === undefined ? null : [text(value), __shell.json(value)]);
})();
