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

pub use crate::job::purpose::{DocumentsPurpose as Purpose, RowRange};
pub use change::{Origin, Step, Writing};
pub use damaged::Damaged;
pub use editor::{DeleteMany, Editor};
pub use field::{FieldEdit, FieldKind};
pub use focus::Focused;
pub use pages::{Pages, Row};
pub use query::{Query, QueryField, QueryText, Refusal};
pub use undo::Undo;
pub use view::{DocumentsDraft, DocumentsView, Mode, SavedDocuments, Scroll};

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
