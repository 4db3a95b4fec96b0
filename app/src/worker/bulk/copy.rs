//! Documents are copied into another collection, of this store or of another one.

use std::collections::BTreeSet;
use std::path::Path;

use bson::{Document, RawDocumentBuf};

use super::{
    ByKey, DUPLICATE_KEY, Run, Stop, batch_of, document, id_of, key, number, write_errors,
};
use crate::commands::bulk as command;
use crate::job::bulk::Target;
use crate::job::reply::refusal;
use crate::limits::BULK_STEP_DOCUMENTS;
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
                let (there, refused): (Vec<_>, Vec<_>) =
                    write_errors(&reply).into_iter().partition(|error| {
                        error.get_i32("code").is_ok_and(|code| code == DUPLICATE_KEY)
                    });
                run.report.changed += number(&reply, "n");
                run.report.unchanged += there.len() as u64;
                run.refuse(&refused);
                let not: BTreeSet<u64> =
                    there.iter().chain(&refused).map(|error| number(error, "index")).collect();
                let places = (0..).zip(&found).filter(|(at, _)| !not.contains(at));
                let copied: BTreeSet<&String> = places.map(|(_, (key, _))| key).collect();
                let keeps = run.report.pairs.is_some();
                if run.in_step {
                    run.did(&new, |key| {
                        let one =
                            found.get(key).filter(|_| copied.iter().any(|one| *one == key))?;
                        Some(keeps.then_some(&one.raw))
                    })?;
                }
                for key in copied {
                    run.keep(None, found.get(key).map(|one| &one.raw));
                }
                Ok(())
            })
        })
    }

    /// Copies documents into a collection of the store in another folder.
    pub(super) fn copy_out(
        &mut self,
        target: &Target,
        to: &Namespace,
        folder: &Path,
    ) -> Result<(), Stop> {
        let other = self.source.open_beside(folder).map_err(Stop::Failed)?;
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
        let ids = found.values().map(|found| found.id.clone()).collect();
        let among = command::among(&Document::new(), ids);
        let batch = i32::try_from(BULK_STEP_DOCUMENTS).unwrap_or(i32::MAX);
        let mut find = command::ids(&to.collection, &among, &Document::new(), batch);
        find.insert("limit", batch);
        find.insert("singleBatch", true);
        let reply = into.run_until(&to.db, &find, &self.work.gauge.cancel);
        if let Some(refusal) = refusal(&reply) {
            return Err(Stop::Failed(refusal));
        }
        let mut new = found.clone();
        for there in batch_of(&reply).0 {
            new.remove(&key(&id_of(&there)));
        }
        let item = |raw: &RawDocumentBuf| Item { before: None, planned: Some(raw.clone()) };
        self.intend_items(new.values().map(|found| item(&found.raw)))?;
        Ok(new)
    }
}
