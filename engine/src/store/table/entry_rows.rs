//! Rows that are written or removed together, in the order of their keys.
//!
//! Neighbours lie on the same page. So a cursor that stays where it was finds most places without a
//! search, and each page is changed once and not now and then.

use std::io::Write;
use std::ops::Bound;

use heed::{PutFlags, RwTxn};

use super::append::Ending;
use super::codec;
use crate::limits::{RUN_ROWS_MIN, SET_ASIDE_BYTES};
use crate::store::txn::env::{Cursor, Row as Lent, Table};
use crate::store::{CollectionId, IndexId, RecordNumber, StoreError, Writer};

/// Entries of one index, gathered to be put or removed together.
pub struct EntryRows {
    index: IndexId,
    keys: Vec<u8>,
    rows: Vec<Row>,
}

/// Where one entry's key lies among the keys.
#[derive(Clone, Copy)]
struct Row {
    /// The first bytes behind the index id, so that most comparisons need no look at the key.
    head: u128,
    start: usize,
    end: usize,
    /// Where the value key ends.
    record_at: usize,
    value: [u8; 4],
}

impl EntryRows {
    /// None yet.
    #[must_use]
    pub fn new(index: IndexId) -> Self {
        Self { index, keys: Vec::new(), rows: Vec::new() }
    }

    /// Adds the entry of a record; `write_key` appends its value key and says whether it is exact.
    ///
    /// # Errors
    /// `Bug` when the key is longer than `limits::VALUE_KEY_BYTES_MAX`.
    pub fn push_with(
        &mut self,
        record: RecordNumber,
        write_key: impl FnOnce(&mut Vec<u8>) -> bool,
    ) -> Result<(), StoreError> {
        let start = self.keys.len();
        let key_start = codec::begin_entry_key(&mut self.keys, self.index.0);
        let exact = write_key(&mut self.keys);
        let record_at = self.keys.len();
        codec::end_entry_key(&mut self.keys, key_start, record)?;
        let key = self.keys.get(start..).unwrap_or_default();
        let value = codec::entry_value(key, record, exact);
        let head = head_of(self.keys.get(key_start..).unwrap_or_default());
        self.rows.push(Row { head, start, end: self.keys.len(), record_at, value });
        Ok(())
    }

    /// Adds the entry of a record with this value key.
    ///
    /// # Errors
    /// As [`EntryRows::push_with`].
    pub fn push(
        &mut self,
        key: &[u8],
        record: RecordNumber,
        exact: bool,
    ) -> Result<(), StoreError> {
        self.push_with(record, |keys| {
            keys.extend_from_slice(key);
            exact
        })
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// What they take in the table of entries.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        (self.keys.len() + self.rows.len() * size_of::<u32>()) as u64
    }

    /// Takes back what was added behind the first `len`.
    pub fn truncate(&mut self, len: usize) {
        if let Some(row) = self.rows.get(len) {
            self.keys.truncate(row.start);
            self.rows.truncate(len);
        }
    }

    /// In the order of their keys.
    fn sort(&mut self) {
        let Self { keys, rows, .. } = self;
        let whole = |row: &Row| keys.get(row.start..row.end).unwrap_or_default();
        let order = |a: &Row, b: &Row| a.head.cmp(&b.head).then_with(|| whole(a).cmp(whole(b)));
        if !rows.is_sorted_by(|a, b| order(a, b).is_lt()) {
            rows.sort_unstable_by(order);
        }
    }

    fn key(&self, row: &Row) -> &[u8] {
        self.keys.get(row.start..row.end).unwrap_or_default()
    }

    /// Index id and value key: what the entries of one value have in common.
    fn value_key(&self, row: &Row) -> &[u8] {
        self.keys.get(row.start..row.record_at).unwrap_or_default()
    }

    /// Whether two of the sorted entries have the same value key.
    fn has_twice(&self) -> bool {
        let mut pairs = self.rows.iter().zip(self.rows.iter().skip(1));
        pairs.any(|(a, b)| self.value_key(a) == self.value_key(b))
    }
}

/// The first bytes, as if nothing but zeros stood behind the last.
#[inline]
fn head_of(bytes: &[u8]) -> u128 {
    if let Some(head) = bytes.first_chunk() {
        return u128::from_be_bytes(*head);
    }
    let half = |bytes: &[u8; 8]| u128::from(u64::from_be_bytes(*bytes));
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        // The halves share the bytes in the middle.
        return half(first) << u64::BITS | half(last) << ((16 - bytes.len()) * 8);
    }
    let mut head = [0; 16];
    head.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    u128::from_be_bytes(head)
}

