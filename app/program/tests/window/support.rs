//! The window over the real engine: a store in a temporary folder, on a simulated clock that stands
//! still until a test moves it.

use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bson::{DateTime, Document, doc};
use egui::accesskit::Role;
use egui::{Key, Modifiers};
use egui_kittest::kittest::{AccessKitNode, NodeT, Queryable};
use egui_kittest::{Harness, Node};
use mayfly::action::Action;
use mayfly::source::embedded::opener;
use mayfly::source::{OpenRequest, Opened, Opener, Source};
use mayfly::state::{Phase, State, Tab, Zone};
use mayfly::worker::LessonShelf;
use mayfly::worker::lesson_shelf::shelf;
use mayfly::worker::{KeptSettings, Secrets};
use mayfly::{MayflyApp, WindowOptions};
use mayfly_engine::clock::{Clock, SystemClock};
use mayfly_engine::engine::{ClockOption, Engine, EngineOptions};

/// How long something may take until it is a failure. Nothing waits so long when all is well.
const DEADLINE: Duration = Duration::from_secs(30);

/// The pause between two frames, for the worker's threads.
const PAUSE: Duration = Duration::from_millis(5);

/// When the store's time begins: 2026-06-01T12:00:00Z.
pub const START_MS: i64 = 1_780_315_200_000;

/// An instant, in seconds after the start.
pub fn at(secs: i64) -> DateTime {
    DateTime::from_millis(START_MS + secs * 1_000)
}

/// The surroundings of a window.
struct Machine {
    request: OpenRequest,
    seen: fn(Arc<dyn Source>) -> Arc<dyn Source>,
    local_zone: Zone,
    lessons: Arc<dyn LessonShelf>,
    secrets: Secrets,
    settings: KeptSettings,
}

impl Default for Machine {
    fn default() -> Self {
        Self {
            request: OpenRequest::default(),
            seen: |source| source,
            local_zone: Zone::Utc,
            lessons: shelf(None),
            secrets: Secrets::none(),
            settings: cards(),
        }
    }
}

/// The settings of someone who reads documents as cards, which have the most controls.
pub fn cards() -> KeptSettings {
    let mut settings = KeptSettings::none();
    settings.found.fields.insert("documents_mode".to_owned(), "Cards".into());
    settings
}

fn temporary() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// The window and its store. They end in this order: the store must be closed before its
/// folder is removed, or the next store's file may get a file number that still counts as open.
pub struct Window {
    pub harness: Harness<'static, MayflyApp>,
    source: Arc<dyn Source>,
    pub folder: tempfile::TempDir,
}

impl Window {
    /// A window on an empty store.
    pub fn open() -> Self {
        Self::open_after(&[])
    }

    /// A window on a store in which commands were run before, on the database `test`.
    pub fn open_after(commands: &[Document]) -> Self {
        Self::open_in(tempfile::tempdir().expect("a temporary folder"), commands)
    }

    /// The same on a folder in which `store` may be there already.
    pub fn open_in(folder: tempfile::TempDir, commands: &[Document]) -> Self {
        Self::open_as(folder, commands, |source| source)
    }

