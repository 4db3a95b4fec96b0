//! The dialogs. One is open at a time; others wait in a queue.

use std::collections::VecDeque;

use bson::Document;

use super::audit::AuditView;
use super::calendar::Calendar;
use super::connect::ConnectDraft;
use super::convert::ConvertDraft;
use super::lesson::save::SaveLesson;
use super::listener::ListenerDraft;
use super::offer::Offer;
use super::sandbox::{LeaveSandbox, OpenSandbox};
pub use super::sent::Sent;
use super::server::ServerFacts;
use super::{
    Namespace, TabId, aggregate, documents, indexes, maintenance, schema, transfer, trash,
};
use crate::commands::query::collated;
use crate::commands::store;
use crate::job::Dialect;
use crate::job::reply::batch;
use crate::limits::DIALOGS_WAITING_MAX;

/// A dialog with its current input.
#[derive(Debug, Clone, PartialEq)]
pub enum Dialog {
    Settings(SettingsDraft),
    Shortcuts,
    Help(HelpPage),
    /// A new database, with its first collection.
    CreateDatabase(CreateDatabase),
    CreateCollection(CreateCollection),
    RenameCollection(RenameCollection),
    DuplicateCollection(DuplicateCollection),
    Statistics(Statistics),
    /// Something that can't be undone: the name must be typed.
    Drop(DropDialog),
    /// One question with two answers.
    Confirm(Confirm),
    OpenFolder(OpenFolder),
    Connect(Box<ConnectDraft>),
    Server(Box<ServerFacts>),
    /// A lesson file or a course folder to add.
    OpenLesson(OpenLesson),
    Handout(Handout),
    /// A lesson to write from the sandbox.
    SaveLesson(SaveLesson),
    OpenSandbox(OpenSandbox),
    LeaveSandbox(LeaveSandbox),
    /// The listener, through which other programs reach the store.
    Listener(ListenerDraft),
    /// Removed documents that can be restored.
    Trash(trash::TrashDraft),
    Audit(Box<AuditView>),
    Calendar(Calendar),
    Documents(TabId, documents::Dialog),
    Aggregate(TabId, aggregate::Dialog),
    Indexes(TabId, indexes::Dialog),
    Schema(TabId, schema::Dialog),
    Convert(Box<ConvertDraft>),
    Transfer(transfer::Dialog),
    /// A dialog for the store as a whole.
    Maintenance(maintenance::Dialog),
}

impl Dialog {
    /// Whether it is about databases, collections or documents of the store that is open, and would
    /// do something else in another one.
    pub fn is_about_contents(&self) -> bool {
        match self {
            Self::Settings(_)
            | Self::Shortcuts
            | Self::Help(_)
            | Self::OpenFolder(_)
            | Self::Connect(_)
            | Self::OpenLesson(_)
            | Self::OpenSandbox(_)
            | Self::Maintenance(_) => false,
            Self::Transfer(dialog) => {
                use transfer::Dialog::{Copied, DumpImported, Imported, Running};
                !matches!(dialog, Running(_) | Imported(_) | DumpImported(_) | Copied(_))
            }
            _ => true,
        }
    }

    /// Whether it comes back with its input after the lesson that it links to. An answer on its way
    /// would not find it.
    pub fn outlives_lesson(&self) -> bool {
        use indexes::Dialog::{ChangeTtl, Create};
        match self {
            Self::Indexes(_, dialog @ (Create(_) | ChangeTtl(_))) => dialog.sent().is_none(),
            _ => false,
        }
    }

    /// Whether it holds text that closing would lose: it asks first.
    pub fn is_draft(&self) -> bool {
        match self {
            Self::Documents(_, documents::Dialog::Editor(draft)) => draft.is_changed(),
            Self::Documents(_, documents::Dialog::Update(draft)) => draft.is_changed(),
            Self::Indexes(_, indexes::Dialog::Create(draft)) => draft.is_typed,
            _ => false,
        }
    }

    /// Whether its primary button changes the store, which a locked server refuses.
    pub fn is_change(&self) -> bool {
        match self {
            Self::CreateDatabase(_)
            | Self::CreateCollection(_)
            | Self::RenameCollection(_)
            | Self::DuplicateCollection(_)
            | Self::Drop(_)
            | Self::Indexes(..)
            | Self::Convert(_) => true,
            Self::Documents(_, dialog) => {
                use documents::Dialog::{Copy, Delete, Editor, Update};
                matches!(dialog, Editor(_) | Delete(_) | Update(_) | Copy(_))
            }
            Self::Aggregate(_, dialog) => {
                matches!(dialog, aggregate::Dialog::View(_) | aggregate::Dialog::Write(_))
            }
            Self::Schema(_, dialog) => matches!(dialog, schema::Dialog::Validator(_)),
            Self::Transfer(dialog) => {
                matches!(dialog, transfer::Dialog::Import(_) | transfer::Dialog::Dump(_))
            }
            _ => false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HelpPage {
    /// Expiration in half a minute.
    Ttl,
    Glossary,
    Report,
    About,
}

/// The text typed in the settings. Every other choice works at once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SettingsDraft {
    /// The name of a time zone. `None` until one is typed.
    pub zone: Option<String>,
}

/// Another data folder to open.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OpenFolder {
    pub path: String,
    /// Whether the keyboard was sent to the path.
    pub has_focus: bool,
    /// The generation of the look into the folder that has no answer yet.
    pub looking: Option<u64>,
}

/// A lesson file or a course folder to add.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OpenLesson {
    pub path: String,
}

