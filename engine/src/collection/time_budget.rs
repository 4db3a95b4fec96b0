//! How much a transaction takes on at a time so that it ends in time.

use std::time::Duration;

use crate::clock::work_time;

/// Items of the first step: their cost is not known yet.
const FIRST_ITEMS: usize = 16;
/// A step has at most this many times the items of all steps before it.
const GROWTH: usize = 8;

/// The steps of one transaction. The more one step takes on, the more of it lies side by side.
#[derive(Debug)]
pub struct Pace {
    began: Duration,
    time_max: Duration,
    done: usize,
}

impl Pace {
    /// Begins now.
    #[must_use]
    pub fn new(time_max: Duration) -> Self {
        Self { began: work_time(), time_max, done: 0 }
    }

    /// How many items the next step may have by what the last ones took, at least one; `None` when
    /// the time is used up.
    #[must_use]
    pub fn next(&self) -> Option<usize> {
        let used = work_time().saturating_sub(self.began);
        if self.done == 0 {
            return Some(FIRST_ITEMS);
        }
        let left = self.time_max.checked_sub(used).filter(|left| !left.is_zero())?;
        let fitting = (self.done as u128).saturating_mul(left.as_nanos()) / used.as_nanos().max(1);
        let most = self.done.saturating_mul(GROWTH);
        Some(usize::try_from(fitting).unwrap_or(usize::MAX).clamp(1, most.max(1)))
    }

    /// This many more are done.
    pub fn add(&mut self, items: usize) {
        self.done = self.done.saturating_add(items);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_grow_and_end_in_time() {
        let mut pace = Pace::new(Duration::from_hours(1));
        assert_eq!(pace.next(), Some(FIRST_ITEMS));
        pace.add(FIRST_ITEMS);
        assert_eq!(pace.next(), Some(FIRST_ITEMS * GROWTH), "far from the end");
        let mut late = Pace::new(Duration::ZERO);
        assert_eq!(late.next(), Some(FIRST_ITEMS), "one step in any case");
        late.add(FIRST_ITEMS);
        assert_eq!(late.next(), None);
    }
}
