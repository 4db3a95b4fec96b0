//! Holds the monitor back when the clock has jumped, because a wrong clock would remove everything.
//!
//! The guard compares two clocks: wall time, which people and time servers set, and time since boot,
//! which only grows and counts the sleep of the machine. It trusts a pair of readings as long as both
//! moved on together. It reacts to the clock only: explicit commands and simulated clocks are never
//! held. What was done on a simulated clock is a question as soon as the clock is the computer's.

use std::time::Duration;

use super::hold::{Hold, HoldReason, IndexHold, IndexHoldReason, Reading, RuleId};
use crate::limits::{
    GUARD_ABSENCE_MS, GUARD_BACK_MS_MAX, GUARD_EARLIEST_MS, GUARD_FORWARD_MS_MAX, GUARD_LATEST_MS,
    GUARD_STEP_BACK_MS, GUARD_STEP_FORWARD_MS,
};

/// The guard: the last readings that agreed, and what it holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Guard {
    /// The readings of the last pass that was let through.
    pub(super) trusted: Option<Reading>,
    /// The first trusted reading of this boot, or of the last release: many small steps add up.
    pub(super) anchor: Option<Reading>,
    /// When the store was restored from a backup, until somebody lets removals go on.
    pub(super) restored_ms: Option<i64>,
    /// What a simulated clock said when the store was opened on it, until somebody lets removals go on
    /// by the computer's clock.
    pub(super) simulated_ms: Option<i64>,
    /// When the store was created, by the clock that it was created on. Not stored.
    pub(super) created_ms: Option<i64>,
    pub(super) held: Option<Hold>,
    /// Milliseconds that small steps have put the clock ahead since the last pass that ended.
    pub(super) ahead_ms: i64,
    pub(super) indexes: Vec<IndexHold>,
    /// Rules that a person has released since, and by how much the clock was ahead then: that much is
    /// no question any more.
    pub(super) released: Vec<(RuleId, i64)>,
}

/// The clock was set by less than what is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmallStep {
    /// Milliseconds ahead; negative is back.
    pub by_ms: i64,
    /// What the wall clock says.
    pub wall_ms: i64,
}

/// What a rule was before documents of it were put back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BeforePutBack {
    rule: RuleId,
    /// It was held for another reason, until that would end.
    was_held: bool,
}

impl Guard {
    /// Why all removals are held now.
    #[must_use]
    pub fn held(&self) -> Option<&Hold> {
        self.held.as_ref()
    }

    /// The rules whose removals are held.
    #[must_use]
    pub fn held_indexes(&self) -> &[IndexHold] {
        &self.indexes
    }

    /// Whether anything is held.
    #[must_use]
    pub fn is_holding(&self) -> bool {
        self.held.is_some() || !self.indexes.is_empty()
    }

    /// The last readings that agreed.
    #[must_use]
    pub fn trusted(&self) -> Option<&Reading> {
        self.trusted.as_ref()
    }

    /// The store's documents come from a backup of somebody's.
    pub fn note_restored(&mut self, restored_ms: Option<i64>) {
        self.restored_ms = restored_ms;
    }

    /// Before the first pass, nothing is known of the time since then.
    pub fn note_created(&mut self, created_ms: i64) {
        self.created_ms = Some(created_ms);
    }

    /// The store is open on a simulated clock: documents are dated, and removed, by another time than
    /// the computer's. False if that is known already.
    pub fn note_simulated(&mut self, simulated_ms: i64) -> bool {
        let is_new = self.simulated_ms.is_none();
        self.simulated_ms.get_or_insert(simulated_ms);
        is_new
    }

    /// Holds everything until somebody releases it, because what is known of removals was lost.
    pub fn hold_lost(&mut self, wall_ms: i64) {
        let (reason, expected_ms) = (HoldReason::StateLost, wall_ms);
        self.held = Some(Hold { reason, wall_ms, expected_ms, kept: true });
    }

