//! From `{$sum: …, window: …}` to a window function.

use bson::raw::{RawBson, RawBsonRef, RawDocument};

use super::{
    bounds::{Bounds, whole},
    fold::Fold,
    function::{Function, Rank},
};
use crate::{
    pipeline::{PipelineError, accumulator::accumulator, error::fail, text::kind},
    query::{Code, Expression, Sort, VariableNames, filter::number::as_double},
    value::compare,
};

/// Accumulators of `$group` that are window functions too.
const ACCUMULATORS: [&str; 21] = [
    "$addToSet",
    "$avg",
    "$bottom",
    "$bottomN",
    "$concatArrays",
    "$count",
    "$firstN",
    "$lastN",
    "$max",
    "$maxN",
    "$median",
    "$min",
    "$minN",
    "$percentile",
    "$push",
    "$setUnion",
    "$stdDevPop",
    "$stdDevSamp",
    "$sum",
    "$top",
    "$topN",
];

/// Milliseconds of the units that have always as many.
const UNIT_MS: [(&str, i64); 6] = [
    ("week", 604_800_000),
    ("day", 86_400_000),
    ("hour", 3_600_000),
    ("minute", 60_000),
    ("second", 1_000),
    ("millisecond", 1),
];

/// Units of which one may be longer than the next.
const LONG_UNITS: [&str; 3] = ["year", "quarter", "month"];

/// The parts of the stage that its functions depend on.
#[derive(Clone, Copy)]
pub(super) struct Setting<'s> {
    pub(super) sort: Option<&'s Sort>,
    pub(super) names: &'s VariableNames,
}

fn bad<T>(message: impl Into<String>) -> Result<T, PipelineError> {
    fail(Code::FAILED_TO_PARSE, message)
}

/// Reads the function of one output field.
pub(super) fn function(
    field: &str,
    value: RawBsonRef<'_>,
    setting: Setting<'_>,
) -> Result<Function, PipelineError> {
    let RawBsonRef::Document(spec) = value else {
        return bad(format!("The field '{field}' must be a window function object"));
    };
    let (mut named, mut others) = (None, Vec::new());
    for element in spec {
        let (name, value) = element?;
        let name = name.as_str();
        if name.starts_with('$') && named.is_none() {
            named = Some((name, value));
        } else {
            others.push((name, value));
        }
    }
    let Some((name, argument)) = named else {
        let first = others.first().map(|(name, _)| format!(", {name}")).unwrap_or_default();
        return bad(format!("Expected a $-prefixed window function{first}"));
    };
    let is_rank = matches!(name, "$rank" | "$denseRank" | "$documentNumber");
    if is_rank && !others.is_empty() {
        return fail(5371601, "Rank style window functions take no other arguments");
    }
    let mut bounds = None;
    for (other, value) in others {
        if other != "window" {
            return bad(format!("Window function {name} found an unknown argument: {other}"));
        }
        if matches!(name, "$shift" | "$expMovingAvg" | "$locf" | "$linearFill") {
            return bad(format!("'window' field is not allowed in {name}"));
        }
        bounds = Some(Bounds::parse(value, setting.sort, setting.names)?);
    }
    named_function(name, argument, bounds, setting)
}

fn named_function(
    name: &str,
    argument: RawBsonRef<'_>,
    bounds: Option<Bounds>,
    setting: Setting<'_>,
) -> Result<Function, PipelineError> {
    let or_whole = |bounds: Option<Bounds>| bounds.unwrap_or_else(Bounds::whole);
    let expression = |value| Expression::parse(value, setting.names);
    Ok(match name {
        "$count" if argument.as_document().is_none_or(|document| !document.is_empty()) => {
            return bad("$count only accepts an empty object as argument");
        }
        name if ACCUMULATORS.contains(&name) => {
            let fold = Fold::Accumulator(accumulator(name, argument, setting.names)?);
            Function::Fold { fold: Box::new(fold), bounds: or_whole(bounds) }
        }
        "$first" | "$last" => Function::Edge {
            input: expression(argument)?,
            is_last: name == "$last",
            bounds: or_whole(bounds),
        },
        "$covariancePop" | "$covarianceSamp" => {
            let inputs = covaried(name, argument, setting.names)?;
            let fold = Fold::Covariance { inputs, is_sample: name == "$covarianceSamp" };
            Function::Fold { fold: Box::new(fold), bounds: or_whole(bounds) }
        }
        "$rank" | "$denseRank" | "$documentNumber" => rank(name, argument, setting.sort)?,
        "$shift" => shift(argument, setting)?,
        "$derivative" => {
            check_sort(name, setting.sort)?;
            let (input, unit_ms) = with_unit(name, argument, setting.names)?;
            let Some(bounds) = bounds else {
                return bad("$derivative requires explicit window bounds");
            };
            Function::derivative(input, unit_ms, bounds)?
        }
        "$integral" => {
            check_sort(name, setting.sort)?;
            let (input, unit_ms) = with_unit(name, argument, setting.names)?;
            let fold = Fold::integral(input, unit_ms)?;
            Function::Fold { fold: Box::new(fold), bounds: or_whole(bounds) }
        }
        "$expMovingAvg" => moving_average(argument, setting)?,
        "$locf" => Function::Carry(expression(argument)?),
        "$linearFill" => {
            if setting.sort.is_none_or(|sort| sort.fields().len() != 1) {
                return fail(605001, one_element(name));
            }
            Function::fill(expression(argument)?)?
        }
        "$minMaxScaler" => scaler(argument, or_whole(bounds), setting.names)?,
        other => return bad(format!("Unrecognized window function, {other}")),
    })
}

