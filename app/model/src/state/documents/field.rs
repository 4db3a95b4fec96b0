//! One value edited in place. Its type is kept until the user chooses another.
//!
//! `state/documents/field.rs` is one value under edit, with its name where that can change.
//! `panels/documents/value_editor.rs` draws it among the fields of the inspector, or over the cell of a table
//! (`FieldEdit::in_list`). `panels/documents/field_menu.rs` is the menu of a value wherever it is shown. What
//! it asks of a field is a `FieldTask`: `apply/documents/fields.rs` takes the document from the inspector or
//! the list, or reads it whole where a projection left fields out, and then edits, moves, renames or removes
//! the field in one step that can be undone. A change of type goes through `type_change.rs`, which also says
//! what is lost. `apply/documents/lookup.rs` reads the documents shown next to the list: two documents to
//! compare, a long value, the document that a value refers to. `state/documents/json_lines.rs` is a document
//! as lines that fold, and `find.rs` finds text in the loaded documents.
//!
//! Ctrl+V in the Documents view opens the editor of new documents with the pasted text (`Mode::Paste`). From
//! a menu, the window asks the system for the clipboard (`WindowEffect::Paste`), and the dialog takes the
//! `Event::Paste` that follows.

use std::str::FromStr;

use bson::{Bson, Decimal128, Document, oid::ObjectId};
use chrono::NaiveDate;
use mayfly_engine::value::{Layout, iso_text, named, shell};

use super::{field_path, type_change, typed_date};
use crate::job::Zone;
use crate::limits::EDITED_TEXT_BYTES_MAX;

/// The longest document or array that is edited on one line, in bytes.
const ONE_LINE_BYTES_MAX: usize = 60;

named! {
    /// The type of a value, for editing it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum FieldKind {
        Text => "String",
        /// A 32-bit number.
        Int32 => "Int32",
        /// A 64-bit number.
        Int64 => "Long",
        Double => "Double",
        Decimal => "Decimal128",
        /// True or false.
        Bool => "Boolean",
        /// An instant.
        Date => "Date",
        ObjectId => "ObjectId",
        Null => "Null",
        /// Anything else, as mongosh writes it.
        Literal => "mongosh syntax",
    }
    /// Its name in the menu.
    pub fn label;
}

impl FieldKind {
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

    /// Reads what was typed as a value of this kind, at this time in milliseconds since 1970.
    ///
    /// # Errors
    /// How to type it instead.
    pub fn read(self, text: &str, now_ms: i64) -> Result<Bson, String> {
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
            Self::Date => typed_date::read(short, now_ms).map(Bson::DateTime),
            Self::ObjectId => match ObjectId::from_str(short) {
                Ok(id) => Ok(Bson::ObjectId(id)),
                Err(_) => shell::read_value_at(short, now_ms)
                    .ok()
                    .filter(|read| matches!(read, Bson::ObjectId(_)))
                    .ok_or_else(|| "Enter 24 hexadecimal digits".to_owned()),
            },
            Self::Null => Ok(Bson::Null),
            Self::Literal => shell::read_value_at(text, now_ms).map_err(|error| error.to_string()),
        }
    }
}

pub fn text_of(value: &Bson) -> String {
    match value {
        Bson::String(text) => text.clone(),
        Bson::Int32(number) => number.to_string(),
        Bson::Int64(number) => number.to_string(),
        Bson::Double(number) => number.to_string(),
        Bson::Decimal128(number) => number.to_string(),
        Bson::Boolean(flag) => flag.to_string(),
        Bson::DateTime(at) => iso_text(at.timestamp_millis())
            .unwrap_or_else(|| shell::write_value(value, Layout::OneLine)),
        Bson::ObjectId(id) => id.to_hex(),
        Bson::Null => String::new(),
        Bson::Document(_) | Bson::Array(_) => {
            let line = shell::write_value(value, Layout::OneLine);
            if line.len() > ONE_LINE_BYTES_MAX {
                shell::write_value(value, Layout::Indented)
            } else {
                line
            }
        }
        other => shell::write_value(other, Layout::OneLine),
    }
}

/// The part of a document that is edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditTarget {
    Value,
    /// A value and the name of its field.
    Named,
    /// A field that is not there yet; its path is that of the document or array it is added to.
    New,
}

/// One value under edit.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldEdit {
    /// The whole document as it was opened.
    pub opened: Document,
    /// The value's place: the position of the field at each level.
    pub path: Vec<usize>,
    /// The name at each level.
    pub names: Vec<String>,
    pub target: EditTarget,
    /// The name as typed.
    pub name: String,
    /// The value's type.
    pub kind: FieldKind,
    pub text: String,
    /// Whether the keyboard was sent to the field.
    pub focused: bool,
    /// Whether it is edited in the list, not in the inspector.
    pub in_list: bool,
    /// The calendar, while it is open.
    pub calendar: Option<Calendar>,
}

