//! A change that was made is taken back, or made again.

use std::collections::BTreeSet;

use bson::{Bson, Document, RawDocument, RawDocumentBuf};

use super::{ByKey, Run, Stop, document, id_of, key};
use crate::commands::bulk::{self as command, SetField};
use crate::job::Write;
use crate::job::bulk::{Made, Pair};
use crate::job::convert::value_at;
use crate::job::reply::write_errors;
use crate::limits::{BULK_STEP_BYTES, BULK_STEP_DOCUMENTS};
use crate::source::read_back::{self, Sent};

impl Run<'_> {
    /// Takes a change back, or makes it again. A document that is not what the change made of it
    /// stays as it is.
    pub(super) fn swap(&mut self, made: &Made, is_back: bool) -> Result<(), Stop> {
        let made = &self.swapped(made);
        self.field.clone_from(&made.field);
        self.work.gauge.set_total(made.pairs.len() as u64);
        let mut rest = made.pairs.as_slice();
        while !rest.is_empty() {
            let (mut bytes, mut count) = (0, 0);
            for pair in rest.iter().take(BULK_STEP_DOCUMENTS) {
                bytes += pair.bytes();
                if count > 0 && bytes > BULK_STEP_BYTES {
                    break;
                }
                count += 1;
            }
            let (step, after) = rest.split_at(count);
            let swapped = self.check().and_then(|()| self.swap_step(made, step, is_back));
            if let Err(stop) = swapped {
                self.report.left.extend_from_slice(rest);
                return Err(stop);
            }
            self.work.gauge.add(step.len() as u64);
            rest = after;
        }
        Ok(())
    }

    fn swap_step(&mut self, made: &Made, step: &[Pair], is_back: bool) -> Result<(), Stop> {
        let at = &made.namespace;
        let swaps: Result<Vec<Swap>, Stop> =
            step.iter().map(|pair| Swap::of(pair, is_back)).collect();
        let swaps = swaps?;
        let ids: Vec<Bson> = swaps.iter().map(|swap| swap.id.clone()).collect();
        let now = self.by_key(at, ids.clone())?;
        let (fit, others): (Vec<&Swap>, Vec<&Swap>) =
            swaps.iter().partition(|swap| swap.is_now(swap.from, &now));
        // A swap that was cut short has done some of them already.
        let is_continued = self.is_continued;
        let is_done = |swap: &&Swap| is_continued && swap.is_now(swap.to, &now);
        let others = others.iter().filter(|swap| !is_done(swap));
        self.report.unchanged += others.count() as u64;
        let fitting: BTreeSet<String> = swaps
            .iter()
            .filter(|swap| swap.is_now(swap.from, &now) || is_done(swap))
            .map(|swap| key(&swap.id))
            .collect();
        let commands = commands(made, &fit)?;
        let mut is_refused = false;
        for command in commands {
            let reply = self.write((self.source, &at.db), command)?;
            is_refused |= self.refuse(write_errors(&reply)) > 0;
        }
        if !is_refused && !std::mem::replace(&mut self.is_checked, true) {
            let inserts = fit.iter().any(|swap| swap.from.is_none());
            let written = fit.iter().filter_map(|swap| swap.to).map(AsRef::as_ref);
            let written: Vec<&RawDocument> = written.collect();
            let how = match made.field.as_deref() {
                Some(field) => (Write::Merge, Sent::Field(field)),
                None if inserts => (Write::Insert, Sent::Whole),
                None => (Write::Replace, Sent::Whole),
            };
            read_back::check(self.source, at, &written, how)?;
        }
        let now = self.by_key(at, ids)?;
        for (swap, pair) in swaps.iter().zip(step) {
            if !fitting.contains(&key(&swap.id)) || !swap.is_now(swap.to, &now) {
                self.report.left.push(pair.clone());
                continue;
            }
            self.report.changed += 1;
            let (before, after) = if is_back { (swap.to, swap.from) } else { (swap.from, swap.to) };
            self.keep(before, after);
        }
        Ok(())
    }
}

/// The commands that bring about what the documents of a step become.
fn commands(made: &Made, fit: &[&Swap<'_>]) -> Result<Vec<Document>, Stop> {
    let (mut insert, mut replace, mut delete, mut set) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for swap in fit {
        match (swap.from, swap.to, &made.field) {
            (Some(from), Some(to), Some(field)) => {
                let to = document(to)?;
                let to = value_at(&to, field).cloned();
                set.extend(to.and_then(|to| SetField::new(&mut document(from).ok()?, field, to)));
            }
            (Some(_), Some(to), None) => replace.push(document(to)?),
            (None, Some(to), _) => insert.push(document(to)?),
            (_, None, _) => delete.push(swap.id.clone()),
        }
    }
    let of = &made.namespace.collection;
    let mut commands = Vec::new();
    if !insert.is_empty() {
        commands.push(command::insert(of, insert));
    }
    if !replace.is_empty() {
        commands.push(command::replace(of, replace));
    }
    if let (false, Some(field)) = (set.is_empty(), &made.field) {
        commands.push(command::set_each(of, field, set));
    }
    if !delete.is_empty() {
        commands.push(command::delete(of, command::among(&Document::new(), delete)));
    }
    Ok(commands)
}

/// The undo or redo of a change to one document.
struct Swap<'p> {
    id: Bson,
    from: Option<&'p RawDocumentBuf>,
    to: Option<&'p RawDocumentBuf>,
}

impl<'p> Swap<'p> {
    fn of(pair: &'p Pair, is_back: bool) -> Result<Self, Stop> {
        let (before, after) = (pair.before.as_ref(), pair.after.as_ref());
        let (from, to) = if is_back { (after, before) } else { (before, after) };
        let id = from.or(to).map(document).transpose()?;
        Ok(Self { id: id.as_ref().map_or(Bson::Null, id_of), from, to })
    }

    /// Whether the store has the document in this state. `None` for a missing document.
    fn is_now(&self, state: Option<&RawDocumentBuf>, now: &ByKey) -> bool {
        now.get(&key(&self.id)).map(|now| &now.raw) == state
    }
}
