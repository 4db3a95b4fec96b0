//! Computes the intervals of index keys that a filter needs.

use super::range::{Interval, Range, needs_field, ranges};
use crate::{
    catalog::{IndexKey, IndexMeta},
    limits::{INTERVALS_MAX, POINTS_MAX},
    query::{Expr, Test},
    value::{Collation, Path, key::KEY_BYTES_KEPT},
};

/// The part of a filter that an index can answer.
#[derive(Debug, Clone)]
pub struct Bounds {
    /// Intervals to scan: disjoint, in key order.
    pub intervals: Vec<Interval>,
    /// Leading fields of the key that are bound to single values.
    pub equal_fields: usize,
    /// Of these, leading fields bound to exactly one value; the fields after them are in order.
    pub fixed_fields: usize,
    /// Whether the next field is bound to a range.
    pub has_range: bool,
    /// The bounds of each field of the key, for explain.
    fields: Vec<FieldBounds>,
}

/// The bounds of one field. Only explain formats them.
#[derive(Debug, Clone)]
enum FieldBounds {
    All,
    Within(Vec<Range>),
    /// Keys given as `min` and `max`.
    Given,
}

impl Bounds {
    /// The bounds of each field of a key, as explain shows them.
    pub(super) fn shown<'b>(
        &'b self,
        key: &'b IndexKey,
        collation: Option<&'b Collation>,
    ) -> impl Iterator<Item = (&'b str, Vec<String>)> {
        key.parts.iter().zip(&self.fields).map(move |(part, field)| {
            let shown = match field {
                FieldBounds::All => vec!["[MinKey, MaxKey]".to_owned()],
                FieldBounds::Within(ranges) => {
                    ranges.iter().map(|range| range.text(collation)).collect()
                }
                FieldBounds::Given => vec!["[min(), max())".to_owned()],
            };
            (part.path.as_str(), shown)
        })
    }

    /// Bounds given as keys.
    pub(super) fn of_interval(interval: Interval, key: &IndexKey) -> Self {
        Self {
            intervals: vec![interval],
            equal_fields: 0,
            fixed_fields: 0,
            has_range: true,
            fields: vec![FieldBounds::Given; key.parts.len()],
        }
    }
}

/// The tests that every matching document must pass.
pub(super) fn conjuncts(expr: &Expr) -> Vec<(&Path, &Test)> {
    match expr {
        Expr::And(parts) => parts.iter().flat_map(conjuncts).collect(),
        Expr::Field { path, test } => vec![(path, test)],
        _ => Vec::new(),
    }
}

/// The bounds of a plain index; the whole index without a usable test.
pub(super) fn bounds(index: &IndexMeta, tests: &[(&Path, &Test)]) -> Bounds {
    let mut prefixes: Vec<Vec<u8>> = vec![Vec::new()];
    let mut bounds = Bounds {
        intervals: Vec::new(),
        equal_fields: 0,
        fixed_fields: 0,
        has_range: false,
        fields: Vec::new(),
    };
    let collation = index.collation.as_ref();
    let mut ranged: Option<Vec<Interval>> = None;
    let mut bounded_roots: Vec<&str> = Vec::new();
    let mut open = true;
    for part in &index.key.parts {
        let Some(direction) = part.kind.direction() else { break };
        let root = part.path.parts().first().map_or("", |part| part.name.as_str());
        // Two fields of one array may pass their tests in different elements.
        let is_free = !index.multikey || !bounded_roots.contains(&root);
        let found = (open && is_free).then(|| field_ranges(index, &part.path, tests)).flatten();
        let Some(found) = found.filter(|found| are_few(prefixes.len(), found.len())) else {
            open = false;
            bounds.fields.push(FieldBounds::All);
            continue;
        };
        bounded_roots.push(root);
        let is_equal = found.iter().all(Range::is_point);
        let intervals: Vec<Interval> = prefixes
            .iter()
            .flat_map(|prefix| {
                found.iter().map(|range| range.interval(prefix, direction, collation))
            })
            .collect();
        let is_single = found.len() == 1;
        bounds.fields.push(FieldBounds::Within(found));
        if !is_equal || intervals.iter().any(|at| at.lower.len() >= KEY_BYTES_KEPT) {
            bounds.has_range = !is_equal;
            bounds.equal_fields += usize::from(is_equal);
            ranged = Some(intervals);
            open = false;
            continue;
        }
        if is_single && bounds.fixed_fields == bounds.equal_fields {
            bounds.fixed_fields += 1;
        }
        bounds.equal_fields += 1;
        prefixes = intervals.into_iter().map(|interval| interval.lower).collect();
    }
    let intervals =
        ranged.unwrap_or_else(|| prefixes.iter().map(|p| Interval::of_prefix(p)).collect());
    bounds.intervals = disjoint(intervals);
    bounds
}

/// Whether the bounds so far may be combined with the ranges of one more field. The client decides
/// how long a list of values on one field is, but two lists multiply.
fn are_few(prefixes: usize, ranges: usize) -> bool {
    let max = if prefixes.min(ranges) <= 1 { POINTS_MAX } else { INTERVALS_MAX };
    prefixes.saturating_mul(ranges) <= max
}

/// The ranges of one field: the smallest set of single values, or else the intersection of the
/// comparisons.
fn field_ranges(index: &IndexMeta, path: &Path, tests: &[(&Path, &Test)]) -> Option<Vec<Range>> {
    let has_missing = !path.may_name_position();
    let mut found: Vec<Vec<Range>> = tests
        .iter()
        // A missing field that has no key in the index can't be looked up.
        .filter(|(other, test)| *other == path && (has_missing || needs_field(test)))
        .filter_map(|(_, test)| ranges(test, index.collation.as_ref()))
        .collect();
    found.sort_by_key(|ranges| (!ranges.iter().all(Range::is_point), ranges.len()));
    let mut found = found.into_iter();
    let mut best = found.next()?;
    // In an array, each comparison may hold for a different element.
    if let ([only], false) = (best.as_mut_slice(), index.multikey) {
        for other in found {
            if let [other] = other.as_slice() {
                *only = only.narrowed_by(other);
            }
        }
    }
    Some(best)
}

/// Sorts intervals and merges those that overlap.
fn disjoint(mut intervals: Vec<Interval>) -> Vec<Interval> {
    intervals
        .retain(|interval| interval.upper.as_ref().is_none_or(|upper| *upper > interval.lower));
    intervals.sort_by(|a, b| a.lower.cmp(&b.lower));
    let mut joined: Vec<Interval> = Vec::with_capacity(intervals.len());
    for interval in intervals {
        match joined.last_mut() {
            Some(last) if last.upper.as_ref().is_none_or(|upper| *upper >= interval.lower) => {
                let reaches_further = match (&last.upper, &interval.upper) {
                    (Some(a), Some(b)) => b > a,
                    (Some(_), None) => true,
                    (None, _) => false,
                };
                if reaches_further {
                    last.upper = interval.upper;
                }
            }
            _ => joined.push(interval),
        }
    }
    joined
}

/// Whether every document that can match has entries in the index.
pub(super) fn holds_all_matches(index: &IndexMeta, tests: &[(&Path, &Test)]) -> bool {
    let sparse_holds =
        || {
            index.key.parts.iter().any(|part| {
                tests.iter().any(|(path, test)| **path == part.path && needs_field(test))
            })
        };
    let partial_holds = || {
        index.partial.as_ref().is_none_or(|filter| super::implies::implies(tests, filter.root()))
    };
    (!index.sparse || sparse_holds()) && partial_holds()
}
