//! Objects as arrays of pairs and back; the size of a document.

use bson::{
    RawArrayBuf, RawBson, RawBsonRef, RawDocumentBuf,
    raw::{CString, cstr},
};

use super::{
    arguments::{is_nullish, name_of, null, shown, size_of},
    array::elements,
    operator::{Arguments, CallArgs, Operator, Outcome},
};
use crate::query::{QueryError, error::refused};

pub(super) static OPERATORS: &[Operator] = &[
    Operator { name: "$objectToArray", arguments: Arguments::Exactly(1), run: object_to_array },
    Operator { name: "$arrayToObject", arguments: Arguments::Exactly(1), run: array_to_object },
    Operator { name: "$bsonSize", arguments: Arguments::Exactly(1), run: bson_size },
];

fn object_to_array(given: &CallArgs<'_>) -> Outcome {
    let document = match given.at(0) {
        value if is_nullish(value) => return null(),
        Some(RawBsonRef::Document(document)) => document,
        other => {
            return Err(refused(
                40390,
                format!("$objectToArray requires a document input, found: {}", name_of(other)),
            ));
        }
    };
    let mut pairs = RawArrayBuf::new();
    for element in document {
        let (key, value) = element?;
        let mut pair = RawDocumentBuf::new();
        pair.append(cstr!("k"), key.as_str());
        pair.append(cstr!("v"), value);
        pairs.push(pair);
    }
    Ok(Some(RawBson::Array(pairs)))
}

fn bson_size(given: &CallArgs<'_>) -> Outcome {
    match given.at(0) {
        value if is_nullish(value) => null(),
        Some(RawBsonRef::Document(document)) => super::arguments::count(document.as_bytes().len()),
        other => Err(refused(
            31393,
            format!("$bsonSize requires a document input, found: {}", name_of(other)),
        )),
    }
}

/// How the pairs are written; the first one decides.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pairs {
    Arrays,
    Objects,
}

