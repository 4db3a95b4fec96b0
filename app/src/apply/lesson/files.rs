//! Files of lessons: listed, told from others, opened and written.

use std::path::PathBuf;
use std::sync::Arc;

use super::add;
use crate::action::{Action, TransferAction};
use crate::apply::question::{Answer, Question, Report, Run};
use crate::apply::{Apply, apply as apply_action};
use crate::job::lesson::{LessonList, LessonSource};
use crate::state::toasts::Kind;
use crate::worker::{Desk, Lane, lesson_files};

/// The lessons of the program, and those of these files and folders.
#[derive(Debug)]
pub(super) struct ListLessons(pub Vec<PathBuf>);

impl PartialEq for ListLessons {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Question for ListLessons {
    type Answer = LessonList;

    fn answered(&self, _: u64, list: LessonList, cx: &mut Apply<'_>) {
        cx.state.lessons.list = Some(Arc::new(list));
    }
}

impl Run for ListLessons {
    const LANE: Lane = Lane::Read;

    fn run(&self, desk: &Desk<'_, Answer>, report: Report<Self>) {
        if let Some(threads) = desk.threads {
            report.send(threads.shelf().list(&self.0));
        }
    }

    fn failed(&self, _: String) -> LessonList {
        LessonList::default()
    }

    /// The list that is shown stays.
    fn full(&self, _: u64, _: &mut Apply<'_>) {}
}

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
fn dropped(lessons: Vec<PathBuf>, files: Vec<PathBuf>, cx: &mut Apply<'_>) {
    if !files.is_empty() {
        let into = cx.state.tabs.active().map(|tab| tab.namespace.clone());
        apply_action(Action::Transfer(TransferAction::Import { files, into }), cx);
    }
    for lesson in lessons {
        add(lesson, cx);
    }
}

/// A file, opened in the program that the system has for it.
#[derive(Debug)]
pub(super) struct OpenFile(pub PathBuf);

impl PartialEq for OpenFile {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Question for OpenFile {
    type Answer = Result<(), String>;

    fn answered(&self, _: u64, result: Self::Answer, cx: &mut Apply<'_>) {
        if let Err(sentence) = result {
            cx.toast(Kind::Error, sentence);
        }
    }
}

impl Run for OpenFile {
    const LANE: Lane = Lane::Read;

    fn run(&self, _: &Desk<'_, Answer>, report: Report<Self>) {
        let opened = lesson_files::open(&self.0);
        let refused = |error| format!("Can't open {}: {error}", self.0.display());
        report.send(opened.map_err(refused));
    }

    fn failed(&self, message: String) -> Self::Answer {
        Err(message)
    }
}

/// The handout of a lesson, in a file that it replaces.
#[derive(Debug)]
pub(super) struct WriteHandout {
    pub source: LessonSource,
    pub file: PathBuf,
}

impl PartialEq for WriteHandout {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Question for WriteHandout {
    type Answer = Result<(), String>;

    fn answered(&self, _: u64, result: Self::Answer, cx: &mut Apply<'_>) {
        match result {
            Ok(()) => {
                cx.toast(Kind::Done, format!("The handout is in {}", self.file.display()));
            }
            Err(sentence) => cx.toast(Kind::Error, sentence),
        }
    }
}

impl Run for WriteHandout {
    const LANE: Lane = Lane::Read;

    fn run(&self, desk: &Desk<'_, Answer>, report: Report<Self>) {
        if let Some(threads) = desk.threads {
            report.send(threads.shelf().handout(&self.source, &self.file));
        }
    }

    fn failed(&self, message: String) -> Self::Answer {
        Err(message)
    }
}
