//! Writes the sandbox as a lesson.

use egui::{Context, Ui};

use super::frame::DialogFrame;
use super::transfer::ChoosePath;
use super::words::quiet;
use crate::action::{Action, Actions, LessonAction};
use crate::state::State;
use crate::state::lesson::save::SaveLesson;
use crate::widgets::Button;
use crate::widgets::field::{Field, labelled};

/// The name of the path.
const PATH: &str = "Lesson path";

pub fn ui(context: &Context, draft: &mut SaveLesson, state: &State, actions: &mut Actions) {
    let button =
        if draft.exists { Button::danger("Replace file") } else { Button::primary("Save") };
    let frame = DialogFrame::new("Save as lesson")
        .subtitle(
            "A Markdown file whose setup makes the documents of this sandbox, at its present time",
        )
        .waiting(draft.sent.is_waiting())
        .button(button.enabled(draft.file().is_ok()).room_for("Replace file"), ());
    let outcome = frame.ui(context, |ui| words_ui(ui, draft, state, actions));
    if outcome.end(actions).is_some() {
        actions.push(Action::Lesson(LessonAction::Save));
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
    for line in draft.contents(&state.tree, &state.commands) {
        quiet(ui, &line);
    }
}
