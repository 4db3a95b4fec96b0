//! Actions that the open store can't carry out, with the reasons.

use super::{
    Action, DocumentsAction, Entry, IndexesAction, SandboxAction, StoreAction, TransferAction,
    documents, listener, maintenance, reaper, transfer,
};
use crate::job::bulk::BulkChange;
use crate::state::connect::Connection;
use crate::state::dialogs::{Confirm, Tone, TypedName};
use crate::state::offer::Offer;
use crate::state::{Dialog, Namespace, State, number, transfer as files};

impl Entry {
    /// Its action now, if it can be done now and in the store that is open.
    pub fn now(&self, state: &State) -> Option<Action> {
        (self.action)(state).filter(|action| refusal(action, state).is_none())
    }

    /// Whether it can be done now.
    pub fn is_enabled(&self, state: &State) -> bool {
        self.now(state).is_some()
    }
}

const REAPER: &str =
    "The server runs its own TTL monitor; Mayfly can't run or schedule passes on it";

const ARCHIVES: &str = "A server keeps no copy of what its TTL monitor removes";

const SANDBOXES: &str = "Copy a collection of a server with Copy to a store…";

const DIALECTS: &str = "A server follows its own rules of expiration";

const LISTENER: &str = "Other programs connect to the server itself";

const MAINTENANCE: &str =
    "Back up and maintain a server with its own tools; Mayfly does that for its own stores";

const FROM_SERVER: &str =
    "Copying from one server to another is not supported; copy to a store, then to the server";

const DAMAGED: &str = "A server finds its damaged documents itself";

/// Why an entry can't be used because the open store is a server.
pub fn absent(entry: &Entry, state: &State) -> Option<&'static str> {
    let can = &state.store.capabilities;
    state.store.connection.as_ref()?;
    let is_among = |entries: &[Entry]| entries.iter().any(|other| other.label == entry.label);
    if entry.label == documents::DAMAGED.label && !can.maintenance {
        return Some(DAMAGED);
    }
    [
        (reaper::ENTRIES, can.reaper, REAPER),
        (listener::ENTRIES, can.listener, LISTENER),
        (maintenance::ENTRIES, can.maintenance, MAINTENANCE),
        (&[transfer::COPY_TO_SERVER], false, FROM_SERVER),
    ]
    .into_iter()
    .find_map(|(entries, can, why)| (!can && is_among(entries)).then_some(why))
}

/// Why an action can't be carried out here, in one sentence.
pub fn refusal(action: &Action, state: &State) -> Option<&'static str> {
    let connection = state.store.connection.as_ref().filter(|_| state.is_open());
    connection?;
    let can = &state.store.capabilities;
    match action {
        Action::Reaper(_) if !can.reaper => Some(REAPER),
        Action::Trash(_) if !can.archives => Some(ARCHIVES),
        Action::Listener(_) if !can.listener => Some(LISTENER),
        Action::Maintenance(_) if !can.maintenance => Some(MAINTENANCE),
        Action::Sandbox(SandboxAction::Copy(_) | SandboxAction::CopyNow(_)) if !can.sandboxes => {
            Some(SANDBOXES)
        }
        Action::Store(StoreAction::SetDialect(..)) if !can.dialects => Some(DIALECTS),
        Action::Documents(_, DocumentsAction::ShowDamaged) if !can.maintenance => Some(DAMAGED),
        _ => None,
    }
}

/// Everything that the attached server can't do, one sentence each.
pub fn sentences(state: &State) -> Vec<&'static str> {
    if state.store.connection.is_none() || !state.is_open() {
        return Vec::new();
    }
    let can = &state.store.capabilities;
    [
        (can.reaper, REAPER),
        (can.archives, ARCHIVES),
        (can.listener, LISTENER),
        (can.maintenance, MAINTENANCE),
        (can.sandboxes, SANDBOXES),
        (can.dialects, DIALECTS),
    ]
    .into_iter()
    .filter_map(|(can, why)| (!can).then_some(why))
    .collect()
}

/// The question before a change of a server that others depend on: the name of the collection must be
/// typed.
pub fn production_question(action: &Action, state: &State) -> Option<Dialog> {
    let connection = state.store.connection.as_ref().filter(|_| state.is_open())?;
    // A locked one refuses the change anyway.
    let is_open = !connection.is_locked(state.uptime) && !connection.is_named;
    let is_asked = connection.attached.mark.is_production && is_open;
    if let Action::Transfer(TransferAction::StartImport) = action {
        let Some(Dialog::Transfer(files::Dialog::Import(draft))) = state.dialogs.open() else {
            return None;
        };
        let asked = is_asked && draft.request().is_ok();
        let what = "This writes documents into";
        return asked.then(|| question(&draft.target(), Offer::StartImport, what, connection));
    }
    if let Action::Transfer(TransferAction::StartDump) = action {
        let Some(Dialog::Transfer(files::Dialog::Dump(draft))) = state.dialogs.open() else {
            return None;
        };
        let request = draft.request().ok().filter(|_| is_asked)?;
        let first = &request.choices.first()?.into;
        let count = number::counted(request.choices.len() as u64, "collection", "collections");
        let what = format!("This writes documents into {count} of");
        return Some(question_of((&first.db, &first.db), Offer::StartDump, &what, connection));
    }
    let (tab, offer, what) = match action {
        Action::Indexes(tab, IndexesAction::Send) => {
            (tab, Offer::SendIndex(*tab), "This changes the indexes of")
        }
        Action::Indexes(tab, IndexesAction::Recreate(index)) => {
            (tab, Offer::Recreate(*tab, index.clone()), "This drops an index of")
        }
        Action::Indexes(tab, IndexesAction::StartRollout) => {
            (tab, Offer::StartRollout(*tab), "This starts a rollout on")
        }
        Action::Documents(tab, DocumentsAction::Change(change))
            if matches!(**change, BulkChange::Delete(_)) =>
        {
            (tab, Offer::ChangeMany(*tab, change.clone()), "This deletes documents of")
        }
        _ => return None,
    };
    let namespace = &state.tabs.get(*tab).filter(|_| is_asked)?.namespace;
    Some(question(namespace, offer, what, connection))
}

fn question(namespace: &Namespace, offer: Offer, what: &str, connection: &Connection) -> Dialog {
    question_of((&namespace.to_string(), &namespace.collection), offer, what, connection)
}

/// The question about something with a name and the part of it that must be typed.
fn question_of(
    (shown, typed): (&str, &str),
    offer: Offer,
    what: &str,
    connection: &Connection,
) -> Dialog {
    let server = &connection.attached.name;
    let text = format!("{what} {shown} on {server}, which is marked as production.");
    let name = Some(TypedName { name: typed.to_owned(), typed: String::new() });
    Dialog::Confirm(Confirm {
        title: "Change a production server?".to_owned(),
        text,
        command: None,
        button: "Change it".to_owned(),
        tone: Tone::Danger,
        offer,
        name,
    })
}
