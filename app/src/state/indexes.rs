//! The indexes of one tab, and what its dialogs hold.

use bson::{Bson, Document, doc};

use super::duration;
use crate::widgets::number_field::NumberDraft;

/// The seconds that a TTL may have.
pub const TTL_SECS: std::ops::RangeInclusive<i64> = 0..=2_147_483_647;

/// What the Indexes view of one tab shows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IndexesView {
    /// Whether the indexes were asked for since the view was opened or the catalog changed.
    pub asked: bool,
    /// The indexes, `_id_` first. `None` until the first answer.
    pub rows: Option<Vec<IndexRow>>,
    /// Fields seen in a sample of the documents, most frequent first.
    pub fields: Vec<SampledField>,
    /// The chosen index.
    pub selected: Option<String>,
}

/// One index.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IndexRow {
    /// Its name.
    pub name: String,
    /// Its key pattern.
    pub key: Document,
    /// `expireAfterSeconds`, if it has one; -1 stands for *on, without a default*.
    pub secs: Option<i64>,
    /// Whether it refuses a value that another document has.
    pub unique: bool,
    /// Whether it leaves out documents without the field.
    pub sparse: bool,
    /// Whether queries must not use it. A hidden TTL index still removes documents.
    pub hidden: bool,
    /// Which documents it holds, if not all.
    pub partial: Option<Document>,
    /// Whether it is still being built.
    pub building: bool,
    /// Its size in bytes.
    pub bytes: Option<u64>,
    /// Its entries.
    pub entries: Option<u64>,
    /// How often a query used it since the store was opened.
    pub uses: Option<u64>,
}

impl IndexRow {
    /// Reads one element of a `listIndexes` batch.
    #[must_use]
    pub fn read(spec: &Document) -> Option<Self> {
        let flag = |name| spec.get_bool(name).unwrap_or(false);
        Some(Self {
            name: spec.get_str("name").ok()?.to_owned(),
            key: spec.get_document("key").ok()?.clone(),
            secs: spec.get("expireAfterSeconds").and_then(whole_secs),
            unique: flag("unique"),
            sparse: flag("sparse"),
            hidden: flag("hidden"),
            partial: spec.get_document("partialFilterExpression").ok().cloned(),
            building: flag("building"),
            ..Self::default()
        })
    }

    /// The key pattern in words: `lastModifiedDate ↑`.
    #[must_use]
    pub fn keys_text(&self) -> String {
        let part = |(name, value): (&String, &Bson)| match value {
            Bson::String(kind) => format!("{name} ({kind})"),
            other if as_f64(other).is_some_and(|number| number < 0.0) => format!("{name} ↓"),
            _ => format!("{name} ↑"),
        };
        self.key.iter().map(part).collect::<Vec<_>>().join(", ")
    }

    /// The field of an index on one field.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        let mut names = self.key.keys();
        names.next().filter(|_| names.next().is_none()).map(String::as_str)
    }

    /// Why the index can't carry a TTL, in one sentence; `None` when it can.
    #[must_use]
    pub fn no_ttl_reason(&self) -> Option<&'static str> {
        no_ttl_reason(&self.key)
    }
}

/// Why an index with this key can't carry a TTL, in one sentence; `None` when it can.
#[must_use]
pub fn no_ttl_reason(key: &Document) -> Option<&'static str> {
    if key.len() > 1 {
        return Some("A compound index has no TTL: only an index on a single field can have one");
    }
    let (name, value) = key.iter().next()?;
    if name == "_id" {
        return Some("The _id index has no TTL: choose another field");
    }
    if name.contains("$**") {
        return Some("A wildcard index has no TTL");
    }
    match value {
        Bson::String(_) => Some("Only an ascending or descending index removes documents"),
        _ => None,
    }
}

/// A TTL index, for the places that list only these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TtlIndex {
    /// Its name.
    pub name: String,
    /// The field whose date counts.
    pub field: String,
    /// Its seconds; -1 stands for *on, without a default*.
    pub secs: i64,
}

