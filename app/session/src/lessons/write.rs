//! Writes a lesson file from a sandbox: its documents and indexes become the setup, the commands since
//! become blocks.

use std::fmt::Write as _;

use bson::{Document, RawDocumentBuf};
use mayfly_engine::catalog::Dialect;
use mayfly_engine::value::shell::{self, Layout};

use super::file;
use crate::limits::LESSON_FILE_BYTES_MAX;

/// Collections that a lesson shows at most.
const SHOW_MAX: usize = 4;

/// Characters of the title that are kept.
const TITLE_CHARS_MAX: usize = 80;

/// The contents of a lesson file.
#[derive(Debug, Clone, PartialEq)]
pub struct SandboxLesson {
    pub title: String,
    /// Where the clock starts, in milliseconds since 1970.
    pub start_ms: i64,
    pub dialect: Dialect,
    /// The collections as they were at the start.
    pub collections: Vec<SandboxCollection>,
    /// Commands that led to the collections as they are: a card to read, nothing runs them.
    pub before: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct SandboxCollection {
    pub name: String,
    /// Options for `createCollection`.
    pub options: Document,
    /// Its indexes but that on `_id`, as `listIndexes` gives them.
    pub indexes: Vec<Document>,
    pub documents: Vec<Document>,
}

/// Writes the file of a lesson named `slug`. The result is a lesson without a problem.
///
/// # Errors
/// One sentence: the sandbox is too large, or something in it can't be in a lesson.
pub fn write(slug: &str, lesson: &SandboxLesson) -> Result<String, String> {
    let title: String = lesson
        .title
        .chars()
        .map(|letter| match letter {
            letter if letter.is_control() => ' ',
            letter => letter,
        })
        .take(TITLE_CHARS_MAX)
        .collect();
    let title = match title.trim() {
        "" => "My lesson",
        title => title,
    };
    let start =
        bson::DateTime::from_millis(lesson.start_ms).try_to_rfc3339_string().map_err(|_| {
            "The clock of the sandbox has no date that a lesson can start at.".to_owned()
        })?;
    let mut out = format!(
        "+++\ntitle = {}\nminutes = 5\nlevel = \"core\"\ndialect = \"{}\"\nshow = [{}]\n[clock]\n\
         start = {start}\nrate = 10\n+++\n\n## {}\n",
        quoted(title),
        lesson.dialect.name(),
        shown(&lesson.collections).join(", "),
        title.trim_start_matches('#').trim(),
    );
    block(&mut out, "js setup", &setup(&lesson.collections, lesson.start_ms));
    if !lesson.before.is_empty() {
        out.push_str(
            "\n## What was done\n\nThese commands led to the documents of this lesson. \
                      They are part of its setup and do not run again.\n",
        );
        block(&mut out, "js", &lesson.before.join("\n"));
    }
    if let Some(collection) = shown_first(&lesson.collections) {
        question(&mut out, collection);
    }
    if out.len() > LESSON_FILE_BYTES_MAX {
        let (have, most) = (out.len() / 1_024, LESSON_FILE_BYTES_MAX / 1_024);
        return Err(format!(
            "The lesson would have {have} KiB; a lesson has at most {most}. Remove documents first."
        ));
    }
    match file::parse(slug, &out) {
        Ok(_) => Ok(out),
        Err(problems) => Err(problems.into_iter().next().map_or_else(String::new, |problem| {
            format!("The lesson can't be written: {}", problem.sentence)
        })),
    }
}

/// The names of the first collections that a lesson can show, as TOML.
fn shown(collections: &[SandboxCollection]) -> Vec<String> {
    let can_be_shown = |name: &&str| {
        !["/", "\\", "..", "$"].iter().any(|part| name.contains(part))
            && !name.chars().any(char::is_control)
            && !name.starts_with("system.")
            && !name.starts_with("cosmos.")
    };
    let names = collections.iter().map(|collection| collection.name.as_str());
    names.filter(can_be_shown).take(SHOW_MAX).map(quoted).collect()
}

/// The first collection that a lesson can show.
fn shown_first(collections: &[SandboxCollection]) -> Option<&SandboxCollection> {
    let name = shown(collections).into_iter().next()?;
    collections.iter().find(|collection| quoted(&collection.name) == name)
}

/// A question to be rewritten. The engine has an answer to it, whatever the documents are.
fn question(out: &mut String, SandboxCollection { name, documents, .. }: &SandboxCollection) {
    let most = documents.len().max(1);
    let place = place(name);
    out.push_str("\n## What happens next?\n\nWrite here what the learner must know, and the question below.\n");
    let text = format!(
        "question = \"How many documents does a query find after the next pass?\"\nkind = \"count\"\n\
         ask = '''{place}.countDocuments()'''\nmin = 0\nmax = {most}\n\
         because = \"Write here why.\""
    );
    block(out, "toml predict", &text);
    block(out, "js play", "play(\"next pass\")");
}

/// A literal with each date near the start as its distance from it, so that the lesson may begin at any time.
fn relative(literal: &str, start_ms: i64) -> String {
    const HEAD: &str = "ISODate('";
    let mut out = String::new();
    let (mut rest, mut quote, mut is_escaped) = (literal, None::<char>, false);
    while let Some(letter) = rest.chars().next() {
        let date = rest.strip_prefix(HEAD).filter(|_| quote.is_none());
        if let Some((text, after)) = date.and_then(|date| date.split_once("')"))
            && let Some(distance) = distance(text, start_ms)
        {
            out.push_str(&distance);
            rest = after;
            continue;
        }
        match quote {
            _ if is_escaped => is_escaped = false,
            Some(_) if letter == '\\' => is_escaped = true,
            Some(open) if open == letter => quote = None,
            None if matches!(letter, '\'' | '"') => quote = Some(letter),
            _ => {}
        }
        out.push(letter);
        rest = &rest[letter.len_utf8()..];
    }
    out
}

/// A date as `T("-1h")`. `None` far from the start, where the date itself says more.
fn distance(date: &str, start_ms: i64) -> Option<String> {
    let at_ms = bson::DateTime::parse_rfc3339_str(date).ok()?.timestamp_millis();
    let ms = at_ms.checked_sub(start_ms).filter(|ms| ms.abs() <= NEAR_MS_MAX)?;
    let units = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1_000, "s"), (1, "ms")];
    let (unit_ms, unit) = units.into_iter().find(|(unit_ms, _)| ms % unit_ms == 0)?;
    let sign = if ms < 0 { "" } else { "+" };
    Some(format!("T(\"{sign}{}{unit}\")", ms / unit_ms))
}

