//! The Documents view: what is listed, filtered, chosen and deleted.

use bson::{Document, doc};
use egui::{Key, Modifiers};
use mayfly::action::{Action, DialogAction, DocumentsAction};
use mayfly::state::documents::Mode;
use mayfly::state::{Dialog, Tab, Zone};

use super::support::{START_MS, Window, at};

/// Four notes, of which two expire half a minute after the start.
pub fn notes() -> Vec<Document> {
    vec![
        doc! {"createIndexes": "notes", "indexes": [
            {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 60},
        ]},
        doc! {"insert": "notes", "documents": [
            {"_id": 1, "text": "one", "at": at(-30)},
            {"_id": 2, "text": "two", "at": at(-30)},
            {"_id": 3, "text": "three"},
            {"_id": 4, "text": "four", "place": {"city": "İzmir"}},
        ]},
    ]
}

pub fn window() -> Window {
    let mut window = Window::open_view(&notes(), "Documents");
    window.until_named("Document 4");
    window
}

/// The documents of the store, read without the window.
pub fn stored(window: &Window, filter: Document) -> Vec<Document> {
    let reply = window.run("test", &doc! {"find": "notes", "filter": filter});
    let batch = reply.get_document("cursor").and_then(|cursor| cursor.get_array("firstBatch"));
    let batch = batch.expect("a batch").iter();
    batch.filter_map(|document| document.as_document().cloned()).collect()
}

#[test]
fn a_filter_is_typed_and_reset() {
    let mut window = window();
    window.type_into("Filter", "{ _id: { $gt: 2 } }");
    window.key(Key::Enter);
    window.until_gone("Document 1");
    window.until_named("1–2 of 2");
    assert!(window.has("Document 3") && window.has("Document 4"));
    window.click("Reset");
    window.until_named("Document 1");
    assert_eq!(window.value("Filter"), "");
    window.choose("Filter history", "{ _id: { $gt: 2 } }");
    window.until_gone("Document 1");
}

#[test]
fn reset_comes_with_a_filter_and_moves_no_other_button() {
    for size in [[1280.0, 800.0], [800.0, 500.0]] {
        let mut window = window();
        window.harness.set_size(size.into());
        window.harness.run_steps(4);
        let places = |window: &Window| {
            let names = ["Filter history", "Options", "Find", "Add document"];
            names.map(|name| window.place(name).min)
        };
        let before = places(&window);
        let have_moved = |window: &Window| {
            let pairs = before.into_iter().zip(places(window));
            pairs.into_iter().any(|(before, after)| before.distance(after) > 0.5)
        };
        assert!(!window.has("Reset"), "{size:?}: there is nothing to reset");
        let (filter, find) = (window.place("Filter").height(), window.place("Find").height());
        assert!(filter <= find, "{size:?}: the empty filter has one line: {filter}");
        window.type_into("Filter", "{ _id: 2 }");
        assert!(window.has("Reset"), "{size:?}");
        assert!(!have_moved(&window), "{size:?}: a filter is typed");
        let (filter, reset) = (window.place("Filter"), window.place("Reset"));
        assert!(!filter.intersects(reset), "{size:?}: {filter} and {reset}");
        window.key(Key::Enter);
        window.until_gone("Document 1");
        assert!(!have_moved(&window), "{size:?}: it was run");
        window.click("Reset");
        window.until_named("Document 1");
        assert!(!window.has("Reset"), "{size:?}: all documents are shown");
        assert!(!have_moved(&window), "{size:?}: it was reset");
    }
}

