//! Values where they are shown: edited in their cell, with a menu, folded, found.

use bson::{Bson, Document, doc};
use egui::{Key, Modifiers};
use mayfly::action::ViewAction;
use mayfly::state::documents::Mode;

use super::documents::{stored, window};
use super::support::{Window, at};

/// The notes as a table.
pub fn table() -> Window {
    let mut window = window();
    window.key(Key::F4);
    window.until_named("'three'");
    window
}

#[test]
fn the_cell_under_the_pointer_has_its_menu_in_sight() {
    let mut window = table();
    assert!(!window.has("Menu of text"));
    let cell = window.place("'three'").center();
    window.harness.hover_at(cell);
    window.until_named("Menu of text");
    window.point("Menu of text");
    window.until_named("Copy path");
    assert_eq!(window.copied("Copy value"), "three");
}

#[test]
fn compact_rows_show_more_of_a_table() {
    let mut window = table();
    let height = |window: &Window| window.place("'three'").height();
    let usual = height(&window);
    let compact = ViewAction::choose(window.state(), |settings| settings.compact = true);
    window.ask(compact);
    window.harness.run_steps(4);
    assert!((usual - height(&window) - 8.0).abs() < 1.0, "{usual}");
}

/// Whether the cell with the new value has its own background.
fn is_lit(window: &Window) -> bool {
    let Some(cell) = window.place_of_part("'drei'") else { return false };
    let is_it = |shape: &egui::epaint::ClippedShape| {
        matches!(&shape.shape, egui::Shape::Rect(drawn)
            if drawn.rect == cell && drawn.fill.a() > 0)
    };
    window.harness.output().shapes.iter().any(is_it)
}

/// Waits until a cell is saved. It is lit, and nothing covers the table.
fn until_saved(window: &mut Window) {
    window.until("the cell is lit", |state| {
        state.tabs.active().is_some_and(|tab| tab.documents.saved_cell.is_some())
    });
    assert!(!window.has("Dismiss: Saved 1 document"));
    let log = window.state().toasts.log();
    assert_eq!(log.back().map(|message| &*message.text), Some("Saved 1 document"));
}

#[test]
fn a_cell_is_edited_in_its_place_with_its_type() {
    let mut window = table();
    window.point_twice("'three'");
    window.until_named("Save value");
    assert!(window.state().dialogs.open().is_none(), "not the whole document");
    assert_eq!(window.value("Value"), "three");
    let (cell, field) = (window.place("'three'"), window.place("Value"));
    assert!(field.intersects(cell), "{field} is over {cell}");
    window.type_into("Value", "drei");
    window.harness.key_press(Key::Enter);
    window.until_frame("the cell is lit", is_lit);
    until_saved(&mut window);
    assert!(!window.has("Save value"));
    assert_eq!(stored(&window, doc! {"_id": 3, "text": "drei"}).len(), 1);
    window.keys(Modifiers::COMMAND, Key::Z);
    window.until_named("Dismiss: Undone: saved 1 document");
}

#[test]
fn a_cell_edit_ends_with_escape_and_says_what_is_wrong() {
    let mut window = Window::open_view(
        &[doc! {"insert": "notes", "documents": [{"_id": 1, "n": 5}]}],
        "Documents",
    );
    window.until_named("Document 1");
    window.key(Key::F4);
    window.until_named("Sort by n");
    window.point_twice("5");
    window.until_named("Save value");
    window.type_into("Value", "five");
    window.until_named("Enter an integer");
    window.key(Key::Enter);
    assert!(window.has("Save value"), "nothing is saved that can't be read");
    window.key(Key::Escape);
    assert!(!window.has("Save value"));
    assert!(!window.tab().documents.selected.is_empty(), "the document stays selected");
    assert_eq!(stored(&window, doc! {"n": 5}).len(), 1);
}

/// Turns the wheel over the table.
fn scroll(window: &mut Window, points: f32) {
    let at = window.place("Sort by n").center() + egui::vec2(0.0, 300.0);
    for event in [
        egui::Event::PointerMoved(at),
        egui::Event::MouseWheel {
            unit: egui::MouseWheelUnit::Point,
            delta: egui::vec2(0.0, points),
            phase: egui::TouchPhase::Move,
            source: egui::MouseWheelSource::Wheel,
            modifiers: Modifiers::NONE,
        },
    ] {
        window.harness.input_mut().events.push(event);
        window.harness.run_steps(12);
    }
}

