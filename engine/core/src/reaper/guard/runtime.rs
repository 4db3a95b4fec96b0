//! Runs the guard on the real clocks and stores its state.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use bson::Document;

use super::{
    hold::{Hold, HoldReason, IndexHold, IndexHoldReason, Reading, RuleId},
    policy::{Guard, HoldBeforeRestore, SmallStep},
    state::{GUARD_META_NAME, UnsavedState},
};
use crate::{
    clock::work_time,
    event::Event,
    limits::{GUARD_REMOVALS_MAX, GUARD_REMOVALS_PERCENT, GUARD_SAVE_MS, SIMULATED_SAVE},
    reaper::{
        forecast::{count_due, is_any_due},
        handle::{Reaper, lock},
        target::{Target, targets},
    },
    store::{RESTORED_META_NAME, Reader, Store, StoreError},
};

/// The guard and when its state was last stored.
#[derive(Debug, Default)]
pub(in crate::reaper) struct GuardRuntime {
    pub(in crate::reaper) guard: Guard,
    saved_ms: Option<i64>,
    /// When the time of a simulated clock was last stored, by [`work_time`].
    clock_saved: Option<Duration>,
    is_unsaved: bool,
    /// Counts the states whose storing has begun.
    saves: Arc<AtomicU64>,
    /// The stored state, the restore mark or the list of archives was damaged.
    is_lost: bool,
}

/// The guard's limits on a pass.
#[derive(Debug, Clone, Default)]
pub(in crate::reaper) struct Permit {
    /// The one "now" of the pass, which the guard has seen; `None` takes the clock as it is.
    pub(in crate::reaper) now_ms: Option<i64>,
    /// Rules on hold, which the pass skips.
    pub(in crate::reaper) held: Vec<RuleId>,
    /// Also skip rules put on hold during the pass because documents are restored. A pass on
    /// request ignores such holds.
    pub(in crate::reaper) respects_holds: bool,
    /// The guard's state, to be stored with the first removal; `None` if it is stored already.
    pub(in crate::reaper) state: Option<UnsavedState>,
}

/// All holds, with both clocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HoldStatus {
    /// Both clocks now.
    pub now: Reading,
    /// Expected wall time by time since boot; `None` after a reboot.
    pub expected_ms: Option<i64>,
    /// When the guard last allowed a pass, in milliseconds since 1970.
    pub last_pass_ms: Option<i64>,
    /// The hold on all removals.
    pub all: Option<Hold>,
    /// The holds on single rules.
    pub indexes: Vec<IndexHold>,
}

impl GuardRuntime {
    /// Loads the stored state.
    pub(in crate::reaper) fn load(
        store: &Store,
        has_lost_archives: bool,
        now_ms: i64,
    ) -> Result<Self, StoreError> {
        let stored = StoreError::unless_damaged(store.read(stored_guard))?;
        let restored = StoreError::unless_damaged(store.restored_ms())?;
        // With any of the three damaged, the earlier holds are unknown, so everything is held.
        let is_lost = has_lost_archives || stored.is_none() || restored.is_none();
        let mut guard = stored.unwrap_or_default();
        guard.note_restored(restored.flatten());
        guard.note_created(store.created_ms());
        if is_lost {
            guard.hold_lost(now_ms);
        }
        Ok(Self { guard, is_lost, ..Self::default() })
    }

    /// One sentence on the damage, if any.
    pub(in crate::reaper) fn lost_in_words(&self) -> Option<String> {
        self.is_lost.then(|| HoldReason::StateLost.sentence())
    }

    /// The current state, to be stored together with the next removal.
    fn unsaved(&self) -> Option<UnsavedState> {
        Some(UnsavedState::new(state(&self.guard).ok()?, &self.saves))
    }

    /// Whether anything was held because of the clock when the store was closed.
    pub(in crate::reaper) fn is_clock_held(&self) -> bool {
        self.guard.is_clock_held()
    }
}

impl Reaper {
    /// The hold on all removals.
    pub fn held(&self) -> Option<Hold> {
        lock(&self.guard).guard.held().copied()
    }

    /// The holds on single rules.
    pub fn held_indexes(&self) -> Vec<IndexHold> {
        lock(&self.guard).guard.held_indexes().to_vec()
    }

    /// Whether the clock is in doubt, or would be in a scheduled pass. A simulated one never is.
    pub(in crate::reaper) fn is_clock_doubtful(&self) -> bool {
        self.clock().is_real() && lock(&self.guard).guard.is_doubtful(&self.reading())
    }

    /// Stores the hold for lost state before it clears the damaged list. If the write fails, the
    /// next open finds the damage again.
    pub(in crate::reaper) fn keep_lost(&self) {
        let mut guarded = lock(&self.guard);
        if guarded.is_lost && self.save(&mut guarded).is_ok() {
            // If the list remains, the next open holds everything again.
            let _ = self.archives().forget_damaged_list();
        }
    }