#[test]
fn nothing_above_the_documents_moves_when_they_are_selected() {
    let names = ["Find", "Options", "Add document", "Explain the query", "JSON (F3)"];
    for size in [[1280.0, 800.0], [1024.0, 640.0]] {
        let mut window = window();
        window.harness.set_size(size.into());
        window.key(Key::F4);
        window.until_named("'three'");
        let places = |window: &Window| names.map(|name| window.place(name));
        let (before, column) = (places(&window), window.place("Sort by text"));
        window.point("Document 1");
        window.until("the inspector has it", |state| {
            state.tabs.active().is_some_and(Tab::has_inspector)
        });
        window.harness.run_steps(4);
        assert_eq!(places(&window), before, "{size:?}: the inspector opens");
        assert_eq!(window.place("Sort by text"), column, "{size:?}");
        window.point_with("Document 3", Modifiers::COMMAND);
        window.until_named("Delete 2 documents…");
        assert_eq!(places(&window), before, "{size:?}: a second one is selected");
        let apart = window.place("Document 1").top() - window.place("'one'").top();
        assert!(apart.abs() < 0.01, "{size:?}: {apart}");
    }
}

#[test]
fn a_collection_is_shown_as_a_table_first() {
    let settings = mayfly::worker::KeptSettings::none();
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = Window::open_with_settings(folder, &notes(), settings);
    window.until("a collection is shown", |state| state.tabs.active().is_some());
    window.click("Documents");
    window.until_named("'three'");
    assert_eq!(window.tab().documents.mode, Mode::Table);
}

#[test]
fn the_lines_above_the_documents_end_at_the_same_place() {
    let window = window();
    let ends = ["Find", "Table (F4)"].map(|name| window.place(name).right());
    assert!((ends[0] - ends[1]).abs() < 2.0, "{ends:?}");
}

#[test]
fn a_bad_filter_says_its_place_and_is_not_run() {
    let mut window = window();
    for (filter, place) in [("{ _id: }", "column 8"), ("{ _id: 1", "column 9")] {
        window.type_into("Filter", filter);
        window.until_named("Filter: ");
        assert!(window.has_part(place), "{filter} does not say {place}");
        assert!(!window.is_enabled("Find"), "{filter}");
    }
    assert!(window.has("Document 1"), "the list stays");
    window.type_into("Filter", "{ _id: { $nope: 1 } }");
    window.click("Find");
    window.until_named("Filter: unknown operator: $nope");
    assert!(!window.has("Try again"), "the store is fine");
    assert!(window.has("Document 1"), "the last results stay");
    assert!(window.is_enabled("Find"));
    window.type_into("Filter", "{ _id: 3 }");
    window.until_gone("$nope");
    window.key(Key::Enter);
    window.until_gone("Document 1");
    window.click("Reset");
    window.until_named("Document 1");
}

#[test]
fn a_filter_that_was_kept_and_is_refused_can_be_reset() {
    let mut window = Window::open_after(&notes());
    window.until("a collection is shown", |state| state.tabs.active().is_some());
    let tab = window.tab().id;
    let filter = "{ _id: { $nope: 1 } }".to_owned();
    window.ask(Action::Documents(tab, DocumentsAction::RunFilter(filter)));
    window.click("Documents");
    window.until_named("The filter was refused");
    assert!(window.has_part("unknown operator: $nope"));
    window.click("Reset filter");
    window.until_named("Document 1");
}

#[test]
fn no_match_offers_every_document() {
    let mut window = window();
    window.type_into("Filter", "{ _id: 99 }");
    window.click("Find");
    window.until_named("No documents match the filter");
    window.click("Reset");
    window.until_named("Document 1");
}

#[test]
fn options_sort_and_limit() {
    let mut window = window();
    window.click("Options");
    window.type_into("Sort", "{ _id: -1 }");
    window.type_into("Limit", "2");
    window.click("Find");
    window.until_gone("Document 1");
    window.until_named("Document 4");
    window.type_into("Limit", "two");
    window.until_named("Limit: ");
    assert!(!window.is_enabled("Find"));
}

