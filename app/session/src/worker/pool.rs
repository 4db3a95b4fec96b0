//! The threads.

mod files;
mod lessons;
mod opening;
mod slow_reads;

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};

use self::slow_reads::SlowReads;
use super::at_close::AtClose;
use super::console::Console;
use super::desk::{Desk, Threads};
use super::guarded::guarded;
use super::lesson::{self, LessonDoor, LessonHall, LessonShelf};
use super::lesson_job::{LessonOrder, LessonOutcome};
use super::order::Order;
use super::outcome::Outcome;
use super::outcome_sender::OutcomeSender;
use super::queue::{Put, Queue};
use super::secret_job::SecretWork;
use super::secret_thread;
use super::secrets::Secrets;
use super::sources::{FIRST, Sources};
use super::task::{Job, Lane};
use super::traffic::{self, TrafficSwitch};
use super::wake::Wake;
use crate::job::lesson::LessonRequest;
use crate::job::slow_read::SlowRead;
use crate::job::{Cancel, ConsoleQuestion, ConsoleRun, Event, TabId};
use crate::limits::{
    KEYRING_CLOSE, OUTCOMES_MAX, READER_PATIENCE, READERS_MAX, READERS_MIN, TRANSFERS_MAX,
};
use crate::source::Opener;

/// The threads around a source. Dropping it ends them.
pub struct Worker<A: Send + 'static> {
    shared: Arc<Shared<A>>,
    outcomes: Receiver<Outcome<A>>,
    threads: RefCell<Vec<JoinHandle<()>>>,
    /// Threads that read.
    readers: Cell<usize>,
    /// Stores that were asked for and that the window doesn't show yet.
    opening: Cell<usize>,
    /// The lesson that was ordered last and not closed since.
    ordered: Cell<u32>,
    /// The store that the window shows.
    shown: Cell<u32>,
    /// The system's keyring.
    secrets: Secrets,
}

pub(super) struct Shared<A> {
    read: Queue<A>,
    write: Queue<A>,
    transfer: Queue<A>,
    bulk: Queue<A>,
    schema: Queue<A>,
    sources: Sources,
    shelf: Arc<dyn LessonShelf>,
    lesson: LessonDoor,
    outcomes: Sender<Outcome<A>>,
    wake: Wake,
    opener: Opener,
    /// Reads and writes that were asked for and have not ended.
    unanswered: AtomicUsize,
    slow_reads: SlowReads,
    at_close: AtClose,
    traffic: TrafficSwitch,
    console: Console,
    /// Set when the window closes.
    ends: Cancel,
    /// Threads that roll out a TTL.
    rollouts: Mutex<Vec<JoinHandle<()>>>,
}

