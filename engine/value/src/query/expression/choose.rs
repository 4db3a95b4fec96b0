//! `$firstN`, `$lastN`, `$maxN` and `$minN` on arrays; `$sortArray`; `$zip`.

use bson::{RawArrayBuf, RawBson, RawBsonRef};

use super::{
    arguments::{
        NamedCodes, integral64, is_nullish, is_number, name_of, named_refusal, null, shown,
    },
    array::{array_of, elements},
    budget::Budget,
    operator::{Arguments, CallArgs, NamedMistake, Operator, Outcome},
};
use crate::query::{QueryError, Sort, error::refused};

pub(super) static OPERATORS: &[Operator] = &[
    Operator { name: "$firstN", arguments: N_ARGUMENTS, run: first_n },
    Operator { name: "$lastN", arguments: N_ARGUMENTS, run: last_n },
    Operator { name: "$maxN", arguments: N_ARGUMENTS, run: max_n },
    Operator { name: "$minN", arguments: N_ARGUMENTS, run: min_n },
    Operator { name: "$sortArray", arguments: SORT_ARGUMENTS, run: sort_array },
    Operator { name: "$zip", arguments: ZIP_ARGUMENTS, run: zip },
];

const N_ARGUMENTS: Arguments =
    Arguments::Named { fields: &[("n", true), ("input", true)], refuse: refuse_n };
const SORT_ARGUMENTS: Arguments =
    Arguments::Named { fields: &[("input", true), ("sortBy", true)], refuse: refuse_sort };
const ZIP_ARGUMENTS: Arguments = Arguments::Named {
    fields: &[("inputs", true), ("defaults", false), ("useLongestLength", false)],
    refuse: refuse_zip,
};

/// `n` and the elements of `input`.
fn read<'v>(given: &'v CallArgs<'_>) -> Result<(usize, Vec<RawBsonRef<'v>>), QueryError> {
    let n = given.named("n");
    let Some(number) = n.filter(|n| is_number(*n)) else {
        return Err(refused(
            5787902,
            format!("Value for 'n' must be of integral type, but found {}", shown(n)),
        ));
    };
    let Some(whole) = integral64(number) else {
        return Err(refused(
            5787903,
            format!("Value for 'n' must be of integral type, but found {}", shown(n)),
        ));
    };
    let Some(length) = usize::try_from(whole).ok().filter(|length| *length > 0) else {
        return Err(refused(5787908, format!("'n' must be greater than 0, found {whole}")));
    };
    let Some(RawBsonRef::Array(array)) = given.named("input") else {
        return Err(refused(5788200, "Input must be an array"));
    };
    Ok((length, elements(array)?))
}

fn first_n(given: &CallArgs<'_>) -> Outcome {
    let (n, all) = read(given)?;
    Ok(Some(array_of(all.into_iter().take(n))))
}

fn last_n(given: &CallArgs<'_>) -> Outcome {
    let (n, all) = read(given)?;
    let skipped = all.len().saturating_sub(n);
    Ok(Some(array_of(all.into_iter().skip(skipped))))
}

fn max_n(given: &CallArgs<'_>) -> Outcome {
    let (n, all) = read(given)?;
    let mut all = without_null(all);
    all.sort_by(|a, b| given.order(*b, *a));
    Ok(Some(array_of(all.into_iter().take(n))))
}

fn min_n(given: &CallArgs<'_>) -> Outcome {
    let (n, all) = read(given)?;
    let mut all = without_null(all);
    all.sort_by(|a, b| given.order(*a, *b));
    Ok(Some(array_of(all.into_iter().take(n))))
}

