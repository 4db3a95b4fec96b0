//! The guard's state as the store keeps it.

use std::time::Duration;

use bson::{Bson, DateTime, Document, doc};

use super::{
    guard::{Guard, millis},
    held::{Held, HeldIndex, HeldReason, IndexReason, Reading},
};
use crate::store::{CollectionId, IndexId};

/// The name under which the store keeps the guard's state.
pub const GUARD_META_NAME: &str = "reaper.guard";

impl Guard {
    /// The state for the store.
    #[must_use]
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
        document
    }

    /// Reads [`Guard::to_document`] back; what can't be read counts as unknown.
    #[must_use]
    pub fn from_document(document: &Document) -> Self {
        let indexes = document.get_array("indexes").map(Vec::as_slice).unwrap_or_default();
        Self {
            trusted: read_reading(document),
            anchor: document.get_document("anchor").ok().and_then(read_reading),
            restored_ms: None,
            held: document.get_document("held").ok().and_then(read_held),
            ahead_ms: document.get_i64("aheadMillis").unwrap_or(0).max(0),
            indexes: indexes.iter().filter_map(Bson::as_document).filter_map(read_index).collect(),
        }
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

fn read_held(held: &Document) -> Option<Held> {
    let by_ms = held.get_i64("byMillis").ok()?;
    Some(Held {
        reason: HeldReason::from_code(held.get_str("reason").ok()?, by_ms)?,
        wall_ms: held.get_datetime("wall").ok()?.timestamp_millis(),
        expected_ms: held.get_datetime("expected").ok()?.timestamp_millis(),
        kept: held.get_bool("kept").unwrap_or(false),
    })
}

fn index_document(held: &HeldIndex) -> Bson {
    let (CollectionId(collection), IndexId(index), own) = held.rule;
    let documents = match held.reason {
        IndexReason::LargeRemoval { documents } => i64::try_from(documents).unwrap_or(i64::MAX),
        IndexReason::PutBack => 0,
    };
    Bson::Document(doc! {
        "collection": i64::from(collection),
        "index": i64::from(index),
        "own": own,
        "reason": held.reason.code(),
        "documents": documents,
        "wall": DateTime::from_millis(held.wall_ms),
        "aheadMillis": held.ahead_ms,
        "kept": held.kept,
    })
}

fn read_index(held: &Document) -> Option<HeldIndex> {
    let number = |name| u32::try_from(held.get_i64(name).ok()?).ok();
    let documents = u64::try_from(held.get_i64("documents").ok()?).ok()?;
    let all = [IndexReason::LargeRemoval { documents }, IndexReason::PutBack];
    let code = held.get_str("reason").ok()?;
    Some(HeldIndex {
        rule: (
            CollectionId(number("collection")?),
            IndexId(number("index")?),
            held.get_bool("own").ok()?,
        ),
        reason: all.into_iter().find(|reason| reason.code() == code)?,
        wall_ms: held.get_datetime("wall").ok()?.timestamp_millis(),
        ahead_ms: held.get_i64("aheadMillis").ok()?.max(0),
        kept: held.get_bool("kept").ok()?,
    })
}
