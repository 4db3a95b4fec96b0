//! tar: a header of 512 bytes for each file, then its content in blocks of 512 bytes. Of POSIX's pax,
//! GNU's and the older forms, the names and sizes.

use std::io::{self, Read};

use crate::transfer::limits::DUMP_FILES_MAX;
use crate::transfer::read::container::{Bytes, Member, Members, broken, fill, fill_some, skip};

/// Bytes of a header, and of what contents are rounded up to.
const BLOCK: usize = 512;

/// Bytes of a long name, or of the extended header of a file.
const EXTENDED_BYTES_MAX: u64 = 1 << 20;

const CUT: &str = "the tar is cut short inside of this file; get a new copy";

/// A header.
struct Entry {
    name: String,
    bytes: u64,
    is_file: bool,
}

/// Whether these bytes begin with a header.
pub(in crate::transfer) fn is_header(start: &[u8]) -> bool {
    start.first_chunk().is_some_and(|header| header[0] != 0 && has_its_sum(header))
}

/// Each header has the sum of its bytes, with spaces in place of the sum.
fn has_its_sum(header: &[u8; BLOCK]) -> bool {
    let is_sum = |at: usize| (148..156).contains(&at);
    let bytes = header.iter().enumerate();
    let sum = bytes.map(|(at, byte)| if is_sum(at) { 32 } else { u64::from(*byte) }).sum::<u64>();
    header.get(148..156).and_then(number) == Some(sum)
}

/// A number in octal digits, or in base 256 if it is too large for them.
fn number(field: &[u8]) -> Option<u64> {
    if let Some((first, rest)) = field.split_first().filter(|(first, _)| **first & 0x80 != 0) {
        let high = u64::from(first & 0x7f);
        return rest
            .iter()
            .try_fold(high, |sum, byte| sum.checked_mul(256)?.checked_add(u64::from(*byte)));
    }
    let text = std::str::from_utf8(field).ok()?;
    let digits = text.trim_matches(|c: char| c == '\0' || c == ' ');
    if digits.is_empty() { Some(0) } else { u64::from_str_radix(digits, 8).ok() }
}

fn text(field: &[u8]) -> String {
    let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
    String::from_utf8_lossy(field.get(..end).unwrap_or_default()).into_owned()
}

/// The next entry; its content follows. `None` at the end of the tar.
fn next(from: &mut dyn Read) -> io::Result<Option<Entry>> {
    let (mut long_name, mut long_size) = (None, None);
    loop {
        let mut header = [0; BLOCK];
        match fill_some(from, &mut header)? {
            // A tar that ends without its two empty blocks is read by every program.
            0 => return Ok(None),
            BLOCK => {}
            _ => return Err(broken(CUT)),
        }
        if header.iter().all(|byte| *byte == 0) {
            return Ok(None);
        }
        if !has_its_sum(&header) {
            return Err(broken("the tar is damaged here; get a new copy"));
        }
        let field = |range: std::ops::Range<usize>| header.get(range).unwrap_or_default();
        let size = number(field(124..136)).ok_or_else(|| broken("a size in the tar is damaged"))?;
        match header[156] {
            b'L' => long_name = Some(text(&content(from, size)?)),
            b'x' => {
                let records = content(from, size)?;
                long_name = record(&records, "path").or(long_name);
                long_size = record(&records, "size").and_then(|size| size.parse().ok());
            }
            // Properties of all files, and long targets of links.
            b'g' | b'K' => drop(content(from, size)?),
            kind => {
                let prefix =
                    if field(257..262) == b"ustar" { text(field(345..500)) } else { String::new() };
                let name = text(field(0..100));
                let name = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
                return Ok(Some(Entry {
                    name: plain(&long_name.unwrap_or(name)),
                    bytes: long_size.unwrap_or(size),
                    is_file: matches!(kind, b'0' | 0 | b'7'),
                }));
            }
        }
    }
}

/// A path without `./` at its start.
fn plain(name: &str) -> String {
    let parts: Vec<&str> = name.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    parts.join("/")
}

/// The content of an entry about another one.
fn content(from: &mut dyn Read, bytes: u64) -> io::Result<Vec<u8>> {
    if bytes > EXTENDED_BYTES_MAX {
        return Err(broken("a name in the tar is too long"));
    }
    let mut content = vec![0; usize::try_from(bytes).unwrap_or(0)];
    fill(from, &mut content, CUT)?;
    skip(from, padding(bytes))?;
    Ok(content)
}

/// A value of an extended header: `27 path=dump/app/runs.bson`, ended by a line break.
fn record(records: &[u8], key: &str) -> Option<String> {
    let mut rest = records;
    let mut found = None;
    while let Some(space) = rest.iter().position(|byte| *byte == b' ') {
        let length: usize = std::str::from_utf8(rest.get(..space)?).ok()?.parse().ok()?;
        let record = rest.get(space + 1..length.checked_sub(1)?)?;
        let (name, value) = std::str::from_utf8(record).ok()?.split_once('=')?;
        if name == key {
            found = Some(value.to_owned());
        }
        rest = rest.get(length..)?;
    }
    found
}

/// Bytes after a content up to the next block.
fn padding(bytes: u64) -> u64 {
    bytes.next_multiple_of(BLOCK as u64) - bytes
}

/// The files of a tar.
pub(in crate::transfer) fn members(from: &mut dyn Read) -> io::Result<Members> {
    let mut members = Members::default();
    loop {
        match next_listed(from, &mut members) {
            Ok(true) => {}
            Ok(false) => return Ok(members),
            Err(error) => {
                members.note = Some(format!("The list of files may not be complete: {error}."));
                return Ok(members);
            }
        }
        if members.files.len() > DUMP_FILES_MAX {
            return Err(broken("the tar has too many files"));
        }
    }
}

/// Adds the next file. False at the end.
fn next_listed(from: &mut dyn Read, members: &mut Members) -> io::Result<bool> {
    let Some(Entry { name, bytes, is_file }) = next(from)? else { return Ok(false) };
    if is_file {
        members.files.push(Member { name, bytes });
    }
    if skip(from, bytes)? < bytes {
        return Err(broken(CUT));
    }
    skip(from, padding(bytes))?;
    Ok(true)
}

/// The content of a file in a tar.
pub(in crate::transfer) fn open<'p>(mut from: Bytes<'p>, member: &str) -> io::Result<Bytes<'p>> {
    while let Some(Entry { name, bytes, is_file }) = next(&mut from)? {
        if is_file && name == member {
            return Ok(Box::new(Content { from, left: bytes }));
        }
        if skip(&mut from, bytes)? < bytes {
            return Err(broken(CUT));
        }
        skip(&mut from, padding(bytes))?;
    }
    Err(io::ErrorKind::NotFound.into())
}

/// The content of a file, which must not end early.
struct Content<'p> {
    from: Bytes<'p>,
    left: u64,
}

impl Read for Content<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.from.as_mut().take(self.left).read(into)?;
        if count == 0 && self.left > 0 && !into.is_empty() {
            return Err(broken(CUT));
        }
        self.left -= count as u64;
        Ok(count)
    }
}
