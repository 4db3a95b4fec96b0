//! Puts removals on hold when the clock has jumped, because a wrong clock would remove everything.
//!
//! The guard compares two clocks: wall time, which the user and time servers set, and time since
//! boot, which only grows and counts machine sleep. It trusts a pair of readings while both
//! advanced by the same amount. It reacts to the clock only: explicit commands and simulated clocks
//! are never on hold. After a simulated clock, the first pass on the system clock asks the user.

use std::time::Duration;

use super::hold::{Hold, HoldReason, IndexHold, IndexHoldReason, Reading, RuleId};
use crate::broken_rules::{BrokenRule, is_broken};
use crate::limits::{
    GUARD_ABSENCE_MS, GUARD_BACK_MS_MAX, GUARD_EARLIEST_MS, GUARD_FORWARD_MS_MAX, GUARD_LATEST_MS,
    GUARD_STEP_BACK_MS, GUARD_STEP_FORWARD_MS,
};

/// The guard: the last readings that agreed, and its holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Guard {
    /// The readings of the last pass that the guard allowed.
    pub(super) trusted: Option<Reading>,
    /// The first trusted reading since boot or the last release, against which many small steps add
    /// up.
    pub(super) anchor: Option<Reading>,
    /// When the store was restored from a backup; cleared by a release.
    pub(super) restored_ms: Option<i64>,
    /// Wall time of a simulated clock when the store was opened on it; cleared by a release on the
    /// system clock.
    pub(super) simulated_ms: Option<i64>,
    /// Last known wall time of that clock, where it continues when the store is opened again.
    pub(super) simulated_now_ms: Option<i64>,
    /// When the store was created, by the clock that it was created on. Not stored.
    pub(super) created_ms: Option<i64>,
    pub(super) held: Option<Hold>,
    /// Milliseconds that small steps have moved the clock ahead since the last finished pass.
    pub(super) ahead_ms: i64,
    pub(super) indexes: Vec<IndexHold>,
    /// Rules released since, with the step they were released for: the same step does not hold them
    /// again.
    pub(super) released: Vec<(RuleId, i64)>,
}

/// A clock step too small for a hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmallStep {
    /// Milliseconds ahead; negative is back.
    pub by_ms: i64,
    /// Wall time in milliseconds since 1970.
    pub wall_ms: i64,
}

/// A rule's hold before documents were restored to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HoldBeforeRestore {
    rule: RuleId,
    /// It was on hold for another reason, which could end by itself.
    was_held: bool,
}

impl Guard {
    /// The hold on all removals.
    pub fn held(&self) -> Option<&Hold> {
        self.held.as_ref()
    }

    /// The holds on single rules.
    pub fn held_indexes(&self) -> &[IndexHold] {
        &self.indexes
    }

    /// Whether anything is held.
    pub fn is_holding(&self) -> bool {
        self.held.is_some() || !self.indexes.is_empty()
    }

    /// The last readings that agreed.
    pub fn trusted(&self) -> Option<&Reading> {
        self.trusted.as_ref()
    }

    /// Records that the store's documents come from a backup.
    pub fn note_restored(&mut self, restored_ms: Option<i64>) {
        self.restored_ms = restored_ms;
    }

    /// Records when the store was created: the reference before the first pass.
    pub fn note_created(&mut self, created_ms: i64) {
        self.created_ms = Some(created_ms);
    }

    /// Records that the store runs on a simulated clock, so documents are dated and removed by
    /// another time than the system's, and the time now. False if already recorded.
    pub fn note_simulated(&mut self, simulated_ms: i64) -> bool {
        self.simulated_ms.get_or_insert(simulated_ms);
        self.simulated_now_ms.replace(simulated_ms) != Some(simulated_ms)
    }

    /// Where the store's simulated clock stopped; `None` if there was none since the last release on the system clock.
    pub fn simulated_now_ms(&self) -> Option<i64> {
        self.simulated_now_ms.or(self.simulated_ms)
    }

