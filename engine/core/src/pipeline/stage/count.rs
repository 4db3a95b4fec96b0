//! `$count`.

use std::collections::VecDeque;

use bson::{
    RawDocumentBuf,
    raw::{CString, RawBson, RawBsonRef},
};

use crate::pipeline::flow::{Input, Stage};
use crate::pipeline::{PipelineError, error::fail};

/// `$count`
#[derive(Debug, Clone)]
pub(in crate::pipeline) struct Count {
    field: CString,
    is_done: bool,
}

impl Count {
    pub(in crate::pipeline) fn parse(value: RawBsonRef<'_>) -> Result<Self, PipelineError> {
        let RawBsonRef::String(field) = value else {
            return fail(40156, "the count field must be a non-empty string");
        };
        if field.starts_with('$') {
            return fail(40158, "the count field cannot be a $-prefixed path");
        }
        if field.contains('\0') {
            return fail(40159, "the count field cannot contain a null byte");
        }
        if field.contains('.') {
            return fail(40160, "the count field cannot contain '.'");
        }
        if field.is_empty() {
            return fail(40157, "the count field must be a non-empty string");
        }
        if field == "_id" {
            return fail(9039800, "the count field cannot be '_id'");
        }
        Ok(Self { field: CString::try_from(field)?, is_done: false })
    }

    fn document(&self, n: u64) -> Option<RawDocumentBuf> {
        let mut document = RawDocumentBuf::new();
        document.append(&self.field, shortest(n));
        // MongoDB's `$count` is a `$group`, so it gives no document for an empty input.
        (n > 0).then_some(document)
    }
}

/// int32 where it fits.
pub(in crate::pipeline) fn shortest(number: u64) -> RawBson {
    i32::try_from(number)
        .map_or_else(|_| RawBson::Int64(i64::try_from(number).unwrap_or(i64::MAX)), RawBson::Int32)
}

impl Stage for Count {
    fn next(&mut self, input: &mut Input<'_>) -> Result<Option<RawDocumentBuf>, PipelineError> {
        if self.is_done {
            return Ok(None);
        }
        self.is_done = true;
        let mut n = 0_u64;
        while input.next_document()?.is_some() {
            n += 1;
        }
        Ok(self.document(n))
    }

    fn only_counts(&self) -> bool {
        true
    }

    fn counted(&self, n: u64) -> Result<Option<VecDeque<RawDocumentBuf>>, PipelineError> {
        Ok(Some(self.document(n).into_iter().collect()))
    }
}
