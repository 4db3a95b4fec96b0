//! The thread on which a lesson is played: its store and its runtime stay on it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};

use super::{LessonDesk, LessonHall, LessonPlay, LessonShelf, lock};
use crate::shell::watch::{self, ScriptWatch, Waited};
use crate::worker::guarded::guarded;
use crate::worker::lesson_job::LessonOrder;

/// The thread, as its supervisor sees it.
pub(super) struct StageThread {
    orders: Sender<LessonOrder>,
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
        let (orders, asked) = bounded(1);
        let (ended, done) = bounded(1);
        let (desk, shelf, hall) = (Arc::clone(desk), Arc::clone(shelf), Arc::clone(hall));
        let work = move || serve(&asked, &ended, &desk, shelf.as_ref(), hall.as_ref());
        let watch = watch::spawn("mayfly-lesson-stage", work)?;
        Ok(Self { orders, done, watch })
    }

    /// Does what is asked. Returns how long the thread may rest.
    pub(super) fn perform(
        &self,
        order: LessonOrder,
        desk: &LessonDesk,
    ) -> Waited<Option<Duration>> {
        if self.orders.send(order).is_err() {
            return Waited::Ended;
        }
        self.watch.wait_for(&self.done, || desk.is_closing.load(Ordering::Acquire))
    }
}

/// Does what is asked until the supervisor lets it go. Answers each order with how long it may
/// rest.
fn serve(
    orders: &Receiver<LessonOrder>,
    done: &Sender<Option<Duration>>,
    desk: &Arc<LessonDesk>,
    shelf: &dyn LessonShelf,
    hall: &dyn LessonHall,
) {
    let watch = ScriptWatch::of_thread();
    let mut play: Option<Box<dyn LessonPlay>> = None;
    for order in orders {
        let performed = guarded(|| {
            perform(order, &mut play, desk, shelf, hall);
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
    order: LessonOrder,
    play: &mut Option<Box<dyn LessonPlay>>,
    desk: &Arc<LessonDesk>,
    shelf: &dyn LessonShelf,
    hall: &dyn LessonHall,
) {
    match order {
        LessonOrder::Open { number, source, seed } => {
            *play = None;
            *lock(&desk.number) = number;
            lock(&desk.newest).take();
            lock(&desk.last).take();
            let staged = shelf.open(&source, seed, desk);
            if ScriptWatch::of_thread().is_abandoned() {
                return;
            }
            let opened = staged.map(|staged| {
                *play = Some(staged.play);
                staged.opened
            });
            hall.begun(number, opened);
        }
        LessonOrder::Close => {
            *play = None;
            lock(&desk.newest).take();
            lock(&desk.last).take();
        }
        LessonOrder::Perform(request) => {
            if let Some(play) = play {
                play.perform(request, desk);
            }
        }
        LessonOrder::Look => {}
    }
}
