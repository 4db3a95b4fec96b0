//! Compares a scan over a whole collection or a whole index with its counter.

use crate::store::{CollectionId, Counters, IndexId, Reader, SnapshotNumber, StoreError};

/// A scan over all rows of a collection, or over all entries of an index, in one or several transactions. A page that
/// was lost must not end in a short answer.
#[derive(Debug, Clone, Copy)]
pub struct WholeScan {
    over: Over,
    /// The state at the begin; `None` if the counters are lost, or within a write, which may not have updated them yet.
    begin: Option<(SnapshotNumber, Counters)>,
    rows: u64,
}

#[derive(Debug, Clone, Copy)]
enum Over {
    Documents(CollectionId),
    Entries(IndexId),
}

impl WholeScan {
    /// Begins a scan of documents before its first row.
    ///
    /// # Errors
    /// When the counters can't be read.
    pub fn of_documents(reader: &Reader<'_>, collection: CollectionId) -> Result<Self, StoreError> {
        Self::begin(reader, Over::Documents(collection))
    }

    /// Begins a scan of the entries of an index before its first one.
    ///
    /// # Errors
    /// When the counters can't be read.
    pub fn of_entries(reader: &Reader<'_>, index: IndexId) -> Result<Self, StoreError> {
        Self::begin(reader, Over::Entries(index))
    }

    fn begin(reader: &Reader<'_>, over: Over) -> Result<Self, StoreError> {
        let begin = match reader.snapshot() {
            // Damaged counters are reported where they are needed.
            Some(snapshot) => StoreError::unless_damaged(reader.known_counters(over.id()))?
                .flatten()
                .map(|counters| (snapshot, counters)),
            None => None,
        };
        Ok(Self { over, begin, rows: 0 })
    }

    /// Counts rows, be they damaged.
    pub fn add(&mut self, rows: u64) {
        self.rows += rows;
    }

    /// Compares after the last row. Where documents were written since the begin, it can't.
    ///
    /// # Errors
    /// `ReadAborted` when the numbers differ.
    pub fn end(&self, reader: &Reader<'_>) -> Result<(), StoreError> {
        let Some((snapshot, counters)) = self.begin else { return Ok(()) };
        let expected = self.over.rows(counters);
        if self.rows == expected {
            return Ok(());
        }
        let is_unchanged = match self.over {
            // A record keeps its place, so that only its insertion or removal changes the number of rows.
            Over::Documents(_) => reader.known_counters(self.over.id())? == Some(counters),
            // An entry may have moved past the scan.
            Over::Entries(_) => reader.snapshot() == Some(snapshot),
        };
        if !is_unchanged {
            return Ok(());
        }
        let (whole, rows) = match self.over {
            Over::Documents(_) => ("the collection", "documents"),
            Over::Entries(_) => ("an index", "entries"),
        };
        let what = format!("a scan of {whole} met {} of its {expected} {rows}", self.rows);
        Err(StoreError::ReadAborted { what })
    }
}

impl Over {
    /// The key of its counters.
    fn id(self) -> u32 {
        match self {
            Self::Documents(collection) => collection.0,
            Self::Entries(index) => index.0,
        }
    }

    fn rows(self, counters: Counters) -> u64 {
        match self {
            Self::Documents(_) => counters.documents,
            Self::Entries(_) => counters.entries,
        }
    }
}
