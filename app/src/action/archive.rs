//! Archives of expired documents.

use bson::Document;
use mayfly_engine::value::shell::write_command;

use super::entry::{Entry, Group};
use super::{Action, DialogAction};
use crate::commands::archive;
use crate::state::dialogs::{Confirm, Tone};
use crate::state::offer::Offer;
use crate::state::{Dialog, Namespace, State};

/// Actions on an archive. All but the first concern the one whose dialog is open.
#[derive(Debug, Clone, PartialEq)]
pub enum ArchiveAction {
    /// Opens the dialog of a collection's archive.
    Open(Namespace),
    /// Queries the archive whose waiting dialog has opened.
    Begin(Namespace),
    /// Switches it on, or changes what was chosen, with this command.
    On(Document),
    /// Switches that of this collection off. What was archived stays.
    Off(Namespace),
    /// Lists the documents that match this filter, or all.
    List(Option<Document>),
    More,
    Show(usize),
    /// Chooses a row, or does so no longer.
    Choose(usize, bool),
    /// Puts the chosen documents back; those that would expire at once are asked about.
    Restore,
    /// Puts those back that would expire at once.
    RestoreExpiring {
        /// With the present time in the field that the TTL index reads; else as they are.
        with_date_now: bool,
    },
}

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
