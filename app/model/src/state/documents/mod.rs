//! The documents of one tab: what was asked, which pages are there, what is selected, what is being
//! changed, and what can be undone.

pub mod bulk;
pub mod change;
pub mod clipboard;
pub mod columns;
pub mod compare;
pub mod damaged;
pub mod editor;
pub mod field;
pub mod field_path;
pub mod filter_text;
pub mod find;
pub mod focus;
pub mod json_lines;
pub mod pages;
pub mod query;
pub mod reference;
pub mod relative_time;
pub mod selection;
pub mod type_change;
pub mod typed_date;
pub mod undo;
pub mod undo_words;
pub mod value_pane;
pub mod view;

pub use crate::job::bulk::Target;
pub use crate::job::due;
pub use crate::job::field_task::{FieldTask, FieldTaskKind};
pub use change::{Origin, SavedCell, Step, Writing};
pub use clipboard::CopyForm;
pub use damaged::Damaged;
pub use editor::Editor;
pub use field::{EditTarget, FieldEdit, FieldKind};
pub use focus::Focused;
pub use json_lines::Folds;
pub use pages::{Pages, Row, estimated_bytes};
pub use query::{Query, QueryField, QueryText, Refusal};
pub use selection::{Cursor, RowRange, Selection};
pub use undo::Undo;
pub use view::{DocumentsDraft, DocumentsView, Mode, SavedDocuments, Scroll};

/// A dialog of this view.
#[derive(Debug, Clone, PartialEq)]
pub enum Dialog {
    /// A document as text.
    Editor(Box<Editor>),
    Delete(bulk::BulkDelete),
    Update(Box<bulk::BulkUpdate>),
    /// Documents are to be copied.
    Copy(Box<bulk::BulkCopy>),
    Damaged(Damaged),
    /// Two documents side by side.
    Compare(Box<compare::Compare>),
    Value(Box<value_pane::ValuePane>),
}

impl Dialog {
    /// The documents that a dialog of a change of many is about.
    pub fn scope(&self) -> Option<&bulk::Scope> {
        match self {
            Self::Delete(draft) => Some(&draft.scope),
            Self::Update(draft) => Some(&draft.scope),
            Self::Copy(draft) => Some(&draft.scope),
            Self::Editor(_) | Self::Damaged(_) | Self::Compare(_) | Self::Value(_) => None,
        }
    }

    /// The same, to change what is known of them.
    pub fn scope_mut(&mut self) -> Option<&mut bulk::Scope> {
        match self {
            Self::Delete(draft) => Some(&mut draft.scope),
            Self::Update(draft) => Some(&mut draft.scope),
            Self::Copy(draft) => Some(&mut draft.scope),
            Self::Editor(_) | Self::Damaged(_) | Self::Compare(_) | Self::Value(_) => None,
        }
    }
}
