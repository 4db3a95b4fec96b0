//! Dialogs while their counts arrive, and what was typed into them.

use std::sync::Arc;

use bson::{Document, doc};
use egui::{Key, Modifiers};
use mayfly::action::store_actions::Page;
use mayfly::action::{Action, DialogAction, DocumentsAction, IndexesAction, MaintenanceAction};
use mayfly::state::Dialog;
use mayfly::state::dialogs::{CreateCollection, CreateDatabase};

use super::every_dialog::Late;
use super::support::{Window, at};

/// Documents whose fields are dates and text, nearly all of them older than a minute.
fn carts() -> Vec<Document> {
    let documents: Vec<Document> = (0..400_i32)
        .map(|id| doc! {"_id": id, "at": at(-100 - i64::from(id)), "name": format!("cart {id}"), "late": if id < 9 { "2026-01-01".into() } else { bson::Bson::DateTime(at(-i64::from(id))) }})
        .collect();
    vec![
        doc! {"createIndexes": "carts", "indexes": [
            {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 9_999_999},
        ]},
        doc! {"insert": "carts", "documents": documents},
    ]
}

/// A window on them whose answers come late, so that frames are drawn before they come.
fn window() -> Window {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut window = Window::open_as(folder, &carts(), |source| Arc::new(Late(source)));
    window.until("a collection is shown", |state| state.tabs.active().is_some());
    window.click("Indexes");
    window.until_named("at_1");
    window.click("Documents");
    window.until_named("Document 1");
    window
}

