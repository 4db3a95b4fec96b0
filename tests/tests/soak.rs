//! A busy store on the real clock: two writers, the reaper, a scrolling reader, and backups. The
//! data file stays in proportion to the live data, memory does not grow, and nothing is damaged.
//! The writers keep step with the reader, so that a busy machine does less in the same time, and
//! not something else.
//!
//! `MAYFLY_TEST_COUNT` sets the duration in seconds; `--nocapture` shows the progress.

use std::fmt;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use bson::{DateTime, Document, doc};
use crossbeam_channel::{Receiver, Sender, bounded};
use mayfly_engine::engine::{Engine, EngineOptions, maintenance};
use mayfly_engine::event::{Event, Subscription};
use mayfly_engine::store::{Store, backups_kept};
use mayfly_tests::deadline::{Deadline, wall_ms};
use mayfly_tests::random::{self, Random};
use mayfly_tests::store;

const DB: &str = "soak";

/// At this many live documents, writers update instead of insert.
const ALIVE_MAX: i64 = 60_000;

/// Maximum lifetime of a document in seconds, if the test runs longer.
const LIFE_SECS_MAX: u64 = 30;

/// Documents from the start that never expire.
const KEPT: usize = 20_000;

/// Documents per command of a writer.
const BATCH: usize = 20;

/// Commands by which the writers may lag the reader.
const BEHIND_MAX: usize = 4;

/// Lines between two backups.
const BACKUP_LINES: usize = 4;

/// Backups kept under one name.
const BACKUPS_KEPT: usize = 3;

/// Commands of writers that are not counted yet.
const QUEUE_MAX: usize = 1 << 14;

/// Removals between two lines whose lag counts.
const LAGS_MAX: usize = 100_000;

/// Lines that a run prints, roughly.
const LINES: u32 = 60;

/// The data file is at most this many times the maximum of live data.
const FILE_RATIO_MAX: f64 = 3.0;

/// Memory in the last third of the time is at most this many times that of the second third,
const MEMORY_RATIO_MAX: f64 = 1.25;

/// or this many bytes: every thread needs some time to meet its largest task.
const MEMORY_BYTES_FREE: f64 = 64.0 * 1024.0 * 1024.0;

/// How long the writers may take for a few commands.
const PATIENCE: Duration = Duration::from_mins(2);

#[test]
fn a_store_at_work_stays_small_and_sound() {
    let seconds = random::count(5) as u64;
    let seed = random::seed(20_261_122);
    println!("{seconds} s with MAYFLY_TEST_SEED={seed}");
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("store");
    let engine = Engine::open(&path, EngineOptions::default()).expect("the store opens");
    let removed = engine.subscribe();
    store::run(&engine, "admin", &doc! {"setParameter": 1, "ttlMonitorSleepSecs": 1});
    let indexes = [
        doc! {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 0},
        doc! {"key": {"user": 1}, "name": "user_1"},
    ];
    run(&engine, &doc! {"createIndexes": "events", "indexes": indexes.to_vec()});

    keep(&engine, Random::new(seed));

    let life_ms = usize::try_from(1_000 * seconds.min(LIFE_SECS_MAX)).expect("small");
    let work = Work { life_ms, ..Work::default() };
    let (done, commands) = bounded(QUEUE_MAX);
    let (step, steps) = bounded(BEHIND_MAX);
    let lines = thread::scope(|scope| {
        for writer in 0..2 {
            let (engine, work, steps, done) = (&engine, &work, steps.clone(), done.clone());
            scope.spawn(move || write(engine, work, Random::new(seed + writer), &steps, &done));
        }
        drop(done);
        let reader = (&engine, &work);
        scope.spawn(move || scroll(reader.0, reader.1, Random::new(!seed), &step));
        let watch = Watch {
            engine: &engine,
            work: &work,
            commands,
            removed: &removed,
            backup: folder.path().join("backup"),
        };
        watch.until(Deadline::after(Duration::from_secs(seconds)))
    });

    let read = work.read.into_inner();
    println!("{read} documents were read");
    assert!(read > 0 && lines.last().is_some_and(|last| last.backups > 0));
    check(&lines);
    let clock = Arc::clone(engine.clock());
    engine.close().expect("the store closes");
    let mut go_on = |_| ControlFlow::Continue(());
    let found = maintenance::check(&path, &clock, None, &mut go_on).expect("it can be checked");
    assert_eq!(found.findings(), 0, "{found:?}");
    for backup in backups_kept(&folder.path().join("backup")) {
        let found = Store::check_file(&backup, None, &mut go_on).expect("it can be checked");
        assert_eq!(found.findings, Vec::<String>::new(), "{}", backup.display());
    }
}

