//! Compares a reply with what a case expects.

use bson::{Bson, Document};

/// Whether the command succeeded.
pub fn is_ok(reply: &Document) -> bool {
    reply.get("ok").and_then(number) == Some(1.0)
}

/// Whether the reply is as expected: dotted paths with their values, and the words `$absent`,
/// `$gte`, `errmsgContains`, `ids` and `first`.
pub fn check(reply: &Document, expect: &Document) -> Result<(), String> {
    for (name, expected) in expect {
        let holds = match name.as_str() {
            "$absent" => items(expected).all(|path| at(reply, text(path)).is_none()),
            "$gte" => expected.as_document().is_some_and(|bounds| {
                bounds.iter().all(|(path, bound)| at(reply, path).and_then(number) >= number(bound))
            }),
            "errmsgContains" => {
                let message = reply.get_str("errmsg").unwrap_or_default();
                items(expected).all(|word| message.contains(text(word)))
            }
            "ids" => {
                check_ids(reply, Some(expected))?;
                true
            }
            "first" => match (at(reply, "cursor.firstBatch.0"), expected) {
                (Some(Bson::Document(first)), Bson::Document(expected)) => {
                    check(first, expected)?;
                    true
                }
                _ => false,
            },
            path => at(reply, path).is_some_and(|actual| is_like(actual, expected, path)),
        };
        if !holds {
            return Err(format!("expected {name}: {expected}, answered {reply}"));
        }
    }
    Ok(())
}

/// Whether the first batch has exactly these `_id`s, in any order.
pub fn check_ids(reply: &Document, expected: Option<&Bson>) -> Result<(), String> {
    let Some(Bson::Array(batch)) = at(reply, "cursor.firstBatch") else {
        return Err(format!("expected documents, answered {reply}"));
    };
    let mut found: Vec<String> = batch
        .iter()
        .map(|document| document.as_document().and_then(|document| document.get("_id")))
        .map(|id| id.map(Bson::to_string).unwrap_or_default())
        .collect();
    let mut expected: Vec<String> =
        expected.map(|ids| items(ids).map(Bson::to_string).collect()).unwrap_or_default();
    found.sort();
    expected.sort();
    if found == expected {
        return Ok(());
    }
    Err(format!("expected the ids {expected:?}, found {found:?}"))
}

/// Equality, except that a plain integer equals the same number of any type, and the elements of
/// `writeErrors` may name only some fields.
fn is_like(actual: &Bson, expected: &Bson, path: &str) -> bool {
    match (actual, expected) {
        (Bson::Document(actual), Bson::Document(expected)) => {
            (actual.len() == expected.len() || path == "writeErrors")
                && expected.iter().all(|(name, value)| {
                    actual.get(name).is_some_and(|actual| is_like(actual, value, path))
                })
        }
        (Bson::Array(actual), Bson::Array(expected)) => {
            let mut pairs = actual.iter().zip(expected);
            actual.len() == expected.len()
                && pairs.all(|(actual, expected)| is_like(actual, expected, path))
        }
        (_, Bson::Int32(_)) => number(actual).is_some() && number(actual) == number(expected),
        _ => actual == expected,
    }
}

/// The value at a dotted path; numbers step into arrays.
fn at<'d>(document: &'d Document, path: &str) -> Option<&'d Bson> {
    let mut parts = path.split('.');
    let mut value = document.get(parts.next()?)?;
    for part in parts {
        value = match value {
            Bson::Document(inner) => inner.get(part)?,
            Bson::Array(items) => items.get(part.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    Some(value)
}

fn items(list: &Bson) -> impl Iterator<Item = &Bson> {
    list.as_array().into_iter().flatten()
}

fn text(value: &Bson) -> &str {
    value.as_str().unwrap_or_default()
}

#[expect(clippy::cast_precision_loss, reason = "replies hold small numbers")]
fn number(value: &Bson) -> Option<f64> {
    match value {
        Bson::Int32(number) => Some(f64::from(*number)),
        Bson::Int64(number) => Some(*number as f64),
        Bson::Double(number) => Some(*number),
        _ => None,
    }
}
