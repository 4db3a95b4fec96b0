//! The window as a presentation: large, without the panels around the view, and as before after it.

use bson::{Document, doc};
use egui::{Key, Modifiers, Shape, ViewportCommand, vec2};
use egui_kittest::Harness;
use mayfly::action::{Action, ExpiryAction, LessonAction, ReaperAction, StoreAction, ViewAction};
use mayfly::job::lesson::LessonSource;
use mayfly::state::expiry::Mode;
use mayfly::state::lesson::steps;
use mayfly::state::tabs::ViewKind;
use mayfly::state::view::Drawer;
use mayfly::theme::sizes;

use mayfly::source::OpenRequest;
use mayfly::state::Zone;
use mayfly::worker::Secrets;
use mayfly::{MayflyApp, WindowOptions};

use super::fake;
use super::sandbox::{close, commands};
use super::support::{Window, at, until};

/// The least height of a text, in pixels.
const TEXT_PX_MIN: f32 = 24.0;

/// The surroundings of a view outside of presentations.
const PANELS: [&str; 6] =
    ["Menu", "Search collections", "Activity", "Close test.sessions", "Run pass", "View: Table"];

/// A collection with one document that never expires, and more than fit on a screen that do.
fn sessions() -> Vec<Document> {
    let mut documents: Vec<_> = (0..40)
        .map(|number| doc! {"_id": format!("session {number}"), "at": at(number * 3 - 70)})
        .collect();
    documents.push(doc! {"_id": "never"});
    vec![
        doc! {"createIndexes": "sessions", "indexes": [
            {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 60},
        ]},
        doc! {"insert": "sessions", "documents": documents},
    ]
}

/// A window on a view, presented on a screen of this size in pixels.
fn presented(view: &str, width: f32, height: f32) -> Window {
    let mut window = Window::open_view(&sessions(), view);
    window.key(Key::F11);
    resize(&mut window, width, height);
    window
}

/// The tests' window has its size in points.
fn resize(window: &mut Window, width: f32, height: f32) {
    window.harness.set_size(vec2(width, height) / window.harness.ctx.zoom_factor());
    window.harness.run_steps(4);
}

/// Every text that is painted within the window, with its height in pixels.
fn painted(window: &Window) -> Vec<(String, f32)> {
    let scale = window.harness.ctx.pixels_per_point();
    let shapes = window.harness.output().shapes.iter();
    let texts = shapes.filter_map(|clipped| {
        let Shape::Text(drawn) = &clipped.shape else { return None };
        let sizes = drawn.galley.job.sections.iter().map(|part| part.format.font_id.size);
        Some((drawn.galley.text().to_owned(), sizes.fold(f32::INFINITY, f32::min) * scale))
    });
    texts.filter(|(text, _)| !text.is_empty()).collect()
}

fn assert_large(window: &Window, what: &str) {
    let texts = painted(window);
    assert!(texts.len() > 5, "{what}: {texts:?}");
    for (text, height) in texts {
        assert!(height >= TEXT_PX_MIN, "{what}: {text:?} has {height} px");
    }
}

/// Rows of the timeline that are on the screen as a whole.
fn whole_lanes(window: &Window) -> Vec<egui::Rect> {
    let screen = window.harness.ctx.content_rect();
    let axis = window.place("Time axis");
    let mut lanes: Vec<_> = (0..40)
        .flat_map(|number| {
            let at = [format!("session {number} exp"), format!("session {number} rem")];
            at.into_iter().filter_map(|name| window.place_of_part(&name))
        })
        .filter(|lane| screen.contains_rect(*lane) && lane.bottom() <= axis.top() + 0.5)
        .collect();
    lanes.sort_by(|a, b| a.top().total_cmp(&b.top()));
    lanes
}

