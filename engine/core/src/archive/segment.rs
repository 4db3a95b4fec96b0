//! Names and contents of segments.

use std::collections::BTreeSet;

use chrono::DateTime;

use super::frame::{self, HEADER_BYTES, Header};

/// File extension of segments.
const ENDING: &str = ".ndjson.gz";

/// Time format in their names.
const STAMP: &str = "%Y%m%dT%H%M%S%3fZ";

/// A segment as its backend lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SegmentFile {
    pub name: String,
    pub bytes: u64,
}

/// One batch within a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FrameAt {
    pub offset: u64,
    pub header: Header,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct SegmentContents {
    /// Its whole batches, oldest first.
    pub frames: Vec<FrameAt>,
    /// Bytes outside any batch: a torn end, or damage.
    pub unreadable: u64,
    /// Where the batches begin that the last read of each found damaged. Only a read can tell: finding the
    /// batches reads their headers.
    pub damaged: BTreeSet<u64>,
}

/// The name of a segment: its number and start time. Names sort by number.
pub(super) fn name(number: u64, began_ms: i64) -> String {
    let began = DateTime::from_timestamp_millis(began_ms)
        .map_or_else(|| "unknown".to_owned(), |at| at.format(STAMP).to_string());
    format!("{number:010}-{began}{ENDING}")
}

/// The name of a single-batch segment. `id` is of its writer and the attempt, see [`writer`].
pub(super) fn batch_name(number: u64, first_ms: i64, last_ms: i64, docs: u32, id: &str) -> String {
    let name = name(number, first_ms);
    let name = name.strip_suffix(ENDING).unwrap_or(&name);
    // The name also holds the last removal time and the document count, so that a summary needs no
    // download.
    format!("{name}-{last_ms}-{docs}-{id}{ENDING}")
}

/// Digits of a writer, and of an attempt after it.
const ID_DIGITS: usize = 8;

/// The id of a new attempt of this writer.
pub(super) fn new_id(writer: &str) -> String {
    let [first, second, third, fourth, ..] = bson::Uuid::new().bytes();
    format!("{writer}{:08x}", u32::from_be_bytes([first, second, third, fourth]))
}

/// The writer of a segment by its name, 8 hexadecimal digits; `None` for one of an earlier version.
pub(super) fn writer(name: &str) -> Option<&str> {
    let id = name.strip_suffix(ENDING)?.rsplit('-').next()?;
    let is_id = id.len() == 2 * ID_DIGITS && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    id.get(..ID_DIGITS).filter(|_| is_id)
}

/// Whether a segment may be removed by this writer: it wrote it, or an earlier version did.
pub(super) fn is_own(name: &str, by: &str) -> bool {
    writer(name).is_none_or(|writer| writer == by)
}

/// The number in a segment's name; `None` for any other file.
pub(super) fn number(name: &str) -> Option<u64> {
    let (number, _) = name.strip_suffix(ENDING)?.split_once('-')?;
    (number.len() == 10 && number.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| number.parse().ok())
        .flatten()
}

/// A segment's start time by its name, if valid.
pub(super) fn began_ms(name: &str) -> Option<i64> {
    instant(name.strip_suffix(ENDING)?.split('-').nth(1)?)
}

fn instant(stamp: &str) -> Option<i64> {
    let began = chrono::NaiveDateTime::parse_from_str(stamp, STAMP).ok()?;
    Some(began.and_utc().timestamp_millis())
}

impl SegmentContents {
    /// Finds the batches of a segment of this size; `read` returns up to the requested bytes from
    /// an offset.
    pub(super) fn find<E>(
        bytes: u64,
        mut read: impl FnMut(u64, usize) -> Result<Vec<u8>, E>,
    ) -> Result<Self, E> {
        let mut contents = Self::default();
        let mut offset = 0;
        while offset < bytes {
            if let Some(header) = batch_at(offset, bytes, &mut read)? {
                contents.frames.push(FrameAt { offset, header });
                offset += u64::from(header.len);
            } else {
                // A torn batch or a damaged header. The batches after it are still intact.
                let next = next_start(bytes, offset + 1, &mut read)?;
                contents.unreadable += next - offset;
                offset = next;
            }
        }
        Ok(contents)
    }

    /// The contents that a single-batch segment's name states; `None` for other names. A segment
    /// too short for a batch has none: its write was never acknowledged.
    #[cfg(any(feature = "s3", test))]
    pub(super) fn of_batch(segment: &SegmentFile) -> Option<Self> {
        if segment.bytes < HEADER_BYTES as u64 {
            return Some(Self { unreadable: segment.bytes, ..Self::default() });
        }
        let mut parts = segment.name.strip_suffix(ENDING)?.splitn(5, '-').skip(1);
        let first_ms = instant(parts.next()?)?;
        let (last_ms, docs) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let header = Header::unverified(segment.bytes.try_into().ok()?, docs, first_ms, last_ms);
        Some(Self { frames: vec![FrameAt { offset: 0, header }], ..Self::default() })
    }

    pub(super) fn docs(&self) -> u64 {
        self.docs_within(u64::MAX)
    }

    /// Bytes that can't be read, as far as that is known.
    pub(super) fn unreadable_bytes(&self) -> u64 {
        let damaged = self.frames.iter().filter(|found| self.damaged.contains(&found.offset));
        self.unreadable + damaged.map(|found| u64::from(found.header.len)).sum::<u64>()
    }

