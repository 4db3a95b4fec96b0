//! The banners about the store as a whole, and the line about the place of its folder.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use bson::{Bson, DateTime, Document, doc};
use mayfly::action::{Action, StoreAction};
use mayfly::job::Dialect;
use mayfly::source::{Capabilities, Events, Maintenance, OpenRequest, Source, Transfers};
use mayfly::state::tabs::ViewKind;
use mayfly::state::{Dialog, Phase, State};
use mayfly_engine::engine::{Engine, EngineOptions};

use super::support::Window;

/// A store with a status of our choice.
struct Told {
    source: Arc<dyn Source>,
    state: &'static str,
    reason: &'static str,
    reopenings: i64,
    stall: Option<&'static str>,
    walk: fn() -> Option<i64>,
}

impl Source for Told {
    fn run(&self, db: &str, command: &Document) -> Document {
        let mut reply = self.source.run(db, command);
        if command.contains_key("serverStatus")
            && let Ok(mayfly) = reply.get_document_mut("mayfly")
        {
            let reaper = mayfly.get_document_mut("reaper").expect("the reaper's part");
            assert_eq!(reaper.get("stall"), Some(&Bson::Null), "all is well");
            reaper.insert("stall", self.stall.map(|sentence| doc! {"sentence": sentence}));
            let store = mayfly.get_document_mut("store").expect("the store's part");
            store.insert("state", self.state);
            store.insert("reason", self.reason);
            store.insert("reopenings", self.reopenings);
            assert_eq!(store.insert("walkPercent", (self.walk)()), Some(Bson::Null), "it is done");
        }
        reply
    }

    fn subscribe(&self) -> Events {
        self.source.subscribe()
    }

    fn capabilities(&self) -> Capabilities {
        self.source.capabilities()
    }

    fn transfers(&self) -> Option<&dyn Transfers> {
        self.source.transfers()
    }

    fn close(&self) {
        self.source.close();
    }

    fn maintenance(&self) -> Option<&dyn Maintenance> {
        self.source.maintenance()
    }
}

fn window(seen: fn(Arc<dyn Source>) -> Arc<dyn Source>) -> Window {
    let folder = tempfile::tempdir().expect("a temporary folder");
    Window::open_as(folder, &[doc! {"insert": "notes", "documents": [{"_id": 1}]}], seen)
}

fn well(source: Arc<dyn Source>) -> Told {
    Told { source, state: "ok", reason: "", reopenings: 0, stall: None, walk: || None }
}

fn told(source: Arc<dyn Source>, state: &'static str, reason: &'static str) -> Arc<dyn Source> {
    Arc::new(Told { state, reason, ..well(source) })
}

#[test]
fn a_full_disk_says_what_to_free() {
    let mut window = window(|source| told(source, "diskFull", "The disk is full"));
    window.until_named("The disk is full. Inserts and updates are disabled.");
    window.until_named("delete documents or collections (deletes still work). ");
    window.point("Show sizes…");
    window.until_named("Free disk space: ");
}

#[test]
fn a_full_disk_says_how_much_must_be_free() {
    const REASON: &str = "The disk is full, so this change was not written. Free at least 2 MiB on the data folder's disk, \
                  or delete documents or collections (deletes still work).";
    let folder = tempfile::tempdir().expect("a temporary folder");
    let notes = [doc! {"insert": "notes", "documents": [{"_id": 1}]}];
    let mut window = Window::open_as(folder, &notes, |source| told(source, "diskFull", REASON));
    window.until_named("Free at least 2 MiB on the data folder's disk");
    window.until_named("free now. The store resumes on its own.");
}

#[test]
fn a_store_that_can_only_be_read_is_opened_again() {
    let mut window = window(|source| told(source, "readOnly", "its folder can't be written"));
    window.until_named("The store is read-only: its folder can't be written.");
    window.point("Back up…");
    window.until_enabled("Back up");
    window.click("Close the dialog");
    window.point("Reopen");
    window.until("it is open again", |state| state.is_open() && state.maintenance.status.is_some());
    window.until_named("The store is read-only");
}

#[test]
fn a_suspect_store_is_checked_and_a_recovered_one_says_so_once() {
    let mut window = window(|source| told(source, "suspect", "a write to the disk failed"));
    window.until_named("Writes are disabled: a write to the disk failed.");
    assert!(window.is_enabled("Check and reopen"));
    let mut window = self::window(|source| Arc::new(Told { reopenings: 1, ..well(source) }));
    window.until_named("The store checked its file and recovered.");
    window.point("Dismiss");
    window.until_gone("The store checked its file and recovered.");
}

