//! One document of an archive as one line of canonical Extended JSON.
//!
//! Extended JSON can't represent every document: a field named `$oid` reads back as an ObjectId. So
//! each line is read back before it counts, and a document that differs in any byte is stored as
//! base64 bytes instead.

use std::borrow::Cow;

use base64::{Engine as _, prelude::BASE64_STANDARD as BASE64};
use bson::{
    DateTime,
    raw::{RawBsonRef, RawDocumentBuf, cstr},
};
use xxhash_rust::xxh3::xxh3_64;

use super::{ArchiveError, frame};
use crate::{
    catalog::Namespace,
    store::RecordNumber,
    value::{
        extjson::{self, Style, append_document},
        id_number::RecordName,
    },
};

/// Largest `_id`, in bytes, that a line repeats in front of the document.
const SHOWN_ID_BYTES_MAX: usize = 512;

/// End of the part of a line that identifies a document version.
const KEY_END: &[u8] = b",\"removed\":";

/// The text around a document stored as bytes, at the end of the line.
const BYTES_BEFORE: &str = ",\"bson\":{\"$binary\":{\"base64\":\"";
const BYTES_BEHIND: &str = "\",\"subType\":\"00\"}}}";

/// A document that was removed.
#[derive(Debug, Clone, PartialEq)]
pub struct Archived {
    /// When it was removed, in milliseconds since 1970.
    pub removed_ms: i64,
    /// Its collection's name at the time.
    pub namespace: Namespace,
    /// The index whose rule it expired by.
    pub index: String,
    /// Its number in the trash; with segments of earlier versions, in its collection.
    pub record: RecordNumber,
    /// When it was last written, in milliseconds since 1970.
    pub modified_ms: i64,
    /// Its threshold, in milliseconds since 1970.
    pub threshold_ms: i64,
    /// The document, byte for byte.
    pub document: RawDocumentBuf,
}

/// Appends a document as one line.
///
/// # Errors
/// When neither form reads back unchanged.
pub fn append_line(out: &mut Vec<u8>, archived: &Archived) -> Result<(), ArchiveError> {
    let start = out.len();
    for append in [append_text, append_bytes] {
        out.truncate(start);
        append(out, archived);
        let line = out.get(start..).unwrap_or_default();
        if read_line(line).is_ok_and(|read| read == *archived) {
            out.push(b'\n');
            return Ok(());
        }
    }
    out.truncate(start);
    Err(ArchiveError::Backend {
        what: format!(
            "{} of {} can't be written in a format that reads back unchanged",
            RecordName(archived.record),
            archived.namespace
        ),
    })
}

fn append_text(out: &mut Vec<u8>, archived: &Archived) {
    let mut line = head(archived);
    if let Ok(Some(id)) = archived.document.get("_id")
        && !matches!(id, RawBsonRef::Document(id) if id.as_bytes().len() > SHOWN_ID_BYTES_MAX)
        && !matches!(id, RawBsonRef::String(id) if id.len() > SHOWN_ID_BYTES_MAX)
        && !matches!(id, RawBsonRef::Binary(id) if id.bytes.len() > SHOWN_ID_BYTES_MAX)
    {
        line.append(cstr!("_id"), id);
    }
    line.append(cstr!("document"), RawBsonRef::Document(&archived.document));
    append_document(out, &line, Style::Canonical);
}

fn append_bytes(out: &mut Vec<u8>, archived: &Archived) {
    append_document(out, &head(archived), Style::Canonical);
    // Built by hand: with the largest document, the line would exceed the maximum document size.
    out.pop();
    out.extend_from_slice(BYTES_BEFORE.as_bytes());
    out.extend_from_slice(BASE64.encode(archived.document.as_bytes()).as_bytes());
    out.extend_from_slice(BYTES_BEHIND.as_bytes());
}