/// The calendar of a date under edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Calendar {
    /// A day of the month that is shown.
    pub month: NaiveDate,
    /// The zone of its days and hours.
    pub zone: Zone,
}

impl Calendar {
    /// Opens on the month of an instant.
    pub fn at(ms: i64, zone: Zone) -> Self {
        Self { month: zone.wall(ms).unwrap_or_default().date(), zone }
    }
}

impl FieldEdit {
    /// Opens a value of a document. `None` if there is no value at this place, or it is the `_id`,
    /// which can't change.
    pub fn open(document: &Document, path: &[usize]) -> Option<Self> {
        let (name, value) = field_path::at(document, path)?;
        if path.len() == 1 && name == "_id" {
            return None;
        }
        Some(Self {
            kind: FieldKind::of(value),
            text: text_of(value),
            opened: document.clone(),
            path: path.to_vec(),
            names: field_path::names(document, path)?,
            target: EditTarget::Value,
            name,
            focused: false,
            in_list: false,
            calendar: None,
        })
    }

    /// Opens a value together with the name of its field. An item of an array has no name to
    /// change.
    pub fn open_named(document: &Document, path: &[usize]) -> Option<Self> {
        let edit = Self::open(document, path)?;
        let is_item = matches!(edit.parent(), Some(Bson::Array(_)));
        Some(if is_item { edit } else { Self { target: EditTarget::Named, ..edit } })
    }

    /// Begins a new field. `None` if nothing can be added at this place.
    pub fn add(document: &Document, parent: &[usize], name: &str) -> Option<Self> {
        let mut names = field_path::names(document, parent)?;
        let inside = field_path::at(document, parent).map(|(_, value)| value);
        if !parent.is_empty() && !matches!(inside, Some(Bson::Document(_) | Bson::Array(_))) {
            return None;
        }
        names.push(name.to_owned());
        Some(Self {
            opened: document.clone(),
            path: parent.to_vec(),
            names,
            target: EditTarget::New,
            name: name.to_owned(),
            kind: FieldKind::Text,
            text: String::new(),
            focused: false,
            in_list: false,
            calendar: None,
        })
    }

    /// The same, edited in the list.
    #[must_use]
    pub fn in_list(self) -> Self {
        Self { in_list: true, ..self }
    }

    /// How long a value of a document is as text, in bytes, if that is too long to be edited.
    pub fn too_long(document: &Document, path: &[usize]) -> Option<usize> {
        let (_, value) = field_path::at(document, path)?;
        Some(text_of(value).len()).filter(|bytes| *bytes > EDITED_TEXT_BYTES_MAX)
    }

    /// The stored value, if there is one.
    pub fn stored(&self) -> Option<&Bson> {
        if self.target == EditTarget::New {
            return None;
        }
        field_path::at(&self.opened, &self.path).map(|(_, value)| value)
    }

    /// The value that contains the field. `None` for a field of the document itself.
    fn parent(&self) -> Option<&Bson> {
        let (_, parent) = self.path.split_last()?;
        field_path::at(&self.opened, parent).map(|(_, value)| value)
    }

    /// Whether a name is typed next to the value.
    pub fn takes_name(&self) -> bool {
        match self.target {
            EditTarget::Value => false,
            EditTarget::Named => true,
            EditTarget::New => {
                let inside = field_path::at(&self.opened, &self.path).map(|(_, value)| value);
                !self.in_list && !matches!(inside, Some(Bson::Array(_)))
            }
        }
    }

    /// Whether something else was typed than what is stored.
    pub fn is_changed(&self) -> bool {
        match self.stored() {
            Some(value) => {
                self.text != text_of(value)
                    || self.kind != FieldKind::of(value)
                    || self.names.last() != Some(&self.name)
            }
            None => !self.text.is_empty() || self.takes_name() && !self.name.is_empty(),
        }
    }

    /// Takes another type. The text becomes what the value is in it.
    pub fn set_kind(&mut self, kind: FieldKind, now_ms: i64) {
        if let Ok(value) = self.kind.read(&self.text, now_ms) {
            // A value that another type cut short is restored when its own type is chosen again.
            let stored = self.stored().filter(|stored| {
                type_change::text_as(stored, self.kind) == self.text && **stored != value
            });
            self.text = match stored {
                Some(stored) if FieldKind::of(stored) == kind => text_of(stored),
                Some(stored) => type_change::text_as(stored, kind),
                None => type_change::text_as(&value, kind),
            };
        }
        self.kind = kind;
    }

    /// The loss when the stored value changes its type, in one sentence.
    pub fn lost(&self, now_ms: i64) -> Option<String> {
        let after = self.kind.read(&self.text, now_ms).ok()?;
        type_change::lost(self.stored()?, &after)
    }

