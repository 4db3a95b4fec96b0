//! The paths of the documents at the start of a file: their types, and how their dates are written.

use std::collections::HashMap;

use bson::{RawDocument, raw::RawBsonRef};

use crate::transfer::limits::SAMPLE_PATHS_MAX;
use crate::{
    query::filter::type_name,
    value::date_text::{DateForm, Detection, Detector},
};

/// A path and the values at it.
#[derive(Debug, Clone, PartialEq)]
pub struct PathSample {
    /// The path, with dots. Values in arrays have the path of their array.
    pub path: String,
    /// MongoDB's type names, each with the number of values.
    pub types: Vec<(&'static str, u64)>,
    /// The type that the header of the table gives to it.
    pub declared: Option<DeclaredType>,
    /// How its dates are written, if its values look like dates.
    pub dates: Option<Detection>,
    /// The newest date among its values, in milliseconds since 1970.
    pub newest_ms: Option<i64>,
}

/// A type in the header of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredType {
    /// As the header has it, `date_ms(yyyy-MM-dd)`.
    pub text: String,
    /// How its dates are written, if it is a date.
    pub dates: Option<DateForm>,
}

/// Collects paths.
#[derive(Debug, Default)]
pub(in crate::transfer) struct PathSampler {
    paths: Vec<(PathSample, Detector)>,
    positions: HashMap<String, usize>,
    row: u64,
}

impl PathSampler {
    /// Adds the next document.
    pub(in crate::transfer) fn add(&mut self, document: &RawDocument) {
        self.row += 1;
        self.document(document, "");
    }

    /// Documents so far.
    pub(in crate::transfer) fn documents(&self) -> u64 {
        self.row
    }

    fn document(&mut self, document: &RawDocument, prefix: &str) {
        for (name, value) in document.iter().map_while(Result::ok) {
            let name = name.as_str();
            // A path can't reach such a field.
            if name.is_empty() || name.contains('.') {
                continue;
            }
            match prefix {
                "" => self.value(value, name),
                _ => self.value(value, &format!("{prefix}.{name}")),
            }
        }
    }

    fn value(&mut self, value: RawBsonRef<'_>, path: &str) {
        match value {
            RawBsonRef::Document(inner) => self.document(inner, path),
            RawBsonRef::Array(inner) => {
                for value in inner.into_iter().map_while(Result::ok) {
                    self.value(value, path);
                }
            }
            value => self.scalar(value, path),
        }
    }

    fn scalar(&mut self, value: RawBsonRef<'_>, path: &str) {
        let row = self.row;
        let at = match self.positions.get(path) {
            Some(at) => *at,
            None if self.paths.len() >= SAMPLE_PATHS_MAX => return,
            None => {
                self.positions.insert(path.to_owned(), self.paths.len());
                let (path, types) = (path.to_owned(), Vec::new());
                let sample =
                    PathSample { path, types, declared: None, dates: None, newest_ms: None };
                self.paths.push((sample, Detector::default()));
                self.paths.len() - 1
            }
        };
        let Some((sample, detector)) = self.paths.get_mut(at) else { return };
        let kind = type_name(value);
        match sample.types.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, count)) => *count += 1,
            None => sample.types.push((kind, 1)),
        }
        match value {
            RawBsonRef::String(text) => detector.text(row, text),
            RawBsonRef::Int32(number) => detector.integer(row, i64::from(number)),
            RawBsonRef::Int64(number) => detector.integer(row, number),
            RawBsonRef::Double(number) => detector.number(number),
            RawBsonRef::DateTime(date) => {
                sample.newest_ms = sample.newest_ms.max(Some(date.timestamp_millis()));
            }
            _ => {}
        }
    }

    /// The paths, in order of appearance.
    pub(in crate::transfer) fn finish(self) -> Vec<PathSample> {
        let detected = |(sample, detector): (PathSample, Detector)| {
            let dates = detector.finish().filter(|_| sample.newest_ms.is_none());
            PathSample { dates, ..sample }
        };
        self.paths.into_iter().map(detected).collect()
    }
}
