//! The reaper's interface to the rest of the engine: run a pass, report, hold and release.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, ThreadId},
    time::Duration,
};

use super::{
    background,
    counters::TtlCounters,
    guard::{GuardRuntime, Permit},
    history::PassHistory,
    parameters::{ParameterError, TtlParameter, TtlParameters},
    pass::{Pass, Step},
    schedule::Plan,
    target::{Target, targets_at_work},
    trash,
    watchdog::{Heartbeat, Stall},
};
use crate::{
    archive::Archives,
    broken_rules::{BrokenRule, is_any_broken, is_broken},
    catalog::Namespace,
    clock::{Clock, WakeUp, work_time},
    collection::Collections,
    event::{Event, EventHub, PassReport},
    limits::{COPY_PAUSE, COPY_POLL},
    plan::Operation,
    store::StoreError,
    supervised::panic_text,
    ttl::Rule,
};

/// The name of the background thread, as in MongoDB.
pub const THREAD_NAME: &str = "TTLMonitor";

/// Why a pass runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PassCause {
    Schedule,
    /// The schedule, on a clock that is advanced over many passes.
    LongStretch,
    /// A release: the pass covers everything that is not on hold.
    Release,
    /// A command: the pass covers everything.
    Request,
}

/// The background deletion of one engine. Passes run one at a time.
pub struct Reaper {
    collections: Arc<Collections>,
    clock: Arc<dyn Clock>,
    hub: Arc<EventHub>,
    parameters: TtlParameters,
    counters: TtlCounters,
    archives: Archives,
    pub(super) history: PassHistory,
    pub(super) guard: Mutex<GuardRuntime>,
    /// Whether anything was on hold because of the clock at the guard's last check.
    pub(super) clock_held: AtomicBool,
    /// Held while a pass runs.
    running: Mutex<()>,
    /// Held while a collection replaces another.
    pub(super) replacing: Mutex<()>,
    /// The current pass, so that it can be stopped, and when it began.
    pass_operation: Mutex<Option<(Arc<Operation>, Duration)>>,
    pass_thread: Mutex<Option<ThreadId>>,
    last_number: AtomicU64,
    last_pass: Mutex<Option<PassReport>>,
    /// The monotonic instant at which the last pass ended.
    pass_ended: Mutex<Duration>,
    next_pass_ms: Mutex<Option<i64>>,
    /// The collection whose documents are being removed now.
    working_on: Mutex<Option<Namespace>>,
    /// Monotonic instant at which the engine was opened.
    opened: Duration,
    /// The number of this session's first row in the trash.
    pub(super) first_trashed: u64,
    /// Sentences on damaged state found at open and its consequences.
    lost: Vec<String>,
    heartbeat: Mutex<Heartbeat>,
    pub(super) wake: WakeUp,
    /// Wakes the drain.
    pub(super) drain_wake: WakeUp,
    /// Held while rows of the trash are moved to archives.
    pub(super) draining: Mutex<()>,
    pub(super) stop: AtomicBool,
    /// Documents changed since the last pass began, so some may be due already.
    data_changed: AtomicBool,
}

