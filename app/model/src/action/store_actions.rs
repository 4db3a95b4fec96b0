//! Actions on a store, and on what runs in it.

use std::path::PathBuf;

use bson::oid::ObjectId;
use bson::{Bson, Document};
use mayfly_engine::command::ListenAt;

use crate::commands::{clock, listener};
use crate::job::{Dialect, Namespace, OpenRequest, TrashScope};
use crate::state::calendar::Unit;
use crate::state::dialogs::{
    CreateCollection, CreateDatabase, DropTarget, DuplicateCollection, RenameCollection,
};
use crate::state::operations::OperationId;
use crate::state::reaper::Schedule;
use crate::state::recent_stores::RecentStore;
use crate::state::store::Order;
use crate::state::transfer::export::ShownDocuments;
use crate::state::trash::RestoreCommand;

/// Actions on the store.
#[derive(Debug, Clone, PartialEq)]
pub enum StoreAction {
    Refresh,
    /// Opens a store in addition to those that are open.
    Open(OpenRequest),
    /// Shows the open store of this number.
    Show(u32),
    /// Closes the open store of this number.
    Close(u32),
    /// Opens the dialog that chooses a data folder.
    ChooseFolder,
    /// Opens the store in this folder; asks first if there is none.
    OpenFolder(PathBuf),
    /// Creates a store in this folder and opens it.
    CreateStore(PathBuf),
    /// Opens a store that was open before.
    OpenRecent(RecentStore),
    /// Takes the store in this folder off the list of recent stores.
    ForgetRecent(String),
    /// Folds a database in the sidebar, or unfolds it.
    Fold(String),
    Sort(Order),
    /// A row of the sidebar is on the screen and what it shows is old.
    LoadSummary(Namespace),
    CreateDatabase(CreateDatabase),
    CreateCollection(CreateCollection),
    Rename(RenameCollection),
    /// Opens the dialog that duplicates a collection.
    OpenDuplicate(Namespace),
    Duplicate(DuplicateCollection),
    /// Opens the dialog with the figures of a collection.
    OpenStatistics(Namespace),
    /// Drops a database or a collection.
    Drop(DropTarget),
    /// Turns the traffic of the demo store on or off.
    SetTraffic(bool),
    SetDialect(String, Dialect),
}

/// Actions on a connection to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectAction {
    /// Tries the server of the open dialog.
    Test,
    /// Attaches to the server of the open dialog.
    Attach,
    /// Ends the attempt of the open dialog.
    Stop,
    LookForKeyring,
    /// Removes the password of this key from the keyring.
    ForgetPassword(String),
    /// Sends no changes from now on.
    Lock,
    /// Asks whether changes may be sent.
    AskUnlock,
    Unlock,
    ShowServer,
}

/// Actions on files.
#[derive(Debug, Clone, PartialEq)]
pub enum TransferAction {
    /// Files were dropped on the window, or chosen: opens the import dialog on them.
    Import {
        /// The files; if empty, the user chooses them in the dialog.
        files: Vec<PathBuf>,
        into: Option<Namespace>,
    },
    /// Files that the command line named: opens the import dialog on them. The documents are shown as
    /// soon as all of them are imported.
    Open(Vec<PathBuf>),
    /// Opens the import dialog on a collection: files go there, not into one with their name.
    ImportInto(Namespace),
    /// Opens the export dialog on a collection.
    Export {
        namespace: Namespace,
        /// The documents that the view shows. The default is everything.
        shown: Box<ShownDocuments>,
    },
    /// Opens the dialog that copies a collection into another store.
    Copy {
        namespace: Namespace,
        /// The filter that the view shows it by, as typed.
        filter: String,
    },
    LookCopy,
    StartCopy,
    /// Opens the store that the open dialog's copy went into.
    ShowCopy,
    /// Removes what the open dialog's copy inserted.
    RollBackCopy,
    /// Opens the import dialog and the system's dialog for a folder.
    ImportFolder,
    /// Opens the dialog that exports a database to a folder.
    ExportDatabase(String),
    /// Shows the documents of a collection, and the dialog that adds those of the clipboard.
    Paste(Namespace),
    /// Opens the export dialog on a JSON Schema.
    ExportSchema {
        namespace: Namespace,
        text: String,
    },
    /// Opens the export dialog on the audit of a store or server of this name.
    ExportAudit {
        name: String,
        /// The page.
        text: String,
    },
    /// Adds the file whose path was typed in the import dialog.
    AddTyped,
    /// Takes a file out of the import dialog.
    RemoveFile(usize),
    ShowFile(usize),
    /// Reads the shown file again because its format options changed.
    Look,
    /// Counts what is past its threshold already.
    Rehearse,
    /// Counts what the export of the open dialog loses.
    CountLosses,
    /// Opens the system's file dialog for the open dialog.
    Choose,
    /// Opens the system's dialog for a folder of an exported database.
    ChooseDump,
    /// Imports a dump as drafted.
    StartDump,
    StartImport,
    StartExport {
        /// Whether a file of that name may be written over.
        overwrite: bool,
    },
    /// Exports a database as drafted.
    StartExportDatabase,
    /// Opens the dialog of an import or export that ended, filled in as it was.
    Again(OperationId),
    ShowResult(OperationId),
    /// Opens the dialog with the imports and operations that stopped early.
    ShowUnfinished,
    /// Asks for the operations that were cut short.
    ListUnfinished,
    Resume(ObjectId),
    /// Removes what one of them has stored.
    RollBack(ObjectId),
    /// Removes what the import of the shown result has stored.
    RollBackResult(OperationId),
    /// Forgets one of them; its documents stay.
    Leave(ObjectId),
}

