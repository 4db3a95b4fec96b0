//! A collection that takes the place of another one stands under what protected that one: its archive
//! and what is held of its removals.

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
    /// Puts the collection that a `$out` has written in the place of `to`, of whose options and indexes
    /// it has got copies; `like` is the definition that was copied, `None` without one. The archive of
    /// `to` becomes its own in the same transaction, and what was held of the removals of an index
    /// holds those of the index with the same name.
    ///
    /// # Errors
    /// `TargetChanged` when `to` is not like that any more, or when the store fails.
    pub fn replace(
        &self,
        from: &Namespace,
        to: &Namespace,
        like: Option<&CollectionMeta>,
    ) -> Result<(), WriteError> {
        let _one_at_a_time = lock(&self.replacing);
        let rules = self.same_rules(from, to);
        // Before the new rules work: a hold too many does no harm, also not when the program is killed
        // here.
        let mut copied = Vec::new();
        if !rules.is_empty() {
            self.change_quietly(|guard| {
                copied = rules.into_iter().filter(|(old, new)| guard.hold_as(*old, *new)).collect();
            })?;
        }
        let target = ExpectedTarget::Definition(like);
        let result = self.archives().replace(Replacement { from, to, target });
        // What can't be stored now is stored with the guard's next change.
        let _ = self.change_quietly(|guard| {
            for (old, new) in copied {
                // One that was released meanwhile stays released.
                let was_held = guard.release_index(if result.is_ok() { old } else { new });
                if result.is_ok() && !was_held {
                    guard.release_index(new);
                }
            }
        });
        result
    }

    /// The rules of two collections that are held in the second one: those, and the ones of the
    /// indexes with the same names in the first.
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

    /// Changes holds of which nobody has to hear: afterwards as much is held as before.
    fn change_quietly(&self, change: impl FnOnce(&mut Guard)) -> Result<(), StoreError> {
        let mut guarded = lock(&self.guard);
        change(&mut guarded.guard);
        self.save(&mut guarded)
    }
}
