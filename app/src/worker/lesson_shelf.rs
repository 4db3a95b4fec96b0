//! The lessons of the program and of the user, with their progress.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::lesson::{LessonDesk, LessonShelf, StagedLesson};
use crate::job::lesson::{LessonList, LessonSource, LessonView, Problem};
use crate::lessons::progress::{Progress, hash};
use crate::lessons::{handout, library};

/// Lessons whose progress is kept in a file.
struct ProgramShelf {
    /// `None`: it is not kept.
    file: Option<PathBuf>,
    progress: Mutex<Progress>,
    /// The hash of the lesson that was opened last.
    opened: Mutex<u64>,
}

/// All lessons; the progress is read from `file` and written to it.
#[must_use]
pub fn shelf(file: Option<PathBuf>) -> Arc<dyn LessonShelf> {
    let progress = file.as_deref().map(Progress::load).unwrap_or_default();
    Arc::new(ProgramShelf { file, progress: Mutex::new(progress), opened: Mutex::default() })
}

impl LessonShelf for ProgramShelf {
    fn list(&self, opened: &[PathBuf]) -> LessonList {
        let progress = lock(&self.progress).clone();
        library::list(opened, &progress)
    }

    fn open(
        &self,
        source: &LessonSource,
        _: &Arc<LessonDesk>,
    ) -> Result<StagedLesson, Vec<Problem>> {
        library::read(source)?;
        *lock(&self.opened) = library::text(source).map_or(0, |bytes| hash(&bytes));
        let sentence = "Lessons can't be played yet.".to_owned();
        Err(vec![Problem { line: 1, column: 1, sentence }])
    }

    fn handout(&self, source: &LessonSource, file: &PathBuf) -> Result<(), String> {
        let lesson = library::read(source).map_err(|problems| {
            problems.into_iter().next().map_or_else(String::new, |problem| problem.sentence)
        })?;
        handout::save(&handout::write(&lesson, &std::collections::BTreeMap::new()), file)
    }

    fn note(&self, view: &LessonView) {
        let mut progress = lock(&self.progress);
        if !progress.note(view, *lock(&self.opened)) {
            return;
        }
        if let Some(file) = &self.file {
            // Without it the list starts empty at the next start; the lesson itself is not affected.
            let _ = progress.save(file);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
