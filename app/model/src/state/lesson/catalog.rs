//! The list of lessons as its page shows it: in series, with the half-hour path.

use crate::job::lesson::{LessonEntry, LessonKind, LessonList, LessonProgress, Level};
use crate::state::number;

/// The heading of the scenes.
const SCENES: &str = "Scenes, for lecturers";

/// Lessons under one heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Series<'a> {
    pub title: String,
    /// The lessons, in the order of their course.
    pub lessons: Vec<&'a LessonEntry>,
}

impl Series<'_> {
    /// Whether these are the scenes of the program, which have keys.
    pub fn is_scenes(&self) -> bool {
        self.title == SCENES
    }

    /// How many were played to the end.
    pub fn done(&self) -> usize {
        self.lessons.iter().filter(|entry| entry.progress == LessonProgress::Done).count()
    }
}

/// Every series: those of the program by level, its scenes, then the user's courses and files.
pub fn series(list: &LessonList) -> Vec<Series<'_>> {
    let mut found: Vec<Series<'_>> = Vec::new();
    let of_level = |level: Level| {
        let is_it = move |entry: &&LessonEntry| {
            let is_shipped = entry.file().is_none() && entry.course.is_none();
            is_shipped && entry.kind != LessonKind::Scene && entry.level == level
        };
        list.lessons.iter().filter(is_it).collect()
    };
    for level in Level::ALL {
        found.push(Series { title: level_title(level).to_owned(), lessons: of_level(level) });
    }
    found.push(Series { title: SCENES.to_owned(), lessons: scenes(list) });
    for entry in &list.lessons {
        let title = match (&entry.course, entry.file()) {
            (Some(course), _) => course.clone(),
            (None, Some(_)) => "Your files".to_owned(),
            (None, None) => continue,
        };
        match found.iter_mut().skip(Level::ALL.len() + 1).find(|series| series.title == title) {
            Some(series) => series.lessons.push(entry),
            None => found.push(Series { title, lessons: vec![entry] }),
        }
    }
    found.retain(|series| !series.lessons.is_empty());
    found
}

/// The scenes of the program, on the keys 1 to 9 and 0.
pub fn scenes(list: &LessonList) -> Vec<&LessonEntry> {
    let is_it = |entry: &&LessonEntry| entry.file().is_none() && entry.course.is_none();
    list.scenes().filter(is_it).collect()
}

pub fn scene_key(place: usize) -> Option<char> {
    "1234567890".chars().nth(place)
}

/// The lessons of the half-hour path, as far as they are there.
pub fn path(list: &LessonList) -> Vec<&LessonEntry> {
    list.path.iter().filter_map(|slug| list.shipped(slug)).collect()
}

/// The first lesson of the path that was not played to the end.
pub fn next_on_path(list: &LessonList) -> Option<&LessonEntry> {
    let is_open =
        |entry: &&LessonEntry| entry.progress != LessonProgress::Done && entry.problems.is_empty();
    path(list).into_iter().find(is_open)
}

/// The heading of a series.
pub fn level_title(level: Level) -> &'static str {
    match level {
        Level::Start => "Start: what expires, and when",
        Level::Core => "Core: indexes and rules",
        Level::Cosmos => "Azure Cosmos DB’s API for MongoDB",
        Level::Operate => "Operate",
        Level::Challenge => "Challenges",
    }
}

