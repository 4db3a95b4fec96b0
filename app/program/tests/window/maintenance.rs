//! Backup, restore, compaction and checks of the real store in the window.

use std::cell::Cell;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use bson::{Document, doc};
use egui::Key;
use egui_kittest::kittest::Queryable;
use mayfly::source::Source;
use mayfly::state::maintenance::Dialog;
use mayfly::state::operations::Stage;
use mayfly::state::{Dialog as AnyDialog, Phase};

use super::slow::Slow;
use super::support::{Window, at};

/// A window on a store with some documents, its dialog open.
fn window() -> Window {
    window_as(|source| source)
}

fn window_as(seen: fn(Arc<dyn Source>) -> Arc<dyn Source>) -> Window {
    let documents: Vec<Document> =
        (0..200).map(|id| doc! {"_id": id, "text": "x".repeat(400)}).collect();
    let commands = [doc! {"insert": "notes", "documents": documents}];
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut window = Window::open_as(folder, &commands, seen);
    window.choose("Menu", "Backup and maintenance…");
    window.until_named("Data file size: ");
    window
}

/// The page that a button of the dialog opens.
fn page(button: &str) -> Window {
    let mut window = window();
    window.click(button);
    window
}

fn backup_file(window: &Window) -> PathBuf {
    window.folder.path().join("store.backup")
}

fn back_up(window: &mut Window) {
    window.click("Back up");
    window.until_named("Backup written and verified.");
}

/// From the page of a backup to that of a restore, whose backup was found sound.
fn back_up_and_check(window: &mut Window) {
    back_up(window);
    window.click("Back");
    window.click("Restore…");
    window.until_named("Check the backup first");
    window.click("Check backup");
    window.until_named("No damage found in store.backup");
}

fn count(window: &Window) -> i32 {
    window.run("test", &doc! {"count": "notes"}).get_i32("n").expect("a number")
}

fn remove_all(window: &Window) {
    let delete = doc! {"delete": "notes", "deletes": [{"q": {}, "limit": 0}]};
    window.run("test", &delete);
    assert_eq!(count(window), 0);
}

#[test]
fn a_backup_is_made_and_listed() {
    let mut window = window();
    window.until_named("Last backup: none yet");
    window.click("Back up…");
    window.until_named("No backups with this name yet");
    let file = backup_file(&window);
    assert_eq!(window.value("Backup path"), file.display().to_string());
    assert!(window.value("Command to send").contains("mayflyBackup"));
    back_up(&mut window);
    assert!(file.is_file());
    window.click("Back");
    window.until_named("Last backup: just now");
    for kept in ["store.backup.1", "store.backup.2"] {
        window.click("Back up…");
        back_up(&mut window);
        window.click("Back");
        window.click("Back up…");
        window.until_named(&format!("{kept}: "));
        window.click("Back");
    }
    let sent = window.sent();
    assert_eq!(sent.iter().filter(|text| text.contains("mayflyBackup")).count(), 3, "{sent:?}");
}

#[test]
fn a_backup_of_a_damaged_store_says_so() {
    let mut window = Window::open_damaged();
    window.choose("Menu", "Backup and maintenance…");
    window.until_named("Data file size: ");
    window.click("Back up…");
    window.click("Back up");
    window.until_named(
        "1 stored item is damaged (document with _id 1 of test.notes), so the copy is saved as",
    );
    let file = backup_file(&window);
    let damaged = file.with_extension("backup.damaged");
    assert!(damaged.is_file() && !file.exists());
    window.click("Back");
    window.click("Back up…");
    window.until_named("store.backup.damaged: ");
    window.click("Back");
    window.click("Restore…");
    window.until_named("No backup in the default location");
    window.until_named("Copies that contain damaged documents");
    window.click("store.backup.damaged");
    assert_eq!(window.value("Backup path"), damaged.display().to_string());
    window.click("Check backup");
    window.until_named("store.backup.damaged has damage: 1 stored item is damaged");
    window.until_enabled("Restore");
}