/// A handout to write.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Handout {
    pub path: String,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct CreateDatabase {
    pub name: String,
    pub collection: String,
    pub dialect: Dialect,
    pub sent: Sent,
}

/// A dialect's name in the window.
pub fn dialect_label(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Open => "Mayfly (both)",
        Dialect::Mongodb => "MongoDB 8.2",
        Dialect::Cosmos => "Azure Cosmos DB",
    }
}

/// A dialect's rules in one sentence.
pub fn dialect_sentence(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Open => "TTL on any date field, or on _ts with a per-document ttl",
        Dialect::Mongodb => "TTL on a date field; expired documents stay visible until removed",
        Dialect::Cosmos => "TTL on _ts; expired documents are hidden immediately",
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct CreateCollection {
    pub db: String,
    pub name: String,
    /// Whether it keeps only the newest documents.
    pub capped: bool,
    /// How many bytes a capped collection keeps, as typed.
    pub size: String,
    /// The collation. Empty for comparison by bytes.
    pub collation: Document,
    pub sent: Sent,
}

/// Another name for a collection.
#[derive(Debug, Clone, PartialEq)]
pub struct RenameCollection {
    pub from: Namespace,
    /// Its new name in the same database.
    pub name: String,
    pub sent: Sent,
}

/// A copy of a collection in the same database.
#[derive(Debug, Clone, PartialEq)]
pub struct DuplicateCollection {
    pub from: Namespace,
    /// The name of the copy in the same database.
    pub name: String,
    /// The indexes of the collection other than that of `_id`; `None` until they are known.
    pub indexes: Option<Vec<Document>>,
    pub with_indexes: bool,
    pub sent: Sent,
}

impl DuplicateCollection {
    /// A copy under a name that is free in the database.
    pub fn new(from: Namespace, is_taken: impl Fn(&str) -> bool) -> Self {
        let name = |number: u32| match number {
            1 => format!("{}_copy", from.collection),
            _ => format!("{}_copy{number}", from.collection),
        };
        let free = (1..=u32::MAX).map(name).find(|name| !is_taken(name));
        Self {
            name: free.unwrap_or_default(),
            from,
            indexes: None,
            with_indexes: true,
            sent: Sent::default(),
        }
    }

    /// The copy.
    pub fn to(&self) -> Namespace {
        Namespace::new(&self.from.db, self.name.trim())
    }

    /// Takes the reply to `listIndexes`.
    pub fn take_indexes(&mut self, reply: &Document) {
        let kept = batch(reply)
            .filter(|spec| !spec.get_str("name").is_ok_and(|name| name == "_id_"))
            .map(|spec| {
                let mut spec = spec.clone();
                for told in ["v", "ns", "building"] {
                    spec.remove(told);
                }
                spec
            });
        self.indexes = Some(kept.collect());
    }

    /// The indexes that the copy gets.
    pub fn copied_indexes(&self) -> &[Document] {
        let indexes = self.indexes.as_deref().unwrap_or_default();
        if self.with_indexes { indexes } else { &[] }
    }

    /// The commands that make the copy, in their order; then its documents are inserted.
    pub fn commands(&self) -> Vec<Document> {
        let (name, indexes) = (self.name.trim(), self.copied_indexes());
        let indexes = (!indexes.is_empty()).then(|| store::create_indexes(name, indexes));
        [store::create(name)].into_iter().chain(indexes).collect()
    }
}

/// The figures of a collection.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistics {
    pub namespace: Namespace,
    /// The reply to `collStats`; `None` until it is there.
    pub reply: Option<Result<Document, String>>,
}

/// Deletes a database or a collection.
#[derive(Debug, Clone, PartialEq)]
pub struct DropDialog {
    /// A database, or a collection.
    pub target: DropTarget,
    pub typed: String,
    pub sent: Sent,
}

/// The database or collection to delete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DropTarget {
    /// A database with everything in it.
    Database(String),
    /// A collection with everything in it.
    Collection(Namespace),
    /// The documents of a collection, which stays with its indexes.
    Documents(Namespace),
}

