//! The cost of the wire: processor time of the server per operation of a real `PyMongo`, compared
//! with the same commands in this process.
//!
//! usage: `cargo run --release -p mayfly-tests --example wire_cost`, after `tests/clients/install`;
//! `mayfly` must be built in the same profile.

use std::{
    error::Error,
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
    time::Duration,
};

use bson::{DateTime, Document, doc};
use mayfly_engine::engine::{Engine, EngineOptions};
use mayfly_tests::server::Server;

/// Documents of one `insert_many`.
const BATCH: i64 = 1_000;
const MANY: i64 = 200_000;
const SINGLE: i64 = 4_000;
const FINDS: i64 = 40_000;

fn main() -> Result<(), Box<dyn Error>> {
    let inside = in_process()?;
    let (outside, grouped) = over_the_wire()?;
    println!("processor time of the server, µs for each operation");
    println!("{:<34}{:>12}{:>12}{:>12}{:>8}", "", "in process", "wire", "more", "ratio");
    let names = ["document of insert_many(1000)", "insert_one", "find_one by _id"];
    for ((name, inside), outside) in names.iter().zip(inside).zip(outside) {
        println!(
            "{name:<34}{inside:>12.2}{outside:>12.2}{:>12.2}{:>8.2}",
            outside - inside,
            outside / inside
        );
    }
    println!("eight connections: {grouped:.3} commits for each insert_one");
    Ok(())
}

/// As `wire_cost.py` writes them.
fn document(number: i64) -> Document {
    doc! {
        "_id": i32::try_from(number).unwrap_or(i32::MAX),
        "at": DateTime::from_millis(1_767_225_600_000 + number * 1_000),
        "user": format!("user-{number:08}"),
        "path": "/a/path/of/some/length/that/people/visit",
        "status": 200,
        "bytes": i32::try_from(number * 37).unwrap_or(i32::MAX),
        "ratio": 0.25,
        "cached": true,
        "agent": "Mozilla/5.0 (X11; Linux x86_64) Gecko",
    }
}

fn in_process() -> Result<[f64; 3], Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let engine = Engine::open(folder.path(), EngineOptions::default())?;
    let index = doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 2_000_000_000 };
    engine.run("cost", &doc! { "createIndexes": "docs", "indexes": [index] });
    let insert = |documents: Vec<Document>| doc! { "insert": "docs", "ordered": true, "documents": documents };
    let run = |commands: Vec<Document>| -> Result<f64, Box<dyn Error>> {
        let raw: Result<Vec<_>, _> = commands.iter().map(bson::RawDocumentBuf::try_from).collect();
        let raw = raw?;
        let began = cpu(std::process::id())?;
        for command in &raw {
            let reply = engine.run_raw("cost", command);
            if reply.get("ok")?.and_then(bson::RawBsonRef::as_f64) != Some(1.0) {
                return Err(format!("{reply:?}").into());
            }
        }
        Ok(cpu(std::process::id())?.saturating_sub(began).as_secs_f64() * 1e6)
    };
    let batches = (0..MANY / BATCH).map(|batch| batch * BATCH);
    let many =
        batches.map(|first| insert((first..first + BATCH).map(document).collect())).collect();
    let single = (MANY..MANY + SINGLE).map(|number| insert(vec![document(number)])).collect();
    let find = |number: i64| {
        let id = i32::try_from(number).unwrap_or_default();
        doc! { "find": "docs", "filter": { "_id": id }, "limit": 1, "singleBatch": true }
    };
    let finds = (0..FINDS).map(find).collect();
    Ok([run(many)? / count(MANY), run(single)? / count(SINGLE), run(finds)? / count(FINDS)])
}

fn over_the_wire() -> Result<([f64; 3], f64), Box<dyn Error>> {
    let server = Server::start(&["--no-auth"]);
    let mut client = Client::start(&server.uri)?;
    let mut phase = |name: &str, first: i64, operations: i64| -> Result<f64, Box<dyn Error>> {
        let began = cpu(server.pid())?;
        client.run(&format!("{name} {first} {operations}"))?;
        Ok(cpu(server.pid())?.saturating_sub(began).as_secs_f64() * 1e6 / count(operations))
    };
    let costs = [
        phase("insert_many", 0, MANY)?,
        phase("insert_one", MANY, SINGLE)?,
        phase("find_one", 0, FINDS)?,
    ];
    let before = commits(&server.uri)?;
    phase("eight", MANY + SINGLE, SINGLE)?;
    let after = commits(&server.uri)?;
    Ok((costs, count(after - before) / count(SINGLE)))
}

/// Commits of the store so far.
fn commits(uri: &str) -> Result<i64, Box<dyn Error>> {
    let client = mongodb::sync::Client::with_uri_str(uri)?;
    let status = client.database("admin").run_command(doc! { "serverStatus": 1 }).run()?;
    Ok(status.get_document("mayfly")?.get_document("store")?.get_i64("commits")?)
}

#[expect(clippy::cast_precision_loss, reason = "counts below a million")]
fn count(number: i64) -> f64 {
    number as f64
}

/// Processor time of the live threads of a process, from the scheduler's own clock. The usual
/// counters count ticks, which is too coarse for work that sleeps after each operation.
fn cpu(pid: u32) -> Result<Duration, Box<dyn Error>> {
    let mut total = Duration::ZERO;
    for thread in fs::read_dir(format!("/proc/{pid}/task"))? {
        let text = fs::read_to_string(thread?.path().join("schedstat"))?;
        let nanos = text.split_whitespace().next().ok_or("no time")?.parse()?;
        total += Duration::from_nanos(nanos);
    }
    Ok(total)
}

/// A `PyMongo` that runs one phase after the other.
struct Client {
    child: Child,
    answers: BufReader<ChildStdout>,
}

impl Client {
    fn start(uri: &str) -> Result<Self, Box<dyn Error>> {
        let top = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut child = Command::new(top.join("../target/clients/python/venv/bin/python"))
            .arg(top.join("clients/python/wire_cost.py"))
            .env("MAYFLY_URI", uri)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let answers = BufReader::new(child.stdout.take().ok_or("no standard output")?);
        let mut client = Self { child, answers };
        client.expect("ready")?;
        Ok(client)
    }

    fn run(&mut self, line: &str) -> Result<(), Box<dyn Error>> {
        let stdin = self.child.stdin.as_mut().ok_or("no standard input")?;
        writeln!(stdin, "{line}")?;
        self.expect("done")
    }

    fn expect(&mut self, word: &str) -> Result<(), Box<dyn Error>> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        if line.trim() == word { Ok(()) } else { Err(format!("the client said {line:?}").into()) }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Closing its standard input ends it; a client that hangs must not outlive the measurement.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
