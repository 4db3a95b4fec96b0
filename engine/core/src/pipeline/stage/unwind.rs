//! `$unwind`.

use std::sync::Arc;

use bson::{
    RawDocumentBuf,
    raw::{RawBson, RawBsonRef, RawDocument},
};

use crate::pipeline::flow::{Input, Stage};
use crate::pipeline::{PipelineError, edit::FieldPath, error::fail, text::kind};

/// `$unwind`: a document for each element of an array. One at a time, as the results together can
/// be much larger than the document.
#[derive(Debug, Clone)]
pub(in crate::pipeline) struct Unwind {
    options: Arc<Options>,
    /// The document whose array is being given, what is left of it, and the next position.
    current: Option<(RawDocumentBuf, std::vec::IntoIter<RawBson>, usize)>,
}

#[derive(Debug)]
struct Options {
    path: FieldPath,
    index: Option<FieldPath>,
    keeps_empty: bool,
}

impl Unwind {
    pub(in crate::pipeline) fn parse(value: RawBsonRef<'_>) -> Result<Self, PipelineError> {
        let (mut path, mut index, mut keeps_empty) = (None, None, false);
        match value {
            RawBsonRef::String(text) => path = Some(text),
            RawBsonRef::Document(options) => {
                for element in options {
                    let (name, value) = element?;
                    match (name.as_str(), value) {
                        ("path", RawBsonRef::String(text)) => path = Some(text),
                        ("path", other) => {
                            let message = format!(
                                "expected a string as the path for $unwind stage, got {}",
                                kind(other)
                            );
                            return fail(28808, message);
                        }
                        ("preserveNullAndEmptyArrays", RawBsonRef::Boolean(keeps)) => {
                            keeps_empty = keeps;
                        }
                        ("preserveNullAndEmptyArrays", other) => {
                            let message = format!(
                                "expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage, got {}",
                                kind(other)
                            );
                            return fail(28809, message);
                        }
                        ("includeArrayIndex", RawBsonRef::String(text)) if !text.is_empty() => {
                            if text.starts_with('$') {
                                let message = format!(
                                    "includeArrayIndex option to $unwind stage should not be prefixed with a '$': {text}"
                                );
                                return fail(28822, message);
                            }
                            index = Some(FieldPath::parse(text)?);
                        }
                        ("includeArrayIndex", other) => {
                            let message = format!(
                                "expected a non-empty string for the includeArrayIndex  option to $unwind stage, got {}",
                                kind(other)
                            );
                            return fail(28810, message);
                        }
                        (other, _) => {
                            let message = format!("unrecognized option to $unwind stage: {other}");
                            return fail(28811, message);
                        }
                    }
                }
            }
            other => {
                let message = format!(
                    "expected either a string or an object as specification for $unwind stage, got {}",
                    kind(other)
                );
                return fail(15981, message);
            }
        }
        let Some(path) = path.filter(|path| !path.is_empty()) else {
            return fail(28812, "no path specified to $unwind stage");
        };
        let Some(path) = path.strip_prefix('$') else {
            let message =
                format!("path option to $unwind stage should be prefixed with a '$': {path}");
            return fail(28818, message);
        };
        let options = Options { path: FieldPath::parse(path)?, index, keeps_empty };
        Ok(Self { options: Arc::new(options), current: None })
    }
}

impl Options {
    /// The document with one value in the place of the array, and its position.
    fn result(
        &self,
        document: &RawDocument,
        value: Option<RawBsonRef<'_>>,
        position: Option<usize>,
    ) -> RawDocumentBuf {
        let out = self.path.set(document, value);
        let Some(index) = &self.index else { return out };
        // MongoDB gives null as the position of a value that was in no array.
        let position = position.map_or(RawBsonRef::Null, |position| {
            RawBsonRef::Int64(i64::try_from(position).unwrap_or(i64::MAX))
        });
        index.set(&out, Some(position))
    }

    fn without_array(&self, document: &RawDocument) -> Option<RawDocumentBuf> {
        match self.path.get(document) {
            Some(RawBsonRef::Null | RawBsonRef::Undefined) | None if !self.keeps_empty => None,
            value => Some(self.result(document, value, None)),
        }
    }
}

impl Stage for Unwind {
    fn next(&mut self, input: &mut Input<'_>) -> Result<Option<RawDocumentBuf>, PipelineError> {
        loop {
            if let Some((document, rest, position)) = &mut self.current {
                if let Some(value) = rest.next() {
                    let value = Some(value.as_raw_bson_ref());
                    let result = self.options.result(document, value, Some(*position));
                    *position += 1;
                    return Ok(Some(result));
                }
                self.current = None;
            }
            let Some(document) = input.next_document()? else { return Ok(None) };
            match self.options.path.get(&document) {
                Some(RawBsonRef::Array(array)) if array.is_empty() => {
                    if self.options.keeps_empty {
                        return Ok(Some(self.options.result(&document, None, None)));
                    }
                }
                Some(RawBsonRef::Array(array)) => {
                    let elements = array.into_iter().map_while(Result::ok);
                    let elements: Vec<RawBson> = elements.map(Into::into).collect();
                    self.current = Some((document, elements.into_iter(), 0));
                }
                _ => {
                    if let Some(result) = self.options.without_array(&document) {
                        return Ok(Some(result));
                    }
                }
            }
        }
    }
}