#[test]
fn f11_presents_the_view_without_the_panels_and_escape_brings_them_back() {
    let mut window = Window::open_view(&sessions(), "Expiry");
    window.ask(Action::View(ViewAction::SetDrawer(Some(Drawer::Activity))));
    window.ask(Action::View(ViewAction::SetZoom(1.2)));
    let settings = window.state().settings.clone();
    for name in PANELS {
        assert!(window.has(name), "no {name} before");
    }
    window.key(Key::F11);
    window.until_gone("Search collections");
    for name in PANELS {
        assert!(!window.has(name), "{name} is there");
    }
    for name in ["test.sessions", "SIMULATED", "Time axis"] {
        assert!(window.has(name), "no {name}");
    }
    assert!((window.harness.ctx.zoom_factor() - 2.0).abs() < 0.01);
    for (keys, key) in [(Modifiers::COMMAND, Key::B), (Modifiers::COMMAND, Key::J)] {
        window.keys(keys, key);
    }
    window.ask(Action::View(ViewAction::SetZoom(2.4)));
    window.key(Key::Escape);
    window.until_named("Search collections");
    for name in PANELS {
        assert!(window.has(name), "no {name} after");
    }
    assert_eq!(window.state().settings, settings);
    assert!((window.harness.ctx.zoom_factor() - 1.2).abs() < 0.01);
    window.key(Key::F11);
    window.key(Key::F11);
    assert!(!window.state().view.is_presented(), "F11 leaves too");
}

#[test]
fn escape_first_closes_what_is_open() {
    let mut window = presented("Documents", 1280.0, 800.0);
    window.keys(Modifiers::COMMAND, Key::P);
    assert!(window.has("Find a command"));
    window.key(Key::Escape);
    assert!(!window.has("Find a command") && window.state().view.is_presented());
    window.keys(Modifiers::SHIFT, Key::F1);
    assert!(window.has("Keyboard shortcuts"));
    window.key(Key::Escape);
    assert!(!window.has("Keyboard shortcuts") && window.state().view.is_presented());
    window.type_into("Filter", "{a: 1}");
    window.key(Key::Escape);
    assert!(window.state().view.is_presented(), "the filter had the keyboard");
    window.key(Key::Escape);
    assert!(!window.state().view.is_presented());
}

#[test]
fn an_open_dialog_is_presented() {
    let mut window = Window::open_view(&sessions(), "Expiry");
    window.keys(Modifiers::SHIFT, Key::F1);
    window.key(Key::F11);
    resize(&mut window, 1280.0, 720.0);
    assert!(window.state().view.is_presented() && window.has("Done"));
    assert_large(&window, "the dialog");
    let screen = window.harness.ctx.content_rect();
    for name in ["Done", "Close the dialog", "Keyboard shortcuts"] {
        assert!(screen.contains_rect(window.place(name)), "{name}");
    }
}

#[test]
fn nothing_is_small_in_any_view() {
    for theme in ["Light theme", "Dark theme"] {
        let mut window = presented("Expiry", 1280.0, 720.0);
        window.keys(Modifiers::COMMAND, Key::P);
        window.type_into("Find a command", theme);
        assert_large(&window, "the palette");
        window.key(Key::Enter);
        let tab = window.tab().id;
        for mode in [Mode::Timeline, Mode::Table, Mode::Removed] {
            window.ask(Action::Expiry(tab, ExpiryAction::Show(mode)));
            assert_large(&window, &format!("{mode:?}"));
        }
        for (key, view) in [(Key::Num1, ViewKind::Documents), (Key::Num5, ViewKind::Indexes)] {
            window.keys(Modifiers::COMMAND, key);
            assert_eq!(window.tab().view, view);
            for look in [Key::F2, Key::F3, Key::F4] {
                window.key(look);
                assert_large(&window, &format!("{view:?} {look:?}"));
            }
        }
    }
}

