//! The facts that are known of a server, and the limits of what is asked of it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bson::DateTime;
use mayfly_engine::transfer::UnfinishedImport;
use mongodb::ClientSession;

use super::indexes::Indexes;
use crate::job::{InsertedIds, PassJob};
use crate::limits::{SERVER_IMPORTS_MAX, SERVER_REPLY_MAX, WATCH_SILENCE_MAX};

/// How much of a collection is read and counted.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReadLimits {
    /// Documents of a collection up to which each is read.
    pub whole_max: u64,
    /// Documents that one count counts.
    pub counted_max: u64,
    /// Samples that an estimate is made of.
    pub draws: u32,
    pub draw_docs: u32,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self { whole_max: 10_000, counted_max: 1_000_000, draws: 32, draw_docs: 80 }
    }
}

/// The dates that a server can compare with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dates {
    /// All that a document can hold.
    All,
    /// From the year 1 to the year 9999.
    Written,
}

impl Dates {
    /// The date at this instant, or the nearest one that a server can compare with.
    pub fn within(self, ms: i64) -> DateTime {
        DateTime::from_millis(match self {
            Self::All => ms,
            Self::Written => ms.clamp(-62_135_596_800_000, 253_402_300_799_999),
        })
    }
}

/// A cursor is read on with the session that it was opened with.
#[derive(Default)]
pub(super) struct Sessions(Mutex<HashMap<i64, ClientSession>>);

impl Sessions {
    pub(super) fn lock(&self) -> MutexGuard<'_, HashMap<i64, ClientSession>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

type Place = (String, String);

/// The rules of a collection, as they were listed last.
pub(super) struct Listed {
    /// When, by this machine's monotonic clock.
    pub at: Duration,
    /// From when on they may be others, by the server's clock, in milliseconds since 1970.
    pub believed_ms: i64,
    /// Whether something may have changed them.
    pub is_old: bool,
    pub indexes: Arc<Indexes>,
}

/// The rules that were listed last.
#[derive(Default)]
pub(super) struct KnownRules(Mutex<HashMap<Place, Listed>>);

impl KnownRules {
    /// Something may have changed them just now, by the server's clock in milliseconds since 1970.
    pub fn forget(&self, now_ms: i64) {
        for listed in self.lock().values_mut().filter(|listed| !listed.is_old) {
            (listed.is_old, listed.believed_ms) = (true, now_ms);
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, HashMap<Place, Listed>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// When the server was asked, and how long it says that the monitor sleeps.
type Known = (Duration, Option<i64>);

/// How long the monitor sleeps.
pub(super) struct Monitor {
    pub job: Option<PassJob>,
    known: Mutex<Option<Known>>,
}

impl Monitor {
    /// The monitor of a server, or the job in its place.
    pub fn of(job: Option<PassJob>) -> Self {
        Self { job, known: Mutex::default() }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Option<Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Imports that can be rolled back, with what they inserted, and whether they are complete. Unfinished
/// ones are here only if there is no folder for them.
#[derive(Default)]
pub(super) struct UnfinishedImports(Mutex<Vec<(UnfinishedImport, InsertedIds, bool)>>);

impl UnfinishedImports {
    pub(super) fn lock(&self) -> MutexGuard<'_, Vec<(UnfinishedImport, InsertedIds, bool)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps an import. The oldest one is forgotten when there are too many.
    pub(super) fn keep(&self, import: UnfinishedImport, ids: InsertedIds, is_complete: bool) {
        let mut all = self.lock();
        if all.len() >= SERVER_IMPORTS_MAX {
            all.remove(0);
        }
        all.push((import, ids, is_complete));
    }
}

/// How long the replies of cursors may take. The driver itself waits without a limit.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReplyLimits {
    /// One reply of an export or a copy.
    pub read: Duration,
    /// One reply of a change stream.
    pub event: Duration,
}

impl Default for ReplyLimits {
    fn default() -> Self {
        Self { read: SERVER_REPLY_MAX, event: WATCH_SILENCE_MAX }
    }
}
