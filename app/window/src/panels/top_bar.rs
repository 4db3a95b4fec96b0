//! The bar at the top: the store, its time, its reaper.

use egui::{Align, Layout, Ui};
use mayfly_engine::command::ListenAt;

use super::{main_menu, recent, schedule};
use crate::action::{
    Action, Actions, DialogAction, ReaperAction, StoreAction, ViewAction, audit, connect, lesson,
    listener, reaper, store, view,
};
use crate::job::glossary::Term;
use crate::state::clock::Mode;
use crate::state::dialogs::SettingsDraft;
use crate::state::reaper::Schedule;
use crate::state::settings::ZoneChoice;
use crate::state::{Dialog, Phase, State, Zone, duration, number};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::anchor::{self, Anchor};
use crate::widgets::chip::{Chip, Look, Press};
use crate::widgets::hint::Hint as _;
use crate::widgets::term::Explain as _;
use crate::widgets::value::cut;
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, empty_state, menu, paint};

/// How far the clock of a server may be from this machine's before it is said, in milliseconds.
const CLOCK_APART_MS: i64 = 2_000;

/// Characters of a store's name that there is room for.
const NAME_CHARS_MAX: usize = 18;

/// The items that fit into the bar. The others are in the palette, in a menu or in a tooltip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum WidthClass {
    /// Two chips and icons.
    Chips,
    /// The button that runs a pass too.
    Run,
    /// The names of the program and the store too.
    Names,
    /// Everything.
    All,
}

impl WidthClass {
    fn of(width: f32, state: &State) -> Self {
        let mut lacks = sizes::TOP_BAR_ALL - width;
        if state.listener.status().on {
            lacks += sizes::TOP_BAR_LISTENER;
        }
        let gives = [
            (Self::All, 0.0),
            (Self::Names, sizes::TOP_BAR_WORDS),
            (Self::Run, sizes::TOP_BAR_NAMES),
        ];
        let mut given = 0.0;
        let fits = |(_, more): &(Self, f32)| {
            given += more;
            lacks <= given
        };
        gives.into_iter().find(fits).map_or(Self::Chips, |(class, _)| class)
    }
}

pub fn ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let class = WidthClass::of(ui.available_width(), state);
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = sizes::GAP;
        ui.add_space(sizes::GAP);
        name_ui(ui, state, class, actions);
        if state.is_open() {
            server_ui(ui, state, class, actions);
            let has_monitor = state.store.capabilities.reaper;
            if state.is_simulated() || !has_monitor {
                clock_ui(ui, state, actions);
            }
            if has_monitor {
                monitor_ui(ui, state, class, actions);
            }
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = sizes::GAP_SMALL;
            ui.add_space(sizes::GAP);
            right_ui(ui, state, class, actions);
        });
    });
}

fn name_ui(ui: &mut Ui, state: &State, class: WidthClass, actions: &mut Actions) {
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.x = sizes::GAP_SMALL;
        let is_button = class < WidthClass::Names;
        let sense = if is_button { egui::Sense::click() } else { egui::Sense::hover() };
        let (rect, mark) = ui.allocate_exact_size(egui::Vec2::splat(26.0), sense);
        empty_state::mark(ui, rect.center(), 28.0);
        let folder = state.store.folder.as_ref().map(|folder| folder.display().to_string());
        if class < WidthClass::Names {
            mark.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, "Store"));
            if mark.has_focus() {
                paint::focus_ring(ui, rect.expand(2.0), sizes::RADIUS_BUTTON);
            }
            let mark = mark.hint(folder.unwrap_or_else(|| state.store.name.clone()));
            menu::below(&mark, |ui| stores_menu_ui(ui, state, actions));
            return;
        }
        ui.label(text::rich("Mayfly", text::heading()));
        let name = match &state.store.phase {
            Phase::Open => state.store.name.as_str(),
            Phase::Opening => "opening…",
            Phase::Away(_) => "temporarily closed",
            Phase::Failed(_) => "no store",
        };
        let name = &cut(&with_marks(name), NAME_CHARS_MAX);
        let button = Button::ghost(name).menu().small().name("Store").known_as("store");
        let button = ui.add(button.tooltip(folder.as_deref().unwrap_or(name)));
        menu::below(&button, |ui| stores_menu_ui(ui, state, actions));
    });
}

