//! The members of a lesson about replica sets: each has its own engine, folder, clock and passes.
//! Nothing happens by itself: the caller moves the common clock and calls [`ReplicaSet::step`].
//!
//! It shows where expiry happens. It isn't a real replica set: it has no elections, votes,
//! rollbacks or network.

mod changes;
mod place;
mod status;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use bson::{Bson, Document};
use mayfly_engine::clock::SimulatedClock;
use mayfly_engine::engine::Engine;
use mayfly_engine::replication::{Member, OplogEntry, Role};

pub use place::{EventWatch, Removal};

use self::place::{Place, verdict_of};
use crate::job::lesson::MemberStart;
use crate::job::{Namespace, RemovedDocument};
use crate::limits::{LESSON_DELAY_MS, LESSON_DELAY_MS_MAX, LESSON_MEMBER_REMOVALS_MAX};

/// One to three members on a common clock.
pub struct ReplicaSet {
    clock: Arc<SimulatedClock>,
    start_ms: i64,
    places: Vec<Place>,
    /// The entries of the primaries, never truncated. A member's `applied` counts those it has.
    log: Vec<OplogEntry>,
    /// Commands that set up each engine whenever it is opened.
    parameters: Vec<Document>,
    watch: EventWatch,
    delay_ms: i64,
    /// The member that the window reads from, or `None` for the primary.
    read: Option<usize>,
    shown: Vec<Namespace>,
    /// The length of the log at each instant of the last [`LESSON_DELAY_MS_MAX`], ascending.
    written: Vec<(usize, i64)>,
    /// The length before them: older than any delay.
    old: usize,
    /// Removals by the passes of the primaries, to describe them on the other members.
    known: Vec<RemovedDocument>,
}

/// The result of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SetStep {
    pub passes: u64,
    pub deleted: u64,
    pub applied: u64,
}

impl ReplicaSet {
    /// Opens all members below `folder` at this instant of the common time; the first is primary.
    /// `parameters` are commands on `admin` for each engine.
    pub fn open(
        folder: &Path,
        starts: &[MemberStart],
        start_ms: i64,
        parameters: Vec<Document>,
        watch: EventWatch,
    ) -> Result<Self, String> {
        let place = |start: &MemberStart| Place::new(start, folder.join(&start.name));
        let mut set = Self {
            clock: Arc::new(SimulatedClock::new(start_ms)),
            start_ms,
            places: starts.iter().map(place).collect(),
            log: Vec::new(),
            parameters,
            watch,
            delay_ms: LESSON_DELAY_MS,
            read: None,
            shown: Vec::new(),
            written: Vec::new(),
            old: 0,
            known: Vec::new(),
        };
        for at in 0..set.places.len() {
            set.open_place(at, if at == 0 { Role::Primary } else { Role::Secondary })?;
        }
        set.tell();
        Ok(set)
    }

    fn open_place(&mut self, at: usize, role: Role) -> Result<(), String> {
        let now_ms = self.now_ms();
        let Some(place) = self.places.get_mut(at) else { return Ok(()) };
        place.start(role, now_ms, &self.parameters, &self.watch)
    }

    /// The common clock. Moving it moves the members' clocks with the next step or command.
    pub fn clock(&self) -> &Arc<SimulatedClock> {
        &self.clock
    }

    /// The common time in milliseconds since 1970.
    pub fn now_ms(&self) -> i64 {
        use mayfly_engine::clock::Clock as _;
        self.clock.now_ms()
    }

    /// The next instant of the common time at which [`ReplicaSet::step`] has something to do: a
    /// monitor wakes, or a secondary applies an entry.
    pub fn next_event_ms(&self) -> i64 {
        self.sync_clocks();
        let wakes = self.places.iter().filter_map(Place::wake_ms);
        let applied = self.running_secondaries().map(|at| self.places[at].applied).min();
        let lacks = |position: usize| applied.is_some_and(|applied| applied < position);
        let has_primary = self.primary_place().is_some();
        let written = self.written.iter().find(|(position, _)| lacks(*position));
        let due = written.map(|(_, at_ms)| at_ms.saturating_add(self.delay_ms));
        let due = due.filter(|_| has_primary).map(|due_ms| due_ms.max(self.now_ms()));
        wakes.chain(due).min().unwrap_or(i64::MAX)
    }