/// The command that gives a new database its rules; `None` for the rules it has anyway.
pub fn dialect_command(dialect: Dialect) -> Option<Document> {
    (dialect != Dialect::Open).then(|| store::set_dialect(dialect.name()))
}

/// The command that makes a collection as drafted.
pub fn create_command(draft: &CreateCollection) -> Document {
    let name = draft.name.trim();
    let create = if draft.capped {
        store::create_capped(name, draft.size.trim().parse().ok())
    } else {
        store::create(name)
    };
    collated(create, &draft.collation)
}

/// The command that drops a database or a collection, and the database it runs on.
pub fn drop_command(target: &DropTarget) -> (String, Document) {
    match target {
        DropTarget::Database(db) => (db.clone(), store::drop_database()),
        DropTarget::Collection(namespace) => {
            (namespace.db.clone(), store::drop_collection(&namespace.collection))
        }
        DropTarget::Documents(namespace) => {
            (namespace.db.clone(), store::empty(&namespace.collection))
        }
    }
}

/// One question with two answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Confirm {
    pub title: String,
    pub text: String,
    /// The command that will be sent, as typed in mongosh.
    pub command: Option<String>,
    /// The words on the button; they name the number when there is one.
    pub button: String,
    pub tone: Tone,
    pub offer: Offer,
    /// The name that must be typed first, if any.
    pub name: Option<TypedName>,
}

/// A name that must be typed before a button works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedName {
    pub name: String,
    pub typed: String,
}

/// How serious a button is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Normal,
    Amber,
    Danger,
}

/// The open dialog and those that wait.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Dialogs {
    open: Option<Dialog>,
    waiting: VecDeque<Dialog>,
}

impl Dialogs {
    pub fn open(&self) -> Option<&Dialog> {
        self.open.as_ref()
    }

    /// The open dialog, to change what is in it.
    pub fn open_mut(&mut self) -> Option<&mut Dialog> {
        self.open.as_mut()
    }

    /// Whether one of them, open or waiting, holds text that would be lost.
    pub fn has_draft(&self) -> bool {
        self.open.iter().chain(&self.waiting).any(Dialog::is_draft)
    }

    /// The fields of *Recently removed*, while it is open.
    pub fn trash_mut(&mut self) -> Option<&mut trash::TrashDraft> {
        match self.open.as_mut()? {
            Dialog::Trash(draft) => Some(draft),
            _ => None,
        }
    }

    /// Opens a dialog, or queues it after the open one.
    pub fn show(&mut self, dialog: Dialog) {
        if self.open.is_none() {
            self.open = Some(dialog);
        } else if self.waiting.len() < DIALOGS_WAITING_MAX && !self.waiting.contains(&dialog) {
            self.waiting.push_back(dialog);
        }
    }

    /// Opens a dialog, or queues it after the open one, however many wait: it holds typed text,
    /// which would be lost.
    pub fn show_kept(&mut self, dialog: Dialog) {
        match self.open {
            None => self.open = Some(dialog),
            Some(_) => self.waiting.push_back(dialog),
        }
    }

    /// Opens a dialog at once; the open one comes back when it is closed.
    pub fn show_before(&mut self, dialog: Dialog) {
        if let Some(open) = self.open.replace(dialog) {
            self.waiting.push_front(open);
        }
    }

    /// The command that the open dialog sent, if it is one that makes, renames or drops something.
    pub fn sent_mut(&mut self) -> Option<&mut Sent> {
        match self.open.as_mut()? {
            Dialog::CreateDatabase(draft) => Some(&mut draft.sent),
            Dialog::CreateCollection(draft) => Some(&mut draft.sent),
            Dialog::RenameCollection(draft) => Some(&mut draft.sent),
            Dialog::DuplicateCollection(draft) => Some(&mut draft.sent),
            Dialog::Drop(draft) => Some(&mut draft.sent),
            Dialog::Aggregate(_, dialog) => dialog.sent_mut(),
            _ => None,
        }
    }

    /// Replaces the open dialog.
    pub fn replace(&mut self, dialog: Dialog) {
        self.open = Some(dialog);
    }

    /// Closes the open dialog; the next one opens.
    pub fn close(&mut self) {
        self.open = self.waiting.pop_front();
    }

    /// Removes the dialogs that `gone` picks, open or waiting.
    pub fn forget(&mut self, gone: impl Fn(&Dialog) -> bool) {
        self.waiting.retain(|dialog| !gone(dialog));
        if self.open.as_ref().is_some_and(gone) {
            self.close();
        }
    }

    /// Hands the open dialog over for a frame, see [`Self::set_open`].
    pub fn take(&mut self) -> Option<Dialog> {
        self.open.take()
    }

    /// Opens the dialog again that [`Self::take`] handed over.
    pub fn set_open(&mut self, dialog: Dialog) {
        self.open = Some(dialog);
    }
}
