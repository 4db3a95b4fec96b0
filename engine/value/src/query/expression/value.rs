//! The value of an expression.

use bson::raw::{RawBson, RawBsonRef};

/// A value: missing, borrowed from a document or the expression, or computed.
#[derive(Debug, Clone)]
pub enum Value<'v> {
    /// There is none: no such field, or `$$REMOVE`.
    Missing,
    /// Borrowed from the document, a variable or the expression.
    Ref(RawBsonRef<'v>),
    /// It was computed.
    Owned(RawBson),
}

impl Value<'_> {
    /// The value; `None` if it is missing.
    pub fn as_ref(&self) -> Option<RawBsonRef<'_>> {
        match self {
            Self::Missing => None,
            Self::Ref(value) => Some(*value),
            Self::Owned(value) => Some(value.as_raw_bson_ref()),
        }
    }

    /// The value by itself; `None` if it is missing.
    #[must_use]
    pub fn into_owned(self) -> Option<RawBson> {
        match self {
            Self::Missing => None,
            Self::Ref(value) => Some(value.into()),
            Self::Owned(value) => Some(value),
        }
    }

    /// Whether it is missing, null or undefined.
    pub fn is_nullish(&self) -> bool {
        is_nullish(self.as_ref())
    }

    /// Whether a condition takes it for true: everything but missing, null, undefined, false and
    /// zero.
    pub fn is_true(&self) -> bool {
        is_true(self.as_ref())
    }

    /// The same value without a borrow.
    pub(super) fn detached<'other>(self) -> Value<'other> {
        self.into_owned().into()
    }
}

impl From<Option<RawBson>> for Value<'_> {
    fn from(value: Option<RawBson>) -> Self {
        value.map_or(Self::Missing, Self::Owned)
    }
}

impl<'v> From<Option<RawBsonRef<'v>>> for Value<'v> {
    fn from(value: Option<RawBsonRef<'v>>) -> Self {
        value.map_or(Self::Missing, Self::Ref)
    }
}

/// Whether the value is missing, null or undefined.
pub(super) fn is_nullish(value: Option<RawBsonRef<'_>>) -> bool {
    matches!(value, None | Some(RawBsonRef::Null | RawBsonRef::Undefined))
}

/// Whether a condition takes the value for true.
pub(super) fn is_true(value: Option<RawBsonRef<'_>>) -> bool {
    match value {
        None | Some(RawBsonRef::Null | RawBsonRef::Undefined) => false,
        Some(RawBsonRef::Boolean(value)) => value,
        Some(RawBsonRef::Int32(value)) => value != 0,
        Some(RawBsonRef::Int64(value)) => value != 0,
        Some(RawBsonRef::Double(value)) => value != 0.0,
        Some(value @ RawBsonRef::Decimal128(_)) => {
            !crate::value::same_value(value, RawBsonRef::Int32(0))
        }
        Some(_) => true,
    }
}

/// MongoDB's name of the value's type in errors and for `$type`; `missing` for none.
pub fn type_name(value: Option<RawBsonRef<'_>>) -> &'static str {
    value.map_or("missing", crate::query::filter::type_name)
}

/// The value as mongosh shows it, for errors.
pub(super) fn shown(value: Option<RawBsonRef<'_>>) -> String {
    let value = value.map(bson::Bson::try_from).and_then(Result::ok);
    value.map_or_else(
        || "missing".to_owned(),
        |value| crate::value::shell::write_value(&value, crate::value::Layout::OneLine),
    )
}
