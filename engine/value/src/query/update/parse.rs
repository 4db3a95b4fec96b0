//! Update documents to changes.

use std::cmp::Ordering;

use bson::{
    Bson, Document,
    raw::{RawBson, RawBsonRef, RawDocument, RawDocumentBuf},
};

use super::action::Action;
use super::arithmetic::{BitOp, Sum, is_number};
use super::array::{Pull, Push, parse_sort};
use super::change::{Change, Form};
use super::identifiers;
use super::path::{Part, UpdatePath};
use super::value::{shown, type_of};
use crate::{
    query::{
        Code, Expr, Filter, QueryError, Test,
        filter::{integer::integer as integer_in, is_operators, number},
    },
    value::{
        Collation, integer,
        scan::{self, Limits, ScanErrorKind},
    },
};

pub(super) fn update(
    update: RawBsonRef<'_>,
    array_filters: &[&RawDocument],
    collation: Option<&Collation>,
) -> Result<Form, QueryError> {
    let RawBsonRef::Document(raw) = update else {
        return Err(QueryError::failed_to_parse(
            "Update argument must be either an object or an array",
        ));
    };
    let first = raw.iter().next().transpose()?;
    if !first.is_some_and(|(name, _)| name.as_str().starts_with('$')) {
        check_names(raw.as_bytes())?;
        return replacement(Document::try_from(raw)?, array_filters);
    }
    let array_filters = identifiers::parse(array_filters, collation)?;
    let mut changes = Vec::new();
    for element in raw {
        let (operator, fields) = element?;
        operator_changes(operator.as_str(), fields, collation, &mut changes)?;
    }
    let mut changes: Vec<(usize, Change)> = changes.into_iter().enumerate().collect();
    changes.sort_by(|(_, a), (_, b)| path_order(&a.path, &b.path));
    check_conflicts(&changes)?;
    let changes: Vec<Change> = changes.into_iter().map(|(_, change)| change).collect();
    identifiers::check(&changes, &array_filters, raw)?;
    Ok(Form::Operators { changes, array_filters })
}

/// Refuses a value with such fields.
fn check_names(value: &[u8]) -> Result<(), QueryError> {
    // Of two fields with one name only the last would be stored.
    let limits = Limits { allow_duplicate_names: false, ..Limits::default() };
    match scan::check_with(value, &limits) {
        Err(error) if matches!(error.kind, ScanErrorKind::DuplicateName { .. }) => {
            Err(QueryError::bad_value(format!("the update would lose a field: {}", error.kind)))
        }
        // Other mistakes are found in the document that the update makes.
        _ => Ok(()),
    }
}

fn replacement(update: Document, array_filters: &[&RawDocument]) -> Result<Form, QueryError> {
    if !array_filters.is_empty() {
        return Err(QueryError::failed_to_parse(
            "arrayFilters may not be specified for replacement-style updates",
        ));
    }
    Ok(Form::Replacement(update))
}

