//! The dialogs of the Indexes view.

mod change_ttl;
mod create;
mod drop;
mod rollout;
mod what_if;

use bson::Document;
use egui::{Context, Ui};
use mayfly_engine::value::shell::write_command;

use super::words::close;
use crate::action::{Action, Actions, IndexesAction, lesson};
use crate::state::indexes::Dialog;
use crate::state::lesson::why::{self, Topic};
use crate::state::{State, TabId};
use crate::widgets::learn;

/// The button that leads to the plan of a rollout.
const PLAN: &str = "Plan a rollout…";

const PLAN_HINT: &str = "Let documents go in steps instead of all at once";

/// Queues the actions of one tab, and draws commands on its collection.
struct TabActions<'a> {
    tab: TabId,
    names: (String, String),
    queue: &'a mut Actions,
}

impl TabActions<'_> {
    fn push(&mut self, action: IndexesAction) {
        self.queue.push(Action::Indexes(self.tab, action));
    }

    /// The command as typed in mongosh.
    fn written(&self, command: &Document) -> String {
        write_command(&self.names.0, command)
    }
}

/// Draws a link to the lesson about a topic. The dialog gives way to the lesson.
fn learn_ui(ui: &mut Ui, state: &State, topic: Topic, actions: &mut TabActions<'_>) {
    let slug = topic.lesson();
    let action = lesson::learn(slug, state);
    if action.is_some() {
        // The lesson is about this very draft. One way to learn more is enough.
        crate::widgets::modal::set_link(ui.ctx(), None);
    }
    if let Some(action) = action
        && learn::ui(ui, &why::words(slug))
    {
        close(actions.queue);
        actions.queue.push(action);
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
