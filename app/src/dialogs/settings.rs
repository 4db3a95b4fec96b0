//! Choices that stay.

use egui::{Align, Context, Layout, Ui};

use super::close;
use crate::action::{Action, Actions, ViewAction, view};
use crate::job::DateStyle;
use crate::state::State;
use crate::state::number::Grouping;
use crate::state::reaper::Schedule;
use crate::state::settings::ThemeChoice;
use crate::theme::{colors, sizes, text};
use crate::widgets::hint::Hint as _;
use crate::widgets::{Button, modal, tabs};

/// Draws the settings. Every choice works at once.
pub fn ui(context: &Context, state: &State, actions: &mut Actions) {
    let mut done = false;
    let closing = modal::ui(
        context,
        "Settings",
        "",
        sizes::DIALOG,
        &mut (),
        |ui, ()| {
            ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
            section(ui, "Look");
            theme_ui(ui, state, actions);
            zoom_ui(ui, state, actions);
            shown_ui(ui, state, actions);
            section(ui, "Times and numbers");
            time_ui(ui, state, actions);
            section(ui, "TTL monitor");
            monitor_ui(ui, state, actions);
            folder_ui(ui, state, actions);
        },
        |ui, ()| done = modal::answer_ui(ui, Button::primary("Done")),
    );
    if done || closing.closes() {
        close(actions);
    }
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
        actions.push(Action::View(ViewAction::SetTheme(theme)));
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
        actions.push(Action::View(ViewAction::SetReduceMotion(still)));
    }
    let mut background = state.settings.background_commands;
    let label = "Background commands in the Commands drawer";
    if ui.checkbox(&mut background, label).changed() {
        actions.push(Action::View(ViewAction::SetBackgroundCommands(background)));
    }
}

fn time_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let settings = &state.settings;
    let zone = |utc: bool| if utc { view::UTC.label } else { view::LOCAL_TIME.label }.to_owned();
    if let Some(utc) = choice(ui, "Time zone", &[false, true], settings.utc, zone) {
        actions.push(Action::View(ViewAction::SetUtc(utc)));
    }
    let label = |style: DateStyle| style.label().to_owned();
    if let Some(style) = choice(ui, "Dates", &DateStyle::ALL, settings.date_style, label) {
        actions.push(Action::View(ViewAction::SetDateStyle(style)));
    }
    let label = |grouping: Grouping| grouping.label().to_owned();
    if let Some(grouping) = choice(ui, "Numbers", &Grouping::ALL, settings.grouping, label) {
        actions.push(Action::View(ViewAction::SetGrouping(grouping)));
    }
    quiet(ui, "Documents and commands are always written as in mongosh, in UTC");
}

fn monitor_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let label = Schedule::label;
    let chosen = state.settings.schedule;
    if let Some(schedule) = choice(ui, "Passes", &Schedule::OFFERED, chosen, label) {
        actions.push(Action::View(ViewAction::SetDefaultSchedule(schedule)));
    }
    quiet(ui, "For every store on the system clock, from when it is opened");
}

fn quiet(ui: &mut Ui, words: &str) {
    ui.label(text::rich(words, text::small()).color(colors(ui).dim));
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
