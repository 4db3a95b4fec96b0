//! A document as indented text, line by line, of which arrays and documents can be folded.

use std::collections::BTreeSet;

use bson::{Bson, Document};
use mayfly_engine::value::Layout;
use mayfly_engine::value::shell::write_value;

use crate::limits::{FOLDS_MAX, JSON_LINES_MAX, JSON_VALUES_MAX};

/// One line of the whole text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonLine {
    /// The line, with its indent.
    pub text: String,
    /// The place of the value that begins here: the position of the field at each level.
    pub path: Vec<usize>,
    /// The line that closes it, if it is a document or an array with something inside.
    pub end: Option<usize>,
    /// How many fields or items are inside.
    pub inside: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonText {
    pub lines: Vec<JsonLine>,
    /// Something was left out because the document is long.
    pub cut: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownLine {
    pub text: String,
    /// The line of the whole text.
    pub line: usize,
    pub folded: Option<bool>,
}

/// The folded parts of the list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Folds {
    /// Whether everything is folded that was not opened.
    all: bool,
    /// Values that are not as `all` says: the document by the text of its `_id`, and the place.
    others: BTreeSet<(String, Vec<usize>)>,
}

impl Folds {
    /// Whether a value is folded.
    pub fn is_folded(&self, document: &str, path: &[usize]) -> bool {
        if self.others.is_empty() {
            return self.all;
        }
        self.others.contains(&(document.to_owned(), path.to_vec())) != self.all
    }

    /// Folds a value, or opens it.
    pub fn toggle(&mut self, document: String, path: Vec<usize>) {
        let key = (document, path);
        if !self.others.remove(&key) {
            if self.others.len() >= FOLDS_MAX {
                self.others.clear();
            }
            self.others.insert(key);
        }
    }

    /// Folds everything, or opens everything.
    pub fn set_all(&mut self, all: bool) {
        *self = Self { all, others: BTreeSet::new() };
    }

    /// Whether everything is folded that was not opened.
    pub fn all(&self) -> bool {
        self.all
    }
}

impl JsonText {
    /// Writes a document. Of a long one, the beginning.
    pub fn of(document: &Document) -> Self {
        let mut left = JSON_VALUES_MAX;
        let short = pruned(&Bson::Document(document.clone()), &mut left);
        let text = write_value(&short, Layout::Indented);
        let plain =
            |line: &str| JsonLine { text: line.to_owned(), path: Vec::new(), end: None, inside: 0 };
        let mut lines: Vec<JsonLine> = text.lines().map(plain).collect();
        let (mut next, mut path) = (0, Vec::new());
        note_places(&short, &mut lines, &mut next, &mut path);
        if next != lines.len() {
            // A value on several lines, such as code with a scope: nothing can be folded.
            lines = text.lines().map(plain).collect();
        }
        Self { lines, cut: left == 0 }
    }

    /// The lines that are shown, and whether something is left out because there are too many.
    pub fn shown(&self, is_folded: impl Fn(&[usize]) -> bool) -> (Vec<ShownLine>, bool) {
        let mut shown = Vec::new();
        let mut at = 0;
        while let Some(line) = self.lines.get(at) {
            if shown.len() >= JSON_LINES_MAX {
                return (shown, true);
            }
            let can_fold = line.end.filter(|_| !line.path.is_empty());
            let folded = can_fold.map(|_| is_folded(&line.path));
            let (text, next) = match (can_fold, folded) {
                (Some(end), Some(true)) => (self.folded_text(line, end), end + 1),
                _ => (line.text.clone(), at + 1),
            };
            shown.push(ShownLine { text, line: at, folded });
            at = next;
        }
        (shown, self.cut)
    }

    fn folded_text(&self, line: &JsonLine, end: usize) -> String {
        let close = self.lines.get(end).map_or("", |line| line.text.trim_start());
        let word = match (close.starts_with(']'), line.inside) {
            (true, 1) => "item",
            (true, _) => "items",
            (false, 1) => "field",
            (false, _) => "fields",
        };
        let count = super::super::number::count(line.inside as u64);
        format!("{} … {close}  // {count} {word}", line.text)
    }
}

