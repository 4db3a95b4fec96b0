//! Makes the pictures of the guide in a real window under Xvfb: sample data on a simulated clock.
//!
//! They are saved in `tests/artefacts/guide`, or, with `MAYFLY_WRITE_PICTURES=1`, in `assets/guide`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use egui::{Key, Modifiers};
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use mayfly_tests::display::Display;
use mayfly_tests::inspect::Window;
use mayfly_tests::program;

/// How long one step of the window may take. Only a failure waits this long.
const STEP: Duration = Duration::from_mins(1);

/// The size of the window.
const SIZE: (u32, u32) = (1_024, 768);

/// The most bytes of a picture.
const BYTES_MAX: u64 = 150_000;

/// The file that the picture of the import shows: text in which no value decides what is the day.
const VISITS: &str =
    "_id,user,seen\n1,Ayşe,05/06/2026 09:30\n2,Ольга,04/06/2026 17:05\n3,佐藤,03/06/2026 08:00\n";

/// The lines typed into the console, one at a time.
const TYPED: [&str; 4] = [
    r#"db.visits.insertMany([{ _id: "ada", seen: new Date() }, { _id: "edsger", seen: "yesterday" }])"#,
    "db.visits.createIndex({ seen: 1 }, { expireAfterSeconds: 60 })",
    r#"clock.advance("2m")"#,
    "db.visits.find()",
];

struct Camera {
    window: Window,
    folder: PathBuf,
}

impl Camera {
    fn start(display: &Display, home: &Path, folder: &Path, arguments: &[&str]) -> Self {
        let window = Window::start(&program::inspected(), arguments, &display.variables(), home);
        let window = window.unwrap_or_else(|error| panic!("the window opens: {error}"));
        Self { window, folder: folder.to_owned() }
    }

    fn wait(&mut self, name: &str) {
        let found = self.window.wait_for(name, STEP);
        found.unwrap_or_else(|error| panic!("{error}; on screen: {:?}", self.names()));
    }

    fn click(&mut self, name: &str) {
        self.wait(name);
        let clicked = self.window.click(name);
        clicked.unwrap_or_else(|error| panic!("{name}: {error}; on screen: {:?}", self.names()));
    }

    fn names(&mut self) -> Vec<String> {
        let controls = self.window.controls().unwrap_or_default();
        controls.into_iter().map(|control| control.text().to_owned()).collect()
    }

