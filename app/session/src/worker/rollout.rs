//! Puts a TTL on a collection in steps. Each step lowers the seconds until as many documents are
//! overdue as may go in a minute, and the next one waits until they are gone.

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use bson::{Bson, Document};

use super::code;
use super::guarded::guarded;
use super::journal::file::Journal;
use super::journal::header;
use super::replication_lag::ReplicationLag;
use super::wake::Wake;
use crate::commands::{indexes, rollout};
use crate::job::reply::{batch, checked, number, refusal};
use crate::job::rollout::{
    RolloutEnded, RolloutPlan, RolloutStep, RolloutWork, SECS_MAX, STEP_SECS,
};
use crate::job::{Cancel, End};
use crate::source::Source;

/// How often it looks.
const LOOK: Duration = Duration::from_millis(200);

/// Looks between two counts of what is overdue, so that a server is asked little.
const LOOKS_APART: u32 = 25;

/// Documents that are counted.
const COUNTED_MAX: u64 = 10_000_000;

const MS_PER_SEC: i64 = 1_000;

/// A rollout under way.
pub(super) struct Rollout {
    plan: RolloutPlan,
    /// The seconds that the index has. `None` if it has none yet, or does not exist.
    secs: Option<i64>,
    /// Documents that the final TTL removes, when it began.
    total: u64,
    /// When the next step may be made, by the store's clock, in milliseconds since 1970.
    next_ms: i64,
    words: String,
    left: u64,
    /// Changes of the index.
    changes: u64,
    lag: ReplicationLag,
}

/// The result of a look.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Look {
    Waits,
    /// The index has its TTL, and nothing is overdue.
    Complete,
}

impl Rollout {
    pub fn new(plan: RolloutPlan) -> Self {
        let secs = if plan.create.is_some() { None } else { plan.from_secs };
        let lag = ReplicationLag::new(plan.lag_max_secs);
        let (next_ms, words) = (i64::MIN, String::new());
        Self { plan, secs, total: 0, next_ms, words, left: 0, changes: 0, lag }
    }

    /// Looks at the collection and makes the next step if it is time.
    ///
    /// # Errors
    /// Why the store refused, in one sentence.
    pub fn look(&mut self, source: &dyn Source) -> Result<Look, String> {
        let now_ms = source.now_ms();
        let Some(secs) = self.secs else { return self.begin(source) };
        let is_final = secs <= self.plan.to_secs;
        self.left = self.count(source, self.plan.to_secs, now_ms)?;
        self.total = self.total.max(self.left);
        let overdue = if is_final { self.left } else { self.count(source, secs, now_ms)? };
        if overdue > 0 {
            self.words = format!("waits until {overdue} overdue documents are gone");
            return Ok(Look::Waits);
        }
        if is_final {
            return Ok(Look::Complete);
        }
        if now_ms < self.next_ms {
            let secs = self.next_ms.saturating_sub(now_ms).div_euclid(MS_PER_SEC) + 1;
            self.words = format!("next step in {}", age(secs));
            return Ok(Look::Waits);
        }
        if self.lag.is_too_much(source) {
            let most = self.plan.lag_max_secs.unwrap_or_default();
            let most = age(i64::try_from(most).unwrap_or(i64::MAX));
            self.words = format!("waits until the lag is at most {most}");
            return Ok(Look::Waits);
        }
        let secs = self.next_secs(source, now_ms)?;
        self.lower(source, secs)?;
        let step_ms = i64::try_from(STEP_SECS).unwrap_or(60).saturating_mul(MS_PER_SEC);
        self.next_ms = now_ms.saturating_add(step_ms);
        self.words = format!("lowered the TTL to {}", age(secs));
        Ok(Look::Waits)
    }

