//! `Engine`: opens the parts and owns environment, clock and threads. The only file that names all.

mod background;
mod copy;
#[cfg(test)]
mod hold_tests;
mod listening;
pub mod maintenance;
mod options;

use std::{path::Path as FsPath, sync::Arc, thread::JoinHandle};

use bson::{Document, RawDocument, RawDocumentBuf};

pub use copy::CopyReport;
pub use options::{ClockOption, EngineOptions, OpenError};

use self::{background::Background, listening::Switch};
use crate::{
    clock::{Clock, SimulatedClock, SystemClock},
    collection::{Collections, opening_damage},
    command::{self, Client, CommandError, Context},
    event::{Event, EventHub, Subscription},
    reaper::{Reaper, simulated_now_ms, thread},
    replication::Member,
    store::{OpenReport, Store, StoreError, StoreNotice},
    wire::{ListenError, ListenOptions, Listener},
};

/// An open data folder with everything that works on it. Dropping it closes it.
///
/// ```no_run
/// use mayfly_engine::engine::{Engine, EngineOptions};
///
/// let engine = Engine::open("data".as_ref(), EngineOptions::default())?;
/// let reply = engine.run("admin", &bson::doc! { "ping": 1 });
/// assert_eq!(reply.get_f64("ok").ok(), Some(1.0));
/// engine.close()?;
/// # Ok::<_, mayfly_engine::engine::OpenError>(())
/// ```
pub struct Engine {
    collections: Arc<Collections>,
    clock: Arc<dyn Clock>,
    context: Arc<Context>,
    /// The program itself as a client.
    client: Client,
    hub: Arc<EventHub>,
    reaper: Arc<Reaper>,
    report: OpenReport,
    background: Background,
    /// Those of the reaper.
    threads: Vec<JoinHandle<()>>,
}

impl Engine {
    /// Opens the data folder, or makes a new one, and starts the background work.
    ///
    /// # Errors
    /// With a sentence when the folder can't be opened.
    pub fn open(folder: &FsPath, options: EngineOptions) -> Result<Self, OpenError> {
        let (clock, simulated) = open_clock(options.clock);
        Self::open_with(folder, options, clock, simulated)
    }

