//! Sort orders.

use std::cmp::Ordering;

use bson::raw::{RawBson, RawBsonRef, RawDocument};

use super::{QueryError, filter::number::as_double};
use crate::value::{
    Collation, Direction, KeyBytes, KeyEncoder, ParallelArrays, Path, combinations, compare_in,
    error_text::element_text, is_reserved_name,
};

/// Most fields of a sort, as in MongoDB.
const FIELDS_MAX: usize = 32;

/// A parsed sort document: by fields, or by natural order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sort {
    fields: Vec<(Path, Direction)>,
    natural: Option<Direction>,
    collation: Option<Collation>,
}

/// The place of one document in a sort. Keys of the same [`Sort`] compare in its order.
#[derive(Debug, Clone)]
pub struct SortKey {
    key: KeyBytes,
    /// The values, only when the bytes do not hold them whole.
    values: Vec<(RawBson, Direction)>,
    collation: Option<Collation>,
}

impl Sort {
    /// Parses a sort document; `None` if it is empty.
    ///
    /// # Errors
    /// `SortDirection`, `SortValue`, `BadValue`, `Unsupported` (`$meta`).
    pub fn parse(sort: &RawDocument) -> Result<Option<Self>, QueryError> {
        Self::parse_in(sort, None)
    }

    /// As [`Sort::parse`], with text in the order of a collation.
    ///
    /// # Errors
    /// As [`Sort::parse`].
    pub fn parse_in(
        sort: &RawDocument,
        collation: Option<&Collation>,
    ) -> Result<Option<Self>, QueryError> {
        let mut fields = Vec::new();
        let mut natural = None;
        for element in sort {
            let (name, value) = element?;
            let name = name.as_str();
            if name == "$natural" {
                natural = Some(natural_direction(value)?);
                continue;
            }
            check_name(name)?;
            let direction = direction(name, value)?;
            let path = Path::parse(name).map_err(|e| QueryError::bad_value(e.to_string()))?;
            if fields.iter().any(|(other, _)| *other == path) {
                return Err(QueryError::new(
                    7472500,
                    format!("$sort key must not contain duplicate keys (field: '{name}')"),
                ));
            }
            fields.push((path, direction));
            if fields.len() > FIELDS_MAX {
                return Err(QueryError::new(13103, "too many compound keys"));
            }
        }
        if natural.is_some() && !fields.is_empty() {
            return Err(QueryError::bad_value(format!(
                "Cannot include '$natural' in compound sort{}",
                element_text("", RawBsonRef::Document(sort))
            )));
        }
        let is_empty = natural.is_none() && fields.is_empty();
        let collation = collation.cloned();
        Ok((!is_empty).then_some(Self { fields, natural, collation }))
    }

    /// How text sorts.
    pub fn collation(&self) -> Option<&Collation> {
        self.collation.as_ref()
    }

    /// The fields, first to last; empty for a natural sort.
    pub fn fields(&self) -> &[(Path, Direction)] {
        &self.fields
    }

    /// The direction of `{$natural: …}`: order of insertion, or the reverse.
    pub fn natural(&self) -> Option<Direction> {
        self.natural
    }

    /// The document's place. Of an array the smallest element decides in an ascending field and
    /// the largest in a descending one; a missing field counts as null. Fields within one array are
    /// taken from the same element.
    ///
    /// # Errors
    /// `BadValue` when two fields lie in different arrays.
    pub fn key(&self, document: &RawDocument) -> Result<SortKey, QueryError> {
        let mut arrays = 0;
        let mut values = Vec::with_capacity(self.fields.len());
        for (path, direction) in &self.fields {
            let (value, is_in_array) = self.deciding_value(path, *direction, document);
            values.push(value);
            arrays += usize::from(is_in_array);
        }
        if arrays > 1 {
            values = self.first_combination(document)?;
        }
        Ok(self.key_of(&values))
    }

    /// The document's place by its fields as they are: an array is one value.
    pub fn plain_key(&self, document: &RawDocument) -> SortKey {
        let values: Vec<_> = self.fields.iter().map(|(path, _)| path.get(document)).collect();
        self.key_of(&values)
    }

