//! The target type of a conversion, and the format of its bytes.

use bson::{RawBsonRef, spec::ElementType};

use crate::query::{
    Code, QueryError,
    error::refused,
    expression::arguments::{integral32, integral64, is_nullish, is_number, name_of, shown},
    filter::{type_by_name, type_by_number},
};

/// A type, and for binary data its subtype.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Target {
    pub element_type: ElementType,
    pub subtype: u8,
}

impl Target {
    pub(super) const fn of(element_type: ElementType) -> Self {
        Self { element_type, subtype: 0 }
    }

    /// Reads `to`: a type's name or number, or `{type, subtype}`; `None` for null.
    pub(super) fn parse(to: Option<RawBsonRef<'_>>) -> Result<Option<Self>, QueryError> {
        let Some(RawBsonRef::Document(fields)) = to else {
            return Ok(element_type(to)?.map(Self::of));
        };
        let (mut wanted, mut subtype) = (None, 0);
        let mut has_type = false;
        for field in fields {
            let (name, value) = field?;
            match name.as_str() {
                "type" => {
                    has_type = true;
                    wanted = element_type(Some(value))?;
                }
                "subtype" => subtype = binary_subtype(value)?,
                other => {
                    return Err(refused!(
                        Code::IDL_UNKNOWN_FIELD,
                        "BSON field '$convert.to.{other}' is an unknown field."
                    ));
                }
            }
        }
        if !has_type {
            return Err(refused(
                Code::IDL_FAILED_TO_PARSE,
                "BSON field '$convert.to.type' is missing but a required field",
            ));
        }
        Ok(wanted.map(|element_type| Self { element_type, subtype }))
    }
}

fn element_type(to: Option<RawBsonRef<'_>>) -> Result<Option<ElementType>, QueryError> {
    match to {
        value if is_nullish(value) => Ok(None),
        Some(RawBsonRef::String(name)) => type_by_name(name)
            .map(Some)
            .ok_or_else(|| QueryError::bad_value(format!("Unknown type name: {name}"))),
        Some(number) if is_number(number) => {
            let Some(code) = integral64(number) else {
                return Err(QueryError::failed_to_parse(
                    "In $convert, numeric 'to' argument is not an integer",
                ));
            };
            type_by_number(code).map(Some).ok_or_else(|| {
                QueryError::failed_to_parse(format!(
                    "In $convert, numeric value for 'to' does not correspond to a BSON type: {code}"
                ))
            })
        }
        other => Err(QueryError::failed_to_parse(format!(
            "$convert's 'to' argument must be a string or number, but is {}",
            name_of(other)
        ))),
    }
}

fn binary_subtype(value: RawBsonRef<'_>) -> Result<u8, QueryError> {
    if !is_number(value) {
        return Err(refused!(
            4341108,
            "For BinData, $convert's 'subtype' argument must be a number, but is {}",
            name_of(Some(value))
        ));
    }
    let Some(code) = integral32(value) else {
        return Err(refused(4341106, "In $convert, numeric 'subtype' argument is not an integer"));
    };
    u8::try_from(code).ok().filter(|code| matches!(code, 0..=8 | 128..)).ok_or_else(|| {
        refused!(
            4341107,
            "In $convert, numeric value for 'subtype' does not correspond to a BinData type: \
                 {code}"
        )
    })
}

/// How text encodes bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Auto,
    Base64,
    Base64Url,
    Hex,
    Utf8,
    Uuid,
}

impl Format {
    pub(super) fn parse(value: Option<RawBsonRef<'_>>) -> Result<Option<Self>, QueryError> {
        let text = match value {
            value if is_nullish(value) => return Ok(None),
            Some(RawBsonRef::String(text)) => text,
            other => {
                return Err(refused!(
                    4341114,
                    "$convert requires that 'format' be a string, found: {} with value {}",
                    name_of(other),
                    shown(other)
                ));
            }
        };
        match text {
            "auto" => Ok(Some(Self::Auto)),
            "base64" => Ok(Some(Self::Base64)),
            "base64url" => Ok(Some(Self::Base64Url)),
            "hex" => Ok(Some(Self::Hex)),
            "utf8" => Ok(Some(Self::Utf8)),
            "uuid" => Ok(Some(Self::Uuid)),
            _ => Err(refused(4341125, format!("Invalid 'format' argument for $convert: {text}"))),
        }
    }
}

/// Whether the lowest byte of a number comes last; `byteOrder` of `$convert`.
pub(super) fn is_big_endian(value: Option<RawBsonRef<'_>>) -> Result<bool, QueryError> {
    match value {
        value if is_nullish(value) => Ok(false),
        Some(RawBsonRef::String("big")) => Ok(true),
        Some(RawBsonRef::String("little")) => Ok(false),
        Some(RawBsonRef::String(other)) => {
            Err(refused(9130002, format!("Invalid 'byteOrder' argument for $convert: {other}")))
        }
        other => Err(refused!(
            9130001,
            "$convert requires that 'byteOrder' be a string, found: {} with value {}",
            name_of(other),
            shown(other)
        )),
    }
}
