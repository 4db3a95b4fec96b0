//! One value edited in place. Its type is kept until the user chooses another.

use std::str::FromStr;

use bson::{Bson, DateTime, Decimal128, Document, oid::ObjectId};
use mayfly_engine::value::{Layout, shell};

use crate::limits::EDITED_TEXT_BYTES_MAX;

/// The type of a value, for editing it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// Text.
    Text,
    /// A 32-bit number.
    Int32,
    /// A 64-bit number.
    Int64,
    /// A double.
    Double,
    /// A decimal.
    Decimal,
    /// True or false.
    Bool,
    /// An instant.
    Date,
    /// An object id.
    ObjectId,
    /// Null.
    Null,
    /// Anything else, as mongosh writes it.
    Literal,
}

impl FieldKind {
    /// Every kind, in the order of the menu.
    pub const ALL: [Self; 10] = [
        Self::Text,
        Self::Int32,
        Self::Int64,
        Self::Double,
        Self::Decimal,
        Self::Bool,
        Self::Date,
        Self::ObjectId,
        Self::Null,
        Self::Literal,
    ];

    /// Its name in the menu.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Text => "String",
            Self::Int32 => "Int32",
            Self::Int64 => "Long",
            Self::Double => "Double",
            Self::Decimal => "Decimal128",
            Self::Bool => "Boolean",
            Self::Date => "Date",
            Self::ObjectId => "ObjectId",
            Self::Null => "Null",
            Self::Literal => "mongosh syntax",
        }
    }

    /// The kind of a value.
    #[must_use]
    pub fn of(value: &Bson) -> Self {
        match value {
            Bson::String(_) => Self::Text,
            Bson::Int32(_) => Self::Int32,
            Bson::Int64(_) => Self::Int64,
            Bson::Double(_) => Self::Double,
            Bson::Decimal128(_) => Self::Decimal,
            Bson::Boolean(_) => Self::Bool,
            Bson::DateTime(_) => Self::Date,
            Bson::ObjectId(_) => Self::ObjectId,
            Bson::Null => Self::Null,
            _ => Self::Literal,
        }
    }

    /// Reads what was typed as a value of this kind.
    ///
    /// # Errors
    /// What to type instead.
    pub fn read(self, text: &str) -> Result<Bson, String> {
        let short = text.trim();
        match self {
            Self::Text => Ok(Bson::String(text.to_owned())),
            Self::Int32 => short.parse().map(Bson::Int32).map_err(|_| {
                "Enter an integer from −2147483648 to 2147483647, or choose Long".to_owned()
            }),
            Self::Int64 => {
                short.parse().map(Bson::Int64).map_err(|_| "Enter a 64-bit integer".to_owned())
            }
            Self::Double => short
                .parse()
                .map(Bson::Double)
                .map_err(|_| "Enter a number, such as 2.5".to_owned()),
            Self::Decimal => Decimal128::from_str(short)
                .map(Bson::Decimal128)
                .map_err(|_| "Enter a number with up to 34 digits".to_owned()),
            Self::Bool => {
                short.parse().map(Bson::Boolean).map_err(|_| "Enter true or false".to_owned())
            }
            Self::Date => date(short)
                .ok_or_else(|| "Enter a date, such as 2026-11-21T10:04:43.000Z".to_owned()),
            Self::ObjectId => ObjectId::from_str(short)
                .map(Bson::ObjectId)
                .map_err(|_| "Enter 24 hexadecimal digits".to_owned()),
            Self::Null => Ok(Bson::Null),
            Self::Literal => shell::read_value(text).map_err(|error| error.to_string()),
        }
    }
}

fn date(text: &str) -> Option<Bson> {
    if let Ok(date) = DateTime::parse_rfc3339_str(text) {
        return Some(Bson::DateTime(date));
    }
    // A date without a zone is UTC; a date without a time is midnight; both as mongosh has it.
    let spaced = text.replacen(' ', "T", 1);
    let zoned =
        if spaced.contains('T') { format!("{spaced}Z") } else { format!("{spaced}T00:00:00Z") };
    if let Ok(date) = DateTime::parse_rfc3339_str(
        zoned.trim_end_matches("ZZ").trim_end_matches('Z').to_owned() + "Z",
    ) {
        return Some(Bson::DateTime(date));
    }
    match shell::read_value(text) {
        Ok(date @ Bson::DateTime(_)) => Some(date),
        _ => None,
    }
}

/// A value as text in its field.
#[must_use]
pub fn text_of(value: &Bson) -> String {
    match value {
        Bson::String(text) => text.clone(),
        Bson::Int32(number) => number.to_string(),
        Bson::Int64(number) => number.to_string(),
        Bson::Double(number) => number.to_string(),
        Bson::Decimal128(number) => number.to_string(),
        Bson::Boolean(flag) => flag.to_string(),
        Bson::DateTime(at) => at
            .try_to_rfc3339_string()
            .map_or_else(|_| shell::write_value(value, Layout::OneLine), |text| with_millis(&text)),
        Bson::ObjectId(id) => id.to_hex(),
        Bson::Null => String::new(),
        other => shell::write_value(other, Layout::OneLine),
    }
}

fn with_millis(text: &str) -> String {
    if text.contains('.') { text.to_owned() } else { text.replacen('Z', ".000Z", 1) }
}

/// One value under edit.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldEdit {
    /// The whole document as it was opened.
    pub opened: Document,
    /// The value's place: the position of the field at each level.
    pub path: Vec<usize>,
    /// The value's type.
    pub kind: FieldKind,
    /// What is typed.
    pub text: String,
    /// Whether the keyboard was sent to the field.
    pub focused: bool,
}

