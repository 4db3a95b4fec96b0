//! Operators on arrays: elements, joining, searching, order.

use bson::{RawArray, RawArrayBuf, RawBson, RawBsonRef};

use super::{
    arguments::{count, integral32, is_nullish, is_number, name_of, null, shown},
    budget::Budget,
    operator::{Arguments, CallArgs, Operator, Outcome},
};
use crate::{
    limits::RANGE_ELEMENTS_MAX,
    query::{Code, QueryError, error::refused},
};

pub(super) static OPERATORS: &[Operator] = &[
    Operator { name: "$arrayElemAt", arguments: Arguments::Exactly(2), run: array_elem_at },
    Operator { name: "$first", arguments: Arguments::Exactly(1), run: first },
    Operator { name: "$last", arguments: Arguments::Exactly(1), run: last },
    Operator { name: "$concatArrays", arguments: Arguments::AtLeast(0), run: concat_arrays },
    Operator { name: "$in", arguments: Arguments::Exactly(2), run: is_in },
    Operator { name: "$indexOfArray", arguments: Arguments::Between(2, 4), run: index_of_array },
    Operator { name: "$isArray", arguments: Arguments::Exactly(1), run: is_array },
    Operator { name: "$range", arguments: Arguments::Between(2, 3), run: range },
    Operator { name: "$reverseArray", arguments: Arguments::Exactly(1), run: reverse_array },
    Operator { name: "$size", arguments: Arguments::Exactly(1), run: size },
    Operator { name: "$slice", arguments: Arguments::Between(2, 3), run: slice },
];

pub(super) fn elements(array: &RawArray) -> Result<Vec<RawBsonRef<'_>>, QueryError> {
    array.into_iter().map(|element| Ok(element?)).collect()
}

/// An array of these elements.
pub(super) fn array_of<'v>(elements: impl IntoIterator<Item = RawBsonRef<'v>>) -> RawBson {
    let mut array = RawArrayBuf::new();
    for element in elements {
        array.push(element);
    }
    RawBson::Array(array)
}

fn array_elem_at(given: &CallArgs<'_>) -> Outcome {
    let (array, at) = (given.at(0), given.at(1));
    if is_nullish(array) || is_nullish(at) {
        return null();
    }
    let array = array_of_argument(array, "$arrayElemAt's first argument")?;
    let Some(number) = at.filter(|at| is_number(*at)) else {
        return Err(refused!(
            28690,
            "$arrayElemAt's second argument must be a numeric value, but is {}",
            name_of(at)
        ));
    };
    let Some(index) = integral32(number) else {
        return Err(refused!(
            28691,
            "$arrayElemAt's second argument must be representable as a 32-bit integer: {}",
            shown(at)
        ));
    };
    element_at(array, index)
}

fn array_of_argument<'v>(
    value: Option<RawBsonRef<'v>>,
    what: &str,
) -> Result<&'v RawArray, QueryError> {
    match value {
        Some(RawBsonRef::Array(array)) => Ok(array),
        other => Err(refused(28689, format!("{what} must be an array, but is {}", name_of(other)))),
    }
}

/// The element at an index, counted from the end if it is negative; missing beyond the ends.
fn element_at(array: &RawArray, index: i32) -> Outcome {
    let element = if let Ok(index) = usize::try_from(index) {
        array.into_iter().nth(index)
    } else {
        let back = usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX);
        let length = array.into_iter().count();
        length.checked_sub(back).and_then(|index| array.into_iter().nth(index))
    };
    Ok(element.transpose()?.map(RawBson::from))
}

fn first(given: &CallArgs<'_>) -> Outcome {
    let value = given.at(0);
    if is_nullish(value) {
        return null();
    }
    element_at(array_of_argument(value, "$first's argument")?, 0)
}

fn last(given: &CallArgs<'_>) -> Outcome {
    let value = given.at(0);
    if is_nullish(value) {
        return null();
    }
    element_at(array_of_argument(value, "$last's argument")?, -1)
}

