//! One member of the set: its folder, and while it runs its engine, clock and monitor.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use bson::{Bson, Document, doc};
use mayfly_engine::clock::Clock as _;
use mayfly_engine::engine::{ClockOption, Engine, EngineOptions};
use mayfly_engine::reaper::Monitor;
use mayfly_engine::replication::{Member, OplogChange, OplogEntry, OplogKind, Role};
use mayfly_engine::store::StoreOptions;

use crate::job::lesson::{MemberLane, MemberStart};
use crate::job::{Event, RemovedDocument};
use crate::limits::{LESSON_MEMBER_MAP_BYTES, LESSON_MEMBER_REMOVALS_MAX};

/// A document that expired and left a member.
#[derive(Debug, Clone, PartialEq)]
pub struct Removal {
    pub document: RemovedDocument,
    /// When it left this member, in milliseconds since 1970 of the common time.
    pub at_ms: i64,
}

/// One member.
pub(super) struct Place {
    pub(super) name: String,
    pub(super) skew_ms: i64,
    folder: PathBuf,
    running: Option<Running>,
    /// How many entries of the log it has.
    pub(super) applied: usize,
    /// When the newest one was written, in milliseconds since 1970; 0 without one.
    pub(super) applied_ms: i64,
    /// When the oldest entry that it lacks was written, in the common time.
    pub(super) behind_since_ms: Option<i64>,
    /// Expired documents that left it, oldest first.
    pub(super) removals: Vec<Removal>,
    /// The lanes when it was stopped.
    pub(super) last_lanes: Vec<MemberLane>,
}

struct Running {
    engine: Engine,
    monitor: Monitor,
    /// Documents that its own passes removed since the last look.
    removed: Arc<Mutex<Vec<RemovedDocument>>>,
}

impl Place {
    pub(super) fn new(start: &MemberStart, folder: PathBuf) -> Self {
        Self {
            name: start.name.clone(),
            skew_ms: start.skew_ms,
            folder,
            running: None,
            applied: 0,
            applied_ms: 0,
            behind_since_ms: None,
            removals: Vec::new(),
            last_lanes: Vec::new(),
        }
    }

    /// Opens its engine. The first sleep of its monitor begins now.
    pub(super) fn start(
        &mut self,
        role: Role,
        common_ms: i64,
        parameters: &[Document],
        watch: &EventWatch,
    ) -> Result<(), String> {
        let options = EngineOptions {
            clock: ClockOption::Simulated { start_ms: common_ms.saturating_add(self.skew_ms) },
            run_reaper: false,
            role: Some(role),
            store: StoreOptions {
                map_size_bytes: LESSON_MEMBER_MAP_BYTES,
                ballast_bytes_max: 0,
                ..StoreOptions::default()
            },
        };
        let engine = Engine::open(&self.folder, options).map_err(|error| error.message)?;
        for command in parameters {
            let reply = engine.run("admin", command);
            if let Ok(message) = reply.get_str("errmsg") {
                return Err(format!("Member {} can't be set up: {message}", self.name));
            }
        }
        let removed = Arc::new(Mutex::new(Vec::new()));
        engine.reaper().hub().observe({
            let (removed, watch, name) =
                (Arc::clone(&removed), Arc::clone(watch), self.name.clone());
            move |event| {
                if let Event::Removed { documents, .. } = event {
                    let mut rows = removed.lock().unwrap_or_else(PoisonError::into_inner);
                    rows.extend_from_slice(documents);
                }
                watch(&name, event);
            }
        });
        let monitor = Monitor::new(Arc::clone(engine.reaper()));
        monitor.plan();
        self.running = Some(Running { engine, monitor, removed });
        Ok(())
    }

    /// Closes its engine. The folder stays.
    pub(super) fn stop(&mut self) -> Result<(), String> {
        let Some(running) = self.running.take() else { return Ok(()) };
        let Running { engine, monitor, .. } = running;
        drop(monitor);
        engine.close().map_err(|error| error.message)
    }

    pub(super) fn is_running(&self) -> bool {
        self.running.is_some()
    }

    pub(super) fn engine(&self) -> Result<&Engine, String> {
        let running = self.running.as_ref().map(|running| &running.engine);
        running.ok_or_else(|| format!("{} is stopped", self.name))
    }

