//! The lessons of the program and of the user, with their progress.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mayfly_engine::clock::{Clock as _, SystemClock};

use super::lesson::{LessonDesk, LessonPlay, LessonShelf, StagedLesson};
use crate::job::ConsoleOutput;
use crate::job::lesson::{ExamSheet, LessonList, LessonRequest, LessonSource, LessonView, Problem};
use crate::lessons::audience::Audience;
use crate::lessons::progress::KeptProgress;
use crate::lessons::runner::{Pace, Runner};
use crate::lessons::{exam, handout, library};
use crate::source::Opened;
use crate::source::kept_file::hash;

/// Lessons whose progress is kept in a file.
struct ProgramShelf {
    progress: Mutex<KeptProgress>,
    /// A note for the user about the file.
    notes: Mutex<Vec<String>>,
    /// The hash of the lesson that was opened last.
    opened: Mutex<u64>,
}

/// All lessons; the progress is read from `file` and written to it.
pub fn shelf(file: Option<PathBuf>) -> Arc<dyn LessonShelf> {
    let mut progress = KeptProgress::open(file);
    let notes = Mutex::new(progress.take_notes());
    Arc::new(ProgramShelf { progress: Mutex::new(progress), notes, opened: Mutex::default() })
}

impl LessonShelf for ProgramShelf {
    fn list(&self, opened: &[PathBuf]) -> LessonList {
        let progress = lock(&self.progress).progress.clone();
        library::list(opened, &progress)
    }

    fn open(
        &self,
        source: &LessonSource,
        seed: Option<u64>,
        desk: &Arc<LessonDesk>,
    ) -> Result<StagedLesson, Vec<Problem>> {
        let lesson = library::read_drawn(source, seed)?;
        lock(&self.progress).progress.begin();
        *lock(&self.opened) = library::text(source).map_or(0, |bytes| hash(&bytes));
        let name = lesson.title.clone();
        let audience = Arc::new(Window(Arc::clone(desk)));
        let mut runner = Runner::open(lesson, source.clone(), audience, Pace::Screen)
            .map_err(|sentence| vec![Problem { line: 1, column: 1, sentence }])?;
        if seed.is_some() {
            runner.forget_recorded();
        }
        let stage = runner.source();
        let opened = Opened {
            clock: stage.clock_status(),
            source: stage,
            name,
            folder: None,
            warnings: Vec::new(),
            advice: Vec::new(),
            attached: None,
        };
        Ok(StagedLesson { opened, play: Box::new(Play(runner)) })
    }

    fn handout(&self, source: &LessonSource, file: &PathBuf) -> Result<(), String> {
        let lesson = library::read(source).map_err(|problems| {
            problems.into_iter().next().map_or_else(String::new, |problem| problem.sentence)
        })?;
        handout::save(&handout::write(&lesson, &library::known_answers(source)?), file)
    }

    fn exam(&self, seed: u64) -> Result<ExamSheet, String> {
        exam::draw(seed)
    }

    fn note(&self, view: &LessonView) {
        let mut kept = lock(&self.progress);
        if kept.progress.note(view, *lock(&self.opened), SystemClock.now_ms()) {
            kept.save();
            lock(&self.notes).extend(kept.take_notes());
        }
    }

    fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.notes))
    }
}

/// The window watches a lesson.
struct Window(Arc<LessonDesk>);

impl Audience for Window {
    fn publish(&self, view: LessonView) {
        self.0.publish(view);
    }

    fn is_interrupted(&self) -> bool {
        self.0.is_interrupted()
    }

    fn console(&self, run: u64, output: ConsoleOutput) {
        self.0.console_output(run, output);
    }

    fn console_ended(&self, run: u64, database: String) {
        self.0.console_end(run, database);
    }

    fn wake(&self) {
        self.0.wake_thread();
    }
}

struct Play(Runner);

impl LessonPlay for Play {
    fn perform(&mut self, request: LessonRequest, _: &LessonDesk) {
        self.0.perform(request);
    }

    fn run_due(&mut self, _: &LessonDesk) -> Option<Duration> {
        self.0.run_due()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
