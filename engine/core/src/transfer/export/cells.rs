//! The cells of one CSV column: their text, and the values that the importer's rules read from it.

use std::borrow::Cow;

use bson::raw::{RawBsonRef, RawDocumentBuf, cstr};
use bson::spec::BinarySubtype;
use bson::{Bson, RawBson};

use super::csv::{cell_text, needs_quotes};
use super::losses::{Losses, LostKind, ReadAs, has_short_long};
use crate::transfer::read::csv_number::{CellForm, cell_form};
use crate::transfer::read::csv_survey::Evidence;
use crate::transfer::read::csv_value::{BinaryText, CellType};
use crate::value::date_text::DateForm;
use crate::value::extjson::{Layout, Style, write_value};
use crate::value::zone::Zone;

/// For whom CSV is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CsvForm {
    /// Every character as it is.
    #[default]
    Exact,
    /// The header names the type of each column, as mongoimport's `--columnsHaveTypes` reads it.
    /// Columns of other or mixed types have `ejson()`, which only Mayfly reads.
    Typed,
    /// For spreadsheets: text that would run as a formula gets a quote in front, and `null` is an
    /// empty cell.
    Spreadsheet,
}

/// Counts by a key with few values.
#[derive(Debug, Clone)]
struct Counts<K>(Vec<(K, u64)>);

impl<K> Default for Counts<K> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: PartialEq> Counts<K> {
    fn add(&mut self, key: K) {
        match self.0.iter_mut().find(|(known, _)| *known == key) {
            Some((_, count)) => *count += 1,
            None => self.0.push((key, 1)),
        }
    }
}

/// The type of a column with a typed header.
#[derive(Debug, Clone, Default, PartialEq)]
enum OwnType {
    #[default]
    Unknown,
    /// Of all values so far. It keeps each of them.
    One(CellType),
    Mixed,
}

/// The values of a column.
#[derive(Debug, Clone, Default)]
pub(super) struct Cells {
    /// Decides the type that an import gives a column without one.
    evidence: Evidence,
    kinds: Counts<LostKind>,
    /// Values that come back as something else in a column of numbers.
    as_number: Counts<(LostKind, ReadAs)>,
    /// The same in a column of booleans.
    as_bool: Counts<(LostKind, ReadAs)>,
    /// The same if the column is text.
    as_text: Counts<(LostKind, ReadAs)>,
    /// The same in a column of Extended JSON.
    as_json: Counts<(LostKind, ReadAs)>,
    /// Values of fields whose own name has the dots of the path.
    renamed: Counts<LostKind>,
    own: OwnType,
    /// Some row has a value both here and in a column around this one.
    pub(super) is_in_value: bool,
}

impl Cells {
    /// Counts a value. `is_renamed` marks one whose path means another field when it is read.
    pub(super) fn add(&mut self, value: RawBsonRef<'_>, form: CsvForm, is_renamed: bool) {
        let kind = LostKind::of(value);
        self.kinds.add(kind);
        if is_renamed {
            self.renamed.add(kind);
        }
        if form == CsvForm::Typed {
            self.note_type(value);
            if !is_renamed && !ejson_text(value).1 {
                self.as_json.add((kind, ReadAs::Text));
            }
            return;
        }
        let Some(text) = cell_text(value, form) else {
            if !is_renamed {
                for counts in [&mut self.as_number, &mut self.as_bool, &mut self.as_text] {
                    counts.add((kind, ReadAs::Missing));
                }
            }
            return;
        };
        let read = cell_form(&text);
        self.evidence.note(&text, read);
        if !needs_quotes(&text) {
            self.evidence.note_unquoted(read);
        }
        if is_renamed {
            return;
        }
        if let Some(read_as) = as_text(value, &text) {
            self.as_text.add((kind, read_as));
        }
        if let Some(read_as) = as_number(value, read) {
            self.as_number.add((kind, read_as));
        }
        if let Some(read_as) = as_bool(value, read) {
            self.as_bool.add((kind, read_as));
        }
    }

