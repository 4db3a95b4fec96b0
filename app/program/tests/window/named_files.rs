//! The window that is started with files, as "Open with Mayfly" in a file manager does.

use std::fs;
use std::path::{Path, PathBuf};

use bson::doc;
use egui::Key;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use mayfly::job::Beginning;
use mayfly::source::{OpenRequest, embedded};
use mayfly::state::recent_stores::RecentStore;
use mayfly::state::tabs::ViewKind;
use mayfly::state::{Namespace, Settings, State, Zone};
use mayfly::worker::Secrets;
use mayfly::worker::lesson_shelf::shelf;
use mayfly::{MayflyApp, WindowOptions};
use mayfly_engine::engine::{Engine, EngineOptions};

use super::stores::kept;
use super::support::{click, until};

/// A window, and the folder that its store and the files are in.
struct Started {
    harness: Harness<'static, MayflyApp>,
    folder: tempfile::TempDir,
}

impl Started {
    /// A first start with what the command line names.
    fn with(folder: tempfile::TempDir, beginning: Beginning) -> Self {
        Self::after(folder, beginning, &Settings::default())
    }

    /// A start with what was kept of the one before.
    fn after(folder: tempfile::TempDir, beginning: Beginning, settings: &Settings) -> Self {
        let own = OpenRequest { folder: Some(folder.path().join("own")), ..OpenRequest::default() };
        let options = WindowOptions {
            request: own,
            open_last: true,
            opener: embedded::opener(),
            lessons: shelf(None),
            lesson: None,
            beginning: Some(beginning),
            secrets: Secrets::none(),
            settings: kept(folder.path(), settings),
            journals: None,
            local_zone: Zone::Utc,
            present: false,
            shutdown: None,
        };
        let builder = Harness::builder().with_size([1280.0, 800.0]).with_max_steps(64);
        let harness = builder.build_eframe(move |context| MayflyApp::new(context, options));
        Self { harness, folder }
    }

    fn state(&self) -> &State {
        self.harness.state().state()
    }

    fn has(&self, name: &str) -> bool {
        self.harness.query_by_label(name).is_some()
    }

    fn until(&mut self, name: &str) {
        until(&mut self.harness, name, true);
    }

    fn key(&mut self, key: Key) {
        self.harness.key_press(key);
        self.harness.step();
    }

    /// The collection whose documents are shown.
    fn shown(&self) -> Option<Namespace> {
        let tab = self.state().tabs.active().filter(|tab| tab.view == ViewKind::Documents);
        tab.map(|tab| tab.namespace.clone())
    }