#[test]
fn the_editor_of_a_cell_moves_with_its_row() {
    let notes: Vec<_> = (0..200).map(|n| doc! {"_id": n, "n": n + 1_000}).collect();
    let mut window =
        Window::open_view(&[doc! {"insert": "notes", "documents": notes}], "Documents");
    window.until_named("Document 1");
    window.key(Key::F4);
    window.until_named("Sort by n");
    window.point_twice("1004");
    window.until_named("Save value");
    window.type_into("Value", "17");
    let apart = |window: &Window| window.place("Value").top() - window.place("1004").top();
    let (before, top) = (apart(&window), window.place("1004").top());
    scroll(&mut window, -60.0);
    assert!(window.place("1004").top() < top - 30.0, "it scrolled");
    assert!((apart(&window) - before).abs() < 1.0, "{before} {}", apart(&window));
    scroll(&mut window, -2_000.0);
    assert!(!window.has("Save value") && !window.has("1004"));
    scroll(&mut window, 5_000.0);
    assert_eq!(window.value("Value"), "17");
    assert!(window.is_focused("Value") && (apart(&window) - before).abs() < 1.0);
    window.key(Key::Enter);
    until_saved(&mut window);
    assert_eq!(stored(&window, doc! {"_id": 4, "n": 17}).len(), 1);
    // Where nothing was typed, nothing is kept.
    window.point_twice("1006");
    window.until_named("Save value");
    scroll(&mut window, -2_000.0);
    scroll(&mut window, 5_000.0);
    assert!(!window.has("Save value"));
}

#[test]
fn a_type_is_changed_in_its_place_and_what_is_lost_is_said() {
    let mut window = table();
    window.point_twice("'three'");
    window.until_named("Save value");
    window.type_into("Value", "2.5");
    window.choose("Value type", "Int32");
    assert_eq!(window.value("Value"), "2");
    window.choose("Value type", "Null");
    window.until_named("The value is dropped");
    window.click("Save value");
    until_saved(&mut window);
    assert_eq!(stored(&window, doc! {"_id": 3, "text": {"$type": "null"}}).len(), 1);
}

#[test]
fn an_empty_cell_gets_its_field() {
    let mut window = table();
    window.ask(edit_in_list(&window, 3, "place"));
    window.until_named("Save value");
    window.type_into("Value", "Berlin");
    window.click("Save value");
    until_saved(&mut window);
    assert_eq!(stored(&window, doc! {"place": "Berlin"}).len(), 1);
}

fn edit_in_list(window: &Window, id: i32, name: &str) -> mayfly::action::Action {
    use mayfly::state::documents::{FieldTask, FieldTaskKind};
    let task = FieldTask { names: vec![name.to_owned()], kind: FieldTaskKind::EditInList };
    let action = mayfly::action::DocumentsAction::Field { id: Bson::Int32(id), task };
    mayfly::action::Action::Documents(window.tab().id, action)
}

#[test]
fn the_keyboard_alone_goes_from_the_filter_to_a_value_and_saves_it() {
    let mut window = table();
    window.keys(Modifiers::COMMAND, Key::L);
    window.type_into("Filter", "{ _id: 3 }");
    window.key(Key::Enter);
    window.until_gone("'one'");
    window.key(Key::Tab);
    window.until("it is selected", |state| {
        let tab = state.tabs.active().expect("a tab");
        tab.documents.focus.as_ref().is_some_and(|focus| focus.id == Bson::Int32(3))
    });
    window.keys(Modifiers::COMMAND, Key::ArrowRight);
    assert!(window.is_focused("'three'"));
    window.key(Key::Enter);
    window.until_named("Save value");
    window.key(Key::Escape);
    assert!(window.is_focused("'three'"), "the cell has the keyboard again");
    window.key(Key::Enter);
    window.until_named("Save value");
    window.type_into("Value", "drei");
    window.key(Key::Enter);
    until_saved(&mut window);
    assert_eq!(stored(&window, doc! {"_id": 3, "text": "drei"}).len(), 1);
    window.keys(Modifiers::COMMAND, Key::Z);
    window.until_named("Dismiss: Undone: saved 1 document");
}

#[test]
fn a_projected_document_is_read_whole_before_a_cell_is_edited() {
    let mut window = window();
    window.click("Options");
    window.type_into("Projection", "{ text: 1 }");
    window.click("Find");
    window.key(Key::F4);
    window.until_named("'four'");
    window.point_twice("'four'");
    window.until_named("Save value");
    window.type_into("Value", "vier");
    window.key(Key::Enter);
    until_saved(&mut window);
    let place = doc! {"city": "İzmir"};
    assert_eq!(stored(&window, doc! {"text": "vier", "place": place}).len(), 1, "the rest stays");
}

