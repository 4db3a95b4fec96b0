//! The trash: turned on, filtered, restored, counting down.

use bson::{Document, doc};
use egui::{Key, Modifiers};
use mayfly::state::State;
use mayfly::state::reaper::Held;

use super::support::{Window, at};

fn collection(name: &str) -> [Document; 2] {
    let index = doc! {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 60};
    [
        doc! {"createIndexes": name, "indexes": [index]},
        doc! {"insert": name, "documents": [
            {"_id": format!("{name} 1"), "at": at(-30)},
            {"_id": format!("{name} 2"), "at": at(-20)},
            {"_id": format!("{name} late"), "at": at(90)},
        ]},
    ]
}

/// The dialog over two collections, with a trash that keeps documents for `keep_secs`.
fn dialog(keep_secs: i32) -> Window {
    let both = ["carts", "sessions"].into_iter().flat_map(collection);
    let mut window = Window::open_after(&both.collect::<Vec<_>>());
    window.run("admin", &doc! {"setParameter": 1, "mayflyTrashSecs": keep_secs});
    window.choose("Menu", "Recently removed…");
    window.until_named("In trash: ");
    window
}

/// The same with the net on and two documents of each collection in it.
fn caught() -> Window {
    let mut window = dialog(600);
    window.until_named("Removed documents appear here and can be restored for 10 min");
    window.advance(45);
    window.run("admin", &doc! {"mayflyReap": 1});
    window.until_named("Select 'sessions 2' of test.sessions");
    window.until_named("In trash: 4 documents");
    window
}

fn count(window: &Window, collection: &str) -> i32 {
    let counted = window.run("test", &doc! {"count": collection});
    counted.get_i32("n").expect("a count")
}

#[test]
fn the_switch_and_the_time_act_at_once() {
    let mut window = dialog(0);
    assert!(window.has_part("The trash is empty. Turn it on to undo removals"), "what it is for");
    assert!(!window.has("Keep for"), "no time while it is off");
    window.click("Trash: On");
    window.until("the net", |state| state.reaper.trash_secs == 600);
    window.until_named("Keep for");
    window.type_into("Keep for", "ten");
    assert!(window.has("ten is not a whole number"));
    window.type_into("Keep for", "2000");
    window.key(Key::Enter);
    assert!(window.has("Must be from 1 second to 1 day"));
    window.type_into("Keep for", "90");
    window.key(Key::Enter);
    window.until("more", |state| state.reaper.trash_secs == 5_400);
    window.until_window("the same in hours or minutes", |window| window.value("Keep for") == "90");
    window.click("Trash: Off");
    window.until("no net", |state| state.reaper.trash_secs == 0);
    window.until_named("Removed documents are not kept");
    let sent = window.sent();
    let sent: Vec<&String> = sent.iter().filter(|sent| sent.contains("mayflyTrashSecs")).collect();
    assert_eq!(sent.len(), 3, "each change once: {sent:?}");
    window.click("Done");
}

#[test]
fn rows_stay_where_they_are_when_one_is_chosen() {
    let mut window = caught();
    // The dialog has grown with what it lists.
    window.harness.run_steps(16);
    let row = "Select 'sessions 1' of test.sessions";
    let before = window.place(row);
    window.click("Select 'sessions 2' of test.sessions");
    window.until_named("Command to send");
    assert_eq!(window.place(row), before);
}

#[test]
fn one_document_is_restored_with_the_command_that_was_shown() {
    let mut window = caught();
    assert!(window.has("Select a document in the list"));
    assert!(!window.is_enabled("Restore"));
    window.click("Select 'sessions 2' of test.sessions");
    let shown = window.value("Command to send");
    window.click("Restore this document");
    window.until_named("Restored 1 document; the index is on hold until you release it");
    window.until_gone("Select 'sessions 2'");
    assert_eq!(window.sent().last(), Some(&shown), "what was shown was sent");
    assert_eq!(count(&window, "sessions"), 2);
    assert!(window.has("Select a document in the list"), "the chosen one is no longer there");
    window.until("what waits", |state| state.reaper.held.is_some());
}

#[test]
fn what_a_pass_removed_is_restored_for_one_collection() {
    let mut window = caught();
    window.choose("Collection", "List test.carts");
    window.until_gone("Select 'sessions 1'");
    window.click("Restore: All from the same pass");
    window.click("Select 'carts 1' of test.carts");
    let pass = window.state().reaper.last_pass().expect("a pass").number;
    window.click(&format!("Restore documents from pass {pass} here"));
    window.until_named("Restored 2 documents");
    window.until_named("No removed documents of test.carts are kept");
    assert_eq!((count(&window, "carts"), count(&window, "sessions")), (3, 1));
    window.choose("Collection", "All collections");
    window.until_named("Select 'sessions 1' of test.sessions");
}

