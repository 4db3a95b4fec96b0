//! From `{$sum: …}` to an accumulator.

use std::sync::Arc;

use bson::raw::{CString, RawBson, RawBsonRef};

use super::State;
use crate::{
    pipeline::{PipelineError, error::fail, text::kind},
    query::{
        Code, Expression, Scope, Sort, VariableNames, check_percentile_method, percentile_list,
    },
};

/// Bytes of a state, about.
const STATE_BYTES: usize = 32;

/// The fields of a group other than its `_id`.
#[derive(Debug, Clone, Default)]
pub(in crate::pipeline) struct Accumulators {
    list: Arc<Vec<(CString, Accumulator)>>,
}

#[derive(Debug)]
pub(in crate::pipeline) struct Accumulator {
    pub(super) operator: Operator,
    /// Evaluated for each document.
    pub(super) input: Expression,
    pub(super) n: Option<Expression>,
}

#[derive(Debug, Clone)]
pub(super) enum Operator {
    Sum,
    Avg,
    Min,
    Max,
    First,
    Last,
    Push,
    AddToSet,
    StdDev { is_sample: bool },
    MergeObjects,
    FirstN,
    LastN,
    MinN,
    MaxN,
    Top { sort: Sort, is_bottom: bool },
    TopN { sort: Sort, is_bottom: bool },
    Percentile { ps: Vec<f64>, is_median: bool },
    ConcatArrays,
    SetUnion,
}

impl Accumulators {
    /// Reads the fields of `$group` without `_id`.
    pub(in crate::pipeline) fn parse<'d>(
        fields: impl Iterator<Item = (&'d str, RawBsonRef<'d>)>,
        names: &VariableNames,
    ) -> Result<Self, PipelineError> {
        let mut list = Vec::new();
        for (name, value) in fields {
            list.push((CString::try_from(name)?, field(name, value, names)?));
        }
        Ok(Self { list: Arc::new(list) })
    }

    /// The states of a new group with this `_id`.
    pub(in crate::pipeline) fn begin(
        &self,
        id: RawBsonRef<'_>,
        scope: &Scope<'_>,
    ) -> Result<Vec<State>, PipelineError> {
        self.list.iter().map(|(_, one)| State::begin(one, id, scope)).collect()
    }

    /// Bytes that the states of a new group take, about; a group itself counts the first one.
    pub(in crate::pipeline) fn state_bytes(&self) -> usize {
        self.list.len().saturating_sub(1) * STATE_BYTES
    }

    /// Adds a document to the states. Returns by how many bytes they grew or shrank.
    pub(in crate::pipeline) fn add(
        &self,
        states: &mut [State],
        scope: &Scope<'_>,
    ) -> Result<i64, PipelineError> {
        let mut grown = 0;
        for ((_, one), state) in self.list.iter().zip(states) {
            grown += state.add(one, scope)?;
        }
        Ok(grown)
    }

    /// The names of the fields and their values.
    pub(in crate::pipeline) fn finish(
        &self,
        states: Vec<State>,
    ) -> impl Iterator<Item = (&CString, RawBson)> {
        self.list.iter().zip(states).map(|((name, one), state)| (name, state.finish(one)))
    }

    /// The only field, if it counts documents: `{$sum: 1}` or `{$count: {}}`.
    pub(in crate::pipeline) fn only_count(&self) -> Option<&CString> {
        let [(name, one)] = self.list.as_slice() else { return None };
        let is_one = matches!(one.input.constant(), Some(Some(RawBsonRef::Int32(1))));
        (matches!(one.operator, Operator::Sum) && is_one).then_some(name)
    }
}

fn field(
    name: &str,
    value: RawBsonRef<'_>,
    names: &VariableNames,
) -> Result<Accumulator, PipelineError> {
    if name.contains('.') {
        return fail(40235, format!("The field name '{name}' cannot contain '.'"));
    }
    if name.starts_with('$') {
        let message = format!("The field name '{name}' cannot be an operator name");
        return fail(40236, message);
    }
    let not_object = || format!("The field '{name}' must be an accumulator object");
    let RawBsonRef::Document(spec) = value else {
        return fail(40234, not_object());
    };
    let mut elements = spec.into_iter();
    let Some(first) = elements.next() else {
        return fail(40234, not_object());
    };
    let (operator, argument) = first?;
    if elements.next().is_some() {
        return fail(40238, format!("The field '{name}' must specify one accumulator"));
    }
    if !operator.as_str().starts_with('$') {
        return fail(40234, not_object());
    }
    if matches!(argument, RawBsonRef::Array(_)) {
        let message = format!("The {operator} accumulator is a unary operator");
        return fail(40237, message);
    }
    accumulator(operator.as_str(), argument, names)
}