fn without_null(mut all: Vec<RawBsonRef<'_>>) -> Vec<RawBsonRef<'_>> {
    all.retain(|value| !is_nullish(Some(*value)));
    all
}

/// How `$sortArray` orders elements.
enum Order {
    Whole { is_descending: bool },
    Fields(Sort),
}

fn order_of(given: &CallArgs<'_>) -> Result<Order, QueryError> {
    match given.named("sortBy") {
        Some(RawBsonRef::Document(sort)) => match Sort::parse_in(sort, given.collation()) {
            Ok(Some(sort)) => Ok(Order::Fields(sort)),
            Ok(None) => Err(refused(2942505, "$sortArray needs at least one field in 'sortBy'")),
            Err(error) => Err(refused(2942505, error.message)),
        },
        Some(by) if is_number(by) => match integral64(by) {
            Some(1) => Ok(Order::Whole { is_descending: false }),
            Some(-1) => Ok(Order::Whole { is_descending: true }),
            _ => Err(refused(2942506, "The $sort element value must be either 1 or -1")),
        },
        _ => Err(refused(
            2942507,
            "The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort \
             embedded fields",
        )),
    }
}

fn sort_array(given: &CallArgs<'_>) -> Outcome {
    let order = order_of(given)?;
    let input = given.named("input");
    if is_nullish(input) {
        return null();
    }
    let Some(RawBsonRef::Array(array)) = input else {
        return Err(refused!(
            2942504,
            "The input argument to $sortArray must be an array, but was of type: {}",
            name_of(input)
        ));
    };
    let mut all = elements(array)?;
    match order {
        Order::Fields(sort) => by_fields(&mut all, &sort),
        Order::Whole { is_descending: false } => all.sort_by(|a, b| given.order(*a, *b)),
        Order::Whole { is_descending: true } => all.sort_by(|a, b| given.order(*b, *a)),
    }
    Ok(Some(array_of(all)))
}

fn by_fields(all: &mut [RawBsonRef<'_>], sort: &Sort) {
    let empty = bson::RawDocumentBuf::new();
    let mut keyed = Vec::with_capacity(all.len());
    for element in all.iter() {
        let document = match element {
            RawBsonRef::Document(document) => *document,
            _ => empty.as_ref(),
        };
        keyed.push((sort.plain_key(document), *element));
    }
    keyed.sort_by(|a, b| a.0.cmp(&b.0));
    for (slot, (_, element)) in all.iter_mut().zip(keyed) {
        *slot = element;
    }
}

fn zip(given: &CallArgs<'_>) -> Outcome {
    let Some(RawBsonRef::Array(inputs)) = given.named("inputs") else {
        return Err(refused!(
            34461,
            "inputs must be an array of expressions, found {}",
            name_of(given.named("inputs"))
        ));
    };
    let longest = match given.named("useLongestLength") {
        None => false,
        Some(RawBsonRef::Boolean(longest)) => longest,
        other => {
            return Err(refused(
                34463,
                format!("useLongestLength must be a bool, found {}", name_of(other)),
            ));
        }
    };
    let inputs = elements(inputs)?;
    if inputs.is_empty() {
        return Err(refused(34465, "$zip requires at least one input array"));
    }
    let defaults = zip_defaults(given, longest, inputs.len())?;
    let mut columns = Vec::with_capacity(inputs.len());
    for input in inputs {
        match input {
            RawBsonRef::Array(column) => columns.push(column),
            value if is_nullish(Some(value)) => return null(),
            value => {
                return Err(refused(
                    34468,
                    format!("$zip found a non-array expression in input: {}", shown(Some(value))),
                ));
            }
        }
    }
    let lengths = || columns.iter().map(|column| column.into_iter().count());
    let rows = if longest { lengths().max() } else { lengths().min() }.unwrap_or(0);
    // Iterators, because a list of the elements takes several times the memory of the array.
    let mut columns: Vec<_> = columns.iter().map(|column| column.into_iter()).collect();
    let (mut output, mut budget) = (RawArrayBuf::new(), Budget::default());
    for _ in 0..rows {
        let mut cells = RawArrayBuf::new();
        for (at, column) in columns.iter_mut().enumerate() {
            let cell = column.next().transpose()?.or_else(|| defaults.get(at).copied());
            let cell = cell.unwrap_or(RawBsonRef::Null);
            budget.take(cell)?;
            cells.push(cell);
        }
        output.push(cells);
    }
    Ok(Some(RawBson::Array(output)))
}

fn zip_defaults<'v>(
    given: &'v CallArgs<'_>,
    longest: bool,
    inputs: usize,
) -> Result<Vec<RawBsonRef<'v>>, QueryError> {
    let defaults = match given.named("defaults") {
        None => return Ok(Vec::new()),
        Some(RawBsonRef::Array(defaults)) => elements(defaults)?,
        other => {
            return Err(refused(
                34462,
                format!("defaults must be an array of expressions, found {}", name_of(other)),
            ));
        }
    };
    if !longest {
        return Err(refused(34466, "cannot specify defaults unless useLongestLength is true"));
    }
    if defaults.len() != inputs {
        return Err(refused(34467, "defaults and inputs must have the same length"));
    }
    Ok(defaults)
}

fn refuse_n(operator: &'static str, mistake: NamedMistake<'_>) -> QueryError {
    const CODES: NamedCodes = NamedCodes {
        not_document: 5787900,
        unknown: 5787901,
        missing: &[("n", 5787906), ("input", 5787907)],
    };
    named_refusal(operator, mistake, &CODES)
}