/// The number of a lesson: of the program's, its place among those of its kind, such as `07` or `C2`.
pub fn number(list: &LessonList, entry: &LessonEntry) -> String {
    let is_own = |one: &LessonEntry| one.file().is_none() && one.course.is_none();
    let same_kind = list.lessons.iter().filter(|one| is_own(one) && one.kind == entry.kind);
    let place = same_kind.map(|one| &one.source).position(|source| *source == entry.source);
    match (place, entry.kind) {
        (Some(place), LessonKind::Lesson) => format!("{:02}", place + 1),
        (Some(place), LessonKind::Challenge) => format!("C{}", place + 1),
        _ => slug_number(&entry.slug),
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

/// How far the user got, in words.
pub fn progress(entry: &LessonEntry) -> String {
    match entry.progress {
        LessonProgress::NotStarted => "Not started".to_owned(),
        LessonProgress::Card(card) => format!("Card {} of {}", card + 1, entry.cards.max(card + 1)),
        LessonProgress::Done => "Done".to_owned(),
    }
}

/// The minutes in words. Empty if they are not known.
pub fn minutes(entry: &LessonEntry) -> String {
    match entry.minutes {
        0 => String::new(),
        minutes => format!("{minutes} min"),
    }
}

/// A lesson in one line, as a screen reader says it.
pub fn spoken(list: &LessonList, entry: &LessonEntry, is_on_path: bool) -> String {
    let kind = match entry.kind {
        LessonKind::Lesson => "Lesson",
        LessonKind::Challenge => "Challenge",
        LessonKind::Scene => "Scene",
    };
    let number = number(list, entry);
    let mut parts = vec![if number.is_empty() {
        format!("{kind}: {}", entry.title)
    } else {
        format!("{kind} {number}: {}", entry.title)
    }];
    if entry.minutes > 0 {
        parts.push(number::counted(entry.minutes.into(), "minute", "minutes"));
    }
    if entry.problems.is_empty() && entry.kind != LessonKind::Scene {
        parts.push(progress(entry).to_lowercase());
    }
    if is_on_path {
        parts.push("on the half-hour path".to_owned());
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::job::lesson::LessonSource;

    fn entry(slug: &str, level: Level, kind: LessonKind) -> LessonEntry {
        LessonEntry {
            source: LessonSource::Shipped(slug.to_owned()),
            slug: slug.to_owned(),
            title: format!("Title of {slug}"),
            minutes: 4,
            level,
            kind,
            cards: 3,
            after: Vec::new(),
            course: None,
            problems: Vec::new(),
            progress: LessonProgress::NotStarted,
        }
    }

    fn list() -> LessonList {
        let lesson = |slug, level| entry(slug, level, LessonKind::Lesson);
        let mut own = lesson("mine", Level::Start);
        own.source = LessonSource::File(PathBuf::from("/l/mine.md"));
        let mut of_course = own.clone();
        of_course.course = Some("My course".to_owned());
        LessonList {
            lessons: vec![
                lesson("01-a", Level::Start),
                lesson("10-b", Level::Core),
                lesson("02-c", Level::Start),
                entry("s01-d", Level::Start, LessonKind::Scene),
                own,
                of_course,
            ],
            path: vec!["02-c".to_owned(), "99-missing".to_owned(), "01-a".to_owned()],
            errors: Vec::new(),
        }
    }

    #[test]
    fn series_are_by_level_then_scenes_then_files_of_the_user() {
        let list = list();
        let found = series(&list);
        let slugs = |series: &Series<'_>| {
            let slugs = series.lessons.iter().map(|entry| entry.slug.as_str());
            slugs.collect::<Vec<_>>().join(" ")
        };
        let found: Vec<_> =
            found.iter().map(|series| (series.title.as_str(), slugs(series))).collect();
        let expected = [
            ("Start: what expires, and when", "01-a 02-c"),
            ("Core: indexes and rules", "10-b"),
            ("Scenes, for lecturers", "s01-d"),
            ("Your files", "mine"),
            ("My course", "mine"),
        ];
        assert_eq!(found, expected.map(|(title, slugs)| (title, slugs.to_owned())));
    }

    #[test]
    fn the_path_continues_where_it_was_left() {
        let mut list = list();
        assert_eq!(path(&list).len(), 2);
        assert_eq!(next_on_path(&list).map(|entry| entry.slug.as_str()), Some("02-c"));
        list.lessons[2].progress = LessonProgress::Done;
        assert_eq!(next_on_path(&list).map(|entry| entry.slug.as_str()), Some("01-a"));
        list.lessons[0].progress = LessonProgress::Done;
        assert_eq!(next_on_path(&list), None);
    }

    #[test]
    fn numbers_are_short() {
        let check = |slug, expected| assert_eq!(slug_number(slug), expected);
        check("07-not-a-date", "07");
        check("c02-why-not-deleted", "C2");
        check("s10-cosmos", "S10");
        check("my-lesson", "");
        check("déjà-vu", "");
        check("", "");
    }

    #[test]
    fn a_row_is_heard_with_its_progress() {
        let list = list();
        let mut found = list.lessons[1].clone();
        let words = "Lesson 02: Title of 10-b, 4 minutes, not started";
        assert_eq!(spoken(&list, &found, false), words, "the number is its place");
        found.progress = LessonProgress::Card(1);
        let words = spoken(&list, &found, true);
        assert!(words.ends_with(", card 2 of 3, on the half-hour path"), "{words}");
        let keys: String = (0..11).filter_map(scene_key).collect();
        assert_eq!(keys, "1234567890");
    }
}
