// The BSON classes but the long ones, and what the converter in Rust calls.
"use strict";
(() => {
  const shell = __shell;
  const { raw, custom, type, global, check, need, warn, quoted, withRaw } = shell;
  const { base64, fromBase64, hex, fromHex, BSONError } = shell;
  const { getTime } = Date.prototype;

  const ObjectIdClass = type(
    "ObjectId",
    class ObjectId {
      constructor(id) {
        const given = typeof id === "object" && id !== null && "id" in id ? id.id : id;
        const input = typeof id?.toHexString === "function" ? id.toHexString() : given;
        if (input === undefined || input === null || typeof input === "number") {
          this[raw] = __host.objectId(
            typeof input === "number" ? input : Math.floor(__host.now() / 1000),
          );
        } else if (typeof input === "string" && /^[0-9a-fA-F]{24}$/.test(input)) {
          this[raw] = input.toLowerCase();
        } else if (input instanceof Uint8Array && input.length === 12) {
          this[raw] = hex(input);
        } else if (typeof input === "string" || input instanceof Uint8Array) {
          throw new BSONError(
            "input must be a 24 character hex string, 12 byte Uint8Array, or an integer",
          );
        } else {
          throw new BSONError("Argument passed in does not match the accepted types");
        }
      }
      get id() {
        return fromHex(this[raw]);
      }
      toHexString() {
        return this[raw];
      }
      toString(encoding) {
        return encoding === "base64" ? base64(this.id) : this[raw];
      }
      toJSON() {
        return this[raw];
      }
      equals(other) {
        if (other instanceof ObjectIdClass) return this[raw] === other[raw];
        if (typeof other === "string") return this[raw] === other.toLowerCase();
        return typeof other?.toHexString === "function" && other.toHexString() === this[raw];
      }
      getTimestamp() {
        return new Date(Number.parseInt(this[raw].slice(0, 8), 16) * 1000);
      }
      [custom]() {
        return `ObjectId('${this[raw]}')`;
      }
    },
  );
  global(
    "ObjectId",
    ObjectIdClass,
    (id) => {
      check(id, 0, ["string", "number", "object"], "ObjectId");
      return new ObjectIdClass(id);
    },
    {
      generate: (seconds) => new ObjectIdClass(seconds).id,
      createFromTime: (seconds) =>
        new ObjectIdClass((seconds >>> 0).toString(16).padStart(8, "0") + "0".repeat(16)),
      createFromHexString: (text) => {
        if (text?.length !== 24) throw new BSONError("hex string must be 24 characters");
        return new ObjectIdClass(text);
      },
      createFromBase64: (text) => {
        if (text?.length !== 16) throw new BSONError("base64 string must be 16 characters");
        return new ObjectIdClass(fromBase64(text));
      },
      isValid: (id) =>
        (typeof id === "string" && /^[0-9a-fA-F]{24}$/.test(id)) ||
        (id instanceof Uint8Array && id.length === 12) ||
        id instanceof ObjectIdClass,
    },
  );

  /** A number with the type that it is stored as. */
  class NumberBox {
    constructor(value) {
      this.value = value;
    }
    valueOf() {
      return this.value;
    }
    toString(radix) {
      return this.value.toString(radix);
    }
    toJSON() {
      return this.value;
    }
  }

  const Int32Class = type(
    "Int32",
    class Int32 extends NumberBox {
      constructor(value) {
        super(+value | 0);
      }
      [custom]() {
        return `Int32(${this.value})`;
      }
    },
  );
  const numbers = ["string", "number", "Long", "Int32"];
  global("Int32", Int32Class, (value) => new Int32Class(value));
  global("NumberInt", Int32Class, (value) => {
    check(value, 0, numbers, "NumberInt");
    return new Int32Class(Number.parseInt(String(value ?? "0"), 10));
  });

  const DoubleClass = type(
    "Double",
    class Double extends NumberBox {
      constructor(value) {
        super(+value);
      }
      [custom]() {
        return `Double(${Object.is(this.value, -0) ? "-0" : this.value})`;
      }
    },
  );
  global("Double", DoubleClass, (value) => new DoubleClass(value));

  const decimalForm = /^[+-]?(\d+|\d*\.\d*)?(e)?([+-])?(\d+)?$/i;
  const specialForm = /^[+-]?(Infinity|inf|NaN)$/i;
  const decimal = (text, isRounded) => {
    const parts = decimalForm.exec(text);
    if (text === "" || (!parts && !specialForm.test(text))) {
      throw new BSONError(`${text} not a valid Decimal128 string`);
    }
    const [, digits, e, sign, power] = parts ?? [text, text];
    const missing =
      (e && power === undefined && "missing exponent power") ||
      (e && digits === undefined && "missing exponent base") ||
      (!e && (sign || power) && "missing e before exponent");
    const [canonical, fault] = missing ? [null, missing] : __host.decimal(text, isRounded);
    if (fault) throw new BSONError(`"${text}" is not a valid Decimal128 string - ${fault}`);
    return canonical;
  };
  const Decimal128Class = type(
    "Decimal128",
    class Decimal128 {
      constructor(value) {
        if (typeof value !== "string")
          throw new BSONError("Decimal128 must take a Buffer or string");
        this[raw] = decimal(value, false);
      }
      toString() {
        return this[raw];
      }
      toJSON() {
        return { $numberDecimal: this[raw] };
      }
      [custom]() {
        return `Decimal128('${this[raw]}')`;
      }
    },
  );
  global("Decimal128", Decimal128Class, (value) => new Decimal128Class(value), {
    fromString: (text) => new Decimal128Class(text),
    fromStringWithRounding: (text) => shell.make.Decimal128(decimal(text, true)),
  });
  global("NumberDecimal", Decimal128Class, (value) => {
    check(value, 0, [...numbers, "Decimal128"], "NumberDecimal");
    if (typeof value === "number") warn("NumberDecimal");
    return new Decimal128Class(String(value ?? "0"));
  });

  const BSONRegExpClass = type(
    "BSONRegExp",
    class BSONRegExp {
      constructor(pattern, options) {
        this.pattern = pattern;
        this.options = [...(options ?? "")].sort().join("");
        if (this.pattern.includes("\0")) {
          throw new BSONError(
            `BSON Regex patterns cannot contain null bytes, found: ${JSON.stringify(this.pattern)}`,
          );
        }
        for (const option of this.options) {
          if (!"imxlsu".includes(option)) {
            throw new BSONError(`The regular expression option [${option}] is not supported`);
          }
        }
      }
      [custom]() {
        return `BSONRegExp(${quoted(this.pattern)}, ${quoted(this.options)})`;
      }
    },
  );
  global(
    "BSONRegExp",
    BSONRegExpClass,
    (pattern, options) => new BSONRegExpClass(pattern, options),
  );

  // A `RegExp` as in mongosh if JavaScript has the options. It keeps the pattern as it was stored.
  const makeRegExp = (pattern, options) => {
    if (/^i?m?s?$/.test(options)) {
      try {
        return Object.defineProperty(new RegExp(pattern, options), raw, {
          value: [pattern, options],
        });
      } catch {
        // Not a pattern of JavaScript's.
      }
    }
    return Object.assign(Object.create(BSONRegExpClass.prototype), { pattern, options });
  };

  const CodeClass = type(
    "Code",
    class Code {
      constructor(code, scope) {
        this.code = String(code);
        this.scope = scope ?? null;
      }
      toJSON() {
        return this.scope === null ? { code: this.code } : { code: this.code, scope: this.scope };
      }
      [custom](depth, options, inspect) {
        const scope = this.scope === null ? "" : `, ${inspect(this.scope, options)}`;
        return `Code(${quoted(this.code)}${scope})`;
      }
    },
  );
  global("Code", CodeClass, (code = "", scope) => {
    check(code, 0, ["string", "function"], "Code");
    check(scope, 1, ["object"], "Code");
    return new CodeClass(code, scope);
  });

  const BSONSymbolClass = type(
    "BSONSymbol",
    class BSONSymbol {
      constructor(value) {
        this.value = value;
      }
      valueOf() {
        return this.value;
      }
      toString() {
        return this.value;
      }
      toJSON() {
        return this.value;
      }
      [custom]() {
        return `BSONSymbol(${quoted(this.value)})`;
      }
    },
  );
  global("BSONSymbol", BSONSymbolClass, (value) => new BSONSymbolClass(value));

  const DBRefClass = type(
    "DBRef",
    class DBRef {
      constructor(collection, oid, db, fields) {
        const parts = collection.split(".");
        if (parts.length === 2) [db, collection] = parts;
        this.collection = collection;
        this.oid = oid;
        this.db = db;
        this.fields = fields || {};
      }
      get namespace() {
        return this.collection;
      }
      toJSON() {
        return {
          $ref: this.collection,
          $id: this.oid,
          ...(this.db == null ? {} : { $db: this.db }),
          ...this.fields,
        };
      }
      [custom](depth, options, inspect) {
        const values = [quoted(this.collection), inspect(this.oid, options)];
        if (this.db) values.push(quoted(this.db));
        if (Object.keys(this.fields).length > 0) values.push(inspect(this.fields, options));
        return `DBRef(${values.join(", ")})`;
      }
    },
  );
  global("DBRef", DBRefClass, (collection, oid, db, fields) => {
    need(collection, 0, "DBRef");
    need(oid, 1, "DBRef");
    check(collection, 0, ["string"], "DBRef");
    check(db, 2, ["string"], "DBRef");
    return new DBRefClass(collection, oid, db, fields);
  });

  // The deprecated type with the same meaning.
  const DBPointerClass = type("DBPointer", class DBRef extends DBRefClass {});

  const MinKeyClass = type(
    "MinKey",
    class MinKey {
      [custom]() {
        return "MinKey()";
      }
    },
  );
  const MaxKeyClass = type(
    "MaxKey",
    class MaxKey {
      [custom]() {
        return "MaxKey()";
      }
    },
  );
  global("MinKey", MinKeyClass, () => new MinKeyClass(), { toBSON: () => new MinKeyClass() });
  global("MaxKey", MaxKeyClass, () => new MaxKeyClass(), { toBSON: () => new MaxKeyClass() });

  // Whether a value contains itself, or one of the values inside it does.
  const isCircular = (value, outer = new Set(), done = new Set()) => {
    if (typeof value !== "object" || value === null || done.has(value)) return false;
    if (outer.has(value)) return true;
    outer.add(value);
    const found =
      outer.size < 200 && Object.values(value).some((item) => isCircular(item, outer, done));
    outer.delete(value);
    done.add(value);
    return found;
  };
  // What the converter calls for a value from the store.
  shell.make = {
    ObjectId: withRaw(ObjectIdClass),
    Decimal128: withRaw(Decimal128Class),
    RegExp: makeRegExp,
    Code: (code, scope) => new CodeClass(code, scope),
    BSONSymbol: (value) => new BSONSymbolClass(value),
    DBRef: ({ $ref, $id, $db, ...fields }) =>
      Object.assign(Object.create(DBRefClass.prototype), {
        collection: $ref,
        oid: $id,
        db: $db,
        fields,
      }),
    DBPointer: (namespace, oid) =>
      Object.assign(Object.create(DBPointerClass.prototype), {
        collection: namespace,
        oid,
        db: undefined,
        fields: {},
      }),
    MinKey: () => new MinKeyClass(),
    MaxKey: () => new MaxKeyClass(),
    Int32: (value) => new Int32Class(value),
    Double: (value) => new DoubleClass(value),
  };
  // What it calls for a value on its way to the store.
  Object.assign(shell, {
    hex,
    content: (binary) => binary.buffer.subarray(0, binary.position),
    copy: (proxy) => Array.from(proxy),
    dbRef: ({ collection, oid, db, fields }) => ({
      $ref: collection,
      $id: oid,
      ...(db == null ? {} : { $db: db }),
      ...fields,
    }),
    fail: (message) => {
      throw new BSONError(message);
    },
    fields: (map) => {
      const fields = Object.create(null);
      for (const [key, value] of Map.prototype.entries.call(map)) {
        if (typeof key !== "string") throw new BSONError("the keys of a Map must be strings");
        fields[key] = value;
      }
      return fields;
    },
    fits: (int) => BigInt.asIntN(64, int) === int,
    isArray: Array.isArray,
    pointer: ({ collection, oid }) => [collection, oid.toHexString()],
    // The driver knows no `s` in JavaScript, and writes `g` as `s`.
    regex: (regex) =>
      regex[raw] ?? [
        regex.source,
        (regex.ignoreCase ? "i" : "") +
          (regex.multiline ? "m" : "") +
          (regex.global || regex.dotAll ? "s" : ""),
      ],
    source: (called) => Function.prototype.toString.call(called),
    time: (date) => getTime.call(date),
    toBSON: (object) => object.toBSON(),
    tooDeep: (value) => {
      throw new BSONError(
        isCircular(value)
          ? "Cannot convert circular structure to BSON"
          : "a document can have at most 100 levels",
      );
    },
    wellFormed: (text) => text.toWellFormed(),
  });
})();
