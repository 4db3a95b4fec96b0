//! Choices that stay from one start to the next.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::store::Order;
use super::view::Drawer;

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

/// Choices that stay.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
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
    /// Where the backups of a data folder go, by its path.
    pub backups: BTreeMap<String, String>,
    /// Data folders whose unwise place a person has been told of.
    pub advised: BTreeSet<String>,
    /// Whether the Commands drawer also lists what the window asked by itself.
    pub background_commands: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: ThemeChoice::default(),
            zoom: 1.0,
            order: Order::default(),
            sidebar: true,
            inspector: true,
            drawer: Some(Drawer::ReaperLog),
            backups: BTreeMap::new(),
            advised: BTreeSet::new(),
            background_commands: false,
        }
    }
}
