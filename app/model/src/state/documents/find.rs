//! Text to be found in the documents that are loaded.

use std::ops::Range;

use bson::{Bson, Document};
use mayfly_engine::value::{Layout, shell};

use super::Mode;
use super::pages::Pages;
use crate::job::Zone;

/// A search in the loaded documents, and its matches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Find {
    /// The text as typed.
    pub text: String,
    /// The row that was found last.
    pub at: Option<u64>,
    rows: Vec<u64>,
    /// The search that these rows were found for.
    found_for: Option<(String, u64, bool)>,
}

impl Find {
    /// Looks again, unless text and documents are the same as before.
    pub fn update(&mut self, pages: &Pages, mode: Mode) {
        let with_names = mode != Mode::Table;
        let now = (self.text.clone(), pages.version(), with_names);
        if self.found_for.as_ref() == Some(&now) {
            return;
        }
        self.rows.clear();
        let needle = Needle::new(&self.text);
        if !needle.is_empty() {
            let found = pages.rows().filter(|(_, row)| needle.is_in(&row.document, with_names));
            self.rows.extend(found.map(|(at, _)| at));
        }
        self.found_for = Some(now);
    }

    pub fn rows(&self) -> &[u64] {
        &self.rows
    }

    /// Goes to the next row that has it, or the one before, round and round. `from` is where to
    /// begin.
    pub fn step(&mut self, from: u64, forward: bool) -> Option<u64> {
        let at = self.at;
        let next = if forward {
            let is_next = |row: &&u64| at.map_or(**row >= from, |at| **row > at);
            self.rows.iter().find(is_next).or(self.rows.first())
        } else {
            let is_before = |row: &&u64| **row < at.unwrap_or(from);
            self.rows.iter().rev().find(is_before).or(self.rows.last())
        };
        self.at = next.copied();
        self.at
    }

    /// Which of the rows it is at, from 1.
    pub fn place(&self) -> Option<usize> {
        let at = self.at?;
        self.rows.binary_search(&at).ok().map(|place| place + 1)
    }
}

/// A text to look for, whatever its case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needle(Vec<char>);

impl Needle {
    /// Of the text as typed.
    pub fn new(text: &str) -> Self {
        Self(text.chars().flat_map(char::to_lowercase).collect())
    }

    /// Whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Where it is in a text, in bytes; places don't overlap.
    pub fn ranges(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut from = 0;
        while let Some(range) = self.next_in(text, from) {
            from = range.end;
            found.push(range);
        }
        found
    }

    pub fn is_in_text(&self, text: &str) -> bool {
        self.next_in(text, 0).is_some()
    }

    fn next_in(&self, text: &str, from: usize) -> Option<Range<usize>> {
        if self.0.is_empty() {
            return None;
        }
        let rest = text.get(from..)?;
        rest.char_indices().find_map(|(at, _)| {
            let tail = rest.get(at..)?;
            self.length_at(tail).map(|length| from + at..from + at + length)
        })
    }

    /// How many bytes of `text` it takes if `text` begins with it.
    fn length_at(&self, text: &str) -> Option<usize> {
        let mut wanted = self.0.iter();
        for (at, c) in text.char_indices() {
            if wanted.len() == 0 {
                return Some(at);
            }
            for lower in c.to_lowercase() {
                if wanted.next().is_some_and(|wanted| *wanted != lower) {
                    return None;
                }
            }
        }
        (wanted.len() == 0).then_some(text.len())
    }

    /// Whether it is in a value of the document, or in a name.
    pub fn is_in(&self, document: &Document, with_names: bool) -> bool {
        document
            .iter()
            .any(|(name, value)| with_names && self.is_in_text(name) || self.is_in_value(value))
    }

    /// Whether it is in a value, or in a name inside of it.
    pub fn is_in_value(&self, value: &Bson) -> bool {
        match value {
            Bson::Document(inner) => self.is_in(inner, true),
            Bson::Array(inner) => inner.iter().any(|item| self.is_in_value(item)),
            Bson::String(text) => self.is_in_text(text),
            Bson::DateTime(at) => {
                self.is_in_text(&Zone::Utc.date_time_millis(at.timestamp_millis()))
                    || self.is_in_text(&shell::write_value(value, Layout::OneLine))
            }
            Bson::Int32(number) => self.is_in_text(&number.to_string()),
            Bson::Int64(number) => self.is_in_text(&number.to_string()),
            Bson::Double(number) => self.is_in_text(&format!("{number:?}")),
            // Not what is too long to be shown.
            Bson::Binary(binary) if binary.bytes.len() > 64 => false,
            other => self.is_in_text(&shell::write_value(other, Layout::OneLine)),
        }
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;
    use crate::state::documents::Row;

    #[test]
    fn text_is_found_whatever_its_case() {
        let check = |text: &str, needle: &str, expected: &[(usize, usize)]| {
            let found = Needle::new(needle).ranges(text);
            let found: Vec<_> = found.into_iter().map(|range| (range.start, range.end)).collect();
            assert_eq!(found, expected, "{needle} in {text}");
        };
        check("One one", "ONE", &[(0, 3), (4, 7)]);
        check("aaa", "aa", &[(0, 2)]);
        check("İzmir", "zm", &[(2, 4)]);
        check("straße", "ß", &[(4, 6)]);
        check("abc", "", &[]);
        check("ab", "abc", &[]);
    }

    #[test]
    fn rows_are_gone_through_round_and_round() {
        let mut pages = Pages::default();
        pages.begin_run();
        let texts = ["x", "needle", "y", "a Needle", "needles"];
        let rows = texts.iter().map(|text| Row::new(doc! {"t": *text}, None)).collect();
        pages.take(1, 0, rows, false);
        let mut find = Find { text: "needle".to_owned(), ..Find::default() };
        find.update(&pages, Mode::Table);
        assert_eq!(find.rows(), [1, 3, 4]);
        let forward: Vec<_> = (0..4).map(|_| find.step(2, true)).collect();
        assert_eq!(forward, [Some(3), Some(4), Some(1), Some(3)]);
        assert_eq!((find.step(0, false), find.place()), (Some(1), Some(1)));
        find.text = "nothing".to_owned();
        find.update(&pages, Mode::Table);
        assert_eq!(find.step(0, true), None);
    }

    #[test]
    fn names_are_found_where_they_are_shown() {
        let document = doc! {"city": "x", "n": 1_780_i64, "deep": [{"town": 1}]};
        let check = |needle: &str, names, expected| {
            assert_eq!(Needle::new(needle).is_in(&document, names), expected, "{needle}");
        };
        check("city", true, true);
        check("city", false, false);
        check("town", false, true);
        check("178", false, true);
    }
}
