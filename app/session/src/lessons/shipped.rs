//! The lessons that come with the program.

use super::check::{Answers, CheckedFile};

/// Each lesson's slug and text, in the order of their names. `build.rs` writes the list.
pub const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/lessons.rs"));

/// The questions of the exam, one in each file, in their order.
pub const EXAM: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/exam.rs"));

/// Their order, and the half-hour path.
pub const COURSE: &str = include_str!("../../../../assets/lessons/course.toml");

/// The engine's answers to their questions.
const ANSWERS: &str = include_str!("../../../../assets/lessons/answers.json");

/// A lesson with its known answers, for the check.
pub fn checked(slug: &str) -> Option<CheckedFile> {
    // A file that isn't JSON has no answers, so every lesson fails.
    let answers: Answers = serde_json::from_str(ANSWERS).unwrap_or_default();
    let answers = answers.get(slug).cloned().unwrap_or_default();
    let bytes = text(slug)?.as_bytes().to_vec();
    Some(CheckedFile { slug: slug.to_owned(), name: format!("{slug}.md"), bytes, answers })
}

pub fn text(slug: &str) -> Option<&'static str> {
    FILES.iter().chain(EXAM).find(|(name, _)| *name == slug).map(|(_, text)| *text)
}

#[cfg(test)]
#[path = "shipped_pages.rs"]
mod pages;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::job::lesson::{Block, BlockKind, Lesson, LessonKind, Part, Question};
    use crate::lessons::file::{self, Course};

    fn lessons() -> Vec<Lesson> {
        let parse = |(slug, text): &(&str, &str)| match file::parse(slug, text) {
            Ok(lesson) => lesson,
            Err(problems) => panic!("{slug}.md: {problems:#?}"),
        };
        FILES.iter().map(parse).collect()
    }

    fn exam() -> Vec<Lesson> {
        let parse = |(slug, text): &(&str, &str)| file::parse(slug, text).unwrap();
        EXAM.iter().map(parse).collect()
    }

    fn questions(lesson: &Lesson) -> impl Iterator<Item = &Question> {
        lesson.cards.iter().flat_map(|card| &card.parts).filter_map(|part| match part {
            Part::Block(Block { kind: BlockKind::Question(question), .. }) => Some(question),
            _ => None,
        })
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
    fn every_question_has_a_known_answer_and_no_answer_is_left_over() {
        let answers: Answers = serde_json::from_str(ANSWERS).expect("answers.json is JSON");
        let asked = lessons().into_iter().chain(exam()).filter_map(|lesson| {
            let ids: BTreeSet<String> = questions(&lesson).map(|it| it.id.clone()).collect();
            (!ids.is_empty()).then_some((lesson.slug, ids))
        });
        let known = answers.iter().map(|(slug, of)| (slug.clone(), of.keys().cloned().collect()));
        assert_eq!(known.collect::<Vec<_>>(), asked.collect::<Vec<(_, BTreeSet<_>)>>());
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
