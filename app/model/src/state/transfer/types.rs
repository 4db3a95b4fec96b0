//! The types that an import gives to fields, as drafted.
//!
//! The preview also samples the first 5,000 documents (`engine::transfer::PathSample`): the types at each
//! path, and how their dates are written (`engine::value::date_text`). `state/transfer/types.rs` drafts the
//! types that fields get. CSV cells that can only be dates become dates by themselves; text in JSON stays
//! text until the user says so; an order of day and month that no row decides is asked. Each change reads the
//! file again, so that the dialog shows what the import will do. `mayfly import --type` does the same. A CSV
//! header with mongoimport's types (`at.date_ms(yyyy-MM-dd)`) is recognized without an option:
//! `engine/core/src/transfer/read/csv_header.rs` says why.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use bson::{Bson, Document};
use mayfly_engine::transfer::{
    FieldCounts, FieldType, PathSample, Preview, RecordFormat, TargetType, Types,
};
use mayfly_engine::value::date_text::{DateForm, DateSample, Order};
use mayfly_engine::value::shell::{self, Layout};

use super::columns::ColumnsDraft;
use crate::job::FileLook;
use crate::state::{Zone, number};

/// The types of fields, as drafted.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TypesDraft {
    pub types: Types,
    pub columns: ColumnsDraft,
    /// Fields whose type the user chose; a suggestion does not change them.
    pub touched: BTreeSet<String>,
    /// Layouts as typed, by field.
    pub layouts: BTreeMap<String, String>,
    /// The date that becomes now, as typed, by field.
    pub anchors: BTreeMap<String, String>,
    /// Whether fields are listed that hold no dates.
    pub shows_all: bool,
    /// The latest look, shown until the next one is here, and its file.
    pub seen: Option<(PathBuf, FileLook)>,
}

/// A field in the list.
#[derive(Debug, Clone, Copy)]
pub struct FieldRow<'d> {
    /// The values in the file.
    pub sample: &'d PathSample,
    /// The type that was chosen.
    pub field: Option<&'d FieldType>,
    /// `None` until they are counted.
    pub counts: Option<&'d FieldCounts>,
}

impl TypesDraft {
    /// Chooses dates for cells that can only be dates: CSV has no types, so its text says nothing
    /// against it. Returns whether something was chosen.
    pub fn suggest(&mut self, preview: &Preview) -> bool {
        if !matches!(preview.detected.form, RecordFormat::Csv { .. }) {
            return false;
        }
        let before = self.types.fields.len();
        for sample in &preview.paths {
            let Some(dates) = &sample.dates else { continue };
            let is_sure =
                dates.converts == dates.values && !dates.are_numbers && sample.declared.is_none();
            let is_free =
                !self.touched.contains(&sample.path) && self.types.field(&sample.path).is_none();
            if is_sure && is_free && !dates.forms.is_empty() {
                let to = TargetType::Date(dates.forms.clone());
                self.types.fields.push(FieldType::new(&sample.path, to));
            }
        }
        self.types.fields.len() > before
    }

    /// Chooses the type of a field, or leaves it as the file has it.
    pub fn choose(&mut self, path: &str, to: Option<TargetType>) {
        self.touched.insert(path.to_owned());
        self.layouts.remove(path);
        match (self.types.fields.iter_mut().find(|field| field.path == path), to) {
            (Some(field), Some(to)) => field.to = to,
            (None, Some(to)) => self.types.fields.push(FieldType::new(path, to)),
            (_, None) => {
                self.types.fields.retain(|field| field.path != path);
                self.anchors.remove(path);
            }
        }
    }

    /// Takes another sheet of a workbook: its columns and fields are others.
    pub fn choose_sheet(&mut self, sheet: String) {
        let Types { zone, unconverted, .. } = self.types;
        let types = Types { zone, unconverted, ..Types::default() };
        let columns = ColumnsDraft { sheet: Some(sheet), ..ColumnsDraft::default() };
        *self = Self { types, columns, shows_all: self.shows_all, ..Self::default() };
    }

