//! A lesson in front of a room: the card next to the lanes, large, and black on request.

use egui::{Align, CentralPanel, Frame, Id, Label, LayerId, Layout, Margin, Order, Panel, Ui};

use super::super::{held_banner, workspace};
use super::actions::LessonActions;
use super::card;
use crate::action::Actions;
use crate::job::lesson::{LessonView, Part};
use crate::state::lesson::catalog::{self, After};
use crate::state::lesson::{Playing, Way, steps};
use crate::state::{Drafts, State, duration};
use crate::theme::{colors, sizes, text};
use crate::widgets::marks::visible;

/// Lays it out. Returns where the lanes end.
pub fn ui(
    ui: &mut Ui,
    state: &State,
    playing: &Playing,
    drafts: &mut Drafts,
    actions: &mut Actions,
) -> f32 {
    let fill = colors(ui).panel;
    let line = Frame::new().fill(fill).inner_margin(Margin::symmetric(16, 0));
    Panel::top("presented lesson")
        .exact_size(sizes::PRESENTED_TITLE)
        .frame(line)
        .show_separator_line(false)
        .show(ui, |ui| title_ui(ui, state, playing, actions));
    held_banner::panel_ui(ui, state, actions);
    // Three members need more room than lanes alone.
    let has_members = playing.view.as_ref().is_some_and(|view| !view.members.is_empty());
    let width = ui.available_width() * if has_members { 0.33 } else { 0.42 };
    Panel::left("presented card")
        .exact_size(width)
        .resizable(false)
        .frame(Frame::new().fill(fill))
        .show(ui, |ui| card::ui(ui, state, playing, &mut LessonActions { queue: actions }));
    let view = CentralPanel::default().frame(Frame::new().fill(fill)).show(ui, |ui| {
        if super::members_ui(ui, state, actions) {
            return;
        }
        let together = state.tabs_together();
        if !together.is_empty() {
            workspace::together_ui(ui, state, &together, drafts, actions);
        } else if let Some(tab) = state.tabs.active() {
            workspace::view_ui(ui, state, tab, drafts, actions);
        }
    });
    view.response.rect.bottom()
}

fn title_ui(ui: &mut Ui, state: &State, playing: &Playing, actions: &mut Actions) {
    let ink = colors(ui);
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        let time = playing.time_shown(&state.clock);
        ui.label(text::rich(time, text::figure()).color(ink.text));
        ui.label(text::rich("SIMULATED", text::strong()).color(ink.overdue));
        actions.redraw_at(&state.clock, state.clock.next_step_ms());
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            if let Some(view) = &playing.view {
                let number = format!("{}/{}", view.card + 1, view.cards.len());
                ui.label(text::rich(number, text::mono()).color(ink.dim));
            }
            let title = text::rich(visible(playing.title()), text::heading()).color(ink.text);
            ui.add(Label::new(title).truncate());
        });
    });
}

/// The title of the next card, or of the next lesson.
fn next_title(state: &State, playing: &Playing, view: &LessonView) -> String {
    let next = view.lesson.cards.get(view.card + 1).filter(|_| !playing.is_at_last_card());
    if let Some(next) = next {
        return next.title.clone();
    }
    let Some(list) = &state.lessons.list else { return String::new() };
    match catalog::after(list, &view.source, &playing.way) {
        After::Lesson(next) => next.title.clone(),
        After::Stop(next) => catalog::title(list, &next.source),
        After::Summary(_) | After::TourEnd | After::Page => "The end".to_owned(),
    }
}

/// Draws the black screen.
pub fn over_ui(ui: &Ui, playing: &Playing) {
    if playing.is_black {
        let rect = ui.ctx().content_rect();
        let layer = LayerId::new(Order::Tooltip, Id::unique("black screen"));
        ui.ctx().layer_painter(layer).rect_filled(rect, 0.0, colors(ui).blank);
    }
}

/// The presenter's page: this card's notes, what comes next, and how long it has taken.
pub fn notes_ui(ui: &mut Ui, state: &State, playing: &Playing, actions: &mut Actions) {
    let ink = colors(ui);
    let Some(view) = &playing.view else { return };
    let passed = state.uptime.saturating_sub(playing.since).as_millis();
    let timer = duration::elapsed(i64::try_from(passed).unwrap_or(i64::MAX));
    ui.label(text::rich(timer, text::figure()).color(ink.text)).accessible_name("Timer");
    actions.redraw_after(std::time::Duration::from_secs(1));
    let mut actions = LessonActions { queue: actions };
    if let Some(now) = steps::card(view) {
        ui.label(text::rich(visible(&now.title), text::heading()).color(ink.text));
        for part in &now.parts {
            if let Part::Notes(notes) = part {
                card::prose_ui(ui, notes, &mut actions);
            }
        }
    }
    ui.add_space(sizes::GAP_LARGE);
    let words = format!("Next: {}", visible(&next_title(state, playing, view)));
    ui.label(text::rich(words, text::title()).color(ink.dim));
    if let Way::Tour { tour, at } = &playing.way {
        let words = format!("{}: {} of {}", visible(&tour.title), at + 1, tour.stops.len());
        ui.label(text::rich(words, text::body()).color(ink.dim));
    }
}
