//! How many items a transaction processes per step, so that it ends in time.

use std::time::Duration;

use crate::clock::work_time;

/// The cost of the first step is unknown, so it is small.
const FIRST_ITEMS: usize = 16;
/// A step has at most this many times the items of all steps before it.
const GROWTH: usize = 8;

/// The steps of one transaction. Larger steps write more neighboring rows at once, so they grow as
/// fast as the time allows.
#[derive(Debug)]
pub struct TimeBudget {
    began: Duration,
    time_max: Duration,
    done: usize,
}

impl TimeBudget {
    /// Starts the clock.
    pub fn new(time_max: Duration) -> Self {
        Self { began: work_time(), time_max, done: 0 }
    }

    /// How many items the next step may have, judged by the time the previous ones took: at least
    /// one, or `None` when the time is used up.
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

    /// Records how many items a step processed.
    pub fn add(&mut self, items: usize) {
        self.done = self.done.saturating_add(items);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_grow_and_end_in_time() {
        let mut pace = TimeBudget::new(Duration::from_hours(1));
        assert_eq!(pace.next(), Some(FIRST_ITEMS));
        pace.add(FIRST_ITEMS);
        assert_eq!(pace.next(), Some(FIRST_ITEMS * GROWTH), "far from the end");
        let mut late = TimeBudget::new(Duration::ZERO);
        assert_eq!(late.next(), Some(FIRST_ITEMS), "one step in any case");
        late.add(FIRST_ITEMS);
        assert_eq!(late.next(), None);
    }
}
