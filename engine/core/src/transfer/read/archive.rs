//! The archive of `mongodump --archive`: the metadata of all collections, then their documents in
//! segments that take turns, and at the end of each collection a checksum.
//!
//! | part | bytes |
//! |---|---|
//! | magic number | `6d e2 99 81` |
//! | header | a document |
//! | metadata | a document for each collection, then `ff ff ff ff` |
//! | segment | a document with `db` and `collection`, documents, `ff ff ff ff` |
//! | end of a collection | a document with `EOF` and `CRC`, `ff ff ff ff` |

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io;

use bson::{RawDocument, RawDocumentBuf};

use crate::transfer::limits::{
    DUMP_FILES_MAX, DUMP_METADATA_ALL_BYTES_MAX, DUMP_METADATA_BYTES_MAX,
};
use crate::transfer::read::container::{Member, Members};
use crate::transfer::read::source::{Source, broken, fill, fill_some};
use crate::value::scan::DOCUMENT_BYTES_MAX;

/// The first four bytes.
pub(in crate::transfer) const MAGIC: [u8; 4] = [0x6d, 0xe2, 0x99, 0x81];

/// Between the parts.
const TERMINATOR: i32 = -1;

const CUT: &str = "the archive is cut short, and documents of this collection are missing; get a new \
                   copy";
const DAMAGED: &str = "the archive is damaged here; get a new copy";
const NO_END: &str = "the archive ends without the end of this collection, so documents may be \
                      missing; dump it again";
const WRONG_SUM: &str = "the archive's checksum of this collection is another one, so a document is \
                         damaged or missing; get a new copy";

/// The metadata of a collection.
struct Listed {
    /// Its file of documents, without the ending.
    stem: String,
    metadata: String,
    bytes: u64,
    has_documents: bool,
}

/// Reads what is before the documents.
fn prelude(from: &mut Source) -> io::Result<Vec<Listed>> {
    let mut magic = MAGIC;
    fill(from, &mut magic, CUT)?;
    document(from, DUMP_METADATA_BYTES_MAX)?.ok_or_else(|| broken(DAMAGED))?;
    let (mut listed, mut bytes) = (Vec::new(), 0);
    while let Some(metadata) = document(from, DUMP_METADATA_BYTES_MAX)? {
        bytes += metadata.as_bytes().len();
        if bytes > DUMP_METADATA_ALL_BYTES_MAX {
            return Err(broken("the archive's metadata is too large; it is damaged"));
        }
        if listed.len() >= DUMP_FILES_MAX {
            return Err(broken("the archive has too many collections"));
        }
        let text = |name: &str| metadata.get_str(name).unwrap_or_default().to_owned();
        let kind = text("type");
        listed.push(Listed {
            stem: stem(&metadata).ok_or_else(|| broken(DAMAGED))?,
            metadata: text("metadata"),
            bytes: metadata.get("size").ok().flatten().map_or(0, size),
            // The measurements of a time series are a collection of buckets.
            has_documents: kind != "view" && kind != "timeseries",
        });
    }
    Ok(listed)
}

fn size(value: bson::raw::RawBsonRef<'_>) -> u64 {
    let size = value.as_i64().or_else(|| value.as_i32().map(i64::from));
    size.and_then(|size| u64::try_from(size).ok()).unwrap_or(0)
}

/// The name of a collection's file.
fn stem(of: &RawDocument) -> Option<String> {
    let db = encoded(of.get_str("db").ok()?);
    let collection = encoded(of.get_str("collection").ok()?);
    // The oplog is of no database.
    Some(if db.is_empty() { collection } else { format!("{db}/{collection}") })
}

