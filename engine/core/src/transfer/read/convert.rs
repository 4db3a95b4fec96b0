//! Gives the fields of documents their chosen types.

use bson::{
    Binary, Bson, DateTime, Decimal128, RawArray, RawArrayBuf, RawBson, RawDocument,
    RawDocumentBuf, oid::ObjectId, raw::RawBsonRef, spec::BinarySubtype,
};

use crate::transfer::TextPosition;
use crate::transfer::read::types::{FieldType, TargetType, Types, Unconverted};
use crate::value::{
    date_text::{DateError, DateForm},
    iso_text, shell,
    zone::Zone,
};

/// Characters of a value that a reason shows.
const SHOWN_CHARS_MAX: usize = 60;

/// How the values of one field converted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FieldCounts {
    /// Values that have the type, with those that had it before.
    pub converted: u64,
    /// Blank text and null.
    pub blank: u64,
    /// Values that did not convert.
    pub failed: u64,
    /// The first of them.
    pub first_failed: Option<FailedValue>,
    /// The newest date, before it is shifted, in milliseconds since 1970.
    pub newest_ms: Option<i64>,
}

/// A value that did not convert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedValue {
    /// Where its document starts.
    pub position: TextPosition,
    /// The value, shortened.
    pub value: String,
    /// Why it does not convert, without a full stop.
    pub reason: String,
}

/// The result of converting a value.
enum Outcome {
    /// It is already right, or null.
    Same,
    /// Blank text, which isn't a value.
    Blank,
    Value(RawBson),
    /// Why it does not convert.
    Failed(String),
}

/// Converts documents, and counts.
#[derive(Debug)]
pub(in crate::transfer) struct Converter {
    types: Types,
    /// The path of each field.
    paths: Vec<Vec<String>>,
    counts: Vec<FieldCounts>,
    /// Where the current document starts.
    position: TextPosition,
}

/// Names of a level of documents, and the fields that continue below.
type Below<'p> = Vec<(usize, &'p [String])>;

impl Converter {
    /// `None` if nothing is converted.
    pub(in crate::transfer) fn new(types: &Types) -> Option<Self> {
        if types.is_empty() {
            return None;
        }
        let path = |field: &FieldType| field.path.split('.').map(str::to_owned).collect();
        Some(Self {
            paths: types.fields.iter().map(path).collect(),
            counts: vec![FieldCounts::default(); types.fields.len()],
            types: types.clone(),
            position: TextPosition::START,
        })
    }

    /// Counts of each field, in the order of [`Types::fields`].
    pub(in crate::transfer) fn counts(&self) -> &[FieldCounts] {
        &self.counts
    }

    /// Values that converted, and values that did not.
    pub(in crate::transfer) fn totals(&self) -> (u64, u64) {
        let add = |(all, bad): (u64, u64), of: &FieldCounts| (all + of.converted, bad + of.failed);
        self.counts.iter().fold((0, 0), add)
    }

    pub(in crate::transfer) fn field_at(&self, path: &[String]) -> Option<usize> {
        self.paths.iter().position(|known| known == path)
    }

    /// Whether a value that is missing becomes null.
    pub(in crate::transfer) fn fills_blanks(&self) -> bool {
        self.types.unconverted != Unconverted::Keep
    }

    /// Whether a field becomes text.
    pub(in crate::transfer) fn is_text(&self, field: usize) -> bool {
        self.types.fields.get(field).is_some_and(|field| field.to == TargetType::Text)
    }

    /// Whether a field becomes a number that may have decimals.
    pub(in crate::transfer) fn is_number(&self, field: usize) -> bool {
        let to = self.types.fields.get(field).map(|field| &field.to);
        matches!(to, Some(TargetType::Double | TargetType::Decimal))
    }

    /// Starts the next document, which is here in the file.
    pub(in crate::transfer) fn begin_document(&mut self, position: TextPosition) {
        self.position = position;
    }

    /// Converts the fields of a document.
    ///
    /// # Errors
    /// When a value does not convert and such documents are rejected; one sentence without its full
    /// stop.
    pub(in crate::transfer) fn convert(
        &mut self,
        document: &RawDocument,
        position: TextPosition,
    ) -> Result<RawDocumentBuf, String> {
        self.begin_document(position);
        let paths = std::mem::take(&mut self.paths);
        let below: Below<'_> = paths.iter().map(Vec::as_slice).enumerate().collect();
        let converted = self.document(document, &below);
        self.paths = paths;
        converted
    }

