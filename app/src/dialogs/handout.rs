//! Writes the text of the lesson that is played to a file.

use egui::Context;

use super::close;
use super::transfer::ChoosePath;
use crate::action::{Action, Actions, LessonAction};
use crate::state::State;
use crate::state::dialogs::Handout;
use crate::state::transfer::import::{WHOLE_PATH, whole_path};
use crate::theme::sizes;
use crate::widgets::field::labelled;
use crate::widgets::{Button, modal};

/// The name of the path.
const PATH: &str = "Handout path";

/// Draws the dialog.
pub fn ui(context: &Context, draft: &mut Handout, state: &State, actions: &mut Actions) {
    let path = whole_path(&draft.path);
    let mut is_sent = false;
    let closing = modal::ui(
        context,
        "Export handout",
        "Markdown: the cards with their commands, and the answers at the end",
        sizes::DIALOG,
        &mut (&mut *draft, &mut *actions, &mut is_sent),
        |ui, (draft, actions, is_sent)| {
            let is_wrong = !draft.path.trim().is_empty() && whole_path(&draft.path).is_none();
            labelled(ui, PATH, is_wrong.then_some(WHOLE_PATH), |ui| {
                let field = ChoosePath {
                    name: PATH,
                    hint: "/home/you/handout.md",
                    choose: "Choose file…",
                    take: None,
                    invalid: is_wrong,
                };
                **is_sent |= field.ui(ui, &mut draft.path, state, actions).taken;
            });
        },
        |ui, (_, actions, is_sent)| {
            let export = Button::primary("Export").enabled(path.is_some());
            **is_sent |= modal::answer_ui(ui, export);
            if ui.add(Button::plain("Cancel")).clicked() {
                close(actions);
            }
        },
    );
    if let Some(path) = path.filter(|_| is_sent) {
        close(actions);
        actions.push(Action::Lesson(LessonAction::Handout(path)));
    } else if closing.closes() {
        close(actions);
    }
}
