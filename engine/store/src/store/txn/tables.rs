//! The tables of an open environment, and the damage that reads have found in them.

use std::ops::Deref;
use std::path::{Path as FsPath, PathBuf};
use std::sync::{Arc, OnceLock};

use heed::types::Bytes;
use heed::{Database, MdbError};

use super::error_class::ErrorClass;
use crate::store::StoreError;
use crate::store::table::TABLE_NAMES;
use crate::store::walk::{Neighbors, PageGuard, Place, Span, header_damage};

pub(in crate::store) type Rows = Database<'static, Bytes, Bytes>;

/// A table of the file. The name is for messages and for the page guard.
#[derive(Clone, Copy)]
pub(in crate::store) struct Table {
    rows: Rows,
    pub(in crate::store) name: &'static str,
}

impl Deref for Table {
    type Target = Rows;

    fn deref(&self) -> &Self::Target {
        &self.rows
    }
}

/// Key and value, borrowed from a transaction.
pub(in crate::store) type Row<'t> = (&'t [u8], &'t [u8]);

pub(in crate::store) struct Tables {
    pub(in crate::store) meta: Table,
    pub(super) catalog: Table,
    pub(in crate::store) documents: Table,
    pub(in crate::store) entries: Table,
    pub(super) counters: Table,
    /// The first corrupt page that a read has found.
    damage: OnceLock<StoreError>,
    /// Checks what LMDB is about to read, until the whole file was walked.
    pub(super) guard: Option<Arc<PageGuard>>,
    folder: PathBuf,
}

impl Tables {
    pub(super) fn new(tables: [Table; 5], guard: Option<Arc<PageGuard>>, folder: &FsPath) -> Self {
        let [meta, catalog, documents, entries, counters] = tables;
        let damage = OnceLock::new();
        let folder = folder.to_owned();
        Self { meta, catalog, documents, entries, counters, damage, guard, folder }
    }

    /// The guard, while LMDB may not follow pages that it has not checked.
    #[inline]
    pub(in crate::store) fn guard(&self) -> Option<&PageGuard> {
        self.guard.as_deref().filter(|guard| guard.is_on())
    }

    /// Checks the leaf with this place and those neighbors, if the guard is on.
    pub(in crate::store) fn check_place(
        &self,
        table: &'static str,
        place: Place<'_>,
        neighbors: Neighbors,
    ) -> Result<Span, StoreError> {
        let Some(guard) = self.guard() else { return Ok(Span::default()) };
        guard.check(table, place, neighbors).map_err(|error| self.refused(error))
    }

    /// Whether the walk or the guard has met rows that don't match their checksums.
    pub(in crate::store) fn has_damaged_rows(&self) -> bool {
        self.guard.as_ref().is_some_and(|guard| guard.has_damaged_rows())
    }

    /// Keeps a corrupt page that the guard has found, as [`Tables::failed`] does.
    #[cold]
    pub(in crate::store) fn refused(&self, error: StoreError) -> StoreError {
        let StoreError::Damaged { what } = &error else { return error };
        let aborted = StoreError::ReadAborted { what: what.clone() };
        let _ = self.damage.set(error);
        aborted
    }

    /// The sentence for LMDB's error in a read. A caller may ignore it, so damage is also kept here, where
    /// the store finds it after the transaction.
    #[cold]
    pub(in crate::store) fn failed(&self, error: heed::Error) -> StoreError {
        if let (heed::Error::Mdb(MdbError::BadTxn), Some(StoreError::Damaged { what })) =
            (&error, self.damage())
        {
            return StoreError::ReadAborted { what: what.clone() };
        }
        if matches!(error, heed::Error::Mdb(MdbError::BadTxn))
            && let Some(damage) = header_damage(&self.folder)
        {
            return self.refused(damage);
        }
        let is_damage = ErrorClass::of(&error, None) == ErrorClass::Damaged;
        let error = StoreError::from(error);
        if is_damage {
            // Only the first one is kept.
            let _ = self.damage.set(error.clone());
        }
        error
    }

    /// The damage that reads have found, if any.
    pub(super) fn damage(&self) -> Option<&StoreError> {
        self.damage.get()
    }

    pub(in crate::store) fn all(&self) -> [Table; 5] {
        [self.meta, self.catalog, self.documents, self.entries, self.counters]
    }
}

pub(super) fn named(rows: [Rows; 5]) -> [Table; 5] {
    let mut names = TABLE_NAMES.into_iter();
    rows.map(|rows| Table { rows, name: names.next().unwrap_or_default() })
}
