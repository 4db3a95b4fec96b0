//! The operations of a store that were cut short, and the step in which each was.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use bson::{Bson, Document, RawDocumentBuf, doc};
use mayfly_engine::value::whole;

use super::file::{self, Contents, Item, Journal, Step};
use super::header;
use crate::commands;
use crate::job::Namespace;
use crate::job::bulk::{BulkChange, Pair};
use crate::job::cut::{CutKind, CutWork, RolledIndex};
use crate::job::reply::{batch, checked};
use crate::job::rollout::RolloutPlan;
use crate::limits::UNDO_BYTES_MAX;
use crate::source::Source;
use crate::worker::by_id::{self, key};

/// The note of which way the documents go: the operation is being taken back, or made again.
pub const WAY: &str = "way";

/// The note of how many documents there are in all.
pub const TOTAL: &str = "total";

/// The operations of this store that were cut short, the oldest first. What another window has is
/// left out.
pub fn list(source: &dyn Source) -> Vec<CutWork> {
    let folder = source.journals();
    let paths = folder.map(|folder| file::paths(&folder)).unwrap_or_default();
    paths.iter().filter_map(|path| look(source, path)).collect()
}

fn look(source: &dyn Source, path: &Path) -> Option<CutWork> {
    let damaged = |sentence| CutWork {
        file: path.to_owned(),
        what: CutKind::Damaged(sentence),
        began_ms: 0,
        done: 0,
        total: 0,
    };
    let (mut journal, mut contents) = match Journal::open(path) {
        Ok(opened) => opened,
        Err(sentence) if sentence == file::IN_USE => return None,
        Err(sentence) => return Some(damaged(sentence)),
    };
    if contents.is_damaged {
        return Some(damaged(format!("{} is damaged", path.display())));
    }
    if let Err(sentence) = settle(source, &mut journal, &mut contents) {
        return Some(damaged(sentence));
    }
    let began_ms = contents.header.get_i64("beganMs").unwrap_or(0);
    let number = |name: &str| contents.notes.get_i64(name).ok();
    let total = number(TOTAL).and_then(|total| u64::try_from(total).ok()).unwrap_or(0);
    let what = what(source, &contents);
    let what = what.unwrap_or_else(|| {
        CutKind::Damaged(format!("{} was written by another version", path.display()))
    });
    Some(CutWork { file: path.to_owned(), what, began_ms, done: contents.changed(), total })
}

fn what(source: &dyn Source, contents: &Contents) -> Option<CutKind> {
    if let Some(plan) = header::plan(&contents.header) {
        let index = index(source, &plan);
        return Some(CutKind::Rollout { plan: Box::new(plan), index });
    }
    let (namespace, forward) = header::change(&contents.header)?;
    let made = forward.made(&namespace, Vec::new());
    let (forward, back) = match (contents.notes.get_str(WAY).ok(), &forward) {
        (Some("back"), _) => (BulkChange::Back(made), None),
        (Some(_), _) => (BulkChange::Again(made), None),
        (None, BulkChange::Back(_)) => (forward, Some(BulkChange::Again(made))),
        (None, BulkChange::Again(_)) => (forward, Some(BulkChange::Back(made))),
        (None, _) => {
            let back = contents.made().filter(|pairs| !pairs.is_empty());
            (forward, back.map(|_| BulkChange::Back(made)))
        }
    };
    Some(CutKind::Bulk { namespace, forward, back })
}

/// Looks at the index of a rollout.
fn index(source: &dyn Source, plan: &RolloutPlan) -> RolledIndex {
    let Namespace { db, collection } = &plan.namespace;
    let reply = match checked(source.run(db, &commands::indexes::list(collection))) {
        Ok(reply) => reply,
        Err(refusal) => return RolledIndex::Unknown(refusal),
    };
    match batch(&reply)
        .find(|index| index.get_document("key").is_ok_and(|key| same_key(key, &plan.key)))
    {
        None => RolledIndex::Missing,
        Some(index) => RolledIndex::Has(index.get("expireAfterSeconds").and_then(whole)),
    }
}

/// A server may answer the `1` of a key in another type of number.
fn same_key(found: &Document, key: &Document) -> bool {
    let numbers = |key: &Document| -> Vec<(String, Option<i64>)> {
        key.iter().map(|(name, way)| (name.clone(), whole(way))).collect()
    };
    numbers(found) == numbers(key)
}