/// Notes which value begins on each line. One value that holds nothing has one line; any other has
/// one more that closes it.
fn note_places(value: &Bson, lines: &mut [JsonLine], next: &mut usize, path: &mut Vec<usize>) {
    let first = *next;
    *next += 1;
    let inside: Vec<&Bson> = match value {
        Bson::Document(inner) => inner.values().collect(),
        Bson::Array(inner) => inner.iter().collect(),
        _ => Vec::new(),
    };
    for (at, inner) in inside.iter().enumerate() {
        path.push(at);
        note_places(inner, lines, next, path);
        path.pop();
    }
    let end = (!inside.is_empty()).then(|| {
        *next += 1;
        *next - 1
    });
    if let Some(line) = lines.get_mut(first) {
        *line = JsonLine {
            text: std::mem::take(&mut line.text),
            path: path.clone(),
            end,
            inside: inside.len(),
        };
    }
    if let Some(line) = end.and_then(|end| lines.get_mut(end)) {
        line.path.clone_from(path);
    }
}

/// A value without the rest after `left` values, and with long text cut.
fn pruned(value: &Bson, left: &mut usize) -> Bson {
    *left = left.saturating_sub(1);
    match value {
        Bson::Document(inner) => {
            let mut kept = Document::new();
            for (name, value) in inner {
                if *left == 0 {
                    break;
                }
                kept.insert(name.clone(), pruned(value, left));
            }
            Bson::Document(kept)
        }
        Bson::Array(inner) => {
            let mut kept = Vec::new();
            for value in inner {
                if *left == 0 {
                    break;
                }
                kept.push(pruned(value, left));
            }
            Bson::Array(kept)
        }
        Bson::String(text) if text.len() > 4_000 => {
            *left = 0;
            Bson::String(text.chars().take(1_000).collect())
        }
        Bson::Binary(binary) if binary.bytes.len() > 1_000 => {
            *left = 0;
            Bson::String(format!("{} bytes", binary.bytes.len()))
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    fn shown(text: &JsonText, folded: &[&[usize]]) -> Vec<String> {
        let (lines, _) = text.shown(|path| folded.contains(&path));
        lines.into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn arrays_and_documents_are_folded_with_their_size() {
        let document = doc! {"_id": 1, "a": [1, {"b": 2}], "c": {"d": 3}, "e": []};
        let text = JsonText::of(&document);
        assert_eq!(shown(&text, &[]).join("\n"), write_value(&document.into(), Layout::Indented));
        assert_eq!(
            shown(&text, &[&[1], &[2]]),
            [
                "{",
                "  _id: 1,",
                "  a: [ … ],  // 2 items",
                "  c: { … },  // 1 field",
                "  e: []",
                "}",
            ]
        );
        let places: Vec<&[usize]> = text.lines.iter().map(|line| line.path.as_slice()).collect();
        let expected: [&[usize]; 12] = [
            &[],
            &[0],
            &[1],
            &[1, 0],
            &[1, 1],
            &[1, 1, 0],
            &[1, 1],
            &[1],
            &[2],
            &[2, 0],
            &[2],
            &[3],
        ];
        assert_eq!(places[..12], expected);
        assert_eq!(text.shown(|_| false).0[0].folded, None, "the document itself stays open");
    }

    #[test]
    fn text_that_looks_like_json_is_text() {
        let document = doc! {"_id": "{", "a": "[\n]", "b": {"c": "}"}};
        let text = JsonText::of(&document);
        assert_eq!(text.lines.iter().filter(|line| line.end.is_some()).count(), 2);
        assert_eq!(shown(&text, &[&[2]])[3], "  b: { … }  // 1 field");
    }

    #[test]
    fn folds_are_of_one_document() {
        let mut folds = Folds::default();
        folds.toggle("1".to_owned(), vec![0]);
        assert!(folds.is_folded("1", &[0]) && !folds.is_folded("2", &[0]));
        folds.set_all(true);
        folds.toggle("1".to_owned(), vec![0]);
        assert!(!folds.is_folded("1", &[0]) && folds.is_folded("2", &[0]));
    }
}