    fn type_text(&mut self, text: &str) {
        self.window.type_text(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    }

    fn key(&mut self, modifiers: Modifiers, key: Key) {
        self.window.key(key, modifiers).unwrap_or_else(|error| panic!("{key:?}: {error}"));
    }

    /// Runs an entry of the palette.
    fn run(&mut self, entry: &str) {
        self.key(Modifiers::COMMAND, Key::P);
        self.wait("Find a command");
        self.type_text(entry);
        self.key(Modifiers::NONE, Key::Enter);
    }

    fn picture(&mut self, name: &str) {
        self.window.settle().unwrap_or_else(|error| panic!("{name}: {error}"));
        let file = self.folder.join(name);
        let shot = self.window.screenshot(&file);
        shot.unwrap_or_else(|error| panic!("{name}: {error}"));
        shrink(&file);
        let bytes = fs::metadata(&file).map_or(0, |found| found.len());
        assert!((10_000..BYTES_MAX).contains(&bytes), "{name} has {bytes} bytes");
    }

    fn end(mut self) {
        self.window.kill().unwrap_or_else(|error| panic!("the window ends: {error}"));
    }
}

/// Writes a picture as small as PNG can have it: without transparency, and with the best filter.
fn shrink(file: &Path) {
    let picture = image::open(file).expect("the picture can be read").into_rgb8();
    let packed = [FilterType::NoFilter, FilterType::Sub, FilterType::Up].map(|filter| {
        let mut bytes = Vec::new();
        let encoder = PngEncoder::new_with_quality(&mut bytes, CompressionType::Best, filter);
        picture.write_with_encoder(encoder).expect("the picture can be packed");
        bytes
    });
    let smallest = packed.iter().min_by_key(|bytes| bytes.len()).expect("three of them");
    fs::write(file, smallest).expect("the picture can be written");
}

/// The demo data in a sandbox: the timeline, the dialogs, the views.
fn sandbox(camera: &mut Camera, file: &Path) {
    camera.click("Skip");
    camera.wait("Time axis");
    camera.picture("expiry.png");
    camera.click("Advance to the next pass");
    camera.click("View: Removed");
    camera.click("Lag details");
    camera.wait("Removal lag");
    camera.picture("sandbox.png");

    camera.click("Collection shop.orders");
    camera.click("Schema");
    camera.wait("Could carry a TTL");
    camera.picture("schema.png");
    camera.click("Indexes");
    camera.click("Create index…");
    camera.click("Field 1");
    camera.type_text("orderedAt");
    camera.click("Expire documents (TTL)");
    camera.click("TTL");
    camera.key(Modifiers::COMMAND, Key::A);
    camera.type_text("2592000");
    camera.wait("Create and expire");
    camera.picture("create-index.png");
    camera.key(Modifiers::NONE, Key::Escape);
    camera.click("Discard changes");

    camera.run("Import…");
    camera.click("File path");
    camera.type_text(file.to_str().expect("a temporary path is text"));
    camera.key(Modifiers::NONE, Key::Enter);
    camera.wait("Types");
    camera.picture("import.png");
    camera.key(Modifiers::NONE, Key::Escape);
}

/// The console of an empty sandbox.
fn console(camera: &mut Camera) {
    camera.wait("This store is empty");
    camera.key(Modifiers::NONE, Key::F9);
    camera.wait("Console input");
    for line in TYPED {
        camera.type_text(line);
        camera.key(Modifiers::NONE, Key::Enter);
    }
    camera.wait("[ { _id: 'edsger'");
    // The views follow a burst of changes with a pause.
    camera.wait("1 document");
    let gone = camera.window.wait_until_gone("Document 'ada'", STEP);
    gone.unwrap_or_else(|error| panic!("{error}; on screen: {:?}", camera.names()));
    camera.picture("console.png");
}

/// The folder that the picture of the import shows: the same one each time, with a name for people.
struct Downloads(PathBuf);

impl Downloads {
    fn make() -> Self {
        let folder = PathBuf::from("/tmp/downloads");
        fs::create_dir_all(&folder).expect("the folder can be made");
        Self(folder)
    }
}

impl Drop for Downloads {
    fn drop(&mut self) {
        let _ = fs::remove_file(self.0.join("visits.csv"));
        // If there is something else in it, it stays.
        let _ = fs::remove_dir(&self.0);
    }
}

/// The files that the chapters show.
fn shown_files(folder: &Path) -> BTreeSet<String> {
    let chapters = fs::read_dir(folder).expect("the guide can be read").flatten();
    let texts = chapters.filter_map(|entry| fs::read_to_string(entry.path()).ok());
    texts
        .flat_map(|text| {
            let lines = text.lines().filter(|line| line.starts_with("!["));
            let files = lines.filter_map(|line| line.strip_suffix(')')?.rsplit_once("]("));
            files.map(|(_, file)| file.to_owned()).collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn real_window_makes_the_pictures_of_the_guide() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let guide = top.join("../assets/guide");
    let writes = std::env::var_os("MAYFLY_WRITE_PICTURES").is_some();
    let folder = if writes { guide.clone() } else { top.join("artefacts/guide") };
    fs::create_dir_all(&folder).expect("the folder for pictures can be made");
    let home = tempfile::tempdir().expect("a temporary folder can be made");
    let downloads = Downloads::make();
    let file = downloads.0.join("visits.csv");
    fs::write(&file, VISITS).expect("the file can be written");
    let display = Display::start(SIZE.0, SIZE.1)
        .unwrap_or_else(|error| panic!("Xvfb starts: {error}; tests/run installs it"));
    let start = |name: &str, arguments: &[&str]| {
        let home = home.path().join(name);
        fs::create_dir_all(&home).expect("a folder can be made");
        let mut camera = Camera::start(&display, &home, &folder, arguments);
        let resized = camera.window.resize(SIZE.0, SIZE.1);
        resized.unwrap_or_else(|error| panic!("the window has a size: {error}"));
        camera
    };

    // Each start of the program has the same time and the same data.
    let at = "2026-06-05T12:00:00Z";
    let mut camera = start("demo", &["--sandbox", "--demo", "--at", at]);
    sandbox(&mut camera, &file);
    camera.end();
    let mut camera = start("empty", &["--sandbox", "--at", at]);
    console(&mut camera);
    camera.end();
    let mut camera = start("lesson", &["lesson", "play", "2"]);
    camera.wait("Card 1 of");
    camera.picture("lesson.png");
    camera.end();

    let shown = shown_files(&guide);
    for name in &shown {
        assert!(
            folder.join(name).is_file(),
            "the guide shows {name}, which this test doesn't make"
        );
        assert!(guide.join(name).is_file(), "{name} is not in assets/guide");
    }
    assert_eq!(shown.len(), 7, "{shown:?}");
}
