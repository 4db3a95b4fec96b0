//! A field whose text and numbers become dates.

use bson::{Bson, DateTime, Document};
use mayfly_engine::transfer::{Unconverted, Zone};
use mayfly_engine::value::date_text::DateForm;
use mayfly_engine::value::{Layout, shell};

/// Documents whose value does not convert that are named.
pub const FAILING_MAX: usize = 5;

/// Characters of a value that does not convert.
const FAILING_CHARS_MAX: usize = 48;

/// The field to convert, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversion {
    pub path: String,
    /// The forms of its dates; the first that fits counts.
    pub forms: Vec<DateForm>,
    /// The zone of dates that name none.
    pub zone: Zone,
    /// The treatment of a value that does not convert: it stays, it becomes null, or nothing is
    /// written at all.
    pub unconverted: Unconverted,
}

impl Conversion {
    /// Whether values that do not convert become null.
    pub fn makes_nulls(&self) -> bool {
        self.unconverted == Unconverted::Null
    }

    /// Whether numbers are converted, too.
    pub fn takes_numbers(&self) -> bool {
        self.forms.iter().any(|form| matches!(form, DateForm::Seconds | DateForm::Millis))
    }

    /// The types that are converted, by MongoDB's names.
    pub fn types(&self) -> Vec<&'static str> {
        let numbers: &[&str] = if self.takes_numbers() { &["int", "long", "double"] } else { &[] };
        [&["string"], numbers].concat()
    }

    /// The value to convert: text, or a number if these are instants. A field in an array is left
    /// out: its path would set the whole array in each element.
    pub fn single<'d>(&self, document: &'d Document) -> Option<&'d Bson> {
        value_at(document, &self.path).filter(|value| match value {
            Bson::String(_) => true,
            Bson::Int32(_) | Bson::Int64(_) | Bson::Double(_) => self.takes_numbers(),
            _ => false,
        })
    }

    /// The date that a value is; `None` where no form fits.
    pub fn date(&self, value: &Bson) -> Option<DateTime> {
        let read = |form: &DateForm| match value {
            Bson::String(text) => form.read(text, self.zone).ok(),
            Bson::Int32(number) => form.integer(i64::from(*number)).ok(),
            Bson::Int64(number) => form.integer(*number).ok(),
            Bson::Double(number) => form.number(*number).ok(),
            _ => None,
        };
        self.forms.iter().find_map(read).map(DateTime::from_millis)
    }

    /// The value that is written instead of this one; `None` where it stays.
    pub fn becomes(&self, value: &Bson) -> Option<Bson> {
        let date = self.date(value).map(Bson::DateTime);
        date.or_else(|| self.makes_nulls().then_some(Bson::Null))
    }
}

/// The single value at a path.
pub fn value_at<'d>(document: &'d Document, path: &str) -> Option<&'d Bson> {
    let mut names = path.split('.');
    let first = document.get(names.next()?)?;
    names.try_fold(first, |value, name| value.as_document()?.get(name))
}

/// Documents whose value does not convert, in words: `_id 3, "TBD": it does not match the layout`.
pub fn failing_words(conversion: &Conversion, failing: &[(Bson, Bson)]) -> String {
    let short = |value: &Bson| {
        let text = match value {
            Bson::String(text) => text.clone(),
            value => shell::write_value(value, Layout::OneLine),
        };
        let mut short: String = text.chars().take(FAILING_CHARS_MAX).collect();
        if short.len() < text.len() {
            short.push('…');
        }
        short
    };
    let why = |(id, value): &(Bson, Bson)| {
        let errors = conversion.forms.iter().filter_map(|form| match value {
            Bson::String(text) => form.read(text, conversion.zone).err(),
            _ => None,
        });
        let named = format!("_id {}, “{}”", short(id), short(value));
        match errors.max() {
            Some(error) => format!("{named}: {error}"),
            None => named,
        }
    };
    failing.iter().map(why).collect::<Vec<_>>().join("; ")
}
