//! The main job in a real window under Xvfb: import a file, create a TTL index, watch the
//! countdown, see the documents leave, close, and find everything unchanged.
//!
//! Screenshots of each step are saved in `tests/artefacts`.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bson::doc;
use egui::{Key, Modifiers};
use mayfly_engine::engine::{Engine, EngineOptions};
use mayfly_tests::compositor::Compositor;
use mayfly_tests::deadline::{Deadline, wall_ms};
use mayfly_tests::display::Display;
use mayfly_tests::inspect::{Control, Window};
use mayfly_tests::program;

/// How long one step of the window may take. Far above the usual time; only a failure waits this
/// long.
const STEP: Duration = Duration::from_mins(1);

/// Milliseconds from the import to the threshold of the document that is watched.
const WATCHED_MS: i64 = 45_000;

struct Steps {
    window: Window,
    pictures: PathBuf,
}

impl Steps {
    fn click(&mut self, name: &str) {
        self.window.wait_for(name, STEP).unwrap_or_else(|error| self.fail(&error.to_string()));
        if let Err(error) = self.window.click(name) {
            self.fail(&error.to_string());
        }
    }

    fn wait(&mut self, name: &str) {
        if let Err(error) = self.window.wait_for(name, STEP) {
            self.fail(&error.to_string());
        }
    }

    fn wait_until_gone(&mut self, name: &str) {
        if let Err(error) = self.window.wait_until_gone(name, STEP) {
            self.fail(&error.to_string());
        }
    }

    fn type_into(&mut self, name: &str, text: &str) {
        self.click(name);
        if let Err(error) = self.window.type_text(text) {
            self.fail(&error.to_string());
        }
    }

    fn key(&mut self, key: Key, modifiers: Modifiers) {
        if let Err(error) = self.window.key(key, modifiers) {
            self.fail(&error.to_string());
        }
    }

    fn picture(&mut self, name: &str) {
        let file = self.pictures.join(format!("{name}.png"));
        if let Err(error) = self.window.screenshot(&file) {
            self.fail(&error.to_string());
        }
        let size = fs::metadata(&file).map_or(0, |found| found.len());
        assert!(size > 10_000, "{} has only {size} bytes", file.display());
    }

    /// Waits until the window fills an output of this size in pixels, at this many hundredths of a pixel
    /// a point. A window draws at a whole scale; the compositor makes the picture smaller.
    fn wait_for_size(&mut self, pixels: [u16; 2], scale: u16) {
        let deadline = Deadline::after(STEP);
        let points = pixels.map(|count| u32::from(count) * 100 / u32::from(scale));
        let drawn = points.map(|count| count * u32::from(scale.div_ceil(100)));
        let points =
            points.map(|count| f32::from(u16::try_from(count).expect("as many as pixels")));
        loop {
            let file = self.pictures.join("size.png");
            self.window.screenshot(&file).unwrap_or_else(|error| self.fail(&error.to_string()));
            let seen = image::image_dimensions(&file).expect("a picture");
            let _ = fs::remove_file(&file);
            let reach = self.reach();
            // The status bar and the menu reach to the right and the lower edge.
            let fills =
                (0..2).all(|axis| (points[axis] - 40.0..=points[axis]).contains(&reach[axis]));
            if fills && <[u32; 2]>::from(seen) == drawn {
                return;
            }
            if deadline.is_over() {
                self.fail(&format!(
                    "{pixels:?} × {scale}: picture {seen:?}, controls to {reach:?}"
                ));
            }
        }
    }

    /// How far the controls reach to the right and downwards, in points.
    fn reach(&mut self) -> [f32; 2] {
        let controls = self.window.controls().unwrap_or_default();
        let ends = controls.into_iter().filter_map(|control| control.bounds);
        ends.fold([0.0, 0.0], |far, (_, end)| [f32::max(far[0], end.x), f32::max(far[1], end.y)])
    }

    /// Waits until a control has this value.
    fn wait_for_value(&mut self, value: &str) {
        let deadline = Deadline::after(STEP);
        let holds = |control: &Control| control.value == value;
        while !self.window.controls().unwrap_or_default().iter().any(holds) {
            if deadline.is_over() {
                self.fail(&format!("no control has the value {value:?}"));
            }
            let _ = self.window.settle();
        }
    }

    /// Ends the test and prints what is on screen.
    fn fail(&mut self, error: &str) -> ! {
        let _ = self.window.screenshot(&self.pictures.join("failed.png"));
        let seen: Vec<String> = self
            .window
            .controls()
            .unwrap_or_default()
            .into_iter()
            .map(|control| control.text().to_owned())
            .collect();
        panic!("{error}; on screen: {seen:?}");
    }
}