    /// Holds everything until released, because the state about removals was lost.
    pub fn hold_lost(&mut self, wall_ms: i64) {
        let (reason, expected_ms) = (HoldReason::StateLost, wall_ms);
        self.held = Some(Hold { reason, wall_ms, expected_ms, kept: true });
    }

    /// Compares the clocks before a scheduled pass. While they agree, the new readings become the
    /// trusted ones; a hold ends by itself when the clock has returned. Returns a step too small
    /// for a hold. Calls `is_something_due` only if the answer matters.
    pub fn check(
        &mut self,
        now: &Reading,
        is_something_due: impl FnOnce() -> bool,
    ) -> Option<SmallStep> {
        // A wrong clock outranks the other reasons: it stays wrong, even if nothing is due now.
        let found = self.wrong_clock(now).or_else(|| self.question(now, is_something_due));
        // The same reason again keeps the beginning of the hold, or it would look new at every
        // check.
        self.held = match (found, self.held) {
            (Some(found), Some(held)) if found.reason.code() == held.reason.code() => {
                Some(Hold { reason: found.reason, ..held })
            }
            // The user asked to keep the hold. A change of its reason doesn't end that.
            (Some(found), Some(held)) => Some(Hold { kept: held.kept, ..found }),
            (Some(found), None) => Some(found),
            (None, Some(held)) if held.kept || self.may_still_be_ahead(held, now) => Some(held),
            (None, _) => None,
        };
        if is_broken(BrokenRule::GuardOff) {
            self.held = None;
        }
        if self.held.is_some() { None } else { self.trust(now) }
    }

    /// Updates the readings while the monitor is off, so that the time off does not count as an
    /// absence.
    pub fn observe(&mut self, now: &Reading) {
        let is_right = self.held.is_none() && self.wrong_clock(now).is_none();
        // A long absence is a question for the user, so being switched off must not hide it.
        if is_right && !self.was_absent(now) {
            self.trust(now);
        }
    }

    /// Whether the clock may be wrong, even if no scheduled pass has noticed yet. After a long
    /// absence or a simulated clock it may be.
    pub fn is_doubtful(&self, now: &Reading) -> bool {
        self.is_clock_held()
            || self.simulated_ms.is_some()
            || self.was_absent(now)
            || self.wrong_clock(now).is_some()
    }

    /// Whether a scheduled pass would be put on hold now if something were due.
    pub fn would_hold(&self, now: &Reading) -> bool {
        self.wrong_clock(now).or_else(|| self.question(now, || true)).is_some()
    }

    /// Whether anything is held because of the clock.
    pub fn is_clock_held(&self) -> bool {
        self.held.is_some()
            || self.indexes.iter().any(|held| held.reason != IndexHoldReason::RestoredDocuments)
    }

    /// Milliseconds by which the clock may be ahead.
    pub fn ahead_ms(&self) -> i64 {
        self.ahead_ms
    }

    /// The same for one rule, less the step it was released for.
    pub fn ahead_ms_of(&self, rule: RuleId) -> i64 {
        let answered = self.released.iter().find(|(released, _)| *released == rule);
        self.ahead_ms.saturating_sub(answered.map_or(0, |(_, ahead_ms)| *ahead_ms)).max(0)
    }

    /// Puts one rule on hold, replacing an earlier hold.
    pub fn hold_index(&mut self, rule: RuleId, reason: IndexHoldReason, wall_ms: i64) {
        self.indexes.retain(|held| held.rule != rule);
        // The hold keeps the step itself, because a pass over the other rules resets the guard's.
        let (kept, ahead_ms) =
            (reason == IndexHoldReason::RestoredDocuments, self.ahead_ms_of(rule));
        self.indexes.push(IndexHold { rule, reason, wall_ms, ahead_ms, kept });
    }

