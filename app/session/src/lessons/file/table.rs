//! Reads a TOML table key by key: a wrong type is a problem at its place, and so is a key that
//! was not read.

use std::cell::RefCell;
use std::ops::RangeInclusive;

use bson::Bson;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys::Group;
use super::{Problems, duration};
use crate::near;

/// A table, with the place of its text in the file.
pub struct Table<'a> {
    entries: &'a DeTable<'a>,
    /// The keys that it may have.
    group: &'static Group,
    /// Where problems of the whole table are shown.
    at: usize,
    /// The offset in the file to which spans are relative.
    base: usize,
    problems: &'a Problems<'a>,
    known: RefCell<Vec<&'static str>>,
}

/// Parses TOML; `base` is its offset in the file. Its errors become problems.
pub fn parse<'a>(
    text: &'a str,
    base: usize,
    problems: &Problems<'_>,
) -> Option<Spanned<DeTable<'a>>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        let at = error.span().map_or(base, |span| base + span.start);
        let message = error.message().lines().next().unwrap_or("not valid");
        problems.add(at, format!("This is not valid TOML: {message}."));
    }
    errors.is_empty().then_some(table)
}

impl<'a> Table<'a> {
    /// The table of a whole text; problems of the whole are shown at `at`.
    pub fn new(
        table: &'a DeTable<'a>,
        group: &'static Group,
        (at, base): (usize, usize),
        problems: &'a Problems<'a>,
    ) -> Self {
        Self { entries: table, group, at, base, problems, known: RefCell::default() }
    }

    /// Where problems of the whole table are shown.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The value of a key, with its place. The key counts as known from here on.
    fn value(&self, key: &'static str) -> Option<(&'a DeValue<'a>, usize)> {
        self.known.borrow_mut().push(key);
        let value = self.entries.get(key)?;
        Some((value.get_ref(), self.base + value.span().start))
    }

    /// Whether a key is there, and where its value is.
    pub fn place(&self, key: &'static str) -> Option<usize> {
        self.value(key).map(|(_, at)| at)
    }

    /// Reports a problem at a key's value.
    pub fn problem(&self, key: &'static str, sentence: &str) {
        self.problems.add(self.place(key).unwrap_or(self.at), sentence);
    }

    /// Whether a key has exactly this text.
    pub fn is_text(&self, key: &'static str, text: &str) -> bool {
        self.value(key).is_some_and(|(value, _)| value.as_str() == Some(text))
    }

    /// The problem that a key is missing.
    pub fn missing(&self, key: &str, example: &str) {
        let name = self.group.name;
        self.problems.add(self.at, format!("{name} has no `{key}`. Add {example}."));
    }

    fn wrong_type(&self, at: usize, key: &str, expected: &str) {
        self.problems.add(at, format!("`{key}` must be {expected}."));
    }

    /// A text that is not empty.
    pub fn text(&self, key: &'static str) -> Option<String> {
        let (value, at) = self.value(key)?;
        match value.as_str() {
            Some(text) if !text.trim().is_empty() => return Some(text.trim().to_owned()),
            Some(_) => self.problems.add(at, format!("`{key}` is empty. Write its text.")),
            None => self.wrong_type(at, key, "a text in quotes"),
        }
        None
    }

    /// A text that must be there.
    pub fn required_text(&self, key: &'static str, example: &str) -> Option<String> {
        if self.place(key).is_none() {
            self.missing(key, example);
        }
        self.text(key)
    }

