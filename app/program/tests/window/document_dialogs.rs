//! Documents as text: added, edited, cloned. What was typed stays, whatever the store answers.

use bson::doc;
use egui::{Key, Modifiers};

use super::documents::{stored, window};
use super::support::{Window, at};

const COMMAND: &str = "Command to send";

pub fn editing(id: &str) -> Window {
    let mut window = window();
    window.point(&format!("Document {id}"));
    window.until_named("Edit as text");
    window.click("Edit as text");
    window.until_named(&format!("Edit {id}"));
    window
}

#[test]
fn a_document_is_added() {
    let mut window = window();
    window.click("Add document");
    window.until_named("Add to test.notes");
    window.type_into("Document", "{ _id: 9, text: 'nine', n: Long('5') }");
    let shown = window.value(COMMAND);
    assert!(shown.contains("insert") && shown.contains("Long('5')"), "{shown}");
    assert_eq!(window.copied("Copy command"), shown);
    window.click("Insert 1 document");
    window.until_named("Dismiss: Inserted 1 document");
    window.until_named("Select Document 9");
    assert_eq!(stored(&window, doc! {"_id": 9}), [doc! {"_id": 9, "text": "nine", "n": 5_i64}]);
}

#[test]
fn several_documents_are_added_at_once() {
    let mut window = window();
    window.keys(Modifiers::COMMAND, Key::N);
    window.type_into("Document", "[{ _id: 8 }, { _id: 9 }]");
    window.click("Insert 2 documents");
    window.until_named("Dismiss: Inserted 2 documents");
    window.click("Undo");
    window.until_named("Dismiss: Undone: deleted 2 documents");
    assert_eq!(stored(&window, doc! {}).len(), 4);
}

#[test]
fn pasted_documents_are_inserted_in_one_step() {
    let mut window = window();
    let text = "{\"_id\": 8, \"n\": {\"$numberLong\": \"5\"}}\n{\"_id\": 9}\n{\"_id\": 10}\n";
    window.harness.event(egui::Event::Paste(text.to_owned()));
    window.until_named("Insert 3 documents into test.notes");
    let first = window.value("First documents with their types");
    assert!(first.starts_with("{ _id: 8, n: Long('5') }"), "{first}");
    assert!(window.value(COMMAND).contains("insert"));
    window.type_into("Document", "[{ _id: 8 },\n { _id: }]");
    window.until_named("(line 2, column 9)");
    assert!(window.has("Paste into test.notes") && !window.is_enabled("Insert 1 document"));
    window.type_into("Document", "[{ _id: 8 }, { _id: 9 }]");
    window.click("Insert 2 documents");
    window.until_named("Dismiss: Inserted 2 documents");
    assert_eq!(stored(&window, doc! {"_id": {"$gt": 7}}).len(), 2);
    window.click("Undo");
    window.until_named("Dismiss: Undone: deleted 2 documents");
    assert_eq!(stored(&window, doc! {}).len(), 4);
}

/// The first block of JavaScript in the guide.
fn first_example() -> &'static str {
    let chapter = include_str!("../../../../assets/guide/01-first-steps.md");
    let (_, rest) = chapter.split_once("```js\n").expect("an example");
    rest.split_once("```").expect("its end").0
}

#[test]
fn the_first_example_of_the_guide_works_in_an_empty_collection() {
    let mut window = Window::open_view(&[doc! {"create": "people"}], "Documents");
    window.until_named("Add document");
    window.harness.event(egui::Event::Paste(first_example().to_owned()));
    window.until_named("Insert 3 documents");
    window.click("Insert 3 documents");
    window.until_named("Dismiss: Inserted 3 documents");
    let found = window.run("test", &doc! {"find": "people", "filter": {"seen": {"$type": "date"}}});
    let batch = found.get_document("cursor").and_then(|it| it.get_array("firstBatch"));
    let batch = batch.expect("documents");
    assert_eq!(batch.len(), 2, "{batch:?}");
    for document in batch {
        let seen = document.as_document().and_then(|it| it.get_datetime("seen").ok());
        assert_eq!(seen, Some(&at(0)), "the store's time");
    }
}

/// Takes the keyboard from a text field, as a press outside of it does.
fn leave_field(window: &mut Window) {
    window.harness.ctx.memory_mut(|memory| {
        if let Some(id) = memory.focused() {
            memory.surrender_focus(id);
        }
    });
    window.harness.run_steps(2);
}

#[test]
fn documents_are_pasted_whatever_the_list_shows() {
    let insert = doc! {"insert": "people", "documents": [{"_id": 1}]};
    for filter in ["{ a: 1 }", "{ a: { $no: 1 } }", "{ a: "] {
        let mut window = Window::open_view(std::slice::from_ref(&insert), "Documents");
        window.until_named("Document 1");
        window.type_into("Filter", filter);
        window.key(Key::Enter);
        window.harness.event(egui::Event::Paste("{a: 1}".to_owned()));
        window.harness.run_steps(2);
        assert!(window.state().dialogs.open().is_none(), "the filter has the keyboard");
        leave_field(&mut window);
        window.harness.event(egui::Event::Paste("{a: ObjectId(), b: UUID()}".to_owned()));
        window.until_named("Insert 1 document");
    }
}

