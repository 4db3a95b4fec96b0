//! Random use of the window: actions of the palette, keys and the pointer, in any order. Nothing
//! panics, no thread fails, and the store is whole afterwards.
//!
//! `MAYFLY_TEST_COUNT` sets the number of steps, `MAYFLY_TEST_SEED` where they start. The test runs
//! itself as a child without a display and with another home, because random keys may save files.

use std::process::Command;

use bson::{Document, doc};
use egui::{
    Event, Key, Modifiers, MouseWheelSource, MouseWheelUnit, PointerButton, Pos2, TouchPhase, pos2,
    vec2,
};
use mayfly::action::entries;
use mayfly::state::reaper::LogEntry;
use mayfly_engine::clock::{Clock as _, SystemClock};

use super::support::{Window, at};

/// Set in the child: the home of the run.
const CHILD_HOME: &str = "MAYFLY_TEST_MONKEY_HOME";

/// Steps of an ordinary run. Half are actions, half are events.
const STEPS: u64 = 600;

/// Entries that end the window, or leave its store.
const NOT_PRESSED: [&str; 3] = ["Quit", "Open the demo store", "Open my store"];

const KEYS: [Key; 16] = [
    Key::Enter,
    Key::Escape,
    Key::Tab,
    Key::Space,
    Key::Backspace,
    Key::Delete,
    Key::ArrowUp,
    Key::ArrowDown,
    Key::ArrowLeft,
    Key::ArrowRight,
    Key::PageDown,
    Key::Home,
    Key::End,
    Key::F2,
    Key::F4,
    Key::F9,
];

/// Keys that are pressed with Ctrl.
const CTRL_KEYS: [Key; 10] =
    [Key::A, Key::C, Key::F, Key::L, Key::P, Key::R, Key::S, Key::W, Key::Z, Key::Num2];

const TEXTS: [&str; 6] = ["a", "1", "{ n: { $gt: 3 } }", "notes", "-5", "{"];

#[test]
fn random_use_neither_panics_nor_harms_the_store() {
    if std::env::var_os(CHILD_HOME).is_some() {
        return use_at_random();
    }
    let home = tempfile::tempdir().expect("a temporary folder");
    let test = "monkey::random_use_neither_panics_nor_harms_the_store";
    let mut child = Command::new(std::env::current_exe().expect("this program"));
    child.args(["--exact", test, "--nocapture"]).env(CHILD_HOME, home.path());
    for folder in ["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_DOWNLOAD_DIR"] {
        child.env(folder, home.path());
    }
    for display in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "DBUS_SESSION_BUS_ADDRESS"] {
        child.env_remove(display);
    }
    let output = child.output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stdout);
    let failed = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{failed}");
}

/// A small generator, the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        let at = usize::try_from(self.below(list.len() as u64)).expect("it is small");
        list[at]
    }

    fn place(&mut self) -> Pos2 {
        let mut side = |end| f32::from(u16::try_from(self.below(end)).expect("it is small"));
        pos2(side(1280), side(800))
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn commands() -> Vec<Document> {
    let documents: Vec<Document> =
        (0..200_i32).map(|n| doc! {"_id": n, "n": n, "at": at(i64::from(n) * 60)}).collect();
    let index = doc! {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 600};
    vec![
        doc! {"createIndexes": "notes", "indexes": [index]},
        doc! {"insert": "notes", "documents": documents.clone()},
        doc! {"insert": "plain", "documents": documents},
    ]
}

fn use_at_random() {
    let clock_seed = u64::try_from(SystemClock.now_ms()).unwrap_or(1);
    let seed = number("MAYFLY_TEST_SEED").unwrap_or(clock_seed);
    let steps = number("MAYFLY_TEST_COUNT").unwrap_or(STEPS);
    println!("MAYFLY_TEST_SEED={seed} MAYFLY_TEST_COUNT={steps}");
    let mut random = Random(seed);
    let mut window = Window::open_after(&commands());
    for step in 0..steps {
        if step.is_multiple_of(2) {
            press_entry(&mut window, &mut random);
        } else {
            send_event(&mut window, &mut random);
        }
        if step % 50 == 49 {
            window.keys(Modifiers::NONE, Key::Escape);
        }
    }
    let failed = window.state().reaper.log().iter().find_map(|line| match &line.what {
        LogEntry::Note(note) if note.contains(" failed and continues") => Some(note.clone()),
        _ => None,
    });
    assert_eq!(failed, None, "a thread failed");
    // The store must be closed, and its folder still there.
    let other = tempfile::tempdir().expect("a temporary folder");
    let folder = std::mem::replace(&mut window.folder, other);
    drop(window);
    let mut verify = Command::new(env!("CARGO_BIN_EXE_mayfly"));
    let verify = verify.args(["verify", "--data"]).arg(folder.path().join("store")).output();
    let verify = verify.expect("it starts");
    let said = [verify.stdout, verify.stderr].concat();
    assert!(verify.status.success(), "{}", String::from_utf8_lossy(&said));
}

/// Carries out one of the entries that can be carried out now.
fn press_entry(window: &mut Window, random: &mut Random) {
    let state = window.state();
    let possible: Vec<_> = entries()
        .filter(|entry| !NOT_PRESSED.contains(&entry.label))
        .filter_map(|entry| (entry.action)(state))
        .collect();
    if let Some(action) =
        possible.get(usize::try_from(random.below(possible.len() as u64)).unwrap_or(0))
    {
        let context = window.harness.ctx.clone();
        window.harness.state_mut().ask(&context, action.clone());
    }
    window.harness.step();
}

/// Presses a key or a button of the pointer, types, or turns the wheel.
fn send_event(window: &mut Window, random: &mut Random) {
    let none = Modifiers::NONE;
    let key = |key, modifiers, pressed| Event::Key {
        key,
        physical_key: None,
        pressed,
        repeat: false,
        modifiers,
    };
    let events = match random.below(6) {
        0 => {
            let pressed = random.of(&KEYS);
            vec![key(pressed, none, true), key(pressed, none, false)]
        }
        1 => {
            let pressed = random.of(&CTRL_KEYS);
            let ctrl = Modifiers::COMMAND;
            vec![key(pressed, ctrl, true), key(pressed, ctrl, false)]
        }
        2 => vec![Event::Text(random.of(&TEXTS).to_owned())],
        3 => {
            let delta = vec2(0.0, if random.below(2) == 0 { 240.0 } else { -240.0 });
            let (unit, phase) = (MouseWheelUnit::Point, TouchPhase::Move);
            vec![Event::MouseWheel {
                unit,
                delta,
                phase,
                source: MouseWheelSource::Wheel,
                modifiers: none,
            }]
        }
        _ => {
            let (pos, button) =
                (random.place(), random.of(&[PointerButton::Primary, PointerButton::Secondary]));
            let pressed = |pressed| Event::PointerButton { pos, button, pressed, modifiers: none };
            vec![Event::PointerMoved(pos), pressed(true), pressed(false)]
        }
    };
    for event in events {
        window.harness.input_mut().events.push(event);
        window.harness.step();
    }
}
