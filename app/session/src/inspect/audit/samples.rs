//! Samples of a server's backlog: overdue documents, the counters of its monitor, and the earliest threshold.

use mayfly_engine::reply::DocCount;

use super::pace::TREND_SAMPLES_MIN;
use super::words;
use crate::job::{Namespace, number};
use crate::limits::AUDIT_SAMPLES_KEPT_MAX;

/// The backlog of a collection at one instant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectionBacklog {
    pub namespace: Namespace,
    pub overdue: DocCount,
    /// Since when its oldest overdue document could be gone, in milliseconds since 1970.
    pub since_ms: Option<i64>,
    /// Documents whose threshold came since the sample before, where `overdue` is not exact.
    pub arrived: Option<u64>,
}

/// One look at a server.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sample {
    /// By its clock, in milliseconds since 1970.
    pub at_ms: i64,
    /// Passes that have ended, as the server counts them.
    pub passes: Option<u64>,
    /// Documents that passes have removed, as the server counts them.
    pub removed: Option<u64>,
    pub collections: Vec<CollectionBacklog>,
}

impl Sample {
    /// The backlog of a collection, if it was looked at.
    pub fn of(&self, namespace: &Namespace) -> Option<&CollectionBacklog> {
        self.collections.iter().find(|found| found.namespace == *namespace)
    }

    fn has(&self, namespace: &Namespace) -> bool {
        self.of(namespace).is_some()
    }

    /// The collections of these names together.
    fn look(&self, namespaces: &[&Namespace]) -> Look {
        let found = || self.collections.iter().filter(|it| namespaces.contains(&&it.namespace));
        let add = |sum: Option<u64>, part: Option<u64>| Some(sum?.saturating_add(part?));
        Look {
            at_ms: self.at_ms,
            passes: self.passes,
            removed: self.removed,
            overdue: found().map(|it| it.overdue).fold(DocCount::default(), DocCount::plus),
            since_ms: found().filter_map(|it| it.since_ms).min(),
            arrived: found().map(|it| it.arrived).fold(Some(0), add),
        }
    }
}

/// The backlog of all collections that are compared, in one sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    pub at_ms: i64,
    pub passes: Option<u64>,
    pub removed: Option<u64>,
    pub overdue: DocCount,
    pub since_ms: Option<i64>,
    pub arrived: Option<u64>,
}

/// The samples of a server, the oldest first. The oldest one goes when there are too many.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Samples(Vec<Sample>);

impl Samples {
    pub fn push(&mut self, sample: Sample) {
        if self.0.len() >= AUDIT_SAMPLES_KEPT_MAX {
            self.0.remove(0);
        }
        self.0.push(sample);
    }

    pub fn last(&self) -> Option<&Sample> {
        self.0.last()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Sample> {
        self.0.iter()
    }

    /// The newest samples over the collections that all of them have. Older ones that lack some of these are left
    /// out once there are enough for a trend, so that a collection that is new counts soon. Empty if the newest
    /// sample has no collection.
    pub fn looks(&self) -> Vec<Look> {
        let Some(last) = self.last() else { return Vec::new() };
        let mut shared: Vec<&Namespace> =
            last.collections.iter().map(|found| &found.namespace).collect();
        if shared.is_empty() {
            return Vec::new();
        }
        let mut count = 0;
        for sample in self.0.iter().rev() {
            let left: Vec<&Namespace> =
                shared.iter().copied().filter(|namespace| sample.has(namespace)).collect();
            let is_less = left.len() < shared.len();
            if left.is_empty() || is_less && count >= TREND_SAMPLES_MIN {
                break;
            }
            (shared, count) = (left, count + 1);
        }
        let newest = self.0.iter().skip(self.0.len() - count);
        newest.map(|sample| sample.look(&shared)).collect()
    }

    /// First and last sample in one sentence without a period. `None` if nothing can be compared.
    pub fn sentence(&self) -> Option<String> {
        let seen = self.looks();
        let (first, last) = (seen.first()?, seen.last()?);
        let many = |words: String| if seen.len() > 1 { words } else { String::new() };
        let since = |of: fn(&Look) -> Option<u64>| of(last)?.checked_sub(of(first)?);
        let removed = since(|look| look.removed)
            .map(|count| format!("; {} removed", number::counted(count, "document", "documents")));
        let passes = since(|look| look.passes)
            .map(|count| format!(", {} ended", number::counted(count, "pass", "passes")));
        let words = [
            number::counted(seen.len() as u64, "sample", "samples"),
            many(format!(" in {}", words::span(last.at_ms.saturating_sub(first.at_ms)))),
            format!(": {} overdue", words::documents(first.overdue)),
            many(format!(", then {}", words::documents(last.overdue))),
            removed.unwrap_or_default(),
            passes.unwrap_or_default(),
        ];
        Some(words.concat())
    }
}

impl FromIterator<Sample> for Samples {
    fn from_iter<T: IntoIterator<Item = Sample>>(samples: T) -> Self {
        let mut all = Self::default();
        samples.into_iter().for_each(|sample| all.push(sample));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(at_ms: i64, names: &[&str]) -> Sample {
        let backlog = |name: &&str| CollectionBacklog {
            namespace: Namespace::new("d", *name),
            overdue: DocCount::Exact(2),
            since_ms: Some(at_ms - 5),
            arrived: None,
        };
        let collections = names.iter().map(backlog).collect();
        let count = u64::try_from(at_ms / 60_000).ok();
        Sample { at_ms, passes: count, removed: count, collections }
    }

    fn samples(of: &[&[&str]]) -> Samples {
        (0..).zip(of).map(|(at, names)| sample(at * 60_000, names)).collect()
    }

    #[test]
    fn samples_are_compared_over_the_collections_that_all_have() {
        let looks = |of: &[&[&str]]| {
            let looks = samples(of).looks();
            (looks.len(), looks.last().map_or(0, |look| look.overdue.likely()))
        };
        assert_eq!(looks(&[&["a"], &["a", "b"], &["b", "a"]]), (3, 2));
        assert_eq!(looks(&[&["c"], &["a", "b"], &["b", "a"]]), (2, 4));
        assert_eq!(looks(&[&["a"], &[]]), (0, 0));
        // Four are enough for a trend.
        let both = &["a", "b"][..];
        assert_eq!(looks(&[&["a"], both, both, both]), (4, 2));
        assert_eq!(looks(&[&["a"], both, both, both, both]), (4, 4));
    }

    #[test]
    fn what_was_seen_is_one_sentence() {
        let sentence = "2 samples in 1 min: 4 documents overdue, then 4 documents; 1 document removed, \
                        1 pass ended";
        let both = &["a", "b"][..];
        assert_eq!(samples(&[both, both]).sentence().as_deref(), Some(sentence));
        assert_eq!(Samples::default().sentence(), None);
        let one = samples(&[&["a"]]).sentence();
        assert!(one.is_some_and(|it| it.starts_with("1 sample: 2 documents overdue; 0 documents")));
    }

    #[test]
    fn the_oldest_sample_goes_first() {
        let count = i64::try_from(AUDIT_SAMPLES_KEPT_MAX).expect("few") + 5;
        let samples: Samples = (0..count).map(|at_ms| sample(at_ms, &["a"])).collect();
        let looks = samples.looks();
        assert_eq!(looks.len(), AUDIT_SAMPLES_KEPT_MAX);
        assert_eq!((looks[0].at_ms, samples.last().map(|it| it.at_ms)), (5, Some(count - 1)));
    }
}