    /// Copies the hold of another rule; false if that rule is not on hold.
    pub fn hold_as(&mut self, other: RuleId, rule: RuleId) -> bool {
        let Some(held) = self.indexes.iter().find(|held| held.rule == other).copied() else {
            return false;
        };
        self.indexes.retain(|held| held.rule != rule);
        self.indexes.push(IndexHold { rule, ..held });
        true
    }

    /// Holds one rule until released, because documents are being restored to it. An earlier hold
    /// keeps its reason. Returns the earlier state if it changed.
    pub fn hold_for_restore(&mut self, rule: RuleId, wall_ms: i64) -> Option<HoldBeforeRestore> {
        let Some(held) = self.indexes.iter_mut().find(|held| held.rule == rule) else {
            self.hold_index(rule, IndexHoldReason::RestoredDocuments, wall_ms);
            return Some(HoldBeforeRestore { rule, was_held: false });
        };
        let was_kept = std::mem::replace(&mut held.kept, true);
        (!was_kept).then_some(HoldBeforeRestore { rule, was_held: true })
    }

    /// Reverts [`Guard::hold_for_restore`]; false if the rule is no longer on hold.
    pub fn undo_hold_for_restore(&mut self, before: HoldBeforeRestore) -> bool {
        if !before.was_held {
            return self.release_index(before.rule);
        }
        let found = self.indexes.iter_mut().find(|held| held.rule == before.rule);
        found.map(|held| held.kept = false).is_some()
    }

    /// A pass over all rules not on hold has ended, so nothing that a step made due is left.
    pub fn pass_ended(&mut self) {
        self.ahead_ms = 0;
        self.released.clear();
    }

    /// The user confirms the clock: trusts these readings and ends all holds.
    pub fn release(&mut self, now: Reading) {
        // A release answers every reason for a hold, so only the readings stay.
        *self = Self { anchor: Some(now.clone()), trusted: Some(now), ..Self::default() };
    }

    /// Releases holds on a simulated clock. That says nothing about the system clock, so it stays
    /// in question.
    pub fn release_simulated(&mut self) {
        self.held = None;
        self.restored_ms = None;
        self.indexes.clear();
    }

    /// Releases one rule, which the same clock step does not hold again; false if it was not on
    /// hold.
    pub fn answer_index(&mut self, rule: RuleId) -> bool {
        let was_held = self.release_index(rule);
        // Without a step nothing would hold the rule again.
        if was_held && self.ahead_ms > 0 {
            self.released.retain(|(released, _)| *released != rule);
            self.released.push((rule, self.ahead_ms));
        }
        was_held
    }

    /// Ends the hold of one rule; false if it was not on hold.
    pub fn release_index(&mut self, rule: RuleId) -> bool {
        let before = self.indexes.len();
        self.indexes.retain(|held| held.rule != rule);
        self.indexes.len() < before
    }

    /// Keeps all holds until they are released, even if the clock returns.
    pub fn keep(&mut self) {
        for index in &mut self.indexes {
            index.kept = true;
        }
        if let Some(held) = &mut self.held {
            held.kept = true;
        }
    }

    /// Keeps the hold of one rule; false if it is not on hold.
    pub fn keep_index(&mut self, rule: RuleId) -> bool {
        let found = self.indexes.iter_mut().find(|held| held.rule == rule);
        found.map(|held| held.kept = true).is_some()
    }

    /// Expected wall time by time since boot; `None` after a reboot.
    pub fn expected_ms(&self, now: &Reading) -> Option<i64> {
        let trusted = self.trusted.as_ref()?;
        passed(trusted, now).map(|passed| trusted.wall_ms.saturating_add(passed))
    }