    fn says(&self, words: &str) -> bool {
        self.state().toasts.list().iter().any(|toast| toast.text.contains(words))
    }
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn files(folder: &Path, all: &[(&str, &str)]) -> Beginning {
    let write = |(name, text): &(&str, &str)| -> PathBuf {
        let path = folder.join(name);
        fs::write(&path, text).expect("a file");
        path
    };
    Beginning::Files(all.iter().map(write).collect())
}

const PEOPLE: &str = "{\"_id\": 1, \"name\": \"Ada\"}\n{\"_id\": 2, \"name\": \"Emmy\"}\n";

#[test]
fn one_key_leads_from_a_file_to_its_documents() {
    let folder = folder();
    let beginning =
        files(folder.path(), &[("Größe 1.json", PEOPLE), ("b.csv", "_id,name\n3,Ida\n")]);
    let mut window = Started::with(folder, beginning);
    window.until("2 files into 2 collections");
    window.until("one JSON document per line");
    until(&mut window.harness, "Reading the files…", false);
    assert!(window.has("Preview Größe 1.json") && window.has("Preview b.csv"));
    assert!(!window.has("Skip"), "no tour is before the files");
    window.key(Key::Enter);
    window.until("Document 1");
    window.until("Document 2");
    assert_eq!(window.shown(), Some(Namespace::new("test", "Größe 1")));
    assert!(!window.state().is_covered());
    assert!(window.says("2 collections: 3 documents imported"));
    click(&mut window.harness, "Show result");
    window.until("Import finished");
}

#[test]
fn an_import_that_has_something_to_say_says_it_first() {
    let folder = folder();
    let beginning = files(folder.path(), &[("people.json", &format!("{PEOPLE}{{\"_id\": \n"))]);
    let mut window = Started::with(folder, beginning);
    window.until("one JSON document per line");
    window.key(Key::Enter);
    window.until("Open collection");
    assert!(window.has("Import finished") && window.has("rejected"));
    window.key(Key::Enter);
    window.until("Document 1");
}

#[test]
fn a_folder_of_mongodump_opens_its_own_dialog() {
    let folder = folder();
    let dump = folder.path().join("dump/shop");
    fs::create_dir_all(&dump).expect("a folder");
    let document = bson::serialize_to_vec(&doc! {"_id": 1}).expect("a document");
    fs::write(dump.join("carts.bson"), document).expect("a file");
    let beginning = Beginning::Files(vec![folder.path().join("dump")]);
    let mut window = Started::with(folder, beginning);
    window.until("Import folder");
    window.key(Key::Enter);
    window.until("Collection shop.carts");
}

#[test]
fn a_store_in_use_leaves_a_sandbox_for_the_files() {
    let folder = folder();
    let engine = Engine::open(&folder.path().join("own"), EngineOptions::default());
    let engine = engine.expect("a store");
    let beginning = files(folder.path(), &[("people.json", PEOPLE)]);
    let mut window = Started::with(folder, beginning);
    window.until("one JSON document per line");
    assert!(window.state().is_in_sandbox());
    let words =
        "own is in use by another program, so people.json opens in a sandbox, a temporary store";
    assert!(window.says(words));
    window.key(Key::Enter);
    window.until("Document 2");
    engine.close().expect("closed");
    let own = window.folder.path().join("own");
    assert_eq!(window.state().store.left.as_ref().and_then(|left| left.folder.clone()), Some(own));
}

#[test]
fn files_go_into_the_last_store_but_never_into_the_demo() {
    for is_demo in [false, true] {
        let folder = folder();
        let last = folder.path().join("last");
        let request = OpenRequest { folder: Some(last.clone()), ..OpenRequest::default() };
        let opened = embedded::opener()(&request).map_err(|error| error.message).expect("a store");
        opened.source.close();
        let mut settings = Settings { callouts_seen: true, ..Settings::default() };
        settings.stores.note(RecentStore { demo: is_demo, ..RecentStore::in_folder(&last, 0) });
        let beginning = files(folder.path(), &[("people.json", PEOPLE)]);
        let mut window = Started::after(folder, beginning, &settings);
        window.until("one JSON document per line");
        let name = if is_demo { "own" } else { "last" };
        let expected = window.folder.path().join(name);
        assert_eq!(window.state().store.folder, Some(expected));
    }
}

#[test]
fn a_backup_opens_the_dialog_that_restores_it() {
    let folder = folder();
    let backup = folder.path().join("my store.backup");
    let engine = Engine::open(&folder.path().join("own"), EngineOptions::default());
    let engine = engine.expect("a store");
    engine.run("test", &doc! {"insert": "people", "documents": [{"_id": 1}]});
    let store = engine.collections().store();
    let go_on = &mut |_| std::ops::ControlFlow::Continue(());
    store.backup_to(&backup, go_on).expect("a backup");
    let mut engine = Some(engine);
    // While the store is in use, the backup can be looked at in a sandbox.
    for is_in_use in [true, false] {
        if let Some(engine) = engine.take_if(|_| !is_in_use) {
            engine.close().expect("closed");
        }
        let beside = tempfile::tempdir_in(folder.path()).expect("a folder");
        let own = beside.path().join("own");
        if is_in_use {
            std::os::unix::fs::symlink(folder.path().join("own"), own).expect("a link");
        }
        let mut window = Started::with(beside, Beginning::Backup(backup.clone()));
        window.until("Check backup");
        assert_eq!(window.state().is_in_sandbox(), is_in_use);
        click(&mut window.harness, "Check backup");
        window.until("Restore");
        click(&mut window.harness, "Restore");
        window.until("Restored");
        click(&mut window.harness, "Done");
        window.until("Collection test.people");
    }
}

#[test]
fn lessons_are_listed_and_a_refusal_is_said() {
    let course = folder();
    let lesson = course.path().join("first.md");
    fs::write(&lesson, "# Nothing").expect("a file");
    let window = &mut Started::with(course, Beginning::Lessons(vec![lesson.clone()]));
    window.until("Close the Lessons page");
    assert_eq!(window.state().lessons.opened, [lesson]);
    let sentence = "photo.png is of no known kind".to_owned();
    let mut window = Started::with(folder(), Beginning::Refused(sentence.clone()));
    window.until("This store is empty");
    assert!(window.says(&sentence));
}
