//! Removed documents are restored while the trash keeps them.

use bson::{Document, doc};

use super::support::{Window, at};

fn sessions() -> Vec<Document> {
    vec![
        doc! {"createIndexes": "sessions", "indexes": [
            {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 60},
        ]},
        doc! {"insert": "sessions", "documents": [
            {"_id": "first", "at": at(-30)},
            {"_id": "second", "at": at(-20)},
            {"_id": "late", "at": at(600)},
        ]},
    ]
}

/// A window whose trash has caught two documents.
fn caught() -> Window {
    let mut window = Window::open_view(&sessions(), "Expiry");
    window.until_named("first expires at 12:00:30");
    window.click("View: Removed");
    assert!(!window.has_part("Restore "), "nothing was removed yet");
    window.choose("TTL monitor schedule", "Keep removed documents in the trash for 10 minutes");
    window.until("the net", |state| state.reaper.trash_secs == 600);
    window.advance(45);
    window.click("Run pass");
    window.until_named("expiring, the latest after");
    window
}

#[test]
fn one_document_is_restored_and_its_index_waits() {
    let mut window = caught();
    window.until_named("Restore second");
    window.click("Restore second");
    window.until_named("Restored 1 document; the index is on hold until you release it");
    window.until("what waits", |state| state.reaper.held.is_some());
    let found = window.run("test", &doc! {"find": "sessions", "filter": {"_id": "second"}});
    assert!(found.to_string().contains("second"), "{found}");
    window.until_window("its row says so", |window| window.has("Restored"));
    assert!(!window.has("Restore second") && window.has("Restore first"));
}

#[test]
fn the_button_on_a_line_restores_the_documents_of_its_collection_alone() {
    let mut commands = Vec::new();
    for name in ["carts", "visits"] {
        let [index, again] = [("at", "at_1"), ("too", "too_1")].map(|(field, name)| {
            doc! {"key": {field: 1}, "name": name, "expireAfterSeconds": 60}
        });
        commands.push(doc! {"createIndexes": name, "indexes": [index, again]});
        let documents = [
            doc! {"_id": 1, "at": at(-30)},
            doc! {"_id": 2, "at": at(-20)},
            doc! {"_id": 3, "too": at(-20)},
        ];
        commands.push(doc! {"insert": name, "documents": documents.to_vec()});
    }
    let mut window = Window::open_after(&commands);
    window.choose("TTL monitor schedule", "Keep removed documents in the trash for 10 minutes");
    window.until("the trash", |state| state.reaper.trash_secs == 600);
    window.advance(45);
    window.click("Run pass");
    window.click("Activity");
    window.click("Passes");
    let of_carts = "Restore 3 documents of test.carts from pass 1";
    window.until_named(of_carts);
    assert!(window.has("Restore 3 documents of test.visits from pass 1"));
    // The second index of each has a line, and no other button.
    assert_eq!(window.on_screen().matches("Button Restore 3 documents").count(), 2);
    window.click(of_carts);
    window.until_named("Restored 3 documents; the index is on hold until you release it");
    let count = |name: &str| window.run("test", &doc! {"count": name}).get_i32("n").ok();
    assert_eq!((count("carts"), count("visits")), (Some(3), Some(0)));
}

#[test]
fn what_a_pass_removed_is_restored_from_the_log() {
    let mut window = caught();
    window.click("Activity");
    window.click("Passes");
    let number = window.state().reaper.last_pass().expect("a pass").number;
    let restore = format!("Restore 2 documents of test.sessions from pass {number}");
    let end = window.harness.ctx.content_rect().right();
    assert!(window.place(&restore).right() < end - 12.0, "the scroll bar is not over it");
    window.click(&restore);
    window.until_named("Restored 2 documents; the index is on hold until you release it");
    let counted = window.run("test", &doc! {"count": "sessions"});
    assert_eq!(counted.get_i32("n").ok(), Some(3));
    window.choose("TTL monitor schedule", "Keep removed documents in the trash for 10 minutes");
    window.until("no net", |state| state.reaper.trash_secs == 0);
    window.until_gone(&restore);
}
