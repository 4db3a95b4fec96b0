//! Where lessons come from: the program, a file of the user's, or a folder with a course.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mayfly_engine::store::open_chosen;

use super::check::{ANSWERS, Answers};
use super::file::{self, Course};
use super::progress::Progress;
use super::shipped;
use crate::job::lesson::{
    Lesson, LessonEntry, LessonKind, LessonList, LessonSource, Level, Problem,
};
use crate::limits::{COURSE_LESSONS_MAX, LESSON_FILE_BYTES_MAX};
use crate::source::kept_file::hash;

/// The file that makes a folder a course.
const COURSE_FILE: &str = "course.toml";

pub fn text(source: &LessonSource) -> Result<Vec<u8>, String> {
    match source {
        LessonSource::Shipped(slug) => shipped::text(slug)
            .map(|text| text.as_bytes().to_vec())
            .ok_or_else(|| format!("There is no lesson `{slug}`.")),
        LessonSource::File(path) => bytes_of(path),
    }
}

pub fn read(source: &LessonSource) -> Result<Arc<Lesson>, Vec<Problem>> {
    let bytes = text(source).map_err(|sentence| vec![Problem { line: 1, column: 1, sentence }])?;
    file::read(&slug(source), &bytes).map(Arc::new)
}

/// The known answers of a lesson's questions, by their ids: those of the program, or of the
/// [`ANSWERS`] next to a file.
///
/// # Errors
/// One sentence: the file with the answers can't be read.
pub fn known_answers(source: &LessonSource) -> Result<BTreeMap<String, String>, String> {
    let known = match source {
        LessonSource::Shipped(slug) => shipped::checked(slug).map(|checked| checked.answers),
        LessonSource::File(path) => recorded(&path.with_file_name(ANSWERS))?.remove(&slug_of(path)),
    };
    Ok(known.unwrap_or_default())
}

/// The answers in a file, which may be missing.
///
/// # Errors
/// One sentence: it can't be read.
pub fn recorded(file: &Path) -> Result<Answers, String> {
    if !file.exists() {
        return Ok(Answers::new());
    }
    serde_json::from_slice(&bytes_of(file)?)
        .map_err(|error| format!("{} is not a list of answers: {error}.", file.display()))
}

/// The name of a lesson's file without `.md`.
pub fn slug(source: &LessonSource) -> String {
    match source {
        LessonSource::Shipped(slug) => slug.clone(),
        LessonSource::File(path) => slug_of(path),
    }
}

/// Every lesson: those of the program, then those of these files and folders.
pub fn list(opened: &[PathBuf], progress: &Progress) -> LessonList {
    let mut list = LessonList::default();
    shipped(&mut list, progress);
    for path in opened {
        if path.is_dir() {
            if let Err(sentence) = folder(path, &mut list, progress) {
                list.errors.push(sentence);
            }
        } else {
            list.lessons.push(entry(LessonSource::File(path.clone()), None, progress));
        }
    }
    list
}

/// The lesson with this file, slug or number, such as `2`, `02`, `c1` or `the-pass`.
pub fn find(name: &str, opened: &[PathBuf]) -> Option<LessonSource> {
    let path = Path::new(name);
    if path.extension().is_some_and(|extension| extension == "md") && path.is_file() {
        return Some(LessonSource::File(path.to_owned()));
    }
    let list = list(opened, &Progress::default());
    let wanted = plain_number(name);
    let is_meant = |entry: &&LessonEntry| {
        let (number, rest) = entry.slug.split_once('-').unwrap_or((&entry.slug, ""));
        entry.slug == name || rest == name || plain_number(number) == wanted
    };
    list.lessons.iter().find(is_meant).map(|entry| entry.source.clone())
}

/// A number without leading zeros, after its letter: `02` is `2`, `c01` is `c1`.
fn plain_number(text: &str) -> String {
    let text = text.to_ascii_lowercase();
    let letter = text.strip_prefix(['c', 's']).map_or("", |_| &text[..1]);
    format!("{letter}{}", text[letter.len()..].trim_start_matches('0'))
}

fn shipped(list: &mut LessonList, progress: &Progress) {
    let course = file::parse_course(shipped::COURSE).unwrap_or_default();
    let slugs = shipped::FILES.iter().map(|(slug, _)| (*slug).to_owned()).collect();
    for slug in ordered(slugs, &course) {
        list.lessons.push(entry(LessonSource::Shipped(slug), None, progress));
    }
    list.path = course.path;
}

/// The slugs of a course: first those that it orders, then the others by name.
fn ordered(mut slugs: Vec<String>, course: &Course) -> Vec<String> {
    slugs.sort();
    let places: BTreeMap<_, _> = course.order.iter().zip(0..).collect();
    slugs.sort_by_key(|slug| places.get(slug).copied().unwrap_or(usize::MAX));
    slugs
}

fn folder(path: &Path, list: &mut LessonList, progress: &Progress) -> Result<(), String> {
    let shown = path.display();
    let failed = |error: std::io::Error| format!("Can't read the folder {shown}: {error}.");
    let root = fs::canonicalize(path).map_err(failed)?;
    let course = course(path, &mut list.errors);
    let mut slugs = Vec::new();
    for item in fs::read_dir(path).map_err(failed)? {
        let file = item.map_err(failed)?.path();
        let is_lesson = file.extension().is_some_and(|extension| extension == "md");
        if !is_lesson || slug_of(&file).eq_ignore_ascii_case("readme") {
            continue;
        }
        if !fs::canonicalize(&file).is_ok_and(|target| target.starts_with(&root)) {
            let sentence = format!("{} leads out of its folder and is left out.", file.display());
            list.errors.push(sentence);
            continue;
        }
        if slugs.len() == COURSE_LESSONS_MAX {
            let sentence = format!("{shown} has more than {COURSE_LESSONS_MAX} lessons.");
            list.errors.push(sentence);
            break;
        }
        slugs.push(slug_of(&file));
    }
    for slug in course.order.iter().filter(|slug| !slugs.contains(slug)) {
        list.errors.push(format!("{COURSE_FILE} in {shown} names `{slug}`, which has no file."));
    }
    for slug in ordered(slugs, &course) {
        let file = path.join(format!("{slug}.md"));
        list.lessons.push(entry(LessonSource::File(file), Some(course.title.clone()), progress));
    }
    Ok(())
}

