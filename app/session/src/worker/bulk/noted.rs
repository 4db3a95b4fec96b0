//! A change notes each step in its journal, and continues from one.

use bson::{Bson, RawDocumentBuf, doc};

use super::{ByKey, Run, Stop, key};
use crate::job::End;
use crate::job::bulk::{BulkChange, Made, Pair};
use crate::worker::journal::cut::{TOTAL, WAY, only_id};
use crate::worker::journal::file::{Item, Journal};
use crate::worker::journal::header;

impl Run<'_> {
    /// Begins the journal, or opens that of the change that is continued or taken back.
    pub(super) fn begin(&mut self) -> Result<(), Stop> {
        let (namespace, change) = (&self.work.namespace, &self.work.change);
        if let Some(path) = &self.work.journal {
            let (journal, contents) = Journal::open(path)?;
            let is_way = matches!(change, BulkChange::Back(_) | BulkChange::Again(_));
            let pairs = contents.made();
            if is_way {
                let sentence = "What this change did is not known any more; nothing was undone";
                self.swapped = Some(pairs.ok_or(sentence)?);
            } else {
                self.done = contents.done_keys();
                self.report.changed = contents.changed();
                self.bytes = pairs.iter().flatten().map(Pair::bytes).sum();
                self.report.pairs = pairs.filter(|_| change.is_undoable());
            }
            self.is_continued = true;
            let journal = self.journal.insert(journal);
            if is_way {
                let way = if matches!(change, BulkChange::Back(_)) { "back" } else { "again" };
                journal.note(&doc! { WAY: way })?;
            }
        } else if let Some(folder) = self.source.journals() {
            let header = header::of_change(namespace, change, self.source.now_ms());
            let pairs = match change {
                BulkChange::Back(made) | BulkChange::Again(made) => made.pairs.as_slice(),
                _ => &[],
            };
            self.journal = Some(Journal::begin(&folder, &header, pairs)?);
        }
        Ok(())
    }

    /// Ends the journal, unless the change is cut short: by the end of the program, by a store that
    /// closes, or by a step of which it is not known what it did.
    pub(super) fn end(&mut self, end: &End) {
        let Some(journal) = self.journal.take() else {
            // It could not be opened, and is still there.
            self.report.is_unfinished = self.work.journal.is_some();
            return;
        };
        let is_left =
            *end != End::Complete && (self.work.gauge.is_left() || self.ends.is_cancelled());
        let is_open = self.in_step && matches!(end, End::Failed(_));
        if is_left || is_open {
            self.report.is_unfinished = true;
            self.report.pairs = self.report.pairs.take().map(|_| Vec::new());
        } else {
            journal.finish();
        }
    }

    /// The pairs of a change that is taken back or made again.
    pub(super) fn swapped(&mut self, made: &Made) -> Made {
        let pairs = self.swapped.take().unwrap_or_else(|| made.pairs.clone());
        let field = made.field.clone();
        Made { namespace: made.namespace.clone(), pairs, verb: made.verb, field }
    }

    /// Notes how many documents there are in all; in the journal once.
    pub(super) fn note_total(&mut self, total: u64) -> Result<(), Stop> {
        self.work.gauge.set_total(total);
        match &mut self.journal {
            Some(journal) if !self.is_continued => {
                let total = i64::try_from(total).unwrap_or(i64::MAX);
                Ok(journal.note(&doc! { TOTAL: total })?)
            }
            _ => Ok(()),
        }
    }

    /// Those of these `_id`s that were not done before the change was cut short.
    pub(super) fn undone(&self, mut ids: Vec<Bson>) -> Vec<Bson> {
        if !self.done.is_empty() {
            ids.retain(|id| !self.done.contains(&key(id)));
        }
        ids
    }

    /// Notes the documents of a step before it begins.
    pub(super) fn intend(&mut self, found: &ByKey) -> Result<(), Stop> {
        let item = |raw: &RawDocumentBuf| Item { before: Some(raw.clone()), planned: None };
        self.intend_items(found.values().map(|found| item(&found.raw)))
    }

    pub(super) fn intend_items(&mut self, items: impl Iterator<Item = Item>) -> Result<(), Stop> {
        let Some(journal) = &mut self.journal else { return Ok(()) };
        let items: Vec<Item> = items.collect();
        let noted = match &self.report.pairs {
            Some(_) => journal.step(&items),
            None => journal.step_digests(&items),
        };
        noted?;
        self.in_step = true;
        Ok(())
    }

    /// Notes what became of the documents of the step. `after` gives each that changed as it is now,
    /// or none if only its `_id` is to be kept; the outer `None` is a document that did not change.
    pub(super) fn did<'d>(
        &mut self,
        found: &'d ByKey,
        mut after: impl FnMut(&str) -> Option<Option<&'d RawDocumentBuf>>,
    ) -> Result<(), Stop> {
        let Some(journal) = &mut self.journal else { return Ok(()) };
        let mut all = Vec::new();
        for (key, found) in found {
            all.push(match after(key) {
                None => None,
                Some(Some(raw)) => Some(raw.clone()),
                Some(None) => Some(only_id(found.id.clone())?),
            });
        }
        self.in_step = false;
        Ok(journal.done(&all)?)
    }
}
