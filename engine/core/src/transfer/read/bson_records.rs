//! BSON documents in a file, one after another, as mongodump writes them.

use bson::{RawDocument, RawDocumentBuf};

use crate::transfer::TextPosition;
use crate::transfer::read::input::Input;
use crate::transfer::read::item::{BadRecord, Item};
use crate::value::{
    count, counted,
    scan::{DOCUMENT_BYTES_MAX, check},
};

/// Bytes of the shortest document: its length and its end.
const DOCUMENT_BYTES_MIN: usize = 5;

/// The documents of a BSON file. A length before each document says where the next one starts, so
/// what is wrong inside of one does not affect others.
pub(in crate::transfer) struct BsonRecords {
    position: TextPosition,
    document: RawDocumentBuf,
}

impl BsonRecords {
    pub(in crate::transfer) fn new() -> Self {
        let position = TextPosition { line: 0, column: 0, ..TextPosition::START };
        Self { position, document: RawDocumentBuf::new() }
    }

    /// Continues at a document.
    pub(in crate::transfer) fn resume(&mut self, position: TextPosition) {
        self.position = position;
    }

    /// Where the next document starts.
    pub(in crate::transfer) fn position(&self) -> TextPosition {
        self.position
    }

    pub(in crate::transfer) fn document(&self) -> &RawDocument {
        &self.document
    }

    pub(in crate::transfer) fn next(&mut self, input: &mut Input<'_>) -> Item {
        self.read(input)
            .unwrap_or_else(|reason| Item::Bad(BadRecord::new(self.position, reason, &[], true)))
    }

    /// # Errors
    /// Why the rest of the file can't be read, without a full stop.
    fn read(&mut self, input: &mut Input<'_>) -> Result<Item, String> {
        input.fill_to(4)?;
        if input.bytes().is_empty() {
            return Ok(Item::End);
        }
        let Some(length) = length(input.bytes()) else {
            return Err(cut_short(input.bytes().len(), None));
        };
        if !(DOCUMENT_BYTES_MIN..=DOCUMENT_BYTES_MAX).contains(&length) {
            return Err(match usize::try_from(i32::from_le_bytes(first(input.bytes()))) {
                Ok(long) if long > DOCUMENT_BYTES_MAX => format!(
                    "the document claims {} bytes, more than the 16 MiB that one may have; the \
                     file is damaged here, or is not BSON",
                    count(long as u64)
                ),
                _ => "no document starts here; the file is damaged, or is not BSON".to_owned(),
            });
        }
        input.fill_to(length)?;
        let Some(bytes) = input.bytes().get(..length) else {
            return Err(cut_short(input.bytes().len(), Some(length)));
        };
        if bytes.last() != Some(&0) {
            let what = "the document does not end where its length says; the file is damaged here";
            return Err(what.to_owned());
        }
        let position = self.position;
        let item = match check(bytes) {
            Ok(document) => {
                self.document = document.to_owned();
                Item::Document(position)
            }
            Err(error) => Item::Bad(BadRecord::new(position, error.to_string(), &[], false)),
        };
        self.position.offset += length as u64;
        self.position.document += 1;
        input.consume(length);
        Ok(item)
    }
}

fn cut_short(left: usize, length: Option<usize>) -> String {
    let left = counted(left as u64, "byte is", "bytes are");
    let of = length.map_or_else(String::new, |length| format!(" of {}", count(length as u64)));
    format!("the file is cut short: {left} left of a document{of}; get a new copy")
}

/// The first four bytes.
fn first(bytes: &[u8]) -> [u8; 4] {
    bytes.first_chunk().copied().unwrap_or_default()
}

/// The length of the document that starts here. `None` if there are too few bytes to say.
fn length(bytes: &[u8]) -> Option<usize> {
    let length = i32::from_le_bytes(*bytes.first_chunk()?);
    Some(usize::try_from(length).unwrap_or(0))
}

/// Whether a file starts with a BSON document. Reads it into the buffer.
pub(in crate::transfer) fn starts_with_document(input: &mut Input<'_>) -> bool {
    let Some(length) = length(input.bytes()) else { return false };
    // Four letters of a text are a length beyond 16 MiB.
    if !(DOCUMENT_BYTES_MIN..=DOCUMENT_BYTES_MAX).contains(&length) {
        return false;
    }
    input.fill_up_to(length);
    input.bytes().get(..length).is_some_and(|bytes| check(bytes).is_ok())
}
