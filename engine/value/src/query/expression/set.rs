//! Operators that take arrays for sets.

use std::{cmp::Ordering, collections::BTreeSet};

use bson::{RawArray, RawBson, RawBsonRef};

use super::{
    arguments::{is_nullish, is_true, name_of, null},
    array::array_of,
    operator::{Arguments, CallArgs, Operator, Outcome},
};
use crate::{
    query::{QueryError, error::refused},
    value::{Collation, compare_in},
};

pub(super) static OPERATORS: &[Operator] = &[
    Operator { name: "$setUnion", arguments: Arguments::AtLeast(0), run: union },
    Operator { name: "$setIntersection", arguments: Arguments::AtLeast(0), run: intersection },
    Operator { name: "$setDifference", arguments: Arguments::Exactly(2), run: difference },
    Operator { name: "$setEquals", arguments: Arguments::AtLeast(2), run: equals },
    Operator { name: "$setIsSubset", arguments: Arguments::Exactly(2), run: is_subset },
    Operator { name: "$allElementsTrue", arguments: Arguments::Exactly(1), run: all_true },
    Operator { name: "$anyElementTrue", arguments: Arguments::Exactly(1), run: any_true },
];

/// A value in MongoDB's order, with its collation.
#[derive(Debug, Clone, Copy)]
struct OrderedValue<'v>(RawBsonRef<'v>, Option<&'v Collation>);

impl PartialEq for OrderedValue<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for OrderedValue<'_> {}

impl PartialOrd for OrderedValue<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for OrderedValue<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        compare_in(self.0, other.0, self.1)
    }
}

type Set<'v> = BTreeSet<OrderedValue<'v>>;

fn set_of<'v>(given: &'v CallArgs<'_>, array: &'v RawArray) -> Result<Set<'v>, QueryError> {
    let collation = given.collation();
    array.into_iter().map(|element| Ok(OrderedValue(element?, collation))).collect()
}

fn array_of_set(set: Set<'_>) -> RawBson {
    array_of(set.into_iter().map(|value| value.0))
}

fn array_at<'v>(
    given: &'v CallArgs<'_>,
    at: usize,
    code: i32,
    sentence: &str,
) -> Result<&'v RawArray, QueryError> {
    match given.at(at) {
        Some(RawBsonRef::Array(array)) => Ok(array),
        other => Err(refused(code, format!("{sentence} {}", name_of(other)))),
    }
}

fn union(given: &CallArgs<'_>) -> Outcome {
    let mut all = Set::new();
    for at in 0..given.count() {
        if is_nullish(given.at(at)) {
            return null();
        }
        let sentence = "All operands of $setUnion must be arrays. One argument is of type:";
        for value in set_of(given, array_at(given, at, 17043, sentence)?)? {
            all.insert(value);
        }
    }
    Ok(Some(array_of_set(all)))
}

fn intersection(given: &CallArgs<'_>) -> Outcome {
    let mut common = Set::new();
    for at in 0..given.count() {
        if is_nullish(given.at(at)) {
            return null();
        }
        let sentence = "All operands of $setIntersection must be arrays. One argument is of type:";
        let set = set_of(given, array_at(given, at, 17047, sentence)?)?;
        if at == 0 {
            common = set;
        } else {
            common.retain(|value| set.contains(value));
        }
    }
    Ok(Some(array_of_set(common)))
}

fn difference(given: &CallArgs<'_>) -> Outcome {
    if is_nullish(given.at(0)) || is_nullish(given.at(1)) {
        return null();
    }
    let sentence = |place| {
        format!("both operands of $setDifference must be arrays. {place} argument is of type:")
    };
    let left = array_at(given, 0, 17048, &sentence("First"))?;
    let mut seen = set_of(given, array_at(given, 1, 17049, &sentence("Second"))?)?;
    let mut kept = Vec::new();
    for element in left {
        let element = element?;
        if seen.insert(OrderedValue(element, given.collation())) {
            kept.push(element);
        }
    }
    Ok(Some(array_of(kept)))
}

