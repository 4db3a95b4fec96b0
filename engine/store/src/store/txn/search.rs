//! Searches for one key: the pages on the way are checked first, and what is absent may be a damaged key.

use super::tables::{Row, Table};
use crate::store::table::codec;
use crate::store::walk::{Neighbors, Place};
use crate::store::{DamagedRow, Reader, StoreError};

impl<'t> Reader<'t> {
    pub(super) fn get(&self, table: Table, key: &[u8]) -> Result<Option<&'t [u8]>, StoreError> {
        // A search for an exact key stays on its leaf, so its neighbors need no check.
        self.tables.check_place(table.name, Place::At(key), Neighbors::Neither)?;
        let found = table.get(self.txn, key).map_err(|error| self.tables.failed(error))?;
        if found.is_none() && self.tables.has_damaged_rows() {
            self.check_absence(table, key)?;
        }
        Ok(found)
    }

    pub(super) fn next_entry(&self, bound: &[u8]) -> Result<Option<Row<'t>>, StoreError> {
        let table = self.tables.entries;
        let next = self.at_or_after(table, bound)?;
        if self.tables.has_damaged_rows() && !next.is_some_and(|row| codec::is_under(row, bound)) {
            // A bound without a row is only suspicious if the row that was found is not under it.
            self.check_absence(table, bound)?;
        }
        Ok(next)
    }

    pub(super) fn at_or_after(
        &self,
        table: Table,
        key: &[u8],
    ) -> Result<Option<Row<'t>>, StoreError> {
        self.tables.check_place(table.name, Place::At(key), Neighbors::Both)?;
        let next = table.get_greater_than_or_equal_to(self.txn, key);
        next.map_err(|error| self.tables.failed(error))
    }

    /// Fails if a row next to this key would be sound under it. Before the walk any damage is
    /// enough.
    #[cold]
    fn check_absence(&self, table: Table, key: &[u8]) -> Result<(), StoreError> {
        let next = self.at_or_after(table, key)?;
        let before = table.get_lower_than(self.txn, key);
        let before = before.map_err(|error| self.tables.failed(error))?;
        let is_unwalked = self.tables.guard().is_some();
        for (found, value) in before.into_iter().chain(next) {
            // Before the walk, damaged keys may also be out of order, so the true place is unknown.
            let is_damaged =
                is_unwalked && DamagedRow::check(table.name, found, Some(value)).is_some();
            // Keys ascend in a file that was walked, so a changed key is still next to the place of
            // the true one.
            if is_damaged || DamagedRow::is_misplaced(table.name, key, (found, value)) {
                return Err(StoreError::damaged(format!(
                    "a key of table {} does not match its checksum, so this search can't find its row; \
                     run Verify for a full report",
                    table.name
                )));
            }
        }
        Ok(())
    }
}