    /// A window on a store with one document in `test.notes`, a bit of which is another one by now.
    pub fn open_damaged() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let data = folder.path().join("store");
        let options = EngineOptions {
            clock: ClockOption::Simulated { start_ms: START_MS },
            run_reaper: false,
            ..EngineOptions::default()
        };
        let engine = Engine::open(&data, options).expect("a store");
        engine.run("test", &doc! {"insert": "notes", "documents": [{"_id": 1, "a": "needle"}]});
        engine.close().expect("closed");
        let file = data.join("data.mdb");
        let mut bytes = std::fs::read(&file).expect("a file");
        let is_there = |at: &usize| bytes[*at..].starts_with(b"needle");
        let places: Vec<usize> = (0..bytes.len()).filter(is_there).collect();
        for place in places {
            bytes[place] ^= 1;
        }
        std::fs::write(file, bytes).expect("written");
        Self::open_in(folder, &[])
    }

    /// The same on a store that the window sees through another source.
    pub fn open_as(
        folder: tempfile::TempDir,
        commands: &[Document],
        seen: fn(Arc<dyn Source>) -> Arc<dyn Source>,
    ) -> Self {
        Self::open_store(folder, commands, Machine { seen, ..Machine::default() })
    }

    /// A window on a machine in a time zone.
    pub fn open_in_zone(commands: &[Document], local_zone: Zone) -> Self {
        let machine = Machine { local_zone, ..Machine::default() };
        Self::open_store(temporary(), commands, machine)
    }

    /// A window on a demo store.
    pub fn open_demo() -> Self {
        let request = OpenRequest { demo: true, ..OpenRequest::default() };
        Self::open_store(temporary(), &[], Machine { request, ..Machine::default() })
    }

    /// A window on an empty store with these lessons.
    pub fn open_with_lessons(lessons: Arc<dyn LessonShelf>) -> Self {
        Self::open_store(temporary(), &[], Machine { lessons, ..Machine::default() })
    }

    /// A window on an empty store, on a machine with a keyring.
    pub fn open_with_keyring(secrets: Secrets) -> Self {
        Self::open_store(temporary(), &[], Machine { secrets, ..Machine::default() })
    }

    /// A window with the settings of a start before.
    pub fn open_with_settings(
        folder: tempfile::TempDir,
        commands: &[Document],
        settings: KeptSettings,
    ) -> Self {
        Self::open_store(folder, commands, Machine { settings, ..Machine::default() })
    }

    fn open_store(folder: tempfile::TempDir, commands: &[Document], machine: Machine) -> Self {
        let Machine { request, seen, local_zone, lessons, secrets, settings } = machine;
        let request = OpenRequest {
            folder: Some(folder.path().join("store")),
            simulated_start_ms: Some(START_MS),
            ..request
        };
        let opened = Arc::new(Mutex::new(None));
        let opener = prepared(commands.to_vec(), Arc::clone(&opened), seen);
        let options = WindowOptions {
            open_last: false,
            request,
            opener,
            lessons,
            lesson: None,
            beginning: None,
            secrets,
            settings,
            journals: Some(folder.path().join("journals")),
            local_zone,
            present: false,
            shutdown: None,
        };
        let mut harness = Harness::builder()
            .with_size([1280.0, 800.0])
            .with_max_steps(64)
            .build_eframe(move |context| MayflyApp::new(context, options));
        let end = SystemClock.monotonic() + DEADLINE;
        let source = loop {
            harness.step();
            if let Some(source) = opened.lock().unwrap_or_else(PoisonError::into_inner).take() {
                break source;
            }
            let phase = &harness.state().state().store.phase;
            let waits = *phase == Phase::Opening && SystemClock.monotonic() < end;
            assert!(waits, "the store never opened: {phase:?}");
            std::thread::park_timeout(PAUSE);
        };
        let mut window = Self { harness, source, folder };
        window.until("the store is open", |state| state.is_open() && state.tree.loaded);
        window.until("time is simulated", |state| state.clock.is_simulated());
        window
    }

    /// Closes the window, and opens another one on the same folder.
    pub fn restart(self) -> Self {
        let Self { harness, source, folder } = self;
        drop(harness);
        drop(source);
        Self::open_in(folder, &[])
    }

    /// The same, with a view of the first collection shown.
    pub fn open_view(commands: &[Document], view: &str) -> Self {
        let mut window = Self::open_after(commands);
        window.until("a collection is shown", |state| state.tabs.active().is_some());
        window.click(view);
        window
    }

    pub fn state(&self) -> &State {
        self.harness.state().state()
    }

    /// The tab that is shown.
    pub fn tab(&self) -> &Tab {
        self.state().tabs.active().expect("a tab is shown")
    }

    /// Runs a command as another program would, without the window.
    pub fn run(&self, db: &str, command: &Document) -> Document {
        let reply = self.source.run(db, command);
        assert!(reply.get_f64("ok").is_ok_and(|ok| ok > 0.0), "{command}: {reply}");
        reply
    }

    /// Moves the store's time on and waits until the window knows.
    pub fn advance(&mut self, secs: i64) {
        let to_ms = self.state().now_ms() + secs * 1_000;
        self.run("admin", &doc! {"mayflyClock": 1, "advanceMS": secs * 1_000});
        self.until("time has moved", |state| state.now_ms() >= to_ms);
    }

    /// Carries out an action as if the user had asked for it.
    pub fn ask(&mut self, action: Action) {
        let context = self.harness.ctx.clone();
        self.harness.state_mut().ask(&context, action);
        self.settle();
    }

    /// The same without waiting for the store's answers.
    pub fn ask_only(&mut self, action: Action) {
        let context = self.harness.ctx.clone();
        self.harness.state_mut().ask(&context, action);
    }

    /// Draws frames until the state is so. The worker's threads need real time.
    pub fn until(&mut self, what: &str, is_so: impl Fn(&State) -> bool) {
        self.until_window(what, |window| is_so(window.state()));
    }

    /// Draws frames until a control's name holds these words.
    pub fn until_named(&mut self, name: &str) {
        self.until_window(name, |window| window.has_part(name));
    }

    /// Draws frames until no control's name holds these words.
    pub fn until_gone(&mut self, name: &str) {
        self.until_window(&format!("{name} goes"), |window| !window.has_part(name));
    }

    /// Draws frames until a control can be pressed.
    pub fn until_enabled(&mut self, name: &str) {
        let what = format!("{name} can be pressed");
        self.until_window(&what, |window| window.has(name) && window.is_enabled(name));
    }

    /// Draws frames until the window is so; then until the store has answered.
    pub fn until_window(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let is_so = draw_until(self, |window| &mut window.harness, is_so);
        assert!(is_so, "never: {what}; on the screen:\n{}", self.on_screen());
    }

    /// Draws frames until the window is so, without waiting for the store's answers.
    pub fn until_frame(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let end = SystemClock.monotonic() + DEADLINE;
        while SystemClock.monotonic() < end {
            self.harness.step();
            if is_so(self) {
                return;
            }
            std::thread::park_timeout(PAUSE);
        }
        panic!("never: {what}; on the screen:\n{}", self.on_screen());
    }

    pub fn on_screen(&self) -> String {
        on_screen(&self.harness)
    }

    /// Whether a control has exactly this name, or a text says exactly this.
    pub fn has(&self, name: &str) -> bool {
        self.harness.query_all_by(|node| names(node, |found| found == name)).next().is_some()
    }

    /// Whether a control's name, or a text, holds these words.
    pub fn has_part(&self, part: &str) -> bool {
        self.harness.query_all_by(|node| names(node, |found| found.contains(part))).next().is_some()
    }

    /// The control of this name. A text that only labels it gives way.
    fn first<'a>(&'a self, name: &'a str) -> Node<'a> {
        let mut found: Vec<_> =
            self.harness.query_all_by(move |node| names(node, |found| found == name)).collect();
        found.sort_by_key(|node| node.accesskit_node().role() == Role::Label);
        let found = found.into_iter().next();
        found.unwrap_or_else(|| panic!("no {name} on the screen:\n{}", self.on_screen()))
    }

    pub fn is_enabled(&self, name: &str) -> bool {
        !self.first(name).accesskit_node().is_disabled()
    }

    /// Where the first control stands whose name holds these words.
    pub fn place_of_part(&self, part: &str) -> Option<egui::Rect> {
        let mut found = self.harness.query_all_by(|node| names(node, |found| found.contains(part)));
        found.next().map(|node| node.rect())
    }

    /// The whole name of the first control whose name holds these words.
    pub fn part(&self, part: &str) -> String {
        let mut found = self.harness.query_all_by(|node| names(node, |found| found.contains(part)));
        let node = found.next().unwrap_or_else(|| panic!("no {part}:\n{}", self.on_screen()));
        let node = node.accesskit_node();
        node.label().or_else(|| node.value()).unwrap_or_default()
    }

    /// Where a control stands.
    pub fn place(&self, name: &str) -> egui::Rect {
        self.first(name).rect()
    }

    /// Whether the keyboard is on a control.
    pub fn is_focused(&self, name: &str) -> bool {
        self.first(name).accesskit_node().is_focused()
    }

    /// The name of the control that has the keyboard.
    pub fn focused(&self) -> Option<String> {
        let mut found = self.harness.query_all_by(has_keyboard);
        let node = found.next()?.accesskit_node();
        Some(node.label().or_else(|| node.value()).unwrap_or_default())
    }

    /// Draws until the store has answered, then some frames more.
    pub fn settle_and_draw(&mut self, frames: usize) {
        self.settle();
        self.harness.run_steps(frames);
    }

    /// The contents of a field, or of a named text.
    pub fn value(&self, name: &str) -> String {
        let node = self.first(name).accesskit_node();
        node.value().unwrap_or_else(|| {
            let runs = node.children().filter(|run| run.role() == Role::TextRun);
            runs.filter_map(|run| run.value()).collect()
        })
    }

    /// Presses a control. Not with the pointer: it may have to be scrolled to first.
    pub fn click(&mut self, name: &str) {
        self.click_while(name, || ());
    }

    /// Presses a control, and lets something happen before the window has seen it.
    pub fn click_while(&mut self, name: &str, happens: impl FnOnce()) {
        assert!(self.is_enabled(name), "{name} can't be pressed");
        self.first(name).click_accesskit();
        happens();
        self.settle();
    }

    /// Presses a control with the pointer, which then goes out of the way.
    pub fn point(&mut self, name: &str) {
        self.first(name).click();
        self.leave();
    }

    /// Presses a control twice with the pointer.
    pub fn point_twice(&mut self, name: &str) {
        let pos = self.first(name).rect().center();
        self.harness.input_mut().events.push(egui::Event::PointerMoved(pos));
        self.harness.run_steps(1);
        // A frame takes most of the time in which two presses are one double press.
        for _ in 0..2 {
            for pressed in [true, false] {
                let (button, modifiers) = (egui::PointerButton::Primary, Modifiers::NONE);
                let event = egui::Event::PointerButton { pos, button, pressed, modifiers };
                self.harness.input_mut().events.push(event);
            }
            self.harness.run_steps(1);
        }
        self.leave();
    }

    /// Presses a place of the window with the pointer.
    pub fn point_at(&mut self, x: f32, y: f32) {
        let pos = egui::pos2(x, y);
        self.harness.input_mut().events.push(egui::Event::PointerMoved(pos));
        self.harness.run_steps(1);
        for pressed in [true, false] {
            let (button, modifiers) = (egui::PointerButton::Primary, Modifiers::NONE);
            let event = egui::Event::PointerButton { pos, button, pressed, modifiers };
            self.harness.input_mut().events.push(event);
            self.harness.run_steps(1);
        }
        self.leave();
    }

    /// Presses a control with the pointer while keys are held.
    pub fn point_with(&mut self, name: &str, modifiers: Modifiers) {
        self.first(name).click_modifiers(modifiers);
        self.leave();
    }

    /// Presses a control with the secondary button.
    pub fn point_secondary(&mut self, name: &str) {
        self.first(name).click_secondary();
        self.leave();
    }

    fn leave(&mut self) {
        self.harness.run_steps(2);
        self.harness.input_mut().events.push(egui::Event::PointerGone);
        self.settle();
    }

    fn settle(&mut self) {
        settle(&mut self.harness);
    }

    /// Opens a menu and presses one of its entries.
    pub fn choose(&mut self, menu: &str, entry: &str) {
        self.point(menu);
        self.point(entry);
    }

    /// Types into a field in place of what it holds.
    pub fn type_into(&mut self, name: &str, text: &str) {
        self.first(name).focus();
        self.harness.run_steps(2);
        self.keys(Modifiers::COMMAND, Key::A);
        self.key(Key::Backspace);
        if !text.is_empty() {
            self.first(name).type_text(text);
        }
        self.settle();
    }

    pub fn key(&mut self, key: Key) {
        self.keys(Modifiers::NONE, key);
    }

    pub fn keys(&mut self, modifiers: Modifiers, key: Key) {
        self.harness.key_press_modifiers(modifiers, key);
        self.settle();
    }

    /// Presses a control. Returns what that puts on the clipboard.
    pub fn copied(&mut self, press: &str) -> String {
        assert!(self.is_enabled(press), "{press} can't be pressed");
        self.first(press).click_accesskit();
        self.next_copied()
    }

    /// Presses Ctrl+C. Returns what that puts on the clipboard.
    pub fn copied_by_key(&mut self) -> String {
        self.harness.event(egui::Event::Copy);
        self.next_copied()
    }

    /// The contents of the clipboard, once a frame sets it. The documents may have to be read
    /// first.
    pub fn next_copied(&mut self) -> String {
        let copied = |window: &Self| {
            let commands = &window.harness.output().platform_output.commands;
            commands.iter().find_map(|command| match command {
                egui::OutputCommand::CopyText(text) => Some(text.clone()),
                _ => None,
            })
        };
        self.until_frame("something is copied", |window| copied(window).is_some());
        copied(self).unwrap_or_default()
    }

    /// Commands that the user caused, the oldest first, as typed in mongosh.
    pub fn sent(&self) -> Vec<String> {
        let records = self.state().commands.records().iter();
        records.filter(|record| !record.background).map(|record| record.text.clone()).collect()
    }
}

