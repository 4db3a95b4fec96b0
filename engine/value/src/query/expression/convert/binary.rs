//! Binary data to and from text and numbers.

use bson::{
    Binary, RawBson, RawBsonRef,
    raw::RawBinaryRef,
    spec::{BinarySubtype, ElementType},
};

use super::{
    target::{Format, Target},
    text::{base64_text, from_base64, from_hex, from_uuid, hex, uuid_text},
    value::failed,
};
use crate::query::{
    QueryError,
    expression::arguments::{name_of, shown},
};

/// Subtype of a UUID.
const UUID: u8 = 4;

/// The options of `$convert` on bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bytes {
    pub format: Option<Format>,
    pub big_endian: bool,
}

impl Bytes {
    fn needed(self, from: RawBsonRef<'_>, to: &str) -> Result<Format, QueryError> {
        self.format.ok_or_else(|| {
            refused!(
                4341115,
                "Format must be speficied when converting from '{}' to '{to}'",
                name_of(Some(from))
            )
        })
    }
}

fn binary(bytes: Vec<u8>, subtype: u8) -> RawBson {
    RawBson::Binary(Binary { subtype: BinarySubtype::from(subtype), bytes })
}

pub(super) fn of_text(text: &str, target: Target, how: Bytes) -> Result<RawBson, QueryError> {
    let format = how.needed(RawBsonRef::String(text), "binData")?;
    let refuse = |reason: &str| {
        failed(format!(
            "Failed to parse BinData '{text}' in $convert with no onError value: {reason}"
        ))
    };
    if (format == Format::Uuid) != (target.subtype == UUID) {
        return Err(refuse("Only the 'uuid' format is allowed with the UUID subtype"));
    }
    let bytes = match format {
        Format::Auto => return Err(refuse("Invalid format 'auto'")),
        Format::Base64 => from_base64(text, false).ok_or("Invalid base64 character"),
        Format::Base64Url => from_base64(text, true).ok_or("Invalid base64 character"),
        Format::Hex => from_hex(text).ok_or("Invalid hex character in string"),
        Format::Utf8 => Ok(text.as_bytes().to_vec()),
        Format::Uuid => from_uuid(text).ok_or("Invalid UUID string"),
    };
    Ok(binary(bytes.map_err(refuse)?, target.subtype))
}

pub(super) fn to_text(value: RawBinaryRef<'_>, how: Bytes) -> Result<RawBson, QueryError> {
    let whole = RawBsonRef::Binary(value);
    let format = how.needed(whole, "string")?;
    let refuse = |reason: &str| {
        failed(format!(
            "Failed to convert '{}' to string in $convert with no onError value: {reason}",
            shown(Some(whole))
        ))
    };
    let is_uuid = value.subtype == BinarySubtype::Uuid && value.bytes.len() == 16;
    let text = match format {
        Format::Auto | Format::Uuid if is_uuid => uuid_text(value.bytes),
        Format::Auto | Format::Base64 => base64_text(value.bytes, false),
        Format::Base64Url => base64_text(value.bytes, true),
        Format::Hex => hex(value.bytes, true),
        Format::Utf8 => std::str::from_utf8(value.bytes)
            .map_err(|_| refuse("BinData does not represent a valid UTF-8 string"))?
            .to_owned(),
        Format::Uuid => return Err(refuse("BinData does not represent a valid UUID")),
    };
    Ok(RawBson::String(text))
}

/// Bytes to bytes: only of the same subtype.
pub(super) fn same(value: RawBinaryRef<'_>, target: Target) -> Result<RawBson, QueryError> {
    if u8::from(value.subtype) == target.subtype {
        return Ok(RawBsonRef::Binary(value).into());
    }
    Err(failed("Conversions between different BinData subtypes are not supported".to_owned()))
}

/// A number's own bytes.
pub(super) fn of_number(little_endian: &[u8], target: Target, how: Bytes) -> RawBson {
    let mut bytes = little_endian.to_vec();
    if how.big_endian {
        bytes.reverse();
    }
    binary(bytes, target.subtype)
}

pub(super) fn to_number(
    value: RawBinaryRef<'_>,
    element_type: ElementType,
    how: Bytes,
) -> Result<RawBson, QueryError> {
    let mut bytes = value.bytes.to_vec();
    if how.big_endian {
        bytes.reverse();
    }
    let refuse = |name: &str| {
        failed(format!(
            "Failed to convert '{}' to {name} in $convert because of invalid length: {}",
            shown(Some(RawBsonRef::Binary(value))),
            value.bytes.len()
        ))
    };
    let integer = match *bytes.as_slice() {
        [a] => Some(i64::from(i8::from_le_bytes([a]))),
        [a, b] => Some(i64::from(i16::from_le_bytes([a, b]))),
        [a, b, c, d] => Some(i64::from(i32::from_le_bytes([a, b, c, d]))),
        _ => None,
    };
    let eight: Option<[u8; 8]> = bytes.as_slice().try_into().ok();
    match element_type {
        ElementType::Int32 => integer
            .and_then(|integer| i32::try_from(integer).ok())
            .map(RawBson::Int32)
            .ok_or_else(|| refuse("int")),
        ElementType::Int64 => integer
            .or(eight.map(i64::from_le_bytes))
            .map(RawBson::Int64)
            .ok_or_else(|| refuse("long")),
        _ => {
            let four: Option<[u8; 4]> = bytes.as_slice().try_into().ok();
            four.map(|four| f64::from(f32::from_le_bytes(four)))
                .or(eight.map(f64::from_le_bytes))
                .map(RawBson::Double)
                .ok_or_else(|| refuse("double"))
        }
    }
}
