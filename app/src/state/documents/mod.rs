//! The documents of one tab: what was asked, which pages are there, what is selected, what is being
//! changed, and what can be undone.

pub mod change;
pub mod columns;
pub mod damaged;
pub mod due;
pub mod editor;
pub mod field;
pub mod focus;
pub mod pages;
pub mod query;
pub mod undo;
pub mod view;

pub use change::{Origin, Step, Writing};
pub use damaged::Damaged;
pub use editor::{DeleteMany, Editor};
pub use field::{FieldEdit, FieldKind};
pub use focus::Focused;
pub use pages::{Pages, Row};
pub use query::{Query, QueryField, QueryText};
pub use undo::Undo;
pub use view::{DocumentsDraft, DocumentsView, Mode, SavedDocuments, Scroll};

/// What an answer is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// Documents from this row on.
    Page {
        /// Which run of the query asked.
        run: u64,
        /// The first row.
        first: u64,
    },
    /// How many documents there are.
    Count {
        /// Which run of the query asked.
        run: u64,
    },
    /// The TTL indexes of the collection.
    Indexes,
    /// When documents of the list go, from this row on.
    Due {
        /// The first row.
        first: u64,
    },
    /// The whole of the document in the inspector.
    Whole,
    /// When the document in the inspector goes, and why.
    Verdict,
    /// The document as it is now, before it is replaced.
    Check,
    /// The documents as they are now, before they are deleted.
    DeleteRead,
    /// A change of documents.
    Write,
    /// The damaged documents.
    Damaged,
    /// The removal of damaged documents.
    RemoveDamaged,
    /// A cursor that is no longer needed.
    Close,
    /// The whole of a document, to open it in the editor.
    Open {
        /// Whether a copy of it shall be added.
        clone: bool,
    },
}

/// A dialog of this view.
#[derive(Debug, Clone, PartialEq)]
pub enum Dialog {
    /// A document as text.
    Editor(Box<Editor>),
    /// Documents are to be deleted.
    Delete(DeleteMany),
    /// Damaged documents.
    Damaged(Damaged),
}
