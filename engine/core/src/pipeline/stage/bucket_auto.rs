//! `$bucketAuto`.

use std::sync::Arc;

use bson::{
    RawDocumentBuf,
    raw::{RawBson, RawBsonRef, RawDocument, cstr},
};

use super::bucket::{counting, is_operator, output};
use super::granularity::Granularity;
use crate::pipeline::flow::{Input, Stage};
use crate::{
    interrupt::sort_by,
    pipeline::{
        PipelineError,
        accumulator::{Accumulators, State, value_bytes},
        error::fail,
        memory::MemoryBudget,
        text::{kind, shown},
    },
    query::{Expression, QueryError, Scope, VariableNames, filter::number::as_double},
    value::{compare, compare_in, same_value_in},
};

/// A document with what it is grouped by.
type Keyed = (RawBson, RawDocumentBuf);

/// `$bucketAuto`: as many documents in each bucket.
#[derive(Debug, Clone)]
pub(in crate::pipeline) struct BucketAuto {
    options: Arc<Options>,
    buckets: Option<std::vec::IntoIter<RawDocumentBuf>>,
    held: MemoryBudget,
}

#[derive(Debug)]
struct Options {
    group_by: Expression,
    count: usize,
    fields: Accumulators,
    granularity: Option<Granularity>,
}

impl BucketAuto {
    pub(in crate::pipeline) fn parse(
        value: RawBsonRef<'_>,
        names: &VariableNames,
    ) -> Result<Self, PipelineError> {
        let RawBsonRef::Document(options) = value else {
            let message = format!(
                "The argument to $bucketAuto must be an object, but found type: {}.",
                kind(value)
            );
            return fail(40240, message);
        };
        let (mut group_by, mut count, mut fields, mut granularity) = (None, None, None, None);
        for element in options {
            let (name, value) = element?;
            match name.as_str() {
                "groupBy" => group_by = Some(group_by_of(value, names)?),
                "buckets" => count = Some(count_of(value)?),
                "output" => fields = Some(output(value, 40244, "$bucketAuto", names)?),
                "granularity" => match value {
                    RawBsonRef::String(name) => {
                        let Some(known) = Granularity::named(name) else {
                            let message = format!("Unknown rounding granularity '{name}'");
                            return fail(40257, message);
                        };
                        granularity = Some(known);
                    }
                    other => {
                        let message = format!(
                            "The $bucketAuto 'granularity' field must be a string, but found type: {}.",
                            kind(other)
                        );
                        return fail(40261, message);
                    }
                },
                other => {
                    let message = format!("Unrecognized option to $bucketAuto: {other}.");
                    return fail(40245, message);
                }
            }
        }
        let (Some(group_by), Some(count)) = (group_by, count) else {
            return fail(40246, "$bucketAuto requires 'groupBy' and 'buckets' to be specified.");
        };
        let fields = match fields {
            Some(fields) => fields,
            None => counting(names)?,
        };
        let options = Arc::new(Options { group_by, count, fields, granularity });
        Ok(Self { options, buckets: None, held: MemoryBudget::default() })
    }
}

fn group_by_of(value: RawBsonRef<'_>, names: &VariableNames) -> Result<Expression, PipelineError> {
    let is_expression = match value {
        RawBsonRef::String(path) => path.len() > 1 && path.starts_with('$'),
        RawBsonRef::Document(document) => is_operator(document),
        _ => false,
    };
    if is_expression {
        return Ok(Expression::parse(value, names)?);
    }
    let message = format!(
        "The $bucketAuto 'groupBy' field must be defined as a $-prefixed path or an expression \
         object, but found: {}",
        shown(value)
    );
    fail(40239, message)
}

fn count_of(value: RawBsonRef<'_>) -> Result<usize, PipelineError> {
    let Some(given) = as_double(value) else {
        let message = format!(
            "The $bucketAuto 'buckets' field must be a numeric value, but found type: {}.",
            kind(value)
        );
        return fail(40241, message);
    };
    if given.fract() != 0.0 || given.abs() > f64::from(i32::MAX) || given.is_nan() {
        let message = format!(
            "The $bucketAuto 'buckets' field must be representable as a 32-bit integer, but found {}.",
            shown(value)
        );
        return fail(40242, message);
    }
    if given <= 0.0 {
        let message = format!(
            "The $bucketAuto 'buckets' field must be greater than 0, but found: {}.",
            shown(value)
        );
        return fail(40243, message);
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be a positive int"
    )]
    let count = given as usize;
    Ok(count)
}

impl Options {
    fn all(
        &self,
        input: &mut Input<'_>,
        held: &mut MemoryBudget,
    ) -> Result<Vec<RawDocumentBuf>, PipelineError> {
        let mut entries: Vec<Keyed> = Vec::new();
        while let Some(document) = input.next_document()? {
            let key = {
                let value = self.group_by.evaluate(&Scope::new(&document, input.context))?;
                if self.granularity.is_some() {
                    check_number(value.as_ref())?;
                }
                value.into_owned().unwrap_or(RawBson::Null)
            };
            let key_bytes = value_bytes(key.as_raw_bson_ref());
            held.add("$bucketAuto", document.as_bytes().len() * 2 + key_bytes)?;
            entries.push((key, document));
        }
        let collation = input.context.collation.as_ref();
        let by_value = |(a, _): &Keyed, (b, _): &Keyed| {
            compare_in(a.as_raw_bson_ref(), b.as_raw_bson_ref(), collation)
        };
        let entries = sort_by(entries, by_value).map_err(QueryError::from)?;
        self.buckets(entries, input, held)
    }