    pub(super) fn member(&self) -> Result<&Member, String> {
        let none = || format!("{} is not a member of a set", self.name);
        self.engine()?.member().ok_or_else(none)
    }

    pub(super) fn is_primary(&self) -> bool {
        self.member().is_ok_and(|member| member.role() == Role::Primary)
    }

    pub(super) fn set_role(&self, role: Role) -> Result<(), String> {
        self.member()?.set_role(role).map_err(|error| error.to_string())
    }

    /// Moves its clock to the common time.
    pub(super) fn sync_clock(&self, common_ms: i64) {
        let clock = self.engine().ok().and_then(Engine::simulated_clock);
        if let Some(clock) = clock {
            let ahead = common_ms.saturating_add(self.skew_ms).saturating_sub(clock.now_ms());
            if ahead > 0 {
                clock.advance_ms(ahead);
            }
        }
    }

    /// Moves its wall clock alone.
    pub(super) fn jump(&mut self, ms: i64, common_ms: i64) {
        self.skew_ms = self.skew_ms.saturating_add(ms);
        if let Some(clock) = self.engine().ok().and_then(Engine::simulated_clock) {
            clock.set(common_ms.saturating_add(self.skew_ms));
        }
    }

    /// When its monitor wakes next, in the common time.
    pub(super) fn wake_ms(&self) -> Option<i64> {
        let running = self.running.as_ref()?;
        running.monitor.plan();
        Some(running.engine.reaper().next_pass_ms()?.saturating_sub(self.skew_ms))
    }

    /// Ends the monitor's sleep if its time is over. Returns whether a pass ran and how many
    /// documents it removed.
    pub(super) fn run_due(&mut self) -> Option<u64> {
        use mayfly_engine::reaper::SleepEnd;
        match self.running.as_mut()?.monitor.run_due()? {
            SleepEnd::Pass(report) => Some(report.deleted),
            SleepEnd::Held | SleepEnd::Off => None,
        }
    }

    /// Takes what its own passes removed since the last look.
    pub(super) fn take_removed(&self) -> Vec<RemovedDocument> {
        let removed = self.running.as_ref().map(|running| &running.removed);
        let take = |rows: &Arc<Mutex<Vec<RemovedDocument>>>| {
            std::mem::take(&mut *rows.lock().unwrap_or_else(PoisonError::into_inner))
        };
        removed.map(take).unwrap_or_default()
    }

    /// Notes the next entries of the log, which it has now.
    pub(super) fn note(&mut self, entries: &[OplogEntry], known: &[RemovedDocument], at_ms: i64) {
        self.applied += entries.len();
        for entry in entries {
            self.applied_ms = entry.at_ms;
            if entry.kind == OplogKind::TtlDelete {
                let removals = removals(entry, known);
                self.removals.extend(removals.map(|document| Removal { document, at_ms }));
            }
        }
        let excess = self.removals.len().saturating_sub(LESSON_MEMBER_REMOVALS_MAX);
        self.removals.drain(..excess);
    }
}

/// The documents that an entry removed, as the primary's pass described them.
fn removals<'e>(
    entry: &'e OplogEntry,
    known: &'e [RemovedDocument],
) -> impl Iterator<Item = RemovedDocument> + 'e {
    let ids = entry.changes.iter().filter_map(|change| match change {
        OplogChange::Removed { id, .. } => Some(id.clone()),
        _ => None,
    });
    ids.map(move |id| {
        let is_it = |row: &&RemovedDocument| row.id == id && row.namespace == entry.namespace;
        let described = known.iter().rev().find(is_it).cloned();
        described.unwrap_or_else(|| RemovedDocument {
            namespace: entry.namespace.clone(),
            index: String::new(),
            id,
            threshold_ms: entry.at_ms,
            removable_ms: entry.at_ms,
            base_ms: entry.at_ms,
            removed_ms: entry.at_ms,
            bytes: 0,
            pass: 0,
        })
    })
}

/// Whether a reply says that the document is stored.
pub(super) fn verdict_of(collection: &str, id: &Bson) -> Document {
    doc! { "mayflyVerdict": collection, "id": id.clone() }
}

/// Takes the events of each member's engine, on the thread that causes them.
pub type EventWatch = Arc<dyn Fn(&str, &Event) + Send + Sync>;