/// The course of a folder; without one, its title is the folder's name.
fn course(folder: &Path, errors: &mut Vec<String>) -> Course {
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    let unordered =
        Course { title: name.unwrap_or_else(|| "Lessons".to_owned()), ..Course::default() };
    let path = folder.join(COURSE_FILE);
    if !path.exists() {
        return unordered;
    }
    let bytes = bytes_of(&path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    match bytes.map(|text| file::parse_course(&text)) {
        Ok(Ok(course)) => course,
        Ok(Err(problems)) => {
            for problem in problems {
                let Problem { line, column, sentence } = problem;
                errors.push(format!("{}:{line}:{column}: {sentence}", path.display()));
            }
            unordered
        }
        Err(sentence) => {
            errors.push(sentence);
            unordered
        }
    }
}

fn entry(source: LessonSource, course: Option<String>, progress: &Progress) -> LessonEntry {
    let slug = slug(&source);
    let bytes = text(&source);
    let found = bytes.as_ref().map_or(0, |bytes| hash(bytes));
    let lesson = match &bytes {
        Ok(bytes) => file::read(&slug, bytes),
        Err(sentence) => Err(vec![Problem { line: 1, column: 1, sentence: sentence.clone() }]),
    };
    let progress = progress.of(&source, found);
    match lesson {
        Ok(lesson) => LessonEntry {
            source,
            slug,
            title: lesson.title,
            minutes: lesson.minutes,
            level: lesson.level,
            kind: lesson.kind,
            cards: lesson.cards.len(),
            after: lesson.after,
            course,
            problems: Vec::new(),
            progress,
        },
        Err(problems) => LessonEntry {
            source,
            title: slug.clone(),
            slug,
            minutes: 0,
            level: Level::Start,
            kind: LessonKind::Lesson,
            cards: 0,
            after: Vec::new(),
            course,
            problems,
            progress,
        },
    }
}

fn slug_of(path: &Path) -> String {
    path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Reads a file that is no longer than a lesson may be.
fn bytes_of(path: &Path) -> Result<Vec<u8>, String> {
    let failed = |error: std::io::Error| format!("Can't read {}: {error}.", path.display());
    if !fs::metadata(path).map_err(failed)?.is_file() {
        return Err(format!("{} is not a file.", path.display()));
    }
    let most = u64::try_from(LESSON_FILE_BYTES_MAX).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    let file = open_chosen(path).map_err(failed)?;
    // One byte more than a lesson may have, so that its reader refuses a longer one.
    file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LESSON: &str = "+++\ntitle = \"T\"\nminutes = 1\nlevel = \"core\"\nshow = [\"a\"]\n[clock]\n\
        start = 2026-01-01T12:00:00Z\n+++\n\n## One\n\n```js setup\ndb.a.insertOne({})\n```\n";

    #[test]
    fn lessons_are_found_by_number_and_name() {
        for (name, slug) in [
            ("2", Some("02-the-pass")),
            ("02", Some("02-the-pass")),
            ("the-pass", Some("02-the-pass")),
            ("02-the-pass", Some("02-the-pass")),
            ("c1", Some("c01-keep-ada-signed-in")),
            ("C10", Some("c10-undo-a-typo")),
            ("99", None),
            ("", None),
        ] {
            let found = find(name, &[]).map(|source| super::slug(&source));
            assert_eq!(found.as_deref(), slug, "{name}");
        }
    }

    #[test]
    fn a_folder_is_a_course() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("b.md", LESSON);
        write("a.md", LESSON);
        write("broken.md", "x");
        write("README.md", "x");
        write("course.toml", "title = \"Mine\"\norder = [\"b\", \"a\", \"gone\"]");
        let list = list(&[folder.path().to_owned()], &Progress::default());
        let mine = list.lessons.iter().filter(|entry| entry.course.as_deref() == Some("Mine"));
        let found: Vec<_> =
            mine.map(|entry| (entry.slug.as_str(), entry.problems.is_empty())).collect();
        assert_eq!(found, [("b", true), ("a", true), ("broken", false)]);
        assert_eq!(list.errors.len(), 1);
        assert!(list.errors[0].ends_with("names `gone`, which has no file."), "{:?}", list.errors);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_the_folder_is_left_out() {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("a.md"), LESSON).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("a.md");
        std::os::unix::fs::symlink(outside.path().join("a.md"), &link).unwrap();
        let list = list(&[folder.path().to_owned()], &Progress::default());
        assert!(list.lessons.iter().all(|entry| entry.course.is_none()));
        assert!(list.errors[0].contains("leads out of its folder"), "{:?}", list.errors);
    }

    #[test]
    fn a_long_file_and_a_folder_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.md");
        fs::write(&path, vec![b'a'; 10 * LESSON_FILE_BYTES_MAX]).unwrap();
        let problems = read(&LessonSource::File(path)).unwrap_err();
        assert!(problems[0].sentence.contains("64 KiB"), "{problems:?}");
        let problems = read(&LessonSource::File(folder.path().to_owned())).unwrap_err();
        assert!(problems[0].sentence.ends_with("is not a file."), "{problems:?}");
    }
}
