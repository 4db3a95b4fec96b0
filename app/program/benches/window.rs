//! The cost of a frame for the window's thread, without painting, over a large collection: `cargo
//! bench --bench window [-- --documents N] [--frames N]`.
//!
//! The real program runs on a real store, without a display. Each view is scrolled as fast as a
//! wheel can, so pages of documents arrive in between. A frame is its layout and its triangles;
//! what a graphics card or Mesa does with them is left out. CPU time of the window's thread,
//! because the machine is shared.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::too_many_lines,
    reason = "a test may fail where it stands"
)]

use std::path::Path;
use std::time::Duration;

use bson::{DateTime, Document, doc};
use egui::{Context, Event, MouseWheelUnit, PointerButton, Pos2, RawInput, Rect, Vec2, pos2, vec2};
use mayfly::action::{Action, AggregateAction, ExpiryAction, TabsAction};
use mayfly::source::OpenRequest;
use mayfly::source::embedded::opener;
use mayfly::state::aggregate::Shown;
use mayfly::state::tabs::{Tab, ViewKind};
use mayfly::state::{Namespace, Zone, schema};
use mayfly::worker::lesson_shelf::shelf;
use mayfly::worker::{KeptSettings, Secrets};
use mayfly::{MayflyApp, WindowOptions};
use mayfly_engine::clock::{Clock, SystemClock};
use mayfly_engine::engine::{Engine, EngineOptions};

/// The size of the window, in points.
const WINDOW: Vec2 = vec2(1440.0, 900.0);

/// The share of a frame's time, of 60 in a second, that its layout and triangles may take.
const FRAME_MS_MAX: f64 = 8.0;

/// How long a schema from a sample, one of every document and the documents after a stage may take.
const SAMPLE_MS_MAX: f64 = 200.0;
const SCHEMA_MS_MAX: f64 = 6_000.0;
const PREVIEW_MS_MAX: f64 = 300.0;

/// Documents that are inserted at once.
const BATCH: u64 = 10_000;

/// How long something may take until it is a failure.
const DEADLINE: Duration = Duration::from_mins(2);

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |name: &str, standard: u64| {
        let given = arguments.iter().skip_while(|word| *word != name).nth(1);
        given.map_or(standard, |given| given.parse().expect("a number"))
    };
    let (documents, frames) = (number("--documents", 1_000_000), number("--frames", 400));
    let folder = tempfile::tempdir().expect("a temporary folder");
    fill(&folder.path().join("store"), documents);

    let began = SystemClock.monotonic();
    let mut window = Window::open(folder.path());
    let first = ms(SystemClock.monotonic().saturating_sub(began));
    window.until("the catalog", |app| app.state().tree.loaded);
    window.ask(Action::Tabs(TabsAction::Show(Namespace::new("bench", "visits"))));
    window.until("a collection", |app| app.state().tabs.active().is_some());
    window.until("its documents", MayflyApp::is_idle);
    let shown = ms(SystemClock.monotonic().saturating_sub(began));
    println!("{documents} documents: first frame {first:.0} ms, all answers {shown:.0} ms (wall)");
    println!("{:<12} {:>7} {:>8} {:>8} {:>8}", "view", "frames", "p50 ms", "p99 ms", "max ms");
    let mut schema = None;
    for view in ViewKind::ALL {
        let began = SystemClock.monotonic();
        window.ask(Action::Tabs(TabsAction::View(view)));
        if view == ViewKind::Schema {
            window.until("a sample's schema", |app| tab(app).schema.schema.is_some());
            let sample = since(began);
            window.until("every document's schema", |app| {
                matches!(tab(app).schema.stage, schema::Stage::Done(_))
            });
            schema = Some((sample, since(began)));
        }
        window.until("the view", MayflyApp::is_idle);
        let mut costs: Vec<f64> = (0..frames).map(|_| window.frame(true)).collect();
        report(view.label(), &mut costs);
        if view == ViewKind::Expiry {
            let (mut costs, asked, counted) = window.drag_what_if(frames);
            report("What if", &mut costs);
            println!(
                "What if: {asked} commands during the drag, {counted:.1} ms to count after it"
            );
        }
    }
    if let Some((sample, exact)) = schema {
        println!("schema, wall: {}", bounded("a sample", sample, SAMPLE_MS_MAX));
        println!("schema, wall: {}", bounded("every document", exact, SCHEMA_MS_MAX));
    }
    window.ask(Action::Tabs(TabsAction::View(ViewKind::Aggregate)));
    for stage in ["$match", "$unwind", "$group", "$sort", "$sortByCount"] {
        let answered = window.preview(stage);
        println!("stage preview, wall: {}", bounded(stage, answered, PREVIEW_MS_MAX));
    }
}

/// Prints what frames cost, in milliseconds.
fn report(name: &str, costs: &mut [f64]) {
    costs.sort_by(f64::total_cmp);
    let at = |percent: usize| costs[(costs.len() * percent).div_ceil(100).max(1) - 1];
    let verdict = if at(99) <= FRAME_MS_MAX { "met" } else { "missed" };
    println!(
        "{name:<12} {:>7} {:>8.2} {:>8.2} {:>8.2}  p99 of at most {FRAME_MS_MAX} ms: {verdict}",
        costs.len(),
        at(50),
        at(99),
        at(100),
    );
}

