//! Changes of many documents, as work for the threads. Each goes in steps, so that other writes
//! come between them and the user can cancel. What was done by then is reported, and can be undone.
//!
//! `state/documents/selection.rs` names what is selected: by `_id`, or, for all that match, by the filter and
//! the `_id`s that are left out. The dialogs of Update, Delete and Copy ask how many documents there are and
//! read ten of them; what an update would do to these is computed by
//! the engine's own `query::Update`. `DocumentsAction::Change` starts the work (`job/bulk.rs`) on its own
//! lane: `worker/bulk.rs` reads every `_id` first, so that no document is met twice, then sends commands for
//! 1,000 documents at a time, which the Activity drawer lists. Its report has each document before and after,
//! up to `UNDO_BYTES_MAX`; with more the change can't be undone, and the dialog says so before. *Empty
//! collection* and *Duplicate collection* are such changes too (`worker/bulk/whole.rs`): neither can be
//! undone, and a copy that is canceled is dropped. An undo (`worker/bulk/swap.rs`) leaves documents alone
//! that have changed since. A restore of a pass or of everything in the trash (`worker/bulk/restore.rs`) has
//! no tab and notes no documents: the store takes each out of the trash in the transaction that restores it.

mod convert;
mod copy;
mod ids;
mod noted;
mod restore;
mod swap;
mod whole;

use std::collections::BTreeSet;

use bson::{Bson, Document, RawDocumentBuf, doc};
use mayfly_engine::clock::{Clock as _, SystemClock};

use super::by_id::{self, ByKey, Found, id_of, ids_of, key};
use super::journal::file::Journal;
use super::reply::Reply;
use crate::commands::bulk as command;
use crate::job::bulk::{BulkChange, BulkReport, BulkWork, Pair, Target};
use crate::job::reply::{self, refusal, write_errors};
use crate::job::{Cancel, End};
use crate::limits::{BULK_STEP_DOCUMENTS, UNDO_BYTES_MAX};
use crate::source::remote::throttle::gave_up;
use crate::source::{Namespace, Source, read_back};

/// Does the work. `log` is handed every command that writes. Once `ends` is set, a change that is
/// canceled is cut short: its journal stays.
pub fn run(
    source: &dyn Source,
    work: &BulkWork,
    ends: &Cancel,
    log: &mut dyn FnMut(Reply),
) -> BulkReport {
    let pairs = work.change.is_undoable().then(Vec::new);
    let report = BulkReport { pairs, ..BulkReport::default() };
    let mut run = Run {
        source,
        work,
        ends,
        log,
        report,
        bytes: 0,
        journal: None,
        in_step: false,
        done: BTreeSet::new(),
        swapped: None,
        is_continued: false,
        is_checked: false,
        field: None,
        given_up: None,
    };
    let ended = run.begin().and_then(|()| run.change());
    let end = match ended {
        Ok(()) => End::Complete,
        Err(Stop::Cancelled) => End::Cancelled,
        Err(Stop::Failed(message)) => End::Failed(message),
    };
    run.end(&end);
    BulkReport { end, ..run.report }
}

/// Why the work ends early.
enum Stop {
    Cancelled,
    Failed(String),
}

impl<E: Into<String>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

struct Run<'r> {
    source: &'r dyn Source,
    work: &'r BulkWork,
    log: &'r mut dyn FnMut(Reply),
    report: BulkReport,
    /// Bytes of the documents that are kept for undo.
    bytes: usize,
    ends: &'r Cancel,
    /// Where the steps are noted; `None` in a store that is not kept.
    journal: Option<Journal>,
    /// A step was noted, and not yet what became of its documents.
    in_step: bool,
    /// The documents that were done before the change was cut short, by the text of their `_id`.
    done: BTreeSet<String>,
    /// The pairs of a change that was cut short and is taken back or made again.
    swapped: Option<Vec<Pair>>,
    /// The change was cut short before.
    is_continued: bool,
    /// The first documents were read after they were written.
    is_checked: bool,
    /// Only this field of the documents is read and kept.
    field: Option<String>,
    /// The server asked to slow down for too long in a step.
    given_up: Option<String>,
}

