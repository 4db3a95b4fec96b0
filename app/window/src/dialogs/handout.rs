//! Writes the text of the lesson that is played to a file.

use egui::Context;

use super::whole_path::WholePath;
use crate::action::{Action, Actions, LessonAction};
use crate::state::State;
use crate::state::dialogs::Handout;

const DIALOG: WholePath = WholePath {
    title: "Export handout",
    subtitle: "Markdown: the cards with their commands; hints, solutions and answers are folded",
    name: "Handout path",
    hint: "/home/you/handout.md",
    note: "",
    button: "Export",
};

pub fn ui(context: &Context, draft: &mut Handout, state: &State, actions: &mut Actions) {
    if let Some(path) = DIALOG.ui(context, &mut draft.path, state, actions) {
        actions.push(Action::Lesson(LessonAction::Handout(path)));
    }
}
