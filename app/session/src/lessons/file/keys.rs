//! Every key, block, option and link of a lesson file: what the reader accepts, what its messages suggest, and
//! what `mayfly lesson keys` prints.

use std::fmt::Write as _;

/// The keys of one kind of table.
#[derive(Debug)]
pub struct Group {
    /// Its name in sentences: `The front matter`, `A choice`.
    pub name: &'static str,
    /// Its place in a file.
    pub place: &'static str,
    pub keys: &'static [Key],
}

#[derive(Debug)]
pub struct Key {
    pub name: &'static str,
    pub value: &'static str,
    pub meaning: &'static str,
}

const fn key(name: &'static str, value: &'static str, meaning: &'static str) -> Key {
    Key { name, value, meaning }
}

impl Group {
    /// The names of its keys.
    pub fn names(&self) -> Vec<&'static str> {
        self.keys.iter().map(|key| key.name).collect()
    }
}

pub static FRONT: Group = Group {
    name: "The front matter",
    place: "between the lines `+++`",
    keys: &[
        key("title", "text, required", "at most 80 characters"),
        key("minutes", "1 to 120, required", "how long it takes"),
        key("level", "required", "`start`, `core`, `cosmos`, `operate` or `challenge`"),
        key(
            "show",
            "list, required",
            "one to four collections whose lanes are shown; `cosmos.name` is one of the second database",
        ),
        key("kind", "by the level", "`lesson`, `challenge` or `scene`"),
        key("dialect", "`mongodb`", "`mongodb`, `cosmos` or `open`"),
        key("rules", "one database", "`both`: a second database `cosmos` follows Cosmos DB"),
        key("after", "none", "names of lessons worth doing before"),
        key("clock", "required", "the table `[clock]`"),
        key("reaper", "none", "the table `[reaper]`"),
        key(
            "members",
            "none",
            "the tables `[[members]]`, at most three; the first one is the primary",
        ),
        key(
            "vary",
            "none",
            "the table `[vary]`: lists of values by name, of which one each is drawn",
        ),
    ],
};

pub static CLOCK: Group = Group {
    name: "[clock]",
    place: "`[clock]`",
    keys: &[
        key(
            "start",
            "required",
            "the first instant, in UTC, or `\"build\"` for the date of the program",
        ),
        key("rate", "1", "simulated seconds for each real second of a play, 0.001 to 3600"),
        key("kind", "`simulated`", "`simulated`, or `computer` for lessons about the clock guard"),
    ],
};

pub static REAPER: Group = Group {
    name: "[reaper]",
    place: "`[reaper]`",
    keys: &[
        key("period", "`60s`", "the sleep between two passes, `1s` to `1d`"),
        key("load", "`0s`", "the time that removing one document takes, up to `1h`"),
        key("parameters", "none", "parameters of `setParameter`, by name"),
    ],
};

pub static MEMBER: Group = Group {
    name: "A member",
    place: "`[[members]]`",
    keys: &[
        key("name", "required", "1 to 12 letters and digits, such as `A`"),
        key("skew", "`0s`", "how far its clock is ahead"),
    ],
};

/// Tables with names that the author chooses.
pub static FREE: Group = Group { name: "The table", place: "", keys: &[] };

pub static QUESTION: Group = Group {
    name: "The question",
    place: "`toml predict`",
    keys: &[
        key("question", "text, required", "the question"),
        key("ask", "required without `when`", "an expression over the store: the answer"),
        key(
            "kind",
            "`choose`",
            "`choose`, `count` (a number), `which` (documents) or `pin` (a moment on the axis, in seconds from the start)",
        ),
        key("id", "by its number", "a name that stays when the file is edited"),
        key("because", "required unless `choose`", "the explanation after the answer"),
        key("vote", "false", "`true`: a room can vote"),
        key("min", "of `count`, required", "the smallest number"),
        key("max", "of `count`, required", "the largest number"),
        key(
            "axis",
            "of `pin`",
            "how far ahead the axis shows when the question is asked, such as `4m`",
        ),
        key("among", "of `which`, required", "the collection to choose from, one of `show`"),
        key(
            "choice",
            "2 to 5 of `choose`",
            "the tables `[[choice]]`; for `count` and `which`, answers that need a reason",
        ),
    ],
};

pub static CHOICE: Group = Group {
    name: "A choice",
    place: "`[[choice]]` in `toml predict`",
    keys: &[
        key("text", "of `choose`, required", "the words of the choice"),
        key("is", "or `never` or `when`", "the value of `ask` that makes it true"),
        key("never", "false", "`true`: it is true if `ask` gives null"),
        key("when", "none", "an expression that makes it true, in a question without `ask`"),
        key("because", "text, required", "why it is true, or why it looks so"),
    ],
};

