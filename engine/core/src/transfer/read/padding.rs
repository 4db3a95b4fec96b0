//! Zero bytes at the end of a text: a crash or a copy of whole blocks leaves them, and no text needs
//! them.

use std::{
    io::{self, Read},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use crate::transfer::{limits::PADDING_BYTES_MAX, read::source::Bytes};

/// Reads text without the zero bytes at its end. Others are passed on.
pub(in crate::transfer) struct UnpaddedReader<'p> {
    from: Bytes<'p>,
    /// Zero bytes that may be the end.
    zeros: u64,
    /// The bytes after those zeros, which aren't the end then.
    after: io::Cursor<Vec<u8>>,
    /// Zero bytes after these.
    zeros_after: u64,
    ignored: Arc<AtomicU64>,
    /// More zeros came than are ignored: all is passed on.
    is_over: bool,
}

impl<'p> UnpaddedReader<'p> {
    /// `zeros` bytes were read before.
    pub(in crate::transfer) fn new(from: Bytes<'p>, zeros: u64, ignored: Arc<AtomicU64>) -> Self {
        Self { from, zeros, after: io::Cursor::default(), zeros_after: 0, ignored, is_over: false }
    }

    /// Passes on what is known not to be the end.
    fn read_known(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.zeros > 0 {
            let count = usize::try_from(self.zeros).unwrap_or(usize::MAX).min(into.len());
            into.get_mut(..count).unwrap_or_default().fill(0);
            self.zeros -= count as u64;
            return Ok(count);
        }
        let count = self.after.read(into)?;
        if self.after.position() == self.after.get_ref().len() as u64 {
            self.after = io::Cursor::default();
            self.zeros = std::mem::take(&mut self.zeros_after);
        }
        Ok(count)
    }
}

/// The number of zero bytes at the end.
pub(in crate::transfer) fn zeros_at_end(bytes: &[u8]) -> usize {
    bytes.iter().rev().take_while(|byte| **byte == 0).count()
}

impl Read for UnpaddedReader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            self.is_over |= self.zeros > PADDING_BYTES_MAX;
            if !self.after.get_ref().is_empty() || (self.is_over && self.zeros > 0) {
                return self.read_known(into);
            }
            if self.is_over {
                return self.from.read(into);
            }
            let count = self.from.read(into)?;
            let bytes = into.get(..count).unwrap_or_default();
            let zeros = zeros_at_end(bytes);
            let text = bytes.get(..count - zeros).unwrap_or_default();
            match (text.len(), self.zeros) {
                (0, _) if count == 0 => {
                    self.ignored.fetch_add(std::mem::take(&mut self.zeros), Relaxed);
                    return Ok(0);
                }
                (0, _) => self.zeros += zeros as u64,
                (length, 0) => {
                    self.zeros = zeros as u64;
                    return Ok(length);
                }
                _ => {
                    self.after = io::Cursor::new(text.to_vec());
                    self.zeros_after = zeros as u64;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn only_zeros_at_the_end_are_left_out(
            bytes in prop::collection::vec(prop_oneof![Just(0_u8), any::<u8>()], 0..200),
            zeros in 0_usize..50,
            before in 0_usize..5,
            room in 1_usize..40,
        ) {
            let all = [&bytes[..], &vec![0; zeros]].concat();
            let ignored = Arc::default();
            let from = Box::new(io::Cursor::new(all.clone()));
            let mut reader = UnpaddedReader::new(from, before as u64, Arc::clone(&ignored));
            let (mut found, mut part) = (Vec::new(), vec![0; room]);
            loop {
                let count = reader.read(&mut part).unwrap();
                if count == 0 {
                    break;
                }
                found.extend_from_slice(&part[..count]);
            }
            let whole = [&vec![0; before][..], &all].concat();
            let kept = whole.len() - zeros_at_end(&whole);
            prop_assert_eq!(&found[..], &whole[..kept]);
            prop_assert_eq!(ignored.load(Relaxed), (whole.len() - kept) as u64);
        }
    }
}
