// Help texts.
(() => {
  "use strict";

  const { Listing } = __shell;
  const TOPICS = {};

  /** The help of a class, a method a line. */
  __shell.help = (topic) => {
    const [title, ...lines] = TOPICS[topic] ?? [`${topic}:`];
    const rows = lines.map((line) => {
      const at = line.indexOf("|");
      return `    ${line.slice(0, at).padEnd(43)}${line.slice(at + 1)}`;
    });
    return new Listing(["", `  ${title}`, "", ...rows, ""].join("\n"), null);
  };

  __shell.addHelp = (topic, text) => {
    TOPICS[topic] = text.trim().split("\n").map((line) => line.trim());
  };
})();