impl<A: Send + 'static> Worker<A> {
    /// Starts the threads. Nothing is open until a [`Order::Open`] was done.
    ///
    /// # Errors
    /// The system refused a thread.
    pub fn start(
        opener: Opener,
        shelf: Arc<dyn LessonShelf>,
        secrets: Secrets,
        wake: Wake,
    ) -> std::io::Result<Self> {
        let (sender, outcomes) = bounded(OUTCOMES_MAX);
        let (console, console_thread) = Console::start(Arc::clone(&wake))?;
        let (door, post) = LessonDoor::new(console.outbox(), Arc::clone(&wake));
        let shared = Arc::new(Shared {
            read: Queue::default(),
            write: Queue::default(),
            transfer: Queue::default(),
            bulk: Queue::default(),
            schema: Queue::default(),
            sources: Sources::default(),
            shelf,
            lesson: door,
            outcomes: sender,
            wake,
            opener,
            unanswered: AtomicUsize::new(0),
            slow_reads: SlowReads::default(),
            at_close: AtClose::default(),
            traffic: TrafficSwitch::default(),
            console,
            ends: Cancel::default(),
            rollouts: Mutex::default(),
        });
        let worker = Self {
            shared,
            outcomes,
            threads: RefCell::new(vec![console_thread]),
            readers: Cell::new(0),
            opening: Cell::new(0),
            ordered: Cell::new(FIRST),
            shown: Cell::new(FIRST),
            secrets,
        };
        for _ in 0..READERS_MIN {
            worker.add_reader()?;
        }
        worker.spawn("mayfly-write".to_owned(), Lane::Write)?;
        for number in 1..=TRANSFERS_MAX {
            worker.spawn(format!("mayfly-transfer-{number}"), Lane::Transfer)?;
        }
        worker.spawn("mayfly-bulk".to_owned(), Lane::Bulk)?;
        worker.spawn("mayfly-schema".to_owned(), Lane::Schema)?;
        worker.spawn_traffic()?;
        let shared = Arc::clone(&worker.shared);
        let play = move || {
            let shelf = Arc::clone(&shared.shelf);
            let hall: Arc<dyn LessonHall> = Arc::new(shared);
            lesson::serve(&post, &shelf, &hall);
        };
        let thread = thread::Builder::new().name(lesson::THREAD.to_owned()).spawn(play)?;
        worker.threads.borrow_mut().push(thread);
        Ok(worker)
    }

    /// Starts the thread that asks for the next step of the traffic.
    fn spawn_traffic(&self) -> std::io::Result<()> {
        let shared = Arc::clone(&self.shared);
        let ask = move || {
            while shared.traffic.wait() {
                shared.unanswered.fetch_add(1, Ordering::AcqRel);
                let store = shared.sources.front();
                let step = Job { store, ..Job::of_order(Order::Traffic, 0) };
                if let Put::Full(_) = shared.write.put(step) {
                    shared.traffic.dropped();
                    shared.answered(Lane::Write);
                }
            }
        };
        let thread = thread::Builder::new().name(traffic::THREAD.to_owned());
        self.threads.borrow_mut().push(thread.spawn(ask)?);
        Ok(())
    }

    fn add_reader(&self) -> std::io::Result<()> {
        let number = self.readers.get() + 1;
        self.spawn(format!("mayfly-read-{number}"), Lane::Read)?;
        self.readers.set(number);
        Ok(())
    }

    fn spawn(&self, name: String, lane: Lane) -> std::io::Result<()> {
        let shared = Arc::clone(&self.shared);
        let thread = thread::Builder::new().name(name.clone());
        self.threads.borrow_mut().push(thread.spawn(move || shared.work(&name, lane))?);
        Ok(())
    }

    /// Notes a read that may be slow, and keeps one reader more than there are tabs with queries.
    fn note_slow_read(&self, job: &Job<A>) {
        let Some(read) = job.manners.slow_read else { return };
        let tabs = self.shared.slow_reads.note(read, job.generation);
        if tabs >= self.readers.get() && self.readers.get() < READERS_MAX {
            // Without a further thread the query waits for its turn.
            let _ = self.add_reader();
        }
    }

    /// Starts a reader if something waits and every reader is busy for long.
    fn relieve_readers(&self, patience: Duration) {
        if self.readers.get() >= READERS_MAX {
            return;
        }
        match self.shared.read.relief_in(self.readers.get(), patience) {
            // Without a further thread the job waits for its turn.
            Some(Duration::ZERO) => drop(self.add_reader()),
            Some(wait) => (self.shared.wake)(wait),
            None => {}
        }
    }

    /// Hands a job to the threads. Never waits.
    pub fn submit(&self, mut job: Job<A>) {
        if let Some(Order::Show(number)) = job.order() {
            return self.show(*number);
        }
        job.store = self.shown.get();
        if matches!(job.order(), Some(Order::Open(_) | Order::Adopt(_))) {
            self.opening.set(self.opening.get() + 1);
            // The old store closes once its queries have ended.
            self.shared.slow_reads.cancel(|_| true);
            self.shared.console.cancel();
        }
        // A change was meant for the store that was on the screen, and its turn comes in the next one.
        job.is_refused =
            job.lane == Lane::Write && self.opening.get() > 0 && job.command().is_some();
        if job.lane.is_awaited() {
            self.shared.unanswered.fetch_add(1, Ordering::AcqRel);
        }
        self.note_slow_read(&job);
        let (job, full) = match self.shared.queue(job.lane).put(job) {
            Put::Waiting => return self.relieve_readers(READER_PATIENCE),
            Put::Replaced(job) => (job, false),
            Put::Full(job) => (job, true),
        };
        let Job { task, generation, lane, .. } = job;
        self.shared.slow_reads.ended(generation);
        // The window drains outcomes each frame; if even that channel is full the job is forgotten,
        // and its sender asks again.
        if self.shared.outcomes.try_send(task.dropped(generation, full)).is_ok() {
            (self.shared.wake)(Duration::ZERO);
        }
        self.shared.answered(lane);
    }

    /// Cancels reads of a tab that were handed over and have not ended.
    pub fn abandon(&self, tab: TabId, kinds: &[SlowRead]) {
        self.shared.slow_reads.cancel(|(of, kind)| of == tab && kinds.contains(&kind));
    }

    /// Asks the system's keyring. Never waits.
    pub fn ask_keyring(&self, work: SecretWork) {
        let (outcomes, wake) = (self.shared.outcomes.clone(), Arc::clone(&self.shared.wake));
        secret_thread::start(work, &self.secrets, outcomes, wake);
    }

    /// Runs an input in the console. Never waits.
    pub fn run_console(&self, run: ConsoleRun) {
        if self.shown.get() == self.shared.sources.front() {
            self.shared.console.run(run);
        } else {
            // The runtime of a lesson has its variables and functions.
            self.shared.lesson.order(LessonOrder::Perform(LessonRequest::Console(run)));
        }
    }

    /// Asks the console what a word may become. Never waits; a busy console doesn't answer.
    pub fn complete_console(&self, question: ConsoleQuestion) {
        // That of a lesson has another runtime, which is busy with time.
        if self.shown.get() == self.shared.sources.front() {
            self.shared.console.complete(question);
        }
    }

    /// The next outcome, if there is one. Never waits.
    pub fn next_outcome(&self) -> Option<Outcome<A>> {
        let outcome = self.outcomes.try_recv().ok().inspect(|outcome| self.is_taken(outcome));
        // A snapshot comes after the events that it may rest on.
        let outcome = outcome.or_else(|| self.shared.console.take().map(Outcome::Console));
        let outcome =
            outcome.or_else(|| self.shared.lesson.take(self.shown.get()).map(Outcome::Lesson));
        if outcome.is_none() {
            self.relieve_readers(READER_PATIENCE);
        }
        outcome
    }

    /// From the moment when the window knows of a store, it may change it.
    fn is_taken(&self, outcome: &Outcome<A>) {
        if matches!(outcome, Outcome::Opened(_)) {
            self.opening.set(self.opening.get().saturating_sub(1));
        }
        if let Outcome::Lesson(LessonOutcome::Opened { number, result: Ok(_) }) = outcome
            && *number == self.ordered.get()
        {
            self.shown.set(*number);
        }
    }

    /// Whether more outcomes wait.
    pub fn has_outcomes(&self) -> bool {
        let lesson = &self.shared.lesson;
        !self.outcomes.is_empty()
            || self.shared.console.has_report()
            || lesson.has_view(self.shown.get())
    }

    /// Whether every read and write that was asked for has ended and its answer was taken. Work
    /// with files doesn't count: the user watches it.
    pub fn is_idle(&self) -> bool {
        // In this order: an answer is handed over before its job counts as ended.
        self.shared.unanswered.load(Ordering::Acquire) == 0 && !self.has_outcomes()
    }
}