/// A name as mongodump writes it into that of a file.
fn encoded(name: &str) -> String {
    let mut out = String::new();
    for (at, byte) in name.bytes().enumerate() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') || at > 0 && byte == b'.' {
            out.push(char::from(byte));
        } else {
            // Writing to a String can't fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// The next document; `None` if the part ends.
fn document(from: &mut Source, bytes_max: usize) -> io::Result<Option<RawDocumentBuf>> {
    let mut length = [0; 4];
    fill(from, &mut length, CUT)?;
    document_of(length, from, bytes_max)
}

fn document_of(
    length: [u8; 4],
    from: &mut Source,
    bytes_max: usize,
) -> io::Result<Option<RawDocumentBuf>> {
    let size = match i32::from_le_bytes(length) {
        TERMINATOR => return Ok(None),
        length => usize::try_from(length).unwrap_or(0),
    };
    if !(5..=bytes_max).contains(&size) {
        return Err(broken(DAMAGED));
    }
    let mut bytes = vec![0; size];
    let (start, rest) = bytes.split_at_mut(4);
    start.copy_from_slice(&length);
    fill(from, rest, CUT)?;
    RawDocumentBuf::from_bytes(bytes).map(Some).map_err(|_| broken(DAMAGED))
}

/// The files of a folder with the same content. The documents are not read.
pub(in crate::transfer) fn members(from: &mut Source) -> io::Result<Members> {
    let mut files = Vec::new();
    for Listed { stem, metadata, bytes, has_documents } in prelude(from)? {
        if has_documents {
            files.push(Member { name: data_name(&stem), bytes, entry: 0, content: None });
        }
        if !metadata.is_empty() {
            let (bytes, content) = (metadata.len() as u64, Some(metadata.into_bytes()));
            files.push(Member { name: format!("{stem}.metadata.json"), bytes, entry: 0, content });
        }
    }
    Ok(Members { files, note: None })
}

fn data_name(stem: &str) -> String {
    format!("{stem}.bson")
}

/// The error of a collection that has no end.
pub(in crate::transfer) fn no_end() -> io::Error {
    broken(NO_END)
}

/// Where in the archive the next byte is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    BetweenSegments,
    /// Before a document of a segment, of the wanted collection or of another one.
    BeforeDocument {
        is_wanted: bool,
    },
    /// In a document, this many bytes before its end.
    InDocument(u64),
}

/// The header of a segment.
struct Header {
    /// The file of its collection.
    name: String,
    /// After it, the collection has no more documents.
    is_end: bool,
    sum: u64,
}

/// The header of the next segment. `None` at the end of the archive.
fn header(from: &mut Source) -> io::Result<Option<Header>> {
    loop {
        let mut length = [0; 4];
        match fill_some(from, &mut length)? {
            0 => return Ok(None),
            4 => {}
            _ => return Err(broken(CUT)),
        }
        let header = document_of(length, from, DUMP_METADATA_BYTES_MAX)?;
        let Some(header) = header else { continue };
        return Ok(Some(Header {
            name: data_name(&stem(&header).ok_or_else(|| broken(DAMAGED))?),
            is_end: header.get_bool("EOF").unwrap_or(false),
            // Archives of other programs have no checksum.
            sum: header.get_i64("CRC").unwrap_or(0).cast_unsigned(),
        }));
    }
}

/// Finds collections in an archive, and reads the documents of one out of its segments.
pub(in crate::transfer) struct Cursor {
    place: Place,
    /// The files whose first segment comes later.
    ahead: BTreeSet<String>,
    /// The file that is read, until its end.
    current: Option<String>,
    /// The length of a document that is not handed out yet.
    start: Vec<u8>,
    sum: Crc,
}

impl Cursor {
    /// Reads up to the first segment.
    pub(in crate::transfer) fn new(from: &mut Source) -> io::Result<Self> {
        let listed = prelude(from)?.into_iter().filter(|listed| listed.has_documents);
        let ahead = listed.map(|listed| data_name(&listed.stem)).collect();
        let place = Place::BetweenSegments;
        Ok(Self { place, ahead, current: None, start: Vec::new(), sum: Crc::new() })
    }

    pub(in crate::transfer) fn has_passed(&self, name: &str) -> bool {
        !self.ahead.contains(name)
    }

