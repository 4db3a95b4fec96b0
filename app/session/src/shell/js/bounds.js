// Built-in functions whose loops no interrupt ends. Each polls before it begins, and is refused where
// what it is given would keep it busy for seconds. What is left is ended by abandoning the thread.
(() => {
  "use strict";

  const { apply, construct, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, has } = Reflect;
  const { isArray } = Array;
  const { isProxy, poll } = __host;
  const { isConcatSpreadable, species } = Symbol;
  const NativeProxy = Proxy;
  const NativeSet = Set;
  const TypedArray = getPrototypeOf(Uint8Array);
  const typedLength = getOwnPropertyDescriptor(TypedArray.prototype, "length").get;

  /** More elements than the memory has room for. */
  const ELEMENTS_MAX = 1 << 24;

  /** Keys that a Proxy may report: each is compared with all others. */
  const KEYS_MAX = 10_000;

  /** Compared characters of a search, at worst. */
  const COMPARED_MAX = 1e9;

  /** Elements that are worked on between two polls. */
  const POLL_EVERY = 1e6;

  let worked = 0;

  /** Notes work of this many elements. Throws if the input is stopped. */
  const charge = (elements) => {
    worked += elements + 1;
    if (worked < POLL_EVERY) return;
    worked = 0;
    poll();
  };

  const isObject = (value) =>
    (typeof value === "object" && value !== null) || typeof value === "function";

  const toLength = (value) => Math.min(Math.max(Math.trunc(Number(value)) || 0, 0), 2 ** 53 - 1);

  const check = (length, name) => {
    if (length > ELEMENTS_MAX) {
      throw new RangeError(`${name}: more than ${ELEMENTS_MAX} elements; work on a smaller array`);
    }
    charge(length);
  };

  /** Replaces a method by `replacement(method)`, which may have any name. */
  const replace = (owner, name, replacement) => {
    const method = owner[name];
    if (method === undefined) return;
    const replaced = replacement(method);
    defineProperty(replaced, "name", { value: name, configurable: true });
    defineProperty(replaced, "length", { value: method.length, configurable: true });
    defineProperty(owner, name, { value: replaced, writable: true, configurable: true });
  };

  /** Whether each read of the length gives the same number and runs no script. */
  const hasFixedLength = (object) => {
    for (let at = object; at !== null; at = getPrototypeOf(at)) {
      if (isProxy(at)) return false;
      const found = getOwnPropertyDescriptor(at, "length");
      if (found !== undefined) {
        return !isObject(found.value) && (found.get === undefined || found.get === typedLength);
      }
    }
    return true;
  };

  /** An object with the elements of another and a length that was read once. */
  const withLength = (object, length) =>
    Object.create(object, { length: { value: length, writable: true, configurable: true } });

  const READERS = ["join", "lastIndexOf", "slice", "toReversed", "toSorted", "toSpliced", "with"];
  const CONVERSIONS = ["toString", "toLocaleString"];
  const WRITERS = ["copyWithin", "fill", "reverse", "shift", "sort", "splice", "unshift"];

  const boundArrayMethod = (name, writes) => (method) =>
    function (...values) {
      const full = `Array.prototype.${name}`;
      if (isArray(this) && !isProxy(this)) {
        check(this.length, full);
        return apply(method, this, values);
      }
      if (this === null || this === undefined) return apply(method, this, values);
      const object = Object(this);
      const isFixed = hasFixedLength(object);
      const length = toLength(object.length);
      check(length, full);
      if (isFixed) return apply(method, this, values);
      if (writes) {
        throw new TypeError(`${full}: the length is computed; copy the object with Array.from first`);
      }
      return apply(method, withLength(object, length), values);
    };
  for (const name of READERS) replace(Array.prototype, name, boundArrayMethod(name, false));
  for (const name of CONVERSIONS) replace(Array.prototype, name, boundArrayMethod(name, false));
  for (const name of WRITERS) replace(Array.prototype, name, boundArrayMethod(name, true));

  // These poll, but not while they look through the memory of an array.
  for (const name of ["includes", "indexOf"]) {
    replace(Array.prototype, name, (method) => function (...values) {
      if (isArray(this)) charge(this.length);
      return apply(method, this, values);
    });
  }

  /** An empty array of the class of another. */
  const emptyLike = (array) => {
    if (!isArray(array)) return [];
    const made = array.constructor;
    const own = isObject(made) ? made[species] : made;
    return own === undefined || own === null || own === Array ? [] : new own(0);
  };

  const concatEach = (self, values) => {
    const all = emptyLike(self);
    let count = 0;
    for (let index = -1; index < values.length; index++) {
      const part = index < 0 ? Object(self) : values[index];
      const spreads = isObject(part) ? part[isConcatSpreadable] : false;
      if (!(spreads === undefined ? isArray(part) : spreads)) {
        all[count++] = part;
        continue;
      }
      const length = toLength(part.length);
      check(count + length, "Array.prototype.concat");
      for (let at = 0; at < length; at++, count++) if (at in part) all[count] = part[at];
    }
    all.length = count;
    return all;
  };

  replace(Array.prototype, "concat", (concat) => function (...values) {
    let length = 0;
    for (let index = -1; index < values.length; index++) {
      const part = index < 0 ? this : values[index];
      if (!isObject(part)) continue;
      if (isProxy(part) || has(part, isConcatSpreadable)) return concatEach(this, values);
      if (isArray(part)) length += part.length;
    }
    check(length, "Array.prototype.concat");
    return apply(concat, this, values);
  });

  const flatten = (all, array, depth) => {
    const length = toLength(array.length);
    for (let at = 0; at < length; at++) {
      if (!(at in array)) continue;
      const value = array[at];
      if (depth > 0 && isArray(value)) flatten(all, value, depth - 1);
      else all[all.length] = value;
    }
    return all;
  };

  replace(Array.prototype, "flat", (flat) => function (depth = 1) {
    if (this === null || this === undefined) return apply(flat, this, []);
    return flatten(emptyLike(this), Object(this), Math.trunc(Number(depth)) || 0);
  });

  replace(Array.prototype, "flatMap", (flatMap) => function (map, self) {
    if (this === null || this === undefined || typeof map !== "function") {
      return apply(flatMap, this, [map]);
    }
    const array = Object(this);
    const all = emptyLike(this);
    const length = toLength(array.length);
    for (let at = 0; at < length; at++) {
      if (!(at in array)) continue;
      const value = apply(map, self, [array[at], at, array]);
      if (isArray(value)) flatten(all, value, 0);
      else all[all.length] = value;
    }
    return all;
  });

  const TYPED = [
    "copyWithin",
    "fill",
    "includes",
    "indexOf",
    "join",
    "lastIndexOf",
    "reverse",
    "slice",
    "sort",
    "toLocaleString",
    "toReversed",
    "toSorted",
    "with",
  ];
  for (const name of TYPED) {
    replace(TypedArray.prototype, name, (method) => function (...values) {
      charge(apply(typedLength, this, []));
      return apply(method, this, values);
    });
  }
  replace(TypedArray.prototype, "set", (set) => function (source, offset) {
    if (!isObject(source) || ArrayBuffer.isView(source)) {
      charge(apply(typedLength, this, []));
      return apply(set, this, [source, offset]);
    }
    const length = toLength(source.length);
    check(length, "TypedArray.prototype.set");
    const isFixed = isArray(source) && !isProxy(source);
    return apply(set, this, [isFixed ? source : withLength(source, length), offset]);
  });

  const SEARCHES = ["includes", "indexOf", "lastIndexOf", "replace", "replaceAll", "split"];
  for (const name of SEARCHES) {
    replace(String.prototype, name, (method) => function (...values) {
      const pattern = values[0];
      const length = typeof this === "string" ? this.length : 0;
      if (typeof pattern === "string" && length * pattern.length > COMPARED_MAX) {
        throw new RangeError(`String.prototype.${name}: too much to compare; search in smaller parts`);
      }
      charge(length);
      return apply(method, this, values);
    });
  }
  const CASES = ["normalize", "toLocaleLowerCase", "toLocaleUpperCase", "toLowerCase", "toUpperCase"];
  for (const name of CASES) {
    replace(String.prototype, name, (method) => function (...values) {
      if (typeof this === "string") charge(this.length);
      return apply(method, this, values);
    });
  }
  for (const name of ["padEnd", "padStart", "repeat"]) {
    replace(String.prototype, name, (method) => function (...values) {
      const text = apply(method, this, values);
      charge(text.length);
      return text;
    });
  }

  /** The traps of a Proxy, of which `ownKeys` reports a bounded list. */
  const boundedTraps = (traps) => {
    if (!isObject(traps) || !has(traps, "ownKeys")) return traps;
    return new NativeProxy(traps, {
      get(_, name) {
        const trap = traps[name];
        if (name !== "ownKeys" || typeof trap !== "function") return trap;
        return (target) => {
          const reported = apply(trap, traps, [target]);
          if (!isObject(reported)) return reported;
          const length = toLength(reported.length);
          if (length > KEYS_MAX) {
            throw new RangeError(`Proxy: more than ${KEYS_MAX} keys; report fewer with ownKeys`);
          }
          charge(length * length / 10);
          const keys = [];
          for (let at = 0; at < length; at++) keys[at] = reported[at];
          return keys;
        };
      },
    });
  };
  replace(NativeProxy, "revocable", (revocable) => (target, traps) =>
    apply(revocable, NativeProxy, [target, boundedTraps(traps)]));
  globalThis.Proxy = new NativeProxy(NativeProxy, {
    construct: (_, values) => new NativeProxy(values[0], boundedTraps(values[1])),
  });

  // An iterator of the runtime may have no end, such as that of an object with a wrong length.
  globalThis.Set = new NativeProxy(NativeSet, {
    construct(_, values, target) {
      const made = construct(NativeSet, [], target);
      const elements = values[0];
      if (elements === undefined || elements === null) return made;
      const { add } = made;
      if (typeof add !== "function") return construct(NativeSet, [elements], target);
      for (const element of elements) apply(add, made, [element]);
      return made;
    },
  });
  defineProperty(NativeSet.prototype, "constructor", { value: Set });

  /** A set whose keys are handed over one by one by a script, which can be interrupted. */
  const polled = (other) => {
    if (!isObject(other) || getPrototypeOf(other) === NativeSet.prototype) return other;
    return {
      size: other.size,
      has: (value) => other.has(value),
      *keys() {
        const keys = other.keys();
        for (let next = keys.next(); !next.done; next = keys.next()) yield next.value;
      },
    };
  };
  const SET_METHODS = [
    "difference",
    "intersection",
    "isDisjointFrom",
    "isSubsetOf",
    "isSupersetOf",
    "symmetricDifference",
    "union",
  ];
  for (const name of SET_METHODS) {
    replace(NativeSet.prototype, name, (method) => function (other) {
      return apply(method, this, [polled(other)]);
    });
  }

  replace(Iterator.prototype, "drop", (drop) => function (count) {
    if (Number(count) > ELEMENTS_MAX) check(Number(count), "Iterator.prototype.drop");
    return apply(drop, this, [count]);
  });
})();
