//! One read transaction.

use std::ops::Bound;

use heed::RoTxn;

use super::snapshot::SnapshotNumber;
use super::tables::{Table, Tables};
use crate::store::table::codec;
use crate::store::table::range::Rows;
use crate::store::{
    CollectionId, Counters, DamagedRow, Entry, IndexId, RecordNumber, Scan, StoreError,
    StoredDocument, UnverifiedDocument,
};

/// The row of the table `meta` with the highest id given to a collection or an index.
pub(super) const LAST_ID: &str = "lastId";

/// One consistent snapshot of the store. What it returns borrows from the transaction.
#[derive(Clone, Copy)]
pub struct Reader<'t> {
    pub(super) txn: &'t RoTxn<'t>,
    pub(super) tables: &'t Tables,
    snapshot: Option<SnapshotNumber>,
}

/// The common prefix of all entries with one value key.
pub struct EntryPrefix {
    bytes: Vec<u8>,
}

impl EntryPrefix {
    /// The prefix of an index, to which [`EntryPrefix::end`] appends the value key.
    pub fn new(index: IndexId) -> Self {
        let mut bytes = Vec::with_capacity(ENTRY_PREFIX_BYTES);
        codec::begin_entry_key(&mut bytes, index.0);
        Self { bytes }
    }

    /// The buffer to append the value key to.
    pub fn end(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }
}

/// Room for most keys.
const ENTRY_PREFIX_BYTES: usize = 64;

/// Documents of one collection, in order of record number.
pub struct Documents<'t> {
    rows: Rows<'t>,
}

/// Entries of one index, in order of key, then record.
pub struct Entries<'t> {
    rows: Rows<'t>,
    lower: Bound<Vec<u8>>,
    upper: Bound<Vec<u8>>,
}

/// A row of the catalog.
#[derive(Debug, Clone, Copy)]
pub struct CatalogRow<'t> {
    /// Database and collection; `None` when the key is not made of two names.
    pub names: Option<(&'t str, &'t str)>,
    /// The collection's record; `None` when it does not match its checksum.
    pub record: Option<&'t [u8]>,
}

/// All rows of the catalog, in order of name.
pub struct CatalogRecords<'t> {
    rows: Rows<'t>,
}

impl<'t> Reader<'t> {
    pub(in crate::store) fn new(
        txn: &'t RoTxn<'t>,
        tables: &'t Tables,
        snapshot: Option<SnapshotNumber>,
    ) -> Self {
        Self { txn, tables, snapshot }
    }

    /// The commit that it reads; `None` within a write, which also sees its own changes.
    pub fn snapshot(&self) -> Option<SnapshotNumber> {
        self.snapshot
    }

