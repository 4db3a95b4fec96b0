//! The types that an import gives to fields: chosen, and written as `PATH=TYPE[:LAYOUT]`.

use std::fmt;

use crate::value::{date_text::DateForm, zone::Zone};

/// The type that a field becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TargetType {
    /// String.
    Text,
    /// 32-bit integer.
    Int,
    /// 64-bit integer.
    Long,
    /// Double.
    Double,
    /// Decimal128.
    Decimal,
    /// Boolean.
    Bool,
    /// `ObjectId`.
    ObjectId,
    /// UUID: binary of subtype 4.
    Uuid,
    /// Date, read by the first of these forms that fits.
    Date(Vec<DateForm>),
}

impl TargetType {
    /// The types without a form, with their names on the command line.
    pub const PLAIN: [(Self, &'static str); 8] = [
        (Self::Text, "text"),
        (Self::Int, "int"),
        (Self::Long, "long"),
        (Self::Double, "double"),
        (Self::Decimal, "decimal"),
        (Self::Bool, "bool"),
        (Self::ObjectId, "objectId"),
        (Self::Uuid, "uuid"),
    ];

    /// Its name on the command line.
    pub fn name(&self) -> &'static str {
        Self::PLAIN.iter().find(|(plain, _)| plain == self).map_or("date", |(_, name)| name)
    }
}

/// A field and the type that it becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldType {
    /// The path, with dots. It reaches into arrays.
    pub path: String,
    /// The type.
    pub to: TargetType,
    /// Milliseconds by which its dates move. Keeps their distance to now when old data is imported.
    pub shift_ms: i64,
}

impl FieldType {
    /// A field without a shift.
    pub fn new(path: impl Into<String>, to: TargetType) -> Self {
        Self { path: path.into(), to, shift_ms: 0 }
    }

    /// Reads `PATH=TYPE[:LAYOUT]`.
    ///
    /// # Errors
    /// One sentence without its full stop.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (path, kind) = text.split_once('=').unwrap_or((text, ""));
        let (name, form) = kind.split_once(':').unwrap_or((kind, ""));
        if path.split('.').any(str::is_empty) || path.contains('\0') {
            return Err(format!("{path:?} is not a field; write it as NAME=TYPE, such as at=date"));
        }
        let plain = TargetType::PLAIN.into_iter().find(|(_, known)| *known == name);
        let to = match (plain, name) {
            (Some((to, _)), _) if form.is_empty() => to,
            (Some(_), _) => {
                return Err(format!("{name} has no layout; remove {form:?} from {text:?}"));
            }
            (None, "date") => TargetType::Date(vec![DateForm::parse(form)?]),
            (None, _) => {
                return Err(format!(
                    "{name:?} is not a type; use text, int, long, double, decimal, bool, objectId, \
                     uuid or date"
                ));
            }
        };
        Ok(Self::new(path, to))
    }

    /// The same as arguments of the command line, one for each form of a date.
    pub fn arguments(&self) -> Vec<String> {
        let path = &self.path;
        match &self.to {
            TargetType::Date(forms) => {
                let argument = |form: &DateForm| match form {
                    DateForm::Iso => format!("{path}=date"),
                    form => format!("{path}=date:{form}"),
                };
                forms.iter().map(argument).collect()
            }
            plain => vec![format!("{path}={}", plain.name())],
        }
    }
}

/// The treatment of a value that does not convert. Blank text counts as missing: no choice rejects
/// it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unconverted {
    /// It stays as it is.
    #[default]
    Keep,
    /// It becomes null, blank text too.
    Null,
    /// Its document is rejected. Blank text becomes null.
    Reject,
}

impl Unconverted {
    /// All of them, with their names on the command line.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Keep, "keep"), (Self::Null, "null"), (Self::Reject, "reject")];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(known, _)| *known == self).map_or("keep", |(_, name)| name)
    }
}

/// The types that an import gives to fields.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Types {
    /// The fields; others stay as the file has them.
    pub fields: Vec<FieldType>,
    /// The zone of dates that name none.
    pub zone: Zone,
    /// The treatment of a value that does not convert.
    pub unconverted: Unconverted,
}

impl Types {
    /// Whether nothing is converted.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// The field with this path.
    pub fn field(&self, path: &str) -> Option<&FieldType> {
        self.fields.iter().find(|field| field.path == path)
    }

    /// Adds a field. Another form of a date adds to those of the same field; any other type
    /// replaces the one before.
    pub fn add(&mut self, field: FieldType) {
        let known = self.fields.iter_mut().find(|known| known.path == field.path);
        match (known, field) {
            (None, field) => self.fields.push(field),
            (Some(known), field) => match (&mut known.to, field.to) {
                (TargetType::Date(forms), TargetType::Date(more)) => forms.extend(more),
                (to, other) => *to = other,
            },
        }
    }

    /// Whether any field becomes a date, so that the zone matters.
    pub fn has_dates(&self) -> bool {
        self.fields.iter().any(|field| matches!(field.to, TargetType::Date(_)))
    }

    /// Checks that no field contains another.
    ///
    /// # Errors
    /// One sentence without its full stop.
    pub fn check(&self) -> Result<(), String> {
        for field in &self.fields {
            let inside = format!("{}.", field.path);
            if let Some(other) = self.fields.iter().find(|other| other.path.starts_with(&inside)) {
                return Err(format!(
                    "{} is inside {}, which gets a type too; choose one of them",
                    other.path, field.path
                ));
            }
        }
        Ok(())
    }
}

/// As `--type` writes it.
impl fmt::Display for FieldType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.arguments().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_written_as_it_is_read() {
        let check = |text: &str| {
            let read = FieldType::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(read.arguments(), [text]);
        };
        for text in ["a=text", "a.b=long", "at=date", "at=date:s", "at=date:ms"] {
            check(text);
        }
        check("at=date:%Y/%m/%d %H:%M:%S");
        check("at=date:a=%Y %j");
        for wrong in ["a", "=int", "a..b=int", "a=integer", "a=int:x", "a=date:%Q", "a=date:%Y"] {
            assert!(FieldType::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn several_layouts_of_a_field_are_tried_in_turn() {
        let mut types = Types::default();
        for text in ["at=date", "at=date:%b %d %Y", "n=int", "n=text"] {
            types.add(FieldType::parse(text).unwrap());
        }
        let all: Vec<String> = types.fields.iter().flat_map(FieldType::arguments).collect();
        assert_eq!(all, ["at=date", "at=date:%b %d %Y", "n=text"]);
        assert_eq!(types.check(), Ok(()));
        types.add(FieldType::parse("n.x=int").unwrap());
        assert!(types.check().unwrap_err().contains("n.x is inside n"));
    }
}
