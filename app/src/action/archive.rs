//! Archives of expired documents.

use mayfly_engine::value::shell::write_command;

use super::entry::{Entry, Group};
use super::store_actions::ArchiveAction;
use super::{Action, DialogAction};
use crate::commands::archive;
use crate::state::dialogs::{Confirm, Tone};
use crate::state::offer::Offer;
use crate::state::{Dialog, Namespace, State};

/// Asks whether to turn off the archive of a collection. `shown` is its name without control
/// characters.
pub fn ask_off(of: &Namespace, shown: &str) -> Action {
    let text = "Starting with the next pass, expired documents are deleted permanently. Archived \
                documents are kept.";
    Action::Dialog(DialogAction::ShowBefore(Dialog::Confirm(Confirm {
        title: format!("Turn off archiving for {shown}?"),
        text: text.to_owned(),
        command: Some(write_command(&of.db, &archive::turn_off(&of.collection))),
        button: "Turn off".to_owned(),
        tone: Tone::Danger,
        offer: Offer::StopArchiving(of.clone()),
        name: None,
    })))
}

/// Shows the archive of the shown collection.
pub const SHOW: Entry = Entry {
    group: Group::Collection,
    label: "Archive of expired documents…",
    tooltip: "Keep, browse and restore expired documents",
    keys: None,
    action: |state: &State| {
        let tab = state.tabs.active().filter(|_| state.is_open())?;
        Some(Action::Archive(ArchiveAction::Open(tab.namespace.clone())))
    },
};

/// The region's entries.
pub const ENTRIES: &[Entry] = &[SHOW];
