//! The conversion of a field to dates: as drafted in its dialog, and as it runs.

use std::collections::BTreeMap;

use bson::{Bson, Document};
use mayfly_engine::transfer::{Leniency, Unconverted, Zone};
use mayfly_engine::value::date_text::{DateForm, Detection, Detector};

use super::transfer::Loadable;
use super::transfer::types::value_words;
use super::{Namespace, TabId};
use crate::commands::convert::Conversion;
use crate::limits::CONVERT_FIELDS_MAX;

/// Characters of a value that does not convert.
const FAILING_CHARS_MAX: usize = 48;

/// A field to convert, as drafted.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ConvertDraft {
    /// The collection.
    pub namespace: Option<Namespace>,
    /// The field, as typed.
    pub path: String,
    /// Fields whose values look like dates.
    pub fields: Loadable<Vec<String>>,
    /// The form of its sampled values. `None` if they do not look like dates.
    pub detected: Loadable<Option<Detection>>,
    /// The forms that were chosen.
    pub forms: Vec<DateForm>,
    /// A layout as typed, instead of a detected one.
    pub layout: Option<String>,
    /// The zone of dates that name none, as typed.
    pub zone: String,
    pub unconverted: Unconverted,
    /// The conversion that the preview and the counts were made for.
    pub looked_for: Option<Conversion>,
    /// Values before and after.
    pub preview: Loadable<Vec<(Bson, Bson)>>,
    /// Some documents whose value does not convert: their `_id` and the value.
    pub failing: Loadable<Vec<(Bson, Bson)>>,
    /// Values that convert, and values that do not.
    pub counts: Loadable<(u64, u64)>,
}

impl ConvertDraft {
    /// A draft for a field; its path may be empty.
    #[must_use]
    pub fn new(namespace: Namespace, path: &str) -> Self {
        Self {
            namespace: Some(namespace),
            path: path.to_owned(),
            zone: Zone::UTC.to_string(),
            ..Self::default()
        }
    }

    /// The conversion to request from the store.
    ///
    /// # Errors
    /// One sentence that says what is missing.
    pub fn conversion(&self) -> Result<Conversion, String> {
        let path = self.path.trim();
        if path.split('.').any(str::is_empty) || path.starts_with('$') || path.contains('\0') {
            return Err("Enter the field to convert".to_owned());
        }
        if path == "_id" || path.starts_with("_id.") {
            return Err("The _id of a document can't change".to_owned());
        }
        let forms = match &self.layout {
            Some(text) => vec![DateForm::parse(text)?],
            None => self.forms.clone(),
        };
        if forms.is_empty() {
            return Err("Choose how the dates are written".to_owned());
        }
        let zone = Leniency::read_zone(&self.zone)?;
        Ok(Conversion { path: path.to_owned(), forms, zone, unconverted: self.unconverted })
    }

    /// How many documents would change. `None` until that is counted.
    #[must_use]
    pub fn changes(&self) -> Option<u64> {
        let (converts, fails) = *self.counts.here()?;
        Some(match self.unconverted {
            Unconverted::Null => converts + fails,
            Unconverted::Reject if fails > 0 => 0,
            Unconverted::Keep | Unconverted::Reject => converts,
        })
    }

    /// Finds the fields that look like dates in a sample of documents.
    pub fn take_fields(&mut self, documents: &[Document]) {
        let mut fields: BTreeMap<String, Detector> = BTreeMap::new();
        for (row, document) in (1..).zip(documents) {
            add_fields(document, "", row, &mut fields);
        }
        let is_date = |(path, values): (String, Detector)| values.finish().map(|_| path);
        self.fields = Loadable::Here(fields.into_iter().filter_map(is_date).collect());
    }

    /// Takes a sample of documents.
    pub fn take_sample(&mut self, documents: &[Document]) {
        let mut detector = Detector::default();
        for (row, document) in (1..).zip(documents) {
            if let Some(value) = value_at(document, self.path.trim()) {
                add(value, row, &mut detector);
            }
        }
        let found = detector.finish();
        self.forms = found.as_ref().map(|found| found.forms.clone()).unwrap_or_default();
        self.layout = None;
        self.detected = Loadable::Here(found);
    }
}

fn add(value: &Bson, row: u64, detector: &mut Detector) {
    match value {
        Bson::String(text) => detector.text(row, text),
        Bson::Int32(number) => detector.integer(row, i64::from(*number)),
        Bson::Int64(number) => detector.integer(row, *number),
        Bson::Double(number) => detector.number(*number),
        _ => {}
    }
}

/// Adds the single values of a document. A field in an array is not converted.
fn add_fields(
    document: &Document,
    prefix: &str,
    row: u64,
    fields: &mut BTreeMap<String, Detector>,
) {
    for (name, value) in document {
        if name.contains('.') || (prefix.is_empty() && name == "_id") {
            continue;
        }
        let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        match value {
            Bson::Document(inner) => add_fields(inner, &path, row, fields),
            Bson::String(_) | Bson::Int32(_) | Bson::Int64(_) | Bson::Double(_)
                if fields.len() < CONVERT_FIELDS_MAX || fields.contains_key(&path) =>
            {
                add(value, row, fields.entry(path).or_default());
            }
            _ => {}
        }
    }
}

/// Documents whose value does not convert, in words: `_id 3, "TBD": it does not match the layout`.
#[must_use]
pub fn failing_words(conversion: &Conversion, failing: &[(Bson, Bson)]) -> String {
    let short = |value: &Bson| {
        let text = value_words(value);
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

/// The single value at a path.
#[must_use]
pub fn value_at<'d>(document: &'d Document, path: &str) -> Option<&'d Bson> {
    let mut names = path.split('.');
    let first = document.get(names.next()?)?;
    names.try_fold(first, |value, name| value.as_document()?.get(name))
}

/// Conversions that begin if the store finds no value that does not convert.
#[derive(Debug, Default)]
pub struct Conversions {
    /// Those whose check is on its way.
    pub checking: Vec<CheckedConversion>,
}

/// A conversion whose check is on its way.
#[derive(Debug)]
pub struct CheckedConversion {
    /// The generation of the check.
    pub generation: u64,
    /// The tab of the collection.
    pub tab: TabId,
    pub conversion: Conversion,
}

impl Conversions {
    /// Takes the one that was checked.
    pub fn take(&mut self, generation: u64) -> Option<CheckedConversion> {
        let at = self.checking.iter().position(|it| it.generation == generation)?;
        Some(self.checking.remove(at))
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    #[test]
    fn a_sample_chooses_the_layout() {
        let mut draft = ConvertDraft::new(Namespace::new("d", "c"), "a.at");
        assert!(draft.conversion().is_err());
        draft.take_fields(&[doc! { "_id": "2015-01-01", "a": { "at": "Jun 12 1998" }, "b": "x" }]);
        assert_eq!(draft.fields, Loadable::Here(vec!["a.at".to_owned()]));
        draft.take_sample(&[doc! { "a": { "at": "Jun 12 1998" } }, doc! { "a": 1 }]);
        let conversion = draft.conversion().expect("a conversion");
        assert_eq!(conversion.forms[0].to_string(), "%b %d %Y");
        draft.layout = Some("%d".to_owned());
        assert!(draft.conversion().is_err_and(|error| error.contains("needs")));
        draft.layout = None;
        "Nowhere".clone_into(&mut draft.zone);
        assert!(draft.conversion().is_err_and(|error| error.contains("time zone")));
        for wrong in ["", "a..b", "_id", "$a"] {
            wrong.clone_into(&mut draft.path);
            assert!(draft.conversion().is_err(), "{wrong}");
        }
    }
}
