//! A server that asks to slow down. Cosmos DB refuses what is over its request units with code 16500 and
//! says when to come back. What was not done is sent again after that time, for every command: a
//! caller sees one reply, as if the server had taken all at once.

use std::sync::Arc;
use std::time::Duration;

use bson::raw::{RawArrayBuf, RawBsonRef};
use bson::{Bson, Document, RawDocumentBuf, doc};
use mayfly_engine::clock::{Clock, SystemClock, WakeUp};
use mayfly_engine::value::whole;

use super::failure::failed;
use super::guard;
use crate::job::reply::{is_ok, write_errors};
use crate::job::server::SlowDown;
use crate::limits::{
    THROTTLE_FIRST_PAUSE, THROTTLE_LOOK, THROTTLE_MAX, THROTTLE_OWN_PAUSE_MAX, THROTTLE_PAUSE_MAX,
};

/// The code of a request that is over the rate.
pub const THROTTLED: i32 = 16_500;

/// `Interrupted`.
const INTERRUPTED: i32 = 11_601;

/// Update operators that a second run of the same update leaves as they are.
const REPEATABLE: [&str; 8] =
    ["$set", "$unset", "$setOnInsert", "$min", "$max", "$addToSet", "$pull", "$pullAll"];

/// The waits of one server.
pub(super) struct Throttle {
    pub clock: Arc<dyn Clock>,
    /// Set while a command waits.
    pub slow_down: SlowDown,
}

impl Default for Throttle {
    fn default() -> Self {
        Self { clock: Arc::new(SystemClock), slow_down: SlowDown::default() }
    }
}

/// Why a command is not sent again.
#[derive(Clone, Copy)]
enum GaveUp {
    Stopped,
    Bound,
}

impl GaveUp {
    fn error(self) -> (i32, &'static str, String) {
        match self {
            Self::Stopped => (INTERRUPTED, "Interrupted", "The command was stopped".to_owned()),
            Self::Bound => {
                let secs = THROTTLE_MAX.as_secs();
                let sentence = format!(
                    "The server asks to slow down and took nothing for {secs} s; try again later, or \
                     give it more request units"
                );
                (THROTTLED, "RequestRateTooLarge", sentence)
            }
        }
    }
}

/// The pauses of one command. They grow, and are bounded in all by the time without progress.
struct Pauses<'t> {
    throttle: &'t Throttle,
    next: Duration,
    progress_at: Duration,
}

impl<'t> Pauses<'t> {
    fn new(throttle: &'t Throttle) -> Self {
        let progress_at = throttle.clock.monotonic();
        Self { throttle, next: Duration::ZERO, progress_at }
    }

    fn note_progress(&mut self) {
        self.progress_at = self.throttle.clock.monotonic();
        self.next = Duration::ZERO;
    }

    fn pause(
        &mut self,
        asked: Option<Duration>,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<(), GaveUp> {
        let clock = &self.throttle.clock;
        let began = clock.monotonic();
        if began.saturating_sub(self.progress_at) >= THROTTLE_MAX {
            return Err(GaveUp::Bound);
        }
        let own = self.next;
        self.next = (own * 2).clamp(THROTTLE_FIRST_PAUSE, THROTTLE_OWN_PAUSE_MAX);
        let asked = asked.unwrap_or(THROTTLE_FIRST_PAUSE).min(THROTTLE_PAUSE_MAX);
        let end = began.saturating_add(asked.max(own));
        let _asked = self.throttle.slow_down.begin();
        loop {
            if is_stopped() {
                return Err(GaveUp::Stopped);
            }
            let now = clock.monotonic();
            if now >= end {
                return Ok(());
            }
            let look = now.saturating_add(THROTTLE_LOOK).min(end);
            let _ = clock.wait_until(Some(look), &WakeUp::new());
        }
    }
}

/// Whether an error of a reply, or the reply itself, asks to slow down.
pub(super) fn is_throttled(error: &Document) -> bool {
    let code = error.get("code").and_then(whole);
    let is_large = |said: &str| said.contains("Request rate is large");
    code == Some(i64::from(THROTTLED))
        || code != Some(0) && error.get_str("errmsg").is_ok_and(is_large)
}

/// Whether an error is that of a part of a write that was given up.
pub fn gave_up(error: &Document) -> bool {
    let code = error.get("code").and_then(whole);
    [THROTTLED, INTERRUPTED].iter().any(|known| code == Some(i64::from(*known)))
}

/// The time after which the server wants to be asked again: `RetryAfterMs=34` in a message, or a field.
fn retry_after(error: &Document) -> Option<Duration> {
    const NAME: &str = "RetryAfterMs";
    let field = error.get(NAME).and_then(whole);
    let said = || {
        let (_, rest) = error.get_str("errmsg").ok()?.split_once(NAME)?;
        let rest = rest.trim_start_matches(|c: char| " \"':=".contains(c));
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        rest[..end].parse::<i64>().ok()
    };
    let ms = field.or_else(said)?;
    Some(Duration::from_millis(u64::try_from(ms).ok()?))
}

/// A command that can be sent again, whole or in part.
pub(super) trait Resent: Clone {
    /// The documents or statements of a write; `None` for other commands.
    fn statements(&self) -> Option<Statements>;

