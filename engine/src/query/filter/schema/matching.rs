//! Whether a value keeps a schema. Recursion follows the schema, whose depth the parser bounds.

use std::cmp::Ordering;

use bson::raw::{RawArray, RawBson, RawBsonRef, RawDocument};

use super::node::{Dependency, Items, Others, Properties, Rule, Schema};
use crate::{
    query::filter::number::as_double,
    value::{Decimal, bucket::normalized, compare, same_value, type_rank},
};

impl Schema {
    pub(in crate::query::filter) fn holds(&self, value: RawBsonRef<'_>) -> bool {
        self.rules.iter().all(|rule| rule.holds(value))
    }
}

impl Others {
    fn hold(&self, value: RawBsonRef<'_>) -> bool {
        match self {
            Self::Allowed => true,
            Self::Forbidden => false,
            Self::Keep(schema) => schema.holds(value),
        }
    }
}

impl Rule {
    fn holds(&self, value: RawBsonRef<'_>) -> bool {
        match self {
            Self::Type(types) => types.contains(value),
            Self::Enum(values) => {
                let is_known = |value| {
                    let mut known = values.iter().map(RawBson::as_raw_bson_ref);
                    known.any(|known| same_value(known, value))
                };
                match value {
                    RawBsonRef::Document(_) | RawBsonRef::Array(_) => {
                        is_known(normalized(value).as_raw_bson_ref())
                    }
                    value => is_known(value),
                }
            }
            Self::AllOf(schemas) => schemas.iter().all(|schema| schema.holds(value)),
            Self::AnyOf(schemas) => schemas.iter().any(|schema| schema.holds(value)),
            Self::OneOf(schemas) => {
                schemas.iter().filter(|schema| schema.holds(value)).take(2).count() == 1
            }
            Self::Not(schema) => !schema.holds(value),
            _ => match value {
                RawBsonRef::String(text) => self.holds_for_text(text),
                RawBsonRef::Document(document) => self.holds_for_object(document),
                RawBsonRef::Array(array) => self.holds_for_array(array),
                number if as_double(number).is_some() => self.holds_for_number(number),
                _ => true,
            },
        }
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

    fn holds_for_text(&self, text: &str) -> bool {
        match self {
            Self::MinLength(least) => text.chars().count() >= *least,
            Self::MaxLength(most) => text.chars().count() <= *most,
            Self::Pattern(pattern) => pattern.is_match(text),
            _ => true,
        }
    }

    fn holds_for_object(&self, document: &RawDocument) -> bool {
        let has = |name: &String| matches!(document.get(name), Ok(Some(_)));
        match self {
            Self::Properties(properties) => properties.hold(document),
            Self::Required(names) => names.iter().all(has),
            Self::MinProperties(least) => document.iter_elements().count() >= *least,
            Self::MaxProperties(most) => document.iter_elements().count() <= *most,
            Self::Dependencies(dependencies) => dependencies
                .iter()
                .filter(|(name, _)| has(name))
                .all(|(_, dependency)| match dependency {
                    Dependency::Fields(names) => names.iter().all(has),
                    Dependency::Keep(schema) => schema.matches(document),
                }),
            _ => true,
        }
    }

    fn holds_for_array(&self, array: &RawArray) -> bool {
        let values = || array.into_iter().filter_map(Result::ok);
        match self {
            Self::Items { items, others } => values().enumerate().all(|(at, value)| match items {
                Items::All(schema) => schema.holds(value),
                Items::Each(schemas) => match schemas.get(at) {
                    Some(schema) => schema.holds(value),
                    None => others.hold(value),
                },
            }),
            Self::MinItems(least) => values().count() >= *least,
            Self::MaxItems(most) => values().count() <= *most,
            Self::UniqueItems => !has_duplicates(&mut values().map(normalized).collect::<Vec<_>>()),
            _ => true,
        }
    }
}

impl Properties {
    fn hold(&self, document: &RawDocument) -> bool {
        document.into_iter().filter_map(Result::ok).all(|(name, value)| {
            let name = name.as_str();
            let mut is_other = true;
            for (_, schema) in self.named.iter().filter(|(known, _)| known == name) {
                is_other = false;
                if !schema.holds(value) {
                    return false;
                }
            }
            for (_, schema) in self.patterns.iter().filter(|(known, _)| known.is_match(name)) {
                is_other = false;
                if !schema.holds(value) {
                    return false;
                }
            }
            !is_other || self.others.hold(value)
        })
    }
}

/// Whether two of the values are the same; puts them in order. The order of an object's fields is for
/// the caller to leave out.
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
    // As doubles, 0.3 is no multiple of 0.1.
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
