//! Rows that are put behind all others of a table.
//!
//! LMDB's append mode leaves each page full, but goes down from the root for every row, to find the
//! end. Without that mode a cursor that is at the last row finds it at once, but when the page is full
//! LMDB moves its last row to the next page and copies the others. So a row that fits is put in the one
//! way and a row that does not in the other. Which it is, is only a guess about LMDB's pages: a wrong one
//! costs time or room and nothing else.

use heed::{PutFlags, ReservedSpace};

use super::env::Cursor;

const PAGE_HEADER_BYTES: usize = 16;
const NODE_HEADER_BYTES: usize = 8;
/// The place of a row is noted at the front of its page.
const PLACE_BYTES: usize = 2;
/// In place of a value that lies on pages of its own.
const PAGE_NUMBER_BYTES: usize = 8;

/// The end of a table, while rows are put there.
pub(super) struct Ending<'c, 't> {
    cursor: &'c mut Cursor<'t>,
    /// Bytes for rows on an empty page.
    page_room: usize,
    /// How many of them are left on the last page, once that is known.
    left: Option<usize>,
    /// Where the last row begins.
    last_row: Option<usize>,
    appends: bool,
}

impl<'c, 't> Ending<'c, 't> {
    /// Of the table that the cursor is in.
    pub(super) fn new(cursor: &'c mut Cursor<'t>, page_bytes: usize) -> Self {
        let page_room = page_bytes.saturating_sub(PAGE_HEADER_BYTES);
        Self { cursor, page_room, left: None, last_row: None, appends: true }
    }

    /// Not quite the end: rows of somebody else lie behind, so nothing is appended.
    pub(super) fn in_front_of_others(cursor: &'c mut Cursor<'t>) -> Self {
        Self { cursor, page_room: 0, left: None, last_row: None, appends: false }
    }

    /// Puts a row; `write` writes its value of `len` bytes.
    pub(super) fn put(
        &mut self,
        key: &[u8],
        len: usize,
        write: impl FnOnce(&mut ReservedSpace<'_>) -> std::io::Result<()>,
    ) -> Result<(), heed::Error> {
        if !self.appends {
            return self.cursor.put_with(PutFlags::empty(), key, len, write).map(drop);
        }
        let row = self.row_bytes(key.len(), len);
        let fits = self.left.is_some_and(|left| row.bytes + PLACE_BYTES <= left);
        let flags = if fits { PutFlags::empty() } else { PutFlags::APPEND };
        let address = self.cursor.put_with(flags, key, len, write)?;
        let begins = address.wrapping_sub(NODE_HEADER_BYTES + key.len());
        // On one page each row lies right in front of the one before.
        let is_beside = self.last_row.is_none_or(|last| begins.wrapping_add(row.bytes) == last);
        self.left = match self.left {
            Some(left) if fits => Some(left - row.bytes - PLACE_BYTES),
            None if is_beside || row.is_apart => None,
            _ => self.page_room.checked_sub(row.bytes + PLACE_BYTES),
        };
        self.last_row = (!row.is_apart).then_some(begins);
        Ok(())
    }

    fn row_bytes(&self, key: usize, value: usize) -> Row {
        let bytes = NODE_HEADER_BYTES + key + value;
        // Two rows have to find room on a page.
        let is_apart = bytes + PLACE_BYTES > self.page_room / 2;
        let bytes = if is_apart { NODE_HEADER_BYTES + key + PAGE_NUMBER_BYTES } else { bytes };
        Row { bytes: bytes.next_multiple_of(2), is_apart }
    }
}

/// What a row takes on its page.
#[derive(Clone, Copy)]
struct Row {
    bytes: usize,
    /// Its value lies on pages of its own.
    is_apart: bool,
}