    pub(in crate::transfer) fn next_of(
        &mut self,
        from: &mut Source,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> io::Result<Option<String>> {
        self.current = None;
        self.start.clear();
        loop {
            match self.place {
                Place::BetweenSegments => {
                    let Some(header) = header(from)? else { return Ok(None) };
                    self.place = Place::BeforeDocument { is_wanted: false };
                    if self.ahead.remove(&header.name) && is_wanted(&header.name) {
                        self.sum = Crc::new();
                        self.current = Some(header.name.clone());
                        self.begin(&header)?;
                        return Ok(Some(header.name));
                    }
                }
                Place::BeforeDocument { .. } => self.next_document(from, false)?,
                Place::InDocument(left) => self.skip(from, left)?,
            }
        }
    }

    /// Reads documents up to the end of the collection.
    pub(in crate::transfer) fn read(
        &mut self,
        from: &mut Source,
        into: &mut [u8],
    ) -> io::Result<usize> {
        while !into.is_empty() {
            if !self.start.is_empty() {
                let count = self.start.len().min(into.len());
                let rest = self.start.split_off(count);
                into.get_mut(..count).unwrap_or_default().copy_from_slice(&self.start);
                self.start = rest;
                return Ok(count);
            }
            if self.current.is_none() {
                break;
            }
            match self.place {
                Place::BetweenSegments => {
                    let header = header(from)?.ok_or_else(no_end)?;
                    self.place = Place::BeforeDocument { is_wanted: false };
                    if self.current.as_ref() == Some(&header.name) {
                        self.begin(&header)?;
                    } else {
                        self.ahead.remove(&header.name);
                    }
                }
                Place::BeforeDocument { is_wanted } => self.next_document(from, is_wanted)?,
                Place::InDocument(left) => {
                    let length = usize::try_from(left).unwrap_or(usize::MAX).min(into.len());
                    let part = into.get_mut(..length).unwrap_or_default();
                    let count = fill_some(from, part)?;
                    if count == 0 {
                        return Err(broken(CUT));
                    }
                    self.sum.add(part.get(..count).unwrap_or_default());
                    self.place = match left - count as u64 {
                        0 => Place::BeforeDocument { is_wanted: true },
                        left => Place::InDocument(left),
                    };
                    return Ok(count);
                }
            }
        }
        Ok(0)
    }

    /// Begins a segment of the current collection.
    fn begin(&mut self, header: &Header) -> io::Result<()> {
        self.place = Place::BeforeDocument { is_wanted: !header.is_end };
        if header.is_end {
            self.current = None;
            if header.sum != 0 && header.sum != self.sum.finish() {
                return Err(broken(WRONG_SUM));
            }
        }
        Ok(())
    }

    fn next_document(&mut self, from: &mut Source, is_wanted: bool) -> io::Result<()> {
        let mut length = [0; 4];
        fill(from, &mut length, CUT)?;
        let bytes = match i32::from_le_bytes(length) {
            TERMINATOR => {
                self.place = Place::BetweenSegments;
                return Ok(());
            }
            bytes => usize::try_from(bytes).unwrap_or(0),
        };
        // A document of a server may be a little larger than one of a user.
        if !(5..=2 * DOCUMENT_BYTES_MAX).contains(&bytes) {
            return Err(broken(DAMAGED));
        }
        let left = bytes as u64 - 4;
        if !is_wanted {
            return self.skip(from, left);
        }
        self.sum.add(&length);
        self.start = length.to_vec();
        self.place = Place::InDocument(left);
        Ok(())
    }

    /// Skips the rest of a document.
    fn skip(&mut self, from: &mut Source, left: u64) -> io::Result<()> {
        if from.skip(left)? < left {
            return Err(broken(CUT));
        }
        self.place = Place::BeforeDocument { is_wanted: false };
        Ok(())
    }
}

/// CRC-64 with the polynomial of ECMA-182, from the lowest bit on, as Go has it.
struct Crc(u64);

impl Crc {
    fn new() -> Self {
        Self(u64::MAX)
    }

    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            let [low, ..] = self.0.to_le_bytes();
            let at = usize::from(low ^ byte);
            self.0 = TABLE.get(at).copied().unwrap_or_default() ^ (self.0 >> 8);
        }
    }

    fn finish(&self) -> u64 {
        !self.0
    }
}

const TABLE: [u64; 256] = table();

#[expect(clippy::indexing_slicing, reason = "the index is below the length")]
const fn table() -> [u64; 256] {
    const POLYNOMIAL: u64 = 0xc96c_5795_d787_0f42;
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        let mut sum = at as u64;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum & 1 == 1 { (sum >> 1) ^ POLYNOMIAL } else { sum >> 1 };
            bit += 1;
        }
        table[at] = sum;
        at += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_published_one() {
        // The check value of CRC-64/XZ in the catalogue of parametrised CRC algorithms.
        let mut sum = Crc::new();
        sum.add(b"123456789");
        assert_eq!(sum.finish(), 0x995d_c9bb_df19_39fa);
    }
}
