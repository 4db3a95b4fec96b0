//! gzip: member after member, and what follows the last one.
//!
//! Tapes and block devices pad a file with zeros, and some servers append text. gzip itself ends
//! before them with a warning, so this reader counts them.

use std::{
    io::{self, BufRead, Cursor, Read},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use flate2::bufread::GzDecoder;

type Packed<'p> = Box<dyn BufRead + Send + 'p>;

/// The decompressed bytes of a gzip file.
pub(in crate::transfer) struct GzipReader<'p> {
    member: Option<GzDecoder<Packed<'p>>>,
    /// Bytes after the last member.
    ignored: Arc<AtomicU64>,
}

impl<'p> GzipReader<'p> {
    pub(in crate::transfer) fn new(packed: Packed<'p>, ignored: Arc<AtomicU64>) -> Self {
        Self { member: Some(GzDecoder::new(packed)), ignored }
    }

    /// The next member; `None` if the file has none. Zeros may be between two.
    fn next_member(&self, mut packed: Packed<'p>) -> io::Result<Option<GzDecoder<Packed<'p>>>> {
        let mut zeros = 0;
        loop {
            let bytes = packed.fill_buf()?;
            let count = bytes.iter().take_while(|byte| **byte == 0).count();
            let is_over = count < bytes.len() || bytes.is_empty();
            packed.consume(count);
            zeros += count as u64;
            if is_over {
                break;
            }
        }
        let mut start = [0; MAGIC.len()];
        let mut length = 0;
        while length < MAGIC.len() {
            let free = start.get_mut(length..).unwrap_or_default();
            match packed.read(free)? {
                0 => break,
                count => length += count,
            }
        }
        if start == MAGIC {
            self.ignored.fetch_add(zeros, Relaxed);
            return Ok(Some(GzDecoder::new(Box::new(Cursor::new(start).chain(packed)))));
        }
        let rest = io::copy(&mut packed, &mut io::sink())?;
        self.ignored.fetch_add(zeros + length as u64 + rest, Relaxed);
        Ok(None)
    }
}

/// The first bytes of a member.
const MAGIC: [u8; 2] = [0x1f, 0x8b];

impl Read for GzipReader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let Some(member) = &mut self.member else { return Ok(0) };
            let count = member.read(into)?;
            if count > 0 || into.is_empty() {
                return Ok(count);
            }
            if let Some(ended) = self.member.take() {
                self.member = self.next_member(ended.into_inner())?;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Write as _};

    use proptest::prelude::*;

    use super::*;

    fn packed(text: &[u8]) -> Vec<u8> {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        out.write_all(text).unwrap();
        out.finish().unwrap()
    }

    fn unpacked(bytes: &[u8], buffer: usize) -> (io::Result<Vec<u8>>, u64) {
        let ignored = Arc::new(AtomicU64::new(0));
        let packed = BufReader::with_capacity(buffer, Cursor::new(bytes));
        let mut out = Vec::new();
        let read = GzipReader::new(Box::new(packed), Arc::clone(&ignored)).read_to_end(&mut out);
        (read.map(|_| out), ignored.load(Relaxed))
    }

    proptest! {
        #[test]
        fn members_are_read_and_what_follows_them_is_counted(
            members in prop::collection::vec((prop::collection::vec(any::<u8>(), 0..300), 0..40_usize), 1..5),
            rest in prop_oneof![
                Just(Vec::new()),
                (1..2_000_usize).prop_map(|count| vec![0; count]),
                Just(b"\x1f".to_vec()),
                Just(b"\0\0\x1f\0\x8b".to_vec()),
                Just(b"</html>\n".to_vec()),
            ],
            buffer in prop::sample::select(vec![1, 2, 3, 7, 64, 4_096]),
        ) {
            let mut bytes = Vec::new();
            let (mut text, mut zeros) = (Vec::<u8>::new(), 0);
            for (member, padding) in &members {
                bytes.extend(packed(member));
                bytes.extend(vec![0; *padding]);
                text.extend(member);
                zeros += padding;
            }
            bytes.extend(&rest);
            let (read, ignored) = unpacked(&bytes, buffer);
            prop_assert_eq!(read.unwrap(), text);
            prop_assert_eq!(ignored, (zeros + rest.len()) as u64);
        }

        #[test]
        fn a_member_that_breaks_off_gives_what_it_has(
            text in prop::collection::vec(any::<u8>(), 1..3_000),
            cut in 1..18_usize,
        ) {
            let mut bytes = packed(&text);
            bytes.truncate(bytes.len() - cut);
            let ignored = Arc::new(AtomicU64::new(0));
            let mut out = Vec::new();
            let mut reader = GzipReader::new(Box::new(Cursor::new(bytes)), ignored);
            let error = reader.read_to_end(&mut out).unwrap_err();
            prop_assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
            prop_assert!(text.starts_with(&out));
            // The last eight bytes of a member are its checksum and its length.
            prop_assert!(cut > 8 || out == text);
        }
    }
}
