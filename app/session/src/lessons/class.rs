//! The record of a learner, which a file carries to a teacher, and the table of a class.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use mayfly_engine::store::open_chosen;
use serde::{Deserialize, Serialize};

use super::progress::Progress;
use super::{file, library, paper, stage};
use crate::job::invisible::with_marks;
use crate::job::lesson::{LessonEntry, LessonProgress};
use crate::limits::{CLASS_FILE_BYTES_MAX, CLASS_FILES_MAX};
use crate::source::kept_file::hash;

/// The version of the file.
const VERSION: u32 = 1;

/// The lessons of one learner with the first guesses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LearnerRecord {
    mayfly_lessons: u32,
    pub name: String,
    pub lessons: Vec<LessonRecord>,
}

/// A lesson that was opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LessonRecord {
    /// The name of its file without `.md`.
    pub lesson: String,
    pub title: String,
    pub done: bool,
    pub guesses: Vec<GuessRecord>,
}

/// The first guess of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuessRecord {
    /// The id of the question.
    pub id: String,
    pub question: String,
    pub guess: String,
    /// `None` if the answer was not played.
    pub right: Option<bool>,
}

impl LearnerRecord {
    /// The lessons of the program and of these files and folders that were opened.
    pub fn own(name: String, opened: &[PathBuf], progress: &Progress) -> Self {
        let list = library::list(opened, progress);
        let lessons = list.lessons.iter().filter_map(|entry| lesson(entry, progress)).collect();
        Self { mayfly_lessons: VERSION, name, lessons }
    }

    /// Reads a file that [`to_json`](Self::to_json) wrote.
    ///
    /// # Errors
    /// One sentence: why the file can't be read.
    pub fn read(path: &Path) -> Result<Self, String> {
        let shown = path.display();
        let failed = |error: std::io::Error| format!("Can't read {shown}: {error}.");
        let mut bytes = Vec::new();
        let most = u64::try_from(CLASS_FILE_BYTES_MAX).unwrap_or(u64::MAX);
        let file = open_chosen(path).map_err(failed)?;
        file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
        let wrong = "Write it with mayfly lesson progress --export";
        if bytes.len() > CLASS_FILE_BYTES_MAX {
            return Err(format!("{shown} is too long for progress in lessons. {wrong}."));
        }
        let record: Self = serde_json::from_slice(&bytes)
            .map_err(|_| format!("{shown} has no progress in lessons. {wrong}."))?;
        if record.mayfly_lessons > VERSION {
            return Err(format!("{shown} is from a newer Mayfly. Update this one."));
        }
        Ok(record)
    }

    pub fn to_json(&self) -> String {
        // A struct of texts is always JSON.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    fn score(&self) -> Score {
        let mut score = Score::default();
        for lesson in &self.lessons {
            score.done += usize::from(lesson.done);
            score.add(&lesson.guesses);
        }
        score
    }
}

fn lesson(entry: &LessonEntry, progress: &Progress) -> Option<LessonRecord> {
    let bytes = library::text(&entry.source).ok()?;
    let first = progress.first_guesses(&entry.source, hash(&bytes));
    let is_opened = entry.progress != LessonProgress::NotStarted || !first.is_empty();
    let lesson = file::read(&entry.slug, &bytes).ok().filter(|_| is_opened)?;
    let start_ms = lesson.start_ms.unwrap_or(stage::BUILD_MS);
    let guesses = library::questions(&lesson).filter_map(|(_, question)| {
        let first = first.get(&question.id)?;
        Some(GuessRecord {
            id: question.id.clone(),
            question: question.text.clone(),
            guess: paper::guess_words(question, &first.guess, start_ms),
            right: first.is_right,
        })
    });
    Some(LessonRecord {
        lesson: entry.slug.clone(),
        title: entry.title.clone(),
        done: entry.progress == LessonProgress::Done,
        guesses: guesses.collect(),
    })
}

#[derive(Debug, Clone, Copy, Default)]
struct Score {
    /// Learners or lessons that are done.
    done: usize,
    right: usize,
    answered: usize,
}

impl Score {
    fn add(&mut self, guesses: &[GuessRecord]) {
        let known = guesses.iter().filter_map(|guess| guess.right);
        for right in known {
            self.answered += 1;
            self.right += usize::from(right);
        }
    }

    fn words(self) -> String {
        format!("{} of {}", self.right, self.answered)
    }
}

/// The contents of the files of a class.
#[derive(Debug, Default)]
pub struct ClassRecords {
    /// One of each: a file that is named twice counts once.
    pub records: Vec<LearnerRecord>,
    /// A sentence for each file that can't be read.
    pub failed: Vec<String>,
}

/// Reads the records of a class. One bad file doesn't take the others.
///
/// # Errors
/// One sentence, when there are too many files.
pub fn read_all(files: &[PathBuf]) -> Result<ClassRecords, String> {
    if files.len() > CLASS_FILES_MAX {
        return Err(format!("A table has at most {CLASS_FILES_MAX} files. Name fewer."));
    }
    let mut class = ClassRecords::default();
    for found in files.iter().map(|file| LearnerRecord::read(file)) {
        match found {
            Ok(record) if class.records.contains(&record) => {}
            Ok(record) => class.records.push(record),
            Err(sentence) => class.failed.push(sentence),
        }
    }
    Ok(class)
}

