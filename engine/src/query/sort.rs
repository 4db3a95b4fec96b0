//! Sort orders.

use std::cmp::Ordering;

use bson::raw::{RawBson, RawBsonRef, RawDocument};

use super::{QueryError, QueryErrorKind};
use crate::value::{Direction, KeyBytes, KeyEncoder, Path, compare};

/// A parsed sort document: by fields, or by natural order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sort {
    fields: Vec<(Path, Direction)>,
    natural: Option<Direction>,
}

/// The place of one document in a sort. Keys of the same [`Sort`] compare in its order.
#[derive(Debug, Clone)]
pub struct SortKey {
    key: KeyBytes,
    /// The values, only when the bytes do not hold them whole.
    values: Vec<(RawBson, Direction)>,
}

impl Sort {
    /// Parses a sort document; `None` if it is empty.
    ///
    /// # Errors
    /// `SortDirection`, `SortValue`, `BadValue`, `Unsupported` (`$meta`).
    pub fn parse(sort: &RawDocument) -> Result<Option<Self>, QueryError> {
        let mut fields = Vec::new();
        let mut natural = None;
        for element in sort {
            let (name, value) = element?;
            let name = name.as_str();
            let direction = direction(name, value)?;
            if name == "$natural" {
                natural = Some(direction);
                continue;
            }
            if name.starts_with('$') {
                return Err(QueryError::bad_value(format!(
                    "a sort field must not start with '$': {name}"
                )));
            }
            let path = Path::parse(name).map_err(|e| QueryError::bad_value(e.to_string()))?;
            if fields.iter().any(|(other, _)| *other == path) {
                return Err(QueryError::bad_value(format!("the sort names {name} twice")));
            }
            fields.push((path, direction));
        }
        if natural.is_some() && !fields.is_empty() {
            return Err(QueryError::bad_value(
                "$natural can't be combined with other sort fields; sort by one or the other",
            ));
        }
        let is_empty = natural.is_none() && fields.is_empty();
        Ok((!is_empty).then_some(Self { fields, natural }))
    }

    /// The fields, first to last; empty for a natural sort.
    #[must_use]
    pub fn fields(&self) -> &[(Path, Direction)] {
        &self.fields
    }

    /// The direction of `{$natural: …}`: order of insertion, or the reverse.
    #[must_use]
    pub fn natural(&self) -> Option<Direction> {
        self.natural
    }

    /// The document's place. Of an array the smallest element decides in an ascending field and
    /// the largest in a descending one; a missing field counts as null.
    #[must_use]
    pub fn key(&self, document: &RawDocument) -> SortKey {
        let mut encoder = KeyEncoder::new();
        let mut values = Vec::with_capacity(self.fields.len());
        for (path, direction) in &self.fields {
            let value = deciding_value(path, *direction, document);
            encoder.push(value, *direction);
            values.push((value, *direction));
        }
        let key = encoder.finish();
        let values = if key.exact {
            Vec::new()
        } else {
            let owned = |value: Option<RawBsonRef<'_>>| value.map_or(RawBson::Null, Into::into);
            values.into_iter().map(|(value, direction)| (owned(value), direction)).collect()
        };
        SortKey { key, values }
    }
}

impl SortKey {
    /// Bytes that the key holds in memory, about.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        let value_bytes = |value: &RawBson| match value {
            RawBson::String(text) | RawBson::Symbol(text) => text.len(),
            RawBson::Document(document) => document.as_bytes().len(),
            RawBson::Array(array) => array.as_bytes().len(),
            RawBson::Binary(binary) => binary.bytes.len(),
            _ => 16,
        };
        size_of::<Self>()
            + self.key.bytes.len()
            + self.values.iter().map(|(value, _)| value_bytes(value)).sum::<usize>()
    }
}

impl Ord for SortKey {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_bytes = self.key.ordered().cmp(other.key.ordered());
        if by_bytes != Ordering::Equal || (self.key.exact && other.key.exact) {
            return by_bytes;
        }
        let pairs = self.values.iter().zip(&other.values);
        for ((a, direction), (b, _)) in pairs {
            let order = compare(a.as_raw_bson_ref(), b.as_raw_bson_ref());
            let order = if *direction == Direction::Descending { order.reverse() } else { order };
            if order != Ordering::Equal {
                return order;
            }
        }
        Ordering::Equal
    }
}