    /// Stores the time of a simulated clock. If nothing can be written, no document gets dated
    /// either.
    pub(in crate::reaper) fn keep_simulated(&self) {
        let mut guarded = lock(&self.guard);
        if !self.clock().is_real() && guarded.guard.note_simulated(self.clock().now_ms()) {
            // At open before the clock can date a document, and at close, so that the store
            // continues there.
            guarded.clock_saved = Some(work_time());
            // Failures are retried with the next pass and at close.
            let _ = self.save(&mut guarded);
        }
    }

    /// The same while the clock runs, so that a store whose program was killed loses little time.
    pub(in crate::reaper) fn keep_simulated_sometimes(&self) {
        if self.clock().is_real() {
            return;
        }
        let saved = lock(&self.guard).clock_saved;
        // Not more often, because each save is a commit.
        if saved.is_none_or(|saved| work_time().saturating_sub(saved) >= SIMULATED_SAVE) {
            self.keep_simulated();
        }
    }

    /// All holds, with both clocks.
    pub fn held_status(&self) -> HoldStatus {
        let now = self.reading();
        let guarded = lock(&self.guard);
        HoldStatus {
            expected_ms: guarded.guard.expected_ms(&now),
            last_pass_ms: guarded.guard.trusted().map(|trusted| trusted.wall_ms),
            all: guarded.guard.held().copied(),
            indexes: guarded.guard.held_indexes().to_vec(),
            now,
        }
    }

    /// Releases all holds, or that of one rule, and trusts the clock as it is. Returns whether
    /// anything was on hold.
    ///
    /// # Errors
    /// When the new state can't be stored; the release takes effect all the same.
    pub fn release(&self, rule: Option<RuleId>) -> Result<bool, StoreError> {
        self.change_holds(|guard, now| {
            if let Some(rule) = rule {
                return guard.answer_index(rule);
            }
            let was_held = guard.is_holding();
            if self.clock().is_real() {
                guard.release(now);
            } else {
                guard.release_simulated();
            }
            was_held
        })
    }

    /// Keeps holds until released, even if the clock returns. Returns whether anything is on hold.
    ///
    /// # Errors
    /// When the new state can't be stored.
    pub fn keep_held(&self, rule: Option<RuleId>) -> Result<bool, StoreError> {
        self.change_holds(|guard, _| {
            if let Some(rule) = rule {
                return guard.keep_index(rule);
            }
            guard.keep();
            guard.is_holding()
        })
    }

    /// Puts rules on hold before documents are restored, because the next pass would remove them
    /// again. An earlier hold keeps its reason and lasts until released. Returns the changes for
    /// [`Reaper::undo_hold_for_restore`].
    ///
    /// # Errors
    /// When the new state can't be stored. Then nothing is on hold, and the caller must not
    /// restore.
    pub fn hold_for_restore(&self, rules: &[RuleId]) -> Result<Vec<HoldBeforeRestore>, StoreError> {
        let held = self.held_indexes();
        let is_kept = |rule: &RuleId| held.iter().any(|held| held.rule == *rule && held.kept);
        if rules.iter().all(is_kept) {
            return Ok(Vec::new());
        }
        let mut changed = Vec::new();
        let held = self.change_holds(|guard, now| {
            let holds = rules.iter().filter_map(|rule| guard.hold_for_restore(*rule, now.wall_ms));
            changed.extend(holds);
            true
        });
        if let Err(error) = held {
            // A failure here is retried with the next save.
            let _ = self.undo_hold_for_restore(&changed);
            return Err(error);
        }
        Ok(changed)
    }

    /// Reverts the holds when nothing was restored; earlier holds stay.
    ///
    /// # Errors
    /// When the new state can't be stored.
    pub fn undo_hold_for_restore(&self, holds: &[HoldBeforeRestore]) -> Result<(), StoreError> {
        if holds.is_empty() {
            return Ok(());
        }
        self.change_holds(|guard, _| {
            for hold in holds {
                guard.undo_hold_for_restore(*hold);
            }
            true
        })?;
        Ok(())
    }

    fn change_holds(
        &self,
        change: impl FnOnce(&mut Guard, Reading) -> bool,
    ) -> Result<bool, StoreError> {
        let mut guarded = lock(&self.guard);
        let before = reason(&guarded.guard);
        let found = change(&mut guarded.guard, self.reading());
        self.note_clock_held(&guarded.guard);
        let after = reason(&guarded.guard);
        let saved = self.save(&mut guarded);
        drop(guarded);
        if before != after {
            self.hub().send(&Event::HeldChanged { reason: after });
        }
        self.wake_threads();
        saved.map(|()| found)
    }

