//! The purpose of an answer. A newer job with an equal purpose replaces a waiting one.

pub use super::field_task::{FieldTask, FieldTaskKind};
use super::{OperationId, TabId};

/// The purpose of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// An order to the worker itself: a store is opened, shown, locked or closed.
    Store,
    /// The documents of one tab.
    Documents(TabId, DocumentsPurpose),
    /// The expiry view of one tab.
    Expiry(TabId, ExpiryPurpose),
    /// The indexes of one tab.
    Indexes(TabId, IndexesPurpose),
    /// The schema of one tab.
    Schema(TabId, SchemaPurpose),
    /// Text and numbers of a field to dates.
    Convert(ConvertPurpose),
    /// Files in and out.
    Transfer(TransferPurpose),
    /// The archive whose dialog is open.
    Archive(ArchivePurpose),
    /// The trash, while its dialog is open.
    Trash(TrashPurpose),
    /// The traffic of the demo store.
    Traffic,
}

/// An answer about an archive.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ArchivePurpose {
    /// The settings of the archive, and its contents.
    Status,
    /// Some of its documents.
    Page {
        /// The newest; else those after the listed ones.
        is_first: bool,
    },
    /// It is switched on, changed or switched off.
    Switch,
    /// Documents are restored.
    Restore,
}

/// An answer about the trash.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TrashPurpose {
    /// Some of what is in it.
    Page {
        /// The latest removals; else those after the listed ones.
        is_first: bool,
    },
    /// How long it keeps documents is set.
    Keep,
    /// Documents are restored.
    Restore,
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
    /// The damaged documents.
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

/// An answer for the expiry view of a tab.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ExpiryPurpose {
    /// The soonest documents.
    Expiring,
    /// The density over the axis.
    Density,
    /// How many documents expire in the chosen range.
    Range,
    /// The minute in which most of many documents expire.
    Cliff,
    /// The verdict of each TTL index on the chosen document.
    Verdict,
    /// The trash's copies of the removed documents.
    InTrash {
        /// The newest; else those after the listed ones.
        is_first: bool,
    },
    /// The archive's copies of them.
    InArchive {
        /// The newest; else those after the listed ones.
        is_first: bool,
    },
    /// Why documents never expire.
    Reasons,
    /// The chosen document.
    Document,
    /// A date that was set to now.
    RefreshDate,
}

/// An answer for the indexes of a tab.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum IndexesPurpose {
    /// The list of indexes.
    List,
    /// Sizes and entries.
    Stats,
    /// How often each index was used.
    Uses,
    /// A sample of documents, for the field picker.
    Sample,
    /// The effect of the TTL in the open dialog.
    WhatIf,
    /// Documents by age, for the picture in the open dialog.
    Ages,
    /// A change of an index; what to say when it is done.
    Change(String),
    /// An index of this name is dropped to be created again.
    DropAgain(String),
    /// It is created again.
    CreateAgain(String),
}

/// An answer for the schema of a tab.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SchemaPurpose {
    /// The documents are read.
    Analyze,
    /// Documents that a validator would refuse are counted.
    CountFailing,
    /// The collection gets a validator; what to say when it is done.
    Validate(String),
}

/// An answer about the conversion of a field to dates.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ConvertPurpose {
    /// Fields that look like dates.
    Fields,
    /// Values of the field.
    Sample,
    /// Values before and after.
    Preview,
    /// Values that do not convert.
    Failing,
    /// How many convert.
    Count,
    /// Values of the field on a server, where not all of them are looked at.
    Read,
    /// How many documents of a server may have such a value.
    CountAll,
}

/// An answer about import and export.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TransferPurpose {
    /// The beginning of a file.
    Preview,
    /// Documents past their threshold already.
    Rehearse,
    /// An import.
    Import(OperationId),
    /// The imports that did not reach the end of their files.
    Unfinished {
        /// Whether a dialog shows them if there are any.
        show: bool,
    },
    /// A roll back.
    RollBack(OperationId),
    /// An export.
    Export(OperationId),
    /// Documents of a dump past their threshold already.
    RehearseDump,
    /// An import of a dump.
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
    #[must_use]
    pub fn slow_read(&self) -> Option<(TabId, SlowRead)> {
        Some(match self {
            Self::Expiry(
                tab,
                ExpiryPurpose::Expiring
                | ExpiryPurpose::Density
                | ExpiryPurpose::Range
                | ExpiryPurpose::Cliff
                | ExpiryPurpose::Reasons,
            )
            | Self::Indexes(tab, IndexesPurpose::Sample) => (*tab, SlowRead::OfTab),
            Self::Indexes(tab, IndexesPurpose::WhatIf) => (*tab, SlowRead::WhatIf),
            Self::Indexes(tab, IndexesPurpose::Ages) => (*tab, SlowRead::Ages),
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
            Self::Schema(tab, SchemaPurpose::Analyze) => (*tab, SlowRead::Schema),
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