impl TtlIndex {
    /// Name and readable duration: `lastModifiedDate_1 · 10 min`.
    #[must_use]
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
    #[must_use]
    pub fn is_loaded(&self) -> bool {
        self.rows.is_some()
    }

    /// An index by its name.
    #[must_use]
    pub fn row(&self, name: &str) -> Option<&IndexRow> {
        self.rows.as_deref().unwrap_or_default().iter().find(|row| row.name == name)
    }

    /// The TTL indexes.
    #[must_use]
    pub fn ttl(&self) -> Vec<TtlIndex> {
        let ttl = |row: &IndexRow| {
            let field = row.field()?.to_owned();
            Some(TtlIndex { name: row.name.clone(), field, secs: row.secs? })
        };
        self.rows.as_deref().unwrap_or_default().iter().filter_map(ttl).collect()
    }

    /// Takes the reply to `listIndexes`; sizes and uses that are known already stay.
    pub fn take_list(&mut self, reply: &Document) {
        let batch = reply.get_document("cursor").and_then(|cursor| cursor.get_array("firstBatch"));
        let Ok(batch) = batch else { return };
        let mut rows: Vec<IndexRow> =
            batch.iter().filter_map(|spec| IndexRow::read(spec.as_document()?)).collect();
        for row in &mut rows {
            if let Some(old) = self.row(&row.name) {
                (row.bytes, row.entries, row.uses) = (old.bytes, old.entries, old.uses);
            }
        }
        self.rows = Some(rows);
    }

    /// Takes sizes and entries from the reply to `collStats`.
    pub fn take_stats(&mut self, reply: &Document) {
        let of =
            |map: Option<&Document>, name: &str| u64::try_from(whole_secs(map?.get(name)?)?).ok();
        let sizes = reply.get_document("indexSizes").ok();
        let entries = reply.get_document("mayfly").ok();
        let entries = entries.and_then(|more| more.get_document("indexEntries").ok());
        for row in self.rows.iter_mut().flatten() {
            row.bytes = of(sizes, &row.name);
            row.entries = of(entries, &row.name);
        }
    }

    /// Takes the uses from the reply to `$indexStats`.
    pub fn take_uses(&mut self, reply: &Document) {
        let batch = reply.get_document("cursor").and_then(|cursor| cursor.get_array("firstBatch"));
        for stats in batch.into_iter().flatten().filter_map(Bson::as_document) {
            let uses = stats.get_document("accesses").ok().and_then(|uses| uses.get("ops"));
            let uses = uses.and_then(whole_secs).and_then(|uses| u64::try_from(uses).ok());
            let name = stats.get_str("name").unwrap_or_default();
            for row in self.rows.iter_mut().flatten().filter(|row| row.name == name) {
                row.uses = uses;
            }
        }
    }

    /// Takes a sample of documents from the reply to `find`.
    pub fn take_sample(&mut self, reply: &Document) {
        let batch = reply.get_document("cursor").and_then(|cursor| cursor.get_array("firstBatch"));
        let mut fields: Vec<SampledField> = Vec::new();
        for document in batch.into_iter().flatten().filter_map(Bson::as_document) {
            sample(document, "", &mut fields);
        }
        fields.sort_by(|a, b| b.dates.cmp(&a.dates).then(b.seen.cmp(&a.seen)));
        self.fields = fields;
    }
}

/// A field that a sample of documents has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampledField {
    /// Its dotted path.
    pub path: String,
    /// Documents of the sample that have it.
    pub seen: usize,
    /// Documents of the sample in which it is a date or an array with a date.
    pub dates: usize,
}

fn sample(document: &Document, prefix: &str, fields: &mut Vec<SampledField>) {
    for (name, value) in document {
        let path = format!("{prefix}{name}");
        let is_date = match value {
            Bson::DateTime(_) => true,
            Bson::Array(values) => values.iter().any(|value| matches!(value, Bson::DateTime(_))),
            _ => false,
        };
        match fields.iter_mut().find(|field| field.path == path) {
            Some(field) => {
                field.seen += 1;
                field.dates += usize::from(is_date);
            }
            None => fields.push(SampledField { path, seen: 1, dates: usize::from(is_date) }),
        }
        if let (Bson::Document(inner), "") = (value, prefix) {
            sample(inner, &format!("{name}."), fields);
        }
    }
}