/// Documents: one expires during the test, one is long overdue, one never expires.
fn write_file(file: &Path) {
    let now_ms = wall_ms();
    let date = |ms: i64| format!(r#"{{"$date":{{"$numberLong":"{ms}"}}}}"#);
    let lines = [
        format!(r#"{{"_id":"watched","at":{},"name":"İpek"}}"#, date(now_ms + WATCHED_MS - 1_000)),
        format!(r#"{{"_id":"overdue","at":{},"name":"Олег"}}"#, date(now_ms - 60_000)),
        r#"{"_id":"never","at":"tomorrow","name":"明日"}"#.to_owned(),
    ];
    fs::write(file, lines.join("\n")).expect("the file can be written");
}

/// The folder of the pictures.
fn pictures() -> PathBuf {
    let pictures = Path::new(env!("CARGO_MANIFEST_DIR")).join("artefacts");
    fs::create_dir_all(&pictures).expect("the folder for pictures can be made");
    pictures
}

fn start(display: &[(&str, OsString)], home: &Path, pictures: &Path) -> Steps {
    let store = home.join("store");
    let store = store.to_str().expect("a temporary path is text");
    let window = Window::start(&program::inspected(), &[store], display, home);
    let window = window.unwrap_or_else(|error| panic!("the window opens: {error}"));
    Steps { window, pictures: pictures.to_owned() }
}

#[test]
fn real_window_does_the_main_job() {
    let home = tempfile::tempdir().expect("a temporary folder can be made");
    let pictures = pictures();
    let file = home.path().join("visits.json");
    let display = Display::start(1280, 800)
        .unwrap_or_else(|error| panic!("Xvfb starts: {error}; tests/run installs it"));

    let mut steps = start(&display.variables(), home.path(), &pictures);
    import(&mut steps, &file);
    make_ttl_index(&mut steps);
    watch(&mut steps);

    // The window may be gone before it answers.
    let _ = steps.window.key(Key::Q, Modifiers::COMMAND);
    let ended = steps.window.wait_for_end(STEP);
    assert!(ended.unwrap_or_else(|error| steps.fail(&error.to_string())), "it ended badly");

    // Everything is as it was.
    let mut steps = start(&display.variables(), home.path(), &pictures);
    steps.click("Indexes");
    steps.wait("Change TTL… at_1");
    steps.click("Documents");
    steps.wait("1–1 of 1");
    steps.picture("5-again");
}

/// The same window under Wayland: it opens, follows the output's size and scale, and shares the clipboard.
#[test]
fn real_window_under_wayland() {
    let home = tempfile::tempdir().expect("a temporary folder can be made");
    let pictures = pictures();
    let compositor = Compositor::start(1280, 800)
        .unwrap_or_else(|error| panic!("sway starts: {error}; tests/run installs it"));
    let mut steps = start(&compositor.variables(), home.path(), &pictures);
    steps.wait("TTL monitor");
    let windows = compositor.windows().expect("the compositor answers");
    assert!(windows.contains("\"shell\": \"xdg_shell\""), "{windows}");

    for (width, height, scale) in
        [(1280, 800, 100), (1024, 640, 100), (1920, 1080, 150), (2560, 1600, 200), (1280, 800, 100)]
    {
        compositor.set_output(width, height, scale).expect("the output changes");
        steps.wait_for_size([width, height], scale);
        steps.picture(&format!("wayland-{width}x{height}"));
    }

    let text = "{\"name\": \"Олег 明日\"}";
    compositor.copy(text).expect("another program copies");
    compositor.press_with_ctrl(&["p"]).expect("a key is pressed");
    steps.wait("Find a command");
    compositor.press_with_ctrl(&["v"]).expect("a key is pressed");
    steps.wait_for_value(text);
    compositor.copy("replaced").expect("another program copies");
    compositor.press_with_ctrl(&["a", "c"]).expect("keys are pressed");
    let deadline = Deadline::after(STEP);
    while compositor.paste().ok().as_deref() != Some(text) {
        assert!(!deadline.is_over(), "the clipboard holds {:?}", compositor.paste());
        steps.window.settle().expect("the window is there");
    }
}

/// The end of a session, Ctrl+C and a closing terminal: no question, and the next start has nothing
/// to report.
#[test]
fn real_window_is_closed_by_a_signal() {
    let home = tempfile::tempdir().expect("a temporary folder can be made");
    let display = Display::start(1280, 800)
        .unwrap_or_else(|error| panic!("Xvfb starts: {error}; tests/run installs it"));
    for (signal, dialog) in [("TERM", Some("Import")), ("INT", None), ("HUP", None)] {
        let mut steps = start(&display.variables(), home.path(), home.path());
        steps.wait("TTL monitor");
        if let Some(action) = dialog {
            steps.key(Key::P, Modifiers::COMMAND);
            steps.window.type_text(action).unwrap_or_else(|error| steps.fail(&error.to_string()));
            steps.key(Key::Enter, Modifiers::NONE);
            steps.type_into("File path", "not there yet");
        }
        let process = steps.window.process_id().expect("this test started it");
        program::signal(process, signal);
        let ended = steps.window.wait_for_end(STEP);
        assert!(ended.unwrap_or_else(|error| steps.fail(&error.to_string())), "{signal}");
        let options = EngineOptions { run_reaper: false, ..EngineOptions::default() };
        let engine = Engine::open(&home.path().join("store"), options).expect("the store opens");
        assert!(!engine.open_report().unclean, "{signal}");
        engine.close().expect("the store closes");
    }
}

/// The window is killed as soon as a favorite is on the disk, which must not take until the window closes.
#[test]
fn real_window_keeps_a_favorite_when_it_is_killed() {
    let home = tempfile::tempdir().expect("a temporary folder can be made");
    let display = Display::start(1280, 800)
        .unwrap_or_else(|error| panic!("Xvfb starts: {error}; tests/run installs it"));
    let options = EngineOptions { run_reaper: false, ..EngineOptions::default() };
    let engine = Engine::open(&home.path().join("store"), options).expect("the store opens");
    let insert = doc! {"insert": "notes", "documents": [{"_id": 1, "n": 1}, {"_id": 2}]};
    engine.run("test", &insert);
    engine.close().expect("the store closes");

    let mut steps = start(&display.variables(), home.path(), home.path());
    steps.click("Documents");
    steps.type_into("Filter", "{ n: 1 }");
    steps.key(Key::Enter, Modifiers::NONE);
    steps.wait_until_gone("Document 2");
    steps.click("Filter history");
    steps.type_into("Favorite name", "Ones");
    steps.click("Add favorite");
    let file = home.path().join("mayfly/settings.json");
    let deadline = Deadline::after(STEP);
    while !fs::read_to_string(&file).is_ok_and(|text| text.contains("\"Ones\"")) {
        assert!(!deadline.is_over(), "the favorite is not written");
        let _ = steps.window.frame_number();
    }
    steps.window.kill().expect("this test started it");

    let mut steps = start(&display.variables(), home.path(), home.path());
    steps.click("Documents");
    steps.click("Filter history");
    steps.wait("Ones: { n: 1 }");
}

/// Numbers in a file of another program's, or of an earlier build, must not stop a start.
#[test]
fn real_window_starts_over_odd_settings() {
    let home = tempfile::tempdir().expect("a temporary folder can be made");
    let display = Display::start(1280, 800)
        .unwrap_or_else(|error| panic!("Xvfb starts: {error}; tests/run installs it"));
    let data = home.path().join("mayfly");
    fs::create_dir(&data).expect("a folder can be made");
    // The file of eframe, which is not read any more.
    let old =
        r#"{"window": "(inner_size_points:Some((x:0.0,y:NaN)),zoom:0.0)", "mayfly": "(zoom:0.0)"}"#;
    fs::write(data.join("app.ron"), old).expect("it can be written");
    for zoom in ["0", "-1", "1e39", "{{"] {
        let size = format!(r#"{{"width": {zoom}, "height": {zoom}}}"#);
        let text = format!(r#"{{"zoom": {zoom}, "window": {size}}}"#);
        fs::write(data.join("settings.json"), text).expect("it can be written");
        let mut steps = start(&display.variables(), home.path(), home.path());
        steps.wait("TTL monitor");
        let _ = steps.window.key(Key::Q, Modifiers::COMMAND);
        let ended = steps.window.wait_for_end(STEP);
        assert!(ended.unwrap_or_else(|error| steps.fail(&error.to_string())), "{zoom}");
        assert_eq!(fs::read_to_string(data.join("app.ron")).expect("it is there"), old);
    }
}

fn import(steps: &mut Steps, file: &Path) {
    steps.wait("TTL monitor");
    write_file(file);
    steps.key(Key::P, Modifiers::COMMAND);
    steps.window.type_text("Import").unwrap_or_else(|error| steps.fail(&error.to_string()));
    steps.key(Key::Enter, Modifiers::NONE);
    steps.type_into("File path", file.to_str().expect("a temporary path is text"));
    steps.key(Key::Enter, Modifiers::NONE);
    steps.wait("Preview visits.json");
    steps.picture("1-import");
    steps.click("Import");
    steps.click("Open collection");
}

fn make_ttl_index(steps: &mut Steps) {
    steps.click("Indexes");
    steps.click("Create index…");
    steps.type_into("Field 1", "at");
    steps.click("Expire documents (TTL)");
    steps.type_into("TTL", "1");
    // The dialog says what it would remove: the overdue document.
    steps.wait("Create and expire 1");
    steps.picture("2-create-index");
    steps.click("Create and expire 1");
    steps.wait("Change TTL… at_1");
}

fn watch(steps: &mut Steps) {
    steps.click("Expiry");
    steps.wait("watched expires at");
    steps.wait("overdue expired at");
    steps.picture("3-countdown");
    steps.click("Run pass");
    steps.wait("overdue removed");
    steps.click("TTL monitor");
    steps.click("On expiration");
    steps.wait("watched removed");
    steps.picture("4-removed");
    steps.wait_until_gone("watched expires at");
}
