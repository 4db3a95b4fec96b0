// Methods of arrays and strings that no interrupt ends: they are bounded by what they are given.
(() => {
  "use strict";

  /** More elements than the memory has room for. */
  const ELEMENTS_MAX = 1 << 25;

  const METHODS = [
    "concat",
    "copyWithin",
    "join",
    "lastIndexOf",
    "reverse",
    "shift",
    "slice",
    "sort",
    "splice",
    "toReversed",
    "toSorted",
    "toSpliced",
    "toString",
    "toLocaleString",
    "unshift",
    "with",
  ];

  /** Compared characters of a search, at worst. */
  const COMPARED_MAX = 1e9;

  const SEARCHES = ["includes", "indexOf", "lastIndexOf", "replace", "replaceAll", "split"];

  /** Replaces a method by one that calls `check` before. */
  const bound = (prototype, name, check) => {
    const method = prototype[name];
    const bounded = {
      [name](...values) {
        check(this, values[0], name);
        return Reflect.apply(method, this, values);
      },
    }[name];
    Object.defineProperty(bounded, "length", { value: method.length, configurable: true });
    Object.defineProperty(prototype, name, { value: bounded, writable: true, configurable: true });
  };

  const checkArray = (array, _, name) => {
    if (array.length > ELEMENTS_MAX) {
      const bound = `more than ${ELEMENTS_MAX} elements`;
      throw new RangeError(`Array.prototype.${name}: ${bound}; work on a smaller array`);
    }
  };
  for (const name of METHODS) bound(Array.prototype, name, checkArray);

  const checkSearch = (text, pattern, name) => {
    if (typeof pattern === "string" && text?.length * pattern.length > COMPARED_MAX) {
      throw new RangeError(`String.prototype.${name}: too much to compare; search in smaller parts`);
    }
  };
  for (const name of SEARCHES) bound(String.prototype, name, checkSearch);
})();
