//! Bounds on the values that an expression makes. Each step may double a value or nest it, and
//! `$reduce` and `$let` repeat steps: without a bound, a short expression fills the memory or nests
//! a value deeper than readers can follow.

use bson::raw::{RawBson, RawBsonRef};

use super::value::Value;
use crate::{
    held_bytes::{HeldBytes, MemoryFull},
    limits::{EXPRESSION_BYTES_MAX, MADE_LEVELS_MAX, RUNNING_BYTES_MAX},
    query::{Code, QueryError},
    value::is_deeper_than,
};

/// Bytes that were made so far.
#[derive(Debug, Default)]
pub(in crate::query) struct Budget {
    held: HeldBytes,
}

impl Budget {
    /// Counts a value.
    pub(in crate::query) fn take(&mut self, value: RawBsonRef<'_>) -> Result<(), QueryError> {
        self.take_bytes(bytes_of(value))
    }

    /// Counts a computed value. A borrowed one takes no additional memory.
    pub(super) fn take_owned(&mut self, value: &Value<'_>) -> Result<(), QueryError> {
        match value {
            Value::Owned(value) => self.take(value.as_raw_bson_ref()),
            Value::Missing | Value::Ref(_) => Ok(()),
        }
    }

    /// Counts bytes.
    pub(in crate::query) fn take_bytes(&mut self, bytes: usize) -> Result<(), QueryError> {
        self.held.add(bytes).map_err(|MemoryFull| {
            refused!(
                Code::EXCEEDED_MEMORY_LIMIT,
                "all running commands together would hold more than {RUNNING_BYTES_MAX} bytes, which \
                 exceeds the memory limit; try again when others have ended"
            )
        })?;
        if self.held.bytes() <= EXPRESSION_BYTES_MAX {
            return Ok(());
        }
        Err(refused!(
            Code::EXCEEDED_MEMORY_LIMIT,
            "the expression would make values of more than {EXPRESSION_BYTES_MAX} bytes, which \
                 exceeds the memory limit; make less at once"
        ))
    }
}

/// Checks a value that a variable is to hold, or a stage to give.
///
/// # Errors
/// `ExceededMemoryLimit` and `Overflow`.
pub fn check_made(value: Option<&RawBson>) -> Result<(), QueryError> {
    let Some(value) = value.map(RawBson::as_raw_bson_ref) else { return Ok(()) };
    Budget::default().take(value)?;
    check_levels(value)
}

/// Checks how deep a value is nested.
///
/// # Errors
/// `Overflow`
pub fn check_levels(value: RawBsonRef<'_>) -> Result<(), QueryError> {
    if !is_deeper_than(value, MADE_LEVELS_MAX) {
        return Ok(());
    }
    Err(QueryError::new(
        Code::OVERFLOW,
        format!(
            "cannot make a value that exceeds the limit of {MADE_LEVELS_MAX} levels of nesting; \
             nest it less deeply"
        ),
    ))
}

/// About how many bytes a value holds.
pub(in crate::query) fn bytes_of(value: RawBsonRef<'_>) -> usize {
    match value {
        RawBsonRef::String(text) | RawBsonRef::Symbol(text) => text.len(),
        RawBsonRef::JavaScriptCode(code) => code.len(),
        RawBsonRef::Document(document) => document.as_bytes().len(),
        RawBsonRef::Array(array) => array.as_bytes().len(),
        RawBsonRef::Binary(binary) => binary.bytes.len(),
        _ => 8,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_code, check_error};
    use crate::query::Code;

    const TEXT: &str = "{t: 'abcdefgh'}";

    /// The body's step forty times: each that doubles would make 2^40 times as much.
    fn forty(initial: &str, body: &str) -> String {
        format!("{{$reduce: {{input: {{$range: [0, 40]}}, initialValue: {initial}, in: {body}}}}}")
    }

    #[test]
    fn a_step_that_doubles_and_is_repeated_is_refused_before_memory_is_full() {
        let refused = |expression: &str| check_code(expression, TEXT, Code::EXCEEDED_MEMORY_LIMIT);
        refused(&forty("'$t'", "{$concat: ['$$value', '$$value']}"));
        refused(&forty("['$t']", "{$concatArrays: ['$$value', '$$value']}"));
        refused(&forty("['$t']", "['$$value', '$$value']"));
        refused(&forty("['$t']", "{a: '$$value', b: '$$value'}"));
        refused(&forty("['$t']", "{$map: {input: [1, 2], in: '$$value'}}"));
        refused(&forty("['$t']", "{$zip: {inputs: [['$$value'], ['$$value']]}}"));
        refused(&forty("['$t']", "{$mergeObjects: [{a: '$$value'}, {b: '$$value'}]}"));
        refused(&forty(
            "'$t'",
            "{$replaceOne: {input: '$$value', find: 'a', replacement: '$$value'}}",
        ));
        let wide = "{$map: {input: {$range: [0, 4000000]}, in: {$range: [0, 1000]}}}";
        refused(wide);
        // Not in one step, but in variables of variables.
        let mut nested = "{$strLenBytes: '$$v'}".to_owned();
        for _ in 0..40 {
            nested =
                format!("{{$let: {{vars: {{v: {{$concat: ['$$v', '$$v']}}}}, in: {nested}}}}}");
        }
        refused(&format!("{{$let: {{vars: {{v: '$t'}}, in: {nested}}}}}"));
        check(
            "{$strLenBytes: {$reduce: {input: {$range: [0, 20]}, initialValue: '$t', in: \
               {$concat: ['$$value', '$$value']}}}}",
            TEXT,
            "8388608",
        );
    }

    #[test]
    fn what_is_nested_step_by_step_is_refused_before_it_is_too_deep_to_read() {
        let nested = |steps: u32, body: &str| {
            format!(
                "{{$reduce: {{input: {{$range: [0, {steps}]}}, initialValue: [], in: {body}}}}}"
            )
        };
        check_error(&nested(100_000, "['$$value']"), TEXT, "200 levels");
        check_error(&nested(100_000, "{a: '$$value'}"), TEXT, "200 levels");
        check(&format!("{{$size: {}}}", nested(199, "['$$value']")), TEXT, "1");
    }
}
