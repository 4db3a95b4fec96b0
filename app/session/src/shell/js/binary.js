// Bytes: `Binary` with its many constructors. As in mongosh, a UUID is a `Binary` of subtype 4.
"use strict";
(() => {
  const { custom, type, global, hide, check, need, base64, fromBase64, hex, fromHex, BSONError } =
    __shell;
  const DEFAULT = 0;
  const UUID_OLD = 3;
  const UUID_TYPE = 4;
  const MD5_TYPE = 5;
  const VECTOR = 9;
  const floats = (bytes) => new Float32Array(bytes.slice(2).buffer);
  const vectors = {
    3: (bytes) =>
      `Binary.fromInt8Array(new Int8Array([${list(new Int8Array(bytes.slice(2).buffer))}]))`,
    39: (bytes) => `Binary.fromFloat32Array(new Float32Array([${list(floats(bytes))}]))`,
    16: (bytes) => `Binary.fromPackedBits(new Uint8Array([${list(bytes.slice(2))}]))`,
  };
  const list = (items) => (items.length === 0 ? "" : ` ${[...items].join(", ")} `);
  const dashed = (digits) => digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

  const BinaryClass = type(
    "Binary",
    class Binary {
      constructor(bytes, subtype = DEFAULT) {
        if (bytes === undefined || bytes === null) {
          this.buffer = new Uint8Array(0);
        } else if (bytes instanceof Uint8Array) {
          this.buffer = bytes;
        } else if (Array.isArray(bytes)) {
          this.buffer = Uint8Array.from(bytes);
        } else if (bytes instanceof ArrayBuffer || ArrayBuffer.isView(bytes)) {
          this.buffer = new Uint8Array(
            bytes.buffer ?? bytes,
            bytes.byteOffset ?? 0,
            bytes.byteLength,
          );
        } else {
          throw new BSONError("Binary can only be constructed from Uint8Array or number[]");
        }
        this.sub_type = subtype & 255;
        this.position = this.buffer.length;
      }
      length() {
        return this.position;
      }
      value() {
        return this.buffer.slice(0, this.position);
      }
      read(position, length) {
        return this.buffer.slice(position, position + (length > 0 ? length : this.position));
      }
      put(byte) {
        this.write(
          [
            typeof byte === "string"
              ? byte.charCodeAt(0)
              : typeof byte === "number"
                ? byte
                : byte[0],
          ],
          this.position,
        );
      }
      write(bytes, offset = this.position) {
        const source = typeof bytes === "string" ? __host.utf8(bytes) : bytes;
        const grown = new Uint8Array(Math.max(this.position, offset + source.length));
        grown.set(this.buffer.slice(0, this.position));
        grown.set(source, offset);
        this.buffer = grown;
        this.position = grown.length;
      }
      toJSON() {
        return base64(this.value());
      }
      toString(encoding) {
        if (encoding === "hex") return hex(this.value());
        if (encoding === "base64") return base64(this.value());
        return __host.text(hex(this.value()));
      }
      toUUID() {
        if (this.sub_type === UUID_TYPE) return new UUIDClass(this.value(), UUID_TYPE);
        throw new BSONError(
          `Binary sub_type "${this.sub_type}" (number) is not supported for converting to UUID. ` +
            "Only 0x04 is currently supported.",
        );
      }
      toInt8Array() {
        return new Int8Array(this.value().slice(2).buffer);
      }
      toFloat32Array() {
        return new Float32Array(this.value().slice(2).buffer);
      }
      toPackedBits() {
        return this.value().slice(2);
      }
      [custom]() {
        const bytes = this.value();
        if (this.sub_type === MD5_TYPE) return `MD5('${hex(bytes)}')`;
        if (this.sub_type === UUID_TYPE && bytes.length === 16)
          return `UUID('${dashed(hex(bytes))}')`;
        if (this.sub_type === VECTOR && vectors[bytes[0]]) return vectors[bytes[0]](bytes);
        return `Binary.createFromBase64('${base64(bytes)}', ${this.sub_type})`;
      }
    },
  );
  // What `toUUID` returns.
  class UUIDClass extends BinaryClass {
    toHexString(isDashed = true) {
      return isDashed ? dashed(hex(this.value())) : hex(this.value());
    }
    toString(encoding) {
      return encoding === "base64" ? base64(this.value()) : this.toHexString(encoding !== "hex");
    }
    toJSON() {
      return this.toHexString();
    }
    toBinary() {
      return new BinaryClass(this.value(), UUID_TYPE);
    }
    equals(other) {
      return hex(this.value()) === String(other).replace(/-/g, "").toLowerCase();
    }
  }

  global("Binary", BinaryClass, (bytes, subtype) => new BinaryClass(bytes, subtype), {
    BUFFER_SIZE: 256,
    SUBTYPE_DEFAULT: 0,
    SUBTYPE_FUNCTION: 1,
    SUBTYPE_BYTE_ARRAY: 2,
    SUBTYPE_UUID_OLD: 3,
    SUBTYPE_UUID: 4,
    SUBTYPE_MD5: 5,
    SUBTYPE_ENCRYPTED: 6,
    SUBTYPE_COLUMN: 7,
    SUBTYPE_SENSITIVE: 8,
    SUBTYPE_VECTOR: 9,
    SUBTYPE_USER_DEFINED: 128,
    VECTOR_TYPE: { Int8: 3, Float32: 39, PackedBit: 16 },
  });
  const vector = (type, padding, bytes) => {
    const content = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return new BinaryClass(Uint8Array.from([type, padding, ...content]), VECTOR);
  };
  hide(Binary, {
    createFromBase64: (text, subtype) => new BinaryClass(fromBase64(text), subtype),
    createFromHexString: (text, subtype) => new BinaryClass(fromHex(text), subtype),
    fromInt8Array: (items) => vector(3, 0, items),
    fromFloat32Array: (items) => vector(39, 0, items),
    fromPackedBits: (items, padding = 0) => vector(16, padding, items),
  });
  global("BinData", BinaryClass, (subtype, text) => {
    need(subtype, 0, "BinData");
    need(text, 1, "BinData");
    check(subtype, 0, ["number"], "BinData");
    check(text, 1, ["string"], "BinData");
    return new BinaryClass(fromBase64(text), subtype);
  });
  global("HexData", BinaryClass, (subtype, text) => {
    need(subtype, 0, "HexData");
    need(text, 1, "HexData");
    check(subtype, 0, ["number"], "HexData");
    check(text, 1, ["string"], "HexData");
    return new BinaryClass(fromHex(text), subtype);
  });
  global("MD5", BinaryClass, (text) => {
    need(text, 0, "MD5");
    check(text, 0, ["string"], "MD5");
    return new BinaryClass(fromHex(text), MD5_TYPE);
  });

  const digits = (text) => text.replace(/[{}-]/g, "");
  const swapped = (bytes, ...runs) =>
    runs.flatMap(([from, to]) => [...bytes.slice(from, to)].reverse());
  const random = () => fromHex(__host.uuid());
  global("UUID", BinaryClass, (text) => {
    check(text, 0, ["string"], "UUID");
    if (text === undefined || text === null) return new BinaryClass(random(), UUID_TYPE);
    return new BinaryClass(fromHex(text.replace(/-/g, "")), UUID_TYPE);
  });
  // The byte orders that older drivers gave UUIDs.
  const legacy = {
    LegacyJavaUUID: (bytes) => swapped(bytes, [0, 8], [8, 16]),
    LegacyCSharpUUID: (bytes) => [...swapped(bytes, [0, 4], [4, 6], [6, 8]), ...bytes.slice(8)],
    LegacyPythonUUID: (bytes) => [...bytes],
  };
  for (const [name, order] of Object.entries(legacy)) {
    global(name, BinaryClass, (text) => {
      check(text, 0, ["string"], name);
      const bytes = text === undefined || text === null ? random() : fromHex(digits(text));
      return new BinaryClass(Uint8Array.from(order(bytes)), UUID_OLD);
    });
  }

  __shell.make.Binary = (bytes, subtype) => new BinaryClass(bytes, subtype);
})();
