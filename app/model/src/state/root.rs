//! Everything the window shows.

use std::path::PathBuf;
use std::time::Duration;

use super::clock::Clock;
use super::command_log::CommandLog;
use super::console::Console;
use super::dialogs::{Dialog, Dialogs};
use super::drafts::Drafts;
use super::lesson::Lessons;
use super::lesson::save::SaveLesson;
use super::listener::Listener;
use super::open_store::{Phase, Store};
use super::operations::Operations;
use super::parked_store::StoreBeside;
use super::reaper::Reaper;
use super::settings::Settings;
use super::store::StoreTree;
use super::tabs::{Tab, TabId, Tabs, ViewKind};
use super::toasts::Toasts;
use super::view::View;
use super::{
    changes, connect, console, documents, lesson, maintenance, operations, queries, rollout, store,
    toasts, transfer, trash, watch,
};
use crate::guide::Topic;
use crate::job::lesson::Rules;
use crate::job::{Namespace, Zone};
use crate::limits::CALM_MS;
use crate::state::store::Database;

/// Added to the progress of operations.
pub(super) const SLOW_DOWN: &str = "the server asks to slow down";

/// Everything the window shows.
#[derive(Debug, Default)]
pub struct State {
    pub store: Store,
    /// Stores that are open too, in the order of opening.
    pub beside: Vec<StoreBeside>,
    /// The last number that a store or a lesson got.
    pub last_slot: u32,
    pub tree: StoreTree,
    pub tabs: Tabs,
    pub clock: Clock,
    /// The reaper: next pass, past passes, log, removed documents.
    pub reaper: Reaper,
    /// The store as a whole.
    pub maintenance: maintenance::Maintenance,
    pub listener: Listener,
    pub trash: trash::Trash,
    pub commands: CommandLog,
    pub console: Console,
    pub operations: Operations,
    pub toasts: Toasts,
    /// The open dialog and those that wait.
    pub dialogs: Dialogs,
    pub settings: Settings,
    pub view: View,
    pub keyring: connect::KeyringState,
    /// The folder of the journals of operations on servers.
    pub journals: Option<PathBuf>,
    pub transfer: transfer::Transfer,
    pub bulk: Vec<documents::bulk::BulkRun>,
    /// TTLs that are rolled out in steps.
    pub rollouts: Vec<rollout::RolloutRun>,
    pub drafts: Drafts,
    /// The time since the window was made. Drives messages and the age of answers, never verdicts.
    pub uptime: Duration,
    /// The time of this machine in this frame, in milliseconds since 1970.
    pub wall_ms: i64,
    /// Changes of the data that the views have not followed yet.
    pub changes: changes::Changes,
    /// The collection that a window without a tab opens after the outcomes of a frame.
    pub first_tab: Option<Namespace>,
    /// The change stream of a server that is open, of whichever store.
    pub stream: Option<watch::OpenStream>,
    pub lessons: Lessons,
    /// The task of the command line, until it is begun.
    pub beginning: Option<crate::job::Beginning>,
    /// Queries that were run on the store, and those with a name.
    pub queries: queries::Queries,
    /// Counts jobs, which distinguishes an answer from an older one.
    pub generation: u64,
    /// The last job before another store took the place of the one that was shown. Answers up to it
    /// are about a store that is not on the screen.
    pub switched_at: u64,
}

impl State {
    /// The store's time in this frame, in milliseconds since 1970.
    pub fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    /// Shows a message without a button.
    pub fn toast(&mut self, kind: toasts::Kind, text: impl Into<String>) {
        self.toasts.push(kind, text, None, self.uptime);
    }

    /// The time of a store on a real clock, in milliseconds since 1970. A server compares thresholds with
    /// its own clock, which may be far from this machine's.
    pub fn real_ms(&self) -> i64 {
        let ahead_ms = self.store.connection.as_ref().map_or(0, |it| it.attached.ahead_ms);
        self.wall_ms.saturating_add(ahead_ms)
    }