/// A row that was copied.
type Copied = (Vec<u8>, Vec<u8>);

/// How rows that lie behind all others of their kind are put.
enum Tail {
    /// Nothing lies behind them.
    Append,
    /// These rows did; they are taken out, so that pages get full, and have to be put again. Others may
    /// lie behind them.
    Aside { rows: Vec<Copied>, are_all: bool },
    /// As any other row.
    Insert,
}

impl Writer<'_> {
    /// Puts new entries, of records that the index has no entries of; `is_unique` if no two may have
    /// the same value key. False when some would, and then none of them is put.
    ///
    /// # Errors
    /// `DiskFull` when the store takes only deletions; when LMDB fails.
    pub fn put_entries(
        &mut self,
        entries: &mut EntryRows,
        is_unique: bool,
    ) -> Result<bool, StoreError> {
        self.check_room()?;
        entries.sort();
        if entries.is_empty() {
            return Ok(true);
        }
        if is_unique && entries.has_twice() {
            return Ok(false);
        }
        self.operations += entries.len();
        self.forget_last();
        let table = self.tables.entries;
        let result = put_entries(table, &mut self.txn, entries, is_unique);
        self.checked(result)
    }

    /// Removes entries; says how many were there, and what they took.
    ///
    /// # Errors
    /// When LMDB fails.
    pub fn delete_entries(&mut self, entries: &mut EntryRows) -> Result<(u64, u64), StoreError> {
        entries.sort();
        self.operations += entries.len();
        let result = delete_entries(self.tables.entries, &mut self.txn, entries);
        self.checked(result)
    }

    /// Stores new documents under these record numbers, which ascend and lie above all of the
    /// collection's.
    ///
    /// # Errors
    /// `DiskFull` when the store takes only deletions; when LMDB fails.
    pub fn put_documents(
        &mut self,
        collection: CollectionId,
        modified_ms: i64,
        documents: &[(RecordNumber, &[u8])],
    ) -> Result<(), StoreError> {
        self.check_room()?;
        codec::check_record(documents.last().map_or(0, |(record, _)| *record))?;
        self.operations += documents.len();
        self.forget_last();
        let (table, txn) = (self.tables.documents, &mut self.txn);
        let result =
            put_tail(table, txn, collection.0, documents.iter(), |end, (record, bytes)| {
                let key = codec::document_key(collection.0, *record);
                let header = codec::document_header(&key, modified_ms, bytes);
                end.put(&key, header.len() + bytes.len(), |space| {
                    space.write_all(&header)?;
                    space.write_all(bytes)
                })
            });
        self.checked(result)
    }

    /// Removes documents, given in ascending order.
    ///
    /// # Errors
    /// When LMDB fails.
    pub fn delete_documents(
        &mut self,
        collection: CollectionId,
        records: &[RecordNumber],
    ) -> Result<(), StoreError> {
        self.operations += records.len();
        let result = Cursor::new(self.tables.documents, &mut self.txn).and_then(|mut cursor| {
            for record in records {
                cursor.delete(&codec::document_key(collection.0, *record))?;
            }
            Ok(())
        });
        self.checked(result)
    }
}

fn put_entries(
    table: Table,
    txn: &mut RwTxn<'_>,
    entries: &EntryRows,
    is_unique: bool,
) -> Result<bool, heed::Error> {
    let id = entries.index.0;
    let (among, behind) = match last_of(table, txn, id)? {
        None => entries.rows.split_at(0),
        Some(last) => {
            let behind = entries.rows.partition_point(|row| entries.key(row) < last.0);
            let (among, behind) = entries.rows.split_at(behind);
            let is_taken = |row: &Row| codec::is_under(last, entries.value_key(row));
            if is_unique && behind.first().is_some_and(is_taken) {
                return Ok(false);
            }
            (among, behind)
        }
    };
    if !put_among(table, txn, entries, among, is_unique)? {
        return Ok(false);
    }
    if !behind.is_empty() {
        put_tail(table, txn, id, behind.iter(), |end, row| {
            end.put(entries.key(row), row.value.len(), |space| space.write_all(&row.value))
        })?;
    }
    Ok(true)
}

