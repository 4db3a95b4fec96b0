//! Why a document never expires under a rule.

use crate::value::named;

named! {
    /// Why an index with the option never removes anything.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum InertReason {
        /// The index is hashed.
        Hashed => "inertHashed",
        /// The index is a text index.
        Text => "inertText",
        /// The index is a `2d` or `2dsphere` index.
        Geo => "inertGeo",
        /// The index is a wildcard index.
        Wildcard => "inertWildcard",
        /// The index has several fields.
        Compound => "inertCompound",
        /// The stored `expireAfterSeconds` is not a number of seconds within int32.
        InvalidValue => "inertInvalidValue",
        /// The index has the option `-1`, but is not on `_ts`.
        NotOnTs => "inertNotOnTs",
        /// The index is still being built.
        Building => "inertBuilding",
        /// The time-series collection's options can't be read.
        TimeSeries => "inertTimeSeries",
    }
    /// A stable code for programs.
    pub fn code;
}

/// Why a document never expires under a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Never {
    /// The document has no such field.
    FieldMissing,
    /// The field is null (or the old type undefined).
    Null,
    /// The field is a number.
    Number,
    /// The field is a string.
    Text,
    /// The field is true or false.
    Bool,
    /// The field is an `ObjectId`.
    ObjectId,
    /// The field is a Timestamp, which is not a date.
    Timestamp,
    /// The field is a document; dates inside it do not count.
    Document,
    /// The field is an array without elements.
    ArrayEmpty,
    /// The field is an array, but no element is a date.
    ArrayWithoutDates,
    /// The field has this type.
    OtherType(&'static str),
    /// The document is not in the partial index.
    OutsidePartialFilter,
    /// The document's own `ttl` is -1.
    OwnTtlNever,
    /// The collection has no default and the document no `ttl` that counts.
    NoDefault,
    /// The date in a clustered collection's `_id` is before 1970.
    BeforeEpoch,
    /// Base plus seconds exceeds the last representable instant.
    BeyondTime,
    /// The index never removes anything.
    Inert(InertReason),
}

impl Never {
    /// A stable code for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::FieldMissing => "fieldMissing",
            Self::Null => "null",
            Self::Number => "number",
            Self::Text => "string",
            Self::Bool => "bool",
            Self::ObjectId => "objectId",
            Self::Timestamp => "timestamp",
            Self::Document => "document",
            Self::ArrayEmpty => "arrayEmpty",
            Self::ArrayWithoutDates => "arrayWithoutDates",
            Self::OtherType(_) => "otherType",
            Self::OutsidePartialFilter => "outsidePartialFilter",
            Self::OwnTtlNever => "ownTtlNever",
            Self::NoDefault => "noDefault",
            Self::BeforeEpoch => "beforeEpoch",
            Self::BeyondTime => "beyondTime",
            Self::Inert(reason) => reason.code(),
        }
    }

    /// One sentence for the user; `field` is the indexed path.
    pub fn sentence(&self, field: &str) -> String {
        match self {
            Self::FieldMissing => format!("It has no field {field}, so it never expires."),
            Self::Null => format!("{field} is null, not a date, so it never expires."),
            Self::Number => format!("{field} is a number, not a date, so it never expires."),
            Self::Text => format!(
                "{field} is a string, not a date, so it never expires. Store a date instead."
            ),
            Self::Bool => format!("{field} is a boolean, not a date, so it never expires."),
            Self::ObjectId => format!(
                "{field} is an ObjectId, whose timestamp doesn't count as a date, so it never expires."
            ),
            Self::Timestamp => format!("{field} is a Timestamp, not a date, so it never expires."),
            Self::Document => {
                format!("{field} is a document; dates inside it don't count, so it never expires.")
            }
            Self::ArrayEmpty => format!("{field} is an empty array, so it never expires."),
            Self::ArrayWithoutDates => {
                format!("{field} is an array with no top-level date, so it never expires.")
            }
            Self::OtherType(name) => {
                format!("{field} is of type {name}, not a date, so it never expires.")
            }
            Self::OutsidePartialFilter => {
                "It doesn't match the partial filter, so it isn't indexed and never expires."
                    .to_owned()
            }
            Self::OwnTtlNever => "Its ttl is -1, so it never expires.".to_owned(),
            Self::NoDefault => {
                "The collection has no default TTL and the document has no valid ttl, so it never \
 expires."
                    .to_owned()
            }
            Self::BeforeEpoch => format!(
                "{field} is before 1970, which clustered collections ignore, so it never expires."
            ),
            Self::BeyondTime => {
                "Its expiration is later than any valid date, so it never expires.".to_owned()
            }
            Self::Inert(reason) => reason.sentence().to_owned(),
        }
    }
}

impl InertReason {
    /// One sentence for the user.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Hashed => "A hashed index holds no dates, so it never removes anything.",
            Self::Text => "A text index holds no dates, so it never removes anything.",
            Self::Geo => "A geospatial index holds no dates, so it never removes anything.",
            Self::Wildcard => "A wildcard index can't expire documents, so it removes nothing.",
            Self::Compound => {
                "An index on several fields can't expire documents, so it removes nothing."
            }
            Self::InvalidValue => {
                "The index's expireAfterSeconds is not a valid number of seconds, so it removes \
                 nothing. Set it with collMod."
            }
            Self::NotOnTs => {
                "expireAfterSeconds can be -1 only on _ts, so this index removes nothing."
            }
            Self::Building => {
                "The index is still being built. It removes documents once it is complete."
            }
            Self::TimeSeries => {
                "The time-series collection's options can't be read, so nothing is removed."
            }
        }
    }
}