    fn document(
        &mut self,
        document: &RawDocument,
        fields: &Below<'_>,
    ) -> Result<RawDocumentBuf, String> {
        let mut converted = RawDocumentBuf::new();
        for element in document {
            let (name, value) = element.map_err(|_| "the document is damaged".to_owned())?;
            let below: Below<'_> = fields
                .iter()
                .filter_map(|(field, path)| {
                    let (first, rest) = path.split_first()?;
                    (first == name.as_str()).then_some((*field, rest))
                })
                .collect();
            if below.is_empty() {
                converted.append(name, value);
            } else {
                converted.append(name, self.value(value, &below)?);
            }
        }
        Ok(converted)
    }

    fn value(&mut self, value: RawBsonRef<'_>, fields: &Below<'_>) -> Result<RawBson, String> {
        match value {
            RawBsonRef::Array(array) => self.array(array, fields).map(RawBson::Array),
            RawBsonRef::Document(document) if fields.iter().all(|(_, path)| !path.is_empty()) => {
                self.document(document, fields).map(RawBson::Document)
            }
            _ => match fields.iter().find(|(_, path)| path.is_empty()) {
                Some((field, _)) => self.scalar(*field, value),
                None => Ok(RawBson::from(value)),
            },
        }
    }

    fn array(&mut self, array: &RawArray, fields: &Below<'_>) -> Result<RawArrayBuf, String> {
        let mut converted = RawArrayBuf::new();
        for value in array {
            let value = value.map_err(|_| "the document is damaged".to_owned())?;
            converted.push(self.value(value, fields)?);
        }
        Ok(converted)
    }

    /// Converts one value of a field.
    ///
    /// # Errors
    /// As [`Self::convert`].
    pub(in crate::transfer) fn scalar(
        &mut self,
        field: usize,
        value: RawBsonRef<'_>,
    ) -> Result<RawBson, String> {
        let Some(of) = self.types.fields.get(field) else { return Ok(RawBson::from(value)) };
        let outcome = convert(&of.to, self.types.zone, value);
        let Some(counts) = self.counts.get_mut(field) else { return Ok(RawBson::from(value)) };
        let date_ms = date_ms(&outcome, value);
        counts.newest_ms = counts.newest_ms.max(date_ms);
        let outcome = match date_ms.filter(|_| of.shift_ms != 0) {
            Some(date_ms) => shifted(date_ms, of.shift_ms),
            None => outcome,
        };
        match outcome {
            Outcome::Same => {
                let is_null = matches!(value, RawBsonRef::Null | RawBsonRef::Undefined);
                *(if is_null { &mut counts.blank } else { &mut counts.converted }) += 1;
                Ok(RawBson::from(value))
            }
            Outcome::Value(value) => {
                counts.converted += 1;
                Ok(value)
            }
            Outcome::Blank => {
                counts.blank += 1;
                Ok(match self.types.unconverted {
                    Unconverted::Keep => RawBson::from(value),
                    Unconverted::Null | Unconverted::Reject => RawBson::Null,
                })
            }
            Outcome::Failed(reason) => {
                counts.failed += 1;
                let shown = shown(value);
                let message = || {
                    let (path, name) = (&of.path, of.to.name());
                    format!("{path} is {shown}, which does not convert to {name}: {reason}")
                };
                let result = match self.types.unconverted {
                    Unconverted::Keep => Ok(RawBson::from(value)),
                    Unconverted::Null => Ok(RawBson::Null),
                    Unconverted::Reject => Err(message()),
                };
                let position = self.position;
                let failed = || FailedValue { position, value: shown, reason };
                counts.first_failed.get_or_insert_with(failed);
                result
            }
        }
    }
}

/// A value as a reason shows it.
fn shown(value: RawBsonRef<'_>) -> String {
    let whole = match Bson::try_from(value) {
        Ok(value) => shell::write_value(&value, shell::Layout::OneLine),
        Err(_) => "damaged".to_owned(),
    };
    let mut shown: String = whole.chars().take(SHOWN_CHARS_MAX).collect();
    if shown.len() < whole.len() {
        shown.push('…');
    }
    shown
}

/// The date that a value is after its conversion.
fn date_ms(outcome: &Outcome, value: RawBsonRef<'_>) -> Option<i64> {
    match (outcome, value) {
        (Outcome::Value(RawBson::DateTime(date)), _) => Some(date.timestamp_millis()),
        (Outcome::Same, RawBsonRef::DateTime(date)) => Some(date.timestamp_millis()),
        _ => None,
    }
}

