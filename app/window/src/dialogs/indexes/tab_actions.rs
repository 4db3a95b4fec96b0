//! The parts that the dialogs of the Indexes view share.

use bson::Document;
use egui::Context;
use mayfly_engine::value::shell::write_command;

use crate::action::{Action, Actions, IndexesAction, lesson};
use crate::state::lesson::why::Topic;
use crate::state::{State, TabId};
use crate::widgets::modal;

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

/// Gives the help of the dialog a link to the lesson about a topic.
pub(super) fn offer_lesson(context: &Context, state: &State, topic: Topic) {
    if lesson::learn(topic.lesson(), state).is_some() {
        modal::set_lesson(context, topic.lesson());
    }
}
