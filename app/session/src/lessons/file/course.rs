//! `course.toml`: the title and the order of a folder of lessons, and run sheets for lecturers.

use std::collections::BTreeMap;

use super::table::{self, Table};
use super::{Problems, is_slug, keys};
use crate::job::lesson::{Level, Problem};
use crate::limits::{COURSE_LESSONS_MAX, COURSE_SHEETS_MAX, LESSON_FILE_BYTES_MAX};

/// The contents of `course.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Course {
    pub title: String,
    /// The slugs in the order shown.
    pub order: Vec<String>,
    /// The slugs of a short path through it.
    pub path: Vec<String>,
    /// The predictions that each series teaches: by `path`, the name of a level or `course`.
    pub predicts: BTreeMap<String, Vec<String>>,
    pub sheets: Vec<CourseSheet>,
}

/// A run sheet: the lessons and scenes of one lecture, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CourseSheet {
    pub title: String,
    /// The slugs, at least one.
    pub lessons: Vec<String>,
}

/// The key of a whole course in `[predicts]`.
pub const WHOLE: &str = "course";

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
    let table = Table::new(parsed.get_ref(), &keys::COURSE, (0, 0), problems);
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
    let predicts = predicts(&table);
    let sheets = sheets(&table, &order, problems);
    table.finish();
    Some(Course { title, order, path, predicts, sheets })
}

fn sheets(course: &Table<'_>, order: &[String], problems: &Problems<'_>) -> Vec<CourseSheet> {
    let mut sheets: Vec<CourseSheet> = Vec::new();
    let tables = course.tables("sheet", &keys::SHEET);
    if tables.len() > COURSE_SHEETS_MAX {
        course.problem("sheet", &format!("A course has at most {COURSE_SHEETS_MAX} sheets."));
    }
    for sheet in tables {
        let title = sheet.required_text("title", "title = \"45 minutes\"").unwrap_or_default();
        if sheets.iter().any(|other| other.title == title) {
            sheet.problem("title", &format!("Two sheets have the title `{title}`. Rename one."));
        }
        if sheet.place("lessons").is_none() {
            sheet.missing("lessons", "lessons = [\"01-my-lesson\"]");
        }
        let lessons = slugs(&sheet, "lessons", problems);
        if let Some(slug) = lessons.iter().find(|slug| !order.is_empty() && !order.contains(slug)) {
            let sentence = format!("The sheet names `{slug}`, which `order` lacks. Add it there.");
            sheet.problem("lessons", &sentence);
        }
        sheet.finish();
        if !lessons.is_empty() {
            sheets.push(CourseSheet { title, lessons });
        }
    }
    sheets
}

fn predicts(course: &Table<'_>) -> BTreeMap<String, Vec<String>> {
    let Some(table) = course.table("predicts", &keys::PREDICTS) else { return BTreeMap::new() };
    let keys = Level::ALL.map(Level::name).into_iter().chain(["path", WHOLE]);
    let of_key = |key: &'static str| {
        let sentences = table.texts(key)?.into_iter().map(|(sentence, _)| sentence);
        Some((key.to_owned(), sentences.collect()))
    };
    let found = keys.filter_map(of_key).collect();
    table.finish();
    found
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
        let course = parse_course("title = \"T\"\n[predicts]\ncore = [\"when\"]").unwrap();
        assert_eq!(course.predicts, BTreeMap::from([("core".to_owned(), vec!["when".to_owned()])]));
        assert!(parse_course("title = \"T\"\n[predicts]\nmiddle = [\"when\"]").is_err());
        let sheet = "[[sheet]]\ntitle = \"S\"\nlessons = [\"b\", \"a\"]\n";
        let course = parse_course(&format!("title = \"T\"\n{sheet}")).unwrap();
        assert_eq!(course.sheets[0].lessons, ["b", "a"]);
        for (text, expected) in [
            (format!("order = [\"b\"]\n{sheet}"), "names `a`, which `order` lacks"),
            (format!("{sheet}{sheet}"), "Two sheets have the title `S`"),
            ("[[sheet]]\ntitle = \"S\"".to_owned(), "has no `lessons`"),
            (format!("{sheet}lesons = []"), "Did you mean `lessons`?"),
            ("[sheet]\ntitle = \"S\"".to_owned(), "[[sheet]]"),
        ] {
            let problems = parse_course(&format!("title = \"T\"\n{text}")).unwrap_err();
            assert!(problems[0].sentence.contains(expected), "{problems:?}");
        }
        let problems = parse_course("title = \"T\"\nordr = []\npath = [\"../a\", \"b\", \"b\"]");
        let lines: Vec<_> = problems.unwrap_err().iter().map(|found| found.line).collect();
        assert_eq!(lines, [2, 3, 3]);
    }
}