    /// Counts a document without this field, whose row can't show it.
    pub(super) fn add_shown_missing(&mut self) {
        self.evidence.note("", CellForm::Missing);
        self.as_text.add((LostKind::Missing, ReadAs::Text));
        self.own = OwnType::Mixed;
        self.as_json.add((LostKind::Missing, ReadAs::Null));
    }

    fn note_type(&mut self, value: RawBsonRef<'_>) {
        if self.own == OwnType::Mixed {
            return;
        }
        let is_known = |to: &CellType| match &self.own {
            OwnType::Unknown => true,
            OwnType::One(known) => known == to,
            OwnType::Mixed => false,
        };
        self.own = own_type(value)
            .filter(|to| is_known(to) && comes_back(value, to))
            .map_or(OwnType::Mixed, OwnType::One);
    }

    /// Whether the column is text that an import would read as numbers or booleans. With quotes it
    /// doesn't, if another column has a value without.
    pub(super) fn is_text_like_others(&self, form: CsvForm) -> bool {
        let reads = self.cell_type(form);
        form != CsvForm::Typed
            && matches!(reads, CellType::Numbers { .. } | CellType::Booleans)
            && self.kinds.0.iter().all(|(kind, _)| *kind == LostKind::Text)
    }

    /// Whether some value is written without quotes, and isn't a word for a missing one.
    pub(super) fn has_unquoted(&self) -> bool {
        self.evidence.has_unquoted()
    }

    /// The type of the column when it is read.
    pub(super) fn cell_type(&self, form: CsvForm) -> CellType {
        match (&self.own, form) {
            (OwnType::One(to), CsvForm::Typed) => to.clone(),
            (OwnType::Mixed, CsvForm::Typed) => CellType::Ejson,
            (OwnType::Unknown, CsvForm::Typed) => CellType::Text,
            (_, CsvForm::Exact | CsvForm::Spreadsheet) => self.evidence.cell_type(),
        }
    }

    /// Adds what is lost in a column that is read as this type. `has_other_name` means that its header
    /// leads to another field.
    pub(super) fn losses(
        &self,
        name: &str,
        (to, form): (&CellType, CsvForm),
        has_other_name: bool,
        losses: &mut Losses,
    ) {
        if has_other_name || self.is_in_value {
            for (kind, count) in &self.kinds.0 {
                losses.add(name, (*kind, ReadAs::OtherField), *count);
            }
            return;
        }
        let none = Counts::default();
        let read = match to {
            CellType::Ejson => &self.as_json,
            _ if form == CsvForm::Typed => &none,
            CellType::Numbers { .. } => &self.as_number,
            CellType::Booleans => &self.as_bool,
            _ => &self.as_text,
        };
        for (lost, count) in &read.0 {
            losses.add(name, *lost, *count);
        }
        for (kind, count) in &self.renamed.0 {
            losses.add(name, (*kind, ReadAs::OtherField), *count);
        }
    }
}

/// How a column of text reads a value that it changes.
fn as_text(value: RawBsonRef<'_>, text: &str) -> Option<ReadAs> {
    match value {
        RawBsonRef::String(own) => (own != text).then_some(ReadAs::OtherText),
        _ => Some(ReadAs::Text),
    }
}

/// How a column of numbers reads a value that it changes.
fn as_number(value: RawBsonRef<'_>, read: CellForm) -> Option<ReadAs> {
    let is_same = match (value, read) {
        (RawBsonRef::Int32(int), CellForm::Int32(read)) => int == read,
        (RawBsonRef::Int64(int), CellForm::Int64(read)) => int == read,
        (RawBsonRef::Double(double), CellForm::Double(read) | CellForm::NotFinite(read)) => {
            double.to_bits() == read.to_bits()
        }
        _ => false,
    };
    if is_same {
        return None;
    }
    Some(match (value, read) {
        (_, CellForm::Missing) => ReadAs::Missing,
        (
            RawBsonRef::Int32(_)
            | RawBsonRef::Int64(_)
            | RawBsonRef::Double(_)
            | RawBsonRef::Decimal128(_),
            _,
        ) => ReadAs::OtherNumber,
        _ => ReadAs::Number,
    })
}