    /// The document with this record number.
    ///
    /// # Errors
    /// `Damaged` when its checksum is wrong; the message names the record.
    pub fn document(
        &self,
        collection: CollectionId,
        record: RecordNumber,
    ) -> Result<Option<StoredDocument<'t>>, StoreError> {
        let key = codec::document_key(collection.0, record);
        let value = self.get(self.tables.documents, &key)?;
        value.map(|value| codec::stored(&key, value)).transpose()
    }

    /// Whether the record number is taken, be it by a damaged document.
    ///
    /// # Errors
    /// When LMDB fails.
    pub fn has_document(
        &self,
        collection: CollectionId,
        record: RecordNumber,
    ) -> Result<bool, StoreError> {
        let key = codec::document_key(collection.0, record);
        Ok(self.get(self.tables.documents, &key)?.is_some())
    }

    /// Documents from record number `from` on, inclusive, in either direction.
    ///
    /// # Errors
    /// When LMDB fails.
    pub fn documents(
        &self,
        collection: CollectionId,
        from: RecordNumber,
        direction: Scan,
    ) -> Result<Documents<'t>, StoreError> {
        let from = codec::document_key(collection.0, from);
        let end = match direction {
            Scan::Forward => codec::document_key(collection.0, RecordNumber::MAX),
            Scan::Backward => codec::document_key(collection.0, 0),
        };
        let (lower, upper) = if direction == Scan::Forward { (from, end) } else { (end, from) };
        let bounds = (Bound::Included(&lower[..]), Bound::Included(&upper[..]));
        Ok(Documents { rows: self.rows(self.tables.documents, bounds, direction)? })
    }

    /// Entries with a value key between the bounds. Bounds compare as bytes with the value key alone, without
    /// the record number.
    ///
    /// # Errors
    /// When LMDB fails, or a bound is longer than a key can be.
    pub fn entries(
        &self,
        index: IndexId,
        lower: Bound<&[u8]>,
        upper: Bound<&[u8]>,
        direction: Scan,
    ) -> Result<Entries<'t>, StoreError> {
        let (first, last) = (self.first_key(index, lower)?, self.last_key(index, upper)?);
        self.entries_between(&first, &last, (lower, upper), direction)
    }

    /// Resumes after the entry `after`, which need not exist any more. `limit` is the upper bound of a forward
    /// scan and the lower bound of a backward scan.
    ///
    /// # Errors
    /// As [`Reader::entries`].
    pub fn entries_after(
        &self,
        index: IndexId,
        after: (&[u8], RecordNumber),
        limit: Bound<&[u8]>,
        direction: Scan,
    ) -> Result<Entries<'t>, StoreError> {
        let after = Bound::Excluded(codec::entry_key(index.0, after.0, after.1)?);
        match direction {
            Scan::Forward => {
                let last = self.last_key(index, limit)?;
                self.entries_between(&after, &last, (Bound::Unbounded, limit), direction)
            }
            Scan::Backward => {
                let first = self.first_key(index, limit)?;
                self.entries_between(&first, &after, (limit, Bound::Unbounded), direction)
            }
        }
    }

    fn entries_between(
        &self,
        first: &Bound<Vec<u8>>,
        last: &Bound<Vec<u8>>,
        (lower, upper): (Bound<&[u8]>, Bound<&[u8]>),
        direction: Scan,
    ) -> Result<Entries<'t>, StoreError> {
        let bounds = (first.as_ref().map(Vec::as_slice), last.as_ref().map(Vec::as_slice));
        let rows = self.rows(self.tables.entries, bounds, direction)?;
        Ok(Entries { rows, lower: lower.map(<[u8]>::to_vec), upper: upper.map(<[u8]>::to_vec) })
    }

    /// The table key where entries within the lower bound start.
    fn first_key(&self, index: IndexId, lower: Bound<&[u8]>) -> Result<Bound<Vec<u8>>, StoreError> {
        Ok(match lower {
            Bound::Unbounded => Bound::Included(codec::entry_bound(index.0, &[])?),
            Bound::Excluded(key) if self.has_key(index, key)? => {
                Bound::Excluded(codec::entry_key(index.0, key, RecordNumber::MAX)?)
            }
            Bound::Included(key) | Bound::Excluded(key) => {
                Bound::Included(codec::entry_bound(index.0, key)?)
            }
        })
    }

    /// The table key where entries within the upper bound end.
    fn last_key(&self, index: IndexId, upper: Bound<&[u8]>) -> Result<Bound<Vec<u8>>, StoreError> {
        Ok(match upper {
            Bound::Unbounded => match index.0.checked_add(1) {
                Some(next) => Bound::Excluded(codec::entry_bound(next, &[])?),
                None => Bound::Unbounded,
            },
            Bound::Included(key) if self.has_key(index, key)? => {
                Bound::Included(codec::entry_key(index.0, key, RecordNumber::MAX)?)
            }
            Bound::Included(key) | Bound::Excluded(key) => {
                Bound::Excluded(codec::entry_bound(index.0, key)?)
            }
        })
    }

    /// Whether an entry has exactly this value key. No value key is a prefix of another, so then no other
    /// value is between its first and its last record.
    ///
    /// # Errors
    /// As [`Reader::entries`].
    pub fn has_key(&self, index: IndexId, key: &[u8]) -> Result<bool, StoreError> {
        let bound = codec::entry_bound(index.0, key)?;
        let next = self.next_entry(&bound)?;
        Ok(next.is_some_and(|row| codec::is_under(row, &bound)))
    }

    /// The first entry with exactly this value key.
    ///
    /// # Errors
    /// `Damaged` when its checksum is wrong; when LMDB fails.
    pub fn entry(&self, key: &EntryPrefix) -> Result<Option<Entry<'t>>, StoreError> {
        let bound = key.bytes.as_slice();
        let next = self.next_entry(bound)?;
        let found = next.filter(|row| codec::is_under(*row, bound));
        found.map(|(key, value)| codec::entry(key, value)).transpose()
    }

    pub(super) fn rows(
        &self,
        table: Table,
        bounds: (Bound<&[u8]>, Bound<&[u8]>),
        direction: Scan,
    ) -> Result<Rows<'t>, StoreError> {
        Rows::new(self.txn, self.tables, table, bounds, direction)
    }

    /// The counters of a collection or an index; all zero when none were set.
    ///
    /// # Errors
    /// `Damaged` when their checksum is wrong.
    pub fn counters(&self, id: u32) -> Result<Counters, StoreError> {
        self.known_counters(id).map(Option::unwrap_or_default)
    }

    /// The counters of a collection or an index; `None` when none were set, or when their record was lost.
    ///
    /// # Errors
    /// `Damaged` when their checksum is wrong.
    pub fn known_counters(&self, id: u32) -> Result<Option<Counters>, StoreError> {
        let key = id.to_be_bytes();
        let value = self.get(self.tables.counters, &key)?;
        let sealed = value.map(|value| codec::unseal(&key, value, "a record of counters"));
        sealed.transpose()?.map(codec::counters).transpose()
    }

    /// Whether a collection, an index or the trash has rows but no counters. Then the counters were lost, and
    /// reading them as zero would be wrong.
    ///
    /// # Errors
    /// When LMDB fails.
    pub fn lacks_counters(&self, id: u32) -> Result<bool, StoreError> {
        if self.get(self.tables.counters, &id.to_be_bytes())?.is_some() {
            return Ok(false);
        }
        let (all, forward) = (Bound::Unbounded, Scan::Forward);
        let has_documents =
            self.documents(CollectionId(id), 0, forward)?.next_unverified().is_some();
        Ok(has_documents || self.entries(IndexId(id), all, all, forward)?.next().is_some())
    }

    /// All catalog records.
    ///
    /// # Errors
    /// When LMDB fails.
    pub fn catalog(&self) -> Result<CatalogRecords<'t>, StoreError> {
        let all = (Bound::Unbounded, Bound::Unbounded);
        Ok(CatalogRecords { rows: self.rows(self.tables.catalog, all, Scan::Forward)? })
    }

    /// One catalog record.
    ///
    /// # Errors
    /// `Damaged` when its checksum is wrong.
    pub fn catalog_record(
        &self,
        db: &str,
        collection: &str,
    ) -> Result<Option<&'t [u8]>, StoreError> {
        let key = codec::catalog_key(db, collection)?;
        let value = self.get(self.tables.catalog, &key)?;
        value.map(|value| codec::unseal(&key, value, CATALOG_RECORD)).transpose()
    }

    /// The number of catalog records, damaged ones included.
    ///
    /// # Errors
    /// When LMDB fails.
    pub fn catalog_len(&self) -> Result<u64, StoreError> {
        self.tables.catalog.len(self.txn).map_err(|error| self.tables.failed(error))
    }

    /// The highest id that a collection or an index was given; `None` when it was lost.
    ///
    /// # Errors
    /// When LMDB fails.
    pub fn last_id(&self) -> Result<Option<u32>, StoreError> {
        let bytes = StoreError::unless_damaged(self.meta(LAST_ID))?.flatten();
        Ok(bytes.and_then(codec::number))
    }

    /// The ids that have rows in the table: collections with documents, or for `"entries"` indexes with
    /// entries, in ascending order. Each with whether its first row matches its checksum: if not, the id may be
    /// wrong.
    ///
    /// # Errors
    /// `Damaged` when a key is invalid; when LMDB fails.
    pub fn numbers_in(&self, table: &'static str) -> Result<Vec<(u32, bool)>, StoreError> {
        let rows = if table == "entries" { self.tables.entries } else { self.tables.documents };
        let (mut numbers, mut from) = (Vec::new(), Some(0));
        while let Some(least) = from {
            let Some((key, value)) = self.at_or_after(rows, &codec::id_bound(least))? else {
                break;
            };
            let id = codec::leading_id(key).filter(|id| *id >= least).ok_or_else(|| {
                StoreError::damaged(format!("the keys of table {table} are out of order"))
            })?;
            numbers.push((id, DamagedRow::check(table, key, Some(value)).is_none()));
            from = id.checked_add(1);
        }
        Ok(numbers)
    }

    /// The keys of one of the [`SMALL_TABLES`] after `after`, each with its damage.
    ///
    /// # Errors
    /// When LMDB fails.
    pub fn check_rows(
        &self,
        table: &'static str,
        after: &[u8],
    ) -> Result<impl Iterator<Item = Result<CheckedRow<'t>, StoreError>> + use<'t>, StoreError>
    {
        let rows = match table {
            "meta" => self.tables.meta,
            "catalog" => self.tables.catalog,
            _ => self.tables.counters,
        };
        let from = if after.is_empty() { Bound::Unbounded } else { Bound::Excluded(after) };
        let rows = self.rows(rows, (from, Bound::Unbounded), Scan::Forward)?;
        Ok(rows.map(move |row| {
            row.map(|(key, value)| (key, DamagedRow::check(table, key, Some(value))))
        }))
    }

    /// A value of the table `meta`.
    ///
    /// # Errors
    /// `Damaged` when its checksum is wrong, or when its name is damaged.
    pub fn meta(&self, name: &str) -> Result<Option<&'t [u8]>, StoreError> {
        let damaged = |why: &str| {
            StoreError::damaged(format!(
                "its value {name:?} {why}; restore a backup, or export the data and import it into a new \
                 store"
            ))
        };
        match self.get(self.tables.meta, name.as_bytes())? {
            Some(value) => codec::unseal(name.as_bytes(), value, "a value")
                .map(Some)
                .map_err(|_| damaged("does not match its checksum")),
            None if self.is_misnamed(name.as_bytes())? => Err(damaged("has a damaged name")),
            None => Ok(None),
        }
    }

    /// Whether a value with a similar name does not match its checksum. The checksum covers the name, so then
    /// the name itself is damaged. Names with a slash belong to families of similar names, so similarity
    /// proves nothing there.
    fn is_misnamed(&self, name: &[u8]) -> Result<bool, StoreError> {
        const BYTES_WRONG_MAX: usize = 2;
        if name.contains(&b'/') {
            return Ok(false);
        }
        let all = (Bound::Unbounded, Bound::Unbounded);
        for row in self.rows(self.tables.meta, all, Scan::Forward)? {
            let (key, value) = row?;
            let wrong = key.iter().zip(name).filter(|(found, meant)| found != meant).count();
            let is_near = key.len() == name.len() && wrong <= BYTES_WRONG_MAX;
            if is_near && codec::unseal(key, value, "a value").is_err() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The key of a row, and its damage if any.
pub type CheckedRow<'t> = (&'t [u8], Option<DamagedRow>);

/// The tables without documents and entries.
pub const SMALL_TABLES: [&str; 3] = ["meta", "catalog", "counters"];

const CATALOG_RECORD: &str = "a record of the catalog";

impl<'t> Documents<'t> {
    /// The next document, without verifying its checksum.
    pub fn next_unverified(&mut self) -> Option<Result<UnverifiedDocument<'t>, StoreError>> {
        Some(self.rows.next()?.and_then(|(key, value)| {
            let numbers = codec::document_numbers(key);
            let (_, record) = numbers.ok_or_else(codec::bad_document_key)?;
            Ok(UnverifiedDocument { record, key, value })
        }))
    }
}

