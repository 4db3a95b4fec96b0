//! Choices that stay from one start to the next.
//!
//! `state/settings.rs` is one struct; serde writes it to `settings.json` in the platform's data directory,
//! next to `lessons.json` with the progress in lessons. eframe keeps nothing. `apply/settings.rs` compares
//! the settings after actions and answers, at most once a second, and hands what changed to the thread
//! `mayfly-settings` (`worker/settings_keeper.rs`). `source/kept_file.rs` writes: under a lock it reads the
//! file again, joins what this window changed since its last write (`job/kept.rs`: a three-way merge, in
//! which `Settings::LISTS` says what makes two entries of a list the same one), and replaces the file with
//! `replace_file`. So a kill loses at most the last second, windows keep each other's entries and don't bring
//! back what one deleted, and fields of a newer version stay. A window sees the entries of another one at its
//! next start.
//!
//! The file has a checksum. A damaged or newer one is linked as `settings.json.damaged-…`, the window says
//! so, and what it lacks comes from `settings.json.before`. Remove the line of the checksum and the one of
//! the version when you edit the file by hand. `kept::decode` leaves out what this version can't read: one
//! field or one entry. `Settings::bound` then bounds every number; it names each field, so a new one does not
//! compile until its bounds are decided. A write that fails is said once and tried again every 10 s.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use mayfly_engine::value::named;
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
use crate::job::kept::{Fields, ListRule, bound_lists, decode};
use crate::job::{DateStyle, Zone};
use crate::limits::{
    CONSOLE_HISTORY_MAX, FAVORITE_STORES_MAX, OPERATIONS_KEPT_MAX, PANEL_POINTS_RANGE,
    QUERIES_KEPT_MAX, RECENT_COMMANDS_MAX, RECENT_STORES_MAX, WINDOW_POINTS_RANGE, ZOOM_RANGE,
};

named! {
    /// Dark or light.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    pub enum ThemeChoice {
        /// As the system says; dark where it does not say.
        #[default]
        System => "System",
        Dark => "Dark",
        Light => "Light",
    }
    /// The word for it.
    pub fn label;
}

/// The zone that times are shown in.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ZoneChoice {
    #[default]
    Local,
    Utc,
    /// One of the IANA database, by its name.
    Named(String),
}

impl ZoneChoice {
    /// The zone; that of this machine, `local`, if no zone has the name.
    pub fn zone(&self, local: Zone) -> Zone {
        match self {
            Self::Local => local,
            Self::Utc => Zone::Utc,
            Self::Named(name) => Zone::named(name).unwrap_or(local),
        }
    }
}

/// The size of the window, in points at a zoom of 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WindowSize {
    /// Without the frame that the window system draws.
    pub width: f32,
    pub height: f32,
    /// Whether it filled the screen. The size is then the one before.
    #[serde(default)]
    pub is_maximized: bool,
}

/// A panel whose size the user can change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SizedPanel {
    Sidebar,
    Inspector,
    /// At the bottom, with a list in it.
    Drawer,
    /// At the bottom, with the console in it.
    Console,
}

impl SizedPanel {
    /// Every such panel.
    pub const ALL: [Self; 4] = [Self::Sidebar, Self::Inspector, Self::Drawer, Self::Console];
}

/// The sizes of panels, in points. `None` until one was shown.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PanelSizes {
    sidebar: Option<f32>,
    inspector: Option<f32>,
    drawer: Option<f32>,
    console: Option<f32>,
}

impl PanelSizes {
    /// The size of a panel, or `first`.
    pub fn get(&self, panel: SizedPanel, first: f32) -> f32 {
        let Self { sidebar, inspector, drawer, console } = *self;
        let size = match panel {
            SizedPanel::Sidebar => sidebar,
            SizedPanel::Inspector => inspector,
            SizedPanel::Drawer => drawer,
            SizedPanel::Console => console,
        };
        size.unwrap_or(first)
    }

    /// Notes the size of a panel.
    pub fn set(&mut self, panel: SizedPanel, size: f32) {
        let place = match panel {
            SizedPanel::Sidebar => &mut self.sidebar,
            SizedPanel::Inspector => &mut self.inspector,
            SizedPanel::Drawer => &mut self.drawer,
            SizedPanel::Console => &mut self.console,
        };
        *place = Some(size);
    }