/// Moves a date.
fn shifted(date_ms: i64, shift_ms: i64) -> Outcome {
    match date_ms.checked_add(shift_ms) {
        Some(millis) => Outcome::Value(RawBson::DateTime(DateTime::from_millis(millis))),
        None => Outcome::Failed(DateError::Range.to_string()),
    }
}

fn convert(to: &TargetType, zone: Zone, value: RawBsonRef<'_>) -> Outcome {
    let is_blank = |text: &str| text.trim().is_empty() && *to != TargetType::Text;
    match value {
        RawBsonRef::Null | RawBsonRef::Undefined => return Outcome::Same,
        RawBsonRef::String(text) if is_blank(text) => return Outcome::Blank,
        RawBsonRef::Array(_) | RawBsonRef::Document(_) => {
            return Outcome::Failed("it is not a single value".to_owned());
        }
        _ => {}
    }
    let converted = match to {
        TargetType::Text => text(value),
        TargetType::Int => int(value),
        TargetType::Long => long(value),
        TargetType::Double => double(value),
        TargetType::Decimal => decimal(value),
        TargetType::Bool => boolean(value),
        TargetType::ObjectId => object_id(value),
        TargetType::Uuid => uuid(value),
        TargetType::Date(forms) => date(forms, zone, value),
    };
    match converted {
        Ok(Some(value)) => Outcome::Value(value),
        Ok(None) => Outcome::Same,
        Err(reason) => Outcome::Failed(reason),
    }
}

/// The new value, or `None` if the value has the type already. The error says why it does not
/// convert.
type Converted = Result<Option<RawBson>, String>;

fn no_number() -> String {
    "it is not a number of this type".to_owned()
}

fn text(value: RawBsonRef<'_>) -> Converted {
    Ok(Some(RawBson::String(match value {
        RawBsonRef::String(_) => return Ok(None),
        RawBsonRef::Int32(number) => number.to_string(),
        RawBsonRef::Int64(number) => number.to_string(),
        RawBsonRef::Double(number) => number.to_string(),
        RawBsonRef::Decimal128(number) => number.to_string(),
        RawBsonRef::Boolean(flag) => flag.to_string(),
        RawBsonRef::ObjectId(id) => id.to_hex(),
        RawBsonRef::DateTime(date) => {
            let far =
                |_| iso_text(date.timestamp_millis()).ok_or_else(|| DateError::Range.to_string());
            date.try_to_rfc3339_string().or_else(far)?
        }
        RawBsonRef::Binary(binary) => match binary.bytes.try_into() {
            Ok(bytes) if binary.subtype == BinarySubtype::Uuid => {
                bson::Uuid::from_bytes(bytes).to_string()
            }
            _ => return Err("binary data has no text".to_owned()),
        },
        _ => return Err("values of its type have no text".to_owned()),
    })))
}

/// A number or its text without the spaces around it.
fn number_text(value: RawBsonRef<'_>) -> Option<&str> {
    let RawBsonRef::String(text) = value else { return None };
    let text = text.trim();
    Some(text.strip_prefix('+').unwrap_or(text))
}

fn whole(value: RawBsonRef<'_>) -> Result<i64, String> {
    let number = match value {
        RawBsonRef::Int32(number) => Some(i64::from(number)),
        RawBsonRef::Int64(number) => Some(number),
        RawBsonRef::Double(number) => exact_integer(number),
        RawBsonRef::Boolean(flag) => Some(i64::from(flag)),
        RawBsonRef::Decimal128(number) => number.to_string().parse().ok(),
        value => number_text(value).and_then(|text| text.parse().ok()),
    };
    number.ok_or_else(no_number)
}

/// A double without a fraction as the integer that it is.
fn exact_integer(number: f64) -> Option<i64> {
    const END: f64 = 9_223_372_036_854_775_808.0;
    #[expect(clippy::cast_possible_truncation, reason = "checked to be in range")]
    (number.fract() == 0.0 && (-END..END).contains(&number)).then_some(number as i64)
}

fn int(value: RawBsonRef<'_>) -> Converted {
    if matches!(value, RawBsonRef::Int32(_)) {
        return Ok(None);
    }
    i32::try_from(whole(value)?).map(|it| Some(RawBson::Int32(it))).map_err(|_| no_number())
}

fn long(value: RawBsonRef<'_>) -> Converted {
    if matches!(value, RawBsonRef::Int64(_)) {
        return Ok(None);
    }
    whole(value).map(|it| Some(RawBson::Int64(it)))
}