    /// Makes the index, or gives it a TTL that removes nothing yet.
    fn begin(&mut self, source: &dyn Source) -> Result<Look, String> {
        if let Some(index) = self.plan.create.clone() {
            if self.plan.replaces {
                self.drop_index(source)?;
            }
            let made = self.run(source, &rollout::create(&self.plan, &index));
            made.map_err(|why| self.not_made(why))?;
            self.secs = Some(SECS_MAX);
            self.changes += 1;
            self.words = String::from("made the index with a TTL that removes nothing yet");
        } else {
            self.lower(source, SECS_MAX)?;
        }
        Ok(Look::Waits)
    }

    /// Drops the index that is made again. One that is gone already was dropped before the program ended.
    fn drop_index(&mut self, source: &dyn Source) -> Result<(), String> {
        let RolloutPlan { namespace, name, .. } = &self.plan;
        let reply = source.run(&namespace.db, &indexes::drop(&namespace.collection, name));
        let is_gone = reply.get_i32("code").is_ok_and(|number| number == code::INDEX_NOT_FOUND);
        if let Some(why) = refusal(&reply).filter(|_| !is_gone) {
            return Err(why);
        }
        self.changes += 1;
        Ok(())
    }

    fn not_made(&self, why: String) -> String {
        if !self.plan.replaces {
            return why;
        }
        let name = &self.plan.name;
        format!(
            "Index {name} was dropped and not created again: {why}. No documents are removed until you \
                 create it"
        )
    }

    /// The seconds with which as many documents are overdue as one step lets go, the oldest ones.
    fn next_secs(&self, source: &dyn Source, now_ms: i64) -> Result<i64, String> {
        let reply = self.run(source, &rollout::boundary(&self.plan, now_ms))?;
        let date = batch(&reply).next().and_then(|found| earliest_ms(found, self.plan.field()));
        let secs = date.map(|date| now_ms.saturating_sub(date).div_euclid(MS_PER_SEC));
        // Fewer are left than a step: this is the last one.
        Ok(secs.map_or(self.plan.to_secs, |secs| secs.clamp(self.plan.to_secs, SECS_MAX)))
    }

    fn lower(&mut self, source: &dyn Source, secs: i64) -> Result<(), String> {
        self.run(source, &rollout::lower(&self.plan, secs))?;
        self.secs = Some(secs);
        self.changes += 1;
        Ok(())
    }

    fn count(&self, source: &dyn Source, secs: i64, now_ms: i64) -> Result<u64, String> {
        let reply = self.run(source, &rollout::count(&self.plan, secs, now_ms, COUNTED_MAX))?;
        number(&reply, "n")
            .ok_or_else(|| "The store doesn't say how many documents are overdue".to_owned())
    }

    fn run(&self, source: &dyn Source, command: &Document) -> Result<Document, String> {
        checked(source.run(&self.plan.namespace.db, command))
    }

    /// Documents that are gone, and documents in all.
    pub fn progress(&self) -> (u64, u64) {
        (self.total.saturating_sub(self.left), self.total)
    }

    fn tell(&self, work: &RolloutWork, words: String) {
        let (gone, total) = self.progress();
        work.gauge.set(gone, total, RolloutStep { words, changes: self.changes });
    }

    /// How things are now.
    pub fn words(&self) -> String {
        match self.lag.words() {
            "" => self.words.clone(),
            lag => format!("{}; {lag}", self.words),
        }
    }

    /// The final state when it ends here.
    pub fn result(&self) -> String {
        let (gone, total) = self.progress();
        let name = self.plan.namespace.to_string();
        let left = total.saturating_sub(gone);
        let Some(secs) = self.secs else { return format!("{name} is unchanged: it has no TTL") };
        if left == 0 {
            return format!(
                "{gone} documents of {name} were removed. Its TTL is now {}",
                age(secs)
            );
        }
        format!(
            "{gone} of {total} documents of {name} were removed. Its TTL is now {}, so documents \
             expire at that age; the {left} that a TTL of {} would remove too stay until then",
            age(secs),
            age(self.plan.to_secs)
        )
    }
}

