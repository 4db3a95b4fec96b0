//! Tabs and views.

use super::Action;
use super::entry::{Entry, Group};
use super::keys::{ctrl, ctrl_shift};
use super::root::TabsAction;
use crate::state::tabs::ViewKind;
use crate::state::view::Focus;

const fn view_entry(label: &'static str, tooltip: &'static str, key: &'static str) -> Entry {
    Entry { group: Group::Tabs, label, tooltip, keys: Some(ctrl(key)), action: |_| None }
}

/// The region's entries.
pub const ENTRIES: &[Entry] = &[
    Entry {
        action: |state| view(state, ViewKind::Documents),
        ..view_entry("Show Documents", "Documents of this collection", "1")
    },
    Entry {
        action: |state| view(state, ViewKind::Schema),
        ..view_entry("Show Schema", "Fields, types and values in this collection", "2")
    },
    Entry {
        action: |state| view(state, ViewKind::Aggregate),
        ..view_entry("Show Aggregate", "Pipelines over this collection", "3")
    },
    Entry {
        action: |state| view(state, ViewKind::Expiry),
        ..view_entry("Show Expiry", "Timeline of expiring documents in this collection", "4")
    },
    Entry {
        action: |state| view(state, ViewKind::Indexes),
        ..view_entry("Show Indexes", "Indexes of this collection", "5")
    },
    Entry {
        group: Group::Tabs,
        label: "Open a collection",
        tooltip: "Open a collection by name",
        keys: Some(ctrl("T")),
        action: |state| state.is_open().then_some(Action::Tabs(TabsAction::Focus(Focus::Search))),
    },
    Entry {
        group: Group::Tabs,
        label: "Close tab",
        tooltip: "Close the current tab",
        keys: Some(ctrl("W")),
        action: |state| Some(Action::Tabs(TabsAction::Close(state.tabs.active()?.id))),
    },
    Entry {
        group: Group::Tabs,
        label: "Reopen closed tab",
        tooltip: "Reopen the last closed tab",
        keys: Some(ctrl_shift("T")),
        action: |state| state.tabs.can_reopen().then_some(Action::Tabs(TabsAction::Reopen)),
    },
    Entry {
        group: Group::Tabs,
        label: "Next tab",
        tooltip: "Go to the tab on the right",
        keys: Some(ctrl("Tab")),
        action: |state| step(state, true),
    },
    Entry {
        group: Group::Tabs,
        label: "Previous tab",
        tooltip: "Go to the tab on the left",
        keys: Some(ctrl_shift("Tab")),
        action: |state| step(state, false),
    },
    Entry {
        group: Group::Documents,
        label: "Go to the filter",
        tooltip: "Focus the filter field",
        keys: Some(ctrl("L")),
        action: |state| state.tabs.active().map(|_| Action::Tabs(TabsAction::Focus(Focus::Filter))),
    },
    Entry {
        group: Group::Documents,
        label: "Find documents",
        tooltip: "Find text in the loaded documents",
        keys: Some(ctrl("F")),
        action: |state| {
            state.tabs.active().filter(|tab| tab.view == ViewKind::Documents)?;
            Some(Action::Tabs(TabsAction::Focus(Focus::Find)))
        },
    },
];

fn view(state: &crate::state::State, view: ViewKind) -> Option<Action> {
    state.tabs.active().map(|_| Action::Tabs(TabsAction::View(view)))
}

fn step(state: &crate::state::State, forward: bool) -> Option<Action> {
    (state.tabs.open().len() > 1).then_some(Action::Tabs(TabsAction::Step { forward }))
}