impl Reaper {
    /// A reaper over these collections. It is idle until a pass is requested or its thread starts.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn new(collections: Arc<Collections>, hub: Arc<EventHub>) -> Result<Self, StoreError> {
        let archives = Archives::open(Arc::clone(&collections))?;
        let now_ms = collections.clock().now_ms();
        let guard = GuardRuntime::load(collections.store(), archives.is_lost(), now_ms)?;
        let parameters = TtlParameters::default();
        let mut lost: Vec<String> = guard.lost_in_words().into_iter().collect();
        if let Some(secs) = trash::kept_secs(collections.store(), &mut lost)? {
            // Ignore a value that another version stored and this one refuses.
            let _ = parameters.set(TtlParameter::TrashSecs, secs);
        }
        let trash = StoreError::unless_damaged(collections.trash_status())?;
        let reaper = Self {
            clock: Arc::clone(collections.clock()),
            hub,
            parameters,
            counters: TtlCounters::default(),
            archives,
            history: PassHistory::default(),
            clock_held: AtomicBool::new(guard.is_clock_held()),
            guard: Mutex::new(guard),
            running: Mutex::new(()),
            replacing: Mutex::new(()),
            pass_operation: Mutex::new(None),
            pass_thread: Mutex::new(None),
            last_number: AtomicU64::new(0),
            last_pass: Mutex::new(None),
            pass_ended: Mutex::default(),
            next_pass_ms: Mutex::new(None),
            working_on: Mutex::new(None),
            opened: collections.clock().monotonic(),
            first_trashed: trash.map_or(1, |trash| trash.next),
            lost,
            heartbeat: Mutex::default(),
            wake: WakeUp::new(),
            drain_wake: WakeUp::new(),
            draining: Mutex::new(()),
            stop: AtomicBool::new(false),
            data_changed: AtomicBool::new(true),
            collections,
        };
        reaper.publish_trash();
        reaper.keep_lost();
        reaper.keep_simulated();
        Ok(reaper)
    }

    /// The collections it works on.
    pub fn collections(&self) -> &Collections {
        &self.collections
    }

    /// The engine's clock.
    pub fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    /// Where its events go.
    pub fn hub(&self) -> &EventHub {
        &self.hub
    }

    /// The parameters in force.
    pub fn parameters(&self) -> &TtlParameters {
        &self.parameters
    }

    /// The counts since it was opened.
    pub fn counters(&self) -> &TtlCounters {
        &self.counters
    }

    /// Sentences on damaged state found at open and its consequences.
    pub fn lost(&self) -> &[String] {
        &self.lost
    }

    /// The archives.
    pub fn archives(&self) -> &Archives {
        &self.archives
    }

    /// The report of the last pass.
    pub fn last_pass(&self) -> Option<PassReport> {
        lock(&self.last_pass).clone()
    }

    /// The monotonic instant at which the last pass ended.
    pub(super) fn pass_ended(&self) -> Duration {
        *lock(&self.pass_ended)
    }

    pub(super) fn note_pass_end(&self) {
        // Noted before the pass is counted: an observer of the counter that then advances a
        // simulated clock does so within the following sleep.
        *lock(&self.pass_ended) = self.clock.monotonic();
    }

    /// When the next scheduled pass is due, in milliseconds since 1970.
    pub fn next_pass_ms(&self) -> Option<i64> {
        *lock(&self.next_pass_ms)
    }

    /// Whether a pass is running now.
    pub fn is_working(&self) -> bool {
        lock(&self.pass_thread).is_some()
    }

    /// The collection that a pass is removing documents from now.
    pub fn current_namespace(&self) -> Option<Namespace> {
        lock(&self.working_on).clone()
    }

    /// The current pass as an operation that can be stopped; the rest is left to the next pass.
    pub fn pass_operation(&self) -> Option<Arc<Operation>> {
        lock(&self.pass_operation).as_ref().map(|(operation, _)| Arc::clone(operation))
    }

    /// Time since the current pass began.
    pub fn pass_took(&self) -> Duration {
        let began = lock(&self.pass_operation).as_ref().map(|(_, began)| *began);
        began.map_or(Duration::ZERO, |began| work_time().saturating_sub(began))
    }

    /// Notes the collection that the pass works on.
    pub(super) fn set_current_namespace(&self, namespace: Option<Namespace>) {
        *lock(&self.working_on) = namespace;
    }

    /// Time since the engine was opened.
    pub fn uptime(&self) -> Duration {
        self.clock.monotonic().saturating_sub(self.opened)
    }

    /// Sets a parameter, replans the current sleep, and returns the previous value.
    ///
    /// # Errors
    /// When the value is outside its bounds, or one that is kept over a restart can't be stored.
    pub fn set_parameter(
        &self,
        parameter: TtlParameter,
        value: i64,
    ) -> Result<i64, ParameterError> {
        parameter.check(value)?;
        self.keep_parameter(parameter, value)?;
        let before = self.parameters.set(parameter, value)?;
        self.publish_trash();
        self.wake.notify();
        Ok(before)
    }

    /// Documents or rules changed: some may be due earlier than planned. The reaper's own removals
    /// do not count.
    pub fn note_change(&self) {
        if *lock(&self.pass_thread) == Some(thread::current().id()) {
            return;
        }
        self.data_changed.store(true, Ordering::Relaxed);
        if self.parameters.at_threshold() {
            self.wake.notify();
        }
    }

    /// The clock was set or stepped: replan.
    pub fn note_clock(&self) {
        // A jump is stored before a subscriber acts on it.
        self.keep_simulated();
        self.hub.send(&Event::ClockChanged(self.clock.status()));
        self.wake_threads();
    }

    /// Runs one whole pass now, whatever the schedule and the guard say.
    pub fn run_pass(&self) -> PassReport {
        self.run(Permit::default(), PassCause::Request, true)
    }

    /// A pass that has no work is only counted.
    fn run(&self, permit: Permit, cause: PassCause, works: bool) -> PassReport {
        let _one_at_a_time = lock(&self.running);
        if self.collections.is_secondary() && !is_broken(BrokenRule::SecondaryPasses) {
            // Only the primary's pass deletes; the secondaries apply its deletes.
            return self.no_pass();
        }
        *lock(&self.pass_thread) = Some(thread::current().id());
        let operation = Arc::new(Operation::default());
        *lock(&self.pass_operation) = Some((Arc::clone(&operation), work_time()));
        self.data_changed.store(false, Ordering::Relaxed);
        let number = self.last_number.fetch_add(1, Ordering::Relaxed) + 1;
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let is_scheduled = !matches!(cause, PassCause::Release | PassCause::Request);
            let mut pass = Pass::begin(self, number, permit, is_scheduled);
            let continues = || !self.stop.load(Ordering::Relaxed) && !operation.is_killed();
            let mut step = if works { pass.step() } else { pass.skip() };
            while step == Step::Again && continues() && pass.continues() {
                thread::yield_now();
                let before = pass.deleted();
                step = pass.step();
                if pass.deleted() > before {
                    self.spare_copies(&continues);
                }
            }
            if cause != PassCause::Request && step == Step::Finished {
                self.note_whole_pass();
            }
            self.empty_trash(pass.now_ms(), &continues);
            pass.end()
        }));
        *lock(&self.pass_thread) = None;
        *lock(&self.pass_operation) = None;
        self.set_current_namespace(None);
        self.drain_wake.notify();
        let report = outcome.unwrap_or_else(|panic| self.died(number, &*panic));
        *lock(&self.last_pass) = Some(report.clone());
        if works {
            self.note_in_history(1, &report);
        }
        report
    }

    /// After a transaction, pauses while a copy of the store is being written.
    fn spare_copies(&self, continues: &dyn Fn() -> bool) {
        let store = self.collections.store();
        if !store.is_copied() {
            return;
        }
        // The copy's reader pins pages, so each commit grows the file.
        self.counters.copy_pauses.add(1);
        let until = work_time().saturating_add(COPY_PAUSE);
        while store.is_copied() && continues() && work_time() < until {
            thread::park_timeout(COPY_POLL);
        }
    }

    /// The report of a pass that did not begin and is not counted.
    fn no_pass(&self) -> PassReport {
        let now_ms = self.clock.now_ms();
        PassReport { started_ms: now_ms, finished_ms: now_ms, ..PassReport::default() }
    }

    /// Runs one pass, or returns `None` if the guard puts it on hold, and on a secondary. Turning
    /// the monitor off ends it after the current transaction.
    pub fn run_scheduled_pass(&self) -> Option<PassReport> {
        self.run_guarded(PassCause::Schedule)
    }

    /// As [`Reaper::run_scheduled_pass`], but a pass that would find nothing is only counted.
    pub(super) fn run_or_count_pass(&self) -> Option<PassReport> {
        self.run_guarded(PassCause::LongStretch)
    }

    /// As [`Reaper::run_scheduled_pass`], but on request after a release, so also while the monitor
    /// is off.
    pub fn run_released_pass(&self) -> Option<PassReport> {
        self.run_guarded(PassCause::Release)
    }

    fn run_guarded(&self, cause: PassCause) -> Option<PassReport> {
        if self.collections.is_secondary() && !is_broken(BrokenRule::SecondaryPasses) {
            return None;
        }
        let Some(permit) = self.ask_guard() else {
            self.counters.held_passes.add(1);
            if cause == PassCause::Schedule {
                self.note_in_history(0, &self.no_pass());
            }
            return None;
        };
        let works = cause != PassCause::LongStretch || is_any_broken() || self.has_work();
        Some(self.run(permit, cause, works))
    }

    /// Whether a pass would find anything.
    fn has_work(&self) -> bool {
        let all = targets_at_work(&self.collections.catalog());
        // An index that never removes anything counts, because a pass reports it.
        let is_inert = |target: &Target| matches!(target.rule, Rule::Inert(_));
        let is_due = background::is_any_due(self.collections.store(), &all, self.clock.now_ms());
        // An unreadable index is for the pass to report.
        all.iter().any(is_inert) || is_due.unwrap_or(true)
    }

    /// The monotonic instant of the next pass, for a sleep that began then. Sends an event if it
    /// changed.
    pub(super) fn plan(&self, sleep_began: Duration) -> Duration {
        let now = self.clock.monotonic();
        let at_threshold = self.parameters.at_threshold() || is_broken(BrokenRule::NoPeriod);
        let wakes = at_threshold && self.parameters.enabled();
        let is_free = self.held().is_none();
        let next_threshold = if wakes && is_free { self.until_threshold() } else { None };
        let sleep = self.parameters.sleep();
        let deadline = Plan { sleep_began, sleep, now, next_threshold }.deadline();
        self.announce(deadline.saturating_sub(now));
        deadline
    }

    /// Time until the next threshold.
    fn until_threshold(&self) -> Option<Duration> {
        let now_ms = self.clock.now_ms();
        let from_ms = if self.data_changed.load(Ordering::Relaxed) {
            i64::MIN
        } else {
            // Documents already due before the last pass do not count; otherwise a failing rule
            // would keep the thread awake.
            lock(&self.last_pass)
                .as_ref()
                .map_or(i64::MIN, |pass| pass.started_ms.saturating_add(1))
        };
        let first = self.first_threshold_ms(from_ms);
        let wait_ms = first.ok().flatten()?.saturating_sub(now_ms);
        Some(Duration::from_millis(u64::try_from(wait_ms).unwrap_or(0)))
    }

    /// The first threshold from this instant on, of any TTL rule.
    ///
    /// # Errors
    /// When the store fails.
    pub fn first_threshold_ms(&self, from_ms: i64) -> Result<Option<i64>, StoreError> {
        let all = targets_at_work(&self.collections.catalog());
        self.collections.store().read(|reader| {
            let mut first: Option<i64> = None;
            for target in &all {
                let found = target.first_threshold_ms(reader, from_ms)?;
                first = first.into_iter().chain(found).min();
            }
            Ok(first)
        })
    }

    fn announce(&self, wait: Duration) {
        // Rounded up: a simulated clock that is advanced to this instant must reach the deadline.
        let wait_ms = i64::try_from(wait.as_nanos().div_ceil(1_000_000)).unwrap_or(i64::MAX);
        let next = Some(self.clock.now_ms().saturating_add(wait_ms));
        let before = std::mem::replace(&mut *lock(&self.next_pass_ms), next);
        if before != next {
            let enabled = self.parameters.enabled();
            self.hub.send(&Event::ReaperScheduled { next_pass_ms: next, enabled });
        }
    }

    /// The stall, if no pass has finished for too long. A monitor that is off, on hold or on a
    /// simulated clock never stalls.
    pub fn stall(&self) -> Option<Stall> {
        if !self.clock.is_real() || !self.parameters.enabled() || self.held().is_some() {
            return None;
        }
        let (now, sleep) = (self.clock.monotonic(), self.parameters.sleep());
        let since = lock(&self.heartbeat).stalled_for(now, self.pass_ended(), sleep)?;
        Some(Stall { since, sleep, is_working: self.is_working() })
    }

    /// The thread completed a turn without a pass.
    pub(super) fn note_heartbeat(&self) {
        lock(&self.heartbeat).note(self.clock.monotonic());
    }

    /// Makes the threads look again at what they wait for.
    pub(super) fn wake_threads(&self) {
        self.wake.notify();
        self.drain_wake.notify();
    }

    /// Ends the thread after its current transaction.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.wake_threads();
        self.keep_at_close();
    }

    /// Stores the simulated clock's time and what the guard has not saved yet.
    pub fn keep_at_close(&self) {
        self.keep_simulated();
        self.keep_unsaved();
        self.history.keep(self.collections.store());
    }

    fn died(&self, number: u64, panic: &(dyn Any + Send)) -> PassReport {
        let now_ms = self.clock.now_ms();
        let report =
            PassReport { number, started_ms: now_ms, finished_ms: now_ms, ..PassReport::default() };
        self.hub.send(&Event::PassFinished(report.clone()));
        // Last, so that an observer does not mistake this pass's end for the end of the failure.
        self.hub.thread_failed(THREAD_NAME, panic_text(panic));
        report
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