    /// A text that is one of these.
    pub fn one_of(&self, key: &'static str, known: &[&'static str]) -> Option<&'static str> {
        let at = self.place(key)?;
        let text = self.text(key)?;
        let found = known.iter().find(|name| **name == text).copied();
        if found.is_none() {
            let hint = near::hint(&text, known);
            self.problems.add(at, format!("Unknown {key} `{text}`. {hint}"));
        }
        found
    }

    /// The one of `all` with this name.
    pub fn choice<T: Copy>(
        &self,
        key: &'static str,
        all: &[T],
        name: fn(T) -> &'static str,
    ) -> Option<T> {
        let known: Vec<&'static str> = all.iter().copied().map(name).collect();
        let found = self.one_of(key, &known)?;
        all.iter().copied().find(|one| name(*one) == found)
    }

    /// A whole number within bounds.
    pub fn integer(&self, key: &'static str, bounds: &RangeInclusive<i64>) -> Option<i64> {
        let (value, at) = self.value(key)?;
        let number = integer(value).filter(|number| bounds.contains(number));
        if number.is_none() {
            let (least, most) = (bounds.start(), bounds.end());
            self.wrong_type(at, key, &format!("a whole number from {least} to {most}"));
        }
        number
    }

    /// A number within bounds.
    pub fn number(&self, key: &'static str, bounds: &RangeInclusive<f64>) -> Option<f64> {
        let (value, at) = self.value(key)?;
        let number = number(value).filter(|number| bounds.contains(number));
        if number.is_none() {
            let (least, most) = (bounds.start(), bounds.end());
            self.wrong_type(at, key, &format!("a number from {least} to {most}"));
        }
        number
    }

    /// A truth value; `false` if it is missing.
    pub fn flag(&self, key: &'static str) -> bool {
        let Some((value, at)) = self.value(key) else { return false };
        if value.as_bool().is_none() {
            self.wrong_type(at, key, "true or false");
        }
        value.as_bool() == Some(true)
    }

    /// A list of texts, each with its place.
    pub fn texts(&self, key: &'static str) -> Option<Vec<(String, usize)>> {
        let (value, at) = self.value(key)?;
        let Some(array) = value.as_array() else {
            self.wrong_type(at, key, "a list such as [\"a\", \"b\"]");
            return None;
        };
        let mut texts = Vec::new();
        for value in array {
            let at = self.base + value.span().start;
            match value.get_ref().as_str().map(str::trim) {
                Some(text) if !text.is_empty() => texts.push((text.to_owned(), at)),
                _ => self.wrong_type(at, key, "a list of texts in quotes"),
            }
        }
        Some(texts)
    }

    /// A duration in milliseconds within bounds.
    pub fn duration_ms(&self, key: &'static str, bounds: RangeInclusive<i64>) -> Option<i64> {
        let (value, at) = self.value(key)?;
        let ms = match value.as_str() {
            Some(text) => duration::parse_ms(text),
            None => number(value).and_then(duration::from_seconds),
        };
        if ms.is_none() {
            self.wrong_type(at, key, &format!("a duration. {}", duration::EXAMPLES));
        }
        let ms = ms?;
        if !bounds.contains(&ms) {
            let seconds = |ms: &i64| number_text(*ms);
            let (least, most) = (seconds(bounds.start()), seconds(bounds.end()));
            self.problems.add(at, format!("`{key}` must be from {least} s to {most} s."));
            return None;
        }
        Some(ms)
    }

    /// A UTC instant in milliseconds since 1970.
    pub fn instant_ms(&self, key: &'static str) -> Option<i64> {
        let (value, at) = self.value(key)?;
        let ms = value.as_datetime().and_then(|instant| instant_ms(&instant.to_string()));
        if ms.is_none() {
            self.wrong_type(at, key, "an instant such as 2026-01-01T12:00:00Z, or \"build\"");
        }
        ms
    }

    /// Any value, as BSON.
    pub fn bson(&self, key: &'static str) -> Option<Bson> {
        let (value, at) = self.value(key)?;
        let converted = to_bson(value);
        if converted.is_none() {
            self.wrong_type(at, key, "a value that BSON has: dates need a time and a zone");
        }
        converted
    }

    /// A table under a key.
    pub fn table(&self, key: &'static str, group: &'static Group) -> Option<Self> {
        let (value, at) = self.value(key)?;
        let Some(table) = value.as_table() else {
            self.wrong_type(at, key, &format!("a table: write [{key}] on a separate line"));
            return None;
        };
        Some(Self::new(table, group, (at, self.base), self.problems))
    }

    /// The tables of a `[[key]]`.
    pub fn tables(&self, key: &'static str, group: &'static Group) -> Vec<Self> {
        let Some((value, at)) = self.value(key) else { return Vec::new() };
        let Some(array) = value.as_array() else {
            self.wrong_type(at, key, &format!("tables: write [[{key}]] before each one"));
            return Vec::new();
        };
        let mut tables = Vec::new();
        for value in array {
            let at = self.base + value.span().start;
            match value.get_ref().as_table() {
                Some(table) => {
                    tables.push(Self::new(table, group, (at, self.base), self.problems));
                }
                None => self.wrong_type(at, key, &format!("tables: write [[{key}]] before each")),
            }
        }
        tables
    }

    /// Every key with a value that `setParameter` takes, in the order of the file.
    pub fn parameters(&self) -> Vec<(String, Bson)> {
        let mut entries: Vec<_> = self.entries.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        let mut parameters = Vec::new();
        for (key, value) in entries {
            let at = self.base + value.span().start;
            match value.get_ref() {
                DeValue::Array(_) | DeValue::Table(_) | DeValue::Datetime(_) => {
                    self.wrong_type(at, key.get_ref(), "a number, a text, true or false");
                }
                value => match to_bson(value) {
                    Some(value) => parameters.push((key.get_ref().to_string(), value)),
                    None => self.wrong_type(at, key.get_ref(), "a 64-bit number"),
                },
            }
        }
        parameters
    }

    /// Every key with a list that is not empty.
    pub fn lists(&self) -> Vec<(String, Vec<Bson>)> {
        let mut lists = Vec::new();
        for (key, value) in self.entries {
            let name = key.get_ref();
            let is_word = name.bytes().all(|byte| byte.is_ascii_alphabetic());
            let values = value.get_ref().as_array().and_then(|array| {
                array.iter().map(|value| to_bson(value.get_ref())).collect::<Option<Vec<_>>>()
            });
            if let Some(values) = values.filter(|values| is_word && !values.is_empty()) {
                lists.push((name.to_string(), values));
            } else {
                let at = self.base + key.span().start;
                self.wrong_type(at, name, "a word of letters, and a list such as [30, 60]");
            }
        }
        lists
    }

    /// Reports the keys that were not read.
    pub fn finish(self) {
        let read = self.known.into_inner();
        let known = self.group.names();
        for key in self.entries.keys() {
            let name: &str = key.get_ref();
            if read.contains(&name) {
                continue;
            }
            let sentence = if known.contains(&name) {
                format!("`{name}` has no meaning here. Remove it, or run mayfly lesson keys.")
            } else {
                format!("Unknown key `{name}`. {}", near::hint(name, &known))
            };
            self.problems.add(self.base + key.span().start, sentence);
        }
    }
}

