//! `$bucket` and `$sortByCount`: a `$group` and a `$sort` with other words.

use std::cmp::Ordering;

use bson::{
    RawArrayBuf, RawDocumentBuf,
    raw::{RawBson, RawBsonRef, RawDocument, cstr},
};

use super::{Group, SortStage};
use crate::{
    pipeline::{
        PipelineError,
        accumulator::Accumulators,
        error::fail,
        text::{kind, shown},
    },
    query::{Expression, Sort, VariableNames},
    value::{compare_in, type_rank},
};

type Stages = (Group, SortStage);

/// Reads `$sortByCount`.
pub(in crate::pipeline) fn sort_by_count(
    value: RawBsonRef<'_>,
    names: &VariableNames,
) -> Result<Stages, PipelineError> {
    const WRONG: &str = "the sortByCount field must be defined as a $-prefixed path or an expression \
                         inside an object";
    match value {
        RawBsonRef::String(path) if path.starts_with('$') => {}
        RawBsonRef::String(_) => return fail(40148, WRONG),
        RawBsonRef::Document(document) if is_operator(document) => {}
        RawBsonRef::Document(_) => return fail(40147, WRONG),
        _ => {
            return fail(
                40149,
                "the sortByCount field must be specified as a string or as an object",
            );
        }
    }
    let mut order = RawDocumentBuf::new();
    order.append(cstr!("count"), -1);
    let group = Group::of(Expression::parse(value, names)?, counting(names)?);
    Ok((group, sorted(&order, names)?))
}

pub(super) fn is_operator(document: &RawDocument) -> bool {
    let first = document.into_iter().next().and_then(Result::ok);
    first.is_some_and(|(name, _)| name.as_str().starts_with('$'))
}

/// `{count: {$sum: 1}}`
pub(super) fn counting(names: &VariableNames) -> Result<Accumulators, PipelineError> {
    let mut sum = RawDocumentBuf::new();
    sum.append(cstr!("$sum"), 1);
    Accumulators::parse([("count", RawBsonRef::Document(&sum))].into_iter(), names)
}

fn sorted(order: &RawDocument, names: &VariableNames) -> Result<SortStage, PipelineError> {
    match Sort::parse_in(order, names.collation())? {
        Some(sort) => Ok(SortStage::of(sort)),
        None => fail(15976, "$sort stage must have at least one sort key"),
    }
}

/// Reads `$bucket`.
pub(in crate::pipeline) fn bucket(
    value: RawBsonRef<'_>,
    names: &VariableNames,
) -> Result<Stages, PipelineError> {
    let RawBsonRef::Document(options) = value else {
        let message = format!(
            "Argument to $bucket stage must be an object, but found type: {}.",
            kind(value)
        );
        return fail(40201, message);
    };
    let (mut group_by, mut bounds, mut default, mut fields) = (None, Vec::new(), None, None);
    for element in options {
        let (name, value) = element?;
        match name.as_str() {
            "groupBy" => group_by = Some(checked_group_by(value)?),
            "boundaries" => bounds = boundaries(value, names)?,
            "default" => {
                let Some(constant) = constant(value, names)? else {
                    let message = format!(
                        "The $bucket 'default' field must be a constant expression, but found: {}.",
                        shown(value)
                    );
                    return fail(40195, message);
                };
                default = Some(constant);
            }
            "output" => fields = Some(output(value, 40196, "$bucket", names)?),
            other => {
                return fail(40197, format!("Unrecognized option to $bucket: {other}."));
            }
        }
    }
    let (Some(group_by), Some(lowest), Some(highest)) = (group_by, bounds.first(), bounds.last())
    else {
        return fail(40198, "$bucket requires 'groupBy' and 'boundaries' to be specified.");
    };
    if let Some(default) = &default {
        check_default(default.as_raw_bson_ref(), lowest, highest, names)?;
    }
    let id = switch(group_by, &bounds, default.as_ref());
    let id = Expression::parse(RawBsonRef::Document(&id), names)?;
    let fields = match fields {
        Some(fields) => fields,
        None => counting(names)?,
    };
    let mut order = RawDocumentBuf::new();
    order.append(cstr!("_id"), 1);
    Ok((Group::of(id, fields), sorted(&order, names)?))
}

