//! The window as a presentation: the collection, the clock and the view, large enough for the last
//! row of a classroom, without the panels around them. Keys and the palette do everything.
//!
//! F11 (`ViewAction::Present`), *Present* in the menu and the palette, and `mayfly --present` show the view
//! to a room: full screen where the system permits it, text of at least 24 pixels, lanes of 48, full
//! contrast, a ring around the pointer. `panels/presentation.rs` lays out the collection, the clock and the
//! view; sidebar, tabs, bars, drawer, inspector and messages are not drawn. Keys and the palette do
//! everything: Ctrl+1 to 5 choose a view, Ctrl+Tab a collection, Space and → move a simulated clock, Ctrl++
//! and Ctrl+− change the size. F11 leaves, and so does Escape unless it closes something else.
//! `View::presented_zoom` is the only state, and it is not kept: the settings stay as they were, and a close
//! of the window leaves the presentation first.

use egui::{
    Align, CentralPanel, Color32, Context, Frame, Id, Key, Label, LayerId, Layout, Margin,
    Modifiers, Order, Panel, Stroke, Ui,
};

use super::{documents, lesson, welcome, workspace};
use crate::action::{Action, Actions, LessonAction, ViewAction};
use crate::state::clock::Mode;
use crate::state::expiry::{Mode as ExpiryMode, Totals};
use crate::state::lesson::Playing;
use crate::state::tabs::ViewKind;
use crate::state::{Drafts, Phase, State, Tab, Zone, duration, number};
use crate::theme::colors::faded;
use crate::theme::{Colors, Icon, colors, sizes, text};
use crate::widgets::marks::visible;
use crate::widgets::menu;

/// Under what is kept whether a text had the keyboard in the frame before.
const TYPED: &str = "a text had the keyboard";

/// Lays the presentation out. Returns where the view ends.
pub fn ui(ui: &mut Ui, state: &State, drafts: &mut Drafts, actions: &mut Actions) -> f32 {
    if let Some(playing) = &state.lessons.playing {
        return lesson::presented_ui(ui, state, playing, drafts, actions);
    }
    let fill = colors(ui).panel;
    let line = Frame::new().fill(fill).inner_margin(Margin::symmetric(16, 0));
    // A store that is not open must not show countdowns.
    let is_live = !matches!(state.store.phase, Phase::Failed(_));
    let shows_page = state.lessons.is_page_shown && !state.lessons.is_playing();
    let tab = state.tabs.active().filter(|_| is_live && !shows_page);
    Panel::top("presented title")
        .exact_size(sizes::PRESENTED_TITLE)
        .frame(line)
        .show_separator_line(false)
        .show(ui, |ui| title_ui(ui, state, tab, actions));
    Panel::top("presented line")
        .exact_size(sizes::PRESENTED_LINE)
        .frame(line)
        .show(ui, |ui| line_ui(ui, state, tab));
    if let Mode::Simulated { rate, paused } = state.clock.mode()
        && state.is_simulated()
    {
        Panel::bottom("presented clock")
            .exact_size(sizes::PRESENTED_LINE)
            .frame(line)
            .show(ui, |ui| clock_ui(ui, state, rate, paused, actions));
    }
    let view = CentralPanel::default().frame(Frame::new().fill(fill)).show(ui, |ui| match tab {
        Some(tab) => workspace::view_ui(ui, state, tab, drafts, actions),
        None if shows_page => lesson::page::ui(ui, state, actions),
        None => welcome::ui(ui, state, actions),
    });
    view.response.rect.bottom()
}

/// Draws the ring around the pointer, and takes Escape if it is left for this.
pub fn over_ui(ui: &Ui, state: &State, actions: &mut Actions) {
    halo(ui);
    if let Some(playing) = &state.lessons.playing {
        lesson::presented_over_ui(ui, playing);
        notes_ui(ui, state, playing, actions);
    }
    keys(ui.ctx(), state, actions);
}

/// The collection, and the time of its store.
fn title_ui(ui: &mut Ui, state: &State, tab: Option<&Tab>, actions: &mut Actions) {
    let ink = colors(ui);
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        if state.is_open() {
            let (zone, shown_ms) = (state.clock.zone(), state.clock.shown_ms());
            let time = zone.time_of_day(shown_ms);
            if zone == Zone::Utc {
                ui.label(text::rich("UTC", text::body()).color(ink.dim));
            }
            ui.label(text::rich(time, text::figure()).color(ink.text));
            actions.redraw_at(&state.clock, state.clock.next_step_ms());
        }
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            let name = match tab {
                Some(tab) => visible(&tab.namespace.to_string()),
                None => "Mayfly".to_owned(),
            };
            ui.add(Label::new(text::rich(name, text::heading()).color(ink.text)).truncate());
        });
    });
}

/// Whether time is simulated, and what is shown.
fn line_ui(ui: &mut Ui, state: &State, tab: Option<&Tab>) {
    let ink = colors(ui);
    ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
        if state.is_simulated() {
            ui.label(text::rich("SIMULATED", text::strong()).color(ink.overdue));
        }
        if let Some((words, is_error)) = trouble(state) {
            let ink = if is_error { ink.error } else { ink.text };
            ui.label(text::rich(words, text::strong()).color(ink));
        }
        let words = tab.map(|tab| shown(state, tab)).unwrap_or_default();
        ui.add(Label::new(text::rich(words, text::body()).color(ink.dim)).truncate());
    });
}

/// Why documents may stay although they are overdue, and whether that is an error.
fn trouble(state: &State) -> Option<(&'static str, bool)> {
    let reaper = &state.reaper;
    match () {
        () if !state.is_open() => None,
        () if reaper.died.is_some() => Some(("TTL monitor failed", true)),
        () if reaper.stall.is_some() => Some(("TTL monitor stalled", true)),
        () if reaper.held.is_some() => Some(("Removals on hold", false)),
        () if !reaper.enabled => Some(("TTL monitor off", false)),
        () => None,
    }
}