fn integer(value: &DeValue<'_>) -> Option<i64> {
    let integer = value.as_integer()?;
    i64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

#[expect(clippy::cast_precision_loss, reason = "bounds are far below 2^53")]
fn number(value: &DeValue<'_>) -> Option<f64> {
    match value.as_float() {
        Some(float) => float.as_str().parse().ok(),
        None => integer(value).map(|number| number as f64),
    }
}

fn number_text(ms: i64) -> String {
    if ms % 1_000 == 0 {
        (ms / 1_000).to_string()
    } else {
        format!("{}.{:03}", ms / 1_000, ms % 1_000)
    }
}

fn instant_ms(text: &str) -> Option<i64> {
    bson::DateTime::parse_rfc3339_str(text).ok().map(bson::DateTime::timestamp_millis)
}

/// A value as BSON; numbers are 32-bit where they fit.
fn to_bson(value: &DeValue<'_>) -> Option<Bson> {
    Some(match value {
        DeValue::String(text) => Bson::String(text.to_string()),
        DeValue::Integer(_) => {
            let number = integer(value)?;
            i32::try_from(number).map_or(Bson::Int64(number), Bson::Int32)
        }
        DeValue::Float(_) => Bson::Double(number(value)?),
        DeValue::Boolean(flag) => Bson::Boolean(*flag),
        DeValue::Datetime(instant) => {
            Bson::DateTime(bson::DateTime::from_millis(instant_ms(&instant.to_string())?))
        }
        DeValue::Array(array) => {
            Bson::Array(array.iter().map(|value| to_bson(value.get_ref())).collect::<Option<_>>()?)
        }
        DeValue::Table(table) => {
            let mut entries: Vec<_> = table.iter().collect();
            entries.sort_by_key(|(key, _)| key.span().start);
            let mut document = bson::Document::new();
            for (key, value) in entries {
                document.insert(key.get_ref().to_string(), to_bson(value.get_ref())?);
            }
            Bson::Document(document)
        }
    })
}
