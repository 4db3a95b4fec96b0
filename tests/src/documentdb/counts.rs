//! Counts that follow the data after 5 s.

use std::collections::HashMap;

/// How late a count is, in milliseconds of the server's clock.
const LATE_MS: i64 = 5_000;

/// The counts of collections over time, by namespace. A collection without an entry has not changed
/// for long.
#[derive(Default)]
pub struct Counts(HashMap<String, Vec<(i64, i64)>>);

impl Counts {
    /// Notes the count of a collection before and after a change.
    pub fn note(&mut self, namespace: &str, now_ms: i64, before: i64, after: i64) {
        let history = self.0.entry(namespace.to_owned());
        let history = history.or_insert_with(|| vec![(i64::MIN, before)]);
        history.push((now_ms, after));
    }

    /// The count that the server knows, if the collection has changed since it was settled.
    pub fn known(&self, namespace: &str, now_ms: i64) -> Option<i64> {
        let history = self.0.get(namespace)?;
        let known =
            history.iter().rev().find(|(at_ms, _)| *at_ms <= now_ms.saturating_sub(LATE_MS));
        known.map(|(_, count)| *count)
    }

    /// Makes each count the right one.
    pub fn settle(&mut self) {
        self.0.clear();
    }
}
