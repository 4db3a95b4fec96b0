//! Without a pointer or a screen: every control of every view and dialog has a name that no other one
//! has, and the Tab key comes to it.

use std::collections::{BTreeMap, BTreeSet};

use egui::accesskit::{Action as Request, Role};
use egui::{Key, Modifiers};
use egui_kittest::kittest::{AccessKitNode, NodeT, Queryable};
use mayfly::action::{
    Action, ConnectAction, DialogAction, IndexesAction, LessonAction, TransferAction, ViewAction,
};
use mayfly::job::lesson::LessonSource;

use super::connect::{Served, attached, notes};
use super::every_dialog::{ROWS, open, window};
use super::slow::Slow;
use super::support::Window;

/// Presses of Tab after which it must have come around.
const TABS_MAX: usize = 400;

/// Roles that are controls even where they can't be pressed.
const CONTROLS: [Role; 14] = [
    Role::Button,
    Role::CheckBox,
    Role::ColumnHeader,
    Role::ComboBox,
    Role::Link,
    Role::ListItem,
    Role::MenuItem,
    Role::MultilineTextInput,
    Role::RadioButton,
    Role::Slider,
    Role::SpinButton,
    Role::Switch,
    Role::Tab,
    Role::TextInput,
];

/// A control as a screen reader knows it.
struct Control {
    id: u64,
    role: Role,
    name: String,
    is_enabled: bool,
    takes_keyboard: bool,
    is_pressed: bool,
}

fn control(node: &AccessKitNode<'_>) -> Option<Control> {
    let data = node.data();
    // A text can be marked with the pointer, and that is all. The list of documents has the keys while
    // nothing else has them.
    let is_text = matches!(node.role(), Role::Label | Role::List);
    let takes_keyboard = data.supports_action(Request::Focus) && !is_text;
    let is_control = CONTROLS.contains(&node.role()) || takes_keyboard;
    is_control.then(|| Control {
        id: node.locate().0.0,
        role: node.role(),
        name: node.label().unwrap_or_default(),
        is_enabled: !node.is_disabled(),
        takes_keyboard,
        is_pressed: data.supports_action(Request::Click),
    })
}

fn controls(window: &Window) -> Vec<Control> {
    let found = window.harness.query_all_by(|_| true);
    found.filter_map(|node| control(&node.accesskit_node())).collect()
}

/// The identities of the controls that Tab comes to, forward or back: from a filter it goes to the
/// documents, and back through the buttons between them.
fn reached(window: &mut Window) -> BTreeSet<u64> {
    let mut met = walk(window, Modifiers::NONE);
    met.extend(walk(window, Modifiers::SHIFT));
    met
}

fn walk(window: &mut Window, modifiers: Modifiers) -> BTreeSet<u64> {
    let mut met = BTreeSet::new();
    let mut repeats = 0;
    for _ in 0..TABS_MAX {
        window.harness.key_press_modifiers(modifiers, Key::Tab);
        window.harness.run_steps(2);
        let focused = window.harness.ctx.memory(egui::Memory::focused);
        let Some(focused) = focused else { continue };
        repeats = if met.insert(focused.value()) { 0 } else { repeats + 1 };
        if repeats > 3 {
            break;
        }
    }
    met
}

/// Faults of the controls of a window. `behind` are those below an open dialog.
fn faults(window: &mut Window, place: &str, behind: &BTreeSet<u64>) -> Vec<String> {
    let met = reached(window);
    let controls: Vec<Control> =
        controls(window).into_iter().filter(|control| !behind.contains(&control.id)).collect();
    let mut faults = Vec::new();
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for control in &controls {
        let Control { id, role, name, is_enabled, takes_keyboard, is_pressed } = control;
        *names.entry(format!("{role:?} {name:?}")).or_default() += 1;
        if name.trim().is_empty() {
            faults.push(format!("{place}: a {role:?} without a name"));
        }
        if *is_enabled && (*takes_keyboard || *is_pressed) && !met.contains(id) {
            faults.push(format!("{place}: Tab never comes to {role:?} {name:?}"));
        }
    }
    let twice = names.into_iter().filter(|(_, times)| *times > 1);
    faults.extend(twice.map(|(name, times)| format!("{place}: {times} times {name}")));
    faults
}

fn ids(window: &Window) -> BTreeSet<u64> {
    controls(window).into_iter().map(|control| control.id).collect()
}