    /// The document with what was typed, read at this time in milliseconds since 1970.
    ///
    /// # Errors
    /// How to type it instead.
    pub fn edited(&self, now_ms: i64) -> Result<Document, String> {
        const GONE: &str = "The field no longer exists; reopen the document";
        if self.takes_name() && self.name.is_empty() {
            return Err("Enter a name for the field".to_owned());
        }
        if self.name.contains('\0') {
            return Err("A name can't hold a null character".to_owned());
        }
        let value = self.kind.read(&self.text, now_ms)?;
        let taken = || format!("There is already a field {}", self.name);
        if self.target == EditTarget::New {
            return field_path::added(&self.opened, &self.path, &self.name, value)
                .ok_or_else(taken);
        }
        let mut edited = Bson::Document(self.opened.clone());
        let place = field_path::at_mut(&mut edited, &self.path).ok_or_else(|| GONE.to_owned())?;
        *place = value;
        let edited = field_path::into_document(edited).ok_or_else(|| GONE.to_owned())?;
        if self.names.last() == Some(&self.name) {
            return Ok(edited);
        }
        field_path::renamed(&edited, &self.path, &self.name).ok_or_else(taken)
    }
}

#[cfg(test)]
mod tests {
    use bson::{DateTime, doc};

    use super::*;

    #[test]
    fn a_type_is_kept() {
        let check = |value: Bson, typed: &str, expected: Bson| {
            assert_eq!(FieldKind::of(&value).read(typed, 0), Ok(expected), "{typed}");
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
    fn what_mongosh_takes_is_taken() {
        let now_ms = 1_767_312_000_000;
        let now = Bson::DateTime(DateTime::from_millis(now_ms));
        for text in ["new Date()", "ISODate()", "new Date(Date.now())"] {
            for kind in [FieldKind::Date, FieldKind::Literal] {
                assert_eq!(kind.read(text, now_ms), Ok(now.clone()), "{text}");
            }
        }
        let id = FieldKind::ObjectId.read("ObjectId()", now_ms);
        assert!(id.is_ok_and(|id| id.as_object_id().is_some()));
        let far = Bson::DateTime(DateTime::from_millis(8_640_000_000_000_000));
        assert_eq!(text_of(&far), "+275760-09-13T00:00:00.000Z");
        assert_eq!(FieldKind::Date.read(&text_of(&far), 0), Ok(far));
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let check = |kind: FieldKind, typed: &str| assert!(kind.read(typed, 0).is_err(), "{typed}");
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
            assert_eq!(FieldKind::of(&value).read(&text_of(&value), 0), Ok(value));
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
        assert_eq!(edit.name, "c");
        assert_eq!(edit.names, ["a", "b", "1", "c"]);
        edit.text = "y".to_owned();
        let expected = doc! {"_id": 1, "a": {"b": [1, {"c": "y"}]}, "d.e": 2};
        assert_eq!(edit.edited(0), Ok(expected));
        assert_eq!(FieldEdit::open(&document, &[0]), None);
        assert_eq!(FieldEdit::open(&document, &[9]), None);
    }

    #[test]
    fn a_name_is_changed_and_must_be_free() {
        let document = doc! {"_id": 1, "a": 1, "b": [1]};
        let mut edit = FieldEdit::open_named(&document, &[1]).expect("a is there");
        edit.name = "c".to_owned();
        assert!(edit.is_changed());
        assert_eq!(edit.edited(0), Ok(doc! {"_id": 1, "c": 1, "b": [1]}));
        for name in ["b", ""] {
            name.clone_into(&mut edit.name);
            assert!(edit.edited(0).is_err(), "{name}");
        }
        let item = FieldEdit::open_named(&document, &[2, 0]).expect("an item");
        assert!(!item.takes_name(), "an item has a place, not a name");
    }

    #[test]
    fn a_field_is_added_where_it_can_be() {
        let document = doc! {"_id": 1, "a": {"x": 1}, "b": [1]};
        let mut edit = FieldEdit::add(&document, &[1], "y").expect("a document");
        edit.text = "new".to_owned();
        assert_eq!(edit.edited(0), Ok(doc! {"_id": 1, "a": {"x": 1, "y": "new"}, "b": [1]}));
        let item = FieldEdit::add(&document, &[2], "").expect("an array");
        assert_eq!(item.edited(0), Ok(doc! {"_id": 1, "a": {"x": 1}, "b": [1, ""]}));
        assert_eq!(FieldEdit::add(&document, &[0], "y"), None, "a number has no fields");
        let top = FieldEdit::add(&document, &[], "b").expect("the document");
        assert!(top.edited(0).is_err(), "b is taken");
    }

    #[test]
    fn a_value_comes_back_with_its_type() {
        let document = doc! {"_id": 1, "n": 1.5};
        let mut edit = FieldEdit::open(&document, &[1]).expect("n is there");
        edit.set_kind(FieldKind::Int32, 0);
        assert_eq!(edit.text, "1");
        assert!(edit.lost(0).is_some_and(|said| said.contains("fraction")));
        edit.set_kind(FieldKind::Null, 0);
        edit.set_kind(FieldKind::Double, 0);
        assert_eq!((edit.text.as_str(), edit.lost(0)), ("1.5", None));
        assert!(!edit.is_changed());
    }
}