/// The contents of the view, in one line.
fn shown(state: &State, tab: &Tab) -> String {
    let known = state.tree.collection(&tab.namespace).and_then(|known| known.documents);
    let documents = known.map(|count| number::counted(count, "document", "documents"));
    match tab.view {
        ViewKind::Documents => joined("Documents", documents),
        ViewKind::Schema => {
            let known = tab.schema.schema.as_ref().map(|schema| schema.documents);
            joined("Schema", known.map(|count| number::counted(count, "document", "documents")))
        }
        ViewKind::Aggregate => {
            let results = tab.aggregate.results.as_ref().map(|results| results.rows.len() as u64);
            joined("Aggregate", results.map(|count| number::counted(count, "result", "results")))
        }
        ViewKind::Indexes => {
            let rows = tab.indexes.rows.as_ref().map(|rows| rows.len() as u64);
            joined("Indexes", rows.map(|count| number::counted(count, "index", "indexes")))
        }
        ViewKind::Expiry => {
            let view = match tab.expiry.mode {
                ExpiryMode::Timeline => "Expiry timeline",
                ExpiryMode::Table => "Expiry table",
                ExpiryMode::Calendar => "Expiry calendar",
                ExpiryMode::Removed => "Removed documents",
            };
            joined(view, tab.expiry.totals.as_ref().map(counted).or(documents))
        }
    }
}

fn joined(view: &str, found: Option<String>) -> String {
    found.map_or_else(|| view.to_owned(), |found| format!("{view} · {found}"))
}

fn counted(totals: &Totals) -> String {
    let counts = [totals.waiting, totals.overdue, totals.never].map(number::short_documents);
    let [waiting, overdue, never] = counts;
    format!("{waiting} will expire · {overdue} overdue · {never} never")
}

/// A simulated clock, and the keys that move it.
fn clock_ui(ui: &mut Ui, state: &State, rate: f64, paused: bool, actions: &mut Actions) {
    let ink = colors(ui);
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        if let Some(next_ms) = state.reaper.next_pass_ms.filter(|_| state.reaper.enabled) {
            let rest = duration::countdown(actions.count_down(&state.clock, next_ms));
            ui.label(text::rich(rest, text::mono()).color(ink.text));
            ui.label(text::rich("Next pass in", text::small()).color(ink.dim));
        }
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            let (icon, words, keys) = if paused {
                (Icon::Pause, "Paused".to_owned(), "Space starts")
            } else {
                (Icon::Play, format!("Running ×{rate}"), "Space pauses")
            };
            ui.label(icon.text().color(ink.overdue));
            ui.label(text::rich(words, text::strong()).color(ink.overdue));
            let keys = format!("{keys} · → next event");
            ui.add(Label::new(text::rich(keys, text::small()).color(ink.dim)).truncate());
        });
    });
}

/// A soft ring around the pointer: the last row can't see an arrow.
fn halo(ui: &Ui) {
    let Some(at) = ui.ctx().pointer_latest_pos() else { return };
    let ink = Colors::of_window(ui.ctx()).halo;
    // Painted, so that no click can meet it.
    let painter = ui.ctx().layer_painter(LayerId::new(Order::Tooltip, Id::unique("halo")));
    painter.circle_filled(at, sizes::HALO, faded(ink, 0.1));
    // Softer toward the outside.
    for (step, strength) in [(0.0, 0.75), (1.0, 0.3), (2.0, 0.1)] {
        let radius = sizes::HALO + step * sizes::HALO_RING;
        let stroke = Stroke::new(sizes::HALO_RING, faded(ink, strength));
        painter.circle(at, radius, Color32::TRANSPARENT, stroke);
    }
}

/// The presenter's notes, in a window of their own: on a second screen the room doesn't see them.
fn notes_ui(ui: &Ui, state: &State, playing: &Playing, actions: &mut Actions) {
    if !playing.shows_notes {
        return;
    }
    let id = egui::ViewportId::from_hash_of("presenter notes");
    let builder = egui::ViewportBuilder::default()
        .with_title("SIMULATED – Notes – Mayfly")
        .with_inner_size(sizes::NOTES);
    ui.ctx().show_viewport_immediate(id, builder, |ui, _| {
        let frame = Frame::new().fill(colors(ui).panel).inner_margin(Margin::same(16));
        CentralPanel::default().frame(frame).show(ui, |ui| {
            lesson::notes_ui(ui, state, playing, actions);
        });
        if ui.input(|input| input.viewport().close_requested()) {
            actions.push(Action::Lesson(LessonAction::Notes));
        }
        lesson::keys(ui.ctx(), state, actions);
    });
}

/// Escape leaves, unless it closes something else.
fn keys(context: &Context, state: &State, actions: &mut Actions) {
    let typed = Id::unique(TYPED);
    let was_typed = context.data(|data| data.get_temp(typed)).unwrap_or(false);
    let types = context.text_edit_focused();
    context.data_mut(|data| data.insert_temp(typed, types));
    let selects = state.tabs.active().is_some_and(|tab| {
        tab.view == ViewKind::Documents && documents::is_busy_with_selection(&tab.documents)
    });
    // Escape closes these first: a dialog, the palette, a menu, a selection, or the text that had
    // the keyboard.
    let is_busy =
        was_typed || selects || state.is_covered() || state.view.palette || menu::was_open(context);
    if !is_busy && context.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape)) {
        actions.push(Action::View(ViewAction::Present(false)));
    }
}
