// What may follow a text: names, collections, methods, operators and fields.
(() => {
  "use strict";

  const NAMES_MAX = 200;
  const SAMPLED_DOCUMENTS = 20;
  /** Characters before the cursor that are looked at. */
  const LOOKED_AT_MAX = 4_000;

  const QUERY =
    "$and $or $nor $not $eq $ne $gt $gte $lt $lte $in $nin $exists $type $regex $options $expr " +
    "$mod $all $elemMatch $size $jsonSchema $comment";
  const UPDATE =
    "$set $unset $inc $mul $min $max $rename $currentDate $setOnInsert $push $pull $pullAll $pop " +
    "$addToSet $bit $each $position $slice $sort";
  const STAGES =
    "$match $project $group $sort $limit $skip $unwind $lookup $addFields $set $unset $count $facet " +
    "$bucket $bucketAuto $replaceRoot $replaceWith $sample $sortByCount $out $merge $unionWith";
  const EXPRESSIONS =
    "$sum $avg $min $max $first $last $push $addToSet $add $subtract $multiply $divide $mod $cond " +
    "$ifNull $switch $eq $ne $gt $gte $lt $lte $and $or $not $in $size $filter $map $reduce $concat " +
    "$toString $toInt $toDate $dateAdd $dateDiff $dateTrunc $dateToString $getField $mergeObjects";
  const SHOWN = ["dbs", "databases", "collections", "tables", "users", "roles", "profile", "logs"];

  const isName = (name) => /^[A-Za-z$][\w$]*$/.test(name) && name !== "constructor";

  /** Names of the properties of a value, inherited ones too, without reading any. */
  const names = (value) => {
    const found = new Set();
    for (let at = Object(value); at !== null && at !== Object.prototype; ) {
      for (const name of Object.getOwnPropertyNames(at)) if (isName(name)) found.add(name);
      at = Object.getPrototypeOf(at);
    }
    return [...found];
  };

  const current = () => __shell.database();
  const batch = (database, command, field) => {
    const reply = __host.run(database, command);
    return reply.ok === 1 ? (reply.cursor?.firstBatch ?? reply[field]) : [];
  };
  const collections = () =>
    batch(current(), { listCollections: 1, nameOnly: true }).map(({ name }) => name);
  const databases = () =>
    batch("admin", { listDatabases: 1, nameOnly: true }, "databases").map(({ name }) => name);

  const fields = (collection) => {
    const command = { find: collection, limit: SAMPLED_DOCUMENTS, singleBatch: true };
    const found = new Set();
    for (const document of batch(current(), command)) {
      for (const field of Object.keys(document)) found.add(field);
    }
    return [...found].map((field) => (isName(field) || field === "_id" ? field : JSON.stringify(field)));
  };

  /** Names of a path such as `EJSON` or `a.b`, without calling anything. */
  const members = (path) => {
    let at = globalThis;
    for (const name of path.split(".")) {
      const property = Object.getOwnPropertyDescriptor(Object(at), name);
      if (property === undefined || !("value" in property)) return [];
      at = property.value;
    }
    return at === null || at === undefined ? [] : names(at);
  };

  /** The expression that ends a text: names, dots and closed brackets. */
  const receiver = (text) => {
    let at = text.length;
    let depth = 0;
    while (at > 0) {
      const before = text[at - 1];
      if (")]".includes(before)) depth++;
      else if (depth === 0 && !/[\w$.?]/.test(before)) break;
      else if ("([".includes(before)) depth--;
      at--;
    }
    return text.slice(at).replaceAll("?.", ".");
  };

  const after = (expression) => {
    if (expression === "db") return [...collections().filter(isName), ...names(db)];
    if (/^db\.getSiblingDB\([^()]*\)$/.test(expression)) return names(db);
    if (/^db(\.[\w$]+)+$|^db\.getCollection\([^()]*\)$|^db\[[^[\]]*\]$/.test(expression)) {
      const start = `${expression.slice(3)}.`;
      const inner = collections().filter((name) => name.startsWith(start));
      return [...inner.map((name) => name.slice(start.length)), ...names(__shell.Collection.prototype)];
    }
    if (/\.aggregate\(/.test(expression)) return names(__shell.AggregationCursor.prototype);
    if (/\.find\(.*\)$/s.test(expression)) return names(__shell.Cursor.prototype);
    return /^[\w$.]+$/.test(expression) ? members(expression) : [];
  };

  /** The brackets that are open at the end of a text, each with its position and its commas. */
  const openBrackets = (text) => {
    const open = [];
    let quote = null;
    for (let at = 0; at < text.length; at++) {
      const character = text[at];
      if (quote !== null) {
        if (character === "\\") at++;
        else if (character === quote) quote = null;
      } else if ("\"'`".includes(character)) quote = character;
      else if ("([{".includes(character)) open.push({ bracket: character, at, commas: 0 });
      else if (")]}".includes(character)) open.pop();
      else if (character === "," && open.length > 0) open.at(-1).commas++;
    }
    return open;
  };

  /** What a key in a document may be that is given to a method of a collection. */
  const keys = (head) => {
    const open = openBrackets(head);
    if (open.at(-1)?.bracket !== "{" || !/[{,]\s*["']?$/.test(head)) return null;
    const call = open.findIndex(({ bracket }) => bracket === "(");
    const found = /\bdb\.((?:[\w$]+\.)*[\w$]+)\.(\w+)$/.exec(head.slice(0, open[call]?.at ?? 0));
    if (found === null) return [];
    const [, collection, method] = found;
    const inner = open.length - call - 1;
    let operators = QUERY;
    if (method === "aggregate") operators = inner <= 2 ? STAGES : `${QUERY} ${EXPRESSIONS}`;
    else if (/^(update|findOneAndUpdate|findAndModify)/.test(method) && open[call].commas > 0) {
      operators = UPDATE;
    }
    const isStage = method === "aggregate" && inner <= 2;
    return [...(isStage ? [] : fields(collection)), ...operators.split(" ")];
  };

  const candidates = (head) => {
    if (/^\s*use\s+$/.test(head)) return databases();
    if (/^\s*show\s+$/.test(head)) return SHOWN;
    if (/\.$/.test(head)) return after(receiver(head.replace(/\??\.$/, "")));
    return keys(head) ?? [...names(globalThis), "use", "show"];
  };

  /** The length of the word before the cursor, and what it may become. */
  __shell.complete = (text) => {
    const before = text.slice(-LOOKED_AT_MAX);
    const word = /[\w$]*$/.exec(before)[0];
    const found = candidates(before.slice(0, before.length - word.length));
    const matching = [...new Set(found)].filter((name) => name.startsWith(word) && name !== word);
    return [String(word.length), ...matching.sort().slice(0, NAMES_MAX)];
  };
})();
