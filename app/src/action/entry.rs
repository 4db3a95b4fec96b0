//! An entry of menus, palette and shortcuts.

use egui::{Key, KeyboardShortcut, Modifiers};
use mayfly_engine::value::named;

use super::Action;
use crate::state::State;

named! {
    /// The section of an entry in the menu and the palette.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Group {
        Store => "Store",
        /// Care for the store as a whole.
        Maintenance => "Maintenance",
        Collection => "Collection",
        Documents => "Documents",
        Time => "Time",
        Tabs => "Tabs",
        View => "View",
        Help => "Help",
    }
    /// Its name.
    pub fn label;
}

/// One thing that can be asked for by name.
pub struct Entry {
    pub group: Group,
    /// Its words; `…` at the end when more is asked.
    pub label: &'static str,
    /// The effect, in one line.
    pub tooltip: &'static str,
    pub keys: Option<KeyboardShortcut>,
    /// The present action. `None` if it can't be done now.
    pub action: fn(&State) -> Option<Action>,
}

impl Entry {
    /// Its keys as text, such as `Ctrl+Shift+T`.
    pub fn keys_text(&self) -> String {
        self.keys.as_ref().map(keys_text).unwrap_or_default()
    }
}

/// `Ctrl` and a key.
pub const fn ctrl(key: Key) -> Option<KeyboardShortcut> {
    Some(KeyboardShortcut::new(Modifiers::COMMAND, key))
}

/// `Ctrl`, `Shift` and a key.
pub const fn ctrl_shift(key: Key) -> Option<KeyboardShortcut> {
    Some(KeyboardShortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), key))
}

/// A key alone.
pub const fn key(key: Key) -> Option<KeyboardShortcut> {
    Some(KeyboardShortcut::new(Modifiers::NONE, key))
}

/// Keys as text, such as `Ctrl+Shift+T`.
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
    use super::*;

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
