//! The two header pages (LMDB's meta pages). LMDB writes them in turn; the one with the higher transaction
//! number is current.

use super::source::{Source, u16_at, u32_at, u64_at};
use crate::store::StoreError;

/// The data format of LMDB 0.9.
pub(in crate::store) const DATA_VERSION: u32 = 1;

const MAGIC: u32 = 0xBEEF_C0DE;
/// The first bytes of a file that show whether LMDB wrote it.
pub(in crate::store) const HEADER_BEGIN_BYTES: usize = 20;
const PAGE_IS_META: u16 = 0x08;
const KEYS_ARE_INTEGERS: u16 = 0x08;
const META_BYTES: usize = 152;
const TREE_BYTES: usize = 48;
/// The root of an empty tree.
pub(super) const NO_PAGE: u64 = u64::MAX;
/// No file system holds 2^44 pages; a larger number is damage.
const PAGES_MAX: u64 = 1 << 44;

/// A tree's record (`MDB_db`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Tree {
    pub(super) pad: u32,
    pub(super) flags: u16,
    pub(super) depth: u16,
    pub(super) branch_pages: u64,
    pub(super) leaf_pages: u64,
    pub(super) overflow_pages: u64,
    pub(super) entries: u64,
    pub(super) root: u64,
}

impl Tree {
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        if bytes.len() < TREE_BYTES {
            return None;
        }
        Some(Self {
            pad: u32_at(bytes, 0)?,
            flags: u16_at(bytes, 4)?,
            depth: u16_at(bytes, 6)?,
            branch_pages: u64_at(bytes, 8)?,
            leaf_pages: u64_at(bytes, 16)?,
            overflow_pages: u64_at(bytes, 24)?,
            entries: u64_at(bytes, 32)?,
            root: u64_at(bytes, 40)?,
        })
    }
}

/// A header page, as far as the walk needs it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header {
    pub(super) page_bytes: usize,
    pub(super) last_page: u64,
    pub(super) txn: u64,
    pub(super) free: Tree,
    pub(super) main: Tree,
}

/// Whether these first bytes of a file are LMDB's, damaged or not.
pub(in crate::store) fn begins_like_a_store(bytes: &[u8]) -> bool {
    u32_at(bytes, 16) == Some(MAGIC)
}

/// Reads and checks both headers. Returns the current one, then the previous one.
pub(super) fn read_headers(source: &Source<'_>) -> Result<(Header, Header), StoreError> {
    let mut first = [0; META_BYTES];
    if source.read(0, &mut first)?.is_none() {
        return Err(StoreError::NotADatabase {
            what: format!("a file of {} bytes is too short", source.len),
        });
    }
    if u32_at(&first, 16) != Some(MAGIC) {
        return Err(foreign(source, &first));
    }
    let a = meta(&first, 0)?;
    let mut second = [0; META_BYTES];
    if source.read(a.page_bytes as u64, &mut second)?.is_none() {
        return Err(StoreError::damaged("the file is truncated in its header"));
    }
    let b = meta(&second, 1)?;
    if a.page_bytes != b.page_bytes {
        return Err(StoreError::damaged("the two headers have different page sizes"));
    }
    let (newer, older) = if b.txn > a.txn { (b, a) } else { (a, b) };
    let fresh = a.txn == 0 && b.txn == 0;
    let in_turn = a.txn.is_multiple_of(2) && !b.txn.is_multiple_of(2) && a.txn.abs_diff(b.txn) == 1;
    if !fresh && !in_turn {
        return Err(StoreError::damaged("the transaction numbers of the two headers do not match"));
    }
    if newer.last_page < 1 || newer.last_page >= PAGES_MAX {
        return Err(StoreError::damaged("the header's number of pages is invalid"));
    }
    for (tree, flags) in [(newer.free, KEYS_ARE_INTEGERS), (newer.main, 0)] {
        if tree.flags != flags {
            return Err(StoreError::damaged("a flag in the header is wrong"));
        }
        if tree.root != NO_PAGE && !(2..=newer.last_page).contains(&tree.root) {
            return Err(StoreError::damaged("a root page in the header is outside the file"));
        }
    }
    Ok((newer, older))
}

fn meta(bytes: &[u8], page: u64) -> Result<Header, StoreError> {
    let damaged = || StoreError::damaged(format!("header {page} is overwritten"));
    if u64_at(bytes, 0) != Some(page)
        || u16_at(bytes, 10) != Some(PAGE_IS_META)
        || u32_at(bytes, 16) != Some(MAGIC)
    {
        return Err(damaged());
    }
    let version = u32_at(bytes, 20).ok_or_else(damaged)?;
    if version != DATA_VERSION {
        return Err(StoreError::VersionMismatch { found: version, expected: DATA_VERSION });
    }
    let free = bytes.get(40..88).and_then(Tree::parse).ok_or_else(damaged)?;
    let main = bytes.get(88..136).and_then(Tree::parse).ok_or_else(damaged)?;
    // LMDB stores the page size in this tree's otherwise unused field.
    let page_bytes = free.pad as usize;
    if !page_bytes.is_power_of_two() || !(4_096..=32_768).contains(&page_bytes) {
        return Err(StoreError::damaged("the header's page size is invalid"));
    }
    Ok(Header {
        page_bytes,
        last_page: u64_at(bytes, 136).ok_or_else(damaged)?,
        txn: u64_at(bytes, 144).ok_or_else(damaged)?,
        free,
        main,
    })
}

/// The error for a file whose first page is not a header.
fn foreign(source: &Source<'_>, first: &[u8]) -> StoreError {
    let mut second = [0; 20];
    for page_bytes in [4096, 8192, 16_384, 32_768, 65_536] {
        if matches!(source.read(page_bytes, &mut second), Ok(Some(())))
            && u32_at(&second, 16) == Some(MAGIC)
        {
            return StoreError::damaged("header 0 is overwritten");
        }
    }
    StoreError::NotADatabase { what: looks_like(first).to_owned() }
}

fn looks_like(first: &[u8]) -> &'static str {
    let is_text = |byte: &u8| matches!(byte, 9 | 10 | 13 | 32..=126) || *byte >= 128;
    if first.starts_with(b"SQLite format 3\0") {
        "it is a SQLite database"
    } else if first.starts_with(&[0x1F, 0x8B]) {
        "it is a gzip archive; decompress it first"
    } else if first.starts_with(b"PK\x03\x04") {
        "it is a zip archive"
    } else if u32_at(first, 16) == Some(MAGIC.swap_bytes()) {
        "it was written on a computer with another byte order"
    } else if first.iter().all(|byte| *byte == 0) {
        "it contains only zeros"
    } else if std::str::from_utf8(first.get(..64).unwrap_or(first)).is_ok()
        && first.iter().all(is_text)
    {
        "it looks like text; import it instead"
    } else {
        "its header is not that of an LMDB file"
    }
}
