//! Functions of `__host` that work on values alone: identifiers, decimals and UTF-8.

use bson::{Decimal128, oid::ObjectId};
use mayfly_engine::value::Decimal;
use rquickjs::{Ctx, Function, Object, TypedArray, Value};

use super::from_js;
use super::from_js::hex_bytes;

/// Hex digits of the seconds that begin an `ObjectId`.
const SECONDS_DIGITS: usize = 8;

/// Digits that a decimal holds.
const DECIMAL_DIGITS_MAX: usize = 34;

/// Adds the functions to `__host`.
pub(in crate::shell) fn install<'js>(ctx: &Ctx<'js>, host: &Object<'js>) -> rquickjs::Result<()> {
    host.set("objectId", Function::new(ctx.clone(), object_id)?)?;
    host.set("uuid", Function::new(ctx.clone(), uuid)?)?;
    host.set(
        "decimal",
        Function::new(ctx.clone(), |text: String, rounded: bool| decimal(&text, rounded))?,
    )?;
    host.set("utf8", Function::new(ctx.clone(), utf8)?)?;
    host.set("text", Function::new(ctx.clone(), |digits: String| text(&digits))?)?;
    host.set("size", Function::new(ctx.clone(), |value: Value<'_>| size(&value))?)
}

/// Hex digits of a new `ObjectId` at a time in seconds. The rest of it is as in every driver: random
/// bytes of the process and a counter.
fn object_id(seconds: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "wraps, as in drivers"
    )]
    let seconds = seconds as i64 as u32;
    format!("{seconds:08x}{}", &ObjectId::new().to_hex()[SECONDS_DIGITS..])
}

/// Hex digits of a random UUID.
fn uuid() -> String {
    bson::Uuid::new().to_string().replace('-', "")
}

/// A decimal as it is printed and, if it can't be held exactly, why not. With `rounded`, digits
/// beyond the 34th are rounded.
fn decimal(text: &str, rounded: bool) -> Vec<Option<String>> {
    let exact = text.parse::<Decimal128>();
    let rounded = || rounded.then(|| Decimal::parse(text)).flatten().map(Decimal128::from);
    match exact {
        Ok(decimal) => vec![Some(decimal.to_string())],
        Err(_) => match rounded() {
            Some(decimal) => vec![Some(decimal.to_string())],
            None => vec![None, Some(fault(text).to_owned())],
        },
    }
}

/// Why a decimal can't be held exactly, in the driver's words.
fn fault(text: &str) -> &'static str {
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, ""));
    let digits: String = digits.chars().filter(char::is_ascii_digit).collect();
    if digits.trim_matches('0').len() > DECIMAL_DIGITS_MAX {
        "inexact rounding"
    } else if exponent.starts_with('-') {
        "exponent underflow"
    } else {
        "overflow"
    }
}

/// The UTF-8 that hex digits hold, with U+FFFD for what is none.
fn text(digits: &str) -> String {
    String::from_utf8_lossy(&hex_bytes(digits)).into_owned()
}

fn utf8(ctx: Ctx<'_>, text: String) -> rquickjs::Result<TypedArray<'_, u8>> {
    TypedArray::new(ctx, text)
}

/// Bytes that a document takes in a store.
fn size(value: &Value<'_>) -> rquickjs::Result<f64> {
    let document = from_js::document(value)?;
    let bytes = bson::RawDocumentBuf::try_from(&document).map_or(0, |raw| raw.as_bytes().len());
    #[expect(clippy::cast_precision_loss, reason = "a document has at most a few MB")]
    Ok(bytes as f64)
}