/// The audit of the store, the other stores, and how to open one that is not among them.
fn stores_menu_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    if audit::SHOW.is_enabled(state) {
        main_menu::entry_ui(ui, state, &audit::SHOW, actions);
        menu::line(ui);
    }
    let others = recent::others(state);
    for store in &others {
        let (name, folder) = (with_marks(&store.name), with_marks(&store.folder));
        let entry = menu::entry(ui, &name, "", true).hint(folder);
        if entry.accessible_name(format!("Open {name}")).clicked() {
            actions.push(Action::Store(StoreAction::OpenRecent((*store).clone())));
        }
    }
    if !others.is_empty() {
        menu::line(ui);
    }
    // Those that are listed above have no second entry.
    let is_listed = |is_demo: bool| {
        others.iter().any(|it| it.server.is_none() && !it.is_named && it.demo == is_demo)
    };
    let own = (!is_listed(false)).then_some(&store::OPEN_OWN);
    let demo = (!is_listed(true)).then_some(&store::OPEN_DEMO);
    let more = [&store::OPEN_FOLDER, &connect::CONNECT, &view::START];
    for entry in own.into_iter().chain(demo).chain(more) {
        main_menu::entry_ui(ui, state, entry, actions);
    }
    main_menu::folder_ui(ui, state, actions);
}

/// The time of day in the zone of the window.
fn shown_time(state: &State) -> String {
    let (zone, shown_ms) = (state.clock.zone(), state.clock.shown_ms());
    let time = zone.time_of_day(shown_ms);
    match zone {
        Zone::Utc => format!("{time} UTC"),
        Zone::Local | Zone::Named(_) | Zone::Fixed(_) => time,
    }
}

/// The clock of a store without a TTL monitor here, and the one that is simulated: the bar below has its
/// time.
fn clock_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let (zone, shown_ms) = (state.clock.zone(), state.clock.shown_ms());
    actions.redraw_at(&state.clock, state.clock.next_step_ms());
    let is_silent = state.store.connection.as_ref().is_some_and(|connection| connection.is_silent);
    let Mode::Simulated { rate, paused } = state.clock.mode() else {
        let chip = Chip {
            lead: &shown_time(state),
            dot: Some(if is_silent { colors(ui).error } else { colors(ui).accent }),
            press: Press::OpensMenu,
            name: "Real time",
            ..Chip::default()
        };
        let both = zone.both(shown_ms);
        let response = chip.ui(ui).hint(format!("{both}\nThis store uses the system clock"));
        menu::below(&response, |ui| zone_menu_ui(ui, state, actions));
        return;
    };
    let label = if paused { "Simulated, paused".to_owned() } else { format!("Simulated ×{rate}") };
    let chip = Chip {
        label: &label,
        // The items after it must not move when the clock starts.
        label_room: "Simulated, paused",
        look: Look::Amber,
        press: Press::Acts,
        name: "Simulated time",
        ..Chip::default()
    };
    let both = zone.both(shown_ms);
    let response = chip.ui(ui).hint(format!("{both}\nThis store uses a simulated clock"));
    menu::below(&response, |ui| zone_menu_ui(ui, state, actions));
}

/// The lock of a server, its mark and what kind of server it is.
fn server_ui(ui: &mut Ui, state: &State, class: WidthClass, actions: &mut Actions) {
    let Some(connection) = &state.store.connection else { return };
    let attached = &connection.attached;
    let is_locked = connection.is_locked(state.uptime);
    let (label, name) = if is_locked { ("Read-only", "Locked") } else { ("Unlocked", "Unlocked") };
    let look = if is_locked { Look::Plain } else { Look::Amber };
    let dot = attached.mark.color.index().map(|at| colors(ui).index_marks[at]);
    let dot = dot.filter(|_| is_locked);
    let chip = Chip { label, look, dot, press: Press::Acts, name, ..Chip::default() };
    let version = match attached.version.as_str() {
        "" => String::new(),
        version => format!(", version {}", with_marks(version)),
    };
    let apart = clock_apart(attached.ahead_ms);
    let said = apart.as_deref().unwrap_or_default();
    let (address, topology) = (with_marks(&attached.address), with_marks(&attached.topology));
    let words = format!("{address}\n{topology}{version}\n{said}");
    let response = chip.ui(ui).hint(words.trim_end());
    menu::below(&response, |ui| {
        for entry in [&connect::UNLOCK, &connect::LOCK, &connect::FORGET] {
            if entry.is_enabled(state) {
                main_menu::entry_ui(ui, state, entry, actions);
            }
        }
        main_menu::entry_ui(ui, state, &connect::SERVER, actions);
        main_menu::entry_ui(ui, state, &connect::CONNECT, actions);
    });
    if let Some(label) = connection.silence(state.clock.zone()) {
        let chip = Chip { label: &label, look: Look::Error, name: "No answer", ..Chip::default() };
        chip.ui(ui).hint("The server does not reply; the window asks it again by itself");
    }
    if attached.mark.is_production && class >= WidthClass::Run {
        let chip = Chip { label: "Production", name: "Production", ..Chip::default() };
        chip.ui(ui).hint("Others depend on this server's data");
    }
    if let Some(apart) = apart.filter(|_| class >= WidthClass::Names) {
        let chip = Chip { label: &apart, look: Look::Dim, name: "Clock offset", ..Chip::default() };
        chip.ui(ui).hint("Thresholds are compared with the server's clock");
    }
}

