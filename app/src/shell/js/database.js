// `db`: databases and collections.
__shell.current = "test";
__shell.database = () => __shell.current;
__shell.command = (words) => {
  if (words[0] === "use") {
    __shell.current = words[1];
    return `switched to db ${words[1]}`;
  }
  throw new Error(`${words[0]} is not supported`);
};
globalThis.print = (...values) => __host.print(values.join(" "));
globalThis.db = {
  runCommand: (command) => __host.run(__shell.current, command),
  adminCommand: (command) => __host.run("admin", command),
};