fn one_element(name: &str) -> String {
    format!("{name} must be specified with a top level sortBy expression with exactly one element")
}

fn rank(
    name: &str,
    argument: RawBsonRef<'_>,
    sort: Option<&Sort>,
) -> Result<Function, PipelineError> {
    if argument.as_document().is_none_or(|document| !document.is_empty()) {
        return fail(5371603, format!("{name} must be specified with '{{}}' as the value"));
    }
    if sort.is_none_or(|sort| sort.fields().len() != 1) {
        return fail(5371602, one_element(name));
    }
    Ok(Function::Rank(match name {
        "$rank" => Rank::WithGaps,
        "$denseRank" => Rank::Dense,
        _ => Rank::Number,
    }))
}

fn check_sort(name: &str, sort: Option<&Sort>) -> Result<(), PipelineError> {
    match sort.map(|sort| sort.fields().len()) {
        None => bad(format!("{name} requires a sortBy")),
        Some(1) => Ok(()),
        Some(_) => bad(format!("{name} requires a non-compound sortBy")),
    }
}

/// The document of a function's arguments.
fn arguments<'d>(name: &str, value: RawBsonRef<'d>) -> Result<&'d RawDocument, PipelineError> {
    match value {
        RawBsonRef::Document(arguments) => Ok(arguments),
        other => bad(format!("{name} expects an object, but got a {}", kind(other))),
    }
}

fn unexpected<T>(name: &str, argument: &str) -> Result<T, PipelineError> {
    bad(format!("{name} got unexpected argument: {argument}"))
}

fn needs_input<T>(name: &str) -> Result<T, PipelineError> {
    bad(format!("{name} requires an 'input' expression"))
}

fn constant(
    name: &str,
    argument: &str,
    value: RawBsonRef<'_>,
    names: &VariableNames,
) -> Result<RawBson, PipelineError> {
    match Expression::parse(value, names)?.constant() {
        Some(value) => Ok(value.map_or(RawBson::Null, RawBson::from)),
        None => bad(format!("'{argument}' argument to {name} must be a constant")),
    }
}

fn covaried(
    name: &str,
    argument: RawBsonRef<'_>,
    names: &VariableNames,
) -> Result<[Expression; 2], PipelineError> {
    let items: Vec<RawBsonRef<'_>> = match argument {
        RawBsonRef::Array(array) => array.into_iter().collect::<Result<_, _>>()?,
        _ => Vec::new(),
    };
    match items.as_slice() {
        [a, b] => Ok([Expression::parse(*a, names)?, Expression::parse(*b, names)?]),
        _ => bad(format!("{name} takes an array of two expressions")),
    }
}

fn with_unit(
    name: &str,
    argument: RawBsonRef<'_>,
    names: &VariableNames,
) -> Result<(Expression, Option<i64>), PipelineError> {
    let (mut input, mut unit_ms) = (None, None);
    for element in arguments(name, argument)? {
        let (argument, value) = element?;
        match (argument.as_str(), value) {
            ("input", value) => input = Some(Expression::parse(value, names)?),
            ("unit", RawBsonRef::String(unit)) => unit_ms = Some(unit_of(unit)?),
            ("unit", other) => {
                return bad(format!("'unit' must be a string, but got {}", kind(other)));
            }
            (other, _) => return unexpected(name, other),
        }
    }
    match input {
        Some(input) => Ok((input, unit_ms)),
        None => needs_input(name),
    }
}

