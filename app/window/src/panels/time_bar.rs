//! The bar under the top bar while time is simulated: it says so, and holds time.

use bson::Document;
use egui::{Align, Frame, Label, Layout, Margin, Panel, Ui, vec2};
use mayfly_engine::value::shell::write_command;

use super::schedule;
use crate::action::{Action, Actions, ClockAction, ReaperAction, SandboxAction, reaper, sandbox};
use crate::commands;
use crate::state::State;
use crate::state::clock::{Mode, RATES};
use crate::state::reaper::Schedule;
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::hint::Hint as _;
use crate::widgets::{Button, menu};

/// The controls that fit into the bar. The others are in its menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Width {
    /// Time, and the controls that move it.
    Narrow,
    /// The period and the button that runs a pass too.
    Middle,
    /// A button for each speed too.
    Wide,
}

impl Width {
    fn of(width: f32) -> Self {
        match width {
            width if width >= sizes::TIME_BAR_WIDE => Self::Wide,
            width if width >= sizes::TIME_BAR_MIDDLE => Self::Middle,
            _ => Self::Narrow,
        }
    }
}

/// Draws the bar if time is simulated.
pub fn panel_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let Mode::Simulated { rate, paused } = state.clock.mode() else {
        // The widgets below keep their ids, or a press on one would be lost when the bar appears.
        ui.skip_ahead_auto_ids(1);
        return;
    };
    if !state.is_simulated() {
        ui.skip_ahead_auto_ids(1);
        return;
    }
    actions.redraw_at(&state.clock, state.clock.next_step_ms());
    let background = colors(ui).overdue_background;
    let is_low = ui.ctx().content_rect().height() < sizes::TIME_BAR_LOW;
    let margin = Margin::symmetric(12, if is_low { 1 } else { 5 });
    let frame = Frame::new().fill(background).inner_margin(margin);
    Panel::top("time bar").frame(frame).show(ui, |ui| {
        let width = Width::of(ui.available_width());
        // As high as what is in it, also after a window in which it was higher.
        let size = vec2(ui.available_width(), sizes::CONTROL);
        ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = sizes::GAP_TINY;
            leave_ui(ui, state, width, actions);
            monitor_ui(ui, state, width, actions);
            rates_ui(ui, (rate, paused), width, actions);
            moves_ui(ui, state, paused, actions);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| words_ui(ui, state));
        });
    });
}

/// Draws the controls of a lesson's time, below its lanes. The banner has the words.
pub fn lesson_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let Mode::Simulated { rate, paused } = state.clock.mode() else { return };
    let margin = Margin::symmetric(12, 5);
    let frame = Frame::new().fill(colors(ui).overdue_background).inner_margin(margin);
    Panel::bottom("lesson time").frame(frame).show(ui, |ui| {
        let width = Width::of(ui.available_width() + sizes::TIME_BAR_WORDS);
        let size = vec2(ui.available_width(), sizes::CONTROL);
        let is_open = state.lessons.has_open_question();
        ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = sizes::GAP_TINY;
            let controls = ui.add_enabled_ui(!is_open, |ui| {
                monitor_ui(ui, state, width, actions);
                rates_ui(ui, (rate, paused), width, actions);
                moves_ui(ui, state, paused, actions);
            });
            if is_open {
                let place = controls.response.rect;
                let all = ui.interact(place, ui.scope_id().with("held"), egui::Sense::hover());
                all.hint(ANSWER_FIRST);
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    let words = text::rich(ANSWER_FIRST, text::small()).color(colors(ui).text);
                    ui.add(Label::new(words).truncate());
                });
            }
        });
    });
}

/// Why time can't be moved while a question of a lesson is open.
const ANSWER_FIRST: &str = "Choose an answer first";

/// The word, the time, and what it means.
fn words_ui(ui: &mut Ui, state: &State) {
    let colors = colors(ui);
    ui.spacing_mut().item_spacing.x = sizes::GAP_SMALL;
    ui.label(text::rich("SIMULATED", text::strong()).color(colors.overdue));
    let (zone, shown_ms) = (state.clock.zone(), state.clock.shown_ms());
    let time = format!("{} {}", zone.date_time(shown_ms), zone.name(shown_ms));
    ui.label(text::rich(time, text::mono()).color(colors.text));
    let words = if state.is_in_sandbox() {
        "Your own data is not affected"
    } else {
        "Documents expire on this clock"
    };
    let label = Label::new(text::rich(words, text::small()).color(colors.text));
    ui.add(label.truncate()).hint(words);
}

