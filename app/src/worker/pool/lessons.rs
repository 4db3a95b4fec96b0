//! Lessons: their thread, their store next to the user's, their list.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;

use super::{Shared, Worker};
use crate::job::lesson::Problem;
use crate::source::Opened;
use crate::worker::guarded::{guarded, not_shown};
use crate::worker::lesson::{LessonHall, THREAD};
use crate::worker::lesson_job::{LessonOrder, LessonOutcome, LessonWork};
use crate::worker::outcome::Outcome;

/// The file that makes a folder a course.
const COURSE: &str = "course.toml";

impl<A: Send + 'static> Worker<A> {
    /// Begins or ends a lesson, or asks something of it. Never waits.
    pub fn order_lesson(&self, order: LessonOrder) {
        match order {
            LessonOrder::Open { number, .. } => self.ordered.set(number),
            LessonOrder::Close => {
                let front = self.shared.sources.front();
                self.ordered.set(front);
                self.shown.set(front);
                self.shared.sources.set_lesson(None);
            }
            LessonOrder::Perform(_) => {}
        }
        self.shared.lesson.order(order);
    }
}

impl<A: Send + 'static> Shared<A> {
    /// Lists lessons, or writes a handout.
    pub(super) fn lessons(&self, work: LessonWork) {
        let outcome = match work {
            LessonWork::List(opened) => {
                let list = guarded(|| self.shelf.list(&opened));
                LessonOutcome::Listed(Arc::new(list.unwrap_or_default()))
            }
            LessonWork::Sort(paths) => {
                let (lessons, files) = paths.into_iter().partition(|path| is_lesson(path));
                LessonOutcome::Sorted { lessons, files }
            }
            LessonWork::OpenFile(file) => match open_file(&file) {
                Ok(()) => return,
                Err(error) => {
                    let file = file.display();
                    LessonOutcome::NotOpened(format!("Can't open {file}: {error}"))
                }
            },
            LessonWork::Handout { source, file } => {
                let written = guarded(|| self.shelf.handout(&source, &file));
                LessonOutcome::Written(written.and_then(|written| written).map(|()| file))
            }
        };
        self.tell(Outcome::Lesson(outcome));
    }
}

/// Whether a path is a lesson file or a course folder.
fn is_lesson(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
        || path.join(COURSE).is_file()
}

/// Opens a file in the program that the system has for it. Nothing waits for that program.
fn open_file(file: &Path) -> std::io::Result<()> {
    let opener = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    let mut opening = Command::new(opener);
    opening.arg(file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = opening.spawn()?;
    // It would stay a zombie.
    let reap = move || drop(child.wait());
    drop(thread::Builder::new().name("mayfly-open-file".to_owned()).spawn(reap));
    Ok(())
}

impl<A: Send + 'static> LessonHall for Arc<Shared<A>> {
    fn begun(&self, number: u32, result: Result<Opened, Vec<Problem>>) {
        if let Ok(opened) = &result {
            self.sources.set_lesson(Some((number, Arc::clone(&opened.source))));
            if let Err(message) = guarded(|| self.follow(opened.source.as_ref(), number)) {
                self.tell(Outcome::Event(number, not_shown(&message)));
            }
        }
        self.tell(Outcome::Lesson(LessonOutcome::Opened { number, result }));
    }

    fn ended(&self) {
        if let Some(source) = self.sources.lesson() {
            source.close();
        }
    }

    fn broke(&self, message: String) {
        self.failed(THREAD, message);
    }
}
