//! Choices that stay from one start to the next.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::aggregate::KeptPipelines;
use super::console::KnownHistory;
use super::documents::Mode;
use super::number::Grouping;
use super::queries::QueriesByStore;
use super::reaper::Schedule;
use super::recent_stores::RecentStores;
use super::store::Order;
use super::store_tabs::KnownTabs;
use super::transfer::PastOperations;
use super::view::Drawer;
use crate::job::{DateStyle, Zone};
use crate::limits::RECENT_COMMANDS_MAX;

/// Dark or light.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ThemeChoice {
    /// As the system says; dark where it does not say.
    #[default]
    System,
    /// Dark.
    Dark,
    /// Light.
    Light,
}

impl ThemeChoice {
    /// Every choice, in the order of the settings.
    pub const ALL: [Self; 3] = [Self::System, Self::Dark, Self::Light];

    /// The word for it.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::System => "System",
            Self::Dark => "Dark",
            Self::Light => "Light",
        }
    }
}

/// The zone that times are shown in.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ZoneChoice {
    /// That of this machine.
    #[default]
    Local,
    /// UTC.
    Utc,
    /// One of the IANA database, by its name.
    Named(String),
}

impl ZoneChoice {
    /// The zone; that of this machine, `local`, if no zone has the name.
    #[must_use]
    pub fn zone(&self, local: Zone) -> Zone {
        match self {
            Self::Local => local,
            Self::Utc => Zone::Utc,
            Self::Named(name) => Zone::named(name).unwrap_or(local),
        }
    }
}

/// Choices that stay.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "one switch each, none depends on another")]
pub struct Settings {
    /// Dark or light.
    pub theme: ThemeChoice,
    /// How large everything is; 1 is the normal size.
    pub zoom: f32,
    /// The order of the sidebar.
    pub order: Order,
    /// Whether the sidebar is open.
    pub sidebar: bool,
    /// Whether the inspector is open.
    pub inspector: bool,
    /// Which drawer is open.
    pub drawer: Option<Drawer>,
    /// How the documents of a collection are shown that was not open before: as the last one.
    pub documents_mode: Mode,
    /// Where the backups of a data folder are written, by its path.
    pub backups: BTreeMap<String, String>,
    /// Data folders whose location advice the user has dismissed.
    pub advised: BTreeSet<String>,
    /// The stores that were open, the latest first.
    pub stores: RecentStores,
    /// The tabs of those stores.
    pub store_tabs: KnownTabs,
    /// What was typed in the console on those stores.
    pub console_history: KnownHistory,
    /// Imports, exports and other work that ended.
    pub operations: PastOperations,
    /// Pipelines that are kept by name.
    pub pipelines: KeptPipelines,
    /// The queries that were run on those stores, and those with a name.
    pub queries: QueriesByStore,
    /// Labels of the commands that were chosen in the palette, the latest first.
    pub recent_commands: Vec<String>,
    /// Whether nothing on the timeline slides, pops or sweeps.
    pub reduce_motion: bool,
    /// The zone that times are shown in.
    pub zone: ZoneChoice,
    /// How dates are written outside of documents.
    pub date_style: DateStyle,
    /// How digits are grouped outside of documents.
    pub grouping: Grouping,
    /// How often the TTL monitor runs in a store that is opened.
    pub schedule: Schedule,
    /// Whether the callouts of the introduction were seen or skipped.
    pub callouts_seen: bool,
    /// Whether the Commands drawer also lists what the window asked by itself.
    pub background_commands: bool,
    /// Whether sample data keeps arriving in the demo store.
    pub traffic: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: ThemeChoice::default(),
            zoom: 1.0,
            order: Order::default(),
            sidebar: true,
            inspector: true,
            drawer: None,
            documents_mode: Mode::default(),
            backups: BTreeMap::new(),
            advised: BTreeSet::new(),
            stores: RecentStores::default(),
            store_tabs: KnownTabs::default(),
            console_history: KnownHistory::default(),
            operations: PastOperations::default(),
            pipelines: KeptPipelines::default(),
            queries: QueriesByStore::default(),
            recent_commands: Vec::new(),
            reduce_motion: false,
            zone: ZoneChoice::default(),
            date_style: DateStyle::default(),
            grouping: Grouping::default(),
            schedule: Schedule::default(),
            callouts_seen: false,
            background_commands: false,
            traffic: true,
        }
    }
}

impl Settings {
    /// Puts a command at the front of the recent ones, by its label.
    pub fn note_command(&mut self, label: &str) {
        self.recent_commands.retain(|known| known != label);
        self.recent_commands.insert(0, label.to_owned());
        self.recent_commands.truncate(RECENT_COMMANDS_MAX);
    }
}