#[test]
fn nothing_is_small_in_a_lesson() {
    for (theme, slug) in [
        ("Light theme", "40-secondaries-delete-nothing"),
        ("Dark theme", "02-the-pass"),
        ("Light theme", "07-not-a-date"),
        ("Dark theme", "31-hidden-or-visible"),
        ("Light theme", "c02-why-not-deleted-text-dates"),
    ] {
        let mut window = presented("Expiry", 1280.0, 720.0);
        window.keys(Modifiers::COMMAND, Key::P);
        window.type_into("Find a command", theme);
        window.key(Key::Enter);
        let source = LessonSource::Shipped(slug.to_owned());
        window.ask(Action::Lesson(LessonAction::Open(source)));
        window.until("the lesson plays", |state| state.lessons.view().is_some());
        for press in 0..6 {
            assert_large(&window, &format!("{slug}, press {press}"));
            window.key(Key::PageDown);
            let runs = |state: &mayfly::state::State| {
                let step = state.lessons.playing.as_ref().zip(state.lessons.view());
                let step = step.map(|(playing, view)| steps::step(view, &playing.presented));
                matches!(step, Some(steps::Step::Wait))
            };
            window.until("nothing runs", |state| !runs(state));
        }
        assert_large(&window, &format!("{slug}, at its end"));
    }
}

#[test]
fn lanes_are_48_pixels_high_and_as_many_as_a_classroom_needs() {
    let check = |width: f32, height: f32, least: usize| {
        let window = presented("Expiry", width, height);
        let lanes = whole_lanes(&window);
        assert!(lanes.len() >= least, "{width}: {} lanes", lanes.len());
        let scale = window.harness.ctx.pixels_per_point();
        for (lane, next) in lanes.iter().zip(&lanes[1..]) {
            let pixels = [lane.height() * scale, (next.top() - lane.top()) * scale];
            assert!(pixels.iter().all(|pixels| (pixels - 48.0).abs() < 0.5), "{pixels:?}");
        }
        let screen = window.harness.ctx.content_rect();
        for name in ["test.sessions", "SIMULATED", "Time axis", "Next pass in", "Paused"] {
            assert!(screen.contains_rect(window.place(name)), "{width}: {name}");
        }
    };
    check(1024.0, 640.0, 6);
    check(1280.0, 720.0, 7);
    check(1280.0, 800.0, 8);
    check(1920.0, 1080.0, 14);
}

#[test]
fn tables_have_the_columns_that_fit() {
    let mut window = presented("Expiry", 1280.0, 720.0);
    for (typed, last, cut) in [
        ("show the expiry table", "Expires at", "Removal window"),
        ("show removed documents", "Index", "Restore"),
    ] {
        window.ask(Action::Reaper(ReaperAction::RunNow));
        window.keys(Modifiers::COMMAND, Key::P);
        window.type_into("Find a command", typed);
        window.key(Key::Enter);
        window.until_named(last);
        assert!(!window.has_part(cut), "{cut} is there");
        let screen = window.harness.ctx.content_rect();
        let place = window.place_of_part(last).expect(last);
        assert!(place.left() + sizes::COLUMN_SHORT < screen.right(), "{last} {place}");
        assert!(!window.has("More for the ledger"));
    }
}

#[test]
fn a_lane_is_explained_when_it_is_pressed() {
    let mut window = presented("Expiry", 1280.0, 800.0);
    let lane = whole_lanes(&window)[3].center();
    let hover = |window: &mut Window| {
        window.harness.input_mut().events.push(egui::Event::PointerMoved(lane));
        window.harness.run_steps(8);
    };
    hover(&mut window);
    assert!(!window.has_part("Will be removed"), "it would cover the lanes");
    window.point_at(lane.x, lane.y);
    hover(&mut window);
    window.until_named("Will be removed");
}

#[test]
fn a_window_begins_as_a_presentation() {
    let options = WindowOptions {
        open_last: false,
        request: OpenRequest::default(),
        opener: fake::opener(),
        lessons: mayfly::worker::lesson_shelf::shelf(None),
        lesson: None,
        beginning: None,
        secrets: Secrets::none(),
        settings: super::support::cards(),
        journals: None,
        local_zone: Zone::Utc,
        present: true,
        shutdown: None,
    };
    let mut harness = Harness::builder()
        .with_size([640.0, 400.0])
        .with_max_steps(64)
        .build_eframe(move |context| MayflyApp::new(context, options));
    until(&mut harness, "SIMULATED", true);
    assert!(harness.state().state().view.is_presented());
}