/// The difference between a server's clock and this machine's, in words. `None` if it is small.
pub(crate) fn clock_apart(ahead_ms: i64) -> Option<String> {
    let by = duration::span(ahead_ms.abs());
    let way = if ahead_ms > 0 { "fast" } else { "slow" };
    (ahead_ms.abs() > CLOCK_APART_MS).then(|| format!("Server clock {by} {way}"))
}

fn zone_menu_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let chosen = &state.settings.zone;
    for (entry, zone) in [(view::LOCAL_TIME, ZoneChoice::Local), (view::UTC, ZoneChoice::Utc)] {
        if menu::choice(ui, entry.label, *chosen == zone).hint(entry.tooltip).clicked() {
            actions.push(ViewAction::choose(state, |settings| settings.zone = zone));
        }
    }
    if let ZoneChoice::Named(name) = chosen {
        let _ = menu::choice(ui, name, true);
    }
    menu::line(ui);
    if menu::entry(ui, "Other time zone…", "", true).clicked() {
        let draft = SettingsDraft { zone: Some(String::new()) };
        actions.push(Action::Dialog(DialogAction::Show(Dialog::Settings(draft))));
    }
}

/// The state of the TTL monitor in words, with its countdown.
fn monitor_words(state: &State, actions: &mut Actions) -> (&'static str, String, Look) {
    let known = &state.reaper;
    let of = |digits: &str, look| ("TTL monitor", digits.to_owned(), look);
    if known.died.is_some() {
        of("failed", Look::Error)
    } else if known.stall.is_some() {
        of("stalled", Look::Error)
    } else if known.held.is_some() {
        of("on hold", Look::Amber)
    } else if !known.enabled {
        of("off", Look::Amber)
    } else if !state.tree.can_expire() {
        ("no TTL", String::new(), Look::Dim)
    } else if known.running {
        of("running", Look::Plain)
    } else if let Some(next_ms) = known.next_pass_ms {
        let rest_ms = actions.count_down(&state.clock, next_ms);
        ("next pass in", duration::countdown(rest_ms), Look::Plain)
    } else {
        of("no pass scheduled", Look::Plain)
    }
}

/// One group: the clock, the next pass, and the button that runs it. The menu has the schedule and the
/// time zone. While time is simulated, the clock and the button are in the bar below.
fn monitor_ui(ui: &mut Ui, state: &State, class: WidthClass, actions: &mut Actions) {
    let known = &state.reaper;
    let (label, digits, look) = monitor_words(state, actions);
    let is_real = !state.is_simulated();
    let time = shown_time(state);
    if is_real {
        actions.redraw_at(&state.clock, state.clock.next_step_ms());
    }
    let chip = Chip {
        lead: if is_real { &time } else { "" },
        label,
        digits: &digits,
        digits_room: if look == Look::Plain { "00:00" } else { "" },
        dot: is_real.then_some(if look == Look::Dim { colors(ui).dim } else { colors(ui).accent }),
        look,
        bright_digits: true,
        explained: true,
        press: Press::OpensMenu,
        name: "TTL monitor",
        ..Chip::default()
    };
    let tooltip = known.died.as_deref().or(known.stall.as_deref());
    let tooltip = tooltip.or(known.held.as_ref().map(|held| held.sentence.as_str()));
    let response = match tooltip {
        Some(sentence) => chip.ui(ui).hint(sentence),
        None => chip.ui(ui).explain(&[Term::Monitor, Term::Pass]),
    };
    anchor::note(ui.ctx(), Anchor::Monitor, response.rect);
    menu::below(&response, |ui| monitor_menu_ui(ui, state, actions));
    // Without a TTL a pass has nothing to do; the menu still has it.
    if is_real && class >= WidthClass::Run && look != Look::Dim {
        ui.spacing_mut().item_spacing.x = sizes::GAP_TINY;
        run_ui(ui, state, actions);
    }
}

