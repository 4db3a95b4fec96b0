//! The entry that was asked for with keys in this frame.

use egui::{Context, Id, Key, KeyboardShortcut, Memory, Modifiers};

use crate::action::keys::Keys;
use crate::action::{Action, Entry, entries, help, view};
use crate::state::State;
use crate::state::console::INPUT;
use crate::state::lesson::MAIN_CONTROL;

/// The entry whose keys were pressed in this frame. While a text is being typed, keys without Ctrl
/// belong to the text, except function keys. Space and Enter press the control that the
/// keyboard is on, and Enter chooses in an open menu or palette. An arrow moves the keyboard to the
/// next control, but on the main control of a lesson it is the lesson's. A key alone that does nothing now is left to whatever is on the screen.
pub fn entry_for_keys(context: &Context, state: &State, in_menu: bool) -> Option<Action> {
    let typing = context.text_edit_focused();
    let focused = context.memory(Memory::focused);
    let on_control = focused.is_some();
    let main = context.data(|data| data.get_temp::<Id>(Id::unique(MAIN_CONTROL)));
    let on_main = state.lessons.is_playing() && on_control && focused == main;
    let in_console = focused == Some(Id::unique(INPUT));
    let with_keys = entries().filter_map(|entry| Some((entry, entry.keys?)));
    let mut sorted: Vec<(&Entry, Keys)> = with_keys.collect();
    // The more keys, the earlier: Ctrl+T must not take Ctrl+Shift+T.
    sorted.sort_by_key(|(_, keys)| !keys.shift);
    for (entry, keys) in sorted {
        let presses = keys.is_alone()
            && (on_control && keys.key == "Space"
                || on_control && !on_main && matches!(keys.key, "←" | "→")
                || (on_control || state.view.palette || in_menu) && keys.key == "Enter");
        let is_text = typing && belongs_to_text(keys);
        if presses || is_text || in_console && belongs_to_console(keys) {
            continue;
        }
        let Some(shortcut) = shortcut(keys) else { continue };
        let is_pressed = context.input(|input| input.key_pressed(shortcut.logical_key));
        if !is_pressed || keys.is_alone() && !entry.is_enabled(state) {
            continue;
        }
        // The keys are consumed, so that nothing else sees them.
        if context.input_mut(|input| input.consume_shortcut(&shortcut))
            && let Some(action) = entry.now(state)
        {
            return Some(action);
        }
    }
    None
}

/// The entry whose keys were pressed while a dialog or the guide is open. A dialog can be presented
/// and explained too; every other key is its own.
pub fn entry_for_keys_over_dialog(context: &Context, state: &State) -> Option<Action> {
    let is_pressed = |keys| context.input_mut(|input| input.consume_shortcut(&keys));
    let pressed = [&view::PRESENT, &help::GUIDE]
        .into_iter()
        .find(|entry| entry.keys.and_then(shortcut).is_some_and(is_pressed))?;
    pressed.now(state)
}

/// The keys as egui knows them. `None` for an unknown name.
fn shortcut(keys: Keys) -> Option<KeyboardShortcut> {
    let key = match keys.key {
        "←" => Key::ArrowLeft,
        "→" => Key::ArrowRight,
        name => Key::from_name(name)?,
    };
    let mut modifiers = if keys.ctrl { Modifiers::COMMAND } else { Modifiers::NONE };
    modifiers.shift = keys.shift;
    Some(KeyboardShortcut::new(modifiers, key))
}

/// Keys that mean something else while the console is typed into: clear, search the history, run
/// the selection.
fn belongs_to_console(keys: Keys) -> bool {
    keys.ctrl && !keys.shift && matches!(keys.key, "L" | "R" | "Enter")
}

fn belongs_to_text(keys: Keys) -> bool {
    let edits = matches!(keys.key, "Z" | "A" | "C" | "V" | "X") && keys.ctrl;
    let is_function = keys.key.starts_with('F') && keys.key.len() > 1;
    edits || !keys.ctrl && !is_function
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_names_keys_that_exist() {
        let named: Vec<Keys> = entries().filter_map(|entry| entry.keys).collect();
        assert!(named.len() > 10);
        for keys in named {
            assert!(shortcut(keys).is_some(), "{keys}");
        }
    }
}