fn unit_of(unit: &str) -> Result<i64, PipelineError> {
    if LONG_UNITS.contains(&unit) {
        return fail(5490710, "unit must be 'week' or smaller");
    }
    match UNIT_MS.iter().find(|(name, _)| *name == unit) {
        Some((_, ms)) => Ok(*ms),
        None => bad(format!("unknown time unit value: {unit}")),
    }
}

fn shift(argument: RawBsonRef<'_>, setting: Setting<'_>) -> Result<Function, PipelineError> {
    const SHIFT: &str = "$shift";
    let (mut output, mut by, mut default) = (None, None, RawBson::Null);
    for element in arguments(SHIFT, argument)? {
        let (argument, value) = element?;
        match argument.as_str() {
            "output" => output = Some(Expression::parse(value, setting.names)?),
            "by" => {
                let Some(number) = whole(value) else {
                    return bad(format!(
                        "'$shift:by' field must be an integer, but found {}",
                        kind(value)
                    ));
                };
                by = Some(number);
            }
            "default" => default = constant(SHIFT, "default", value, setting.names)?,
            other => return unexpected(SHIFT, other),
        }
    }
    if setting.sort.is_none() {
        return bad("'$shift' requires a sortBy");
    }
    match (output, by) {
        (Some(output), Some(by)) => Ok(Function::Shift { output, by, default }),
        (None, _) => bad("$shift requires an 'output' expression."),
        (_, None) => bad("$shift requires 'by' as an integer value."),
    }
}

fn moving_average(
    argument: RawBsonRef<'_>,
    setting: Setting<'_>,
) -> Result<Function, PipelineError> {
    const SHAPE: &str = "$expMovingAvg sub object must have exactly two fields: An 'input' field, \
                         and either an 'N' field or an 'alpha' field";
    let RawBsonRef::Document(given) = argument else {
        return bad("$expMovingAvg must have exactly one argument that is an object");
    };
    let (Some(input), 2) = (given.get("input")?, given.into_iter().count()) else {
        return bad(SHAPE);
    };
    if setting.sort.is_none() {
        return bad("$expMovingAvg requires an explicit 'sortBy'");
    }
    let input = Expression::parse(input, setting.names)?;
    let weight = match (given.get("N")?, given.get("alpha")?) {
        (Some(n), None) => match whole(n) {
            #[expect(clippy::cast_precision_loss, reason = "a weight is a double")]
            Some(n) if n > 0 => 2.0 / (n as f64 + 1.0),
            Some(n) => return bad(format!("'N' must be greater than zero. Got {n}")),
            None => return bad(format!("'N' field must be an integer, but found {}", kind(n))),
        },
        (None, Some(alpha)) => match as_double(alpha) {
            Some(alpha) if alpha > 0.0 && alpha < 1.0 => alpha,
            Some(alpha) => {
                let message = format!("'alpha' must be between 0 and 1 (exclusive), found {alpha}");
                return bad(message);
            }
            None => return bad("'alpha' must be a number"),
        },
        _ => return bad(SHAPE),
    };
    Function::moving_average(input, weight)
}

fn scaler(
    argument: RawBsonRef<'_>,
    bounds: Bounds,
    names: &VariableNames,
) -> Result<Function, PipelineError> {
    const SCALER: &str = "$minMaxScaler";
    let (mut input, mut least, mut most) = (None, None, None);
    for element in arguments(SCALER, argument)? {
        let (argument, value) = element?;
        let number = |argument: &str| match constant(SCALER, argument, value, names)? {
            number if as_double(number.as_raw_bson_ref()).is_some() => Ok(number),
            _ => bad(format!("'{argument}' argument to {SCALER} must be a numeric type")),
        };
        match argument.as_str() {
            "input" => input = Some(Expression::parse(value, names)?),
            "min" => least = Some(number("min")?),
            "max" => most = Some(number("max")?),
            other => return unexpected(SCALER, other),
        }
    }
    let Some(input) = input else { return needs_input(SCALER) };
    let (least, most) = match (least, most) {
        (None, None) => (RawBson::Int32(0), RawBson::Int32(1)),
        (Some(least), Some(most)) => (least, most),
        _ => {
            return bad(format!(
                "Only one of 'min' and 'max' were specified as an argument to {SCALER}. Neither or \
                 both must be specified"
            ));
        }
    };
    if compare(least.as_raw_bson_ref(), most.as_raw_bson_ref()).is_ge() {
        return bad(format!(
            "the 'max' must be strictly greater than 'min', as arguments to {SCALER}"
        ));
    }
    if !bounds.holds_current() {
        return bad(format!("The window of {SCALER} must hold the document itself"));
    }
    let fold = Box::new(Fold::scale(input, least, most)?);
    Ok(Function::Fold { fold, bounds })
}
