//! The stage as the lesson's shell sees it.

use std::iter;
use std::sync::Arc;

use bson::{DateTime, Document, doc};

use crate::job::{Cancel, Capabilities};
use crate::lessons::stage::{Stage, StageClock, StageStore, is_read, refusal};
use crate::source::{Events, Source};

/// Runs the shell's commands on the store of a stage.
pub(super) struct ShellSource {
    store: Arc<StageStore>,
    clock: StageClock,
}

impl ShellSource {
    pub(super) fn new(stage: &Stage) -> Self {
        Self { store: Arc::clone(stage.store()), clock: stage.clock().clone() }
    }
}

impl Source for ShellSource {
    fn run(&self, db: &str, command: &Document) -> Document {
        self.run_until(db, command, &Cancel::default())
    }

    fn run_until(&self, db: &str, command: &Document, cancel: &Cancel) -> Document {
        if command.keys().next().is_some_and(|name| name == "mayflyClock") {
            if !is_read(command) {
                return refusal("in a lesson, play and clock.advance move the clock");
            }
            let now = DateTime::from_millis(self.clock.now_ms());
            return doc! {"now": now, "mode": "simulated", "rate": 1.0, "paused": true, "ok": 1.0};
        }
        self.store.run(db, command, cancel)
    }

    fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    fn subscribe(&self) -> Events {
        Box::new(iter::empty())
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }
}
