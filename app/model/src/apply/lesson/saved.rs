//! Lesson files that an editor saves: looked at every second, and read again when they have changed.
//!
//! A lesson that is played begins again at its card. One that can't be read any more shows why next to the card,
//! which stays.

use std::path::PathBuf;
use std::time::Duration;

use super::files::read_list;
use super::play::open;
use crate::apply::Apply;
use crate::apply::question::{Answer, Question, Report, Run};
use crate::job::lesson::{LessonSource, Problem};
use crate::limits::LESSON_FILE_LOOK;
use crate::state::lesson::{LessonStart, Lessons, Sheet, WatchedFiles};
use crate::worker::{Desk, Lane, lesson_files};

/// Looks at the files again if it is time. Returns the time until then.
pub fn settle(cx: &mut Apply<'_>) -> Option<Duration> {
    let paths = shown(&cx.state.lessons);
    let uptime = cx.state.uptime;
    let watched = &mut cx.state.lessons.watched;
    if watched.paths != paths {
        *watched = WatchedFiles { paths, ..WatchedFiles::default() };
    }
    if watched.paths.is_empty() {
        return None;
    }
    let age = watched.looked.map(|looked| uptime.saturating_sub(looked));
    if let Some(rest) = age.and_then(|age| LESSON_FILE_LOOK.checked_sub(age))
        && !rest.is_zero()
    {
        return Some(rest);
    }
    watched.looked = Some(uptime);
    let look = LookAtFiles {
        paths: watched.paths.clone(),
        known: watched.stamp,
        is_played: cx.state.lessons.is_playing(),
    };
    cx.run(look);
    Some(LESSON_FILE_LOOK)
}

/// The files that are on the screen: the lesson's, or those of the list.
fn shown(lessons: &Lessons) -> Vec<PathBuf> {
    match &lessons.playing {
        Some(playing) => match &playing.source {
            LessonSource::File(file) => vec![file.clone()],
            LessonSource::Shipped(_) => Vec::new(),
        },
        None if lessons.is_page_shown && lessons.sheet == Sheet::List => lessons.opened.clone(),
        None => Vec::new(),
    }
}

/// Whether files were saved since the last look.
#[derive(Debug)]
struct LookAtFiles {
    paths: Vec<PathBuf>,
    known: Option<u64>,
    /// Whether the first file is played, so that it is read if it has changed.
    is_played: bool,
}

/// The files as they are now.
pub(super) struct FilesSeen {
    stamp: u64,
    /// The cards of the file that is played, or why it can't be read. `None` if it didn't change.
    read: Option<Result<usize, Vec<Problem>>>,
}

impl PartialEq for LookAtFiles {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Question for LookAtFiles {
    type Answer = FilesSeen;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, seen: FilesSeen, cx: &mut Apply<'_>) {
        let watched = &mut cx.state.lessons.watched;
        if watched.paths != self.paths {
            return;
        }
        let before = watched.stamp.replace(seen.stamp);
        if before.is_none_or(|before| before == seen.stamp) {
            return;
        }
        match (seen.read, &mut cx.state.lessons.playing) {
            (Some(Err(problems)), Some(playing)) => playing.broken = problems,
            (Some(Ok(cards)), Some(playing)) => {
                let card = playing.view.as_ref().map_or(0, |view| view.card);
                let start = LessonStart {
                    source: playing.source.clone(),
                    card: Some(card.min(cards.saturating_sub(1))),
                    seed: playing.way.stop().and_then(|stop| stop.seed),
                    way: playing.way.clone(),
                };
                playing.broken.clear();
                open(start, cx);
            }
            _ => read_list(cx),
        }
    }
}

impl Run for LookAtFiles {
    const LANE: Lane = Lane::Read;

    fn run(&self, _: &Desk<'_, Answer>, report: Report<Self>) {
        let stamp = lesson_files::stamp(&self.paths);
        let has_changed = self.known.is_some_and(|known| known != stamp);
        let file = self.paths.first().filter(|_| self.is_played && has_changed);
        report.send(FilesSeen { stamp, read: file.map(|file| lesson_files::read(file)) });
    }

    fn failed(&self, _: String) -> FilesSeen {
        FilesSeen { stamp: self.known.unwrap_or(0), read: None }
    }

    /// The next look comes soon.
    fn full(&self, _: u64, _: &mut Apply<'_>) {}
}