/// A line for each learner, then one for each lesson in the order of the courses.
pub fn table(records: &[LearnerRecord]) -> String {
    let mut rows =
        vec![["Name".to_owned(), "Lessons done".to_owned(), "First guesses right".to_owned()]];
    for record in records {
        let score = record.score();
        rows.push([with_marks(&record.name), score.done.to_string(), score.words()]);
    }
    let mut out = columns(&rows);
    let lessons = by_lesson(records);
    if !lessons.is_empty() {
        let count = records.len();
        let mut rows =
            vec![["Lesson".to_owned(), "Done by".to_owned(), "First guesses right".to_owned()]];
        for (title, score) in lessons {
            rows.push([with_marks(title), format!("{} of {count}", score.done), score.words()]);
        }
        out.push('\n');
        out.push_str(&columns(&rows));
    }
    out
}

/// The lessons with their scores. Their order is that of the first record that has them.
fn by_lesson(records: &[LearnerRecord]) -> Vec<(&str, Score)> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut lessons: Vec<(&str, Score)> = Vec::new();
    for lesson in records.iter().flat_map(|record| &record.lessons) {
        let place = *places.entry(&lesson.lesson).or_insert_with(|| {
            lessons.push((&lesson.title, Score::default()));
            lessons.len() - 1
        });
        if let Some((_, score)) = lessons.get_mut(place) {
            score.done += usize::from(lesson.done);
            score.add(&lesson.guesses);
        }
    }
    lessons
}

fn columns(rows: &[[String; 3]]) -> String {
    let width =
        |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|it| it.chars().count()).max();
    let (first, second) = (width(0).unwrap_or(0), width(1).unwrap_or(0));
    let mut out = String::new();
    for [name, done, right] in rows {
        // Writing to a String can't fail.
        let _ = writeln!(out, "{name:<first$}  {done:<second$}  {right}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::lesson::{Guess, LessonSource};

    fn ada() -> LearnerRecord {
        let source = LessonSource::Shipped("02-the-pass".to_owned());
        let hash = hash(&library::text(&source).unwrap());
        let mut progress = Progress::default();
        progress.open_card(&source, hash, 1);
        progress.guess(&source, hash, "removed-at", &Guess::Pin(5_000));
        progress.answer(&source, hash, "removed-at", false, 0);
        progress.finish(&source, hash);
        LearnerRecord::own("Ada".to_owned(), &[], &progress)
    }

    #[test]
    fn a_record_has_the_lessons_and_the_first_guesses() {
        let record = ada();
        let [lesson] = &record.lessons[..] else { panic!("{record:?}") };
        assert!(lesson.done && lesson.lesson == "02-the-pass");
        let [guess] = &lesson.guesses[..] else { panic!("{lesson:?}") };
        assert_eq!((guess.guess.as_str(), guess.right), ("12:00:05", Some(false)));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ada.json");
        std::fs::write(&path, record.to_json()).unwrap();
        assert_eq!(LearnerRecord::read(&path), Ok(record));
    }

    #[test]
    fn a_class_is_counted_by_learner_and_by_lesson() {
        let mut grace = ada();
        grace.name = "Grace\u{1b}[2J".to_owned();
        grace.lessons[0].done = false;
        grace.lessons[0].guesses[0].right = Some(true);
        let found = table(&[ada(), grace]);
        let expected = "Name            Lessons done  First guesses right\n\
                        Ada             1             0 of 1\n";
        assert!(found.starts_with(expected), "{found}");
        assert!(found.contains("  0             1 of 1\n") && !found.contains('\u{1b}'), "{found}");
        assert!(found.ends_with("The TTL monitor  1 of 2   1 of 2\n"), "{found}");
    }

    #[test]
    fn a_file_of_another_kind_is_refused_with_the_way_to_write_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.json");
        for (text, expected) in [
            ("{}", "has no progress in lessons"),
            ("x", "--export"),
            ("{\"mayflyLessons\": 9, \"name\": \"A\", \"lessons\": []}", "newer Mayfly"),
        ] {
            std::fs::write(&path, text).unwrap();
            let problem = read_all(std::slice::from_ref(&path)).unwrap().failed.concat();
            assert!(problem.contains(expected), "{problem}");
        }
    }

    #[test]
    fn a_bad_file_does_not_take_the_others_and_one_named_twice_counts_once() {
        let folder = tempfile::tempdir().unwrap();
        let [good, copy, bad, missing] =
            ["good", "copy", "bad", "missing"].map(|name| folder.path().join(name));
        std::fs::write(&good, ada().to_json()).unwrap();
        std::fs::write(&copy, ada().to_json()).unwrap();
        std::fs::write(&bad, "{}").unwrap();
        let class = read_all(&[good, bad, copy, missing]).unwrap();
        assert_eq!(class.records, [ada()]);
        assert_eq!(class.failed.len(), 2, "every file is named: {:?}", class.failed);
    }
}