/// The tab that is shown.
fn tab(app: &MayflyApp) -> &Tab {
    app.state().tabs.active().expect("a tab")
}

/// The time since then, in milliseconds.
fn since(began: Duration) -> f64 {
    ms(SystemClock.monotonic().saturating_sub(began))
}

fn bounded(what: &str, took_ms: f64, most_ms: f64) -> String {
    let verdict = if took_ms <= most_ms { "met" } else { "missed" };
    format!("{what} {took_ms:.0} ms, of at most {most_ms} ms: {verdict}")
}

/// Makes a store with one collection: dates over a year from now on, and a TTL index on them.
fn fill(store: &Path, documents: u64) {
    let options = EngineOptions { run_reaper: false, ..EngineOptions::default() };
    let engine = Engine::open(store, options).expect("a store");
    let run = |command: Document| {
        let reply = engine.run("bench", &command);
        assert!(reply.get_f64("ok").is_ok_and(|ok| ok > 0.0), "{reply}");
    };
    let index = doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 0 };
    run(doc! { "createIndexes": "visits", "indexes": [index] });
    let (now_ms, step_ms) = (SystemClock.now_ms(), 31_536_000_000 / documents.max(1));
    for first in (0..documents).step_by(usize::try_from(BATCH).unwrap_or(1)) {
        let batch = (first..documents.min(first + BATCH)).map(|number| {
            let at_ms = i64::try_from(60_000 + number * step_ms).unwrap_or(0);
            doc! {
                "_id": i64::try_from(number).unwrap_or(0),
                "at": DateTime::from_millis(now_ms + at_ms),
                "user": format!("user-{:06}", number % 100_000),
                "path": format!("/articles/{}", number % 5_000),
                "took": 12.5,
                "tags": ["news", "sport"],
                "from": { "city": "Lyon", "ip": "203.0.113.42" },
            }
        });
        run(doc! { "insert": "visits", "documents": batch.collect::<Vec<_>>() });
    }
    engine.close().expect("closed");
}

/// The program, without a display.
struct Window {
    context: Context,
    app: MayflyApp,
    frame: eframe::Frame,
    /// Where the wheel turns; the way back begins at the end.
    down: bool,
    drawn: u64,
    /// The controls of the last frame, while they are asked for.
    tree: Option<egui::accesskit::TreeUpdate>,
}

impl Window {
    fn open(folder: &Path) -> Self {
        let context = Context::default();
        let request = OpenRequest { folder: Some(folder.join("store")), ..OpenRequest::default() };
        let options = WindowOptions {
            request,
            opener: opener(),
            lessons: shelf(None),
            lesson: None,
            beginning: None,
            secrets: Secrets::none(),
            settings: KeptSettings::none(),
            journals: None,
            local_zone: Zone::Utc,
            present: false,
            open_last: false,
            shutdown: None,
        };
        let app = MayflyApp::new(&eframe::CreationContext::_new_kittest(context.clone()), options);
        let frame = eframe::Frame::_new_kittest();
        let mut window = Self { context, app, frame, down: true, drawn: 0, tree: None };
        window.frame(false);
        window
    }

    fn ask(&mut self, action: Action) {
        self.app.ask(&self.context, action);
    }

    /// Draws frames until it is so.
    fn until(&mut self, what: &str, is_so: impl Fn(&MayflyApp) -> bool) {
        let end = SystemClock.monotonic() + DEADLINE;
        for _ in 0..3 {
            self.frame(false);
        }
        while !is_so(&self.app) {
            assert!(SystemClock.monotonic() < end, "never: {what}");
            std::thread::park_timeout(Duration::from_millis(2));
            self.frame(false);
        }
    }

    /// Adds a stage and shows documents after it. Returns how long the window took to have some, in
    /// milliseconds.
    fn preview(&mut self, stage: &'static str) -> f64 {
        let id = tab(&self.app).id;
        let ask = |window: &mut Self, action| window.ask(Action::Aggregate(id, action));
        ask(self, AggregateAction::Clear);
        self.until("no pipeline", MayflyApp::is_idle);
        let began = SystemClock.monotonic();
        ask(self, AggregateAction::Add(stage));
        let card = tab(&self.app).aggregate.stages.first().expect("a stage").card;
        ask(self, AggregateAction::Show(Shown::After(card)));
        self.until("documents after the stage", |app| tab(app).aggregate.after.is_some());
        let took = since(began);
        self.until("all answers", MayflyApp::is_idle);
        took
    }

