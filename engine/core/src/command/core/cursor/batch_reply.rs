//! Builds the reply of a cursor. Each document is copied once, from the store into the reply.

use bson::{RawDocumentBuf, raw::RawDocument, spec::ElementType};

use crate::{command::core::CommandError, limits::CURSOR_BATCH_BYTES_MAX};

/// Bytes of a reply besides its documents, including the collection's name.
const FRAME_BYTES: usize = 128;

/// A batch of documents within its reply.
pub struct BatchReply {
    bytes: Vec<u8>,
    /// Where the cursor and its batch begin.
    cursor_at: usize,
    batch_at: usize,
    count: usize,
    documents_bytes: usize,
    size: usize,
    damaged: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchName {
    First,
    Next,
}

impl BatchReply {
    /// An empty batch of at most `size` documents.
    pub fn new(which: BatchName, size: usize) -> Self {
        Self::with_room(which, size, 0)
    }

    /// As [`BatchReply::new`], with room for documents of this many bytes.
    pub fn with_room(which: BatchName, size: usize, bytes: usize) -> Self {
        let mut bytes = Vec::with_capacity(FRAME_BYTES.saturating_add(bytes));
        begin_document(&mut bytes);
        begin_field(&mut bytes, ElementType::EmbeddedDocument, b"cursor");
        let cursor_at = begin_document(&mut bytes);
        let name: &[u8] = match which {
            BatchName::First => b"firstBatch",
            BatchName::Next => b"nextBatch",
        };
        begin_field(&mut bytes, ElementType::Array, name);
        let batch_at = begin_document(&mut bytes);
        Self { bytes, cursor_at, batch_at, count: 0, documents_bytes: 0, size, damaged: 0 }
    }

    /// How many documents it has.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether it has all requested documents.
    pub fn is_full(&self) -> bool {
        self.count >= self.size
    }

    /// Adds a document; false when it has no place here.
    pub fn push(&mut self, document: &RawDocument) -> bool {
        let bytes = self.documents_bytes + document.as_bytes().len();
        // The first document is always taken, or a large one would never reach the client.
        if self.is_full() || (self.count > 0 && bytes > CURSOR_BATCH_BYTES_MAX) {
            return false;
        }
        self.bytes.push(ElementType::EmbeddedDocument as u8);
        push_decimal(&mut self.bytes, self.count);
        self.bytes.push(0);
        self.bytes.extend_from_slice(document.as_bytes());
        self.count += 1;
        self.documents_bytes = bytes;
        true
    }

    /// Notes documents that are left out because they are damaged.
    pub fn leave_out(&mut self, damaged: u64) {
        self.damaged += damaged;
    }

    /// The reply of the cursor with this number.
    ///
    /// # Errors
    /// When its length does not fit 32 bits.
    pub fn finish(self, id: i64, ns: &str) -> Result<RawDocumentBuf, CommandError> {
        self.finish_of(id, &[ns])
    }

