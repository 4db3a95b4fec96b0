//! How far the user got in each lesson, the first guess of each question, and when a question that was
//! missed comes again. One JSON file next to the settings; only the user reads it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use bson::Bson;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::job::kept::{Fields, decode};
use crate::job::lesson::{Block, BlockKind, Guess, LessonProgress, LessonSource, LessonView, Part};
use crate::lessons::runner::is_right;
use crate::limits::LESSONS_KEPT_MAX;
use crate::source::kept_file::{Found, KeptFile};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Progress {
    lessons: BTreeMap<String, Record>,
    /// Counts openings, so that the oldest record is known.
    openings: u64,
    /// The questions whose answers are noted, by the key of the lesson and their ids. A snapshot comes many
    /// times, and an answer counts once.
    #[serde(skip)]
    answered: BTreeSet<(String, String)>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Record {
    /// The hash of the file that the card and the guesses belong to.
    file: u64,
    card: usize,
    is_done: bool,
    guesses: BTreeMap<String, Value>,
    /// Whether the first guess was right, by the ids of the questions.
    first: BTreeMap<String, bool>,
    /// The questions whose last guess was wrong, by their ids.
    missed: BTreeSet<String>,
    /// The questions whose first guess was wrong, until they were repeated often enough.
    repeats: BTreeMap<String, Repeat>,
    opening: u64,
}

/// The repetition of a question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Repeat {
    /// When it was answered last, in milliseconds since 1970.
    since_ms: i64,
    /// How often in a row it was right when it was due.
    done: usize,
}

/// The days after which a question comes again. A wrong guess begins with the first again.
const REPEAT_DAYS: [i64; 3] = [1, 3, 7];

const DAY_MS: i64 = 86_400_000;

impl Repeat {
    fn due_ms(self) -> i64 {
        let days = REPEAT_DAYS.get(self.done).copied().unwrap_or_default();
        self.since_ms.saturating_add(days * DAY_MS)
    }
}

/// A first guess.
#[derive(Debug, Clone, PartialEq)]
pub struct FirstGuess {
    pub guess: Guess,
    /// Whether it was right. `None` if the answer was not played, or by an older version.
    pub is_right: Option<bool>,
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

    /// The same with whether it was right.
    pub fn first_guesses(&self, source: &LessonSource, file: u64) -> BTreeMap<String, FirstGuess> {
        let record = self.lessons.get(&key(source));
        let is_right = |id: &String| record?.first.get(id).copied();
        let guesses = self.guesses(source, file).into_iter();
        guesses
            .map(|(id, guess)| {
                let is_right = is_right(&id);
                (id, FirstGuess { guess, is_right })
            })
            .collect()
    }

    /// When each question that is repeated is due, in milliseconds since 1970, by its id.
    pub fn repeats(&self, source: &LessonSource, file: u64) -> BTreeMap<String, i64> {
        let record = self.lessons.get(&key(source)).filter(|record| record.file == file);
        let repeats = record.into_iter().flat_map(|record| &record.repeats);
        repeats.map(|(id, repeat)| (id.clone(), repeat.due_ms())).collect()
    }

    /// The ids of the questions whose last guess was wrong.
    pub fn missed(&self, source: &LessonSource, file: u64) -> BTreeSet<String> {
        let record = self.lessons.get(&key(source)).filter(|record| record.file == file);
        record.map(|record| record.missed.clone()).unwrap_or_default()
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

    /// A lesson begins: its questions can be answered again.
    pub fn begin(&mut self) {
        self.answered.clear();
    }

    /// A question was played to its answer.
    pub fn answer(&mut self, source: &LessonSource, file: u64, id: &str, right: bool, now_ms: i64) {
        if !self.answered.insert((key(source), id.to_owned())) {
            return;
        }
        let record = self.record(source, file);
        if right {
            record.missed.remove(id);
        } else {
            record.missed.insert(id.to_owned());
        }
        let is_first = !record.first.contains_key(id);
        record.first.entry(id.to_owned()).or_insert(right);
        let Some(repeat) = record.repeats.get_mut(id) else {
            if is_first && !right {
                record.repeats.insert(id.to_owned(), Repeat { since_ms: now_ms, done: 0 });
            }
            return;
        };
        if !right {
            *repeat = Repeat { since_ms: now_ms, done: 0 };
        } else if repeat.due_ms() <= now_ms {
            *repeat = Repeat { since_ms: now_ms, done: repeat.done + 1 };
            if repeat.done == REPEAT_DAYS.len() {
                record.repeats.remove(id);
            }
        }
    }

    /// Takes over what a snapshot says of card, guesses and end. Returns whether that changed anything.
    pub fn note(&mut self, view: &LessonView, file: u64, now_ms: i64) -> bool {
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
                let Some(shown) = shown else { continue };
                if let Some(guess) = &shown.guess {
                    self.guess(&view.source, file, &question.id, guess);
                }
                match is_right(shown) {
                    Some(right) => self.answer(&view.source, file, &question.id, right, now_ms),
                    None if shown.guess.is_none() => {
                        // A restarted card asks again.
                        self.answered.remove(&(key(&view.source), question.id.clone()));
                    }
                    None => {}
                }
            }
        }
        if view.is_finished() {
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
    fn a_missed_question_comes_again_after_one_three_and_seven_days() {
        let source = shipped();
        let mut progress = Progress::default();
        let answer = |progress: &mut Progress, day: i64, right| {
            progress.begin();
            progress.answer(&source, 1, "a", right, day * DAY_MS);
            progress.repeats(&source, 1).get("a").map(|due_ms| due_ms / DAY_MS)
        };
        assert_eq!(answer(&mut progress, 0, false), Some(1));
        progress.answer(&source, 1, "a", true, 5 * DAY_MS);
        assert_eq!(progress.repeats(&source, 1)["a"], DAY_MS, "an answer counts once");
        assert_eq!(answer(&mut progress, 0, true), Some(1), "too early to count");
        assert_eq!(answer(&mut progress, 1, true), Some(4));
        assert_eq!(answer(&mut progress, 5, true), Some(12));
        assert_eq!(answer(&mut progress, 12, false), Some(13), "it begins again");
        for (day, due) in [(13, Some(16)), (16, Some(23)), (23, None)] {
            assert_eq!(answer(&mut progress, day, true), due);
        }
        assert_eq!(answer(&mut progress, 30, false), None, "only first guesses come again");
        progress.begin();
        progress.answer(&source, 1, "b", true, 0);
        progress.answer(&source, 2, "c", false, 0);
        assert_eq!(progress.repeats(&source, 2).len(), 1);
        assert!(progress.repeats(&source, 1).is_empty(), "the file has changed");
    }

    #[test]
    fn a_first_guess_keeps_whether_it_was_right() {
        let source = shipped();
        let mut progress = Progress::default();
        progress.guess(&source, 1, "a", &Guess::Choice(2));
        let found = |progress: &Progress| progress.first_guesses(&source, 1)["a"].is_right;
        assert_eq!(found(&progress), None);
        progress.answer(&source, 1, "a", false, 0);
        progress.begin();
        progress.answer(&source, 1, "a", true, 0);
        assert_eq!(found(&progress), Some(false));
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
