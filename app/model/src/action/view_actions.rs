//! Actions of the views of a collection.

use std::path::PathBuf;

use bson::{Bson, Document};

use crate::inspect::schema::Path;
use crate::job::Namespace;
use crate::job::bulk::BulkChange;
use crate::job::field_task::FieldTask;
use crate::job::number_draft::NumberDraft;
use crate::state::aggregate::chart::ChartFields;
use crate::state::aggregate::{ResultsMode, Shown};
use crate::state::code::Language;
use crate::state::documents::{CopyForm, Mode, QueryText};
use crate::state::expiry::{self, Brush, Lane, Pick};
use crate::state::queries::KnownQuery;

/// Actions of the Aggregate view.
#[derive(Debug, Clone, PartialEq)]
pub enum AggregateAction {
    /// Runs the pipeline as it is typed.
    Run,
    /// Something was changed: runs the pipeline, unless it waits for *Run*.
    Changed,
    Stop,
    Add(&'static str),
    /// Adds a stage before that of a card.
    AddBefore(u64),
    /// Adds a copy of a stage after it.
    Duplicate(u64),
    Remove(u64),
    /// Moves a stage to a gap between the others.
    Move {
        card: u64,
        /// The gap: 0 is before the first stage.
        gap: usize,
    },
    Choose {
        card: u64,
        stage: &'static str,
    },
    /// Turns a stage off, or on again.
    SetOff {
        card: u64,
        is_off: bool,
    },
    Clear,
    /// Shows the whole as text, or the stages as cards.
    SetText(bool),
    /// Whether the pipeline waits for *Run* after a change.
    SetWaits(bool),
    /// Shows the results, or the documents after a stage.
    Show(Shown),
    SetMode(ResultsMode),
    SetChart(ChartFields),
    More,
    /// Opens the dialog that keeps the pipeline by name.
    OpenSave,
    Save(String),
    /// Takes a kept pipeline in place of this one.
    OpenKept {
        /// The collection that it was made for.
        namespace: Namespace,
        name: String,
    },
    DeleteKept {
        /// The collection that it was made for.
        namespace: Namespace,
        name: String,
    },
    /// Copies the pipeline as typed in mongosh.
    Copy,
    /// Opens the dialog that writes the results to a file.
    Export,
    /// Opens the dialog that creates a view.
    OpenCreateView,
    /// Creates the view of the open dialog.
    CreateView,
    /// Opens the dialog that writes the results.
    OpenWrite,
    /// Writes the results as the open dialog says.
    Write,
}

/// Actions of the Expiry view.
#[derive(Debug, Clone, PartialEq)]
pub enum ExpiryAction {
    Refresh,
    /// Reloads the density, because the axis or the time moved on.
    RefreshDensity,
    /// Counts why documents never expire.
    CountReasons,
    /// Shows the documents of one TTL index, or of all.
    ChooseIndex(Option<String>),
    /// Shows the timeline, the table or the ledger.
    Show(expiry::Mode),
    /// Shows twice or half the span.
    ZoomStep {
        /// Twice the span, else half of it.
        further_out: bool,
    },
    /// Multiplies the span around a place on the axis.
    Zoom {
        /// Below 1 shows less time.
        factor: f64,
        /// The place that keeps its instant, as a fraction of the width.
        anchor: f64,
    },
    /// Moves the axis by a fraction of its width; positive shows later times.
    Pan(f64),
    /// Chooses the documents that expire in a range, or all again.
    Brush(Option<Brush>),
    /// Lists the documents of the chosen range.
    ListRange,
    /// Shows documents as if a TTL index did not exist, or with it again.
    HideIndex {
        name: String,
        hidden: bool,
    },
    /// Shows the documents of the range in the Documents view.
    FilterBrush,
    /// Shows the time between two instants, in milliseconds since 1970.
    ShowRange(i64, i64),
    Follow,
    /// Chooses a span in which the next documents are on screen.
    Fit,
    /// Chooses a document by its `_id`.
    Select(Option<Bson>),
    /// Chooses a document that was removed then, in milliseconds since 1970.
    SelectRemoved(Bson, i64),
    /// Keeps the rows in their places while the pointer is over them.
    Hold(bool),
    /// Opens the strip that shows what another TTL would remove.
    WhatIf,
    /// Tries another TTL in the strip.
    TryTtl(NumberDraft),
    /// Counts what the TTL in the strip would remove.
    CountWhatIf,
    /// Opens the dialog that changes the TTL to the one in the strip.
    ApplyWhatIf,
    CloseWhatIf,
    /// Opens the dialog that creates a TTL index.
    CreateIndex,
    /// Sets the date of a document to now, as a heartbeat does.
    RefreshDate(Bson),
    /// Shows a document in the Documents view.
    ShowDocument(Bson),
    /// Shows the documents that never expire for this reason.
    FilterNever(String),
    /// Shows the documents that wait for their threshold, or those that are past it.
    FilterPhase {
        overdue: bool,
    },
    /// Copies what was removed as NDJSON.
    CopyLedger,
    /// Opens the dialog that writes what was removed to a file.
    SaveLedger,
    /// Chooses a removed document: its `_id`, when it was removed in milliseconds since 1970, and
    /// whether others stay chosen.
    Pick(Bson, i64, Pick),
    /// Chooses all removed documents that can be restored.
    PickRestorable,
    RestorePicked,
}

impl ExpiryAction {
    /// Selects the document of a lane, or the tombstone of a removed one.
    pub fn select(lane: &Lane) -> Self {
        let id = lane.id.clone();
        match lane.removed_ms {
            Some(at_ms) => Self::SelectRemoved(id, at_ms),
            None => Self::Select(Some(id)),
        }
    }
}

/// Actions on the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExplainAction {
    /// Explains the query, or the pipeline, of the view that is shown.
    Explain,
    /// Shows the documents or the results again.
    Close,
    /// Shows the reply in place of the picture, where there is no room for both.
    ShowReply(bool),
    /// Opens the dialog that creates the index that would help.
    CreateIndex,
}

