// 64-bit integers: `Long`, `NumberLong` and `Timestamp`.
"use strict";
(() => {
  const { raw, custom, type, global, hide, check, warn, withRaw, BSONError } = __shell;
  const wrap = (int, unsigned) => (unsigned ? BigInt.asUintN(64, int) : BigInt.asIntN(64, int));
  const MIN = -(1n << 63n);
  const MAX = (1n << 63n) - 1n;
  const UMAX = (1n << 64n) - 1n;

  // A number as an integer in 64 bits: cut off, and at most the largest.
  const fromNumber = (number, unsigned) => {
    if (Number.isNaN(number)) return 0n;
    const [low, high] = unsigned ? [0n, UMAX] : [MIN, MAX];
    if (number <= Number(low)) return low;
    if (number >= Number(high)) return high;
    return BigInt(Math.trunc(number));
  };
  // As js-bson: eight digits at a time, and a group without digits counts as zero.
  const fromString = (text, unsigned, radix) => {
    if (text.length === 0) throw new BSONError("empty string");
    if (["NaN", "Infinity", "+Infinity", "-Infinity"].includes(text)) return 0n;
    const hyphen = text.indexOf("-");
    if (hyphen > 0) throw new BSONError("interior hyphen");
    if (hyphen === 0) return wrap(-fromString(text.slice(1), unsigned, radix), unsigned);
    let int = 0n;
    for (let at = 0; at < text.length; at += 8) {
      const digits = text.slice(at, at + 8);
      const value = Number.parseInt(digits, radix) || 0;
      int = wrap(int * BigInt(radix) ** BigInt(digits.length) + BigInt(value), unsigned);
    }
    return int;
  };
  const parse = (text, unsigned, radix) => {
    if (typeof unsigned === "number") [unsigned, radix] = [false, unsigned];
    if (radix !== undefined && (radix < 2 || radix > 36)) throw new BSONError("radix");
    return make(fromString(text, Boolean(unsigned), radix ?? 10), unsigned);
  };
  const fromBytes = (bytes, unsigned) => {
    let int = 0n;
    for (const byte of bytes.slice(0, 8)) int = (int << 8n) | BigInt(byte);
    return make(int, unsigned);
  };

  const LongClass = type(
    "Long",
    class Long {
      constructor(value = 0, high, unsigned) {
        const isUnsigned = Boolean(typeof high === "boolean" ? high : unsigned);
        let int;
        if (typeof value === "bigint") int = value;
        else if (typeof value === "string") int = fromString(value, isUnsigned, 10);
        else int = (BigInt(high | 0) << 32n) | BigInt(value >>> 0);
        this[raw] = wrap(int, isUnsigned);
        if (isUnsigned) mark(this);
      }
      get low() {
        return Number(BigInt.asIntN(32, this[raw]));
      }
      get high() {
        return Number(BigInt.asIntN(32, this[raw] >> 32n));
      }
      get unsigned() {
        return false;
      }
      get __isLong__() {
        return true;
      }
      add(other) {
        return make(this[raw] + integer(other), this.unsigned);
      }
      subtract(other) {
        return make(this[raw] - integer(other), this.unsigned);
      }
      multiply(other) {
        return make(this[raw] * integer(other), this.unsigned);
      }
      divide(other) {
        return make(this[raw] / divisor(other, this.unsigned), this.unsigned);
      }
      modulo(other) {
        return make(this[raw] % divisor(other, this.unsigned), this.unsigned);
      }
      negate() {
        return make(-this[raw], this.unsigned);
      }
      not() {
        return make(~this[raw], this.unsigned);
      }
      and(other) {
        return make(this[raw] & integer(other), this.unsigned);
      }
      or(other) {
        return make(this[raw] | integer(other), this.unsigned);
      }
      xor(other) {
        return make(this[raw] ^ integer(other), this.unsigned);
      }
      shiftLeft(bits) {
        return make(this[raw] << shift(bits), this.unsigned);
      }
      shiftRight(bits) {
        return make(this[raw] >> shift(bits), this.unsigned);
      }
      shiftRightUnsigned(bits) {
        return make(BigInt.asUintN(64, this[raw]) >> shift(bits), this.unsigned);
      }
      compare(other) {
        const int = wrap(integer(other), this.unsigned);
        return this[raw] < int ? -1 : this[raw] > int ? 1 : 0;
      }
      equals(other) {
        return this[raw] === integer(other);
      }
      notEquals(other) {
        return !this.equals(other);
      }
      lessThan(other) {
        return this.compare(other) < 0;
      }
      lessThanOrEqual(other) {
        return this.compare(other) <= 0;
      }
      greaterThan(other) {
        return this.compare(other) > 0;
      }
      greaterThanOrEqual(other) {
        return this.compare(other) >= 0;
      }
      isZero() {
        return this[raw] === 0n;
      }
      isNegative() {
        return this[raw] < 0n;
      }
      isPositive() {
        return this[raw] >= 0n;
      }
      isOdd() {
        return (this[raw] & 1n) === 1n;
      }
      isEven() {
        return !this.isOdd();
      }
      getHighBits() {
        return this.high;
      }
      getHighBitsUnsigned() {
        return this.high >>> 0;
      }
      getLowBits() {
        return this.low;
      }
      getLowBitsUnsigned() {
        return this.low >>> 0;
      }
      getNumBitsAbs() {
        return (this[raw] < 0n ? -this[raw] : this[raw]).toString(2).length;
      }
      toInt() {
        return this.unsigned ? this.low >>> 0 : this.low;
      }
      toNumber() {
        return Number(this[raw]);
      }
      toBigInt() {
        return this[raw];
      }
      toBytes(isLittleEndian) {
        return isLittleEndian ? this.toBytesLE() : this.toBytesBE();
      }
      toBytesBE() {
        return Array.from({ length: 8 }, (_, at) =>
          Number((this[raw] >> BigInt(56 - 8 * at)) & 255n),
        );
      }
      toBytesLE() {
        return this.toBytesBE().reverse();
      }
      toSigned() {
        return make(this[raw], false);
      }
      toUnsigned() {
        return make(this[raw], true);
      }
      toString(radix = 10) {
        if (radix < 2 || radix > 36) throw new BSONError("radix");
        return this[raw].toString(radix);
      }
      // js-bson has none, because there these three are its fields.
      toJSON() {
        return { high: this.high, low: this.low, unsigned: this.unsigned };
      }
      [custom]() {
        return `Long('${this[raw]}'${this.unsigned ? ", true" : ""})`;
      }
    },
  );
  const aliases = {
    add: [],
    subtract: ["sub"],
    multiply: ["mul"],
    divide: ["div"],
    modulo: ["mod", "rem"],
    negate: ["neg"],
    shiftLeft: ["shl"],
    shiftRight: ["shr"],
    shiftRightUnsigned: ["shr_u", "shru"],
    compare: ["comp"],
    equals: ["eq"],
    notEquals: ["neq", "ne"],
    lessThan: ["lt"],
    lessThanOrEqual: ["lte", "le"],
    greaterThan: ["gt"],
    greaterThanOrEqual: ["gte", "ge"],
    isZero: ["eqz"],
  };
  for (const [method, names] of Object.entries(aliases)) {
    for (const name of names) hide(LongClass.prototype, { [name]: LongClass.prototype[method] });
  }

  const mark = (long) => Object.defineProperty(long, "unsigned", { value: true });
  const fast = withRaw(LongClass);
  const make = (int, unsigned) => (unsigned ? mark(fast(wrap(int, true))) : fast(wrap(int, false)));
  const integer = (value) => {
    if (value instanceof LongClass) return value[raw];
    if (typeof value === "bigint") return value;
    if (typeof value === "string") return fromString(value, false, 10);
    return fromNumber(Number(value), false);
  };
  const divisor = (value, unsigned) => {
    const int = wrap(integer(value), unsigned);
    if (int === 0n) throw new BSONError("division by zero");
    return int;
  };
  const shift = (bits) => integer(bits) & 63n;

  const strict = (text, unsigned, radix = 10) => {
    if (typeof unsigned === "number") [unsigned, radix] = [false, unsigned];
    if (text !== text.trim()) {
      throw new BSONError(`Input: '${text}' contains leading and/or trailing whitespace`);
    }
    if (!/^[+-]?[0-9a-z]+$/i.test(text) || Number.isNaN(Number.parseInt(text, radix))) {
      throw new BSONError(`Input: '${text}' contains invalid characters for radix: ${radix}`);
    }
    const long = parse(text, unsigned, radix);
    const digits = text.toLowerCase().replace(/^[+-]?0*(?=.)/, "");
    if (long.toString(radix).replace(/^-/, "") !== digits) {
      throw new BSONError(
        `Input: ${text} is not representable as ${unsigned ? "an unsigned" : "a signed"} ` +
          `64-bit Long with radix: ${radix}`,
      );
    }
    return long;
  };
  global("Long", LongClass, (value, high, unsigned) => new LongClass(value, high, unsigned), {
    TWO_PWR_24: make(1n << 24n),
    MAX_UNSIGNED_VALUE: make(UMAX, true),
    ZERO: make(0n),
    UZERO: make(0n, true),
    ONE: make(1n),
    UONE: make(1n, true),
    NEG_ONE: make(-1n),
    MAX_VALUE: make(MAX),
    MIN_VALUE: make(MIN),
  });
  hide(Long, {
    fromBits: (low, high, unsigned) => new LongClass(low, high, unsigned),
    fromInt: (value, unsigned) => make(BigInt(value | 0), unsigned),
    fromNumber: (value, unsigned) => make(fromNumber(value, unsigned), unsigned),
    fromBigInt: (value, unsigned) => make(value, unsigned),
    fromString: parse,
    fromStringStrict: strict,
    fromBytes: (bytes, unsigned, isLittleEndian) =>
      fromBytes(isLittleEndian ? [...bytes].reverse() : bytes, unsigned),
    fromBytesLE: (bytes, unsigned) => fromBytes([...bytes].reverse(), unsigned),
    fromBytesBE: fromBytes,
    isLong: (value) => value instanceof LongClass,
    fromValue: (value, unsigned) => make(integer(value), unsigned ?? value?.unsigned),
  });
  global("NumberLong", LongClass, (value = "0") => {
    check(value, 0, ["string", "number", "Long", "Int32"], "NumberLong");
    if (typeof value === "number") {
      warn("NumberLong");
      return make(fromNumber(value, false));
    }
    return make(value === null ? 0n : fromString(String(value), false, 10));
  });

  const refuse = (field, value) => {
    if (value < 0)
      throw new BSONError(`Timestamp constructed from { t, i } must provide a positive ${field}`);
    if (value > 0xffffffff) {
      throw new BSONError(
        `Timestamp constructed from { t, i } must provide ${field} equal or less than uint32 max`,
      );
    }
  };
  const TimestampClass = type(
    "Timestamp",
    class Timestamp extends LongClass {
      constructor(low) {
        if (low === undefined || low === null) {
          super(0, 0, true);
        } else if (typeof low === "bigint" || low instanceof LongClass) {
          super(integer(low), true);
        } else if (typeof low === "object" && "t" in low && "i" in low) {
          for (const field of ["t", "i"]) {
            const value = Number(low[field]);
            if (Number.isNaN(value)) {
              throw new BSONError(
                `Timestamp constructed from { t, i } must provide ${field} as a number`,
              );
            }
            refuse(field, value);
          }
          super(Number(low.i), Number(low.t), true);
        } else {
          throw new BSONError(
            "A Timestamp can only be constructed with: bigint, Long, or { t: number; i: number }",
          );
        }
      }
      get t() {
        return this.high >>> 0;
      }
      get i() {
        return this.low >>> 0;
      }
      toJSON() {
        return { $timestamp: this.toString() };
      }
      [custom]() {
        return `Timestamp({ t: ${this.t}, i: ${this.i} })`;
      }
    },
  );
  global(
    "Timestamp",
    TimestampClass,
    (t, i) => {
      check(t, 0, ["number", "object"], "Timestamp");
      check(i, 1, ["number"], "Timestamp");
      if (t !== undefined && t !== null && typeof t !== "number") return new TimestampClass(t);
      return new TimestampClass({ t: t ?? 0, i: i ?? 0 });
    },
    { MAX_VALUE: Long.MAX_UNSIGNED_VALUE },
  );
  hide(Timestamp, {
    fromInt: (value) => new TimestampClass(make(BigInt(value), true)),
    fromNumber: (value) => new TimestampClass(make(fromNumber(value, true), true)),
    fromBits: (low, high) => new TimestampClass({ t: high, i: low }),
    fromString: (text, radix) =>
      new TimestampClass(make(fromString(text, true, radix ?? 10), true)),
  });

  __shell.make.Long = fast;
  __shell.make.Timestamp = (int) => new TimestampClass(int);
})();
