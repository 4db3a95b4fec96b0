//! BSON types by MongoDB's numbers and names.

use bson::{raw::RawBsonRef, spec::ElementType};

/// Every type with MongoDB's number and name of it.
pub(crate) const TYPES: [(i64, &str, ElementType); 21] = [
    (1, "double", ElementType::Double),
    (2, "string", ElementType::String),
    (3, "object", ElementType::EmbeddedDocument),
    (4, "array", ElementType::Array),
    (5, "binData", ElementType::Binary),
    (6, "undefined", ElementType::Undefined),
    (7, "objectId", ElementType::ObjectId),
    (8, "bool", ElementType::Boolean),
    (9, "date", ElementType::DateTime),
    (10, "null", ElementType::Null),
    (11, "regex", ElementType::RegularExpression),
    (12, "dbPointer", ElementType::DbPointer),
    (13, "javascript", ElementType::JavaScriptCode),
    (14, "symbol", ElementType::Symbol),
    (15, "javascriptWithScope", ElementType::JavaScriptCodeWithScope),
    (16, "int", ElementType::Int32),
    (17, "timestamp", ElementType::Timestamp),
    (18, "long", ElementType::Int64),
    (19, "decimal", ElementType::Decimal128),
    (-1, "minKey", ElementType::MinKey),
    (127, "maxKey", ElementType::MaxKey),
];

/// MongoDB's name of a type.
pub fn name_of_type(wanted: ElementType) -> &'static str {
    TYPES.iter().find(|(.., element_type)| *element_type == wanted).map_or("unknown", |t| t.1)
}

/// MongoDB's name of a value's type, as `$type` takes it.
pub fn type_name(value: RawBsonRef<'_>) -> &'static str {
    name_of_type(value.element_type())
}
