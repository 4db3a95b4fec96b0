//! Typed text is not lost when the window closes, nor by a key meant for what is over it.

use bson::doc;
use egui::{Key, Modifiers, ViewportCommand};
use egui_kittest::kittest::Queryable;
use mayfly::action::{Action, ViewAction};

use super::cells::table;
use super::document_dialogs::editing;
use super::sandbox::{close, commands};
use super::support::Window;

const QUESTION: &str = "Quit without saving?";

/// A table with a cell in which something else was typed.
fn typed_cell() -> Window {
    let mut window = table();
    window.point_twice("'three'");
    window.until_named("Save value");
    window.type_into("Value", "typed");
    window
}

fn quit(window: &mut Window) -> Vec<ViewportCommand> {
    window.ask_only(Action::View(ViewAction::Quit));
    window.harness.step();
    commands(window)
}

/// Whether the window closes when it is asked to.
fn check_asks(window: &mut Window) {
    let closes = |asked: &[ViewportCommand]| {
        asked.contains(&ViewportCommand::Close) && !asked.contains(&ViewportCommand::CancelClose)
    };
    for by_button in [true, false] {
        let asked = if by_button { close(window) } else { quit(window) };
        assert!(!closes(&asked), "{asked:?}");
        assert_eq!(asked.contains(&ViewportCommand::CancelClose), by_button);
        window.until_named(QUESTION);
        // Asked again, it asks one question.
        assert!(close(window).contains(&ViewportCommand::CancelClose));
        window.click("Cancel");
        window.until_gone(QUESTION);
    }
}

#[test]
fn a_value_that_is_not_saved_keeps_the_window_open() {
    let mut window = typed_cell();
    window.keys(Modifiers::COMMAND, Key::Q);
    window.until_named(QUESTION);
    assert!(window.has_part("a value in test.notes"));
    window.click("Cancel");
    check_asks(&mut window);
    assert_eq!(window.value("Value"), "typed");
    window.ask_only(Action::View(ViewAction::Quit));
    window.until_named(QUESTION);
    window.harness.get_by_label("Discard and quit").click_accesskit();
    window.until_frame("it closes", |window| commands(window).contains(&ViewportCommand::Close));
    assert!(close(&mut window).is_empty(), "it is closing");
}

#[test]
fn the_text_of_a_dialog_keeps_the_window_open() {
    let mut window = editing("3");
    window.type_into("Document", "{ _id: 3, text: 'typed' }");
    check_asks(&mut window);
    assert!(window.value("Document").contains("'typed'"));
    window.key(Key::Escape);
    window.until_named("Keep editing");
    check_asks(&mut window);
    assert!(window.value("Document").contains("'typed'"));
    window.key(Key::Escape);
    window.until_named("Discard changes");
}

#[test]
fn what_was_typed_into_the_dialog_of_an_index_keeps_the_window_open() {
    let commands = [doc! {"insert": "notes", "documents": [{"_id": 1}]}];
    let mut window = Window::open_view(&commands, "Indexes");
    window.choose("Menu", "Create index…");
    window.type_into("Index name", "mine");
    check_asks(&mut window);
    window.key(Key::Escape);
    window.until_named("Discard changes");
}

#[test]
fn a_window_without_typed_text_closes_at_once() {
    let mut window = table();
    window.point_twice("'three'");
    window.until_named("Save value");
    assert!(close(&mut window).is_empty());
    assert!(quit(&mut window).contains(&ViewportCommand::Close));
}

#[test]
fn escape_closes_the_palette_and_not_the_editor_under_it() {
    let mut window = typed_cell();
    window.keys(Modifiers::COMMAND, Key::P);
    window.until_named("Find a command");
    window.key(Key::Escape);
    window.until_gone("Find a command");
    assert_eq!(window.value("Value"), "typed");
    assert!(close(&mut window).contains(&ViewportCommand::CancelClose));
    window.until_named(QUESTION);
    window.key(Key::Escape);
    window.until_gone(QUESTION);
    assert_eq!(window.value("Value"), "typed");
}
