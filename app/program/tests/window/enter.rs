//! Enter presses the first button of a dialog.

use bson::doc;
use egui::Key;
use mayfly::action::{Action, TransferAction};

use super::support::Window;

fn notes() -> Window {
    let notes = doc! {"insert": "notes", "documents": [{"_id": 1, "n": 1}, {"_id": 2, "n": 2}]};
    let mut window = Window::open_view(&[notes], "Documents");
    window.until_named("Document 1");
    window
}

#[test]
fn enter_exports() {
    let mut window = notes();
    let file = window.folder.path().join("notes.ndjson");
    window.click("Export documents");
    window.type_into("File path", &file.display().to_string());
    window.key(Key::Enter);
    window.until("it is written", |state| state.dialogs.open().is_none());
    window.until_window("the file is there", |_| file.exists());
}

#[test]
fn enter_imports_and_opens_the_collection() {
    let mut window = notes();
    let file = window.folder.path().join("more.ndjson");
    std::fs::write(&file, "{\"_id\": 7}\n").expect("a file");
    let files = vec![file];
    window.ask(Action::Transfer(TransferAction::Import { files, into: None }));
    window.until_enabled("Import");
    window.key(Key::Enter);
    window.until_named("Open collection");
    window.key(Key::Enter);
    window.until("the collection is shown", |state| {
        state.tabs.active().is_some_and(|tab| tab.namespace.collection == "more")
    });
    assert!(window.state().dialogs.open().is_none());
}

#[test]
fn enter_creates_an_index() {
    let mut window = notes();
    window.click("Indexes");
    window.until_named("_id_");
    window.click("Create index…");
    window.type_into("Field 1", "n");
    window.key(Key::Enter);
    window.until_named("n_1");
    assert!(window.state().dialogs.open().is_none());
}
