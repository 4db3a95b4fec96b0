//! A store: answers command documents and reports events.
//!
//! The window knows a store only through [`Source`]. Every call may touch the disk, so only the
//! worker's threads make them.

mod batches;
pub mod copying;
pub mod duplicate;
pub mod embedded;
pub mod engine_slot;
pub mod folder_advice;
pub mod inserts;
pub mod kept_file;
pub mod maintenance;
mod move_folder;
pub mod open;
pub mod read_back;
pub mod remote;
mod sample_mark;
pub mod sandbox_copy;
pub mod sandbox_folder;
pub mod secrets;
pub mod transfers;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bson::{Document, RawDocument, RawDocumentBuf};
use mayfly_engine::clock::{Clock as _, SystemClock};

use crate::demo::SampleData;
pub use crate::job::{Advice, Capabilities, Namespace, OpenError, OpenRequest, Sandbox};
use crate::job::{Cancel, Event, WatchEnd, WatchReport, Write};
pub use maintenance::Maintenance;
pub use open::{Opened, Opener};
pub use transfers::Transfers;

/// A stream of events. Waits for the next one, and ends with the source.
pub type Events = Box<dyn Iterator<Item = Event> + Send>;

pub type TakeBatch<'t> = dyn FnMut(&[&RawDocument]) -> Result<(), String> + 't;

/// A store that answers MongoDB commands.
pub trait Source: Send + Sync + 'static {
    /// Runs one command and returns its reply. Never fails and never panics: an error is a reply
    /// with `ok: 0`, `errmsg`, `code` and `codeName`.
    fn run(&self, db: &str, command: &Document) -> Document;

    /// As [`run`](Self::run), but ends early with an error once `cancel` is set. A source that
    /// can't interrupt a command runs it to its end.
    fn run_until(&self, db: &str, command: &Document, cancel: &Cancel) -> Document {
        let _ = cancel;
        self.run(db, command)
    }

    /// Runs a command that writes. `is_stopped` ends a pause of a server that asks to slow down, never
    /// the command.
    fn run_write(&self, db: &str, command: &Document, is_stopped: &dyn Fn() -> bool) -> Document {
        let _ = is_stopped;
        self.run(db, command)
    }

    /// As [`run_until`](Self::run_until) with the bytes of the reply, for replies with many
    /// documents.
    fn run_raw(&self, db: &str, command: &Document, cancel: &Cancel) -> RawDocumentBuf {
        RawDocumentBuf::try_from(&self.run_until(db, command, cancel)).unwrap_or_default()
    }

    /// Reads all documents that a command's cursor gives, with every byte as it is stored.
    ///
    /// # Errors
    /// One sentence, also of what takes them; "The command was stopped" once `cancel` is set.
    fn read_batches(
        &self,
        db: &str,
        command: &Document,
        cancel: &Cancel,
        take: &mut TakeBatch<'_>,
    ) -> Result<(), String> {
        batches::read(&|command| self.run_raw(db, command, cancel), command, cancel, take)
    }

    /// Runs a command given as bytes, so that the documents in it keep each of them.
    /// `is_stopped` ends a pause of a server that asks to slow down, never the command.
    fn run_bytes(
        &self,
        db: &str,
        command: &RawDocument,
        is_stopped: &dyn Fn() -> bool,
    ) -> Document {
        let _ = is_stopped;
        match Document::try_from(command) {
            Ok(command) => self.run(db, &command),
            Err(error) => bson::doc! { "ok": 0.0, "errmsg": error.to_string(), "code": 22 },
        }
    }

    /// Reads documents that were just written, where it is not certain that they are stored as they
    /// were sent. `None` where it is.
    fn read_back(&self, db: &str, find: &Document) -> Option<Result<Vec<RawDocumentBuf>, String>> {
        let _ = (db, find);
        None
    }

    /// Remembers whether the documents that were read back were stored as they were sent.
    fn note_stored(&self, write: Write, is_as_sent: bool) {
        let _ = (write, is_as_sent);
    }

    /// The store's time in milliseconds since 1970.
    fn now_ms(&self) -> i64 {
        // Not a command, so that no log or profile has it.
        SystemClock.now_ms()
    }

    /// Events from now on. Each subscription gets every event.
    fn subscribe(&self) -> Events;

    /// Reports the deletions of a collection until `cancel` is set, and returns why it ended. For a
    /// source whose events don't have them.
    fn watch(
        &self,
        namespace: &Namespace,
        cancel: &Cancel,
        report: &dyn Fn(WatchReport),
    ) -> WatchEnd {
        let _ = (namespace, cancel, report);
        WatchEnd::Unsupported("this store has no change streams".to_owned())
    }

    fn capabilities(&self) -> Capabilities;

    /// The collections with sample data, where traffic may write. Only a demo store has them.
    fn sample_data(&self) -> Option<SampleData> {
        None
    }

    /// The way for files in and out, if they are supported.
    fn transfers(&self) -> Option<&dyn Transfers> {
        None
    }

    /// The folder for the journals of operations in steps. Without one nothing is remembered.
    fn journals(&self) -> Option<PathBuf> {
        None
    }

    /// Locks a connection to a server, so that no change is sent, or unlocks it.
    fn set_locked(&self, is_locked: bool) {
        // A store on this machine has no lock.
        let _ = is_locked;
    }

    /// The program ends: nothing that waits on a network keeps it from that.
    fn leave(&self) {}

    /// Closes it for good, once earlier requests are answered, so that its folder is free for
    /// another program or another opening.
    fn close(&self) {}

    /// Copies a collection into a sandbox that is not open yet, with its present time.
    fn copy_to_sandbox(&self, namespace: &Namespace) -> Result<OpenRequest, String> {
        Err(format!("{namespace} can't be copied into a sandbox"))
    }

    /// Opens the store in another folder, which has one already. Nothing expires in it while it is open so.
    fn open_beside(&self, folder: &Path) -> Result<Arc<dyn Source>, String> {
        Err(format!("{} can't be opened next to this store", folder.display()))
    }

    /// Closes it for good and moves its folder to one that is empty or missing. After an error it is
    /// open where it was.
    fn move_to(&self, folder: &Path) -> Result<(), String> {
        Err(format!("This store can't be moved to {}", folder.display()))
    }

    /// Whether its data is in this folder.
    fn is_in(&self, folder: &Path) -> bool {
        let _ = folder;
        false
    }

    /// The way to check, compact and back up the store, if that is supported.
    fn maintenance(&self) -> Option<&dyn Maintenance> {
        None
    }
}
