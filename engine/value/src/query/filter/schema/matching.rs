//! Whether a value keeps a schema. Recursion follows the schema, whose depth the parser bounds.

use std::cmp::Ordering;

use bson::raw::{RawArray, RawBson, RawBsonRef, RawDocument};

use super::node::{Dependency, Items, Others, Properties, Rule, Schema};
use crate::{
    interrupt,
    query::{
        QueryError,
        filter::{
            matching::{all, any},
            number::as_double,
        },
    },
    value::{Decimal, bucket::normalized, compare, same_value, type_rank},
};

type Holds = Result<bool, QueryError>;

impl Schema {
    pub(in crate::query::filter) fn holds(&self, value: RawBsonRef<'_>) -> Holds {
        interrupt::tick()?;
        all(&self.rules, |rule| rule.holds(value))
    }
}

impl Others {
    fn hold(&self, value: RawBsonRef<'_>) -> Holds {
        match self {
            Self::Allowed => Ok(true),
            Self::Forbidden => Ok(false),
            Self::Keep(schema) => schema.holds(value),
        }
    }
}

impl Rule {
    fn holds(&self, value: RawBsonRef<'_>) -> Holds {
        Ok(match self {
            Self::Type(types) => types.contains(value),
            Self::Enum(values) => match value {
                RawBsonRef::Document(_) | RawBsonRef::Array(_) => {
                    is_among(normalized(value).as_raw_bson_ref(), values)
                }
                value => is_among(value, values),
            },
            Self::AllOf(schemas) => all(schemas, |schema| schema.holds(value))?,
            Self::AnyOf(schemas) => any(schemas, |schema| schema.holds(value))?,
            Self::OneOf(schemas) => {
                let mut rest = schemas.iter();
                any(&mut rest, |schema| schema.holds(value))?
                    && !any(rest, |schema| schema.holds(value))?
            }
            Self::Not(schema) => !schema.holds(value)?,
            _ => match value {
                RawBsonRef::String(text) => self.holds_for_text(text)?,
                RawBsonRef::Document(document) => self.holds_for_object(document)?,
                RawBsonRef::Array(array) => self.holds_for_array(array)?,
                number if as_double(number).is_some() => self.holds_for_number(number),
                _ => true,
            },
        })
    }

    fn holds_for_number(&self, number: RawBsonRef<'_>) -> bool {
        // Not a number is neither above nor below anything, and equals itself.
        let is_nan = |value: RawBsonRef<'_>| as_double(value).is_some_and(f64::is_nan);
        let order = |bound: &RawBson| {
            let bound = bound.as_raw_bson_ref();
            (is_nan(bound) == is_nan(number) && type_rank(bound) == type_rank(number))
                .then(|| compare(number, bound))
        };
        match self {
            Self::Minimum { value, exclusive } => order(value).is_some_and(|order| {
                order == Ordering::Greater || !exclusive && order == Ordering::Equal
            }),
            Self::Maximum { value, exclusive } => order(value).is_some_and(|order| {
                order == Ordering::Less || !exclusive && order == Ordering::Equal
            }),
            Self::MultipleOf(unit) => is_multiple(number, unit.as_raw_bson_ref()),
            _ => true,
        }
    }

    fn holds_for_text(&self, text: &str) -> Holds {
        Ok(match self {
            Self::MinLength(least) => text.chars().count() >= *least,
            Self::MaxLength(most) => text.chars().count() <= *most,
            Self::Pattern(pattern) => pattern.is_match(text)?,
            _ => true,
        })
    }

    fn holds_for_object(&self, document: &RawDocument) -> Holds {
        let has = |name: &String| {
            interrupt::tick()?;
            Ok(matches!(document.get(name), Ok(Some(_))))
        };
        Ok(match self {
            Self::Properties(properties) => properties.hold(document)?,
            Self::Required(names) => all(names, has)?,
            Self::MinProperties(least) => document.iter_elements().count() >= *least,
            Self::MaxProperties(most) => document.iter_elements().count() <= *most,
            Self::Dependencies(dependencies) => all(dependencies, |(name, dependency)| {
                Ok(!has(name)?
                    || match dependency {
                        Dependency::Fields(names) => all(names, has)?,
                        Dependency::Keep(schema) => schema.matches(document)?,
                    })
            })?,
            _ => true,
        })
    }

    fn holds_for_array(&self, array: &RawArray) -> Holds {
        let values = || array.into_iter().filter_map(Result::ok);
        Ok(match self {
            Self::Items { items, others } => {
                all(values().enumerate(), |(at, value)| match items {
                    Items::All(schema) => schema.holds(value),
                    Items::Each(schemas) => match schemas.get(at) {
                        Some(schema) => schema.holds(value),
                        None => others.hold(value),
                    },
                })?
            }
            Self::MinItems(least) => values().count() >= *least,
            Self::MaxItems(most) => values().count() <= *most,
            Self::UniqueItems => !has_duplicates(&mut values().map(normalized).collect::<Vec<_>>()),
            _ => true,
        })
    }
}

impl Properties {
    fn hold(&self, document: &RawDocument) -> Holds {
        all(document.into_iter().filter_map(Result::ok), |(name, value)| {
            let name = name.as_str();
            let from = self.named.partition_point(|(known, _)| known.as_str() < name);
            let named = self.named.iter().skip(from).take_while(|(known, _)| known == name);
            let mut is_other = true;
            for (_, schema) in named {
                is_other = false;
                if !schema.holds(value)? {
                    return Ok(false);
                }
            }
            for (known, schema) in &self.patterns {
                interrupt::tick()?;
                if known.is_match(name)? {
                    is_other = false;
                    if !schema.holds(value)? {
                        return Ok(false);
                    }
                }
            }
            Ok(!is_other || self.others.hold(value)?)
        })
    }
}

/// Whether a value is the same as one of these, which are in order.
fn is_among(value: RawBsonRef<'_>, known: &[RawBson]) -> bool {
    let order = |known: &RawBson| compare(known.as_raw_bson_ref(), value);
    let from = known.partition_point(|known| order(known) == Ordering::Less);
    let equal = known.iter().skip(from).take_while(|known| order(known) == Ordering::Equal);
    equal.into_iter().any(|known| same_value(known.as_raw_bson_ref(), value))
}

/// Whether two of the values are the same; puts them in order. The order of an object's fields is
/// for the caller to leave out.
pub(super) fn has_duplicates(values: &mut [RawBson]) -> bool {
    values.sort_by(|a, b| compare(a.as_raw_bson_ref(), b.as_raw_bson_ref()));
    values.windows(2).any(|pair| match pair {
        [a, b] => same_value(a.as_raw_bson_ref(), b.as_raw_bson_ref()),
        _ => false,
    })
}

fn is_multiple(number: RawBsonRef<'_>, unit: RawBsonRef<'_>) -> bool {
    let whole = |value| match value {
        RawBsonRef::Int32(number) => Some(i64::from(number)),
        RawBsonRef::Int64(number) => Some(number),
        _ => None,
    };
    if let (Some(number), Some(unit)) = (whole(number), whole(unit)) {
        return number.checked_rem(unit).is_none_or(|rest| rest == 0);
    }
    // As doubles, 0.3 isn't a multiple of 0.1.
    let decimal = |value| match value {
        RawBsonRef::Decimal128(number) => Some(Decimal::from(number)),
        RawBsonRef::Double(number) => Some(Decimal::from_f64(number)),
        value => whole(value).map(Decimal::from),
    };
    match (decimal(number), decimal(unit)) {
        (Some(number), Some(unit)) => number.modulo(unit).is_zero(),
        _ => false,
    }
}
