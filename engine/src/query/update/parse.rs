//! Update documents to changes.

use std::cmp::Ordering;

use bson::{
    Bson, Document,
    raw::{RawBson, RawBsonRef, RawDocument, RawDocumentBuf},
};

use super::{
    Change, Form,
    action::Action,
    arithmetic::{BitOp, Sum, integer, is_number},
    array::{Pull, Push, parse_sort},
    identifiers,
    path::{Part, UpdatePath},
    shown, type_of,
};
use crate::query::{
    Expr, Filter, QueryError, QueryErrorKind, Test,
    filter::{is_operators, number},
};

pub(super) fn update(
    update: RawBsonRef<'_>,
    array_filters: &[&RawDocument],
) -> Result<Form, QueryError> {
    let RawBsonRef::Document(raw) = update else {
        return Err(QueryError::failed_to_parse(
            "Update argument must be either an object or an array",
        ));
    };
    let update = Document::try_from(raw)?;
    if !update.keys().next().is_some_and(|name| name.starts_with('$')) {
        return replacement(update, array_filters);
    }
    let array_filters = identifiers::parse(array_filters)?;
    let mut changes = Vec::new();
    for (operator, fields) in update {
        operator_changes(&operator, fields, raw, &mut changes)?;
    }
    changes.sort_by(|a, b| path_order(&a.path, &b.path));
    check_conflicts(&changes)?;
    identifiers::check(&changes, &array_filters, raw)?;
    Ok(Form::Operators { changes, array_filters })
}

fn replacement(update: Document, array_filters: &[&RawDocument]) -> Result<Form, QueryError> {
    if !array_filters.is_empty() {
        return Err(QueryError::failed_to_parse(
            "arrayFilters can't be given for a replacement; use update operators",
        ));
    }
    if let Some(name) = update.keys().find(|name| name.starts_with('$')) {
        return Err(QueryError::new(
            QueryErrorKind::DollarPrefixedFieldName,
            format!(
                "The dollar ($) prefixed field '{name}' in '{name}' is not allowed in the context \
                 of an update's replacement document; start with an operator such as $set"
            ),
        ));
    }
    Ok(Form::Replacement(update))
}

fn operator_changes(
    operator: &str,
    fields: Bson,
    raw: &RawDocument,
    changes: &mut Vec<Change>,
) -> Result<(), QueryError> {
    if !operator.starts_with('$') || !is_known(operator) {
        return Err(QueryError::failed_to_parse(format!(
            "Unknown modifier: {operator}. Expected a valid update modifier or pipeline-style \
             update specified as an array"
        )));
    }
    let Bson::Document(fields) = fields else {
        return Err(QueryError::failed_to_parse(format!(
            "Modifiers operate on fields but we found type {} instead. For example: \
             {{{operator}: {{<field>: ...}}}}",
            type_of(&fields)
        )));
    };
    let raw_fields = raw.get(operator)?.and_then(RawBsonRef::as_document);
    for (name, argument) in fields {
        let path = UpdatePath::parse(&name)?;
        let action = match operator {
            "$rename" => rename(&path, &argument, changes)?,
            "$pull" => {
                let raw = raw_fields.and_then(|raw| raw.get(&name).ok().flatten());
                Action::Pull(pull(raw.unwrap_or(RawBsonRef::Null), argument)?)
            }
            _ => action(operator, &name, argument)?,
        };
        changes.push(Change { path, action });
    }
    Ok(())
}

fn is_known(operator: &str) -> bool {
    const KNOWN: [&str; 15] = [
        "$set",
        "$setOnInsert",
        "$unset",
        "$inc",
        "$mul",
        "$min",
        "$max",
        "$rename",
        "$currentDate",
        "$push",
        "$addToSet",
        "$pull",
        "$pullAll",
        "$pop",
        "$bit",
    ];
    KNOWN.contains(&operator)
}