    /// Drags the slider of *What if* to and fro. Returns what the frames cost, how many commands the store
    /// answered while the slider was held and moved, and how long it took to count after that, in
    /// milliseconds.
    fn drag_what_if(&mut self, frames: u64) -> (Vec<f64>, u64, f64) {
        let id = tab(&self.app).id;
        self.ask(Action::Expiry(id, ExpiryAction::WhatIf));
        self.until("the ages are known", |app| {
            let strip = tab(app).expiry.what_if.as_ref();
            strip.is_some_and(|strip| strip.change.ages.is_some()) && app.is_idle()
        });
        let slider = self.place("TTL from a second to a year");
        let at = |frame: u64| {
            let share = f32::from(u8::try_from(frame % 200).unwrap_or(0)) / 100.0;
            let share = if share > 1.0 { 2.0 - share } else { share };
            pos2(slider.left() + slider.width() * share, slider.top() + 6.0)
        };
        let press = |pos, pressed| {
            let (button, modifiers) = (PointerButton::Primary, egui::Modifiers::NONE);
            Event::PointerButton { pos, button, pressed, modifiers }
        };
        self.draw(vec![Event::PointerMoved(at(0))]);
        self.draw(vec![press(at(0), true)]);
        self.until("the first place is counted", MayflyApp::is_idle);
        let asked =
            |app: &MayflyApp| app.state().commands.records().back().map_or(0, |it| it.number);
        let before = asked(&self.app);
        let mut tried = std::collections::BTreeSet::new();
        let costs = (1..=frames)
            .map(|frame| {
                // A frame at 60 in a second.
                std::thread::park_timeout(Duration::from_millis(16));
                let cost = self.draw(vec![Event::PointerMoved(at(frame))]);
                let strip = tab(&self.app).expiry.what_if.as_ref();
                tried.extend(strip.and_then(|strip| strip.change.secs().ok()));
                cost
            })
            .collect();
        let after = asked(&self.app);
        assert!(tried.len() > 20, "the slider was dragged: {tried:?}");
        self.draw(vec![press(at(frames), false)]);
        self.until("the last place is counted", MayflyApp::is_idle);
        let records = self.app.state().commands.records();
        let counted = records.iter().rev().find(|record| record.text.contains("mayflyWhatIf"));
        let counted = counted.map_or(0, |record| record.micros);
        self.ask(Action::Expiry(id, ExpiryAction::WhatIf));
        (costs, after - before, Duration::from_micros(counted).as_secs_f64() * 1_000.0)
    }

    /// The place of a control.
    fn place(&mut self, name: &str) -> Rect {
        self.context.enable_accesskit();
        self.draw(Vec::new());
        let update = self.tree.take().expect("a tree of the controls");
        self.context.disable_accesskit();
        let node = update.nodes.iter().find(|(_, node)| node.label() == Some(name));
        let bounds = node.and_then(|(_, node)| node.bounds()).expect("it is on the screen");
        #[expect(clippy::cast_possible_truncation, reason = "places on a screen")]
        let corner = |x: f64, y: f64| pos2(x as f32, y as f32);
        Rect::from_min_max(corner(bounds.x0, bounds.y0), corner(bounds.x1, bounds.y1))
    }

    /// Draws a frame. Returns what it cost this thread, in milliseconds.
    fn frame(&mut self, scrolls: bool) -> f64 {
        self.drawn += 1;
        let mut events = vec![Event::PointerMoved(self.pointer())];
        if scrolls {
            if self.drawn.is_multiple_of(100) {
                self.down = !self.down;
            }
            let delta = vec2(0.0, if self.down { -700.0 } else { 700.0 });
            let (unit, phase) = (MouseWheelUnit::Point, egui::TouchPhase::Move);
            let source = egui::MouseWheelSource::Wheel;
            events.push(Event::MouseWheel {
                unit,
                delta,
                phase,
                source,
                modifiers: egui::Modifiers::NONE,
            });
            // The worker's threads need a core too.
            std::thread::park_timeout(Duration::from_millis(8));
        }
        self.draw(events)
    }

    fn draw(&mut self, events: Vec<Event>) -> f64 {
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, WINDOW)),
            time: Some(SystemClock.monotonic().as_secs_f64()),
            events,
            ..RawInput::default()
        };
        let began = spent();
        let (app, frame) = (&mut self.app, &mut self.frame);
        let mut output = self.context.run_ui(input, |ui| {
            eframe::App::logic(app, ui.ctx(), frame);
            eframe::App::ui(app, ui, frame);
        });
        let triangles = self.context.tessellate(output.shapes, output.pixels_per_point);
        let cost = spent().saturating_sub(began);
        self.tree = output.platform_output.accesskit_update.take();
        // A renderer would take them; a debug build refuses to drop them unseen.
        output.textures_delta.clear();
        drop(triangles);
        ms(cost)
    }

    /// Over the rows of every view.
    fn pointer(&self) -> Pos2 {
        pos2(640.0, 500.0 + f32::from(u8::try_from(self.drawn % 2).unwrap_or(0)))
    }
}

/// The CPU time of this thread.
fn spent() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let (secs, nanos) = (u64::try_from(time.tv_sec), u32::try_from(time.tv_nsec));
    Duration::new(secs.unwrap_or(0), nanos.unwrap_or(0))
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}
