//! Compares a scan over a whole collection with its counters.

use crate::store::{CollectionId, Counters, Reader, StoreError};

/// A scan over all rows of a collection, in one or several transactions. A page that was lost must not end in a
/// short answer.
#[derive(Debug, Clone, Copy)]
pub struct WholeScan {
    collection: CollectionId,
    /// The counters at the begin; `None` if they are lost, or within a write, whose counters may not be updated yet.
    counters: Option<Counters>,
    rows: u64,
}

impl WholeScan {
    /// Begins a scan before its first row.
    ///
    /// # Errors
    /// When the counters can't be read.
    pub fn begin(reader: &Reader<'_>, collection: CollectionId) -> Result<Self, StoreError> {
        let counters = match reader.snapshot() {
            // Damaged counters are reported where they are needed.
            Some(_) => StoreError::unless_damaged(reader.known_counters(collection.0))?.flatten(),
            None => None,
        };
        Ok(Self { collection, counters, rows: 0 })
    }

    /// Counts a row, be it damaged.
    pub fn add(&mut self) {
        self.rows += 1;
    }

    /// Compares after the last row. Where documents were written since the begin, it can't.
    ///
    /// # Errors
    /// `ReadAborted` when the numbers differ.
    pub fn end(&self, reader: &Reader<'_>) -> Result<(), StoreError> {
        let Some(counters) = self.counters else { return Ok(()) };
        if counters.documents == self.rows
            || reader.known_counters(self.collection.0)? != Some(counters)
        {
            return Ok(());
        }
        let what = format!(
            "a scan of the collection met {} of its {} documents",
            self.rows, counters.documents
        );
        Err(StoreError::ReadAborted { what })
    }
}
