//! The reaper under clocks that step, sleep, restart and lie, compared with a plain model of what
//! may be removed.
//!
//! The reaper gets a pair of clocks that claim to be the system's. The model knows the true time.
//! After each pass it says what must not be removed, and in quiet times what must be.
//! `MAYFLY_TEST_COUNT` sets the number of scenarios, `MAYFLY_TEST_SEED` the first of their seeds. A
//! failing scenario prints its own seed, to run again with a count of 1.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use bson::{DateTime, RawDocumentBuf, doc};
use mayfly_engine::catalog::Namespace;
use mayfly_engine::catalog::rules::CreateIndexesRequest;
use mayfly_engine::clock::{Clock, ClockMode, ClockStatus, WaitEnd, WakeUp};
use mayfly_engine::collection::{Collections, WriteError};
use mayfly_engine::event::{EventHub, PassReport};
use mayfly_engine::reaper::Reaper;
use mayfly_engine::store::{Scan, Store, StoreError, StoreOptions};
use mayfly_tests::random::{self, Random};
use mayfly_tests::store::folder_in_memory;

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const YEAR: i64 = 365 * DAY;

/// True time at the start, 2027-01-15.
const START_MS: i64 = 1_800_000_000_000;

/// How far the reaper says it may be ahead of the time since boot.
const AHEAD_MS_MAX: i64 = HOUR;

/// The most that a time server lets the clock drift, in milliseconds.
const DRIFT_MS: i64 = 500;

#[test]
fn nothing_goes_that_is_not_due() {
    let seed = random::seed(20_261_121);
    let count = random::count(2_000);
    println!("MAYFLY_TEST_SEED={seed} MAYFLY_TEST_COUNT={count}");
    let next = AtomicUsize::new(0);
    let totals = Mutex::new(Totals::default());
    let workers = thread::available_parallelism().map_or(2, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let number = next.fetch_add(1, Ordering::Relaxed)
                    && number < count
                {
                    let own = seed.wrapping_add(number as u64);
                    let done = catch_unwind(AssertUnwindSafe(|| scenario(own)));
                    let done = done.unwrap_or_else(|panic| {
                        println!("failed: MAYFLY_TEST_SEED={own} MAYFLY_TEST_COUNT=1");
                        resume_unwind(panic);
                    });
                    totals.lock().unwrap_or_else(PoisonError::into_inner).add(&done);
                }
            });
        }
    });
    let totals = totals.into_inner().unwrap_or_else(PoisonError::into_inner);
    println!("{totals:?}");
    if count >= 1_000 {
        let seen = [totals.removed, totals.held, totals.quiet, totals.index_held];
        assert!(!seen.contains(&0), "{totals:?}");
        for event in Event::ALL {
            assert!(totals.events.contains_key(&format!("{event:?}")), "never: {event:?}");
        }
    }
}

/// Counts of what a run has seen, to detect a run that tests nothing.
#[derive(Debug, Default)]
struct Totals {
    removed: u64,
    /// Passes that were on hold.
    held: u64,
    /// Passes after which nothing overdue may be left.
    quiet: u64,
    /// Passes that held one index.
    index_held: u64,
    events: BTreeMap<String, u64>,
}

impl Totals {
    fn add(&mut self, other: &Self) {
        self.removed += other.removed;
        self.held += other.held;
        self.quiet += other.quiet;
        self.index_held += other.index_held;
        for (event, count) in &other.events {
            *self.events.entry(event.clone()).or_default() += count;
        }
    }
}

/// Events in the life of a computer.
#[derive(Debug, Clone, Copy)]
enum Event {
    Run,
    Suspend,
    RestartProgram,
    RestartMachine,
    WrongAtBoot,
    LongAbsence,
    StepSmall,
    StepOverCrowd,
    StepFar,
    To2099,
    To1970,
    Return,
    ZoneChange,
    Restore,
    Release,
    Keep,
    Insert,
}

impl Event {
    const ALL: [Self; 17] = [
        Self::Run,
        Self::Suspend,
        Self::RestartProgram,
        Self::RestartMachine,
        Self::WrongAtBoot,
        Self::LongAbsence,
        Self::StepSmall,
        Self::StepOverCrowd,
        Self::StepFar,
        Self::To2099,
        Self::To1970,
        Self::Return,
        Self::ZoneChange,
        Self::Restore,
        Self::Release,
        Self::Keep,
        Self::Insert,
    ];
}