impl<A: Send + 'static> Drop for Worker<A> {
    fn drop(&mut self) {
        self.shared.slow_reads.cancel(|_| true);
        self.shared.ends.cancel();
        for own in self.shared.sources.all() {
            own.leave();
        }
        self.shared.traffic.close();
        self.shared.console.close();
        self.shared.lesson.close();
        // The user may close the window right after a button that writes.
        self.shared.write.finish();
        for lane in [Lane::Read, Lane::Transfer, Lane::Bulk, Lane::Schema] {
            self.shared.queue(lane).close();
        }
        self.shared.at_close.stop_all();
        // Drain outcomes so that no thread blocks, then wait for work in flight:
        // every write must end before the store is closed.
        let mut threads = self.threads.take();
        let rollouts = self.shared.rollouts.lock();
        threads.append(&mut rollouts.unwrap_or_else(PoisonError::into_inner));
        while threads.iter().any(|thread| !thread.is_finished()) {
            let _ = self.outcomes.recv_timeout(Duration::from_millis(5));
        }
        for thread in threads {
            let _ = thread.join();
        }
        // An abandoned script may keep its store until the process ends.
        for own in self.shared.sources.all() {
            // A source that panics must not keep the others open.
            let _ = guarded(|| own.close());
        }
        self.secrets.finish(KEYRING_CLOSE);
    }
}