    /// Compares the clocks before a scheduled pass. While they agree the new readings become the
    /// trusted ones; a hold ends by itself when the clock has returned. Hands back a step that is too
    /// small to be held. `is_something_due` is asked only if the answer matters.
    pub fn check(
        &mut self,
        now: &Reading,
        is_something_due: impl FnOnce() -> bool,
    ) -> Option<SmallStep> {
        let found = self.wrong_clock(now).or_else(|| self.question(now, is_something_due));
        self.held = match (found, self.held) {
            (Some(found), Some(held)) if found.reason.code() == held.reason.code() => {
                Some(Hold { reason: found.reason, ..held })
            }
            (Some(found), Some(held)) => Some(Hold { kept: held.kept, ..found }),
            (Some(found), None) => Some(found),
            (None, Some(held)) if held.kept || self.may_still_be_ahead(held, now) => Some(held),
            (None, _) => None,
        };
        if self.held.is_some() { None } else { self.trust(now) }
    }

    /// Takes note of the clocks while no passes are made, so that this is no absence.
    pub fn observe(&mut self, now: &Reading) {
        let is_right = self.held.is_none() && self.wrong_clock(now).is_none();
        if is_right && !self.was_absent(now) {
            self.trust(now);
        }
    }

    /// Whether the clock may be wrong, noticed by a scheduled pass already or not: after a long absence,
    /// and about what a simulated one has dated, nobody knows.
    #[must_use]
    pub fn is_doubtful(&self, now: &Reading) -> bool {
        self.is_clock_held()
            || self.simulated_ms.is_some()
            || self.was_absent(now)
            || self.wrong_clock(now).is_some()
    }

    /// Whether a scheduled pass would be held now if something were due.
    #[must_use]
    pub fn would_hold(&self, now: &Reading) -> bool {
        self.wrong_clock(now).or_else(|| self.question(now, || true)).is_some()
    }

    /// Whether anything is held because of the clock.
    #[must_use]
    pub fn is_clock_held(&self) -> bool {
        self.held.is_some()
            || self.indexes.iter().any(|held| held.reason != IndexHoldReason::PutBack)
    }

    /// Milliseconds by which the clock may be ahead of what it should say.
    #[must_use]
    pub fn ahead_ms(&self) -> i64 {
        self.ahead_ms
    }

    /// The same for one rule, without what a person has answered for.
    #[must_use]
    pub fn ahead_ms_of(&self, rule: RuleId) -> i64 {
        let answered = self.released.iter().find(|(released, _)| *released == rule);
        self.ahead_ms.saturating_sub(answered.map_or(0, |(_, ahead_ms)| *ahead_ms)).max(0)
    }

    /// Holds one rule; replaces an earlier hold of it.
    pub fn hold_index(&mut self, rule: RuleId, reason: IndexHoldReason, wall_ms: i64) {
        self.indexes.retain(|held| held.rule != rule);
        let (kept, ahead_ms) = (reason == IndexHoldReason::PutBack, self.ahead_ms_of(rule));
        self.indexes.push(IndexHold { rule, reason, wall_ms, ahead_ms, kept });
    }

    /// Holds a rule just as another one is held; false if that one is not held.
    pub fn hold_as(&mut self, other: RuleId, rule: RuleId) -> bool {
        let Some(held) = self.indexes.iter().find(|held| held.rule == other).copied() else {
            return false;
        };
        self.indexes.retain(|held| held.rule != rule);
        self.indexes.push(IndexHold { rule, ..held });
        true
    }

    /// Holds one rule until it is released, because of documents that are put back. A rule that is
    /// held already keeps its reason. What it was before, if that has changed.
    pub fn hold_put_back(&mut self, rule: RuleId, wall_ms: i64) -> Option<BeforePutBack> {
        let Some(held) = self.indexes.iter_mut().find(|held| held.rule == rule) else {
            self.hold_index(rule, IndexHoldReason::PutBack, wall_ms);
            return Some(BeforePutBack { rule, was_held: false });
        };
        let was_kept = std::mem::replace(&mut held.kept, true);
        (!was_kept).then_some(BeforePutBack { rule, was_held: true })
    }

    /// Takes back what [`Guard::hold_put_back`] has changed; false if the rule is not held any more.
    pub fn lift_put_back(&mut self, before: BeforePutBack) -> bool {
        if !before.was_held {
            return self.release_index(before.rule);
        }
        let found = self.indexes.iter_mut().find(|held| held.rule == before.rule);
        found.map(|held| held.kept = false).is_some()
    }