    /// When the next pass of the primary is due, in the common time.
    pub fn next_pass_ms(&self) -> Option<i64> {
        self.sync_clocks();
        self.primary_place().and_then(Place::wake_ms)
    }

    /// Does what is due now: the monitors wake in order of the members, then the secondaries apply
    /// what is older than the delay.
    ///
    /// # Errors
    /// One sentence, when an entry can't be applied.
    pub fn step(&mut self) -> Result<SetStep, String> {
        self.sync_clocks();
        let mut step = SetStep::default();
        for at in 0..self.places.len() {
            let deleted = self.places.get_mut(at).and_then(Place::run_due);
            if let Some(deleted) = deleted {
                step.passes += 1;
                step.deleted += deleted;
            }
            self.note_written();
        }
        step.applied = self.replicate()?;
        Ok(step)
    }

    /// Runs a command on a member, or on the primary, and replicates what is due.
    ///
    /// # Errors
    /// One sentence: there is no such member, it is stopped, or no member is primary.
    pub fn run(
        &mut self,
        member: Option<&str>,
        db: &str,
        command: &Document,
    ) -> Result<Document, String> {
        self.sync_clocks();
        let place = match member {
            Some(name) => self.place(name)?,
            None => self.primary_place().ok_or("No member is primary, so none takes commands")?,
        };
        let reply = place.engine()?.run(db, command);
        self.note_written();
        self.replicate()?;
        Ok(reply)
    }

    /// Whether the bytes of a document are stored on a member, hidden or not.
    ///
    /// # Errors
    /// As [`ReplicaSet::run`].
    pub fn is_stored(
        &self,
        member: &str,
        db: &str,
        collection: &str,
        id: &Bson,
    ) -> Result<bool, String> {
        self.sync_clocks();
        let reply = self.place(member)?.engine()?.run(db, &verdict_of(collection, id));
        Ok(reply.get_f64("ok").is_ok_and(|ok| ok > 0.0))
    }

    /// Expired documents that left a member, oldest first. Also of a stopped one.
    pub fn removals(
        &self,
        member: &str,
        db: &str,
        collection: &str,
    ) -> Result<Vec<Removal>, String> {
        let is_of = |removal: &&Removal| {
            let namespace = &removal.document.namespace;
            namespace.db == db && namespace.collection == collection
        };
        Ok(self.place(member)?.removals.iter().filter(is_of).cloned().collect())
    }

    /// Calls `work` with the primary's engine; `None` while no member is primary.
    pub fn with_primary<T>(&self, work: impl FnOnce(&Engine) -> T) -> Option<T> {
        self.sync_clocks();
        self.primary_place()?.engine().ok().map(work)
    }

    /// The next threshold after now by the primary's clock, in the common time.
    pub fn next_threshold_ms(&self) -> Option<i64> {
        let skew_ms = self.primary_place()?.skew_ms;
        let from_ms = self.now_ms().saturating_add(skew_ms).saturating_add(1);
        let first = self.with_primary(|engine| engine.reaper().first_threshold_ms(from_ms));
        Some(first?.ok().flatten()?.saturating_sub(skew_ms))
    }

    /// The time of a member's clock, in milliseconds since 1970.
    pub fn member_now_ms(&self, name: &str) -> Result<i64, String> {
        Ok(self.now_ms().saturating_add(self.place(name)?.skew_ms))
    }

    /// Moves the wall clock of a member alone, or of the primary.
    ///
    /// # Errors
    /// There is no such member, or no primary.
    pub fn jump(&mut self, name: Option<&str>, ms: i64) -> Result<(), String> {
        self.sync_clocks();
        let now_ms = self.now_ms();
        let primary = || self.places.iter().position(Place::is_primary);
        let at = match name {
            Some(name) => self.index(name)?,
            None => primary().ok_or("No member is primary")?,
        };
        self.places[at].jump(ms, now_ms);
        Ok(())
    }

    /// When the set began, in milliseconds since 1970.
    pub fn start_ms(&self) -> i64 {
        self.start_ms
    }

