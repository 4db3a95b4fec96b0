//! The keys of an entry, without the window's types.

use std::fmt;

/// Keys that are pressed together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keys {
    /// Ctrl, or Command on macOS.
    pub ctrl: bool,
    pub shift: bool,
    /// The last one as it is shown: `P`, `F1`, `PageUp`, `←`. The window knows each; its tests try them all.
    pub key: &'static str,
}

impl Keys {
    /// Whether no other key is held.
    pub fn is_alone(self) -> bool {
        !self.ctrl && !self.shift
    }
}

impl fmt::Display for Keys {
    /// Such as `Ctrl+Shift+T`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (is_held, name) in [(self.ctrl, "Ctrl+"), (self.shift, "Shift+")] {
            f.write_str(if is_held { name } else { "" })?;
        }
        f.write_str(self.key)
    }
}

pub(super) const fn key(key: &'static str) -> Keys {
    Keys { ctrl: false, shift: false, key }
}

pub(super) const fn ctrl(key: &'static str) -> Keys {
    Keys { ctrl: true, shift: false, key }
}

pub(super) const fn shift(key: &'static str) -> Keys {
    Keys { ctrl: false, shift: true, key }
}

pub(super) const fn ctrl_shift(key: &'static str) -> Keys {
    Keys { ctrl: true, shift: true, key }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_read_as_they_are_pressed() {
        let check = |keys: Keys, expected: &str| assert_eq!(keys.to_string(), expected);
        check(ctrl("P"), "Ctrl+P");
        check(ctrl_shift("T"), "Ctrl+Shift+T");
        check(shift("F1"), "Shift+F1");
        check(ctrl(","), "Ctrl+,");
        check(key("F1"), "F1");
    }
}
