//! The button that says how often passes run, and its menu.

use egui::Ui;

use crate::action::{Action, Actions, ReaperAction, reaper, trash};
use crate::state::reaper::Schedule;
use crate::state::trash::KEEP_SECS;
use crate::state::{State, duration};
use crate::widgets::hint::Hint as _;
use crate::widgets::{Button, menu};

/// The word for a monitor that is off.
const OFF: &str = "Off";

/// Draws the button.
pub fn ui(ui: &mut Ui, state: &State, offered: &[Schedule], actions: &mut Actions) {
    let is_off = state.clock.is_simulated() && !state.reaper.enabled;
    let label = if is_off { OFF.to_owned() } else { state.reaper.schedule().label() };
    let tooltip = "How often the TTL monitor runs";
    let button = Button::plain(&label).menu().name("TTL monitor schedule").tooltip(tooltip);
    let button = if state.clock.is_simulated() { button.small() } else { button };
    let response = ui.add(button);
    menu::below(&response, |ui| menu_ui(ui, state, offered, actions));
}

pub fn menu_ui(ui: &mut Ui, state: &State, offered: &[Schedule], actions: &mut Actions) {
    let (now, enabled) = (state.reaper.schedule(), state.reaper.enabled);
    for schedule in offered {
        if menu::choice(ui, &schedule.label(), *schedule == now && enabled).clicked() {
            actions.push(Action::Reaper(ReaperAction::SetSchedule(*schedule)));
            if state.clock.is_simulated() && !enabled {
                actions.push(Action::Reaper(ReaperAction::SetEnabled(true)));
            }
        }
    }
    if state.clock.is_simulated() && menu::choice(ui, OFF, !enabled).clicked() {
        actions.push(Action::Reaper(ReaperAction::SetEnabled(false)));
    }
    menu::line(ui);
    let is_on = state.reaper.trash_secs > 0;
    let keep = menu::choice(ui, &trash_label(state.reaper.trash_secs), is_on);
    if keep.hint(reaper::UNDO_ON.tooltip).clicked() {
        actions.push(Action::Reaper(ReaperAction::SetUndo(!is_on)));
    }
    menu::line(ui);
    let show = trash::SHOW;
    if menu::entry(ui, show.label, "", true).hint(show.tooltip).clicked()
        && let Some(action) = show.now(state)
    {
        actions.push(action);
    }
}

/// How long removed documents are kept, or would be.
fn trash_label(secs: u64) -> String {
    if secs == 0 || i64::try_from(secs) == Ok(i64::from(KEEP_SECS)) {
        return reaper::UNDO_ON.label.to_owned();
    }
    let ms = i64::try_from(secs).unwrap_or(i64::MAX).saturating_mul(1_000);
    format!("Keep removed documents in the trash for {}", duration::span(ms))
}
