//! Whether two filters of partial indexes say the same, however they are written.

use std::cmp::Ordering;

use bson::raw::RawBson;

use super::{
    expr::{CompareOp, Expr, Test},
    parsed::Filter,
    types::TypeSet,
};
use crate::value::compare;

/// A filter reduced to its meaning: conditions are sorted and unique, nested lists are flat, and an
/// equality has one form.
enum Canonical<'f> {
    All(Vec<Canonical<'f>>),
    Any(Vec<Canonical<'f>>),
    Test(&'f str, Condition<'f>),
}

enum Condition<'f> {
    Compare(CompareOp, &'f RawBson),
    /// Equal to one of these. One value is an equality.
    Among(Vec<&'f RawBson>),
    Exists,
    Type(&'f TypeSet),
}

impl Filter {
    /// Whether both say the same. Answers false for what a partial index can't have, unless both
    /// are written alike.
    pub fn is_equivalent(&self, other: &Self) -> bool {
        self == other
            || match (canonical(self.root()), canonical(other.root())) {
                (Some(a), Some(b)) => a.order(&b).is_eq(),
                _ => false,
            }
    }
}

/// Recursion is bounded by the depth of a filter.
fn canonical(expr: &Expr) -> Option<Canonical<'_>> {
    match expr {
        Expr::True => Some(Canonical::All(Vec::new())),
        Expr::And(parts) => {
            let mut all = Vec::new();
            for part in parts {
                match canonical(part)? {
                    Canonical::All(inner) => all.extend(inner),
                    other => all.push(other),
                }
            }
            Some(one_or(all, Canonical::All))
        }
        Expr::Or(parts) => {
            let mut any = Vec::new();
            for part in parts {
                match canonical(part)? {
                    Canonical::Any(inner) => any.extend(inner),
                    // One that takes everything.
                    Canonical::All(inner) if inner.is_empty() => {
                        return Some(Canonical::All(inner));
                    }
                    other => any.push(other),
                }
            }
            Some(one_or(with_lists(any), Canonical::Any))
        }
        Expr::Field { path, test } => {
            // Indexes with other collations are others anyway.
            let condition = match test.collated().0 {
                Test::Compare { op: CompareOp::Eq, value } => Condition::Among(vec![value]),
                Test::Compare { op, value } => Condition::Compare(*op, value),
                Test::In { values, patterns } if patterns.is_empty() => {
                    Condition::Among(in_order(values.iter().collect()))
                }
                Test::Exists => Condition::Exists,
                Test::Type(types) => Condition::Type(types),
                _ => return None,
            };
            Some(Canonical::Test(path.as_str(), condition))
        }
        _ => None,
    }
}

/// Sorted and unique; a single condition needs no list.
fn one_or<'f>(
    mut parts: Vec<Canonical<'f>>,
    list: fn(Vec<Canonical<'f>>) -> Canonical<'f>,
) -> Canonical<'f> {
    parts.sort_by(Canonical::order);
    parts.dedup_by(|a, b| a.order(b).is_eq());
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        last => {
            parts.extend(last);
            list(parts)
        }
    }
}

/// Equalities of one field, of which one must hold, as one list of values.
fn with_lists(parts: Vec<Canonical<'_>>) -> Vec<Canonical<'_>> {
    let mut lists: Vec<(&str, Vec<&RawBson>)> = Vec::new();
    let mut rest = Vec::new();
    for part in parts {
        match part {
            Canonical::Test(path, Condition::Among(values)) => {
                match lists.iter_mut().find(|(known, _)| *known == path) {
                    Some((_, list)) => list.extend(values),
                    None => lists.push((path, values)),
                }
            }
            other => rest.push(other),
        }
    }
    let lists = lists.into_iter();
    rest.extend(lists.map(|(path, list)| Canonical::Test(path, Condition::Among(in_order(list)))));
    rest
}

fn in_order(mut values: Vec<&RawBson>) -> Vec<&RawBson> {
    values.sort_by(|a, b| of_values(a, b));
    values.dedup_by(|a, b| of_values(a, b).is_eq());
    values
}

fn of_values(a: &RawBson, b: &RawBson) -> Ordering {
    compare(a.as_raw_bson_ref(), b.as_raw_bson_ref())
}

/// Position by position, then the shorter one.
fn of_lists<T>(a: &[T], b: &[T], order: impl Fn(&T, &T) -> Ordering) -> Ordering {
    let of_pairs = a.iter().zip(b).map(|(a, b)| order(a, b));
    of_pairs.fold(Ordering::Equal, Ordering::then).then(a.len().cmp(&b.len()))
}

impl Canonical<'_> {
    fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::All(a), Self::All(b)) | (Self::Any(a), Self::Any(b)) => {
                of_lists(a, b, Self::order)
            }
            (Self::Test(path, a), Self::Test(other, b)) => path.cmp(other).then_with(|| a.order(b)),
            _ => self.rank().cmp(&other.rank()),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::All(_) => 0,
            Self::Any(_) => 1,
            Self::Test(..) => 2,
        }
    }
}

