//! The documents of a tab.

use super::Action;
use super::entry::{Entry, Group};
use super::keys::{ctrl, ctrl_shift, key};
use super::view_actions::DocumentsAction;
use crate::state::documents::{CopyForm, DocumentsView, Mode, QueryText};
use crate::state::tabs::ViewKind;
use crate::state::{State, Tab};

/// The tab that shows documents.
fn shown(state: &State) -> Option<&Tab> {
    state.tabs.active().filter(|tab| state.is_open() && tab.view == ViewKind::Documents)
}

fn when(
    state: &State,
    possible: impl FnOnce(&DocumentsView) -> bool,
    action: DocumentsAction,
) -> Option<Action> {
    let tab = shown(state).filter(|tab| possible(&tab.documents))?;
    Some(Action::Documents(tab.id, action))
}

fn mode(state: &State, mode: Mode) -> Option<Action> {
    when(state, |view| view.mode != mode, DocumentsAction::SetMode(mode))
}

fn copy(state: &State, form: CopyForm) -> Option<Action> {
    when(state, |view| !view.selected.is_empty(), DocumentsAction::Copy(form))
}

pub const ADD: Entry = Entry {
    group: Group::Documents,
    label: "Add document…",
    tooltip: "Insert a document, or several as an array",
    keys: Some(ctrl("N")),
    // In every view of a collection: the dialog covers all of them.
    action: |state| {
        let tab = state.tabs.active().filter(|_| state.is_open())?;
        Some(Action::Documents(tab.id, DocumentsAction::Add))
    },
};

/// Adds documents from the clipboard.
pub const PASTE: Entry = Entry {
    group: Group::Documents,
    label: "Paste documents…",
    tooltip: "Insert documents from the clipboard: JSON, NDJSON or mongosh literals",
    keys: None,
    action: |state| {
        let tab = state.tabs.active().filter(|_| state.is_open())?;
        Some(Action::Documents(tab.id, DocumentsAction::Paste(None)))
    },
};

/// Lists damaged documents.
pub const DAMAGED: Entry =
    entry("Damaged documents…", "List damaged documents and remove them", |state| {
        when(state, |_| true, DocumentsAction::ShowDamaged)
    });

const fn entry(
    label: &'static str,
    tooltip: &'static str,
    action: fn(&State) -> Option<Action>,
) -> Entry {
    Entry { group: Group::Documents, label, tooltip, keys: None, action }
}

/// The region's entries.
pub const ENTRIES: &[Entry] = &[
    ADD,
    PASTE,
    Entry {
        keys: Some(key("F5")),
        ..entry("Run the filter", "Show matching documents", |state| {
            when(state, |_| true, DocumentsAction::Run)
        })
    },
    entry("Reset the filter", "Show all documents", |state| {
        when(state, |view| view.text != QueryText::default(), DocumentsAction::Reset)
    }),
    Entry {
        keys: Some(key("F2")),
        ..entry("Show as cards", "Show each document as a card", |state| mode(state, Mode::Cards))
    },
    Entry {
        keys: Some(key("F3")),
        ..entry("Show as JSON", "Show each document as JSON text", |state| mode(state, Mode::Json))
    },
    Entry {
        keys: Some(key("F4")),
        ..entry("Show as a table", "Show one column per field", |state| mode(state, Mode::Table))
    },
    entry("Fold all", "Fold arrays and nested documents in JSON", |state| {
        when(state, |view| view.mode == Mode::Json, DocumentsAction::FoldAll(true))
    }),
    entry("Unfold all", "Open arrays and nested documents in JSON", |state| {
        when(state, |view| view.mode == Mode::Json, DocumentsAction::FoldAll(false))
    }),
    Entry {
        keys: Some(ctrl("A")),
        ..entry("Select all documents", "Select all documents that match the filter", |state| {
            when(state, |view| !view.pages.is_empty(), DocumentsAction::SelectAll)
        })
    },
    Entry {
        keys: Some(key("Enter")),
        ..entry("Edit document…", "Edit the selected document as text", |state| {
            let id = shown(state)?.documents.focus.as_ref()?.id.clone();
            when(state, |view| !view.lacks_focused(), DocumentsAction::Edit(id))
        })
    },
    entry("Clone document…", "Insert a copy of the selected document", |state| {
        let id = shown(state)?.documents.focus.as_ref()?.id.clone();
        when(state, |_| true, DocumentsAction::Clone(id))
    }),
    entry("Compare documents…", "Show two selected documents side by side", |state| {
        let ids = shown(state)?.documents.selected_pair()?;
        when(state, |_| true, DocumentsAction::Compare(Box::new(ids)))
    }),
    entry("Delete selected documents…", "Delete the selected documents", |state| {
        when(state, |view| !view.selected.is_empty(), DocumentsAction::AskDeleteSelected)
    }),
    entry("Update selected documents…", "Change fields of the selected documents", |state| {
        when(state, |view| !view.selected.is_empty(), DocumentsAction::AskUpdateSelected)
    }),
    entry("Copy selected documents to…", "Copy them to another collection or store", |state| {
        when(state, |view| !view.selected.is_empty(), DocumentsAction::AskCopySelected)
    }),
    entry("Copy as table text", "Copy the selected documents for a spreadsheet", |state| {
        copy(state, CopyForm::Table)
    }),
    entry("Copy as Extended JSON", "Copy the selected documents as JSON", |state| {
        copy(state, CopyForm::Json)
    }),
    entry("Copy as mongosh literals", "Copy the selected documents as in mongosh", |state| {
        copy(state, CopyForm::Shell)
    }),
    entry("Copy as CSV", "Copy the selected documents as CSV with a header row", |state| {
        copy(state, CopyForm::Csv)
    }),
    DAMAGED,
    Entry {
        keys: Some(ctrl("S")),
        ..entry("Save the edit", "Save the value you are editing", |state| {
            let drafts = &state.drafts.tabs;
            let typing =
                |tab: &Tab| drafts.get(&tab.id).is_some_and(|it| it.documents.field.is_some());
            shown(state).filter(|tab| typing(tab))?;
            when(state, |_| true, DocumentsAction::SaveField)
        })
    },
    Entry {
        keys: Some(ctrl("Z")),
        ..entry("Undo", "Undo the last edit or deletion", |state| {
            when(state, |view| view.undo.can_undo(), DocumentsAction::Undo)
        })
    },
    Entry {
        keys: Some(ctrl_shift("Z")),
        ..entry("Redo", "Redo the last undone change", |state| {
            when(state, |view| view.undo.can_redo(), DocumentsAction::Redo)
        })
    },
];