    /// Documents in the batches that end within this many bytes.
    pub(super) fn docs_within(&self, bytes: u64) -> u64 {
        let is_within = |found: &&FrameAt| {
            found.offset + u64::from(found.header.len) <= bytes
                && !self.damaged.contains(&found.offset)
        };
        self.frames.iter().filter(is_within).map(|found| u64::from(found.header.docs)).sum()
    }

    /// When the first of its documents was removed.
    pub(super) fn first_ms(&self) -> Option<i64> {
        self.frames.iter().map(|found| found.header.first_ms).min()
    }

    /// When the last of its documents was removed.
    pub(super) fn last_ms(&self) -> Option<i64> {
        self.frames.iter().map(|found| found.header.last_ms).max()
    }
}

/// The whole batch at `offset`, if any.
fn batch_at<E>(
    offset: u64,
    bytes: u64,
    read: &mut impl FnMut(u64, usize) -> Result<Vec<u8>, E>,
) -> Result<Option<Header>, E> {
    let header = frame::header(&read(offset, HEADER_BYTES)?);
    let end = |header: &Header| offset.saturating_add(u64::from(header.len));
    let Some(header) = header.filter(|header| end(header) <= bytes) else { return Ok(None) };
    // The length counts as correct if another batch or the end follows. Otherwise the checksum must
    // match, because a wrong length would hide other batches.
    let is_whole = end(&header) == bytes
        || read(end(&header), frame::START.len())? == frame::START
        || frame::unpack(&read(offset, header.len as usize)?).is_ok();
    Ok(is_whole.then_some(header))
}

/// The next offset at which a batch may begin, or the segment's end.
fn next_start<E>(
    bytes: u64,
    mut offset: u64,
    read: &mut impl FnMut(u64, usize) -> Result<Vec<u8>, E>,
) -> Result<u64, E> {
    const STEP: usize = 1024 * 1024;
    while offset < bytes {
        let part = read(offset, STEP + frame::START.len())?;
        let found = part.windows(frame::START.len()).position(|part| part == frame::START);
        if let Some(at) = found {
            return Ok(offset + at as u64);
        }
        offset += STEP as u64;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn names_sort_by_number_and_say_when() {
        let first = name(9, 1_704_067_200_123);
        assert_eq!(first, "0000000009-20240101T000000123Z.ndjson.gz");
        assert!(first < name(10, 0));
        assert_eq!(number(&first), Some(9));
        assert_eq!(
            (began_ms(&first), writer(&first).map(str::len)),
            (Some(1_704_067_200_123), None)
        );
        let batch = batch_name(9, 1_704_067_200_123, -5, 7, "0123abcd00000001");
        assert_eq!((began_ms(&batch), writer(&batch)), (Some(1_704_067_200_123), Some("0123abcd")));
        assert!(is_own(&first, "x") && is_own(&batch, "0123abcd") && !is_own(&batch, "x"));
        assert_eq!(began_ms("0000000001-x.ndjson.gz"), None);
        for other in
            ["", "x.ndjson.gz", "0000000001-x.gz", "1-x.ndjson.gz", "000000000x-.ndjson.gz"]
        {
            assert_eq!(number(other), None, "{other}");
        }
    }

    fn find(bytes: &[u8]) -> SegmentContents {
        let found = SegmentContents::find(bytes.len() as u64, |offset, len| {
            let from = usize::try_from(offset).expect("small").min(bytes.len());
            Ok::<_, Infallible>(bytes[from..bytes.len().min(from + len)].to_vec())
        });
        found.expect("read")
    }

    #[test]
    fn a_torn_end_and_a_damaged_head_cost_only_themselves() {
        let frames: Vec<Vec<u8>> =
            (0..3).map(|at| frame::pack(b"{\"a\":1}\n", 1, at, at + 10).expect("packed")).collect();
        let whole = frames.concat();
        let found = find(&whole);
        assert_eq!((found.frames.len(), found.docs(), found.unreadable), (3, 3, 0));
        assert_eq!((found.first_ms(), found.last_ms()), (Some(0), Some(12)));
        let first = frames[0].len();
        for cut in first + 1..whole.len() - frames[2].len() {
            let torn = find(&whole[..cut]);
            assert_eq!((torn.frames.len(), torn.unreadable), (1, (cut - first) as u64), "{cut}");
        }
        let mut damaged = whole.clone();
        damaged[first] ^= 1;
        let found = find(&damaged);
        assert_eq!((found.frames.len(), found.unreadable), (2, frames[1].len() as u64));
    }

    /// A batch that says a length which is not its own leads into another one.
    #[test]
    fn no_bit_of_a_damaged_head_hides_a_batch_behind_it() {
        let frames: Vec<Vec<u8>> =
            (0..4).map(|at| frame::pack(b"{\"a\":1}\n", 1, at, at).expect("packed")).collect();
        let whole = frames.concat();
        let all = find(&whole).frames;
        for bit in 0..HEADER_BYTES * 8 {
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let found = find(&damaged).frames;
            assert!(found.ends_with(&all[1..]), "bit {bit}");
        }
        let before_nothing = [&whole[..], &[0; 5_000]].concat();
        let found = find(&before_nothing);
        assert_eq!((found.frames, found.unreadable), (all, 5_000));
    }
}
