//! A new engine for each test, on a simulated clock, and commands as mongosh writes them.

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use bson::{Bson, Document, raw::RawBson};

use crate::{
    clock::{Clock, ClockStatus, FakeSystemClock, WaitEnd, WakeUp},
    engine::{ClockOption, Engine, EngineOptions},
    event::{Event, Subscription},
    store::{Counters, EntryPrefix, IndexId},
    value::{Direction, key::encode, shell},
};

/// An engine in a folder that goes away with it.
pub(crate) struct Lab {
    pub(crate) engine: Engine,
    folder: tempfile::TempDir,
}

impl Lab {
    pub(crate) fn new() -> Self {
        Self::open(tempfile::tempdir().expect("a folder"), 1_704_067_200_000)
    }

    /// The same folder in a new engine.
    pub(crate) fn reopened(self) -> Self {
        let Self { engine, folder } = self;
        let now_ms = engine.clock().now_ms();
        drop(engine);
        Self::open(folder, now_ms)
    }

    /// The same folder in a new engine, and a copy of it in another.
    pub(crate) fn copied(self) -> (Self, Self) {
        let Self { engine, folder } = self;
        let now_ms = engine.clock().now_ms();
        drop(engine);
        let copy = tempfile::tempdir().expect("a folder");
        for entry in fs::read_dir(folder.path()).expect("a folder") {
            let path = entry.expect("a file").path();
            if path.is_file() {
                let name = path.file_name().expect("a name");
                fs::copy(&path, copy.path().join(name)).expect("copied");
            }
        }
        (Self::open(folder, now_ms), Self::open(copy, now_ms))
    }

    /// Flips a bit of each place in the data file that holds `mark`.
    pub(crate) fn spoil(&self, mark: &[u8]) {
        spoil(self.folder.path(), mark);
    }

    /// Flips a bit after the key of each entry of this value, so that it points to another record.
    pub(crate) fn spoil_entry(&self, index: IndexId, value: &Bson) {
        let value = RawBson::try_from(value.clone()).expect("a value");
        let mut prefix = EntryPrefix::new(index);
        let key = encode(Some(value.as_raw_bson_ref()), Direction::Ascending).bytes;
        prefix.end().extend_from_slice(&key);
        let key = prefix.end();
        crate::store::rot_after(self.folder.path(), key);
    }

    /// Flips a bit of a value of the store itself.
    pub(crate) fn spoil_meta(&self, name: &str) {
        spoil_meta(self.folder.path(), name);
    }

    /// Flips a bit of the counters of a collection, an index or the trash.
    pub(crate) fn spoil_counters(&self, id: u32) {
        let store = self.engine.collections().store();
        let read = store.read(|reader| reader.counters(id));
        let Counters { documents, bytes, entries, .. } = read.expect("sound");
        self.spoil(&[documents, bytes, entries].map(u64::to_be_bytes).concat());
    }

    fn open(folder: tempfile::TempDir, start_ms: i64) -> Self {
        let options = EngineOptions {
            clock: ClockOption::Simulated { start_ms },
            run_reaper: false,
            ..EngineOptions::default()
        };
        let engine = Engine::open(folder.path(), options).expect("an engine");
        Self { engine, folder }
    }

    /// Runs a command on `test`, or on `admin` for commands that belong there.
    pub(crate) fn run(&self, command: &str) -> Document {
        let command = shell::read_document(command).expect(command);
        self.run_document(&command)
    }

    pub(crate) fn run_document(&self, command: &Document) -> Document {
        let name = command.keys().next().map(String::as_str).unwrap_or_default();
        let is_admin = crate::command::TABLE
            .find(name)
            .is_some_and(|command| command.scope == crate::command::Scope::Admin);
        self.engine.run(if is_admin { "admin" } else { "test" }, command)
    }

    /// Runs a command that must succeed.
    pub(crate) fn ok(&self, command: &str) -> Document {
        let reply = self.run(command);
        assert_eq!(number(reply.get("ok")), Some(1.0), "{command}: {reply}");
        assert!(!reply.contains_key("writeErrors"), "{command}: {reply}");
        reply
    }

    /// Runs a command and compares the fields named in `expected`; `-` in front of a path says that
    /// it must be absent. Paths may be dotted; numbers compare by value.
    pub(crate) fn check(&self, command: &str, expected: &str) {
        let reply = self.run(command);
        let expected = shell::read_document(expected).expect(expected);
        for (path, wanted) in &expected {
            if let Some(path) = path.strip_prefix('-') {
                assert_eq!(at(&reply, path), None, "{command}: {path} in {reply}");
                continue;
            }
            let found = at(&reply, path);
            let same = found.as_ref().is_some_and(|found| same(found, wanted));
            assert!(same, "{command}\n  {path}: {found:?}\n  wanted {wanted:?}\n  in {reply}");
        }
    }