pub static GOAL: Group = Group {
    name: "The goal",
    place: "`toml goal`",
    keys: &[
        key("task", "text, required", "what to do"),
        key(
            "when",
            "required",
            "an expression over the store that is true when the goal is reached",
        ),
        key("hints", "list, required", "one to four hints, shown one at a time"),
        key("near", "none", "an expression that gives a sentence on how far the goal is, or null"),
        key("fail_when", "none", "an expression that is true when the goal is out of reach"),
        key("lost", "a usual sentence", "the sentence for `fail_when`"),
        key("allow", "all", "methods and commands that may be used besides reads"),
        key("deny", "none", "methods and commands that may not be used; not together with `allow`"),
        key("deadline", "none", "the time for it on the simulated clock"),
    ],
};

pub static COURSE: Group = Group {
    name: "The course",
    place: "`course.toml`",
    keys: &[
        key("title", "text, required", "its title on the Lessons page"),
        key("order", "by name", "the files in their order, without `.md`"),
        key("path", "none", "the files of a short path through it"),
        key("predicts", "none", "the table `[predicts]`"),
        key("sheet", "none", "the tables `[[sheet]]`"),
    ],
};

pub static SHEET: Group = Group {
    name: "A sheet",
    place: "`[[sheet]]` in `course.toml`",
    keys: &[
        key("title", "text, required", "its title, such as `45 minutes`"),
        key("lessons", "required", "the files of a lecture in their order, without `.md`"),
    ],
};

pub static PREDICTS: Group = Group {
    name: "[predicts]",
    place: "`[predicts]` in `course.toml`",
    keys: &[
        key("course", "none", "sentences after *You can now predict*, at the end of the course"),
        key("path", "none", "the same for the path"),
        key("start", "none", "the same for a series"),
        key("core", "none", "the same"),
        key("cosmos", "none", "the same"),
        key("operate", "none", "the same"),
        key("challenge", "none", "the same"),
    ],
};

/// All of them, in the order in which they are printed.
pub const GROUPS: [&Group; 10] =
    [&FRONT, &CLOCK, &REAPER, &MEMBER, &QUESTION, &CHOICE, &GOAL, &COURSE, &PREDICTS, &SHEET];

/// A name and its meaning.
type Row = (&'static str, &'static str);

/// The words after a fence, with their options.
const BLOCKS: [Row; 7] = [
    ("js setup", "runs when the card opens"),
    (
        "js run Label fails=85 shows=\"text\"",
        "a button; `fails` is the code of the error that must come, `shows` a text that the reply must have",
    ),
    ("js play Label", "a button that lets time pass, after the question of the card is answered"),
    (
        "js traffic every=2s name=words stay",
        "runs again and again on the simulated clock; `stay` keeps it for the whole lesson",
    ),
    ("toml predict", "a question, before the block that answers it"),
    ("toml goal", "a task"),
    ("js solution", "one way to reach the goal of its card"),
];

/// The views and dialogs that a link can open, as `mayfly:name`.
pub const LINKS: [Row; 6] = [
    ("expiry", "the timeline of the Expiry view"),
    ("documents", "the Documents view"),
    ("indexes", "the Indexes view"),
    ("removed", "the removed documents in the Expiry view"),
    ("console", "the console"),
    ("glossary", "the words of TTL"),
];

/// The calls of JavaScript that only lessons have.
const CALLS: [Row; 12] = [
    ("T(\"+90s\")", "the start plus a duration, as a date"),
    (
        "play(what)",
        "lets time pass: `\"90s\"`, `\"next pass\"`, `\"next threshold\"`, `\"next event\"` or `\"until 12:05:00\"`",
    ),
    ("pass()", "a pass now"),
    ("at(\"+45s\", fn)", "calls a function at that instant of a later play"),
    ("visible(\"coll\", id)", "whether a read finds a document"),
    ("stored(\"coll\", id)", "whether it is still stored"),
    ("removedAfter(\"coll\", id)", "seconds from the start to its removal, or null"),
    ("ledger(\"coll\")", "the removed documents"),
    ("reply, error", "of the last `js run`"),
    ("expect(condition, message)", "fails the check"),
    ("member(\"B\")", "the same calls for a member of a replica set"),
    ("stepDown, stop, start, replicationDelay", "act on a replica set"),
];

