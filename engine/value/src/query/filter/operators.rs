//! The operators of one field.

use bson::raw::{RawArray, RawBsonRef, RawDocument};

use super::{
    bits::BitTest,
    expr::{CompareOp, Test},
    integer::{coerced, position},
    number::{as_double, truthy},
    parse::{check_depth, document, first_name, is_operators},
    pattern::Pattern,
    types::TypeSet,
};
use crate::query::QueryError;

/// One condition on a field.
pub(super) enum Term {
    Is(Test),
    NotAll(Vec<Term>),
}

impl Term {
    fn not(test: Test) -> Self {
        Self::NotAll(vec![Self::Is(test)])
    }

    fn into_test(self) -> Test {
        match self {
            Self::Is(test) => test,
            Self::NotAll(terms) => Test::NotAll(terms.into_iter().map(Self::into_test).collect()),
        }
    }
}

/// Parses `{$gt: 1, $lt: 5}`; all terms must hold.
pub(super) fn operators(
    field: &str,
    operators: &RawDocument,
    depth: usize,
) -> Result<Vec<Term>, QueryError> {
    check_depth(depth)?;
    let mut terms = Vec::new();
    for element in operators {
        let (name, argument) = element?;
        operator(field, name.as_str(), argument, operators, depth, &mut terms)?;
    }
    Ok(terms)
}

/// Parses one operator. `siblings` is the document that contains it.
fn operator(
    field: &str,
    name: &str,
    argument: RawBsonRef<'_>,
    siblings: &RawDocument,
    depth: usize,
    terms: &mut Vec<Term>,
) -> Result<(), QueryError> {
    let term = match name {
        "$eq" => Term::Is(comparison(field, CompareOp::Eq, argument)?),
        "$ne" => match argument {
            RawBsonRef::RegularExpression(_) => {
                return Err(QueryError::bad_value("Can't have regex as arg to $ne."));
            }
            _ => Term::not(comparison(field, CompareOp::Eq, argument)?),
        },
        "$gt" => Term::Is(comparison(field, CompareOp::Gt, argument)?),
        "$gte" => Term::Is(comparison(field, CompareOp::Gte, argument)?),
        "$lt" => Term::Is(comparison(field, CompareOp::Lt, argument)?),
        "$lte" => Term::Is(comparison(field, CompareOp::Lte, argument)?),
        "$in" => Term::Is(membership(name, argument)?),
        "$nin" => Term::not(membership(name, argument)?),
        "$exists" if truthy(argument) => Term::Is(Test::Exists),
        "$exists" => Term::not(Test::Exists),
        "$type" => Term::Is(Test::Type(TypeSet::parse(field, argument)?)),
        "$regex" => Term::Is(Test::Regex(regex_among(siblings)?)),
        "$options" => {
            return match siblings.get("$regex") {
                Ok(Some(_)) => Ok(()),
                _ => Err(QueryError::bad_value("$options needs a $regex")),
            };
        }
        "$elemMatch" => Term::Is(elem_match(field, argument, depth)?),
        "$size" => Term::Is(size(argument)?),
        "$mod" => Term::Is(modulo(argument)?),
        "$not" => negation(field, argument, depth)?,
        "$all" => return every(field, argument, depth, terms),
        "$bitsAllSet" => Term::Is(Test::Bits(BitTest::parse(field, name, argument, true, true)?)),
        "$bitsAnySet" => Term::Is(Test::Bits(BitTest::parse(field, name, argument, false, true)?)),
        "$bitsAllClear" => {
            Term::Is(Test::Bits(BitTest::parse(field, name, argument, true, false)?))
        }
        "$bitsAnyClear" => {
            Term::Is(Test::Bits(BitTest::parse(field, name, argument, false, false)?))
        }
        "$comment" => return Ok(()),
        "$near" | "$nearSphere" | "$geoNear" => {
            return Err(QueryError::unsupported(format!(
                "{name} is not supported: Mayfly has no geospatial queries"
            ))
            .or_elsewhere(5626500));
        }
        "$geoWithin" | "$geoIntersects" | "$within" => {
            return Err(QueryError::unsupported(format!(
                "{name} is not supported: Mayfly has no geospatial queries"
            )));
        }
        _ => return Err(QueryError::bad_value(format!("unknown operator: {name}"))),
    };
    terms.push(term);
    Ok(())
}

fn comparison(field: &str, op: CompareOp, argument: RawBsonRef<'_>) -> Result<Test, QueryError> {
    match argument {
        RawBsonRef::Undefined => Err(QueryError::bad_value("cannot compare to undefined")),
        RawBsonRef::RegularExpression(_) if op != CompareOp::Eq => Err(QueryError::bad_value(
            format!("Can't have RegEx as arg to predicate over field '{field}'."),
        )),
        _ => Ok(Test::Compare { op, value: argument.into() }),
    }
}

fn membership(name: &str, argument: RawBsonRef<'_>) -> Result<Test, QueryError> {
    let Some(list) = argument.as_array() else {
        return Err(QueryError::bad_value(format!("{name} needs an array")));
    };
    let (mut values, mut patterns) = (Vec::new(), Vec::new());
    for item in list {
        match item? {
            RawBsonRef::RegularExpression(regex) => {
                patterns.push(Pattern::new(regex.pattern.as_str(), regex.options.as_str())?);
            }
            RawBsonRef::Document(inner) if is_operators(inner) => {
                return Err(QueryError::bad_value("cannot nest $ under $in"));
            }
            RawBsonRef::Undefined => {
                return Err(QueryError::bad_value("cannot compare to undefined"));
            }
            value => values.push(value.into()),
        }
    }
    Ok(Test::among(values, patterns))
}

