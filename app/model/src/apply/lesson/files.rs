//! Files of lessons: listed, told from others, opened and written.

use std::path::PathBuf;
use std::sync::Arc;

use super::close::close;
use crate::apply::Apply;
use crate::apply::question::{Answer, Question, Report, Run};
use crate::job::lesson::{LessonList, LessonSource};
use crate::state::lesson::{Sheet, Way};
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

/// Reads the list, from which the way to the next lesson is known. The command line may begin with
/// a course that isn't in it.
pub(super) fn know_course(cx: &mut Apply<'_>) {
    let lessons = &mut cx.state.lessons;
    let course =
        lessons.playing.as_ref().and_then(|playing| match (&playing.way, &playing.source) {
            (Way::Tour { .. }, LessonSource::File(file)) => file.parent(),
            _ => None,
        });
    let is_known = |folder| lessons.opened.iter().any(|known| known == folder);
    if let Some(folder) = course.filter(|folder| !is_known(*folder)) {
        lessons.opened.push(folder.to_owned());
    } else if lessons.list.is_some() {
        return;
    }
    read_list(cx);
}

/// Reads the list, which also has how far the user got.
pub(in crate::apply) fn read_list(cx: &mut Apply<'_>) {
    cx.state.lessons.is_asked = true;
    cx.run(ListLessons(cx.state.lessons.opened.clone()));
}

pub(super) fn add(path: PathBuf, cx: &mut Apply<'_>) {
    cx.state.lessons.opened.retain(|known| *known != path);
    cx.state.lessons.opened.push(path);
    show_page(true, cx);
}

/// Shows the list, which ends the lesson that is played, or the collection again.
pub(super) fn show_page(is_shown: bool, cx: &mut Apply<'_>) {
    if is_shown {
        return show_sheet(Sheet::List, cx);
    }
    cx.state.lessons.is_page_shown = false;
    cx.state.view.is_start_shown = false;
}

pub(super) fn show_sheet(sheet: Sheet, cx: &mut Apply<'_>) {
    if cx.state.lessons.is_playing() {
        close(cx);
    }
    cx.state.lessons.sheet = sheet;
    cx.state.lessons.is_page_shown = true;
    cx.state.view.is_start_shown = false;
    read_list(cx);
}
