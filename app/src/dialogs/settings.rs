//! Choices that stay.

use egui::{Context, Ui};

use super::close;
use crate::action::{Action, Actions, ViewAction, view};
use crate::state::State;
use crate::state::settings::ThemeChoice;
use crate::theme::{colors, sizes, text};
use crate::widgets::{Button, modal, tabs};

/// Draws the settings. Every choice works at once.
pub fn ui(context: &Context, state: &State, actions: &mut Actions) {
    let mut done = false;
    let closing = modal::ui(
        context,
        "Settings",
        "",
        sizes::DIALOG_NARROW,
        &mut (),
        |ui, ()| {
            theme_ui(ui, state, actions);
            zoom_ui(ui, state, actions);
            shown_ui(ui, state, actions);
        },
        |ui, ()| done = modal::answer_ui(ui, Button::primary("Done")),
    );
    if done || closing.closes() {
        close(actions);
    }
}

fn section(ui: &mut Ui, title: &str) {
    ui.label(text::rich(title, text::title()));
}

fn theme_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    section(ui, "Theme");
    let words = ThemeChoice::ALL.map(ThemeChoice::label);
    let chosen = ThemeChoice::ALL.iter().position(|choice| *choice == state.settings.theme);
    if let Some(at) = tabs::segmented(ui, "Theme", &words, chosen.unwrap_or(0))
        && let Some(choice) = ThemeChoice::ALL.get(at)
    {
        actions.push(Action::View(ViewAction::SetTheme(*choice)));
    }
}

fn zoom_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    section(ui, "Zoom");
    ui.horizontal(|ui| {
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
    section(ui, "Show");
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
    let folder = state.store.folder.as_ref().map(|folder| folder.display().to_string());
    if let Some(folder) = folder {
        section(ui, "Data folder");
        let ink = colors(ui).dim;
        ui.label(text::rich(folder, text::mono()).color(ink));
    }
}
