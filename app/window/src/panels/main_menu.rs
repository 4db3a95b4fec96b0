//! The main menu: five groups with captions. Submenus have what belongs to a collection, to files, to
//! lessons and to help.

use egui::{ScrollArea, Ui};

use super::lesson::scenes;
use crate::action::{
    Action, Actions, Entry, Group, ViewAction, connect, dialog, entries, help, lesson, listener,
    maintenance, sandbox, store, transfer, trash, view,
};
use crate::state::State;
use crate::theme::{Icon, sizes};
use crate::widgets::hint::Hint as _;
use crate::widgets::{Button, menu};

/// The entries of the groups, in their order. The demo, the user's own store and the start page are
/// in the menu of the store, next to the listed stores; the lock of a server is in its own menu.
const STORE: [&Entry; 7] = [
    &store::REFRESH,
    &store::CREATE_DATABASE,
    &store::CREATE_COLLECTION,
    &store::TRAFFIC_ON,
    &store::TRAFFIC_OFF,
    &sandbox::OPEN,
    &sandbox::BACK,
];
const DATA: [&Entry; 4] = [&transfer::IMPORT, &transfer::EXPORT, &trash::SHOW, &maintenance::HOME];
const CONNECT: [&Entry; 2] = [&connect::CONNECT, &listener::SHOW];
const VIEW: [&Entry; 2] = [&view::PRESENT, &dialog::SETTINGS];
const LEARN: [&Entry; 2] = [&help::WHAT_IS_TTL, &help::GUIDE];
const LESSONS: [&Entry; 6] = [
    &lesson::PAGE,
    &lesson::EXAM,
    &lesson::OPEN_FILE,
    &lesson::SANDBOX,
    &lesson::SAVE,
    &lesson::HANDOUT,
];

/// Entries that are left out while they do nothing: their opposite is there then, or they belong to a
/// sandbox.
const WHEN_POSSIBLE: [&Entry; 3] = [&store::TRAFFIC_ON, &store::TRAFFIC_OFF, &sandbox::BACK];

/// The button that opens the menu.
pub(super) fn button_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let button = ui.add(Button::icon_only(Icon::More, "Menu"));
    let highest = ui.ctx().content_rect().bottom() - button.rect.bottom() - 2.0 * sizes::GAP;
    menu::below(&button, |ui| {
        // All groups are higher than the smallest window.
        ui.set_max_height(highest);
        ScrollArea::vertical().show(ui, |ui| menu_ui(ui, state, actions));
    });
}

fn menu_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    // Every group fits into a window of 640 points.
    ui.spacing_mut().interact_size.y = sizes::CONTROL_SMALL;
    ui.spacing_mut().button_padding.y = 3.0;
    ui.spacing_mut().item_spacing.y = 0.0;
    menu::caption(ui, "Store");
    group_ui(ui, state, &STORE, actions);
    menu::below_entry(ui, "Collection", |ui| of_collection_ui(ui, state, false, actions));
    menu::caption(ui, "Data");
    group_ui(ui, state, &DATA, actions);
    menu::below_entry(ui, "Folders and copies", |ui| {
        of_collection_ui(ui, state, true, actions);
    });
    menu::caption(ui, "Connect");
    group_ui(ui, state, &CONNECT, actions);
    menu::caption(ui, "View");
    group_ui(ui, state, &VIEW, actions);
    menu::caption(ui, "Learn");
    menu::below_entry(ui, "Lessons", |ui| {
        group_ui(ui, state, &LESSONS, actions);
        menu::line(ui);
        scenes::entries_ui(ui, state, actions);
    });
    group_ui(ui, state, &LEARN, actions);
    menu::below_entry(ui, "Help", |ui| {
        let is_elsewhere =
            |entry: &Entry| [&LESSONS[..], &LEARN, &VIEW].iter().any(|of| is_one_of(entry, of));
        for entry in entries().filter(|entry| entry.group == Group::Help) {
            if !is_elsewhere(entry) {
                entry_ui(ui, state, entry, actions);
            }
        }
    });
}

fn group_ui(ui: &mut Ui, state: &State, group: &[&Entry], actions: &mut Actions) {
    for entry in group {
        if entry.is_enabled(state) || !is_one_of(entry, &WHEN_POSSIBLE) {
            entry_ui(ui, state, entry, actions);
        }
    }
}

/// The entries of a collection: those that move documents, which the first level has in part, or the
/// others with what drops its database.
fn of_collection_ui(ui: &mut Ui, state: &State, is_moving: bool, actions: &mut Actions) {
    let moves = |entry: &Entry| {
        is_one_of(entry, &[&sandbox::COPY]) || is_one_of_all(entry, transfer::ENTRIES)
    };
    for entry in entries().filter(|entry| entry.group == Group::Collection) {
        if moves(entry) == is_moving && !is_one_of(entry, &DATA) {
            entry_ui(ui, state, entry, actions);
        }
    }
    if !is_moving {
        menu::line(ui);
        entry_ui(ui, state, &store::DROP_DATABASE, actions);
    }
}

fn is_one_of(entry: &Entry, of: &[&Entry]) -> bool {
    of.iter().any(|known| known.label == entry.label)
}

fn is_one_of_all(entry: &Entry, of: &[Entry]) -> bool {
    of.iter().any(|known| known.label == entry.label)
}

pub(super) fn entry_ui(ui: &mut Ui, state: &State, entry: &Entry, actions: &mut Actions) {
    let keys = entry.keys_text();
    let response = menu::entry(ui, entry.label, &keys, entry.is_enabled(state));
    if response.hint(entry.tooltip).clicked()
        && let Some(action) = entry.now(state)
    {
        actions.push(action);
    }
}

/// Copies the folder of the store.
pub(super) fn folder_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    if let Some(folder) = &state.store.folder
        && menu::entry(ui, "Copy data folder path", "", true).clicked()
    {
        actions.push(Action::View(ViewAction::Copy(folder.display().to_string())));
    }
}