#[test]
fn what_the_scrub_finds_damaged_is_told_by_name() {
    let mut window = Window::open_damaged();
    // Opening has read it too, and the scrub that this began may be done before the window listens.
    window.run("admin", &doc! {"mayflyScrub": "start"});
    window.until_named("test.notes: A document is damaged: document with _id 1 does not");
    window.until_named("restore a backup made before the damage");
}

#[test]
fn a_reaper_that_finishes_no_pass_is_told_in_the_expiry_view() {
    const STALL: &str = "No pass has finished for 6 minutes";
    let mut window = window(|source| Arc::new(Told { stall: Some(STALL), ..well(source) }));
    window.until("a collection is shown", |state| state.tabs.active().is_some());
    window.click("Expiry");
    window.until_named(STALL);
}

#[test]
fn a_folder_that_is_synced_is_told_once_for_all() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(folder.path().join(".stfolder")).expect("a mark");
    let mut window = Window::open_in(folder, &[]);
    window.until_named("inside Syncthing");
    window.point("Don't show this again");
    window.until_gone("inside Syncthing");
    let request = window.state().store.request.clone();
    window.ask(Action::Store(StoreAction::Open(request)));
    window.until("it is open again", State::is_open);
    assert!(!window.has_part("inside Syncthing"));
}

#[cfg(unix)]
#[test]
fn a_folder_that_others_can_open_is_told_with_the_command() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = folder.path().join("store");
    fs::create_dir(&store).expect("a folder");
    fs::set_permissions(&store, fs::Permissions::from_mode(0o755)).expect("a mode");
    let mut window = Window::open_in(folder, &[]);
    window.until_named("Other users on this computer can open this data folder.");
    let copied = window.copied("Copy chmod command");
    assert!(copied.starts_with("chmod 700 '/"), "{copied}");
}

fn damage(file: &Path) {
    let mut bytes = fs::read(file).expect("a data file");
    for byte in bytes.iter_mut().skip(32) {
        *byte ^= 0x5a;
    }
    fs::write(file, bytes).expect("a damaged file");
}

#[test]
fn a_store_that_can_not_be_opened_is_verified_and_restored() {
    let mut window = window(|source| source);
    let other = window.folder.path().join("other");
    let open = |window: &mut Window| {
        let request = OpenRequest { folder: Some(other.clone()), ..OpenRequest::default() };
        window.ask(Action::Store(StoreAction::Open(request)));
    };
    open(&mut window);
    window.until("the other store is open", State::is_open);
    back_up(&mut window);
    let request =
        OpenRequest { folder: Some(window.folder.path().join("store")), ..OpenRequest::default() };
    window.ask(Action::Store(StoreAction::Open(request)));
    window.until("the first store is open", |state| {
        state.is_open() && state.store.folder.as_ref().is_some_and(|at| at.ends_with("store"))
    });
    let slot = window.state().beside[0].slot();
    window.ask(Action::Store(StoreAction::Close(slot)));
    damage(&other.join("data.mdb"));
    open(&mut window);
    window.until("it can't be opened", |state| matches!(state.store.phase, Phase::Failed(_)));
    window.until_named("Run Verify to see what's wrong");
    window.point("Restore…");
    window.until_named("Check the backup first");
    window.click("Check backup");
    window.until_named("No damage found in other.backup");
    window.click("Restore");
    window.until_named("Restored and verified");
    window.until("the other store is open", |state| {
        state.is_open() && state.store.folder.as_ref() == Some(&other)
    });
    window.until_gone("Run Verify to see what's wrong");
}

/// Writes a backup under the suggested name, as the user does.
fn back_up(window: &mut Window) {
    window.choose("Menu", "Backup and maintenance…");
    window.click("Back up…");
    window.until_named("No backups with this name yet");
    window.click("Back up");
    window.until_named("Backup written and verified.");
    window.click("Done");
}

/// Opens a folder by its path, as the user does.
fn open_folder(window: &mut Window, folder: &Path) {
    window.keys(egui::Modifiers::COMMAND, egui::Key::O);
    window.until_named("A data folder holds one store");
    window.type_into("Folder path", &folder.display().to_string());
    window.click("Open");
}