fn concat_arrays(given: &CallArgs<'_>) -> Outcome {
    let (mut all, mut budget) = (RawArrayBuf::new(), Budget::default());
    for at in 0..given.count() {
        match given.at(at) {
            value if is_nullish(value) => return null(),
            Some(RawBsonRef::Array(array)) => {
                budget.take(RawBsonRef::Array(array))?;
                for element in array {
                    all.push(element?);
                }
            }
            other => {
                return Err(refused(
                    28664,
                    format!("$concatArrays only supports arrays, not {}", name_of(other)),
                ));
            }
        }
    }
    Ok(Some(RawBson::Array(all)))
}

fn is_in(given: &CallArgs<'_>) -> Outcome {
    let Some(RawBsonRef::Array(array)) = given.at(1) else {
        return Err(refused(
            40081,
            format!("$in requires an array as a second argument, found: {}", name_of(given.at(1))),
        ));
    };
    let Some(wanted) = given.at(0) else { return Ok(Some(RawBson::Boolean(false))) };
    for element in array {
        if given.order(element?, wanted).is_eq() {
            return Ok(Some(RawBson::Boolean(true)));
        }
    }
    Ok(Some(RawBson::Boolean(false)))
}

fn index_of_array(given: &CallArgs<'_>) -> Outcome {
    let array = match given.at(0) {
        value if is_nullish(value) => return null(),
        Some(RawBsonRef::Array(array)) => array,
        other => {
            return Err(refused!(
                40090,
                "$indexOfArray requires an array as a first argument, found: {}",
                name_of(other)
            ));
        }
    };
    let start = array_border(given, 2, "starting index")?.unwrap_or(0);
    let end = array_border(given, 3, "ending index")?.unwrap_or(usize::MAX);
    let Some(wanted) = given.at(1) else { return Ok(Some(RawBson::Int32(-1))) };
    for (at, element) in array.into_iter().enumerate().take(end).skip(start) {
        if given.order(element?, wanted).is_eq() {
            return count(at);
        }
    }
    Ok(Some(RawBson::Int32(-1)))
}

fn array_border(given: &CallArgs<'_>, at: usize, what: &str) -> Result<Option<usize>, QueryError> {
    if at >= given.count() {
        return Ok(None);
    }
    let value = given.at(at);
    let Some(number) = value.and_then(integral32) else {
        return Err(refused!(
            9711600,
            "$indexOfArray requires an integral {what}, found a value of type: {}, with \
                 value: {}",
            name_of(value),
            shown(value)
        ));
    };
    usize::try_from(number).map(Some).map_err(|_| {
        refused!(9711601, "$indexOfArray requires a nonnegative {what}, found: {}", shown(value))
    })
}

#[expect(clippy::unnecessary_wraps, reason = "the type of every operator's answer")]
fn is_array(given: &CallArgs<'_>) -> Outcome {
    Ok(Some(RawBson::Boolean(matches!(given.at(0), Some(RawBsonRef::Array(_))))))
}

fn range(given: &CallArgs<'_>) -> Outcome {
    let start = range_number(given.at(0), 34443, 34444, "starting")?;
    let end = range_number(given.at(1), 34445, 34446, "ending")?;
    let step = if given.count() > 2 { range_number(given.at(2), 34447, 34448, "step")? } else { 1 };
    if step == 0 {
        return Err(refused(34449, "$range requires a non-zero step value"));
    }
    let (start, end, step) = (i64::from(start), i64::from(end), i64::from(step));
    let towards = (end - start).signum() == step.signum();
    let length = if towards { (end - start - step.signum()) / step + 1 } else { 0 };
    if usize::try_from(length).is_ok_and(|length| length > RANGE_ELEMENTS_MAX) {
        return Err(refused!(
            Code::EXCEEDED_MEMORY_LIMIT,
            "$range would use too much memory: at most {RANGE_ELEMENTS_MAX} elements are \
                 possible"
        ));
    }
    let numbers = (0..length).map(|at| i32::try_from(start + at * step).unwrap_or(i32::MAX));
    Ok(Some(RawBson::Array(numbers.collect())))
}

