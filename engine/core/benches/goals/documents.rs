//! The documents: nine fields, the same ones for every side.

use bson::{DateTime, RawDocumentBuf, oid::ObjectId, rawdoc};

/// The date of document 0; each later one is a second later.
pub const FIRST_MS: i64 = 1_700_000_000_000;

/// The order of ids, and of dates.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Each is above the one before.
    Ascending,
    /// No order.
    Scattered,
}

/// A number without order; different for different numbers.
pub fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^= mixed >> 32;
    mixed.wrapping_mul(0xD6E8_FEB8_6659_FD93)
}

/// The id of a document.
pub fn id(number: u64, order: Order) -> [u8; 12] {
    let number = if order == Order::Ascending { number } else { mixed(number) };
    let mut id = [0; 12];
    id[..8].copy_from_slice(&number.to_be_bytes());
    id
}

/// The date of a document out of `total`.
pub fn date_ms(number: u64, total: u64, order: Order) -> i64 {
    let place = if order == Order::Ascending { number } else { mixed(number) % total.max(1) };
    FIRST_MS + i64::try_from(place).unwrap_or(0) * 1_000
}

/// One document.
pub fn document(number: u64, total: u64, ids: Order, dates: Order) -> RawDocumentBuf {
    rawdoc! {
        "_id": ObjectId::from_bytes(id(number, ids)),
        "createdAt": DateTime::from_millis(date_ms(number, total, dates)),
        "user": format!("user-{:08}", number % 100_000),
        "session": format!("{:016x}{:016x}", mixed(number), mixed(number + 1)),
        "address": "203.0.113.42",
        "status": i32::try_from(number % 600).unwrap_or(0),
        "bytes": i64::try_from(number % 1_000_000).unwrap_or(0),
        "took": 12.5,
        "agent": "Mozilla/5.0 (X11; Linux x86_64) rv:151",
    }
}

/// All documents.
pub fn documents(total: u64, ids: Order, dates: Order) -> Vec<RawDocumentBuf> {
    (0..total).map(|number| document(number, total, ids, dates)).collect()
}

/// Bytes of one document.
pub fn size() -> usize {
    document(0, 1, Order::Ascending, Order::Ascending).as_bytes().len()
}