#[test]
fn a_backup_that_can_not_be_written_is_told() {
    let mut window = page("Back up…");
    let inside = window.folder.path().join("store").join("b");
    window.type_into("Backup path", &inside.display().to_string());
    window.click("Back up");
    window.until_named("Error");
    window.until_enabled("Back up");
    assert!(!inside.exists());
    window.type_into("Backup path", "relative");
    window.until_named("Enter an absolute path");
    assert!(!window.is_enabled("Back up"));
    assert_eq!(count(&window), 200);
}

#[test]
fn a_restore_brings_back_what_was_removed() {
    let mut window = page("Back up…");
    window.until_named("No backups with this name yet");
    back_up(&mut window);
    remove_all(&window);
    window.click("Back");
    window.click("Restore…");
    let file = backup_file(&window).display().to_string();
    window.until_named("Check the backup first");
    assert_eq!(window.value("Backup path"), file);
    window.click("Check backup");
    window.until_named("No damage found in store.backup");
    let line = window.value("Command line equivalent");
    assert!(line.starts_with("mayfly restore --from ") && line.ends_with(" --replace"), "{line}");
    window.click("Restore");
    window.until_named("Restored and verified 200 documents.");
    assert!(window.state().is_open());
    assert_eq!(count(&window), 200);
    assert!(window.folder.path().join("store.before-restore-1").is_dir());
    window.until("the tree is read again", |state| {
        let notes = mayfly::state::Namespace::new("test", "notes");
        state.tree.collection(&notes).is_some_and(|found| found.documents == Some(200))
    });
    window.click("Done");
    // Events come from the store that is open now.
    window.run("test", &doc! {"create": "later"});
    window.until_named("Collection test.later");
}

#[test]
fn enter_presses_the_button_that_loses_nothing() {
    let mut window = page("Back up…");
    window.until_named("No backups with this name yet");
    window.key(Key::Enter);
    window.until_named("Backup written and verified.");
    window.key(Key::Enter);
    window.until_gone("Backup written and verified.");
    window.choose("Menu", "Backup and maintenance…");
    window.click("Restore…");
    window.until_named("Check the backup first");
    window.key(Key::Enter);
    window.until_named("No damage found in store.backup");
    window.key(Key::Enter);
    assert!(window.has("Restore"), "Enter alone does not replace the store");
    for (button, title) in [("Compact…", "Compacted"), ("Verify…", "Verified")] {
        window.click("Back");
        window.click(button);
        window.key(Key::Enter);
        window.until("it ended", |state| {
            matches!(state.dialogs.open(), Some(AnyDialog::Maintenance(Dialog::Ended(_))))
        });
        assert!(window.has(title), "{title}");
    }
}

#[test]
fn the_store_from_before_a_restore_can_be_restored() {
    let mut window = page("Back up…");
    window.until_named("No backups with this name yet");
    remove_all(&window);
    back_up_and_check(&mut window);
    window.run("test", &doc! {"insert": "notes", "documents": [{"_id": "late"}]});
    window.click("Restore");
    window.until_named("Restored and verified 0 documents.");
    window.click("Done");
    window.choose("Menu", "Backup and maintenance…");
    window.click("Restore…");
    window.until_named("Stores replaced by earlier restores");
    window.click("store.before-restore-1");
    window.click("Check backup");
    window.until_named("No damage found in store.before-restore-1");
    window.click("Restore");
    window.until_named("Restored and verified 1 document.");
    assert_eq!(count(&window), 1);
}

#[test]
fn a_damaged_backup_is_refused_and_the_store_stays_open() {
    let mut window = page("Back up…");
    window.until_named("No backups with this name yet");
    back_up(&mut window);
    let file = backup_file(&window);
    let mut bytes = fs::read(&file).expect("the backup");
    let middle = bytes.len() / 2;
    for byte in &mut bytes[middle..] {
        *byte ^= 0x5a;
    }
    fs::write(&file, bytes).expect("a damaged backup");
    window.click("Back");
    window.click("Restore…");
    window.until_named("Check the backup first");
    window.click("Check backup");
    window.until_named("This backup is damaged");
    assert!(!window.has("Restore"));
    window.type_into("Backup path", "/nowhere/at/all");
    window.click("Check backup");
    window.until_named("Error");
    assert!(window.state().is_open());
    assert_eq!(count(&window), 200);
}