    /// The same command with only these of its documents or statements.
    fn only(&self, left: &[usize]) -> Self;

    /// Whether the whole command may be sent twice.
    fn may_repeat(&self) -> bool;
}

/// The documents or statements of a write.
pub(super) struct Statements {
    count: usize,
    is_ordered: bool,
    /// Those that may have been done in part, and must not be done twice.
    once: Vec<usize>,
}

fn list_of(name: &str) -> Option<&'static str> {
    Some(match name {
        "insert" => "documents",
        "update" => "updates",
        "delete" => "deletes",
        _ => return None,
    })
}

impl Resent for Document {
    fn statements(&self) -> Option<Statements> {
        let list = list_of(self.keys().next()?)?;
        let statements = self.get_array(list).ok()?;
        let is_once =
            |(at, one): (usize, &Bson)| one.as_document().is_some_and(is_once).then_some(at);
        let once = statements.iter().enumerate().filter_map(is_once).collect();
        let is_ordered = self.get_bool("ordered").unwrap_or(true);
        Some(Statements { count: statements.len(), is_ordered, once })
    }

    fn only(&self, left: &[usize]) -> Self {
        let mut command = self.clone();
        let list = self.keys().next().and_then(|name| list_of(name));
        if let Some(Ok(statements)) = list.map(|list| command.get_array_mut(list)) {
            let some = left.iter().filter_map(|at| statements.get(*at).cloned()).collect();
            *statements = some;
        }
        command
    }

    fn may_repeat(&self) -> bool {
        // A pipeline that writes may have done so in part.
        !(self.contains_key("aggregate") && guard::refusal(self).is_some())
    }
}

impl Resent for RawDocumentBuf {
    fn statements(&self) -> Option<Statements> {
        Document::try_from(self.as_ref()).ok()?.statements()
    }

    fn only(&self, left: &[usize]) -> Self {
        let list = self.iter().next().and_then(Result::ok);
        let list = list.and_then(|(name, _)| list_of(name.as_str()));
        let mut command = Self::new();
        for (name, value) in self.iter().filter_map(Result::ok) {
            match value {
                RawBsonRef::Array(all) if Some(name.as_str()) == list => {
                    let mut some = RawArrayBuf::new();
                    let all = all.into_iter().filter_map(Result::ok).enumerate();
                    all.filter(|(at, _)| left.binary_search(at).is_ok())
                        .for_each(|(_, one)| some.push(one));
                    command.append(name, some);
                }
                value => command.append(name, value),
            }
        }
        command
    }

    fn may_repeat(&self) -> bool {
        Document::try_from(self.as_ref()).is_ok_and(|command| command.may_repeat())
    }
}

/// Whether a statement changes many documents in a way that must not be done twice.
fn is_once(statement: &Document) -> bool {
    let is_many = statement.get_bool("multi").unwrap_or(false);
    let is_repeatable = match statement.get("u") {
        Some(Bson::Document(update)) => {
            update.keys().all(|operator| REPEATABLE.contains(&operator.as_str()))
        }
        _ => false,
    };
    is_many && !is_repeatable && !statement.get_document("q").is_ok_and(names_one)
}

/// Whether a query is about one `_id`.
fn names_one(query: &Document) -> bool {
    let is_one = match query.get("_id") {
        Some(Bson::Document(test)) => {
            test.contains_key("$eq") || test.get_array("$in").is_ok_and(|ids| ids.len() <= 1)
        }
        other => other.is_some(),
    };
    let mut all = query.get_array("$and").into_iter().flatten().filter_map(Bson::as_document);
    is_one || all.any(names_one)
}

