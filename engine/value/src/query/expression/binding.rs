//! `$let`, `$map`, `$filter`, `$reduce`: forms that bind variables.

use bson::raw::{RawArray, RawArrayBuf, RawBson, RawBsonRef};

use super::{
    budget::{Budget, check_made},
    names::VariableNames,
    node::Node,
    parse::Parser,
    scope::{Frame, Scope},
    value::{Value, shown, type_name},
};
use crate::{
    interrupt::tick,
    query::{Code, QueryError, error::refused, filter::number::whole},
};

/// A form that binds variables.
#[derive(Debug, Clone)]
pub(super) enum Binding {
    Let { variables: Vec<(String, Node)>, body: Node },
    Map { input: Node, name: String, body: Node },
    Filter { input: Node, name: String, condition: Node, limit: Option<Node> },
    Reduce { input: Node, initial: Node, body: Node },
}

impl Binding {
    /// All expressions in it.
    pub(super) fn nodes(&self) -> impl Iterator<Item = &Node> {
        let (variables, nodes): (&[(String, Node)], [Option<&Node>; 3]) = match self {
            Self::Let { variables, body } => (variables, [Some(body), None, None]),
            Self::Map { input, body, .. } => (&[], [Some(input), Some(body), None]),
            Self::Filter { input, condition, limit, .. } => {
                (&[], [Some(input), Some(condition), limit.as_ref()])
            }
            Self::Reduce { input, initial, body } => {
                (&[], [Some(input), Some(initial), Some(body)])
            }
        };
        variables.iter().map(|(_, node)| node).chain(nodes.into_iter().flatten())
    }

    pub(super) fn evaluate(&self, scope: &Scope<'_>) -> Result<Option<RawBson>, QueryError> {
        let null = Ok(Some(RawBson::Null));
        match self {
            Self::Let { variables, body } => {
                let mut values = Vec::with_capacity(variables.len());
                for (name, node) in variables {
                    let value = node.evaluate(scope)?;
                    if let Value::Owned(value) = &value {
                        check_made(Some(value))?;
                    }
                    values.push((name.as_str(), value));
                }
                bind(&values, body, *scope)
            }
            Self::Map { input, name, body } => {
                let input = input.evaluate(scope)?;
                let words = "input to $map must be an array not ";
                let Some(array) = elements(&input, 16883, words)? else { return null };
                map(array, name, body, scope).map(|array| Some(RawBson::Array(array)))
            }
            Self::Filter { input, name, condition, limit } => {
                let input = input.evaluate(scope)?;
                let words = "input to $filter must be an array not ";
                let limit = limit.as_ref().map(|limit| filter_limit(limit, scope)).transpose()?;
                let Some(array) = elements(&input, 28651, words)? else { return null };
                filter(array, name, condition, limit.flatten(), scope)
                    .map(|array| Some(RawBson::Array(array)))
            }
            Self::Reduce { input, initial, body } => {
                let input = input.evaluate(scope)?;
                let words = "$reduce requires that 'input' be an array, found: ";
                let Some(array) = elements(&input, 40080, words)? else { return null };
                reduce(array, initial, body, scope)
            }
        }
    }
}

/// Evaluates the body with these variables in sight.
fn bind(
    variables: &[(&str, Value<'_>)],
    body: &Node,
    scope: Scope<'_>,
) -> Result<Option<RawBson>, QueryError> {
    let frame = Frame { variables, outer: scope.frame() };
    let value = body.evaluate(&scope.with_frame(&frame))?;
    Ok(value.into_owned())
}

/// The array that the form goes over; `None` for null and missing.
fn elements<'a>(
    input: &'a Value<'_>,
    code: i32,
    words: &str,
) -> Result<Option<&'a RawArray>, QueryError> {
    match input.as_ref() {
        _ if input.is_nullish() => Ok(None),
        Some(RawBsonRef::Array(array)) => Ok(Some(array)),
        other => Err(refused(code, format!("{words}{}", type_name(other)))),
    }
}

fn map(
    array: &RawArray,
    name: &str,
    body: &Node,
    scope: &Scope<'_>,
) -> Result<RawArrayBuf, QueryError> {
    let (mut out, mut budget) = (RawArrayBuf::new(), Budget::default());
    for element in array {
        tick()?;
        let variables = [(name, Value::Ref(element?))];
        let frame = Frame { variables: &variables, outer: scope.frame() };
        let value = body.evaluate(&scope.with_frame(&frame))?;
        let value = value.as_ref().unwrap_or(RawBsonRef::Null);
        budget.take(value)?;
        out.push(value);
    }
    Ok(out)
}

fn filter(
    array: &RawArray,
    name: &str,
    condition: &Node,
    limit: Option<i64>,
    scope: &Scope<'_>,
) -> Result<RawArrayBuf, QueryError> {
    let mut out = RawArrayBuf::new();
    let mut left = limit.unwrap_or(i64::MAX);
    for element in array {
        if left == 0 {
            break;
        }
        tick()?;
        let element = element?;
        let variables = [(name, Value::Ref(element))];
        let frame = Frame { variables: &variables, outer: scope.frame() };
        if condition.evaluate(&scope.with_frame(&frame))?.is_true() {
            out.push(element);
            left -= 1;
        }
    }
    Ok(out)
}

fn filter_limit(limit: &Node, scope: &Scope<'_>) -> Result<Option<i64>, QueryError> {
    let value = limit.evaluate(scope)?;
    if value.is_nullish() {
        return Ok(None);
    }
    let number = value.as_ref().and_then(whole).and_then(|number| i32::try_from(number).ok());
    let Some(number) = number else {
        return Err(refused!(
            327391,
            "$filter: limit must be represented as a 32-bit integral value: {}",
            shown(value.as_ref())
        ));
    };
    if number < 1 {
        return Err(refused(327392, format!("$filter: limit must be greater than 0: {number}")));
    }
    Ok(Some(i64::from(number)))
}

