//! The messages of the window's corner, after they left the screen.

use egui::{Label, Ui};

use super::reserved;
use crate::action::{Action, Actions, ViewAction};
use crate::state::State;
use crate::state::toasts::{Kind, Message};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::hint::Hint as _;
use crate::widgets::log_row::LogRow;
use crate::widgets::{Button, empty_state};

/// Draws the messages, the newest first.
pub fn ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let log = state.toasts.log();
    if log.is_empty() {
        empty_state::hint(ui, "No messages since the window was opened");
        return;
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    reserved::scroll("messages").show_rows(ui, sizes::CONTROL_SMALL, log.len(), |ui, rows| {
        let shown = log.iter().rev().enumerate().skip(rows.start).take(rows.len());
        for (at, message) in shown {
            message_ui(ui, at + 1, message, state, actions);
        }
    });
}

fn message_ui(ui: &mut Ui, number: usize, message: &Message, state: &State, actions: &mut Actions) {
    let colors = colors(ui);
    let (icon, ink, word) = match message.kind {
        Kind::Info => (Icon::Info, colors.busy, "Information"),
        Kind::Done => (Icon::Check, colors.saved, "Done"),
        Kind::Warning => (Icon::Warning, colors.text, "Warning"),
        Kind::Error => (Icon::Error, colors.error, "Error"),
    };
    let age = state.uptime.saturating_sub(message.since).as_millis();
    let at_ms = state.wall_ms.saturating_sub(i64::try_from(age).unwrap_or(i64::MAX));
    let time = state.zone().time_of_day(at_ms);
    let end = |ui: &mut Ui| {
        let name = format!("Copy message {number}");
        if ui.add(Button::icon_only(Icon::Copy, &name).small()).clicked() {
            actions.push(Action::View(ViewAction::Copy(message.text.clone())));
        }
    };
    LogRow { icon, ink, spoken: word, time: &time }.ui(ui, end, |ui| {
        let words = text::rich(message.text.as_str(), text::body()).color(colors.text);
        ui.add(Label::new(words).truncate().selectable(true)).hint(message.text.as_str());
    });
}
