//! The dialogs of the Indexes view.

mod change_ttl;
mod create;
mod drop;
mod rollout;
mod what_if;

use bson::Document;
use egui::Context;
use mayfly_engine::value::shell::write_command;

use super::words::close;
use crate::action::{Action, Actions, IndexesAction, lesson};
use crate::state::indexes::Dialog;
use crate::state::lesson::why::{self, Topic};
use crate::state::{State, TabId};
use crate::widgets::modal;

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

/// The lesson about a topic, with a link in the footer of the dialog that is drawn next.
fn lesson_link(context: &Context, state: &State, topic: Option<Topic>) -> Option<Action> {
    let slug = topic?.lesson();
    let action = lesson::learn(slug, state)?;
    modal::set_lesson(context, &why::words(slug));
    Some(action)
}

/// Begins the lesson once its link was pressed. The dialog gives way to it.
fn learn(context: &Context, lesson: Option<Action>, actions: &mut Actions) {
    if let Some(action) = lesson.filter(|_| modal::take_link(context)) {
        close(actions);
        actions.push(action);
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