#[test]
fn a_backup_that_is_damaged_after_its_check_leaves_the_old_store_open() {
    let mut window = page("Back up…");
    window.until_named("No backups with this name yet");
    back_up_and_check(&mut window);
    let file = backup_file(&window);
    window.click_while("Restore", || fs::write(file, b"something else").expect("another file"));
    window.until_named("Error");
    window.until("it is open again", mayfly::state::State::is_open);
    assert_eq!(count(&window), 200);
    window.until_enabled("Check backup");
}

#[test]
fn a_compaction_makes_the_file_smaller() {
    let mut window = window();
    remove_all(&window);
    let data = window.folder.path().join("store/data.mdb");
    let before = fs::metadata(&data).expect("a file").len();
    window.click("Compact…");
    window.until_named("Space to reclaim: about ");
    let line = window.value("Command line equivalent");
    assert!(line.starts_with("mayfly compact --data "), "{line}");
    window.click("Compact");
    window.until_named("Reclaimed ");
    window.until_named("Data file before: ");
    let after = fs::metadata(&data).expect("a file").len();
    assert!(after < before, "{before} {after}");
    assert!(window.state().is_open());
    assert_eq!(count(&window), 0);
}

#[test]
fn a_good_store_is_verified_and_keeps_its_ways() {
    let mut window = window();
    window.run("admin", &doc! {"setParameter": 1, "ttlMonitorEnabled": false});
    window.run("admin", &doc! {"mayflyClock": 1, "advanceMS": 5_000});
    let now_ms = window.state().now_ms();
    window.click("Verify…");
    window.click("Verify");
    window.until_named("No problems found.");
    window.until_named("Documents: 200");
    window.until("the reaper is off", |state| !state.reaper.enabled);
    let reply = window.run("admin", &doc! {"mayflyClock": 1});
    let at = reply.get_datetime("now").expect("an instant").timestamp_millis();
    assert!(at >= now_ms, "{at} {now_ms}");
    let ended = &window.state().operations.list().front().expect("it is listed").stage;
    assert_eq!(*ended, Stage::Done("No problems found.".to_owned()));
}

#[test]
fn cancelled_work_leaves_everything_as_it_was() {
    for (page_of, button, said) in [
        ("Back up…", "Back up", "Canceled. No backup was written"),
        ("Compact…", "Compact", "Canceled. The data file is unchanged"),
        ("Verify…", "Verify", "Canceled before the check finished"),
    ] {
        let mut window = window_as(|source| Arc::new(Slow(source)));
        window.click(page_of);
        window.until_enabled(button);
        window.click(button);
        window.until_named("Copying: 4.0 kB of 8.0 kB");
        window.click("Cancel");
        window.until_named(said);
        window.until("it is open", |state| state.store.phase == Phase::Open);
        assert_eq!(count(&window), 200);
        assert!(!backup_file(&window).exists());
        window.until_enabled(button);
    }
}

#[test]
fn a_backup_tells_what_is_not_in_it() {
    let mut window = window();
    window.run("test", &doc! {"mayflyArchive": "notes"});
    window.click("Back up…");
    window.until_named("No backups with this name yet");
    back_up(&mut window);
    window.until_named("The backup doesn't include archived documents; they are in ");
}

#[test]
fn the_scrub_is_started_from_the_dialog() {
    let mut window = window();
    window.click("Scrub now");
    window.until("it has read everything", |state| {
        !state.maintenance.scrub.is_running && state.maintenance.scrub.documents >= 200
    });
    let sent = window.sent();
    assert!(sent.iter().any(|text| text.contains("mayflyScrub")), "{sent:?}");
    let message = window.place("Dismiss: Scrub started");
    let done = window.place("Done");
    assert!(message.top() > done.bottom(), "{message} covers {done}");
}

