//! The values of CSV cells, with mongoimport's types.

use bson::{Binary, Bson, DateTime, spec::BinarySubtype};

use crate::transfer::read::csv_number::{CellForm, cell_form, comma_number};
use crate::value::{date_text::DateForm, extjson, zone::Zone};

/// How bytes are written as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::transfer) enum BinaryText {
    Base64,
    Base32,
    Hex,
}

/// The type of a column's cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::transfer) enum CellType {
    /// int32, int64 or double if its text comes back from the number, else string.
    Auto,
    /// The same for a column of numbers, where a word for a missing value is an empty cell.
    Numbers {
        /// Decimals come after a comma.
        comma: bool,
    },
    /// A column of the words for true and false.
    Booleans,
    Text,
    Int,
    Long,
    Double,
    Decimal,
    Bool,
    Binary(BinaryText),
    Date(DateForm),
    /// Not a type of mongoimport.
    ObjectId,
    /// Any value, as Extended JSON. Not a type of mongoimport either.
    Ejson,
}

impl CellType {
    /// How a cell reads in a column whose type the header doesn't name. It is text unless it is of
    /// the column's kind, or a word for a missing value among these.
    pub(in crate::transfer) fn form(&self, text: &str) -> CellForm {
        let form = match self {
            Self::Numbers { comma: true } => {
                comma_number(text).map_or_else(|| cell_form(text), |number| number.form)
            }
            _ => cell_form(text),
        };
        match (self, form) {
            (Self::Booleans, CellForm::NotFinite(number)) if number.is_nan() => CellForm::Missing,
            (
                Self::Auto | Self::Numbers { .. },
                CellForm::Int32(_) | CellForm::Int64(_) | CellForm::Double(_),
            )
            | (Self::Numbers { .. }, CellForm::NotFinite(_))
            | (Self::Booleans, CellForm::Bool(_))
            | (Self::Numbers { .. } | Self::Booleans, CellForm::Missing) => form,
            _ => CellForm::Text,
        }
    }

    /// The value of a cell, or `None` if it does not have this type.
    pub(in crate::transfer) fn value(&self, text: &str, zone: Zone) -> Option<Bson> {
        match self {
            Self::Auto | Self::Numbers { .. } | Self::Booleans => Some(match self.form(text) {
                CellForm::Int32(int) => Bson::Int32(int),
                CellForm::Int64(int) => Bson::Int64(int),
                CellForm::Double(double) | CellForm::NotFinite(double) => Bson::Double(double),
                CellForm::Bool(is) => Bson::Boolean(is),
                CellForm::Altered { .. } | CellForm::Missing | CellForm::Text => {
                    Bson::String(text.to_owned())
                }
            }),
            Self::Text => Some(Bson::String(text.to_owned())),
            Self::Int => text.parse().ok().map(Bson::Int32),
            Self::Long => text.parse().ok().map(Bson::Int64),
            // Digits out of range are an error, not infinity.
            Self::Double => {
                let has_digits = text.bytes().any(|byte| byte.is_ascii_digit());
                let double =
                    text.parse().ok().filter(|double: &f64| double.is_finite() || !has_digits);
                double.map(Bson::Double)
            }
            Self::Decimal => {
                let text = serde_json::to_string(text).ok()?;
                extjson::read_value(&format!("{{\"$numberDecimal\":{text}}}")).ok()
            }
            Self::Bool => match text.to_ascii_lowercase().as_str() {
                "true" | "1" => Some(Bson::Boolean(true)),
                "false" | "0" => Some(Bson::Boolean(false)),
                _ => None,
            },
            Self::Binary(form) => {
                let bytes = match form {
                    BinaryText::Base64 => {
                        use base64::Engine as _;
                        base64::engine::general_purpose::STANDARD.decode(text).ok()
                    }
                    BinaryText::Base32 => base32(text),
                    BinaryText::Hex => hex(text),
                };
                let subtype = BinarySubtype::Generic;
                bytes.map(|bytes| Bson::Binary(Binary { subtype, bytes }))
            }
            Self::ObjectId => bson::oid::ObjectId::parse_str(text).ok().map(Bson::ObjectId),
            Self::Ejson => extjson::read_value(text).ok(),
            Self::Date(form) => {
                let millis = form.read(text, zone).ok()?;
                Some(Bson::DateTime(DateTime::from_millis(millis)))
            }
        }
    }
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let byte = |pair: &[u8]| {
        let is_byte = pair.len() == 2 && pair.iter().all(u8::is_ascii_hexdigit);
        u8::from_str_radix(str::from_utf8(pair).ok().filter(|_| is_byte)?, 16).ok()
    };
    text.as_bytes().chunks(2).map(byte).collect()
}

/// RFC 4648 with its padding.
fn base32(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    // Five bytes are eight digits; of a last group, these lengths are whole bytes.
    let is_whole = text.len().is_multiple_of(8) && matches!(digits.len() % 8, 0 | 2 | 4 | 5 | 7);
    if !is_whole || text.len() - digits.len() > 6 {
        return None;
    }
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for digit in digits.bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'2'..=b'7' => digit - b'2' + 26,
            _ => return None,
        };
        bits = (bits << 5) | u32::from(value);
        count += 5;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from((bits >> count) & 0xff).ok()?);
            bits &= (1 << count) - 1;
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_in_base32() {
        // The test vectors of RFC 4648.
        for (text, bytes) in [
            ("", ""),
            ("MY======", "f"),
            ("MZXQ====", "fo"),
            ("MZXW6===", "foo"),
            ("MZXW6YQ=", "foob"),
            ("MZXW6YTB", "fooba"),
            ("MZXW6YTBOI======", "foobar"),
        ] {
            assert_eq!(base32(text).as_deref(), Some(bytes.as_bytes()), "{text}");
        }
        for wrong in ["MY", "my======", "M=======", "MZX=====", "MZXW6YT1", "========", "MY ====="]
        {
            assert_eq!(base32(wrong), None, "{wrong}");
        }
    }
}
