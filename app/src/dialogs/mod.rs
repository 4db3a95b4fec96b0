//! The dialogs, one file each.
//!
//! A dialog is `fn ui(context: &Context, draft: &mut …, state: &State, actions: &mut Actions)`.
//! The draft keeps the user's input; the button pushes an action. Every dialog that writes
//! shows the command before it is sent.

pub mod aggregate;
pub mod archive;
pub mod calendar;
pub mod confirm;
pub mod connect;
mod connect_tls;
pub mod convert;
pub mod create;
pub mod documents;
pub mod drop;
pub mod duplicate;
pub mod guide;
pub mod handout;
pub mod help;
pub mod indexes;
pub mod listener;
pub mod maintenance;
pub mod open_folder;
pub mod open_lesson;
pub mod rename;
pub mod sandbox;
pub mod save_lesson;
pub mod schema;
pub mod server;
pub mod settings;
pub mod shortcuts;
pub mod statistics;
pub mod transfer;
pub mod trash;
mod whole_path;

use egui::{Context, Ui};

use crate::action::{self, Action, Actions, DialogAction};
use crate::guide::section as guide_section;
use crate::state::{Dialog, State};
use crate::theme::{colors, text};
use crate::widgets::{Button, modal};

/// Draws the open dialog. At the left of its buttons is the link to its section of the guide.
pub fn ui(context: &Context, dialog: &mut Dialog, state: &State, actions: &mut Actions) {
    let topic = dialog.topic();
    let title = topic.and_then(|topic| guide_section(topic.place()));
    modal::set_link(context, title.map(|section| section.title.as_str()));
    dialog_ui(context, dialog, state, actions);
    if let Some(topic) = topic.filter(|_| modal::take_link(context)) {
        actions.push(action::help::learn(topic));
    }
}

fn dialog_ui(context: &Context, dialog: &mut Dialog, state: &State, actions: &mut Actions) {
    match dialog {
        Dialog::Settings(draft) => settings::ui(context, draft, state, actions),
        Dialog::Shortcuts => shortcuts::ui(context, actions),
        Dialog::Help(page) => help::ui(context, *page, state, actions),
        Dialog::CreateDatabase(draft) => create::database_ui(context, draft, state, actions),
        Dialog::CreateCollection(draft) => create::collection_ui(context, draft, state, actions),
        Dialog::RenameCollection(draft) => rename::ui(context, draft, state, actions),
        Dialog::DuplicateCollection(draft) => duplicate::ui(context, draft, state, actions),
        Dialog::Statistics(draft) => statistics::ui(context, draft, actions),
        Dialog::Drop(draft) => drop::ui(context, draft, state, actions),
        Dialog::Confirm(draft) => confirm::ui(context, draft, actions),
        Dialog::OpenFolder(draft) => open_folder::ui(context, draft, state, actions),
        Dialog::Connect(draft) => connect::ui(context, draft, state, actions),
        Dialog::Server(facts) => server::ui(context, facts, state, actions),
        Dialog::OpenLesson(draft) => open_lesson::ui(context, draft, state, actions),
        Dialog::Handout(draft) => handout::ui(context, draft, state, actions),
        Dialog::SaveLesson(draft) => save_lesson::ui(context, draft, state, actions),
        Dialog::OpenSandbox(draft) => sandbox::open_ui(context, draft, actions),
        Dialog::LeaveSandbox(draft) => sandbox::leave_ui(context, draft, state, actions),
        Dialog::Listener(draft) => listener::ui(context, draft, state, actions),
        Dialog::Archive(draft) => archive::ui(context, draft, state, actions),
        Dialog::Trash(draft) => trash::ui(context, draft, state, actions),
        Dialog::Calendar(calendar) => calendar::ui(context, calendar, state, actions),
        Dialog::Documents(tab, draft) => documents::ui(context, *tab, draft, state, actions),
        Dialog::Aggregate(tab, draft) => aggregate::ui(context, *tab, draft, state, actions),
        Dialog::Indexes(tab, draft) => indexes::ui(context, *tab, draft, state, actions),
        Dialog::Schema(tab, draft) => schema::ui(context, *tab, draft, state, actions),
        Dialog::Convert(draft) => convert::ui(context, draft, state, actions),
        Dialog::Transfer(draft) => transfer::ui(context, draft, state, actions),
        Dialog::Maintenance(draft) => maintenance::ui(context, draft, state, actions),
    }
}

/// The button of a dialog whose command has no answer yet.
pub(crate) const WAITING: &str = "Working…";

/// The box that shows a command before it is sent.
const COMMAND_TO_SEND: &str = "Command to send";

/// The box that shows the same work as a command line.
const COMMAND_LINE: &str = "Command line equivalent";

/// Above that box: the command line needs the store for itself.
const COMMAND_LINE_HINT: &str = "Command line equivalent (close this window first)";

/// Shown until a job reports progress.
const STARTING: &str = "Starting…";

/// Shown until the first answer arrives.
const LOADING: &str = "Loading…";

/// The button that closes the dialog of a job, and its tooltip.
const CONTINUE: &str = "Continue in the background";
const KEEPS_RUNNING: &str = "Keeps running; see progress in Operations";

/// The button that restores removed or archived documents, or a backup.
const RESTORE: &str = "Restore";

/// The button that leaves a dialog. A sent command keeps running.
fn leave(is_waiting: bool) -> Button<'static> {
    Button::plain(if is_waiting { "Close" } else { "Cancel" })
}

/// A line that explains, smaller and dimmer than what it is about.
fn quiet(ui: &mut Ui, words: &str) {
    ui.label(text::rich(words, text::small()).color(colors(ui).dim));
}

/// Closes the open dialog.
pub fn close(actions: &mut Actions) {
    actions.push(Action::Dialog(DialogAction::Close));
}
