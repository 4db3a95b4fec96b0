//! Commands that the window has sent, in mongosh syntax.

use egui::{Align, Label, Layout, Role, Ui, WidgetInfo, vec2};

use crate::action::{Action, Actions, ConsoleAction, ViewAction};
use crate::panels::roots;
use crate::state::command_log::CommandRecord;
use crate::state::{State, duration};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::hint::Hint as _;
use crate::widgets::log_row::LogRow;
use crate::widgets::marks::visible;
use crate::widgets::{Button, code_box};

pub(super) fn row_ui(ui: &mut Ui, record: &CommandRecord, state: &State, actions: &mut Actions) {
    let colors = colors(ui);
    let time = state.clock.zone().time_of_day_millis(record.at_ms);
    let (icon, ink, spoken) = match &record.error {
        Some(_) => (Icon::Error, colors.error, "Failed command"),
        None => (Icon::Terminal, colors.dim, "Command"),
    };
    let end = |ui: &mut Ui| {
        let name = format!("Copy command {}", record.number);
        if ui.add(Button::icon_only(Icon::Copy, &name).small()).clicked() {
            actions.push(Action::View(ViewAction::Copy(record.text.clone())));
        }
        let name = format!("Open command {} in the console", record.number);
        if ui.add(Button::icon_only(Icon::Terminal, &name).small()).clicked() {
            actions.push(Action::Console(ConsoleAction::Insert(record.text.clone())));
        }
        let micros = duration::micros(record.micros);
        ui.label(text::rich(micros, text::mono_small()).color(colors.dim));
    };
    LogRow { icon, ink, spoken, time: &time }.ui(ui, end, |ui| {
        if !state.beside.is_empty() || state.commands.has_several_stores() {
            store_ui(ui, record, state);
        }
        let job = code_box::highlighted(ui, &record.text, f32::INFINITY);
        ui.add(Label::new(job).truncate().selectable(true)).hint_ui(|ui| {
            ui.set_max_width(sizes::DIALOG);
            ui.label(code_box::highlighted(ui, &record.text, sizes::DIALOG));
            if let Some(error) = &record.error {
                ui.label(text::rich(error.as_str(), text::body()).color(colors.error));
            }
        });
    });
}

/// The store that a command went to, with the mark that it has in the sidebar.
fn store_ui(ui: &mut Ui, record: &CommandRecord, state: &State) {
    let beside = state.beside.iter().map(|beside| &beside.parked.store);
    let mut open = beside.chain([&state.store]);
    let (icon, ink) = match open.find(|store| store.number == record.store) {
        Some(store) => roots::look(store, ui),
        None => (Icon::Database, colors(ui).dim),
    };
    let name = match state.commands.store_name(record) {
        "" => "Store".to_owned(),
        name => visible(name),
    };
    let size = vec2(sizes::COMMAND_STORE, ui.available_height());
    ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
        ui.set_width(sizes::COMMAND_STORE);
        ui.label(icon.text().color(ink));
        let label = text::rich(&name, text::small()).color(colors(ui).dim);
        let response = ui.add(Label::new(label).truncate());
        let spoken = format!("Sent to {name}");
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &spoken));
        response.hint(spoken);
    });
}
