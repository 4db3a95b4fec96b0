//! Rows that are written or removed together, in key order.
//!
//! Neighbors share a page. So a cursor that stays at the last row finds most places without a search, and
//! each page is changed in one go.

use std::io::Write;
use std::ops::Bound;

use heed::{PutFlags, RwTxn};

use super::append::AppendCursor;
use super::codec;
use crate::limits::{RUN_ROWS_MIN, SET_ASIDE_BYTES};
use crate::store::txn::env::Cursor;
use crate::store::txn::tables::{Row, Table};
use crate::store::{CollectionId, IndexId, RecordNumber, StoreError, Writer};

/// Entries of one index, collected to be put or removed together.
pub struct EntryRows {
    index: IndexId,
    keys: Vec<u8>,
    rows: Vec<KeySpan>,
}

/// One entry: the span of its key in `EntryRows::keys`, and its value.
#[derive(Clone, Copy)]
struct KeySpan {
    /// The first bytes after the index id: most comparisons need no more.
    head: u128,
    start: usize,
    end: usize,
    record_at: usize,
    value: [u8; 4],
}

impl EntryRows {
    /// No entries yet.
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
        self.rows.push(KeySpan { head, start, end: self.keys.len(), record_at, value });
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

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Bytes of their keys and values in the table `entries`.
    pub fn bytes(&self) -> u64 {
        (self.keys.len() + self.rows.len() * size_of::<u32>()) as u64
    }

    /// Removes all but the first `len`.
    pub fn truncate(&mut self, len: usize) {
        if let Some(row) = self.rows.get(len) {
            self.keys.truncate(row.start);
            self.rows.truncate(len);
        }
    }

    fn sort(&mut self) {
        let Self { keys, rows, .. } = self;
        let whole = |row: &KeySpan| keys.get(row.start..row.end).unwrap_or_default();
        let order =
            |a: &KeySpan, b: &KeySpan| a.head.cmp(&b.head).then_with(|| whole(a).cmp(whole(b)));
        if !rows.is_sorted_by(|a, b| order(a, b).is_lt()) {
            rows.sort_unstable_by(order);
        }
    }

    fn key(&self, row: &KeySpan) -> &[u8] {
        self.keys.get(row.start..row.end).unwrap_or_default()
    }

    /// The prefix that all entries of one value share: index id and value key.
    fn value_key(&self, row: &KeySpan) -> &[u8] {
        self.keys.get(row.start..row.record_at).unwrap_or_default()
    }

    /// Whether two of the sorted entries have the same value key.
    fn has_duplicate(&self) -> bool {
        let mut pairs = self.rows.iter().zip(self.rows.iter().skip(1));
        pairs.any(|(a, b)| self.value_key(a) == self.value_key(b))
    }
}

/// The first sixteen bytes as a number, padded with zeros.
#[inline]
fn head_of(bytes: &[u8]) -> u128 {
    if let Some(head) = bytes.first_chunk() {
        return u128::from_be_bytes(*head);
    }
    let half = |bytes: &[u8; 8]| u128::from(u64::from_be_bytes(*bytes));
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        // The halves overlap in the middle.
        return half(first) << u64::BITS | half(last) << ((16 - bytes.len()) * 8);
    }
    let mut head = [0; 16];
    head.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    u128::from_be_bytes(head)
}

/// Key and value, copied out of the table.
type OwnedRow = (Vec<u8>, Vec<u8>);

/// How to put rows that follow all others of their collection or index.
enum Tail {
    /// They are the last rows of the table.
    Append,
    /// These rows follow them. They are removed, so that pages fill up, and reinserted at the end. With
    /// `are_all`, no further rows follow.
    SetAside { rows: Vec<OwnedRow>, are_all: bool },
    /// As single rows: the run is too short to gain, or too much follows.
    Insert,
}

