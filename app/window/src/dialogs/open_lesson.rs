//! Adds a lesson file or a course folder: typed, or chosen.

use std::path::{Path, PathBuf};

use egui::Context;

use super::whole_path::WholePath;
use crate::action::{Action, Actions, LessonAction};
use crate::state::State;
use crate::state::dialogs::OpenLesson;

const DIALOG: WholePath = WholePath {
    title: "Open a lesson or a course",
    subtitle: "A lesson is a Markdown file. A course is a folder of lessons with a course.toml.",
    name: "Lesson or course path",
    hint: "/home/you/course",
    note: "Of a course, choose its course.toml. You can also drop a file or a folder on the window.",
    button: "Open",
};

pub fn ui(context: &Context, draft: &mut OpenLesson, state: &State, actions: &mut Actions) {
    if let Some(path) = DIALOG.ui(context, &mut draft.path, state, actions) {
        actions.push(Action::Lesson(LessonAction::Add(lesson_or_course(path))));
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