fn action(operator: &str, name: &str, argument: Bson) -> Result<Action, QueryError> {
    Ok(match operator {
        "$setOnInsert" => Action::SetOnInsert(argument),
        "$unset" => Action::Unset,
        "$inc" => sum(Sum::Add, name, argument)?,
        "$mul" => sum(Sum::Multiply, name, argument)?,
        "$min" => Action::Extreme(Ordering::Less, argument),
        "$max" => Action::Extreme(Ordering::Greater, argument),
        "$currentDate" => current_date(&argument)?,
        "$push" => Action::Push(push(argument)?),
        "$addToSet" => Action::AddToSet(add_to_set(argument)?),
        "$pullAll" => match argument {
            Bson::Array(values) => Action::PullAll(values),
            other => {
                return Err(QueryError::bad_value(format!(
                    "$pullAll requires an array argument but was given a {}",
                    type_of(&other)
                )));
            }
        },
        "$pop" => match number_of(&argument) {
            Some(1) => Action::Pop { first: false },
            Some(-1) => Action::Pop { first: true },
            Some(_) => {
                return Err(QueryError::failed_to_parse(format!(
                    "$pop expects 1 or -1, found: {argument}"
                )));
            }
            None => {
                return Err(QueryError::failed_to_parse(format!(
                    "Expected a number in: {}",
                    shown(name, &argument)
                )));
            }
        },
        "$bit" => Action::Bit(bits(name, argument)?),
        _ => Action::Set(argument),
    })
}

fn sum(sum: Sum, name: &str, by: Bson) -> Result<Action, QueryError> {
    if is_number(&by) {
        return Ok(Action::Sum(sum, by));
    }
    let verb = if sum == Sum::Add { "increment" } else { "multiply" };
    Err(QueryError::type_mismatch(format!(
        "Cannot {verb} with non-numeric argument: {{{}}}",
        shown(name, &by)
    )))
}

fn current_date(argument: &Bson) -> Result<Action, QueryError> {
    let timestamp = match argument {
        Bson::Boolean(_) => Some(false),
        Bson::Document(document) if document.len() == 1 => match document.get("$type") {
            Some(Bson::String(name)) if name == "date" => Some(false),
            Some(Bson::String(name)) if name == "timestamp" => Some(true),
            _ => None,
        },
        _ => None,
    };
    timestamp.map(|timestamp| Action::CurrentDate { timestamp }).ok_or_else(|| {
        QueryError::bad_value(format!(
            "{} is not valid type for $currentDate. Please use a boolean ('true') or a $type \
             expression ({{$type: 'timestamp/date'}}).",
            type_of(argument)
        ))
    })
}

fn push(argument: Bson) -> Result<Push, QueryError> {
    let modifiers = match argument {
        Bson::Document(document) if document.contains_key("$each") => document,
        value => return Ok(Push { values: vec![value], ..Push::default() }),
    };
    let mut push = Push::default();
    let whole = |name: &str, value: &Bson| {
        number_of(value).ok_or_else(|| {
            QueryError::bad_value(format!("The value for {name} of $push must be a whole number"))
        })
    };
    for (name, value) in modifiers {
        match (name.as_str(), value) {
            ("$each", Bson::Array(values)) => push.values = values,
            ("$each", other) => {
                return Err(QueryError::bad_value(format!(
                    "The argument to $each in $push must be an array but it was of type {}",
                    type_of(&other)
                )));
            }
            ("$position", value) => push.position = Some(whole("$position", &value)?),
            ("$slice", value) => push.slice = Some(whole("$slice", &value)?),
            ("$sort", value) => push.sort = Some(parse_sort(&value)?),
            (other, _) => {
                return Err(QueryError::bad_value(format!(
                    "Unrecognized clause in $push: {other}"
                )));
            }
        }
    }
    Ok(push)
}

fn add_to_set(argument: Bson) -> Result<Vec<Bson>, QueryError> {
    let Bson::Document(mut document) = argument else { return Ok(vec![argument]) };
    if document.keys().next().is_none_or(|name| name != "$each") {
        return Ok(vec![Bson::Document(document)]);
    }
    if let Some(other) = document.keys().nth(1) {
        return Err(QueryError::bad_value(format!(
            "Found unexpected fields after $each in $addToSet: {other}"
        )));
    }
    match document.remove("$each") {
        Some(Bson::Array(values)) => Ok(values),
        _ => Err(QueryError::type_mismatch("The argument to $each in $addToSet must be an array")),
    }
}