    /// As [`BatchReply::finish`], with the namespace in parts.
    ///
    /// # Errors
    /// As [`BatchReply::finish`].
    pub fn finish_of(self, id: i64, ns: &[&str]) -> Result<RawDocumentBuf, CommandError> {
        let Self { mut bytes, cursor_at, batch_at, damaged, .. } = self;
        end_document(&mut bytes, batch_at);
        begin_field(&mut bytes, ElementType::Int64, b"id");
        bytes.extend_from_slice(&id.to_le_bytes());
        begin_field(&mut bytes, ElementType::String, b"ns");
        bytes.extend_from_slice(&length(ns.iter().map(|part| part.len()).sum::<usize>() + 1));
        for part in ns {
            bytes.extend_from_slice(part.as_bytes());
        }
        bytes.push(0);
        // MongoDB sets this field for shards that did not answer.
        if damaged > 0 {
            begin_field(&mut bytes, ElementType::Boolean, b"partialResultsReturned");
            bytes.push(1);
            begin_field(&mut bytes, ElementType::Int64, b"damaged");
            bytes.extend_from_slice(&damaged.to_le_bytes());
        }
        end_document(&mut bytes, cursor_at);
        begin_field(&mut bytes, ElementType::Double, b"ok");
        bytes.extend_from_slice(&1.0_f64.to_le_bytes());
        end_document(&mut bytes, 0);
        Ok(RawDocumentBuf::from_bytes(bytes)?)
    }
}

/// A length of 32 bits; one that does not fit is none that a document can have.
fn length(length: usize) -> [u8; 4] {
    i32::try_from(length).unwrap_or(-1).to_le_bytes()
}

fn begin_field(bytes: &mut Vec<u8>, kind: ElementType, name: &[u8]) {
    bytes.push(kind as u8);
    bytes.extend_from_slice(name);
    bytes.push(0);
}

/// Where the document begins; its length follows with its end.
fn begin_document(bytes: &mut Vec<u8>) -> usize {
    bytes.extend_from_slice(&[0; 4]);
    bytes.len() - 4
}

fn end_document(bytes: &mut Vec<u8>, at: usize) {
    bytes.push(0);
    let length = length(bytes.len() - at);
    if let Some(place) = bytes.get_mut(at..at + length.len()) {
        place.copy_from_slice(&length);
    }
}

fn push_decimal(bytes: &mut Vec<u8>, number: usize) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    let mut rest = number;
    loop {
        at -= 1;
        digits[at] = b'0' + u8::try_from(rest % 10).unwrap_or(0);
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    bytes.extend_from_slice(&digits[at..]);
}

#[cfg(test)]
mod tests {
    use bson::{Document, doc, rawdoc};

    use super::*;
    use crate::value::scan;

    #[track_caller]
    fn check(which: BatchName, count: i32) {
        let mut batch = BatchReply::new(which, usize::MAX);
        for number in 0..count {
            assert!(batch.push(&rawdoc! { "n": number }));
        }
        assert_eq!(batch.count(), usize::try_from(count).expect("a count"));
        let reply = batch.finish(7, "db.c").expect("a reply");
        scan::check(reply.as_bytes()).expect("sound");
        let documents: Vec<Document> = (0..count).map(|number| doc! { "n": number }).collect();
        let name = if which == BatchName::First { "firstBatch" } else { "nextBatch" };
        let cursor = doc! { name: documents, "id": 7_i64, "ns": "db.c" };
        let found = Document::try_from(reply).expect("a document");
        assert_eq!(found, doc! { "cursor": cursor, "ok": 1.0 });
    }

    #[test]
    fn a_reply_holds_the_batch_its_number_and_its_collection() {
        for count in [0, 1, 2, 10, 11, 101, 1_001] {
            check(BatchName::First, count);
        }
        check(BatchName::Next, 0);
        check(BatchName::Next, 3);
    }

    #[test]
    fn positions_are_decimal_numbers() {
        for number in [0, 9, 10, 99, 100, 12_345, usize::MAX] {
            let mut bytes = Vec::new();
            push_decimal(&mut bytes, number);
            assert_eq!(bytes, number.to_string().into_bytes());
        }
    }

    #[test]
    fn a_full_batch_takes_no_more() {
        let mut batch = BatchReply::new(BatchName::First, 1);
        assert!(batch.push(&rawdoc! {}) && batch.is_full());
        assert!(!batch.push(&rawdoc! {}));
        assert!(!BatchReply::new(BatchName::First, 0).push(&rawdoc! {}));
        let half = "x".repeat(CURSOR_BATCH_BYTES_MAX / 2);
        let mut batch = BatchReply::new(BatchName::First, 9);
        assert!(batch.push(&rawdoc! { "a": half.as_str() }));
        assert!(!batch.push(&rawdoc! { "a": half.as_str() }));
    }
}