/// The threads, as a task for one of the stores sees them.
struct OfStore<'s, A> {
    shared: &'s Arc<Shared<A>>,
    store: u32,
}

impl<A: Send + 'static> Threads for OfStore<'_, A> {
    fn follow_again(&self) {
        if let Some(source) = self.shared.sources.of(self.store) {
            self.shared.follow(source.as_ref(), self.store);
        }
    }

    fn shelf(&self) -> Arc<dyn LessonShelf> {
        Arc::clone(&self.shared.shelf)
    }

    fn carry_out(&self, order: Order) {
        self.shared.carry_out(self.store, order);
    }

    fn join_at_close(&self, thread: JoinHandle<()>) {
        self.shared.join_at_close(thread);
    }
}

impl<A: Send + 'static> Shared<A> {
    fn join_at_close(&self, thread: JoinHandle<()>) {
        let mut rollouts = self.rollouts.lock().unwrap_or_else(PoisonError::into_inner);
        rollouts.retain(|thread| !thread.is_finished());
        rollouts.push(thread);
    }

    fn queue(&self, lane: Lane) -> &Queue<A> {
        match lane {
            Lane::Read => &self.read,
            Lane::Write => &self.write,
            Lane::Transfer => &self.transfer,
            Lane::Bulk => &self.bulk,
            Lane::Schema => &self.schema,
        }
    }

    fn answered(&self, lane: Lane) {
        if lane.is_awaited() {
            self.unanswered.fetch_sub(1, Ordering::AcqRel);
        }
    }

    fn tell(&self, outcome: Outcome<A>) {
        if self.outcomes.send(outcome).is_ok() {
            (self.wake)(Duration::ZERO);
        }
    }

    /// Does the jobs of a lane until it is closed.
    fn work(self: &Arc<Self>, name: &str, lane: Lane) {
        while let Some(job) = self.queue(lane).take() {
            let Job { key, generation, store, is_refused, task, .. } = job;
            let desk = Desk {
                source: self.sources.of(store),
                generation,
                cancel: self.slow_reads.cancel_of(generation),
                is_refused,
                sender: OutcomeSender::new(self.outcomes.clone(), Arc::clone(&self.wake)),
                at_close: &self.at_close,
                ends: self.ends.clone(),
                threads: Some(&OfStore { shared: self, store }),
            };
            if let Err(message) = guarded(|| task.run(&desk)) {
                self.failed(name, message);
            }
            self.slow_reads.ended(generation);
            self.queue(lane).ended(&key);
            self.answered(lane);
        }
    }

    fn carry_out(self: &Arc<Self>, store: u32, order: Order) {
        match order {
            Order::Open(_) | Order::Adopt(_) | Order::Show(_) | Order::Close(_) => {
                self.change_stores(store, order);
            }
            Order::SetLocked(is_locked) => {
                if let Some(source) = self.sources.of(store) {
                    source.set_locked(is_locked);
                }
            }
            Order::SetTraffic(on) => {
                self.traffic.set(on);
                self.step_traffic();
            }
            Order::Traffic => self.step_traffic(),
        }
    }

    /// Reports a bug that ended a job before its answer.
    fn failed(&self, thread: &str, message: String) {
        let thread = thread.to_owned();
        let front = self.sources.front();
        self.tell(Outcome::Event(front, Event::ThreadFailed { thread, message }));
    }
}

#[cfg(test)]
#[path = "pool_tests.rs"]
mod tests;
