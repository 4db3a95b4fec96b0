// The foundation: `__shell`, and how classes become mongosh's constructors.
"use strict";
Object.defineProperty(globalThis, "__shell", { value: {} });
(() => {
  // On a prototype: which type the converter in Rust sees. Documents can't contain a symbol.
  const kind = Symbol("kind");
  // On an object: its value, for classes that hide it.
  const raw = Symbol("raw");
  const custom = Symbol.for("nodejs.util.inspect.custom");
  const shell = __shell;
  // In the order of `Kind` in convert/kinds.rs.
  const kinds = [
    "ObjectId",
    "Int32",
    "Double",
    "Long",
    "Decimal128",
    "Timestamp",
    "Binary",
    "BSONRegExp",
    "Code",
    "BSONSymbol",
    "DBRef",
    "MinKey",
    "MaxKey",
    "Date",
    "RegExp",
    "Map",
    "Uint8Array",
    "FarDate",
    "DBPointer",
  ];

  class BSONError extends Error {
    get name() {
      return "BSONError";
    }
  }
  const hide = (target, members) => {
    for (const name of Reflect.ownKeys(members)) {
      Object.defineProperty(target, name, {
        value: members[name],
        writable: true,
        configurable: true,
      });
    }
  };
  // Refuses an argument of another type as mongosh does. `null` and missing ones pass here.
  const check = (value, position, types, name) => {
    if (value === undefined || value === null) return;
    if (!types.includes(typeof value) && !types.includes(value._bsontype)) {
      throw shell.invalid(
        `Argument at position ${position} must be of type ${types.join(" or ")}, ` +
          `got ${typeof value} instead (${name})`,
      );
    }
  };
  const need = (value, position, name) => {
    if (value === undefined) {
      throw shell.invalid(`Missing required argument at position ${position} (${name})`);
    }
  };
  const warn = (name) =>
    __host.print(
      `Warning: ${name}: specifying a number as argument is deprecated and ` +
        "may lead to loss of precision, pass a string instead",
    );

  // Gives a class its type, and hides from keys what is only for the console.
  const type = (bsonType, cls) => {
    hide(cls.prototype, { _bsontype: bsonType, [kind]: kinds.indexOf(bsonType) + 1 });
    return cls;
  };
  // A global function that makes objects of a class, with or without `new`.
  const global = (name, cls, make, statics = {}) => {
    const callable = function (...values) {
      return make(...values);
    };
    Object.defineProperty(callable, "name", { value: name, configurable: true });
    if (cls) callable.prototype = cls.prototype;
    for (const [key, value] of Object.entries(statics)) {
      if (typeof value === "function" && key !== "toBSON") hide(callable, { [key]: value });
      else callable[key] = value;
    }
    hide(globalThis, { [name]: callable });
    return callable;
  };
  const quoted = (text) => (typeof text === "string" ? shell.quote(text) : shell.inspect(text));

  const base64 = (bytes) => bytes.toBase64();
  const hex = (bytes) => bytes.toHex();
  const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const fromBase64 = (text) => {
    try {
      return Uint8Array.fromBase64(text);
    } catch {
      return readBase64(text);
    }
  };
  // As Node's buffers: other characters are skipped, and the first `=` ends it.
  const readBase64 = (text) => {
    const bytes = [];
    let bits = 0;
    let held = 0;
    for (const char of text) {
      if (char === "=") break;
      const digit = base64Digits.indexOf(char === "-" ? "+" : char === "_" ? "/" : char);
      if (digit < 0) continue;
      held = ((held << 6) | digit) & 0xffff;
      bits += 6;
      if (bits >= 8) bytes.push((held >> (bits -= 8)) & 255);
    }
    return Uint8Array.from(bytes);
  };
  // As Node's buffers: ends at the first pair that is not hexadecimal.
  const fromHex = (text) => {
    const pairs = /^(?:[0-9a-f]{2})*/i.exec(text)[0].match(/../g) ?? [];
    return Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16));
  };

  for (const [name, cls] of Object.entries({ Date, RegExp, Map, Uint8Array })) {
    hide(cls.prototype, { [kind]: kinds.indexOf(name) + 1 });
  }

  const withRaw = (cls) => {
    const { prototype } = cls;
    return (value) => {
      const object = Object.create(prototype);
      object[raw] = value;
      return object;
    };
  };
  Object.assign(shell, {
    kind,
    raw,
    custom,
    kinds,
    type,
    global,
    hide,
    check,
    need,
    warn,
    quoted,
    withRaw,
    base64,
    fromBase64,
    hex,
    fromHex,
    BSONError,
  });
})();
