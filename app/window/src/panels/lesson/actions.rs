//! Shared by the parts of a lesson: its actions, and words for a screen reader.

use egui::{Id, Ui};

use crate::action::{Action, Actions, LessonAction};

/// Queues what is asked of the lesson.
pub(super) struct LessonActions<'a> {
    pub(super) queue: &'a mut Actions,
}

impl LessonActions<'_> {
    pub(super) fn push(&mut self, action: LessonAction) {
        self.queue.push(Action::Lesson(action));
    }
}

/// Lets a screen reader say what this control shows when it changes.
pub(super) fn announce(ui: &Ui, id: Id) {
    ui.ctx().accesskit_node_builder(id, |node| node.set_live(egui::accesskit::Live::Polite));
}