#[test]
fn the_inspector_says_when_the_result_lacks_its_document() {
    let insert = doc! {"insert": "people", "documents": [{"_id": 1, "a": 1}, {"_id": 2, "a": 2}]};
    let mut window = Window::open_view(&[insert], "Documents");
    window.until_named("Document 1");
    window.point("Document 1");
    window.until("it was read", |state| {
        let focus = state.tabs.active().and_then(|tab| tab.documents.focus.as_ref());
        focus.is_some_and(|focus| focus.document.is_some())
    });
    assert!(!window.has("Not in this result"));
    window.type_into("Filter", "{ a: 2 }");
    window.key(Key::Enter);
    window.until_named("Not in this result");
    leave_field(&mut window);
    window.key(Key::Enter);
    window.harness.run_steps(2);
    assert!(window.state().dialogs.open().is_none(), "Enter edits only what the list shows");
}

#[test]
fn a_menu_pastes_and_says_what_the_next_pass_removes() {
    let index = doc! {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 60};
    let mut window = Window::open_after(&[
        doc! {"createIndexes": "sessions", "indexes": [index]},
        doc! {"create": "other"},
    ]);
    window.until_named("Collection test.sessions");
    window.point_secondary("Collection test.sessions");
    window.point("Paste documents…");
    window.until_named("Paste documents here (Ctrl+V)");
    window.harness.event(egui::Event::Paste(
        "[{_id: 1, at: ISODate('2026-06-01T11:58:59Z')}, {_id: 2, at: ISODate('2026-06-02')}]"
            .to_owned(),
    ));
    window.until_named("Insert 2 documents into test.sessions");
    window.until_named("1 of 2 documents is past its threshold already; the next pass removes it");
    window.click("Insert 2 documents");
    window.until_named("Dismiss: Inserted 2 documents");
}

#[test]
fn text_for_a_field_is_not_pasted_as_documents() {
    let mut window = window();
    window.type_into("Filter", "");
    window.harness.event(egui::Event::Paste("{_id: 3}".to_owned()));
    window.until_window("the field has it", |window| window.value("Filter") == "{_id: 3}");
    assert!(!window.has_part("Insert 1 document"));
}

#[test]
fn the_text_has_the_keyboard_until_the_tab_key_is_pressed() {
    let mut window = editing("1");
    assert!(window.is_focused("Document"));
    let before = window.value("Document");
    window.key(Key::Tab);
    assert!(!window.is_focused("Document"), "the Tab key goes on to the next control");
    assert_eq!(window.value("Document"), before);
}

#[test]
fn what_is_typed_first_stands_inside_a_new_document() {
    let mut window = window();
    window.click("Add document");
    window.until_named("Add to test.notes");
    assert!(window.is_focused("Document"));
    window.harness.input_mut().events.push(egui::Event::Text("text: 'new'".to_owned()));
    window.until_named("Insert 1 document");
    let text = window.value("Document");
    assert!(text.ends_with(",\n  text: 'new'\n}"), "{text}");
}

#[test]
fn undoing_in_the_editor_stays_with_its_document() {
    let mut window = editing("1");
    window.type_into("Document", "{ _id: 1, text: 'other' }");
    window.key(Key::Escape);
    window.click("Discard changes");
    window.point("Document 2");
    window.click("Edit as text");
    window.until_named("Edit 2");
    window.keys(Modifiers::COMMAND, Key::Z);
    let text = window.value("Document");
    assert!(text.contains("_id: 2"), "{text}");
}

#[test]
fn text_that_is_no_document_is_not_sent() {
    let mut window = window();
    window.click("Add document");
    for wrong in ["{ a: ", "5", "{ a: 1 } x"] {
        window.type_into("Document", wrong);
        assert!(!window.is_enabled("Insert 1 document"), "{wrong}");
        assert!(!window.has(COMMAND), "{wrong}");
    }
}

#[test]
fn a_refused_document_stays_in_the_editor_with_the_reason() {
    let mut window = window();
    window.click("Add document");
    window.type_into("Document", "{ _id: 1, text: 'mine' }");
    window.click("Insert 1 document");
    window.until_named("duplicate key");
    assert!(window.value("Document").contains("'mine'"));
    assert!(window.has("Add to test.notes"));
}

#[test]
fn a_document_is_edited_as_text() {
    let mut window = editing("3");
    assert!(window.has("No changes"));
    assert!(!window.is_enabled("Save"));
    window.type_into("Document", "{ _id: 3, text: 'drei' }");
    assert!(window.value(COMMAND).contains("'drei'"));
    window.keys(Modifiers::COMMAND, Key::S);
    window.until_named("Dismiss: Saved 1 document");
    assert_eq!(stored(&window, doc! {"_id": 3}), [doc! {"_id": 3, "text": "drei"}]);
}