    /// The `_id`s that a command's first batch gives, in order.
    pub(crate) fn ids(&self, command: &str) -> Vec<Bson> {
        let reply = self.ok(command);
        let Some(Bson::Array(batch)) = at(&reply, "cursor.firstBatch") else {
            panic!("{command}: no batch in {reply}");
        };
        batch
            .iter()
            .map(|document| at(document.as_document().expect("a document"), "_id").expect("_id"))
            .collect()
    }
}

/// Flips a bit of each place in a data file that holds `mark`. The store may be open.
pub(crate) fn spoil(folder: &Path, mark: &[u8]) {
    crate::store::rot(folder, &[mark]);
}

/// Flips a bit of a value of the store itself, in each copy of its page.
pub(crate) fn spoil_meta(folder: &Path, name: &str) {
    let bytes = fs::read(folder.join("data.mdb")).expect("read");
    let places = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(name.as_bytes()));
    // The checksum follows the name.
    let sums: BTreeSet<&[u8]> = places.map(|at| &bytes[at + name.len()..][..8]).collect();
    for sum in sums {
        spoil(folder, sum);
    }
}

/// A system clock that panics when one of the threads reads the wall time.
pub(crate) struct FailingClock {
    pub(crate) time: FakeSystemClock,
    thread: Mutex<Option<&'static str>>,
}

impl FailingClock {
    pub(crate) fn new(start_ms: i64) -> Arc<Self> {
        Arc::new(Self { time: FakeSystemClock::new(start_ms), thread: Mutex::default() })
    }

    pub(crate) fn fail_on(&self, thread: Option<&'static str>) {
        *self.thread.lock().expect("not poisoned") = thread;
    }
}

impl Clock for FailingClock {
    fn now_ms(&self) -> i64 {
        let failing = *self.thread.lock().expect("not poisoned");
        let fails = failing.is_some() && thread::current().name() == failing;
        assert!(!fails, "on purpose");
        self.time.now_ms()
    }

    fn monotonic(&self) -> Duration {
        self.time.monotonic()
    }

    fn wait_until(&self, deadline: Option<Duration>, wake: &WakeUp) -> WaitEnd {
        self.time.wait_until(deadline, wake)
    }

    fn status(&self) -> ClockStatus {
        self.time.status()
    }

    fn boot_id(&self) -> Option<String> {
        self.time.boot_id()
    }
}

/// Waits in real time for an event of which `found` makes something.
pub(crate) fn wait_for<T>(events: &Subscription, found: impl Fn(&Event) -> Option<T>) -> T {
    loop {
        let event = events.recv_timeout(Duration::from_secs(30)).expect("in time");
        if let Some(found) = found(&event) {
            return found;
        }
    }
}

/// The name of a thread that failed.
pub(crate) fn failed_thread(event: &Event) -> Option<String> {
    match event {
        Event::ThreadFailed { thread, message } => {
            assert_eq!(message, "on purpose");
            Some(thread.clone())
        }
        _ => None,
    }
}

/// The value at a dotted path; numbers are positions of arrays.
pub(crate) fn at(document: &Document, path: &str) -> Option<Bson> {
    let mut value = Bson::Document(document.clone());
    for part in path.split('.') {
        value = match value {
            Bson::Document(document) => document.get(part)?.clone(),
            Bson::Array(array) => array.get(part.parse::<usize>().ok()?)?.clone(),
            _ => return None,
        };
    }
    Some(value)
}

/// Equal, with numbers by value.
pub(crate) fn same(a: &Bson, b: &Bson) -> bool {
    match (number(Some(a)), number(Some(b)), a, b) {
        (Some(a), Some(b), ..) => (a - b).abs() < f64::EPSILON,
        (.., Bson::Array(a), Bson::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (.., Bson::Document(a), Bson::Document(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((x, a), (y, b))| x == y && same(a, b))
        }
        _ => a == b,
    }
}

#[expect(clippy::cast_precision_loss, reason = "numbers in tests are small")]
fn number(value: Option<&Bson>) -> Option<f64> {
    match value? {
        Bson::Int32(number) => Some(f64::from(*number)),
        Bson::Int64(number) => Some(*number as f64),
        Bson::Double(number) => Some(*number),
        _ => None,
    }
}
