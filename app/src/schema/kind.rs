//! The types of BSON, as a schema counts them.

use bson::spec::ElementType;

/// A type of BSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    String,
    /// A 32-bit integer.
    Int32,
    /// A 64-bit integer.
    Long,
    /// A binary floating-point number.
    Double,
    /// A decimal floating-point number.
    Decimal,
    Boolean,
    Date,
    /// An identifier of twelve bytes.
    ObjectId,
    Object,
    Array,
    Null,
    Binary,
    Regex,
    Timestamp,
    /// JavaScript, with or without a scope.
    Code,
    MinKey,
    MaxKey,
    /// A type that MongoDB no longer writes.
    Deprecated,
}

impl Kind {
    /// Every type, in the order of the discriminants.
    pub const ALL: [Self; 18] = [
        Self::String,
        Self::Int32,
        Self::Long,
        Self::Double,
        Self::Decimal,
        Self::Boolean,
        Self::Date,
        Self::ObjectId,
        Self::Object,
        Self::Array,
        Self::Null,
        Self::Binary,
        Self::Regex,
        Self::Timestamp,
        Self::Code,
        Self::MinKey,
        Self::MaxKey,
        Self::Deprecated,
    ];

    pub fn of(element: ElementType) -> Self {
        match element {
            ElementType::Double => Self::Double,
            ElementType::String => Self::String,
            ElementType::EmbeddedDocument => Self::Object,
            ElementType::Array => Self::Array,
            ElementType::Binary => Self::Binary,
            ElementType::ObjectId => Self::ObjectId,
            ElementType::Boolean => Self::Boolean,
            ElementType::DateTime => Self::Date,
            ElementType::Null => Self::Null,
            ElementType::RegularExpression => Self::Regex,
            ElementType::JavaScriptCode | ElementType::JavaScriptCodeWithScope => Self::Code,
            ElementType::Int32 => Self::Int32,
            ElementType::Timestamp => Self::Timestamp,
            ElementType::Int64 => Self::Long,
            ElementType::Decimal128 => Self::Decimal,
            ElementType::MinKey => Self::MinKey,
            ElementType::MaxKey => Self::MaxKey,
            ElementType::Undefined | ElementType::DbPointer | ElementType::Symbol => {
                Self::Deprecated
            }
        }
    }

    /// Its name in the window.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::String => "String",
            Self::Int32 => "Int32",
            Self::Long => "Long",
            Self::Double => "Double",
            Self::Decimal => "Decimal128",
            Self::Boolean => "Boolean",
            Self::Date => "Date",
            Self::ObjectId => "ObjectId",
            Self::Object => "Object",
            Self::Array => "Array",
            Self::Null => "null",
            Self::Binary => "Binary",
            Self::Regex => "Regex",
            Self::Timestamp => "Timestamp",
            Self::Code => "Code",
            Self::MinKey => "MinKey",
            Self::MaxKey => "MaxKey",
            Self::Deprecated => "Deprecated type",
        }
    }

    /// Its name in `$type` and `bsonType`. `None` if it has several.
    #[must_use]
    pub fn alias(self) -> Option<&'static str> {
        Some(match self {
            Self::String => "string",
            Self::Int32 => "int",
            Self::Long => "long",
            Self::Double => "double",
            Self::Decimal => "decimal",
            Self::Boolean => "bool",
            Self::Date => "date",
            Self::ObjectId => "objectId",
            Self::Object => "object",
            Self::Array => "array",
            Self::Null => "null",
            Self::Binary => "binData",
            Self::Regex => "regex",
            Self::Timestamp => "timestamp",
            Self::MinKey => "minKey",
            Self::MaxKey => "maxKey",
            Self::Code | Self::Deprecated => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_listed_by_their_discriminant() {
        for (at, kind) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, at, "{kind:?}");
        }
    }
}
