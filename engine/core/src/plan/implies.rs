//! Whether a query's matches all lie within a partial index.

use std::cmp::Ordering;

use bson::raw::RawBson;

use super::range::needs_field;
use crate::{
    query::{CompareOp, Expr, Test},
    value::{Collation, Path, compare_in, type_rank},
};

/// Whether documents that pass all `tests` surely pass `wanted`. False when in doubt.
pub(super) fn implies(tests: &[(&Path, &Test)], wanted: &Expr) -> bool {
    match wanted {
        Expr::True => true,
        Expr::And(parts) => parts.iter().all(|part| implies(tests, part)),
        Expr::Or(parts) => parts.iter().any(|part| implies(tests, part)),
        Expr::Field { path, test: wanted } => {
            tests.iter().any(|(other, test)| *other == path && test_implies(test, wanted))
        }
        Expr::False | Expr::Nor(_) | Expr::Not(_) | Expr::Schema(_) | Expr::Expression(_) => false,
    }
}

fn test_implies(test: &Test, wanted: &Test) -> bool {
    let ((test, given), (wanted_test, collation)) = (test.collated(), wanted.collated());
    // Text of one collation says nothing about text of another.
    if given != collation && test.compares_text() && wanted_test.compares_text() {
        return false;
    }
    match (test, wanted_test) {
        (_, Test::Exists) => needs_field(test),
        (Test::Compare { op: CompareOp::Eq, value }, Test::Compare { .. } | Test::In { .. }) => {
            is_plain(value) && holds(wanted, value)
        }
        (Test::In { values, patterns }, Test::Compare { .. } | Test::In { .. }) => {
            patterns.is_empty()
                && values.iter().all(|value| is_plain(value) && holds(wanted, value))
        }
        (Test::Compare { op, value }, Test::Compare { op: wanted_op, value: wanted }) => {
            is_plain(value)
                && is_plain(wanted)
                && range_implies((*op, value), (*wanted_op, wanted), collation)
        }
        _ => false,
    }
}

fn holds(wanted: &Test, value: &RawBson) -> bool {
    wanted.holds(value.as_raw_bson_ref()).unwrap_or(false)
}

/// Whether `x op value` implies `x wanted_op wanted`.
fn range_implies(
    (op, value): (CompareOp, &RawBson),
    (wanted_op, wanted): (CompareOp, &RawBson),
    collation: Option<&Collation>,
) -> bool {
    use CompareOp::{Gt, Gte, Lt, Lte};
    let (value, wanted) = (value.as_raw_bson_ref(), wanted.as_raw_bson_ref());
    if type_rank(value) != type_rank(wanted) {
        return false;
    }
    let order = compare_in(value, wanted, collation);
    match (op, wanted_op) {
        (Gt, Gt | Gte) | (Gte, Gte) => order != Ordering::Less,
        (Gte, Gt) => order == Ordering::Greater,
        (Lt, Lt | Lte) | (Lte, Lte) => order != Ordering::Greater,
        (Lte, Lt) => order == Ordering::Less,
        _ => false,
    }
}

/// Whether a value compares without special rules.
fn is_plain(value: &RawBson) -> bool {
    match value {
        RawBson::Double(number) => !number.is_nan(),
        RawBson::Decimal128(number) => number.to_string() != "NaN",
        RawBson::Null
        | RawBson::Undefined
        | RawBson::Array(_)
        | RawBson::MinKey
        | RawBson::MaxKey => false,
        _ => true,
    }
}