/// `$regex` with its `$options`, in either order.
fn regex_among(siblings: &RawDocument) -> Result<Pattern, QueryError> {
    let twice = |kind| Err(QueryError::new(kind, "options set in both $regex and $options"));
    let (mut source, mut options) = ("", "");
    for element in siblings {
        let (name, value) = element?;
        match (name.as_str(), value) {
            ("$regex", RawBsonRef::String(pattern)) => source = pattern,
            ("$regex", RawBsonRef::RegularExpression(regex)) => {
                source = regex.pattern.as_str();
                if !regex.options.as_str().is_empty() {
                    if !options.is_empty() {
                        return twice(51074);
                    }
                    options = regex.options.as_str();
                }
            }
            ("$regex", _) => return Err(QueryError::bad_value("$regex has to be a string")),
            ("$options", RawBsonRef::String(given)) => {
                if !options.is_empty() {
                    return twice(51075);
                }
                options = given;
            }
            ("$options", _) => return Err(QueryError::bad_value("$options has to be a string")),
            _ => {}
        }
    }
    Pattern::new(source, options)
}

/// The form for documents, or the form for values when the first name is an operator that only
/// makes sense for a value.
fn elem_match(field: &str, argument: RawBsonRef<'_>, depth: usize) -> Result<Test, QueryError> {
    let Some(inner) = argument.as_document() else {
        return Err(QueryError::bad_value("$elemMatch needs an Object"));
    };
    let for_documents = [
        "$and",
        "$or",
        "$nor",
        "$where",
        "$expr",
        "$jsonSchema",
        "$text",
        "$sampleRate",
        "$alwaysTrue",
        "$alwaysFalse",
        "$comment",
    ];
    let first = first_name(inner).unwrap_or_default();
    if is_operators(inner) && !for_documents.contains(&first) {
        let terms = operators(field, inner, depth + 1)?;
        return Ok(Test::ElemMatchValue(terms.into_iter().map(Term::into_test).collect()));
    }
    Ok(Test::ElemMatchDocument(Box::new(document(inner, depth + 1)?)))
}

fn size(argument: RawBsonRef<'_>) -> Result<Test, QueryError> {
    position("$size", argument)
        .map(|count| Test::Size(i64::from(count)))
        .map_err(|reason| QueryError::bad_value(format!("Failed to parse $size. {reason}")))
}

fn modulo(argument: RawBsonRef<'_>) -> Result<Test, QueryError> {
    let malformed = |what: &str| Err(QueryError::bad_value(format!("malformed mod, {what}")));
    let Some(list) = argument.as_array() else { return malformed("needs to be an array") };
    let items: Vec<_> = list.into_iter().collect::<Result<_, _>>()?;
    let is_number = |item: &RawBsonRef<'_>| as_double(*item).is_some();
    match items.as_slice() {
        [divisor, ..] if !is_number(divisor) => malformed("divisor not a number"),
        [] | [_] => malformed("not enough elements"),
        [_, remainder, ..] if !is_number(remainder) => malformed("remainder not a number"),
        [divisor, remainder] => {
            let part = |role: &str, value: RawBsonRef<'_>| {
                coerced(value).map_err(|reason| {
                    QueryError::bad_value(format!(
                        "malformed mod, {role} value is invalid :: caused by :: {reason}"
                    ))
                })
            };
            let (divisor, remainder) = (part("divisor", *divisor)?, part("remainder", *remainder)?);
            if divisor == 0 {
                return Err(QueryError::bad_value("divisor cannot be 0"));
            }
            Ok(Test::Mod { divisor, remainder })
        }
        _ => malformed("too many elements"),
    }
}

fn negation(field: &str, argument: RawBsonRef<'_>, depth: usize) -> Result<Term, QueryError> {
    match argument {
        RawBsonRef::RegularExpression(regex) => {
            let pattern = Pattern::new(regex.pattern.as_str(), regex.options.as_str())?;
            Ok(Term::not(Test::Regex(pattern)))
        }
        RawBsonRef::Document(inner) if inner.is_empty() => {
            Err(QueryError::bad_value("$not cannot be empty"))
        }
        RawBsonRef::Document(inner) => Ok(Term::NotAll(operators(field, inner, depth + 1)?)),
        _ => Err(QueryError::bad_value("$not needs a regex or a document")),
    }
}

fn every(
    field: &str,
    argument: RawBsonRef<'_>,
    depth: usize,
    terms: &mut Vec<Term>,
) -> Result<(), QueryError> {
    let list: &RawArray =
        argument.as_array().ok_or_else(|| QueryError::bad_value("$all needs an array"))?;
    if list.is_empty() {
        terms.push(Term::Is(Test::among(Vec::new(), Vec::new())));
        return Ok(());
    }
    let mut elem_matches = 0;
    for (at, item) in list.into_iter().enumerate() {
        let item = item?;
        let test = match item {
            RawBsonRef::Document(inner) if first_name(inner) == Some("$elemMatch") => {
                elem_matches += 1;
                let inner = inner.get("$elemMatch")?.unwrap_or(RawBsonRef::Null);
                elem_match(field, inner, depth + 1)?
            }
            RawBsonRef::Document(inner) if is_operators(inner) => {
                return Err(QueryError::bad_value("no $ expressions in $all"));
            }
            RawBsonRef::RegularExpression(regex) => {
                Test::Regex(Pattern::new(regex.pattern.as_str(), regex.options.as_str())?)
            }
            _ => comparison(field, CompareOp::Eq, item)?,
        };
        if elem_matches != 0 && elem_matches != at + 1 {
            return Err(QueryError::bad_value("$all/$elemMatch has to be consistent"));
        }
        terms.push(Term::Is(test));
    }
    Ok(())
}
