//! The effect of the button of a question or of a message, as data.

use std::path::PathBuf;

use bson::Document;

use super::operations::OperationId;
use super::{Namespace, TabId};
use crate::job::TrashScope;
use crate::job::bulk::BulkChange;

/// The effect of the button of a question or of a message. `action` turns it into an action.
#[derive(Debug, Clone, PartialEq)]
pub enum Offer {
    /// The archive of a collection is changed with this command.
    SetArchive(Namespace, Box<Document>),
    /// Documents that wait for an archive which the store doesn't know are discarded.
    DiscardTrash(TrashScope),
    /// Documents on hold are removed now.
    RemoveHeld,
    /// The TTL monitor is turned on.
    ResumeMonitor,
    /// Changes may be sent to the server.
    Unlock,
    /// It is asked whether changes may be sent.
    AskUnlock,
    /// The command of the open dialog of an index is sent.
    SendIndex(TabId),
    /// The planned rollout is started.
    StartRollout(TabId),
    /// An index is dropped and created again with this definition.
    Recreate(TabId, Box<Document>),
    /// The open import is started.
    StartImport,
    /// The open import of a folder is started.
    StartDump,
    /// Many documents are changed.
    ChangeMany(TabId, Box<BulkChange>),
    RunPass,
    /// A store is created in this folder.
    CreateStore(PathBuf),
    /// The store in this folder is taken off the list of recent stores.
    ForgetStore(String),
    /// The last change of a tab is undone.
    Undo(TabId),
    /// A change of a tab that can't be undone is given up.
    SkipUndo(TabId),
    /// A change of a tab that can't be redone is given up.
    SkipRedo(TabId),
    /// The result of an import is shown.
    ShowResult(OperationId),
    /// A collection of a lesson is copied into a sandbox, which ends the lesson.
    CopyToSandbox(Namespace),
    /// A lesson file is opened.
    OpenLesson(PathBuf),
    /// The window closes although typed text is lost.
    DiscardAndQuit,
    /// Text is copied.
    Copy(String),
}