fn head(archived: &Archived) -> RawDocumentBuf {
    let date = |ms: i64| RawBsonRef::DateTime(DateTime::from_millis(ms));
    let mut line = RawDocumentBuf::new();
    line.append(cstr!("ns"), archived.namespace.to_string());
    match i64::try_from(archived.record) {
        Ok(record) => line.append(cstr!("record"), record),
        Err(_) => line.append(cstr!("record"), archived.record.to_string()),
    }
    line.append(cstr!("modified"), date(archived.modified_ms));
    line.append(cstr!("sum"), format!("{:016x}", xxh3_64(archived.document.as_bytes())));
    line.append(cstr!("removed"), date(archived.removed_ms));
    line.append(cstr!("expired"), date(archived.threshold_ms));
    line.append(cstr!("index"), archived.index.as_str());
    line
}

/// Splits a line with a document stored as bytes into its head and the document.
fn split_bytes(line: &str) -> Option<(String, RawDocumentBuf)> {
    // A line with a document as text ends with one more brace.
    let rest = line.strip_suffix(BYTES_BEHIND)?;
    let (head, base64) = rest.rsplit_once(BYTES_BEFORE)?;
    let bytes = BASE64.decode(base64).ok()?;
    Some((format!("{head}}}"), RawDocumentBuf::from_bytes(bytes).ok()?))
}

/// Reads a line and verifies its document's checksum.
///
/// # Errors
/// `Damaged`.
pub fn read_line(line: &[u8]) -> Result<Archived, ArchiveError> {
    let text = std::str::from_utf8(line).map_err(|_| damaged("a line is not UTF-8"))?;
    let (text, document) = match split_bytes(text) {
        Some((head, document)) => (Cow::Owned(head), Some(document)),
        None => (Cow::Borrowed(text), None),
    };
    let line = extjson::read_document(&text)
        .map_err(|error| damaged(format!("a line can't be read: {error}")))?;
    let text = |name: &str| match line.get(name) {
        Ok(Some(RawBsonRef::String(text))) => Ok(text),
        _ => Err(damaged(format!("a line has no {name}"))),
    };
    let date = |name: &str| match line.get(name) {
        Ok(Some(RawBsonRef::DateTime(date))) => Ok(date.timestamp_millis()),
        _ => Err(damaged(format!("a line has no {name}"))),
    };
    let record = match line.get("record") {
        Ok(Some(RawBsonRef::Int64(record))) => RecordNumber::try_from(record).ok(),
        Ok(Some(RawBsonRef::String(record))) => record.parse().ok(),
        _ => None,
    };
    let document = document.or_else(|| match line.get("document") {
        Ok(Some(RawBsonRef::Document(document))) => Some(document.to_owned()),
        _ => None,
    });
    let document = document.ok_or_else(|| damaged("a line has no document"))?;
    if format!("{:016x}", xxh3_64(document.as_bytes())) != text("sum")? {
        return Err(damaged("a document is not what its checksum says"));
    }
    Ok(Archived {
        removed_ms: date("removed")?,
        namespace: Namespace::parse(text("ns")?)
            .map_err(|_| damaged("a line names no collection"))?,
        record: record.ok_or_else(|| damaged("a line has no record"))?,
        modified_ms: date("modified")?,
        threshold_ms: date("expired")?,
        index: text("index")?.to_owned(),
        document,
    })
}

/// The part of a line that is the same in all copies of a document version.
pub(super) fn key_of(line: &[u8]) -> &[u8] {
    // Quotes within a string are escaped, so a string can't contain this.
    let end = line.windows(KEY_END.len()).position(|part| part == KEY_END);
    end.and_then(|end| line.get(..end)).unwrap_or(line)
}

fn damaged(what: impl Into<String>) -> ArchiveError {
    ArchiveError::Damaged { what: what.into() }
}

/// Packs documents into the one batch of a segment, with their number and when the first and the
/// last of them were removed.
pub(super) fn pack(documents: &[Archived]) -> Result<(Vec<u8>, u32, i64, i64), ArchiveError> {
    let mut lines = Vec::new();
    for document in documents {
        append_line(&mut lines, document)?;
    }
    let instants = || documents.iter().map(|document| document.removed_ms);
    let (first_ms, last_ms) =
        (instants().min().unwrap_or_default(), instants().max().unwrap_or_default());
    let docs = u32::try_from(documents.len()).unwrap_or(u32::MAX);
    Ok((frame::pack(&lines, docs, first_ms, last_ms)?, docs, first_ms, last_ms))
}