    fn bound(&mut self) {
        let Self { sidebar, inspector, drawer, console } = self;
        for size in [sidebar, inspector, drawer, console] {
            *size = size.filter(|size| size.is_finite()).map(|it| within(it, PANEL_POINTS_RANGE));
        }
    }
}

/// A number from a file, which may be any.
fn within(number: f32, range: RangeInclusive<f32>) -> f32 {
    number.clamp(*range.start(), *range.end())
}

/// Choices that stay.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "one switch each, none depends on another")]
pub struct Settings {
    pub theme: ThemeChoice,
    /// How large everything is; 1 is the normal size.
    pub zoom: f32,
    pub order: Order,
    pub sidebar: bool,
    pub inspector: bool,
    pub drawer: Option<Drawer>,
    /// How the documents of a collection are shown that was not open before: as the last one.
    pub documents_mode: Mode,
    /// Whether the rows of tables are low.
    pub compact: bool,
    /// Where the backups of a data folder are written, by its path.
    pub backups: BTreeMap<String, String>,
    /// Data folders whose location advice the user has dismissed.
    pub advised: BTreeSet<String>,
    /// The stores that were open, the latest first.
    pub stores: RecentStores,
    pub store_tabs: KnownTabs,
    /// The inputs of the console on those stores.
    pub console_history: KnownHistory,
    /// Imports, exports and other work that ended.
    pub operations: PastOperations,
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
    /// Whether the Activity drawer also lists what the window asked by itself.
    pub background_commands: bool,
    /// Whether sample data keeps arriving in the demo store.
    pub traffic: bool,
    /// The size of the window. `None` until it was open once.
    pub window: Option<WindowSize>,
    pub panels: PanelSizes,
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
            documents_mode: Mode::Table,
            compact: false,
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
            window: None,
            panels: PanelSizes::default(),
        }
    }
}

impl Settings {
    /// The lists that several windows change entry by entry.
    pub const LISTS: &[ListRule] = &[
        ListRule::latest_first("stores", &["folder"], RECENT_STORES_MAX),
        ListRule::latest_first("store_tabs", &["folder"], RECENT_STORES_MAX),
        ListRule::latest_first("console_history", &["folder"], RECENT_STORES_MAX).joined(),
        ListRule::latest_first("inputs", &[], CONSOLE_HISTORY_MAX).latest_last(),
        ListRule::latest_first("queries", &["folder"], FAVORITE_STORES_MAX).joined(),
        ListRule::latest_first("recent", &[], QUERIES_KEPT_MAX),
        // Two windows may keep more than one may add. None is dropped for that.
        ListRule::latest_first("favorites", &["namespace", "name"], usize::MAX),
        ListRule::latest_first("pipelines", &["namespace", "name"], usize::MAX),
        ListRule::latest_first("operations", &[], OPERATIONS_KEPT_MAX),
        ListRule::latest_first("recent_commands", &[], RECENT_COMMANDS_MAX),
        ListRule::latest_first("advised", &[], usize::MAX),
    ];

    /// Reads the fields of a file: every number within its bounds. Also returns how many parts of the file this
    /// version can't read.
    pub fn read(mut fields: Fields) -> (Self, usize) {
        bound_lists(&mut fields, Self::LISTS);
        let (mut settings, lost) = decode::<Self>(&fields);
        settings.bound();
        (settings, lost)
    }

    /// The fields of the file.
    pub fn fields(&self) -> Fields {
        match serde_json::to_value(self) {
            Ok(serde_json::Value::Object(fields)) => fields,
            // A struct with named fields is an object.
            _ => Fields::new(),
        }
    }

