//! Reads a lesson file. Everything that is wrong is found at once, each problem with its place.

mod body;
mod course;
mod duration;
mod front;
mod goal;
mod info;
pub mod keys;
#[cfg(test)]
mod mutated;
use crate::near;
mod problems;
mod question;
mod rules;
mod script;
mod table;
#[cfg(test)]
mod tests;

pub use body::MARKDOWN;
pub use course::{Course, CourseSheet, WHOLE, parse_course};
pub use duration::parse_ms as duration_ms;
pub use front::is_slug;
pub use crate::near::nearest;
pub use problems::Problems;

use crate::job::lesson::{Lesson, Problem};
use crate::limits::LESSON_FILE_BYTES_MAX;

/// Reads the bytes of a lesson file named `slug.md`.
pub fn read(slug: &str, bytes: &[u8]) -> Result<Lesson, Vec<Problem>> {
    match std::str::from_utf8(bytes) {
        Ok(text) => parse(slug, text),
        Err(error) => {
            let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into_owned();
            let problems = Problems::new(&before);
            problems.add(before.len(), "This is not UTF-8. Save the file as UTF-8.");
            Err(problems.into_sorted())
        }
    }
}

/// Reads the text of a lesson file named `slug.md`.
///
/// # Errors
/// Everything that is wrong with it, in the order of the file, at most
/// [`crate::limits::LESSON_PROBLEMS_MAX`].
pub fn parse(slug: &str, text: &str) -> Result<Lesson, Vec<Problem>> {
    let problems = Problems::new(text);
    let lesson = parse_into(slug, text, &problems);
    match (lesson, problems.is_empty()) {
        (Some(lesson), true) => Ok(lesson),
        _ => Err(problems.into_sorted()),
    }
}

fn parse_into(slug: &str, text: &str, problems: &Problems<'_>) -> Option<Lesson> {
    if text.len() > LESSON_FILE_BYTES_MAX {
        let most = LESSON_FILE_BYTES_MAX / 1_024;
        problems.add(0, format!("The file has more than {most} KiB. Make two lessons of it."));
        return None;
    }
    if !is_slug(slug) {
        let sentence =
            "The file's name has lower-case letters, digits and hyphens, and ends in .md.";
        problems.add(0, sentence);
    }
    let ranges = front::split(text, problems)?;
    let (start, end) = ranges.front;
    let front = front::read(slug, &text[start..end], start, problems);
    let show = front.as_ref().map(|(lesson, _)| lesson.show.as_slice()).unwrap_or_default();
    let (cards, is_known) = body::read(text, ranges.body, show, problems);
    let (mut lesson, places) = front?;
    lesson.cards = cards;
    rules::check(&mut lesson, &places, is_known, &rules::Places { text, problems });
    Some(lesson)
}
