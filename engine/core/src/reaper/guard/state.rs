//! The stored form of the guard's state.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use bson::{Bson, DateTime, Document, doc};

use super::{
    hold::{Hold, HoldReason, IndexHold, IndexHoldReason, Reading, RuleId},
    policy::{Guard, millis},
};
use crate::store::{CollectionId, IndexId};

/// The name under which the store keeps the guard's state.
pub const GUARD_META_NAME: &str = "reaper.guard";

/// The guard's state as it was when a pass began, to be stored with what that removes first.
#[derive(Debug, Clone)]
pub(in crate::reaper) struct UnsavedState {
    bytes: Vec<u8>,
    saves: Arc<AtomicU64>,
    /// The value of `saves` then.
    number: u64,
}

impl UnsavedState {
    /// `saves` counts the states whose storing has begun.
    pub(super) fn new(bytes: Vec<u8>, saves: &Arc<AtomicU64>) -> Self {
        let number = saves.load(Ordering::SeqCst);
        Self { bytes, saves: Arc::clone(saves), number }
    }

    /// Called within the transaction that stores it. `None` for an outdated state.
    pub(in crate::reaper) fn unless_old(&self) -> Option<&[u8]> {
        // If a newer state was stored or is queued, writing this one would drop the holds made
        // since.
        (self.saves.load(Ordering::SeqCst) == self.number).then_some(self.bytes.as_slice())
    }
}

impl Guard {
    /// The state for the store.
    pub fn to_document(&self) -> Document {
        let mut document = doc! { "v": 1 };
        if let Some(trusted) = &self.trusted {
            document.extend(reading_document(trusted));
        }
        if let Some(anchor) = &self.anchor {
            document.insert("anchor", reading_document(anchor));
        }
        if self.ahead_ms > 0 {
            document.insert("aheadMillis", self.ahead_ms);
        }
        if let Some(simulated_ms) = self.simulated_ms {
            document.insert("simulated", DateTime::from_millis(simulated_ms));
        }
        if let Some(now_ms) = self.simulated_now_ms {
            document.insert("simulatedNow", DateTime::from_millis(now_ms));
        }
        if let Some(held) = &self.held {
            document.insert(
                "held",
                doc! {
                    "reason": held.reason.code(),
                    "byMillis": held.reason.by_ms(),
                    "wall": DateTime::from_millis(held.wall_ms),
                    "expected": DateTime::from_millis(held.expected_ms),
                    "kept": held.kept,
                },
            );
        }
        if !self.indexes.is_empty() {
            let indexes: Vec<Bson> = self.indexes.iter().map(index_document).collect();
            document.insert("indexes", indexes);
        }
        if !self.released.is_empty() {
            let released = self.released.iter().map(|(rule, ahead_ms)| {
                let mut released = rule_document(*rule);
                released.insert("aheadMillis", *ahead_ms);
                Bson::Document(released)
            });
            document.insert("released", released.collect::<Vec<_>>());
        }
        document
    }

    /// Reads [`Guard::to_document`] back; what can't be read counts as unknown. Where another version holds
    /// something for a reason that this one does not know, everything is held.
    pub fn from_document(document: &Document) -> Self {
        let list = |name| document.get_array(name).map(Vec::as_slice).unwrap_or_default();
        let documents = |name| list(name).iter().filter_map(Bson::as_document);
        let instant = |name| Some(document.get_datetime(name).ok()?.timestamp_millis());
        let mut guard = Self {
            trusted: read_reading(document),
            anchor: document.get_document("anchor").ok().and_then(read_reading),
            restored_ms: None,
            simulated_ms: instant("simulated"),
            simulated_now_ms: instant("simulatedNow"),
            created_ms: None,
            held: document.get_document("held").ok().and_then(read_held),
            ahead_ms: document.get_i64("aheadMillis").unwrap_or(0).max(0),
            indexes: documents("indexes").filter_map(read_index).collect(),
            released: documents("released").filter_map(read_released).collect(),
        };
        let is_known = guard.held.is_some() == document.contains_key("held")
            && guard.indexes.len() == list("indexes").len();
        if !is_known {
            guard.hold_lost(guard.trusted.as_ref().map_or(0, |trusted| trusted.wall_ms));
        }
        guard
    }
}

