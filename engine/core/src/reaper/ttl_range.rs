//! The index entries of a TTL rule as ranges in order of time.

use std::ops::Bound;

use crate::{
    broken_rules::{BrokenRule, is_broken},
    store::{Entries, Entry, IndexId, Reader, RecordNumber, Scan, StoreError},
    ttl::{Rule, cutoff_ms},
    value::key::{Direction, date_key, decode_date, ts, ts::TsEntry},
};

const MS_PER_SEC: i64 = 1_000;

/// A run of index entries that ascend (or descend) with time. The entry's instant plus a fixed time
/// is the threshold of its document, so a change of the seconds moves no entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TtlRange {
    section: Section,
    /// Milliseconds from the entry's instant to the threshold.
    add_ms: i64,
    first_ms: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    Dates(Direction),
    /// `_ts`: documents that follow the default, by last modification.
    Modified,
    /// `_ts`: documents with their own `ttl`, by threshold.
    Own,
}

impl TtlRange {
    /// The ranges of a rule over an index with this direction; none for an inert rule.
    pub fn of(rule: &Rule, direction: Direction) -> Vec<Self> {
        let dates = |secs: i64, first_ms| {
            let add_ms = secs.saturating_mul(MS_PER_SEC);
            Self { section: Section::Dates(direction), add_ms, first_ms }
        };
        match rule {
            Rule::Date { expire_after_secs, .. } => vec![dates(*expire_after_secs, i64::MIN)],
            Rule::ClusteredId { expire_after_secs } => vec![dates(*expire_after_secs, 0)],
            Rule::LastModified { default_secs } => {
                let own = Self { section: Section::Own, add_ms: 0, first_ms: i64::MIN };
                let modified = default_secs.map(|secs| Self {
                    section: Section::Modified,
                    add_ms: secs.saturating_mul(MS_PER_SEC),
                    first_ms: i64::MIN,
                });
                modified.into_iter().chain([own]).collect()
            }
            Rule::Bucket { expire_after_secs, span_secs } => {
                vec![dates(expire_after_secs.saturating_add(*span_secs), i64::MIN)]
            }
            Rule::Inert(_) => Vec::new(),
        }
    }

    /// The latest instant that is due at `now_ms`.
    pub fn last_due_ms(&self, now_ms: i64) -> i64 {
        let cutoff = cutoff_ms(now_ms, self.add_ms / MS_PER_SEC);
        match self.section {
            // `_ts` counts whole seconds, so every millisecond of the cutoff's second is due.
            Section::Modified => whole_secs(cutoff).saturating_add(MS_PER_SEC - 1),
            Section::Dates(_) | Section::Own => cutoff,
        }
    }

    /// The earliest instant whose threshold is not before `threshold_ms`.
    pub fn first_from_ms(&self, threshold_ms: i64) -> i64 {
        let base = threshold_ms.saturating_sub(self.add_ms);
        match self.section {
            // Rounded up: an instant within a second has the threshold of that second's beginning.
            Section::Modified => whole_secs(base.saturating_add(MS_PER_SEC - 1)),
            Section::Dates(_) | Section::Own => base,
        }
    }

    /// The threshold of an entry with this instant; `None` past the end of time.
    pub fn threshold_ms(&self, instant_ms: i64) -> Option<i64> {
        match self.section {
            Section::Modified => whole_secs(instant_ms).checked_add(self.add_ms),
            Section::Dates(_) | Section::Own => instant_ms.checked_add(self.add_ms),
        }
    }

    /// The instant in an entry's key.
    pub fn instant_ms(&self, key: &[u8]) -> Option<i64> {
        match (self.section, self.section_entry(key)) {
            (Section::Dates(direction), _) => decode_date(key, direction),
            (Section::Modified, Some(TsEntry::Default { modified_ms })) => Some(modified_ms),
            (Section::Own, Some(TsEntry::Own { threshold_ms })) => Some(threshold_ms),
            _ => None,
        }
    }

