//! Removed documents that can be restored: those in the trash, and those moved to an archive.

use mayfly_engine::value::shell::write_command;

use super::entry::{Entry, Group};
use super::store_actions::TrashAction;
use super::{Action, DialogAction};
use crate::commands::{archive, trash};
use crate::job::TrashScope;
use crate::state::dialogs::{Confirm, Tone};
use crate::state::offer::Offer;
use crate::state::{Dialog, Namespace, State, number};

pub const SHOW: Entry = Entry {
    group: Group::Store,
    label: "Recently removed…",
    tooltip: "Restore removed documents, and set how long they are kept and where they go then",
    keys: None,
    action: |state: &State| state.is_open().then_some(Action::Trash(TrashAction::Open(None))),
};

/// The region's entries.
pub const ENTRIES: &[Entry] = &[SHOW];

/// Asks whether to turn off the archive of a collection. `shown` is its name without control
/// characters.
pub fn ask_archive_off(of: &Namespace, shown: &str) -> Action {
    let command = archive::turn_off(&of.collection);
    let text = "Documents that are removed from now on are deleted permanently when their time in the \
                trash is up. Archived documents are kept.";
    ask(
        (format!("Turn off archiving for {shown}?"), text.to_owned(), "Turn off".to_owned()),
        write_command(&of.db, &command),
        Offer::SetArchive(of.clone(), Box::new(command)),
    )
}

/// Asks whether to discard the documents that wait for an archive which the store doesn't know.
/// `documents` of all collections do.
pub fn ask_discard(scope: TrashScope, documents: u64) -> Action {
    let counted = number::counted(documents, "document", "documents");
    let from = scope.of.as_ref().map(|of| format!(" Only those of {of} are discarded."));
    let text = format!(
        "{counted} can't be moved, because the store doesn't know the archive they wait for. Discarding \
         deletes them permanently.{}",
        from.unwrap_or_default()
    );
    let command = write_command(&scope.home().0, &trash::discard(&scope));
    let title = "Discard documents that no archive takes?".to_owned();
    ask((title, text, "Discard".to_owned()), command, Offer::DiscardTrash(scope))
}

fn ask((title, text, button): (String, String, String), command: String, offer: Offer) -> Action {
    Action::Dialog(DialogAction::ShowBefore(Dialog::Confirm(Confirm {
        title,
        text,
        command: Some(command),
        button,
        tone: Tone::Danger,
        offer,
        name: None,
    })))
}
