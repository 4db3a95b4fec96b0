//! The common parts of the dialogs of indexes.

use bson::Document;
use egui::Context;
use mayfly_engine::value::shell::write_command;

use crate::action::{Action, Actions, IndexesAction, lesson};
use crate::dialogs::words::close;
use crate::state::lesson::why::{self, Topic};
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

/// The lesson about a topic, with a link in the footer of the dialog that is drawn next.
pub(super) fn lesson_link(
    context: &Context,
    state: &State,
    topic: Option<Topic>,
) -> Option<Action> {
    let slug = topic?.lesson();
    let action = lesson::learn(slug, state)?;
    modal::set_lesson(context, &why::words(slug));
    Some(action)
}

/// Begins the lesson once its link was pressed. The dialog gives way to it.
pub(super) fn learn(context: &Context, lesson: Option<Action>, actions: &mut Actions) {
    if let Some(action) = lesson.filter(|_| modal::take_link(context)) {
        close(actions);
        actions.push(action);
    }
}
