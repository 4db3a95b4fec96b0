//! Choices that stay.

use egui::{Align, Context, Layout, Ui};

use super::frame::DialogFrame;
use super::words::{close, quiet};
use crate::action::{Action, Actions, ViewAction, view};
use crate::job::DateStyle;
use crate::job::zone::zones_like;
use crate::state::State;
use crate::state::dialogs::SettingsDraft;
use crate::state::number::Grouping;
use crate::state::reaper::Schedule;
use crate::state::settings::{ThemeChoice, ZoneChoice};
use crate::theme::{colors, sizes, text};
use crate::widgets::field::Field;
use crate::widgets::hint::Hint as _;
use crate::widgets::{Button, tabs};

/// Time zones that are listed below a name that is typed.
const ZONES_LISTED_MAX: usize = 5;

/// Draws the settings. Every choice works at once.
pub fn ui(context: &Context, draft: &mut SettingsDraft, state: &State, actions: &mut Actions) {
    let frame = DialogFrame::<()>::new("Settings").done("Done");
    let outcome = frame.ui(context, |ui| {
        ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
        section(ui, "Look");
        theme_ui(ui, state, actions);
        zoom_ui(ui, state, actions);
        shown_ui(ui, state, actions);
        section(ui, "Times and numbers");
        time_ui(ui, draft, state, actions);
        section(ui, "TTL monitor");
        monitor_ui(ui, state, actions);
        folder_ui(ui, state, actions);
    });
    _ = outcome.end(actions);
}

fn section(ui: &mut Ui, title: &str) {
    ui.add_space(sizes::GAP_TINY);
    ui.label(text::rich(title, text::title()));
}

/// A choice with its name at the left.
fn line<R>(ui: &mut Ui, name: &str, choice: impl FnOnce(&mut Ui) -> R) -> R {
    let size = egui::vec2(ui.available_width(), sizes::CONTROL);
    ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
        ui.allocate_ui_with_layout(
            egui::vec2(sizes::SETTING_NAME, sizes::CONTROL),
            Layout::left_to_right(Align::Center),
            |ui| {
                ui.set_min_width(sizes::SETTING_NAME);
                ui.label(text::rich(name, text::body()).color(colors(ui).dim));
            },
        );
        choice(ui)
    })
    .inner
}

/// One of several words.
fn choice<T: Copy + PartialEq>(
    ui: &mut Ui,
    name: &str,
    all: &[T],
    chosen: T,
    word: impl Fn(T) -> String,
) -> Option<T> {
    let words: Vec<String> = all.iter().map(|one| word(*one)).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let at = all.iter().position(|one| *one == chosen).unwrap_or(usize::MAX);
    let pressed = line(ui, name, |ui| tabs::segmented(ui, name, &words, at))?;
    all.get(pressed).copied()
}

fn theme_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let label = |theme: ThemeChoice| theme.label().to_owned();
    if let Some(theme) = choice(ui, "Theme", &ThemeChoice::ALL, state.settings.theme, label) {
        actions.push(ViewAction::choose(state, |settings| settings.theme = theme));
    }
}

fn zoom_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    line(ui, "Zoom", |ui| {
        let zoom = state.zoom();
        let set = |zoom| Action::View(ViewAction::SetZoom(zoom));
        if ui.add(Button::plain("−").name("Smaller").tooltip("Ctrl+−")).clicked() {
            actions.push(set(zoom - 0.1));
        }
        ui.label(text::rich(format!("{:>3.0}%", zoom * 100.0), text::mono()));
        if ui.add(Button::plain("+").name("Larger").tooltip("Ctrl++")).clicked() {
            actions.push(set(zoom + 0.1));
        }
        if ui.add(Button::ghost("Reset")).clicked() {
            actions.push(set(1.0));
        }
        let present = view::PRESENT;
        let label = format!("{} ({})", present.label, present.keys_text());
        if ui.add(Button::ghost(&label).tooltip(present.tooltip)).clicked() {
            close(actions);
            actions.push(Action::View(ViewAction::Present(true)));
        }
    });
}

