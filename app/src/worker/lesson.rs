//! The thread of the lesson: the store and the runtime of the lesson that is played stay on it.
//!
//! It publishes whole snapshots; the window takes the newest one.

use std::cell::Cell;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};

use super::console::Outbox;
use super::guarded::guarded;
use super::lesson_job::{LessonOrder, LessonOutcome};
use super::pool::Wake;
use crate::job::ConsoleOutput;
use crate::job::lesson::{LessonList, LessonRequest, LessonSource, LessonView, Problem};
use crate::source::Opened;

/// The name of the thread.
pub(super) const THREAD: &str = "mayfly-lesson";

/// Requests that may wait for the thread.
const REQUESTS_MAX: usize = 64;

/// Where lessons come from. The window's tests hand in their own.
pub trait LessonShelf: Send + Sync + 'static {
    /// Every lesson: those of the program, then those of these files and folders.
    fn list(&self, opened: &[PathBuf]) -> LessonList;

    /// Begins a lesson on the calling thread.
    ///
    /// # Errors
    /// What is wrong with its file.
    fn open(
        &self,
        source: &LessonSource,
        desk: &Arc<LessonDesk>,
    ) -> Result<StagedLesson, Vec<Problem>>;

    /// Writes the handout of a lesson: its text with the answers folded.
    ///
    /// # Errors
    /// One sentence.
    fn handout(&self, source: &LessonSource, file: &PathBuf) -> Result<(), String> {
        let _ = (source, file);
        Err("The handout can't be written".to_owned())
    }

    /// Keeps how far the user got. Comes after each request, on the thread of the lesson.
    fn note(&self, view: &LessonView) {
        let _ = view;
    }

    /// A note for the user about the file with the progress, once. The window's thread asks, so it must not wait.
    fn take_notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A lesson that begins.
pub struct StagedLesson {
    /// Its store, as the window shows it.
    pub opened: Opened,
    /// What plays it.
    pub play: Box<dyn LessonPlay>,
}

/// What plays a lesson. It stays on the thread on which it was made.
pub trait LessonPlay {
    /// Does what is asked, and publishes what that changes.
    fn perform(&mut self, request: LessonRequest, desk: &LessonDesk);

    /// Lets the time pass that is due. Returns how long it may rest; `None`: until something is
    /// asked.
    fn run_due(&mut self, desk: &LessonDesk) -> Option<Duration>;
}

/// What the thread of a lesson hands to the window, and what interrupts it.
pub struct LessonDesk {
    newest: Mutex<Option<(u32, Arc<LessonView>)>>,
    /// The newest one until the shelf has noted its progress.
    unnoted: Mutex<Option<Arc<LessonView>>>,
    /// The lesson that is played.
    number: Mutex<u32>,
    /// Something waits that ends what plays.
    is_interrupted: AtomicBool,
    waker: Mutex<Option<Sender<Request>>>,
    outbox: Arc<Outbox>,
    wake: Wake,
}

impl LessonDesk {
    /// Publishes a snapshot in place of an older one that the window has not taken.
    pub fn publish(&self, view: LessonView) {
        let number = *lock(&self.number);
        let view = Arc::new(view);
        *lock(&self.unnoted) = Some(Arc::clone(&view));
        let waited = lock(&self.newest).replace((number, view)).is_some();
        if !waited {
            (self.wake)(Duration::ZERO);
        }
    }

    /// Whether what plays must end soon: the window closes the lesson or stops it.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.is_interrupted.load(Ordering::Acquire)
    }

    /// Ends a rest of the thread early, because the store was asked something about time. Never
    /// waits.
    pub fn wake_thread(&self) {
        if let Some(waker) = &*lock(&self.waker) {
            // A full channel wakes it as well.
            let _ = waker.try_send(Request::Look);
        }
    }

    /// Hands a line of the console over.
    pub fn console_output(&self, run: u64, output: ConsoleOutput) {
        self.outbox.push(run, output);
    }

    /// An input of the console ended; this database is in use.
    pub fn console_end(&self, run: u64, database: String) {
        self.outbox.end(run, database);
    }
}

enum Request {
    Open {
        number: u32,
        source: LessonSource,
    },
    Close,
    Perform(LessonRequest),
    /// Time may be due.
    Look,
}

/// The thread, as the other threads see it.
pub(super) struct LessonDoor {
    requests: Mutex<Option<Sender<Request>>>,
    desk: Arc<LessonDesk>,
}