/// What a TTL would remove, as `mayflyWhatIf` answers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WhatIf {
    /// The seconds it was asked for.
    pub secs: i64,
    /// Documents that the next pass would remove.
    pub overdue_now: u64,
    /// More within an hour.
    pub next_hour: u64,
    /// More within a day, the hour included.
    pub next_day: u64,
    /// Documents that would never expire.
    pub never: u64,
    /// All documents.
    pub total: u64,
}

impl WhatIf {
    /// Reads the reply to a `mayflyWhatIf` with these seconds.
    #[must_use]
    pub fn read(reply: &Document, secs: i64) -> Self {
        let count = |name| reply.get(name).and_then(whole_secs).map_or(0, as_count);
        let never = reply
            .get_document("never")
            .map_or(0, |never| never.values().filter_map(whole_secs).map(as_count).sum());
        Self {
            secs,
            overdue_now: count("overdueNow"),
            next_hour: count("nextHour"),
            next_day: count("nextDay"),
            never,
            total: count("total"),
        }
    }
}

fn as_count(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// What a person is typing in the Indexes view: nothing outside of its dialogs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IndexesDraft {}

/// What an answer is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// The list of indexes.
    List,
    /// Sizes and entries.
    Stats,
    /// How often each index was used.
    Uses,
    /// A sample of documents, for the field picker.
    Sample,
    /// What the TTL in the open dialog would remove.
    WhatIf,
    /// Documents in one slice of age, for the picture in the open dialog.
    Age(usize),
    /// A change of an index; what to say when it is done.
    Change(String),
}

/// A dialog of this view.
#[derive(Debug, Clone, PartialEq)]
pub enum Dialog {
    /// A new index.
    Create(CreateIndex),
    /// Another TTL for an index, or its first.
    ChangeTtl(ChangeTtl),
    /// Drops an index.
    Drop(DropIndex),
}

/// An index that shall be dropped.
#[derive(Debug, Clone, PartialEq)]
pub struct DropIndex {
    /// The index.
    pub index: IndexRow,
    /// Why it could not be dropped.
    pub error: Option<String>,
}

/// Another TTL for an index, or its first.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangeTtl {
    /// The index.
    pub index: IndexRow,
    /// The TTL as typed.
    pub ttl: NumberDraft,
    /// What it would remove, for the seconds that were asked last.
    pub what_if: Option<WhatIf>,
    /// Documents by age, one count a slice of the slider; `None` where not known yet.
    pub ages: Vec<Option<u64>>,
    /// Why the change failed.
    pub error: Option<String>,
}

impl ChangeTtl {
    /// The dialog for an index.
    #[must_use]
    pub fn new(index: IndexRow) -> Self {
        let ttl = index.secs.map_or_else(NumberDraft::default, NumberDraft::from_secs);
        Self { index, ttl, what_if: None, ages: vec![None; AGE_SLICES], error: None }
    }

    /// The command that makes the change; `None` while the TTL is not valid.
    #[must_use]
    pub fn command(&self, collection: &str) -> Option<Document> {
        let secs = self.ttl.secs(TTL_SECS).ok()?;
        Some(doc! {
            "collMod": collection,
            "index": { "keyPattern": self.index.key.clone(), "expireAfterSeconds": secs_value(secs) },
        })
    }
}