/// The state that the threads share.
#[derive(Default)]
struct Work {
    is_over: AtomicBool,
    /// Live documents, as the reader last counted them.
    alive: AtomicI64,
    read: AtomicU64,
    /// Maximum lifetime of a document in milliseconds.
    life_ms: usize,
}

fn keep(engine: &Engine, mut random: Random) {
    for _ in 0..KEPT / 1_000 {
        let documents: Vec<Document> = (0..1_000).map(|_| document(&mut random)).collect();
        run(engine, &doc! {"insert": "events", "documents": documents});
    }
}

/// At each step inserts documents, or updates some while there are too many; then it is `done`.
fn write(
    engine: &Engine,
    work: &Work,
    mut random: Random,
    steps: &Receiver<()>,
    done: &Sender<()>,
) {
    for () in steps {
        if work.alive.load(Relaxed) < ALIVE_MAX {
            let mut expiring = || {
                let mut document = document(&mut random);
                document.insert("at", due(&mut random, work.life_ms));
                document
            };
            let documents: Vec<Document> = (0..BATCH).map(|_| expiring()).collect();
            run(engine, &doc! {"insert": "events", "documents": documents});
        } else {
            let user = format!("user {}", random.below(1_000));
            let longer = doc! {"$set": {"at": due(&mut random, work.life_ms)}};
            let expiring = doc! {"user": user, "at": {"$exists": true}};
            let update = doc! {"q": expiring, "u": longer, "multi": true};
            run(engine, &doc! {"update": "events", "updates": [update]});
        }
        if done.send(()).is_err() {
            return;
        }
    }
}

fn document(random: &mut Random) -> Document {
    doc! {
        "user": format!("user {}", random.below(1_000)),
        "text": "x".repeat(random.below(1_000)),
    }
}

fn due(random: &mut Random, life_ms: usize) -> DateTime {
    let life_ms = i64::try_from(random.below(life_ms)).expect("small");
    DateTime::from_millis(wall_ms() + life_ms)
}

/// Reads like a window whose user looks around. Each page is a step of the writers.
fn scroll(engine: &Engine, work: &Work, mut random: Random, step: &Sender<()>) {
    while !work.is_over.load(Relaxed) {
        let alive = run(engine, &doc! {"count": "events"}).get_i32("n").expect("a count");
        work.alive.store(i64::from(alive), Relaxed);
        let now_ms = wall_ms();
        let (from, to) = (DateTime::from_millis(now_ms), DateTime::from_millis(now_ms + 10_000));
        run(engine, &doc! {"mayflyForecast": "events", "from": from, "to": to, "buckets": 20});
        run(engine, &doc! {"mayflyExpiring": "events", "limit": 50});
        let skip = i64::try_from(random.below(5_000)).expect("small");
        let mut command = match random.below(3) {
            0 => doc! {"find": "events", "sort": {"at": 1}, "skip": skip, "limit": 100},
            1 => doc! {"find": "events", "sort": {"text": 1}, "skip": skip, "limit": 100},
            _ => doc! {"find": "events", "batchSize": 100},
        };
        for _page in 0..50 {
            let reply = run(engine, &command);
            let _ = step.try_send(());
            let cursor = reply.get_document("cursor").expect("a cursor");
            let page = cursor.get_array("firstBatch").or_else(|_| cursor.get_array("nextBatch"));
            work.read.fetch_add(page.expect("a page").len() as u64, Relaxed);
            match cursor.get_i64("id").expect("an id") {
                0 => break,
                id => command = doc! {"getMore": id, "collection": "events", "batchSize": 100},
            }
        }
    }
}

/// The observer. Dropping it ends the other threads.
struct Watch<'w> {
    engine: &'w Engine,
    work: &'w Work,
    /// One for each command of a writer.
    commands: Receiver<()>,
    removed: &'w Subscription,
    backup: PathBuf,
}