impl Writer<'_> {
    /// Puts entries of records that the index does not hold yet. With `is_unique`, no two entries may have
    /// the same value key: if some would, none is put and the result is false.
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
        if is_unique && entries.has_duplicate() {
            return Ok(false);
        }
        self.operations += entries.len();
        self.forget_last();
        let table = self.tables.entries;
        let result = put_entries(table, &mut self.txn, entries, is_unique);
        self.checked(result)
    }

    /// Removes entries. Returns how many existed, and their bytes.
    ///
    /// # Errors
    /// When LMDB fails.
    pub fn delete_entries(&mut self, entries: &mut EntryRows) -> Result<(u64, u64), StoreError> {
        entries.sort();
        self.operations += entries.len();
        let result = delete_entries(self.tables.entries, &mut self.txn, entries);
        self.checked(result)
    }

    /// Stores new documents under these record numbers, which ascend and are above all others of the
    /// collection.
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
            put_tail(table, txn, collection.0, documents.iter(), |cursor, (record, bytes)| {
                let key = codec::document_key(collection.0, *record);
                let header = codec::document_header(&key, modified_ms, bytes);
                cursor.put(&key, header.len() + bytes.len(), |space| {
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
    let (among, after) = match last_of(table, txn, id)? {
        None => entries.rows.split_at(0),
        Some(last) => {
            let at = entries.rows.partition_point(|row| entries.key(row) < last.0);
            let (among, after) = entries.rows.split_at(at);
            let is_taken = |row: &KeySpan| codec::is_under(last, entries.value_key(row));
            if is_unique && after.first().is_some_and(is_taken) {
                return Ok(false);
            }
            (among, after)
        }
    };
    if !put_among(table, txn, entries, among, is_unique)? {
        return Ok(false);
    }
    if !after.is_empty() {
        put_tail(table, txn, id, after.iter(), |cursor, row| {
            cursor.put(entries.key(row), row.value.len(), |space| space.write_all(&row.value))
        })?;
    }
    Ok(true)
}

/// Puts entries among others. When the value key of one is taken, all are removed again and the result is
/// false.
fn put_among(
    table: Table,
    txn: &mut RwTxn<'_>,
    entries: &EntryRows,
    rows: &[KeySpan],
    is_unique: bool,
) -> Result<bool, heed::Error> {
    if rows.is_empty() {
        return Ok(true);
    }
    let mut cursor = Cursor::new(table, txn)?;
    for (count, row) in rows.iter().enumerate() {
        cursor.put(PutFlags::empty(), entries.key(row), &row.value)?;
        // Existing records have lower numbers, so an entry with this value key would be just before.
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
fn last_of<'t>(table: Table, txn: &'t RwTxn<'_>, id: u32) -> Result<Option<Row<'t>>, heed::Error> {
    let last = match id.checked_add(1) {
        Some(next) => table.get_lower_than(txn, &codec::id_bound(next))?,
        None => table.last(txn)?,
    };
    Ok(last.filter(|(key, _)| codec::leading_id(key) == Some(id)))
}

/// Puts rows, through `put`, that follow all others of a collection or an index. The rows after a
/// long run, as many as may share its last page, are set aside until then.
fn put_tail<R>(
    table: Table,
    txn: &mut RwTxn<'_>,
    id: u32,
    mut rows: impl ExactSizeIterator<Item = R>,
    mut put: impl FnMut(&mut AppendCursor<'_, '_>, R) -> Result<(), heed::Error>,
) -> Result<(), heed::Error> {
    let tail = tail(table, txn, id, rows.len())?;
    let page_bytes = table.stat(txn)?.page_size as usize;
    let mut cursor = Cursor::new(table, txn)?;
    // LMDB leaves a page full only when the row that does not fit is the last one on it. Otherwise
    // it splits the page in half, so rows that ascend before another index's rows would leave every
    // page half empty.
    if let Tail::SetAside { rows, .. } = &tail {
        for (key, _) in rows {
            cursor.delete(key)?;
        }
    }
    let mut end = match tail {
        Tail::Append | Tail::SetAside { are_all: true, .. } => {
            AppendCursor::new(&mut cursor, page_bytes)
        }
        Tail::SetAside { .. } => {
            AppendCursor::with_sentinel(&mut cursor, page_bytes, codec::sentinel(id))
        }
        Tail::Insert => AppendCursor::before_others(&mut cursor),
    };
    rows.try_for_each(|row| put(&mut end, row))?;
    end.finish()?;
    match tail {
        Tail::SetAside { rows, .. } => {
            rows.iter().try_for_each(|(key, value)| cursor.put(PutFlags::empty(), key, value))
        }
        Tail::Append | Tail::Insert => Ok(()),
    }
}

fn tail(table: Table, txn: &RwTxn<'_>, id: u32, count: usize) -> Result<Tail, heed::Error> {
    let Some(next) = id.checked_add(1) else { return Ok(Tail::Append) };
    let bound = codec::id_bound(next);
    let bounds = (Bound::Included(bound.as_slice()), Bound::Unbounded);
    let (mut rows, mut bytes, mut are_all) = (Vec::new(), 0, true);
    for row in table.range(txn, &bounds)? {
        let (key, value) = row?;
        bytes += key.len() + value.len();
        if count < RUN_ROWS_MIN || bytes > SET_ASIDE_BYTES {
            are_all = false;
            break;
        }
        rows.push((key.to_vec(), value.to_vec()));
    }
    Ok(match (bytes, rows.is_empty()) {
        (0, _) => Tail::Append,
        (_, true) => Tail::Insert,
        (_, false) => Tail::SetAside { rows, are_all },
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