    /// Takes the name of a column as typed. Its type stays its own. Returns whether its name changed.
    pub fn rename(&mut self, first: &str, typed: String) -> bool {
        let name = |columns: &ColumnsDraft| {
            let renames = columns.renames();
            let chosen = renames.into_iter().find(|(from, _)| from == first);
            chosen.map_or_else(|| first.to_owned(), |(_, to)| to)
        };
        let before = name(&self.columns);
        self.columns.typed.insert(first.to_owned(), typed);
        let after = name(&self.columns);
        if before == after {
            return false;
        }
        if let Some(field) = self.types.fields.iter_mut().find(|field| field.path == before) {
            field.path.clone_from(&after);
        }
        if self.touched.remove(&before) {
            self.touched.insert(after.clone());
        }
        for typed in [&mut self.layouts, &mut self.anchors] {
            if let Some(text) = typed.remove(&before) {
                typed.insert(after.clone(), text);
            }
        }
        true
    }

    /// Takes the layout of a field as typed. Returns whether it is one.
    pub fn layout_typed(&mut self, path: &str) -> bool {
        let Some(form) = self.layouts.get(path).and_then(|text| DateForm::parse(text).ok()) else {
            return false;
        };
        let field = self.types.fields.iter_mut().find(|field| field.path == path);
        let to = TargetType::Date(vec![form]);
        field.is_some_and(|field| std::mem::replace(&mut field.to, to.clone()) != to)
    }

    /// Takes the date that becomes now, as typed, or nothing. Returns whether the shift changed.
    pub fn anchor_typed(&mut self, path: &str, now_ms: i64) -> bool {
        let anchor = self.anchors.get(path).and_then(|text| anchor_ms(text));
        let field = self.types.fields.iter_mut().find(|field| field.path == path);
        let shift_ms = anchor.map_or(0, |anchor| now_ms.saturating_sub(anchor));
        field.is_some_and(|field| std::mem::replace(&mut field.shift_ms, shift_ms) != shift_ms)
    }

    /// The mistake, in one sentence.
    pub fn error(&self) -> Option<String> {
        let typed = self.layouts.iter().find_map(|(path, text)| {
            DateForm::parse(text).err().map(|error| format!("{path}: {error}"))
        });
        let asked = self
            .types
            .fields
            .iter()
            .find(|field| matches!(&field.to, TargetType::Date(forms) if forms.is_empty()));
        let asked = asked.map(|field| {
            format!("Choose whether the day or the month comes first in {}", field.path)
        });
        let anchor = self.anchors.iter().find(|(_, text)| anchor_ms(text).is_none());
        let anchor = anchor.map(|(path, text)| {
            format!("{path}: {text:?} is not a date; enter one such as 2026-01-31 12:00")
        });
        typed.or(asked).or(anchor).or_else(|| self.types.check().err())
    }

    /// The fields to list.
    pub fn rows<'d>(&'d self, look: &'d FileLook) -> Vec<FieldRow<'d>> {
        let row = |sample: &'d PathSample| {
            let field = self.types.field(&sample.path);
            let read = look.types.fields.iter().position(|read| Some(read) == field);
            FieldRow { sample, field, counts: read.and_then(|at| look.preview.counts.get(at)) }
        };
        let is_listed = |row: &FieldRow<'_>| {
            let of = row.sample;
            self.shows_all || row.field.is_some() || of.dates.is_some() || of.declared.is_some()
        };
        look.preview.paths.iter().map(row).filter(is_listed).collect()
    }
}

/// A date as typed.
fn anchor_ms(text: &str) -> Option<i64> {
    use mayfly_engine::transfer::Zone;
    DateForm::Iso.read(text.trim_end_matches(" UTC"), Zone::UTC).ok()
}

/// The value that decided the order of day and month, in one sentence.
pub fn decided_by(order: &Order) -> Option<String> {
    let Order::Decided { order, by, rows } = order else { return None };
    let DateSample { row, text, .. } = by;
    let more = match rows.saturating_sub(1) {
        0 => String::new(),
        1 => ", as 1 more row".to_owned(),
        more => format!(", as {} more rows", number::count(more as u64)),
    };
    let label = order.label().to_lowercase();
    Some(format!("Row {}: {text} can only be {label}{more}", number::count(*row)))
}

