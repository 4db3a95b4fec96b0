//! Completion of the word before the cursor: stages, operators, fields.

use std::collections::BTreeSet;
use std::ops::Range;

use bson::{Bson, Document};

use super::operators::{ACCUMULATORS, EXPRESSIONS, FILTER, Operator, VARIABLES};
use super::stages::STAGES;
use crate::limits::{COMPLETIONS_MAX, FIELDS_KNOWN_MAX};

/// Levels of embedded documents whose fields are offered.
const DEPTH_MAX: usize = 3;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedWord {
    pub word: String,
    pub help: String,
}

/// The words that are offered for a place of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The bytes that a word takes the place of.
    pub replaced: Range<usize>,
    /// The words, the best first.
    pub words: Vec<OfferedWord>,
}

/// The list that is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completing {
    /// The field that is typed into: a card, or `None` for the whole as text.
    pub card: Option<u64>,
    /// The byte of the cursor that it is for.
    pub cursor: usize,
    pub completion: Completion,
    /// The word that the arrow keys are at.
    pub chosen: Option<usize>,
}

/// The dotted paths of documents, in the order in which they are met.
pub fn paths<'d>(documents: impl Iterator<Item = &'d Document>) -> Vec<String> {
    let (mut found, mut known) = (Vec::new(), BTreeSet::new());
    for document in documents {
        add_paths(document, "", DEPTH_MAX, &mut |path| {
            if found.len() < FIELDS_KNOWN_MAX && known.insert(path.clone()) {
                found.push(path);
            }
        });
    }
    found
}

fn add_paths(document: &Document, before: &str, depth: usize, add: &mut impl FnMut(String)) {
    for (name, value) in document {
        let path = if before.is_empty() { name.clone() } else { format!("{before}.{name}") };
        add(path.clone());
        if depth <= 1 {
            continue;
        }
        match value {
            Bson::Document(inner) => add_paths(inner, &path, depth - 1, add),
            Bson::Array(items) => {
                if let Some(Bson::Document(inner)) = items.first() {
                    add_paths(inner, &path, depth - 1, add);
                }
            }
            _ => {}
        }
    }
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '$')
}

/// Where the text in quotes begins that the end of `before` is in.
fn open_quote(before: &str) -> Option<usize> {
    let mut open: Option<(char, usize)> = None;
    let mut is_escaped = false;
    for (at, c) in before.char_indices() {
        match open {
            _ if is_escaped => is_escaped = false,
            Some(_) if c == '\\' => is_escaped = true,
            Some((quote, _)) if c == quote => open = None,
            None if matches!(c, '\'' | '"') => open = Some((c, at + 1)),
            _ => {}
        }
    }
    open.map(|(_, at)| at)
}

/// Whether a name needs no quotes.
fn is_plain(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
}

/// The words for a byte of a text, if there are any. `stage` is that of the card, or `None` if the
/// text is the whole pipeline.
pub fn complete(
    text: &str,
    cursor: usize,
    stage: Option<&str>,
    fields: &[String],
) -> Option<Completion> {
    let before = text.get(..cursor)?;
    let quote = open_quote(before);
    let start = match quote {
        // A name in quotes may have spaces.
        Some(at) if at < cursor => at,
        Some(_) => return None,
        None => before.char_indices().rev().take_while(|(_, c)| is_of_word(*c)).last()?.0,
    };
    let word = &before[start..];
    let mut words =
        if quote.is_some() { quoted(word, fields) } else { bare(word, before, stage, fields) };
    words.retain(|offered| offered.word != word);
    words.truncate(COMPLETIONS_MAX);
    (!words.is_empty()).then_some(Completion { replaced: start..cursor, words })
}

/// In quotes: a field of an expression, or a name.
fn quoted(word: &str, fields: &[String]) -> Vec<OfferedWord> {
    if word.starts_with("$$") {
        return operators(word, &[VARIABLES]);
    }
    let (sign, name) = word.strip_prefix('$').map_or(("", word), |name| ("$", name));
    matching(name, fields).map(|path| offered(format!("{sign}{path}"), "field")).collect()
}

