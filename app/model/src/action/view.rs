//! The open parts of the window, and its look.

use super::Action;
use super::entry::{Entry, Group};
use super::keys::{ctrl, ctrl_shift, key};
use super::root::ViewAction;
use crate::state::State;
use crate::state::settings::{ThemeChoice, ZoneChoice};
use crate::state::view::{Activity, Drawer};

/// Closes the window.
pub const QUIT: Entry = Entry {
    group: Group::View,
    label: "Quit",
    tooltip: "Quit Mayfly",
    keys: Some(ctrl("Q")),
    action: |_| Some(Action::View(ViewAction::Quit)),
};

/// Opens the palette.
pub const PALETTE: Entry = Entry {
    group: Group::View,
    label: "Commands",
    tooltip: "Search all commands",
    keys: Some(ctrl("P")),
    action: |state| Some(Action::View(ViewAction::SetPalette(!state.view.palette))),
};

/// Shows the start page, or the collection again.
pub const START: Entry = Entry {
    group: Group::Store,
    label: "Start page",
    tooltip: "Recent stores, and what else can be opened",
    keys: None,
    action: |state| Some(Action::View(ViewAction::ShowStart(!state.view.is_start_shown))),
};

/// Presents what is shown, or ends that.
pub const PRESENT: Entry = Entry {
    group: Group::View,
    label: "Present",
    tooltip: "Show this view full screen in large text; Esc leaves",
    keys: Some(key("F11")),
    action: |state| Some(Action::View(ViewAction::Present(!state.view.is_presented()))),
};

/// Shows times in the zone of this machine.
pub const LOCAL_TIME: Entry = Entry {
    group: Group::View,
    label: "Local time",
    tooltip: "Show times in the time zone of this machine",
    keys: None,
    action: |state| set_zone(state, ZoneChoice::Local),
};

/// Shows times in UTC.
pub const UTC: Entry = Entry {
    group: Group::View,
    label: "UTC",
    tooltip: "Show times in UTC, as documents store them",
    keys: None,
    action: |state| set_zone(state, ZoneChoice::Utc),
};

/// The region's entries.
pub const ENTRIES: &[Entry] = &[
    PALETTE,
    START,
    PRESENT,
    Entry {
        group: Group::View,
        label: "Show or hide the sidebar",
        tooltip: "Databases and collections",
        keys: Some(ctrl("B")),
        action: |state| panel(state, ViewAction::SetSidebar(!state.settings.sidebar)),
    },
    Entry {
        group: Group::View,
        label: "Show or hide the inspector",
        tooltip: "Details of the selected document",
        keys: Some(ctrl("I")),
        action: |state| panel(state, ViewAction::SetInspector(!state.settings.inspector)),
    },
    Entry {
        group: Group::View,
        label: "Show or hide the drawer",
        tooltip: "Console, activity and messages",
        keys: Some(ctrl("J")),
        action: |state| {
            let drawer = match state.settings.drawer {
                Some(_) => None,
                None => Some(Drawer::Activity),
            };
            panel(state, ViewAction::SetDrawer(drawer))
        },
    },
    Entry {
        group: Group::View,
        label: "Show the TTL monitor log",
        tooltip: "Each pass with its removals and lag",
        keys: None,
        action: |state| panel(state, ViewAction::ShowActivity(Activity::Passes)),
    },
    Entry {
        group: Group::View,
        label: "Show Commands",
        tooltip: "All commands sent, in mongosh syntax",
        keys: Some(ctrl_shift("C")),
        action: |state| panel(state, ViewAction::ShowActivity(Activity::Commands)),
    },
    Entry {
        group: Group::View,
        label: "Show Operations",
        tooltip: "Imports, exports and index builds with their progress",
        keys: None,
        action: |state| panel(state, ViewAction::ShowActivity(Activity::Operations)),
    },
    Entry {
        group: Group::View,
        label: "Show Messages",
        tooltip: "What the window said since it was opened",
        keys: None,
        action: |state| panel(state, ViewAction::SetDrawer(Some(Drawer::Messages))),
    },
    LOCAL_TIME,
    UTC,
    Entry {
        group: Group::View,
        label: "Dark theme",
        tooltip: "Light text on a dark background",
        keys: None,
        action: |state| set_theme(state, ThemeChoice::Dark),
    },
    Entry {
        group: Group::View,
        label: "Light theme",
        tooltip: "Dark text on a light background",
        keys: None,
        action: |state| set_theme(state, ThemeChoice::Light),
    },
    Entry {
        group: Group::View,
        label: "System theme",
        tooltip: "Follow the system theme",
        keys: None,
        action: |state| set_theme(state, ThemeChoice::System),
    },
    Entry {
        group: Group::View,
        label: "Zoom in",
        tooltip: "Increase the UI scale",
        keys: Some(ctrl("+")),
        action: |state| Some(Action::View(ViewAction::SetZoom(state.zoom() + 0.1))),
    },
    Entry {
        group: Group::View,
        label: "Zoom out",
        tooltip: "Decrease the UI scale",
        keys: Some(ctrl("−")),
        action: |state| Some(Action::View(ViewAction::SetZoom(state.zoom() - 0.1))),
    },
    Entry {
        group: Group::View,
        label: "Reset zoom",
        tooltip: "Reset the UI scale",
        keys: Some(ctrl("0")),
        action: |_| Some(Action::View(ViewAction::SetZoom(1.0))),
    },
    QUIT,
];

fn set_zone(state: &State, zone: ZoneChoice) -> Option<Action> {
    let is_new = state.settings.zone != zone;
    is_new.then(|| ViewAction::choose(state, |settings| settings.zone = zone))
}

#[expect(clippy::unnecessary_wraps, reason = "an entry's action may be missing")]
fn set_theme(state: &State, theme: ThemeChoice) -> Option<Action> {
    Some(ViewAction::choose(state, |settings| settings.theme = theme))
}

/// Opens or closes a panel. A presentation has none, and leaves them as they were.
fn panel(state: &State, action: ViewAction) -> Option<Action> {
    (!state.view.is_presented()).then_some(Action::View(action))
}