impl PartialOrd for SortKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for SortKey {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for SortKey {}

fn deciding_value<'d>(
    path: &Path,
    direction: Direction,
    document: &'d RawDocument,
) -> Option<RawBsonRef<'d>> {
    let better = if direction == Direction::Ascending { Ordering::Less } else { Ordering::Greater };
    let mut best: Option<RawBsonRef<'d>> = None;
    path.index_values(document, &mut |value| {
        let value = value.unwrap_or(RawBsonRef::Null);
        if best.is_none_or(|best| compare(value, best) == better) {
            best = Some(value);
        }
    });
    best
}

fn direction(name: &str, value: RawBsonRef<'_>) -> Result<Direction, QueryError> {
    let number = match value {
        RawBsonRef::Int32(n) => f64::from(n),
        RawBsonRef::Int64(1) => 1.0,
        RawBsonRef::Int64(-1) => -1.0,
        RawBsonRef::Int64(_) => 0.0,
        RawBsonRef::Double(n) => n,
        RawBsonRef::Document(_) => {
            return Err(QueryError::unsupported(format!(
                "sorting {name} by an expression such as $meta is not supported; use 1 or -1"
            )));
        }
        _ => {
            return Err(QueryError::new(
                QueryErrorKind::SortValue,
                format!("the sort value of {name} must be 1 (ascending) or -1 (descending)"),
            ));
        }
    };
    // As MongoDB does, the fraction is dropped first: 1.5 counts as 1.
    match number.trunc() {
        1.0 => Ok(Direction::Ascending),
        -1.0 => Ok(Direction::Descending),
        _ => Err(QueryError::new(
            QueryErrorKind::SortDirection,
            format!("the sort value of {name} must be 1 (ascending) or -1 (descending)"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::testing::raw;

    fn check(sort: &str, in_order: &[&str]) {
        let sort = Sort::parse(&raw(sort)).expect(sort).expect("not empty");
        let keys: Vec<_> = in_order.iter().map(|text| sort.key(&raw(text))).collect();
        for (pair, texts) in keys.windows(2).zip(in_order.windows(2)) {
            assert!(pair[0] < pair[1], "{sort:?}: {} before {}", texts[0], texts[1]);
        }
    }

    fn refused(sort: &str, kind: QueryErrorKind) {
        assert_eq!(Sort::parse(&raw(sort)).expect_err(sort).kind, kind, "{sort}");
    }

    #[test]
    fn documents_in_order() {
        check(
            "{a: 1}",
            &["{a: []}", "{}", "{a: 1}", "{a: 1.5}", "{a: 'x'}", "{a: {b: 1}}", "{a: true}"],
        );
        check("{a: -1}", &["{a: true}", "{a: 'x'}", "{a: 2}", "{a: 1}", "{}"]);
        check("{a: 1, b: -1}", &["{a: 1, b: 2}", "{a: 1, b: 1}", "{a: 2, b: 9}"]);
        check("{a: 1}", &["{a: [1, 9]}", "{a: [5, 2]}", "{a: 3}"]);
        check("{a: -1}", &["{a: [1, 9]}", "{a: 8}", "{a: [5, 2]}"]);
        check("{'a.b': 1}", &["{a: [{b: 1}, {b: 9}]}", "{a: {b: 2}}"]);
        let long = "y".repeat(600);
        let documents = [format!("{{a: '{long}a'}}"), format!("{{a: '{long}b'}}")];
        check("{a: 1}", &[&documents[0], &documents[1]]);
        check("{a: -1}", &[&documents[1], &documents[0]]);
    }

    #[test]
    fn refusals() {
        refused("{a: 2}", QueryErrorKind::SortDirection);
        refused("{a: 0}", QueryErrorKind::SortDirection);
        refused("{a: 'x'}", QueryErrorKind::SortValue);
        refused("{a: {$meta: 'textScore'}}", QueryErrorKind::Unsupported);
        refused("{'a..b': 1}", QueryErrorKind::BadValue);
        refused("{$natural: 1, a: 1}", QueryErrorKind::BadValue);
        let natural = Sort::parse(&raw("{$natural: -1}")).expect("valid").expect("not empty");
        assert_eq!(natural.natural(), Some(Direction::Descending));
        assert!(Sort::parse(&raw("{}")).expect("valid").is_none());
    }
}
