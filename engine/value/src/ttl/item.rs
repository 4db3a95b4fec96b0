//! A document's own `ttl`.

use bson::raw::{RawBsonRef, RawDocument};

use crate::broken_rules::{BrokenRule, is_broken};

/// The field of a document that overrides the collection's default.
pub const ITEM_TTL_FIELD: &str = "ttl";

/// The document's own `ttl` under an index on `_ts`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemTtl {
    /// There is none: the default applies.
    Absent,
    /// There is one that does not count: the default applies.
    Ignored,
    /// -1: the document never expires.
    Never,
    /// Seconds after the last modification, from 1 to 2147483647.
    Secs(i64),
}

/// Reads the root field `ttl`.
///
/// It counts as an int32, as an int64 within int32, and as a double without a fraction within
/// int32 (the Cosmos page). The page leaves 0 and negative numbers other than -1 open for this
/// API: they are stored and ignored here, by our own choice.
pub fn item_ttl(document: &RawDocument) -> ItemTtl {
    if is_broken(BrokenRule::OwnTtlIgnored) {
        return ItemTtl::Absent;
    }
    let Ok(Some(value)) = document.get(ITEM_TTL_FIELD) else { return ItemTtl::Absent };
    let secs = match value {
        RawBsonRef::Int32(secs) => Some(secs),
        RawBsonRef::Int64(secs) => i32::try_from(secs).ok(),
        RawBsonRef::Double(secs) => whole_i32(secs),
        RawBsonRef::String(text) if is_broken(BrokenRule::OwnTtlOfAnyType) => text.parse().ok(),
        _ => None,
    };
    match secs {
        Some(0) if is_broken(BrokenRule::OwnTtlZero) => ItemTtl::Never,
        Some(-1) if is_broken(BrokenRule::MinusOne) => ItemTtl::Ignored,
        Some(-1) => ItemTtl::Never,
        Some(secs) if secs > 0 => ItemTtl::Secs(i64::from(secs)),
        _ => ItemTtl::Ignored,
    }
}

fn whole_i32(number: f64) -> Option<i32> {
    let any = is_broken(BrokenRule::OwnTtlOfAnyType);
    let fits = number >= f64::from(i32::MIN) && number <= f64::from(i32::MAX);
    #[expect(clippy::cast_possible_truncation, reason = "checked: whole and within int32")]
    (fits && (any || number.fract() == 0.0)).then_some(number as i32)
}
