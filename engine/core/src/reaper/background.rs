//! When scheduled passes remove the expired documents of a database that follows Cosmos DB.
//!
//! Microsoft documents a background task that deletes with the request units that are left over. It names no
//! period, so Mayfly chose one: a pass takes what expired before a delay of one to four minutes. With the pass
//! itself, a document is removed one to five minutes after its threshold. The delay is computed from the pass's
//! minute and the collection's name, so that a lesson is the same on every machine. No query finds the document
//! before it is removed, and a requested pass removes all that has expired.

use super::{forecast, target::Target};
use crate::{
    catalog::Namespace,
    limits::{BACKGROUND_DELETE_SECS_MAX, BACKGROUND_DELETE_SECS_MIN},
    store::{Store, StoreError},
};

const MS_PER_SEC: i64 = 1_000;
const MS_PER_MINUTE: i64 = 60_000;

/// The last threshold that a scheduled pass at this instant removes, in milliseconds since 1970.
pub(super) fn last_threshold_ms(target: &Target, now_ms: i64) -> i64 {
    if !target.in_background {
        return now_ms;
    }
    now_ms.saturating_sub(delay_ms(&target.collection.namespace, now_ms))
}

/// Whether a scheduled pass at this instant would remove anything by these rules.
pub(super) fn is_any_due(
    store: &Store,
    targets: &[Target],
    now_ms: i64,
) -> Result<bool, StoreError> {
    forecast::is_any_due(store, targets, |target| last_threshold_ms(target, now_ms))
}

/// The delay in whole seconds (FNV-1a over the name and the minute).
fn delay_ms(namespace: &Namespace, now_ms: i64) -> i64 {
    let minute = now_ms.div_euclid(MS_PER_MINUTE).to_be_bytes();
    let bytes = namespace.db.bytes().chain([0]).chain(namespace.collection.bytes()).chain(minute);
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let choices = BACKGROUND_DELETE_SECS_MAX.abs_diff(BACKGROUND_DELETE_SECS_MIN) + 1;
    // The low bits of such a hash follow the last byte too closely.
    let drawn = i64::try_from((hash >> 32) % choices).unwrap_or(0);
    BACKGROUND_DELETE_SECS_MIN.saturating_add(drawn).saturating_mul(MS_PER_SEC)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_delay_is_within_its_bounds_and_they_differ() {
        let carts = Namespace::new("shop", "carts");
        let orders = Namespace::new("shop", "orders");
        let delays: Vec<i64> =
            (0..1_000).map(|minute| delay_ms(&carts, minute * MS_PER_MINUTE)).collect();
        assert!(delays.iter().all(|ms| (60_000..=240_000).contains(ms)), "{delays:?}");
        assert!(delays.iter().min() < Some(&70_000) && delays.iter().max() > Some(&230_000));
        assert_eq!(delay_ms(&carts, 59_999), delays[0], "one delay for a minute");
        assert_eq!(delay_ms(&carts, -1), delay_ms(&carts, -60_000), "before 1970 as well");
        let others: Vec<i64> =
            (0..1_000).map(|minute| delay_ms(&orders, minute * MS_PER_MINUTE)).collect();
        assert_ne!(delays, others, "each collection has its own");
    }
}
