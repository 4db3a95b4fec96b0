//! The list of lessons, as the Lessons page shows it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::{LessonKind, LessonSource, Level, Problem};

/// Every lesson that can be opened, in the order of its course.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LessonList {
    pub lessons: Vec<LessonEntry>,
    /// The slugs of the half-hour path, in order.
    pub path: Vec<String>,
    /// The predictions that each series teaches: by `path`, the name of a level or the title of a course.
    pub predicts: BTreeMap<String, Vec<String>>,
    /// The run sheets of the program, then those of the user's courses.
    pub sheets: Vec<Arc<Tour>>,
    /// Files that could not be read at all: one sentence each.
    pub errors: Vec<String>,
}

/// Lessons and single cards that are played one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tour {
    pub title: String,
    /// The stops, at least one.
    pub stops: Vec<Stop>,
}

/// A part of a tour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    pub source: LessonSource,
    /// The index of the only card that is played. `None` for the whole lesson.
    pub card: Option<usize>,
    /// The seed of the numbers of a file with `[vary]`. `None` for its first values.
    pub seed: Option<u64>,
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
    /// The questions whose last guess was wrong.
    pub missed: Vec<MissedQuestion>,
    /// The questions to repeat.
    pub repeats: Vec<RepeatedQuestion>,
    /// Whether its file has `[vary]`.
    pub varies: bool,
}

/// A question that comes again because its first guess was wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepeatedQuestion {
    /// The index of its card.
    pub card: usize,
    /// When it is due, in milliseconds since 1970.
    pub due_ms: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissedQuestion {
    pub text: String,
    /// The index of its card.
    pub card: usize,
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
    /// The number of a lesson: of the program's, its place among those of its kind, such as `07` or `C2`.
    pub fn number(&self, entry: &LessonEntry) -> String {
        let is_own = |one: &LessonEntry| one.file().is_none() && one.course.is_none();
        let same_kind = self.lessons.iter().filter(|one| is_own(one) && one.kind == entry.kind);
        let place = same_kind.map(|one| &one.source).position(|source| *source == entry.source);
        match (place, entry.kind) {
            (Some(place), LessonKind::Lesson) => format!("{:02}", place + 1),
            (Some(place), LessonKind::Challenge) => format!("C{}", place + 1),
            _ => slug_number(&entry.slug),
        }
    }

    /// The lesson that comes with the program under this slug.
    pub fn shipped(&self, slug: &str) -> Option<&LessonEntry> {
        self.lessons.iter().find(|entry| entry.file().is_none() && entry.slug == slug)
    }

    /// The ten scenes on the keys 1 to 9 and 0.
    pub fn scenes(&self) -> impl Iterator<Item = &LessonEntry> {
        self.lessons.iter().filter(|entry| entry.kind == LessonKind::Scene).take(10)
    }
}

/// The number that a slug begins with, such as `07` or `C2`. Empty without one.
fn slug_number(slug: &str) -> String {
    let head = slug.split('-').next().unwrap_or_default();
    let digits = head.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let letters = &head[..head.len() - digits.len()];
    let is_number = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
    match letters.len() {
        0 if is_number => digits.to_owned(),
        1 if is_number => {
            format!("{}{}", letters.to_uppercase(), digits.trim_start_matches('0'))
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_slugs_are_short() {
        let check = |slug, expected| assert_eq!(slug_number(slug), expected);
        check("07-not-a-date", "07");
        check("c02-why-not-deleted", "C2");
        check("s10-cosmos", "S10");
        check("my-lesson", "");
        check("déjà-vu", "");
        check("", "");
    }
}
