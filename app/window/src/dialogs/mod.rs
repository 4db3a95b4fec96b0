//! The dialogs, one file each.
//!
//! A dialog is `fn ui(context: &Context, draft: &mut …, state: &State, actions: &mut Actions)`.
//! The draft keeps the user's input; the button pushes an action. Every dialog that writes
//! shows the command before it is sent.

pub mod aggregate;
mod audit;
pub mod calendar;
pub mod confirm;
pub mod connect;
mod connect_tls;
pub mod convert;
pub mod create;
pub mod documents;
pub mod drop;
pub mod duplicate;
mod footer;
mod frame;
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
mod words;

use egui::Context;

use crate::action::{self, Action, Actions, ConnectAction, ViewAction};
use crate::guide::section as guide_section;
use crate::state::{Dialog, State};
use crate::widgets::modal;

/// Draws the open dialog. At the left of its buttons is the link to its section of the guide.
pub fn ui(context: &Context, dialog: &mut Dialog, state: &State, actions: &mut Actions) {
    let topic = dialog.topic();
    let title = topic.and_then(|topic| guide_section(topic.place()));
    modal::set_link(context, title.map(|section| section.title.as_str()));
    frame::set_locked(context, state.locked_server().filter(|_| dialog.is_change()));
    dialog_ui(context, dialog, state, actions);
    if frame::unlocks(context) {
        actions.push(Action::Connect(ConnectAction::AskUnlock));
    }
    if let (Some(topic), Some(pressed)) = (topic, modal::take_link(context)) {
        actions.push(match pressed.lesson {
            Some(lesson) => Action::View(ViewAction::ShowHelp(topic.place(), lesson)),
            None => action::help::learn(topic),
        });
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
        Dialog::OpenSandbox(draft) => {
            sandbox::open_ui(context, draft, state.lessons.is_playing(), actions);
        }
        Dialog::LeaveSandbox(draft) => sandbox::leave_ui(context, draft, state, actions),
        Dialog::Listener(draft) => listener::ui(context, draft, state, actions),
        Dialog::Trash(draft) => trash::ui(context, draft, state, actions),
        Dialog::Audit(view) => audit::ui(context, view, state, actions),
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
