//! Where lessons come from: the program, a file of the user's, or a folder with a course.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mayfly_engine::store::open_chosen;

use super::check::{ANSWERS, Answers};
use super::file::{self, Course, CourseSheet};
use super::progress::Progress;
use super::shipped;
use crate::job::lesson::{
    Block, BlockKind, Lesson, LessonEntry, LessonKind, LessonList, LessonSource, Level,
    MissedQuestion, Part, Problem, Question, RepeatedQuestion, Stop, Tour,
};
use crate::limits::{COURSE_LESSONS_MAX, LESSON_FILE_BYTES_MAX};
use crate::source::kept_file::hash;

/// The file that makes a folder a course.
pub const COURSE_FILE: &str = "course.toml";

pub fn text(source: &LessonSource) -> Result<Vec<u8>, String> {
    match source {
        LessonSource::Shipped(slug) => shipped::text(slug)
            .map(|text| text.as_bytes().to_vec())
            .ok_or_else(|| format!("There is no lesson `{slug}`.")),
        LessonSource::File(path) => bytes_of(path),
    }
}

pub fn read(source: &LessonSource) -> Result<Arc<Lesson>, Vec<Problem>> {
    read_drawn(source, None)
}

/// The same with the numbers that a seed draws, if the file has `[vary]`.
pub fn read_drawn(source: &LessonSource, seed: Option<u64>) -> Result<Arc<Lesson>, Vec<Problem>> {
    let bytes = text(source).map_err(|sentence| vec![Problem { line: 1, column: 1, sentence }])?;
    file::read_drawn(&slug(source), &bytes, seed).map(Arc::new)
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

/// The lesson with this file, slug or number on the Lessons page, such as `2`, `02`, `c1` or `the-pass`.
pub fn find(name: &str, opened: &[PathBuf]) -> Option<LessonSource> {
    let path = Path::new(name);
    if path.extension().is_some_and(|extension| extension == "md") && path.is_file() {
        return Some(LessonSource::File(path.to_owned()));
    }
    let list = list(opened, &Progress::default());
    let wanted = plain_number(name);
    let is_meant = |entry: &&LessonEntry| {
        let (_, rest) = entry.slug.split_once('-').unwrap_or((&entry.slug, ""));
        let is_number = !wanted.is_empty() && plain_number(&list.number(entry)) == wanted;
        entry.slug == name || rest == name || is_number
    };
    list.lessons.iter().find(is_meant).map(|entry| entry.source.clone())
}

/// A number without leading zeros, after its letter: `02` is `2`, `c01` is `c1`.
fn plain_number(text: &str) -> String {
    let text = text.to_ascii_lowercase();
    let letter = text.strip_prefix(['c', 's']).map_or("", |_| &text[..1]);
    format!("{letter}{}", text[letter.len()..].trim_start_matches('0'))
}

/// The title of the course that comes with the program.
pub fn shipped_title() -> String {
    file::parse_course(shipped::COURSE).unwrap_or_default().title
}

fn shipped(list: &mut LessonList, progress: &Progress) {
    let course = file::parse_course(shipped::COURSE).unwrap_or_default();
    let slugs = shipped::FILES.iter().map(|(slug, _)| (*slug).to_owned()).collect();
    for slug in ordered(slugs, &course) {
        list.lessons.push(entry(LessonSource::Shipped(slug), None, progress));
    }
    let tours = course.sheets.into_iter();
    let tours = tours.map(|sheet| tour(sheet.title, sheet.lessons, LessonSource::Shipped));
    list.sheets.extend(tours);
    list.path = course.path;
    list.predicts.extend(course.predicts);
}

fn tour(title: String, slugs: Vec<String>, source: impl Fn(String) -> LessonSource) -> Arc<Tour> {
    let stop = |slug| Stop { source: source(slug), card: None, seed: None };
    Arc::new(Tour { title, stops: slugs.into_iter().map(stop).collect() })
}

/// The slugs of a course: first those that it orders, then the others by name.
fn ordered(mut slugs: Vec<String>, course: &Course) -> Vec<String> {
    slugs.sort();
    let places: BTreeMap<_, _> = course.order.iter().zip(0..).collect();
    slugs.sort_by_key(|slug| places.get(slug).copied().unwrap_or(usize::MAX));
    slugs
}

fn folder(path: &Path, list: &mut LessonList, progress: &Progress) -> Result<(), String> {
    let slugs = slugs_in(path, &mut list.errors)?;
    let (course, problems) = course(path, &slugs)?;
    for Problem { line, column, sentence } in problems {
        let file = path.join(COURSE_FILE);
        list.errors.push(format!("{}:{line}:{column}: {sentence}", file.display()));
    }
    for CourseSheet { title, lessons } in &course.sheets {
        let there: Vec<_> = lessons.iter().filter(|slug| slugs.contains(slug)).cloned().collect();
        if !there.is_empty() {
            let title = format!("{}: {title}", course.title);
            let source = |slug| LessonSource::File(path.join(format!("{slug}.md")));
            list.sheets.push(tour(title, there, source));
        }
    }
    if let Some(whole) = course.predicts.get(file::WHOLE) {
        list.predicts.insert(course.title.clone(), whole.clone());
    }
    for slug in ordered(slugs, &course) {
        let file = path.join(format!("{slug}.md"));
        list.lessons.push(entry(LessonSource::File(file), Some(course.title.clone()), progress));
    }
    Ok(())
}

/// The lesson files of a folder in their order, and the problems of its course.
///
/// # Errors
/// One sentence: the folder or its course can't be read.
pub fn files_in(folder: &Path) -> Result<(Vec<PathBuf>, Vec<Problem>), String> {
    let mut left_out = Vec::new();
    let slugs = slugs_in(folder, &mut left_out)?;
    let (course, found) = course(folder, &slugs)?;
    let whole = |sentence| Problem { line: 1, column: 1, sentence };
    let problems = left_out.into_iter().map(whole).chain(found).collect();
    let files = ordered(slugs, &course).into_iter().map(|slug| folder.join(format!("{slug}.md")));
    Ok((files.collect(), problems))
}

/// The names of the lesson files in a folder. Adds a sentence for each that is left out.
fn slugs_in(path: &Path, errors: &mut Vec<String>) -> Result<Vec<String>, String> {
    let shown = path.display();
    let failed = |error: std::io::Error| format!("Can't read the folder {shown}: {error}.");
    let root = fs::canonicalize(path).map_err(failed)?;
    let mut slugs = Vec::new();
    for item in fs::read_dir(path).map_err(failed)? {
        let file = item.map_err(failed)?.path();
        let is_lesson = file.extension().is_some_and(|extension| extension == "md");
        if !is_lesson || slug_of(&file).eq_ignore_ascii_case("readme") {
            continue;
        }
        if !fs::canonicalize(&file).is_ok_and(|target| target.starts_with(&root)) {
            let sentence = format!("{} leads out of its folder and is left out.", file.display());
            errors.push(sentence);
            continue;
        }
        if slugs.len() == COURSE_LESSONS_MAX {
            let sentence = format!("{shown} has more than {COURSE_LESSONS_MAX} lessons.");
            errors.push(sentence);
            break;
        }
        slugs.push(slug_of(&file));
    }
    Ok(slugs)
}

/// The course of a folder with these lessons, and the problems of its file. Without one that can be
/// read, its title is the folder's name.
///
/// # Errors
/// One sentence: the system can't read the file.
fn course(folder: &Path, slugs: &[String]) -> Result<(Course, Vec<Problem>), String> {
    let path = folder.join(COURSE_FILE);
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    let title = name.unwrap_or_else(|| "Lessons".to_owned());
    let unordered = Course { title, ..Course::default() };
    if !path.exists() {
        return Ok((unordered, Vec::new()));
    }
    let bytes = bytes_of(&path)?;
    let course = match file::read_course(&bytes) {
        Ok(course) => course,
        Err(problems) => return Ok((unordered, problems)),
    };
    let text = String::from_utf8_lossy(&bytes);
    let on_sheets = course.sheets.iter().flat_map(|sheet| &sheet.lessons);
    let named: BTreeSet<&String> =
        course.order.iter().chain(&course.path).chain(on_sheets).collect();
    let missing = named.into_iter().filter(|slug| !slugs.contains(slug));
    let mut problems: Vec<Problem> = missing
        .map(|slug| {
            let (line, column) = file::place_of(&text, slug);
            let sentence = format!(
                "`{slug}` has no file {slug}.md in this folder. Add it, or remove the name."
            );
            Problem { line, column, sentence }
        })
        .collect();
    problems.sort();
    Ok((course, problems))
}

fn entry(source: LessonSource, course: Option<String>, progress: &Progress) -> LessonEntry {
    let slug = slug(&source);
    let bytes = text(&source);
    let found = bytes.as_ref().map_or(0, |bytes| hash(bytes));
    let lesson = match &bytes {
        Ok(bytes) => file::read(&slug, bytes),
        Err(sentence) => Err(vec![Problem { line: 1, column: 1, sentence: sentence.clone() }]),
    };
    let missed = progress.missed(&source, found);
    let repeats = progress.repeats(&source, found);
    let progress = progress.of(&source, found);
    let varies = bytes.as_ref().is_ok_and(|bytes| file::varies(&String::from_utf8_lossy(bytes)));
    match lesson {
        Ok(lesson) => LessonEntry {
            source,
            slug,
            missed: missed_of(&lesson, &missed),
            repeats: repeats_of(&lesson, &repeats),
            varies,
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
            missed: Vec::new(),
            repeats: Vec::new(),
            varies,
        },
    }
}

/// The questions of a lesson with the indexes of their cards.
pub(super) fn questions(lesson: &Lesson) -> impl Iterator<Item = (usize, &Question)> {
    let parts = lesson.cards.iter().enumerate();
    let parts = parts.flat_map(|(at, card)| card.parts.iter().map(move |part| (at, part)));
    parts.filter_map(|(card, part)| match part {
        Part::Block(Block { kind: BlockKind::Question(question), .. }) => Some((card, question)),
        _ => None,
    })
}

/// The questions of a lesson with these ids.
fn missed_of(lesson: &Lesson, ids: &BTreeSet<String>) -> Vec<MissedQuestion> {
    let missed = questions(lesson).filter(|(_, question)| ids.contains(&question.id));
    let of =
        |(card, question): (usize, &Question)| MissedQuestion { text: question.text.clone(), card };
    missed.map(of).collect()
}

/// The questions of a lesson that are due at these instants.
fn repeats_of(lesson: &Lesson, due: &BTreeMap<String, i64>) -> Vec<RepeatedQuestion> {
    let due = questions(lesson).filter_map(|(card, question)| {
        due.get(&question.id).map(|due_ms| RepeatedQuestion { card, due_ms: *due_ms })
    });
    due.collect()
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
            ("7", Some("45-a-path-through-an-array")),
            ("s10", Some("s10-secondaries")),
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
        write(
            "course.toml",
            "title = \"Mine\"\norder = [\"b\", \"a\", \"gone\"]\n\
            [[sheet]]\ntitle = \"Short\"\nlessons = [\"a\", \"gone\"]",
        );
        let list = list(&[folder.path().to_owned()], &Progress::default());
        let mine = list.lessons.iter().filter(|entry| entry.course.as_deref() == Some("Mine"));
        let found: Vec<_> =
            mine.map(|entry| (entry.slug.as_str(), entry.problems.is_empty())).collect();
        assert_eq!(found, [("b", true), ("a", true), ("broken", false)]);
        let sheet = list.sheets.last().expect("a run sheet");
        assert_eq!((sheet.title.as_str(), sheet.stops.len()), ("Mine: Short", 1));
        assert_eq!(sheet.stops[0].source, LessonSource::File(folder.path().join("a.md")));
        assert_eq!(list.errors.len(), 1);
        let error = &list.errors[0];
        assert!(error.contains("course.toml:2:20: `gone` has no file gone.md"), "{error}");
    }

    #[test]
    fn a_course_is_checked_as_it_is_listed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(COURSE_FILE);
        fs::write(folder.path().join("a.md"), LESSON).unwrap();
        let sheet = "title = \"T\"\n[[sheet]]\ntitle = \"S\"\nlessons = [\"a\", \"gone\"]";
        for (text, expected) in [
            (sheet.as_bytes(), "4:17: `gone` has no file gone.md"),
            (b"title = \"\xff\"", "1:10: This is not UTF-8."),
            (b"", "1:1: The course has no `title`."),
        ] {
            fs::write(&file, text).unwrap();
            let (files, problems) = files_in(folder.path()).unwrap();
            let [Problem { line, column, sentence }] = problems.as_slice() else {
                panic!("{problems:?}");
            };
            let found = format!("{line}:{column}: {sentence}");
            assert!(found.starts_with(expected), "{found}");
            let listed = list(&[folder.path().to_owned()], &Progress::default());
            assert_eq!(listed.errors, [format!("{}:{found}", file.display())]);
            assert_eq!(files, [folder.path().join("a.md")]);
        }
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        assert!(files_in(folder.path()).is_err());
        let listed = list(&[folder.path().to_owned()], &Progress::default());
        assert_eq!(listed.errors, [format!("{} is not a file.", file.display())]);
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
    fn some_lessons_have_other_numbers_for_a_repetition() {
        let varied = shipped::FILES.iter().filter(|(_, text)| file::varies(text));
        let mut count = 0;
        for (slug, _) in varied {
            let source = LessonSource::Shipped((*slug).to_owned());
            let first = read(&source).unwrap();
            let drawn = |seed| read_drawn(&source, Some(seed)).unwrap();
            assert!((0..20).any(|seed| drawn(seed).cards != first.cards), "{slug}");
            count += 1;
        }
        assert!(count >= 3, "{count}");
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
