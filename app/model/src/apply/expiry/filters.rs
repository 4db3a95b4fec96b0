//! The documents of the Expiry view as filters of the Documents view.

use crate::state::Tab;
use crate::state::reasons::{
    index_of_reasons, phase_filter, range_filter, reason_filter, shown_indexes,
};

/// Documents that never expire for this reason.
pub(super) fn never(open: &Tab, code: &str) -> Result<String, &'static str> {
    let index = index_of_reasons(open);
    let filter = index.and_then(|index| reason_filter(code, &index));
    filter.ok_or("No filter can match these documents")
}

/// Documents past their threshold at `now_ms`, or those that wait for it.
pub(super) fn phase(open: &Tab, overdue: bool, now_ms: i64) -> Result<String, &'static str> {
    let index = index_of_reasons(open);
    let filter = index.and_then(|index| phase_filter(&index, overdue, now_ms));
    filter.ok_or("No filter can match these documents: choose a TTL index on a date field first")
}

/// Documents of the chosen range.
pub(super) fn brush(open: &Tab) -> Result<String, &'static str> {
    let filter = open
        .expiry
        .brush
        .and_then(|brush| range_filter(&shown_indexes(open), brush.from_ms, brush.to_ms));
    filter.ok_or(
        "No filter can match documents by their last modification: choose a TTL index on a date \
         field first",
    )
}