fn reading_document(Reading { wall_ms, since_boot, boot_id }: &Reading) -> Document {
    doc! {
        "wall": DateTime::from_millis(*wall_ms),
        "bootMillis": millis(*since_boot),
        "bootId": boot_id.clone(),
    }
}

fn read_reading(document: &Document) -> Option<Reading> {
    let since_boot = document.get_i64("bootMillis").ok()?;
    Some(Reading {
        wall_ms: document.get_datetime("wall").ok()?.timestamp_millis(),
        since_boot: Duration::from_millis(u64::try_from(since_boot).ok()?),
        boot_id: document.get_str("bootId").ok().map(str::to_owned),
    })
}

fn read_held(held: &Document) -> Option<Hold> {
    let by_ms = held.get_i64("byMillis").ok()?;
    Some(Hold {
        reason: HoldReason::from_code(held.get_str("reason").ok()?, by_ms)?,
        wall_ms: held.get_datetime("wall").ok()?.timestamp_millis(),
        expected_ms: held.get_datetime("expected").ok()?.timestamp_millis(),
        kept: held.get_bool("kept").unwrap_or(false),
    })
}

fn rule_document((CollectionId(collection), IndexId(index), own): RuleId) -> Document {
    doc! { "collection": i64::from(collection), "index": i64::from(index), "own": own }
}

fn read_rule(document: &Document) -> Option<RuleId> {
    let number = |name| u32::try_from(document.get_i64(name).ok()?).ok();
    let own = document.get_bool("own").ok()?;
    Some((CollectionId(number("collection")?), IndexId(number("index")?), own))
}

fn read_released(released: &Document) -> Option<(RuleId, i64)> {
    Some((read_rule(released)?, released.get_i64("aheadMillis").ok()?.max(0)))
}

/// The word in the stored state.
fn stored_reason(reason: IndexHoldReason) -> &'static str {
    match reason {
        IndexHoldReason::LargeRemoval { .. } => "largeRemoval",
        // The words must never change: a reader that meets an unknown one holds everything.
        IndexHoldReason::RestoredDocuments => "putBack",
    }
}

fn index_document(held: &IndexHold) -> Bson {
    let documents = match held.reason {
        IndexHoldReason::LargeRemoval { documents } => i64::try_from(documents).unwrap_or(i64::MAX),
        IndexHoldReason::RestoredDocuments => 0,
    };
    let mut document = rule_document(held.rule);
    document.extend(doc! {
        "reason": stored_reason(held.reason),
        "documents": documents,
        "wall": DateTime::from_millis(held.wall_ms),
        "aheadMillis": held.ahead_ms,
        "kept": held.kept,
    });
    Bson::Document(document)
}

fn read_index(held: &Document) -> Option<IndexHold> {
    let documents = u64::try_from(held.get_i64("documents").ok()?).ok()?;
    let all = [IndexHoldReason::LargeRemoval { documents }, IndexHoldReason::RestoredDocuments];
    let code = held.get_str("reason").ok()?;
    Some(IndexHold {
        rule: read_rule(held)?,
        reason: all.into_iter().find(|reason| stored_reason(*reason) == code)?,
        wall_ms: held.get_datetime("wall").ok()?.timestamp_millis(),
        ahead_ms: held.get_i64("aheadMillis").ok()?.max(0),
        kept: held.get_bool("kept").ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_hold_for_restored_documents_is_read_by_its_first_word() {
        let held = IndexHold {
            rule: (CollectionId(7), IndexId(8), false),
            reason: IndexHoldReason::RestoredDocuments,
            wall_ms: 1_000,
            ahead_ms: 0,
            kept: true,
        };
        let Bson::Document(stored) = index_document(&held) else { panic!("a document") };
        assert_eq!(stored.get_str("reason").ok(), Some("putBack"));
        assert_eq!(read_index(&stored), Some(held));
    }
}
