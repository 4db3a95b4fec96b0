//! Brings a filter into the canonical form that explain shows.

use bson::{Bson, Document, doc};

use super::Bounds;
use crate::catalog::IndexMeta;

/// Deeper parts of a filter are shown as written.
const DEPTH_MAX: usize = 32;

/// The order in which MongoDB shows the parts of a conjunction.
const ORDER: &[&str] = &[
    "$and",
    "$or",
    "$elemMatch",
    "$size",
    "$eq",
    "$lte",
    "$lt",
    "$gt",
    "$gte",
    "$regex",
    "$mod",
    "$exists",
    "$in",
    "$bitsAllSet",
    "$bitsAllClear",
    "$bitsAnySet",
    "$bitsAnyClear",
    "$not",
    "$nor",
    "$type",
];

/// `parsedQuery`: `{a: 1}` as `{a: {$eq: 1}}`, several conditions as one sorted `$and`.
pub fn parsed_query(filter: &Document) -> Document {
    joined(parts(filter, 0))
}

/// The conditions of a filter that index bounds do not express exactly; the fetch stage checks
/// them.
pub(super) fn left_to_check(filter: &Document, bounds: &Bounds, index: &IndexMeta) -> Document {
    let mut used: Vec<String> = Vec::new();
    let mut kept = Vec::new();
    let mut parts = parts(filter, 0);
    // Bounds prefer single values.
    parts.sort_by_key(|part| {
        let test = part.values().next().and_then(Bson::as_document);
        !test.is_some_and(|test| test.contains_key("$eq") || test.contains_key("$in"))
    });
    for part in parts {
        match bounded_field(&part, bounds, index) {
            // Two conditions on an array may hold for two of its elements; bounds take one.
            Some(field) if !(index.multikey && used.contains(&field)) => used.push(field),
            _ => kept.push(part),
        }
    }
    joined(kept)
}

fn bounded_field(part: &Document, bounds: &Bounds, index: &IndexMeta) -> Option<String> {
    let (field, test) = part.iter().next()?;
    let (op, value) = test.as_document()?.iter().next()?;
    let is_exact = match (op.as_str(), value) {
        ("$eq" | "$lt" | "$lte" | "$gt" | "$gte", value) => is_exact(value),
        ("$in", Bson::Array(values)) => values.iter().all(is_exact),
        _ => false,
    };
    let (_, ranges) =
        bounds.shown(&index.key, index.collation.as_ref()).find(|(path, _)| path == field)?;
    let is_bounded = ranges.iter().all(|range| range != "[MinKey, MaxKey]");
    (is_exact && is_bounded).then(|| field.clone())
}

/// Whether an index entry decides equality with this value.
fn is_exact(value: &Bson) -> bool {
    !matches!(
        value,
        Bson::Null
            | Bson::Undefined
            | Bson::Array(_)
            | Bson::RegularExpression(_)
            | Bson::MinKey
            | Bson::MaxKey
    )
}

fn joined(mut parts: Vec<Document>) -> Document {
    parts.sort_by_cached_key(|part| {
        let (name, value) = part.iter().next().map_or(("", None), |(name, v)| (&**name, Some(v)));
        let op = value.filter(|_| !name.starts_with('$')).and_then(Bson::as_document);
        let op = op.and_then(|op| op.keys().next()).map_or(name, String::as_str);
        let rank = ORDER.iter().position(|known| *known == op).unwrap_or(ORDER.len());
        (rank, name.to_owned())
    });
    match parts.len() {
        0 => Document::new(),
        1 => parts.swap_remove(0),
        _ => doc! { "$and": parts },
    }
}

fn parts(filter: &Document, depth: usize) -> Vec<Document> {
    if depth > DEPTH_MAX {
        return vec![filter.clone()];
    }
    let mut out = Vec::new();
    for (name, value) in filter {
        match (name.as_str(), value) {
            ("$comment", _) => {}
            ("$and", Bson::Array(list)) => {
                for part in list.iter().filter_map(Bson::as_document) {
                    out.extend(parts(part, depth + 1));
                }
            }
            ("$or" | "$nor", Bson::Array(list)) => {
                let shown: Vec<Document> = list
                    .iter()
                    .filter_map(Bson::as_document)
                    .map(|part| joined(parts(part, depth + 1)))
                    .collect();
                match <[Document; 1]>::try_from(shown) {
                    Ok([only]) if name == "$or" => out.push(only),
                    Ok([only]) => out.push(doc! { "$nor": [only] }),
                    Err(shown) => out.push(doc! { name: shown }),
                }
            }
            (special, value) if special.starts_with('$') => out.push(doc! { special: value }),
            (field, value) => out.extend(tests(value).into_iter().map(|test| doc! { field: test })),
        }
    }
    out
}

