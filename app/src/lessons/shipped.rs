//! The lessons that come with the program.

/// Each lesson's slug and text, in the order of their names. `build.rs` writes the list.
pub const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/lessons.rs"));

/// Their order, and the half-hour path.
pub const COURSE: &str = include_str!("../../../assets/lessons/course.toml");

/// The text of a lesson.
#[must_use]
pub fn text(slug: &str) -> Option<&'static str> {
    FILES.iter().find(|(name, _)| *name == slug).map(|(_, text)| *text)
}

#[cfg(test)]
#[path = "shipped_pages.rs"]
mod pages;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::job::lesson::{Lesson, LessonKind};
    use crate::lessons::file::{self, Course};

    fn lessons() -> Vec<Lesson> {
        let parse = |(slug, text): &(&str, &str)| match file::parse(slug, text) {
            Ok(lesson) => lesson,
            Err(problems) => panic!("{slug}.md: {problems:#?}"),
        };
        FILES.iter().map(parse).collect()
    }

    fn course() -> Course {
        file::parse_course(COURSE).unwrap_or_else(|problems| panic!("course.toml: {problems:#?}"))
    }

    #[test]
    fn every_lesson_has_no_problem() {
        assert!(lessons().len() > 50);
    }

    #[test]
    fn the_course_has_every_lesson_and_no_other() {
        let listed: BTreeSet<_> = course().order.into_iter().collect();
        let found: BTreeSet<_> = FILES.iter().map(|(slug, _)| (*slug).to_owned()).collect();
        let missing: Vec<_> = found.difference(&listed).collect();
        let unknown: Vec<_> = listed.difference(&found).collect();
        assert!(missing.is_empty(), "course.toml lacks {missing:?}");
        assert!(unknown.is_empty(), "course.toml names {unknown:?}, which has no file");
    }

    #[test]
    fn what_comes_before_a_lesson_exists() {
        for lesson in lessons() {
            for slug in &lesson.after {
                assert!(text(slug).is_some(), "{}: `after` names {slug}", lesson.slug);
            }
        }
    }

    #[test]
    fn there_are_ten_scenes_for_the_keys() {
        let scenes = lessons().iter().filter(|lesson| lesson.kind == LessonKind::Scene).count();
        assert_eq!(scenes, 10);
    }

    #[test]
    fn titles_are_unique_in_each_kind() {
        let mut seen = BTreeSet::new();
        for lesson in lessons() {
            let kind = format!("{:?}", lesson.kind);
            assert!(seen.insert((kind, lesson.title.clone())), "{} twice", lesson.title);
        }
    }
}