fn refuse_sort(operator: &'static str, mistake: NamedMistake<'_>) -> QueryError {
    const CODES: NamedCodes = NamedCodes {
        not_document: 2942500,
        unknown: 2942501,
        missing: &[("input", 2942502), ("sortBy", 2942503)],
    };
    named_refusal(operator, mistake, &CODES)
}

fn refuse_zip(operator: &'static str, mistake: NamedMistake<'_>) -> QueryError {
    const CODES: NamedCodes =
        NamedCodes { not_document: 34460, unknown: 34464, missing: &[("inputs", 34465)] };
    named_refusal(operator, mistake, &CODES)
}

#[cfg(test)]
mod tests {
    use crate::query::expression::testing::{check, refused};

    #[test]
    fn elements_are_chosen_sorted_and_zipped() {
        let is = |expression: &str, expected: &str| check(expression, "{}", expected);
        is("{$firstN: {n: 2, input: [3, 1, 2]}}", "[3, 1]");
        is("{$lastN: {n: 2, input: [3, null, 2]}}", "[null, 2]");
        is("{$maxN: {n: 2, input: [3, null, 2, 9]}}", "[9, 3]");
        is("{$minN: {n: 5, input: [3, null, 2]}}", "[2, 3]");
        is("{$sortArray: {input: [3, 1, 2], sortBy: 1}}", "[1, 2, 3]");
        is("{$sortArray: {input: [3, 'a', 2], sortBy: -1}}", "['a', 3, 2]");
        is("{$sortArray: {input: null, sortBy: 1}}", "null");
        // An array is one value here.
        is(
            "{$sortArray: {input: [{a: [5, 1]}, {a: [2]}, {a: 9}], sortBy: {a: 1}}}",
            "[{a: 9}, {a: [2]}, {a: [5, 1]}]",
        );
        is(
            "{$sortArray: {input: [{a: {b: 2}}, {a: {b: 1}}], sortBy: {'a.b': 1}}}",
            "[{a: {b: 1}}, {a: {b: 2}}]",
        );
        is(
            "{$sortArray: {input: [{a: 2}, {a: 1, b: 1}, {a: 1, b: 0}], sortBy: {a: 1, b: -1}}}",
            "[{a: 1, b: 1}, {a: 1, b: 0}, {a: 2}]",
        );
        is("{$zip: {inputs: [[1, 2], ['a', 'b', 'c']]}}", "[[1, 'a'], [2, 'b']]");
        is(
            "{$zip: {inputs: [[1], ['a', 'b']], useLongestLength: true}}",
            "[[1, 'a'], [null, 'b']]",
        );
        is(
            "{$zip: {inputs: [[1], ['a', 'b']], useLongestLength: true, defaults: [7, 8]}}",
            "[[1, 'a'], [7, 'b']]",
        );
        is("{$zip: {inputs: [[1], null]}}", "null");
        refused("{$firstN: 1}", 5787900);
        refused("{$firstN: {n: 1}}", 5787907);
        refused("{$firstN: {input: []}}", 5787906);
        refused("{$firstN: {n: 'a', input: []}}", 5787902);
        refused("{$firstN: {n: 1.5, input: []}}", 5787903);
        refused("{$maxN: {n: 0, input: []}}", 5787908);
        refused("{$minN: {n: 1, input: 1}}", 5788200);
        refused("{$minN: {n: 1, input: 1, x: 1}}", 5787901);
        refused("{$sortArray: 1}", 2942500);
        refused("{$sortArray: {input: 1, sortBy: 0}}", 2942506);
        refused("{$sortArray: {input: [], sortBy: null}}", 2942507);
        refused("{$sortArray: {input: [], sortBy: {}}}", 2942505);
        refused("{$sortArray: {input: [], sortBy: {a: 2}}}", 2942505);
        refused("{$sortArray: {input: 1, sortBy: 1}}", 2942504);
        refused("{$sortArray: {input: []}}", 2942503);
        refused("{$zip: 1}", 34460);
        refused("{$zip: {inputs: 1}}", 34461);
        refused("{$zip: {inputs: []}}", 34465);
        refused("{$zip: {inputs: [1]}}", 34468);
        refused("{$zip: {inputs: [[1]], defaults: [1]}}", 34466);
        refused("{$zip: {inputs: [[1]], defaults: [1, 2], useLongestLength: true}}", 34467);
        refused("{$zip: {inputs: [[1]], useLongestLength: 1}}", 34463);
    }
}