/// Actions of the Indexes view.
#[derive(Debug, Clone, PartialEq)]
pub enum IndexesAction {
    Refresh,
    Select(Option<String>),
    /// Opens the dialog that creates an index.
    OpenCreate,
    /// The same for a TTL on this field.
    OpenCreateTtl(String),
    /// Opens the dialog that changes the TTL of an index, or gives it one.
    OpenChangeTtl(String),
    /// Opens the dialog that drops an index.
    OpenDrop(String),
    /// Hides an index from queries, or shows it again.
    Hide {
        name: String,
        hidden: bool,
    },
    /// The open dialog was changed: queries what its TTL would remove.
    AskWhatIf,
    /// Sends the command of the open dialog.
    Send,
    /// Asks whether the index of the open dialog is to be dropped and created again.
    AskRecreate,
    /// Drops an index and creates it again with this definition.
    Recreate(Box<Document>),
    /// Plans the TTL of the open dialog as a rollout in steps.
    PlanRollout,
    StartRollout,
}

/// Actions of the Schema view.
#[derive(Debug, Clone, PartialEq)]
pub enum SchemaAction {
    Analyze,
    Stop,
    /// Shows a path in the inspector.
    Select(Option<Path>),
    /// Lists every candidate for a TTL, or only the first.
    ListCandidates(bool),
    /// Opens or closes a path with inner ones.
    Fold(Path),
    Narrow(Document),
    ClearFilter,
    /// Shows the schema as a JSON Schema.
    OpenJson,
    /// Opens the dialog that makes a validator of it.
    OpenValidator,
    /// The open dialog was changed: counts the documents that its validator would refuse.
    CountFailing,
    /// Sends the command of the open dialog.
    SetValidator,
}

/// Actions on conversions.
#[derive(Debug, Clone, PartialEq)]
pub enum ConvertAction {
    /// Opens the dialog on a field of a collection.
    Open {
        namespace: Namespace,
        /// The field, with dots. Empty if the user is to enter it.
        path: String,
    },
    /// The field in the dialog changed: reads a sample of its values.
    Sample,
    /// Another choice in the dialog changed: previews and counts again.
    Look,
    Start,
}

/// The decisions about an operation that was cut short. Each names its journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CutAction {
    Continue(PathBuf),
    TakeBack(PathBuf),
    /// Forgets it; what it did stays.
    Forget(PathBuf),
}

/// Actions of the Documents view.
#[derive(Debug, Clone, PartialEq)]
pub enum DocumentsAction {
    Refresh,
    Run,
    /// Runs this filter with the options that are typed.
    RunFilter(String),
    /// Runs this query in place of the one that is typed.
    RunQuery(Box<QueryText>),
    /// Runs a query of another collection there.
    OpenQuery(Box<KnownQuery>),
    /// Keeps the query that is typed under a name.
    KeepQuery(String),
    ForgetQuery(Box<KnownQuery>),
    /// Copies the query that is typed as code.
    CopyAs(Language),
    Stop,
    Reset,
    /// These rows are on the screen, from the first to before the second.
    Want(u64, u64),
    /// Shows cards, JSON or a table.
    SetMode(Mode),
    /// Selects the document in a row.
    Select {
        row: u64,
        id: Bson,
        how: How,
    },
    /// Goes to a row with the keyboard.
    Go {
        row: u64,
        /// Whether every row from the selected one to it is selected, or it alone.
        extends: bool,
    },
    /// Folds every array and document in the list of JSON, or opens them.
    FoldAll(bool),
    SelectAll,
    Copy(CopyForm),
    SelectNothing,
    /// Sorts by a field: up, then down, then as stored.
    Sort(String),
    /// Sorts by a path upwards (`true`) or downwards, or as stored.
    SortBy(String, Option<bool>),
    /// Shows only documents that match this too.
    Narrow(Document),
    /// Hides a column of the table, or shows it again.
    SetHidden {
        field: String,
        hidden: bool,
    },
    /// Gives each subfield its own column, or shows them as one column again.
    SetExpanded {
        field: String,
        expanded: bool,
    },
    /// Opens the editor for a new document.
    Add,
    /// Opens the editor for documents from the clipboard: with this text, or with what the
    /// clipboard holds.
    Paste(Option<String>),
    /// Opens a document in the editor.
    Edit(Bson),
    /// Opens a copy of a document in the editor.
    Clone(Bson),
    SaveEditor,
    /// Opens the store's version of a document in the editor in place of what was typed.
    TakeTheirs,
    /// Does something with one field of a document.
    Field {
        id: Bson,
        task: FieldTask,
    },
    Compare(Box<[Bson; 2]>),
    /// Saves the value that is under edit.
    SaveField,
    /// Asks whether to delete this document, in its own row.
    AskDelete(Bson),
    AskDeleteSelected,
    AskUpdateSelected,
    AskCopySelected,
    Change(Box<BulkChange>),
    KeepDocument,
    Delete(Bson),
    ShowDamaged,
    /// Removes the damaged documents that are listed.
    RemoveDamaged,
    /// Takes the last change back.
    Undo,
    /// Makes the change again that was taken back.
    Redo,
    /// Gives up the change that could not be taken back, so that the ones before it can.
    SkipUndo,
    /// Gives up the change that could not be made again, so that the ones after it can.
    SkipRedo,
}

/// The effect on the rest of the selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    Only,
    /// It stays; the document is added or taken out.
    Toggle,
    /// Everything from the document selected before.
    Range,
}
