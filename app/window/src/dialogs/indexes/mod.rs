//! The dialogs of the Indexes view.

mod change_ttl;
mod create;
mod drop;
mod rollout;
mod staircase;
mod tab_actions;
mod what_if;

use egui::Context;

use self::tab_actions::TabActions;
use super::words::close;
use crate::action::Actions;
use crate::state::indexes::Dialog;
use crate::state::{State, TabId};

/// Draws the dialog.
pub fn ui(
    context: &Context,
    tab: TabId,
    dialog: &mut Dialog,
    state: &State,
    actions: &mut Actions,
) {
    let Some(open) = state.tabs.get(tab) else {
        close(actions);
        return;
    };
    let names = (open.namespace.db.clone(), open.namespace.collection.clone());
    let mut actions = TabActions { tab, names, queue: actions };
    match dialog {
        Dialog::Create(create) => {
            create::ui(context, create, &open.indexes, state, &mut actions);
        }
        Dialog::ChangeTtl(change) => change_ttl::ui(context, change, state, &mut actions),
        Dialog::Drop(dropping) => drop::ui(context, dropping, &mut actions),
        Dialog::Rollout(draft) => rollout::ui(context, draft, &mut actions),
    }
}