fn range_number(
    value: Option<RawBsonRef<'_>>,
    type_code: i32,
    whole_code: i32,
    what: &str,
) -> Result<i32, QueryError> {
    let a = if what == "ending" { "an" } else { "a" };
    let Some(number) = value.filter(|value| is_number(*value)) else {
        return Err(refused!(
            type_code,
            "$range requires a numeric {what} value, found value of type: {}",
            name_of(value)
        ));
    };
    integral32(number).ok_or_else(|| {
        refused!(
            whole_code,
            "$range requires {a} {what} value that can be represented as a 32-bit integer, \
                 found value: {}",
            shown(value)
        )
    })
}

fn reverse_array(given: &CallArgs<'_>) -> Outcome {
    match given.at(0) {
        value if is_nullish(value) => null(),
        Some(RawBsonRef::Array(array)) => Ok(Some(array_of(elements(array)?.into_iter().rev()))),
        other => Err(refused!(
            34435,
            "The argument to $reverseArray must be an array, but was of type: {}",
            name_of(other)
        )),
    }
}

fn size(given: &CallArgs<'_>) -> Outcome {
    match given.at(0) {
        Some(RawBsonRef::Array(array)) => count(array.into_iter().count()),
        other => Err(refused(
            17124,
            format!("The argument to $size must be an array, but was of type: {}", name_of(other)),
        )),
    }
}

fn slice(given: &CallArgs<'_>) -> Outcome {
    let (array, second) = (given.at(0), given.at(1));
    if is_nullish(array) || is_nullish(second) {
        return null();
    }
    let Some(RawBsonRef::Array(array)) = array else {
        return Err(refused!(
            28724,
            "First argument to $slice must be an array, but is of type: {}",
            name_of(array)
        ));
    };
    let codes = [28725, 28726];
    let number = slice_number(second, codes, ["Second", "a numeric value"])?;
    let all = elements(array)?;
    // Counted from the back a start beyond the front is the front.
    let back = all.len().saturating_sub(usize::try_from(number.unsigned_abs()).unwrap_or(0));
    let forward = usize::try_from(number).ok().map(|number| number.min(all.len()));
    let (start, end) = if given.count() == 2 {
        forward.map_or((back, all.len()), |count| (0, count))
    } else {
        let third = given.at(2);
        if is_nullish(third) {
            return null();
        }
        let codes = [28727, 28728];
        let length = slice_number(third, codes, ["Third", "numeric"])?;
        let Some(length) = usize::try_from(length).ok().filter(|length| *length > 0) else {
            return Err(refused!(28729, "Third argument to $slice must be positive: {length}"));
        };
        let start = forward.unwrap_or(back);
        (start, start.saturating_add(length).min(all.len()))
    };
    Ok(Some(array_of(all.into_iter().take(end).skip(start))))
}

fn slice_number(
    value: Option<RawBsonRef<'_>>,
    [type_code, whole_code]: [i32; 2],
    [place, wanted]: [&str; 2],
) -> Result<i32, QueryError> {
    let Some(number) = value.filter(|value| is_number(*value)) else {
        return Err(refused!(
            type_code,
            "{place} argument to $slice must be {wanted}, but is of type: {}",
            name_of(value)
        ));
    };
    integral32(number).ok_or_else(|| {
        refused!(
            whole_code,
            "{place} argument to $slice can't be represented as a 32-bit integer: {}",
            shown(value)
        )
    })
}

#[cfg(test)]
mod tests {
    use crate::query::{
        Code,
        expression::testing::{check, refused},
    };