    /// The tabs that are shown together, while they show lanes: those of a lesson that compares rules,
    /// side by side, and in a presentation all that a lesson shows, one above the other. Empty if one tab
    /// is shown.
    pub fn tabs_together(&self) -> Vec<TabId> {
        let Some(view) = self.lessons.view() else { return Vec::new() };
        let most = match view.lesson.rules {
            Rules::Both => 2,
            Rules::One if self.view.is_presented() => view.lesson.show.len(),
            Rules::One => 1,
        };
        let shown = view.lesson.show.iter().map(|shown| lesson::namespace(shown));
        let found = shown
            .filter_map(|namespace| self.tabs.open().iter().find(|tab| tab.namespace == namespace));
        let found: Vec<&Tab> = found.take(most).collect();
        let has_lanes = found.iter().all(|tab| tab.view == ViewKind::Expiry);
        if found.len() > 1 && has_lanes {
            found.into_iter().map(|tab| tab.id).collect()
        } else {
            Vec::new()
        }
    }

    /// The zone in which times of this machine are shown, also during a lesson.
    pub fn zone(&self) -> Zone {
        self.settings.zone.zone(self.view.local_zone)
    }

    /// The next collection with held documents to show; `None` if all are on the screen.
    pub fn next_held(&self) -> Option<&Namespace> {
        let shows_them =
            |tab: &&Tab| tab.view == ViewKind::Expiry && tab.expiry.mode.lists_waiting();
        let seen = self.tabs.active().filter(shows_them).map(|tab| &tab.namespace);
        self.reaper.held.as_ref()?.collection_after(seen)
    }

    /// Whether nothing is due within a minute, as far as the window knows: no document of the
    /// sidebar or of the shown view, and none is overdue.
    pub fn nothing_due_soon(&self) -> bool {
        let soon_ms = self.now_ms().saturating_add(CALM_MS);
        let mut known = self.tree.databases.iter().flat_map(|database| &database.collections);
        let lanes = self.tabs.active().map(|tab| tab.expiry.lanes.as_slice()).unwrap_or_default();
        !known.any(|collection| matches!(collection.next, store::Next::At(at) if at <= soon_ms))
            && !lanes.iter().any(|lane| lane.removed_ms.is_none() && lane.threshold_ms <= soon_ms)
    }

    /// Keeps the tabs, the queries and the console's history of the store that they belong to. A sandbox is gone at the next start.
    pub fn note_tabs(&mut self) {
        self.settings.operations =
            transfer::PastOperations::of(&self.operations, &self.transfer.again);
        let kept = self.store.shown.as_ref().filter(|_| self.store.left.is_none());
        if let Some(folder) = kept {
            self.settings.store_tabs.note(folder, &self.tabs, &self.tree.folded);
            self.settings.console_history.note(folder, &self.console.history);
            self.settings.queries.note(folder, &self.queries);
        }
    }

    /// How many documents are overdue, as far as the window knows: by what the sidebar shows, and by the totals of the
    /// open view.
    pub fn overdue(&self) -> u64 {
        let now_ms = self.now_ms();
        let shown = self
            .tabs
            .active()
            .and_then(|tab| Some((&tab.namespace, tab.expiry.totals.as_ref()?.overdue)));
        let count = |db: &str, collection: &store::Collection| {
            let is_due = matches!(collection.next, store::Next::At(at) if at <= now_ms);
            let known = collection.forecast.as_ref().map_or(0, |forecast| forecast.overdue);
            let is_it = |of: &Namespace| of.db == db && of.collection == collection.name;
            let shown =
                shown.filter(|(of, _)| is_it(of)).map_or(0, |(_, overdue)| overdue.likely());
            known.max(shown).max(u64::from(is_due))
        };
        let databases = self.tree.databases.iter();
        let counts = databases
            .flat_map(|db| db.collections.iter().map(|collection| count(&db.name, collection)));
        counts.sum()
    }

    /// How large everything is in this frame; 1 is the normal size.
    pub fn zoom(&self) -> f32 {
        self.view.presented_zoom.unwrap_or(self.settings.zoom)
    }

    /// The database that the console uses: until it has run something, that of the tab in front.
    pub fn console_database(&self) -> &str {
        let front = self.tabs.active().map(|tab| tab.namespace.db.as_str());
        self.console.database.as_deref().or(front).unwrap_or(console::DATABASE)
    }