fn checked_group_by(value: RawBsonRef<'_>) -> Result<RawBsonRef<'_>, PipelineError> {
    let is_expression = match value {
        RawBsonRef::String(path) => path.starts_with('$'),
        RawBsonRef::Document(document) => is_operator(document),
        _ => false,
    };
    if is_expression {
        return Ok(value);
    }
    let message = format!(
        "The $bucket 'groupBy' field must be defined as a $-prefixed path or an expression, but \
         found: {}.",
        shown(value)
    );
    fail(40202, message)
}

fn constant(
    value: RawBsonRef<'_>,
    names: &VariableNames,
) -> Result<Option<RawBson>, PipelineError> {
    let expression = Expression::parse(value, names)?;
    Ok(expression.constant().map(|value| value.map_or(RawBson::Null, Into::into)))
}

fn boundaries(value: RawBsonRef<'_>, names: &VariableNames) -> Result<Vec<RawBson>, PipelineError> {
    let RawBsonRef::Array(array) = value else {
        let message = format!(
            "The $bucket 'boundaries' field must be an array, but found type: {}.",
            kind(value)
        );
        return fail(40200, message);
    };
    let mut bounds = Vec::new();
    for item in array {
        let item = item?;
        let Some(bound) = constant(item, names)? else {
            let message = format!(
                "The $bucket 'boundaries' field must be an array of constant values, but found \
                 value: {}.",
                shown(item)
            );
            return fail(40191, message);
        };
        bounds.push(bound);
    }
    if bounds.len() < 2 {
        let message = format!(
            "The $bucket 'boundaries' field must have at least 2 values, but found {} value(s).",
            bounds.len()
        );
        return fail(40192, message);
    }
    for (at, (lower, upper)) in bounds.iter().zip(bounds.iter().skip(1)).enumerate() {
        let (lower, upper) = (lower.as_raw_bson_ref(), upper.as_raw_bson_ref());
        if type_rank(lower) != type_rank(upper) {
            let message = format!(
                "All values in the the 'boundaries' option to $bucket must have the same type. Found \
                 conflicting types {} and {}.",
                kind(lower),
                kind(upper)
            );
            return fail(40193, message);
        }
        if compare_in(lower, upper, names.collation()) != Ordering::Less {
            let message = format!(
                "The 'boundaries' option to $bucket must be sorted, but elements {at} and {} are not \
                 in ascending order ({} is not less than {}).",
                at + 1,
                shown(lower),
                shown(upper)
            );
            return fail(40194, message);
        }
    }
    Ok(bounds)
}

fn check_default(
    default: RawBsonRef<'_>,
    lowest: &RawBson,
    highest: &RawBson,
    names: &VariableNames,
) -> Result<(), PipelineError> {
    let (lowest, highest) = (lowest.as_raw_bson_ref(), highest.as_raw_bson_ref());
    let is_outside = type_rank(default) != type_rank(lowest)
        || compare_in(default, lowest, names.collation()) == Ordering::Less
        // A bucket contains its lower bound only, so the highest boundary itself is outside.
        || compare_in(default, highest, names.collation()) != Ordering::Less;
    if is_outside {
        return Ok(());
    }
    fail(
        40199,
        "The $bucket 'default' field must be less than the lowest boundary or greater than or equal \
         to the highest boundary.",
    )
}

/// Reads `output`.
pub(super) fn output(
    value: RawBsonRef<'_>,
    code: i32,
    stage: &str,
    names: &VariableNames,
) -> Result<Accumulators, PipelineError> {
    let RawBsonRef::Document(fields) = value else {
        let message = format!(
            "The {stage} 'output' field must be an object, but found type: {}.",
            kind(value)
        );
        return fail(code, message);
    };
    let fields: Vec<_> = fields.into_iter().collect::<Result<_, _>>()?;
    Accumulators::parse(fields.into_iter().map(|(name, value)| (name.as_str(), value)), names)
}

fn literal(value: &RawBson) -> RawDocumentBuf {
    let mut literal = RawDocumentBuf::new();
    // A bound may look like a path or an operator, and must not be evaluated as one.
    literal.append(cstr!("$literal"), value.as_raw_bson_ref());
    literal
}

/// The `$switch` that finds the bucket's lower bound.
fn switch(
    group_by: RawBsonRef<'_>,
    bounds: &[RawBson],
    default: Option<&RawBson>,
) -> RawDocumentBuf {
    let mut branches = RawArrayBuf::new();
    for (lower, upper) in bounds.iter().zip(bounds.iter().skip(1)) {
        let mut both = RawArrayBuf::new();
        for (operator, bound) in [(cstr!("$gte"), lower), (cstr!("$lt"), upper)] {
            let mut arguments = RawArrayBuf::new();
            arguments.push(group_by);
            arguments.push(literal(bound));
            let mut test = RawDocumentBuf::new();
            test.append(operator, arguments);
            both.push(test);
        }
        let (mut case, mut branch) = (RawDocumentBuf::new(), RawDocumentBuf::new());
        case.append(cstr!("$and"), both);
        branch.append(cstr!("case"), case);
        branch.append(cstr!("then"), literal(lower));
        branches.push(branch);
    }
    let mut options = RawDocumentBuf::new();
    options.append(cstr!("branches"), branches);
    if let Some(default) = default {
        options.append(cstr!("default"), literal(default));
    }
    let mut switch = RawDocumentBuf::new();
    switch.append(cstr!("$switch"), options);
    switch
}
