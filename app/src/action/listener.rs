//! The listener, through which other programs reach the store.

use bson::{Document, doc};

use super::entry::{Entry, Group};
use super::{Action, DialogAction};
use crate::limits::LISTENER_PORT;
use crate::state::{Dialog, State};

/// What can be asked of the listener.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListenerAction {
    /// Lets other programs in, at this port; 0: any free one.
    On {
        /// The port.
        port: u16,
    },
    /// Lets nobody in any more and ends every connection.
    Off,
}

impl ListenerAction {
    /// The command that does it, on `admin`.
    #[must_use]
    pub fn command(&self) -> Document {
        match self {
            Self::On { port } => {
                doc! { "mayflyListen": 1, "on": true, "port": i32::from(*port) }
            }
            Self::Off => doc! { "mayflyListen": 1, "on": false },
        }
    }
}

/// Shows the listener.
pub const SHOW: Entry = Entry {
    group: Group::Store,
    label: "Connect other programs…",
    tooltip: "Let drivers and shells on this machine reach the store: port, address, who is connected",
    keys: None,
    action: |state| {
        let can = state.is_open() && state.store.capabilities.listener;
        can.then(|| dialog(state))
    },
};

/// The region's entries.
pub const ENTRIES: &[Entry] = &[SHOW];

/// Opens the dialog of the listener.
#[must_use]
pub fn dialog(state: &State) -> Action {
    let listening = Some(state.listener.status()).filter(|status| status.on);
    let port = listening.map_or(LISTENER_PORT, |status| status.port).to_string();
    Action::Dialog(DialogAction::Show(Dialog::Listener { port }))
}
