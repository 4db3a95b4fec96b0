//! How far the user got in each lesson, and the first guess of each question. One JSON file next to
//! the settings; only the user reads it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bson::Bson;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::job::kept::{Fields, decode};
use crate::job::lesson::{Block, BlockKind, Guess, LessonProgress, LessonSource, LessonView, Part};
use crate::limits::LESSONS_KEPT_MAX;
use crate::source::kept_file::{Found, KeptFile};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Progress {
    lessons: BTreeMap<String, Record>,
    /// Counts openings, so that the oldest record is known.
    openings: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Record {
    /// The hash of the file that the card and the guesses belong to.
    file: u64,
    card: usize,
    is_done: bool,
    guesses: BTreeMap<String, Value>,
    opening: u64,
}

impl Progress {
    /// Reads the fields of a file. Records that can't be read count as missing.
    fn read(fields: &Fields) -> Self {
        let (mut progress, _) = decode::<Self>(fields);
        progress.bound();
        progress
    }

    fn fields(&self) -> Fields {
        match serde_json::to_value(self) {
            Ok(Value::Object(fields)) => fields,
            // A struct with named fields is an object.
            _ => Fields::new(),
        }
    }

    /// Drops the oldest records of a file that several windows wrote, or that is from elsewhere.
    fn bound(&mut self) {
        while self.lessons.len() > LESSONS_KEPT_MAX {
            let oldest = self.lessons.iter().min_by_key(|(_, record)| record.opening);
            let Some(key) = oldest.map(|(key, _)| key.clone()) else { return };
            self.lessons.remove(&key);
        }
    }

    /// How far the user got. `file` is the present hash: after a change only *done* counts.
    pub fn of(&self, source: &LessonSource, file: u64) -> LessonProgress {
        match self.lessons.get(&key(source)) {
            Some(record) if record.is_done => LessonProgress::Done,
            Some(record) if record.file == file => LessonProgress::Card(record.card),
            _ => LessonProgress::NotStarted,
        }
    }

    /// The first guess of each question, by its id.
    pub fn guesses(&self, source: &LessonSource, file: u64) -> BTreeMap<String, Guess> {
        let record = self.lessons.get(&key(source)).filter(|record| record.file == file);
        let guesses = record.into_iter().flat_map(|record| &record.guesses);
        guesses.filter_map(|(id, value)| Some((id.clone(), from_json(value)?))).collect()
    }

    pub fn open_card(&mut self, source: &LessonSource, file: u64, card: usize) {
        self.openings = self.openings.saturating_add(1);
        let opening = self.openings;
        let record = self.record(source, file);
        record.card = card;
        record.opening = opening;
        self.bound();
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

/// The progress in all lessons with the file in which it is kept.
#[derive(Debug, Default)]
pub struct KeptProgress {
    /// The progress of this window, and what the file had at its start.
    pub progress: Progress,
    /// `None` if it is not saved.
    file: Option<KeptFile>,
    /// The content last written or read.
    base: Fields,
    has_failed: bool,
    notes: Vec<String>,
}

impl KeptProgress {
    /// Reads the file, which may be missing. A damaged one is kept under another name.
    pub fn open(path: Option<PathBuf>) -> Self {
        let Some(path) = path else { return Self::default() };
        // Every record has a key, so no list is joined.
        let file = KeptFile::new(path, &[]);
        let Found { fields, notes } = file.read();
        let progress = Progress::read(&fields);
        let base = progress.fields();
        Self { progress, file: Some(file), base, has_failed: false, notes }
    }

    /// Writes what changed; the lessons that another window played stay. A failure is said once.
    pub fn save(&mut self) {
        let Some(file) = &self.file else { return };
        let fields = self.progress.fields();
        match file.write(&self.base, &fields) {
            Ok(notes) => {
                self.base = fields;
                self.has_failed = false;
                self.notes.extend(notes);
            }
            Err(why) if !self.has_failed => {
                self.has_failed = true;
                self.notes
                    .push(format!("{why}. Progress in lessons is lost when you close Mayfly"));
            }
            Err(_) => {}
        }
    }

    /// A note for the user, shown once.
    pub fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
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
        let mut kept = KeptProgress::open(Some(path.clone()));
        let progress = &mut kept.progress;
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
        kept.save();
        let read = KeptProgress::open(Some(path)).progress;
        assert_eq!(read, kept.progress);
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
    fn the_oldest_record_goes_first() {
        let mut progress = Progress::default();
        for number in 0..=LESSONS_KEPT_MAX {
            progress.open_card(&LessonSource::Shipped(number.to_string()), 1, 0);
        }
        assert_eq!(progress.lessons.len(), LESSONS_KEPT_MAX);
        assert!(!progress.lessons.contains_key("0"));
    }

    #[test]
    fn a_damaged_file_is_kept_and_said_and_two_windows_keep_what_both_played() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lessons.json");
        let mut windows = [(); 2].map(|()| KeptProgress::open(Some(path.clone())));
        for (at, window) in windows.iter_mut().enumerate() {
            window.progress.finish(&LessonSource::Shipped(at.to_string()), 1);
            window.save();
            assert_eq!(window.take_notes(), Vec::<String>::new());
        }
        let played = |kept: &KeptProgress, name: &str| {
            kept.progress.of(&LessonSource::Shipped(name.to_owned()), 1) == LessonProgress::Done
        };
        let both = KeptProgress::open(Some(path.clone()));
        assert!(played(&both, "0") && played(&both, "1"));
        let mut bytes = std::fs::read(&path).unwrap();
        let half = bytes.len() / 2;
        bytes.truncate(half);
        std::fs::write(&path, &bytes).unwrap();
        let mut damaged = KeptProgress::open(Some(path.clone()));
        assert!(played(&damaged, "0"), "it is in the file before");
        let notes = damaged.take_notes();
        assert!(
            notes.len() == 1 && notes[0].contains("is kept as lessons.json.damaged-"),
            "{notes:?}"
        );
        let is_kept = |name: &str| name.starts_with("lessons.json.damaged-");
        let kept = std::fs::read_dir(folder.path())
            .unwrap()
            .flatten()
            .find(|entry| is_kept(&entry.file_name().to_string_lossy()));
        damaged.save();
        assert_eq!(std::fs::read(kept.unwrap().path()).unwrap(), bytes);
    }

    #[test]
    #[cfg(unix)]
    fn a_pipe_in_the_place_of_the_file_does_not_hang() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lessons.json");
        nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRUSR).unwrap();
        let mut kept = KeptProgress::open(Some(path));
        assert!(kept.take_notes()[0].contains("not a regular file"));
    }
}
