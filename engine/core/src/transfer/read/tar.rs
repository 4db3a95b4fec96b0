//! tar: a header of 512 bytes for each file, then its content in blocks of 512 bytes. Of POSIX's pax,
//! GNU's and the older forms, the names and sizes.

use std::{
    collections::BTreeMap,
    io::{self, Read as _},
    sync::Arc,
};

use crate::transfer::limits::{
    DUMP_FILES_MAX, DUMP_METADATA_ALL_BYTES_MAX, DUMP_METADATA_BYTES_MAX,
};
use crate::transfer::read::container::{Member, Members};
use crate::transfer::read::source::{Source, broken, fill, fill_some, is_canceled};

/// Bytes of a header, and of what contents are rounded up to.
pub(in crate::transfer) const BLOCK: usize = 512;

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
fn next(from: &mut Source) -> io::Result<Option<Entry>> {
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
fn content(from: &mut Source, bytes: u64) -> io::Result<Vec<u8>> {
    if bytes > EXTENDED_BYTES_MAX {
        return Err(broken("a name in the tar is too long"));
    }
    let mut content = vec![0; usize::try_from(bytes).unwrap_or(0)];
    fill(from, &mut content, CUT)?;
    from.skip(padding(bytes))?;
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

/// The files of a tar. Of two with the same name, as `tar --append` makes them, the later one.
pub(in crate::transfer) fn members(
    from: &mut Source,
    is_metadata: &dyn Fn(&str) -> bool,
) -> io::Result<Members> {
    let mut listing = Listing { is_metadata, files: BTreeMap::new(), entry: 0, metadata_bytes: 0 };
    let mut note = None;
    loop {
        match listing.next(from) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) if is_canceled(&error) => return Err(error),
            Err(error) => {
                note = Some(format!("The list of files may not be complete: {error}."));
                break;
            }
        }
        if listing.files.len() > DUMP_FILES_MAX {
            return Err(broken("the tar has too many files"));
        }
    }
    Ok(Members { files: listing.files.into_values().collect(), note })
}

struct Listing<'l> {
    is_metadata: &'l dyn Fn(&str) -> bool,
    files: BTreeMap<String, Member>,
    entry: u64,
    metadata_bytes: u64,
}

impl Listing<'_> {
    /// Adds the next file. False at the end.
    fn next(&mut self, from: &mut Source) -> io::Result<bool> {
        let Some(Entry { name, bytes, is_file }) = next(from)? else { return Ok(false) };
        self.entry += 1;
        let all_bytes = self.metadata_bytes.saturating_add(bytes);
        let is_metadata = is_file && (self.is_metadata)(&name);
        let content = if is_metadata
            && bytes <= DUMP_METADATA_BYTES_MAX as u64
            && all_bytes <= DUMP_METADATA_ALL_BYTES_MAX as u64
        {
            self.metadata_bytes = all_bytes;
            let mut content = vec![0; usize::try_from(bytes).unwrap_or(0)];
            fill(from, &mut content, CUT)?;
            Some(content)
        } else {
            None
        };
        let is_read = content.is_some();
        if is_file {
            let member = Member { name: name.clone(), bytes, entry: self.entry, content };
            self.files.insert(name, member);
        }
        if !is_read && from.skip(bytes)? < bytes {
            return Err(broken(CUT));
        }
        from.skip(padding(bytes))?;
        Ok(true)
    }
}

/// Finds files in a tar and reads them.
pub(in crate::transfer) struct Cursor {
    /// The entry of each file that counts.
    last_entries: Arc<BTreeMap<String, u64>>,
    entry: u64,
    /// Bytes of the current entry that are not read yet.
    left: u64,
    padding: u64,
}

impl Cursor {
    pub(in crate::transfer) fn new(last_entries: Arc<BTreeMap<String, u64>>) -> Self {
        Self { last_entries, entry: 0, left: 0, padding: 0 }
    }

    pub(in crate::transfer) fn has_passed(&self, name: &str) -> bool {
        self.last_entries.get(name).is_none_or(|entry| *entry <= self.entry)
    }

    pub(in crate::transfer) fn next_of(
        &mut self,
        from: &mut Source,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> io::Result<Option<String>> {
        loop {
            if from.skip(self.left)? < self.left {
                return Err(broken(CUT));
            }
            from.skip(self.padding)?;
            (self.left, self.padding) = (0, 0);
            let Some(Entry { name, bytes, is_file }) = next(from)? else { return Ok(None) };
            self.entry += 1;
            (self.left, self.padding) = (bytes, padding(bytes));
            let is_last = self.last_entries.get(&name) == Some(&self.entry);
            if is_file && is_last && is_wanted(&name) {
                return Ok(Some(name));
            }
        }
    }

    /// Reads the file, which must not end early.
    pub(in crate::transfer) fn read(
        &mut self,
        from: &mut Source,
        into: &mut [u8],
    ) -> io::Result<usize> {
        let count = from.take(self.left).read(into)?;
        if count == 0 && self.left > 0 && !into.is_empty() {
            return Err(broken(CUT));
        }
        self.left -= count as u64;
        Ok(count)
    }
}