/// Draws frames until it is so, then until the store has answered; not longer than [`DEADLINE`].
/// Returns whether it is so. The worker's threads need real time.
fn draw_until<W>(
    window: &mut W,
    harness: fn(&mut W) -> &mut Harness<'static, MayflyApp>,
    is_so: impl Fn(&W) -> bool,
) -> bool {
    let end = SystemClock.monotonic() + DEADLINE;
    while SystemClock.monotonic() < end {
        harness(window).step();
        if is_so(window) {
            settle(harness(window));
            return true;
        }
        std::thread::park_timeout(PAUSE);
    }
    false
}

/// Every name and text, one a line.
fn on_screen(harness: &Harness<'static, MayflyApp>) -> String {
    let mut text = String::new();
    for node in harness.query_all_by(|_| true) {
        let node = node.accesskit_node();
        if let Some(name) = node.label().or_else(|| node.value()) {
            writeln!(text, "{:?} {name}", node.role()).expect("memory");
        }
    }
    text
}

/// Draws frames of a window over a store made of nothing until a control with exactly this name is
/// there, or gone.
pub fn until(harness: &mut Harness<'static, MayflyApp>, name: &str, is_there: bool) {
    let is_so =
        |harness: &Harness<'static, MayflyApp>| harness.query_by_label(name).is_some() == is_there;
    let is_so = draw_until(harness, |harness| harness, is_so);
    assert!(is_so, "{name} never came or went; on the screen:\n{}", on_screen(harness));
}