    fn buckets(
        &self,
        entries: Vec<(RawBson, RawDocumentBuf)>,
        input: &Input<'_>,
        held: &mut MemoryBudget,
    ) -> Result<Vec<RawDocumentBuf>, PipelineError> {
        let mut add = |states: &mut [State], document: &RawDocument| {
            let grown = self.fields.add(states, &Scope::new(document, input.context))?;
            held.change("$bucketAuto", grown)
        };
        let collation = input.context.collation.as_ref();
        let same = |a: &RawBson, b: &RawBson| {
            same_value_in(a.as_raw_bson_ref(), b.as_raw_bson_ref(), collation)
        };
        let size = rounded_share(entries.len(), self.count);
        let mut entries = entries.into_iter().peekable();
        let mut buckets: Vec<RawDocumentBuf> = Vec::new();
        let mut previous_max: Option<RawBson> = None;
        while let Some((first, _)) = entries.peek()
            && buckets.len() < self.count
        {
            // With a granularity the buckets touch: each one begins at the end of the one before.
            let min = match (&self.granularity, previous_max.take()) {
                (Some(_), Some(max)) => max,
                (Some(granularity), None) => granularity.down(first.as_raw_bson_ref()),
                (None, _) => first.clone(),
            };
            let is_last = buckets.len() + 1 == self.count;
            let empty = RawDocumentBuf::new();
            let begin = Scope::new(&empty, input.context);
            let mut states = self.fields.begin(RawBsonRef::Null, &begin)?;
            let (mut max, mut taken) = (RawBson::Null, 0);
            // Equal values stay in one bucket, even if it gets larger than its share.
            while let Some((key, document)) =
                entries.next_if(|(key, _)| taken < size || is_last || same(key, &max))
            {
                add(&mut states, &document)?;
                (max, taken) = (key, taken + 1);
            }
            if let Some(granularity) = &self.granularity {
                // The bound was rounded up, so values below it belong to this bucket as well.
                let mut bound = granularity.up(max.as_raw_bson_ref());
                while let Some((key, document)) = entries.next_if(|(key, _)| {
                    compare(key.as_raw_bson_ref(), bound.as_raw_bson_ref()).is_lt()
                        || same(key, &max)
                }) {
                    add(&mut states, &document)?;
                    max = key;
                }
                // 0 is rounded to itself, so the bound would come before the next value.
                let next = entries.peek();
                if let (Some(0.0), Some((next, _))) = (as_double(bound.as_raw_bson_ref()), next) {
                    bound = granularity.down(next.as_raw_bson_ref());
                }
                max = bound;
            } else if let Some((next, _)) = entries.peek() {
                max = next.clone();
            }
            buckets.push(self.document(&min, &max, states));
            previous_max = Some(max);
        }
        Ok(buckets)
    }

    fn document(&self, min: &RawBson, max: &RawBson, states: Vec<State>) -> RawDocumentBuf {
        let mut id = RawDocumentBuf::new();
        id.append(cstr!("min"), min.as_raw_bson_ref());
        id.append(cstr!("max"), max.as_raw_bson_ref());
        let mut document = RawDocumentBuf::new();
        document.append(cstr!("_id"), id);
        for (name, value) in self.fields.finish(states) {
            document.append(name, value);
        }
        document
    }
}

/// Documents in a bucket: rounded half up, at least one.
fn rounded_share(documents: usize, buckets: usize) -> usize {
    let buckets = buckets.max(1);
    ((documents.saturating_mul(2).saturating_add(buckets)) / (buckets.saturating_mul(2))).max(1)
}

fn check_number(value: Option<RawBsonRef<'_>>) -> Result<(), PipelineError> {
    let Some(number) = value.and_then(as_double) else {
        let message = format!(
            "$bucketAuto can specify a 'granularity' with numeric boundaries only, but found a value \
             with type: {}",
            value.map_or("missing", kind)
        );
        return fail(40258, message);
    };
    if number.is_nan() {
        return fail(
            40259,
            "$bucketAuto can specify a 'granularity' with numeric boundaries only, but found a NaN",
        );
    }
    if number < 0.0 {
        return fail(
            40260,
            "$bucketAuto can specify a 'granularity' with non-negative numbers only, but found a \
             negative number",
        );
    }
    Ok(())
}

impl Stage for BucketAuto {
    fn next(&mut self, input: &mut Input<'_>) -> Result<Option<RawDocumentBuf>, PipelineError> {
        if self.buckets.is_none() {
            self.buckets = Some(self.options.all(input, &mut self.held)?.into_iter());
        }
        Ok(self.buckets.as_mut().and_then(Iterator::next))
    }

    fn may_nest(&self) -> bool {
        true
    }
}
