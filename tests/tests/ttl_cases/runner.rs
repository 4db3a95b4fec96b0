//! Runs one case against a new store.

use bson::{Bson, DateTime, Document, doc};
use mayfly_engine::engine::{ClockOption, Engine, EngineOptions};
use tempfile::TempDir;

use super::expectation;

/// 2024-01-01T00:00:00Z, the start time of every case.
const START_MS: i64 = 1_704_067_200_000;

/// A store with an engine that can be reopened.
struct World {
    folder: TempDir,
    engine: Option<Engine>,
    /// The collection of the last write.
    collection: String,
}

/// Whether the case holds; otherwise what was wrong.
pub fn run(case: &Document) -> Result<(), String> {
    let mut world = World::new()?;
    for command in documents(case, "setup")? {
        let reply = world.command(command)?;
        if !expectation::is_ok(&reply) {
            return Err(format!("setup {command} answered {reply}"));
        }
    }
    let command = case.get_document("command").map_err(|_| "no command".to_owned())?;
    let expect = case.get_document("expect").map_err(|_| "no expect".to_owned())?;
    if let Some(now) = expect.get("now") {
        world.set_clock(now)?;
    }
    let reply = world.command(command)?;
    if expect.contains_key("kept") {
        return world.check_kept(command, &reply, expect);
    }
    expectation::check(&reply, expect)
}

impl World {
    fn new() -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let engine = Some(open(&folder, START_MS)?);
        Ok(Self { folder, engine, collection: "c".to_owned() })
    }

    /// Runs a command or a shorthand.
    fn command(&mut self, command: &Document) -> Result<Document, String> {
        let Some((name, value)) = command.iter().next() else { return Err("no command".into()) };
        match name.as_str() {
            "$ttlPass" => Ok(self.run("admin", &doc! { "mayflyReap": 1 })),
            "$clock" => self.set_clock(value).map(|()| doc! { "ok": 1 }),
            "$dialect" => Ok(self.run("test", &doc! { "mayflyDialect": value.clone() })),
            "$restart" => self.restart().map(|()| doc! { "ok": 1 }),
            shorthand if shorthand.starts_with('$') => {
                Err(format!("{shorthand} stands for nothing that Mayfly has"))
            }
            "insert" => {
                value.as_str().unwrap_or_default().clone_into(&mut self.collection);
                Ok(self.run("test", command))
            }
            "renameCollection" | "setParameter" | "getParameter" => Ok(self.run("admin", command)),
            _ => Ok(self.run("test", command)),
        }
    }

    fn run(&self, db: &str, command: &Document) -> Document {
        self.engine.as_ref().map(|engine| engine.run(db, command)).unwrap_or_default()
    }

    fn set_clock(&self, now: &Bson) -> Result<(), String> {
        let text = now.as_str().ok_or("the clock is set with text")?;
        let now = DateTime::parse_rfc3339_str(text).map_err(|error| error.to_string())?;
        let reply = self.run("admin", &doc! { "mayflyClock": 1, "set": now });
        if expectation::is_ok(&reply) { Ok(()) } else { Err(format!("the clock said {reply}")) }
    }

    fn restart(&mut self) -> Result<(), String> {
        let Some(engine) = self.engine.take() else { return Err("no engine".into()) };
        let now_ms = engine.clock().now_ms();
        engine.close().map_err(|error| error.to_string())?;
        self.engine = Some(open(&self.folder, now_ms)?);
        Ok(())
    }

    /// Exactly the expected documents are left: found by the command if it reads, otherwise by a
    /// read after it.
    fn check_kept(
        &self,
        command: &Document,
        reply: &Document,
        expect: &Document,
    ) -> Result<(), String> {
        if !expectation::is_ok(reply) {
            return Err(format!("answered {reply}"));
        }
        let read = if command.contains_key("find") {
            reply.clone()
        } else {
            self.run("test", &doc! { "find": &self.collection, "filter": {} })
        };
        expectation::check_ids(&read, expect.get("kept"))
    }
}

fn open(folder: &TempDir, start_ms: i64) -> Result<Engine, String> {
    let clock = ClockOption::Simulated { start_ms };
    let options = EngineOptions { clock, run_reaper: false, ..EngineOptions::default() };
    Engine::open(folder.path(), options).map_err(|error| error.to_string())
}

fn documents<'c>(case: &'c Document, field: &str) -> Result<Vec<&'c Document>, String> {
    let list = case.get_array(field).map_err(|_| format!("no {field}"))?;
    list.iter().map(|item| item.as_document().ok_or(format!("{field} is not a list"))).collect()
}
