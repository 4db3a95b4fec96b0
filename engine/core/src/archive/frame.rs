//! One batch of lines as one member of a gzip file, with its size and times in the header.
//!
//! A gzip file may have many members, so `gzip -d` reads a whole segment. A member's header allows
//! extra fields: ours hold its length, document count and removal times. So a reader finds the
//! members without decompressing them, and a torn or damaged one costs no other.

use std::io::{Read as _, Write as _};

use flate2::{Compression, GzBuilder, bufread::GzDecoder};
use xxhash_rust::xxh3::xxh3_64;

use super::ArchiveError;
use crate::limits::ARCHIVE_FRAME_TEXT_BYTES_MAX;

/// Bytes of a frame's header.
pub(super) const HEADER_BYTES: usize = START.len() + FIELDS_BYTES;

/// The first bytes of each frame: gzip's header without name or time, and the id of our extra
/// field.
pub(super) const START: [u8; 16] = [0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 36, 0, b'M', b'F', 32, 0];

/// Compression level; low, because a higher one costs the drain time and gains little.
const PACKING: u32 = 3;

/// Length, documents, first and last instant, checksum.
const FIELDS_BYTES: usize = 4 + 4 + 8 + 8 + 8;

/// The fields of a frame's header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    /// Bytes of the frame, this header included.
    pub len: u32,
    pub docs: u32,
    /// When the first of them was removed, in milliseconds since 1970.
    pub first_ms: i64,
    /// When the last of them was removed.
    pub last_ms: i64,
    /// Checksum of the body and of the fields before this one.
    sum: u64,
}

impl Header {
    /// A header from a segment's name, unverified because the frame was not read.
    #[cfg(any(feature = "s3", test))]
    pub(super) fn unverified(len: u32, docs: u32, first_ms: i64, last_ms: i64) -> Self {
        Self { len, docs, first_ms, last_ms, sum: 0 }
    }
}

/// Compresses lines into a frame.
///
/// # Errors
/// When the batch is too large to be read back.
pub(super) fn pack(
    lines: &[u8],
    docs: u32,
    first_ms: i64,
    last_ms: i64,
) -> Result<Vec<u8>, ArchiveError> {
    let too_large =
        || ArchiveError::Backend { what: "One batch of the archive is too large".into() };
    if lines.len() as u64 > ARCHIVE_FRAME_TEXT_BYTES_MAX {
        return Err(too_large());
    }
    let mut fields = vec![b'M', b'F', 32, 0];
    fields.resize(fields.len() + FIELDS_BYTES, 0);
    let builder = GzBuilder::new().extra(fields).operating_system(255);
    let mut encoder = builder.write(Vec::new(), Compression::new(PACKING));
    let packed = encoder.write_all(lines).and_then(|()| encoder.finish());
    let mut frame =
        packed.map_err(|error| ArchiveError::io("Can't compress the archive", &error))?;
    let len = u32::try_from(frame.len()).map_err(|_| too_large())?;
    // gzip stores the level in a header byte; overwriting it keeps `START` fixed.
    let body = frame.get(HEADER_BYTES..).unwrap_or_default();
    let sum = checksum(len, docs, first_ms, last_ms, body);
    let header = [
        &START[..],
        &len.to_le_bytes(),
        &docs.to_le_bytes(),
        &first_ms.to_le_bytes(),
        &last_ms.to_le_bytes(),
        &sum.to_le_bytes(),
    ]
    .concat();
    match frame.get_mut(..HEADER_BYTES) {
        Some(backend) => backend.copy_from_slice(&header),
        None => return Err(ArchiveError::Backend { what: "gzip wrote no header".into() }),
    }
    Ok(frame)
}

/// The header at the start of these bytes; `None` when no frame begins here.
pub(super) fn header(bytes: &[u8]) -> Option<Header> {
    let fields = bytes.strip_prefix(&START)?;
    let number = |at: usize| fields.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes);
    let short = |at: usize| fields.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes);
    let header = Header {
        len: short(0)?,
        docs: short(4)?,
        first_ms: number(8)?.cast_signed(),
        last_ms: number(16)?.cast_signed(),
        sum: number(24)?,
    };
    (usize::try_from(header.len).ok()? > HEADER_BYTES).then_some(header)
}

/// The lines of a whole frame.
///
/// # Errors
/// `Damaged` when any byte differs from what was written.
pub(super) fn unpack(frame: &[u8]) -> Result<Vec<u8>, ArchiveError> {
    let damaged = |what: &str| ArchiveError::Damaged { what: what.to_owned() };
    let header = header(frame).ok_or_else(|| damaged("no batch begins here"))?;
    let body = frame.get(HEADER_BYTES..).unwrap_or_default();
    let sum = checksum(header.len, header.docs, header.first_ms, header.last_ms, body);
    if sum != header.sum || frame.len() != header.len as usize {
        return Err(damaged("a batch does not match its checksum"));
    }
    let mut lines = Vec::new();
    let mut reader = GzDecoder::new(frame).take(ARCHIVE_FRAME_TEXT_BYTES_MAX + 1);
    reader.read_to_end(&mut lines).map_err(|error| damaged(&format!("a batch: {error}")))?;
    if lines.len() as u64 > ARCHIVE_FRAME_TEXT_BYTES_MAX {
        return Err(damaged("a batch decompresses to more than the maximum"));
    }
    Ok(lines)
}

fn checksum(len: u32, docs: u32, first_ms: i64, last_ms: i64, body: &[u8]) -> u64 {
    let fields = [
        &len.to_le_bytes()[..],
        &docs.to_le_bytes(),
        &first_ms.to_le_bytes(),
        &last_ms.to_le_bytes(),
        &xxh3_64(body).to_le_bytes(),
    ];
    xxh3_64(&fields.concat())
}

#[cfg(test)]
mod tests {
    use flate2::read::MultiGzDecoder;

    use super::*;

    #[test]
    fn a_frame_comes_back_and_is_plain_gzip() {
        let frame = pack(b"{\"a\":1}\n{\"a\":2}\n", 2, -5, 9).expect("packed");
        let found = header(&frame).expect("a header");
        assert_eq!((found.len as usize, found.docs), (frame.len(), 2));
        assert_eq!((found.first_ms, found.last_ms), (-5, 9));
        assert_eq!(unpack(&frame).expect("unpacked"), b"{\"a\":1}\n{\"a\":2}\n");
        let two = [frame, pack(b"{\"a\":3}\n", 1, 0, 0).expect("packed")].concat();
        let mut text = String::new();
        MultiGzDecoder::new(&two[..]).read_to_string(&mut text).expect("plain gzip");
        assert_eq!(text, "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n");
    }

    #[test]
    fn a_frame_with_any_changed_or_missing_byte_is_refused() {
        let frame = pack(b"{\"a\":1}\n", 1, 3, 4).expect("packed");
        for at in 0..frame.len() {
            let mut changed = frame.clone();
            changed[at] ^= 1;
            assert!(unpack(&changed).is_err(), "byte {at} was changed");
            assert!(unpack(&frame[..at]).is_err(), "cut at byte {at}");
        }
    }

    #[test]
    fn what_could_not_be_read_back_is_not_written() {
        let most = usize::try_from(ARCHIVE_FRAME_TEXT_BYTES_MAX).expect("small");
        let refused = pack(&vec![0; most + 1], 1, 0, 0).expect_err("too large");
        assert_eq!(refused.to_string(), "One batch of the archive is too large.");
    }
}
