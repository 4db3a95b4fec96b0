//! `$getField`, `$setField`, `$unsetField`, `$mergeObjects`; `$type`, `$isNumber`, `$rand`.

use bson::raw::{RawBson, RawBsonRef, RawDocument, RawDocumentBuf};

use super::{
    arithmetic::Number,
    node::Node,
    operator::{Arguments, CallArgs, NamedMistake, Operator, Outcome},
    parse::Parser,
    path::FieldPath,
    value::{is_nullish, shown, type_name},
};
use crate::query::{QueryError, document::append, error::refused};

pub(super) static OPERATORS: &[Operator] = &[
    SET_FIELD,
    UNSET_FIELD,
    Operator { name: "$mergeObjects", arguments: Arguments::AtLeast(0), run: merge_objects },
    Operator { name: "$type", arguments: Arguments::Exactly(1), run: type_of },
    Operator { name: "$isNumber", arguments: Arguments::Exactly(1), run: is_number },
];

const GET_FIELD: Operator = Operator {
    name: "$getField",
    arguments: Arguments::Named { fields: &[("field", true), ("input", true)], refuse },
    run: get_field,
};
const SET_FIELD: Operator = Operator {
    name: "$setField",
    arguments: Arguments::Named {
        fields: &[("field", true), ("value", true), ("input", true)],
        refuse,
    },
    run: set_field,
};
const UNSET_FIELD: Operator = Operator {
    name: "$unsetField",
    arguments: Arguments::Named { fields: &[("field", true), ("input", true)], refuse },
    run: set_field,
};
static GET: Operator = GET_FIELD;
static RAND: Operator = Operator { name: "$rand", arguments: Arguments::Exactly(0), run: rand };

fn refuse(operator: &'static str, mistake: NamedMistake<'_>) -> QueryError {
    let get = operator == "$getField";
    match mistake {
        NamedMistake::NotDocument(value) => refused!(
            if get { 3041703 } else { 4161100 },
            "{operator} only supports an object as its argument, not {}",
            type_name(Some(value))
        ),
        NamedMistake::Unknown(field) => refused!(
            if get { 3041701 } else { 4161101 },
            "{operator} found an unknown argument: {field}"
        ),
        NamedMistake::Missing(field) => refused!(
            match field {
                "value" => 4161103,
                "input" if !get => 4161109,
                _ if !get => 4161102,
                "field" => 3041702,
                _ => 3041703,
            },
            "{operator} requires '{field}' to be specified"
        ),
    }
}

/// `{$getField: "name"}` reads from the current document; the long form names the input.
pub(super) fn parse_get_field(
    parser: &mut Parser,
    value: RawBsonRef<'_>,
) -> Result<Node, QueryError> {
    let is_long = value.as_document().is_some_and(|document| {
        document
            .into_iter()
            .flatten()
            .next()
            .is_some_and(|(name, _)| !name.as_str().starts_with('$'))
    });
    if is_long {
        return parser.call(&GET, value);
    }
    let field = parser.operand(value)?;
    let current = Node::Path(FieldPath { variable: None, parts: Vec::new() });
    Ok(Node::Call { operator: &GET, arguments: vec![Some(field), Some(current)] })
}

/// The name that `$setField` sets is the same for all documents.
pub(super) fn check_name(
    operator: &'static str,
    arguments: &RawDocument,
) -> Result<(), QueryError> {
    let is_literal = |document: &RawDocument| {
        document.into_iter().flatten().next().is_none_or(|(name, _)| name.as_str() == "$literal")
    };
    let code = match arguments.get("field")? {
        Some(RawBsonRef::String(name)) if name.starts_with('$') => 4161108,
        Some(RawBsonRef::Document(document)) if !is_literal(document) => 4161106,
        Some(RawBsonRef::Array(_)) => 4161106,
        _ => return Ok(()),
    };
    let words = match code {
        4161108 => {
            format!("{operator}: A field path reference which is not allowed in this context")
        }
        _ => format!("{operator} requires 'field' to evaluate to a constant"),
    };
    Err(refused(code, words))
}

/// `$rand` takes an empty document or an empty array.
pub(super) fn parse_rand(_: &mut Parser, value: RawBsonRef<'_>) -> Result<Node, QueryError> {
    let is_empty = match value {
        RawBsonRef::Document(document) => document.is_empty(),
        RawBsonRef::Array(array) => array.is_empty(),
        _ => {
            let words = "invalid parameter: expected an object ($rand)";
            return Err(refused(10065, words));
        }
    };
    if !is_empty {
        return Err(refused(3040501, "$rand does not currently accept arguments"));
    }
    Ok(Node::Call { operator: &RAND, arguments: Vec::new() })
}

fn name_of<'g>(given: &'g CallArgs<'_>) -> Result<&'g str, QueryError> {
    match given.named("field") {
        Some(RawBsonRef::String(name)) => Ok(name),
        other => Err(refused!(
            if given.name() == "$getField" { 3041704 } else { 4161107 },
            "{} requires 'field' to evaluate to type String, but got {}",
            given.name(),
            type_name(other)
        )),
    }
}

fn get_field(given: &CallArgs<'_>) -> Outcome {
    let name = name_of(given)?;
    match given.named("input") {
        Some(RawBsonRef::Document(input)) => Ok(input.get(name)?.map(RawBson::from)),
        Some(RawBsonRef::Null | RawBsonRef::Undefined) => Ok(Some(RawBson::Null)),
        _ => Ok(None),
    }
}

