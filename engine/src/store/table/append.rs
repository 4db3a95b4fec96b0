//! Rows that are put behind all others of a table.
//!
//! LMDB's append mode leaves each page full, but goes down from the root for every row, to find the
//! end. Without that mode a cursor that is at the last row finds it at once, but when the page is full
//! LMDB moves its last row to the next page and copies the others. So a row that fits is put in the one
//! way and a row that does not in the other. Which it is, is only a guess about LMDB's pages: a wrong one
//! costs time or room and nothing else.

use heed::{PutFlags, ReservedSpace};

use crate::store::txn::env::Cursor;

const PAGE_HEADER_BYTES: usize = 16;
const NODE_HEADER_BYTES: usize = 8;
/// The place of a row is noted at the front of its page.
const PLACE_BYTES: usize = 2;
/// In place of a value that lies on pages of its own.
const PAGE_NUMBER_BYTES: usize = 8;

/// Rows on a page from which on a fence saves more searches than it costs.
const FENCED_ROWS_MIN: usize = 8;

/// The end of a table, or of one collection's or index's part of it, while rows are put there.
pub(super) struct Ending<'c, 't> {
    cursor: &'c mut Cursor<'t>,
    /// Bytes for rows on an empty page.
    page_room: usize,
    /// How many of them are left on the last page, once that is known.
    left: Option<usize>,
    /// Where the last row begins.
    last_row: Option<usize>,
    behind: Behind,
}

/// What lies behind the rows.
enum Behind {
    Nothing,
    /// Rows of somebody else, so nothing can be appended.
    Others,
    /// As before; while `left` is known, a row of our own stands between. LMDB looks for the place of a
    /// row behind the last one of a page from the root, and for any other on the page.
    Fence {
        key: Vec<u8>,
        /// Rows were put since it was, so that it lies in front of them on its page.
        is_followed: bool,
    },
}

impl<'c, 't> Ending<'c, 't> {
    /// Of the table that the cursor is in.
    pub(super) fn new(cursor: &'c mut Cursor<'t>, page_bytes: usize) -> Self {
        Self::with(cursor, page_bytes, Behind::Nothing)
    }

    /// Not quite the end: rows of somebody else lie behind.
    pub(super) fn in_front_of_others(cursor: &'c mut Cursor<'t>) -> Self {
        Self::with(cursor, 0, Behind::Others)
    }

    /// As [`Ending::in_front_of_others`] for many rows, when `fence` lies behind all of them and in front
    /// of what others have. It is in nobody's way until [`Ending::finish`].
    pub(super) fn fenced(cursor: &'c mut Cursor<'t>, page_bytes: usize, fence: Vec<u8>) -> Self {
        Self::with(cursor, page_bytes, Behind::Fence { key: fence, is_followed: false })
    }

    fn with(cursor: &'c mut Cursor<'t>, page_bytes: usize, behind: Behind) -> Self {
        let page_room = page_bytes.saturating_sub(PAGE_HEADER_BYTES);
        Self { cursor, page_room, left: None, last_row: None, behind }
    }

    /// Puts a row; `write` writes its value of `len` bytes.
    pub(super) fn put(
        &mut self,
        key: &[u8],
        len: usize,
        write: impl FnOnce(&mut ReservedSpace<'_>) -> std::io::Result<()>,
    ) -> Result<(), heed::Error> {
        if matches!(self.behind, Behind::Others) {
            return self.cursor.put_with(PutFlags::empty(), key, len, write).map(drop);
        }
        let row = self.row_bytes(key.len(), len);
        let fits = self.left.is_some_and(|left| row.bytes + PLACE_BYTES <= left);
        if !fits {
            self.take_fence_away()?;
        }
        let appends = !fits && matches!(self.behind, Behind::Nothing);
        let flags = if appends { PutFlags::APPEND } else { PutFlags::empty() };
        let address = self.cursor.put_with(flags, key, len, write)?;
        let begins = address.wrapping_sub(NODE_HEADER_BYTES + key.len());
        // On one page each row lies right in front of the one before.
        let is_beside = self.last_row.is_none_or(|last| begins.wrapping_add(row.bytes) == last);
        self.last_row = (!row.is_apart).then_some(begins);
        let taken = row.bytes + PLACE_BYTES;
        match (&mut self.behind, self.left) {
            (Behind::Fence { is_followed, .. }, Some(left)) => {
                *is_followed = true;
                self.left = Some(left - taken);
            }
            (Behind::Fence { .. }, None) if is_beside || row.is_apart => {}
            // The page is new: a row that finds no room takes the last one with it.
            (Behind::Fence { .. }, None) if taken * FENCED_ROWS_MIN <= self.page_room => {
                self.put_fence(2 * taken)?;
            }
            (Behind::Fence { .. }, None) => {}
            (_, Some(left)) if fits => self.left = Some(left - taken),
            (_, None) if is_beside || row.is_apart => {}
            _ => self.left = self.page_room.checked_sub(taken),
        }
        Ok(())
    }

    /// Puts the fence behind the last row, on whose page are rows of so many bytes.
    fn put_fence(&mut self, taken: usize) -> Result<(), heed::Error> {
        let Behind::Fence { key, is_followed } = &mut self.behind else { return Ok(()) };
        let address = self.cursor.put_with(PutFlags::empty(), key, 0, |_| Ok(()))?;
        *is_followed = false;
        let begins = address.wrapping_sub(NODE_HEADER_BYTES + key.len());
        let bytes = fence_bytes(key);
        // On another page it is of no use; it goes away with the next row.
        let is_beside = self.last_row.is_some_and(|last| begins.wrapping_add(bytes) == last);
        let left = self.page_room.saturating_sub(taken + bytes + PLACE_BYTES);
        self.left = Some(if is_beside { left } else { 0 });
        Ok(())
    }

    fn take_fence_away(&mut self) -> Result<(), heed::Error> {
        let Behind::Fence { key, is_followed } = &self.behind else { return Ok(()) };
        if self.left.take().is_some() {
            self.cursor.delete(key)?;
            if *is_followed {
                // LMDB closes the gap.
                self.last_row = self.last_row.map(|last| last.wrapping_add(fence_bytes(key)));
            }
        }
        Ok(())
    }

    /// Takes away what was put for this work alone.
    pub(super) fn finish(mut self) -> Result<(), heed::Error> {
        self.take_fence_away()
    }

    fn row_bytes(&self, key: usize, value: usize) -> Row {
        let bytes = NODE_HEADER_BYTES + key + value;
        // Two rows have to find room on a page.
        let is_apart = bytes + PLACE_BYTES > self.page_room / 2;
        let bytes = if is_apart { NODE_HEADER_BYTES + key + PAGE_NUMBER_BYTES } else { bytes };
        Row { bytes: bytes.next_multiple_of(2), is_apart }
    }
}

fn fence_bytes(key: &[u8]) -> usize {
    (NODE_HEADER_BYTES + key.len()).next_multiple_of(2)
}

/// What a row takes on its page.
#[derive(Clone, Copy)]
struct Row {
    bytes: usize,
    /// Its value lies on pages of its own.
    is_apart: bool,
}
