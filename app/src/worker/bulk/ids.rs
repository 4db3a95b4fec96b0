//! The `_id`s of the documents that a change is about, read before the first one changes.

use bson::{Bson, Document, RawDocumentBuf};

use super::{Run, Stop, batch_of, id_of, pack};
use crate::commands;
use crate::commands::bulk as command;
use crate::limits::{BULK_ID_BYTES_MAX, BULK_STEP_DOCUMENTS};

/// Documents in one reply.
pub(super) fn batch() -> i32 {
    i32::try_from(BULK_STEP_DOCUMENTS).unwrap_or(i32::MAX)
}

impl Run<'_> {
    /// The `_id`s of all that match, packed as one document for each step.
    pub(super) fn matching(
        &mut self,
        filter: &Document,
        collation: &Document,
    ) -> Result<Vec<RawDocumentBuf>, Stop> {
        let (packed, count) = self.read_ids(filter, collation)?;
        self.work.gauge.set_total(count);
        self.note_total(count)?;
        Ok(packed)
    }

    pub(super) fn read_ids(
        &self,
        filter: &Document,
        collation: &Document,
    ) -> Result<(Vec<RawDocumentBuf>, u64), Stop> {
        let find = command::ids(&self.work.namespace.collection, filter, collation, batch());
        self.read_chosen(&find, |document| Some(id_of(document)))
    }

    /// The `_id`s of the documents that a find reads and `choose` takes.
    pub(super) fn read_chosen(
        &self,
        find: &Document,
        mut choose: impl FnMut(&Document) -> Option<Bson>,
    ) -> Result<(Vec<RawDocumentBuf>, u64), Stop> {
        let collection = &self.work.namespace.collection;
        let mut reply = self.read(find)?;
        let (mut packed, mut bytes, mut count, mut waiting) = (Vec::new(), 0, 0_u64, Vec::new());
        loop {
            let (found, cursor) = batch_of(&reply);
            let before = waiting.len();
            waiting.extend(found.iter().filter_map(&mut choose));
            count += (waiting.len() - before) as u64;
            let is_last = cursor == 0;
            while waiting.len() >= BULK_STEP_DOCUMENTS || is_last && !waiting.is_empty() {
                let rest = waiting.split_off(waiting.len().min(BULK_STEP_DOCUMENTS));
                let step = pack(std::mem::replace(&mut waiting, rest))?;
                bytes += step.as_bytes().len();
                packed.push(step);
            }
            if bytes > BULK_ID_BYTES_MAX {
                self.close(collection, cursor);
                let text = "Too many documents for one change; use a filter that matches fewer";
                return Err(Stop::Failed(text.to_owned()));
            }
            if is_last {
                break;
            }
            match self.read(&command::more(collection, cursor, batch())) {
                Ok(more) => reply = more,
                Err(stop) => {
                    self.close(collection, cursor);
                    return Err(stop);
                }
            }
        }
        Ok((packed, count))
    }

    pub(super) fn close(&self, collection: &str, cursor: i64) {
        if cursor != 0 {
            let close = commands::documents::close_cursor(collection, cursor);
            self.source.run(&self.work.namespace.db, &close);
        }
    }
}
