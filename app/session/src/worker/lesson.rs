//! The thread of the lesson. It supervises the thread on which the lesson is played, and replaces it
//! if a script of the lesson can't be stopped.
//!
//! Snapshots are published whole; the window takes the newest one.

mod stage;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};

use self::stage::StageThread;
use super::console::Outbox;
use super::lesson_job::{LessonOrder, LessonOutcome};
use super::wake::Wake;
use crate::job::ConsoleOutput;
use crate::job::lesson::{ExamSheet, LessonList, LessonRequest, LessonSource, LessonView, Problem};
use crate::shell::watch::{ScriptWatch, Waited};
use crate::source::Opened;

/// The name of the thread.
pub(super) const THREAD: &str = "mayfly-lesson";

/// Orders that may wait for the thread.
const ORDERS_MAX: usize = 64;

/// Where lessons come from. The window's tests hand in their own.
pub trait LessonShelf: Send + Sync + 'static {
    /// Every lesson: those of the program, then those of these files and folders.
    fn list(&self, opened: &[PathBuf]) -> LessonList;

    /// Begins a lesson on the calling thread, with the numbers that a seed draws if it has `[vary]`.
    ///
    /// # Errors
    /// Why its file can't be read.
    fn open(
        &self,
        source: &LessonSource,
        seed: Option<u64>,
        desk: &Arc<LessonDesk>,
    ) -> Result<StagedLesson, Vec<Problem>>;

    /// Writes the handout of a lesson: its text with the answers folded.
    fn handout(&self, source: &LessonSource, file: &PathBuf) -> Result<(), String> {
        let _ = (source, file);
        Err("The handout can't be written".to_owned())
    }

    /// Draws an exam.
    fn exam(&self, seed: u64) -> Result<ExamSheet, String> {
        let _ = seed;
        Err("There is no exam".to_owned())
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
    pub play: Box<dyn LessonPlay>,
}

/// Plays a lesson. It stays on the thread on which it was made.
pub trait LessonPlay {
    /// Does what is asked, and publishes what that changes.
    fn perform(&mut self, request: LessonRequest, desk: &LessonDesk);

    /// Lets the time pass that is due. Returns how long it may rest, or `None` until a request
    /// arrives.
    fn run_due(&mut self, desk: &LessonDesk) -> Option<Duration>;
}

/// Passes the lesson's views to the window, and interruptions to the lesson.
pub struct LessonDesk {
    newest: Mutex<Option<(u32, Arc<LessonView>)>>,
    /// The newest one until the shelf has noted its progress.
    unnoted: Mutex<Option<Arc<LessonView>>>,
    /// The newest one, also after the window took it.
    last: Mutex<Option<Arc<LessonView>>>,
    /// The lesson that is played.
    number: Mutex<u32>,
    /// Something waits that ends what plays.
    is_interrupted: AtomicBool,
    /// The window closes.
    is_closing: AtomicBool,
    waker: Mutex<Option<Sender<LessonOrder>>>,
    outbox: Arc<Outbox>,
    wake: Wake,
}

impl LessonDesk {
    /// Publishes a snapshot in place of an older one that the window has not taken.
    pub fn publish(&self, view: LessonView) {
        // Another thread may play a lesson by now.
        if !ScriptWatch::of_thread().is_abandoned() {
            self.show(view);
        }
    }

    fn show(&self, view: LessonView) {
        let number = *lock(&self.number);
        let view = Arc::new(view);
        *lock(&self.last) = Some(Arc::clone(&view));
        *lock(&self.unnoted) = Some(Arc::clone(&view));
        let waited = lock(&self.newest).replace((number, view)).is_some();
        if !waited {
            (self.wake)(Duration::ZERO);
        }
    }

    /// Whether what plays must end soon: the window closes the lesson or stops it.
    pub fn is_interrupted(&self) -> bool {
        self.is_interrupted.load(Ordering::Acquire)
    }

    /// Ends a rest of the thread early, because the store was asked something about time. Never
    /// waits.
    pub fn wake_thread(&self) {
        if let Some(waker) = &*lock(&self.waker) {
            // A full channel wakes it as well.
            let _ = waker.try_send(LessonOrder::Look);
        }
    }

    /// Hands a line of the console over.
    pub fn console_output(&self, run: u64, output: ConsoleOutput) {
        if !ScriptWatch::of_thread().is_abandoned() {
            self.outbox.push(run, output);
        }
    }

    /// An input of the console ended; this database is in use.
    pub fn console_end(&self, run: u64, database: String) {
        if !ScriptWatch::of_thread().is_abandoned() {
            self.outbox.end(run, database);
        }
    }

