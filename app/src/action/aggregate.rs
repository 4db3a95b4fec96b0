//! The pipeline of a tab.

use egui::Key;

use super::Action;
use super::entry::{Entry, Group, ctrl};
use crate::state::aggregate::chart::ChartFields;
use crate::state::aggregate::{ResultsMode, Shown};
use crate::state::tabs::ViewKind;
use crate::state::{Namespace, State, Tab};

/// Actions of the view.
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

/// The tab that shows a pipeline.
fn shown(state: &State) -> Option<&Tab> {
    state.tabs.active().filter(|tab| state.is_open() && tab.view == ViewKind::Aggregate)
}

fn on(state: &State, action: AggregateAction) -> Option<Action> {
    shown(state).map(|tab| Action::Aggregate(tab.id, action))
}

const fn entry(label: &'static str, tooltip: &'static str) -> Entry {
    Entry { group: Group::Documents, label, tooltip, keys: None, action: |_| None }
}

/// The region's entries.
pub const ENTRIES: &[Entry] = &[
    Entry {
        keys: ctrl(Key::Enter),
        action: |state| on(state, AggregateAction::Run),
        ..entry("Run the pipeline", "Run the pipeline and count the documents after each stage")
    },
    Entry {
        action: |state| on(state, AggregateAction::OpenSave),
        ..entry("Save the pipeline…", "Keep the pipeline by name")
    },
    Entry {
        action: |state| on(state, AggregateAction::OpenCreateView),
        ..entry("Create a view of the pipeline…", "Create a view of the results of the pipeline")
    },
];
