//! The figures of the view, and what they are about.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::time::Duration;

use bson::Document;
use mayfly_engine::reply::DocCount;

use crate::limits::REMOVED_ROWS_REST;
use crate::state::Zone;
use crate::state::trash::Place;

/// The whole collection in four figures, and why the documents of the fourth never expire.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Totals {
    /// Past the threshold and not removed.
    pub overdue: DocCount,
    pub waiting: DocCount,
    /// Documents that the TTL never removes.
    pub never: DocCount,
    /// Damaged documents and index entries, which belong to none of the three.
    pub damaged: u64,
    /// Reason code and number of documents, most first.
    pub reasons: Vec<(String, DocCount)>,
}

impl Totals {
    /// How many documents were counted.
    pub fn documents(&self) -> DocCount {
        self.waiting.plus(self.overdue).plus(self.never)
    }

    /// Whether documents never expire and it is not known why.
    pub fn lack_reasons(&self) -> bool {
        !self.never.is_zero() && self.reasons.is_empty()
    }
}

/// A range of thresholds, in milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Brush {
    pub from_ms: i64,
    pub to_ms: i64,
}

impl Brush {
    #[must_use]
    pub fn has(self, threshold_ms: i64) -> bool {
        (self.from_ms..self.to_ms).contains(&threshold_ms)
    }
}

/// How many stored documents are in the chosen range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InRange {
    pub documents: u64,
    pub is_exact: bool,
}

/// The range that a command asked for.
pub(super) fn range_of(command: &Document) -> Option<Brush> {
    let date = |name| command.get_datetime(name).ok().map(|date| date.timestamp_millis());
    Some(Brush { from_ms: date("from")?, to_ms: date("to")? })
}

/// The latest pass that removed documents of the collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownPass {
    /// Its number, counted from 1 since the store was opened.
    pub number: u64,
    /// Documents it removed here, listed or not.
    pub removed: u64,
    /// When it removed the first of them, in milliseconds since 1970.
    pub at_ms: i64,
    /// The earliest threshold of what it removed, in milliseconds since 1970.
    pub since_ms: i64,
    /// The window's uptime when rows began to rest.
    pub seen: Duration,
    /// Rows keep their places until this uptime.
    pub rests_until: Duration,
}

impl ShownPass {
    /// The uptime at which rows may rest again. On a fast clock, whose rests are short, passes follow
    /// each other; the rows move for as long as they rested.
    pub(super) fn next_rest(&self) -> Duration {
        let rest = self.rests_until.saturating_sub(self.seen);
        let pause = if rest < REMOVED_ROWS_REST { rest } else { Duration::ZERO };
        self.rests_until.saturating_add(pause)
    }
}

/// Documents of one pass that have no tombstone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    /// How many.
    pub removed: u64,
    /// The number of the pass.
    pub pass: u64,
    /// When it removed the first of them, in milliseconds since 1970.
    pub(super) at_ms: i64,
    /// The tombstones above it.
    pub(super) after: usize,
}

/// Whether a removed document can be restored, and from where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// The store was not asked yet.
    Unknown,
    In(Place),
    /// Of this `_id` a later document is kept, which would be restored in its place.
    Older,
    Restored,
    Nowhere,
}

impl Kept {
    /// The words in the table.
    #[must_use]
    pub fn label(&self, zone: Zone, now_ms: i64) -> Cow<'static, str> {
        match self {
            Self::Unknown => "…".into(),
            Self::In(place) => place.label(zone, now_ms).into(),
            Self::Older => "Newer kept".into(),
            Self::Restored => "Restored".into(),
            Self::Nowhere => "Not kept".into(),
        }
    }

    /// Whether it can be restored.
    #[must_use]
    pub fn is_restorable(&self) -> bool {
        matches!(self, Self::In(_))
    }
}

/// The kept copies of the ledger's removed documents.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct LedgerKeep {
    pub(super) is_known: bool,
    /// The newest removal of each `_id`, and where it is.
    pub(super) newest: HashMap<String, (i64, Place)>,
    /// Those of the pages that have come, until the last one has.
    pub(super) coming: HashMap<String, (i64, Place)>,
    pub(super) restored: HashSet<Removal>,
}

/// Many documents that will go at one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cliff {
    pub documents: u64,
    /// The first instant, in milliseconds since 1970.
    pub from_ms: i64,
    pub to_ms: i64,
}

/// A removed document: its `_id` as text, and when it was removed, in milliseconds since 1970.
pub(super) type Removal = (String, i64);
