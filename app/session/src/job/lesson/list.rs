//! The list of lessons, as the Lessons page shows it.

use std::path::PathBuf;

use super::{LessonKind, LessonSource, Level, Problem};

/// Every lesson that can be opened, in the order of its course.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LessonList {
    pub lessons: Vec<LessonEntry>,
    /// The slugs of the half-hour path, in order.
    pub path: Vec<String>,
    /// Files that could not be read at all: one sentence each.
    pub errors: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LessonEntry {
    pub source: LessonSource,
    /// The name of its file without `.md`.
    pub slug: String,
    /// Its title; of a file that can't be read, its slug.
    pub title: String,
    /// How long it takes, in minutes; 0: unknown.
    pub minutes: u32,
    pub level: Level,
    pub kind: LessonKind,
    pub cards: usize,
    pub after: Vec<String>,
    /// The title of the user's course that it belongs to. `None` if it comes with the program.
    pub course: Option<String>,
    /// Why it can't be started.
    pub problems: Vec<Problem>,
    pub progress: LessonProgress,
}

/// How far the user got in a lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LessonProgress {
    #[default]
    NotStarted,
    /// The index of the card that was open last.
    Card(usize),
    Done,
}

impl LessonEntry {
    /// The path of its file. `None` if it comes with the program.
    pub fn file(&self) -> Option<&PathBuf> {
        match &self.source {
            LessonSource::File(path) => Some(path),
            LessonSource::Shipped(_) => None,
        }
    }
}

impl LessonList {
    /// The lesson that comes with the program under this slug.
    pub fn shipped(&self, slug: &str) -> Option<&LessonEntry> {
        self.lessons.iter().find(|entry| entry.file().is_none() && entry.slug == slug)
    }

    /// The ten scenes on the keys 1 to 9 and 0.
    pub fn scenes(&self) -> impl Iterator<Item = &LessonEntry> {
        self.lessons.iter().filter(|entry| entry.kind == LessonKind::Scene).take(10)
    }

    /// The lesson after this one in the same course; scenes lead nowhere.
    pub fn after(&self, source: &LessonSource) -> Option<&LessonEntry> {
        let at = self.lessons.iter().position(|entry| entry.source == *source)?;
        let here = self.lessons.get(at)?;
        if here.kind == LessonKind::Scene {
            return None;
        }
        let next = self.lessons.get(at + 1..)?.iter();
        let mut next = next.filter(|entry| entry.course == here.course);
        next.find(|entry| entry.kind != LessonKind::Scene && entry.problems.is_empty())
    }
}