    /// Entries with instants from `from_ms` to `to_ms`, both included, earliest first.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn entries<'t>(
        &self,
        reader: &Reader<'t>,
        index: IndexId,
        from_ms: i64,
        to_ms: i64,
    ) -> Result<Entries<'t>, StoreError> {
        let (first, last) = (self.key(from_ms.max(self.first_ms)), self.key(to_ms));
        let (lower, upper) = self.in_byte_order(&first, &last);
        // An empty range would have inverted bounds.
        let upper = if lower > upper { Bound::Excluded(lower) } else { Bound::Included(upper) };
        reader.entries(index, Bound::Included(lower), upper, self.scan())
    }

    /// Entries after `after`, up to the instant `to_ms`, earliest first.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn entries_after<'t>(
        &self,
        reader: &Reader<'t>,
        index: IndexId,
        after: (&[u8], RecordNumber),
        to_ms: i64,
    ) -> Result<Entries<'t>, StoreError> {
        reader.entries_after(index, after, Bound::Included(&self.key(to_ms)), self.scan())
    }

    /// All entries in byte order, from after `after` if given.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn entries_towards<'t>(
        &self,
        reader: &Reader<'t>,
        index: IndexId,
        after: Option<(&[u8], RecordNumber)>,
        scan: Scan,
    ) -> Result<Entries<'t>, StoreError> {
        let (first, last) = (self.key(self.first_ms), self.key(i64::MAX));
        let (lower, upper) = self.in_byte_order(&first, &last);
        let limit = if scan == Scan::Forward { upper } else { lower };
        match after {
            Some(after) => reader.entries_after(index, after, Bound::Included(limit), scan),
            None => reader.entries(index, Bound::Included(lower), Bound::Included(upper), scan),
        }
    }

    fn key(&self, instant_ms: i64) -> Vec<u8> {
        match self.section {
            Section::Dates(direction) => date_key(instant_ms, direction),
            Section::Modified => ts::encode(TsEntry::Default { modified_ms: instant_ms }),
            Section::Own => ts::encode(TsEntry::Own { threshold_ms: instant_ms }),
        }
    }

    fn section_entry(&self, key: &[u8]) -> Option<TsEntry> {
        match self.section {
            Section::Dates(_) => None,
            Section::Modified | Section::Own => ts::decode(key),
        }
    }

    fn scan(&self) -> Scan {
        match self.section {
            // A descending index has the latest date first, so the earliest are at its end.
            Section::Dates(Direction::Descending) => Scan::Backward,
            _ => Scan::Forward,
        }
    }

    fn in_byte_order<'k>(&self, first: &'k [u8], last: &'k [u8]) -> (&'k [u8], &'k [u8]) {
        match self.scan() {
            Scan::Forward => (first, last),
            Scan::Backward => (last, first),
        }
    }
}

/// The undamaged entries. Documents of damaged ones are kept, and do not stop other removals.
pub(super) fn sound(entries: Entries<'_>) -> impl Iterator<Item = Result<Entry<'_>, StoreError>> {
    entries.filter(|entry| !matches!(entry, Err(StoreError::Damaged { .. })))
}

/// The instant in whole seconds, rounded down.
fn whole_secs(ms: i64) -> i64 {
    if is_broken(BrokenRule::TsMilliseconds) {
        return ms;
    }
    ms.div_euclid(MS_PER_SEC).saturating_mul(MS_PER_SEC)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modified(default_secs: i64) -> TtlRange {
        let rule = Rule::LastModified { default_secs: Some(default_secs) };
        TtlRange::of(&rule, Direction::Ascending)[0]
    }

    fn own() -> TtlRange {
        TtlRange::of(&Rule::LastModified { default_secs: None }, Direction::Ascending)[0]
    }

    fn clustered(expire_after_secs: i64) -> TtlRange {
        TtlRange::of(&Rule::ClusteredId { expire_after_secs }, Direction::Descending)[0]
    }

    /// An instant is due exactly from its threshold on, and the inverse finds it again.
    #[track_caller]
    fn check(range: TtlRange, instant_ms: i64, threshold_ms: i64) {
        assert_eq!(range.threshold_ms(instant_ms), Some(threshold_ms));
        assert!(range.last_due_ms(threshold_ms) >= instant_ms, "due at its threshold");
        assert!(range.last_due_ms(threshold_ms - 1) < instant_ms, "not due before");
        assert!(range.first_from_ms(threshold_ms) <= instant_ms, "found from its threshold");
        assert!(range.first_from_ms(threshold_ms + 1) > instant_ms, "not found after it");
        assert_eq!(range.instant_ms(&range.key(instant_ms)), Some(instant_ms));
    }

    #[test]
    fn thresholds_and_back() {
        for instant in [-1_001, -1_000, -1, 0, 1, 999, 1_000, 1_704_844_800_123] {
            check(clustered(60), instant, instant + 60_000);
            check(clustered(0), instant, instant);
            check(own(), instant, instant);
            check(modified(10), instant, instant.div_euclid(1_000) * 1_000 + 10_000);
        }
    }

    #[test]
    fn the_ends_of_time_do_not_wrap() {
        assert_eq!(clustered(60).threshold_ms(i64::MAX), None);
        assert_eq!(clustered(60).last_due_ms(i64::MIN), i64::MIN);
        assert_eq!(clustered(60).first_from_ms(i64::MIN), i64::MIN);
        assert_eq!(
            TtlRange::of(&Rule::Inert(crate::ttl::InertReason::Text), Direction::Ascending),
            []
        );
    }
}
