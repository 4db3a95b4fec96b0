//! What a TTL would remove.

use bson::Document;

use super::number::whole_secs;

/// What a TTL would remove, as `mayflyWhatIf` answers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WhatIf {
    /// The index it was asked for, as in the command.
    pub index: Document,
    /// Documents that the next pass would remove.
    pub overdue_now: u64,
    /// More within an hour.
    pub next_hour: u64,
    /// Documents that would never expire.
    pub never: u64,
    /// Documents that are damaged: they stay, and are in none of the counts above.
    pub damaged: u64,
    /// All documents.
    pub total: u64,
}

impl WhatIf {
    /// Reads the reply to a `mayflyWhatIf` for this index.
    #[must_use]
    pub fn read(reply: &Document, index: Document) -> Self {
        let count = |name| reply.get(name).and_then(whole_secs).map_or(0, as_count);
        let never = reply
            .get_document("never")
            .map_or(0, |never| never.values().filter_map(whole_secs).map(as_count).sum());
        Self {
            index,
            overdue_now: count("overdueNow"),
            next_hour: count("nextHour"),
            never,
            damaged: count("damaged"),
            total: count("total"),
        }
    }

    /// Documents that would expire after more than an hour: with the other figures, all of the collection.
    #[must_use]
    pub fn later(&self) -> u64 {
        let counted = [self.overdue_now, self.next_hour, self.never, self.damaged];
        counted.iter().fold(self.total, |left, count| left.saturating_sub(*count))
    }
}

fn as_count(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
