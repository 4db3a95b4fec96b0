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
mod problems;
mod question;
mod rules;
mod script;
mod table;
#[cfg(test)]
mod tests;
mod vary;

pub use body::MARKDOWN;
pub use course::{Course, CourseSheet, WHOLE, parse_course};
pub use duration::parse_ms as duration_ms;
pub use front::is_slug;
pub use problems::{Problems, place_of};
pub use vary::{SeededNumbers, varies};

use std::borrow::Cow;

use crate::job::lesson::{Lesson, Problem};
use crate::limits::LESSON_FILE_BYTES_MAX;

/// Reads the bytes of a lesson file named `slug.md`.
pub fn read(slug: &str, bytes: &[u8]) -> Result<Lesson, Vec<Problem>> {
    read_drawn(slug, bytes, None)
}

/// The same with the values that a seed draws.
pub fn read_drawn(slug: &str, bytes: &[u8], seed: Option<u64>) -> Result<Lesson, Vec<Problem>> {
    parse_drawn(slug, &decode(bytes)?, seed)
}

/// Reads the bytes of a `course.toml`.
pub fn read_course(bytes: &[u8]) -> Result<Course, Vec<Problem>> {
    parse_course(&decode(bytes)?)
}

/// The text of a file. One that is too long may end within a character.
fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, Vec<Problem>> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Cow::Borrowed(text)),
        Err(_) if bytes.len() > LESSON_FILE_BYTES_MAX => Ok(String::from_utf8_lossy(bytes)),
        Err(error) => {
            let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into_owned();
            let problems = Problems::new(&before);
            problems.add(before.len(), "This is not UTF-8. Save the file as UTF-8.");
            Err(problems.into_sorted())
        }
    }
}

/// Reads the text of a lesson file named `slug.md`. Of a `[vary]`, the first values count.
///
/// # Errors
/// Everything that is wrong with it, in the order of the file, at most
/// [`crate::limits::LESSON_PROBLEMS_MAX`].
pub fn parse(slug: &str, text: &str) -> Result<Lesson, Vec<Problem>> {
    parse_drawn(slug, text, None)
}

/// The same with the values that a seed draws.
pub fn parse_drawn(slug: &str, text: &str, seed: Option<u64>) -> Result<Lesson, Vec<Problem>> {
    if !varies(text) || text.len() > LESSON_FILE_BYTES_MAX {
        return parse_text(slug, text);
    }
    let problems = Problems::new(text);
    if let Some(text) = vary::draw(slug, text, seed, &problems) {
        return parse_text(slug, &text);
    }
    if problems.is_empty() {
        problems.add(0, "The values of [vary] can't be drawn. [clock] needs a start.");
    }
    Err(problems.into_sorted())
}

fn parse_text(slug: &str, text: &str) -> Result<Lesson, Vec<Problem>> {
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
