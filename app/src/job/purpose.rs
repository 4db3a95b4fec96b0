//! The purpose of an answer. A newer job with an equal purpose replaces a waiting one.

pub use super::field_task::{FieldTask, FieldTaskKind};
use super::{OperationId, TabId};

/// The purpose of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// An order to the worker itself: a store is opened, shown, locked or closed.
    Store,
    Documents(TabId, DocumentsPurpose),
    /// Files in and out.
    Transfer(TransferPurpose),
    /// The trash, while its dialog is open.
    Trash(TrashPurpose),
    /// The traffic of the demo store.
    Traffic,
}

/// An answer about the trash.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TrashPurpose {
    /// Documents are restored in steps.
    RestoreMany(OperationId),
}

/// An answer for the documents of a tab.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum DocumentsPurpose {
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
    /// When documents of the list expire, from this row on.
    Due {
        /// The first row.
        first: u64,
    },
    /// The `_id` of each row of a range that is to be selected.
    Range,
    /// The `_id` of every document that matches, to select them all.
    All,
    /// The selected documents, for the clipboard.
    Copy(CopyForm),
    /// The whole of the document in the inspector.
    Whole,
    /// When the document in the inspector expires, and why.
    Verdict,
    /// The document as it is now, before it is replaced.
    Check,
    /// The document as it is now, before it is deleted.
    DeleteRead,
    /// A change of documents.
    Write,
    /// A change of many documents.
    Bulk(OperationId),
    /// How many documents a dialog is about, and their bytes.
    Measure,
    /// Some of the documents that a dialog is about.
    Sample,
    /// Documents from the end of the collection, for the completion of filters.
    Known,
    Damaged,
    /// The removal of damaged documents.
    RemoveDamaged,
    /// A cursor that is no longer needed.
    Close,
    /// The whole of a document, to open it in the editor.
    Open {
        /// Whether to add a copy of it.
        clone: bool,
    },
    /// The whole of a document, one field of which is asked for.
    Field(FieldTask),
    /// Two documents, to compare them.
    Compare {
        /// The `_id` of the one that is shown at the left, as text.
        left: String,
    },
    /// The document of this collection that a value refers to.
    Reference(String),
}

/// An answer about import and export.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TransferPurpose {
    /// The beginning of a file.
    Preview,
    /// Documents past their threshold already.
    Rehearse,
    Import(OperationId),
    /// The imports that did not reach the end of their files.
    Unfinished {
        /// Whether a dialog shows them if there are any.
        show: bool,
    },
    RollBack(OperationId),
    Export(OperationId),
    /// Documents of a dump past their threshold already.
    RehearseDump,
    ImportDump(OperationId),
    /// How many documents an export writes.
    CountExport,
    /// Files that the system's dialog chose.
    Chosen,
    /// The folder for downloads.
    Folder,
    /// Whether a folder holds a store.
    LookInto,
    /// The reaper is paused, then an import begins.
    PauseReaper(OperationId),
    /// An index of this name is created after an import.
    CreateIndex(OperationId, String),
}

impl Purpose {
    /// The tab and the kind of a read that may go through a whole collection.
    pub fn slow_read(&self) -> Option<(TabId, SlowRead)> {
        Some(match self {
            Self::Documents(
                tab,
                DocumentsPurpose::Page { .. } | DocumentsPurpose::Count { .. },
            ) => (*tab, SlowRead::Rows),
            Self::Documents(
                tab,
                DocumentsPurpose::Range
                | DocumentsPurpose::All
                | DocumentsPurpose::Copy(_)
                | DocumentsPurpose::Measure
                | DocumentsPurpose::Sample,
            ) => (*tab, SlowRead::Documents),
            _ => return None,
        })
    }
}

/// Read of a tab that may go through a whole collection, so that it can be canceled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SlowRead {
    /// Pages and the count of the Documents view.
    Rows,
    /// Other queries of the Documents view.
    Documents,
    Pipeline,
    Explain,
    /// The documents that a TTL would remove.
    WhatIf,
    /// Documents by age, in the dialog of an index.
    Ages,
    Schema,
    /// Canceled with the tab alone.
    OfTab,
}

impl SlowRead {
    /// Every kind: the tab was closed.
    pub const ALL: &[Self] = &[
        Self::Rows,
        Self::Documents,
        Self::Pipeline,
        Self::Explain,
        Self::WhatIf,
        Self::Ages,
        Self::Schema,
        Self::OfTab,
    ];
    /// The queries of the Documents view: it has another filter, or the user stops it.
    pub const QUERIES: &[Self] = &[Self::Rows, Self::Documents];
    /// The questions of the dialog of an index: it was closed.
    pub const INDEX_DIALOG: &[Self] = &[Self::WhatIf, Self::Ages];

    /// The view whose queries take turns, so that they keep one reader busy, and the others stay free for what the user
    /// opens next.
    #[must_use]
    pub fn turn(self) -> Option<Self> {
        match self {
            Self::Rows | Self::Documents => Some(Self::Documents),
            Self::Pipeline | Self::Explain => Some(self),
            Self::WhatIf | Self::Ages | Self::Schema | Self::OfTab => None,
        }
    }
}

/// How documents are written to the clipboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CopyForm {
    /// A line for each, with tabs between the columns that are shown.
    Table,
    /// Extended JSON.
    Json,
    /// As typed in mongosh.
    Shell,
    /// A line for each and one with the names, with commas between the columns that are shown.
    Csv,
}
