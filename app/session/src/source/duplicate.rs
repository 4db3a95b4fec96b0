//! Write errors of a document whose value a unique index has already.

use bson::Document;
use mayfly_engine::value::whole;

/// `DuplicateKey`, the only thing that every server says of such an error.
const DUPLICATE: i64 = 11_000;

/// The words before the name of an index in the texts of servers: MongoDB, and DocumentDB.
const BEFORE_NAME: [&str; 2] = ["index: ", "Index '"];

/// Whether a write error or a reply says that a unique index has the value already.
pub fn is_duplicate(error: &Document) -> bool {
    error.get("code").and_then(whole) == Some(DUPLICATE)
}

/// Whether the index is that of `_id`; `None` where the error doesn't say.
pub fn is_of_id(error: &Document) -> Option<bool> {
    for field in ["keyPattern", "keyValue"] {
        if let Ok(keys) = error.get_document(field)
            && !keys.is_empty()
        {
            return Some(keys.len() == 1 && keys.contains_key("_id"));
        }
    }
    let message = error.get_str("errmsg").ok()?;
    let rest = BEFORE_NAME.iter().find_map(|before| message.split(before).nth(1))?;
    let name = rest.split([' ', '\'']).next().filter(|name| !name.is_empty())?;
    // Old servers write the namespace before the name.
    Some(name.rsplit('$').next() == Some("_id_"))
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    #[test]
    fn the_index_is_known_by_its_keys_or_its_name() {
        let check = |error: Document, expected: Option<bool>| {
            assert_eq!(is_of_id(&error), expected, "{error}");
        };
        check(doc! { "keyPattern": { "_id": 1 }, "errmsg": "x" }, Some(true));
        check(doc! { "keyPattern": { "a": 1 }, "errmsg": "index: _id_ dup" }, Some(false));
        check(doc! { "keyValue": { "_id": 7 } }, Some(true));
        let text = |text: &str| doc! { "errmsg": text };
        check(
            text("E11000 duplicate key error collection: d.c index: _id_ dup key: { _id: 1 }"),
            Some(true),
        );
        check(text("E11000 duplicate key error index: d.c.$_id_  dup key: { : 1 }"), Some(true));
        check(
            text("E11000 duplicate key error collection: d.c index: a_1 dup key: { a: 1 }"),
            Some(false),
        );
        check(
            text("Duplicate key violation on the requested collection: Index '_id_'"),
            Some(true),
        );
        check(
            text("Duplicate key violation on the requested collection: Index 'a_1'"),
            Some(false),
        );
        check(text("there is one already"), None);
        check(doc! {}, None);
    }
}