#[test]
fn it_fills_the_screen_and_a_close_of_the_window_leaves_it_first() {
    let mut window = Window::open_view(&sessions(), "Expiry");
    let context = window.harness.ctx.clone();
    window.harness.state_mut().ask(&context, Action::View(ViewAction::Present(true)));
    window.harness.step();
    assert!(commands(&window).contains(&ViewportCommand::Fullscreen(true)));
    window.harness.run_steps(3);
    let sent = close(&mut window);
    let fullscreen = ViewportCommand::Fullscreen(false);
    for command in [ViewportCommand::CancelClose, ViewportCommand::Close, fullscreen] {
        assert!(sent.contains(&command), "{command:?} in {sent:?}");
    }
    assert!(!window.state().view.is_presented());
    let sent = close(&mut window);
    assert!(!sent.contains(&ViewportCommand::CancelClose), "{sent:?}");
}

#[test]
fn messages_are_kept_and_not_drawn() {
    let mut window = presented("Expiry", 1280.0, 800.0);
    window.ask(Action::Reaper(ReaperAction::RunNow));
    window.until("a message", |state| !state.toasts.list().is_empty());
    assert!(!window.has_part("Dismiss"));
}

#[test]
fn the_clock_is_moved_by_keys() {
    let mut window = presented("Expiry", 1280.0, 800.0);
    let start_ms = window.state().now_ms();
    assert!(window.has("Paused"));
    window.key(Key::ArrowRight);
    window.until("the next event", |state| state.now_ms() > start_ms);
    window.key(Key::Space);
    window.until_named("Running ×1");
    window.key(Key::Space);
    window.until_named("Paused");
}

#[test]
fn a_real_clock_is_not_called_simulated() {
    let mut window = presented("Expiry", 1280.0, 800.0);
    assert!(window.has("SIMULATED"));
    let folder = window.folder.path().join("real");
    window.ask(Action::Store(StoreAction::CreateStore(folder.clone())));
    window.until("the other store is open", |state| {
        state.is_open() && state.store.folder.as_ref() == Some(&folder)
    });
    assert!(window.state().view.is_presented());
    for name in ["SIMULATED", "Paused", "Running"] {
        assert!(!window.has_part(name), "{name}");
    }
}

#[test]
fn the_ring_around_the_pointer_takes_no_clicks() {
    let mut window = presented("Expiry", 1280.0, 800.0);
    let lane = whole_lanes(&window)[3].center();
    let rings = |window: &Window| {
        let shapes = window.harness.output().shapes.iter();
        let is_ring =
            |shape: &Shape| matches!(shape, Shape::Circle(circle) if circle.radius >= sizes::HALO);
        shapes.filter(|clipped| is_ring(&clipped.shape)).count()
    };
    assert_eq!(rings(&window), 0);
    window.harness.input_mut().events.push(egui::Event::PointerMoved(lane));
    window.harness.run_steps(2);
    assert!(rings(&window) > 1);
    window.point_at(lane.x, lane.y);
    assert!(window.tab().expiry.selected_lane().is_some(), "the lane was pressed");
}

#[test]
fn the_palette_the_menu_and_the_settings_present() {
    let mut window = Window::open_view(&sessions(), "Expiry");
    window.keys(Modifiers::COMMAND, Key::P);
    window.type_into("Find a command", "beamer");
    window.key(Key::Enter);
    assert!(window.state().view.is_presented());
    window.key(Key::Escape);
    window.choose("Menu", "Present");
    assert!(window.state().view.is_presented());
    window.key(Key::Escape);
    window.choose("Menu", "Settings…");
    window.click("Present (F11)");
    assert!(window.state().view.is_presented() && window.state().dialogs.open().is_none());
}