#[test]
fn controls_of_every_dialog_are_named_once_and_reached_by_tab() {
    let mut window = window();
    let mut wrong = Vec::new();
    for row in ROWS {
        let behind = ids(&window);
        open(&mut window, row);
        window.settle_and_draw(3);
        wrong.extend(faults(&mut window, row.dialog, &behind));
        while window.state().dialogs.open().is_some() {
            window.ask(Action::Dialog(DialogAction::Close));
        }
    }
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn controls_of_every_view_are_named_once_and_reached_by_tab() {
    let mut window = window();
    let mut wrong = Vec::new();
    let none = BTreeSet::new();
    let mut look = |window: &mut Window, place: &str| {
        window.settle_and_draw(3);
        wrong.extend(faults(window, place, &none));
    };
    window.click("Options");
    for key in [Key::F2, Key::F3, Key::F4] {
        window.key(key);
        look(&mut window, &format!("Documents, {}", key.name()));
    }
    window.key(Key::F2);
    window.point("Document 2");
    window.until_named("Edit as text");
    look(&mut window, "Documents with the inspector");
    window.click("Expiry");
    window.until_named("1 expires at");
    for mode in ["View: Table", "View: Removed", "View: Timeline"] {
        window.click(mode);
        look(&mut window, mode);
    }
    for view in ["Schema", "Aggregate", "Indexes"] {
        window.click(view);
        look(&mut window, view);
    }
    window.click("Activity");
    for drawer in ["Passes", "Commands", "Operations"] {
        window.click(drawer);
        look(&mut window, drawer);
    }
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
}

/// The faults of a window in a state, and those found so far.
fn look(window: &mut Window, place: &str, wrong: &mut Vec<String>) {
    window.settle_and_draw(3);
    wrong.extend(faults(window, place, &BTreeSet::new()));
}

#[test]
fn controls_of_the_start_page_and_the_lessons_are_named_once_and_reached_by_tab() {
    let mut wrong = Vec::new();
    let mut empty = Window::open();
    empty.until_named("This store is empty");
    look(&mut empty, "Start page of an empty store", &mut wrong);
    let mut window = window();
    window.ask(Action::View(ViewAction::ShowStart(true)));
    window.until_named("Close the start page");
    look(&mut window, "Start page", &mut wrong);
    window.ask(Action::View(ViewAction::ShowStart(false)));
    window.ask(Action::Lesson(LessonAction::ShowPage(true)));
    window.until("the lessons are listed", |state| state.lessons.list.is_some());
    look(&mut window, "Lessons page", &mut wrong);
    let source = LessonSource::Shipped("02-the-pass".to_owned());
    window.ask(Action::Lesson(LessonAction::Open(source)));
    window.until("the lesson plays", |state| state.lessons.view().is_some());
    look(&mut window, "A lesson", &mut wrong);
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn controls_of_the_guide_and_the_drawer_are_named_once_and_reached_by_tab() {
    let mut wrong = Vec::new();
    let mut window = window();
    for key in [Key::F9, Key::F1] {
        let behind = if key == Key::F1 { ids(&window) } else { BTreeSet::new() };
        window.key(key);
        window.settle_and_draw(3);
        wrong.extend(faults(&mut window, key.name(), &behind));
        window.key(Key::Escape);
    }
    let tab = window.tab().id;
    let hide = IndexesAction::Hide { name: "at_1".to_owned(), hidden: true };
    window.ask(Action::Indexes(tab, hide));
    window.click("Messages");
    window.until("there is a message", |state| !state.toasts.log().is_empty());
    look(&mut window, "Messages", &mut wrong);
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
}

/// The dialogs for which something has to be done first.
#[test]
fn controls_of_dialogs_about_work_and_servers_are_named_once_and_reached_by_tab() {
    let mut wrong = Vec::new();
    let mut dialog = |window: &mut Window, place: &str, behind: &BTreeSet<u64>| {
        window.settle_and_draw(3);
        assert!(window.state().dialogs.open().is_some(), "{place} is not open");
        wrong.extend(faults(window, place, behind));
    };
    let served = Served::start(&notes());
    let mut server = attached(&served);
    let behind = ids(&server);
    server.ask(Action::Connect(ConnectAction::ShowServer));
    dialog(&mut server, "Server", &behind);

    let folder = tempfile::tempdir().expect("a temporary folder");
    // Into a collection that is there: a new one would come below the dialog.
    let import = |collection: &str| {
        let file = folder.path().join(format!("{collection}.ndjson"));
        std::fs::write(&file, "{\"_id\": 7}\n").expect("a file");
        Action::Transfer(TransferAction::Import { files: vec![file], into: None })
    };
    let mut done = window();
    // Where no document is listed that would come below the dialog.
    done.click("Indexes");
    let behind = ids(&done);
    done.ask(import("carts"));
    done.until_enabled("Import");
    done.click("Import");
    done.until_named("Open collection");
    dialog(&mut done, "Imported", &behind);

    let store = tempfile::tempdir().expect("a temporary folder");
    let mut slow = Window::open_as(store, &notes(), |source| std::sync::Arc::new(Slow(source)));
    slow.until_named("Collection test.notes");
    slow.click("Indexes");
    let behind = ids(&slow);
    slow.ask(import("notes"));
    slow.until_enabled("Import");
    slow.click("Import");
    slow.until_frame("the import runs", |window| window.has("Continue in the background"));
    dialog(&mut slow, "Running", &behind);
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
}