    fn key_of(&self, values: &[Option<RawBsonRef<'_>>]) -> SortKey {
        let mut encoder = KeyEncoder::of(self.collation());
        let fields = || values.iter().zip(&self.fields);
        for (value, (_, direction)) in fields() {
            encoder.push(*value, *direction);
        }
        let key = encoder.finish();
        let owned = |value: Option<RawBsonRef<'_>>| value.map_or(RawBson::Null, Into::into);
        let values = if key.exact {
            Vec::new()
        } else {
            fields().map(|(value, (_, direction))| (owned(*value), *direction)).collect()
        };
        let collation = self.collation.clone().filter(|_| !key.exact);
        SortKey { key, values, collation }
    }

    /// Of the combinations of values, the one that comes first.
    fn first_combination<'d>(
        &self,
        document: &'d RawDocument,
    ) -> Result<Vec<Option<RawBsonRef<'d>>>, QueryError> {
        let mut first: Vec<Option<RawBsonRef<'d>>> = Vec::new();
        let paths = self.fields.iter().map(|(path, _)| path);
        let combined = combinations(paths, document, &mut |values| {
            if first.is_empty() || self.order(values, &first) == Ordering::Less {
                first = values.to_vec();
            }
        });
        combined.map(|_| first).map_err(|ParallelArrays| {
            QueryError::bad_value(
                "cannot sort with keys that are parallel arrays; sort by fields of which at most one \
                 leads to an array",
            )
        })
    }

    fn order(&self, a: &[Option<RawBsonRef<'_>>], b: &[Option<RawBsonRef<'_>>]) -> Ordering {
        let null = RawBsonRef::Null;
        let pairs = a.iter().zip(b).zip(&self.fields);
        let orders = pairs.map(|((a, b), (_, direction))| {
            let order = compare_in(a.unwrap_or(null), b.unwrap_or(null), self.collation());
            if *direction == Direction::Descending { order.reverse() } else { order }
        });
        orders.fold(Ordering::Equal, Ordering::then)
    }

    /// The value of one field that decides, and whether an array was met.
    fn deciding_value<'d>(
        &self,
        path: &Path,
        direction: Direction,
        document: &'d RawDocument,
    ) -> (Option<RawBsonRef<'d>>, bool) {
        let is_up = direction == Direction::Ascending;
        let better = if is_up { Ordering::Less } else { Ordering::Greater };
        let mut best: Option<RawBsonRef<'d>> = None;
        let is_in_array = path.index_values(document, &mut |value| {
            let value = value.unwrap_or(RawBsonRef::Null);
            if best.is_none_or(|best| compare_in(value, best, self.collation()) == better) {
                best = Some(value);
            }
        });
        (best, is_in_array)
    }
}