/// A new index.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CreateIndex {
    /// Fields and whether they descend.
    pub fields: Vec<(String, bool)>,
    /// Whether it carries a TTL.
    pub has_ttl: bool,
    /// The TTL as typed.
    pub ttl: NumberDraft,
    /// Whether it refuses a value that another document has.
    pub unique: bool,
    /// Whether it leaves out documents without the field.
    pub sparse: bool,
    /// Whether queries must not use it.
    pub hidden: bool,
    /// The partial filter as typed; empty for none.
    pub partial: String,
    /// Its name as typed; empty for the usual one.
    pub name: String,
    /// What the TTL would remove.
    pub what_if: Option<WhatIf>,
    /// Why it could not be made.
    pub error: Option<String>,
}

impl CreateIndex {
    /// The key pattern; fields without a name are left out.
    #[must_use]
    pub fn key(&self) -> Document {
        let named = self.fields.iter().filter(|(field, _)| !field.trim().is_empty());
        named
            .map(|(field, descends)| {
                (field.trim().to_owned(), Bson::Int32(if *descends { -1 } else { 1 }))
            })
            .collect()
    }

    /// The name it gets when none is typed.
    #[must_use]
    pub fn usual_name(&self) -> String {
        let key = self.key();
        let parts: Vec<String> =
            key.iter().map(|(field, direction)| format!("{field}_{direction}")).collect();
        parts.join("_")
    }

    /// The command that makes it.
    ///
    /// # Errors
    /// What is missing or wrong, in one sentence.
    pub fn command(&self, collection: &str) -> Result<Document, String> {
        let key = self.key();
        if key.is_empty() {
            return Err("Choose a field".to_owned());
        }
        let name = self.name.trim();
        let name = if name.is_empty() { self.usual_name() } else { name.to_owned() };
        let mut index = doc! { "key": key.clone(), "name": name };
        if self.has_ttl {
            if let Some(reason) = no_ttl_reason(&key) {
                return Err(reason.to_owned());
            }
            index.insert("expireAfterSeconds", secs_value(self.ttl.secs(TTL_SECS)?));
        }
        for (flag, name) in
            [(self.unique, "unique"), (self.sparse, "sparse"), (self.hidden, "hidden")]
        {
            if flag {
                index.insert(name, true);
            }
        }
        if !self.partial.trim().is_empty() {
            let partial = mayfly_engine::value::shell::read_document(&self.partial)
                .map_err(|error| format!("The partial filter: {error}"))?;
            index.insert("partialFilterExpression", partial);
        }
        Ok(doc! { "createIndexes": collection, "indexes": [index] })
    }
}

/// Slices of age in the picture above the slider.
pub const AGE_SLICES: usize = 40;

/// The ends of the slider, in seconds: a second, a year.
pub const SLIDER_SECS: (i64, i64) = (1, 365 * 86_400);

/// The age at a fraction of the slider, in seconds; logarithmic.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "an age on a slider")]
#[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
pub fn slider_secs(fraction: f64) -> i64 {
    let (low, high) = ((SLIDER_SECS.0 as f64).ln(), (SLIDER_SECS.1 as f64).ln());
    (low + (high - low) * fraction.clamp(0.0, 1.0)).exp().round() as i64
}

/// Where an age stands on the slider.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "an age on a slider")]
pub fn slider_fraction(secs: i64) -> f64 {
    let secs = secs.clamp(SLIDER_SECS.0, SLIDER_SECS.1) as f64;
    let (low, high) = ((SLIDER_SECS.0 as f64).ln(), (SLIDER_SECS.1 as f64).ln());
    (secs.ln() - low) / (high - low)
}

/// The command that counts documents whose date is between the ages at both ends of a slice.
#[must_use]
pub fn age_command(collection: &str, field: &str, slice: usize, now_ms: i64) -> Document {
    let date = |secs: i64| {
        let ms = now_ms.saturating_sub(secs.saturating_mul(1_000));
        Bson::DateTime(bson::DateTime::from_millis(ms))
    };
    let end = |slice: usize| {
        #[expect(clippy::cast_precision_loss, reason = "a handful of slices")]
        let fraction = slice as f64 / AGE_SLICES as f64;
        slider_secs(fraction)
    };
    let mut range = doc! { "$lte": date(if slice == 0 { 0 } else { end(slice) }) };
    if slice + 1 < AGE_SLICES {
        range.insert("$gt", date(end(slice + 1)));
    }
    doc! { "count": collection, "query": { field: range } }
}

