//! When the documents of a server's collections are counted again: a server tells nothing by itself.

use std::collections::BTreeMap;
use std::time::Duration;

use super::Namespace;
use crate::limits::{SERVER_COUNT_APART, SERVER_COUNT_LAG};

/// Collections whose counts may be old ones. All times are window time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Recounts(BTreeMap<Namespace, Recount>);

#[derive(Debug, Clone, Copy, PartialEq)]
struct Recount {
    changed: Duration,
    counted: Option<Duration>,
}

impl Recount {
    /// When it is counted next: once after a change, once more where the server's own count lags,
    /// and not more often than [`SERVER_COUNT_APART`]. `None` if the last count has the change.
    fn due(self) -> Option<Duration> {
        let Some(counted) = self.counted else { return Some(self.changed) };
        let settled = self.changed.saturating_add(SERVER_COUNT_LAG);
        let next = if counted < self.changed { self.changed } else { settled };
        (counted < settled).then(|| next.max(counted.saturating_add(SERVER_COUNT_APART)))
    }
}

impl Recounts {
    /// Documents of a collection came or went.
    pub fn note(&mut self, namespace: &Namespace, now: Duration) {
        let recount = Recount { changed: now, counted: None };
        self.0.entry(namespace.clone()).or_insert(recount).changed = now;
    }

    /// The collections of which one is to be counted now. Those that are not open any more are
    /// forgotten.
    pub fn take_due(
        &mut self,
        now: Duration,
        is_open: impl Fn(&Namespace) -> bool,
    ) -> Vec<Namespace> {
        self.0.retain(|namespace, recount| recount.due().is_some() && is_open(namespace));
        let mut due = Vec::new();
        for (namespace, recount) in &mut self.0 {
            if recount.due().is_some_and(|at| at <= now) {
                recount.counted = Some(now);
                due.push(namespace.clone());
            }
        }
        due
    }

    /// When the next collection is to be counted.
    pub fn next(&self) -> Option<Duration> {
        self.0.values().filter_map(|recount| recount.due()).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The seconds at which a collection is counted that changes at these.
    fn counted(changes: &[u64]) -> Vec<u64> {
        let (mut recounts, namespace) = (Recounts::default(), Namespace::new("d", "c"));
        let mut counted = Vec::new();
        for second in 0..100 {
            let now = Duration::from_secs(second);
            if changes.contains(&second) {
                recounts.note(&namespace, now);
            }
            if !recounts.take_due(now, |_| true).is_empty() {
                counted.push(second);
            }
        }
        assert_eq!(recounts.next(), None, "it ends");
        counted
    }

    #[test]
    fn a_change_is_counted_at_once_and_again_when_a_lagging_count_has_it() {
        assert_eq!(counted(&[]), [0_u64; 0]);
        assert_eq!(counted(&[3]), [3, 13]);
        assert_eq!(counted(&[3, 4]), [3, 13]);
        assert_eq!(counted(&[3, 9]), [3, 13, 23], "the second may lack the last change");
        assert_eq!(counted(&[3, 60]), [3, 13, 60, 70]);
        let all: Vec<u64> = (0..50).collect();
        assert_eq!(counted(&all), [0, 10, 20, 30, 40, 50, 60]);
    }

    #[test]
    fn only_open_collections_are_counted() {
        let (mut recounts, namespace) = (Recounts::default(), Namespace::new("d", "c"));
        recounts.note(&namespace, Duration::ZERO);
        assert!(recounts.take_due(Duration::ZERO, |_| false).is_empty());
        assert_eq!(recounts.next(), None);
    }
}