/// Why the order of day and month has to be asked, in one sentence.
pub fn question(order: &Order) -> Option<String> {
    let Order::Ask(ways) = order else { return None };
    let mixed: Vec<String> = ways
        .iter()
        .filter_map(|way| {
            let only = way.only.as_ref()?;
            let label = way.order.label().to_lowercase();
            Some(format!("{} in row {} can only be {label}", only.text, number::count(only.row)))
        })
        .collect();
    if mixed.len() > 1 {
        return Some(format!("The orders are mixed: {}", mixed.join(", ")));
    }
    let example = ways.iter().find_map(|way| way.example.as_ref());
    Some(match example {
        Some(at) => format!("{} in row {} can be read in two ways", at.text, at.row),
        None => "No row says whether the day or the month comes first".to_owned(),
    })
}

/// A chosen type for the user.
pub fn type_words(to: Option<&TargetType>) -> &'static str {
    match to {
        None => "As in the file",
        Some(TargetType::Text) => "String",
        Some(TargetType::Int) => "Int32",
        Some(TargetType::Long) => "Long",
        Some(TargetType::Double) => "Double",
        Some(TargetType::Decimal) => "Decimal128",
        Some(TargetType::Bool) => "Boolean",
        Some(TargetType::ObjectId) => "ObjectId",
        Some(TargetType::Uuid) => "UUID",
        Some(TargetType::Date(_)) => "Date",
    }
}

/// Forms of a date for the user.
pub fn forms_words(forms: &[DateForm]) -> String {
    match forms {
        [] => "Choose the order".to_owned(),
        forms => forms.iter().map(DateForm::words).collect::<Vec<_>>().join("  or  "),
    }
}

/// An instant in UTC, without milliseconds that are zero.
pub fn instant(ms: i64) -> String {
    match ms.rem_euclid(1_000) {
        0 => format!("{}Z", Zone::Utc.date_time(ms)),
        _ => Zone::Utc.date_time_millis(ms),
    }
}

/// A value as one line.
pub fn value_words(value: &Bson) -> String {
    match value {
        Bson::String(text) => text.clone(),
        Bson::DateTime(date) => instant(date.timestamp_millis()),
        value => shell::write_value(value, Layout::OneLine),
    }
}

/// The first value of a field that converts, before and after.
pub fn example(preview: &Preview, path: &str) -> Option<(String, String)> {
    let pairs = preview.documents.iter().zip(&preview.converted);
    pairs.into_iter().find_map(|(before, after)| {
        let before = Document::try_from(before.as_ref()).ok()?;
        let after = Document::try_from(after.as_ref()).ok()?;
        let (before, after) = (value_at(&before, path)?, value_at(&after, path)?);
        (before != after).then(|| (value_words(&before), value_words(&after)))
    })
}

/// The first value at a path.
fn value_at(document: &Document, path: &str) -> Option<Bson> {
    let mut value = Bson::Document(document.clone());
    for name in path.split('.') {
        value = first_of(value)?;
        value = value.as_document()?.get(name)?.clone();
    }
    first_of(value)
}

fn first_of(value: Bson) -> Option<Bson> {
    match value {
        Bson::Array(values) => values.into_iter().next().and_then(first_of),
        value => Some(value),
    }
}

#[cfg(test)]
mod tests {
    use mayfly_engine::transfer::{ReadOptions, preview};

    use super::*;

    fn look(name: &str, text: &str, types: &Types) -> FileLook {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        let options = ReadOptions { types: types.clone(), ..ReadOptions::default() };
        let preview = preview(&path, &options).expect("a preview");
        FileLook { bytes: 0, preview, disk_space: None, indexes: Vec::new(), types: types.clone() }
    }

    #[test]
    fn cells_that_can_only_be_dates_become_dates() {
        let csv = "at,day,when,n\nJun 12 1998,03/04/2020,TBD,1709280000\n\
                   Aug 07 1998,05/06/2020,Jun 1 1999,1709280001\n";
        let mut draft = TypesDraft::default();
        let found = look("a.csv", csv, &draft.types);
        assert!(draft.suggest(&found.preview));
        let chosen: Vec<_> = draft.types.fields.iter().flat_map(FieldType::arguments).collect();
        assert_eq!(chosen, ["at=date:%b %d %Y"]);
        assert!(!draft.suggest(&found.preview), "it is chosen already");
        let listed: Vec<_> = draft.rows(&found).iter().map(|row| row.sample.path.clone()).collect();
        assert_eq!(listed, ["at", "day", "when", "n"]);
        let found = look("a.csv", csv, &draft.types);
        let words = example(&found.preview, "at");
        assert_eq!(words, Some(("Jun 12 1998".to_owned(), "1998-06-12 00:00:00Z".to_owned())));
        assert_eq!(draft.rows(&found)[0].counts.map(|counts| counts.converted), Some(2));
        draft.choose("at", None);
        assert!(!draft.suggest(&found.preview), "the user chose otherwise");
    }