/// A dialog whose buttons depend on a count, and what is typed to cause it.
struct Counted {
    name: &'static str,
    open: fn(&Window) -> Action,
    typed: Option<(&'static str, &'static str)>,
    /// The words that come with the count.
    count: &'static str,
    /// The button that closes it, and the primary one once all is known.
    buttons: [&'static str; 2],
}

fn indexes(window: &Window, action: IndexesAction) -> Action {
    Action::Indexes(window.tab().id, action)
}

fn documents(window: &Window, action: DocumentsAction) -> Action {
    Action::Documents(window.tab().id, action)
}

const COUNTED: [Counted; 7] = [
    Counted {
        name: "Create index",
        open: |window| indexes(window, IndexesAction::OpenCreateTtl("at".into())),
        typed: Some(("TTL", "1")),
        count: "Create and expire ",
        buttons: ["Cancel", "Create and expire "],
    },
    Counted {
        name: "Create index on a field with text",
        open: |window| indexes(window, IndexesAction::OpenCreateTtl("late".into())),
        typed: Some(("TTL", "1")),
        count: "have text or numbers in late",
        buttons: ["Cancel", "Create and expire "],
    },
    Counted {
        name: "Create index on a field without dates",
        open: |window| indexes(window, IndexesAction::OpenCreateTtl("name".into())),
        typed: Some(("TTL", "1")),
        count: "No document has a date in name",
        buttons: ["Cancel", "Create index"],
    },
    Counted {
        name: "Change TTL",
        open: |window| indexes(window, IndexesAction::OpenChangeTtl("at_1".into())),
        typed: Some(("TTL", "1")),
        count: "Change and expire ",
        buttons: ["Cancel", "Change and expire "],
    },
    Counted {
        name: "Delete all that match",
        open: |window| documents(window, DocumentsAction::AskDeleteSelected),
        typed: None,
        count: "Delete 400 documents",
        buttons: ["Cancel", "Delete 400 documents"],
    },
    Counted {
        name: "Create database",
        open: |_| {
            let draft = CreateDatabase { collection: "b".into(), ..CreateDatabase::default() };
            Action::Dialog(DialogAction::Show(Dialog::CreateDatabase(draft)))
        },
        typed: Some(("Database name", "test")),
        count: "already exists",
        buttons: ["Cancel", "Create database"],
    },
    Counted {
        name: "Create collection",
        open: |_| {
            let draft = CreateCollection { db: "test".into(), ..CreateCollection::default() };
            Action::Dialog(DialogAction::Show(Dialog::CreateCollection(draft)))
        },
        typed: Some(("Collection name", "carts")),
        count: "already exists",
        buttons: ["Cancel", "Create collection"],
    },
];

#[test]
fn buttons_stay_while_counts_arrive() {
    let mut window = window();
    window.keys(Modifiers::COMMAND, Key::A);
    let mut wrong = Vec::new();
    for counted in &COUNTED {
        window.ask_only((counted.open)(&window));
        let [leave, primary] = counted.buttons;
        window.until_frame(counted.name, |window| window.has(leave));
        let mut places = vec![window.place(leave)];
        if let Some((field, text)) = counted.typed {
            window.until_window(counted.name, |window| window.has(field));
            places.push(window.place(leave));
            window.type_into(field, text);
            places.push(window.place(leave));
        }
        window.until_named(counted.count);
        window.settle_and_draw(4);
        places.push(window.place(leave));
        let first = places[0];
        if places.iter().any(|place| (place.min - first.min).length() > 1.0) {
            wrong.push(format!("{}: {places:?}", counted.name));
        }
        if !window.has_part(primary) {
            wrong.push(format!("{}: no {primary}", counted.name));
        }
        while window.state().dialogs.open().is_some() {
            window.ask(Action::Dialog(DialogAction::Close));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn escape_asks_before_it_discards_what_was_typed() {
    let mut window = window();
    window.keys(Modifiers::COMMAND, Key::A);
    let update = documents(&window, DocumentsAction::AskUpdateSelected);
    let create = indexes(&window, IndexesAction::OpenCreateTtl("at".into()));
    for (open, field) in [(update, "Update"), (create, "Index name")] {
        window.ask(open);
        window.type_into(field, "x");
        window.key(Key::Escape);
        assert!(window.has("Discard changes"), "{field}:\n{}", window.on_screen());
        window.click("Keep editing");
        assert_eq!(window.value(field), "x");
        window.ask(Action::Dialog(DialogAction::Close));
    }
}

#[test]
fn an_update_is_completed_with_tab_which_stays_in_the_text() {
    let mut window = window();
    window.keys(Modifiers::COMMAND, Key::A);
    window.ask(documents(&window, DocumentsAction::AskUpdateSelected));
    window.until_named("Update 400 documents");
    window.type_into("Update", "{ $set: { na");
    window.until_named("Complete with name");
    window.key(Key::Tab);
    assert_eq!(window.value("Update"), "{ $set: { name: ");
    assert!(window.is_focused("Update"), "the word was taken");
    window.type_into("Update", "{ $uns");
    window.until_named("Complete with $unset");
    window.key(Key::Escape);
    assert!(!window.has_part("Complete with"), "Escape only closes the list");
    assert!(window.is_focused("Update") && !window.has("Discard changes"));
    window.key(Key::Tab);
    assert!(!window.is_focused("Update"), "without a list Tab leaves the text");
}

#[test]
fn enter_in_the_number_of_a_ttl_sends_or_moves_to_the_button_that_loses() {
    let mut window = window();
    window.ask(indexes(&window, IndexesAction::OpenChangeTtl("at_1".into())));
    window.until_window("the keyboard is in the number", |window| window.is_focused("TTL"));
    window.type_into("TTL", "1");
    window.until_named("Change and expire ");
    window.key(Key::Enter);
    let focused = window.focused().unwrap_or_default();
    assert!(focused.starts_with("Change and expire "), "{focused}");
    window.key(Key::Enter);
    window.until("it is sent", |state| state.dialogs.open().is_none());
}

#[test]
fn a_dialog_has_one_link_flush_with_its_text() {
    let mut window = window();
    window.ask(Action::Maintenance(MaintenanceAction::Show(Page::Backup)));
    window.until_named("Help: ");
    let links = window.harness.ctx.content_rect();
    let help = window.place_of_part("Help: ").expect("the link");
    let field = window.place("Backup path");
    // Its words begin after the padding.
    let words = help.left() + 8.0;
    assert!((words - field.left()).abs() < 12.0, "{help} {field} in {links}");
    assert!(!window.has_part("Learn more") && !window.has_part("Learn why"));
}