fn reduce(
    array: &RawArray,
    initial: &Node,
    body: &Node,
    scope: &Scope<'_>,
) -> Result<Option<RawBson>, QueryError> {
    let mut value = initial.evaluate(scope)?.into_owned();
    for element in array {
        tick()?;
        let so_far = value.as_ref().map(RawBson::as_raw_bson_ref).into();
        value = bind(&[("this", Value::Ref(element?)), ("value", so_far)], body, *scope)?;
        check_made(value.as_ref())?;
    }
    Ok(value)
}

/// The fields of a form's document, by name.
fn fields<'d, const N: usize>(
    value: RawBsonRef<'d>,
    names: [&str; N],
    not_object: impl Fn(RawBsonRef<'_>) -> QueryError,
    unknown: impl Fn(&str) -> QueryError,
) -> Result<[Option<RawBsonRef<'d>>; N], QueryError> {
    let RawBsonRef::Document(document) = value else { return Err(not_object(value)) };
    let mut found = [None; N];
    for element in document {
        let (name, value) = element?;
        let name = name.as_str();
        let slot = names.iter().zip(&mut found).find(|(known, _)| **known == name);
        let Some((_, slot)) = slot else { return Err(unknown(name)) };
        *slot = Some(value);
    }
    Ok(found)
}

pub(super) fn parse_let(parser: &mut Parser, value: RawBsonRef<'_>) -> Result<Node, QueryError> {
    let [vars, body] = fields(
        value,
        ["vars", "in"],
        |_| refused(16874, "$let only supports an object as its argument"),
        |name| refused(16875, format!("Unrecognized parameter to $let: {name}")),
    )?;
    let vars = vars.ok_or_else(|| refused(16876, "Missing 'vars' parameter to $let"))?;
    let body = body.ok_or_else(|| refused(16877, "Missing 'in' parameter to $let"))?;
    let RawBsonRef::Document(vars) = vars else {
        return Err(refused(10065, "invalid parameter: expected an object (vars)"));
    };
    let mut variables = Vec::new();
    for element in vars {
        let (name, value) = element?;
        VariableNames::check(name.as_str())?;
        variables.push((name.as_str().to_owned(), parser.operand(value)?));
    }
    let names: Vec<&str> = variables.iter().map(|(name, _)| name.as_str()).collect();
    let body = parser.operand_with(&names, body)?;
    Ok(Node::Binding(Box::new(Binding::Let { variables, body })))
}

/// The name that `as` gives, or `this`.
fn name_of(given: Option<RawBsonRef<'_>>) -> Result<String, QueryError> {
    let name = match given {
        None => "this",
        Some(RawBsonRef::String(name)) => name,
        Some(_) => {
            return Err(refused(Code::FAILED_TO_PARSE, "empty variable names are not allowed"));
        }
    };
    VariableNames::check(name)?;
    Ok(name.to_owned())
}

pub(super) fn parse_map(parser: &mut Parser, value: RawBsonRef<'_>) -> Result<Node, QueryError> {
    let [input, name, body] = fields(
        value,
        ["input", "as", "in"],
        |_| refused(16878, "$map only supports an object as its argument"),
        |name| refused(16879, format!("Unrecognized parameter to $map: {name}")),
    )?;
    let missing = |code, name| refused(code, format!("Missing '{name}' parameter to $map"));
    let input = input.ok_or_else(|| missing(16880, "input"))?;
    let body = body.ok_or_else(|| missing(16882, "in"))?;
    let input = parser.operand(input)?;
    let name = name_of(name)?;
    let body = parser.operand_with(&[&name], body)?;
    Ok(Node::Binding(Box::new(Binding::Map { input, name, body })))
}

pub(super) fn parse_filter(parser: &mut Parser, value: RawBsonRef<'_>) -> Result<Node, QueryError> {
    let [input, name, condition, limit] = fields(
        value,
        ["input", "as", "cond", "limit"],
        |_| refused(28646, "$filter only supports an object as its argument"),
        |name| refused(28647, format!("Unrecognized parameter to $filter: {name}")),
    )?;
    let missing = |code, name| refused(code, format!("Missing '{name}' parameter to $filter"));
    let input = input.ok_or_else(|| missing(28648, "input"))?;
    let condition = condition.ok_or_else(|| missing(28650, "cond"))?;
    let input = parser.operand(input)?;
    let name = name_of(name)?;
    let condition = parser.operand_with(&[&name], condition)?;
    let limit = limit.map(|limit| parser.operand(limit)).transpose()?;
    Ok(Node::Binding(Box::new(Binding::Filter { input, name, condition, limit })))
}

pub(super) fn parse_reduce(parser: &mut Parser, value: RawBsonRef<'_>) -> Result<Node, QueryError> {
    let [input, initial, body] = fields(
        value,
        ["input", "initialValue", "in"],
        |value| {
            let found = type_name(Some(value));
            refused(40075, format!("$reduce requires an object as an argument, found: {found}"))
        },
        |name| refused(40076, format!("$reduce found an unknown argument: {name}")),
    )?;
    let missing = |code, name| refused(code, format!("$reduce requires '{name}' to be specified"));
    let input = input.ok_or_else(|| missing(40077, "input"))?;
    let initial = initial.ok_or_else(|| missing(40078, "initialValue"))?;
    let body = body.ok_or_else(|| missing(40079, "in"))?;
    let input = parser.operand(input)?;
    let initial = parser.operand(initial)?;
    let body = parser.operand_with(&["this", "value"], body)?;
    Ok(Node::Binding(Box::new(Binding::Reduce { input, initial, body })))
}
