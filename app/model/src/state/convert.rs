//! The conversion of a field to dates, as drafted in its dialog.

use std::collections::BTreeMap;

use bson::{Bson, Document};
use mayfly_engine::transfer::{Leniency, Unconverted, Zone};
use mayfly_engine::value::date_text::{DateForm, Detection, Detector};

use mayfly_engine::reply::DocCount;

use super::Namespace;
use super::transfer::Loadable;
use crate::job::convert::{Conversion, FAILING_MAX, value_at};
use crate::limits::{CONVERT_FIELDS_MAX, CONVERT_PREVIEW_DOCUMENTS};

/// Bytes of a document that has an `_id` and one short value.
const UNDO_VALUE_BYTES: u64 = 60;

/// A field to convert, as drafted.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ConvertDraft {
    pub namespace: Option<Namespace>,
    pub path: String,
    pub fields: Loadable<Vec<String>>,
    /// The form of its sampled values. `None` if they do not look like dates.
    pub detected: Loadable<Option<Detection>>,
    pub forms: Vec<DateForm>,
    /// A layout as typed, instead of a detected one.
    pub layout: Option<String>,
    /// The zone of dates that name none, as typed.
    pub zone: String,
    pub unconverted: Unconverted,
    /// The conversion that the preview and the counts were made for.
    pub looked_for: Option<Conversion>,
    pub preview: Loadable<Vec<(Bson, Bson)>>,
    /// Some documents whose value does not convert: their `_id` and the value.
    pub failing: Loadable<Vec<(Bson, Bson)>>,
    /// Values that convert, and values that do not.
    pub counts: Loadable<ConvertCounts>,
    /// The name of the TTL index on the field, and the latest date that is past its threshold, in milliseconds
    /// since 1970.
    pub ttl: Option<(String, i64)>,
    /// The count of documents on a server that was asked for last.
    pub counting: Option<u64>,
}

/// How many values convert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConvertCounts {
    /// Values that convert, of those that were read.
    pub converts: u64,
    pub fails: u64,
    /// Values that become dates which a TTL index on the field removes.
    pub due: u64,
    /// The documents that may have such a value, where only some of them were read.
    pub of: Option<DocCount>,
}

impl ConvertCounts {
    /// The values that change, of all.
    pub fn changes(&self, unconverted: Unconverted) -> DocCount {
        let read = self.converts + self.fails;
        let changes = match unconverted {
            Unconverted::Null => read,
            Unconverted::Reject if self.fails > 0 => return DocCount::Exact(0),
            Unconverted::Keep | Unconverted::Reject => self.converts,
        };
        match self.of {
            None => DocCount::Exact(changes),
            Some(DocCount::Exact(all)) => {
                let scaled = u128::from(all) * u128::from(changes) / u128::from(read.max(1));
                let count = u64::try_from(scaled).unwrap_or(all).max(changes);
                let high = all.saturating_sub(read - changes).max(changes);
                DocCount::About { count, low: changes, high: Some(high) }
            }
            Some(_) => DocCount::AtLeast(changes),
        }
    }
}

impl ConvertDraft {
    /// A draft for a field; its path may be empty.
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
    pub fn changes(&self) -> Option<DocCount> {
        self.counts.here().map(|counts| counts.changes(self.unconverted))
    }

    /// About how many bytes its undo keeps: of each document the `_id` and the field, before and after.
    pub fn undo_bytes(&self) -> Option<u64> {
        let pair = 2 * (UNDO_VALUE_BYTES + self.path.len() as u64);
        Some(self.changes()?.likely().saturating_mul(pair))
    }

    /// Takes documents with a value to convert. `is_all`: there are no more. Returns whether the
    /// others have to be counted.
    pub fn take_read(
        &mut self,
        conversion: &Conversion,
        documents: &[Document],
        is_all: bool,
    ) -> bool {
        let (mut rows, mut failing) = (Vec::new(), Vec::new());
        let mut counts = ConvertCounts { converts: 0, fails: 0, due: 0, of: None };
        let due_ms = self.ttl.as_ref().map_or(i64::MIN, |(_, due_ms)| *due_ms);
        for document in documents {
            let Some(value) = conversion.single(document) else { continue };
            let date = conversion.date(value);
            let count = if date.is_some() { &mut counts.converts } else { &mut counts.fails };
            *count += 1;
            counts.due += u64::from(date.is_some_and(|date| date.timestamp_millis() <= due_ms));
            if date.is_none() && failing.len() < FAILING_MAX {
                failing.push((document.get("_id").cloned().unwrap_or(Bson::Null), value.clone()));
            }
            if i64::try_from(rows.len()).is_ok_and(|rows| rows < CONVERT_PREVIEW_DOCUMENTS) {
                rows.push((value.clone(), date.map_or(Bson::Null, Bson::DateTime)));
            }
        }
        if !is_all {
            counts.of = Some(DocCount::AtLeast(documents.len() as u64));
        }
        (self.preview, self.failing) = (Loadable::Here(rows), Loadable::Here(failing));
        self.counts = Loadable::Here(counts);
        !is_all
    }

    /// Takes the number of documents of a server that may have such a value.
    pub fn take_count(&mut self, count: u64) {
        if let Loadable::Here(counts) = &mut self.counts
            && let Some(of) = &mut counts.of
        {
            *of = DocCount::Exact(count.max(counts.converts + counts.fails));
        }
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
