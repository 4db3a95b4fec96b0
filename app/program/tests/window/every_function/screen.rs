//! Entries that change what the window shows. They read from the server at most.

use mayfly::action::{Action, ViewAction};
use mayfly::state::dialogs::HelpPage;
use mayfly::state::settings::{ThemeChoice, ZoneChoice};
use mayfly::state::tabs::ViewKind;
use mayfly::state::view::{Activity, Drawer};
use mayfly::state::{Dialog, State};

use super::bench::Bench;
use super::{Row, Script::Reads};

fn help(bench: &mut Bench, label: &str, page: HelpPage) {
    bench.leads_to(
        label,
        move |state| matches!(state.dialogs.open(), Some(Dialog::Help(shown)) if *shown == page),
    );
}

fn activity(bench: &mut Bench, label: &str, filter: Activity) {
    bench.leads_to(label, move |state| {
        state.settings.drawer == Some(Drawer::Activity) && state.view.activity == filter
    });
    bench.window.ask(Action::View(ViewAction::SetDrawer(None)));
}

fn theme(bench: &mut Bench, label: &str, theme: ThemeChoice) {
    bench.leads_to(label, move |state| state.settings.theme == theme);
}

fn is_view(state: &State, view: ViewKind) -> bool {
    state.tabs.active().is_some_and(|tab| tab.view == view)
}

