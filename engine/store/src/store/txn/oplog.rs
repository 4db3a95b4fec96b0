//! The rows of the oplog: entries by position.

use std::ops::Bound;

use crate::store::table::{OPLOG_NAME, codec};
use crate::store::{Reader, Scan, StoreError, Writer};

impl<'t> Reader<'t> {
    /// The position of the newest entry; 0 while the oplog is empty, or without one.
    ///
    /// # Errors
    /// `Damaged` when its key has a wrong length.
    pub fn last_oplog_position(&self) -> Result<u64, StoreError> {
        let Some(table) = self.tables.oplog else { return Ok(0) };
        let bounds = (Bound::Unbounded, Bound::Unbounded);
        let last = self.rows(table, bounds, Scan::Backward)?.next().transpose()?;
        last.map_or(Ok(0), |(key, _)| position(key))
    }

    /// Entries from a position on, inclusive, in either direction. None without an oplog.
    ///
    /// # Errors
    /// When LMDB fails; each entry with `Damaged` when its checksum is wrong.
    pub fn oplog(
        &self,
        from: u64,
        direction: Scan,
    ) -> Result<impl Iterator<Item = Result<(u64, &'t [u8]), StoreError>> + use<'t>, StoreError>
    {
        let from = from.to_be_bytes();
        let bounds = match direction {
            Scan::Forward => (Bound::Included(&from[..]), Bound::Unbounded),
            Scan::Backward => (Bound::Unbounded, Bound::Included(&from[..])),
        };
        let table = self.tables.oplog;
        let rows = table.map(|table| self.rows(table, bounds, direction)).transpose()?;
        Ok(rows.into_iter().flatten().map(|row| row.and_then(|(key, value)| entry(key, value))))
    }
}

fn position(key: &[u8]) -> Result<u64, StoreError> {
    let position = key.try_into().map(u64::from_be_bytes);
    position.map_err(|_| StoreError::damaged("an oplog key has a wrong length"))
}

fn entry<'t>(key: &[u8], value: &'t [u8]) -> Result<(u64, &'t [u8]), StoreError> {
    let position = position(key)?;
    let bytes = codec::unseal(key, value, &format!("oplog entry {position}"))?;
    Ok((position, bytes))
}

impl Writer<'_> {
    /// Stores an entry of the oplog. Also on a full disk: a removal must be in the oplog.
    ///
    /// # Errors
    /// `Bug` without an oplog; when LMDB fails.
    pub fn put_oplog_entry(&mut self, position: u64, bytes: &[u8]) -> Result<(), StoreError> {
        let Some(table) = self.tables.oplog else {
            let what = format!("the store has no table {OPLOG_NAME}");
            return Err(StoreError::Bug { what });
        };
        let key = position.to_be_bytes();
        self.put(table, &key, &codec::seal(&key, bytes))
    }
}