/// The reference of all keys, as Markdown.
pub fn reference() -> String {
    let mut text = String::new();
    for group in GROUPS {
        // Writing to a String can't fail.
        let _ = write!(
            text,
            "\n{} ({}):\n\n| key | value or default | meaning |\n|---|---|---|\n",
            group.name, group.place
        );
        for Key { name, value, meaning } in group.keys {
            let _ = writeln!(text, "| `{name}` | {value} | {meaning} |");
        }
    }
    let lists: [(&str, &[Row], &str); 3] = [
        ("Blocks: the words after three backticks", &BLOCKS, ""),
        ("Links", &LINKS, "mayfly:"),
        ("JavaScript, besides everything of the console", &CALLS, ""),
    ];
    for (title, rows, before) in lists {
        let _ = write!(text, "\n{title}:\n\n| | meaning |\n|---|---|\n");
        for (name, meaning) in rows {
            let _ = writeln!(text, "| `{before}{name}` | {meaning} |");
        }
    }
    text.trim_start().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lessons::file::{info, parse, parse_course};

    const FRONT_TEXT: &str = "title = \"T\"\nminutes = 1\nlevel = \"core\"\nshow = [\"log\"]\n";
    const CLOCK_TEXT: &str = "[clock]\nstart = 2026-01-01T12:00:00Z\n";
    const PREDICT: &str = "question = \"Q\"\nask = 'db.log.countDocuments()'\n";
    const CHOICES: &str = "[[choice]]\ntext = \"A\"\nis = 1\nbecause = \"B\"\n\
                           [[choice]]\ntext = \"C\"\nis = 2\nbecause = \"D\"\n";
    const GOAL_TEXT: &str = "task = \"T\"\nwhen = 'db.log.countDocuments()'\nhints = [\"h\"]\n";

    /// A file with this line in a table of the group.
    fn with(group: &Group, line: &str) -> String {
        let part = |of: &Group| if std::ptr::eq(of, group) { line } else { "" };
        let kind =
            if line.starts_with("among") { "kind = \"which\"\n" } else { "kind = \"count\"\n" };
        format!(
            "+++\n{FRONT_TEXT}{}\n{CLOCK_TEXT}{}\n[reaper]\n{}\n[[members]]\nname = \"A\"\n{}\n+++\n\n\
             ## One\n\n```js setup\ndb.log.insertOne({{}})\n```\n```toml predict\n{PREDICT}{kind}{}\n{CHOICES}{}\n\
             ```\n```js play\nplay(1)\n```\n\n## Two\n\n```toml goal\n{GOAL_TEXT}{}\n```\n\
             ```js solution\ndb.log.insertOne({{ _id: 1, b: 2 }})\n```\n",
            part(&FRONT),
            part(&CLOCK),
            part(&REAPER),
            part(&MEMBER),
            part(&QUESTION),
            part(&CHOICE),
            part(&GOAL),
        )
    }

    /// The sentences about a file in which a table has this line.
    fn problems(group: &Group, line: &str) -> Vec<String> {
        let text = with(group, line);
        let found = match group.name {
            "The course" => parse_course(line).err(),
            "[predicts]" => parse_course(&format!("title = \"T\"\n[predicts]\n{line}")).err(),
            "A sheet" => parse_course(&format!("title = \"T\"\n[[sheet]]\n{line}")).err(),
            _ => parse("x", &text).err(),
        };
        found.into_iter().flatten().map(|problem| problem.sentence).collect()
    }

    /// The reader knows every key of the table: a second one is a duplicate, not an unknown key.
    #[test]
    fn the_reader_knows_every_key_and_no_other() {
        for group in GROUPS {
            for key in group.keys {
                let said = problems(group, &format!("{} = 2021-01-01T00:00:00Z", key.name));
                let is_unknown = said.iter().any(|said| said.contains("nknown key"));
                assert!(!is_unknown, "{} of {}: {said:?}", key.name, group.name);
            }
            let said = problems(group, "zzzz = 1");
            let said = said.iter().find(|said| said.starts_with("Unknown key `zzzz`."));
            let said = said.unwrap_or_else(|| panic!("{} has an unknown key", group.name));
            assert!(said.contains(" Use one of: "), "{said}");
            for name in group.names() {
                let times = said.split([' ', ',', '.']).filter(|word| *word == name).count();
                assert_eq!(times, 1, "{name} once: {said}");
            }
        }
    }

    #[test]
    fn the_reference_has_every_key_block_and_link() {
        let text = reference();
        for name in GROUPS.iter().flat_map(|group| group.names()).chain(info::BLOCKS) {
            assert!(text.contains(&format!("`{name}")), "{name}");
        }
        let starts = BLOCKS.map(|(block, _)| block);
        assert!(info::BLOCKS.iter().all(|block| starts.iter().any(|it| it.starts_with(block))));
        assert!(LINKS.iter().all(|(name, _)| text.contains(&format!("`mayfly:{name}`"))));
        let readme = include_str!("../../../../../assets/lessons/README.md");
        assert!(
            readme.contains(text.trim()),
            "Put this into README.md, below `### Every key`:\n{text}"
        );
    }
}
