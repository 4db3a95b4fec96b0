//! Checks whether the disk has space for an import.

use std::{fs, path::PathBuf};

use crate::collection::Collections;
use crate::transfer::{TransferError, limits::UNPACKED_SAMPLE_BYTES, read::input::Input};

/// The space that an import needs, and what is free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiskSpace {
    /// Decompressed size of the files in bytes, about what their documents need. Indexes come on
    /// top.
    pub needed_bytes: u64,
    /// Bytes that the store can still write: free on its disk plus free in its file.
    pub free_bytes: u64,
}

impl DiskSpace {
    /// Estimates what importing these files needs; `None` where the system doesn't report free
    /// space. Only the start of a compressed file is decompressed, and the rest is extrapolated.
    ///
    /// # Errors
    /// When a file can't be read.
    pub fn of(collections: &Collections, files: &[PathBuf]) -> Result<Option<Self>, TransferError> {
        let status = collections.store().status();
        let Some(on_disk) = status.free_bytes else { return Ok(None) };
        let in_file = status.file_bytes.saturating_sub(status.live_bytes);
        let free_bytes = on_disk.saturating_add(in_file);
        let mut needed_bytes = 0_u64;
        for file in files {
            needed_bytes = needed_bytes.saturating_add(unpacked_bytes(file, free_bytes / 2)?);
        }
        Ok(Some(Self { needed_bytes, free_bytes }))
    }

    /// Whether the import fits.
    pub fn is_enough(&self) -> bool {
        self.needed_bytes <= self.free_bytes
    }
}

/// A file's decompressed size, estimated for a compressed one. Decompresses at most `most` bytes.
fn unpacked_bytes(path: &PathBuf, most: u64) -> Result<u64, TransferError> {
    let mut input = Input::open(path, None)?;
    let len = fs::metadata(path).map_err(|error| TransferError::file(path, &error))?.len();
    if !input.is_compressed() {
        return Ok(len);
    }
    while !input.has_ended() && input.unpacked_bytes() < UNPACKED_SAMPLE_BYTES.min(most) {
        let here = input.bytes().len();
        input.consume(here);
        // The import itself reports what is wrong with the file.
        if input.fill().is_err() {
            break;
        }
    }
    let (unpacked, packed) = (input.unpacked_bytes(), input.packed_bytes().max(1));
    if input.has_ended() {
        return Ok(unpacked);
    }
    let whole = u128::from(unpacked) * u128::from(len) / u128::from(packed);
    Ok(u64::try_from(whole).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transfer::tests::{Fixture, gzip};

    #[test]
    fn what_files_need_is_their_size_unpacked() {
        let fixture = Fixture::new();
        let small = "{\"text\":\"some words that repeat\"}\n".repeat(10);
        let files = [
            fixture.file("plain.json", small.as_bytes()),
            fixture.file("small.json.gz", &gzip(small.as_bytes())),
            fixture.file("cut.json.gz", &gzip(small.as_bytes())[..20]),
        ];
        let needed = |files: &[PathBuf]| {
            DiskSpace::of(&fixture.collections, files)
                .unwrap()
                .map_or(0, |space| space.needed_bytes)
        };
        assert_eq!(needed(&files[..1]), small.len() as u64);
        assert_eq!(needed(&files[..2]), 2 * small.len() as u64);
        assert!(needed(&files) <= 3 * small.len() as u64);
        assert!(
            DiskSpace::of(&fixture.collections, &[fixture.folder.path().join("none")]).is_err()
        );
    }

    /// Only the start of a long gzip file is decompressed.
    #[test]
    fn what_a_long_packed_file_needs_is_told_from_its_beginning() {
        let fixture = Fixture::new();
        let lines = (0..340_000_u64).map(|number| {
            let text = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            format!("{{\"number\":{number},\"text\":\"{text:064x} and some words\"}}\n")
        });
        let text: String = lines.collect();
        let (len, packed) = (text.len() as u64, gzip(text.as_bytes()));
        assert!(len > 2 * UNPACKED_SAMPLE_BYTES, "{len}");
        let needed = |bytes: &[u8]| {
            let files = [fixture.file("long.json.gz", bytes)];
            DiskSpace::of(&fixture.collections, &files)
                .unwrap()
                .map_or(0, |space| space.needed_bytes)
        };
        let about = |bytes: u64| bytes - bytes / 10..=bytes + bytes / 10;
        assert!(about(len).contains(&needed(&packed)), "{} of {len}", needed(&packed));
        // The rest is not read.
        let half = &packed[..packed.len() / 2];
        assert!(about(len / 2).contains(&needed(half)), "{} of {len}", needed(half));
    }

    #[test]
    fn a_file_larger_than_the_disk_does_not_fit() {
        let fixture = Fixture::new();
        let space = DiskSpace::of(&fixture.collections, &[]).unwrap().unwrap();
        assert!(space.is_enough() && space.free_bytes > 0, "{space:?}");
        let path = fixture.file("huge.json", b"{}\n");
        // A sparse file.
        fs::File::options().write(true).open(&path).unwrap().set_len(space.free_bytes * 2).unwrap();
        assert!(!DiskSpace::of(&fixture.collections, &[path]).unwrap().unwrap().is_enough());
    }
}
