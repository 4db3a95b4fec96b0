//! The shape of one statement of a write command: its fields and their types, which are checked for
//! all statements before the first one runs.

use std::cmp::Ordering;

use bson::raw::{RawBsonRef, RawDocument};

use crate::{
    command::core::{
        CommandError, field_filter::duplicate_field, field_value::wrong_type_at, missing_field,
        type_name, unknown_field,
    },
    value::order::compare,
};

/// The type that a field of a statement must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldShape {
    Object,
    Bool,
    Objects,
    /// A document or an array: an update.
    Update,
    /// A document or a text.
    Hint,
    /// 0 or 1.
    Limit,
    /// Any type: the field is unused, or checked elsewhere.
    Any,
}

/// One field: its name, its shape, and whether it must be there.
pub type StatementField = (&'static str, FieldShape, bool);

/// Checks a statement against its fields. A null where an object, a bool or an array may stand
/// counts as absent.
///
/// # Errors
/// `IDLUnknownField`, `TypeMismatch`, `FailedToParse`; `IDLFailedToParse` for what is missing; a
/// field that stands twice.
pub fn check_statement(
    place: &str,
    statement: &RawDocument,
    fields: &[StatementField],
) -> Result<(), CommandError> {
    let (mut found, mut met) = (Vec::new(), Vec::new());
    for element in statement {
        let (name, value) = element?;
        let name = name.as_str();
        // Only one of two equal fields could be used, and the client may mean the other one.
        if met.contains(&name) {
            return Err(duplicate_field(place, name));
        }
        met.push(name);
        let Some((_, shape, _)) = fields.iter().find(|(known, ..)| *known == name) else {
            return Err(unknown_field(place, name));
        };
        if shape.check(place, name, value)? {
            found.push(name);
        }
    }
    match fields.iter().find(|(name, _, is_required)| *is_required && !found.contains(name)) {
        None => Ok(()),
        Some((name, ..)) => Err(missing_field(place, name)),
    }
}

impl FieldShape {
    /// False when the value counts as absent.
    fn check(self, place: &str, name: &str, value: RawBsonRef<'_>) -> Result<bool, CommandError> {
        let wrong = |found: RawBsonRef<'_>, at: &str, expected: &str| {
            Err(wrong_type_at(&format!("{place}.{name}{at}"), found, expected))
        };
        let parse = |message: &str| Err(CommandError::failed_to_parse(message));
        match (self, value) {
            (Self::Object | Self::Bool | Self::Objects, RawBsonRef::Null) => Ok(false),
            (Self::Object, RawBsonRef::Document(_)) | (Self::Bool, RawBsonRef::Boolean(_)) => {
                Ok(true)
            }
            (Self::Object, other) => wrong(other, "", "type 'object'"),
            (Self::Bool, other) => wrong(other, "", "type 'bool'"),
            (Self::Objects, RawBsonRef::Array(array)) => {
                for (index, item) in array.into_iter().enumerate() {
                    match item? {
                        RawBsonRef::Document(_) => {}
                        other => return wrong(other, &format!(".{index}"), "type 'object'"),
                    }
                }
                Ok(true)
            }
            (Self::Objects, other) => wrong(other, "", "type 'array'"),
            (Self::Update, RawBsonRef::Document(_) | RawBsonRef::Array(_))
            | (Self::Hint, RawBsonRef::Document(_) | RawBsonRef::String(_))
            | (Self::Any, _) => Ok(true),
            (Self::Update, _) => parse("Update argument must be either an object or an array"),
            (Self::Hint, _) => parse("Hint must be a string or an object"),
            (Self::Limit, value) => {
                removes_all(value)?;
                Ok(true)
            }
        }
    }
}

/// Whether the `limit` of a delete means all documents. A fraction means neither all nor one.
///
/// # Errors
/// `FailedToParse` for what is neither 0 nor 1.
pub fn removes_all(limit: RawBsonRef<'_>) -> Result<bool, CommandError> {
    let refused = |got: &str| {
        Err(CommandError::failed_to_parse(format!(
            "The limit field in delete objects must be 0 or 1. Got {got}"
        )))
    };
    // Compared by value: a fraction or NaN counted as 0 once, and removed everything.
    let is = |number: i32| compare(limit, RawBsonRef::Int32(number)) == Ordering::Equal;
    match limit {
        _ if is(0) => Ok(true),
        _ if is(1) => Ok(false),
        RawBsonRef::Int32(other) => refused(&other.to_string()),
        RawBsonRef::Int64(other) => refused(&other.to_string()),
        RawBsonRef::Double(other) => refused(&other.to_string()),
        RawBsonRef::Decimal128(other) => refused(&other.to_string()),
        other => refused(type_name(other)),
    }
}

#[cfg(test)]
mod tests {
    use bson::{
        Document, RawArrayBuf, RawDocumentBuf,
        raw::{CStr, RawBson, cstr},
        rawdoc,
    };

    use crate::command::testing::Lab;

    /// A document with one more field, whose name may be there already.
    fn with(
        mut document: RawDocumentBuf,
        name: &CStr,
        value: impl Into<RawBson>,
    ) -> RawDocumentBuf {
        document.append(name, value.into());
        document
    }

    fn list(item: RawDocumentBuf) -> RawArrayBuf {
        let mut list = RawArrayBuf::new();
        list.push(item);
        list
    }

    /// A command with a field twice is refused, and nothing is written.
    #[track_caller]
    fn check(db: &str, command: &RawDocumentBuf) {
        let lab = Lab::new();
        lab.ok("{insert: 'c', documents: [{_id: 1}, {_id: 2}]}");
        let reply = lab.engine.run_raw(db, command);
        let reply = Document::try_from(reply).expect("a reply");
        assert_eq!(reply.get_i32("code").ok(), Some(40413), "{reply}");
        lab.check("{find: 'c'}", "{'cursor.firstBatch': [{_id: 1}, {_id: 2}]}");
    }

    #[test]
    fn of_a_field_that_stands_twice_none_is_heeded() {
        let all = rawdoc! { "q": {}, "limit": 0 };
        let delete = |statement| rawdoc! { "delete": "c", "deletes": list(statement) };
        check("test", &delete(with(all.clone(), cstr!("limit"), 1)));
        check("test", &delete(with(all.clone(), cstr!("q"), rawdoc! { "_id": 3 })));
        check("test", &with(delete(all), cstr!("deletes"), RawArrayBuf::new()));
        let update = rawdoc! { "q": {}, "u": { "$set": { "a": 1 } }, "multi": true };
        let update = list(with(update, cstr!("multi"), false));
        check("test", &rawdoc! { "update": "c", "updates": update });
        let insert = rawdoc! { "insert": "c", "documents": list(rawdoc! { "_id": 3 }) };
        check("test", &with(insert, cstr!("documents"), list(rawdoc! { "_id": 4 })));
        let remove = rawdoc! { "findAndModify": "c", "query": {}, "remove": true };
        check("test", &with(remove, cstr!("query"), rawdoc! { "_id": 3 }));
        let insert = with(rawdoc! { "insert": 0, "document": {} }, cstr!("document"), rawdoc! {});
        let names = list(rawdoc! { "ns": "test.c" });
        check("admin", &rawdoc! { "bulkWrite": 1, "ops": list(insert), "nsInfo": names });
    }
}