    #[test]
    fn arrays_are_read_joined_and_cut() {
        let is = |expression: &str, expected: &str| check(expression, "{}", expected);
        is("{$arrayElemAt: [[1, 2, 3], 0]}", "1");
        is("{$arrayElemAt: [[1, 2, 3], -2]}", "2");
        is("{$arrayElemAt: [[1, 2, 3], 15]}", "missing");
        is("{$arrayElemAt: [[1], -2]}", "missing");
        is("{$arrayElemAt: [null, 0]}", "null");
        is("{$arrayElemAt: [[1], null]}", "null");
        is("{$arrayElemAt: [[1, 2], 1.0]}", "2");
        is("{$first: [[1, 2]]}", "1");
        is("{$last: [[1, 2]]}", "2");
        is("{$first: [[]]}", "missing");
        is("{$last: null}", "null");
        is("{$concatArrays: [['a'], ['b', ['c']]]}", "['a', 'b', ['c']]");
        is("{$concatArrays: []}", "[]");
        is("{$concatArrays: [['a'], null]}", "null");
        is("{$in: [2, [1, 2.0]]}", "true");
        is("{$in: ['a', ['b']]}", "false");
        is("{$in: ['$missing', [null]]}", "false");
        is("{$indexOfArray: [['a', 'abc'], 'a']}", "0");
        is("{$indexOfArray: [['a', 'b', 'a'], 'a', 1]}", "2");
        is("{$indexOfArray: [['a', 'b', 'c'], 'c', 0, 2]}", "-1");
        is("{$indexOfArray: [[1, 2], [1, 2]]}", "-1");
        is("{$indexOfArray: [null, 1]}", "null");
        is("{$isArray: [[1]]}", "true");
        is("{$isArray: 'a'}", "false");
        is("{$isArray: '$missing'}", "false");
        is("{$range: [0, 10, 2]}", "[0, 2, 4, 6, 8]");
        is("{$range: [10, 0, -3]}", "[10, 7, 4, 1]");
        is("{$range: [0, 10, -2]}", "[]");
        is("{$range: [0, 5]}", "[0, 1, 2, 3, 4]");
        is("{$range: [3, 3]}", "[]");
        is("{$range: [2147483646, 2147483647, 5]}", "[2147483646]");
        is("{$reverseArray: [[1, 2, 3]]}", "[3, 2, 1]");
        is("{$reverseArray: null}", "null");
        is("{$size: [[1, 2]]}", "2");
        is("{$slice: [[1, 2, 3], 1, 1]}", "[2]");
        is("{$slice: [[1, 2, 3], -2]}", "[2, 3]");
        is("{$slice: [[1, 2, 3], 15, 2]}", "[]");
        is("{$slice: [[1, 2, 3], -15, 2]}", "[1, 2]");
        is("{$slice: [[1, 2, 3], -5]}", "[1, 2, 3]");
        is("{$slice: [[1], null]}", "null");
        is("{$slice: [[1], 1, null]}", "null");
        is("{$slice: [[1, 2], 0]}", "[]");
        refused("{$arrayElemAt: [1, 0]}", 28689);
        refused("{$arrayElemAt: [[1], 'a']}", 28690);
        refused("{$arrayElemAt: [[1], 1.5]}", 28691);
        refused("{$first: 1}", 28689);
        refused("{$concatArrays: [1]}", 28664);
        refused("{$in: [1, 2]}", 40081);
        refused("{$indexOfArray: [1, 1]}", 40090);
        refused("{$indexOfArray: [[1], 1, 'a']}", 9711600);
        refused("{$indexOfArray: [[1], 1, -1]}", 9711601);
        refused("{$range: ['a', 1]}", 34443);
        refused("{$range: [1.5, 1]}", 34444);
        refused("{$range: [1, null]}", 34445);
        refused("{$range: [1, 3000000000]}", 34446);
        refused("{$range: [1, 1, 'a']}", 34447);
        refused("{$range: [1, 1, 0.5]}", 34448);
        refused("{$range: [1, 1, 0]}", 34449);
        refused("{$range: [0, 2147483647]}", Code::EXCEEDED_MEMORY_LIMIT);
        refused("{$reverseArray: 1}", 34435);
        refused("{$size: null}", 17124);
        refused("{$size: '$missing'}", 17124);
        refused("{$slice: [1, 1]}", 28724);
        refused("{$slice: [[1], 'a']}", 28725);
        refused("{$slice: [[1], 1.5]}", 28726);
        refused("{$slice: [[1], 1, 'a']}", 28727);
        refused("{$slice: [[1], 1, 1.5]}", 28728);
        refused("{$slice: [[1], 1, 0]}", 28729);
    }
}