#[test]
fn lines_of_a_text_are_lines_in_the_editor() {
    let insert = doc! {"insert": "notes", "documents": [{"_id": 1, "text": "one\ntwo"}]};
    let mut window = Window::open_view(&[insert], "Documents");
    window.until_named("Document 1");
    window.point("Document 1");
    window.until_named("Edit text");
    window.click("Edit text");
    window.until_named("Shift+Enter begins a line");
    assert_eq!(window.value("Value"), "one\ntwo");
    let field = window.place("Value");
    assert!(field.height() > 30.0, "two lines: {field}");
    window.key(Key::End);
    window.keys(Modifiers::SHIFT, Key::Enter);
    window.key(Key::Enter);
    window.until_named("Dismiss: Saved 1 document");
    assert_eq!(stored(&window, doc! {"text": "one\ntwo\n"}).len(), 1);
}

#[test]
fn the_menu_of_a_cell_filters_sorts_and_hides() {
    let mut window = table();
    window.point_secondary("'three'");
    window.until_named("Filter by this value");
    for entry in ["Edit value", "Copy value", "Copy path", "Sort ascending", "Hide column"] {
        assert!(window.has(entry), "{entry}");
    }
    for entry in ["Edit document…", "Clone document…", "Delete document…"] {
        assert!(window.has(entry), "{entry}");
    }
    window.point("Filter by this value");
    window.until_gone("'one'");
    assert_eq!(window.value("Filter"), "{ text: 'three' }");
    window.click("Reset");
    window.until_named("'one'");
    window.point_secondary("'three'");
    window.point("Sort descending");
    window.until("it is sorted", |state| {
        state.tabs.active().is_some_and(|tab| tab.documents.sorted_by("text") == Some(false))
    });
    window.point_secondary("'three'");
    window.point("Exclude this value");
    window.until_gone("'three'");
    window.click("Reset");
    window.until_named("'three'");
    window.point_secondary("'three'");
    window.point("Hide column");
    window.until_gone("'three'");
}

#[test]
fn a_document_of_a_table_is_deleted_from_its_menu() {
    let mut window = table();
    window.point_secondary("'three'");
    window.until_named("Delete document…");
    window.point("Delete document…");
    window.until_named("Delete 1 document from test.notes?");
}

#[test]
fn the_menu_of_a_value_copies_it() {
    let mut window = table();
    window.point_secondary("'three'");
    assert_eq!(window.copied("Copy value"), "three");
    window.key(Key::Escape);
    window.point_secondary("'three'");
    assert_eq!(window.copied("Copy path"), "text");
}

#[test]
fn a_field_is_renamed_moved_added_and_removed_from_its_menu() {
    let mut window = window();
    window.point("Document 4");
    window.until_named("text: 'four'");
    let field = |window: &mut Window, name: &str, entry: &str| {
        window.point_secondary(name);
        window.point("Field");
        window.until_named(entry);
        window.point(entry);
    };
    field(&mut window, "text: 'four'", "Rename…");
    window.type_into("Field name", "title");
    window.key(Key::Enter);
    window.until_named("title: 'four'");
    let names = |window: &Window| {
        let document = stored(window, doc! {"_id": 4}).remove(0);
        document.keys().cloned().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(&window), "_id title place");
    field(&mut window, "title: 'four'", "Move down");
    window.until_window("it has moved", |window| names(window) == "_id place title");
    field(&mut window, "place: 1 field", "Add a field inside…");
    window.until_named("Field name");
    window.type_into("Field name", "zip");
    window.type_into("Value", "35000");
    window.choose("Value type", "Int32");
    window.click("Save value");
    window.until_window("it is added", |window| {
        stored(window, doc! {"place": {"city": "İzmir", "zip": 35_000}}).len() == 1
    });
    field(&mut window, "title: 'four'", "Remove field");
    window.until_window("it is removed", |window| names(window) == "_id place");
    window.keys(Modifiers::COMMAND, Key::Z);
    window.until_window("it is back", |window| names(window) == "_id place title");
}

#[test]
fn a_card_has_the_menu_of_the_field_under_the_pointer() {
    let mut window = window();
    window.point_secondary("Document 3");
    window.until_named("Edit document…");
    assert!(window.has("Copy document as"));
    window.key(Key::Escape);
}

