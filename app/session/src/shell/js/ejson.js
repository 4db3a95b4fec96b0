// `EJSON`: values as Extended JSON and back, as js-bson has it. Numbers that a double can't hold
// keep their type even in relaxed form, where js-bson rounds them.
"use strict";
(() => {
  const { kind, kinds, raw, make, hide, base64, fromBase64, fromHex, quote, BSONError } = __shell;
  const DATE_MAX = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
  const isInt32 = (number) => Number.isInteger(number) && number >= -(2 ** 31) && number < 2 ** 31;
  const isInt64 = (number) => Number.isInteger(number) && number >= -(2 ** 63) && number < 2 ** 63;

  const number = (value, isRelaxed) => {
    if (isRelaxed && Number.isFinite(value)) return value;
    if (Object.is(value, -0)) return { $numberDouble: "-0.0" };
    if (isInt32(value)) return { $numberInt: String(value) };
    if (isInt64(value)) return { $numberLong: BigInt(value).toString() };
    return { $numberDouble: String(value) };
  };
  const double = (value, isRelaxed) => {
    if (isRelaxed && Number.isFinite(value)) return value;
    if (Object.is(value, -0)) return { $numberDouble: "-0.0" };
    return { $numberDouble: Number.isInteger(value) ? value.toFixed(1) : String(value) };
  };
  const long = (int, isRelaxed) => {
    const isExact = Number.isSafeInteger(Number(int));
    return isRelaxed && isExact ? Number(int) : { $numberLong: String(int) };
  };
  const date = (value, isRelaxed) => {
    const time = value.getTime();
    if (!isRelaxed || Number.isNaN(time) || time < 0 || time > DATE_MAX)
      return { $date: { $numberLong: String(time) } };
    return { $date: value.toISOString().replace(/\.000Z$/, "Z") };
  };
  const regex = (pattern, options) => ({ $regularExpression: { pattern, options } });
  const binary = (bytes, subtype) => ({
    $binary: { base64: base64(bytes), subType: subtype.toString(16).padStart(2, "0") },
  });

  const writers = {
    ObjectId: (value) => ({ $oid: value[raw] }),
    Int32: ({ value }, isRelaxed) => (isRelaxed ? value : { $numberInt: String(value) }),
    Double: ({ value }, isRelaxed) => double(value, isRelaxed),
    Long: (value, isRelaxed) => long(value[raw], isRelaxed),
    Decimal128: (value) => ({ $numberDecimal: value[raw] }),
    Timestamp: ({ t, i }) => ({ $timestamp: { t, i } }),
    Binary: (value) => binary(value.value(), value.sub_type),
    Uint8Array: (value) => binary(value, 0),
    BSONRegExp: ({ pattern, options }) => regex(pattern, options),
    RegExp: (value) => regex(...__shell.regex(value)),
    Code: ({ code, scope }, isRelaxed, outer) =>
      scope ? { $code: code, $scope: serialize(scope, isRelaxed, outer) } : { $code: code },
    BSONSymbol: ({ value }) => ({ $symbol: value }),
    DBRef: (value, isRelaxed, outer) => fields(__shell.dbRef(value), isRelaxed, outer),
    DBPointer: ({ collection, oid }) => ({
      $dbPointer: { $ref: collection, $id: { $oid: oid[raw] } },
    }),
    MinKey: () => ({ $minKey: 1 }),
    MaxKey: () => ({ $maxKey: 1 }),
    Date: date,
    FarDate: (value) => ({ $date: { $numberLong: String(value[raw]) } }),
    Map: (value, isRelaxed, outer) => fields(__shell.fields(value), isRelaxed, outer),
  };
  const put = (target, key, value) =>
    Object.defineProperty(target, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  const fields = (value, isRelaxed, outer) => {
    const result = {};
    for (const key of Object.keys(value)) put(result, key, serialize(value[key], isRelaxed, outer));
    return result;
  };
  const serialize = (value, isRelaxed, outer = []) => {
    if (value === undefined) return null;
    if (typeof value === "number") return number(value, isRelaxed);
    if (typeof value === "bigint") return long(value, isRelaxed);
    if (typeof value === "function" && typeof value.toBSON === "function")
      return serialize(value.toBSON(), isRelaxed);
    if (typeof value !== "object" || value === null) return value;
    if (outer.includes(value)) throw new BSONError("Converting circular structure to EJSON");
    const inner = [...outer, value];
    if (Array.isArray(value)) return Array.from(value, (item) => serialize(item, isRelaxed, inner));
    const writer = writers[kinds[value[kind] - 1]];
    if (writer) return writer(value, isRelaxed, inner);
    if (typeof value.toBSON === "function") return serialize(value.toBSON(), isRelaxed, inner);
    return fields(value, isRelaxed, inner);
  };

  const integer = (value, isRelaxed) => {
    const int = Long.fromString(String(value));
    return isRelaxed && Number.isSafeInteger(int.toNumber()) ? int.toNumber() : int;
  };
  const subtype = (value) =>
    typeof value === "number" ? value : Number.parseInt(value ?? "0", 16);
  const readDate = (value) => {
    if (typeof value === "string") return new Date(Date.parse(value));
    if (typeof value === "number") return new Date(value);
    const int = Long.fromString(String(value)).toBigInt();
    const isFar = int > 8_640_000_000_000_000n || int < -8_640_000_000_000_000n;
    return isFar ? make.FarDate(int) : new Date(Number(int));
  };
  const readBinary = (value, type) => {
    const { base64: text, subType } =
      typeof value === "object" ? value : { base64: value, subType: type };
    return Binary(fromBase64(text), subtype(subType));
  };
  const readers = {
    $oid: (value) => ObjectId(value),
    $numberInt: (value, { isRelaxed }) => (isRelaxed ? Number.parseInt(value, 10) : Int32(value)),
    $numberLong: (value, { isRelaxed }) => integer(value, isRelaxed),
    $numberDouble: (value, { isRelaxed }) => (isRelaxed ? Number(value) : Double(value)),
    $numberDecimal: (value) => Decimal128(value),
    $binary: (value, { object }) => readBinary(value, object.$type),
    $uuid: (value) => {
      const digits = String(value).replaceAll("-", "");
      if (/^[0-9a-f]{32}$/i.test(digits)) return Binary(fromHex(digits), 4);
      throw new BSONError(
        "UUID string representation must be 32 hex digits or canonical hyphenated representation",
      );
    },
    $symbol: (value) => BSONSymbol(value),
    $minKey: () => MinKey(),
    $maxKey: () => MaxKey(),
    $timestamp: ({ t, i }) => Timestamp(Number(t), Number(i)),
    $regularExpression: ({ pattern, options }) => BSONRegExp(pattern, options),
    $regex: (value, { object }) =>
      typeof value === "string" ? BSONRegExp(value, object.$options) : object,
    $undefined: () => null,
    $date: readDate,
    $code: (value, { object }) => Code(value, object.$scope),
    $dbPointer: ({ $ref, $id }) => make.DBPointer($ref, ObjectId($id)),
    $ref: (value, { object }) => {
      const isPlain = Object.keys(object).every(
        (key) => !key.startsWith("$") || ["$ref", "$id", "$db"].includes(key),
      );
      return isPlain ? make.DBRef(object) : object;
    },
  };
  const deserialize = (value, isRelaxed) => {
    if (typeof value === "number" && !isRelaxed) {
      return isInt32(value) && !Object.is(value, -0)
        ? Int32(value)
        : isInt64(value) && !Object.is(value, -0)
          ? Long.fromNumber(value)
          : Double(value);
    }
    if (typeof value !== "object" || value === null || value[kind]) return value;
    if (Array.isArray(value)) return value.map((item) => deserialize(item, isRelaxed));
    const wrapper = Object.keys(value).find((key) => Object.hasOwn(readers, key));
    // The parts of these are plain numbers.
    if (wrapper === "$timestamp") return readers.$timestamp(value.$timestamp);
    const object = {};
    for (const key of Object.keys(value))
      put(object, key, deserialize(value[key], isRelaxed || wrapper === "$date"));
    return wrapper ? readers[wrapper](object[wrapper], { object, isRelaxed }) : object;
  };

  const relaxed = (options) => options?.relaxed ?? true;
  const EJSON = {
    parse: (text, options) => deserialize(JSON.parse(text), relaxed(options)),
    stringify: (value, replacer, space, options) => {
      if (typeof space === "object" && space !== null) [options, space] = [space, 0];
      if (typeof replacer === "object" && replacer !== null && !Array.isArray(replacer)) {
        [options, replacer, space] = [replacer, undefined, 0];
      }
      return JSON.stringify(serialize(value, relaxed(options)), replacer, space);
    },
    serialize: (value, options) => serialize(value, relaxed(options)),
    deserialize: (value, options) =>
      deserialize(JSON.parse(JSON.stringify(value)), relaxed(options)),
  };
  hide(globalThis, { EJSON });
  hide(__shell, {
    json: (value) => (JSON.stringify(serialize(value, true)) ?? quote(typeof value)).toWellFormed(),
  });
})();
