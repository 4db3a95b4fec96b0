//! Where the documents are: something that answers command documents and tells what happens.
//!
//! The window knows a store only through [`Source`]. Every call may touch the disk, so only the
//! worker's threads make them.

pub mod embedded;
pub mod engine_slot;
pub mod event;
pub mod folder_advice;
pub mod maintenance;
pub mod namespace;
pub mod open;
pub mod transfers;

use bson::Document;

pub use event::{Events, PassIndex, PassSummary, RemovedDocument, SourceEvent};
pub use folder_advice::Advice;
pub use maintenance::Maintenance;
pub use namespace::Namespace;
pub use open::{OpenFailure, OpenRequest, Opened, Opener};
pub use transfers::Transfers;

/// What a source can do beyond answering commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "one answer a question, none depends on another")]
pub struct Capabilities {
    /// Files can be imported and exported.
    pub transfer: bool,
    /// Other programs can be let in through a listener.
    pub listener: bool,
    /// The clock is simulated and can be set.
    pub simulated_clock: bool,
    /// The reaper tells of each pass and of what it removed.
    pub reaper_events: bool,
    /// It can be backed up, restored, compacted and verified.
    pub maintenance: bool,
}

/// A store that answers MongoDB commands.
pub trait Source: Send + Sync + 'static {
    /// Runs one command and returns its reply. Never fails and never panics: an error is a reply
    /// with `ok: 0`, `errmsg`, `code` and `codeName`.
    fn run(&self, db: &str, command: &Document) -> Document;

    /// What happens from now on. Whoever asks twice gets every event twice.
    fn subscribe(&self) -> Box<dyn Events>;

    /// What this source can do.
    fn capabilities(&self) -> Capabilities;

    /// The way for files in and out; `None`: they are not supported.
    fn transfers(&self) -> Option<&dyn Transfers> {
        None
    }

    /// Closes it for good, once whoever asked before has an answer, so that its folder is free for
    /// another program or another opening.
    fn close(&self) {}

    /// The way to care for the store as a whole; `None`: that is not supported.
    fn maintenance(&self) -> Option<&dyn Maintenance> {
        None
    }
}
