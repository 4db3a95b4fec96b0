//! Sends the reads of an audit.

use std::cell::{Cell, OnceCell, RefCell};
use std::time::Duration;

use bson::{Document, RawDocument, doc};
use mayfly_engine::reply::DocCount;

use crate::inspect::audit::facts::Unreadable;
use crate::job::reply::{batch, cursor, is_ok, number, sentence};
use crate::job::{Cancel, Namespace};
use crate::limits::{AUDIT_COUNTED_DOCS, AUDIT_UNREADABLE_MAX};
use crate::source::Source;
use crate::worker::code::{NAMESPACE_NOT_FOUND, UNAUTHORIZED};

/// Why a read has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stop {
    /// The time is over, or the audit was canceled.
    Over,
    /// The collection is gone.
    Gone,
    /// The store refused it, in one sentence.
    Refused(String),
    /// The user may not do it, in one sentence.
    Forbidden(String),
}

/// A reply without the fields that it must have.
pub(super) fn unread(command: &str) -> Stop {
    Stop::Refused(format!("the reply to {command} can't be read"))
}

/// Sends reads until the time is over.
pub(super) struct Asker<'w> {
    source: &'w dyn Source,
    cancel: &'w Cancel,
    pub is_server: bool,
    is_mayfly: OnceCell<bool>,
    asked: Cell<u64>,
    sampled: Cell<u64>,
    unreadable: RefCell<Vec<Unreadable>>,
}

impl<'w> Asker<'w> {
    pub fn new(source: &'w dyn Source, cancel: &'w Cancel, is_server: bool) -> Self {
        let (asked, sampled, unreadable) = (Cell::default(), Cell::default(), RefCell::default());
        let is_mayfly = OnceCell::new();
        Self { source, cancel, is_server, is_mayfly, asked, sampled, unreadable }
    }

    /// Whether Mayfly itself answers: from this computer, or served by it.
    pub fn is_mayfly(&self) -> bool {
        let is_served = || {
            let place = "The kind of the server";
            let build = self.try_ask(place, "admin", &doc! { "buildInfo": 1 }).ok().flatten();
            build.is_some_and(|build| build.contains_key("mayfly"))
        };
        !self.is_server || *self.is_mayfly.get_or_init(is_served)
    }

    pub fn now_ms(&self) -> i64 {
        self.source.now_ms()
    }

    pub fn is_over(&self) -> bool {
        self.cancel.is_cancelled()
    }

    pub fn is_late(&self) -> bool {
        self.cancel.is_late()
    }

    /// Waits this long, if as much time is left after it. Returns whether it did.
    pub fn waits(&self, time: Duration) -> bool {
        if self.cancel.left().is_some_and(|left| left < time.saturating_mul(2)) {
            return false;
        }
        self.cancel.wait(time);
        !self.is_over()
    }

    /// Commands that were sent.
    pub fn asked(&self) -> u64 {
        self.asked.get()
    }

    /// Documents of samples that were read.
    pub fn sampled(&self) -> u64 {
        self.sampled.get()
    }

    /// The places that could not be read.
    pub fn into_unreadable(self) -> Vec<Unreadable> {
        self.unreadable.into_inner()
    }

    /// Notes a place that could not be read, once for each reason.
    pub fn note_unreadable(&self, place: impl Into<String>, why: &str) {
        let place = Unreadable { place: place.into(), why: why.trim_end_matches('.').to_owned() };
        let mut known = self.unreadable.borrow_mut();
        if known.len() < AUDIT_UNREADABLE_MAX && !known.contains(&place) {
            known.push(place);
        }
    }

    /// The reply to a command, or why there is none.
    pub fn ask(&self, db: &str, command: &Document) -> Result<Document, Stop> {
        if self.is_over() {
            return Err(Stop::Over);
        }
        self.asked.set(self.asked.get() + 1);
        let reply = self.source.run_until(db, command, self.cancel);
        self.judged(reply)
    }

    fn judged(&self, reply: Document) -> Result<Document, Stop> {
        match () {
            () if is_ok(&reply) => Ok(reply),
            () if self.is_over() => Err(Stop::Over),
            () if reply.get_i32("code").is_ok_and(|code| code == NAMESPACE_NOT_FOUND) => {
                Err(Stop::Gone)
            }
            () if reply.get_i32("code").is_ok_and(|code| code == UNAUTHORIZED) => {
                Err(Stop::Forbidden(sentence(&reply)))
            }
            () => Err(Stop::Refused(sentence(&reply))),
        }
    }

