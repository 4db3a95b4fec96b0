//! Values of a field become dates. Each date is computed here and set where the old value still
//! stands, so that every server stores the same one, and a change by another client is kept.

use bson::{Document, RawDocument, RawDocumentBuf};
use mayfly_engine::transfer::Unconverted;

use super::ids::batch_size;
use super::{ByKey, Found, Run, Stop, document, number, raw};
use crate::commands::bulk::{self as command, SetField};
use crate::job::Write;
use crate::job::convert::{Conversion, FAILING_MAX, failing_words};
use crate::job::reply::write_errors;
use crate::source::Namespace;
use crate::source::read_back::{self, Sent};

impl Run<'_> {
    pub(super) fn convert(&mut self, conversion: &Conversion) -> Result<(), Stop> {
        self.field = Some(conversion.path.clone());
        let packed = self.convertible(conversion)?;
        self.each(packed, |run, ids| {
            run.in_replies(&Document::new(), ids, |run, found| run.convert_step(conversion, &found))
        })
    }

    /// The `_id`s of the documents that change. If every value has to convert, they are read to the
    /// end before the first change.
    fn convertible(&mut self, conversion: &Conversion) -> Result<Vec<RawDocumentBuf>, Stop> {
        let mut failing = Vec::new();
        let find = conversion.read(&self.work.namespace.collection, batch_size());
        let rejects = conversion.unconverted == Unconverted::Reject;
        let (packed, count) = self.read_chosen(&find, |document| {
            let id = document.get("_id")?;
            let value = conversion.single(document)?;
            let date = conversion.becomes(value);
            if date.is_none() && rejects && failing.len() < FAILING_MAX {
                failing.push((id.clone(), value.clone()));
            }
            date.map(|_| id.clone())
        })?;
        if !failing.is_empty() {
            let why = failing_words(conversion, &failing);
            return Err(format!(
                "Nothing was converted, because values of {} do not convert: {why}",
                conversion.path
            )
            .into());
        }
        self.note_total(count)?;
        Ok(packed)
    }

    fn convert_step(&mut self, conversion: &Conversion, found: &ByKey) -> Result<(), Stop> {
        let at = self.work.namespace.clone();
        let (mut before, mut after, mut sets) = (ByKey::new(), ByKey::new(), Vec::new());
        for (key, one) in found {
            let mut document = document(&one.raw)?;
            let to = conversion.single(&document).and_then(|value| conversion.becomes(value));
            let set = to.and_then(|to| SetField::new(&mut document, &conversion.path, to));
            // Another client changed it after the `_id`s were read.
            let Some(set) = set else {
                self.report.unchanged += 1;
                continue;
            };
            let is = Found { id: one.id.clone(), raw: raw(&document)? };
            after.insert(key.clone(), is);
            before.insert(key.clone(), one.clone());
            sets.push(set);
        }
        if sets.is_empty() {
            return Ok(());
        }
        self.intend(&before)?;
        let count = sets.len() as u64;
        let set = command::set_each(&at.collection, &conversion.path, sets);
        let reply = self.write_here(set)?;
        let refused = self.refuse(write_errors(&reply));
        if refused > 0 || number(&reply, "n") < count {
            // Only those that have the date now were changed.
            let ids = after.values().map(|found| found.id.clone()).collect();
            let now = self.by_key(&at, ids)?;
            after.retain(|key, one| now.get(key).is_some_and(|now| now.raw == one.raw));
            let left = (before.len() - after.len()) as u64;
            self.report.unchanged += left.saturating_sub(refused);
        }
        self.report.changed +=
            self.settle(&before, |key| after.get(key).map(|after| Some(&after.raw)))?;
        self.check_field(&at, &conversion.path, &after)
    }

    /// Looks whether the server stored the first dates as they were sent.
    fn check_field(&mut self, at: &Namespace, path: &str, after: &ByKey) -> Result<(), Stop> {
        if after.is_empty() || std::mem::replace(&mut self.is_checked, true) {
            return Ok(());
        }
        let sent: Vec<&RawDocument> = after.values().map(|one| one.raw.as_ref()).collect();
        Ok(read_back::check(self.source, at, &sent, (Write::Merge, Sent::Field(path)))?)
    }
}
