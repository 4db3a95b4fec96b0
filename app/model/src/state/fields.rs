//! Facts about the fields of a collection from the documents that were read: how many have them, of
//! which types, and the most frequent values.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use bson::{Binary, Bson, Document, spec::BinarySubtype};
use mayfly_engine::value::{Layout, shell};

use crate::inspect::schema::Kind;
use crate::limits::{KNOWN_FIELDS_MAX, KNOWN_VALUE_CHARS_MAX, KNOWN_VALUES_MAX};

/// Documents within documents that are looked into.
const DEPTH_MAX: usize = 6;

/// Elements of an array that are looked at.
const ELEMENTS_MAX: usize = 16;

/// The fields of a collection, as far as documents of it were read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KnownFields {
    documents: u64,
    by_path: BTreeMap<String, KnownField>,
}

/// A field of the documents that were read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KnownField {
    pub seen: u64,
    /// Of these, how many hold a date in it, alone or in an array.
    pub dates: u64,
    /// Of these, how many hold each type, the most frequent first.
    types: Vec<(&'static str, u64)>,
    values: BTreeMap<String, (Bson, u64)>,
}

impl KnownFields {
    /// How many documents were read.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    pub fn add(&mut self, document: &Document) {
        self.documents += 1;
        self.add_fields(document, "", 0);
    }

    fn add_fields(&mut self, document: &Document, prefix: &str, depth: usize) {
        for (name, value) in document {
            let path = format!("{prefix}{name}");
            let has_room = self.by_path.len() < KNOWN_FIELDS_MAX;
            if !has_room && !self.by_path.contains_key(&path) {
                continue;
            }
            self.by_path.entry(path.clone()).or_default().add(value);
            if depth >= DEPTH_MAX {
                continue;
            }
            let below = format!("{path}.");
            match value {
                Bson::Document(inner) => self.add_fields(inner, &below, depth + 1),
                Bson::Array(values) => self.add_elements(values, &below, depth + 1),
                _ => {}
            }
        }
    }

    /// The fields of documents in an array.
    fn add_elements(&mut self, values: &[Bson], prefix: &str, depth: usize) {
        let mut merged = Document::new();
        for inner in values.iter().take(ELEMENTS_MAX).filter_map(Bson::as_document) {
            for (name, value) in inner {
                // A document counts once for each field, however many elements have it.
                merged.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
        self.add_fields(&merged, prefix, depth);
    }

    /// Adds a path that an analysis of the collection has found, with how many of the documents that
    /// it read hold each type. What was read here counts more.
    pub fn add_analyzed(&mut self, path: String, types: impl Iterator<Item = (&'static str, u64)>) {
        let has_room = self.by_path.len() < KNOWN_FIELDS_MAX;
        if has_room && !self.by_path.contains_key(&path) {
            let types: Vec<_> = types.collect();
            let dates = types.iter().filter(|(name, _)| *name == "Date").map(|(_, count)| count);
            let dates = dates.sum();
            self.by_path.insert(path, KnownField { dates, types, ..KnownField::default() });
        }
    }

    /// Adds the paths of a sample that was read apart. What was read here counts more.
    pub fn add_sampled(&mut self, sample: &Self) {
        for (path, field) in &sample.by_path {
            self.add_analyzed(path.clone(), field.types.iter().copied());
        }
    }

    /// A field by its dotted path.
    pub fn get(&self, path: &str) -> Option<&KnownField> {
        self.by_path.get(path)
    }

    /// All fields by their dotted paths, those in the most documents first.
    pub fn by_frequency(&self) -> Vec<(&str, &KnownField)> {
        let mut fields: Vec<_> =
            self.by_path.iter().map(|(path, it)| (path.as_str(), it)).collect();
        fields.sort_by_key(|(_, field)| Reverse(field.seen));
        fields
    }
}

impl KnownField {
    fn add(&mut self, value: &Bson) {
        self.seen += 1;
        let has_date = |values: &Vec<Bson>| values.iter().any(|it| matches!(it, Bson::DateTime(_)));
        let is_date = match value {
            Bson::Array(values) => has_date(values),
            other => matches!(other, Bson::DateTime(_)),
        };
        self.dates += u64::from(is_date);
        let name =
            if is_date && value.as_array().is_some() { "Dates in array" } else { type_name(value) };
        match self.types.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => self.types.push((name, 1)),
        }
        self.types.sort_by_key(|(_, count)| Reverse(*count));
        match value {
            Bson::Array(values) => {
                values.iter().take(ELEMENTS_MAX).for_each(|it| self.add_value(it));
            }
            other => self.add_value(other),
        }
    }

    fn add_value(&mut self, value: &Bson) {
        let is_long = |text: &str| text.chars().nth(KNOWN_VALUE_CHARS_MAX).is_some();
        let is_short = match value {
            Bson::String(text) => !is_long(text),
            Bson::Int32(_)
            | Bson::Int64(_)
            | Bson::Double(_)
            | Bson::Decimal128(_)
            | Bson::Boolean(_)
            | Bson::ObjectId(_)
            | Bson::Null => true,
            _ => false,
        };
        if !is_short {
            return;
        }
        let key = shell::write_value(value, Layout::OneLine);
        let has_room = self.values.len() < KNOWN_VALUES_MAX;
        match self.values.get_mut(&key) {
            Some((_, count)) => *count += 1,
            None if has_room => drop(self.values.insert(key, (value.clone(), 1))),
            None => {}
        }
    }

    /// The names of its types, with how many documents hold each.
    pub fn types(&self) -> &[(&'static str, u64)] {
        &self.types
    }

    /// How many documents hold text or a number in it, which may be converted to dates.
    pub fn convertible(&self) -> u64 {
        let may_be = |name: &str| matches!(name, "String" | "Int32" | "Long" | "Double");
        self.types.iter().filter(|(name, _)| may_be(name)).map(|(_, count)| count).sum()
    }

    /// Its values as mongosh writes them, the most frequent first, with how often they were seen.
    pub fn values(&self) -> Vec<(&str, u64)> {
        let mut values: Vec<_> =
            self.values.iter().map(|(text, (_, count))| (text.as_str(), *count)).collect();
        values.sort_by_key(|(_, count)| Reverse(*count));
        values
    }

    /// Its values, the most frequent first.
    pub fn frequent(&self) -> Vec<Bson> {
        let mut values: Vec<&(Bson, u64)> = self.values.values().collect();
        values.sort_by_key(|(_, count)| Reverse(*count));
        values.into_iter().map(|(value, _)| value.clone()).collect()
    }

    /// The share of each type among `documents` of which it was read: `Date 62% · String 30% · missing 8%`.
    pub fn shares(&self, documents: u64) -> String {
        if self.seen == 0 {
            // These types are of other documents, so there is no share among the present ones.
            let names: Vec<&str> = self.types.iter().map(|(name, _)| *name).collect();
            return names.join(" · ");
        }
        let missing = documents.saturating_sub(self.seen);
        let all = self.types.iter().copied().chain((missing > 0).then_some(("missing", missing)));
        let all: Vec<(&str, u64)> = all.collect();
        match all.as_slice() {
            [(only, _)] => (*only).to_owned(),
            all => {
                let shares = all.iter().map(|(name, count)| share(name, *count, documents));
                shares.collect::<Vec<_>>().join(" · ")
            }
        }
    }
}

fn share(name: &str, count: u64, documents: u64) -> String {
    let percent = (count * 100 + documents / 2).checked_div(documents).unwrap_or_default();
    match percent {
        0 => format!("{name} under 1%"),
        // Some documents are of another type: that must be seen.
        100 if count < documents => format!("{name} over 99%"),
        _ => format!("{name} {percent}%"),
    }
}

/// The type of a value, for reading.
pub fn type_name(value: &Bson) -> &'static str {
    match (value, Kind::of(value.element_type())) {
        (Bson::Binary(Binary { subtype: BinarySubtype::Uuid, .. }), _) => "UUID",
        (_, Kind::Code | Kind::MinKey | Kind::MaxKey | Kind::Deprecated) => "Other",
        (_, kind) => kind.label(),
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    fn known(documents: impl IntoIterator<Item = Document>) -> KnownFields {
        let mut known = KnownFields::default();
        documents.into_iter().for_each(|document| known.add(&document));
        known
    }

    #[test]
    fn shares_of_types_name_what_is_rare_and_what_is_missing() {
        let date = Bson::DateTime(bson::DateTime::from_millis(0));
        let of = |dates: usize, texts: usize, missing: usize| {
            let dates = std::iter::repeat_n(doc! { "at": date.clone() }, dates);
            let texts = std::iter::repeat_n(doc! { "at": "2026" }, texts);
            let known = known(dates.chain(texts).chain(std::iter::repeat_n(doc! {}, missing)));
            known.get("at").map(|field| field.shares(known.documents())).unwrap_or_default()
        };
        assert_eq!(of(3, 0, 0), "Date");
        assert_eq!(of(1, 3, 0), "String 75% · Date 25%");
        assert_eq!(of(1, 0, 1), "Date 50% · missing 50%");
        assert_eq!(of(1, 999, 0), "String over 99% · Date under 1%");
    }

    #[test]
    fn what_an_analysis_found_is_added_without_a_share() {
        let mut known = known([doc! { "a": 1 }]);
        known.add_analyzed("a".to_owned(), [("Date", 7)].into_iter());
        known.add_analyzed("b".to_owned(), [("Date", 7), ("String", 2)].into_iter());
        let shares = |path: &str| known.get(path).map(|field| field.shares(known.documents()));
        assert_eq!(shares("a").as_deref(), Some("Int32"));
        assert_eq!(shares("b").as_deref(), Some("Date · String"));
        assert_eq!(known.get("b").map(|field| field.dates), Some(7));
    }

    #[test]
    fn fields_are_found_within_documents_and_arrays() {
        let document = doc! {
            "a": { "b": { "c": 1 } }, "list": [{ "x": 1 }, { "x": 2, "y": "z" }],
        };
        let known = known([document]);
        let paths: Vec<&str> = known.by_frequency().into_iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["a", "a.b", "a.b.c", "list", "list.x", "list.y"]);
        assert_eq!(known.get("list.x").map(|field| field.seen), Some(1));
        assert_eq!(known.get("list").map(KnownField::types), Some([("Array", 1)].as_slice()));
    }

    #[test]
    fn the_most_frequent_values_come_first() {
        let long = "x".repeat(KNOWN_VALUE_CHARS_MAX + 1);
        let texts = ["a", "b", "b", long.as_str()];
        let known = known(texts.into_iter().map(|text| doc! { "t": text, "tags": [1, 2] }));
        let values = |path: &str| known.get(path).map(KnownField::values).unwrap_or_default();
        assert_eq!(values("t"), [("'b'", 2), ("'a'", 1)]);
        assert_eq!(values("tags"), [("1", 4), ("2", 4)]);
    }

    #[test]
    fn fields_and_values_are_bounded() {
        let wide: Document = (0..2_000).map(|at| (format!("f{at}"), Bson::Int32(1))).collect();
        assert_eq!(known([wide]).by_frequency().len(), KNOWN_FIELDS_MAX);
        let many = known((0..1_000).map(|at| doc! { "n": at }));
        let count = many.get("n").map(|field| field.values().len());
        assert_eq!(count, Some(KNOWN_VALUES_MAX));
    }
}