/// The longest distance of a date that is written as such: 400 days.
const NEAR_MS_MAX: i64 = 400 * 86_400_000;

fn setup(collections: &[SandboxCollection], start_ms: i64) -> String {
    let mut out = String::new();
    for SandboxCollection { name, options, indexes, documents } in collections {
        if !options.is_empty() || (indexes.is_empty() && documents.is_empty()) {
            // Writing to a String can't fail.
            let _ = writeln!(out, "db.createCollection({}, {})", quoted(name), literal(options));
        }
        let place = place(name);
        for index in indexes {
            let key = index.get_document("key").cloned().unwrap_or_default();
            let mut options = index.clone();
            for field in ["key", "v", "ns"] {
                options.remove(field);
            }
            let _ = writeln!(out, "{place}.createIndex({}, {})", literal(&key), literal(&options));
        }
        if !documents.is_empty() {
            let _ = writeln!(out, "{place}.insertMany([");
            for document in documents {
                let _ = writeln!(out, "  {},", relative(&literal(document), start_ms));
            }
            let _ = writeln!(out, "])");
        }
    }
    out
}

/// How JavaScript names a collection.
fn place(name: &str) -> String {
    let is_word = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    // A method of the database, such as `stats`, would be meant instead.
    let is_method = ["stats", "version", "help", "hello", "watch", "aggregate", "log"];
    if is_word && !name.starts_with("get") && !is_method.contains(&name) {
        format!("db.{name}")
    } else {
        format!("db.getCollection({})", quoted(name))
    }
}

/// A document as mongosh writes it, with the types of its values.
pub(super) fn literal(document: &Document) -> String {
    let raw = RawDocumentBuf::try_from(document).unwrap_or_default();
    shell::write_document(&raw, Layout::OneLine)
}

/// A text in double quotes, as JavaScript and TOML read it.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

/// A fenced block, whose fence is longer than any in its text.
fn block(out: &mut String, info: &str, text: &str) {
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    let text = text.trim_end();
    if !text.is_empty() {
        let _ = write!(out, "\n{fence}{info}\n{text}\n{fence}\n");
    }
}

#[cfg(test)]
mod tests {
    use bson::{Bson, DateTime, doc, oid::ObjectId};

    use super::*;
    use crate::job::lesson::{Block, BlockKind, Part};

