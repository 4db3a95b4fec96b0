// Lines that are no JavaScript: `use`, `show`, `it`, `help`.
(() => {
  "use strict";

  const { Listing, invalid, run } = __shell;

  const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];
  const size = (bytes) => {
    if (bytes === undefined) return "";
    let value = Number(bytes);
    let unit = 0;
    for (; value >= 1024 && unit < UNITS.length - 1; unit++) value /= 1024;
    return `${unit === 0 ? value : value.toFixed(2)} ${UNITS[unit]}`;
  };

  /** Rows in columns; `right` holds the columns aligned to the right. */
  const table = (rows, right = []) => {
    const widths = [];
    for (const row of rows) {
      row.forEach((cell, column) => {
        widths[column] = Math.max(widths[column] ?? 0, cell.length);
      });
    }
    const line = (row) =>
      row
        .map((cell, column) =>
          right.includes(column) ? cell.padStart(widths[column]) : cell.padEnd(widths[column]),
        )
        .join("  ")
        .trimEnd();
    return rows.map(line).join("\n");
  };

  const databases = () => {
    const listed = __shell.mongo.getDBs().databases.sort((a, b) => (a.name < b.name ? -1 : 1));
    const rows = listed.map(({ name, sizeOnDisk }) => [name, size(sizeOnDisk)]);
    return new Listing(table(rows, [1]), listed);
  };

  const collections = () => {
    const infos = db.getCollectionInfos({}, { nameOnly: true });
    const isSystem = ({ name }) => name.startsWith("system.");
    infos.sort((a, b) => isSystem(a) - isSystem(b) || (a.name < b.name ? -1 : 1));
    const tags = { timeseries: "[time-series]", view: "[view]" };
    const width = Math.max(0, ...infos.map(({ name }) => name.length));
    const lines = infos.map(({ name, type }) =>
      tags[type] === undefined ? name : `${name.padEnd(width)}  ${tags[type]}`,
    );
    return new Listing(lines.join("\n"), infos);
  };

  const NO_PROFILE = [
    "db.system.profile is empty.",
    "Use db.setProfilingLevel(2) will enable profiling.",
    "Use db.getCollection('system.profile').find() to show raw profile entries.",
  ].join("\n");

  const profile = () => {
    const entries = db
      .getCollection("system.profile")
      .find({ millis: { $gt: 0 } })
      .sort({ $natural: -1 })
      .limit(5)
      .toArray();
    if (entries.length === 0) return new Listing(NO_PROFILE, []);
    const lines = entries.map(({ op, ns, millis, ts, ...fields }) => {
      const rest = Object.entries(fields).map(([name, value]) => {
        const text = typeof value === "string" ? value : __shell.inspect(value);
        return `${name}:${text}`;
      });
      return `${op}\t${ns} ${millis}ms ${String(ts).slice(0, 24)}\n${rest.join(" ")}`;
    });
    return new Listing(lines.join("\n\n"), entries);
  };

  const log = (name = "global") => run("admin", { getLog: name }).log;

  const SHOW = {
    dbs: databases,
    databases,
    collections,
    tables: collections,
    users: () => db.getUsers().users,
    roles: () => db.getRoles({ showBuiltinRoles: true }).roles,
    profile,
    logs: () => log("*") ?? run("admin", { getLog: "*" }).names,
    log,
  };

  const COMMANDS = {
    use: (name) => __shell.use(name),
    show(what, argument) {
      if (!Object.hasOwn(SHOW, what ?? "")) {
        throw invalid(`'${what}' is not a valid argument for "show".`);
      }
      return SHOW[what](argument);
    },
    it: () => __shell.more(),
    help: () => __shell.help("Shell"),
    cls() {},
    exit() {},
    quit() {},
  };

  /** Runs such a line. */
  __shell.command = (words) => {
    const last = words.length - 1;
    const [name, ...values] = words.map((word, index) =>
      index === last ? word.replace(/;+$/, "") : word,
    );
    return COMMANDS[name](...values.filter((word) => word !== ""));
  };
  __shell.showCommand = COMMANDS.show;
  globalThis.use = __shell.use;
  globalThis.show = COMMANDS.show;
  globalThis.help = COMMANDS.help;

  for (const name of ["load", "connect", "passwordPrompt"]) {
    globalThis[name] = () => {
      throw new __shell.errors.MongoshUnimplementedError(
        `${name} is not supported: the console reads no files and opens no connections`,
      );
    };
  }
})();
