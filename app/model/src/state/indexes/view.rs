//! The Indexes view.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use bson::{Bson, Document};
use mayfly_engine::value::whole;

use crate::commands::collation::{CollationChoice, serves};
use crate::commands::{indexes, smallest_int};
use crate::job::reply::batch;
use crate::state::fields::{KnownField, KnownFields};
use crate::state::{duration, number};

/// The Indexes view of one tab.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IndexesView {
    /// Whether the indexes were asked for since the view was opened or the catalog changed.
    pub asked: bool,
    /// The indexes, `_id_` first. `None` until the first answer.
    pub rows: Option<Vec<IndexRow>>,
    pub sampled: u64,
    /// Fields seen in a sample of the documents: those with dates first, then the most frequent.
    pub fields: Vec<SampledField>,
    pub selected: Option<String>,
    /// Sizes, entries and uses by name. The store answers several questions at once: they may come
    /// before the list does.
    figures: BTreeMap<String, Figures>,
    /// The index whose TTL is to be changed in a dialog as soon as the indexes are known.
    pub ttl_wanted: Option<String>,
    /// The index that is dropped to be created again could not be dropped.
    pub is_drop_refused: bool,
}

impl IndexesView {
    /// Which indexes help with text of this collation, in one sentence, as far as they are known.
    pub fn collation_words(&self, collation: &Document) -> String {
        let Some(chosen) = CollationChoice::of(collation) else {
            return "An index helps with text only if both have the same collation".to_owned();
        };
        let Some(rows) = &self.rows else {
            return "Only an index with this collation helps with text".to_owned();
        };
        let serving = rows.iter().filter(|row| serves(&row.spec, &chosen));
        let names: Vec<&str> = serving.map(|row| row.name.as_str()).collect();
        match names.as_slice() {
            [] => "No index has this collation, so none helps with text".to_owned(),
            [one] => format!("The index {one} has this collation"),
            more => format!("{} indexes have this collation", more.len()),
        }
    }
}

/// The counts of an index.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Figures {
    bytes: Option<u64>,
    entries: Option<u64>,
    uses: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "an index's options are independent flags")]
pub struct IndexRow {
    pub name: String,
    pub key: Document,
    /// `expireAfterSeconds`, if it has one; -1 means *on, without a default*.
    pub secs: Option<i64>,
    /// Whether it refuses a value that another document has.
    pub unique: bool,
    /// Whether it leaves out documents without the field.
    pub sparse: bool,
    /// Whether queries must not use it. A hidden TTL index still removes documents.
    pub hidden: bool,
    /// Which documents it holds, if not all.
    pub partial: Option<Document>,
    /// All of its definition, as it is listed.
    pub spec: Box<Document>,
    pub building: bool,
    /// Its size in bytes.
    pub bytes: Option<u64>,
    pub entries: Option<u64>,
    /// How often a query used it since the store was opened.
    pub uses: Option<u64>,
}

impl IndexRow {
    /// Whether all its documents are found without it.
    pub fn has_no_entries_of_its_own(&self) -> bool {
        let is_id = self.name == "_id_";
        // Documents without an entry are found by their place in the store, which is their `_id`.
        self.bytes == Some(0) && (is_id || self.entries.is_some_and(|entries| entries > 0))
    }

    /// Reads one element of a `listIndexes` batch.
    pub fn read(spec: &Document) -> Option<Self> {
        let flag = |name| spec.get_bool(name).unwrap_or(false);
        Some(Self {
            name: spec.get_str("name").ok()?.to_owned(),
            key: spec.get_document("key").ok()?.clone(),
            secs: spec.get("expireAfterSeconds").and_then(whole),
            unique: flag("unique"),
            sparse: flag("sparse"),
            hidden: flag("hidden"),
            partial: spec.get_document("partialFilterExpression").ok().cloned(),
            spec: Box::new(spec.clone()),
            building: flag("building"),
            ..Self::default()
        })
    }

    /// The definition of the same index with this TTL. Every option is kept.
    pub fn with_ttl(&self, secs: i64) -> Document {
        let mut spec = Document::clone(&self.spec);
        // Fields that a server lists of an index in addition to its options.
        for field in ["ns", "building", "buildUUID"] {
            spec.remove(field);
        }
        spec.insert("expireAfterSeconds", smallest_int(secs));
        spec
    }

    /// The key pattern in words: `lastModifiedDate ↑`.
    pub fn keys_text(&self) -> String {
        let part = |(name, value): (&String, &Bson)| match value {
            Bson::String(kind) => format!("{name} ({kind})"),
            Bson::Double(number) if *number < 0.0 => format!("{name} ↓"),
            other if whole(other).is_some_and(|number| number < 0) => format!("{name} ↓"),
            _ => format!("{name} ↑"),
        };
        self.key.iter().map(part).collect::<Vec<_>>().join(", ")
    }

    /// Whether it is of a kind that Mayfly keeps without using it.
    pub fn is_kept_unused(&self) -> bool {
        indexes::is_kept_unused(&self.key)
    }

    pub fn field(&self) -> Option<&str> {
        let mut names = self.key.keys();
        names.next().filter(|_| names.next().is_none()).map(String::as_str)
    }

    /// Whether its key has the time of the last modification.
    pub fn is_on_ts(&self) -> bool {
        self.key.contains_key("_ts")
    }

    /// Why the index can't carry a TTL, in one sentence; `None` when it can.
    pub fn no_ttl_reason(&self) -> Option<&'static str> {
        no_ttl_reason(&self.key)
    }
}