fn double(value: RawBsonRef<'_>) -> Converted {
    let number = match value {
        RawBsonRef::Double(_) => return Ok(None),
        RawBsonRef::Int32(number) => Some(f64::from(number)),
        #[expect(clippy::cast_precision_loss, reason = "checked by the way back")]
        RawBsonRef::Int64(number) => {
            Some(number as f64).filter(|double| exact_integer(*double) == Some(number))
        }
        RawBsonRef::Boolean(flag) => Some(f64::from(u8::from(flag))),
        RawBsonRef::Decimal128(number) => number.to_string().parse().ok(),
        value => number_text(value).and_then(|text| {
            // Digits out of range are an error, not infinity.
            let has_digits = text.bytes().any(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|number: &f64| number.is_finite() || !has_digits)
        }),
    };
    number.map(|number| Some(RawBson::Double(number))).ok_or_else(no_number)
}

fn decimal(value: RawBsonRef<'_>) -> Converted {
    let text = match value {
        RawBsonRef::Decimal128(_) => return Ok(None),
        RawBsonRef::Int32(number) => number.to_string(),
        RawBsonRef::Int64(number) => number.to_string(),
        RawBsonRef::Double(number) => number.to_string(),
        value => number_text(value).ok_or_else(no_number)?.to_owned(),
    };
    let number = text.parse::<Decimal128>().map_err(|_| no_number())?;
    Ok(Some(RawBson::Decimal128(number)))
}

fn boolean(value: RawBsonRef<'_>) -> Converted {
    let flag = match value {
        RawBsonRef::Boolean(_) => return Ok(None),
        RawBsonRef::String(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "t" | "yes" | "y" | "1" => Some(true),
            "false" | "f" | "no" | "n" | "0" => Some(false),
            _ => None,
        },
        value => match whole(value) {
            Ok(0) => Some(false),
            Ok(1) => Some(true),
            _ => None,
        },
    };
    let reason = || "it is not true, false, yes, no, 1 or 0".to_owned();
    flag.map(|flag| Some(RawBson::Boolean(flag))).ok_or_else(reason)
}

fn object_id(value: RawBsonRef<'_>) -> Converted {
    let text = match value {
        RawBsonRef::ObjectId(_) => return Ok(None),
        RawBsonRef::String(text) => text.trim(),
        _ => "",
    };
    let inner = text.strip_prefix("ObjectId(").and_then(|text| text.strip_suffix(')'));
    let hex = inner.unwrap_or(text).trim_matches(['"', '\'']);
    let id = ObjectId::parse_str(hex).map_err(|_| "it is not 24 hexadecimal digits".to_owned())?;
    Ok(Some(RawBson::ObjectId(id)))
}

fn uuid(value: RawBsonRef<'_>) -> Converted {
    let text = match value {
        RawBsonRef::Binary(binary) if binary.subtype == BinarySubtype::Uuid => return Ok(None),
        RawBsonRef::String(text) => text.trim().trim_matches(['{', '}']),
        _ => "",
    };
    let id = bson::Uuid::parse_str(text).map_err(|_| "it is not a UUID".to_owned())?;
    Ok(Some(RawBson::Binary(Binary { subtype: BinarySubtype::Uuid, bytes: id.bytes().to_vec() })))
}

fn date(forms: &[DateForm], zone: Zone, value: RawBsonRef<'_>) -> Converted {
    let read = |form: &DateForm| match value {
        RawBsonRef::String(text) => form.read(text, zone),
        RawBsonRef::Double(number) => form.number(number),
        RawBsonRef::Int32(number) => whole_date(form, i64::from(number), zone),
        RawBsonRef::Int64(number) => whole_date(form, number, zone),
        _ => Err(DateError::Shape),
    };
    if matches!(value, RawBsonRef::DateTime(_)) {
        return Ok(None);
    }
    let mut error = DateError::Shape;
    for form in forms {
        match read(form) {
            Ok(millis) => return Ok(Some(RawBson::DateTime(DateTime::from_millis(millis)))),
            // The form that came closest says why.
            Err(other) => error = error.max(other),
        }
    }
    Err(match forms {
        [] => "no layout was chosen".to_owned(),
        _ => error.to_string(),
    })
}

/// A whole number is an instant, or the digits of a layout such as `%Y%m%d`.
fn whole_date(form: &DateForm, number: i64, zone: Zone) -> Result<i64, DateError> {
    match form {
        DateForm::Layout(layout) => layout.read(&number.to_string(), zone),
        form => form.integer(number),
    }
}
