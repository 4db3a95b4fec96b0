//! The trash keeps removed documents for a while, so that they can be restored.

use std::sync::atomic::Ordering;

use super::{guard::RuleId, handle::Reaper, parameters::TtlParameter};
use crate::{
    collection::{Collections, TrashStatus, Trim},
    limits::{TRASH_SECS_DEFAULT, TRASH_SECS_MAX},
    store::{Store, StoreError},
};

/// The `meta` value that stores how long removed documents are kept, because the trash must survive
/// a restart.
pub(crate) const TRASH_SECS_META: &str = "trashSecs";

/// The stored seconds; `None` if never set. A damaged value turns the trash on for the default
/// time: keeping too much is harmless.
pub(super) fn kept_secs(store: &Store, lost: &mut Vec<String>) -> Result<Option<i64>, StoreError> {
    let stored = store.read(|reader| {
        let Some(bytes) = reader.meta(TRASH_SECS_META)? else { return Ok(None) };
        let secs = bytes.try_into().map(i64::from_be_bytes);
        secs.map(Some).map_err(|_| StoreError::damaged("mayflyTrashSecs has a wrong length"))
    });
    let Some(secs) = StoreError::unless_damaged(stored)? else {
        lost.push(format!(
            "The trash setting was damaged and reset to {TRASH_SECS_DEFAULT} seconds. Set \
 mayflyTrashSecs again."
        ));
        return Ok(Some(TRASH_SECS_DEFAULT));
    };
    Ok(secs)
}

/// Before a removal on a full disk, empties the trash.
pub(super) fn make_room(collections: &Collections) {
    // Removals never wait for the space of the trash.
    if collections.store().is_full() {
        // A failure here must not stop the removal.
        let _ = collections.trim_trash_step(Trim::Everything);
    }
}

/// After a removal, trims the trash to its size limit.
pub(super) fn keep_bounds(collections: &Collections) {
    // Failures are retried with the next removal.
    while collections.trim_trash_step(Trim::Room).is_ok_and(|step| step.more) {}
}

impl Reaper {
    /// Tells the collections how long removed documents are kept, for the next transactions.
    pub(super) fn publish_trash(&self) {
        let keep_ms = self.parameters().trash_ms();
        // A wrong clock hides documents that are still wanted, so the trash keeps them longest.
        let is_held = self.clock_held.load(Ordering::Relaxed);
        let evicted_ms_min = is_held.then_some(TRASH_SECS_MAX * 1_000);
        self.collections().change_trash_policy(|policy| {
            (policy.keep_ms, policy.evicted_ms_min) = (keep_ms, evicted_ms_min);
        });
    }

    /// How much the trash holds.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn trash_status(&self) -> Result<TrashStatus, StoreError> {
        self.collections().trash_status()
    }

    /// The number of this session's first row in the trash, present or future.
    pub fn first_trashed(&self) -> u64 {
        self.first_trashed
    }

    /// Stores a changed parameter if it must survive a restart.
    pub(super) fn keep_parameter(
        &self,
        parameter: TtlParameter,
        value: i64,
    ) -> Result<(), StoreError> {
        if parameter != TtlParameter::TrashSecs {
            return Ok(());
        }
        let store = self.collections().store();
        store.write(|writer| writer.put_meta(TRASH_SECS_META, &value.to_be_bytes()))
    }

    /// Whether a rule is on hold until released because documents were restored, even if it was on
    /// hold before.
    pub fn is_held_for_restore(&self, rule: RuleId) -> bool {
        let held = self.held_indexes();
        held.iter().any(|held| held.rule == rule && held.kept)
    }

    /// Removes expired rows from the trash, or all rows on a full disk.
    pub(super) fn empty_trash(&self, now_ms: i64, continues: &dyn Fn() -> bool) {
        let trim = if self.collections().store().is_full() {
            Trim::Everything
        } else if self.is_clock_doubtful() {
            // A doubtful clock must not empty it by age.
            Trim::Room
        } else {
            Trim::Age(now_ms)
        };
        // Failures are retried with the next pass.
        while continues() && self.collections().trim_trash_step(trim).is_ok_and(|step| step.more) {}
    }
}
