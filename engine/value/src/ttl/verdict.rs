//! Several rules at once, and when the reaper gets to it.

use super::expiry::Expiry;

/// The place of the rule that removes the document first; of equal thresholds the first one.
/// `None` if the document never expires. Each rule works alone, so the earliest threshold wins.
pub fn winner<'e>(verdicts: impl IntoIterator<Item = &'e Expiry>) -> Option<usize> {
    verdicts
        .into_iter()
        .enumerate()
        .filter_map(|(place, expiry)| Some((expiry.threshold_ms()?, place)))
        .min()
        .map(|(_, place)| place)
}

/// Between which instants a document is removed, in milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemovalWindow {
    /// Not before: the threshold.
    pub earliest_ms: i64,
    /// Usually not after. Under load it takes longer.
    pub latest_ms: i64,
}

/// When a document with this threshold goes: from the threshold until a whole sleep and a pass
/// later. `last_pass_ms` is how long the last pass took.
pub fn removal_window(threshold_ms: i64, sleep_secs: i64, last_pass_ms: i64) -> RemovalWindow {
    let wait_ms = sleep_secs.max(0).saturating_mul(1_000).saturating_add(last_pass_ms.max(0));
    RemovalWindow { earliest_ms: threshold_ms, latest_ms: threshold_ms.saturating_add(wait_ms) }
}
