//! The dialogs of the Indexes view. None sends anything that it has not shown.

use std::sync::Arc;

use bson::{Document, doc};
use egui::Key;
use egui_kittest::kittest::Queryable as _;
use mayfly::source::{Capabilities, Events, Source};

use super::indexes::{visits, window};
use super::support::{Window, at};

/// The dialog for a new index, with a field typed.
fn creating(field: &str) -> Window {
    let mut window = window();
    window.click("Create index…");
    window.until_named("Create index on visits");
    assert!(window.is_focused("Field 1"), "the first field is typed at once");
    window.type_into("Field 1", field);
    window
}

#[test]
fn the_fields_of_an_index_are_as_wide_as_the_dialog() {
    let mut window = creating("made");
    let check = |window: &Window, last: &str| {
        let ends = ["Create index", last].map(|name| window.place(name).right());
        assert!((ends[0] - ends[1]).abs() < 2.0, "{last}: {ends:?}");
    };
    check(&window, "Direction of field 1: ↓ Descending");
    window.click("Add a field");
    check(&window, "Remove field 2");
}

/// Presses and releases within one frame, as a tap on a pad does.
fn tap(window: &mut Window, name: &str) {
    use egui::{Event, Modifiers, PointerButton};
    let pos = window.place(name).center();
    let events = &mut window.harness.input_mut().events;
    events.push(Event::PointerMoved(pos));
    for pressed in [true, false] {
        let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
        events.push(Event::PointerButton { pos, button, pressed, modifiers });
    }
    window.harness.run_steps(4);
}

#[test]
fn a_menu_is_above_its_dialog_when_that_opens_again() {
    let mut window = creating("made");
    for unit in ["minutes", "hours"] {
        window.click("Expire documents (TTL)");
        tap(&mut window, "TTL: unit");
        window.point(unit);
        window.type_into("TTL", "2");
        window.until_named(if unit == "hours" {
            "7,200 s after the date in the field"
        } else {
            "120 s after the date in the field"
        });
        window.click("Cancel");
        window.click("Create index…");
        window.until_named("Create index on visits");
        window.type_into("Field 1", "made");
    }
}

#[test]
fn a_blank_ttl_is_refused_and_zero_is_allowed() {
    let mut window = creating("made");
    window.click("Expire documents (TTL)");
    window.until_named("Enter a number; 0 expires documents at the stored time");
    let said =
        window.harness.query_all_by_label("Enter a number; 0 expires documents at the stored time");
    assert_eq!(said.count(), 1, "it is said once");
    assert!(!window.is_enabled("Create index"));
    for wrong in ["ten", "-1", "1.5"] {
        window.type_into("TTL", wrong);
        assert!(!window.is_enabled("Create index"), "{wrong}");
        assert!(!window.has("Command"), "{wrong}");
    }
    window.type_into("TTL", "0");
    window.until_named("at the time stored in the field");
    assert!(window.value("Command").contains("expireAfterSeconds: 0"));
}

#[test]
fn an_error_of_two_lines_moves_no_button() {
    let mut window = creating("a_name_of_a_field");
    window.run("test", &doc! {"insert": "visits", "documents": [{"_id": "a"}, {"_id": "b"}]});
    window.click("Unique");
    window.until_enabled("Create index");
    let before = window.place("Cancel");
    window.click("Create index");
    window.until_named("duplicate key");
    let error = window.place_of_part("duplicate key").expect("the error");
    assert!(error.height() > 30.0, "it has two lines: {error}");
    let moved = (window.place("Cancel").min - before.min).length();
    assert!(moved < 2.0, "Cancel moved {moved} points");
}

/// Inserts this number of documents of `visits` with this date.
fn insert_at(window: &Window, count: i32, secs: i64) {
    let documents: Vec<Document> = (0..count).map(|_| doc! {"made": at(secs)}).collect();
    window.run("test", &doc! {"insert": "visits", "documents": documents});
}

#[test]
fn a_ttl_that_removes_many_in_one_pass_says_what_to_do() {
    let mut window = creating("made");
    insert_at(&window, 1_000, -7_200);
    window.click("Expire documents (TTL)");
    window.type_into("TTL", "3600");
    window.until_named("The first pass would remove 1,00");
    assert!(window.has_part("Start with a larger TTL and lower it in steps"));
    window.type_into("TTL", "36000");
    window.until_named("would expire within one minute, at 2026-06-01 20:00:00");
    assert!(window.has_part("add a random number of seconds to each date"));
    window.type_into("TTL", "-1");
    window.until_gone("would expire within one minute");
}