fn operator_changes(
    operator: &str,
    fields: RawBsonRef<'_>,
    collation: Option<&Collation>,
    changes: &mut Vec<Change>,
) -> Result<(), QueryError> {
    if !operator.starts_with('$') || !is_known(operator) {
        return Err(QueryError::failed_to_parse(format!(
            "Unknown modifier: {operator}. Expected a valid update modifier or pipeline-style \
             update specified as an array"
        )));
    }
    let RawBsonRef::Document(fields) = fields else {
        let fields = Bson::try_from(fields)?;
        return Err(QueryError::failed_to_parse(format!(
            "Modifiers operate on fields but we found type {} instead. For example: \
             {{$mod: {{<field>: ...}}}} not {{{}}}",
            type_of(&fields),
            shown(operator, &fields)
        )));
    };
    for element in fields {
        let (name, raw) = element?;
        match raw {
            // It is a condition and not stored.
            _ if operator == "$pull" => {}
            RawBsonRef::Document(value) => check_names(value.as_bytes())?,
            RawBsonRef::Array(value) => check_names(value.as_bytes())?,
            _ => {}
        }
        let (path, argument) = (UpdatePath::parse(name.as_str())?, Bson::try_from(raw)?);
        let action = match operator {
            "$rename" => rename(&path, &argument, changes)?,
            "$pull" => Action::Pull(pull(raw, argument, collation)?),
            _ => action(operator, name.as_str(), argument)?,
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
        "$pop" => {
            let argument = RawBson::try_from(argument)?;
            match integer_in(name, argument.as_raw_bson_ref()) {
                Ok(1) => Action::Pop { first: false },
                Ok(-1) => Action::Pop { first: true },
                Ok(other) => {
                    return Err(QueryError::failed_to_parse(format!(
                        "$pop expects 1 or -1, found: {other}"
                    )));
                }
                Err(reason) => return Err(QueryError::failed_to_parse(reason)),
            }
        }
        "$bit" => Action::Bit(bits(argument)?),
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
    let options = match argument {
        Bson::Boolean(_) => return Ok(Action::CurrentDate { timestamp: false }),
        Bson::Document(options) => options,
        other => {
            return Err(QueryError::bad_value(format!(
                "{} is not valid type for $currentDate. Please use a boolean ('true') or a $type \
                 expression ({{$type: 'timestamp/date'}}).",
                type_of(other)
            )));
        }
    };
    let mut timestamp = None;
    for (name, value) in options {
        match (name.as_str(), value) {
            ("$type", Bson::String(name)) if name == "date" => timestamp = Some(false),
            ("$type", Bson::String(name)) if name == "timestamp" => timestamp = Some(true),
            ("$type", _) => {}
            (other, _) => {
                return Err(QueryError::bad_value(format!(
                    "Unrecognized $currentDate option: {other}"
                )));
            }
        }
    }
    timestamp.map(|timestamp| Action::CurrentDate { timestamp }).ok_or_else(|| {
        QueryError::bad_value(
            "The '$type' string field is required to be 'date' or 'timestamp': {$currentDate: \
             {field : {$type: 'date'}}}",
        )
    })
}

fn push(argument: Bson) -> Result<Push, QueryError> {
    let modifiers = match argument {
        Bson::Document(document) if document.contains_key("$each") => document,
        value => return Ok(Push { values: vec![value], ..Push::default() }),
    };
    let mut push = Push::default();
    let whole = |value: &Bson, refusal: &str| {
        number_of(value)
            .ok_or_else(|| QueryError::bad_value(format!("{refusal} type: {}", type_of(value))))
    };
    for (name, value) in modifiers {
        match (name.as_str(), value) {
            ("$each", Bson::Array(values)) => push.values = values,
            ("$each", other) => {
                return Err(QueryError::bad_value(format!(
                    "The argument to $each in $push must be an array but it was of type: {}",
                    type_of(&other)
                )));
            }
            ("$position", value) => {
                let refusal = "The value for $position must be an integer value, not of";
                push.position = Some(whole(&value, refusal)?);
            }
            ("$slice", value) => {
                let refusal = "The value for $slice must be an integer value but was given";
                push.slice = Some(whole(&value, refusal)?);
            }
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
    if document.len() > 1 {
        let text = shown("", &Bson::Document(document));
        return Err(QueryError::bad_value(format!(
            "Found unexpected fields after $each in $addToSet{text}"
        )));
    }
    match document.remove("$each") {
        Some(Bson::Array(values)) => Ok(values),
        other => Err(QueryError::type_mismatch(format!(
            "The argument to $each in $addToSet must be an array but it was of type {}",
            type_of(&other.unwrap_or(Bson::Null))
        ))),
    }
}

/// A document without operators is a filter for documents; with operators, or as a regular
/// expression, it is a test for values; anything else must be equal.
fn pull(
    raw: RawBsonRef<'_>,
    argument: Bson,
    collation: Option<&Collation>,
) -> Result<Pull, QueryError> {
    let of_values = |tests| {
        let filter = Filter::parse_in(&wrap("", tests), collation)?;
        Ok(Pull::Values(filter.root().clone()))
    };
    match raw {
        RawBsonRef::Document(document) if is_operators(document) => {
            let nested = wrap("$elemMatch", raw);
            let filter = Filter::parse_in(&wrap("x", RawBsonRef::Document(&nested)), collation)?;
            match filter.root() {
                Expr::Field { test: Test::ElemMatchDocument(expr), .. } => {
                    Ok(Pull::Documents((**expr).clone()))
                }
                _ => of_values(raw),
            }
        }
        RawBsonRef::Document(document) => {
            Ok(Pull::Documents(Filter::parse_in(document, collation)?.root().clone()))
        }
        RawBsonRef::RegularExpression(_) => of_values(raw),
        _ => Ok(Pull::Value(argument)),
    }
}

fn wrap(name: &str, value: RawBsonRef<'_>) -> RawDocumentBuf {
    let mut document = RawDocumentBuf::new();
    if let Ok(name) = <&bson::raw::CStr>::try_from(name) {
        document.append(name, value);
    }
    document
}

fn bits(argument: Bson) -> Result<Vec<(BitOp, Bson)>, QueryError> {
    let Bson::Document(steps) = argument else {
        return Err(QueryError::bad_value(format!(
            "The $bit modifier is not compatible with a {}. You must pass in an embedded document: \
             {{$bit: {{field: {{and/or/xor: #}}}}",
            type_of(&argument)
        )));
    };
    if steps.is_empty() {
        return Err(QueryError::failed_to_parse(
            "You must pass in at least one bitwise operation. The format is: {$bit: {field: \
             {and/or/xor: #}}",
        ));
    }
    let step = |(name, mask): (String, Bson)| {
        let op = match name.as_str() {
            "and" => BitOp::And,
            "or" => BitOp::Or,
            "xor" => BitOp::Xor,
            _ => {
                return Err(QueryError::failed_to_parse(format!(
                    "The $bit modifier only supports 'and', 'or', and 'xor', not '{name}' which is \
                     an unknown operator: {{{}}}",
                    shown(&name, &mask)
                )));
            }
        };
        if integer(&mask).is_none() {
            return Err(QueryError::bad_value(format!(
                "The $bit modifier field must be an Integer(32/64 bit); a '{}' is not supported \
                 here: {{{}}}",
                type_of(&mask),
                shown(&name, &mask)
            )));
        }
        Ok((op, mask))
    };
    steps.into_iter().map(step).collect()
}

fn rename(
    from: &UpdatePath,
    argument: &Bson,
    changes: &mut Vec<Change>,
) -> Result<Action, QueryError> {
    let Bson::String(to) = argument else {
        return Err(QueryError::bad_value(format!(
            "The 'to' field for $rename must be a string: {}",
            shown(&from.text, argument)
        )));
    };
    let to = UpdatePath::parse(to)?;
    for (path, role) in [(from, "source"), (&to, "destination")] {
        if path.is_positional() {
            return Err(QueryError::bad_value(format!(
                "The {role} field for $rename may not be dynamic: {}",
                path.text
            )));
        }
    }
    if from.conflicts_with(&to) {
        let how = if *from == to { "differ" } else { "not be on the same path" };
        return Err(QueryError::bad_value(format!(
            "The source and target field for $rename must {how}: {}",
            shown(&from.text, argument)
        )));
    }
    let names = to.text.split('.').map(str::to_owned).collect();
    // The target of a rename counts for conflicts, so it is one of the changes too.
    changes.push(Change { path: to, action: Action::Reserve });
    Ok(Action::Rename(names))
}

fn number_of(value: &Bson) -> Option<i64> {
    number::whole(RawBson::try_from(value.clone()).ok()?.as_raw_bson_ref())
}

/// Fields apply in the order of their names.
fn path_order(a: &UpdatePath, b: &UpdatePath) -> Ordering {
    // Numbers come before names, so that this is one order for any mix of the two.
    let key = |part: &Part| match part {
        Part::Name(name) => {
            // Numbers sort by value, because MongoDB adds fields in that order.
            let number = name.parse::<u64>().ok();
            (number.is_none(), number, name.clone())
        }
        Part::Matched => (true, None, "$".to_owned()),
        Part::Every => (true, None, "$[]".to_owned()),
        Part::Filtered(name) => (true, None, format!("$[{name}]")),
    };
    let mut pairs = a.parts.iter().zip(&b.parts).map(|(a, b)| key(a).cmp(&key(b)));
    let first = pairs.find(|order| order.is_ne()).unwrap_or(Ordering::Equal);
    first.then(a.parts.len().cmp(&b.parts.len()))
}

/// The changes are in order, each with its place in the update.
fn check_conflicts(changes: &[(usize, Change)]) -> Result<(), QueryError> {
    // A path stands directly before those that it leads to, so it is enough to compare neighbours.
    for pair in changes.windows(2) {
        let [(first, short), (second, long)] = pair else { continue };
        if let Some(place) = short.path.conflict_with(&long.path) {
            let later = if first > second { short } else { long };
            return Err(QueryError::new(
                Code::CONFLICTING_UPDATE_OPERATORS,
                format!(
                    "Updating the path '{}' would create a conflict at '{place}'",
                    later.path.text
                ),
            ));
        }
    }
    Ok(())
}
