//! Batches that the reader thread passes to the writer.

use std::ops::Range;

use bson::{RawDocument, oid::ObjectId};
use xxhash_rust::xxh3::xxh3_64;

use crate::transfer::limits::BATCH_BYTES_MAX;
use crate::transfer::read::item::{BadRecord, Item};
use crate::transfer::read::prepare::prepare;
use crate::transfer::read::records::Records;
use crate::transfer::read::text_position::ResumePoint;
use crate::transfer::{FieldCounts, TextPosition};

/// Documents ready to be stored and unreadable records between them, in file order.
pub(in crate::transfer) struct Batch {
    /// Index of the file in the request.
    pub file: usize,
    arena: Vec<u8>,
    entries: Vec<BatchEntry>,
    /// Bytes of text of the unreadable records.
    bad_bytes: usize,
    /// Where the file continues after each entry.
    resume_points: Vec<ResumePoint>,
    /// How the fields with a chosen type converted in the file so far.
    pub field_counts: Vec<FieldCounts>,
    /// The file has no more records.
    pub ended: bool,
}

/// How documents without an `_id` get theirs.
#[derive(Debug, Clone, Copy)]
pub(in crate::transfer) enum NewIds {
    /// A new one each time.
    Fresh,
    /// The same one each time the document of this import is read.
    OfImport(ObjectId),
}

impl NewIds {
    /// The `_id` of a document of a file, by its number in it.
    fn get(self, file: usize, number: u64) -> ObjectId {
        let Self::OfImport(import) = self else { return ObjectId::new() };
        // Seconds, 40 bits of the import and the file, and a counter, as drivers make them. The
        // counter carries into the seconds.
        let mut key = import.bytes().to_vec();
        key.extend((file as u64).to_le_bytes());
        let middle = xxh3_64(&key).to_be_bytes();
        let [.., high, mid, low] = number.to_be_bytes();
        let [s0, s1, s2, s3, ..] = import.bytes();
        let carried = u32::try_from(number >> 24).unwrap_or(u32::MAX);
        let secs = u32::from_be_bytes([s0, s1, s2, s3]).wrapping_add(carried);
        let mut id = [0; 12];
        id[..4].copy_from_slice(&secs.to_be_bytes());
        id[4..9].copy_from_slice(&middle[..5]);
        id[9..].copy_from_slice(&[high, mid, low]);
        ObjectId::from_bytes(id)
    }
}

pub(in crate::transfer) enum BatchEntry {
    /// A range in the arena, and where the document starts.
    Document(Range<usize>, TextPosition),
    Bad(BadRecord),
}

impl Batch {
    /// Reads the next batch of a file, at most `docs_max` entries.
    pub(in crate::transfer) fn read(
        records: &mut Records<'_>,
        file: usize,
        docs_max: usize,
        ids: NewIds,
    ) -> Self {
        let mut batch = Self {
            file,
            arena: Vec::with_capacity(BATCH_BYTES_MAX / 4),
            entries: Vec::with_capacity(docs_max),
            bad_bytes: 0,
            resume_points: Vec::with_capacity(docs_max),
            field_counts: Vec::new(),
            ended: false,
        };
        while !batch.ended && batch.entries.len() < docs_max && batch.bytes() < BATCH_BYTES_MAX {
            match records.next() {
                Item::End => batch.ended = true,
                Item::Bad(bad) => {
                    batch.ended = bad.fatal;
                    batch.push_bad(bad);
                }
                Item::Document(position) => batch.push(records.document(), position, ids),
            }
            if batch.resume_points.len() < batch.entries.len() {
                batch.resume_points.push(records.resume_point());
            }
        }
        // Text after the last document counts as well.
        if let Some(last) = batch.resume_points.last_mut().filter(|_| batch.ended) {
            last.tally = records.tally();
        }
        batch.field_counts = records.field_counts().to_vec();
        batch
    }

    fn push(&mut self, document: &RawDocument, position: TextPosition, ids: NewIds) {
        let start = self.arena.len();
        let new_id = || ids.get(self.file, position.document);
        match prepare(document, new_id, &mut self.arena) {
            Ok(()) => self.entries.push(BatchEntry::Document(start..self.arena.len(), position)),
            Err(reason) => {
                self.push_bad(BadRecord::of(position, reason, document));
            }
        }
    }

    fn push_bad(&mut self, bad: BadRecord) {
        self.bad_bytes = self.bad_bytes.saturating_add(bad.text.len());
        self.entries.push(BatchEntry::Bad(bad));
    }

    fn bytes(&self) -> usize {
        self.arena.len().saturating_add(self.bad_bytes)
    }

    pub(in crate::transfer) fn entries(&self) -> &[BatchEntry] {
        &self.entries
    }

    /// Where the file continues after an entry.
    pub(in crate::transfer) fn resume_point(&self, entry: usize) -> Option<ResumePoint> {
        self.resume_points.get(entry).copied()
    }

    /// Consecutive documents from entry `from`, at most `max`, up to the first unreadable record.
    pub(in crate::transfer) fn documents(&self, from: usize, max: usize) -> Vec<&RawDocument> {
        let entries = self.entries.iter().skip(from).take(max);
        let documents = entries.map_while(|entry| match entry {
            BatchEntry::Document(range, _) => self.document(range),
            BatchEntry::Bad(_) => None,
        });
        documents.collect()
    }

    pub(in crate::transfer) fn document(&self, range: &Range<usize>) -> Option<&RawDocument> {
        RawDocument::from_bytes(self.arena.get(range.clone())?).ok()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::transfer::{ImportFormat, ReadOptions, read::input::Input};

    #[test]
    fn ids_of_an_import_are_the_same_each_time_and_different_from_each_other() {
        let import = ObjectId::new();
        let of = |file, number| NewIds::OfImport(import).get(file, number);
        let numbers = (1..=3).chain([(1 << 24) - 1, 1 << 24, (1 << 24) + 1, 1 << 40]);
        let all: Vec<ObjectId> =
            numbers.flat_map(|number| [of(0, number), of(1, number)]).collect();
        let different: std::collections::BTreeSet<_> = all.iter().map(ObjectId::bytes).collect();
        assert_eq!(different.len(), all.len());
        assert_eq!(of(1, 7), of(1, 7));
        assert_ne!(NewIds::OfImport(ObjectId::new()).get(1, 7), of(1, 7));
    }

    #[test]
    fn a_batch_of_what_is_rejected_is_bounded_in_bytes_too() {
        const BAD_BYTES: usize = 128 << 10;
        let line = format!("{{\"a\": {}}}\n", "x".repeat(BAD_BYTES));
        let text = line.repeat(300).into_bytes();
        let input = Input::over(Box::new(std::io::Cursor::new(text)));
        let options = ReadOptions { format: ImportFormat::Json, ..ReadOptions::default() };
        let mut records = Records::of(input, Path::new("bad"), &options).unwrap();
        let (mut entries, mut batches) = (0, 0);
        loop {
            let batch = Batch::read(&mut records, 0, 1_000, NewIds::Fresh);
            let kept = batch.bad_bytes;
            assert!(kept >= batch.entries().len() * BAD_BYTES, "{kept} bytes");
            assert!(kept <= BATCH_BYTES_MAX + 2 * BAD_BYTES, "{kept} bytes");
            (entries, batches) = (entries + batch.entries().len(), batches + 1);
            if batch.ended {
                break;
            }
        }
        assert_eq!(entries, 300);
        assert!(batches > 3, "{batches}");
    }
}