#[test]
fn the_button_names_the_number_and_the_command_is_the_one_shown() {
    let mut window = creating("made");
    window.click("Expire documents (TTL)");
    window.type_into("TTL", "10");
    window.choose("TTL: unit", "minutes");
    window.until_named("600 s after the date in the field");
    window.until_named("Create and expire 1");
    window.type_into("Index name", "made_ttl");
    let shown = window.value("Command");
    assert!(shown.contains("expireAfterSeconds: 600") && shown.contains("made_ttl"), "{shown}");
    assert_eq!(window.copied("Copy command"), shown);
    window.type_into("Field 1", "seen_at");
    window.until_named("Create index");
    let shown = window.value("Command");
    window.until_enabled("Create index");
    window.key(Key::Enter);
    window.until_named("Dismiss: Created index made_ttl on visits");
    assert!(!window.has("Command"));
    window.until_named("made_ttl");
    assert_eq!(window.sent().last(), Some(&shown));
}

#[test]
fn a_compound_index_has_no_ttl_and_says_why() {
    let mut window = creating("made");
    assert!(window.is_enabled("Expire documents (TTL)"));
    window.click("Add a field");
    window.type_into("Field 2", "user");
    window.until_named("A TTL requires a single-field index");
    assert!(!window.is_enabled("Expire documents (TTL)"));
    window.click("Direction of field 2: ↓ Descending");
    assert!(window.value("Command").contains("user: -1"));
    window.click("Remove field 2");
    assert!(window.is_enabled("Expire documents (TTL)"));
}

#[test]
fn the_id_index_has_no_ttl_and_says_why() {
    let mut window = creating("_id");
    window.until_named("The _id index can't have a TTL");
    assert!(!window.is_enabled("Expire documents (TTL)"));
}

#[test]
fn fields_are_picked_from_the_documents() {
    let mut window = creating("");
    assert!(!window.is_enabled("Create index"));
    window.until_named("Choose a field");
    window.choose("Pick field 1", "seen");
    assert_eq!(window.value("Field 1"), "seen");
}

#[test]
fn what_the_engine_refuses_is_said_in_the_dialog() {
    let mut window = creating("made");
    window.type_into("Index name", "code_1");
    window.click("Create index");
    window.until_named("An existing index has the same name as the requested index: code_1");
    assert!(window.has("Create index on visits"), "the dialog stays");
    window.type_into("Index name", "made_2");
    window.until_gone("An existing index has the same name");
}

#[test]
fn a_bad_partial_filter_is_said_before_anything_is_sent() {
    let mut window = creating("user");
    window.type_into("Partial filter", "{ status: }");
    window.until_named("The partial filter: ");
    assert!(!window.is_enabled("Create index"));
    window.type_into("Partial filter", "{ status: 'done' }");
    window.click("Unique");
    let shown = window.value("Command");
    assert!(shown.contains("partialFilterExpression: { status: 'done' }"), "{shown}");
    assert!(shown.contains("unique: true"), "{shown}");
}

#[test]
fn a_ttl_is_changed_in_place() {
    let mut window = window();
    window.click("Change TTL… seen_1");
    window.until_named("Change TTL of seen_1");
    assert!(window.has_part("was 10 min (600 s)"));
    assert!(!window.is_enabled("No change"));
    window.type_into("TTL", "");
    window.until_named("Enter a number; 0 expires documents at the stored time");
    window.type_into("TTL", "1");
    window.until_named("Change and expire 2");
    let shown = window.value("Command");
    assert!(shown.contains("collMod") && shown.contains("expireAfterSeconds: 60"), "{shown}");
    window.click("Change and expire 2");
    window.until_named("Dismiss: The TTL of seen_1 is now 1 min");
    window.until_named("1 min (60 s)");
    assert_eq!(window.sent().last(), Some(&shown));
}

#[test]
fn a_plain_index_is_turned_into_a_ttl_index() {
    let mut window = window();
    window.choose("More for made_1", "Add TTL…");
    window.until_named("Add TTL to made_1");
    assert!(window.has_part("has no TTL yet"));
    window.type_into("TTL", "3600");
    window.until_enabled("Add TTL");
    window.click("Add TTL");
    window.until_named("Dismiss: The TTL of made_1 is now 1 h");
    window.until_named("1 h (3,600 s)");
}

#[test]
fn an_index_is_dropped_after_a_question() {
    let mut window = window();
    window.choose("More for made_1", "Drop index…");
    window.until_named("Drop index made_1");
    let shown = window.value("Command");
    assert!(shown.contains("made_1"), "{shown}");
    assert_eq!(window.copied("Copy command"), shown);
    window.key(Key::Escape);
    assert!(!window.has("Drop index made_1"), "Escape drops nothing");
    window.choose("More for made_1", "Drop index…");
    window.click("Drop index");
    window.until_named("Dismiss: Dropped index made_1");
    window.until_gone("More for made_1");
}