#[test]
fn the_pages_are_reached_and_left() {
    let mut window = window();
    for label in ["Back up…", "Restore…", "Compact…", "Verify…"] {
        window.click(label);
        window.until_enabled("Back");
        window.click("Back");
        window.until("the first page is back", |state| {
            let home = mayfly::state::Dialog::Maintenance(Dialog::Home);
            state.dialogs.open() == Some(&home)
        });
    }
    window.click("Done");
    assert!(window.state().dialogs.open().is_none());
}

#[test]
fn what_has_expired_since_the_backup_goes_by_simulated_time() {
    let mut window = window();
    let index = doc! {"createIndexes": "notes", "indexes": [
        {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 60},
    ]};
    window.run("test", &index);
    let later: Vec<Document> = (1_000..1_005).map(|id| doc! {"_id": id, "at": at(0)}).collect();
    window.run("test", &doc! {"insert": "notes", "documents": later});
    window.click("Back up…");
    window.until_named("No backups with this name yet");
    back_up_and_check(&mut window);
    window.advance(30);
    window.click("Restore");
    window.until_named("Restored and verified 205 documents.");
    window.until_named("The clock is simulated, so the next pass removes");
    window.click("Done");
    assert_eq!(count(&window), 205);
    let shown = |documents: u64| {
        move |state: &mayfly::state::State| {
            let notes = mayfly::state::Namespace::new("test", "notes");
            state.tree.collection(&notes).is_some_and(|found| found.documents == Some(documents))
        }
    };
    window.until("what came back was counted", shown(205));
    // A scheduled pass; a requested one removes overdue documents in any case.
    window.advance(120);
    window.until("the pass was counted", shown(200));
    assert_eq!(count(&window), 200);
}

#[test]
fn a_restore_takes_away_what_tells_of_removed_documents() {
    let mut window = window();
    let index = doc! {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 60};
    window.run("test", &doc! {"createIndexes": "notes", "indexes": [index]});
    window.run("test", &doc! {"insert": "notes", "documents": [{"_id": "short", "at": at(0)}]});
    window.run("admin", &doc! {"setParameter": 1, "mayflyTrashSecs": 600});
    window.click("Done");
    window.until("a tab", |state| state.tabs.active().is_some());
    window.click("Activity");
    window.click("Expiry");
    window.until("it waits", |state| {
        state.tabs.active().is_some_and(|tab| tab.expiry.lanes.len() == 1)
    });
    window.choose("Menu", "Backup and maintenance…");
    window.until_named("Data file size: ");
    window.click("Back up…");
    window.until_named("No backups with this name yet");
    back_up_and_check(&mut window);
    window.advance(120);
    window.until_named("from pass 1");
    assert_eq!(window.tab().expiry.ledger.len(), 1);
    window.click("Restore");
    window.until_named("Restored and verified 201 documents.");
    window.click("Done");
    window.until_named("Store reopened. Pass numbers restart at 1");
    assert!(!window.has_part("from pass 1"), "another pass has that number now");
    window.until("it waits again", |state| {
        state.tabs.active().is_some_and(|tab| {
            tab.expiry.lanes.len() == 1 && tab.expiry.lanes[0].removed_ms.is_none()
        })
    });
    assert!(window.tab().expiry.ledger.is_empty());
}

#[test]
fn a_dialog_is_as_tall_as_its_content_at_once() {
    let mut window = page("Back up…");
    window.until_named("No backups with this name yet");
    back_up(&mut window);
    window.click("Back");
    window.click("Restore…");
    window.until_enabled("Check backup");
    // Without the frames that a press is followed by elsewhere.
    window.harness.get_by_label("Check backup").click_accesskit();
    let height =
        |window: &Window| window.place("Back").bottom() - window.place("Close the dialog").top();
    let first = Cell::new(0.0);
    window.until_window("it is checked", |window| {
        let is_checked = window.has_part("No damage found in store.backup");
        if is_checked {
            first.set(height(window));
        }
        is_checked
    });
    let last = height(&window);
    assert!((first.get() - last).abs() < 0.5, "{} then {last}", first.get());
}
