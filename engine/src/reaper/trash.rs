//! The trash: what the reaper removes goes to the trash for a while, and can be put back.

use super::{guard::RuleId, handle::Reaper, parameters::TtlParameter, target::Target};
use crate::{
    collection::{Collections, TrashRow, TrashStatus, Trim},
    limits::TRASH_SECS_DEFAULT,
    store::{Store, StoreError, StoredDocument},
    ttl::Deadline,
};

/// The value of the table `meta` that holds how long removed documents are kept: a safety net that
/// is gone after a restart is none.
pub(crate) const TRASH_SECS_META: &str = "trashSecs";

/// The seconds that were kept last; `None` when they were never set. Where somebody has set them and they
/// are damaged, the net is out as the window puts it out: what it keeps too much does no harm.
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

/// The row for a document that is about to be removed.
pub(super) fn row(
    target: &Target,
    stored: &StoredDocument<'_>,
    deadline: Deadline,
    (pass, removed_ms, trash_ms): (u64, i64, i64),
) -> Result<bson::RawDocumentBuf, StoreError> {
    let row = TrashRow {
        number: 0,
        collection: target.collection.id,
        namespace: &target.collection.namespace.to_string(),
        is_bucket: target.collection.options.time_series.is_some(),
        index: target.name(),
        pass,
        modified_ms: stored.modified_ms,
        threshold_ms: deadline.threshold_ms,
        removed_ms,
        until_ms: removed_ms.saturating_add(trash_ms),
        document: stored.document()?,
    }
    .to_row();
    Ok(row)
}

/// Before a removal: on a full disk the trash goes first, so that no deletion waits for its room.
pub(super) fn make_room(collections: &Collections) {
    if collections.store().is_full() {
        // What can't be removed is no reason to keep the documents.
        let _ = collections.trim_trash_step(Trim::Everything);
    }
}

/// After a removal: the trash is never much larger than it may be.
pub(super) fn keep_bounds(collections: &Collections) {
    // What fails is tried again with the next removal.
    while collections.trim_trash_step(Trim::Room).is_ok_and(|step| step.more) {}
}

impl Reaper {
    /// How much the trash holds.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn trash_status(&self) -> Result<TrashStatus, StoreError> {
        self.collections().trash_status()
    }

    /// The number of the first row that this session has put into the trash, or would.
    pub fn first_trashed(&self) -> u64 {
        self.first_trashed
    }

    /// Keeps a changed parameter over a restart, if it is one that is kept.
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

    /// Whether documents of a rule were put back and wait for a word, also where the rule was held
    /// for another reason before.
    pub fn has_put_back(&self, rule: RuleId) -> bool {
        let held = self.held_indexes();
        held.iter().any(|held| held.rule == rule && held.kept)
    }

    /// Removes from the trash what is too old, and everything on a full disk. A clock that holds
    /// removals back must not empty it by age.
    pub(super) fn empty_trash(&self, now_ms: i64, goes_on: &dyn Fn() -> bool) {
        let trim = if self.collections().store().is_full() {
            Trim::Everything
        } else if self.is_clock_doubtful() {
            Trim::Room
        } else {
            Trim::Age(now_ms)
        };
        // What fails is tried again with the next pass.
        while goes_on() && self.collections().trim_trash_step(trim).is_ok_and(|step| step.more) {}
    }
}
