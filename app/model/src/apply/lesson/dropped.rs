//! Files dropped on the window, some of which are lessons.

use std::path::PathBuf;

use super::files::add;
use crate::action::TransferAction;
use crate::apply::question::{Answer, Question, Report, Run};
use crate::apply::{Apply, transfer};
use crate::state::toasts::Kind;
use crate::worker::{Desk, Lane, lesson_files};

/// Which of the files dropped on the window are lessons or courses.
#[derive(Debug)]
pub(super) struct SortDropped(pub Vec<PathBuf>);

impl PartialEq for SortDropped {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Question for SortDropped {
    /// Lesson files and course folders, then anything else.
    type Answer = Result<(Vec<PathBuf>, Vec<PathBuf>), String>;

    fn answered(&self, _: u64, sorted: Self::Answer, cx: &mut Apply<'_>) {
        match sorted {
            Ok((lessons, files)) => dropped(lessons, files, cx),
            Err(sentence) => cx.toast(Kind::Error, sentence),
        }
    }
}

impl Run for SortDropped {
    const LANE: Lane = Lane::Read;

    fn run(&self, _: &Desk<'_, Answer>, report: Report<Self>) {
        let paths = self.0.iter().cloned();
        report.send(Ok(paths.partition(|path| lesson_files::is_lesson(path))));
    }

    fn failed(&self, message: String) -> Self::Answer {
        Err(message)
    }
}

/// Lessons are listed; what else was dropped is imported.
pub(super) fn dropped(lessons: Vec<PathBuf>, files: Vec<PathBuf>, cx: &mut Apply<'_>) {
    if !files.is_empty() {
        let into = cx.state.tabs.active().map(|tab| tab.namespace.clone());
        transfer::apply(TransferAction::Import { files, into }, cx);
    }
    for lesson in lessons {
        add(lesson, cx);
    }
}
