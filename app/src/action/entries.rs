//! The entries of menus, palette and shortcuts: one table, collected from the regions.

use egui::{Id, Key, KeyboardShortcut, Modifiers};

use super::entry::Entry;
use super::{
    Action, aggregate, calendar, clock, connect, console, convert, dialog, documents, expiry,
    explain, help, indexes, lesson, listener, maintenance, reaper, schema, store, tabs, transfer,
    trash, view,
};
use crate::state::State;
use crate::state::console::INPUT;

/// Every entry, in the order of the menu.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    [
        store::ENTRIES,
        connect::ENTRIES,
        maintenance::ENTRIES,
        trash::ENTRIES,
        calendar::ENTRIES,
        listener::ENTRIES,
        transfer::ENTRIES,
        convert::ENTRIES,
        documents::ENTRIES,
        aggregate::ENTRIES,
        explain::ENTRIES,
        expiry::ENTRIES,
        schema::ENTRIES,
        indexes::ENTRIES,
        reaper::ENTRIES,
        clock::ENTRIES,
        tabs::ENTRIES,
        view::ENTRIES,
        console::ENTRIES,
        help::ENTRIES,
        dialog::ENTRIES,
        lesson::ENTRIES,
    ]
    .into_iter()
    .flatten()
}

/// The entry whose keys were pressed in this frame. While a text is being typed, keys without Ctrl
/// or Alt belong to the text, except function keys. Space and Enter press the control that the
/// keyboard is on, and Enter chooses in an open menu or palette. An arrow moves the keyboard to the
/// next control. A key alone that does nothing now is left to whatever is on the screen.
pub fn entry_for_keys(context: &egui::Context, state: &State, in_menu: bool) -> Option<Action> {
    let typing = context.text_edit_focused();
    let focused = context.memory(egui::Memory::focused);
    let on_control = focused.is_some();
    let in_console = focused == Some(Id::unique(INPUT));
    let mut sorted: Vec<&Entry> = entries().filter(|entry| entry.keys.is_some()).collect();
    // The more keys, the earlier: Ctrl+T must not take Ctrl+Shift+T.
    sorted.sort_by_key(|entry| {
        entry
            .keys
            .map_or(0, |keys| -(i32::from(keys.modifiers.shift) + i32::from(keys.modifiers.alt)))
    });
    for entry in sorted {
        let Some(keys) = entry.keys else { continue };
        let presses = keys.modifiers.is_none()
            && (on_control
                && matches!(keys.logical_key, Key::Space | Key::ArrowLeft | Key::ArrowRight)
                || (on_control || state.view.palette || in_menu) && keys.logical_key == Key::Enter);
        let is_text = typing && belongs_to_text(keys);
        if presses || is_text || in_console && belongs_to_console(keys) {
            continue;
        }
        let is_pressed = context.input(|input| input.key_pressed(keys.logical_key));
        if !is_pressed || keys.modifiers.is_none() && !entry.is_enabled(state) {
            continue;
        }
        // The keys are consumed, so that nothing else sees them.
        if context.input_mut(|input| input.consume_shortcut(&keys))
            && let Some(action) = entry.now(state)
        {
            return Some(action);
        }
    }
    None
}

/// The entry whose keys were pressed while a dialog or the guide is open. A dialog can be presented
/// and explained too; every other key is its own.
pub fn entry_for_keys_over_dialog(context: &egui::Context, state: &State) -> Option<Action> {
    let is_pressed =
        |keys: &KeyboardShortcut| context.input_mut(|input| input.consume_shortcut(keys));
    let pressed = [&view::PRESENT, &help::GUIDE]
        .into_iter()
        .find(|entry| entry.keys.as_ref().is_some_and(is_pressed))?;
    pressed.now(state)
}

/// Keys that mean something else while the console is typed into: clear, search the history, run
/// the selection.
fn belongs_to_console(keys: KeyboardShortcut) -> bool {
    keys.modifiers == Modifiers::COMMAND && matches!(keys.logical_key, Key::L | Key::R | Key::Enter)
}

fn belongs_to_text(keys: KeyboardShortcut) -> bool {
    let held = keys.modifiers;
    let edits =
        matches!(keys.logical_key, Key::Z | Key::A | Key::C | Key::V | Key::X) && held.command;
    let function = keys.logical_key.name().starts_with('F') && keys.logical_key.name().len() > 1;
    edits || (!held.command && !held.ctrl && !held.alt && !function)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_entries_share_keys_or_words() {
        let (mut keys, mut labels) = (BTreeSet::new(), BTreeSet::new());
        for entry in entries() {
            assert!(labels.insert(entry.label), "{} twice", entry.label);
            let text = entry.keys_text();
            assert!(text.is_empty() || keys.insert(text.clone()), "{text} twice");
            assert!(!entry.tooltip.ends_with('.'), "{}", entry.label);
        }
        assert!(keys.len() > 10);
    }
}
