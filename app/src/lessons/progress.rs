//! How far the user got in each lesson, and the first guess of each question. One JSON file beside
//! the settings; it is for the user alone.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use bson::Bson;
use mayfly_engine::store::open_chosen;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::job::lesson::{Block, BlockKind, Guess, LessonProgress, LessonSource, LessonView, Part};
use crate::limits::{LESSONS_KEPT_MAX, PROGRESS_FILE_BYTES_MAX};

/// The progress in all lessons.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Progress {
    lessons: BTreeMap<String, Record>,
    /// Counts openings, so that the oldest record is known.
    openings: u64,
}

/// The progress in one lesson.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Record {
    /// The hash of the file that the card and the guesses belong to.
    file: u64,
    card: usize,
    is_done: bool,
    /// By the id of the question.
    guesses: BTreeMap<String, Value>,
    opening: u64,
}

/// A number that changes with a file: FNV-1a, which is the same in every version of the program.
#[must_use]
pub fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Where the progress is kept; `None`: there is no home folder.
#[must_use]
pub fn default_file() -> Option<PathBuf> {
    let folders = directories::ProjectDirs::from("", "", "mayfly")?;
    Some(folders.data_dir().join("lessons.json"))
}

impl Progress {
    /// Reads the file. One that is missing or damaged counts as empty.
    #[must_use]
    pub fn load(path: &Path) -> Self {
        let most = u64::try_from(PROGRESS_FILE_BYTES_MAX).unwrap_or(u64::MAX);
        let mut text = String::new();
        let read = open_chosen(path).and_then(|file| file.take(most).read_to_string(&mut text));
        read.ok().and_then(|_| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// Writes the file; it appears whole or not at all.
    ///
    /// # Errors
    /// When the folder can't be written.
    pub fn save(&self, path: &Path) -> std::io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(serde_json::to_string(self)?.as_bytes())?;
        file.persist(path)?;
        Ok(())
    }

    /// How far the user got. `file` is the present hash: after a change only *done* counts.
    #[must_use]
    pub fn of(&self, source: &LessonSource, file: u64) -> LessonProgress {
        match self.lessons.get(&key(source)) {
            Some(record) if record.is_done => LessonProgress::Done,
            Some(record) if record.file == file => LessonProgress::Card(record.card),
            _ => LessonProgress::NotStarted,
        }
    }

    /// The first guess of each question, by its id.
    #[must_use]
    pub fn guesses(&self, source: &LessonSource, file: u64) -> BTreeMap<String, Guess> {
        let record = self.lessons.get(&key(source)).filter(|record| record.file == file);
        let guesses = record.into_iter().flat_map(|record| &record.guesses);
        guesses.filter_map(|(id, value)| Some((id.clone(), from_json(value)?))).collect()
    }

    /// A card was opened.
    pub fn open_card(&mut self, source: &LessonSource, file: u64, card: usize) {
        self.openings += 1;
        let opening = self.openings;
        let record = self.record(source, file);
        record.card = card;
        record.opening = opening;
        if self.lessons.len() > LESSONS_KEPT_MAX {
            let oldest = self.lessons.iter().min_by_key(|(_, record)| record.opening);
            if let Some(key) = oldest.map(|(key, _)| key.clone()) {
                self.lessons.remove(&key);
            }
        }
    }

    /// The end was reached.
    pub fn finish(&mut self, source: &LessonSource, file: u64) {
        self.record(source, file).is_done = true;
    }

    /// A question was answered. Only the first guess is kept.
    pub fn guess(&mut self, source: &LessonSource, file: u64, id: &str, guess: &Guess) {
        let guesses = &mut self.record(source, file).guesses;
        guesses.entry(id.to_owned()).or_insert_with(|| to_json(guess));
    }

    /// Takes over what a snapshot says of card, guesses and end. Returns whether that changed anything.
    pub fn note(&mut self, view: &LessonView, file: u64) -> bool {
        let before = self.lessons.get(&key(&view.source)).cloned();
        if before.as_ref().is_none_or(|record| record.file != file || record.card != view.card) {
            self.open_card(&view.source, file, view.card);
        }
        for (card, shown) in view.lesson.cards.iter().zip(&view.cards) {
            for (part, shown) in card.parts.iter().zip(&shown.parts) {
                let Part::Block(Block { kind: BlockKind::Question(question), .. }) = part else {
                    continue;
                };
                let shown = shown.as_ref().and_then(|block| block.question.as_ref());
                if let Some(guess) = shown.and_then(|question| question.guess.as_ref()) {
                    self.guess(&view.source, file, &question.id, guess);
                }
            }
        }
        let is_last = view.card + 1 == view.cards.len();
        if is_last && view.cards.last().is_some_and(|card| card.is_done) {
            self.finish(&view.source, file);
        }
        self.lessons.get(&key(&view.source)) != before.as_ref()
    }

    /// The record of a lesson; a changed file keeps *done* and drops the rest.
    fn record(&mut self, source: &LessonSource, file: u64) -> &mut Record {
        let record = self.lessons.entry(key(source)).or_default();
        if record.file != file {
            let is_done = record.is_done;
            *record = Record { file, is_done, opening: record.opening, ..Record::default() };
        }
        record
    }
}

fn key(source: &LessonSource) -> String {
    match source {
        LessonSource::Shipped(slug) => slug.clone(),
        LessonSource::File(path) => {
            let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
            format!("file:{}", path.display())
        }
    }
}

fn to_json(guess: &Guess) -> Value {
    match guess {
        Guess::Choice(choice) => json!({ "choice": choice }),
        Guess::Count(count) => json!({ "count": count }),
        Guess::Pin(ms) => json!({ "pin": ms }),
        Guess::Which(ids) => {
            let ids: Vec<Value> = ids.iter().cloned().map(Bson::into_canonical_extjson).collect();
            json!({ "which": ids })
        }
    }
}

fn from_json(value: &Value) -> Option<Guess> {
    let (kind, value) = value.as_object()?.iter().next()?;
    match kind.as_str() {
        "choice" => Some(Guess::Choice(usize::try_from(value.as_u64()?).ok()?)),
        "count" => Some(Guess::Count(value.as_i64()?)),
        "pin" => Some(Guess::Pin(value.as_i64()?)),
        "which" => {
            let ids = value.as_array()?.iter().cloned();
            Some(Guess::Which(ids.map(Bson::try_from).collect::<Result<_, _>>().ok()?))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shipped() -> LessonSource {
        LessonSource::Shipped("02-the-pass".to_owned())
    }

    #[test]
    fn progress_survives_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new").join("lessons.json");
        let mut progress = Progress::load(&path);
        assert_eq!(progress.of(&shipped(), 1), LessonProgress::NotStarted);
        progress.open_card(&shipped(), 1, 2);
        let guesses = [
            ("a", Guess::Choice(2)),
            ("b", Guess::Count(-3)),
            ("c", Guess::Pin(61_500)),
            ("d", Guess::Which(vec![Bson::Int32(1), Bson::Int64(2), Bson::String("x".into())])),
        ];
        for (id, guess) in &guesses {
            progress.guess(&shipped(), 1, id, guess);
        }
        progress.guess(&shipped(), 1, "a", &Guess::Choice(0));
        progress.save(&path).unwrap();
        let read = Progress::load(&path);
        assert_eq!(read, progress);
        assert_eq!(read.of(&shipped(), 1), LessonProgress::Card(2));
        let expected = guesses.map(|(id, guess)| (id.to_owned(), guess));
        assert_eq!(read.guesses(&shipped(), 1), expected.into());
    }

    #[test]
    fn a_changed_file_keeps_done_and_drops_guesses() {
        let mut progress = Progress::default();
        progress.guess(&shipped(), 1, "a", &Guess::Choice(1));
        progress.open_card(&shipped(), 1, 1);
        assert_eq!(progress.of(&shipped(), 2), LessonProgress::NotStarted);
        progress.finish(&shipped(), 1);
        assert_eq!(progress.of(&shipped(), 2), LessonProgress::Done);
        assert!(progress.guesses(&shipped(), 2).is_empty());
        progress.open_card(&shipped(), 2, 0);
        assert_eq!(progress.of(&shipped(), 2), LessonProgress::Done);
        assert!(progress.guesses(&shipped(), 1).is_empty());
    }

    #[test]
    fn the_oldest_record_goes_first_and_a_damaged_file_is_empty() {
        let mut progress = Progress::default();
        for number in 0..=LESSONS_KEPT_MAX {
            progress.open_card(&LessonSource::Shipped(number.to_string()), 1, 0);
        }
        assert_eq!(progress.lessons.len(), LESSONS_KEPT_MAX);
        assert!(!progress.lessons.contains_key("0"));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lessons.json");
        std::fs::write(&path, "{\"lessons\": 5").unwrap();
        assert_eq!(Progress::load(&path), Progress::default());
    }
}
