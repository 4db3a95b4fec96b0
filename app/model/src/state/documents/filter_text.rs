//! A filter as text, with one more condition. What was typed stays as it was typed.

use bson::{Bson, Document};
use mayfly_engine::value::{Layout, shell};

use super::relative_time;

/// The filter that matches what both match. A condition on a field that the filter does not name is
/// added at its end; else both are joined by `$and`.
pub fn and(filter: &str, condition: &Document) -> String {
    let added = shell::write_value(&Bson::Document(condition.clone()), Layout::OneLine);
    let typed = filter.trim();
    if typed.is_empty() || condition.is_empty() {
        return if condition.is_empty() { typed.to_owned() } else { added };
    }
    // Only the names of its fields matter, so it is read at any time.
    let read = relative_time::read_document(typed, 0);
    if read.as_ref().is_ok_and(Document::is_empty) {
        return added;
    }
    let is_apart = read.is_ok_and(|read| !condition.keys().any(|name| read.contains_key(name)));
    let inside = added.strip_prefix("{ ").and_then(|added| added.strip_suffix(" }"));
    match (typed.strip_suffix('}'), inside) {
        (Some(begun), Some(inside)) if is_apart && !begun.contains("//") => {
            let begun = begun.trim_end().trim_end_matches(',');
            format!("{begun}, {inside} }}")
        }
        _ => format!("{{ $and: [ {typed}, {added} ] }}"),
    }
}

/// The condition that a field has a value, or any other.
pub fn equals(path: &str, value: &Bson, is: bool) -> Document {
    let operator = if is { "$eq" } else { "$ne" };
    match value {
        // These would be read as conditions, or match more than themselves.
        Bson::Document(_) | Bson::Array(_) | Bson::RegularExpression(_) | Bson::Null => {
            bson::doc! { path: { operator: value.clone() } }
        }
        _ if is => bson::doc! { path: value.clone() },
        _ => bson::doc! { path: { operator: value.clone() } },
    }
}

/// The condition that a field is there, or is missing.
pub fn exists(path: &str, there: bool) -> Document {
    bson::doc! { path: { "$exists": there } }
}

#[cfg(test)]
mod tests {
    use bson::{bson, doc};

    use super::*;

    #[test]
    fn a_condition_is_added_to_what_was_typed() {
        let check = |filter: &str, condition: Document, expected: &str| {
            assert_eq!(and(filter, &condition), expected, "{filter}");
        };
        check("", doc! {"a": 1}, "{ a: 1 }");
        check("{}", doc! {"a": 1}, "{ a: 1 }");
        check("{b: {$gt: 2}}", doc! {"a": 1}, "{b: {$gt: 2}, a: 1 }");
        check("{ b: 2, }", doc! {"a": 1}, "{ b: 2, a: 1 }");
        check("{ a: {$gt: 0} }", doc! {"a": 1}, "{ $and: [ { a: {$gt: 0} }, { a: 1 } ] }");
        check("{ b: {$lt: new Date()} }", doc! {"a": 1}, "{ b: {$lt: new Date()}, a: 1 }");
        check("{ b: {$lt: now - 2h} }", doc! {"a": 1}, "{ b: {$lt: now - 2h}, a: 1 }");
        check("{ a: ", doc! {"b": 1}, "{ $and: [ { a:, { b: 1 } ] }");
        check("{ a: 1 }", doc! {}, "{ a: 1 }");
    }

    #[test]
    fn a_value_is_matched_as_it_is() {
        let check = |value: Bson, is, expected: Document| {
            assert_eq!(equals("a.b", &value, is), expected, "{value}");
        };
        check(bson!(1), true, doc! {"a.b": 1});
        check(bson!(1), false, doc! {"a.b": {"$ne": 1}});
        check(bson!({"$gt": 1}), true, doc! {"a.b": {"$eq": {"$gt": 1}}});
        check(Bson::Null, true, doc! {"a.b": {"$eq": Bson::Null}});
    }
}