    /// A pass over everything that is not held has ended: whatever a step made due is gone.
    pub fn pass_ended(&mut self) {
        self.ahead_ms = 0;
        self.released.clear();
    }

    /// A person says that the clock is right: these readings are trusted from now on, and nothing is
    /// held any more.
    pub fn release(&mut self, now: Reading) {
        *self = Self { anchor: Some(now.clone()), trusted: Some(now), ..Self::default() };
    }

    /// A person lets removals go on while the clock is a simulated one. That says nothing about the
    /// computer's.
    pub fn release_simulated(&mut self) {
        self.held = None;
        self.restored_ms = None;
        self.indexes.clear();
    }

    /// A person lets the removals of one rule go on, and the same step of the clock does not hold it
    /// again; false if it was not held.
    pub fn answer_index(&mut self, rule: RuleId) -> bool {
        let was_held = self.release_index(rule);
        if was_held && self.ahead_ms > 0 {
            self.released.retain(|(released, _)| *released != rule);
            self.released.push((rule, self.ahead_ms));
        }
        was_held
    }

    /// Ends the hold of one rule; false if it was not held.
    pub fn release_index(&mut self, rule: RuleId) -> bool {
        let before = self.indexes.len();
        self.indexes.retain(|held| held.rule != rule);
        self.indexes.len() < before
    }

    /// A person wants what is held to stay so until it is released.
    pub fn keep(&mut self) {
        for index in &mut self.indexes {
            index.kept = true;
        }
        if let Some(held) = &mut self.held {
            held.kept = true;
        }
    }

    /// Keeps the hold of one rule; false if it is not held.
    pub fn keep_index(&mut self, rule: RuleId) -> bool {
        let found = self.indexes.iter_mut().find(|held| held.rule == rule);
        found.map(|held| held.kept = true).is_some()
    }

    /// What the wall clock should say by time since boot; `None` after a restart of the machine.
    #[must_use]
    pub fn expected_ms(&self, now: &Reading) -> Option<i64> {
        let trusted = self.trusted.as_ref()?;
        passed(trusted, now).map(|passed| trusted.wall_ms.saturating_add(passed))
    }

    /// A clock that can't be right.
    fn wrong_clock(&self, now: &Reading) -> Option<Hold> {
        let held = |reason, expected_ms| {
            Some(Hold { reason, wall_ms: now.wall_ms, expected_ms, kept: false })
        };
        if let Some(trusted) = &self.trusted {
            let step = step(trusted, now);
            let anchor = self.anchor.as_ref().filter(|anchor| same_boot(anchor, now));
            let since_anchor = anchor.map(|anchor| self::step(anchor, now));
            let by_ms = step.max(since_anchor.unwrap_or(step));
            // A small step that was let through has been taken back.
            let has_returned = since_anchor.is_some_and(is_no_step);
            let moved = moved(trusted, now);
            let expected_ms = now.wall_ms.saturating_sub(by_ms.max(0));
            if by_ms > GUARD_FORWARD_MS_MAX {
                return held(HoldReason::SteppedForward { by_ms }, expected_ms);
            }
            if moved < -GUARD_BACK_MS_MAX && !has_returned {
                let reason = HoldReason::BehindLastPass { by_ms: moved.saturating_neg() };
                return held(reason, self.expected_ms(now).unwrap_or(trusted.wall_ms));
            }
        }
        // Whoever released a clock outside of these bounds meant it.
        let was = self.trusted.as_ref().map(|trusted| trusted.wall_ms);
        if now.wall_ms < GUARD_EARLIEST_MS && was.is_none_or(|was| was >= GUARD_EARLIEST_MS) {
            let by_ms = GUARD_EARLIEST_MS.saturating_sub(now.wall_ms);
            return held(HoldReason::BeforeProgram { by_ms }, GUARD_EARLIEST_MS);
        }
        if now.wall_ms > GUARD_LATEST_MS && was.is_none_or(|was| was <= GUARD_LATEST_MS) {
            let by_ms = now.wall_ms.saturating_sub(GUARD_LATEST_MS);
            return held(HoldReason::FarAhead { by_ms }, was.unwrap_or(GUARD_LATEST_MS));
        }
        None
    }