/// Decides for each document of the step that was under way whether the step reached it, and notes
/// that. It is asked as soon as the store is open: nothing else has changed them yet.
fn settle(source: &dyn Source, journal: &mut Journal, known: &mut Contents) -> Result<(), String> {
    let Some(last) = known.steps.last().filter(|step| step.done.is_none()) else { return Ok(()) };
    let Some((namespace, change)) = header::change(&known.header) else { return Ok(()) };
    let at = change.changes(&namespace);
    let ids: BTreeMap<String, Bson> =
        last.items.iter().map(Item::id).map(|id| (key(&id), id)).collect();
    let run = |find: &Document| checked(source.run(&at.db, find));
    let now = by_id::read(run, at, ids.into_values().collect(), change.field())?;
    let mut after = Vec::new();
    for item in &last.items {
        let id = item.id();
        let now = now.get(&key(&id)).map(|found| &found.raw);
        after.push(reached(&change, last.is_digests, item, now)?);
    }
    journal.done(&after)?;
    if let Some(last) = known.steps.last_mut() {
        last.done = Some(after);
    }
    Ok(())
}

/// The document after a step that reached it, or only its `_id`. `None` if the step did not reach
/// it.
fn reached(
    change: &BulkChange,
    is_digests: bool,
    item: &Item,
    now: Option<&RawDocumentBuf>,
) -> Result<Option<RawDocumentBuf>, String> {
    let id = || only_id(item.id()).map(Some);
    let same = |was: &RawDocumentBuf, now: &RawDocumentBuf| -> Result<bool, String> {
        Ok(if is_digests { *was == file::digest(now)? } else { was == now })
    };
    match (change, now) {
        (BulkChange::Delete(_), None) => id(),
        (BulkChange::Update { .. } | BulkChange::Convert(_), Some(now)) => match &item.before {
            Some(was) if same(was, now)? => Ok(None),
            _ if is_digests => id(),
            _ => Ok(Some(now.clone())),
        },
        (BulkChange::Copy { .. }, Some(now)) => match &item.planned {
            Some(planned) if same(planned, now)? => {
                if is_digests {
                    id()
                } else {
                    Ok(Some(now.clone()))
                }
            }
            _ => Ok(None),
        },
        _ => Ok(None),
    }
}

/// A document with nothing but this `_id`.
///
/// # Errors
/// It is too large.
pub fn only_id(id: Bson) -> Result<RawDocumentBuf, String> {
    RawDocumentBuf::try_from(&doc! { "_id": id }).map_err(|error| error.to_string())
}

impl Item {
    /// The `_id` of its document.
    pub fn id(&self) -> Bson {
        let raw = self.before.as_ref().or(self.planned.as_ref());
        let id = raw.and_then(|raw| raw.get("_id").ok().flatten());
        id.and_then(|id| Bson::try_from(id).ok()).unwrap_or(Bson::Null)
    }
}

impl Contents {
    /// The items that a step changed, with what became of them.
    fn changes(&self) -> impl Iterator<Item = (&Step, &Item, &RawDocumentBuf)> {
        let steps = self.steps.iter();
        steps.flat_map(|step| {
            let done = step.done.iter().flatten();
            let items = step.items.iter().zip(done);
            items.filter_map(move |(item, after)| Some((step, item, after.as_ref()?)))
        })
    }

    /// How many documents were changed.
    pub fn changed(&self) -> u64 {
        self.changes().count() as u64
    }

    /// The `_id`s of the documents that were changed, as text.
    pub fn done_keys(&self) -> BTreeSet<String> {
        self.changes().map(|(_, item, _)| key(&item.id())).collect()
    }

    /// The work that undoes the changes. `None` if that was too much to keep.
    pub fn made(&self) -> Option<Vec<Pair>> {
        if !self.pairs.is_empty() {
            return Some(self.pairs.clone());
        }
        let is_delete = self.header.get_str("kind").is_ok_and(|kind| kind == "delete");
        let (mut pairs, mut bytes) = (Vec::new(), 0);
        for (step, item, after) in self.changes() {
            let after = (!is_delete).then(|| after.clone());
            let pair = Pair { before: item.before.clone(), after };
            bytes += pair.bytes();
            if step.is_digests || bytes > UNDO_BYTES_MAX {
                return None;
            }
            pairs.push(pair);
        }
        Some(pairs)
    }
}

#[cfg(test)]
#[path = "cut_tests.rs"]
mod tests;