#[test]
fn cards_json_and_table_are_on_f2_f3_and_f4() {
    let mut window = window();
    let check = |window: &mut Window, key, mode, shown: &str| {
        window.key(key);
        assert_eq!(window.tab().documents.mode, mode);
        window.until_named(shown);
    };
    check(&mut window, Key::F4, Mode::Table, "Expires in");
    assert!(window.has("'three'"));
    window.click("Sort by text");
    window.until("it is sorted", |state| {
        state.tabs.active().is_some_and(|tab| tab.documents.sorted_by("text") == Some(true))
    });
    check(&mut window, Key::F3, Mode::Json, "Document 3");
    check(&mut window, Key::F2, Mode::Cards, "Document 3");
}

/// More documents than the window has room for, with more fields than fit next to one another.
fn many() -> Window {
    let documents = (0..200).map(|id| {
        let fields = (0..12).map(|at| (format!("field{at}"), "a text of some length".into()));
        let mut document = doc! {"_id": id, "at": at(600)};
        document.extend(fields);
        document
    });
    let insert = doc! {"insert": "notes", "documents": documents.collect::<Vec<_>>()};
    let mut window = Window::open_view(&[notes().swap_remove(0), insert], "Documents");
    window.until_named("Document 1");
    window
}

#[test]
fn a_table_that_shows_another_row_stays_at_its_columns() {
    let mut window = many();
    window.key(Key::F4);
    window.until_named("Expires in");
    window.point("Document 0");
    window.key(Key::End);
    window.until_named("Document 199");
    let (id, expires) = (window.place("Sort by _id"), window.place("Expires in"));
    assert!(expires.left() >= id.right(), "{expires} begins right of {id}");
}

/// A list of 180 documents, each with the fields of `rest`, gone through to its end.
fn at_the_end(rest: &Document) -> Window {
    let documents = (0..180).map(|id| {
        let mut document = doc! {"_id": id};
        document.extend(rest.clone());
        document
    });
    let insert = doc! {"insert": "many", "documents": documents.collect::<Vec<_>>()};
    let mut window = Window::open_view(&[insert], "Documents");
    window.until_named("Document 0");
    window.point("Document 0");
    window.key(Key::End);
    window.until_named("Document 179");
    window
}

#[test]
fn a_table_takes_the_row_of_the_list_and_follows_the_keys() {
    let mut window = at_the_end(&doc! {});
    window.key(Key::F4);
    window.until_named("Sort by _id");
    window.until_named("Document 179");
    window.key(Key::Home);
    window.until_named("Document 0");
    for _ in 0..30 {
        window.key(Key::ArrowDown);
    }
    window.until_named("Document 30");
    for _ in 0..30 {
        window.key(Key::ArrowUp);
    }
    window.until_named("Document 0");
}

#[test]
fn a_column_is_hidden() {
    let mut window = window();
    window.key(Key::F4);
    window.until_named("'three'");
    window.choose("Table (F4)", "text");
    window.until_gone("'three'");
}

#[test]
fn the_inspector_says_when_a_document_goes() {
    let mut window = window();
    window.point("Document 1");
    window.until_named("Will be removed between 12:00:30 and 12:01:3");
    assert!(window.has_part("Index at_1: "));
    assert!(window.has("Expires at 2026-06-01 12:00:30.000Z"));
    window.advance(31);
    window.until_named("Will be removed by the next pass");
    window.point("Document 3");
    window.until_named("Never expires");
}

#[test]
fn a_value_is_edited_in_its_place_and_undone() {
    let mut window = window();
    window.point("Document 3");
    window.until_named("Edit text");
    window.click("Edit text");
    window.type_into("Value", "drei");
    window.click("Save value");
    window.until_named("Dismiss: Saved 1 document");
    assert_eq!(stored(&window, doc! {"text": "drei"}).len(), 1);
    window.click("Undo");
    window.until_named("Dismiss: Undone: saved 1 document");
    assert_eq!(stored(&window, doc! {"text": "three"}).len(), 1);
}