fn shown_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let mut inspector = state.settings.inspector;
    if ui.checkbox(&mut inspector, "Inspector panel").changed() {
        actions.push(Action::View(ViewAction::SetInspector(inspector)));
    }
    let mut still = state.settings.reduce_motion;
    if ui.checkbox(&mut still, "Reduce motion").changed() {
        actions.push(ViewAction::choose(state, |settings| settings.reduce_motion = still));
    }
    let mut compact = state.settings.compact;
    if ui.checkbox(&mut compact, "Compact rows").hint("More rows of tables on the screen").changed()
    {
        actions.push(ViewAction::choose(state, |settings| settings.compact = compact));
    }
    let mut background = state.settings.background_commands;
    let label = "Background commands in the Activity drawer";
    if ui.checkbox(&mut background, label).changed() {
        actions
            .push(ViewAction::choose(state, |settings| settings.background_commands = background));
    }
}

fn time_ui(ui: &mut Ui, draft: &mut SettingsDraft, state: &State, actions: &mut Actions) {
    let settings = &state.settings;
    zone_ui(ui, draft, state, actions);
    let label = |style: DateStyle| style.label().to_owned();
    if let Some(style) = choice(ui, "Dates", &DateStyle::ALL, settings.date_style, label) {
        actions.push(ViewAction::choose(state, |settings| settings.date_style = style));
    }
    let label = |grouping: Grouping| grouping.label().to_owned();
    if let Some(grouping) = choice(ui, "Numbers", &Grouping::ALL, settings.grouping, label) {
        actions.push(ViewAction::choose(state, |settings| settings.grouping = grouping));
    }
    quiet(ui, "Documents and commands are always written as in mongosh, in UTC");
}

/// The zone: that of this machine, UTC, or another one by its name.
fn zone_ui(ui: &mut Ui, draft: &mut SettingsDraft, state: &State, actions: &mut Actions) {
    let chosen = &state.settings.zone;
    let other = match chosen {
        ZoneChoice::Named(name) => name.as_str(),
        ZoneChoice::Local | ZoneChoice::Utc => "Other…",
    };
    let words = [view::LOCAL_TIME.label, view::UTC.label, other];
    let at = match chosen {
        _ if draft.zone.is_some() => 2,
        ZoneChoice::Local => 0,
        ZoneChoice::Utc => 1,
        ZoneChoice::Named(_) => 2,
    };
    let set = |zone| ViewAction::choose(state, |settings| settings.zone = zone);
    let id = egui::Id::unique("time zone");
    match line(ui, "Time zone", |ui| tabs::segmented(ui, "Time zone", &words, at)) {
        Some(0) => {
            draft.zone = None;
            actions.push(set(ZoneChoice::Local));
        }
        Some(1) => {
            draft.zone = None;
            actions.push(set(ZoneChoice::Utc));
        }
        Some(_) => {
            draft.zone = Some(String::new());
            ui.memory_mut(|memory| memory.request_focus(id));
        }
        None => {}
    }
    let Some(typed) = &mut draft.zone else { return };
    let mut pressed = None;
    line(ui, "", |ui| {
        let name = "Time zone name";
        let field = Field { name, hint: "Berlin", id: Some(id), ..Field::default() };
        let response = field.ui(ui, typed);
        if response.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter)) {
            pressed = zones_like(typed).next();
        }
    });
    let found: Vec<&str> = zones_like(typed).take(ZONES_LISTED_MAX).collect();
    if found.is_empty() {
        line(ui, "", |ui| quiet(ui, "No time zone has this name"));
    }
    if !typed.trim().is_empty() {
        for name in found {
            if line(ui, "", |ui| ui.add(Button::ghost(name).small()).clicked()) {
                pressed = Some(name);
            }
        }
    }
    if let Some(name) = pressed {
        draft.zone = None;
        actions.push(set(ZoneChoice::Named(name.to_owned())));
    }
}

fn monitor_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let label = Schedule::label;
    let chosen = state.settings.schedule;
    if let Some(schedule) = choice(ui, "Passes", &Schedule::OFFERED, chosen, label) {
        actions.push(ViewAction::choose(state, |settings| settings.schedule = schedule));
    }
    quiet(ui, "For every store on the system clock, from when it is opened");
}

fn folder_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let Some(folder) = &state.store.folder else { return };
    section(ui, "Data folder");
    let size = egui::vec2(ui.available_width(), sizes::CONTROL);
    ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
        let path = folder.display().to_string();
        if ui.add(Button::plain("Copy path").small()).clicked() {
            actions.push(Action::View(ViewAction::Copy(path.clone())));
        }
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            let words = text::rich(&path, text::mono()).color(colors(ui).dim);
            ui.add(egui::Label::new(words).truncate()).hint(path);
        });
    });
}