fn run_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let run = reaper::RUN_NOW;
    let tooltip = match state.overdue() {
        0 => run.tooltip.to_owned(),
        overdue => {
            let what = number::counted(overdue, "overdue document", "overdue documents");
            format!("Run a pass now and remove {what}")
        }
    };
    let pressed = ui.add(Button::plain("Run").name(run.label).tooltip(&tooltip));
    if pressed.clicked() {
        let by_pointer = pressed.clicked_by(egui::PointerButton::Primary);
        actions.push(reaper::run_now(state, by_pointer));
    }
}

fn monitor_menu_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let is_real = !state.is_simulated();
    if is_real {
        let shown = text::rich(state.clock.zone().both(state.clock.shown_ms()), text::small());
        ui.label(shown.color(colors(ui).dim));
        menu::line(ui);
        main_menu::entry_ui(ui, state, &reaper::RUN_NOW, actions);
    }
    let toggle = if state.reaper.enabled { reaper::PAUSE } else { reaper::RESUME };
    if menu::entry(ui, toggle.label, "", true).hint(toggle.tooltip).clicked()
        && let Some(action) = toggle.now(state)
    {
        actions.push(action);
    }
    let held = state.reaper.held.is_some();
    if held && menu::entry(ui, "Remove held documents…", "", true).clicked() {
        actions.push(Action::Reaper(ReaperAction::ReleaseHeld));
    }
    if is_real {
        menu::caption(ui, "Passes");
        schedule::menu_ui(ui, state, &Schedule::OFFERED, actions);
        menu::caption(ui, "Time zone");
        zone_menu_ui(ui, state, actions);
    }
}

/// Stands there as long as other programs can come in.
fn listener_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let status = state.listener.status();
    if !status.on {
        return;
    }
    let chip = Chip {
        label: "Listening",
        digits: &status.clients.len().to_string(),
        digits_room: "00",
        dot: Some(colors(ui).accent),
        bright_digits: true,
        press: Press::Acts,
        name: "Listener",
        ..Chip::default()
    };
    let at = match &status.at {
        ListenAt::Port(port) => format!("127.0.0.1:{port}"),
        ListenAt::Socket(path) => with_marks(&path.to_string_lossy()),
    };
    let words = format!("Listening on {at}; click to see connections");
    if chip.ui(ui).hint(words).clicked() {
        actions.push(listener::dialog(state));
    }
}

fn right_ui(ui: &mut Ui, state: &State, class: WidthClass, actions: &mut Actions) {
    main_menu::button_ui(ui, state, actions);
    let keys = view::PALETTE.keys_text();
    let name = "Commands (Ctrl+P)";
    let palette = if class < WidthClass::All {
        Button::icon_only(Icon::Search, name)
    } else {
        Button::plain("Commands").trailing(&keys).name(name).tooltip(view::PALETTE.tooltip)
    };
    if ui.add(palette).clicked() {
        actions.push(Action::View(ViewAction::SetPalette(true)));
    }
    if let Some(action) = lesson::PAGE.now(state).filter(|_| !state.lessons.is_playing()) {
        let lessons = if class < WidthClass::All {
            Button::icon_only(Icon::Lessons, lesson::PAGE.label)
        } else {
            Button::plain(lesson::PAGE.label).icon(Icon::Lessons)
        };
        let lessons = ui.add(lessons.tooltip(lesson::PAGE.tooltip));
        anchor::note(ui.ctx(), Anchor::Lessons, lessons.rect);
        if lessons.clicked() {
            actions.push(action);
        }
    }
    if state.is_open() {
        listener_ui(ui, state, actions);
    }
}