/// A document with an array and one with a nested document.
fn nested() -> Vec<Document> {
    vec![doc! {"insert": "notes", "documents": [
        {"_id": 1, "tags": ["a", "b"], "place": {"city": "İzmir", "zip": 35_000}},
        {"_id": 2, "place": {"city": "Bonn"}, "when": at(0)},
    ]}]
}

#[test]
fn json_is_folded_and_opened() {
    let mut window = Window::open_view(&nested(), "Documents");
    window.until_named("Document 1");
    window.key(Key::F3);
    window.until_named("Fold tags");
    let before = window.place("Document 2").top();
    window.click("Fold tags");
    window.until_named("Unfold tags");
    assert!(window.place("Document 2").top() < before, "the list moves up");
    window.click("Unfold tags");
    window.choose("JSON (F3)", "Fold all");
    window.until_gone("Fold place");
    window.choose("JSON (F3)", "Unfold all");
    window.until_named("Fold place");
}

#[test]
fn a_new_collection_is_shown_as_the_last_one() {
    let other = doc! {"insert": "other", "documents": [{"_id": 1}]};
    let mut window = Window::open_view(&[nested().remove(0), other], "Documents");
    window.until_named("Document 1");
    window.key(Key::F4);
    window.click("Collection test.other");
    window.click("Documents");
    window.until("it is a table too", |state| {
        let tab = state.tabs.active().expect("a tab");
        tab.namespace.collection == "other" && tab.documents.mode == Mode::Table
    });
}

#[test]
fn fields_of_a_field_have_columns_of_their_own() {
    let mut window = Window::open_view(&nested(), "Documents");
    window.until_named("Document 1");
    window.key(Key::F4);
    window.until_named("Sort by place");
    window.point_secondary("Sort by place");
    window.point("Show its fields as columns");
    window.until_named("Sort by place.city");
    assert!(window.has("Sort by place.zip") && !window.has("Sort by place"));
    window.point_twice("'Bonn'");
    window.until_named("Save value");
    window.type_into("Value", "Köln");
    window.key(Key::Enter);
    window.until_named("'Köln'");
    assert_eq!(stored(&window, doc! {"place.city": "Köln"}).len(), 1);
    window.point_secondary("Sort by place.city");
    window.point("Show place as one column");
    window.until_named("Sort by place");
}

#[test]
fn text_is_found_in_what_is_loaded() {
    let mut window = window();
    window.keys(Modifiers::COMMAND, Key::F);
    assert!(window.is_focused("Find in the loaded documents"));
    window.type_into("Find in the loaded documents", "FO");
    window.until_named("1 of 1 in 4 documents");
    window.type_into("Find in the loaded documents", "o");
    window.until_named("1 of 3 in 4 documents");
    window.key(Key::Enter);
    window.until_named("2 of 3 in 4 documents");
    window.keys(Modifiers::SHIFT, Key::Enter);
    window.until_named("1 of 3 in 4 documents");
    window.type_into("Find in the loaded documents", "nothing");
    window.until_named("Not in 4 documents");
    window.key(Key::Escape);
    window.until_gone("Find in the loaded documents");
}

#[test]
fn the_inspector_comes_with_a_document_and_nothing_moves() {
    let mut window = window();
    assert!(!window.has_part("Will be removed"));
    let (modes, third) = (window.place("Refresh"), window.place("Document 3"));
    window.point("Document 1");
    window.until_named("Will be removed between");
    assert_eq!(window.place("Refresh"), modes);
    let moved = (window.place("Document 3").top() - third.top()).abs();
    assert!(moved < 1.0, "{moved} points");
}

#[test]
fn messages_leave_the_inspector_free() {
    let mut window = table();
    window.point_twice("'three'");
    window.until_named("Save value");
    window.type_into("Value", "drei");
    window.key(Key::Enter);
    until_saved(&mut window);
    window.keys(Modifiers::COMMAND, Key::Z);
    window.until_named("Dismiss: Undone: saved 1 document");
    let (message, field) =
        (window.place("Undone: saved 1 document"), window.place("text: 'three'"));
    assert!(message.right() < field.left(), "{message} {field}");
}

#[test]
fn a_date_is_picked_with_its_time() {
    let mut window = table();
    window.point("Document 1");
    window.until_named("Edit at");
    window.click("Edit at");
    window.until_named("Calendar");
    window.click("Calendar");
    window.until_named("2026-06-01");
    window.click("Next month");
    window.click("2026-07-14");
    assert_eq!(window.value("Value"), "2026-07-14T11:59:30.000Z");
    window.until_named("in 42 d");
    window.click("Save value");
    window.until_named("Dismiss: Saved 1 document");
    let expected = bson::DateTime::parse_rfc3339_str("2026-07-14T11:59:30Z").expect("a date");
    assert_eq!(stored(&window, doc! {"at": expected}).len(), 1);
}

