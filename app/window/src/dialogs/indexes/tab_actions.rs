//! The parts that the dialogs of the Indexes view share.

use bson::Document;
use egui::Ui;
use mayfly_engine::value::shell::write_command;

use crate::action::{Action, Actions, IndexesAction, lesson};
use crate::dialogs::words::close;
use crate::state::lesson::why;
use crate::state::lesson::why::Topic;
use crate::state::{State, TabId};
use crate::widgets::learn;

/// The button that leads to the plan of a rollout.
pub(super) const PLAN: &str = "Plan a rollout…";

pub(super) const PLAN_HINT: &str = "Let documents go in steps instead of all at once";

/// Queues the actions of one tab, and draws commands on its collection.
pub(super) struct TabActions<'a> {
    pub(super) tab: TabId,
    pub(super) names: (String, String),
    pub(super) queue: &'a mut Actions,
}

impl TabActions<'_> {
    pub(super) fn push(&mut self, action: IndexesAction) {
        self.queue.push(Action::Indexes(self.tab, action));
    }

    /// The command as typed in mongosh.
    pub(super) fn written(&self, command: &Document) -> String {
        write_command(&self.names.0, command)
    }
}

/// Draws a link to the lesson about a topic. The dialog gives way to the lesson.
pub(super) fn learn_ui(ui: &mut Ui, state: &State, topic: Topic, actions: &mut TabActions<'_>) {
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
