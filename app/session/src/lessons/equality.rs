//! Equality as a lesson's author means it.

use bson::Bson;

/// Whether two values are the same to a reader: numbers by value whatever their type, `NaN` equal to
/// itself, documents field by field in order.
pub fn is_equal(left: &Bson, right: &Bson) -> bool {
    match (left, right) {
        (Bson::Array(left), Bson::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(a, b)| is_equal(a, b))
        }
        (Bson::Document(left), Bson::Document(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|((a, x), (b, y))| a == b && is_equal(x, y))
        }
        (Bson::Undefined | Bson::Null, Bson::Undefined | Bson::Null) => true,
        _ => match (integer(left), integer(right)) {
            (Some(left), Some(right)) => left == right,
            _ => match (double(left), double(right)) {
                #[expect(clippy::float_cmp, reason = "the same value is meant")]
                (Some(left), Some(right)) => left == right || left.is_nan() && right.is_nan(),
                _ => left == right,
            },
        },
    }
}

/// Whether two lists hold the same values, in any order.
pub fn is_same_set(left: &[Bson], right: &[Bson]) -> bool {
    let mut rest: Vec<&Bson> = right.iter().collect();
    left.len() == right.len()
        && left.iter().all(|value| {
            let found = rest.iter().position(|other| is_equal(value, other));
            found.map(|at| rest.swap_remove(at)).is_some()
        })
}

/// The value of a whole number.
pub fn integer(value: &Bson) -> Option<i64> {
    match value {
        Bson::Int32(number) => Some(i64::from(*number)),
        Bson::Int64(number) => Some(*number),
        #[expect(clippy::cast_possible_truncation, reason = "it is whole and within the range")]
        Bson::Double(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
            Some(*number as i64)
        }
        _ => None,
    }
}

/// The value of any number but a decimal.
#[expect(clippy::cast_precision_loss, reason = "integers are compared before")]
pub fn double(value: &Bson) -> Option<f64> {
    match value {
        Bson::Double(number) => Some(*number),
        other => integer(other).map(|number| number as f64),
    }
}

#[cfg(test)]
mod tests {
    use bson::{bson, oid::ObjectId};

    use super::*;

    #[test]
    fn numbers_are_equal_by_value() {
        let ones = [Bson::Int32(1), Bson::Int64(1), Bson::Double(1.0)];
        for left in &ones {
            for right in &ones {
                assert!(is_equal(left, right), "{left:?} {right:?}");
            }
            assert!(!is_equal(left, &Bson::Double(1.5)) && !is_equal(left, &bson!("1")));
        }
        let nan = Bson::Double(f64::NAN);
        assert!(is_equal(&nan, &nan) && !is_equal(&nan, &Bson::Double(0.0)));
        let (large, next) = (Bson::Int64(i64::MAX), Bson::Int64(i64::MAX - 1));
        assert!(!is_equal(&large, &next));
        assert!(is_equal(&Bson::Double(0.5), &Bson::Double(0.5)));
        assert!(is_equal(&Bson::Undefined, &Bson::Null) && !is_equal(&Bson::Null, &bson!(0)));
        assert!(!is_equal(&Bson::Boolean(true), &bson!(1)));
        let id = Bson::ObjectId(ObjectId::from_bytes([1; 12]));
        assert!(is_equal(&id, &id) && !is_equal(&id, &bson!("010101010101010101010101")));
    }

    #[test]
    fn lists_and_documents_are_equal_by_their_parts() {
        assert!(is_equal(&bson!([1, [2.0]]), &bson!([1.0, [2_i64]])));
        assert!(!is_equal(&bson!([1, 2]), &bson!([2, 1])));
        assert!(is_equal(&bson!({"a": 1}), &bson!({"a": 1.0})));
        assert!(!is_equal(&bson!({"a": 1, "b": 2}), &bson!({"b": 2, "a": 1})));
        let (left, right) =
            (vec![bson!(1), bson!(2), bson!(2)], vec![bson!(2), bson!(1), bson!(2)]);
        assert!(is_same_set(&left, &right) && !is_same_set(&left, &right[..2]));
        assert!(!is_same_set(&left, &[bson!(1), bson!(1), bson!(2)]));
    }
}