/// The conditions on one field, each with its operator.
fn tests(value: &Bson) -> Vec<Document> {
    let operators = value
        .as_document()
        .filter(|document| document.keys().next().is_some_and(|name| name.starts_with('$')));
    let Some(operators) = operators else {
        return match value {
            Bson::RegularExpression(_) => vec![doc! { "$regex": value }],
            value => vec![doc! { "$eq": value }],
        };
    };
    let mut out = Vec::new();
    for (op, value) in operators {
        match (op.as_str(), value) {
            ("$ne", value) => out.push(doc! { "$not": { "$eq": value } }),
            ("$nin", value) => out.push(doc! { "$not": { "$in": value } }),
            ("$in", Bson::Array(list)) => match list.as_slice() {
                [only] if !matches!(only, Bson::RegularExpression(_)) => {
                    out.push(doc! { "$eq": only });
                }
                _ => out.push(doc! { "$in": list }),
            },
            ("$exists", Bson::Boolean(false)) => out.push(doc! { "$not": { "$exists": true } }),
            ("$options", _) => {}
            ("$regex", value) => {
                let mut test = doc! { "$regex": value };
                if let Some(options) = operators.get("$options") {
                    test.insert("$options", options);
                }
                out.push(test);
            }
            (op, value) => out.push(doc! { op: value }),
        }
    }
    out
}

/// Eight hexadecimal digits that are equal for queries of one shape: same fields and operators, any
/// values.
pub fn shape_hash(shape: &Document) -> String {
    let mut hash = 0x811c_9dc5_u32;
    feed(&mut hash, &Bson::Document(shape.clone()), 0);
    format!("{hash:08X}")
}

fn feed(hash: &mut u32, value: &Bson, depth: usize) {
    match value {
        Bson::Document(document) if depth <= DEPTH_MAX => {
            for (name, value) in document {
                fnv(hash, name.as_bytes());
                fnv(hash, b":");
                feed(hash, value, depth + 1);
            }
        }
        Bson::Array(list) if depth <= DEPTH_MAX => {
            for value in list.iter().filter(|value| value.as_document().is_some()) {
                feed(hash, value, depth + 1);
            }
            fnv(hash, b"]");
        }
        _ => fnv(hash, b"?"),
    }
}

/// FNV-1a.
fn fnv(hash: &mut u32, bytes: &[u8]) {
    for byte in bytes {
        *hash = (*hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::shell::read_document;

    fn check(filter: &str, expected: &str) {
        let filter = read_document(filter).expect(filter);
        assert_eq!(parsed_query(&filter), read_document(expected).expect(expected), "{filter}");
    }

    #[test]
    fn a_filter_has_one_form() {
        check("{}", "{}");
        check("{a: 1}", "{a: {$eq: 1}}");
        check("{b: 1, a: 2}", "{$and: [{a: {$eq: 2}}, {b: {$eq: 1}}]}");
        check("{a: {$gte: 2, $lt: 4}}", "{$and: [{a: {$lt: 4}}, {a: {$gte: 2}}]}");
        check("{$and: [{a: 1}, {$and: [{b: 1}]}]}", "{$and: [{a: {$eq: 1}}, {b: {$eq: 1}}]}");
        check("{$or: [{a: 1}]}", "{a: {$eq: 1}}");
        check("{$or: [{a: 1}, {b: 2}]}", "{$or: [{a: {$eq: 1}}, {b: {$eq: 2}}]}");
        check("{$nor: [{a: 1}]}", "{$nor: [{a: {$eq: 1}}]}");
        check("{a: {$ne: 1}}", "{a: {$not: {$eq: 1}}}");
        check("{a: {$nin: [1, 2]}}", "{a: {$not: {$in: [1, 2]}}}");
        check("{a: {$in: [1]}}", "{a: {$eq: 1}}");
        check("{a: {$exists: false}}", "{a: {$not: {$exists: true}}}");
        check("{a: {b: 1}}", "{a: {$eq: {b: 1}}}");
        check("{a: 1, $comment: 'x'}", "{a: {$eq: 1}}");
    }

    #[test]
    fn a_shape_does_not_see_values() {
        let hash = |text: &str| shape_hash(&parsed_query(&read_document(text).expect(text)));
        assert_eq!(hash("{a: 1}"), hash("{a: 'x'}"));
        assert_ne!(hash("{a: 1}"), hash("{b: 1}"));
        assert_ne!(hash("{a: 1}"), hash("{a: {$gt: 1}}"));
        assert_eq!(hash("{}").len(), 8);
    }
}