#[cfg(test)]
mod tests {
    use bson::{Bson, Document, doc, oid::ObjectId};

    use super::*;

    fn archived(document: &Document) -> Archived {
        Archived {
            removed_ms: 1_704_067_200_000,
            namespace: Namespace::new("test", "a.b"),
            record: 7,
            modified_ms: -1,
            threshold_ms: 1_704_067_199_999,
            index: "ttl \"x\",\"removed\":".to_owned(),
            document: RawDocumentBuf::try_from(document).expect("raw"),
        }
    }

    /// Checks that a document comes back byte for byte, and whether as text or as bytes.
    #[track_caller]
    fn check(document: &Document, as_bytes: bool) {
        let archived = archived(document);
        let mut out = b"before\n".to_vec();
        append_line(&mut out, &archived).expect("written");
        let line = out.strip_prefix(b"before\n").and_then(|line| line.strip_suffix(b"\n"));
        let line = line.expect("one line");
        assert!(!line.contains(&b'\n'));
        assert_eq!(read_line(line), Ok(archived));
        let text = String::from_utf8_lossy(line);
        assert_eq!(!text.contains("\"document\":"), as_bytes, "{text}");
    }

    #[test]
    fn documents_come_back_byte_for_byte() {
        check(&doc! { "_id": 1, "a": { "b": [1_i64, 2.5, "x\ny", Bson::Null] } }, false);
        check(&doc! { "_id": ObjectId::new(), "n": f64::NAN, "z": -0.0 }, false);
        check(&doc! { "_id": { "x": "y" }, "d": DateTime::from_millis(i64::MIN) }, false);
        check(&doc! { "_id": "l".repeat(2_000) }, false);
        check(&doc! {}, false);
    }

    #[test]
    fn what_extended_json_cannot_write_is_kept_as_bytes() {
        check(&doc! { "_id": 1, "a": { "$oid": "0123456789abcdef01234567" } }, true);
        check(&doc! { "_id": { "$numberInt": "5" } }, true);
        check(&doc! { "$oid": "0123456789abcdef01234567" }, true);
        check(&doc! { "_id": 1, "a": { "$date": "soon" } }, true);
        let mut deep = doc! {};
        for _ in 0..99 {
            deep = doc! { "d": deep };
        }
        check(&deep, true);
        // The largest document there can be.
        check(&doc! { "a": "x".repeat(16_777_216 - 13) }, true);
    }

    #[test]
    fn a_document_that_ends_in_bytes_is_text_all_the_same() {
        let binary = bson::Binary { subtype: bson::spec::BinarySubtype::Generic, bytes: vec![1] };
        check(&doc! { "bson": binary }, false);
    }

    #[test]
    fn a_changed_byte_is_noticed() {
        let mut line = Vec::new();
        append_line(&mut line, &archived(&doc! { "_id": 1, "a": "xyz" })).expect("written");
        let text = String::from_utf8(line).expect("text").replace("xyz", "xyy");
        let found = read_line(text.trim_end().as_bytes());
        assert!(matches!(found, Err(ArchiveError::Damaged { .. })), "{found:?}");
    }

    #[test]
    fn copies_of_one_document_have_one_key() {
        let line = |change: fn(&mut Archived)| {
            let mut archived = archived(&doc! { "_id": 1 });
            change(&mut archived);
            let mut line = Vec::new();
            append_line(&mut line, &archived).expect("written");
            key_of(&line).to_vec()
        };
        let first = line(|_| {});
        assert_eq!(line(|archived| archived.removed_ms += 1), first, "removed a second time");
        assert_ne!(line(|archived| archived.record += 1), first);
        assert_ne!(line(|archived| archived.modified_ms += 1), first);
    }
}