/// Without quotes: an operator, a stage, or the name of a field.
fn bare(word: &str, before: &str, stage: Option<&str>, fields: &[String]) -> Vec<OfferedWord> {
    if word.starts_with('$') {
        let is_expression = before.contains("$expr");
        let mut words = match stage {
            Some("$match") if !is_expression => operators(word, &[FILTER]),
            Some("$group" | "$bucket" | "$bucketAuto") => {
                operators(word, &[ACCUMULATORS, EXPRESSIONS])
            }
            Some(_) => operators(word, &[EXPRESSIONS]),
            None => {
                let stages = STAGES.iter().filter(|stage| stage.is_supported());
                let stages = stages.filter(|stage| starts(stage.name, word));
                let mut words: Vec<OfferedWord> =
                    stages.map(|stage| offered(stage.name.to_owned(), stage.help)).collect();
                words.extend(operators(word, &[FILTER, ACCUMULATORS, EXPRESSIONS]));
                words
            }
        };
        let mut known = BTreeSet::new();
        words.retain(|offered| known.insert(offered.word.clone()));
        return words;
    }
    let name = |path: &String| if is_plain(path) { path.clone() } else { format!("'{path}'") };
    matching(word, fields).map(|path| offered(name(path), "field")).collect()
}

fn offered(word: String, help: &str) -> OfferedWord {
    OfferedWord { word, help: help.to_owned() }
}

fn starts(name: &str, word: &str) -> bool {
    name.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word))
}

fn operators(word: &str, lists: &[&[Operator]]) -> Vec<OfferedWord> {
    let all = lists.iter().flat_map(|list| list.iter());
    let found = all.filter(|(name, _)| starts(name, word));
    found.map(|(name, help)| offered((*name).to_owned(), help)).collect()
}

fn matching<'f>(word: &'f str, fields: &'f [String]) -> impl Iterator<Item = &'f String> {
    fields.iter().filter(move |path| starts(path, word))
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    fn fields() -> Vec<String> {
        let documents =
            [doc! {"_id": 1, "user": {"name": "a", "mail": "b"}, "lines": [{"price": 1}]}];
        paths(documents.iter())
    }

    /// The words offered at `|`.
    fn words(marked: &str, stage: Option<&str>) -> Vec<String> {
        let cursor = marked.find('|').expect("a cursor");
        let text = marked.replace('|', "");
        let found = complete(&text, cursor, stage, &fields());
        found.into_iter().flat_map(|found| found.words).map(|offered| offered.word).collect()
    }

    #[test]
    fn fields_of_embedded_documents_and_arrays_are_known() {
        let expected = ["_id", "user", "user.name", "user.mail", "lines", "lines.price"];
        assert_eq!(fields(), expected);
    }

    #[test]
    fn a_stage_offers_its_own_operators() {
        assert_eq!(words("{ a: { $el|", Some("$match")), ["$elemMatch"]);
        assert_eq!(words("{ n: { $addT| } }", Some("$group")), ["$addToSet"]);
        assert_eq!(words("{ n: { $dateT| } }", Some("$project")), ["$dateTrunc", "$dateToString"]);
        assert_eq!(words("{ $expr: { $dateT|", Some("$match")), ["$dateTrunc", "$dateToString"]);
        assert_eq!(words("[ { $unw|", None), ["$unwind"]);
        assert!(!words("[ { $s|", None).is_empty());
    }

    #[test]
    fn fields_are_names_and_references() {
        assert_eq!(words("{ us|", Some("$match")), ["user", "'user.name'", "'user.mail'"]);
        assert_eq!(words("{ 'user.n|", Some("$match")), ["user.name"]);
        assert_eq!(words("{ _id: '$user.m|' }", Some("$group")), ["$user.mail"]);
        assert_eq!(words("{ at: '$$N|' }", Some("$set")), ["$$NOW"]);
    }

    #[test]
    fn names_with_spaces_are_in_quotes() {
        let fields = paths([doc! {"Major Genre": 1, "US Gross": 2}].iter());
        let offered = |text: &str| {
            let found = complete(text, text.len(), Some("$group"), &fields).expect("words");
            (found.words[0].word.clone(), text[found.replaced].to_owned())
        };
        let pair = |word: &str, typed: &str| (word.to_owned(), typed.to_owned());
        assert_eq!(offered("{ Maj"), pair("'Major Genre'", "Maj"));
        assert_eq!(offered("{ _id: '$Major Ge"), pair("$Major Genre", "$Major Ge"));
        assert_eq!(offered("{ 'a': '$US"), pair("$US Gross", "$US"));
    }

    #[test]
    fn nothing_is_offered_where_nothing_is_typed_or_missing() {
        assert!(words("{ |", Some("$match")).is_empty());
        assert!(words("{ _id|", Some("$match")).is_empty());
        assert!(words("{ zzz|", Some("$match")).is_empty());
        assert_eq!(complete("ä", 1, None, &[]), None);
    }
}