/// Presses a control of such a window with the pointer.
pub fn click(harness: &mut Harness<'static, MayflyApp>, name: &str) {
    harness.get_by_label(name).click();
    settle(harness);
}

/// Draws frames until everything that was asked of the store is answered and drawn: a control must
/// not move away between being found and being pressed.
pub fn settle(harness: &mut Harness<'static, MayflyApp>) {
    harness.run_steps(3);
    let end = SystemClock.monotonic() + DEADLINE;
    let mut quiet = 0;
    while quiet < 3 && SystemClock.monotonic() < end {
        if harness.state().is_idle() {
            quiet += 1;
        } else {
            quiet = 0;
            std::thread::park_timeout(PAUSE);
        }
        harness.step();
    }
}

fn has_keyboard(node: &AccessKitNode<'_>) -> bool {
    node.is_focused()
}

/// Whether the name of a control fits; a text without a name has what it says as its name.
fn names(node: &AccessKitNode<'_>, fits: impl Fn(&str) -> bool) -> bool {
    let text = || node.value().filter(|_| node.role() == Role::Label);
    node.label().or_else(text).is_some_and(|name| fits(&name))
}

/// Opens the real store, runs commands in the first one, and hands it to the test as well.
fn prepared(
    commands: Vec<Document>,
    to: Arc<Mutex<Option<Arc<dyn Source>>>>,
    seen: fn(Arc<dyn Source>) -> Arc<dyn Source>,
) -> Opener {
    let open = opener();
    let commands = Mutex::new(commands);
    let is_first = AtomicBool::new(true);
    Arc::new(move |request| {
        let opened = open(request)?;
        for command in
            &std::mem::take(&mut *commands.lock().unwrap_or_else(PoisonError::into_inner))
        {
            let reply = opened.source.run("test", command);
            assert!(reply.get_f64("ok").is_ok_and(|ok| ok > 0.0), "{command}: {reply}");
        }
        // A later one belongs to the window alone.
        if is_first.swap(false, Ordering::Relaxed) {
            *to.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&opened.source));
        }
        Ok(Opened { source: seen(opened.source), ..opened })
    })
}
