//! What an answer is for. A newer job with an equal purpose takes the place of a waiting one.

use super::{Namespace, TabId, documents, expiry, indexes, transfer};

/// What an answer is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// The tree of databases and collections.
    Store(StorePurpose),
    /// The documents of one tab.
    Documents(TabId, documents::Purpose),
    /// The expiry view of one tab.
    Expiry(TabId, expiry::Purpose),
    /// The indexes of one tab.
    Indexes(TabId, indexes::Purpose),
    /// Files in and out.
    Transfer(transfer::Purpose),
    /// The store as a whole.
    Maintenance(MaintenancePurpose),
    /// The reaper.
    Reaper(ReaperPurpose),
    /// The listener.
    Listener(ListenerPurpose),
    /// The archive whose dialog is open.
    Archive(ArchivePurpose),
    /// The trash, while its dialog is open.
    Trash(TrashPurpose),
    /// The clock.
    Clock,
}

/// An answer for the tree.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum StorePurpose {
    /// Opening a store.
    Open,
    /// The names of the databases.
    Databases,
    /// The collections of a database.
    Collections(String),
    /// Whose rules a database follows.
    Dialect(String),
    /// Counts and sizes of a collection.
    Stats(Namespace),
    /// The soonest document of a collection.
    Next(Namespace),
    /// The next hour of a collection.
    Forecast(Namespace),
    /// A new database gets its rules; then its first collection is made.
    Rules(Namespace),
    /// A database or collection is made, renamed or dropped.
    Change {
        /// What to say when it is done.
        done: String,
        /// The collection to open then.
        open: Option<Namespace>,
    },
}

/// An answer about the store as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum MaintenancePurpose {
    /// How it is, from `serverStatus`.
    Status,
    /// Which backups there are.
    Look,
    /// The reading in the background is started or stopped.
    Scrub {
        /// Started.
        start: bool,
    },
    /// A backup, a restore, a compaction or a check.
    Run(super::operations::OperationId),
}

/// An answer about the listener.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ListenerPurpose {
    /// Who is connected.
    Status,
    /// It is switched on or off.
    Switch,
}

/// An answer about an archive.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ArchivePurpose {
    /// What was chosen and what it holds.
    Status,
    /// Some of its documents.
    Page {
        /// The newest; else those behind what is listed.
        is_first: bool,
    },
    /// It is switched on, changed or switched off.
    Switch,
    /// Documents are put back.
    PutBack,
}

/// An answer about the trash.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TrashPurpose {
    /// Some of what is in it.
    Page {
        /// What was removed last; else what is behind what is listed.
        is_first: bool,
    },
    /// How long it keeps documents is set.
    Keep,
    /// Documents are put back.
    PutBack,
}

/// An answer about the reaper.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ReaperPurpose {
    /// Its state, from `serverStatus`.
    Status,
    /// A pass that a person asked for.
    RunNow,
    /// A parameter that was set.
    Set,
    /// Removed documents that were put back.
    PutBack,
    /// What the guard holds back.
    Held,
    /// What the guard holds back, counted because a person wants to release it.
    Release,
}