    /// A right clock, but removals would surprise whoever comes back.
    fn question(&self, now: &Reading, is_something_due: impl FnOnce() -> bool) -> Option<Hold> {
        let by_ms = self.absent_ms(now);
        let (reason, expected_ms) = match (self.restored_ms, self.simulated_ms, &self.trusted) {
            (Some(restored_ms), _, _) => (HoldReason::Restored, restored_ms),
            (None, Some(simulated_ms), _) => (HoldReason::Simulated, simulated_ms),
            _ if !self.was_absent(now) => return None,
            (None, None, Some(last)) => (HoldReason::LongAbsence { by_ms }, last.wall_ms),
            (None, None, None) => {
                (HoldReason::NoPassYet { by_ms }, now.wall_ms.saturating_sub(by_ms))
            }
        };
        is_something_due().then_some(Hold {
            reason,
            wall_ms: now.wall_ms,
            expected_ms,
            kept: false,
        })
    }

    /// By how much wall time moved on since the last pass, or since the store was created if there was
    /// none.
    fn absent_ms(&self, now: &Reading) -> i64 {
        let last_ms = self.trusted.as_ref().map(|trusted| trusted.wall_ms).or(self.created_ms);
        last_ms.map_or(0, |last_ms| now.wall_ms.saturating_sub(last_ms))
    }

    fn was_absent(&self, now: &Reading) -> bool {
        self.absent_ms(now) > GUARD_ABSENCE_MS
    }

    /// After a restart of the machine a step can't be measured any more: the clock has returned only
    /// if it is below what it said when the step was noticed.
    fn may_still_be_ahead(&self, held: Hold, now: &Reading) -> bool {
        let is_step = matches!(held.reason, HoldReason::SteppedForward { .. });
        let comparable = self.trusted.as_ref().is_some_and(|trusted| same_boot(trusted, now));
        is_step && !comparable && now.wall_ms >= held.wall_ms
    }

    /// Takes the readings as right, and notes a small step.
    fn trust(&mut self, now: &Reading) -> Option<SmallStep> {
        let by_ms = self.trusted.as_ref().map_or(0, |trusted| step(trusted, now));
        if !self.anchor.as_ref().is_some_and(|anchor| same_boot(anchor, now)) {
            self.anchor = Some(now.clone());
        }
        self.trusted = Some(now.clone());
        if is_no_step(by_ms) {
            return None;
        }
        self.ahead_ms = self.ahead_ms.saturating_add(by_ms).max(0);
        for index in &mut self.indexes {
            index.ahead_ms = index.ahead_ms.saturating_add(by_ms).max(0);
        }
        // What has been taken back can't be made again with the same answer.
        for (_, ahead_ms) in &mut self.released {
            *ahead_ms = (*ahead_ms).min(self.ahead_ms);
        }
        self.released.retain(|(_, ahead_ms)| *ahead_ms > 0);
        Some(SmallStep { by_ms, wall_ms: now.wall_ms })
    }
}

/// By how much wall time moved on.
fn moved(before: &Reading, now: &Reading) -> i64 {
    now.wall_ms.saturating_sub(before.wall_ms)
}

/// How much time went by; `None` if only wall time could tell.
fn passed(before: &Reading, now: &Reading) -> Option<i64> {
    same_boot(before, now)
        .then(|| millis(now.since_boot).saturating_sub(millis(before.since_boot)).max(0))
}

/// By how much wall time moved on more than time went by; 0 if that can't be told.
fn step(before: &Reading, now: &Reading) -> i64 {
    let moved = moved(before, now);
    passed(before, now).map_or(0, |passed| moved.saturating_sub(passed))
}

fn is_no_step(by_ms: i64) -> bool {
    (-GUARD_STEP_BACK_MS..=GUARD_STEP_FORWARD_MS).contains(&by_ms)
}

fn same_boot(one: &Reading, other: &Reading) -> bool {
    one.boot_id.is_some() && one.boot_id == other.boot_id
}

pub(in crate::reaper) fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;
