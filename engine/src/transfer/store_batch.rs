//! One transaction of an import.

use std::{ops::Bound, time::Duration};

use bson::{RawDocument, RawDocumentBuf, raw::RawBsonRef};

use super::{
    ImportRequest, Mode, Place, TransferError,
    batch::{Batch, Entry, text_of},
    limits::CLOCK_DOCS,
};
use crate::{
    catalog::CollectionMeta,
    collection::{Collections, DocumentWriter, WriteError},
    limits::BATCH_MS_MAX,
    store::{Scan, StoreError},
    value::{Direction, key, same_value, scan::DOCUMENT_BYTES_MAX},
};

/// What one transaction did.
#[derive(Default)]
pub(super) struct Stored {
    /// The first entry that was not looked at.
    pub next: usize,
    /// Documents stored.
    pub imported: u64,
    /// Documents skipped.
    pub skipped: u64,
    /// What was refused, in order.
    pub refused: Vec<Refused>,
}

/// An entry that was refused.
pub(super) struct Refused {
    /// Its number in the batch.
    pub entry: usize,
    /// Where it stands.
    pub place: Place,
    /// Why.
    pub reason: String,
    /// Its text.
    pub text: Vec<u8>,
}

/// What became of one document.
enum Fate {
    Stored,
    Skipped,
    Refused(String),
}

/// Stores entries from `from` on, until the batch or the transaction's time is used up, or at the
/// first refused entry when the request says so.
///
/// # Errors
/// When the store or the catalog refuses the whole transaction; nothing of it is stored then.
pub(super) fn store_batch(
    collections: &Collections,
    request: &ImportRequest,
    batch: &Batch,
    from: usize,
) -> Result<Stored, TransferError> {
    let clock = collections.clock();
    let deadline = clock.monotonic() + Duration::from_millis(BATCH_MS_MAX);
    collections.write(|writer| {
        let collection = writer.create_if_missing(&request.namespace)?;
        collection.check_holds_documents().map_err(WriteError::from)?;
        let mut stored = Stored { next: from, ..Stored::default() };
        for (entry, item) in batch.entries().iter().enumerate().skip(from) {
            if (entry - from) % CLOCK_DOCS == CLOCK_DOCS - 1 && clock.monotonic() >= deadline {
                break;
            }
            stored.next = entry + 1;
            let refused = match item {
                Entry::Bad(bad) => {
                    let (reason, text) = (bad.reason.clone(), bad.text.clone());
                    Refused { entry, place: bad.place, reason, text }
                }
                Entry::Document(range, place) => {
                    let Some(document) = batch.document(range) else { continue };
                    match store(writer, &collection, request.mode, document)? {
                        Fate::Stored => {
                            stored.imported += 1;
                            continue;
                        }
                        Fate::Skipped => {
                            stored.skipped += 1;
                            continue;
                        }
                        Fate::Refused(reason) => {
                            Refused { entry, place: *place, reason, text: text_of(document) }
                        }
                    }
                }
            };
            stored.refused.push(refused);
            if request.stop_on_error {
                break;
            }
        }
        Ok(stored)
    })
}

fn store(
    writer: &mut DocumentWriter<'_>,
    collection: &CollectionMeta,
    mode: Mode,
    document: &RawDocument,
) -> Result<Fate, WriteError> {
    let known = match mode {
        Mode::Insert | Mode::Skip => None,
        Mode::Replace | Mode::Merge => find(writer, collection, document)?,
    };
    let written = match (known, mode) {
        (None, _) => writer.insert(collection, document).map(drop),
        (Some((record, stored)), Mode::Merge) => {
            let merged = merge(&stored, document);
            let size = merged.as_bytes().len();
            if size > DOCUMENT_BYTES_MAX {
                return Ok(Fate::Refused(format!(
                    "the merged document has {size} bytes; at most {DOCUMENT_BYTES_MAX} are allowed"
                )));
            }
            writer.replace(collection, record, &merged)
        }
        (Some((record, _)), _) => writer.replace(collection, record, document),
    };
    match written {
        Ok(()) => Ok(Fate::Stored),
        Err(WriteError::DuplicateKey(key)) if key.index == "_id_" => Ok(match mode {
            Mode::Skip => Fate::Skipped,
            _ => Fate::Refused(
                "a document with the same _id is there already; use another mode, or \
                                give it another _id"
                    .to_owned(),
            ),
        }),
        Err(
            error @ (WriteError::DuplicateKey(_)
            | WriteError::ParallelArrays { .. }
            | WriteError::BadDocument { .. }
            | WriteError::Invalid { .. }),
        ) => Ok(Fate::Refused(error.to_string())),
        Err(error) => Err(error),
    }
}

/// The stored document with the same `_id`, unless reads hide it: the new one then takes its place.
fn find(
    writer: &DocumentWriter<'_>,
    collection: &CollectionMeta,
    document: &RawDocument,
) -> Result<Option<(u64, RawDocumentBuf)>, StoreError> {
    let (Some(index), Ok(Some(id))) = (collection.id_index(), document.get("_id")) else {
        return Ok(None);
    };
    let reader = writer.reader();
    let key = key::encode(Some(id), Direction::Ascending);
    let exactly = Bound::Included(key.bytes.as_slice());
    for entry in reader.entries(index.id, exactly, exactly, Scan::Forward)? {
        let entry = entry?;
        let Some(stored) = reader.document(collection.id, entry.record)? else { continue };
        let document = stored.document()?;
        if let Ok(Some(other)) = document.get("_id")
            && same_value(id, other)
            && !collection.hides(document, stored.modified_ms, writer.now_ms())
        {
            return Ok(Some((entry.record, document.to_owned())));
        }
    }
    Ok(None)
}

/// The stored document with the fields of the new one set: first the stored order, then what is new.
fn merge(stored: &RawDocument, new: &RawDocument) -> RawDocumentBuf {
    let mut merged = RawDocumentBuf::new();
    for (name, value) in stored.iter().filter_map(Result::ok) {
        let value: RawBsonRef<'_> = match new.get(name.as_str()) {
            Ok(Some(other)) if name.as_str() != "_id" => other,
            _ => value,
        };
        merged.append(name, value);
    }
    for (name, value) in new.iter().filter_map(Result::ok) {
        if !matches!(stored.get(name.as_str()), Ok(Some(_))) {
            merged.append(name, value);
        }
    }
    merged
}
