//! The start page: the workspace while no collection is open, or when the user asks for it. Says
//! what can be opened: the collections of this store, other stores, lessons.

use std::borrow::Cow;

use egui::{Align, Layout, ScrollArea, Ui};

use super::recent;
use crate::action::{
    Action, Actions, DialogAction, Entry, StoreAction, TabsAction, ViewAction, connect, help,
    lesson, sandbox, store, transfer, view,
};
use crate::job::OpenError;
use crate::state::dialogs::CreateDatabase;
use crate::state::view::Focus;
use crate::state::{Dialog, Phase, State};
use crate::theme::{Icon, sizes, text};
use crate::widgets::empty_state::{self, Picture};
use crate::widgets::marks::visible;
use crate::widgets::{Button, paint};

pub fn ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    if !state.tabs.open().is_empty() && state.is_open() {
        close_ui(ui, actions);
    }
    let (picture, sentence, button, action) = match &state.store.phase {
        Phase::Opening => {
            empty_state::ui(ui, Picture::Waiting, "Opening the store…", None);
            return;
        }
        Phase::Away(why) => {
            empty_state::ui(ui, Picture::Waiting, why, None);
            return;
        }
        Phase::Failed(OpenError { message, is_in_use, .. }) => {
            let again = StoreAction::Open(state.store.request.clone());
            let picture = if *is_in_use { Picture::Waiting } else { Picture::Failure };
            let sentence = match state.store.request.data_folder() {
                Ok(folder) if *is_in_use => {
                    let folder = visible(&folder.display().to_string());
                    format!("{message} Or open another folder, or quit.\n{folder}")
                }
                _ => message.clone(),
            };
            (picture, Cow::Owned(sentence), "Try again", Action::Store(again))
        }
        Phase::Open if state.tree.loaded && state.tree.collections() == 0 => {
            let dialog = Dialog::CreateDatabase(CreateDatabase::default());
            let action = Action::Dialog(DialogAction::Show(dialog));
            (Picture::Mayfly, "This store is empty".into(), "Create database…", action)
        }
        Phase::Open => {
            let sentence = "Select a collection to watch its documents expire";
            let action = Action::Tabs(TabsAction::Focus(Focus::Search));
            (Picture::Mayfly, sentence.into(), "Search collections", action)
        }
    };
    ScrollArea::vertical().id_salt("start page").auto_shrink(false).show(ui, |ui| {
        let others: Vec<&Entry> = other_stores(state).collect();
        let lines = lines(ui, &others);
        let (line, gap) = (sizes::CONTROL + sizes::GAP_TINY, sizes::GAP_LARGE);
        let count = u16::try_from(lines.len()).map_or(0.0, f32::from);
        let recent = recent::height(recent::others(state).len());
        let more = count * line + 2.0 * gap + recent;
        let pressed = empty_state::tall_ui(ui, picture, &sentence, Some(button), more, |ui| {
            ui.add_space(sizes::GAP_SMALL);
            for (width, entries) in lines {
                line_ui(ui, width, &entries, state, actions);
            }
            ui.add_space(gap);
            let width = sizes::RECENT_STORES.min(ui.available_width() - 2.0 * sizes::GAP);
            ui.scope(|ui| {
                ui.set_width(width);
                recent::ui(ui, state, actions);
            });
        });
        if pressed.is_some_and(|button| button.clicked()) {
            actions.push(action);
        }
    });
}

/// Entries in as few lines as have room for them, each line with its width.
fn lines<'a>(ui: &Ui, entries: &[&'a Entry]) -> Vec<(f32, Vec<&'a Entry>)> {
    let room = sizes::RECENT_STORES.min(ui.available_width() - 2.0 * sizes::GAP);
    let mut lines: Vec<(f32, Vec<&Entry>)> = Vec::new();
    for entry in entries {
        let label = paint::measured(ui, entry.label, text::body()).x;
        let width = label + 2.0 * sizes::CONTROL_PADDING;
        match lines.last_mut() {
            Some((taken, line)) if *taken + sizes::GAP_TINY + width <= room => {
                *taken += sizes::GAP_TINY + width;
                line.push(entry);
            }
            _ => lines.push((width, vec![entry])),
        }
    }
    lines
}

/// A line of entries in the middle.
fn line_ui(ui: &mut Ui, width: f32, entries: &[&Entry], state: &State, actions: &mut Actions) {
    let size = egui::vec2(width, sizes::CONTROL);
    ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
        ui.spacing_mut().item_spacing.x = sizes::GAP_TINY;
        for entry in entries {
            if ui.add(Button::ghost(entry.label).tooltip(entry.tooltip)).clicked()
                && let Some(action) = entry.now(state)
            {
                actions.push(action);
            }
        }
    });
}

/// Leads from the page back to the collection.
fn close_ui(ui: &mut Ui, actions: &mut Actions) {
    let size = egui::vec2(ui.available_width(), sizes::TAB_STRIP);
    ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
        ui.add_space(sizes::GAP);
        if ui.add(Button::icon_only(Icon::Close, "Close the start page")).clicked() {
            actions.push(Action::View(ViewAction::ShowStart(false)));
        }
    });
}

/// The ways to fill an empty store, and the other stores that can be opened: from the demo store
/// the user's own, from an empty one the demo, and a folder from everywhere. A store that could not
/// be opened also offers the way out.
fn other_stores(state: &State) -> impl Iterator<Item = &'static Entry> {
    let is_empty = state.tree.loaded && state.tree.collections() == 0;
    let other = match (state.store.demo, is_empty) {
        _ if !state.is_open() => None,
        (true, _) => Some(&store::OPEN_OWN),
        (false, true) => Some(&store::OPEN_DEMO),
        (false, false) => None,
    };
    let import =
        (state.is_open() && is_empty).then_some([&transfer::IMPORT, &transfer::IMPORT_FOLDER]);
    let lessons = state.is_open().then_some([&help::GUIDE, &lesson::PAGE]).into_iter().flatten();
    let sandbox = (!state.is_in_sandbox()).then_some(&sandbox::OPEN);
    let quit = matches!(state.store.phase, Phase::Failed(_)).then_some(&view::QUIT);
    let folder = [&store::OPEN_FOLDER, &connect::CONNECT];
    import
        .into_iter()
        .flatten()
        .chain(lessons)
        .chain(other)
        .chain(sandbox)
        .chain(folder)
        .chain(quit)
}
