//! The `_id`s of the documents that a change is about, read before the first one changes.

use bson::{Bson, Document, RawDocumentBuf};

use super::{Run, Stop, id_of, pack};
use crate::commands;
use crate::commands::bulk as command;
use crate::job::reply::{self, batch};
use crate::limits::{BULK_ID_BYTES_MAX, BULK_STEP_DOCUMENTS};

/// Documents in one reply.
pub(super) fn batch_size() -> i32 {
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
        self.note_total(count)?;
        Ok(packed)
    }

    pub(super) fn read_ids(
        &self,
        filter: &Document,
        collation: &Document,
    ) -> Result<(Vec<RawDocumentBuf>, u64), Stop> {
        let find = command::ids(&self.work.namespace.collection, filter, collation, batch_size());
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
            let before = waiting.len();
            waiting.extend(batch(&reply).filter_map(&mut choose));
            count += (waiting.len() - before) as u64;
            let cursor = reply::cursor(&reply);
            while waiting.len() >= BULK_STEP_DOCUMENTS || cursor.is_none() && !waiting.is_empty() {
                let rest = waiting.split_off(waiting.len().min(BULK_STEP_DOCUMENTS));
                let step = pack(std::mem::replace(&mut waiting, rest))?;
                bytes += step.as_bytes().len();
                packed.push(step);
            }
            let fits = if bytes > BULK_ID_BYTES_MAX {
                Err("Too many documents for one change; use a filter that matches fewer".into())
            } else {
                Ok(())
            };
            let Some(cursor) = cursor else { return fits.map(|()| (packed, count)) };
            let more = command::more(collection, cursor, batch_size());
            match fits.and_then(|()| self.read(&more)) {
                Ok(more) => reply = more,
                Err(stop) => {
                    self.close(collection, cursor);
                    return Err(stop);
                }
            }
        }
    }

    pub(super) fn close(&self, collection: &str, cursor: i64) {
        let close = commands::documents::close_cursor(collection, cursor);
        self.source.run(&self.work.namespace.db, &close);
    }
}