    /// Answers an order that ended with its thread.
    fn fail(&self, order: LessonOrder, sentence: String, hall: &dyn LessonHall) {
        hall.ended();
        match order {
            LessonOrder::Open { number, .. } => {
                let problem = Problem { line: 1, column: 1, sentence };
                return hall.begun(number, Err(vec![problem]));
            }
            LessonOrder::Perform(LessonRequest::Console(run)) => {
                self.outbox.push(run.number, ConsoleOutput::Failed(sentence.clone()));
                self.outbox.end(run.number, run.database);
            }
            LessonOrder::Close | LessonOrder::Perform(_) | LessonOrder::Look => {}
        }
        let last = lock(&self.last).clone();
        if let Some(last) = last {
            self.show(LessonView { failure: Some(sentence), ..LessonView::clone(&last) });
        }
    }
}

/// The thread, as the other threads see it.
pub(super) struct LessonDoor {
    orders: Mutex<Option<Sender<LessonOrder>>>,
    desk: Arc<LessonDesk>,
}

/// The other end of the door.
pub(super) struct LessonPost {
    orders: Receiver<LessonOrder>,
    desk: Arc<LessonDesk>,
}

/// Passes events of the thread to the pool.
pub(super) trait LessonHall: Send + Sync + 'static {
    /// A lesson began; its store is `opened`.
    fn begun(&self, number: u32, result: Result<Opened, Vec<Problem>>);
    /// Its thread was abandoned: nothing must wait for its store.
    fn ended(&self);
    /// A bug ended it.
    fn broke(&self, message: String);
}

impl LessonDoor {
    pub(super) fn new(outbox: Arc<Outbox>, wake: Wake) -> (Self, LessonPost) {
        let (sender, orders) = bounded(ORDERS_MAX);
        let desk = Arc::new(LessonDesk {
            newest: Mutex::default(),
            unnoted: Mutex::default(),
            last: Mutex::default(),
            number: Mutex::default(),
            is_interrupted: AtomicBool::new(false),
            is_closing: AtomicBool::new(false),
            waker: Mutex::new(Some(sender.clone())),
            outbox,
            wake,
        });
        let door = Self { orders: Mutex::new(Some(sender)), desk: Arc::clone(&desk) };
        (door, LessonPost { orders, desk })
    }

    /// Hands an order over. Never waits; an order that finds no room is dropped.
    pub(super) fn order(&self, order: LessonOrder) {
        let ends = match &order {
            LessonOrder::Open { .. } | LessonOrder::Close => true,
            LessonOrder::Perform(request) => interrupts(request),
            LessonOrder::Look => false,
        };
        if ends {
            self.desk.is_interrupted.store(true, Ordering::Release);
        }
        if let Some(sender) = &*lock(&self.orders) {
            let _ = sender.try_send(order);
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
        self.desk.is_closing.store(true, Ordering::Release);
        self.desk.is_interrupted.store(true, Ordering::Release);
        lock(&self.desk.waker).take();
        lock(&self.orders).take();
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

/// Hands each order to the thread on which the lesson is played, until the window closes.
pub(super) fn serve(post: &LessonPost, shelf: &Arc<dyn LessonShelf>, hall: &Arc<dyn LessonHall>) {
    let desk = &post.desk;
    let mut stage: Option<StageThread> = None;
    let mut rest = None;
    loop {
        let order = match rest.take() {
            None => post.orders.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(wait) => post.orders.recv_timeout(wait),
        };
        let order = match order {
            Ok(order) => order,
            Err(RecvTimeoutError::Timeout) => LessonOrder::Look,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        // The interrupted order has ended.
        desk.is_interrupted.store(false, Ordering::Release);
        let sentence = match perform(order.clone(), &mut stage, desk, shelf, hall) {
            Ok(Waited::Answer(wait)) => {
                rest = wait;
                continue;
            }
            Ok(Waited::Ended) => "The lesson ended by a bug".to_owned(),
            Ok(Waited::Stuck(stuck)) => format!("{stuck}. Open the lesson again to continue"),
            Err(error) => format!("The lesson could not start: {error}"),
        };
        // Its place is taken by another thread at the next order.
        stage = None;
        desk.fail(order, sentence, hall.as_ref());
    }
}

/// Has the thread of the lesson do what is asked. Starts it if there is none.
fn perform(
    order: LessonOrder,
    stage: &mut Option<StageThread>,
    desk: &Arc<LessonDesk>,
    shelf: &Arc<dyn LessonShelf>,
    hall: &Arc<dyn LessonHall>,
) -> std::io::Result<Waited<Option<Duration>>> {
    let stage = match stage {
        Some(stage) => stage,
        None => stage.insert(StageThread::start(desk, shelf, hall)?),
    };
    Ok(stage.perform(order, desk))
}