    /// The same on a clock of the caller's, whatever the options say.
    ///
    /// # Errors
    /// As [`Engine::open`].
    pub fn open_on(
        folder: &FsPath,
        options: EngineOptions,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, OpenError> {
        Self::open_with(folder, options, clock, None)
    }

    fn open_with(
        folder: &FsPath,
        mut options: EngineOptions,
        clock: Arc<dyn Clock>,
        simulated: Option<Arc<SimulatedClock>>,
    ) -> Result<Self, OpenError> {
        options.store.now_ms = clock.now_ms();
        let (store, mut report) = Store::open(folder, &options.store)?;
        let (clock, simulated) = match simulated_start_ms(options.clock, &store)? {
            Some(start_ms) => open_clock(ClockOption::Simulated { start_ms }),
            None => (clock, simulated),
        };
        let collections = Arc::new(Collections::new(Arc::new(store), Arc::clone(&clock))?);
        report.warnings.extend(opening_damage(collections.store(), &report.damaged));
        report.warnings.extend(collections.catalog().closed_in_words());
        report.warnings.extend(collections.catalog().without_dialect_in_words());
        let is_writable = !report.read_only;
        if let Some(role) = options.role {
            collections.set_role(role).map_err(|error| OpenError::new(error.to_string()))?;
        }
        if is_writable {
            report.warnings.extend(collections.mend());
        }
        let hub = Arc::new(EventHub::default());
        let reaper = Arc::new(Reaper::new(Arc::clone(&collections), Arc::clone(&hub))?);
        report.warnings.extend_from_slice(reaper.lost());
        report.warnings.extend(reaper.archives().missing_in_words());
        if is_writable {
            // Failing to drop them must not keep the store from opening: they are dropped at the
            // next opening.
            let _ = collections.drop_unfinished_outputs();
        }
        let background =
            if is_writable { Background::start(&collections, &hub)? } else { Background::none() };
        observe(&collections, &hub, &reaper, &background);
        let context = Arc::new(Context::new(
            Arc::clone(&collections),
            Arc::clone(&reaper),
            simulated,
            command::TABLE.names(),
        ));
        let switch = Arc::new(Switch::new(Arc::downgrade(&context)));
        // The context is new, so the cell is empty.
        let _ = context.listener.set(switch);
        command::note_start(&context);
        // The context holds the reaper, which holds the hub, so the hub holds the context weakly.
        let noting = Arc::downgrade(&context);
        hub.observe(move |event| {
            if let Some(context) = noting.upgrade() {
                command::note_event(&context, event);
            }
        });
        observe_store(&context, &background);
        if is_writable
            && report.damaged.count > 0
            && !context.collections.scrub_status()?.is_running
        {
            context.collections.start_scrub()?;
        }
        if options.store.read_only {
            reaper.look_ahead();
        }
        let runs_reaper = options.run_reaper && is_writable;
        let threads = if runs_reaper { thread::start(&reaper)? } else { Vec::new() };
        let client = Client::default();
        Ok(Self { collections, clock, context, client, hub, reaper, report, background, threads })
    }

    /// Runs one command. Errors come as MongoDB sends them: `{ok: 0, errmsg, code, codeName}`.
    #[expect(clippy::must_use_candidate, reason = "commands are run for what they do")]
    pub fn run(&self, db: &str, command: &Document) -> Document {
        let reply = match RawDocumentBuf::try_from(command) {
            Ok(command) => Ok(self.run_raw(db, &command)),
            Err(error) => Err(CommandError::from(error)),
        };
        match reply.map(|reply| Document::try_from(reply).map_err(CommandError::from)) {
            Ok(Ok(reply)) => reply,
            Ok(Err(error)) | Err(error) => error.to_document(),
        }
    }

    /// Runs one command, bytes in and bytes out.
    #[expect(clippy::must_use_candidate, reason = "commands are run for what they do")]
    pub fn run_raw(&self, db: &str, command: &RawDocument) -> RawDocumentBuf {
        command::run(&self.context, &self.client, db, command)
    }

    /// Runs one command for a client.
    #[expect(clippy::must_use_candidate, reason = "commands are run for what they do")]
    pub fn run_for(&self, client: &Client, db: &str, command: &RawDocument) -> RawDocumentBuf {
        command::run(&self.context, client, db, command)
    }

    /// Lets other programs on this machine in, until the listener is dropped. Drop it before the
    /// engine is closed.
    ///
    /// # Errors
    /// With a sentence: the port or the path is taken, others could reach the socket, the system
    /// refuses.
    pub fn listen(&self, options: ListenOptions) -> Result<Listener, ListenError> {
        Listener::start(Arc::clone(&self.context), options)
    }

    /// All events from now on. See [`Subscription`] for unread events.
    pub fn subscribe(&self) -> Subscription {
        self.hub.subscribe()
    }

    /// The collections, for imports and exports.
    pub fn collections(&self) -> &Arc<Collections> {
        &self.collections
    }

    /// The clock.
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// The clock if it is simulated.
    pub fn simulated_clock(&self) -> Option<&Arc<SimulatedClock>> {
        self.context.simulated_clock.as_ref()
    }

    /// The engine's part in the teaching replica set; `None` unless it was opened with a role.
    pub fn member(&self) -> Option<&Member> {
        self.context.member.as_ref()
    }

    /// The reaper.
    pub fn reaper(&self) -> &Arc<Reaper> {
        &self.reaper
    }

    /// Findings and repairs of the opening.
    pub fn open_report(&self) -> &OpenReport {
        &self.report
    }

    /// Ends the background work and closes the store. The same happens when the engine is dropped,
    /// without a word about failures.
    ///
    /// # Errors
    /// With a sentence when a background thread had failed.
    pub fn close(mut self) -> Result<(), OpenError> {
        self.end_threads()
    }

    fn end_threads(&mut self) -> Result<(), OpenError> {
        if let Some(switch) = self.context.listener.get() {
            switch.switch_off();
        }
        self.collections.store().cancel_walk();
        self.reaper.stop();
        self.background.stop();
        let threads = self.threads.drain(..).chain(self.background.take_thread());
        let failed = threads.map(JoinHandle::join).filter(Result::is_err).count();
        // The last pass has ended: nothing is dated after the time that is stored.
        self.reaper.keep_at_close();
        // Writes until then were acknowledged.
        self.collections.store().check_file_in_place()?;
        if failed == 0 {
            return Ok(());
        }
        Err(OpenError::new(
            "A background thread had failed. Nothing is lost; what it left undone is done after the \
             next start."
                .to_owned(),
        ))
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // Without a caller to tell: `close` is there for those who want to know.
        let _ = self.end_threads();
    }
}

fn open_clock(option: ClockOption) -> (Arc<dyn Clock>, Option<Arc<SimulatedClock>>) {
    match option {
        // Which one was stored is known when the store is open.
        ClockOption::System | ClockOption::Stored => (Arc::new(SystemClock), None),
        ClockOption::Simulated { start_ms } => {
            let clock = Arc::new(SimulatedClock::new(start_ms));
            (Arc::clone(&clock) as Arc<dyn Clock>, Some(clock))
        }
    }
}

/// Where the simulated clock stood that a store last ran on, if it continues on that.
fn simulated_start_ms(option: ClockOption, store: &Store) -> Result<Option<i64>, StoreError> {
    if option == ClockOption::Stored { simulated_now_ms(store) } else { Ok(None) }
}

/// Logs the notices of the store. Damaged rows lead to a scrub.
fn observe_store(context: &Arc<Context>, background: &Background) {
    let telling = Arc::downgrade(context);
    let wake = background.wake();
    context.collections.store().observe(move |notice| {
        if matches!(notice, StoreNotice::DamagedRows { .. }) {
            wake.notify();
        }
        if let Some(context) = telling.upgrade() {
            command::note_store(&context, notice);
        }
    });
}

/// Passes every committed change on to subscribers, the reaper and the background work.
fn observe(
    collections: &Collections,
    hub: &Arc<EventHub>,
    reaper: &Arc<Reaper>,
    background: &Background,
) {
    // Weakly, because the reaper holds the collections, which hold this observer.
    let (hub, reaper) = (Arc::clone(hub), Arc::downgrade(reaper));
    let wake = background.wake();
    collections.observe(move |event| {
        if matches!(event, Event::CatalogChanged | Event::ScrubStarted) {
            wake.notify();
        }
        hub.send(event);
        if let Some(reaper) = reaper.upgrade() {
            reaper.note_change();
        }
    });
}
