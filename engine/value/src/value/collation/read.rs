//! From a document to a collation.

use std::sync::Arc;

use bson::{
    Document, doc,
    raw::{RawBsonRef, RawDocument},
};
use icu_collator::{
    CollatorBorrowed, CollatorPreferences,
    options::{AlternateHandling, CaseLevel, CollatorOptions, MaxVariable, Strength},
    preferences::{CollationCaseFirst, CollationNumericOrdering},
};
use thiserror::Error;

use super::{
    COLLATION_VERSION, Collation, Rules,
    locale::{self, KnownLocale},
};
use crate::value::{error_text::value_text, type_name::type_name};

/// The name of the collation that compares bytes.
const SIMPLE: &str = "simple";

/// Why a document isn't a valid collation.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct CollationError {
    /// The kind of mistake, from which a command takes its code.
    pub kind: CollationMistake,
    /// In MongoDB's words, where it refuses it too.
    pub message: String,
}

/// Kinds of mistakes in a collation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CollationMistake {
    /// A collation must name its locale.
    NoLocale,
    /// A field has a value of another type.
    WrongType,
    /// A field that MongoDB doesn't know.
    UnknownField,
    /// A value can't be used.
    BadValue,
    /// It was made for another version of the rules.
    OtherVersion,
    /// MongoDB supports it, and Mayfly does not.
    Unsupported,
}

/// The fields as given, with defaults.
struct Fields<'d> {
    locale: Option<&'d str>,
    case_level: bool,
    case_first: &'d str,
    strength: i32,
    numeric_ordering: bool,
    alternate: &'d str,
    max_variable: &'d str,
    normalization: bool,
    backwards: Option<bool>,
    version: Option<&'d str>,
}

impl Default for Fields<'_> {
    fn default() -> Self {
        Self {
            locale: None,
            case_level: false,
            case_first: "off",
            strength: 3,
            numeric_ordering: false,
            alternate: "non-ignorable",
            max_variable: "punct",
            normalization: false,
            backwards: None,
            version: None,
        }
    }
}

impl Collation {
    /// Reads a collation; `None` is the simple one. `place` is the name of the field that has it.
    ///
    /// # Errors
    /// The first invalid field.
    pub fn read(given: &RawDocument, place: &str) -> Result<Option<Self>, CollationError> {
        let fields = Fields::read(given, place)?;
        let Some(name) = fields.locale else {
            return Err(mistake(
                CollationMistake::NoLocale,
                format!("BSON field '{place}.locale' is missing but a required field"),
            ));
        };
        if name == SIMPLE {
            // MongoDB 8.2 ignores other fields.
            return Ok(None);
        }
        let backwards = fields.backwards.unwrap_or_else(|| locale::is_backwards(name));
        fields.check(given)?;
        let locale = match locale::find(name, backwards) {
            KnownLocale::Rules(locale) => locale,
            KnownLocale::Unknown(nearest) => {
                let meant = nearest.map(|name| format!(". Did you mean '{name}'?"));
                let text = value_text(RawBsonRef::Document(given));
                let meant = meant.unwrap_or_default();
                return Err(mistake(
                    CollationMistake::BadValue,
                    format!("Field 'locale' is invalid in: {text}{meant}"),
                ));
            }
            KnownLocale::WithoutData => {
                return Err(mistake(
                    CollationMistake::Unsupported,
                    format!(
                        "the collation {} is not supported: Mayfly has no rules for it; use another \
                         locale, or {{locale: \"simple\"}}",
                        value_text(RawBsonRef::Document(given))
                    ),
                ));
            }
        };
        let preferences = fields.preferences(&locale);
        let Ok(collator) = CollatorBorrowed::try_new(preferences, fields.options()) else {
            return Err(mistake(
                CollationMistake::Unsupported,
                format!("the rules of the locale '{name}' can't be read"),
            ));
        };
        let spec = fields.spec(name, backwards);
        Ok(Some(Self(Arc::new(Rules { spec, collator }))))
    }
}

fn mistake(kind: CollationMistake, message: String) -> CollationError {
    CollationError { kind, message }
}

fn bad<T>(what: &str, given: &RawDocument) -> Result<T, CollationError> {
    let text = value_text(RawBsonRef::Document(given));
    Err(mistake(CollationMistake::BadValue, format!("{what} in: {text}")))
}

impl<'d> Fields<'d> {
    fn read(given: &'d RawDocument, place: &str) -> Result<Self, CollationError> {
        let mut fields = Self::default();
        for (name, value) in given.iter().map_while(Result::ok) {
            let field = Field { place, name: name.as_str(), value };
            // MongoDB reads null as absent, but for this one field.
            let is_absent = matches!(value, RawBsonRef::Null | RawBsonRef::Undefined);
            match field.name {
                "backwards" => fields.backwards = Some(field.backwards()?),
                "locale" | "caseLevel" | "caseFirst" | "strength" | "numericOrdering"
                | "alternate" | "maxVariable" | "normalization" | "version"
                    if is_absent => {}
                "locale" => fields.locale = Some(field.text()?),
                "caseLevel" => fields.case_level = field.flag()?,
                "caseFirst" => fields.case_first = field.word(&["upper", "lower", "off"])?,
                "strength" => fields.strength = field.strength()?,
                "numericOrdering" => fields.numeric_ordering = field.flag()?,
                "alternate" => fields.alternate = field.word(&["non-ignorable", "shifted"])?,
                "maxVariable" => fields.max_variable = field.word(&["punct", "space"])?,
                "normalization" => fields.normalization = field.flag()?,
                "version" => fields.version = Some(field.text()?),
                other => {
                    return Err(mistake(
                        CollationMistake::UnknownField,
                        format!("BSON field '{place}.{other}' is an unknown field."),
                    ));
                }
            }
        }
        Ok(fields)
    }