impl<'t> Iterator for Documents<'t> {
    type Item = Result<StoredDocument<'t>, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(match self.rows.next()? {
            Ok((key, value)) => codec::stored(key, value),
            Err(error) => Err(error),
        })
    }
}

impl<'t> Iterator for Entries<'t> {
    type Item = Result<Entry<'t>, StoreError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.rows.next()? {
                Ok((key, value)) => match codec::entry(key, value) {
                    Ok(Entry { key, record, exact }) if self.contains(key) => {
                        return Some(Ok(Entry { key, record, exact }));
                    }
                    Ok(_) => {}
                    Err(error) => return Some(Err(error)),
                },
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

impl Entries<'_> {
    /// Whether the value key is within the bounds. The table's range already ensures most of it. Only where
    /// key and bound differ in length may it have compared a record number with key bytes.
    #[inline]
    fn contains(&self, key: &[u8]) -> bool {
        let above = match &self.lower {
            Bound::Included(lower) => key.len() >= lower.len() || key >= lower.as_slice(),
            Bound::Excluded(lower) => key > lower.as_slice(),
            Bound::Unbounded => true,
        };
        let below = match &self.upper {
            Bound::Included(upper) => key.len() == upper.len() || key <= upper.as_slice(),
            Bound::Excluded(upper) => key.len() >= upper.len() || key < upper.as_slice(),
            Bound::Unbounded => true,
        };
        above && below
    }
}

impl<'t> Iterator for CatalogRecords<'t> {
    type Item = Result<CatalogRow<'t>, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        let row = self.rows.next()?;
        Some(row.map(|(key, value)| CatalogRow {
            names: codec::catalog_names(key).ok(),
            record: codec::unseal(key, value, CATALOG_RECORD).ok(),
        }))
    }
}
