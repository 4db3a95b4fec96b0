//! A MongoDB server, or one that speaks its protocol, through the official driver.
//!
//! It opens read-only: [`guard`] decides below the window which commands leave the program. What is
//! Mayfly's own, such as `mayflyExpiring`, no server knows: `own.rs` answers it from standard commands,
//! or refuses it by name.

mod answered;
mod asking;
mod client;
pub mod connect;
mod counting;
mod dates;
mod dumps;
mod estimate;
mod events;
mod expiring;
pub mod failure;
mod forecast;
pub mod guard;
mod import_file;
mod indexes;
mod known;
mod lock;
mod monitor;
mod own;
mod plain;
mod raw;
mod read;
mod relay;
mod rules;
mod runtime;
mod said;
mod samples;
mod send;
pub mod throttle;
mod topology;
mod transfers;
mod verdict;

pub use client::Remote;

use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bson::{Document, RawDocument, RawDocumentBuf};
use mayfly_engine::clock::{Clock as _, SystemClock};

use super::{Capabilities, Events, Opened, Source, TakeBatch, Transfers, read_back};
use crate::job::{
    Cancel, ConnectFailure, ConnectionString, Namespace, Server, Step, WatchEnd, WatchReport, Write,
};

impl Source for Remote {
    fn run(&self, db: &str, command: &Document) -> Document {
        self.run_until(db, command, &Cancel::default())
    }

    fn run_until(&self, db: &str, command: &Document, cancel: &Cancel) -> Document {
        let own = own::reply(self, db, command, cancel);
        own.unwrap_or_else(|| self.pass_on(db, command.clone(), cancel))
    }

    fn read_batches(
        &self,
        db: &str,
        command: &Document,
        cancel: &Cancel,
        take: &mut TakeBatch<'_>,
    ) -> Result<(), String> {
        raw::read_batches(self, self.criteria.as_ref(), (db, command), cancel, take)
    }

    fn read_back(&self, db: &str, find: &Document) -> Option<Result<Vec<RawDocumentBuf>, String>> {
        let cancel = Cancel::default();
        // From the primary: another member may not have it yet.
        let read =
            |take: &mut TakeBatch<'_>| raw::read_batches(self, None, (db, find), &cancel, take);
        Some(read_back::read(read))
    }

    fn note_stored(&self, write: Write, is_as_sent: bool) {
        self.stored.note(write, is_as_sent);
    }

    fn run_write(&self, db: &str, command: &Document, is_stopped: &dyn Fn() -> bool) -> Document {
        self.pass_on_while(db, command.clone(), &Cancel::default(), is_stopped)
    }

    fn run_bytes(
        &self,
        db: &str,
        command: &RawDocument,
        is_stopped: &dyn Fn() -> bool,
    ) -> Document {
        raw::run_bytes(self, db, command, is_stopped)
    }

    fn transfers(&self) -> Option<&dyn Transfers> {
        Some(self)
    }

    fn now_ms(&self) -> i64 {
        SystemClock.now_ms().saturating_add(self.ahead_ms.load(Ordering::Relaxed))
    }

    fn subscribe(&self) -> Events {
        Box::new(iter::empty())
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { transfer: true, ..Capabilities::default() }
    }

    fn watch(
        &self,
        namespace: &Namespace,
        cancel: &Cancel,
        report: &dyn Fn(WatchReport),
    ) -> WatchEnd {
        events::watch(self, namespace, cancel, report)
    }

    fn journals(&self) -> Option<PathBuf> {
        self.journals.clone()
    }

    fn set_locked(&self, is_locked: bool) {
        self.lock.set(is_locked);
    }

    fn leave(&self) {
        self.runtime.leave();
    }

    fn close(&self) {
        self.runtime.close();
    }
}

/// Attaches to a server, and tells each step as it begins.
///
/// # Errors
/// Which step failed, and one sentence.
pub fn attach(
    server: &Server,
    cancel: &Cancel,
    begin: &dyn Fn(Step),
) -> Result<Opened, ConnectFailure> {
    let mut remote = Remote::connect(&server.string, cancel, begin)?;
    remote.keep_journals(&server.string, server.journals.as_deref());
    let attached = remote.attached(&server.string, server.mark);
    let clock = SystemClock.status();
    Ok(Opened {
        name: attached.name.clone(),
        folder: None,
        clock: mayfly_engine::clock::ClockStatus { now_ms: remote.now_ms(), ..clock },
        // The dialog has shown what was mended in the string.
        warnings: Vec::new(),
        advice: Vec::new(),
        attached: Some(Box::new(attached)),
        source: Arc::new(remote),
    })
}

/// Connects to the server that a string names. An operation that stops can't be resumed.
pub fn open(text: &str) -> Result<(Arc<dyn Source>, ConnectionString), String> {
    open_by(text, |string| open_string(string, None))
}

/// The same by another function.
pub fn open_by<T>(
    text: &str,
    open: impl FnOnce(&ConnectionString) -> Result<T, String>,
) -> Result<(T, ConnectionString), String> {
    let string = ConnectionString::read(text)?;
    // An option that was left out may be the cause.
    let with_notes = |sentence| {
        let said = iter::once(&sentence).chain(&string.notes).cloned();
        said.collect::<Vec<String>>().join(". ")
    };
    let opened = open(&string).map_err(with_notes)?;
    Ok((opened, string))
}

/// Connects to a server, without telling the steps. The journals of its operations are kept in a folder.
pub fn open_string(
    string: &ConnectionString,
    journals: Option<&Path>,
) -> Result<Arc<dyn Source>, String> {
    let remote = Remote::connect(string, &Cancel::default(), &|_| ());
    let mut remote = remote.map_err(|failed| failed.sentence)?;
    remote.keep_journals(string, journals);
    Ok(Arc::new(remote))
}

#[cfg(test)]
mod differential_tests;
#[cfg(test)]
mod dump_tests;
#[cfg(test)]
mod habits_tests;
#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod number_tests;
#[cfg(test)]
mod relay_tests;
#[cfg(test)]
mod resume_tests;
#[cfg(test)]
mod throttle_tests;
#[cfg(test)]
mod tls_tests;