pub const ROWS: &[Row] = &[
    ("Commands", Reads(|bench| bench.shows("Commands", "Find a command"))),
    ("Start page", Reads(|bench| bench.toggles("Start page", |state| state.view.is_start_shown))),
    ("Present", Reads(|bench| bench.toggles("Present", |state| state.view.is_presented()))),
    (
        "Show or hide the sidebar",
        Reads(|bench| {
            bench.toggles("Show or hide the sidebar", |state| state.settings.sidebar);
        }),
    ),
    (
        "Show or hide the inspector",
        Reads(|bench| {
            bench.toggles("Show or hide the inspector", |state| state.settings.inspector);
        }),
    ),
    (
        "Show or hide the drawer",
        Reads(|bench| {
            bench.toggles("Show or hide the drawer", |state| state.settings.drawer.is_some());
        }),
    ),
    (
        "Show the TTL monitor log",
        Reads(|bench| {
            activity(bench, "Show the TTL monitor log", Activity::Passes);
        }),
    ),
    ("Show Commands", Reads(|bench| activity(bench, "Show Commands", Activity::Commands))),
    ("Show Operations", Reads(|bench| activity(bench, "Show Operations", Activity::Operations))),
    (
        "Show Messages",
        Reads(|bench| {
            bench
                .leads_to("Show Messages", |state| state.settings.drawer == Some(Drawer::Messages));
            bench.window.ask(Action::View(ViewAction::SetDrawer(None)));
        }),
    ),
    (
        "Local time",
        Reads(|bench| {
            bench.leads_to("UTC", |state| state.settings.zone == ZoneChoice::Utc);
            bench.leads_to("Local time", |state| state.settings.zone == ZoneChoice::Local);
        }),
    ),
    (
        "UTC",
        Reads(|bench| {
            bench.leads_to("UTC", |state| state.settings.zone == ZoneChoice::Utc);
        }),
    ),
    ("Dark theme", Reads(|bench| theme(bench, "Dark theme", ThemeChoice::Dark))),
    ("Light theme", Reads(|bench| theme(bench, "Light theme", ThemeChoice::Light))),
    ("System theme", Reads(|bench| theme(bench, "System theme", ThemeChoice::System))),
    ("Zoom in", Reads(|bench| bench.leads_to("Zoom in", |state| state.settings.zoom > 1.05))),
    ("Zoom out", Reads(|bench| bench.leads_to("Zoom out", |state| state.settings.zoom < 1.05))),
    (
        "Reset zoom",
        Reads(|bench| {
            bench.leads_to("Reset zoom", |state| (state.settings.zoom - 1.0).abs() < f32::EPSILON);
        }),
    ),
    (
        "Settings…",
        Reads(|bench| {
            bench.leads_to("Settings…", |state| {
                matches!(state.dialogs.open(), Some(Dialog::Settings(_)))
            });
        }),
    ),
    (
        "Keyboard shortcuts",
        Reads(|bench| {
            bench.leads_to("Keyboard shortcuts", |state| {
                matches!(state.dialogs.open(), Some(Dialog::Shortcuts))
            });
        }),
    ),
    ("Guide", Reads(|bench| bench.toggles("Guide", |state| state.view.guide.is_some()))),
    ("What is TTL?", Reads(|bench| help(bench, "What is TTL?", HelpPage::Ttl))),
    (
        "Show the introduction",
        Reads(|bench| {
            bench.leads_to("Show the introduction", |state| state.view.callout == Some(0));
        }),
    ),
    ("Glossary", Reads(|bench| help(bench, "Glossary", HelpPage::Glossary))),
    ("Report a problem", Reads(|bench| help(bench, "Report a problem", HelpPage::Report))),
    ("About Mayfly", Reads(|bench| help(bench, "About Mayfly", HelpPage::About))),
    (
        "Open a collection",
        Reads(|bench| {
            bench.press("Open a collection");
            assert!(bench.window.is_focused("Search collections"), "{}", bench.window.on_screen());
        }),
    ),
    (
        "Go to the filter",
        Reads(|bench| {
            bench.press("Go to the filter");
            assert!(bench.window.is_focused("Filter"));
        }),
    ),
    (
        "Find documents",
        Reads(|bench| {
            bench.press("Find documents");
            assert!(
                bench.window.is_focused("Find in the loaded documents"),
                "{}",
                bench.window.on_screen()
            );
        }),
    ),
    (
        "Close tab",
        Reads(|bench| {
            bench.leads_to("Close tab", |state| state.tabs.active().is_none());
        }),
    ),
    (
        "Reopen closed tab",
        Reads(|bench| {
            bench.press("Close tab");
            bench.leads_to("Reopen closed tab", |state| state.tabs.active().is_some());
        }),
    ),
    (
        "Next tab",
        Reads(|bench| {
            bench.second_tab();
            bench.leads_to("Next tab", |state| {
                state.tabs.active().is_some_and(|tab| tab.namespace.collection == "orders")
            });
        }),
    ),
    (
        "Previous tab",
        Reads(|bench| {
            bench.second_tab();
            bench.leads_to("Previous tab", |state| {
                state.tabs.active().is_some_and(|tab| tab.namespace.collection == "orders")
            });
        }),
    ),
    (
        "Show Documents",
        Reads(|bench| {
            bench.view(ViewKind::Indexes);
            bench.leads_to("Show Documents", |state| is_view(state, ViewKind::Documents));
            bench.window.until_named("of 12");
        }),
    ),
    (
        "Show Schema",
        Reads(|bench| {
            bench.leads_to("Show Schema", |state| is_view(state, ViewKind::Schema));
            bench.window.until_named("All 12 documents read");
            bench.window.until_named("Field name");
        }),
    ),
    (
        "Show Aggregate",
        Reads(|bench| {
            bench.leads_to("Show Aggregate", |state| is_view(state, ViewKind::Aggregate));
        }),
    ),
    (
        "Show Expiry",
        Reads(|bench| {
            bench.leads_to("Show Expiry", |state| is_view(state, ViewKind::Expiry));
            bench.window.until_named("Will expire: 12");
            bench.window.until_named("Overdue: 0");
        }),
    ),
    (
        "Show Indexes",
        Reads(|bench| {
            bench.leads_to("Show Indexes", |state| is_view(state, ViewKind::Indexes));
            bench.window.until_named("Change TTL… at_1");
            bench.window.until_named("Add TTL… n_1");
        }),
    ),
];