/// How a column of booleans reads a value that it changes.
fn as_bool(value: RawBsonRef<'_>, read: CellForm) -> Option<ReadAs> {
    match (value, read) {
        (RawBsonRef::Boolean(is), CellForm::Bool(read)) if is == read => None,
        (_, CellForm::Missing | CellForm::NotFinite(_)) => Some(ReadAs::Missing),
        _ => Some(ReadAs::Boolean),
    }
}

/// The type that a header can name for a value.
fn own_type(value: RawBsonRef<'_>) -> Option<CellType> {
    Some(match value {
        RawBsonRef::String(_) => CellType::Text,
        RawBsonRef::Int32(_) => CellType::Int,
        RawBsonRef::Int64(_) => CellType::Long,
        RawBsonRef::Double(_) => CellType::Double,
        RawBsonRef::Decimal128(_) => CellType::Decimal,
        RawBsonRef::Boolean(_) => CellType::Bool,
        RawBsonRef::DateTime(_) => CellType::Date(DateForm::Iso),
        RawBsonRef::ObjectId(_) => CellType::ObjectId,
        RawBsonRef::Binary(binary) if binary.subtype == BinarySubtype::Generic => {
            CellType::Binary(BinaryText::Base64)
        }
        _ => return None,
    })
}

/// The type as a header names it. Only those of [`own_type`] and Extended JSON are written.
pub(super) fn type_name(to: &CellType) -> &'static str {
    match to {
        CellType::Auto | CellType::Numbers { .. } | CellType::Booleans => "auto()",
        CellType::Text => "string()",
        CellType::Int => "int32()",
        CellType::Long => "int64()",
        CellType::Double => "double()",
        CellType::Decimal => "decimal()",
        CellType::Bool => "boolean()",
        CellType::Binary(BinaryText::Base64) => "binary(base64)",
        CellType::Binary(BinaryText::Base32) => "binary(base32)",
        CellType::Binary(BinaryText::Hex) => "binary(hex)",
        CellType::Date(_) => "date()",
        CellType::ObjectId => "objectId()",
        CellType::Ejson => "ejson()",
    }
}

/// The text of a value in a column of this type; `None` if it has another one.
pub(super) fn typed_text<'d>(value: RawBsonRef<'d>, to: &CellType) -> Option<Cow<'d, str>> {
    if *to == CellType::Ejson {
        return Some(ejson_text(value).0.into());
    }
    if own_type(value).as_ref() != Some(to) {
        return None;
    }
    match value {
        RawBsonRef::Binary(binary) => {
            use base64::Engine as _;
            Some(base64::engine::general_purpose::STANDARD.encode(binary.bytes).into())
        }
        value => cell_text(value, CsvForm::Exact),
    }
}

/// Extended JSON that an import reads as this value, and true; or else as its text, and false: names
/// inside may be those of Extended JSON, or stand twice.
fn ejson_text(value: RawBsonRef<'_>) -> (String, bool) {
    let style = if has_short_long(value) { Style::Canonical } else { Style::Relaxed };
    let text = write_value(value, style, Layout::OneLine);
    let is_nested = matches!(
        LostKind::of(value),
        LostKind::Array | LostKind::Document | LostKind::Double | LostKind::Other
    );
    // Every other value comes back from its Extended JSON.
    let comes_back = !is_nested
        || CellType::Ejson.value(&text, Zone::UTC).is_some_and(|read| is_same(&read, value));
    if comes_back {
        return (text, true);
    }
    (write_value(RawBsonRef::String(&text), style, Layout::OneLine), false)
}

/// Whether an import reads this value from its cell, with every bit.
fn comes_back(value: RawBsonRef<'_>, to: &CellType) -> bool {
    if matches!((value, to), (RawBsonRef::String(_), CellType::Text)) {
        return true;
    }
    let Some(text) = typed_text(value, to) else { return false };
    to.value(&text, Zone::UTC).is_some_and(|read| is_same(&read, value))
}

fn is_same(read: &Bson, value: RawBsonRef<'_>) -> bool {
    let bytes = |value: RawBson| {
        let mut one = RawDocumentBuf::new();
        one.append(cstr!(""), value);
        one
    };
    RawBson::try_from(read.clone()).is_ok_and(|read| bytes(read) == bytes(value.into()))
}