/// Reads the operator of this name with its argument.
pub(in crate::pipeline) fn accumulator(
    name: &str,
    argument: RawBsonRef<'_>,
    names: &VariableNames,
) -> Result<Accumulator, PipelineError> {
    let operator = match name {
        "$sum" => Operator::Sum,
        "$avg" => Operator::Avg,
        "$min" => Operator::Min,
        "$max" => Operator::Max,
        "$first" => Operator::First,
        "$last" => Operator::Last,
        "$push" => Operator::Push,
        "$addToSet" => Operator::AddToSet,
        "$stdDevPop" => Operator::StdDev { is_sample: false },
        "$stdDevSamp" => Operator::StdDev { is_sample: true },
        "$mergeObjects" => Operator::MergeObjects,
        "$concatArrays" => Operator::ConcatArrays,
        "$setUnion" => Operator::SetUnion,
        "$count" => return count(argument, names),
        "$firstN" => return with_n(Operator::FirstN, name, argument, names),
        "$lastN" => return with_n(Operator::LastN, name, argument, names),
        "$minN" => return with_n(Operator::MinN, name, argument, names),
        "$maxN" => return with_n(Operator::MaxN, name, argument, names),
        "$top" | "$bottom" | "$topN" | "$bottomN" => return top(name, argument, names),
        "$median" | "$percentile" => return percentile(name, argument, names),
        "$accumulator" => {
            let message = format!("the accumulator {name} is not supported");
            return fail(Code::NOT_SUPPORTED, message);
        }
        _ => return fail(15952, format!("unknown group operator '{name}'")),
    };
    Ok(Accumulator { operator, input: Expression::parse(argument, names)?, n: None })
}

fn count(argument: RawBsonRef<'_>, names: &VariableNames) -> Result<Accumulator, PipelineError> {
    match argument {
        RawBsonRef::Document(document) if document.is_empty() => Ok(Accumulator {
            operator: Operator::Sum,
            input: Expression::parse(RawBsonRef::Int32(1), names)?,
            n: None,
        }),
        _ => fail(Code::TYPE_MISMATCH, "$count takes no arguments, i.e. $count:{}"),
    }
}

fn with_n(
    operator: Operator,
    name: &str,
    argument: RawBsonRef<'_>,
    names: &VariableNames,
) -> Result<Accumulator, PipelineError> {
    let RawBsonRef::Document(options) = argument else {
        let message = format!("specification must be an object; found {name}: {}", kind(argument));
        return fail(5787900, message);
    };
    let (mut n, mut input) = (None, None);
    for element in options {
        let (option, value) = element?;
        match option.as_str() {
            "n" => n = Some(Expression::parse(value, names)?),
            "input" => input = Some(Expression::parse(value, names)?),
            other => {
                let message = format!("Unknown argument for 'n' operator: {other}");
                return fail(5787901, message);
            }
        }
    }
    let Some(n) = n else {
        return fail(5787906, "Missing value for 'n'");
    };
    let Some(input) = input else {
        return fail(5787907, "Missing value for 'input'");
    };
    Ok(Accumulator { operator, input, n: Some(n) })
}

fn top(
    name: &str,
    argument: RawBsonRef<'_>,
    names: &VariableNames,
) -> Result<Accumulator, PipelineError> {
    let RawBsonRef::Document(options) = argument else {
        let message = format!("specification must be an object; found {name}: {}", kind(argument));
        return fail(5788001, message);
    };
    let takes_n = name.ends_with('N');
    let (mut n, mut output, mut sort) = (None, None, None);
    for element in options {
        let (option, value) = element?;
        match option.as_str() {
            "n" if takes_n => n = Some(Expression::parse(value, names)?),
            "output" => output = Some(Expression::parse(value, names)?),
            "sortBy" => sort = Some(sort_of(value, names)?),
            other => {
                let message = format!("Unknown argument to {name} '{other}'");
                return fail(5788002, message);
            }
        }
    }
    if takes_n && n.is_none() {
        return fail(5788003, "Missing value for 'n'");
    }
    let Some(output) = output else {
        return fail(5788004, "Missing value for 'output'");
    };
    let Some(sort) = sort else {
        return fail(5788005, "Missing value for 'sortBy'");
    };
    let is_bottom = name.starts_with("$bottom");
    let operator = if takes_n {
        Operator::TopN { sort, is_bottom }
    } else {
        Operator::Top { sort, is_bottom }
    };
    Ok(Accumulator { operator, input: output, n })
}

fn sort_of(value: RawBsonRef<'_>, names: &VariableNames) -> Result<Sort, PipelineError> {
    let sort = value.as_document();
    let sort = sort.map(|sort| Sort::parse_in(sort, names.collation())).transpose()?.flatten();
    match sort {
        Some(sort) => Ok(sort),
        None => fail(
            5788604,
            format!("expected 'sortBy' to already be an object, but found {}", kind(value)),
        ),
    }
}

fn percentile(
    name: &str,
    argument: RawBsonRef<'_>,
    names: &VariableNames,
) -> Result<Accumulator, PipelineError> {
    let is_median = name == "$median";
    let RawBsonRef::Document(options) = argument else {
        let code = if is_median { 7436100 } else { 7429703 };
        let message = format!("specification must be an object; found {name}: {}", kind(argument));
        return fail(code, message);
    };
    let (mut ps, mut input, mut has_method) = (None, None, false);
    for element in options {
        let (option, value) = element?;
        match option.as_str() {
            "input" => input = Some(Expression::parse(value, names)?),
            "p" if !is_median => ps = Some(percentile_list(value)?),
            "method" => {
                has_method = true;
                check_percentile_method(Some(value))?;
            }
            other => {
                let message = format!("BSON field '{name}.{other}' is an unknown field.");
                return fail(Code::IDL_UNKNOWN_FIELD, message);
            }
        }
    }
    let missing = |field: &str| {
        let message = format!("BSON field '{name}.{field}' is missing but a required field");
        PipelineError::stage(Code::IDL_FAILED_TO_PARSE, message)
    };
    let input = input.ok_or_else(|| missing("input"))?;
    if !has_method {
        return Err(missing("method"));
    }
    let ps = if is_median { vec![0.5] } else { ps.ok_or_else(|| missing("p"))? };
    Ok(Accumulator { operator: Operator::Percentile { ps, is_median }, input, n: None })
}