/// Runs one scenario.
fn scenario(seed: u64) -> Totals {
    let mut random = Random::new(seed);
    let secs = *random.pick(&[0, 1, 60, 3_600, 86_400, i64::from(i32::MAX)]);
    let mut world = World::new(secs, random);
    world.insert_some();
    world.pass();
    for _ in 0..8 {
        let event = *world.random.pick(&Event::ALL);
        world.happen(event);
        for _ in 0..=world.random.below(2) {
            world.pass_by(MINUTE);
            world.pass();
        }
    }
    world.totals
}

/// A pair of clocks that claims to be the system's.
#[derive(Debug, Default)]
struct Clocks {
    inner: Mutex<Readings>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Readings {
    /// The true time in milliseconds since 1970; no clock shows it.
    true_ms: i64,
    /// Wall time minus true time.
    offset_ms: i64,
    /// True time of the machine's start, and its number.
    booted_ms: i64,
    boot: u64,
}

impl Clocks {
    fn get(&self) -> Readings {
        *self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Readings)) {
        change(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Readings {
    fn wall_ms(self) -> i64 {
        self.true_ms.saturating_add(self.offset_ms)
    }
}

impl Clock for Clocks {
    fn now_ms(&self) -> i64 {
        self.get().wall_ms()
    }

    fn monotonic(&self) -> Duration {
        let now = self.get();
        Duration::from_millis((now.true_ms - now.booted_ms).unsigned_abs())
    }

    fn wait_until(&self, _: Option<Duration>, _: &WakeUp) -> WaitEnd {
        WaitEnd::Woken
    }

    fn status(&self) -> ClockStatus {
        let mode = ClockMode::System;
        ClockStatus { now_ms: self.now_ms(), mode, rate: 1.0, paused: false }
    }

    fn boot_id(&self) -> Option<String> {
        Some(format!("boot {}", self.get().boot))
    }
}

/// The last pass that was not on hold, as the model saw it.
#[derive(Debug, Clone, Copy)]
struct TrustedPass {
    wall_ms: i64,
    /// Wall time minus true time at the first pass of this boot, or at the last release.
    offset_ms: i64,
    boot: u64,
}

struct World {
    clocks: Arc<Clocks>,
    collections: Arc<Collections>,
    reaper: Reaper,
    random: Random,
    secs: i64,
    /// Thresholds of the existing documents, by `_id`. `None` for documents that never expire.
    documents: BTreeMap<i32, Option<i64>>,
    last: Option<TrustedPass>,
    /// Nothing since the start or the last release could cause a hold.
    quiet: bool,
    restored: bool,
    kept: bool,
    totals: Totals,
    _folder: tempfile::TempDir,
}

impl World {
    fn new(secs: i64, random: Random) -> Self {
        let folder = folder_in_memory();
        let clocks = Arc::new(Clocks::default());
        clocks.change(|clocks| {
            clocks.true_ms = START_MS;
            clocks.booted_ms = START_MS - HOUR;
        });
        let options = StoreOptions { now_ms: START_MS, ..StoreOptions::default() };
        let (store, _) = Store::open(folder.path(), &options).expect("a store");
        let clock = Arc::clone(&clocks) as Arc<dyn Clock>;
        let collections = Arc::new(Collections::new(Arc::new(store), clock).expect("collections"));
        let reaper = reaper(&collections);
        let world = Self {
            clocks,
            collections,
            reaper,
            random,
            secs,
            documents: BTreeMap::new(),
            last: None,
            quiet: true,
            restored: false,
            kept: false,
            totals: Totals::default(),
            _folder: folder,
        };
        world.index("at");
        world
    }

    fn index(&self, field: &str) {
        let spec = doc! { "key": { field: 1 }, "name": field, "expireAfterSeconds": self.secs };
        let request = CreateIndexesRequest {
            namespace: namespace(),
            indexes: vec![spec],
            ignore_unknown_options: false,
        };
        self.collections.create_indexes(&request, &mut |_| {}).expect("an index");
    }

    /// Lets true time pass, with a small drift of the clock.
    fn pass_by(&mut self, ms: i64) {
        let wander =
            i64::try_from(self.random.below(usize::try_from(DRIFT_MS).unwrap_or(1))).unwrap_or(0);
        self.clocks.change(|clocks| clocks.true_ms += ms + wander - DRIFT_MS / 2);
    }

    fn between(&mut self, from: i64, to: i64) -> i64 {
        from + i64::try_from(self.random.next_u64() % (to - from).unsigned_abs()).unwrap_or(0)
    }

    fn happen(&mut self, event: Event) {
        *self.totals.events.entry(format!("{event:?}")).or_default() += 1;
        match event {
            // Rules and stored dates have no time zone: changing it moves neither clock.
            Event::ZoneChange => {}
            Event::Run => {
                for _ in 0..self.random.below(8) {
                    self.pass_by(MINUTE);
                    self.pass();
                }
            }
            Event::Suspend => {
                let ms = self.between(MINUTE, 5 * DAY);
                self.pass_by(ms);
            }
            Event::RestartProgram => self.restart(),
            Event::RestartMachine => self.restart_machine(5 * DAY),
            Event::WrongAtBoot => {
                self.restart_machine(5 * DAY);
                let by_ms = *self.random.pick(&[-60 * YEAR, -2 * HOUR, 2 * HOUR, 70 * YEAR]);
                self.step(by_ms);
            }
            Event::LongAbsence => {
                self.restart_machine(DAY);
                self.pass_by(31 * DAY);
                self.quiet = false;
            }
            Event::StepSmall => {
                let by_ms = self.between(-HOUR, HOUR);
                self.step(by_ms);
            }
            Event::StepOverCrowd => {
                // Rare, because a crowd takes time.
                if self.random.below(20) == 0 {
                    self.insert_crowd();
                    self.pass();
                    self.step(50 * MINUTE);
                }
            }
            Event::StepFar => {
                let by_ms = self.between(-2 * YEAR, 2 * YEAR);
                self.step(by_ms);
            }
            Event::To2099 => self.step(73 * YEAR),
            Event::To1970 => self.step(-57 * YEAR),
            Event::Return => {
                let offset_ms = self.clocks.get().offset_ms;
                self.step(-offset_ms);
            }
            Event::Restore => {
                let now_ms = self.clocks.get().wall_ms();
                self.collections.store().mark_restored(now_ms).expect("marked");
                self.restart();
                (self.restored, self.quiet) = (true, false);
            }
            Event::Release => self.release(),
            Event::Keep => {
                self.kept |= self.reaper.keep_held(None).expect("stored");
            }
            Event::Insert => self.insert_some(),
        }
    }

    fn step(&mut self, by_ms: i64) {
        self.clocks.change(|clocks| clocks.offset_ms = clocks.offset_ms.saturating_add(by_ms));
        self.quiet &= by_ms == 0;
    }

    fn restart(&mut self) {
        let held = |reaper: &Reaper| reaper.held().map(|held| (held.reason.code(), held.kept));
        let (before, indexes) = (held(&self.reaper), self.reaper.held_indexes());
        self.reaper = reaper(&self.collections);
        assert_eq!(held(&self.reaper), before, "what is held outlives the program");
        assert_eq!(self.reaper.held_indexes(), indexes, "what is held outlives the program");
    }

    fn restart_machine(&mut self, ms_max: i64) {
        let ms = self.between(MINUTE, ms_max);
        self.pass_by(ms);
        self.clocks.change(|clocks| {
            clocks.boot += 1;
            clocks.booted_ms = clocks.true_ms - MINUTE;
        });
        self.restart();
    }

    fn release(&mut self) {
        self.reaper.release(None).expect("stored");
        let now = self.clocks.get();
        let (wall_ms, offset_ms) = (now.wall_ms(), now.offset_ms);
        self.last = Some(TrustedPass { wall_ms, offset_ms, boot: now.boot });
        (self.quiet, self.restored, self.kept) = (true, false, false);
    }

    fn insert_some(&mut self) {
        let wall_ms = self.clocks.get().wall_ms();
        let new = 4 + self.random.below(8);
        let first = self.documents.keys().next_back().map_or(0, |last| last + 1);
        let mut dates = Vec::new();
        for id in (first..).take(new) {
            let span = *self.random.pick(&[MINUTE, HOUR, DAY, 30 * DAY, YEAR]);
            let due_ms = match self.random.below(20) {
                0 => i64::MIN,
                1 => i64::MAX,
                2 => -1,
                _ => wall_ms.saturating_add(self.between(-span, 2 * span)),
            };
            dates.push((id, due_ms.saturating_sub(self.secs * SECOND)));
        }
        self.insert(&dates);
    }

    /// More documents than a small step may remove, due in half an hour.
    fn insert_crowd(&mut self) {
        let due_ms = self.clocks.get().wall_ms().saturating_add(HOUR / 2);
        let date_ms = due_ms.saturating_sub(self.secs * SECOND);
        let first = self.documents.keys().next_back().map_or(0, |last| last + 1);
        self.insert(&(first..first + 1_100).map(|id| (id, date_ms)).collect::<Vec<_>>());
    }

    /// Inserts documents by `_id` and date.
    fn insert(&mut self, dates: &[(i32, i64)]) {
        let documents: Vec<RawDocumentBuf> = dates
            .iter()
            .map(|(id, date_ms)| doc! { "_id": *id, "at": DateTime::from_millis(*date_ms) })
            .map(|document| RawDocumentBuf::try_from(&document).expect("raw"))
            .collect();
        self.collections
            .write(|writer| {
                let collection = writer.create_if_missing(&namespace())?;
                for document in &documents {
                    writer.insert(&collection, document)?;
                }
                Ok::<_, WriteError>(())
            })
            .expect("inserted");
        for (id, date_ms) in dates {
            self.documents.insert(*id, date_ms.checked_add(self.secs * SECOND));
        }
    }

    /// A scheduled pass, checked against the model.
    fn pass(&mut self) {
        let now = self.clocks.get();
        let report = self.reaper.run_scheduled_pass();
        let gone = self.gone();
        let wall_ms = now.wall_ms();
        for (id, threshold_ms) in &gone {
            let is_due = threshold_ms.is_some_and(|threshold_ms| threshold_ms <= wall_ms);
            assert!(is_due, "{id} went at {wall_ms}, due {threshold_ms:?}");
        }
        self.totals.removed += gone.len() as u64;
        match report {
            None => {
                self.totals.held += 1;
                assert!(gone.is_empty(), "held, and yet {gone:?} went");
                assert!(self.reaper.held().is_some(), "held without a reason");
            }
            Some(report) => self.let_through(now, &report, gone.len()),
        }
        if self.quiet && !self.kept {
            self.totals.quiet += 1;
            assert_eq!(self.reaper.held(), None, "held in quiet times");
            let left = self.documents.values().flatten().filter(|due_ms| **due_ms <= wall_ms);
            assert_eq!(left.count(), 0, "due and left behind in quiet times");
        }
    }

    /// A pass was not on hold: the clock must have been trustworthy.
    fn let_through(&mut self, now: Readings, report: &PassReport, gone: usize) {
        let wall_ms = now.wall_ms();
        assert!(!self.kept || self.reaper.held().is_none(), "kept, and yet a pass was made");
        assert!(!self.restored || gone == 0, "{gone} of a restored store went unasked");
        if report.held.is_some() {
            self.totals.index_held += 1;
            assert!(!self.quiet, "an index is held in quiet times");
        }
        let mut offset_ms = now.offset_ms;
        if let Some(last) = self.last {
            if wall_ms - last.wall_ms > 30 * DAY {
                assert_eq!(gone, 0, "after a long absence");
            }
            if last.boot == now.boot {
                offset_ms = last.offset_ms;
                let ahead_ms = now.offset_ms - last.offset_ms;
                assert!(ahead_ms <= AHEAD_MS_MAX + DRIFT_MS, "{ahead_ms} ms ahead");
            } else {
                let back_ms = last.wall_ms - wall_ms;
                assert!(back_ms <= 5 * MINUTE, "{back_ms} ms behind the last pass");
            }
        }
        self.last = Some(TrustedPass { wall_ms, offset_ms, boot: now.boot });
    }

    /// Removes from the model what was removed from the store.
    fn gone(&mut self) -> Vec<(i32, Option<i64>)> {
        let left = ids(&self.collections);
        let before = std::mem::take(&mut self.documents);
        let (left, gone): (Vec<_>, Vec<_>) =
            before.into_iter().partition(|(id, _)| left.binary_search(id).is_ok());
        self.documents = left.into_iter().collect();
        gone
    }
}

fn reaper(collections: &Arc<Collections>) -> Reaper {
    Reaper::new(Arc::clone(collections), Arc::new(EventHub::default())).expect("a reaper")
}

fn namespace() -> Namespace {
    Namespace::new("test", "c")
}

fn ids(collections: &Collections) -> Vec<i32> {
    let collection = collections.catalog().collection(&namespace()).expect("a collection");
    let read = collections.store().read(|reader| {
        let mut ids = Vec::new();
        for stored in reader.documents(collection.id, 0, Scan::Forward)? {
            ids.push(stored?.document()?.get_i32("_id").unwrap_or(-1));
        }
        ids.sort_unstable();
        Ok::<_, StoreError>(ids)
    });
    read.expect("the store is read")
}

/// A world without randomness, with one document for each offset of its threshold from now.
fn plain(offsets_ms: &[i64]) -> World {
    let mut world = World::new(0, Random::new(1));
    world.pass();
    let dates = (0..).zip(offsets_ms).map(|(id, offset_ms)| (id, START_MS + offset_ms));
    world.insert(&dates.collect::<Vec<_>>());
    world
}

#[test]
fn a_jump_to_2099_removes_nothing_and_neither_does_one_that_returns() {
    let mut world = plain(&[DAY, YEAR, 10 * YEAR]);
    world.happen(Event::To2099);
    for _ in 0..100 {
        world.pass_by(MINUTE);
        world.pass();
    }
    assert_eq!((world.totals.held, world.totals.removed), (100, 0));
    world.happen(Event::RestartMachine);
    world.pass();
    world.happen(Event::Return);
    world.pass_by(MINUTE);
    world.pass();
    assert_eq!(world.reaper.held(), None);
    assert_eq!(
        world.documents.len(),
        if world.clocks.get().true_ms > START_MS + DAY { 2 } else { 3 }
    );
}

#[test]
fn a_backup_of_last_year_loses_nothing_before_it_is_released() {
    let mut world = plain(&[-YEAR, -DAY, YEAR]);
    world.happen(Event::Restore);
    for _ in 0..50 {
        world.pass_by(MINUTE);
        world.pass();
    }
    assert_eq!(world.documents.len(), 3);
    world.happen(Event::Release);
    world.pass();
    assert_eq!(world.documents.len(), 1);
}

#[test]
fn on_an_ordinary_day_all_that_is_due_goes_and_nothing_else() {
    let offsets: Vec<i64> = (0..24 * 12).map(|number| number * 5 * MINUTE).collect();
    let mut world = plain(&offsets);
    for _ in 0..12 * 60 {
        world.pass_by(MINUTE);
        world.pass();
    }
    assert_eq!((world.totals.held, world.totals.quiet), (0, 12 * 60 + 1));
    let due = offsets.iter().filter(|due_ms| **due_ms <= world.clocks.get().wall_ms() - START_MS);
    assert_eq!(world.totals.removed, due.count() as u64);
}

#[test]
fn a_date_whose_seconds_lead_beyond_the_end_of_time_never_goes() {
    let mut world = World::new(i64::from(i32::MAX), Random::new(1));
    world.insert(&[(0, i64::MAX), (1, i64::MAX - 1), (2, i64::MIN), (3, -1), (4, START_MS)]);
    world.pass();
    assert_eq!(world.documents.keys().copied().collect::<Vec<_>>(), [0, 1, 3, 4]);
    world.clocks.change(|clocks| clocks.offset_ms = i64::MAX - clocks.true_ms);
    world.release();
    world.pass();
    assert_eq!(world.documents.keys().copied().collect::<Vec<_>>(), [0, 1]);
}