/// Seconds in words.
fn age(secs: i64) -> String {
    mayfly_engine::value::duration(secs.saturating_mul(MS_PER_SEC))
}

/// The earliest date in a field, in milliseconds since 1970.
fn earliest_ms(document: &Document, path: &str) -> Option<i64> {
    let mut value = Bson::Document(document.clone());
    for part in path.split('.') {
        value = match &value {
            Bson::Document(inner) => inner.get(part)?.clone(),
            _ => return None,
        };
    }
    match value {
        Bson::DateTime(date) => Some(date.timestamp_millis()),
        Bson::Array(all) => {
            let dates = all.iter().filter_map(Bson::as_datetime);
            dates.map(|date| date.timestamp_millis()).min()
        }
        _ => None,
    }
}

/// Works on another thread, because a rollout takes hours. It ends soon after `ends` is set: the
/// store closes only when nothing uses it any longer.
///
/// # Errors
/// The system refused a thread: one sentence.
pub fn start(
    work: RolloutWork,
    source: Arc<dyn Source>,
    ends: Cancel,
    wake: Wake,
    ended: impl FnOnce(RolloutEnded) + Send + 'static,
) -> Result<JoinHandle<()>, String> {
    let run = move || {
        let end = guarded(|| run(&work, source.as_ref(), &ends, &wake));
        ended(end.unwrap_or_else(RolloutEnded::failed));
    };
    let thread = thread::Builder::new().name("mayfly-rollout".to_owned()).spawn(run);
    thread.map_err(|error| format!("Can't start a thread: {error}"))
}

fn run(work: &RolloutWork, source: &dyn Source, ends: &Cancel, wake: &Wake) -> RolloutEnded {
    let journal = match noted(work, source) {
        Ok(journal) => journal,
        Err(why) => return RolloutEnded::failed(why),
    };
    let mut rollout = Rollout::new(work.plan.clone());
    let end = steps(&mut rollout, work, source, ends, wake);
    let is_left = work.gauge.is_left() || ends.is_cancelled();
    let is_cut = match &end {
        End::Complete => false,
        End::Cancelled => is_left,
        End::Failed(_) => rollout.changes > 0 || work.journal.is_some(),
    };
    if let Some(journal) = journal.filter(|_| !is_cut) {
        journal.finish();
    }
    match end {
        End::Failed(why) => RolloutEnded::failed(format!("{why}. {}", rollout.result())),
        end => RolloutEnded { end, words: rollout.result() },
    }
}

/// Notes the rollout before its first step. The index itself says how far it is.
fn noted(work: &RolloutWork, source: &dyn Source) -> Result<Option<Journal>, String> {
    if let Some(path) = &work.journal {
        return Journal::open(path).map(|(journal, _)| Some(journal));
    }
    let Some(folder) = source.journals() else { return Ok(None) };
    let header = header::of_plan(&work.plan, source.now_ms());
    Journal::begin(&folder, &header, &[]).map(Some)
}

fn steps(
    rollout: &mut Rollout,
    work: &RolloutWork,
    source: &dyn Source,
    ends: &Cancel,
    wake: &Wake,
) -> End {
    let gauge = &work.gauge;
    for turn in 0_u32.. {
        if gauge.cancel.is_cancelled() || ends.is_cancelled() {
            return End::Cancelled;
        }
        if gauge.is_paused() {
            rollout.tell(work, "paused; the TTL stays as it is".to_owned());
        } else if turn.is_multiple_of(LOOKS_APART) {
            match rollout.look(source) {
                Ok(Look::Waits) => {}
                Ok(Look::Complete) => return End::Complete,
                Err(why) => return End::Failed(why),
            }
            rollout.tell(work, rollout.words());
        }
        wake(Duration::ZERO);
        thread::park_timeout(LOOK);
    }
    End::Cancelled
}

#[cfg(test)]
#[path = "rollout_tests.rs"]
mod tests;