#[test]
fn a_typed_value_that_meets_another_change_stays_however_many_dialogs_wait() {
    let mut window = window();
    window.point("Document 3");
    window.until_named("Edit text");
    window.click("Edit text");
    window.type_into("Value", "mine");
    let update = doc! {"q": {"_id": 3}, "u": {"$set": {"text": "theirs"}}};
    window.run("test", &doc! {"update": "notes", "updates": [update]});
    for number in 0..20 {
        let dialog = Dialog::OpenFolder(mayfly::state::dialogs::OpenFolder {
            path: format!("/{number}"),
            ..Default::default()
        });
        window.ask(Action::Dialog(DialogAction::Show(dialog)));
    }
    let tab = window.tab().id;
    window.ask(Action::Documents(tab, DocumentsAction::SaveField));
    window.until("it is checked", |state| {
        state.tabs.active().is_some_and(|tab| tab.documents.writing.is_none())
    });
    while matches!(window.state().dialogs.open(), Some(Dialog::OpenFolder(_))) {
        window.ask(Action::Dialog(DialogAction::Close));
    }
    window.until_named("This document changed while you were editing");
    assert!(window.value("Document").contains("'mine'"));
}

#[test]
fn one_document_is_deleted_after_a_question_and_brought_back() {
    let mut window = window();
    window.point("Document 3");
    window.until_named("Delete document");
    window.click("Delete document");
    window.until_named("Delete 3?");
    window.click("Keep");
    assert_eq!(stored(&window, doc! {}).len(), 4);
    window.click("Delete document");
    window.click("Delete");
    window.until_named("Dismiss: Deleted 1 document");
    window.until_gone("Select Document 3");
    assert_eq!(stored(&window, doc! {"_id": 3}).len(), 0);
    window.keys(Modifiers::COMMAND, Key::Z);
    window.until_named("Dismiss: Undone: inserted 1 document");
    window.until_named("Select Document 3");
    assert_eq!(stored(&window, doc! {"_id": 3, "text": "three"}).len(), 1);
}

#[test]
fn a_document_is_told_by_what_its_id_holds() {
    let insert = doc! {"insert": "notes", "documents": [
        {"_id": {"user": 7, "day": "mon"}}, {"_id": {"user": 7, "day": "tue"}},
    ]};
    let mut window = Window::open_view(&[insert], "Documents");
    let name = "Document { user: 7, day: 'tue' }";
    window.until_named(name);
    window.point(name);
    window.click("Delete document");
    window.until_named("Delete { user: 7, day: 'tue' }?");
    window.key(Key::Escape);
    window.key(Key::F4);
    window.until_named("Sort by _id");
    assert!(window.has(name));
}

#[test]
fn several_documents_are_deleted_by_number_and_brought_back() {
    let mut window = window();
    window.click("Select Document 1");
    window.click("Select Document 3");
    window.until_named("Delete 2 documents…");
    window.click("Delete 2 documents…");
    window.until_named("Delete 2 documents from test.notes?");
    let shown = window.value("Command to send");
    assert!(shown.contains("$in: [ 1, 3 ]"), "{shown}");
    window.click("Delete 2 documents");
    window.until_named("Dismiss: Deleted 2 documents");
    assert_eq!(stored(&window, doc! {}).len(), 2);
    window.click("Undo");
    window.until_named("Dismiss: Undone: inserted 2 documents");
    assert_eq!(stored(&window, doc! {}).len(), 4);
}

#[test]
fn keys_held_select_a_range() {
    let mut window = window();
    window.point("Document 1");
    window.point_with("Document 3", Modifiers::SHIFT);
    window.until_named("Delete 3 documents…");
    window.click("Clear selection");
    assert!(!window.has_part("Delete 3 documents"));
}

#[test]
fn escape_in_a_dialog_keeps_the_selection_behind_it() {
    let mut window = window();
    window.click("Select Document 1");
    window.click("Select Document 3");
    window.keys(Modifiers::SHIFT, Key::F1);
    window.key(Key::Escape);
    assert!(!window.has("Keyboard shortcuts"));
    assert!(window.has("Delete 2 documents…"));
    window.key(Key::Escape);
    assert!(!window.has("Delete 2 documents…"));
}

