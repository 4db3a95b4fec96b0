//! The listener, through which other programs reach the store.

use mayfly_engine::wire::default_socket;

use super::entry::{Entry, Group};
use super::{Action, DialogAction};
use crate::limits::LISTENER_PORT;
use crate::state::listener::ListenerDraft;
use crate::state::{Dialog, State};

pub const SHOW: Entry = Entry {
    group: Group::Store,
    label: "Connect other programs…",
    tooltip: "Accept connections from drivers and shells on this machine",
    keys: None,
    action: |state| {
        let can = state.is_open() && state.store.capabilities.listener;
        can.then(|| dialog(state))
    },
};

/// The region's entries.
pub const ENTRIES: &[Entry] = &[SHOW];

/// Opens the dialog of the listener.
pub fn dialog(state: &State) -> Action {
    let status = state.listener.status();
    let port = status.at.port().filter(|_| status.on).unwrap_or(LISTENER_PORT);
    let folder = state.store.folder.as_deref();
    let socket = folder.map(|folder| default_socket(folder).display().to_string());
    Action::Dialog(DialogAction::Show(Dialog::Listener(ListenerDraft {
        port: port.to_string(),
        socket: socket.unwrap_or_default(),
        ..ListenerDraft::default()
    })))
}