#[test]
fn ctrl_enter_saves_a_document_as_ctrl_s_does() {
    let mut window = editing("3");
    window.type_into("Document", "{ _id: 3, text: 'tre' }");
    window.keys(Modifiers::COMMAND, Key::Enter);
    window.until_named("Dismiss: Saved 1 document");
    assert_eq!(stored(&window, doc! {"_id": 3}), [doc! {"_id": 3, "text": "tre"}]);
    window.click("Add document");
    window.type_into("Document", "{ _id: 9 }");
    window.keys(Modifiers::COMMAND, Key::Enter);
    window.until_named("Dismiss: Inserted 1 document");
    assert_eq!(stored(&window, doc! {"_id": 9}), [doc! {"_id": 9}]);
}

#[test]
fn a_document_that_the_reaper_took_meanwhile_is_said_and_can_be_inserted_again() {
    let mut window = editing("1");
    window.type_into("Document", "{ _id: 1, text: 'kept' }");
    window.advance(31);
    window.run("admin", &doc! {"mayflyReap": 1});
    window.until_enabled("Save");
    window.click("Save");
    window.until_named("This document was removed while you were editing");
    assert!(window.value("Document").contains("'kept'"));
    window.click("Insert again");
    window.until_named("Dismiss: Inserted 1 document");
    assert_eq!(stored(&window, doc! {"_id": 1}), [doc! {"_id": 1, "text": "kept"}]);
}

#[test]
fn a_document_that_someone_else_changed_shows_both_versions() {
    let mut window = editing("3");
    window.type_into("Document", "{ _id: 3, text: 'mine' }");
    let update = doc! {"q": {"_id": 3}, "u": {"$set": {"text": "theirs"}}};
    window.run("test", &doc! {"update": "notes", "updates": [update]});
    window.click("Save");
    window.until_named("This document changed while you were editing");
    assert!(window.value("Stored version").contains("'theirs'"));
    assert!(window.value("Document").contains("'mine'"));
    assert!(window.is_enabled("Use the stored version"));
    window.click("Overwrite with mine");
    window.until_named("Dismiss: Saved 1 document");
    assert_eq!(stored(&window, doc! {"_id": 3}), [doc! {"_id": 3, "text": "mine"}]);
}

#[test]
fn a_clone_has_an_id_of_its_own() {
    let mut window = window();
    window.point("Document 4");
    window.until_named("Clone this document");
    window.click("Clone this document");
    window.until_named("Add to test.notes");
    let text = window.value("Document");
    assert!(text.contains("'four'") && text.contains("ObjectId("), "{text}");
    window.click("Insert 1 document");
    window.until_named("Dismiss: Inserted 1 document");
    assert_eq!(stored(&window, doc! {"text": "four"}).len(), 2);
}

#[test]
fn typed_text_is_not_thrown_away_by_a_key() {
    let mut window = editing("3");
    window.type_into("Document", "{ _id: 3, text: 'typed' }");
    window.key(Key::Escape);
    window.until_named("Keep editing");
    window.click("Keep editing");
    assert!(window.value("Document").contains("'typed'"));
    // Enter presses the harmless button, and a second Escape takes the first back.
    for answer in [Key::Enter, Key::Escape] {
        window.key(Key::Escape);
        window.until_window("focus on Keep editing", |window| window.is_focused("Keep editing"));
        window.key(answer);
        window.until_gone("Keep editing");
        window.until_window("focus on Document", |window| window.is_focused("Document"));
        assert!(window.value("Document").contains("'typed'"));
    }
    window.key(Key::Escape);
    window.until_named("Discard changes");
    window.click("Discard changes");
    assert!(!window.has("Edit 3"));
    assert_eq!(stored(&window, doc! {"text": "typed"}).len(), 0);
}

#[test]
fn spaces_alone_are_no_change_to_ask_about() {
    let mut window = editing("3");
    let text = window.value("Document");
    window.type_into("Document", &text.replace('\n', " "));
    window.until_named("No changes");
    window.key(Key::Escape);
    window.until_gone("Edit 3");
}

#[test]
fn text_ends_where_it_would_be_too_long_and_says_so() {
    let mut window = window();
    window.click("Add document");
    window.until_named("Add to test.notes");
    let long = format!("{{ text: '{}' }}", "x".repeat(2_000_000));
    window.type_into("Document", &long);
    window.until_named("The text is limited to 2.0 MB. Import longer documents from a file");
    assert!(!window.is_enabled("Insert 1 document"));
}

#[test]
fn a_message_does_not_cover_the_buttons_of_a_tall_dialog() {
    let mut window = window();
    window.click("Add document");
    window.type_into("Document", "{ _id: 9 }");
    window.click("Insert 1 document");
    window.until_named("Dismiss: Inserted 1 document");
    window.harness.set_size(egui::vec2(1_280.0, 520.0));
    window.click("Add document");
    window.until_named("Add to test.notes");
    let (button, message) = (window.place("Cancel"), window.place("Dismiss: Inserted 1 document"));
    let message = message.expand2(egui::vec2(340.0, 20.0));
    assert!(
        message.right() < button.left() || message.top() > button.bottom(),
        "{message} {button}"
    );
}
