//! A whole collection, in steps: it is emptied, or duplicated.

use bson::{Bson, Document, doc};

use super::ids::batch_size;
use super::{Run, Stop, id_of, number};
use crate::commands::query::Query;
use crate::commands::{bulk as command, store};
use crate::job::reply::{self, batch, write_errors};
use crate::limits::BULK_STEP_DOCUMENTS;
use crate::source::Namespace;

impl Run<'_> {
    /// Deletes documents until none is left. Documents that others insert during the work are
    /// deleted too.
    pub(super) fn empty(&mut self) -> Result<(), Stop> {
        let collection = self.work.namespace.collection.clone();
        let mut left = self.count()?;
        if left <= BULK_STEP_DOCUMENTS as u64 {
            // As the dialog shows it.
            return self.delete_step(store::empty(&collection)).map(|_| ());
        }
        while left > 0 {
            self.check()?;
            let ids = self.first_ids(&collection)?;
            left = ids.len() as u64;
            if left > 0 {
                let all = command::among(&Document::new(), ids);
                let deleted = self.delete_step(command::delete(&collection, all))?;
                self.work.gauge.add(deleted);
            }
        }
        Ok(())
    }

    /// Deletes the documents of one step. Returns how many these were. A document that the store
    /// refuses to delete ends the work: it would be met again and again.
    fn delete_step(&mut self, delete: Document) -> Result<u64, Stop> {
        let reply = self.write_here(delete)?;
        let deleted = number(&reply, "n");
        self.report.changed += deleted;
        let error = write_errors(&reply).next();
        match error.and_then(|error| error.get_str("errmsg").ok()) {
            Some(message) => Err(message.into()),
            None => Ok(deleted),
        }
    }

    fn first_ids(&self, collection: &str) -> Result<Vec<Bson>, Stop> {
        let reply = self.read(&command::some_ids(collection, Document::new()))?;
        Ok(batch(&reply).map(id_of).collect())
    }

    /// How many documents the collection has, for the gauge.
    fn count(&self) -> Result<u64, Stop> {
        let reply = self.read(&Query::default().count(&self.work.namespace.collection))?;
        let count = number(&reply, "n");
        self.work.gauge.set_total(count);
        Ok(count)
    }

    /// Makes the copy and fills it. Of a copy that is not finished nothing is left, unless it was cut
    /// short before: then it continues, and documents that are there are left as they are.
    pub(super) fn duplicate(&mut self, to: &Namespace, indexes: &[Document]) -> Result<(), Stop> {
        let known = self.read(&store::named(&to.collection))?;
        let is_there = batch(&known).next().is_some();
        // A second create would succeed, and the collection that is dropped below must not be
        // another's.
        if is_there && !self.is_continued {
            return Err(format!("{to} already exists; choose another name").into());
        }
        if !is_there {
            self.write_here(store::create(&to.collection))?;
        }
        let filled = self.fill(&to.collection, indexes);
        if filled.is_err() && !self.is_continued {
            self.report.changed = 0;
            self.write_here(store::drop_collection(&to.collection))?;
        }
        filled
    }

    fn fill(&mut self, to: &str, indexes: &[Document]) -> Result<(), Stop> {
        if !indexes.is_empty() {
            self.write_here(store::create_indexes(to, indexes))?;
        }
        self.count()?;
        let from = self.work.namespace.collection.clone();
        let mut reply = self.read(&doc! { "find": &from, "batchSize": batch_size() })?;
        loop {
            let found = batch(&reply).cloned().collect();
            let filled = self.check().and_then(|()| self.insert_step(to, found));
            let Some(cursor) = reply::cursor(&reply) else { return filled };
            if filled.is_err() {
                self.close(&from, cursor);
                return filled;
            }
            reply = self.read(&command::more(&from, cursor, batch_size()))?;
        }
    }

    fn insert_step(&mut self, to: &str, found: Vec<Document>) -> Result<(), Stop> {
        if found.is_empty() {
            return Ok(());
        }
        let count = found.len() as u64;
        let reply = self.write_here(command::insert(to, found))?;
        self.inserted(&reply, self.is_continued);
        self.work.gauge.add(count);
        Ok(())
    }
}
