//! Servers: attached, locked, unlocked.

use super::entry::{Entry, Group};
use super::store_actions::ConnectAction;
use super::{Action, DialogAction};
use crate::job::ConnectionString;
use crate::state::connect::ConnectDraft;
use crate::state::dialogs::{Confirm, Tone};
use crate::state::offer::Offer;
use crate::state::{Dialog, State};

/// Opens the dialog that attaches to a server.
pub const CONNECT: Entry = Entry {
    group: Group::Store,
    label: "Connect to a server…",
    tooltip: "Open MongoDB, Atlas, Azure DocumentDB, Cosmos DB or FerretDB in this window",
    keys: None,
    action: |_| {
        let dialog = Dialog::Connect(Box::default());
        Some(Action::Dialog(DialogAction::Show(dialog)))
    },
};

/// Lets changes be sent to the server.
pub const UNLOCK: Entry = Entry {
    group: Group::Store,
    label: "Unlock this connection…",
    tooltip: "Allow changes on this server; it locks itself after 15 minutes without one",
    keys: None,
    action: |state| {
        is_locked(state).filter(|locked| *locked).map(|_| Action::Connect(ConnectAction::AskUnlock))
    },
};

/// Sends no changes to the server.
pub const LOCK: Entry = Entry {
    group: Group::Store,
    label: "Lock this connection",
    tooltip: "Send no changes to this server",
    keys: None,
    action: |state| {
        is_locked(state).filter(|locked| !locked).map(|_| Action::Connect(ConnectAction::Lock))
    },
};

/// Shows what the server is.
pub const SERVER: Entry = Entry {
    group: Group::Store,
    label: "About this server…",
    tooltip: "Version, members, TTL monitor, and what it can't do",
    keys: None,
    action: |state| is_locked(state).map(|_| Action::Connect(ConnectAction::ShowServer)),
};

/// Removes the server's password from the keyring.
pub const FORGET: Entry = Entry {
    group: Group::Store,
    label: "Forget the password of this server",
    tooltip: "Remove it from the system's keyring; you enter it the next time you connect",
    keys: None,
    action: |state| {
        let connection = state.store.connection.as_ref().filter(|_| state.is_open())?;
        let string = ConnectionString::read(&connection.attached.address).ok()?;
        let key = string.secret_key()?;
        let is_kept = state.settings.stores.secret_keys().contains(&key);
        is_kept.then_some(Action::Connect(ConnectAction::ForgetPassword(key)))
    },
};

/// The region's entries.
pub const ENTRIES: &[Entry] = &[CONNECT, UNLOCK, LOCK, SERVER, FORGET];

/// Whether the attached server is locked. `None` if none is attached.
fn is_locked(state: &State) -> Option<bool> {
    let connection = state.store.connection.as_ref().filter(|_| state.is_open())?;
    Some(connection.is_locked(state.uptime))
}

/// The dialog for a server that was attached before.
pub fn again(draft: ConnectDraft) -> Dialog {
    Dialog::Connect(Box::new(draft))
}

/// The question before changes are sent.
pub fn unlock_question(name: &str, is_production: bool) -> Dialog {
    let marked = if is_production { " It is marked as production." } else { "" };
    Dialog::Confirm(Confirm {
        title: "Allow changes on this server?".to_owned(),
        text: format!(
            "Changes in this window are then made on {name}.{marked} The connection locks itself \
             after 15 minutes without a change."
        ),
        command: None,
        button: "Unlock".to_owned(),
        tone: if is_production { Tone::Danger } else { Tone::Amber },
        offer: Offer::Unlock,
        name: None,
    })
}