#[test]
fn a_drop_that_fails_is_said_in_its_dialog() {
    let mut window = window();
    window.choose("More for made_1", "Drop index…");
    window.run("test", &doc! {"dropIndexes": "visits", "index": "made_1"});
    window.click("Drop index");
    window.until_named("index not found with name [made_1]");
    assert!(window.has("Drop index made_1"), "the dialog stays");
}

/// A store that does not say what a TTL would remove.
struct Mute(Arc<dyn Source>);

impl Source for Mute {
    fn run(&self, db: &str, command: &Document) -> Document {
        if command.contains_key("mayflyWhatIf") {
            return doc! {"ok": 0.0, "errmsg": "the disk can't be read"};
        }
        self.0.run(db, command)
    }

    fn subscribe(&self) -> Events {
        self.0.subscribe()
    }

    fn capabilities(&self) -> Capabilities {
        self.0.capabilities()
    }
}

#[test]
fn a_ttl_whose_removals_are_not_known_is_not_made() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut window = Window::open_as(folder, &visits(), |source| Arc::new(Mute(source)));
    window.until("a collection is shown", |state| state.tabs.active().is_some());
    window.click("Indexes");
    window.until_named("made_1");
    window.click("Create index…");
    window.until_named("Create index on visits");
    window.type_into("Field 1", "made");
    window.click("Expire documents (TTL)");
    window.type_into("TTL", "10");
    window.until_named("Can't preview this TTL: the disk can't be read");
    assert!(!window.is_enabled("Create index"));
    window.click("Expire documents (TTL)");
    window.until_enabled("Create index");
}

#[test]
fn the_default_of_the_last_modification_is_turned_off_and_on() {
    let mut window = Window::open_view(
        &[
            doc! {"insert": "carts", "documents": [{"_id": 1}, {"_id": 2, "ttl": 90}]},
            doc! {"createIndexes": "carts", "indexes": [
                {"key": {"_ts": 1}, "name": "ts", "expireAfterSeconds": -1},
            ]},
        ],
        "Indexes",
    );
    window.until_named("on, without a default");
    window.click("Change TTL… ts");
    window.until_named("No default: only documents with their own ttl expire");
    assert!(!window.has_part("Must be from"), "it is as it is stored");
    window.type_into("TTL", "-2");
    window.until_named("Must be from -1 to 2147483647 seconds");
    window.type_into("TTL", "60");
    window.until_enabled("Change TTL");
    window.click("Change TTL");
    window.until_named("The TTL of ts is now 1 min");
    window.click("Change TTL… ts");
    window.type_into("TTL", "-1");
    window.choose("TTL: unit", "seconds");
    window.until_enabled("Change TTL");
    assert!(window.value("Command").contains("expireAfterSeconds: -1"));
    window.click("Change TTL");
    window.until_named("The TTL of ts is now on, without a default");
}

#[test]
fn a_collection_without_a_ttl_index_does_not_ask_why_again() {
    let mut window =
        Window::open_view(&[doc! {"insert": "notes", "documents": [{"_id": 1}]}], "Expiry");
    window.until_named("No TTL index, so documents in this collection never expire");
    window.until_named("Never expires: 1");
    window.click("Never expires: 1");
    window.until_named("No reasons to list");
}

/// Next to a count of all documents, a number from a sample would contradict it.
#[test]
fn text_in_the_field_is_counted_like_what_the_ttl_removes() {
    let documents: Vec<Document> = (0..1_500)
        .map(|id| {
            if id % 5 == 0 {
                doc! {"_id": id, "at": at(-90)}
            } else {
                doc! {"_id": id, "at": "x"}
            }
        })
        .collect();
    let mut window =
        Window::open_view(&[doc! {"insert": "notes", "documents": documents}], "Indexes");
    window.click("Create index…");
    window.type_into("Field 1", "at");
    window.click("Expire documents (TTL)");
    window.until_named("sampled documents have text or numbers in at");
    window.type_into("TTL", "800");
    window.choose("TTL: unit", "days");
    window.until_named("1,200 documents have text or numbers in at, so they never expire");
    assert!(!window.has_part("sampled"));
    window.until_enabled("Create index");
    window.click("Create index");
    window.until_named("800 d");
    assert!(!window.has_part("2.1 y"), "{}", window.on_screen());
}