/// The other end of the door.
pub(super) struct LessonPost {
    requests: Receiver<Request>,
    desk: Arc<LessonDesk>,
}

/// What the thread tells the pool.
pub(super) trait LessonHall {
    /// A lesson began; its store is `opened`.
    fn begun(&self, number: u32, result: Result<Opened, Vec<Problem>>);
    /// A bug ended it.
    fn broke(&self, message: String);
}

impl LessonDoor {
    pub(super) fn new(outbox: Arc<Outbox>, wake: Wake) -> (Self, LessonPost) {
        let (sender, requests) = bounded(REQUESTS_MAX);
        let desk = Arc::new(LessonDesk {
            newest: Mutex::default(),
            unnoted: Mutex::default(),
            number: Mutex::default(),
            is_interrupted: AtomicBool::new(false),
            waker: Mutex::new(Some(sender.clone())),
            outbox,
            wake,
        });
        let door = Self { requests: Mutex::new(Some(sender)), desk: Arc::clone(&desk) };
        (door, LessonPost { requests, desk })
    }

    /// Hands an order over. Never waits; an order that finds no room is dropped.
    pub(super) fn order(&self, order: LessonOrder) {
        let ends = match &order {
            LessonOrder::Open { .. } | LessonOrder::Close => true,
            LessonOrder::Perform(request) => interrupts(request),
        };
        if ends {
            self.desk.is_interrupted.store(true, Ordering::Release);
        }
        let request = match order {
            LessonOrder::Open { number, source } => Request::Open { number, source },
            LessonOrder::Close => Request::Close,
            LessonOrder::Perform(request) => Request::Perform(request),
        };
        if let Some(sender) = &*lock(&self.requests) {
            let _ = sender.try_send(request);
        }
    }

    /// The newest snapshot of the lesson that the window shows, if it was not taken. One that comes
    /// before the window knows of its lesson waits.
    pub(super) fn take(&self, shown: u32) -> Option<LessonOutcome> {
        let (number, view) = lock(&self.desk.newest).take_if(|(number, _)| *number == shown)?;
        Some(LessonOutcome::View { number, view })
    }

    pub(super) fn has_view(&self, shown: u32) -> bool {
        lock(&self.desk.newest).as_ref().is_some_and(|(number, _)| *number == shown)
    }

    /// Ends the thread.
    pub(super) fn close(&self) {
        self.desk.is_interrupted.store(true, Ordering::Release);
        lock(&self.desk.waker).take();
        lock(&self.requests).take();
    }
}

/// Whether a request ends what plays; others wait for it.
fn interrupts(request: &LessonRequest) -> bool {
    matches!(
        request,
        LessonRequest::OpenCard(_)
            | LessonRequest::RestartCard
            | LessonRequest::StepBack
            | LessonRequest::Stop
    )
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does what is asked until the window closes.
pub(super) fn serve(post: &LessonPost, shelf: &dyn LessonShelf, hall: &dyn LessonHall) {
    let desk = &post.desk;
    let mut play: Option<Box<dyn LessonPlay>> = None;
    let rest = Cell::new(None);
    loop {
        let request = match rest.take() {
            None => post.requests.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(wait) => post.requests.recv_timeout(wait),
        };
        let request = match request {
            Ok(request) => request,
            Err(RecvTimeoutError::Timeout) => Request::Look,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        // What was interrupted has ended.
        desk.is_interrupted.store(false, Ordering::Release);
        let done = guarded(|| {
            match request {
                Request::Open { number, source } => {
                    play = None;
                    *lock(&desk.number) = number;
                    lock(&desk.newest).take();
                    let staged = shelf.open(&source, desk);
                    hall.begun(
                        number,
                        staged.map(|staged| {
                            play = Some(staged.play);
                            staged.opened
                        }),
                    );
                }
                Request::Close => {
                    play = None;
                    lock(&desk.newest).take();
                }
                Request::Perform(request) => {
                    if let Some(play) = &mut play {
                        play.perform(request, desk);
                    }
                }
                Request::Look => {}
            }
            rest.set(play.as_mut().and_then(|play| play.run_due(desk)));
            let view = lock(&desk.unnoted).take();
            if let Some(view) = view {
                shelf.note(&view);
            }
        });
        if let Err(message) = done {
            play = None;
            hall.broke(message);
        }
    }
}
