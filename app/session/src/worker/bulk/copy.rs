//! Documents are copied into another collection, of this store or of another one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use bson::{Document, RawDocumentBuf};

use super::{ByKey, Run, Stop, document, id_of, ids_of, key, number};
use crate::commands::bulk as command;
use crate::job::bulk::Target;
use crate::job::reply::{batch, checked, write_errors};
use crate::source::duplicate::is_duplicate;
use crate::source::{Namespace, Source};
use crate::worker::journal::file::Item;

impl Run<'_> {
    /// Copies documents into a collection of a store.
    pub(super) fn copy(
        &mut self,
        target: &Target,
        to: &Namespace,
        into: &dyn Source,
    ) -> Result<(), Stop> {
        self.over(target, |run, filter, ids| {
            run.in_replies(filter, ids, |run, found| {
                let all: Result<_, Stop> = found.values().map(|one| document(&one.raw)).collect();
                let insert = command::insert(&to.collection, all?);
                let new = run.intend_copy(&found, to, into)?;
                let reply = run.write((into, &to.db), insert)?;
                run.inserted(&reply, true);
                let not: BTreeSet<u64> =
                    write_errors(&reply).map(|error| number(error, "index")).collect();
                let places = (0..).zip(&found).filter(|(at, _)| !not.contains(at));
                let copied: BTreeMap<&str, &RawDocumentBuf> =
                    places.map(|(_, (key, one))| (key.as_str(), &one.raw)).collect();
                let keeps = run.report.pairs.is_some();
                if run.in_step {
                    run.did(&new, |key| copied.get(key).map(|raw| keeps.then_some(*raw)))?;
                }
                for raw in copied.into_values() {
                    run.keep(None, Some(raw));
                }
                Ok(())
            })
        })
    }

    /// Counts what an insert did. With `skips`, a document that is there already is left as it is.
    pub(super) fn inserted(&mut self, reply: &Document, skips: bool) {
        self.report.changed += number(reply, "n");
        let (there, refused): (Vec<_>, Vec<_>) =
            write_errors(reply).partition(|error| skips && is_duplicate(error));
        self.report.unchanged += there.len() as u64;
        self.refuse(refused.into_iter());
    }

    /// Copies documents into a collection of the store in another folder.
    pub(super) fn copy_out(
        &mut self,
        target: &Target,
        to: &Namespace,
        folder: &Path,
    ) -> Result<(), Stop> {
        let other = self.source.open_beside(folder)?;
        let copied = self.copy(target, to, other.as_ref());
        other.close();
        copied
    }

    /// Notes the documents that a step of a copy inserts: those whose `_id` is not there yet. Nothing
    /// is noted of a copy that can't be taken back: it is continued from its beginning.
    fn intend_copy(
        &mut self,
        found: &ByKey,
        to: &Namespace,
        into: &dyn Source,
    ) -> Result<ByKey, Stop> {
        if self.journal.is_none() || !self.work.change.is_undoable() {
            return Ok(ByKey::new());
        }
        let among = command::among(&Document::new(), ids_of(found));
        let find = command::some_ids(&to.collection, among);
        let reply = checked(into.run_until(&to.db, &find, &self.work.gauge.cancel))?;
        let mut new = found.clone();
        for there in batch(&reply) {
            new.remove(&key(&id_of(there)));
        }
        let item = |raw: &RawDocumentBuf| Item { before: None, planned: Some(raw.clone()) };
        self.intend_items(new.values().map(|found| item(&found.raw)))?;
        Ok(new)
    }
}