    #[test]
    fn a_type_in_the_header_is_left_as_it_is() {
        let csv = "at.string(),day.date_ms(M/d/yyyy)\n2015-01-01,2/1/2024\n";
        let mut draft = TypesDraft::default();
        let found = look("a.csv", csv, &draft.types);
        assert!(!draft.suggest(&found.preview), "the header says that it is text");
        let rows = draft.rows(&found);
        let of = |at: usize| rows[at].sample;
        assert_eq!(of(0).types, [("string", 1)]);
        assert_eq!(of(1).types, [("date", 1)]);
        let declared = of(1).declared.as_ref().expect("a type");
        assert_eq!(declared.text, "date_ms(M/d/yyyy)");
        assert_eq!(declared.dates.as_ref().map(DateForm::to_string), Some("%m/%d/%Y".to_owned()));
    }

    #[test]
    fn text_in_json_is_converted_only_when_the_user_says_so() {
        let mut draft = TypesDraft::default();
        let found = look("a.json", r#"{"a":{"at":["2015-01-01"]}}"#, &draft.types);
        assert!(!draft.suggest(&found.preview));
        let rows = draft.rows(&found);
        assert_eq!(rows[0].sample.path, "a.at");
        let forms = rows[0].sample.dates.as_ref().expect("dates").forms.clone();
        draft.choose("a.at", Some(TargetType::Date(forms)));
        let found = look("a.json", r#"{"a":{"at":["2015-01-01"]}}"#, &draft.types);
        let words = example(&found.preview, "a.at");
        assert_eq!(words, Some(("2015-01-01".to_owned(), "2015-01-01 00:00:00Z".to_owned())));
    }

    #[test]
    fn the_order_is_asked_before_anything_begins() {
        let mut draft = TypesDraft::default();
        let found = look("a.csv", "at\n03/04/2020\n05/06/2020\n", &draft.types);
        let dates = found.preview.paths[0].dates.clone().expect("dates");
        let words = question(&dates.order).expect("a question");
        assert_eq!(words, "03/04/2020 in row 1 can be read in two ways");
        draft.choose("at", Some(TargetType::Date(Vec::new())));
        assert!(draft.error().is_some_and(|error| error.contains("comes first in at")));
        let found = look("b.csv", "at\n03/04/2020\n05/16/2020\n", &Types::default());
        let dates = found.preview.paths[0].dates.clone().expect("dates");
        let words = decided_by(&dates.order).expect("decided");
        assert_eq!(words, "Row 2: 05/16/2020 can only be month first");
    }

    #[test]
    fn a_layout_is_typed_and_checked() {
        let mut draft = TypesDraft::default();
        draft.choose("at", Some(TargetType::Date(vec![DateForm::Iso])));
        draft.layouts.insert("at".to_owned(), "%Y".to_owned());
        assert!(!draft.layout_typed("at"));
        assert!(draft.error().is_some_and(|error| error.starts_with("at: ")));
        draft.layouts.insert("at".to_owned(), "%Y|%m|%d".to_owned());
        assert!(draft.layout_typed("at"));
        assert_eq!(draft.error(), None);
        assert_eq!(draft.types.fields[0].arguments(), ["at=date:%Y|%m|%d"]);
    }

    #[test]
    fn the_distance_to_now_is_kept() {
        let mut draft = TypesDraft::default();
        draft.choose("at", Some(TargetType::Date(vec![DateForm::Iso])));
        draft.anchors.insert("at".to_owned(), "2020-01-01 00:00:00Z".to_owned());
        assert!(draft.anchor_typed("at", 1_577_836_800_000 + 7));
        assert_eq!(draft.types.fields[0].shift_ms, 7);
        draft.anchors.insert("at".to_owned(), "yesterday".to_owned());
        assert!(draft.error().is_some());
        draft.anchors.remove("at");
        assert!(draft.anchor_typed("at", 0));
        assert_eq!((draft.types.fields[0].shift_ms, draft.error()), (0, None));
    }
}
