//! Appends rows at the end of a table, or of one collection's or index's part of it.
//!
//! LMDB's append mode leaves each page full, but searches from the root for every row to find the end.
//! Without that mode, a cursor at the last row finds the place at once. But when the page is full, LMDB
//! moves its last row to a new page and copies the others. So a row that fits on the page is put without
//! append mode, and a row that does not is put with it. Whether a row fits is only an estimate from LMDB's
//! page layout. A wrong one costs time or space, nothing else.

use heed::{PutFlags, ReservedSpace};

use crate::store::txn::env::Cursor;

const PAGE_HEADER_BYTES: usize = 16;
const NODE_HEADER_BYTES: usize = 8;
/// Each node has a slot in the array of offsets at the start of its page.
const SLOT_BYTES: usize = 2;
/// A value on overflow pages leaves only their page number in its node.
const PAGE_NUMBER_BYTES: usize = 8;

/// The fewest rows a page for which a sentinel saves more searches than it costs.
const SENTINEL_ROWS_MIN: usize = 8;

/// Puts rows in ascending order at one end. Call [`AppendCursor::finish`] after the last.
pub(super) struct AppendCursor<'c, 't> {
    cursor: &'c mut Cursor<'t>,
    /// Bytes for nodes and slots on an empty page.
    page_capacity: usize,
    /// The free bytes of the last page, once known.
    free_bytes: Option<usize>,
    /// The address of the last row's node.
    last_row: Option<usize>,
    following: Following,
}

/// The rows that follow in key order.
enum Following {
    Nothing,
    /// Rows of another collection or index, so append mode is impossible.
    OtherRows,
    /// As `OtherRows`, with a temporary row before them while `free_bytes` is known. LMDB searches from the
    /// root for a key above the last one of the cursor's page, and only on the page for any lower key.
    Sentinel {
        key: Vec<u8>,
        /// Rows were put since the sentinel was. LMDB fills a page from its end, so their nodes have lower
        /// addresses than the sentinel's.
        has_newer_rows: bool,
    },
}

impl<'c, 't> AppendCursor<'c, 't> {
    /// Appends at the end of the cursor's table.
    pub(super) fn new(cursor: &'c mut Cursor<'t>, page_bytes: usize) -> Self {
        Self::with(cursor, page_bytes, Following::Nothing)
    }

    /// Puts rows before those of another collection or index.
    pub(super) fn before_others(cursor: &'c mut Cursor<'t>) -> Self {
        Self::with(cursor, 0, Following::OtherRows)
    }

    /// As [`AppendCursor::before_others`] for many rows. The key `sentinel` sorts after all of them and
    /// before the rows of others.
    pub(super) fn with_sentinel(
        cursor: &'c mut Cursor<'t>,
        page_bytes: usize,
        sentinel: Vec<u8>,
    ) -> Self {
        Self::with(cursor, page_bytes, Following::Sentinel { key: sentinel, has_newer_rows: false })
    }

    fn with(cursor: &'c mut Cursor<'t>, page_bytes: usize, following: Following) -> Self {
        let page_capacity = page_bytes.saturating_sub(PAGE_HEADER_BYTES);
        Self { cursor, page_capacity, free_bytes: None, last_row: None, following }
    }

    /// Puts a row whose key is above that of the last one; `write` writes its value of `len` bytes.
    pub(super) fn put(
        &mut self,
        key: &[u8],
        len: usize,
        write: impl FnOnce(&mut ReservedSpace<'_>) -> std::io::Result<()>,
    ) -> Result<(), heed::Error> {
        if matches!(self.following, Following::OtherRows) {
            return self.cursor.put_with(PutFlags::empty(), key, len, write).map(drop);
        }
        let row = self.node_size(key.len(), len);
        let fits = self.free_bytes.is_some_and(|free| row.bytes + SLOT_BYTES <= free);
        if !fits {
            self.remove_sentinel()?;
        }
        let appends = !fits && matches!(self.following, Following::Nothing);
        let flags = if appends { PutFlags::APPEND } else { PutFlags::empty() };
        let address = self.cursor.put_with(flags, key, len, write)?;
        let begins = address.wrapping_sub(NODE_HEADER_BYTES + key.len());
        // On one page each node ends where the node put before it begins.
        let is_beside = self.last_row.is_none_or(|last| begins.wrapping_add(row.bytes) == last);
        self.last_row = (!row.is_overflow).then_some(begins);
        let taken = row.bytes + SLOT_BYTES;
        match (&mut self.following, self.free_bytes) {
            (Following::Sentinel { has_newer_rows, .. }, Some(free)) => {
                *has_newer_rows = true;
                self.free_bytes = Some(free - taken);
            }
            (Following::Sentinel { .. }, None) if is_beside || row.is_overflow => {}
            // The page is new and holds two rows: when a row does not fit, LMDB moves the last one too.
            (Following::Sentinel { .. }, None)
                if taken * SENTINEL_ROWS_MIN <= self.page_capacity =>
            {
                self.put_sentinel(2 * taken)?;
            }
            (Following::Sentinel { .. }, None) => {}
            (_, Some(free)) if fits => self.free_bytes = Some(free - taken),
            (_, None) if is_beside || row.is_overflow => {}
            _ => self.free_bytes = self.page_capacity.checked_sub(taken),
        }
        Ok(())
    }

    /// Puts the sentinel after the last row, whose page holds `taken` bytes of rows.
    fn put_sentinel(&mut self, taken: usize) -> Result<(), heed::Error> {
        let Following::Sentinel { key, has_newer_rows } = &mut self.following else {
            return Ok(());
        };
        let address = self.cursor.put_with(PutFlags::empty(), key, 0, |_| Ok(()))?;
        *has_newer_rows = false;
        let begins = address.wrapping_sub(NODE_HEADER_BYTES + key.len());
        let bytes = sentinel_bytes(key);
        // On another page it is useless: with no free bytes, the next `put` removes it.
        let is_beside = self.last_row.is_some_and(|last| begins.wrapping_add(bytes) == last);
        let free = self.page_capacity.saturating_sub(taken + bytes + SLOT_BYTES);
        self.free_bytes = Some(if is_beside { free } else { 0 });
        Ok(())
    }

    fn remove_sentinel(&mut self) -> Result<(), heed::Error> {
        let Following::Sentinel { key, has_newer_rows } = &self.following else { return Ok(()) };
        if self.free_bytes.take().is_some() {
            self.cursor.delete(key)?;
            if *has_newer_rows {
                // LMDB closes the gap that the sentinel leaves, so the newer nodes move up.
                self.last_row = self.last_row.map(|last| last.wrapping_add(sentinel_bytes(key)));
            }
        }
        Ok(())
    }

    /// Removes the sentinel.
    pub(super) fn finish(mut self) -> Result<(), heed::Error> {
        self.remove_sentinel()
    }

    fn node_size(&self, key: usize, value: usize) -> NodeSize {
        let bytes = NODE_HEADER_BYTES + key + value;
        // LMDB moves a value to overflow pages when two such nodes would not fit on a page.
        let is_overflow = bytes + SLOT_BYTES > self.page_capacity / 2;
        let bytes = if is_overflow { NODE_HEADER_BYTES + key + PAGE_NUMBER_BYTES } else { bytes };
        NodeSize { bytes: bytes.next_multiple_of(2), is_overflow }
    }
}

fn sentinel_bytes(key: &[u8]) -> usize {
    (NODE_HEADER_BYTES + key.len()).next_multiple_of(2)
}

/// The space that a row takes on its leaf page.
#[derive(Clone, Copy)]
struct NodeSize {
    bytes: usize,
    is_overflow: bool,
}
