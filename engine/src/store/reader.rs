//! Reads within one transaction.

use std::marker::PhantomData;
use std::ops::Bound;

use super::{CollectionId, Counters, Entry, IndexId, Scan, StoreError, Stored};

/// One consistent snapshot of the store. What it lends lives as long as the transaction.
#[derive(Clone, Copy)]
pub struct Reader<'t> {
    lent: PhantomData<&'t ()>,
}

/// Documents of one collection, in order of record number.
pub struct Documents<'t> {
    lent: PhantomData<&'t ()>,
}

/// Entries of one index, in order of key, then record.
pub struct Entries<'t> {
    lent: PhantomData<&'t ()>,
}

/// All catalog records as `(database, collection, bytes)`, in order of name.
pub struct CatalogRecords<'t> {
    lent: PhantomData<&'t ()>,
}

impl<'t> Reader<'t> {
    /// The document with this record number.
    ///
    /// # Errors
    /// `Damaged` when its checksum is wrong; the message names the record.
    pub fn document(
        &self,
        _collection: CollectionId,
        _record: u64,
    ) -> Result<Option<Stored<'t>>, StoreError> {
        todo!()
    }

    /// Documents from record number `from` (inclusive) upwards or downwards.
    ///
    /// # Errors
    /// When LMDB fails.
    pub fn documents(
        &self,
        _collection: CollectionId,
        _from: u64,
        _direction: Scan,
    ) -> Result<Documents<'t>, StoreError> {
        todo!()
    }

    /// Entries whose value key lies between the bounds, which compare as bytes with the value key alone.
    ///
    /// # Errors
    /// When LMDB fails, or a bound is longer than a key can be.
    pub fn entries(
        &self,
        _index: IndexId,
        _lower: Bound<&[u8]>,
        _upper: Bound<&[u8]>,
        _direction: Scan,
    ) -> Result<Entries<'t>, StoreError> {
        todo!()
    }

    /// Goes on behind the entry `after`, which need no longer exist. `limit` is the upper bound of a
    /// forward scan and the lower bound of a backward scan.
    ///
    /// # Errors
    /// As [`Reader::entries`].
    pub fn entries_after(
        &self,
        _index: IndexId,
        _after: (&[u8], u64),
        _limit: Bound<&[u8]>,
        _direction: Scan,
    ) -> Result<Entries<'t>, StoreError> {
        todo!()
    }

    /// The counters of a collection or an index; all zero when none were set.
    ///
    /// # Errors
    /// `Damaged` when their checksum is wrong.
    pub fn counters(&self, _id: u32) -> Result<Counters, StoreError> {
        todo!()
    }

    /// All catalog records.
    ///
    /// # Errors
    /// When LMDB fails.
    pub fn catalog(&self) -> Result<CatalogRecords<'t>, StoreError> {
        todo!()
    }

    /// One catalog record.
    ///
    /// # Errors
    /// `Damaged` when its checksum is wrong.
    pub fn catalog_record(
        &self,
        _db: &str,
        _collection: &str,
    ) -> Result<Option<&'t [u8]>, StoreError> {
        todo!()
    }

    /// A named value of the store itself.
    ///
    /// # Errors
    /// `Damaged` when its checksum is wrong.
    pub fn meta(&self, _name: &str) -> Result<Option<&'t [u8]>, StoreError> {
        todo!()
    }
}

impl<'t> Iterator for Documents<'t> {
    type Item = Result<Stored<'t>, StoreError>;
    fn next(&mut self) -> Option<Self::Item> {
        todo!()
    }
}

impl<'t> Iterator for Entries<'t> {
    type Item = Result<Entry<'t>, StoreError>;
    fn next(&mut self) -> Option<Self::Item> {
        todo!()
    }
}

impl<'t> Iterator for CatalogRecords<'t> {
    type Item = Result<(&'t str, &'t str, &'t [u8]), StoreError>;
    fn next(&mut self) -> Option<Self::Item> {
        todo!()
    }
}
