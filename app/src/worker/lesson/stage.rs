//! The thread on which a lesson is played: its store and its runtime stay on it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};

use super::{LessonDesk, LessonHall, LessonPlay, LessonShelf, Request, lock};
use crate::shell::watch::{self, ScriptWatch, Waited};
use crate::worker::guarded::guarded;

/// The thread, as its supervisor sees it.
pub(super) struct StageThread {
    requests: Sender<Request>,
    done: Receiver<Option<Duration>>,
    watch: Arc<ScriptWatch>,
}

impl StageThread {
    /// Starts it.
    ///
    /// # Errors
    /// As [`watch::spawn`].
    pub(super) fn start(
        desk: &Arc<LessonDesk>,
        shelf: &Arc<dyn LessonShelf>,
        hall: &Arc<dyn LessonHall>,
    ) -> std::io::Result<Self> {
        let (requests, asked) = bounded(1);
        let (ended, done) = bounded(1);
        let (desk, shelf, hall) = (Arc::clone(desk), Arc::clone(shelf), Arc::clone(hall));
        let work = move || serve(&asked, &ended, &desk, shelf.as_ref(), hall.as_ref());
        let watch = watch::spawn("mayfly-lesson-stage", work)?;
        Ok(Self { requests, done, watch })
    }

    /// Does what is asked. Returns how long the thread may rest.
    pub(super) fn perform(&self, request: Request, desk: &LessonDesk) -> Waited<Option<Duration>> {
        if self.requests.send(request).is_err() {
            return Waited::Ended;
        }
        self.watch.wait_for(&self.done, || desk.is_closing.load(Ordering::Acquire))
    }
}

/// Does what is asked until the supervisor lets it go. Answers each request with how long it may
/// rest.
fn serve(
    requests: &Receiver<Request>,
    done: &Sender<Option<Duration>>,
    desk: &Arc<LessonDesk>,
    shelf: &dyn LessonShelf,
    hall: &dyn LessonHall,
) {
    let watch = ScriptWatch::of_thread();
    let mut play: Option<Box<dyn LessonPlay>> = None;
    for request in requests {
        let performed = guarded(|| {
            perform(request, &mut play, desk, shelf, hall);
            if watch.is_abandoned() {
                return None;
            }
            let rest = play.as_mut().and_then(|play| play.run_due(desk));
            let view = lock(&desk.unnoted).take();
            if let Some(view) = view {
                shelf.note(&view);
            }
            rest
        });
        // The supervisor has answered, and another lesson may be played.
        if watch.is_abandoned() {
            return;
        }
        let rest = performed.unwrap_or_else(|message| {
            play = None;
            hall.broke(message);
            None
        });
        if done.send(rest).is_err() {
            return;
        }
    }
}

fn perform(
    request: Request,
    play: &mut Option<Box<dyn LessonPlay>>,
    desk: &Arc<LessonDesk>,
    shelf: &dyn LessonShelf,
    hall: &dyn LessonHall,
) {
    match request {
        Request::Open { number, source } => {
            *play = None;
            *lock(&desk.number) = number;
            lock(&desk.newest).take();
            lock(&desk.last).take();
            let staged = shelf.open(&source, desk);
            if ScriptWatch::of_thread().is_abandoned() {
                return;
            }
            let opened = staged.map(|staged| {
                *play = Some(staged.play);
                staged.opened
            });
            hall.begun(number, opened);
        }
        Request::Close => {
            *play = None;
            lock(&desk.newest).take();
            lock(&desk.last).take();
        }
        Request::Perform(request) => {
            if let Some(play) = play {
                play.perform(request, desk);
            }
        }
        Request::Look => {}
    }
}
