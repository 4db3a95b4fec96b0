//! The entries of menus, palette and shortcuts: one table, collected from the regions.

use egui::{Key, KeyboardShortcut, Modifiers};

use super::Action;
use crate::state::State;

/// The section of an entry in the menu and the palette.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// The store.
    Store,
    /// Care for the store as a whole.
    Maintenance,
    /// The chosen collection.
    Collection,
    /// Documents.
    Documents,
    /// Time and the reaper.
    Time,
    /// Tabs.
    Tabs,
    /// How it looks.
    View,
    /// Help.
    Help,
}

impl Group {
    /// Its name.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Store => "Store",
            Self::Maintenance => "Maintenance",
            Self::Collection => "Collection",
            Self::Documents => "Documents",
            Self::Time => "Time",
            Self::Tabs => "Tabs",
            Self::View => "View",
            Self::Help => "Help",
        }
    }
}

/// One thing that can be asked for by name.
pub struct Entry {
    /// Its place.
    pub group: Group,
    /// Its words; `…` at the end when more is asked.
    pub label: &'static str,
    /// What it does, in one line.
    pub tooltip: &'static str,
    /// Its keys.
    pub keys: Option<KeyboardShortcut>,
    /// What it does now; `None`: it can't be done now.
    pub action: fn(&State) -> Option<Action>,
}

impl Entry {
    /// Whether it can be done now.
    #[must_use]
    pub fn is_enabled(&self, state: &State) -> bool {
        (self.action)(state).is_some()
    }

    /// Its keys as text, such as `Ctrl+Shift+T`.
    pub fn keys_text(&self) -> String {
        self.keys.as_ref().map(keys_text).unwrap_or_default()
    }
}

/// Every entry, in the order of the menu.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    [
        super::store::ENTRIES,
        super::maintenance::ENTRIES,
        super::trash::ENTRIES,
        super::listener::ENTRIES,
        super::transfer::ENTRIES,
        super::archive::ENTRIES,
        super::documents::ENTRIES,
        super::expiry::ENTRIES,
        super::indexes::ENTRIES,
        super::reaper::ENTRIES,
        super::clock::ENTRIES,
        super::tabs::ENTRIES,
        super::view::ENTRIES,
        super::dialog::ENTRIES,
    ]
    .into_iter()
    .flatten()
}

/// The entry whose keys were pressed in this frame. Takes the keys, so that nothing else sees them.
///
/// While a text is being typed, keys without Ctrl or Alt belong to the text, except function keys. Space presses the
/// control that the keyboard is on. A key alone that does nothing now is left to whatever is on the screen.
#[must_use]
pub fn entry_for_keys(context: &egui::Context, state: &State) -> Option<Action> {
    let typing = context.text_edit_focused();
    let on_control = context.memory(|memory| memory.focused().is_some());
    let mut sorted: Vec<&Entry> = entries().filter(|entry| entry.keys.is_some()).collect();
    // The more keys, the earlier: Ctrl+T must not take Ctrl+Shift+T.
    sorted.sort_by_key(|entry| {
        entry
            .keys
            .map_or(0, |keys| -(i32::from(keys.modifiers.shift) + i32::from(keys.modifiers.alt)))
    });
    for entry in sorted {
        let Some(keys) = entry.keys else { continue };
        let presses = on_control && keys == KeyboardShortcut::new(Modifiers::NONE, Key::Space);
        if presses || typing && belongs_to_text(keys) {
            continue;
        }
        let is_pressed = context.input(|input| input.key_pressed(keys.logical_key));
        if !is_pressed || keys.modifiers.is_none() && !entry.is_enabled(state) {
            continue;
        }
        if context.input_mut(|input| input.consume_shortcut(&keys))
            && let Some(action) = (entry.action)(state)
        {
            return Some(action);
        }
    }
    None
}

fn belongs_to_text(keys: KeyboardShortcut) -> bool {
    let held = keys.modifiers;
    let edits =
        matches!(keys.logical_key, Key::Z | Key::A | Key::C | Key::V | Key::X) && held.command;
    let function = keys.logical_key.name().starts_with('F') && keys.logical_key.name().len() > 1;
    edits || (!held.command && !held.ctrl && !held.alt && !function)
}

/// `Ctrl` and a key.
#[must_use]
pub const fn ctrl(key: Key) -> Option<KeyboardShortcut> {
    Some(KeyboardShortcut::new(Modifiers::COMMAND, key))
}

/// `Ctrl`, `Shift` and a key.
#[must_use]
pub const fn ctrl_shift(key: Key) -> Option<KeyboardShortcut> {
    Some(KeyboardShortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), key))
}

/// A key alone.
#[must_use]
pub const fn key(key: Key) -> Option<KeyboardShortcut> {
    Some(KeyboardShortcut::new(Modifiers::NONE, key))
}

/// Keys as text, such as `Ctrl+Shift+T`.
#[must_use]
pub fn keys_text(keys: &KeyboardShortcut) -> String {
    let mut text = String::new();
    if keys.modifiers.command || keys.modifiers.ctrl {
        text.push_str("Ctrl+");
    }
    if keys.modifiers.alt {
        text.push_str("Alt+");
    }
    if keys.modifiers.shift {
        text.push_str("Shift+");
    }
    text.push_str(match keys.logical_key {
        Key::Comma => ",",
        Key::Plus => "+",
        Key::Minus => "−",
        Key::Num0 => "0",
        Key::Num1 => "1",
        Key::Num2 => "2",
        Key::Num3 => "3",
        Key::ArrowLeft => "←",
        Key::ArrowRight => "→",
        other => other.name(),
    });
    text
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

    #[test]
    fn keys_read_as_they_are_pressed() {
        let check = |keys: Option<KeyboardShortcut>, expected: &str| {
            assert_eq!(keys.as_ref().map(keys_text).as_deref(), Some(expected));
        };
        check(ctrl(Key::P), "Ctrl+P");
        check(ctrl_shift(Key::T), "Ctrl+Shift+T");
        check(ctrl(Key::Comma), "Ctrl+,");
        check(key(Key::F1), "F1");
    }
}