/// An argument that can't be a set for any document is refused before there is one.
pub(super) fn check_constants<'v>(
    mut arguments: impl Iterator<Item = Option<Option<RawBsonRef<'v>>>>,
) -> Result<(), QueryError> {
    let wrong = arguments.find_map(|constant| match constant? {
        Some(RawBsonRef::Array(_)) => None,
        other => Some(other),
    });
    wrong.map_or(Ok(()), |value| {
        Err(refused!(
            5887502,
            "All operands of $setEquals must be arrays. One argument is of type: {}",
            name_of(value)
        ))
    })
}

fn equals(given: &CallArgs<'_>) -> Outcome {
    let set = |at: usize| {
        let sentence = format!(
            "All operands of $setEquals must be arrays. {}-th argument is of type:",
            at + 1
        );
        set_of(given, array_at(given, at, 17044, &sentence)?)
    };
    let first = set(0)?;
    for at in 1..given.count() {
        if set(at)? != first {
            return Ok(Some(RawBson::Boolean(false)));
        }
    }
    Ok(Some(RawBson::Boolean(true)))
}

fn is_subset(given: &CallArgs<'_>) -> Outcome {
    let sentence = |place| {
        format!("both operands of $setIsSubset must be arrays. {place} argument is of type:")
    };
    let left = array_at(given, 0, 17046, &sentence("First"))?;
    let right = set_of(given, array_at(given, 1, 17042, &sentence("Second"))?)?;
    for element in left {
        if !right.contains(&OrderedValue(element?, given.collation())) {
            return Ok(Some(RawBson::Boolean(false)));
        }
    }
    Ok(Some(RawBson::Boolean(true)))
}

fn all_true(given: &CallArgs<'_>) -> Outcome {
    let sentence = "$allElementsTrue's argument must be an array, but is";
    for element in array_at(given, 0, 17040, sentence)? {
        if !is_true(element?) {
            return Ok(Some(RawBson::Boolean(false)));
        }
    }
    Ok(Some(RawBson::Boolean(true)))
}

fn any_true(given: &CallArgs<'_>) -> Outcome {
    let sentence = "$anyElementTrue's argument must be an array, but is";
    for element in array_at(given, 0, 17041, sentence)? {
        if is_true(element?) {
            return Ok(Some(RawBson::Boolean(true)));
        }
    }
    Ok(Some(RawBson::Boolean(false)))
}

#[cfg(test)]
mod tests {
    use crate::query::expression::testing::{check, refused};

    #[test]
    fn arrays_are_sets() {
        let is = |expression: &str, expected: &str| check(expression, "{}", expected);
        is("{$setUnion: [['b', 'a', 'b'], ['c', 'a']]}", "['a', 'b', 'c']");
        is("{$setUnion: []}", "[]");
        is("{$setUnion: [[1], null]}", "null");
        is("{$setIntersection: [['a', 'b'], ['b', 'a', 'b']]}", "['a', 'b']");
        is("{$setIntersection: [[1], []]}", "[]");
        is("{$setIntersection: [null, [1]]}", "null");
        is("{$setDifference: [['a', 'b', 'a'], ['b']]}", "['a']");
        is("{$setDifference: [[3, 1, 3], []]}", "[3, 1]");
        is("{$setDifference: [null, [1]]}", "null");
        is("{$setEquals: [['a', 'b', 'a'], ['b', 'a']]}", "true");
        is("{$setEquals: [[1], [1.0], [2]]}", "false");
        is("{$setIsSubset: [['a'], ['b', 'a']]}", "true");
        is("{$setIsSubset: [['a', 'c'], ['b', 'a']]}", "false");
        is("{$allElementsTrue: [[true, 1, 'a']]}", "true");
        is("{$allElementsTrue: [[]]}", "true");
        is("{$allElementsTrue: [[null]]}", "false");
        is("{$anyElementTrue: [[null, 0, false]]}", "false");
        is("{$anyElementTrue: [[[false]]]}", "true");
        refused("{$setUnion: [1]}", 17043);
        refused("{$setIntersection: [1]}", 17047);
        refused("{$setDifference: [1, []]}", 17048);
        refused("{$setDifference: [[], 1]}", 17049);
        refused("{$setEquals: [[], '$none']}", 17044);
        refused("{$setEquals: [[], null]}", 5887502);
        refused("{$setIsSubset: [null, []]}", 17046);
        refused("{$setIsSubset: [[], null]}", 17042);
        refused("{$allElementsTrue: [1]}", 17040);
        refused("{$anyElementTrue: [null]}", 17041);
    }
}
