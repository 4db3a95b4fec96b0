//! `course.toml`: the title and the order of a folder of lessons.

use super::table::{self, Table};
use super::{Problems, is_slug};
use crate::job::lesson::Problem;
use crate::limits::{COURSE_LESSONS_MAX, LESSON_FILE_BYTES_MAX};

/// The contents of `course.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Course {
    pub title: String,
    /// The slugs in the order shown.
    pub order: Vec<String>,
    /// The slugs of a short path through it.
    pub path: Vec<String>,
}

/// Reads the text of `course.toml`.
pub fn parse_course(text: &str) -> Result<Course, Vec<Problem>> {
    let problems = Problems::new(text);
    let course = read(text, &problems);
    match (course, problems.is_empty()) {
        (Some(course), true) => Ok(course),
        _ => Err(problems.into_sorted()),
    }
}

fn read(text: &str, problems: &Problems<'_>) -> Option<Course> {
    if text.len() > LESSON_FILE_BYTES_MAX {
        problems.add(0, "The file is too long for a course.");
        return None;
    }
    let parsed = table::parse(text, 0, problems)?;
    let table = Table::new(parsed.get_ref(), "The course", (0, 0), problems);
    let title = table.required_text("title", "title = \"My course\"").unwrap_or_default();
    let order = slugs(&table, "order", problems);
    if order.len() > COURSE_LESSONS_MAX {
        table.problem("order", &format!("A course has at most {COURSE_LESSONS_MAX} lessons."));
    }
    let path = slugs(&table, "path", problems);
    if let Some(slug) = path.iter().find(|slug| !order.is_empty() && !order.contains(slug)) {
        table
            .problem("path", &format!("`path` names `{slug}`, which `order` lacks. Add it there."));
    }
    table.finish();
    Some(Course { title, order, path })
}

fn slugs(table: &Table<'_>, key: &'static str, problems: &Problems<'_>) -> Vec<String> {
    let mut slugs: Vec<String> = Vec::new();
    for (slug, at) in table.texts(key).unwrap_or_default() {
        if !is_slug(&slug) {
            let sentence = "Write the name of a file in this folder without .md.";
            problems.add(at, format!("`{slug}` is not a lesson. {sentence}"));
        } else if slugs.contains(&slug) {
            problems.add(at, format!("`{key}` names `{slug}` twice. Remove one."));
        } else {
            slugs.push(slug);
        }
    }
    slugs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_course_is_read() {
        let course = parse_course("title = \"T\"\norder = [\"a\", \"b\"]\npath = [\"b\"]").unwrap();
        assert_eq!((course.title.as_str(), course.order.len(), course.path.len()), ("T", 2, 1));
        let problems = parse_course("title = \"T\"\nordr = []\npath = [\"../a\", \"b\", \"b\"]");
        let lines: Vec<_> = problems.unwrap_err().iter().map(|found| found.line).collect();
        assert_eq!(lines, [2, 3, 3]);
    }
}
