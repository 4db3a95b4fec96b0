//! The dialogs of the Indexes view.

mod change_ttl;
mod create;
mod drop;
mod what_if;

use bson::Document;
use egui::{Context, Ui};
use mayfly_engine::value::shell::write_command;

use crate::action::{Action, Actions, IndexesAction, ViewAction};
use crate::state::indexes::Dialog;
use crate::state::{State, TabId};
use crate::widgets::code_box;

/// What a dialog is drawn with.
struct Asks<'a> {
    tab: TabId,
    /// Database and collection.
    names: (String, String),
    actions: &'a mut Actions,
}

impl Asks<'_> {
    fn push(&mut self, action: IndexesAction) {
        self.actions.push(Action::Indexes(self.tab, action));
    }

    /// Draws the command that will be sent, with a button that copies it.
    fn command_ui(&mut self, ui: &mut Ui, command: &Document) {
        let text = write_command(&self.names.0, command);
        if code_box::ui(ui, "Command", &text) {
            self.actions.push(Action::View(ViewAction::Copy(text)));
        }
    }
}

/// Draws the dialog.
pub fn ui(
    context: &Context,
    tab: TabId,
    dialog: &mut Dialog,
    state: &State,
    actions: &mut Actions,
) {
    let Some(open) = state.tabs.get(tab) else {
        super::close(actions);
        return;
    };
    let names = (open.namespace.db.clone(), open.namespace.collection.clone());
    let mut asks = Asks { tab, names, actions };
    match dialog {
        Dialog::Create(create) => {
            create::ui(context, create, &open.indexes, &mut asks);
        }
        Dialog::ChangeTtl(change) => change_ttl::ui(context, change, &mut asks),
        Dialog::Drop(dropping) => drop::ui(context, dropping, &mut asks),
    }
}