/// Why an index with this key can't carry a TTL, in one sentence; `None` when it can.
pub fn no_ttl_reason(key: &Document) -> Option<&'static str> {
    if key.len() > 1 {
        return Some("A TTL requires a single-field index");
    }
    let (name, value) = key.iter().next()?;
    if name == "_id" {
        return Some("The _id index can't have a TTL; choose another field");
    }
    if name.contains("$**") {
        return Some("A wildcard index can't have a TTL");
    }
    match value {
        Bson::String(_) => Some("A TTL requires an ascending or descending index"),
        _ => None,
    }
}

/// A TTL index, for the places that list only these.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TtlIndex {
    pub name: String,
    pub field: String,
    /// Its seconds; -1 means *on, without a default*.
    pub secs: i64,
    /// Which documents it removes, if not all.
    pub partial: Option<Document>,
}

impl TtlIndex {
    /// Name and readable duration: `lastModifiedDate_1 · 10 min`.
    pub fn label(&self) -> String {
        match self.secs {
            ..0 => format!("{} · no default", self.name),
            0 => format!("{} · at the date", self.name),
            secs => format!("{} · {}", self.name, duration::span(secs.saturating_mul(1_000))),
        }
    }
}

impl IndexesView {
    /// Whether the indexes are known.
    pub fn is_loaded(&self) -> bool {
        self.rows.is_some()
    }

    pub fn row(&self, name: &str) -> Option<&IndexRow> {
        self.rows.as_deref().unwrap_or_default().iter().find(|row| row.name == name)
    }

    pub fn ttl(&self) -> Vec<TtlIndex> {
        let ttl = |row: &IndexRow| {
            let field = row.field()?.to_owned();
            let (name, partial) = (row.name.clone(), row.partial.clone());
            Some(TtlIndex { name, field, secs: row.secs?, partial })
        };
        self.rows.as_deref().unwrap_or_default().iter().filter_map(ttl).collect()
    }

    /// Takes the reply to `listIndexes`; sizes and uses that are known already stay.
    pub fn take_list(&mut self, reply: &Document) {
        self.rows = Some(batch(reply).filter_map(IndexRow::read).collect());
        self.fill();
    }

    /// Takes sizes and entries from the reply to `collStats`.
    pub fn take_stats(&mut self, reply: &Document) {
        let sizes = reply.get_document("indexSizes").ok();
        let entries = reply.get_document("mayfly").ok();
        let entries = entries.and_then(|more| more.get_document("indexEntries").ok());
        for known in self.figures.values_mut() {
            (known.bytes, known.entries) = (None, None);
        }
        for (name, size) in sizes.into_iter().flatten() {
            self.figures.entry(name.clone()).or_default().bytes = figure(size);
        }
        for (name, count) in entries.into_iter().flatten() {
            self.figures.entry(name.clone()).or_default().entries = figure(count);
        }
        self.fill();
    }

    /// Takes the uses from the reply to `$indexStats`.
    pub fn take_uses(&mut self, reply: &Document) {
        for stats in batch(reply) {
            let uses = stats.get_document("accesses").ok().and_then(|uses| uses.get("ops"));
            let name = stats.get_str("name").unwrap_or_default().to_owned();
            self.figures.entry(name).or_default().uses = uses.and_then(figure);
        }
        self.fill();
    }

    fn fill(&mut self) {
        for row in self.rows.iter_mut().flatten() {
            let known = self.figures.get(&row.name).copied().unwrap_or_default();
            (row.bytes, row.entries, row.uses) = (known.bytes, known.entries, known.uses);
        }
    }

    /// Takes a sample of documents from the reply to `find`.
    pub fn take_sample(&mut self, reply: &Document) {
        let mut known = KnownFields::default();
        batch(reply).for_each(|it| known.add(it));
        self.sampled = known.documents();
        let mut fields = known.by_frequency();
        fields.sort_by_key(|(_, field)| Reverse(field.dates));
        let sampled = |(path, field): (&str, &KnownField)| SampledField {
            path: path.to_owned(),
            dates: field.dates,
            convertible: field.convertible(),
            types: field.shares(known.documents()),
        };
        let fields = fields.into_iter().map(sampled).collect();
        self.fields = fields;
    }
}

fn figure(value: &Bson) -> Option<u64> {
    u64::try_from(whole(value)?).ok()
}

/// A readable duration and the seconds: `10 min (600 s)`.
pub fn ttl_words(secs: i64) -> String {
    match secs {
        ..0 => "on, without a default".to_owned(),
        0 => "at the stored date (0 s)".to_owned(),
        _ => {
            let span = duration::span(secs.saturating_mul(1_000));
            let plain = number::secs(secs);
            if span == plain { span } else { format!("{span} ({plain})") }
        }
    }
}

/// A field that a sample of documents has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampledField {
    pub path: String,
    /// Documents of the sample in which it is a date or an array with a date.
    pub dates: u64,
    /// Documents of the sample in which it is text or a number, which may be converted to dates.
    pub convertible: u64,
    /// The share of each type: `Date 62% · String 38%`.
    pub types: String,
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    #[test]
    fn an_index_without_entries_is_told_from_an_empty_one() {
        let check = |entries: Option<u64>, bytes: Option<u64>, expected: bool| {
            let row = IndexRow { bytes, entries, ..IndexRow::default() };
            assert_eq!(row.has_no_entries_of_its_own(), expected, "{entries:?} {bytes:?}");
        };
        check(Some(3), Some(0), true);
        check(Some(3), Some(60), false);
        check(Some(0), Some(0), false);
        check(None, None, false);
        let read = IndexRow::read(&doc! { "name": "_id_", "key": { "_id": 1 } });
        assert!(read.is_some_and(|row| !row.has_no_entries_of_its_own()));
    }
}