impl SortKey {
    /// Bytes that the key holds in memory, about.
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
            let (a, b) = (a.as_raw_bson_ref(), b.as_raw_bson_ref());
            let order = compare_in(a, b, self.collation.as_ref());
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

fn natural_direction(value: RawBsonRef<'_>) -> Result<Direction, QueryError> {
    match as_double(value) {
        Some(1.0) => Ok(Direction::Ascending),
        Some(-1.0) => Ok(Direction::Descending),
        _ => {
            Err(QueryError::bad_value("$natural sort cannot be set to a value other than -1 or 1."))
        }
    }
}

/// Refuses a string that is not a path of fields.
fn check_name(name: &str) -> Result<(), QueryError> {
    let refused = |code: i32, message: &str| Err(QueryError::new(code, message));
    if name.is_empty() {
        return refused(40352, "FieldPath cannot be constructed with empty string");
    }
    if name.ends_with('.') {
        return refused(40353, "FieldPath must not end with a '.'.");
    }
    if name.split('.').any(str::is_empty) {
        return refused(15998, "FieldPath field names may not be empty strings.");
    }
    if name.split('.').any(is_reserved_name) {
        return refused(
            16410,
            "FieldPath field names may not start with '$'. Consider using $getField or $setField.",
        );
    }
    Ok(())
}

fn direction(name: &str, value: RawBsonRef<'_>) -> Result<Direction, QueryError> {
    let number = match value {
        RawBsonRef::Int32(n) => f64::from(n),
        RawBsonRef::Int64(1) => 1.0,
        RawBsonRef::Int64(-1) => -1.0,
        RawBsonRef::Int64(_) => 0.0,
        RawBsonRef::Double(n) => n,
        RawBsonRef::Decimal128(_) => as_double(value).unwrap_or_default(),
        RawBsonRef::Document(inner) if matches!(inner.get("$meta"), Ok(Some(_))) => {
            return Err(QueryError::unsupported(format!(
                "sorting {name} by $meta is not supported: there are no text or vector searches, \
                 and $sample draws documents at random"
            )));
        }
        RawBsonRef::Document(_) => {
            return Err(QueryError::new(
                17312,
                "$meta is the only expression supported by $sort right now",
            ));
        }
        _ => {
            return Err(QueryError::new(
                15974,
                format!("Illegal key in $sort specification: {}", element_text(name, value)),
            ));
        }
    };
    // As MongoDB does, the fraction is dropped first: 1.5 counts as 1.
    match number.trunc() {
        1.0 => Ok(Direction::Ascending),
        -1.0 => Ok(Direction::Descending),
        _ => Err(QueryError::new(
            15975,
            "$sort key ordering must be 1 (for ascending) or -1 (for descending)",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Code;
    use crate::query::testing::raw;

    fn check(sort: &str, in_order: &[&str]) {
        let sort = Sort::parse(&raw(sort)).expect(sort).expect("not empty");
        let keys: Vec<_> = in_order.iter().map(|text| sort.key(&raw(text)).expect(text)).collect();
        for (pair, texts) in keys.windows(2).zip(in_order.windows(2)) {
            assert!(pair[0] < pair[1], "{sort:?}: {} before {}", texts[0], texts[1]);
        }
    }

    fn refused(sort: &str, code: impl Into<Code>) {
        assert_eq!(Sort::parse(&raw(sort)).expect_err(sort).code, code.into(), "{sort}");
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
        check(
            "{'a.b': 1, 'a.c': -1}",
            &["{a: [{b: 1, c: 5}]}", "{a: [{b: 1, c: 1}, {b: 2, c: 9}]}"],
        );
        check(
            "{'a.b': 1, 'a.c': -1}",
            &[
                "{a: [{b: 1, c: 0}, {b: 0, c: 3}, {b: 0, c: 1}]}",
                "{a: {b: 0, c: 2}}",
                "{a: {b: 1}}",
            ],
        );
        check("{a: 1, b: -1}", &["{a: [2, 1], b: 5}", "{a: 1, b: [3, 4]}", "{a: 1, b: 3}"]);
        let long = "y".repeat(600);
        let documents = [format!("{{a: '{long}a'}}"), format!("{{a: '{long}b'}}")];
        check("{a: 1}", &[&documents[0], &documents[1]]);
        check("{a: -1}", &[&documents[1], &documents[0]]);
    }

    #[test]
    fn two_arrays_give_no_order() {
        let key = |sort: &str, document: &str| {
            let sort = Sort::parse(&raw(sort)).expect(sort).expect("not empty");
            sort.key(&raw(document)).map_err(|error| error.code)
        };
        for sort in ["{a: 1, b: 1}", "{'a.0': 1, b: -1}", "{'c.a': 1, 'c.b': 1}"] {
            let document = "{a: [[1, 2]], b: [3, 4], c: {a: [], b: [1]}}";
            assert_eq!(key(sort, document).err(), Some(Code::BAD_VALUE), "{sort}");
        }
        assert!(key("{a: 1, b: 1, 'a.c': -1}", "{a: [{c: 1}], b: 2}").is_ok());
        assert!(key("{'a.b': 1, a: 1}", "{a: [{b: 1}, 2]}").is_ok());
    }

    #[test]
    fn refusals() {
        refused("{a: 2}", 15975);
        refused("{a: 0}", 15975);
        refused("{a: 'x'}", 15974);
        refused("{a: {$meta: 'textScore'}}", Code::NOT_SUPPORTED);
        refused("{'a..b': 1}", 15998);
        refused("{'': 1}", 40352);
        refused("{'a.': 1}", 40353);
        refused("{$a: 1}", 16410);
        refused("{a: {b: 1}}", 17312);
        refused("{a: true}", 15974);
        refused("{$natural: 2}", Code::BAD_VALUE);
        let fields = |count: usize| {
            let fields: Vec<_> = (0..count).map(|n| format!("f{n}: 1")).collect();
            format!("{{{}}}", fields.join(", "))
        };
        refused(&fields(33), 13103);
        assert!(Sort::parse(&raw(&fields(32))).is_ok());
        refused("{$natural: 1, a: 1}", Code::BAD_VALUE);
        let natural = Sort::parse(&raw("{$natural: -1}")).expect("valid").expect("not empty");
        assert_eq!(natural.natural(), Some(Direction::Descending));
        assert!(Sort::parse(&raw("{}")).expect("valid").is_none());
    }
}