#[test]
fn two_documents_are_compared() {
    let mut window = window();
    window.click("Select Document 3");
    window.click("Select Document 4");
    window.until_named("Selected documents");
    window.choose("Selected documents", "Compare these two…");
    window.until_named("3 differences");
    assert!(window.has_part("text: different: 'three' / 'four'"));
    assert!(window.has_part("place: different: missing / { city: 'İzmir' }"));
    window.key(Key::Escape);
    window.until_gone("3 differences");
}

#[test]
fn the_selected_document_is_at_the_left_of_the_one_that_is_compared_with_it() {
    for (selected, other, shown) in
        [(3, 4, "text: different: 'three' / 'four'"), (4, 3, "text: different: 'four' / 'three'")]
    {
        let mut window = window();
        window.point(&format!("Document {selected}"));
        window.point_secondary(&format!("Document {other}"));
        window.point("Compare with the selected one…");
        window.until_named("3 differences");
        assert!(window.has_part(shown), "{selected} was selected");
    }
}

#[test]
fn a_long_text_and_binary_data_have_a_pane_of_their_own() {
    let bytes = bson::Binary {
        subtype: bson::spec::BinarySubtype::Generic,
        bytes: b"0123456789abcdefg".to_vec(),
    };
    let insert = doc! {"insert": "notes", "documents": [
        {"_id": 1, "text": "one needle\ntwo needles", "data": bytes, "deep": [[1, 2], [3]]},
    ]};
    let mut window = Window::open_view(&[insert], "Documents");
    window.until_named("Document 1");
    window.point("Document 1");
    let open = |window: &mut Window, name: &str| {
        window.until_named(name);
        let name = window.part(name);
        window.point_secondary(&name);
        window.point("Open value…");
    };
    open(&mut window, "text: ");
    window.until_named("String, 22 characters, 2 lines");
    window.type_into("Find in this text", "needle");
    window.until_named("2 matches");
    window.key(Key::Escape);
    open(&mut window, "data: ");
    window.until_named("Binary of subtype 0, 17 B");
    assert!(window.has_part("30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66"));
    assert!(window.has_part("00000010  67"));
    window.key(Key::Escape);
    open(&mut window, "deep: ");
    window.until_named("Array of 2 items");
    window.key(Key::Escape);
}

/// A picture of two by one pixels.
fn png() -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    let picture = image::RgbaImage::from_pixel(2, 1, image::Rgba([255, 0, 0, 255]));
    picture.write_to(&mut bytes, image::ImageFormat::Png).expect("a picture");
    bytes.into_inner()
}

#[test]
fn an_image_in_binary_data_is_shown() {
    let data = bson::Binary { subtype: bson::spec::BinarySubtype::Generic, bytes: png() };
    let insert = doc! {"insert": "notes", "documents": [{"_id": 1, "data": data}]};
    let mut window = Window::open_view(&[insert], "Documents");
    window.until_named("Document 1");
    window.point("Document 1");
    window.until_named("data: ");
    let name = window.part("data: ");
    window.point_secondary(&name);
    window.point("Open value…");
    window.until_named("Image, 2 × 1 pixels");
}

#[test]
fn a_reference_opens_the_document_that_it_means() {
    let id = bson::oid::ObjectId::from_bytes([7; 12]);
    let commands = [
        doc! {"insert": "orders", "documents": [{"_id": 1, "userId": id, "none": 99}]},
        doc! {"insert": "users", "documents": [{"_id": id, "name": "Ada"}]},
    ];
    let mut window = Window::open_view(&commands, "Documents");
    window.click("Collection test.orders");
    window.click("Documents");
    window.until_named("Document 1");
    window.point("Document 1");
    window.until_named("none: 99");
    window.point_secondary("none: 99");
    window.point("Find the document with this _id");
    window.until_named("No document in 2 collections of test has this _id");
    let name = window.part("userId: ");
    window.point_secondary(&name);
    window.point("Find the document with this _id");
    window.until("the user is shown", |state| {
        state.tabs.active().is_some_and(|tab| tab.namespace.collection == "users")
    });
    window.until_named(&format!("Document ObjectId('{id}')"));
}