    /// Bounds every number and order.
    fn bound(&mut self) {
        // Each field is named, so that the bounds of a new one are decided on here.
        let Self {
            zoom,
            window,
            panels,
            schedule,
            stores,
            operations,
            queries,
            theme: _,
            order: _,
            sidebar: _,
            inspector: _,
            drawer: _,
            documents_mode: _,
            compact: _,
            backups: _,
            advised: _,
            // Positions of tabs count only while there is such a tab.
            store_tabs: _,
            console_history: _,
            pipelines: _,
            recent_commands: _,
            reduce_motion: _,
            zone: _,
            date_style: _,
            grouping: _,
            callouts_seen: _,
            background_commands: _,
            traffic: _,
        } = self;
        *zoom = if zoom.is_finite() { within(*zoom, ZOOM_RANGE) } else { 1.0 };
        *window = window.filter(|it| it.width.is_finite() && it.height.is_finite());
        if let Some(window) = window {
            window.width = within(window.width, WINDOW_POINTS_RANGE);
            window.height = within(window.height, WINDOW_POINTS_RANGE);
        }
        panels.bound();
        schedule.bound();
        stores.bound();
        operations.bound();
        queries.bound();
    }

    /// Puts a command at the front of the recent ones, by its label.
    pub fn note_command(&mut self, label: &str) {
        self.recent_commands.retain(|known| known != label);
        self.recent_commands.insert(0, label.to_owned());
        self.recent_commands.truncate(RECENT_COMMANDS_MAX);
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::job::OpenRequest;
    use crate::state::recent_stores::RecentStore;

    /// Settings with a value wherever there can be a number.
    fn full() -> Settings {
        let mut settings = Settings {
            zoom: 1.25,
            schedule: Schedule::Every(60),
            window: Some(WindowSize { width: 1_280.0, height: 800.0, is_maximized: false }),
            ..Settings::default()
        };
        for panel in SizedPanel::ALL {
            settings.panels.set(panel, 240.0);
        }
        let request = OpenRequest::default();
        settings.stores.note(RecentStore::new(&request, "a", Path::new("/a"), 1_780_315_200_000));
        settings
    }

    fn numbers<'v>(value: &'v mut Value, found: &mut Vec<&'v mut Value>) {
        match value {
            Value::Number(_) => found.push(value),
            Value::Array(entries) => entries.iter_mut().for_each(|entry| numbers(entry, found)),
            Value::Object(fields) => fields.values_mut().for_each(|field| numbers(field, found)),
            _ => {}
        }
    }

    fn odd_number() -> impl Strategy<Value = Value> {
        let fixed = [0.0, -1.0, -0.0, 1e-300, 1e300, -1e300, 100.0, 3.5e38];
        prop_oneof![
            any::<f64>().prop_map(|number| json!(number)),
            any::<i64>().prop_map(|number| json!(number)),
            any::<u64>().prop_map(|number| json!(number)),
            prop::sample::select(fixed.to_vec()).prop_map(|number| json!(number)),
            Just(Value::Null),
            Just(json!("NaN")),
        ]
    }

    proptest! {
        #[test]
        fn any_number_in_the_file_becomes_one_that_can_be_drawn(
            odd in prop::collection::vec(odd_number(), 16)
        ) {
            let mut value = Value::Object(full().fields());
            let mut places = Vec::new();
            numbers(&mut value, &mut places);
            prop_assert!(places.len() >= 9, "{}", places.len());
            for (place, odd) in places.into_iter().zip(odd) {
                *place = odd;
            }
            let Value::Object(fields) = value else { unreachable!() };
            let (read, _) = Settings::read(fields);
            prop_assert!(ZOOM_RANGE.contains(&read.zoom));
            if let Some(window) = read.window {
                prop_assert!(WINDOW_POINTS_RANGE.contains(&window.width));
                prop_assert!(WINDOW_POINTS_RANGE.contains(&window.height));
            }
            for panel in SizedPanel::ALL {
                prop_assert!(PANEL_POINTS_RANGE.contains(&read.panels.get(panel, 240.0)));
            }
            if let Schedule::Every(secs) = read.schedule {
                prop_assert!(crate::limits::SCHEDULE_SECS_RANGE.contains(&secs));
            }
            prop_assert!(read.stores.list().iter().all(|store| store.opened_ms >= 0));
        }
    }

    #[test]
    fn settings_survive_their_file_and_a_newer_value_costs_one_field() {
        let settings = full();
        assert_eq!(Settings::read(settings.fields()), (settings.clone(), 0));
        let mut fields = settings.fields();
        fields.insert("theme".to_owned(), json!("Sepia"));
        fields.insert("of a newer version".to_owned(), json!(1));
        assert_eq!(Settings::read(fields), (settings, 1));
    }
}
