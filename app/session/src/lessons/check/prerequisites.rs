//! Prerequisites that nothing leads to: a lesson that doesn't exist, or one that comes after this one.

use std::collections::BTreeSet;
use std::path::Path;

use crate::job::lesson::Problem;
use crate::lessons::file;

/// A lesson with the names of those before it.
pub(super) struct Listed<'a> {
    pub slug: &'a str,
    pub file: &'a Path,
    pub bytes: &'a [u8],
    pub after: Vec<String>,
}

impl<'a> Listed<'a> {
    /// One that can't be read has nothing before it.
    pub fn new(slug: &'a str, name: &'a str, bytes: &'a [u8]) -> Self {
        let after = file::read(slug, bytes).map(|lesson| lesson.after).unwrap_or_default();
        Self { slug, file: Path::new(name), bytes, after }
    }
}

/// The problem of one of these lessons. `is_shipped` knows the names of the program's.
pub(super) fn problem(
    at: usize,
    listed: &[Listed<'_>],
    is_shipped: impl Fn(&str) -> bool,
) -> Option<Problem> {
    let lesson = listed.get(at)?;
    let exists = |slug: &String| {
        let sibling = lesson.file.with_file_name(format!("{slug}.md"));
        find(lesson, slug, listed).is_some() || is_shipped(slug) || sibling.is_file()
    };
    let missing = lesson.after.iter().find(|slug| !exists(slug));
    let (name, sentence) = if let Some(slug) = missing {
        let sentence = format!(
            "`after` names `{slug}`, and there is no such lesson. Correct the name, or remove it."
        );
        (slug.clone(), sentence)
    } else {
        let circle = circle(at, listed)?;
        let sentence = format!(
            "`after` leads back to this lesson: {}. Remove one of these names.",
            circle.join(", after ")
        );
        (circle.get(1)?.clone(), sentence)
    };
    let (line, column) = file::place_of(&String::from_utf8_lossy(lesson.bytes), &name);
    Some(Problem { line, column, sentence })
}

/// The place of the lesson with this name in the folder of another one.
fn find(lesson: &Listed<'_>, slug: &str, listed: &[Listed<'_>]) -> Option<usize> {
    let is_it =
        |other: &Listed<'_>| other.slug == slug && other.file.parent() == lesson.file.parent();
    listed.iter().position(is_it)
}

/// The names on the way from a lesson back to itself, if there is one.
fn circle(start: usize, listed: &[Listed<'_>]) -> Option<Vec<String>> {
    let mut seen = BTreeSet::new();
    let mut ways = vec![(start, vec![listed.get(start)?.slug.to_owned()])];
    while let Some((at, way)) = ways.pop() {
        let lesson = listed.get(at)?;
        for slug in &lesson.after {
            let Some(next) = find(lesson, slug, listed) else { continue };
            let mut way = way.clone();
            way.push(slug.clone());
            if next == start {
                return Some(way);
            }
            if seen.insert(next) {
                ways.push((next, way));
            }
        }
    }
    None
}
