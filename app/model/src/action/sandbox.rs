//! Sandboxes: temporary stores on a simulated clock.

use super::entry::{Entry, Group};
use super::store_actions::SandboxAction;
use super::{Action, DialogAction};
use crate::state::sandbox::OpenSandbox;
use crate::state::{Dialog, Namespace, State};

pub const OPEN: Entry = Entry {
    group: Group::Store,
    label: "Open a sandbox on a simulated clock…",
    tooltip: "Open a temporary store in which you control time",
    keys: None,
    action: |_| {
        let dialog = Dialog::OpenSandbox(OpenSandbox::default());
        Some(Action::Dialog(DialogAction::Show(dialog)))
    },
};

/// Leaves the sandbox for the store that was open before.
pub const BACK: Entry = Entry {
    group: Group::Store,
    label: "Back to my store",
    tooltip: "Leave the sandbox and open your store again",
    keys: None,
    action: |state: &State| {
        state.store.request.sandbox.is_some().then_some(Action::Sandbox(SandboxAction::Back))
    },
};

/// Copies the chosen collection.
pub const COPY: Entry = Entry {
    group: Group::Collection,
    label: "Copy this collection into a sandbox",
    tooltip: "Try what time does to a copy; the newest 100,000 documents or 64 MiB",
    keys: None,
    action: |state| {
        let namespace = state.tabs.active().map(|tab| tab.namespace.clone())?;
        copy(namespace, state)
    },
};

/// The copy of a collection; `None` for a view.
pub fn copy(namespace: Namespace, state: &State) -> Option<Action> {
    let is_copied = state.tree.collection(&namespace).is_some_and(|it| it.kind == "collection");
    (is_copied && state.is_open()).then_some(Action::Sandbox(SandboxAction::Copy(namespace)))
}