impl FieldEdit {
    /// Opens a value of a document. `None`: there is no value at this place, or it is the `_id`,
    /// which can't change.
    #[must_use]
    pub fn open(document: &Document, path: &[usize]) -> Option<Self> {
        let (name, value) = at(document, path)?;
        if path.len() == 1 && name == "_id" {
            return None;
        }
        Some(Self {
            kind: FieldKind::of(value),
            text: text_of(value),
            opened: document.clone(),
            path: path.to_vec(),
            focused: false,
        })
    }

    /// How long a value of a document is as text, in bytes, if that is too long to be edited.
    #[must_use]
    pub fn too_long(document: &Document, path: &[usize]) -> Option<usize> {
        let (_, value) = at(document, path)?;
        Some(text_of(value).len()).filter(|bytes| *bytes > EDITED_TEXT_BYTES_MAX)
    }

    /// Whether something else was typed than what is stored.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        let stored = at(&self.opened, &self.path);
        stored.is_none_or(|(_, value)| {
            self.text != text_of(value) || self.kind != FieldKind::of(value)
        })
    }

    /// The name of the field.
    pub fn name(&self) -> String {
        at(&self.opened, &self.path).map_or_else(String::new, |(name, _)| name)
    }

    /// The document with what was typed.
    ///
    /// # Errors
    /// What to type instead.
    pub fn edited(&self) -> Result<Document, String> {
        let value = self.kind.read(&self.text)?;
        let mut edited = Bson::Document(self.opened.clone());
        match place(&mut edited, &self.path) {
            Some(place) => *place = value,
            None => return Err("The field no longer exists; reopen the document".to_owned()),
        }
        match edited {
            Bson::Document(edited) => Ok(edited),
            _ => Err("The field no longer exists; reopen the document".to_owned()),
        }
    }
}

fn at<'d>(document: &'d Document, path: &[usize]) -> Option<(String, &'d Bson)> {
    let (first, rest) = path.split_first()?;
    let (name, mut value) = document.iter().nth(*first)?;
    let mut name = name.clone();
    for step in rest {
        (name, value) = match value {
            Bson::Document(inner) => {
                let (name, value) = inner.iter().nth(*step)?;
                (name.clone(), value)
            }
            Bson::Array(inner) => (step.to_string(), inner.get(*step)?),
            _ => return None,
        };
    }
    Some((name, value))
}

fn place<'d>(value: &'d mut Bson, path: &[usize]) -> Option<&'d mut Bson> {
    let mut value = value;
    for step in path {
        value = match value {
            Bson::Document(inner) => inner.iter_mut().nth(*step)?.1,
            Bson::Array(inner) => inner.get_mut(*step)?,
            _ => return None,
        };
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    #[test]
    fn a_type_is_kept() {
        let check = |value: Bson, typed: &str, expected: Bson| {
            assert_eq!(FieldKind::of(&value).read(typed), Ok(expected), "{typed}");
        };
        check(Bson::Int32(1), " 7 ", Bson::Int32(7));
        check(Bson::Int64(1), "9007199254740993", Bson::Int64(9_007_199_254_740_993));
        check(Bson::Double(1.0), "7", Bson::Double(7.0));
        check(Bson::String(String::new()), " 7", Bson::String(" 7".to_owned()));
        check(Bson::Boolean(true), "false", Bson::Boolean(false));
        let at = Bson::DateTime(DateTime::from_millis(1_000));
        check(at.clone(), "1970-01-01T00:00:01.000Z", at.clone());
        check(at.clone(), "1970-01-01T01:00:01+01:00", at.clone());
        check(at.clone(), "1970-01-01 00:00:01", at.clone());
        check(at.clone(), "1970-01-01", Bson::DateTime(DateTime::from_millis(0)));
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let check = |kind: FieldKind, typed: &str| assert!(kind.read(typed).is_err(), "{typed}");
        check(FieldKind::Int32, "2147483648");
        check(FieldKind::Int32, "1.5");
        check(FieldKind::Int64, "");
        check(FieldKind::Date, "tomorrow");
        check(FieldKind::ObjectId, "12");
        check(FieldKind::Bool, "yes");
        check(FieldKind::Literal, "{a:");
    }

    #[test]
    fn text_reads_back_as_the_same_value() {
        let check = |value: Bson| {
            assert_eq!(FieldKind::of(&value).read(&text_of(&value)), Ok(value));
        };
        check(Bson::Int64(i64::MAX));
        check(Bson::Double(0.1));
        check(Bson::String("a\nb".to_owned()));
        check(Bson::DateTime(DateTime::from_millis(-1)));
        check(Bson::DateTime(DateTime::from_millis(i64::MAX)));
        check(Bson::Array(vec![Bson::Int32(1), Bson::Null]));
        check(Bson::Null);
    }

    #[test]
    fn a_value_deep_inside_changes_alone() {
        let document = doc! {"_id": 1, "a": {"b": [1, {"c": "x"}]}, "d.e": 2};
        let mut edit = FieldEdit::open(&document, &[1, 0, 1, 0]).expect("c is there");
        assert_eq!(edit.name(), "c");
        edit.text = "y".to_owned();
        let expected = doc! {"_id": 1, "a": {"b": [1, {"c": "y"}]}, "d.e": 2};
        assert_eq!(edit.edited(), Ok(expected));
        assert_eq!(FieldEdit::open(&document, &[0]), None);
        assert_eq!(FieldEdit::open(&document, &[9]), None);
    }
}
