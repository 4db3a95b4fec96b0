//! One document in time.

use bson::Bson;
use mayfly_engine::reply::ExpiringRow;

use crate::job::RemovedDocument;

/// A document that will expire, or was removed while the view was open.
#[derive(Debug, Clone, PartialEq)]
pub struct Lane {
    /// The document's `_id`.
    pub id: Bson,
    /// The TTL index that decides.
    pub index: String,
    /// The field that holds the date; `_ts` for the last modification.
    pub field: String,
    /// The date that the seconds are added to, in milliseconds.
    pub base_ms: i64,
    /// The instant from which a pass removes it, in milliseconds.
    pub threshold_ms: i64,
    /// Whether the document's own `ttl` made the threshold.
    pub own_ttl: bool,
    /// The dates in the field, earliest first, if there are several; the first is the base.
    pub dates_ms: Vec<i64>,
    /// When it was removed, in milliseconds, if it was; of a server, when it was found to be gone.
    pub removed_ms: Option<i64>,
    /// When it was last seen, in milliseconds, if nothing says when it was removed.
    pub seen_ms: Option<i64>,
}

/// The phase of a document's life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Before its threshold.
    Waiting,
    /// Past its threshold, not yet removed.
    Overdue,
    /// Gone, this many milliseconds after its threshold.
    Removed {
        /// Removal minus threshold, in milliseconds.
        late_ms: i64,
    },
}

impl Lane {
    /// The phase of the document at `now_ms`.
    #[must_use]
    pub fn phase(&self, now_ms: i64) -> Phase {
        match self.removed_ms {
            Some(at) => Phase::Removed { late_ms: at.saturating_sub(self.threshold_ms) },
            None if self.threshold_ms <= now_ms => Phase::Overdue,
            None => Phase::Waiting,
        }
    }

    /// Whether the threshold is counted from the last modification. Azure Cosmos DB hides such a
    /// document from its threshold on.
    #[must_use]
    pub fn is_on_modification(&self) -> bool {
        self.own_ttl || self.field == "_ts"
    }
}

impl From<ExpiringRow> for Lane {
    fn from(row: ExpiringRow) -> Self {
        let ExpiringRow { id, index, field, base_ms, threshold_ms, source, .. } = row;
        let own_ttl = source == "item";
        let dates_ms = row.dates_ms.unwrap_or_default();
        Self {
            id,
            index,
            field,
            base_ms,
            threshold_ms,
            own_ttl,
            dates_ms,
            removed_ms: None,
            seen_ms: None,
        }
    }
}

impl From<&RemovedDocument> for Lane {
    /// The tombstone of a document that a pass removed.
    fn from(removed: &RemovedDocument) -> Self {
        Self {
            id: removed.id.clone(),
            index: removed.index.clone(),
            field: String::new(),
            base_ms: removed.base_ms,
            threshold_ms: removed.threshold_ms,
            own_ttl: false,
            dates_ms: Vec::new(),
            removed_ms: Some(removed.removed_ms),
            seen_ms: None,
        }
    }
}