    /// Refuses fields that contradict each other.
    fn check(&self, given: &RawDocument) -> Result<(), CollationError> {
        if self.locale == Some("") {
            return bad("Field 'locale' cannot be the empty string", given);
        }
        if self.backwards == Some(true) && self.strength == 1 {
            return bad("'backwards' is invalid with 'strength' of 1", given);
        }
        if self.case_first != "off" && !self.case_level && self.strength < 3 {
            return bad(
                "'caseFirst' is invalid unless 'caseLevel' is on or 'strength' is greater than 2",
                given,
            );
        }
        match self.version {
            Some(version) if version != COLLATION_VERSION => Err(mistake(
                CollationMistake::OtherVersion,
                format!(
                    "Requested collation version {version} but the only available collator version \
                     was {COLLATION_VERSION}. Requested collation spec: {}",
                    value_text(RawBsonRef::Document(given))
                ),
            )),
            _ => Ok(()),
        }
    }

    fn preferences(&self, locale: &icu_locale_core::Locale) -> CollatorPreferences {
        let mut preferences = CollatorPreferences::from(locale);
        preferences.case_first = Some(match self.case_first {
            "upper" => CollationCaseFirst::Upper,
            "lower" => CollationCaseFirst::Lower,
            _ => CollationCaseFirst::False,
        });
        preferences.numeric_ordering = Some(if self.numeric_ordering {
            CollationNumericOrdering::True
        } else {
            CollationNumericOrdering::False
        });
        preferences
    }

    fn options(&self) -> CollatorOptions {
        let mut options = CollatorOptions::default();
        options.strength = Some(match self.strength {
            1 => Strength::Primary,
            2 => Strength::Secondary,
            4 => Strength::Quaternary,
            5 => Strength::Identical,
            _ => Strength::Tertiary,
        });
        options.case_level = Some(if self.case_level { CaseLevel::On } else { CaseLevel::Off });
        options.alternate_handling = Some(match self.alternate {
            "shifted" => AlternateHandling::Shifted,
            _ => AlternateHandling::NonIgnorable,
        });
        options.max_variable = Some(match self.max_variable {
            "space" => MaxVariable::Space,
            _ => MaxVariable::Punctuation,
        });
        options
    }

    fn spec(&self, locale: &str, backwards: bool) -> Document {
        doc! {
            "locale": locale,
            "caseLevel": self.case_level,
            "caseFirst": self.case_first,
            "strength": self.strength,
            "numericOrdering": self.numeric_ordering,
            "alternate": self.alternate,
            "maxVariable": self.max_variable,
            "normalization": self.normalization,
            "backwards": backwards,
            "version": COLLATION_VERSION,
        }
    }
}

/// A number without its fraction, as far as it fits; NaN is zero.
#[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
fn number(value: RawBsonRef<'_>) -> Option<i32> {
    match value {
        RawBsonRef::Int32(number) => Some(number),
        RawBsonRef::Int64(number) => Some(number.clamp(i32::MIN.into(), i32::MAX.into()) as i32),
        RawBsonRef::Double(number) => Some(number as i32),
        RawBsonRef::Decimal128(number) => {
            Some(number.to_string().parse::<f64>().map_or(0, |number| number as i32))
        }
        _ => None,
    }
}

struct Field<'p, 'd> {
    place: &'p str,
    name: &'d str,
    value: RawBsonRef<'d>,
}

impl<'d> Field<'_, 'd> {
    fn wrong_type(&self, expected: &str) -> CollationError {
        let (place, name, found) = (self.place, self.name, type_name(self.value));
        mistake(
            CollationMistake::WrongType,
            format!("BSON field '{place}.{name}' is the wrong type '{found}', {expected}"),
        )
    }

    fn text(&self) -> Result<&'d str, CollationError> {
        self.value.as_str().ok_or_else(|| self.wrong_type("expected type 'string'"))
    }

    fn flag(&self) -> Result<bool, CollationError> {
        self.value.as_bool().ok_or_else(|| self.wrong_type("expected type 'bool'"))
    }

    fn backwards(&self) -> Result<bool, CollationError> {
        self.value.as_bool().ok_or_else(|| {
            mistake(
                CollationMistake::WrongType,
                format!(
                    "Field 'backwards' should be a boolean value, but found: {}",
                    type_name(self.value)
                ),
            )
        })
    }

    fn word(&self, words: &[&str]) -> Result<&'d str, CollationError> {
        let word = self.text()?;
        if words.contains(&word) { Ok(word) } else { Err(self.no_such(word)) }
    }

    fn no_such(&self, value: impl std::fmt::Display) -> CollationError {
        let (place, name) = (self.place, self.name);
        mistake(
            CollationMistake::BadValue,
            format!("Enumeration value '{value}' for field '{place}.{name}' is not a valid value."),
        )
    }

    /// From 1 to 5. A fraction is dropped.
    fn strength(&self) -> Result<i32, CollationError> {
        let wrong = || self.wrong_type("expected types '[double, decimal, long, int]'");
        let number = number(self.value).ok_or_else(wrong)?;
        match number {
            1..=5 => Ok(number),
            0 => Err(self.no_such(number)),
            _ => {
                let bound = if number > 0 { "<= 5" } else { ">= 0" };
                Err(mistake(
                    CollationMistake::BadValue,
                    format!("BSON field 'strength' value must be {bound}, actual value '{number}'"),
                ))
            }
        }
    }
}