/// Actions on the store as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaintenanceAction {
    Show(Page),
    /// The path in the open dialog is another one.
    PathChanged,
    /// Writes a backup as drafted.
    Backup,
    /// Looks at the structure of the chosen backup.
    Check,
    /// Replaces the store with the chosen backup.
    Restore,
    Compact,
    Verify,
    /// Starts the reading in the background, or stops it.
    Scrub(bool),
    /// Takes away that the store has recovered.
    DismissRecovered,
    DismissDamage,
    /// Takes the advice about the place away, for good.
    DismissAdvice,
}

/// A page of the dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    /// How the store is and what can be done.
    Home,
    Backup,
    Restore,
    Compact,
    Verify,
}

/// Actions on the reaper.
#[derive(Debug, Clone, PartialEq)]
pub enum ReaperAction {
    RunNow,
    /// Turns it on or off.
    SetEnabled(bool),
    Resume,
    SetSchedule(Schedule),
    /// Turns the trash on or off.
    SetUndo(bool),
    /// Puts a removed document back, while the trash has it.
    Restore {
        namespace: Namespace,
        /// The document's `_id`.
        id: Bson,
    },
    /// Restores the documents that a pass removed, of one collection or of all.
    RestorePass(u64, Option<Namespace>),
    /// Shows the next collection with documents on hold.
    ShowHeld,
    /// Changes the TTL of this index, which is on hold.
    ChangeHeldTtl(Namespace, String),
    /// Counts the held documents, asks whether to remove them, and releases them.
    ReleaseHeld,
    /// Releases the documents on hold, and removes them now.
    DeleteHeld,
    KeepHeld,
    ClearLog,
}

/// Actions on the listener.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListenerAction {
    On(ListenAt),
    Off,
}

impl ListenerAction {
    /// The command that does it, on `admin`.
    pub fn command(&self) -> Document {
        match self {
            Self::On(at) => listener::turn_on(at),
            Self::Off => listener::turn_off(),
        }
    }
}

/// Actions on the trash and the archives. All but the first come from their dialog.
#[derive(Debug, Clone, PartialEq)]
pub enum TrashAction {
    /// Opens the dialog and lists a collection, or all.
    Open(Option<Namespace>),
    List(Option<Namespace>),
    /// Lists the documents that match this filter, or all.
    Filter(Option<Document>),
    More,
    /// Keeps removed documents for this many seconds. 0 turns the trash off.
    Keep(i64),
    Restore(RestoreCommand),
    /// Turns the archive of this collection on, off or to another target, with this command.
    SetArchive(Namespace, Document),
    /// Discards the listed documents that wait for an archive which the store doesn't know.
    Discard(TrashScope),
}

/// Actions of the TTL audit. All but the first come from its dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditAction {
    Open,
    /// Reads everything again.
    Again,
    /// Reads no further, and shows what was read.
    Stop,
    /// Shows a finding whole, or the overview.
    Select(Option<usize>),
    /// Opens the dialog that saves it as a page.
    Save,
    /// Opens the place where the shown finding is mended.
    Mend,
}

/// Actions of the calendar. All but the first come from its dialog.
#[derive(Debug, Clone, PartialEq)]
pub enum CalendarAction {
    Open,
    /// Shows hours, days, weeks or months.
    Show(Unit),
    /// Shows what of a collection expires between two instants, in milliseconds since 1970.
    Visit {
        namespace: Namespace,
        from_ms: i64,
        to_ms: i64,
    },
}

/// Actions on sandboxes.
#[derive(Debug, Clone, PartialEq)]
pub enum SandboxAction {
    /// Opens one as drafted in the open dialog.
    Open,
    /// Opens the store that was open before.
    Back,
    /// Copies a collection into one and opens that. In a lesson, asks first.
    Copy(Namespace),
    /// The same without a question.
    CopyNow(Namespace),
    /// Deletes it, then does what the open dialog says.
    Discard,
    /// Moves it into the folder of the open dialog, then does what that says.
    Keep,
}

/// Actions on a simulated clock.
#[derive(Debug, Clone, PartialEq)]
pub enum ClockAction {
    /// Stops it or lets it run.
    SetPaused(bool),
    /// How fast it runs: store seconds for each real second.
    SetRate(f64),
    /// Moves it on, in milliseconds.
    Advance(i64),
    /// Moves it to the next pass of the reaper.
    ToNextPass,
    /// Moves it to the next threshold or the next pass, whichever is first.
    ToNextEvent,
}

impl ClockAction {
    /// The command that does it, on `admin`.
    pub fn command(&self) -> Document {
        match self {
            Self::SetPaused(paused) => clock::set_paused(*paused),
            Self::SetRate(rate) => clock::set_rate(*rate),
            Self::Advance(ms) => clock::advance(*ms),
            Self::ToNextPass => clock::advance_to("pass"),
            Self::ToNextEvent => clock::advance_to("event"),
        }
    }
}
