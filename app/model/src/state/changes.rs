//! Changes that the views have not followed yet: a burst becomes one question.

use std::collections::BTreeMap;
use std::time::Duration;

use super::Namespace;

/// How far a change reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// Indexes, rules, or what time alone has done: the documents are the same.
    Around,
    Documents,
}

/// Changes that wait.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Changes {
    of: BTreeMap<Namespace, Change>,
    of_all: Option<Change>,
    followed_at: Option<Duration>,
}

impl Changes {
    /// Notes changed documents of one collection, or of any.
    pub fn note(&mut self, namespace: Option<&Namespace>) {
        self.add(namespace, Change::Documents);
    }

    /// Notes that one collection has to be looked at again, or all, though its documents are the same.
    pub fn note_around(&mut self, namespace: Option<&Namespace>) {
        self.add(namespace, Change::Around);
    }

    fn add(&mut self, namespace: Option<&Namespace>, change: Change) {
        match namespace {
            Some(namespace) => {
                let known = self.of.entry(namespace.clone()).or_insert(change);
                *known = (*known).max(change);
            }
            None => self.of_all = self.of_all.max(Some(change)),
        }
    }

    /// The changes to follow now, of a collection or of all. Nothing changed if there are none.
    ///
    /// # Errors
    /// The time to wait, because the last time is not `pause` ago.
    pub fn due(
        &mut self,
        now: Duration,
        pause: Duration,
    ) -> Result<Vec<(Option<Namespace>, Change)>, Duration> {
        if self.of.is_empty() && self.of_all.is_none() {
            return Ok(Vec::new());
        }
        let age = self.followed_at.map_or(Duration::MAX, |at| now.saturating_sub(at));
        if age < pause {
            return Err(pause.saturating_sub(age));
        }
        self.followed_at = Some(now);
        let of_all = self.of_all.take();
        // Those that go further than the change of all.
        let of = std::mem::take(&mut self.of).into_iter();
        let of = of.filter(|(_, change)| of_all < Some(*change));
        let of = of.map(|(namespace, change)| (Some(namespace), change));
        Ok(of.chain(of_all.map(|change| (None, change))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_followed_once() {
        let (mut changes, pause) = (Changes::default(), Duration::from_secs(1));
        let a = Namespace::new("d", "a");
        assert_eq!(changes.due(Duration::ZERO, pause), Ok(Vec::new()));
        changes.note(Some(&a));
        changes.note_around(Some(&a));
        let of_a = (Some(a.clone()), Change::Documents);
        assert_eq!(changes.due(Duration::ZERO, pause), Ok(vec![of_a.clone()]));
        changes.note(Some(&a));
        assert_eq!(changes.due(pause / 4, pause), Err(pause * 3 / 4));
        changes.note_around(None);
        changes.note_around(Some(&Namespace::new("d", "b")));
        assert_eq!(changes.due(pause, pause), Ok(vec![of_a, (None, Change::Around)]));
        changes.note(Some(&a));
        changes.note(None);
        assert_eq!(changes.due(pause * 2, pause), Ok(vec![(None, Change::Documents)]));
    }
}