    fn sandbox() -> SandboxLesson {
        let documents = vec![
            doc! { "_id": ObjectId::from_bytes([7; 12]), "at": DateTime::from_millis(1_500) },
            doc! { "_id": 5_i64, "n": 1.0, "text": "```\n\"'`${x}\u{2028}", "none": Bson::Null },
        ];
        let index = doc! {
            "v": 2, "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 60,
            "partialFilterExpression": { "n": { "$gt": 1_i64 } },
        };
        let events = SandboxCollection {
            name: "events".to_owned(),
            indexes: vec![index],
            documents,
            ..SandboxCollection::default()
        };
        let odd = SandboxCollection { name: "a-b".to_owned(), ..SandboxCollection::default() };
        let stats = SandboxCollection {
            name: "stats".to_owned(),
            documents: vec![doc! { "_id": 1 }],
            ..SandboxCollection::default()
        };
        SandboxLesson {
            title: "# My \"first\"\nlesson".to_owned(),
            start_ms: 1_767_268_800_000,
            dialect: Dialect::Cosmos,
            collections: vec![events, odd, stats],
            before: vec!["db.events.drop()".to_owned()],
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let text = write("mine", &sandbox()).unwrap();
        let lesson = file::parse("mine", &text).unwrap();
        assert_eq!(lesson.title, "# My \"first\" lesson");
        assert_eq!(lesson.show, ["events", "a-b", "stats"]);
        assert_eq!((lesson.start_ms, lesson.dialect), (Some(1_767_268_800_000), Dialect::Cosmos));
        let is_setup =
            |part: &Part| matches!(part, Part::Block(Block { kind: BlockKind::Setup(_), .. }));
        assert!(matches!(lesson.cards[0].parts.as_slice(), [part] if is_setup(part)));
    }

    #[test]
    fn what_was_done_before_is_only_read() {
        let lesson = file::parse("mine", &write("mine", &sandbox()).unwrap()).unwrap();
        let card = &lesson.cards[1];
        assert_eq!(card.title, "What was done");
        let [Part::Prose(text)] = card.parts.as_slice() else { panic!("{:?}", card.parts) };
        assert!(text.contains("db.events.drop()"), "{text}");
    }

    #[test]
    fn dates_near_the_start_are_distances_and_texts_stay() {
        let start_ms = 1_767_268_800_000;
        let date = |ms: i64| DateTime::from_millis(start_ms + ms);
        let document = doc! {
            "a": date(-3_600_000), "b": date(90_000), "c": [date(0), date(1)], "d": date(86_400_000 * 500),
            "e": "ISODate('2026-01-01T12:00:00Z')", "f": "it's",  "g": date(-172_800_000),
        };
        let text = relative(&literal(&document), start_ms);
        for part in [
            "T(\"-1h\")",
            "T(\"+90s\")",
            "T(\"+0d\")",
            "T(\"+1ms\")",
            "T(\"-2d\")",
            "ISODate('2027",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert_eq!(text.matches("2026-01-01T12:00:00").count(), 1, "the text stays: {text}");
    }

    #[test]
    fn the_question_of_a_new_lesson_has_an_answer() {
        let text =
            write("mine", &SandboxLesson { dialect: Dialect::Mongodb, ..sandbox() }).unwrap();
        let lesson = file::parse("mine", &text).unwrap();
        let last = lesson.cards.last().expect("a card");
        assert_eq!(last.title, "What happens next?");
        let played = crate::lessons::check::play(&std::sync::Arc::new(lesson));
        assert_eq!(played.problems, []);
        assert_eq!(played.answers.len(), 1);
    }

    #[test]
    fn types_are_kept() {
        let text = write("mine", &sandbox()).unwrap();
        for part in [
            "ObjectId('070707070707070707070707')",
            "ISODate('1970-01-01T00:00:01.500Z')",
            "Long('5')",
            "Double(1.0)",
            "expireAfterSeconds: 60",
            "$gt: Long('1')",
            "db.getCollection(\"stats\")",
            "db.createCollection(\"a-b\"",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }

    #[test]
    fn a_large_sandbox_is_refused() {
        let mut sandbox = sandbox();
        sandbox.collections[0].documents = vec![doc! { "text": "x".repeat(1_000) }; 100];
        let sentence = write("mine", &sandbox).unwrap_err();
        assert!(sentence.contains("at most 64"), "{sentence}");
    }

    #[test]
    fn a_sandbox_that_shows_nothing_is_refused() {
        let sandbox = SandboxLesson { collections: Vec::new(), ..sandbox() };
        assert!(write("mine", &sandbox).is_err());
    }
}
