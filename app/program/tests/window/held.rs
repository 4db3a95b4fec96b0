//! The banner while removals wait: over a store made of nothing that holds them, and over a real
//! one that was restored from a backup.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use bson::{DateTime, Document, doc};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use mayfly::source::embedded;
use mayfly::source::{Capabilities, Events, OpenRequest, Opened, Source};
use mayfly::state::Zone;
use mayfly::state::tabs::ViewKind;
use mayfly::worker::Secrets;
use mayfly::{MayflyApp, WindowOptions};
use mayfly_engine::clock::{Clock, SystemClock};
use mayfly_engine::engine::{Engine, EngineOptions, maintenance};

use super::fake;
use super::support::{click, until};

/// The store made of nothing, with a clock that jumped to 2099.
struct Holding {
    inner: Arc<dyn Source>,
    /// How many documents wait.
    due: Arc<Mutex<i64>>,
    /// The commands that release or keep, the oldest first.
    sent: Arc<Mutex<Vec<String>>>,
}

impl Source for Holding {
    fn run(&self, db: &str, command: &Document) -> Document {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        if command.contains_key("mayflyRelease") {
            sent.push(command.get_str("action").unwrap_or_default().to_owned());
            return doc! {"ok": 1.0, "released": true, "deletedDocuments": 1_204_i64};
        }
        if !command.contains_key("mayflyHeld") {
            return self.inner.run(db, command);
        }
        let due = self.due.lock().unwrap_or_else(PoisonError::into_inner);
        let is_held = !sent.iter().any(|action| action == "deleteNow");
        doc! {
            "ok": 1.0, "held": is_held, "sentence": "The system clock jumped ahead by 73 years.",
            "kept": sent.iter().any(|action| action == "keepPaused"),
            "now": DateTime::from_millis(4_070_908_800_000),
            "expectedNow": DateTime::from_millis(fake::NOW_MS),
            "rules": [{"ns": "shop.carts", "index": "at_1", "due": *due}],
        }
    }

    fn subscribe(&self) -> Events {
        self.inner.subscribe()
    }

    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }
}

struct Window {
    harness: Harness<'static, MayflyApp>,
    sent: Arc<Mutex<Vec<String>>>,
    due: Arc<Mutex<i64>>,
}

impl Window {
    fn open() -> Self {
        let (sent, due) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(1_204)));
        let waiting = Arc::clone(&due);
        let (inner, kept) = (fake::opener(), Arc::clone(&sent));
        let opener = Arc::new(move |request: &OpenRequest| {
            let opened = inner(request)?;
            let source = Arc::new(Holding {
                inner: opened.source,
                due: Arc::clone(&waiting),
                sent: Arc::clone(&kept),
            });
            Ok(Opened { source, ..opened })
        });
        let request = OpenRequest::default();
        let options = WindowOptions {
            open_last: false,
            request,
            opener,
            lessons: mayfly::worker::lesson_shelf::shelf(None),
            lesson: None,
            beginning: None,
            secrets: Secrets::none(),
            settings: super::support::cards(),
            journals: None,
            local_zone: Zone::Utc,
            present: false,
            shutdown: None,
        };
        let mut harness = Harness::builder()
            .with_size([1280.0, 800.0])
            .with_max_steps(64)
            .build_eframe(move |context| MayflyApp::new(context, options));
        until(&mut harness, "Remove now…", true);
        Self { harness, sent, due }
    }

    fn sent(&self) -> Vec<String> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[test]
fn the_banner_tells_why_both_clocks_and_what_waits() {
    let window = Window::open();
    for words in [
        "The system clock jumped ahead by 73 years.",
        "The system clock says 2099-01-01",
        "it should be 2026-11-21",
        "shop.carts · at_1: 1,204 documents",
    ] {
        assert!(window.harness.query_by_label_contains(words).is_some(), "{words}");
    }
}

#[test]
fn the_banner_is_as_high_as_its_words() {
    let mut window = Window::open();
    let mut below = |width| {
        window.harness.set_size(egui::vec2(width, 800.0));
        window.harness.run_steps(4);
        window.harness.get_by_label("Search collections").rect().top()
    };
    let (wide, narrow, wide_again) = (below(1_280.0), below(800.0), below(1_280.0));
    assert!(narrow > wide, "{narrow} is below {wide}");
    assert!((wide_again - wide).abs() < 0.5, "{wide_again} is {wide}");
}

#[test]
fn delete_now_asks_then_releases_and_the_banner_goes() {
    let mut window = Window::open();
    click(&mut window.harness, "Remove now…");
    until(&mut window.harness, "Cancel", true);
    assert_eq!(window.sent(), [] as [String; 0], "it asks first");
    click(&mut window.harness, "Cancel");
    assert_eq!(window.sent(), [] as [String; 0]);
    click(&mut window.harness, "Remove now…");
    until(&mut window.harness, "Remove 1,204 documents", true);
    click(&mut window.harness, "Remove 1,204 documents");
    until(&mut window.harness, "Remove now…", false);
    assert_eq!(window.sent(), ["deleteNow"]);
}

