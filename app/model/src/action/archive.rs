//! Archives of removed documents.

use mayfly_engine::value::shell::write_command;

use super::{Action, DialogAction};
use crate::commands::archive;
use crate::state::dialogs::{Confirm, Tone};
use crate::state::offer::Offer;
use crate::state::{Dialog, Namespace};

/// Asks whether to turn off the archive of a collection. `shown` is its name without control
/// characters.
pub fn ask_off(of: &Namespace, shown: &str) -> Action {
    let text = "Documents that are removed from now on are deleted permanently when their time in the \
                trash is up. Archived documents are kept.";
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