/// The tooltip of a control: its effect, its keys, and its command.
fn hint(words: &str, keys: &str, command: &Document) -> String {
    let keys = if keys.is_empty() { String::new() } else { format!(" ({keys})") };
    format!("{words}{keys}\n{}", write_command("admin", command))
}

/// From right to left: the next pass, the next event, a step, play or pause.
fn moves_ui(ui: &mut Ui, state: &State, paused: bool, actions: &mut Actions) {
    let mut button = |icon, name: &str, keys: &str, enabled, action: ClockAction| {
        let tooltip = hint(name, keys, &action.command());
        let button = Button::icon_only(icon, name).enabled(enabled).tooltip(&tooltip);
        // Pausing changes its name, and the keyboard stays on it.
        let button = if keys == "Space" { button.known_as("play") } else { button };
        if ui.add(button).clicked() {
            actions.push(Action::Clock(action));
        }
    };
    let has_pass = state.reaper.enabled && state.reaper.next_pass_ms.is_some();
    button(Icon::NextPass, "Advance to the next pass", "", has_pass, ClockAction::ToNextPass);
    button(Icon::Step, "Advance to the next event", "→", true, ClockAction::ToNextEvent);
    button(Icon::StepSecond, "Advance by one second", "", true, ClockAction::Advance(1_000));
    let (icon, name) =
        if paused { (Icon::Play, "Start the clock") } else { (Icon::Pause, "Pause the clock") };
    button(icon, name, "Space", true, ClockAction::SetPaused(!paused));
}

/// From right to left.
fn rates_ui(ui: &mut Ui, (rate, paused): (f64, bool), width: Width, actions: &mut Actions) {
    let is_chosen = |offered: f64| (offered - rate).abs() < f64::EPSILON;
    let label = |offered: f64| format!("×{offered}");
    let tooltip = |offered: f64| {
        let words = format!("Run {offered} seconds of store time per second");
        hint(&words, "", &ClockAction::SetRate(offered).command())
    };
    if width < Width::Wide {
        let chosen = label(rate);
        let button = Button::plain(&chosen).menu().small().name("Speed");
        let response = ui.add(button.tooltip("How fast the clock runs"));
        menu::below(&response, |ui| {
            for offered in RATES {
                let choice = menu::choice(ui, &label(offered), is_chosen(offered) && !paused);
                if choice.hint(tooltip(offered)).clicked() {
                    actions.push(Action::Clock(ClockAction::SetRate(offered)));
                }
            }
        });
        return;
    }
    for offered in RATES.into_iter().rev() {
        let (label, tooltip) = (label(offered), tooltip(offered));
        let button = Button::plain(&label).small().selected(is_chosen(offered));
        if ui.add(button.tooltip(&tooltip)).clicked() {
            actions.push(Action::Clock(ClockAction::SetRate(offered)));
        }
    }
}

/// From right to left: how often passes run, and a pass now.
fn monitor_ui(ui: &mut Ui, state: &State, width: Width, actions: &mut Actions) {
    let run = reaper::RUN_NOW;
    let tooltip = hint(run.tooltip, &run.keys_text(), &commands::reaper::run_pass());
    if width > Width::Narrow {
        schedule::ui(ui, state, &Schedule::SIMULATED, actions);
        if ui.add(Button::plain(run.label).small().tooltip(&tooltip)).clicked() {
            actions.push(Action::Reaper(ReaperAction::RunNow));
        }
        return;
    }
    let more = ui.add(Button::icon_only(Icon::Timer, "TTL monitor passes"));
    menu::below(&more, |ui| {
        if menu::entry(ui, run.label, "", true).hint(tooltip).clicked() {
            actions.push(Action::Reaper(ReaperAction::RunNow));
        }
        menu::line(ui);
        schedule::menu_ui(ui, state, &Schedule::SIMULATED, actions);
    });
}

fn leave_ui(ui: &mut Ui, state: &State, width: Width, actions: &mut Actions) {
    if !state.is_in_sandbox() {
        return;
    }
    let back = sandbox::BACK;
    let button = if width < Width::Wide {
        Button::icon_only(Icon::Back, back.label)
    } else {
        Button::plain(back.label).small()
    };
    if ui.add(button.tooltip(back.tooltip)).clicked() {
        actions.push(Action::Sandbox(SandboxAction::Back));
    }
}