impl Condition<'_> {
    fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Compare(op, a), Self::Compare(other, b)) => {
                (*op as u8).cmp(&(*other as u8)).then_with(|| of_values(a, b))
            }
            (Self::Among(a), Self::Among(b)) => of_lists(a, b, |a, b| of_values(a, b)),
            (Self::Type(a), Self::Type(b)) => a.in_order().cmp(&b.in_order()),
            _ => self.rank().cmp(&other.rank()),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Compare(..) => 0,
            Self::Among(_) => 1,
            Self::Exists => 2,
            Self::Type(_) => 3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::testing::raw;

    #[track_caller]
    fn check(a: &str, b: &str, expected: bool) {
        let parse = |text: &str| Filter::parse(&raw(text)).expect(text);
        let (left, right) = (parse(a), parse(b));
        assert_eq!(left.is_equivalent(&right), expected, "{a} and {b}");
        assert_eq!(right.is_equivalent(&left), expected, "{b} and {a}");
    }

    #[test]
    fn how_a_filter_is_written_does_not_count() {
        let same = |a, b| check(a, b, true);
        same("{a: 1, b: 2}", "{b: 2, a: 1}");
        same("{a: 1}", "{a: {$eq: 1.0}}");
        same("{a: 1}", "{$and: [{a: {$in: [1, 1]}}]}");
        same("{a: {$gt: 1, $lt: 5}, b: 'x'}", "{$and: [{b: 'x'}, {a: {$lt: 5}}, {a: {$gt: 1}}]}");
        same("{$and: [{a: 1}, {$and: [{b: 1}, {c: 1}]}]}", "{c: 1, b: 1, a: 1}");
        same("{$and: [{a: {$gt: 1}}, {a: {$gt: 1}}]}", "{a: {$gt: 1}}");
        same("{$or: [{a: 1}, {a: 2}]}", "{a: {$in: [2, 1]}}");
        same("{$or: [{a: {$gt: 1}}, {b: 1}]}", "{$or: [{b: 1}, {$or: [{a: {$gt: 1}}]}]}");
        same("{a: {$type: ['string', 'int']}}", "{a: {$type: [16, 2, 16]}}");
        same("{a: {$exists: true}}", "{a: {$exists: 1}}");
        same("{}", "{$and: [{}]}");
        same("{}", "{$or: [{a: 1}, {}]}");
    }

    #[test]
    fn what_it_says_counts() {
        let other = |a, b| check(a, b, false);
        other("{a: 1}", "{a: 2}");
        other("{a: 1}", "{b: 1}");
        other("{a: 1}", "{a: '1'}");
        other("{a: {$gt: 1}}", "{a: {$gte: 1}}");
        other("{a: 1, b: 1}", "{$or: [{a: 1}, {b: 1}]}");
        other("{a: {$in: [1, 2]}}", "{a: {$in: [1, 2, 3]}}");
        other("{a: {b: 1, c: 1}}", "{a: {c: 1, b: 1}}");
        other("{a: {$exists: true}}", "{a: {$type: 'int'}}");
        other("{}", "{a: 1}");
        other("{a: {$regex: 'x'}}", "{a: {$regex: 'y'}}");
    }
}
