//! Writes the sandbox as a lesson.

use egui::{Context, Ui};

use super::transfer::ChoosePath;
use super::{WAITING, close, leave};
use crate::action::{Action, Actions, LessonAction};
use crate::state::State;
use crate::state::lesson::save::SaveLesson;
use crate::theme::{colors, sizes, text};
use crate::widgets::field::{Field, labelled};
use crate::widgets::{Button, modal};

/// The name of the path.
const PATH: &str = "Lesson path";

pub fn ui(context: &Context, draft: &mut SaveLesson, state: &State, actions: &mut Actions) {
    let mut is_sent = false;
    let closing = modal::ui(
        context,
        "Save as lesson",
        "A Markdown file whose setup makes the documents of this sandbox, at its present time",
        sizes::DIALOG,
        &mut (&mut *draft, &mut *actions, &mut is_sent),
        |ui, (draft, actions, _)| words_ui(ui, draft, state, actions),
        |ui, (draft, actions, is_sent)| {
            let is_waiting = draft.sent.is_waiting();
            let button = match (is_waiting, draft.exists) {
                (true, _) => Button::primary(WAITING),
                (false, true) => Button::danger("Replace file"),
                (false, false) => Button::primary("Save"),
            };
            let button = button.enabled(draft.file().is_ok() && !is_waiting);
            // Enter replaces nothing.
            **is_sent =
                if draft.exists { ui.add(button).clicked() } else { modal::answer_ui(ui, button) };
            if ui.add(leave(is_waiting)).clicked() {
                close(actions);
            }
        },
    );
    if is_sent {
        actions.push(Action::Lesson(LessonAction::Save));
    } else if closing.closes() {
        close(actions);
    }
}

fn words_ui(ui: &mut Ui, draft: &mut SaveLesson, state: &State, actions: &mut Actions) {
    labelled(ui, "Title", None, |ui| {
        let field = Field { name: "Lesson title", hint: "My lesson", ..Field::default() };
        field.ui(ui, &mut draft.title);
    });
    let wrong = draft.file().err().filter(|_| !draft.path.trim().is_empty());
    let error = wrong.map(ToOwned::to_owned).or_else(|| draft.sent.error.clone());
    labelled(ui, PATH, error.as_deref(), |ui| {
        let path = ChoosePath {
            name: PATH,
            hint: "/home/you/my-lesson.md",
            choose: "Choose file…",
            take: None,
            invalid: error.is_some(),
        };
        if path.ui(ui, &mut draft.path, state, actions).changed {
            draft.path_changed();
        }
    });
    for line in draft.contents(state) {
        ui.label(text::rich(line, text::small()).color(colors(ui).dim));
    }
}
