//! Changes of the data that the views have not followed yet: a burst becomes one question.

use std::collections::BTreeSet;
use std::time::Duration;

use super::Namespace;

/// Changes that wait.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Changes {
    namespaces: BTreeSet<Namespace>,
    everything: bool,
    followed_at: Option<Duration>,
}

impl Changes {
    /// Notes a change of one collection, or of anything.
    pub fn note(&mut self, namespace: Option<&Namespace>) {
        match namespace {
            Some(namespace) => drop(self.namespaces.insert(namespace.clone())),
            None => self.everything = true,
        }
    }

    /// The collections to follow now; an empty list means all. `Ok(None)`: nothing changed.
    ///
    /// # Errors
    /// The time to wait, because the last time is not `pause` ago.
    pub fn due(
        &mut self,
        now: Duration,
        pause: Duration,
    ) -> Result<Option<Vec<Namespace>>, Duration> {
        if self.namespaces.is_empty() && !self.everything {
            return Ok(None);
        }
        let age = self.followed_at.map_or(Duration::MAX, |at| now.saturating_sub(at));
        if age < pause {
            return Err(pause.saturating_sub(age));
        }
        self.followed_at = Some(now);
        let namespaces = std::mem::take(&mut self.namespaces);
        let everything = std::mem::take(&mut self.everything);
        Ok(Some(if everything { Vec::new() } else { namespaces.into_iter().collect() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_followed_once() {
        let (mut changes, pause) = (Changes::default(), Duration::from_secs(1));
        let a = Namespace::new("d", "a");
        assert_eq!(changes.due(Duration::ZERO, pause), Ok(None));
        changes.note(Some(&a));
        changes.note(Some(&a));
        assert_eq!(changes.due(Duration::ZERO, pause), Ok(Some(vec![a.clone()])));
        changes.note(Some(&a));
        assert_eq!(changes.due(pause / 4, pause), Err(pause * 3 / 4));
        changes.note(None);
        assert_eq!(changes.due(pause, pause), Ok(Some(Vec::new())));
    }
}
