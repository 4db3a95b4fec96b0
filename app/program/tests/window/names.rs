//! Whatever can be pressed or typed into has a name, in every view, drawer and dialog.

use bson::{Document, doc};
use egui::Key;
use egui::accesskit::Role;
use egui_kittest::kittest::{NodeT, Queryable};
use mayfly::action::{Action, DialogAction, Entry, entries};

use super::indexes::visits;
use super::support::{Window, at};

/// Every control of the window has a name in words.
fn check(window: &Window, place: &str) {
    let mut controls = 0;
    for node in window.harness.query_all_by(|_| true) {
        let node = node.accesskit_node();
        let name = node.label().unwrap_or_default();
        let glyph = |c| ('\u{e000}'..='\u{f8ff}').contains(&c);
        assert!(!name.contains(glyph), "{place}: {name:?} holds a glyph");
        let is_control = matches!(
            node.role(),
            Role::Button
                | Role::CheckBox
                | Role::TextInput
                | Role::MultilineTextInput
                | Role::Slider
                | Role::ListItem
                | Role::ColumnHeader
        );
        if is_control {
            controls += 1;
            assert!(!name.contains(char::is_control), "{place}: {name:?} holds a raw character");
            assert!(!name.trim().is_empty(), "{place}: a {:?} without a name", node.role());
        }
    }
    assert!(controls > 15, "{place}: only {controls} controls");
}

#[test]
fn controls_of_every_view_have_names() {
    let mut window = Window::open_view(&visits(), "Documents");
    window.until_named("Document 1");
    for key in [Key::F4, Key::F3, Key::F2] {
        window.key(key);
        check(&window, key.name());
    }
    window.click("Options");
    window.point("Document 1");
    window.until_named("Edit as text");
    check(&window, "a chosen document");
    window.click("Expiry");
    window.until_named("1 expired at");
    for mode in ["View: Table", "View: Removed", "View: Timeline"] {
        window.click(mode);
        check(&window, mode);
    }
    window.click("Indexes");
    window.until_named("made_1");
    check(&window, "Indexes");
}

#[test]
fn controls_of_every_drawer_have_names() {
    let mut window = Window::open_view(&visits(), "Indexes");
    window.click("Activity");
    window.click("Run pass");
    window.until_named("pass 1");
    check(&window, "Activity");
    window.point("Commands");
    window.until_named("Copy command ");
    check(&window, "Commands");
    window.point("Operations");
    check(&window, "Operations");
}

/// Names and values with line ends and control characters, wherever a store takes them.
fn odd() -> Vec<Document> {
    vec![
        doc! {"createIndexes": "odd\nline\u{9b}", "indexes": [
            {"key": {"seen\nat": 1}, "name": "seen\nat_1", "expireAfterSeconds": 600},
        ]},
        doc! {"insert": "odd\nline\u{9b}", "documents": [
            {"_id": "gone\r\n", "seen\nat": at(-700), "a\tb": {"c\nd": "e\u{1b}f"}},
            {"_id": "waits\r\n", "seen\nat": at(-100), "a\tb": ["e\u{85}f"]},
        ]},
    ]
}

#[test]
fn names_of_controls_hold_no_line_end_of_the_data() {
    let mut window = Window::open_view(&odd(), "Documents");
    window.until_named("Collection test.odd\\nline\\u{9b}");
    for key in [Key::F4, Key::F3, Key::F2] {
        window.key(key);
        window.until_named("waits");
        check(&window, key.name());
    }
    window.point("Document 'waits\\r\\n'");
    window.until_named("Edit as text");
    check(&window, "a chosen document");
    window.click("Expiry");
    window.until_named("waits");
    window.click("Run pass");
    window.until_named("Pass 1 ");
    for mode in ["View: Table", "View: Removed", "View: Timeline"] {
        window.click(mode);
        check(&window, mode);
    }
    window.click("Indexes");
    window.until_named("seen\\nat_1");
    check(&window, "Indexes");
    window.point("Activity");
    window.point("Commands");
    window.until_named("Copy command ");
    check(&window, "Commands");
    for entry in dialogs(&window) {
        let action = (entry.action)(window.state()).expect("it is enabled");
        window.ask(action);
        window.until(entry.label, |state| state.dialogs.open().is_some());
        check(&window, entry.label);
        window.key(Key::Escape);
    }
}

/// Entries whose action opens a dialog.
fn dialogs(window: &Window) -> Vec<&'static Entry> {
    let opens = |entry: &&Entry| {
        let action = (entry.action)(window.state());
        matches!(action, Some(Action::Dialog(DialogAction::Show(_)))) || entry.label.ends_with('…')
    };
    entries().filter(|entry| entry.is_enabled(window.state())).filter(opens).collect()
}

#[test]
fn controls_of_every_dialog_have_names_and_escape_closes_it() {
    let mut window = Window::open_view(&visits(), "Documents");
    window.until_named("Select Document 1");
    window.click("Select Document 1");
    window.click("Select Document 2");
    window.until_named("Delete 2 documents…");
    let mut opened = 0;
    for entry in dialogs(&window) {
        let action = (entry.action)(window.state()).expect("it is enabled");
        window.ask(action);
        window.until(entry.label, |state| state.dialogs.open().is_some());
        check(&window, entry.label);
        window.key(Key::Escape);
        assert!(window.state().dialogs.open().is_none(), "{} stays open", entry.label);
        opened += 1;
    }
    assert!(opened >= 10, "{opened}");
}
