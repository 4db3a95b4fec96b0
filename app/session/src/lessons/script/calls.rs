//! The calls from a lesson's JavaScript to its stage.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bson::{Bson, DateTime, Document, doc};
use mayfly_engine::event::RemovedDocument;

use crate::job::lesson::{Lesson, Rules};
use crate::lessons::equality::{double, integer};
use crate::lessons::stage::{Permit, Stage};
use crate::shell::Extension;

/// The prelude of lessons.
const PRELUDE: &[(&str, &str)] = &[
    ("lesson.js", include_str!("../../shell/js/lesson.js")),
    ("lesson_rules.js", include_str!("../../shell/js/lesson_rules.js")),
];

/// Answers `__host.call` in a lesson.
pub(super) struct Calls {
    stage: Rc<Stage>,
    permit: SharedPermit,
    slug: String,
    usual_rate: f64,
    has_both: bool,
    members: Vec<String>,
    answer: RefCell<Option<Evaluated>>,
    unexpected: RefCell<Option<String>>,
    is_reached: Cell<bool>,
    is_lost: Cell<bool>,
}

impl Calls {
    pub(super) fn new(lesson: &Lesson, stage: Rc<Stage>, permit: SharedPermit) -> Self {
        Self {
            stage,
            permit,
            slug: lesson.slug.clone(),
            usual_rate: lesson.rate,
            has_both: lesson.rules == Rules::Both,
            members: lesson.members.iter().map(|member| member.name.clone()).collect(),
            answer: RefCell::default(),
            unexpected: RefCell::default(),
            is_reached: Cell::new(false),
            is_lost: Cell::new(false),
        }
    }

    pub(super) fn stage(&self) -> &Stage {
        &self.stage
    }

    pub(super) fn permit(&self) -> &SharedPermit {
        &self.permit
    }

    pub(super) fn take_answer(&self) -> Option<Evaluated> {
        self.answer.take()
    }

    pub(super) fn take_unexpected(&self) -> Option<String> {
        self.unexpected.take()
    }

    /// Another goal is watched, or none.
    pub(super) fn begin_goal(&self) {
        self.is_reached.set(false);
        self.is_lost.set(false);
    }

    pub(super) fn goal_state(&self) -> (bool, bool) {
        (self.is_reached.get(), self.is_lost.get())
    }

    fn facts(&self) -> Document {
        let seed: Vec<f64> = seed(&self.slug).into_iter().map(f64::from).collect();
        doc! {
            "startMs": number(self.stage.start_ms()),
            "seed": seed,
            "hasBoth": self.has_both,
            "members": self.members.clone(),
        }
    }

    fn permits(&self, argument: &Document) -> Document {
        let methods = argument.get_array("methods").map_or(&[][..], Vec::as_slice);
        let texts = methods.iter().filter_map(|method| Some(method.as_str()?.to_owned()));
        let running: Vec<String> = texts.collect();
        let permit = self.permit.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let refused = match (argument.get_document("command"), argument.get_str("method")) {
            (Ok(command), _) => permit.check_command(&running, command),
            (_, Ok(method)) => permit.check_method(&running, method, flag(argument, "isCommand")),
            _ => None,
        };
        refused.map_or_else(Document::new, |refused| doc! {"refused": refused})
    }

    fn run(&self, argument: &Document) -> Document {
        let text = |field| argument.get_str(field).unwrap_or_default();
        let empty = Document::new();
        let command = argument.get_document("command").unwrap_or(&empty);
        self.stage.run_on(text("member"), text("database"), command)
    }

    fn play(&self, argument: &Document) {
        let now_ms = self.stage.clock().now_ms();
        self.stage.pacer().begin_play(now_ms, ms(argument, "endMs"), self.usual_rate);
    }

    fn pace(&self, argument: &Document) -> Document {
        let pacer = self.stage.pacer();
        if let Some(rate) = argument.get("rate").and_then(double) {
            pacer.set_rate(rate);
        }
        if let Ok(is_paused) = argument.get_bool("isPaused") {
            pacer.set_paused(is_paused);
        }
        doc! {"now": DateTime::from_millis(self.stage.clock().now_ms())}
    }

    fn stored(&self, argument: &Document) -> Result<Document, String> {
        let (db, name) = place(argument);
        let id = argument.get("id").unwrap_or(&Bson::Null);
        let is_stored = self.stage.is_stored(member(argument), db, name, id)?;
        Ok(doc! {"isStored": is_stored})
    }