#[test]
fn what_the_reaper_removes_leaves_the_list() {
    let mut window = window();
    window.point("Document 1");
    window.advance(31);
    window.click("Run pass");
    window.until_gone("Select Document 1");
    assert!(window.has("Document 3"));
    window.until_named("This document was removed");
    assert!(!window.has("Edit text"), "nothing of it can be edited");
}

#[test]
fn an_empty_collection_offers_to_add() {
    let mut window = Window::open_view(&[doc! {"create": "void"}], "Documents");
    window.until_named("test.void is empty");
    assert!(window.is_enabled("Add document"));
}

#[test]
fn one_document_of_a_table_is_deleted_after_a_question() {
    let mut window = window();
    window.click("Select Document 3");
    window.key(Key::F4);
    window.until_named("'three'");
    window.key(Key::Delete);
    window.until_named("Delete 1 document from test.notes?");
    assert!(window.has_part("Press Ctrl+Z to undo while this tab is open"));
    assert!(window.value("Command to send").contains("$in: [ 3 ]"));
    window.click("Delete 1 document");
    window.until_named("Dismiss: Deleted 1 document");
    assert_eq!(stored(&window, doc! {}).len(), 3);
}

#[test]
fn a_document_that_stays_is_not_said_to_go() {
    let mut window = window();
    window.point("Document 1");
    window.until_named("Will be removed between 12:00:30");
    let pause = mayfly::action::ReaperAction::SetEnabled(false);
    window.ask(Action::Reaper(pause));
    window.until_named("The TTL monitor is off; the document is kept until you resume it");
    window.until_gone("Will be removed between");
}

#[test]
fn end_shows_the_last_document() {
    let tall = (0..9).map(|at| (format!("field{at}"), "a text of some length".into())).collect();
    for rest in [doc! {}, tall] {
        let mut window = at_the_end(&rest);
        let last = window.place("Document 179");
        let end = window.place("Activity").top();
        assert!(last.bottom() <= end && last.bottom() > end - 40.0, "{last} ends at {end}");
        window.key(Key::Home);
        window.until_named("Document 0");
    }
}

#[test]
fn escape_closes_a_menu_and_keeps_the_selection() {
    let mut window = window();
    window.point("Select Document 1");
    window.point("Select Document 2");
    window.until_named("Delete 2 documents…");
    window.point("TTL monitor");
    assert!(window.has("Pause the TTL monitor"));
    window.key(Key::Escape);
    assert!(!window.has("Pause the TTL monitor"));
    assert!(window.has("Delete 2 documents…"), "the selection stays");
    window.key(Key::Escape);
    window.until_gone("Delete 2 documents…");
}

/// Carts with a time to live of their own or of the index, which is on the last modification.
fn carts() -> Vec<Document> {
    vec![
        doc! {"createIndexes": "carts", "indexes": [
            {"key": {"_ts": 1}, "name": "ts", "expireAfterSeconds": 600},
        ]},
        doc! {"insert": "carts", "documents": [
            {"_id": 1, "ttl": 30}, {"_id": 2}, {"_id": 3, "ttl": -1},
        ]},
    ]
}

#[test]
fn documents_that_expire_by_their_last_modification_say_when() {
    let mut window = Window::open_view(&carts(), "Documents");
    let goes = |secs: i64| Zone::Utc.date_time_millis(START_MS + secs * 1_000);
    window.until_named(&format!("Expires at {}", goes(30)));
    window.until_named(&format!("Expires at {}", goes(600)));
    window.until_named("Never expires");
    window.key(Key::F4);
    window.until_named("Expires in");
    window.run(
        "test",
        &doc! {"update": "carts", "updates": [
            {"q": {"_id": 3}, "u": {"$set": {"ttl": 90}}},
        ]},
    );
    window.until_named(&format!("Expires at {}", goes(90)));
    window.run("test", &doc! {"dropIndexes": "carts", "index": "ts"});
    window.until_gone("Expires in");
}