    /// Asks the guard before a scheduled pass; `None` if nothing may be removed.
    pub(in crate::reaper) fn ask_guard(&self) -> Option<Permit> {
        self.keep_unsaved();
        if !self.clock().is_real() {
            self.keep_simulated_sometimes();
            if self.held().is_some_and(|held| held.reason == HoldReason::StateLost) {
                return None; // This is not about a clock.
            }
            let held = self.held_indexes().iter().map(|held| held.rule).collect();
            return Some(Permit { held, respects_holds: true, ..Permit::default() });
        }
        let now = self.reading();
        let mut guarded = lock(&self.guard);
        // Read under the lock: a rule put on hold must be in the list, or its hold would be
        // dropped.
        let all = targets(&self.collections().catalog());
        let before = reason(&guarded.guard);
        let store = self.collections().store();
        // An unreadable mark is read again before the next pass.
        if let Ok(restored_ms) = store.restored_ms() {
            guarded.guard.note_restored(restored_ms);
        }
        // An unreadable index counts as due, which is the safe side. Archives remove by age, so
        // they count too.
        let is_something_due = || {
            is_any_due(store, &all, |_| now.wall_ms).unwrap_or(true)
                || self.archives().may_hold_expired(now.wall_ms)
        };
        let small_step = guarded.guard.check(&now, is_something_due);
        // With everything on hold, holds on single rules would only have to be released one by one
        // afterwards.
        if guarded.guard.held().is_none() {
            self.hold_large_removals(&mut guarded.guard, &all, now.wall_ms);
        }
        self.note_clock_held(&guarded.guard);
        let after = reason(&guarded.guard);
        let is_held = guarded.guard.held().is_some();
        let is_old =
            guarded.saved_ms.is_none_or(|ms| now.wall_ms.saturating_sub(ms) >= GUARD_SAVE_MS);
        let mut is_saved = false;
        if before != after || small_step.is_some() || (!is_held && is_old) {
            // If the save fails, the first removal stores the state.
            is_saved = self.save(&mut guarded).is_ok();
        }
        let permit = (!is_held).then(|| Permit {
            now_ms: Some(now.wall_ms),
            respects_holds: true,
            held: guarded.guard.held_indexes().iter().map(|held| held.rule).collect(),
            state: if is_saved { None } else { guarded.unsaved() },
        });
        drop(guarded);
        self.tell(before.as_deref(), after, small_step);
        permit
    }

    /// Checks the guard at open, so that a hold shows at once, also in a store that is only read.
    pub(crate) fn look_ahead(&self) {
        let now = self.reading();
        let would_hold = || lock(&self.guard).guard.would_hold(&now);
        if self.clock().is_real() && would_hold() {
            self.ask_guard();
        }
    }

    /// Publishes whether the clock causes a hold.
    fn note_clock_held(&self, guard: &Guard) {
        // A flag, because a write must not lock the guard: it may be waiting for that write.
        self.clock_held.store(guard.is_clock_held(), Ordering::Relaxed);
        self.publish_trash();
    }

    /// Notes the clocks while the monitor is off.
    pub(in crate::reaper) fn observe_clocks(&self) {
        if self.clock().is_real() {
            let now = self.reading();
            lock(&self.guard).guard.observe(&now);
        }
    }

    /// Notes the end of a whole scheduled pass.
    pub(in crate::reaper) fn note_whole_pass(&self) {
        lock(&self.guard).guard.pass_ended();
    }

    /// Holds rules for which a small step alone made too many documents due. Ends such holds when
    /// the clock has returned or time has caught up.
    fn hold_large_removals(&self, guard: &mut Guard, all: &[Target], now_ms: i64) {
        let known = guard.held_indexes().to_vec();
        // A rule of a closed collection still exists.
        let catalog = self.collections().catalog();
        let may_return =
            catalog.all_closed().next().is_some() || catalog.without_dialect().next().is_some();
        for held in known {
            let target = all.iter().find(|target| target.identity() == held.rule);
            let stays = target.map_or(may_return, |target| {
                held.kept || self.large_removal(target, held.ahead_ms, now_ms).is_some()
            });
            if !stays {
                guard.release_index(held.rule);
            }
        }
        if guard.ahead_ms() == 0 {
            return;
        }
        for target in all {
            let rule = target.identity();
            if guard.held_indexes().iter().any(|held| held.rule == rule) {
                continue;
            }
            let ahead_ms = guard.ahead_ms_of(rule);
            if ahead_ms == 0 {
                continue;
            }
            if let Some(documents) = self.large_removal(target, ahead_ms, now_ms) {
                guard.hold_index(rule, IndexHoldReason::LargeRemoval { documents }, now_ms);
            }
        }
    }