    /// The same, where a refusal leaves only this one thing unknown. A missing right is noted.
    pub fn try_ask(
        &self,
        place: &str,
        db: &str,
        command: &Document,
    ) -> Result<Option<Document>, Stop> {
        match self.ask(db, command) {
            Ok(reply) => Ok(Some(reply)),
            Err(Stop::Refused(_)) => Ok(None),
            Err(Stop::Forbidden(why)) => {
                self.note_unreadable(place, &why);
                Ok(None)
            }
            Err(stop) => Err(stop),
        }
    }

    /// All documents that a command's cursor gives, at most `max`.
    pub fn all(&self, db: &str, command: &Document, max: usize) -> Result<Vec<Document>, Stop> {
        let mut found = Vec::new();
        let mut reply = self.ask(db, command)?;
        if reply.get_document("cursor").is_err() {
            return Err(unread(name_of(command)));
        }
        loop {
            found.extend(batch(&reply).take(max - found.len()).cloned());
            let Some(id) = cursor(&reply) else { return Ok(found) };
            let namespace = reply.get_document("cursor").ok().and_then(|it| it.get_str("ns").ok());
            let collection =
                namespace.and_then(|ns| ns.split_once('.')).map_or("", |(_, name)| name);
            if found.len() >= max {
                self.ask(db, &doc! { "killCursors": collection, "cursors": [id] })?;
                return Ok(found);
            }
            reply = self.ask(db, &doc! { "getMore": id, "collection": collection })?;
        }
    }

    /// Hands each document of a command's first batch over, as it is stored.
    pub fn each(
        &self,
        namespace: &Namespace,
        command: &Document,
        take: &mut dyn FnMut(&RawDocument),
    ) -> Result<(), Stop> {
        if self.is_over() {
            return Err(Stop::Over);
        }
        self.asked.set(self.asked.get() + 1);
        let reply = self.source.run_raw(&namespace.db, command, self.cancel);
        let cursor = reply.get_document("cursor").ok();
        let batch = cursor.and_then(|cursor| cursor.get_array("firstBatch").ok());
        let Some(batch) = batch else {
            self.judged(Document::try_from(&*reply).unwrap_or_default())?;
            return Err(unread(name_of(command)));
        };
        for document in batch.into_iter().filter_map(Result::ok) {
            if let Some(document) = document.as_document() {
                self.sampled.set(self.sampled.get() + 1);
                take(document);
            }
        }
        Ok(())
    }
}

/// A count that is exact, or scaled from a sample of all.
pub(super) fn estimate(count: u64, is_exact: bool, of: DocCount) -> DocCount {
    if is_exact {
        return DocCount::Exact(count);
    }
    DocCount::About { count, low: 0, high: of.most().map(|most| most.max(count)) }
}

fn name_of(command: &Document) -> &str {
    command.keys().next().map_or("", String::as_str)
}

/// `{ name: namespace.collection }` and more.
pub(super) fn of(name: &str, namespace: &Namespace, more: Document) -> Document {
    let mut command = doc! { name: &namespace.collection };
    command.extend(more);
    command
}

/// The documents that match, counted up to a bound. A refusal leaves them unknown.
pub(super) fn counted(
    asker: &Asker<'_>,
    namespace: &Namespace,
    query: Document,
) -> Result<DocCount, Stop> {
    let mut more = doc! { "query": query };
    if asker.is_server {
        more.insert("limit", AUDIT_COUNTED_DOCS);
    }
    let place = format!("{namespace}, number of documents");
    let reply = asker.try_ask(&place, &namespace.db, &of("count", namespace, more))?;
    let count = reply.as_ref().and_then(|reply| number(reply, "n"));
    if reply.is_some() && count.is_none() {
        asker.note_unreadable(&place, "the reply to count can't be read");
    }
    let is_all = |count: &u64| !asker.is_server || *count < AUDIT_COUNTED_DOCS.unsigned_abs();
    Ok(match count {
        Some(count) if is_all(&count) => DocCount::Exact(count),
        count => DocCount::AtLeast(count.unwrap_or(0)),
    })
}