/// A document without operators is a filter for documents; with operators, or as a regular
/// expression, it is a test for values; anything else must be equal.
fn pull(raw: RawBsonRef<'_>, argument: Bson) -> Result<Pull, QueryError> {
    let is_test = match raw {
        RawBsonRef::Document(document) if is_operators(document) => true,
        RawBsonRef::Document(document) => {
            return Ok(Pull::Documents(Filter::parse(document)?.root().clone()));
        }
        RawBsonRef::RegularExpression(_) => true,
        _ => false,
    };
    if !is_test {
        return Ok(Pull::Value(argument));
    }
    let inner = match raw {
        RawBsonRef::Document(document) => document.to_owned(),
        other => wrap("$regex", other),
    };
    let filter = Filter::parse(&wrap(
        "x",
        RawBsonRef::Document(&wrap("$elemMatch", RawBsonRef::Document(&inner))),
    ))?;
    match filter.root() {
        Expr::Field { test: Test::ElemMatchDocument(expr), .. } => {
            Ok(Pull::Documents((**expr).clone()))
        }
        Expr::Field { test: Test::ElemMatchValue(tests), .. } => {
            // "Not (not all)" is "all": one test that holds when all do.
            Ok(Pull::Tests(Test::NotAll(vec![Test::NotAll(tests.clone())])))
        }
        _ => Err(QueryError::bad_value("$pull has a condition that can't be read")),
    }
}

fn wrap(name: &str, value: RawBsonRef<'_>) -> RawDocumentBuf {
    let mut document = RawDocumentBuf::new();
    if let Ok(name) = <&bson::raw::CStr>::try_from(name) {
        document.append(name, value);
    }
    document
}

fn bits(name: &str, argument: Bson) -> Result<Vec<(BitOp, Bson)>, QueryError> {
    let wrong = || {
        QueryError::bad_value(format!(
            "$bit takes {{and|or|xor: <integer>}} for each field; the value of '{name}' is not so"
        ))
    };
    let Bson::Document(steps) = argument else { return Err(wrong()) };
    if steps.is_empty() {
        return Err(wrong());
    }
    let step = |(name, mask): (String, Bson)| {
        let op = match name.as_str() {
            "and" => BitOp::And,
            "or" => BitOp::Or,
            "xor" => BitOp::Xor,
            _ => return Err(wrong()),
        };
        integer(&mask).ok_or_else(wrong)?;
        Ok((op, mask))
    };
    steps.into_iter().map(step).collect()
}

/// Beside the rename itself the target counts for conflicts, so it stands among the changes too.
fn rename(
    from: &UpdatePath,
    argument: &Bson,
    changes: &mut Vec<Change>,
) -> Result<Action, QueryError> {
    let Bson::String(to) = argument else {
        return Err(QueryError::bad_value(format!(
            "The 'to' field for $rename must be a string: {}",
            from.text
        )));
    };
    let to = UpdatePath::parse(to)?;
    if from.is_positional() || to.is_positional() {
        return Err(QueryError::bad_value("The fields of $rename may not be dynamic"));
    }
    if from.conflicts_with(&to) {
        return Err(QueryError::bad_value(format!(
            "The source and target field for $rename must differ and not be on the same path: {}",
            from.text
        )));
    }
    let names = to.text.split('.').map(str::to_owned).collect();
    changes.push(Change { path: to, action: Action::Reserve });
    Ok(Action::Rename(names))
}

fn number_of(value: &Bson) -> Option<i64> {
    number::whole(RawBson::try_from(value.clone()).ok()?.as_raw_bson_ref())
}

/// Fields apply in the order of their names, numbers by value, as MongoDB adds them.
fn path_order(a: &UpdatePath, b: &UpdatePath) -> Ordering {
    let key = |part: &Part| match part {
        Part::Name(name) => (name.parse::<u64>().ok(), name.clone()),
        Part::Matched => (None, "$".to_owned()),
        Part::Every => (None, "$[]".to_owned()),
        Part::Filtered(name) => (None, format!("$[{name}]")),
    };
    let compare = |a: &Part, b: &Part| match (key(a), key(b)) {
        ((Some(a), _), (Some(b), _)) => a.cmp(&b),
        ((_, a), (_, b)) => a.cmp(&b),
    };
    let pairs = a.parts.iter().zip(&b.parts).map(|(a, b)| compare(a, b));
    pairs.fold(Ordering::Equal, Ordering::then).then(a.parts.len().cmp(&b.parts.len()))
}

fn check_conflicts(changes: &[Change]) -> Result<(), QueryError> {
    // A path sorts directly before those that it leads to, so it is enough to look at what follows.
    for (at, change) in changes.iter().enumerate() {
        for other in changes.iter().skip(at + 1) {
            if change.path.conflicts_with(&other.path) {
                return Err(QueryError::new(
                    QueryErrorKind::ConflictingUpdateOperators,
                    format!(
                        "Updating the path '{}' would create a conflict at '{}'",
                        other.path.text, change.path.text
                    ),
                ));
            }
        }
    }
    Ok(())
}
