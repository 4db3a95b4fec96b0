//! A server with the data of an engine and the habits of DocumentDB 0.108.
//!
//! It speaks MongoDB's protocol on a port of this machine. Each command is answered as DocumentDB does,
//! or the engine runs it and its reply is given DocumentDB's shape. Without habits it behaves as MongoDB
//! does, so one test can run against both. Its clock moves only when a test moves it.

mod answer;
mod counts;
mod cursors;
mod explain;
mod habits;
mod indexes;
mod listener;
mod pass;
mod refusals;
mod replies;
mod reshape;
mod sample;
#[cfg(test)]
mod tests;
mod throttle;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bson::{Document, RawDocumentBuf};
use mayfly_engine::{clock::SimulatedClock, engine::Engine};
use tempfile::TempDir;

pub use habits::{Habit, Habits};

use crate::store;
use counts::Counts;
use cursors::Cursors;
use listener::Listener;
use reshape::DoubledIds;
use throttle::Throttled;

/// When a server's time begins, unless a test says so: 2026-06-01T12:00:00Z.
pub const START_MS: i64 = 1_780_315_200_000;

/// The pause that a command over the rate is asked for, in milliseconds.
pub const RETRY_AFTER_MS: u64 = 34;

const MINUTE_MS: i64 = 60_000;

/// Commands that change no data.
const READS: [&str; 27] = [
    "aggregate",
    "buildInfo",
    "collStats",
    "connectionStatus",
    "count",
    "currentOp",
    "dbStats",
    "distinct",
    "endSessions",
    "explain",
    "find",
    "getMore",
    "getParameter",
    "hello",
    "hostInfo",
    "isMaster",
    "ismaster",
    "killCursors",
    "listCollections",
    "listDatabases",
    "listIndexes",
    "ping",
    "replSetGetConfig",
    "replSetGetStatus",
    "saslStart",
    "serverStatus",
    "usersInfo",
];

/// A running server. It ends when dropped.
pub struct DocumentDb {
    listener: Listener,
    server: Arc<Server>,
    _folder: TempDir,
}

/// The parts of a server that its connections share.
struct Server {
    habits: Habits,
    engine: Engine,
    memory: Mutex<Memory>,
}

/// The lag of a replica set's slowest secondary.
#[derive(Clone, Copy)]
struct Replication {
    /// In milliseconds; without a number the user may not read it.
    lag_ms: Option<i64>,
}

/// The memory of a server between two commands.
#[derive(Default)]
struct Memory {
    commands: Vec<RawDocumentBuf>,
    counts: Counts,
    cursors: Cursors,
    doubled: DoubledIds,
    samples: u64,
    /// Set while it answers as the primary of a replica set.
    replication: Option<Replication>,
    /// Milliseconds of its clock that commands of a name take.
    costs_ms: Vec<(String, i64)>,
    throttled: Vec<Throttled>,
    /// The command that the user may not run.
    forbidden: Option<String>,
}

impl DocumentDb {
    /// A server with these habits, whose time begins at [`START_MS`].
    ///
    /// # Panics
    /// When the system gives no folder, port or thread.
    pub fn start(habits: Habits) -> Self {
        Self::start_at(habits, START_MS)
    }

    /// The same at another time, in milliseconds since 1970.
    ///
    /// # Panics
    /// As [`DocumentDb::start`].
    pub fn start_at(habits: Habits, now_ms: i64) -> Self {
        let folder = store::folder_in_memory();
        let engine = store::open_paused(folder.path(), now_ms);
        let server = Arc::new(Server { habits, engine, memory: Mutex::default() });
        let of_listener = Arc::clone(&server);
        let listener = Listener::start(move |db, command| of_listener.answer(db, command));
        Self { listener, server, _folder: folder }
    }

    /// The connection string.
    pub fn uri(&self) -> String {
        format!("mongodb://127.0.0.1:{}/?directConnection=true", self.listener.port())
    }

    /// The engine that has the data. What it changes by itself is in no count of 5 s ago; see
    /// [`DocumentDb::settle`].
    pub fn engine(&self) -> &Engine {
        &self.server.engine
    }

    /// Runs a command as one more client would. It isn't recorded.
    ///
    /// # Panics
    /// When the command can't be written as BSON.
    pub fn run(&self, db: &str, command: &Document) -> Document {
        let command = RawDocumentBuf::try_from(command).expect("a command that can be written");
        let reply = self.server.reply(db, &command);
        Document::try_from(reply).expect("a reply that can be read")
    }

    /// Runs a command that must succeed, and makes it one of long ago: counts have it.
    ///
    /// # Panics
    /// When the reply is an error, or lists write errors.
    pub fn prepare(&self, db: &str, command: &Document) -> Document {
        let reply = self.run(db, command);
        let failed = !store::is_ok(&reply) || reply.contains_key("writeErrors");
        assert!(!failed, "{command} answered {reply}");
        self.settle();
        reply
    }

    /// The bytes of all documents of a collection as a client gets them, in the order of their `_id`.
    ///
    /// # Panics
    /// When they can't be read.
    pub fn stored(&self, db: &str, collection: &str) -> Vec<RawDocumentBuf> {
        let find = bson::doc! { "find": collection, "sort": { "_id": 1 }, "batchSize": 1_000_000 };
        let reply = self.server.reply(db, &RawDocumentBuf::try_from(&find).expect("a command"));
        let batch = reply.get_document("cursor").and_then(|cursor| cursor.get_array("firstBatch"));
        let documents = batch.expect("a batch").into_iter();
        documents
            .map(|one| {
                one.ok().and_then(bson::RawBsonRef::as_document).expect("a document").to_owned()
            })
            .collect()
    }

