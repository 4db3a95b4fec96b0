//! One document in time.

use bson::Bson;
use mayfly_engine::reply::ExpiringRow;

use crate::job::RemovedDocument;
use crate::state::duration;

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
    /// When a pass could remove it first, in milliseconds, if its threshold was before that: the index
    /// came later.
    pub removable_ms: Option<i64>,
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
    /// Gone, this many milliseconds after a pass could remove it.
    Removed {
        /// The lag in milliseconds; negative if it was deleted before its threshold.
        late_ms: i64,
    },
}

impl Lane {
    /// The phase of the document at `now_ms`.
    pub fn phase(&self, now_ms: i64) -> Phase {
        match self.late_ms() {
            Some(late_ms) => Phase::Removed { late_ms },
            None if self.threshold_ms <= now_ms => Phase::Overdue,
            None => Phase::Waiting,
        }
    }

    /// How late its removal was in milliseconds: after its threshold, or after the index that came later.
    /// Negative if another program deleted it before its threshold.
    pub fn late_ms(&self) -> Option<i64> {
        let after_ms = self.removed_ms?.saturating_sub(self.threshold_ms);
        let waited_ms = self.removable_ms.map_or(0, |at| at.saturating_sub(self.threshold_ms));
        Some(if after_ms < 0 { after_ms } else { after_ms.saturating_sub(waited_ms).max(0) })
    }

    /// The lag of a removal in a table. Of two looks, the most that it can be.
    pub fn lag_figure(&self) -> String {
        let late_ms = self.late_ms().unwrap_or(0);
        match self.seen_ms {
            _ if late_ms < 0 => "before".to_owned(),
            Some(_) => format!("≤ {}", duration::span(late_ms)),
            None => duration::span(late_ms),
        }
    }

    /// Whether the threshold is counted from the last modification. Azure Cosmos DB hides such a
    /// document from its threshold on.
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
            removable_ms: row.removable_ms,
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
            removable_ms: Some(removed.removable_ms).filter(|at| *at > removed.threshold_ms),
            seen_ms: None,
        }
    }
}