    fn removed(&self, argument: &Document) -> Result<Document, String> {
        let (db, name) = place(argument);
        let id = argument.get("id").unwrap_or(&Bson::Null);
        let removed_ms = self.stage.removed_ms(member(argument), db, name, id)?;
        let seconds = removed_ms.map(|at_ms| number(at_ms - self.stage.start_ms()) / 1_000.0);
        Ok(doc! {"seconds": seconds})
    }

    fn ledger(&self, argument: &Document) -> Result<Document, String> {
        let (db, name) = place(argument);
        let rows = self.stage.removed(member(argument), db, name)?;
        let rows: Vec<Document> = rows.into_iter().map(row).collect();
        Ok(doc! {"rows": rows})
    }
}

impl Extension for Calls {
    fn prelude(&self) -> &'static [(&'static str, &'static str)] {
        PRELUDE
    }

    fn call(&self, name: &str, argument: &Document) -> Result<Document, String> {
        let stage = &*self.stage;
        let mut reply = Document::new();
        match name {
            "lesson" => reply = self.facts(),
            "permit" => reply = self.permits(argument),
            "run" => reply = self.run(argument),
            "schedule" => {
                let (pass_ms, is_on) = stage.schedule();
                reply = doc! {"passMs": number(pass_ms), "isOn": is_on};
            }
            "threshold" => reply = doc! {"atMs": stage.next_threshold_ms().map(number)},
            "advance" => {
                let is_end = flag(argument, "isEnd");
                reply = doc! {"isThere": stage.advance(ms(argument, "toMs"), is_end)};
            }
            "jump" => stage.jump(member(argument), ms(argument, "ms"))?,
            "replicationDelay" => stage.set_replication_delay(ms(argument, "ms"))?,
            "memberTime" => {
                let now_ms = stage.member_now_ms(member(argument).unwrap_or_default())?;
                reply = doc! {"nowMs": number(now_ms)};
            }
            "begin" => self.play(argument),
            "end" => stage.pacer().end_play(),
            "pace" => reply = self.pace(argument),
            "happened" => stage.note_event(),
            "stored" => reply = self.stored(argument)?,
            "removed" => reply = self.removed(argument)?,
            "ledger" => reply = self.ledger(argument)?,
            "answer" => {
                let value = argument.get("value").cloned().unwrap_or(Bson::Null);
                let has_read = flag(argument, "hasRead");
                self.answer.replace(Some(Evaluated { value, has_read }));
            }
            "reached" => self.is_reached.set(true),
            "lost" => self.is_lost.set(true),
            "unexpected" => {
                let message = argument.get_str("message").unwrap_or_default().to_owned();
                self.unexpected.borrow_mut().get_or_insert(message);
            }
            "member" => {
                let text = |field| argument.get_str(field).unwrap_or_default();
                reply = stage.member(text("name"), text("what"))?;
            }
            other => return Err(format!("{other} is not known in this lesson")),
        }
        Ok(reply)
    }

    fn watched(&self) -> Duration {
        self.stage.pacer().watched()
    }
}

/// A row of the ledger as the shell shows it.
fn row(row: RemovedDocument) -> Document {
    let lag_ms = row.lag_ms();
    doc! {
        "_id": row.id,
        "index": row.index,
        "threshold": DateTime::from_millis(row.threshold_ms),
        "removed": DateTime::from_millis(row.removed_ms),
        "lagSeconds": number(lag_ms) / 1_000.0,
        "pass": number(i64::try_from(row.pass).unwrap_or(i64::MAX)),
    }
}

fn place(argument: &Document) -> (&str, &str) {
    let text = |field| argument.get_str(field).unwrap_or_default();
    (text("database"), text("name"))
}

/// The named member, if one was named.
fn member(argument: &Document) -> Option<&str> {
    argument.get_str("member").ok()
}

fn ms(argument: &Document, field: &str) -> i64 {
    argument.get(field).and_then(integer).unwrap_or(0)
}

fn flag(argument: &Document, field: &str) -> bool {
    argument.get_bool(field).unwrap_or(false)
}

/// A number of JavaScript.
#[expect(clippy::cast_precision_loss, reason = "exact for 280,000 years")]
fn number(value: i64) -> f64 {
    value as f64
}

/// Four words that differ from lesson to lesson (FNV-1a).
fn seed(slug: &str) -> [u32; 4] {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut next = |byte: u8| {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        u32::try_from(hash >> 32).unwrap_or(1).max(1)
    };
    for byte in slug.bytes() {
        next(byte);
    }
    [next(1), next(2), next(3), next(4)]
}

/// The permit of a challenge, shared with the window's way to the store.
pub type SharedPermit = Arc<Mutex<Permit>>;

/// The result of an expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluated {
    /// Its value; null for `undefined`.
    pub value: Bson,
    pub has_read: bool,
}
