//! The state that commands work on.

use std::sync::{Arc, Mutex, OnceLock};

use bson::doc;

use super::{
    CommandError,
    cursor::cursors::Cursors,
    listening::ListenerSwitch,
    monitor::{
        index_uses::IndexUses,
        log::{Log, LogLine, Severity},
        metrics::Metrics,
        operations::Operations,
        profiler::Profiler,
    },
    sessions::Sessions,
    write::new_document::Timestamps,
};
use crate::{
    catalog::CatalogSnapshot,
    clock::{Clock, SimulatedClock},
    collection::{Collections, DocumentWriter, InvalidDocument},
    plan::Operation,
    reaper::Reaper,
    replication::Member,
    store::Reader,
};

/// The state that commands work on; one for the whole engine.
pub struct Context {
    /// Documents, definitions and time.
    pub collections: Arc<Collections>,
    /// The background deletion.
    pub reaper: Arc<Reaper>,
    /// The clock, if it can be set.
    pub simulated_clock: Option<Arc<SimulatedClock>>,
    /// Open cursors.
    pub cursors: Cursors,
    /// The engine's part in the teaching replica set; `None` in a standalone server.
    pub member: Option<Member>,
    /// Counters since the program started.
    pub metrics: Metrics,
    /// Running operations.
    pub operations: Operations,
    /// The log that `getLog` returns.
    pub log: Log,
    /// The switch of the listener, once the engine has set it.
    pub listener: OnceLock<Arc<dyn ListenerSwitch>>,
    /// The server's own timestamps.
    pub timestamps: Timestamps,
    /// How often each index was used.
    pub index_uses: IndexUses,
    /// The sessions that clients use.
    pub sessions: Sessions,
    /// The thresholds of slow operations, and the settings of `system.profile`.
    pub profiler: Profiler,
    /// One restore at a time: a restore that restored nothing releases its hold, and no other
    /// restored document may depend on that hold.
    pub restoring: Mutex<()>,
}

impl Context {
    /// The context of the commands with these names.
    pub fn new(
        collections: Arc<Collections>,
        reaper: Arc<Reaper>,
        simulated_clock: Option<Arc<SimulatedClock>>,
        commands: impl IntoIterator<Item = &'static str>,
    ) -> Self {
        let index_uses = IndexUses::default();
        index_uses.track(&collections.catalog(), collections.clock().now_ms());
        Self {
            index_uses,
            member: Member::of(&collections),
            collections,
            reaper,
            simulated_clock,
            cursors: Cursors::default(),
            metrics: Metrics::new(commands),
            operations: Operations::default(),
            log: Log::default(),
            listener: OnceLock::new(),
            timestamps: Timestamps::default(),
            profiler: Profiler::default(),
            sessions: Sessions::default(),
            restoring: Mutex::default(),
        }
    }

    /// The clock.
    pub fn clock(&self) -> &dyn Clock {
        self.collections.clock().as_ref()
    }

    /// The time now in milliseconds since 1970.
    pub fn now_ms(&self) -> i64 {
        self.clock().now_ms()
    }

    /// A short read together with the definitions as of the same transaction.
    ///
    /// # Errors
    /// Those of `work`; the store's failure.
    pub fn read<T>(
        &self,
        work: impl FnOnce(&Reader<'_>, &CatalogSnapshot) -> Result<T, CommandError>,
    ) -> Result<T, CommandError> {
        self.collections.read(work)
    }

    /// One transaction over documents, see [`Collections::write`].
    ///
    /// # Errors
    /// Those of `work`; the store's failure.
    pub fn write<T: Send>(
        &self,
        mut work: impl FnMut(&mut DocumentWriter<'_, '_>) -> Result<T, CommandError> + Send,
    ) -> Result<T, CommandError> {
        let operation = Operation::current();
        let bypasses = operation.is_some_and(|operation| operation.bypasses_validation());
        self.collections.write(|writer| {
            writer.bypass_validation(bypasses);
            let done = work(writer);
            for invalid in writer.take_invalid() {
                self.log.write(&invalid_document(&invalid, self.now_ms()));
            }
            done
        })
    }
}

/// The log line for a document that does not match a validator.
fn invalid_document(invalid: &InvalidDocument, at_ms: i64) -> LogLine {
    LogLine {
        at_ms,
        severity: Severity::Warning,
        component: "STORAGE",
        id: 20_294,
        context: std::thread::current().name().unwrap_or("mayfly").to_owned(),
        message: "Document would fail validation",
        attributes: doc! {
            "namespace": invalid.namespace.to_string(),
            "refused": invalid.refused,
        },
    }
}
