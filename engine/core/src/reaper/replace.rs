//! A collection that replaces another inherits its protection: the archive and the holds.

use super::{
    guard::{Guard, RuleId},
    handle::{Reaper, lock},
};
use crate::{
    catalog::{CollectionMeta, Namespace},
    collection::{ExpectedTarget, Replacement, WriteError},
    store::StoreError,
};

impl Reaper {
    /// Replaces `to` with the collection that `$out` wrote with copies of its options and indexes;
    /// `like` is the copied definition, `None` without one. The archive moves in the same
    /// transaction, and a hold on an index moves to the index of the same name.
    ///
    /// # Errors
    /// `TargetChanged` when `to` is not like that any more, or when the store fails.
    pub fn replace(
        &self,
        from: &Namespace,
        to: &Namespace,
        like: Option<&CollectionMeta>,
    ) -> Result<(), WriteError> {
        // Two replacements of one name would each copy holds that the other one moves.
        let _one_at_a_time = lock(&self.replacing);
        let rules = self.same_rules(from, to);
        // Before the new rules take effect: a superfluous hold is harmless, even after a crash
        // here.
        let mut copied = Vec::new();
        if !rules.is_empty() {
            self.change_quietly(|guard| {
                copied = rules.into_iter().filter(|(old, new)| guard.hold_as(*old, *new)).collect();
            })?;
        }
        let target = ExpectedTarget::Definition(like);
        let result = self.archives().replace(Replacement { from, to, target });
        // A failed save is retried with the guard's next change.
        let _ = self.change_quietly(|guard| {
            for (old, new) in copied {
                // A rule released since stays released.
                let was_held = guard.release_index(if result.is_ok() { old } else { new });
                if result.is_ok() && !was_held {
                    guard.release_index(new);
                }
            }
        });
        result
    }

    /// Pairs each rule on hold in `to` with the rule of the same index name in `from`.
    fn same_rules(&self, from: &Namespace, to: &Namespace) -> Vec<(RuleId, RuleId)> {
        let held = self.held_indexes();
        let catalog = self.collections().catalog();
        let (Some(new), Some(old)) = (catalog.collection(from), catalog.collection(to)) else {
            return Vec::new();
        };
        let rules = old.indexes.iter().filter_map(|index| {
            let twin = new.index(&index.name)?;
            let old = (old.id, index.id, index.is_id());
            Some((old, (new.id, twin.id, twin.is_id())))
        });
        rules.filter(|(old, _)| held.iter().any(|held| held.rule == *old)).collect()
    }

    /// Changes holds without an event.
    fn change_quietly(&self, change: impl FnOnce(&mut Guard)) -> Result<(), StoreError> {
        // No event is sent, because the same removals are on hold before and after.
        let mut guarded = lock(&self.guard);
        change(&mut guarded.guard);
        self.save(&mut guarded)
    }
}
