//! The dialogs of the Indexes view.

mod change_ttl;
mod create;
mod drop;
mod what_if;

use egui::Context;

use crate::action::{Action, Actions, IndexesAction};
use crate::state::indexes::Dialog;
use crate::state::{State, TabId};

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
        Dialog::Drop(row) => drop::ui(context, row, &mut asks),
    }
}