impl Watch<'_> {
    /// Measures now and then until the time is over, and makes backups.
    fn until(&self, deadline: Deadline) -> Vec<Line> {
        let (mut lines, mut lags, mut backups) = (Vec::new(), Vec::new(), 0);
        let whole = deadline.left().unwrap_or_default();
        let mut next = whole;
        while let Some(left) = deadline.left() {
            self.commands.recv_timeout(PATIENCE).expect("the writers write");
            lags.extend(self.removed.try_iter().flat_map(lags_of));
            lags.truncate(LAGS_MAX);
            if left <= next {
                next = left.saturating_sub(whole / LINES);
                let seconds = whole.saturating_sub(left).as_secs();
                let lag_p99_ms = p99(std::mem::take(&mut lags));
                let line = Line { seconds, lag_p99_ms, backups, ..Line::of(self.engine) };
                println!("{line}");
                lines.push(line);
                if lines.len() % BACKUP_LINES == 1 {
                    let to = self.backup.display().to_string();
                    let command = doc! {"mayflyBackup": 1, "to": to};
                    let reply = store::run(self.engine, "admin", &command);
                    backups += 1;
                    let kept = reply.get_array("kept").expect("a list").len();
                    assert_eq!(kept, BACKUPS_KEPT.min(backups), "{reply}");
                }
            }
        }
        lines
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        self.work.is_over.store(true, Relaxed);
    }
}

/// Milliseconds from threshold to removal.
fn lags_of(event: Event) -> Vec<i64> {
    match event {
        Event::Removed { documents, .. } => {
            documents.iter().map(|it| it.removed_ms - it.threshold_ms).collect()
        }
        Event::ThreadFailed { thread, message } => panic!("{thread} failed: {message}"),
        _ => Vec::new(),
    }
}

fn p99(mut lags: Vec<i64>) -> i64 {
    lags.sort_unstable();
    lags.get(lags.len() * 99 / 100).copied().unwrap_or(0)
}

/// One measurement.
#[derive(Default)]
struct Line {
    seconds: u64,
    documents: i64,
    file: i64,
    /// Bytes of documents and keys.
    live: i64,
    /// Bytes of private memory.
    memory: i64,
    lag_p99_ms: i64,
    backups: usize,
}

impl Line {
    fn of(engine: &Engine) -> Self {
        let status = run(engine, &doc! {"serverStatus": 1});
        let store = status.get_document("mayfly").and_then(|mayfly| mayfly.get_document("store"));
        let stats = run(engine, &doc! {"collStats": "events"});
        Self {
            documents: number(&stats, "count"),
            file: number(store.expect("the store's figures"), "fileBytes"),
            live: number(&stats, "size") + number(&stats, "totalIndexSize"),
            memory: own_memory(),
            ..Self::default()
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seconds, documents, file, live, memory, lag_p99_ms, backups } = self;
        let [file, live, memory] = [file, live, memory].map(|bytes| bytes / 1024);
        write!(
            f,
            "{seconds} s: {documents} documents, file {file} KiB, live {live} KiB, memory {memory} \
             KiB, lag p99 {lag_p99_ms} ms, {backups} backups"
        )
    }
}

fn number(found: &Document, name: &str) -> i64 {
    let number = found.get(name).expect("a number");
    number.as_i64().or(number.as_i32().map(i64::from)).expect("a whole number")
}

/// 0 where the system doesn't report it. Pages of the mapped file belong to the system and don't
/// count.
fn own_memory() -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<i64>().ok());
    kib.unwrap_or(0) * 1024
}

fn check(lines: &[Line]) {
    let largest = |value: fn(&Line) -> i64| float(lines.iter().map(value).max().unwrap_or(0));
    let (file, live) = (largest(|it| it.file), largest(|it| it.live));
    println!("the file was {:.2} times what was alive at the most", file / live);
    assert!(file <= FILE_RATIO_MAX * live, "a file of {file} bytes for {live}");
    let third = lines.len() / 3;
    let memory = |of: &[Line]| {
        let all: i64 = of.iter().map(|it| it.memory).sum();
        float(all / i64::try_from(of.len().max(1)).expect("few"))
    };
    let (before, after) = (memory(&lines[third..2 * third]), memory(&lines[2 * third..]));
    println!("memory was {before} bytes in the second third of the time, {after} in the last");
    let memory_max = MEMORY_BYTES_FREE.max(MEMORY_RATIO_MAX * before);
    assert!(after <= memory_max, "memory grew from {before} to {after} bytes");
}

/// For a number of bytes that is not astronomical.
fn float(bytes: i64) -> f64 {
    f64::from(u32::try_from(bytes / 1024).expect("less than some terabytes")) * 1024.0
}

fn run(engine: &Engine, command: &Document) -> Document {
    store::run(engine, DB, command)
}