/// `$setField`, and `$unsetField`, which has no value.
fn set_field(given: &CallArgs<'_>) -> Outcome {
    let name = name_of(given)?;
    let input = given.named("input");
    if is_nullish(input) {
        return Ok(Some(RawBson::Null));
    }
    let Some(RawBsonRef::Document(input)) = input else {
        return Err(refused(
            4161105,
            format!("{} requires 'input' to evaluate to type Object", given.name()),
        ));
    };
    with_field(input, name, given.named("value")).map(|document| Some(RawBson::Document(document)))
}

/// The document with this field set, in its place or at the end, or without it.
fn with_field(
    input: &RawDocument,
    name: &str,
    value: Option<RawBsonRef<'_>>,
) -> Result<RawDocumentBuf, QueryError> {
    let (mut out, mut is_set) = (RawDocumentBuf::new(), false);
    for element in input {
        let (known, old) = element?;
        if known.as_str() != name {
            out.append(known, old);
        } else if let Some(value) = value.filter(|_| !is_set) {
            out.append(known, value);
            is_set = true;
        }
    }
    if let Some(value) = value.filter(|_| !is_set) {
        append(&mut out, name, value)?;
    }
    Ok(out)
}

fn merge_objects(given: &CallArgs<'_>) -> Outcome {
    let mut merged: Vec<(&str, RawBsonRef<'_>)> = Vec::new();
    let mut places = std::collections::HashMap::new();
    let list = match given.at(0) {
        Some(RawBsonRef::Array(array)) if given.count() == 1 => {
            array.into_iter().map(|item| item.map(Some)).collect::<Result<Vec<_>, _>>()?
        }
        _ => given.all().collect(),
    };
    for value in list {
        if is_nullish(value) {
            continue;
        }
        let Some(RawBsonRef::Document(document)) = value else {
            return Err(refused!(
                40400,
                "$mergeObjects requires object inputs, but input {} is of type {}",
                shown(value),
                type_name(value)
            ));
        };
        for element in document {
            let (name, value) = element?;
            let place = *places.entry(name.as_str()).or_insert(merged.len());
            match merged.get_mut(place) {
                Some(slot) => slot.1 = value,
                None => merged.push((name.as_str(), value)),
            }
        }
    }
    let mut out = RawDocumentBuf::new();
    for (name, value) in merged {
        append(&mut out, name, value)?;
    }
    Ok(Some(RawBson::Document(out)))
}

#[expect(clippy::unnecessary_wraps, reason = "what operators give")]
fn type_of(given: &CallArgs<'_>) -> Outcome {
    Ok(Some(RawBson::String(type_name(given.at(0)).to_owned())))
}

#[expect(clippy::unnecessary_wraps, reason = "what operators give")]
fn is_number(given: &CallArgs<'_>) -> Outcome {
    Ok(Some(RawBson::Boolean(given.at(0).and_then(Number::of).is_some())))
}

#[expect(clippy::unnecessary_wraps, reason = "what operators give")]
fn rand(given: &CallArgs<'_>) -> Outcome {
    Ok(Some(RawBson::Double(given.context.random())))
}

#[cfg(test)]
mod tests {
    use crate::query::expression::testing::{check, check_error};

    #[test]
    fn fields_are_read_set_and_merged() {
        check("{$getField: 'a'}", "{a: 1}", "1");
        check("{$getField: {field: 'x.y', input: '$a'}}", "{a: {'x.y': 2}}", "2");
        check("{$setField: {field: 'b', input: '$$ROOT', value: 2}}", "{a: 1}", "{a: 1, b: 2}");
        check("{$setField: {field: 'a', input: '$$ROOT', value: '$$REMOVE'}}", "{a: 1}", "{}");
        check("{$unsetField: {field: 'a', input: '$$ROOT'}}", "{a: 1, b: 2}", "{b: 2}");
        check("{$mergeObjects: ['$a', {y: 3}, null]}", "{a: {x: 1, y: 2}}", "{x: 1, y: 3}");
        check("{$mergeObjects: '$a'}", "{a: [{x: 1}, {y: 2}]}", "{x: 1, y: 2}");
        check_error("{$mergeObjects: [1]}", "{}", "$mergeObjects requires object inputs");
        check_error("{$setField: {field: 'a', input: {}}}", "{}", "$setField requires 'value'");
        check_error("{$setField: {field: '$a', input: {}, value: 1}}", "{}", "A field path");
        check_error("{$setField: {field: {a: 1}, input: {}, value: 1}}", "{}", "a constant");
    }

    #[test]
    fn types_and_accumulators() {
        check("{$type: '$a'}", "{a: 1}", "'int'");
        check("{$type: '$none'}", "{}", "'missing'");
        check("{$isNumber: '$a'}", "{a: 1.5}", "true");
        check("{$sum: '$a'}", "{a: [1, 2, 'x']}", "3");
        check("{$sum: ['$a', 4]}", "{a: [1, 2]}", "4");
        check("{$avg: [1, 2]}", "{}", "1.5");
        check("{$sum: [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]}", "{}", "1.0");
        check("{$avg: '$none'}", "{}", "null");
        check("{$max: '$a'}", "{a: [1, 5, null]}", "5");
        check("{$min: ['$none', 3]}", "{}", "3");
        check("{$stdDevPop: [1, 3]}", "{}", "1.0");
        check("{$stdDevSamp: [1]}", "{}", "null");
        check("{$lt: [{$rand: {}}, 1]}", "{}", "true");
    }
}
