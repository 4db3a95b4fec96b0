//! Facts about JavaScript that can be seen without running it.

use std::collections::BTreeSet;

/// A name outside of strings, comments and regular expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Name<'a> {
    text: &'a str,
    /// Whether it is a property: it comes after a dot.
    is_property: bool,
    /// The character that follows, without spaces.
    next: Option<char>,
}

/// The names that an expression may call to read the engine.
pub const READS: [&str; 14] = [
    "db",
    "cosmos",
    "removedAfter",
    "visible",
    "stored",
    "ledger",
    "archive",
    "trash",
    "held",
    "verdict",
    "whatIf",
    "member",
    "clock",
    "reply",
];

/// Whether an expression reads the engine.
pub fn reads_engine(script: &str) -> bool {
    names(script).iter().any(|name| {
        let follows = match name.text {
            "db" | "cosmos" => matches!(name.next, Some('.' | '[')),
            "clock" => name.next == Some('.'),
            "reply" | "error" => true,
            text => READS.contains(&text) && name.next == Some('('),
        };
        // Such an expression has no value that could be written down as text.
        follows && !name.is_property
    })
}

/// The collections that a script names as `db.name` or `cosmos.name`.
pub fn collections(script: &str, found: &mut BTreeSet<String>) {
    for pair in names(script).windows(2) {
        let [database, collection] = pair else { continue };
        let is_database = matches!(database.text, "db" | "cosmos") && !database.is_property;
        let is_method = collection.next == Some('(');
        if is_database && database.next == Some('.') && collection.is_property && !is_method {
            found.insert(collection.text.to_owned());
        }
    }
}

/// Whether a script has this word, in code or in a string.
pub fn mentions(script: &str, word: &str) -> bool {
    script.match_indices(word).any(|(at, _)| {
        let before = script[..at].chars().next_back();
        let after = script[at + word.len()..].chars().next();
        !before.is_some_and(is_name) && !after.is_some_and(is_name)
    })
}

fn is_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '$')
}

fn names(script: &str) -> Vec<Name<'_>> {
    let mut found = Vec::new();
    // Braces that are open in each `${…}` of a template.
    let mut templates: Vec<usize> = Vec::new();
    let mut last = None;
    let mut at = 0;
    while let Some(letter) = script[at..].chars().next() {
        let rest = &script[at..];
        let length = match letter {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest[2..].find("*/").map_or(rest.len(), |end| end + 4),
            '/' if !ends_value(last) => literal(rest, '/'),
            '"' | '\'' => literal(rest, letter),
            '`' => template(&rest[1..], &mut templates) + 1,
            '}' if templates.last() == Some(&0) => {
                templates.pop();
                template(&rest[1..], &mut templates) + 1
            }
            _ if is_name(letter) => {
                let end = rest.find(|other| !is_name(other)).unwrap_or(rest.len());
                let next = rest[end..].trim_start().trim_start_matches('?').chars().next();
                found.push(Name { text: &rest[..end], is_property: last == Some('.'), next });
                end
            }
            _ => {
                match (letter, templates.last_mut()) {
                    ('{', Some(open)) => *open += 1,
                    ('}', Some(open)) => *open = open.saturating_sub(1),
                    _ => {}
                }
                letter.len_utf8()
            }
        };
        if !letter.is_whitespace() && !rest.starts_with("//") && !rest.starts_with("/*") {
            last = rest[..length].chars().next_back();
        }
        at += length;
    }
    found
}

fn ends_value(last: Option<char>) -> bool {
    // After a value, a slash divides.
    last.is_some_and(|last| is_name(last) || matches!(last, ')' | ']' | '"' | '\'' | '`'))
}

/// Bytes of a string or a regular expression; it ends with its line at the latest.
fn literal(rest: &str, quote: char) -> usize {
    let mut is_escaped = false;
    let mut in_class = false;
    for (at, letter) in rest.char_indices().skip(1) {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\n' => return at,
            '\\' => is_escaped = true,
            '[' if quote == '/' => in_class = true,
            ']' => in_class = false,
            _ if letter == quote && !in_class => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// Bytes of a template's text, with its end or the next `${`.
fn template(rest: &str, templates: &mut Vec<usize>) -> usize {
    let mut is_escaped = false;
    for (at, letter) in rest.char_indices() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '`' => return at + 1,
            '$' if rest[at..].starts_with("${") => {
                templates.push(0);
                return at + 2;
            }
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_of_the_engine() {
        for (script, expected) in [
            ("removedAfter(\"eventlog\", 1) === 5", true),
            ("db.x.countDocuments()", true),
            ("db['x'].find()", true),
            ("[1].map(() => cosmos.x.find())", true),
            ("error ? error.code : 0", true),
            ("reply?.n", true),
            ("clock.now() > 5", true),
            ("/it's/.test('') || ledger('x').length", true),
            ("`n ${ledger(`x`).length}`", true),
            ("`n ${{ a: 1 }.a} ledger()`", false),
            ("60", false),
            ("'db.x.find()'", false),
            ("\"ledger('x')\" // db.x", false),
            ("5 /* db.x.find() */", false),
            ("/db.x.find()/.source", false),
            ("x.db.y", false),
            ("ledger", false),
            ("2 / 3 / db.x.count()", true),
            ("'", false),
            ("`${", false),
            ("/*", false),
        ] {
            assert_eq!(reads_engine(script), expected, "{script}");
        }
    }

    #[test]
    fn collections_of_a_script() {
        let mut found = BTreeSet::new();
        collections("db.a.find(); db.createCollection('b'); cosmos.c.x(); d.db.e.f()", &mut found);
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["a", "c"]);
        assert!(mentions("ledger(\"eventlog\")", "eventlog"));
        assert!(!mentions("ledger(\"eventlogs\")", "eventlog"));
    }
}