/// Seconds in the smallest integer type that holds them, as a person would type them.
fn secs_value(secs: i64) -> Bson {
    i32::try_from(secs).map_or(Bson::Int64(secs), Bson::Int32)
}

fn as_f64(value: &Bson) -> Option<f64> {
    match value {
        Bson::Int32(number) => Some(f64::from(*number)),
        #[expect(clippy::cast_precision_loss, reason = "only its sign is read")]
        Bson::Int64(number) => Some(*number as f64),
        Bson::Double(number) => Some(*number),
        _ => None,
    }
}

/// A whole number of any integer type; a double is cut.
#[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
fn whole_secs(value: &Bson) -> Option<i64> {
    match value {
        Bson::Int32(number) => Some(i64::from(*number)),
        Bson::Int64(number) => Some(*number),
        Bson::Double(number) if number.is_finite() => Some(*number as i64),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::number_field::Unit;

    fn create(fields: &[(&str, bool)], ttl: Option<&str>) -> CreateIndex {
        CreateIndex {
            fields: fields.iter().map(|(field, down)| ((*field).to_owned(), *down)).collect(),
            has_ttl: ttl.is_some(),
            ttl: NumberDraft { text: ttl.unwrap_or_default().to_owned(), unit: Unit::Minutes },
            ..CreateIndex::default()
        }
    }

    #[test]
    fn a_ttl_index_becomes_its_command() {
        let command = create(&[("at", false)], Some("10")).command("c").expect("it is valid");
        let expected = doc! { "createIndexes": "c", "indexes": [
            { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 600 }
        ] };
        assert_eq!(command, expected);
    }

    #[test]
    fn what_can_not_be_is_said_before_it_is_sent() {
        let check = |create: CreateIndex, part: &str| {
            let error = create.command("c").expect_err("it is not valid");
            assert!(error.contains(part), "{error}");
        };
        check(create(&[], None), "Choose a field");
        check(create(&[("at", false)], Some("")), "Type a number");
        check(create(&[("a", false), ("b", true)], Some("1")), "compound");
        check(create(&[("_id", false)], Some("1")), "_id");
        let partial = "{ a: ".to_owned();
        check(CreateIndex { partial, ..create(&[("a", false)], None) }, "partial filter");
    }

    #[test]
    fn the_slider_is_logarithmic_and_reversible() {
        for secs in [1, 60, 3_600, 86_400, SLIDER_SECS.1] {
            let back = slider_secs(slider_fraction(secs));
            assert!((back - secs).abs() * 1_000 <= secs, "{secs}: {back}");
        }
        assert!(slider_fraction(60) > 0.2 && slider_fraction(60) < 0.3);
    }

    #[test]
    fn slices_of_age_meet_without_a_gap() {
        let now_ms = 1_704_844_800_000;
        let end = |slice, name| {
            let command = age_command("c", "at", slice, now_ms);
            let range = command.get_document("query").expect("a query").get_document("at");
            range.expect("a range").get_datetime(name).ok().copied()
        };
        for slice in 1..AGE_SLICES {
            assert_eq!(end(slice, "$lte"), end(slice - 1, "$gt"), "{slice}");
        }
        assert_eq!(end(AGE_SLICES - 1, "$gt"), None);
    }

    #[test]
    fn a_sample_names_date_fields_first() {
        let now = Bson::DateTime(bson::DateTime::from_millis(0));
        let documents = vec![
            doc! { "_id": 1, "a": "x", "in": { "at": now.clone() } },
            doc! {
                "_id": 2, "a": 1, "when": [now],
            },
        ];
        let mut view = IndexesView::default();
        view.take_sample(&doc! { "cursor": { "firstBatch": documents } });
        let paths: Vec<&str> = view.fields.iter().map(|field| field.path.as_str()).collect();
        assert_eq!(&paths[..2], ["in.at", "when"]);
    }
}
