//! Reads the data file without mapping it.

use std::fs::File;

use crate::store::StoreError;

pub(super) struct Source<'f> {
    file: &'f File,
    pub(super) len: u64,
}

impl<'f> Source<'f> {
    pub(super) fn new(file: &'f File) -> Result<Self, StoreError> {
        let metadata = file.metadata().map_err(|error| unreadable(&error))?;
        Ok(Self { file, len: metadata.len() })
    }

    /// Fills `bytes` from `offset`; `None` when the file ends earlier.
    pub(super) fn read(&self, offset: u64, bytes: &mut [u8]) -> Result<Option<()>, StoreError> {
        let end = offset.checked_add(bytes.len() as u64);
        if end.is_none_or(|end| end > self.len) {
            return Ok(None);
        }
        read_exact_at(self.file, bytes, offset).map_err(|error| unreadable(&error))?;
        Ok(Some(()))
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], offset: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> std::io::Result<()> {
    while !bytes.is_empty() {
        let count = std::os::windows::fs::FileExt::seek_read(file, bytes, offset)?;
        if count == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        bytes = &mut bytes[count..];
        offset += count as u64;
    }
    Ok(())
}

pub(super) fn unreadable(error: &std::io::Error) -> StoreError {
    StoreError::io("Can't read the data file", error)
}

/// LMDB writes numbers in native byte order.
pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|bytes| u16::from_ne_bytes(*bytes))
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_ne_bytes(*bytes))
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|bytes| u64::from_ne_bytes(*bytes))
}