#[test]
fn a_list_that_hides_what_has_expired_says_so() {
    let mut window = Window::open_view(&carts(), "Documents");
    window.until_named("1–3 of 3");
    assert!(window.has("3 documents"));
    window.advance(31);
    window.click("Refresh");
    window.until_named("1–2 of 2");
    window.until_named("3 documents (1 expired, hidden from reads)");
    window.run("admin", &doc! {"mayflyReap": 1});
    window.until_gone("hidden from reads");
    assert!(window.has("2 documents"));
}

#[test]
fn damaged_documents_are_left_out_listed_and_removed() {
    let mut window = Window::open_damaged();
    window.click("Documents");
    window.until_named("Some documents are damaged and not listed");
    window.click("Show damaged documents");
    window.until_named("Damaged documents of test.notes");
    // The message in the corner makes room for the dialog.
    let message = window.place(
        "The check at opening found damage: 1 stored item is damaged (document with _id 1 of \
         test.notes). You can still export everything else; run Verify for a full report.",
    );
    let button = window.place("Remove 1 damaged document");
    assert!(message.left() > button.right(), "{message:?} {button:?}");
    let removal = window.copied("Copy command");
    assert!(removal.contains("runCommand({ mayflyDamaged: 'notes', remove: [ '"), "{removal}");
    window.click("Remove 1 damaged document");
    window.until_named("1 document was removed. The raw bytes are saved in ");
    window.until_named("No damaged documents in this collection");
    window.click("Done");
    window.until_gone("Some documents are damaged and not listed");
    let sent = window.sent();
    let finds = sent.iter().filter(|command| command.contains("find")).cloned();
    let partial: Vec<bool> = finds.map(|find| find.contains("allowPartialResults")).collect();
    assert!(partial.contains(&true), "{sent:?}");
    let validated = window.run("test", &doc! {"validate": "notes"});
    assert_eq!(validated.get_bool("valid").ok(), Some(true), "{validated}");
}

#[test]
fn an_object_id_has_room_in_the_inspector_and_the_controls_stay_on_one_line() {
    let id = bson::oid::ObjectId::from_bytes([0xdb; 12]);
    let insert = doc! {"insert": "notes", "documents": [{"_id": id, "a": 1}]};
    let index = doc! {"createIndexes": "notes", "indexes": [
        {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 60},
    ]};
    let mut window = Window::open_view(&[insert, index], "Documents");
    let name = format!("ObjectId('{id}')");
    window.until_named(&name);
    window.point(&format!("Document {name}"));
    window.until_named("Edit as text");
    let row = window.place(&format!("_id: {name}"));
    assert!(row.height() < 40.0, "its name, then all of it: {row}");
    let (modes, refresh) = (window.place("Table (F4)"), window.place("Refresh"));
    assert!((modes.center().y - refresh.center().y).abs() < 1.0, "{modes} {refresh}");
    window.click("Expiry");
    let (index, zoom) = (window.place("View: Timeline"), window.place("Zoom in"));
    assert!((index.center().y - zoom.center().y).abs() < 1.0, "{index} {zoom}");
}

#[test]
fn the_keyboard_alone_comes_from_the_filter_to_a_document() {
    let mut window = Window::open_view(&notes(), "Documents");
    window.until_named("Document 1");
    window.keys(Modifiers::COMMAND, Key::L);
    assert!(window.is_focused("Filter"));
    window.key(Key::Enter);
    window.key(Key::Tab);
    window.until("the first one is chosen", |state| {
        let tab = state.tabs.active().expect("a tab");
        tab.documents.focus.as_ref().is_some_and(|focus| focus.id == bson::bson!(1))
    });
    window.key(Key::ArrowDown);
    window.until("the second one is chosen", |state| {
        let tab = state.tabs.active().expect("a tab");
        tab.documents.focus.as_ref().is_some_and(|focus| focus.id == bson::bson!(2))
    });
}
