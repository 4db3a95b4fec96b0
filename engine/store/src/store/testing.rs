//! Damage for tests: changes bytes of a data file, which may be open.

#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a test may fail where it stands"
)]

use std::fs;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;

/// Replaces some bytes of a data file, which may be open, by `byte(old)`.
pub(super) fn overwrite(folder: &Path, places: &[usize], byte: impl Fn(u8) -> u8) {
    let path = folder.join("data.mdb");
    let bytes = fs::read(&path).expect("a file");
    let mut file = fs::File::options().write(true).open(path).expect("a file");
    for at in places {
        file.seek(SeekFrom::Start(*at as u64)).expect("a place");
        file.write_all(&[byte(bytes[*at])]).expect("written");
    }
}

/// Flips a bit at the start of each of these texts in the data file of a folder.
pub fn rot(folder: &Path, texts: &[&[u8]]) {
    for text in texts {
        flip(folder, text, 0);
    }
}

/// Flips a bit of the byte after this text.
pub fn rot_after(folder: &Path, text: &[u8]) {
    flip(folder, text, text.len());
}

fn flip(folder: &Path, text: &[u8], offset: usize) {
    let bytes = fs::read(folder.join("data.mdb")).expect("a file");
    // LMDB may have left an older copy of the page: flip every one.
    let is_there = |at: &usize| bytes[*at..].starts_with(text);
    let places: Vec<usize> = (0..bytes.len()).filter(is_there).map(|at| at + offset).collect();
    assert!(!places.is_empty(), "{text:?}");
    overwrite(folder, &places, |byte| byte ^ 1);
}

/// Gives the second page below the root of a table an invalid number. The store may be open.
pub fn lose_page(folder: &Path, table: &str) {
    const PAGE: usize = 4096;
    let bytes = fs::read(folder.join("data.mdb")).expect("a file");
    let tables = &bytes[main_root(&bytes)..][..PAGE];
    let name = tables.windows(table.len()).position(|part| part == table.as_bytes());
    // The tree's record follows the name, and ends with the root's page number.
    let root = &tables[name.expect("a table") + table.len() + 40..][..8];
    let root = u64::from_ne_bytes(root.try_into().expect("8 bytes"));
    let root = usize::try_from(root).expect("a small number") * PAGE;
    let place = u16::from_ne_bytes([bytes[root + 18], bytes[root + 19]]);
    let node = root + usize::from(place);
    overwrite(folder, &[node + 2, node + 3], |_| 0x7f);
}

/// Offsets of the root of the tree of tables in both headers.
pub(super) const ROOTS: [usize; 2] = [128, 4096 + 128];

/// The offset of the tree of tables.
pub(super) fn main_root(bytes: &[u8]) -> usize {
    let txn = |at: usize| u64::from_ne_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
    let newer = if txn(144) > txn(4096 + 144) { ROOTS[0] } else { ROOTS[1] };
    usize::try_from(txn(newer)).expect("a small number") * 4096
}