impl Run<'_> {
    fn change(&mut self) -> Result<(), Stop> {
        match &self.work.change {
            BulkChange::Delete(target) => self.over(target, Run::delete),
            BulkChange::Update { target, update } => {
                self.over(target, |run, guard, ids| run.update(guard, ids, update))
            }
            BulkChange::Convert(conversion) => self.convert(conversion),
            BulkChange::Copy { target, to, folder: None } => self.copy(target, to, self.source),
            BulkChange::Copy { target, to, folder: Some(folder) } => {
                self.copy_out(target, to, folder)
            }
            BulkChange::Empty => self.empty(),
            BulkChange::Duplicate { to, indexes } => self.duplicate(to, indexes),
            BulkChange::Restore(scope) => self.restore(scope),
            BulkChange::Back(made) => self.swap(made, true),
            BulkChange::Again(made) => self.swap(made, false),
        }
    }

    /// Calls `step` with the filter, and with up to [`BULK_STEP_DOCUMENTS`] `_id`s at a time. All of
    /// them are read first: a document that the work changes is never met again.
    fn over(
        &mut self,
        target: &Target,
        mut step: impl FnMut(&mut Self, &Document, Vec<Bson>) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let none = Document::new();
        let (packed, guard) = match target {
            Target::Ids(ids) => {
                self.note_total(ids.len() as u64)?;
                let steps = ids.chunks(BULK_STEP_DOCUMENTS).map(|ids| pack(ids.to_vec()));
                (steps.collect::<Result<_, _>>()?, &none)
            }
            Target::Matching(filter) => (self.matching(filter, &none)?, filter),
            Target::Collated { filter, collation } => (self.matching(filter, collation)?, &none),
        };
        self.each(packed, |run, mut ids| {
            // A command with the collation would also take an `_id` that is only equal to one of
            // these, so those that still match are read, and then named without it.
            if let Target::Collated { filter, collation } = target {
                let among = command::among(filter, ids.clone());
                let mut left = BTreeSet::new();
                for packed in run.read_ids(&among, collation)?.0 {
                    left.extend(unpack(&packed)?.iter().map(key));
                }
                ids.retain(|id| left.contains(&key(id)));
            }
            step(run, guard, ids)
        })
    }

    /// Calls `step` with the `_id`s of each step, without those that are done.
    fn each(
        &mut self,
        packed: Vec<RawDocumentBuf>,
        mut step: impl FnMut(&mut Self, Vec<Bson>) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        for packed in packed {
            self.check()?;
            let ids = unpack(&packed)?;
            let count = ids.len() as u64;
            let ids = self.undone(ids);
            step(self, ids)?;
            self.work.gauge.add(count);
        }
        Ok(())
    }

    fn check(&self) -> Result<(), Stop> {
        match &self.given_up {
            _ if self.work.gauge.cancel.is_cancelled() => Err(Stop::Cancelled),
            Some(sentence) => Err(sentence.clone().into()),
            None => Ok(()),
        }
    }

    fn read(&self, command: &Document) -> Result<Document, Stop> {
        self.read_from(&self.work.namespace.db, command)
    }

    fn read_from(&self, db: &str, command: &Document) -> Result<Document, Stop> {
        let cancel = &self.work.gauge.cancel;
        let reply = self.source.run_until(db, command, cancel);
        match refusal(&reply) {
            None => Ok(reply),
            Some(_) if cancel.is_cancelled() => Err(Stop::Cancelled),
            Some(message) => Err(message.into()),
        }
    }

    fn write(&mut self, to: (&dyn Source, &str), command: Document) -> Result<Document, Stop> {
        let (source, db) = to;
        let started = SystemClock.monotonic();
        let cancel = &self.work.gauge.cancel;
        let reply = source.run_write(db, &command, &|| cancel.is_cancelled());
        let took = SystemClock.monotonic().saturating_sub(started).as_micros();
        let micros = u64::try_from(took).unwrap_or(u64::MAX);
        let refusal = refusal(&reply);
        (self.log)(Reply::new(db.to_owned(), command, Ok(reply.clone()), micros));
        if let Some(message) = refusal {
            let is_stopped = gave_up(&reply) && cancel.is_cancelled();
            return Err(if is_stopped { Stop::Cancelled } else { message.into() });
        }
        let given_up = write_errors(&reply).find(|error| gave_up(error));
        let message = given_up.and_then(|error| error.get_str("errmsg").ok());
        self.given_up = message.map(str::to_owned).or(self.given_up.take());
        Ok(reply)
    }

    fn write_here(&mut self, command: Document) -> Result<Document, Stop> {
        let work = self.work;
        self.write((self.source, &work.namespace.db), command)
    }

    /// Keeps what takes a change back, as long as there is room.
    fn keep(&mut self, before: Option<&RawDocumentBuf>, after: Option<&RawDocumentBuf>) {
        let Some(pairs) = &mut self.report.pairs else { return };
        let pair = Pair { before: before.cloned(), after: after.cloned() };
        self.bytes += pair.bytes();
        pairs.push(pair);
        if self.bytes > UNDO_BYTES_MAX {
            self.report.pairs = None;
        }
    }

    /// Counts the documents that a write refused. Returns how many these are.
    fn refuse<'e>(&mut self, errors: impl Iterator<Item = &'e Document>) -> u64 {
        let mut count = 0;
        for error in errors {
            count += 1;
            let why = error.get_str("errmsg").ok();
            self.report.refusal = self.report.refusal.take().or(why.map(str::to_owned));
        }
        self.report.refused += count;
        count
    }

    /// Notes what became of the documents of a step, and keeps what takes that back. `after` gives each
    /// document that changed as it is now, or none if it is gone or not known. Returns how many changed.
    fn settle<'d>(
        &mut self,
        before: &'d ByKey,
        after: impl Fn(&str) -> Option<Option<&'d RawDocumentBuf>>,
    ) -> Result<u64, Stop> {
        let keeps = self.report.pairs.is_some();
        self.did(before, |key| after(key).map(|now| now.filter(|_| keeps)))?;
        let changed = before.iter().filter_map(|(key, was)| Some((was, after(key)?)));
        let mut count = 0;
        for (was, now) in changed {
            count += 1;
            self.keep(Some(&was.raw), now);
        }
        Ok(count)
    }

    /// Deletes those among `ids` that match the filter.
    fn delete(&mut self, filter: &Document, ids: Vec<Bson>) -> Result<(), Stop> {
        let at = self.work.namespace.clone();
        self.in_replies(filter, ids, |run, found| {
            run.intend(&found)?;
            let all = command::among(filter, ids_of(&found));
            let reply = run.write_here(command::delete(&at.collection, all))?;
            run.report.changed += number(&reply, "n");
            // A document that the store refused to delete is still there.
            let left = match run.refuse(write_errors(&reply)) {
                0 => ByKey::new(),
                _ => run.by_key(&at, ids_of(&found))?,
            };
            run.settle(&found, |key| (!left.contains_key(key)).then_some(None))?;
            Ok(())
        })
    }

    /// Updates those among `ids` that match the filter.
    fn update(&mut self, filter: &Document, ids: Vec<Bson>, update: &Bson) -> Result<(), Stop> {
        let at = self.work.namespace.clone();
        self.in_replies(filter, ids, |run, found| {
            run.intend(&found)?;
            let all = command::among(filter, ids_of(&found));
            let reply = run.write_here(command::update(&at.collection, all, update))?;
            let is_whole = write_errors(&reply).next().is_none();
            if is_whole {
                run.report.changed += number(&reply, "nModified");
                run.report.unchanged +=
                    number(&reply, "n").saturating_sub(number(&reply, "nModified"));
            } else {
                run.update_in_parts(&at, filter, (&found, update))?;
            }
            if is_whole && run.report.pairs.is_none() {
                run.settle(&found, |_| Some(None))?;
            } else {
                let now = run.by_key(&at, ids_of(&found))?;
                let changed = run.settle(&found, |key| {
                    let (was, now) = (found.get(key)?, now.get(key)?);
                    (was.raw != now.raw).then_some(Some(&now.raw))
                })?;
                run.report.changed += if is_whole { 0 } else { changed };
            }
            run.check_names(&at, &found)
        })
    }

    /// Looks whether the server kept the names of the first documents apart.
    fn check_names(&mut self, at: &Namespace, found: &ByKey) -> Result<(), Stop> {
        if std::mem::replace(&mut self.is_checked, true) {
            return Ok(());
        }
        let ids = ids_of(found).into_iter();
        Ok(read_back::check_names(self.source, at, ids)?)
    }

    /// An update ends at a document that refuses it. Those that are as they were are tried again,
    /// in smaller and smaller parts, until the refused ones stand alone.
    fn update_in_parts(
        &mut self,
        at: &Namespace,
        filter: &Document,
        (found, update): (&ByKey, &Bson),
    ) -> Result<(), Stop> {
        let mut parts = vec![ids_of(found)];
        while let Some(part) = parts.pop() {
            self.check()?;
            let now = self.by_key(at, part)?;
            let is_left = |(key, now): &(&String, &Found)| {
                found.get(*key).is_some_and(|was| was.raw == now.raw)
            };
            let mut left: Vec<Bson> =
                now.iter().filter(is_left).map(|(_, now)| now.id.clone()).collect();
            if left.is_empty() {
                continue;
            }
            let all = command::among(filter, left.clone());
            let reply = self.write_here(command::update(&at.collection, all, update))?;
            let mut errors = write_errors(&reply).peekable();
            if errors.peek().is_none() {
                self.report.unchanged +=
                    number(&reply, "n").saturating_sub(number(&reply, "nModified"));
            } else if left.len() == 1 {
                self.refuse(errors);
            } else {
                let half = left.split_off(left.len() / 2);
                parts.extend([half, left]);
            }
        }
        Ok(())
    }

    /// Reads those among `ids` that match, and calls `step` with as many as one reply holds, until
    /// none is left. A document that others have removed since is skipped.
    fn in_replies(
        &mut self,
        filter: &Document,
        ids: Vec<Bson>,
        mut step: impl FnMut(&mut Self, ByKey) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let at = self.work.namespace.clone();
        let mut left = ids;
        while !left.is_empty() {
            self.check()?;
            let among = command::among(filter, left.clone());
            let run = |find: &Document| self.read(find);
            let found = by_id::some(run, &at, among, self.field.as_deref())?;
            if found.is_empty() {
                return Ok(());
            }
            left.retain(|id| !found.contains_key(&key(id)));
            step(self, found)?;
        }
        Ok(())
    }

    fn by_key(&self, at: &Namespace, ids: Vec<Bson>) -> Result<ByKey, Stop> {
        by_id::read(|find| self.read_from(&at.db, find), at, ids, self.field.as_deref())
    }
}

fn raw(document: &Document) -> Result<RawDocumentBuf, Stop> {
    Ok(RawDocumentBuf::try_from(document).map_err(|error| error.to_string())?)
}

fn document(raw: &RawDocumentBuf) -> Result<Document, Stop> {
    Ok(Document::try_from(raw.as_ref()).map_err(|error| error.to_string())?)
}

/// The `_id`s of one step take less room as bytes.
fn pack(ids: Vec<Bson>) -> Result<RawDocumentBuf, Stop> {
    raw(&doc! { "ids": ids })
}

fn unpack(packed: &RawDocumentBuf) -> Result<Vec<Bson>, Stop> {
    match document(packed)?.remove("ids") {
        Some(Bson::Array(ids)) => Ok(ids),
        _ => Ok(Vec::new()),
    }
}

fn number(reply: &Document, field: &str) -> u64 {
    reply::number(reply, field).unwrap_or(0)
}

#[cfg(test)]
#[path = "bulk_convert_tests.rs"]
mod convert_tests;
#[cfg(test)]
#[path = "bulk_server_tests.rs"]
mod server_tests;
#[cfg(test)]
#[path = "bulk_tests.rs"]
mod tests;
