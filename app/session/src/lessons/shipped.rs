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
    use std::collections::{BTreeMap, BTreeSet};

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

    /// The files and the last column of each row of the run sheet in README.md.
    fn run_sheet() -> Vec<(Vec<String>, String)> {
        let readme = include_str!("../../../../assets/lessons/README.md");
        let (_, table) = readme.split_once("### Run sheet for 45 minutes").expect("a run sheet");
        let rows = table.lines().skip_while(|line| !line.starts_with('|')).skip(2);
        let rows = rows.take_while(|line| line.starts_with('|'));
        rows.map(|row| {
            let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
            let files = cells[2].split('`').skip(1).step_by(2).map(str::to_owned).collect();
            (files, cells.get(3).map(|cell| (*cell).to_owned()).unwrap_or_default())
        })
        .collect()
    }

    #[test]
    fn the_run_sheet_keeps_what_it_promises() {
        let rows = run_sheet();
        assert!(rows.len() > 8, "{rows:?}");
        let course = course();
        let sheet = course.sheets.iter().find(|sheet| sheet.title == "45 minutes").unwrap();
        let files: Vec<&String> = rows.iter().flat_map(|(files, _)| files).collect();
        assert_eq!(files, sheet.lessons.iter().collect::<Vec<_>>());
        for (files, room) in &rows {
            let votes = |slug: &String| {
                let lesson = file::parse(slug, text(slug).unwrap()).unwrap();
                questions(&lesson).any(|question| question.vote)
            };
            assert_eq!(room.contains("vote:"), files.iter().any(votes), "{files:?}: {room}");
        }
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
    fn the_path_takes_half_an_hour_and_needs_nothing_else() {
        let lessons = lessons();
        let path = course().path;
        let of_slug = |slug: &String| lessons.iter().find(|lesson| lesson.slug == *slug);
        let lessons: Vec<&Lesson> = path.iter().filter_map(of_slug).collect();
        assert_eq!(lessons.len(), path.len());
        let minutes: u32 = lessons.iter().map(|lesson| lesson.minutes).sum();
        assert!(minutes <= 30, "{minutes} minutes");
        for (at, lesson) in lessons.iter().enumerate() {
            let missing = lesson.after.iter().find(|slug| !path[..at].contains(slug));
            assert_eq!(missing, None, "{} needs it", lesson.slug);
        }
    }

    #[test]
    fn what_comes_before_a_lesson_exists() {
        for lesson in lessons() {
            for slug in &lesson.after {
                assert!(text(slug).is_some(), "{}: `after` names {slug}", lesson.slug);
            }
        }
    }

    /// The lanes show what a command did, such as the time that a document has left.
    #[test]
    fn no_command_of_a_card_runs_before_its_question() {
        for lesson in lessons() {
            for card in &lesson.cards {
                let blocks = card.parts.iter().filter_map(|part| match part {
                    Part::Block(block) => Some(&block.kind),
                    _ => None,
                });
                let is_run = |kind: &&BlockKind| matches!(kind, BlockKind::Run { .. });
                let first = blocks.clone().position(|kind| is_run(&kind));
                let question = blocks.clone().position(|it| matches!(it, BlockKind::Question(_)));
                let is_asked_first = question.is_none_or(|at| first.is_none_or(|run| at < run));
                assert!(is_asked_first, "{}: {}", lesson.slug, card.title);
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
        assert_eq!(known.collect::<BTreeMap<_, BTreeSet<_>>>(), asked.collect());
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
