//! `$limit` and `$skip`.

use bson::{RawDocumentBuf, raw::RawBsonRef};

use crate::pipeline::flow::{Input, Stage};
use crate::{
    pipeline::{PipelineError, text::shown},
    plan::Target,
};

/// `$limit`
#[derive(Debug, Clone)]
pub(in crate::pipeline) struct Limit {
    left: u64,
}

/// `$skip`
#[derive(Debug, Clone)]
pub(in crate::pipeline) struct Skip {
    left: u64,
}

impl Limit {
    pub(in crate::pipeline) fn parse(value: RawBsonRef<'_>) -> Result<Self, PipelineError> {
        let left = whole_number(value, "$limit").map_err(|reason| {
            let message = format!("invalid argument to $limit stage: {reason}");
            PipelineError::stage(5107201, message)
        })?;
        if left == 0 {
            return Err(PipelineError::stage(15958, "the limit must be positive"));
        }
        Ok(Self { left })
    }
}

impl Skip {
    pub(in crate::pipeline) fn parse(value: RawBsonRef<'_>) -> Result<Self, PipelineError> {
        let left = whole_number(value, "$skip").map_err(|reason| {
            let message = format!("invalid argument to $skip stage: {reason}");
            PipelineError::stage(5107200, message)
        })?;
        Ok(Self { left })
    }
}

/// A number that is whole and not negative, or what is wrong with it.
fn whole_number(value: RawBsonRef<'_>, stage: &str) -> Result<u64, String> {
    let element = || format!("{stage}: {}", shown(value));
    let number = match value {
        RawBsonRef::Int32(number) => i64::from(number),
        RawBsonRef::Int64(number) => number,
        RawBsonRef::Double(_) | RawBsonRef::Decimal128(_) => {
            let number = match value {
                RawBsonRef::Double(number) => number,
                other => shown_number(other),
            };
            if number.is_nan() {
                return Err(format!("Expected an integer, but found NaN in: {}", element()));
            }
            // Compared with 2^63, because the highest 64-bit integer isn't a double.
            #[expect(clippy::cast_precision_loss, reason = "2^63 is a double")]
            let is_too_large = number.abs() >= i64::MAX as f64;
            if is_too_large {
                return Err(format!("Cannot represent as a 64-bit integer: {}", element()));
            }
            if number.fract() != 0.0 {
                return Err(format!("Expected an integer: {}", element()));
            }
            #[expect(clippy::cast_possible_truncation, reason = "checked above")]
            let whole = number as i64;
            whole
        }
        _ => return Err(format!("Expected a number in: {}", element())),
    };
    u64::try_from(number).map_err(|_| format!("Expected a non-negative number in: {}", element()))
}

fn shown_number(value: RawBsonRef<'_>) -> f64 {
    match value {
        RawBsonRef::Decimal128(number) => number.to_string().parse().unwrap_or(f64::NAN),
        _ => f64::NAN,
    }
}

impl Stage for Limit {
    fn next(&mut self, input: &mut Input<'_>) -> Result<Option<RawDocumentBuf>, PipelineError> {
        // Nothing is asked of the stages before once the limit is reached: they may read a
        // collection.
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        input.next_document()
    }

    fn absorb(&self, target: &mut Target) -> Result<bool, PipelineError> {
        // A search skips before it limits, so this is also right after an absorbed `$skip`.
        target.limit = Some(target.limit.map_or(self.left, |limit| limit.min(self.left)));
        Ok(true)
    }

    fn limit(&self) -> Option<u64> {
        Some(self.left)
    }
}

impl Stage for Skip {
    fn next(&mut self, input: &mut Input<'_>) -> Result<Option<RawDocumentBuf>, PipelineError> {
        while self.left > 0 {
            self.left -= 1;
            if input.next_document()?.is_none() {
                self.left = 0;
                return Ok(None);
            }
        }
        input.next_document()
    }

    fn absorb(&self, target: &mut Target) -> Result<bool, PipelineError> {
        target.skip = target.skip.saturating_add(self.left);
        // After a `$limit`, the skipped documents are among those that it lets through.
        target.limit = target.limit.map(|limit| limit.saturating_sub(self.left));
        Ok(true)
    }
}