#[test]
fn what_expired_while_it_waited_is_counted_before_it_asks() {
    let mut window = Window::open();
    *window.due.lock().unwrap_or_else(PoisonError::into_inner) = 1_300;
    click(&mut window.harness, "Remove now…");
    until(&mut window.harness, "Remove 1,300 documents", true);
    assert_eq!(window.sent(), [] as [String; 0], "it asks first");
}

#[test]
fn keep_paused_stays_with_one_button_less() {
    let mut window = Window::open();
    click(&mut window.harness, "Keep on hold");
    until(&mut window.harness, "Keep on hold", false);
    assert_eq!(window.sent(), ["keepPaused"]);
    assert!(window.harness.query_by_label("Remove now…").is_some());
}

#[test]
fn show_them_opens_the_expiry_view() {
    let mut window = Window::open();
    click(&mut window.harness, "Show");
    let tab = window.harness.state().state().tabs.active().expect("a tab");
    assert_eq!((tab.namespace.to_string().as_str(), tab.view), ("shop.carts", ViewKind::Expiry));
    assert_eq!(window.sent(), [] as [String; 0]);
    let show = window.harness.get_by_label("Show");
    assert!(show.accesskit_node().is_disabled(), "they are shown");
}

/// A store that comes from a backup, on the system clock, with three documents that are long due
/// and one that is not.
fn restored(place: &Path) -> std::path::PathBuf {
    let (file, folder) = (place.join("backup"), place.join("store"));
    let options = EngineOptions { run_reaper: false, ..EngineOptions::default() };
    let engine = Engine::open(&place.join("before"), options).expect("a store");
    let run = |command: &Document| {
        let reply = engine.run("shop", command);
        assert_eq!(reply.get_f64("ok").ok(), Some(1.0), "{command}: {reply}");
    };
    let index = doc! {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 3_600};
    run(&doc! {"createIndexes": "carts", "indexes": [index]});
    let now_ms = SystemClock.now_ms();
    let at = |ago_ms: i64| doc! {"at": DateTime::from_millis(now_ms - ago_ms)};
    let day_ms = 86_400_000;
    run(&doc! {"insert": "carts", "documents": [at(day_ms), at(day_ms), at(2 * day_ms), at(0)]});
    let store = engine.collections().store();
    store.backup_to(&file, &mut |_| ControlFlow::Continue(())).expect("a backup");
    engine.close().expect("closed");
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let continues = &mut |_| ControlFlow::Continue(());
    maintenance::restore(&file, &folder, false, &clock, None, continues).expect("restored");
    folder
}

#[test]
fn a_restored_store_removes_nothing_until_the_banner_is_answered() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let folder = restored(place.path());
    let request = OpenRequest { folder: Some(folder.clone()), ..OpenRequest::default() };
    let options = WindowOptions {
        open_last: false,
        request,
        opener: embedded::opener(),
        lessons: mayfly::worker::lesson_shelf::shelf(None),
        lesson: None,
        beginning: None,
        secrets: Secrets::none(),
        settings: super::support::cards(),
        journals: None,
        local_zone: Zone::Utc,
        present: false,
        shutdown: None,
    };
    let mut harness = Harness::builder()
        .with_size([1280.0, 800.0])
        .with_max_steps(64)
        .build_eframe(move |context| MayflyApp::new(context, options));
    until(&mut harness, "Remove now…", true);
    for words in [
        "This store was restored from a backup, and some documents have expired.",
        "shop.carts · at_1: 3 documents",
    ] {
        assert!(harness.query_by_label_contains(words).is_some(), "{words}");
    }
    click(&mut harness, "Activity");
    click(&mut harness, "Passes");
    until(&mut harness, "No passes yet. Removals are on hold until you release them", true);
    click(&mut harness, "Show");
    let tab = harness.state().state().tabs.active().expect("a tab");
    assert_eq!((tab.namespace.to_string().as_str(), tab.view), ("shop.carts", ViewKind::Expiry));
    click(&mut harness, "Keep on hold");
    until(&mut harness, "Keep on hold", false);
    let held = harness.state().state().reaper.held.as_ref().expect("it waits still");
    assert_eq!((held.kept, held.due()), (true, 3));
    click(&mut harness, "Remove now…");
    until(&mut harness, "Remove 3 documents", true);
    click(&mut harness, "Remove 3 documents");
    until(&mut harness, "Remove now…", false);
    drop(harness);
    let options = EngineOptions { run_reaper: false, ..EngineOptions::default() };
    let engine = Engine::open(&folder, options).expect("the window has closed it");
    let counted = engine.run("shop", &doc! {"count": "carts"});
    assert_eq!(counted.get_i32("n").ok(), Some(1), "{counted}");
    let held = engine.run("admin", &doc! {"mayflyHeld": 1});
    assert_eq!(held.get_bool("held").ok(), Some(false), "{held}");
}
