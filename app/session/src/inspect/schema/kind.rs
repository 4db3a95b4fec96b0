//! The types of BSON, as a schema counts them.

use bson::spec::ElementType;
use mayfly_engine::value::named;

named! {
    /// A type of BSON.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Kind {
        String => "String",
        /// A 32-bit integer.
        Int32 => "Int32",
        /// A 64-bit integer.
        Long => "Long",
        /// A binary floating-point number.
        Double => "Double",
        /// A decimal floating-point number.
        Decimal => "Decimal128",
        Boolean => "Boolean",
        Date => "Date",
        /// An identifier of twelve bytes.
        ObjectId => "ObjectId",
        Object => "Object",
        Array => "Array",
        Null => "null",
        Binary => "Binary",
        Regex => "Regex",
        Timestamp => "Timestamp",
        /// JavaScript, with or without a scope.
        Code => "Code",
        MinKey => "MinKey",
        MaxKey => "MaxKey",
        /// A type that MongoDB no longer writes.
        Deprecated => "Deprecated type",
    }
    /// Its name in the window.
    pub fn label;
}

impl Kind {
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
