//! The open parts of the window.

use mayfly_engine::value::named;
use serde::{Deserialize, Serialize};

use super::Zone;
use super::guide::Guide;

named! {
    /// The contents of the drawer.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum Drawer {
        Console => "Console",
        /// Earlier versions had three drawers for it.
        #[serde(alias = "ReaperLog", alias = "Commands", alias = "Operations")]
        Activity => "Activity",
        /// The messages that appeared in the window's corner.
        Messages => "Messages",
    }
    /// The words in the strip.
    pub fn label;
}

named! {
    /// The rows of the Activity drawer that are shown.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Activity {
        #[default]
        All => "All",
        Passes => "Passes",
        Commands => "Commands",
        Operations => "Operations",
    }
    /// The word on its button.
    pub fn label;
}

/// Where the keyboard focus goes in the next frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Focus {
    Search,
    Filter,
    /// The search line of the view that is shown.
    Find,
    Console,
}

/// Callouts that introduce the Expiry view.
pub const CALLOUTS: usize = 4;

/// The open parts of the window.
#[derive(Debug, Clone, PartialEq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each says one thing; none excludes another")]
pub struct View {
    pub palette: bool,
    pub palette_at: usize,
    pub activity: Activity,
    /// The next callout of the introduction. `None` once all were seen or skipped.
    pub callout: Option<usize>,
    /// The zone of this machine, for times that are not shown in UTC.
    pub local_zone: Zone,
    /// The processor draws, so nothing moves for its looks.
    pub draws_slowly: bool,
    /// Where the keyboard focus goes; the owner of the place takes it in the next frame.
    pub focus: Option<Focus>,
    /// Whether the start page is in the place of the collection.
    pub is_start_shown: bool,
    /// Whether the keyboard is in another window.
    pub is_away: bool,
    /// The zoom of the presentation. `None` while the window is not presented. The settings keep
    /// the zoom of the other mode, and no setting keeps this.
    pub presented_zoom: Option<f32>,
    /// The guide, over everything else while it is open. An open dialog stays as it is.
    pub guide: Option<Guide>,
}

impl View {
    /// Whether the view is presented: large, in full contrast, without the panels around it.
    pub fn is_presented(&self) -> bool {
        self.presented_zoom.is_some()
    }
}