    /// The number of a rule's documents due only because the clock is ahead, if too large.
    fn large_removal(&self, target: &Target, ahead_ms: i64, now_ms: i64) -> Option<u64> {
        let store = self.collections().store();
        let counters = store.read(|reader| reader.counters(target.collection.id.0));
        let documents = counters.map_or(0, |counters| counters.documents);
        let part = documents.saturating_mul(GUARD_REMOVALS_PERCENT) / 100;
        let max = part.max(GUARD_REMOVALS_MAX);
        let before_ms = now_ms.saturating_sub(ahead_ms);
        // Uncountable means too many: the safe side.
        let more = max.saturating_add(1);
        let count = count_due(store, target, Some(before_ms), now_ms, more).unwrap_or(more);
        (count > max).then_some(count)
    }

    fn tell(&self, before: Option<&str>, after: Option<String>, step: Option<SmallStep>) {
        if let Some(SmallStep { by_ms, wall_ms }) = step {
            let expected_ms = wall_ms.saturating_sub(by_ms);
            self.hub().send(&Event::ClockStepped { wall_ms, expected_ms });
        }
        if before != after.as_deref() {
            self.hub().send(&Event::HeldChanged { reason: after });
        }
    }

    /// Retries a failed save.
    pub(in crate::reaper) fn keep_unsaved(&self) {
        let mut guarded = lock(&self.guard);
        // A hold that is only in memory would end with the program.
        if guarded.is_unsaved {
            // A failed save is retried with the next pass and when the engine closes.
            let _ = self.save(&mut guarded);
        }
    }

    /// Stores the guard's state, and clears the restore mark after a release.
    pub(in crate::reaper) fn save(&self, guarded: &mut GuardRuntime) -> Result<(), StoreError> {
        guarded.is_unsaved = true;
        guarded.saves.fetch_add(1, Ordering::SeqCst);
        let bytes = state(&guarded.guard)?;
        let restored_ms = guarded.guard.restored_ms;
        let store = self.collections().store();
        store.write(|writer| {
            // A damaged mark has become a hold already.
            let mark = StoreError::unless_damaged(writer.reader().meta(RESTORED_META_NAME))?;
            let is_marked = mark.map(|mark| mark.is_some());
            match restored_ms {
                None if is_marked != Some(false) => {
                    writer.delete_meta(RESTORED_META_NAME)?;
                }
                // The mark could not be stored when the store was opened.
                Some(ms) if is_marked == Some(false) => {
                    writer.put_meta(RESTORED_META_NAME, &ms.to_be_bytes())?;
                }
                _ => {}
            }
            writer.put_meta(GUARD_META_NAME, &bytes)
        })?;
        store.clear_unwritten_mark();
        guarded.is_unsaved = false;
        guarded.saved_ms = Some(self.clock().now_ms());
        Ok(())
    }

    /// Both clocks now.
    fn reading(&self) -> Reading {
        Reading {
            wall_ms: self.clock().now_ms(),
            since_boot: self.clock().monotonic(),
            boot_id: self.clock().boot_id(),
        }
    }
}

/// Where the store's simulated clock stopped; `None` if there was none since the last release on the system clock, and if
/// the state is damaged, because everything is on hold then.
///
/// # Errors
/// When the store fails.
pub fn simulated_now_ms(store: &Store) -> Result<Option<i64>, StoreError> {
    let guard = StoreError::unless_damaged(store.read(stored_guard))?;
    Ok(guard.and_then(|guard| guard.simulated_now_ms()))
}

fn stored_guard(reader: &Reader<'_>) -> Result<Guard, StoreError> {
    let Some(bytes) = reader.meta(GUARD_META_NAME)? else { return Ok(Guard::default()) };
    let document = Document::from_reader(bytes);
    document
        .map(|document| Guard::from_document(&document))
        .map_err(|_| StoreError::damaged("the guard's state can't be read"))
}

/// The holds as a sentence; `None` without any.
fn reason(guard: &Guard) -> Option<String> {
    let all = guard.held().map(|held| held.reason.sentence());
    all.or_else(|| match guard.held_indexes() {
        [] => None,
        [one] => Some(one.reason.sentence()),
        [first, rest @ ..] => Some(format!(
            "{} {} more {} on hold.",
            first.reason.sentence(),
            rest.len(),
            if rest.len() == 1 { "index is" } else { "indexes are" }
        )),
    })
}

fn state(guard: &Guard) -> Result<Vec<u8>, StoreError> {
    let mut bytes = Vec::new();
    guard.to_document().to_writer(&mut bytes).map_err(|error| StoreError::Bug {
        what: format!("the guard's state can't be written: {error}"),
    })?;
    Ok(bytes)
}
