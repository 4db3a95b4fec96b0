//! Adds a lesson file or a course folder: typed, or chosen.

use std::path::{Path, PathBuf};

use egui::Context;

use super::close;
use super::transfer::ChoosePath;
use crate::action::{Action, Actions, LessonAction};
use crate::state::State;
use crate::state::dialogs::OpenLesson;
use crate::state::transfer::import::{WHOLE_PATH, whole_path};
use crate::theme::{colors, sizes, text};
use crate::widgets::field::labelled;
use crate::widgets::{Button, modal};

/// The name of the path.
const PATH: &str = "Lesson or course path";

/// Draws the dialog.
pub fn ui(context: &Context, draft: &mut OpenLesson, state: &State, actions: &mut Actions) {
    let path = whole_path(&draft.path);
    let mut is_sent = false;
    let closing = modal::ui(
        context,
        "Open a lesson or a course",
        "A lesson is a Markdown file. A course is a folder of lessons with a course.toml.",
        sizes::DIALOG,
        &mut (&mut *draft, &mut *actions, &mut is_sent),
        |ui, (draft, actions, is_sent)| {
            let is_wrong = !draft.path.trim().is_empty() && whole_path(&draft.path).is_none();
            labelled(ui, PATH, is_wrong.then_some(WHOLE_PATH), |ui| {
                let field = ChoosePath {
                    name: PATH,
                    hint: "/home/you/course",
                    choose: "Choose file…",
                    take: None,
                    invalid: is_wrong,
                };
                **is_sent |= field.ui(ui, &mut draft.path, state, actions).taken;
            });
            let words = "Of a course, choose its course.toml. A file or a folder can also be \
                         dropped on the window.";
            ui.label(text::rich(words, text::small()).color(colors(ui).dim));
        },
        |ui, (_, actions, is_sent)| {
            let open = Button::primary("Open").enabled(path.is_some());
            **is_sent |= modal::answer_ui(ui, open);
            if ui.add(Button::plain("Cancel")).clicked() {
                close(actions);
            }
        },
    );
    if let Some(path) = path.filter(|_| is_sent) {
        close(actions);
        actions.push(Action::Lesson(LessonAction::Add(lesson_or_course(path))));
    } else if closing.closes() {
        close(actions);
    }
}

/// The path of a lesson file; of a `course.toml` the folder around it.
fn lesson_or_course(path: PathBuf) -> PathBuf {
    let is_course = path.file_name().is_some_and(|name| name == "course.toml");
    match path.parent().filter(|_| is_course) {
        Some(folder) => Path::to_path_buf(folder),
        None => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_course_is_its_folder() {
        let check = |path: &str, expected: &str| {
            assert_eq!(lesson_or_course(PathBuf::from(path)), PathBuf::from(expected));
        };
        check("/c/course.toml", "/c");
        check("/c/lesson.md", "/c/lesson.md");
        check("/c", "/c");
    }
}
