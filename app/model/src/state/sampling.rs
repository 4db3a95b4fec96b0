//! Samples of an attached server's backlog, from which the audit says whether the server's monitor keeps up.

use std::time::Duration;

use super::store::{Next, StoreTree};
use crate::inspect::audit::samples::{Sample, Samples};
use crate::job::Namespace;
use crate::limits::{SERVER_LATE_LOOKS_MAX, SERVER_SAMPLE_APART, SERVER_SAMPLED_COLLECTIONS};

/// The samples since a server was attached.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sampling {
    pub samples: Samples,
    /// When the last one was asked for, in window time.
    asked: Option<Duration>,
    /// Samples in a row that were not answered.
    unanswered: u32,
}

impl Sampling {
    /// How long to wait before the next sample. Zero is noted as one that is asked for; `None` for a server that
    /// did not answer the last ones.
    pub fn asks_in(&mut self, uptime: Duration) -> Option<Duration> {
        if self.unanswered >= SERVER_LATE_LOOKS_MAX {
            return None;
        }
        let age = self.asked.map(|asked| uptime.saturating_sub(asked));
        let rest = age.map_or(Duration::ZERO, |age| SERVER_SAMPLE_APART.saturating_sub(age));
        if rest.is_zero() {
            self.asked = Some(uptime);
        }
        Some(rest)
    }

    /// Takes a sample of some collections. One without counters and collections was not answered.
    pub fn take(&mut self, sample: Sample) {
        if sample.collections.is_empty() && sample.passes.is_none() {
            self.unanswered += 1;
            return;
        }
        self.unanswered = 0;
        self.samples.push(sample);
    }

    /// Takes the samples of an audit, which has the earlier ones too.
    pub fn take_all(&mut self, samples: &Samples) {
        self.unanswered = 0;
        if !samples.is_empty() {
            self.samples = samples.clone();
        }
    }

    /// The collections of the next sample: those with most overdue documents in the last one, then those whose
    /// documents expire soonest, as far as the sidebar knows.
    pub fn collections(&self, tree: &StoreTree) -> Vec<Namespace> {
        let mut found: Vec<Namespace> = Vec::new();
        if let Some(last) = self.samples.last() {
            let mut overdue: Vec<_> =
                last.collections.iter().filter(|it| !it.overdue.is_zero()).collect();
            overdue.sort_by_key(|it| std::cmp::Reverse(it.overdue.likely()));
            found.extend(overdue.into_iter().map(|it| it.namespace.clone()));
        }
        let mut soonest: Vec<(i64, Namespace)> = Vec::new();
        for database in &tree.databases {
            for collection in &database.collections {
                if let Next::At(at_ms) = collection.next {
                    soonest.push((at_ms, Namespace::new(&database.name, &collection.name)));
                }
            }
        }
        soonest.sort_by_key(|(at_ms, _)| *at_ms);
        for (_, namespace) in soonest {
            if !found.contains(&namespace) {
                found.push(namespace);
            }
        }
        found.truncate(SERVER_SAMPLED_COLLECTIONS);
        found
    }
}

#[cfg(test)]
mod tests {
    use mayfly_engine::reply::DocCount;

    use super::*;
    use crate::inspect::audit::samples::CollectionBacklog;

    fn sample(of: &[(&str, u64)]) -> Sample {
        let backlog = |(name, overdue): &(&str, u64)| CollectionBacklog {
            namespace: Namespace::new("d", *name),
            overdue: DocCount::Exact(*overdue),
            since_ms: None,
            arrived: None,
        };
        Sample {
            passes: Some(1),
            collections: of.iter().map(backlog).collect(),
            ..Sample::default()
        }
    }

    #[test]
    fn a_server_is_sampled_once_a_minute_while_it_answers() {
        let mut sampling = Sampling::default();
        let asks = |sampling: &mut Sampling, secs| {
            sampling.asks_in(Duration::from_secs(secs)).map(|rest| rest.as_secs())
        };
        let found: Vec<_> = [5, 6, 64, 65].map(|secs| asks(&mut sampling, secs)).into();
        assert_eq!(found, [Some(0), Some(59), Some(1), Some(0)]);
        for _ in 0..SERVER_LATE_LOOKS_MAX {
            sampling.take(Sample::default());
        }
        assert_eq!(asks(&mut sampling, 600), None);
        // An audit is asked for by the user.
        sampling.take_all(&Samples::default());
        assert_eq!(asks(&mut sampling, 600), Some(0));
        sampling.take(sample(&[]));
        assert!(!sampling.samples.is_empty());
    }

    #[test]
    fn the_largest_backlogs_come_first_and_then_the_soonest() {
        let mut tree = StoreTree::default();
        tree.learn_databases(vec![("d".to_owned(), 1)]);
        let names = ["a", "b", "c", "e", "f", "g", "h"];
        let kinds = names.map(|name| (name.to_owned(), "collection".to_owned()));
        tree.learn_collections("d", kinds.to_vec());
        for (name, at_ms) in names.into_iter().zip((0..).map(|at| 900 - at)) {
            if let Some(found) = tree.collection_mut(&Namespace::new("d", name)) {
                found.next = if name == "h" { Next::Never } else { Next::At(at_ms) };
            }
        }
        let mut sampling = Sampling::default();
        let names = |sampling: &Sampling| {
            let found = sampling.collections(&tree).into_iter();
            found.map(|it| it.collection).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names(&sampling), "g f e c b");
        sampling.take(sample(&[("a", 5), ("c", 70), ("g", 0)]));
        assert_eq!(names(&sampling), "c a g f e");
    }
}