#[test]
fn everything_is_restored_by_keyboard() {
    let mut window = caught();
    window.click("Restore: Everything");
    for _ in 0..40 {
        window.keys(Modifiers::NONE, Key::Tab);
        if window.is_focused("Restore everything") {
            break;
        }
    }
    window.key(Key::Enter);
    window.until_named("Restored 4 documents");
    assert_eq!((count(&window, "carts"), count(&window, "sessions")), (3, 3));
}

#[test]
fn a_hold_follows_the_ttl_and_ends_with_its_index() {
    let mut window = caught();
    window.click("Restore: Everything");
    window.click("Restore everything");
    window.until_named("Restored 4 documents");
    window.click("Done");
    window.until_named("Remove now…");
    let due = |state: &State| state.reaper.held.as_ref().map(Held::due);
    window.until("all of them", |state| due(state) == Some(4));
    for (name, left) in [("carts", 2), ("sessions", 0)] {
        let index = doc! {"name": "at_1", "expireAfterSeconds": 86_400};
        window.run("test", &doc! {"collMod": name, "index": index});
        window.until("fewer", |state| due(state) == Some(left));
    }
    window.until_named("Release");
    for name in ["carts", "sessions"] {
        window.run("test", &doc! {"dropIndexes": name, "index": "at_1"});
    }
    window.until("nothing is on hold", |state| state.reaper.held.is_none());
}

#[test]
fn documents_leave_the_net_when_their_time_is_over() {
    let mut window = caught();
    window.until_named("Kept until 12:10:45");
    window.advance(600);
    window.run("admin", &doc! {"mayflyReap": 1});
    // The late ones expired since, and came in as the others left.
    window.until_named("Select 'sessions late' of test.sessions");
    window.until_gone("Select 'sessions 2'");
    window.until_named("In trash: 2 documents");
}

/// Documents that one command can't restore, all of them in the trash.
const MANY: i32 = 10_500;

#[test]
fn everything_is_everything_and_stays_restored() {
    let index = doc! {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 60};
    let mut commands = vec![doc! {"createIndexes": "carts", "indexes": [index]}];
    let all: Vec<Document> = (0..MANY).map(|id| doc! {"_id": id, "at": at(-90)}).collect();
    let inserts = all.chunks(1_000);
    commands.extend(inserts.map(|some| doc! {"insert": "carts", "documents": some.to_vec()}));
    let mut window = Window::open_after(&commands);
    window.run("admin", &doc! {"setParameter": 1, "mayflyTrashSecs": 600});
    window.run("admin", &doc! {"mayflyReap": 1});
    assert_eq!(count(&window, "carts"), 0);
    window.choose("Menu", "Recently removed…");
    window.until_named("In trash: 10,500 documents");
    window.click("Restore: Everything");
    let shown = window.value("Command to send");
    window.click("Restore everything");
    window.until_named("Restored 10,500 documents; the index is on hold until you release it");
    assert_eq!(count(&window, "carts"), MANY);
    window.until_named("Nothing removed yet");
    let sent = window.sent();
    let steps: Vec<&String> =
        sent.iter().filter(|sent| sent.contains("mayflyRestoreTrash")).collect();
    assert_eq!(steps.len(), 11, "steps of 1,000: {steps:?}");
    assert_eq!(steps[0], &shown, "what was shown was sent first");
    window.click("Done");
    window.click("Activity");
    window.until_named("Restore everything removed");
    let number = |state: &State| state.reaper.last_pass().map_or(0, |pass| pass.number);
    let before = number(window.state());
    window.advance(120);
    window.until("a scheduled pass", |state| number(state) > before);
    assert_eq!(count(&window, "carts"), MANY, "a pass leaves what is on hold");
}

#[test]
fn the_banner_of_restored_documents_offers_a_longer_ttl_first() {
    let mut window = caught();
    window.choose("Collection", "List test.carts");
    window.until_gone("Select 'sessions 1'");
    window.click("Restore: All of test.carts");
    window.click("Restore all of test.carts");
    window.until_named("Restored 2 documents");
    window.click("Done");
    window.until_named("Remove now…");
    window.until_named("Change the TTL on hold");
    window.click("Change the TTL on hold");
    window.until_named("Change TTL of at_1");
    window.type_into("TTL", "2000000");
    window.until_enabled("Change TTL");
    window.click("Change TTL");
    window.until_gone("Remove now…");
    // Nothing is overdue any more, so that a release removes nothing.
    window.until_named("Release");
    assert_eq!(count(&window, "carts"), 3);
}