    /// The name of the primary, if there is one.
    pub fn primary(&self) -> Option<&str> {
        self.primary_place().map(|place| place.name.as_str())
    }

    fn primary_place(&self) -> Option<&Place> {
        self.places.iter().find(|place| place.is_primary())
    }

    fn place(&self, name: &str) -> Result<&Place, String> {
        self.index(name).map(|at| &self.places[at])
    }

    fn index(&self, name: &str) -> Result<usize, String> {
        let found = self.places.iter().position(|place| place.name == name);
        found.ok_or_else(|| format!("This lesson has no member {name}"))
    }

    fn running_secondaries(&self) -> impl Iterator<Item = usize> + '_ {
        let all = self.places.iter().enumerate();
        all.filter(|(_, place)| place.is_running() && !place.is_primary()).map(|(at, _)| at)
    }

    fn sync_clocks(&self) {
        let now_ms = self.now_ms();
        self.places.iter().for_each(|place| place.sync_clock(now_ms));
    }

    /// Notes what the primary has written since the last look.
    fn note_written(&mut self) {
        if let Some(primary) = self.places.iter().position(Place::is_primary) {
            self.note_written_by(primary);
        }
    }

    /// Takes the entries of a member that is primary, or was until now.
    fn note_written_by(&mut self, at: usize) {
        let now_ms = self.now_ms();
        let place = &mut self.places[at];
        self.known.extend(place.take_removed());
        let excess = self.known.len().saturating_sub(LESSON_MEMBER_REMOVALS_MAX);
        self.known.drain(..excess);
        let entries = place.member().map(Member::take_entries).unwrap_or_default();
        if !entries.is_empty() {
            place.note(&entries, &self.known, now_ms);
            self.log.extend(entries);
            match self.written.last_mut() {
                Some((position, at_ms)) if *at_ms == now_ms => *position = self.log.len(),
                _ => self.written.push((self.log.len(), now_ms)),
            }
        }
        self.note_behind();
        self.tell();
    }

    /// Notes since when each member lacks an entry.
    fn note_behind(&mut self) {
        let now_ms = self.now_ms();
        let newest = self.log.len();
        let (old, written) = (self.old, &self.written);
        for place in &mut self.places {
            let first = written.iter().find(|(position, _)| *position > place.applied);
            place.behind_since_ms = match first {
                _ if place.applied >= newest => None,
                Some((_, at_ms)) if place.applied >= old => Some(*at_ms),
                _ => Some(place.behind_since_ms.unwrap_or(now_ms)),
            };
        }
        let old_ms = now_ms.saturating_sub(LESSON_DELAY_MS_MAX);
        let count = self.written.iter().take_while(|(_, at_ms)| *at_ms < old_ms).count();
        if let Some((position, _)) = self.written.drain(..count).next_back() {
            self.old = position;
        }
    }

    /// Lets the secondaries apply what is older than the delay. Returns how many entries there were.
    fn replicate(&mut self) -> Result<u64, String> {
        if self.primary_place().is_none() {
            return Ok(0);
        }
        let limit_ms = self.now_ms().saturating_sub(self.delay_ms);
        let due = self.written.iter().rev().find(|(_, at_ms)| *at_ms <= limit_ms);
        let until = due.map_or(self.old, |(position, _)| *position);
        let secondaries: Vec<usize> = self.running_secondaries().collect();
        let mut applied = 0;
        for at in secondaries {
            applied += self.catch_up(at, until)?;
        }
        if applied > 0 {
            self.note_behind();
            self.tell();
        }
        Ok(applied)
    }

    /// A member applies the entries that it lacks, up to a position.
    fn catch_up(&mut self, at: usize, until: usize) -> Result<u64, String> {
        let now_ms = self.now_ms();
        let place = &mut self.places[at];
        let mut applied = 0;
        loop {
            let due = self.log.get(place.applied..until).unwrap_or_default();
            if due.is_empty() {
                return Ok(applied);
            }
            let done = place.member()?.apply(due);
            let done =
                done.map_err(|error| format!("{} stops replicating: {error}", place.name))?;
            applied += done as u64;
            place.note(due.get(..done).unwrap_or_default(), &self.known, now_ms);
        }
    }
}