    /// Whether a store is there and answers.
    pub fn is_open(&self) -> bool {
        self.store.phase == Phase::Open
    }

    /// How far an operation is, in words, and whether its server asks to slow down.
    pub fn progress_words(&self, progress: &operations::Progress) -> String {
        let connection = self.store.connection.as_ref();
        let is_slow = connection.is_some_and(|it| it.attached.slow_down.is_asked());
        match (progress.text.as_str(), is_slow) {
            (words, false) => words.to_owned(),
            ("", true) => SLOW_DOWN.to_owned(),
            (words, true) => format!("{words} · {SLOW_DOWN}"),
        }
    }

    /// Whether documents can be written to a file: those of a server by a command that reads them.
    pub fn can_export(&self) -> bool {
        let has_way = self.store.capabilities.transfer || self.store.connection.is_some();
        self.is_open() && has_way
    }

    /// A lesson to write from the database in front. `None` unless a sandbox with a collection is open.
    pub fn lesson_to_save(&self) -> Option<SaveLesson> {
        if !self.is_open() || !self.is_in_sandbox() || self.lessons.is_playing() {
            return None;
        }
        let has_collection =
            |db: &&Database| db.collections.iter().any(|it| it.kind == "collection");
        let front = self.tabs.active().and_then(|tab| self.tree.database(&tab.namespace.db));
        let db = front
            .filter(has_collection)
            .or_else(|| self.tree.databases.iter().find(has_collection))?;
        Some(SaveLesson { db: db.name.clone(), ..SaveLesson::default() })
    }

    /// The data folder, also of a store that could not be opened.
    pub fn data_folder(&self) -> Option<PathBuf> {
        let known = self.store.folder.clone().filter(|_| self.is_open());
        known.or_else(|| self.store.request.data_folder().ok())
    }

    /// How many sandboxes are open, which go away with the window.
    pub fn sandboxes(&self) -> usize {
        let beside = self.beside.iter().filter(|beside| beside.is_sandbox()).count();
        usize::from(self.is_in_sandbox()) + beside
    }

    /// Whether a sandbox is shown, which goes away when it is closed.
    pub fn is_in_sandbox(&self) -> bool {
        let is_there = matches!(self.store.phase, Phase::Open | Phase::Away(_));
        is_there && self.store.request.sandbox.is_some()
    }

    /// The name of the server that is shown, if its connection is locked.
    pub fn locked_server(&self) -> Option<&str> {
        let connection = self.store.connection.as_ref().filter(|_| self.is_open())?;
        connection.is_locked(self.uptime).then_some(connection.attached.name.as_str())
    }

    /// Whether the open store runs on a simulated clock.
    pub fn is_simulated(&self) -> bool {
        matches!(self.store.phase, Phase::Open | Phase::Away(_)) && self.clock.is_simulated()
    }

    /// The number of the next store or lesson.
    pub fn next_slot(&mut self) -> u32 {
        self.last_slot += 1;
        self.last_slot
    }

    /// The next generation for a job.
    pub fn next_generation(&mut self) -> u64 {
        self.generation += 1;
        self.generation
    }

    /// Whether nothing slides or fades: the user wants it so, or every frame is costly.
    pub fn is_still(&self) -> bool {
        self.settings.reduce_motion || self.view.draws_slowly
    }

    /// Whether a dialog or the guide is over the window.
    pub fn is_covered(&self) -> bool {
        self.dialogs.open().is_some() || self.view.guide.is_some()
    }

    /// The guide's topic for the present screen.
    pub fn guide_topic(&self) -> Topic {
        if let Some(topic) = self.dialogs.open().and_then(Dialog::topic) {
            return topic;
        }
        if self.lessons.is_page_shown || self.lessons.is_playing() {
            return Topic::Lessons;
        }
        match self.tabs.active().filter(|_| !self.view.is_start_shown && self.is_open()) {
            None => Topic::FirstSteps,
            Some(tab) => match tab.view {
                ViewKind::Documents => Topic::Documents,
                ViewKind::Schema => Topic::Schema,
                ViewKind::Aggregate => Topic::Aggregate,
                ViewKind::Expiry => Topic::Expiry,
                ViewKind::Indexes => Topic::Indexes,
            },
        }
    }
}