#[test]
fn the_backup_of_another_store_is_not_offered() {
    let mut window = window(|source| source);
    back_up(&mut window);
    let other = window.folder.path().join("other");
    fs::create_dir(&other).expect("a folder");
    fs::write(other.join("data.mdb"), vec![7; 1 << 16]).expect("a file");
    open_folder(&mut window, &other);
    window.until("it can't be opened", |state| matches!(state.store.phase, Phase::Failed(_)));
    assert_eq!(window.state().store.folder.as_ref(), Some(&other), "what Copy path copies");
    window.point("Restore…");
    window.until("it has looked for backups", |state| state.maintenance.backup_list.is_some());
    assert_eq!(window.value("Backup path"), "");
    assert!(!window.has_part("store.backup"));
}

#[test]
fn what_is_typed_stays_when_the_store_is_opened_again() {
    let mut window = window(|source| told(source, "readOnly", "its folder can't be written"));
    window.until("a collection is shown", |state| state.tabs.active().is_some());
    window.click("Documents");
    window.until_named("Document 1");
    window.type_into("Filter", "{ half: ");
    let tab = window.tab().id;
    window.until_named("The store is read-only");
    window.point("Reopen");
    window.until("it is open again", |state| state.is_open() && state.maintenance.status.is_some());
    assert_eq!((window.tab().id, window.value("Filter").as_str()), (tab, "{ half: "));
    let other = window.folder.path().join("other");
    open_folder(&mut window, &other);
    window.until_named("Create a new store here?");
    window.click("Create store");
    window.until_named("This store is empty");
    assert!(window.state().tabs.active().is_none(), "it is another store");
    assert!(window.state().drafts.tabs.is_empty());
}

#[test]
fn after_an_unclean_end_the_next_start_says_that_the_file_is_sound() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = folder.path().join("store");
    let options = EngineOptions { run_reaper: false, ..EngineOptions::default() };
    Engine::open(&store, options).expect("a store").close().expect("closed");
    // A session that was cut off leaves its process id.
    fs::write(store.join("app.lock"), "1\n").expect("written");
    let mut window = Window::open_in(folder, &[]);
    let said = "Mayfly didn't shut down cleanly last time. The data file was checked; no damage \
                found.";
    window.until_named(said);
    let dismiss = format!("Dismiss: {said}");
    window.click(&dismiss);
    window.until_gone(&dismiss);
}

/// A store whose list of dialects is damaged, with what these commands make in `test`.
fn without_dialects(commands: &[Document]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = folder.path().join("store");
    let options = EngineOptions { run_reaper: false, ..EngineOptions::default() };
    let engine = Engine::open(&store, options).expect("a store");
    for command in commands {
        engine.run("test", command);
    }
    engine.run("cloud", &doc! { "mayflyDialect": "cosmos" });
    engine.close().expect("closed");
    let mut bytes = fs::read(store.join("data.mdb")).expect("a data file");
    let name = b"cosmos\0";
    for at in 0..bytes.len() - name.len() {
        bytes[at] ^= u8::from(bytes[at..].starts_with(name));
    }
    fs::write(store.join("data.mdb"), bytes).expect("a damaged file");
    folder
}

#[test]
fn what_stays_for_want_of_a_dialect_is_not_said_to_go() {
    let index = doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 60 };
    let document = doc! { "_id": 1, "at": DateTime::from_millis(0) };
    let folder = without_dialects(&[
        doc! { "createIndexes": "c", "indexes": [index] },
        doc! { "insert": "c", "documents": [document] },
    ]);
    let mut window = Window::open_in(folder, &[]);
    window.until("a collection is shown", |state| state.tabs.active().is_some());
    window.click("Documents");
    window.until_named("Document 1");
    window.until("its index is known", |state| {
        state.tabs.active().is_some_and(|tab| !tab.documents.ttl.is_empty())
    });
    window.until("why it stays is known", |state| state.tree.why_nothing_expires("test").is_some());
    assert!(!window.has_part("Expires at"), "in the list");
    window.key(egui::Key::F4);
    window.until_named("Sort by _id");
    assert!(!window.has_part("Expires"), "in the table");
    window.click("Expiry");
    window.until_named("Nothing expires here because the database test is read-only");
    assert!(!window.has_part("Overdue"));
    window.point_secondary("Database test");
    window.point("Compatibility: Mayfly (both)");
    window.until_gone("Nothing expires here");
    window.until_named("Overdue");
}