    /// Makes all changes ones of long ago, so that counts have them.
    pub fn settle(&self) {
        self.server.lock().counts.settle();
    }

    /// Its time, in milliseconds since 1970.
    pub fn now_ms(&self) -> i64 {
        self.server.now_ms()
    }

    /// Moves its clock on. No pass runs.
    ///
    /// # Panics
    /// Never: its clock is a simulated one.
    pub fn advance_ms(&self, ms: i64) {
        self.clock().advance_ms(ms);
    }

    /// Runs a TTL pass now. Returns how many documents it removed.
    pub fn pass(&self) -> u64 {
        self.server.pass()
    }

    /// Moves its clock to the next full minute and runs the pass of that instant. Returns how many
    /// documents it removed.
    ///
    /// # Panics
    /// Never: its clock is a simulated one.
    pub fn next_pass(&self) -> u64 {
        self.clock().set((self.now_ms().div_euclid(MINUTE_MS) + 1) * MINUTE_MS);
        self.pass()
    }

    fn clock(&self) -> &SimulatedClock {
        self.server.engine.simulated_clock().expect("a simulated clock")
    }

    /// Lets commands of this name take this many milliseconds of its clock.
    pub fn slow_down(&self, name: &str, ms: i64) {
        let costs = &mut self.server.lock().costs_ms;
        costs.retain(|(known, _)| known != name);
        costs.push((name.to_owned(), ms));
    }

    /// Answers as the primary of a replica set from now on, whose slowest secondary is this many
    /// milliseconds from it. `None` if the user may not read that.
    pub fn replicate(&self, lag_ms: Option<i64>) {
        self.server.lock().replication = Some(Replication { lag_ms });
    }

    /// Refuses the next commands of this name that come over the wire, and asks to come back after
    /// [`RETRY_AFTER_MS`]. A write does `done` of its documents or statements before; with `None` each
    /// command is refused as a whole.
    pub fn throttle(&self, name: &str, times: u32, done: Option<usize>) {
        let throttled = &mut self.server.lock().throttled;
        throttled.retain(|known| known.name != name);
        throttled.push(Throttled { name: name.to_owned(), times, done });
    }

    /// Refuses all commands of this name that come over the wire, as for a user without the right. `None`
    /// refuses none.
    pub fn forbid(&self, name: Option<&str>) {
        self.server.lock().forbidden = name.map(str::to_owned);
    }

    /// The commands that came over the wire, with `$db`.
    pub fn commands(&self) -> Vec<RawDocumentBuf> {
        self.server.lock().commands.clone()
    }

    /// Those of a name.
    ///
    /// # Panics
    /// When one can't be decoded.
    pub fn sent(&self, name: &str) -> Vec<Document> {
        let commands = self.commands().into_iter();
        let commands = commands.map(|one| Document::try_from(one).expect("a command"));
        commands.filter(|one| one.keys().next().is_some_and(|first| first == name)).collect()
    }

    /// The names of those that may have changed data.
    ///
    /// # Panics
    /// When one can't be decoded.
    pub fn writes(&self) -> Vec<String> {
        let commands = self.commands().into_iter();
        let commands = commands.map(|one| Document::try_from(one).expect("a command"));
        let names = commands.filter_map(|command| {
            let name = command.keys().next()?.clone();
            (!READS.contains(&name.as_str()) || is_output(&command)).then_some(name)
        });
        names.collect()
    }

    /// Forgets the commands that came.
    pub fn forget_commands(&self) {
        self.server.lock().commands.clear();
    }

    /// Reads commands and answers none, as a stopped process does.
    pub fn silence(&self) {
        self.listener.silence();
    }

    /// Answers again, first those that waited.
    pub fn resume(&self) {
        self.listener.resume();
    }

    /// Ends all connections and refuses new ones, as the end of the process does.
    pub fn stop(&self) {
        self.listener.stop();
    }

    /// Takes connections again, on the same port.
    ///
    /// # Panics
    /// When the port was taken.
    pub fn restart(&self) {
        self.listener.restart();
    }
}

impl Server {
    fn lock(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now_ms(&self) -> i64 {
        self.engine.clock().now_ms()
    }

    /// How many samples there were before.
    fn next_sample(&self) -> u64 {
        let samples = &mut self.lock().samples;
        *samples += 1;
        *samples - 1
    }

    fn has(&self, habit: Habit) -> bool {
        self.habits.has(habit)
    }

    /// Runs a command in the engine.
    fn engine_run(&self, db: &str, command: &Document) -> Document {
        self.engine.run(db, command)
    }
}

/// The name of a command.
fn name_of(command: &bson::RawDocument) -> &str {
    command.iter().next().and_then(Result::ok).map_or("", |(name, _)| name.as_str())
}

/// Whether a pipeline writes to a collection.
fn is_output(command: &Document) -> bool {
    let mut stages = command.get_array("pipeline").into_iter().flatten();
    stages.any(|stage| {
        let stage = stage.as_document();
        stage.is_some_and(|stage| stage.contains_key("$out") || stage.contains_key("$merge"))
    })
}