/// The replies to the parts of a write, as one.
struct Merged {
    reply: Document,
    errors: Vec<(usize, Document)>,
    upserted: Vec<Document>,
    sums: [(&'static str, i64); 2],
}

impl Merged {
    fn new() -> Self {
        let sums = [("n", 0), ("nModified", 0)];
        Self { reply: doc! {}, errors: Vec::new(), upserted: Vec::new(), sums }
    }

    /// Takes the reply about these statements. Returns those to send again.
    fn take(&mut self, reply: &Document, sent: &[usize], statements: &Statements) -> Vec<usize> {
        for (name, sum) in &mut self.sums {
            *sum += reply.get(*name).and_then(whole).unwrap_or(0);
        }
        let place = |of: &Document| {
            let at = usize::try_from(of.get("index").and_then(whole)?).ok()?;
            Some((at, *sent.get(at)?))
        };
        for one in reply.get_array("upserted").into_iter().flatten().filter_map(Bson::as_document) {
            if let Some((_, at)) = place(one) {
                let mut one = one.clone();
                one.insert("index", i64::try_from(at).unwrap_or(i64::MAX));
                self.upserted.push(one);
            }
        }
        let mut again = Vec::new();
        for error in write_errors(reply) {
            let Some((at, of)) = place(error) else { continue };
            if is_throttled(error) && !statements.once.contains(&of) {
                let end = if statements.is_ordered { sent.len() } else { at + 1 };
                again.extend_from_slice(&sent[at..end]);
            } else {
                self.errors.push((of, error.clone()));
            }
        }
        self.reply = reply.clone();
        again.sort_unstable();
        again.dedup();
        again
    }

    fn is_nothing(&self) -> bool {
        self.errors.is_empty()
            && self.upserted.is_empty()
            && self.sums.iter().all(|(_, sum)| *sum == 0)
    }

    /// Some statements were not done, because of this.
    fn refuse(&mut self, left: &[usize], is_ordered: bool, error: &Document) {
        let some = if is_ordered { &left[..left.len().min(1)] } else { left };
        self.errors.extend(some.iter().map(|at| (*at, error.clone())));
    }

    fn whole(mut self) -> Document {
        let mut reply = self.reply;
        for (name, sum) in self.sums {
            if reply.contains_key(name) || sum > 0 {
                reply.insert(name, i32::try_from(sum).map_or(Bson::Int64(sum), Bson::Int32));
            }
        }
        self.errors.sort_by_key(|(at, _)| *at);
        let errors = self.errors.into_iter().map(|(at, mut error)| {
            error.insert("index", i64::try_from(at).unwrap_or(i64::MAX));
            error
        });
        let errors: Vec<Document> = errors.collect();
        let lists = [("writeErrors", errors), ("upserted", self.upserted)];
        for (name, list) in lists {
            reply.remove(name);
            if !list.is_empty() {
                reply.insert(name, list);
            }
        }
        reply
    }
}

impl Throttle {
    /// Sends a command until the server takes it. `is_stopped` ends a pause.
    pub fn send<C: Resent>(
        &self,
        command: &C,
        is_stopped: &dyn Fn() -> bool,
        mut send: impl FnMut(C) -> Document,
    ) -> Document {
        let reply = send(command.clone());
        let is_refused = is_throttled(&reply) && !is_ok(&reply);
        if !is_refused && !write_errors(&reply).any(is_throttled) {
            return reply;
        }
        match command.statements() {
            Some(statements) => self.send_rest(command, &statements, reply, is_stopped, send),
            None if !command.may_repeat() => reply,
            None => {
                let mut pauses = Pauses::new(self);
                let mut reply = reply;
                while is_throttled(&reply) && !is_ok(&reply) {
                    if let Err(gave_up) = pauses.pause(retry_after(&reply), is_stopped) {
                        let (code, name, sentence) = gave_up.error();
                        return failed(code, name, &sentence);
                    }
                    reply = send(command.clone());
                }
                reply
            }
        }
    }

    fn send_rest<C: Resent>(
        &self,
        command: &C,
        statements: &Statements,
        mut reply: Document,
        is_stopped: &dyn Fn() -> bool,
        mut send: impl FnMut(C) -> Document,
    ) -> Document {
        let mut pauses = Pauses::new(self);
        let mut merged = Merged::new();
        let mut left: Vec<usize> = (0..statements.count).collect();
        loop {
            let mut asked = retry_after(&reply);
            if is_ok(&reply) {
                asked = write_errors(&reply).filter_map(retry_after).max();
                let again = merged.take(&reply, &left, statements);
                if again.is_empty() {
                    return merged.whole();
                }
                if again.len() < left.len() {
                    pauses.note_progress();
                }
                left = again;
            } else if !is_throttled(&reply) {
                if merged.is_nothing() {
                    return reply;
                }
                let error = doc! {
                    "code": reply.get("code").cloned().unwrap_or(Bson::Int32(0)),
                    "errmsg": reply.get_str("errmsg").unwrap_or_default(),
                };
                merged.refuse(&left, statements.is_ordered, &error);
                return merged.whole();
            }
            if let Err(gave_up) = pauses.pause(asked, is_stopped) {
                let (code, name, sentence) = gave_up.error();
                if merged.is_nothing() {
                    return failed(code, name, &sentence);
                }
                let error = doc! { "code": code, "errmsg": sentence };
                merged.refuse(&left, statements.is_ordered, &error);
                return merged.whole();
            }
            reply = send(command.only(&left));
        }
    }

    /// Pauses between two reads of a cursor. `tries` is the number of pauses without a document.
    pub fn pauses_for_cursor(&self) -> CursorPauses<'_> {
        CursorPauses(Pauses::new(self))
    }
}

/// The pauses of a cursor that the driver reads.
pub(super) struct CursorPauses<'t>(Pauses<'t>);

impl CursorPauses<'_> {
    /// Documents arrived.
    pub fn note_progress(&mut self) {
        self.0.note_progress();
    }

    /// Waits as a reply asks.
    ///
    /// # Errors
    /// The reply of a read that was given up.
    pub fn pause(
        &mut self,
        reply: &Document,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<(), Document> {
        self.0.pause(retry_after(reply), is_stopped).map_err(|gave_up| {
            let (code, name, sentence) = gave_up.error();
            failed(code, name, &sentence)
        })
    }
}