fn array_to_object(given: &CallArgs<'_>) -> Outcome {
    let array = match given.at(0) {
        value if is_nullish(value) => return null(),
        Some(RawBsonRef::Array(array)) => elements(array)?,
        other => {
            return Err(refused(
                40386,
                format!("$arrayToObject requires an array input, found: {}", name_of(other)),
            ));
        }
    };
    let pairs = match array.first() {
        None => return Ok(Some(RawBson::Document(RawDocumentBuf::new()))),
        Some(RawBsonRef::Array(_)) => Pairs::Arrays,
        Some(RawBsonRef::Document(_)) => Pairs::Objects,
        Some(other) => {
            return Err(refused!(
                40398,
                "Unrecognised input type format for $arrayToObject: {}",
                name_of(Some(*other))
            ));
        }
    };
    let mut fields: Vec<(&str, RawBsonRef<'_>)> = Vec::with_capacity(array.len());
    let mut places = std::collections::HashMap::new();
    for element in array {
        let (key, value) = match pairs {
            Pairs::Arrays => array_pair(element)?,
            Pairs::Objects => object_pair(element)?,
        };
        // A repeated key keeps its first place and its last value.
        match places.entry(key) {
            std::collections::hash_map::Entry::Vacant(slot) => {
                slot.insert(fields.len());
                fields.push((key, value));
            }
            std::collections::hash_map::Entry::Occupied(slot) => {
                if let Some(field) = fields.get_mut(*slot.get()) {
                    field.1 = value;
                }
            }
        }
    }
    let mut document = RawDocumentBuf::new();
    for (key, value) in fields {
        let key = CString::try_from(key)?;
        document.append(key, value);
    }
    Ok(Some(RawBson::Document(document)))
}

fn array_pair(element: RawBsonRef<'_>) -> Result<(&str, RawBsonRef<'_>), QueryError> {
    let RawBsonRef::Array(pair) = element else {
        return Err(refused!(
            40396,
            "$arrayToObject requires a consistent input format. Elements must all be arrays \
                 or all be objects. Array was detected, now found: {}",
            name_of(Some(element))
        ));
    };
    let [key, value] = elements(pair)?.try_into().map_err(|pair: Vec<_>| {
        refused!(
            40397,
            "$arrayToObject requires an array of size 2 arrays, found array of size: {}",
            pair.len()
        )
    })?;
    let RawBsonRef::String(key) = key else {
        return Err(refused!(
            40395,
            "$arrayToObject requires an array of key-value pairs, where the key must be of \
                 type string. Found key type: {}",
            name_of(Some(key))
        ));
    };
    without_null(key, 4940400).map(|key| (key, value))
}

fn object_pair(element: RawBsonRef<'_>) -> Result<(&str, RawBsonRef<'_>), QueryError> {
    let RawBsonRef::Document(pair) = element else {
        return Err(refused!(
            40391,
            "$arrayToObject requires a consistent input format. Elements must all be arrays \
                 or all be objects. Object was detected, now found: {}",
            name_of(Some(element))
        ));
    };
    let fields = size_of(pair);
    if fields != 2 {
        return Err(refused!(
            40392,
            "$arrayToObject requires an object keys of 'k' and 'v'. Found incorrect number \
                 of keys: {fields}"
        ));
    }
    let (Some(key), Some(value)) = (pair.get("k")?, pair.get("v")?) else {
        return Err(refused!(
            40393,
            "$arrayToObject requires an object with keys 'k' and 'v'. Missing either or both \
                 keys from: {}",
            shown(Some(element))
        ));
    };
    let RawBsonRef::String(key) = key else {
        return Err(refused!(
            40394,
            "$arrayToObject requires an object with keys 'k' and 'v', where the value of 'k' \
                 must be of type string. Found type: {}",
            name_of(Some(key))
        ));
    };
    without_null(key, 4940401).map(|key| (key, value))
}

fn without_null(key: &str, code: i32) -> Result<&str, QueryError> {
    if key.contains('\0') {
        return Err(refused(code, "Key field cannot contain an embedded null byte"));
    }
    Ok(key)
}

#[cfg(test)]
mod tests {
    use crate::query::expression::testing::{check, refused};

    #[test]
    fn objects_and_pairs_are_one() {
        let is = |expression: &str, expected: &str| check(expression, "{}", expected);
        is("{$objectToArray: {a: 1, b: {c: 2}}}", "[{k: 'a', v: 1}, {k: 'b', v: {c: 2}}]");
        is("{$objectToArray: null}", "null");
        is("{$arrayToObject: [[['a', 1], ['b', 2], ['a', 3]]]}", "{a: 3, b: 2}");
        is("{$arrayToObject: [[{k: 'a', v: 1}]]}", "{a: 1}");
        is("{$arrayToObject: [[]]}", "{}");
        is("{$arrayToObject: null}", "null");
        is("{$bsonSize: {a: 1}}", "12");
        is("{$bsonSize: null}", "null");
        refused("{$objectToArray: 1}", 40390);
        refused("{$arrayToObject: 1}", 40386);
        refused("{$arrayToObject: [[1]]}", 40398);
        refused("{$arrayToObject: [[['a', 1], {k: 'a', v: 1}]]}", 40396);
        refused("{$arrayToObject: [[{k: 'a', v: 1}, ['a', 1]]]}", 40391);
        refused("{$arrayToObject: [[['a']]]}", 40397);
        refused("{$arrayToObject: [[[1, 1]]]}", 40395);
        refused("{$arrayToObject: [[{k: 'a'}]]}", 40392);
        refused("{$arrayToObject: [[{k: 'a', w: 1}]]}", 40393);
        refused("{$arrayToObject: [[{k: 1, v: 1}]]}", 40394);
        refused("{$bsonSize: 1}", 31393);
    }
}