/// Puts entries between others. False, and nothing of it stays, when the value key of one is taken.
fn put_among(
    table: Table,
    txn: &mut RwTxn<'_>,
    entries: &EntryRows,
    rows: &[Row],
    is_unique: bool,
) -> Result<bool, heed::Error> {
    if rows.is_empty() {
        return Ok(true);
    }
    let mut cursor = Cursor::new(table, txn)?;
    for (count, row) in rows.iter().enumerate() {
        cursor.put(PutFlags::empty(), entries.key(row), &row.value)?;
        // Records that were there before have lower numbers, so their entries lie in front.
        let is_taken = is_unique
            && cursor
                .row_before()?
                .is_some_and(|before| codec::is_under(before, entries.value_key(row)));
        if is_taken {
            for row in rows.iter().take(count + 1) {
                cursor.delete(entries.key(row))?;
            }
            return Ok(false);
        }
    }
    Ok(true)
}

fn delete_entries(
    table: Table,
    txn: &mut RwTxn<'_>,
    entries: &EntryRows,
) -> Result<(u64, u64), heed::Error> {
    let (mut count, mut bytes) = (0, 0);
    let mut cursor = Cursor::new(table, txn)?;
    for row in &entries.rows {
        let key = entries.key(row);
        if cursor.delete(key)? {
            count += 1;
            bytes += (key.len() + row.value.len()) as u64;
        }
    }
    Ok((count, bytes))
}

/// The last row of a collection or an index.
fn last_of<'t>(table: Table, txn: &'t RwTxn<'_>, id: u32) -> Result<Option<Lent<'t>>, heed::Error> {
    let last = match id.checked_add(1) {
        Some(next) => table.get_lower_than(txn, &codec::id_bound(next))?,
        None => table.last(txn)?,
    };
    Ok(last.filter(|(key, _)| codec::leading_id(key) == Some(id)))
}

/// Lets `put` put rows that lie behind all others of a collection or an index, one after the other.
///
/// LMDB leaves a page full only when the row that finds no room is the last one on it; else it halves
/// the page. Rows that ascend in front of another index's would leave each page half empty. So a long
/// run is put while the rows behind it, as many as may share its last page, are out of the way.
fn put_tail<R>(
    table: Table,
    txn: &mut RwTxn<'_>,
    id: u32,
    mut rows: impl ExactSizeIterator<Item = R>,
    mut put: impl FnMut(&mut Ending<'_, '_>, R) -> Result<(), heed::Error>,
) -> Result<(), heed::Error> {
    let tail = tail(table, txn, id, rows.len())?;
    let page_bytes = table.stat(txn)?.page_size as usize;
    let mut cursor = Cursor::new(table, txn)?;
    if let Tail::Aside { rows, .. } = &tail {
        for (key, _) in rows {
            cursor.delete(key)?;
        }
    }
    let mut end = match tail {
        Tail::Append | Tail::Aside { are_all: true, .. } => Ending::new(&mut cursor, page_bytes),
        Tail::Aside { .. } => Ending::fenced(&mut cursor, page_bytes, codec::fence(id)),
        Tail::Insert => Ending::in_front_of_others(&mut cursor),
    };
    rows.try_for_each(|row| put(&mut end, row))?;
    end.finish()?;
    match tail {
        Tail::Aside { rows, .. } => {
            rows.iter().try_for_each(|(key, value)| cursor.put(PutFlags::empty(), key, value))
        }
        Tail::Append | Tail::Insert => Ok(()),
    }
}

fn tail(table: Table, txn: &RwTxn<'_>, id: u32, count: usize) -> Result<Tail, heed::Error> {
    let Some(next) = id.checked_add(1) else { return Ok(Tail::Append) };
    let bound = codec::id_bound(next);
    let bounds = (Bound::Included(bound.as_slice()), Bound::Unbounded);
    let (mut aside, mut bytes, mut are_all) = (Vec::new(), 0, true);
    for row in table.range(txn, &bounds)? {
        let (key, value) = row?;
        bytes += key.len() + value.len();
        if count < RUN_ROWS_MIN || bytes > SET_ASIDE_BYTES {
            are_all = false;
            break;
        }
        aside.push((key.to_vec(), value.to_vec()));
    }
    Ok(match (bytes, aside.is_empty()) {
        (0, _) => Tail::Append,
        (_, true) => Tail::Insert,
        (_, false) => Tail::Aside { rows: aside, are_all },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_the_first_sixteen_bytes() {
        let bytes: Vec<u8> = (200..220).collect();
        for len in 0..=bytes.len() {
            let bytes = &bytes[..len];
            let mut padded = [bytes, &[0; 16]].concat();
            padded.truncate(16);
            let expected = u128::from_be_bytes(padded.try_into().expect("16 bytes"));
            assert_eq!(head_of(bytes), expected, "{len} bytes");
        }
    }
}
