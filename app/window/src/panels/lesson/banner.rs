//! The banner of a lesson: what is played, which time it is there, and the way out.

use egui::{Align, Label, Layout, Ui};

use super::super::main_menu;
use crate::action::{Action, Actions, LessonAction, ViewAction, lesson};
use crate::job::lesson::LessonRequest;
use crate::state::State;
use crate::state::clock::Mode;
use crate::state::lesson::Playing;
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::Button;
use crate::widgets::hint::Hint as _;
use crate::widgets::marks::visible;

/// A lesson runs on a separate store.
const SAFE: &str = "Nothing here touches your data";

pub(super) fn ui(ui: &mut Ui, state: &State, playing: &Playing, actions: &mut Actions) {
    let is_wide = ui.available_width() >= sizes::LESSON_BANNER_WIDE;
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        ui.spacing_mut().item_spacing.x = sizes::GAP_TINY;
        ui.add_space(sizes::GAP_SMALL);
        buttons_ui(ui, state, is_wide, actions);
        time_ui(ui, state, playing, actions);
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            words_ui(ui, playing, is_wide);
        });
    });
}

/// From right to left.
fn buttons_ui(ui: &mut Ui, state: &State, is_wide: bool, actions: &mut Actions) {
    let close = Button::icon_only(Icon::Close, lesson::CLOSE.label);
    if ui.add(close.tooltip(lesson::CLOSE.tooltip)).clicked() {
        actions.push(Action::Lesson(LessonAction::Close));
    }
    main_menu::button_ui(ui, state, actions);
    let request = |request| Action::Lesson(LessonAction::Request(request));
    let mut button = |icon, label: &str, tooltip: &str, action: Action| {
        let button =
            if is_wide { Button::ghost(label).icon(icon) } else { Button::icon_only(icon, label) };
        if ui.add(button.tooltip(tooltip)).clicked() {
            actions.push(action);
        }
    };
    let present = Action::View(ViewAction::Present(true));
    button(Icon::Drawer, "Present", "Show the lesson to a room (F11)", present);
    let back = &lesson::STEP_BACK;
    button(Icon::Undo, "Step back", back.tooltip, request(LessonRequest::StepBack));
    let restart = &lesson::RESTART;
    button(Icon::Refresh, restart.label, restart.tooltip, request(LessonRequest::RestartCard));
}

/// From right to left: the speed, the time, and that it is not real.
fn time_ui(ui: &mut Ui, state: &State, playing: &Playing, actions: &mut Actions) {
    let ink = colors(ui);
    ui.add_space(sizes::GAP_SMALL);
    ui.spacing_mut().item_spacing.x = sizes::GAP_SMALL;
    if let Mode::Simulated { rate, paused } = state.clock.mode() {
        let words = if paused { "paused".to_owned() } else { format!("×{}", rounded(rate)) };
        ui.label(text::rich(words, text::mono()).color(ink.text));
    }
    let (zone, shown_ms) = (state.clock.zone(), state.clock.shown_ms());
    actions.redraw_at(&state.clock, state.clock.next_step_ms());
    ui.label(text::rich(playing.time_shown(&state.clock), text::mono_strong()).color(ink.text))
        .hint(format!("{} {}", zone.date_time(shown_ms), zone.name(shown_ms)));
    ui.label(text::rich("SIMULATED", text::strong()).color(ink.overdue));
}

fn rounded(rate: f64) -> f64 {
    if rate >= 10.0 { rate.round() } else { (rate * 10.0).round() / 10.0 }
}

fn words_ui(ui: &mut Ui, playing: &Playing, is_wide: bool) {
    let ink = colors(ui);
    ui.spacing_mut().item_spacing.x = sizes::GAP_SMALL;
    ui.add_space(sizes::GAP);
    ui.label(text::rich("LESSON", text::strong()).color(ink.overdue));
    if let Some(view) = &playing.view {
        let number = format!("{}/{}", view.card + 1, view.cards.len());
        let title = text::rich(visible(playing.title()), text::title()).color(ink.text);
        // The count stays when the title is cut.
        let room = ui.available_width() - 60.0;
        ui.scope(|ui| {
            ui.set_max_width(room.max(40.0));
            ui.add(Label::new(title).truncate());
        });
        let spoken = format!("Card {} of {}", view.card + 1, view.cards.len());
        ui.label(text::rich(number, text::mono()).color(ink.text)).accessible_name(&spoken);
    }
    if is_wide {
        ui.add(Label::new(text::rich(SAFE, text::small()).color(ink.text)).truncate());
    }
}