#[test]
fn a_dialect_that_was_lost_is_set_again_in_the_menu_of_the_database() {
    let folder = without_dialects(&[doc! { "insert": "c", "documents": [{ "_id": 1 }] }]);
    let mut window = Window::open_in(folder, &[]);
    window.until("it is said", |window| {
        let mut toasts = window.toasts.list().iter().map(|toast| toast.text.as_str());
        toasts.any(|text| text.contains("the dialect of the database test is unknown"))
    });
    let dialect = |state: &State, db: &str| {
        let mut databases = state.tree.databases.iter();
        databases.find(|database| database.name == db).and_then(|database| database.dialect)
    };
    assert_eq!(dialect(window.state(), "test"), None);
    window.point_secondary("Database test");
    window.point("Compatibility: Azure Cosmos DB");
    window.until_named("Dismiss: The compatibility of test is now Azure Cosmos DB");
    window.until("the menu knows it", |state| dialect(state, "test") == Some(Dialect::Cosmos));
}

#[test]
fn a_store_that_another_program_has_open_is_not_offered_for_repair() {
    let mut window = Window::open();
    let other = window.folder.path().join("other");
    let engine = Engine::open(&other, EngineOptions::default()).expect("a store");
    open_folder(&mut window, &other);
    window.until_named("The store is in use by another program");
    assert!(!window.has_part("Run Verify") && !window.has("Restore…"));
    engine.close().expect("it closes");
    window.click("Try again");
    window.until("it is open", |state| {
        state.is_open() && state.store.folder.as_ref() == Some(&other)
    });
}

#[test]
fn a_store_that_another_program_has_open_offers_what_else_to_do() {
    let mut window = Window::open();
    let other = window.folder.path().join("other");
    let engine = Engine::open(&other, EngineOptions::default()).expect("a store");
    open_folder(&mut window, &other);
    window.until_named("The store is in use by another program");
    assert!(window.has_part(&other.display().to_string()), "it says which store that is");
    for offered in ["Try again", "Open data folder…", "Quit"] {
        window.until_enabled(offered);
    }
    window.click("Open data folder…");
    let asks = |state: &State| matches!(state.dialogs.open(), Some(Dialog::OpenFolder(_)));
    window.until("a folder is asked for", asks);
    window.key(egui::Key::Escape);
    window.until("the dialog is closed", |state| state.dialogs.open().is_none());
    window.click("Sandbox");
    window.click("Open sandbox");
    window.until("the sandbox is open", |state| state.is_open() && state.is_in_sandbox());
    engine.close().expect("it closes");
}

#[test]
fn a_store_opens_with_its_own_tabs_and_none_is_live_while_it_is_not_open() {
    let mut window = window(|source| source);
    window.until("a collection is shown", |state| state.tabs.active().is_some());
    window.click("Indexes");
    let first = window.state().store.request.clone();
    let other = window.folder.path().join("other");
    let open = |window: &mut Window, request: OpenRequest| {
        window.ask(Action::Store(StoreAction::Open(request)));
    };
    open(&mut window, OpenRequest { folder: Some(other.clone()), ..OpenRequest::default() });
    window.until("the other store is open", |state| {
        state.is_open() && state.store.folder.as_ref().is_some_and(|at| at.ends_with("other"))
    });
    assert!(window.state().tabs.open().is_empty(), "it has none of the first store's collections");
    open(&mut window, first);
    window.until("its tab is back", |state| state.tabs.active().is_some());
    assert_eq!(window.tab().view, ViewKind::Indexes, "as it was left");
    window.until_named("Close test.notes");
    let slot = window.state().beside[0].slot();
    window.ask(Action::Store(StoreAction::Close(slot)));
    damage(&other.join("data.mdb"));
    open(&mut window, OpenRequest { folder: Some(other), ..OpenRequest::default() });
    window.until("it can't be opened", |state| matches!(state.store.phase, Phase::Failed(_)));
    window.until_named("Try again");
    assert!(!window.has("Close test.notes"));
}

#[test]
fn the_check_of_the_data_file_shows_how_far_it_is() {
    static PERCENT: AtomicI64 = AtomicI64::new(40);
    let mut window = window(|source| {
        let walk = || Some(PERCENT.load(Ordering::Relaxed)).filter(|percent| *percent < 100);
        Arc::new(Told { walk, ..well(source) })
    });
    window.until_named("Data file being checked (40 %)");
    window.choose("Menu", "Backup and maintenance…");
    window.until_named("Last full file check: being checked (40 %)");
    PERCENT.store(100, Ordering::Relaxed);
    window.until_gone("Data file being checked");
    assert!(!window.has_part("being checked"));
}