    /// The hold for a clock that can't be right.
    fn wrong_clock(&self, now: &Reading) -> Option<Hold> {
        let held = |reason, expected_ms| {
            Some(Hold { reason, wall_ms: now.wall_ms, expected_ms, kept: false })
        };
        if let Some(trusted) = &self.trusted {
            let step = step(trusted, now);
            let anchor = self.anchor.as_ref().filter(|anchor| same_boot(anchor, now));
            let since_anchor = anchor.map(|anchor| self::step(anchor, now));
            // Many steps, each below the bound, must not add up to a jump that no single check
            // would allow.
            let by_ms = step.max(since_anchor.unwrap_or(step));
            // A small step that passed the guard has been reverted.
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
        // A release outside these bounds was deliberate, so it stays trusted.
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

    /// The hold for a plausible clock whose removals would surprise the user.
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
        // With nothing due a hold would only alarm. The question is asked again before the next
        // pass.
        is_something_due().then_some(Hold {
            reason,
            wall_ms: now.wall_ms,
            expected_ms,
            kept: false,
        })
    }

    /// Wall time's advance since the last pass, or since the store was created.
    fn absent_ms(&self, now: &Reading) -> i64 {
        let last_ms = self.trusted.as_ref().map(|trusted| trusted.wall_ms).or(self.created_ms);
        last_ms.map_or(0, |last_ms| now.wall_ms.saturating_sub(last_ms))
    }

    fn was_absent(&self, now: &Reading) -> bool {
        self.absent_ms(now) > GUARD_ABSENCE_MS
    }

    /// Whether a step is still possible: the clock counts as returned only below the wall time at
    /// which the step was noticed.
    fn may_still_be_ahead(&self, held: Hold, now: &Reading) -> bool {
        // After a reboot a step can't be measured any more.
        let is_step = matches!(held.reason, HoldReason::SteppedForward { .. });
        let comparable = self.trusted.as_ref().is_some_and(|trusted| same_boot(trusted, now));
        is_step && !comparable && now.wall_ms >= held.wall_ms
    }

    /// Trusts the readings; returns a small step.
    fn trust(&mut self, now: &Reading) -> Option<SmallStep> {
        let by_ms = self.trusted.as_ref().map_or(0, |trusted| step(trusted, now));
        if !self.anchor.as_ref().is_some_and(|anchor| same_boot(anchor, now)) {
            self.anchor = Some(now.clone());
        }
        self.trusted = Some(now.clone());
        if is_no_step(by_ms) {
            return None;
        }
        // A step back cancels earlier ones but gives no credit for later ones.
        self.ahead_ms = self.ahead_ms.saturating_add(by_ms).max(0);
        for index in &mut self.indexes {
            index.ahead_ms = index.ahead_ms.saturating_add(by_ms).max(0);
        }
        // A reverted step loses its release: a second one asks again.
        for (_, ahead_ms) in &mut self.released {
            *ahead_ms = (*ahead_ms).min(self.ahead_ms);
        }
        self.released.retain(|(_, ahead_ms)| *ahead_ms > 0);
        Some(SmallStep { by_ms, wall_ms: now.wall_ms })
    }
}

/// Wall time's advance.
fn moved(before: &Reading, now: &Reading) -> i64 {
    now.wall_ms.saturating_sub(before.wall_ms)
}

/// Elapsed time since boot; `None` across a reboot, where only wall time is left.
fn passed(before: &Reading, now: &Reading) -> Option<i64> {
    same_boot(before, now)
        .then(|| millis(now.since_boot).saturating_sub(millis(before.since_boot)).max(0))
}

/// Wall time's advance beyond elapsed time; 0 across a reboot.
fn step(before: &Reading, now: &Reading) -> i64 {
    let moved = moved(before, now);
    passed(before, now).map_or(0, |passed| moved.saturating_sub(passed))
}

fn is_no_step(by_ms: i64) -> bool {
    (-GUARD_STEP_BACK_MS..=GUARD_STEP_FORWARD_MS).contains(&by_ms)
}

fn same_boot(one: &Reading, other: &Reading) -> bool {
    // Two readings without a boot id may be from different boots.
    one.boot_id.is_some() && one.boot_id == other.boot_id
}

pub(in crate::reaper) fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;
