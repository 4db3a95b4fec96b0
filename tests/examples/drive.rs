//! Drives a running window by hand: one command per line on standard input.
//!
//! `EGUI_INSPECTION=127.0.0.1:5719 target/release/inspected_mayfly …`, then
//! `cargo run -p mayfly-tests --example drive -- 5719`.

use std::error::Error;
use std::io::{self, BufRead};
use std::path::Path;
use std::time::Duration;

use egui::{Key, Modifiers, PointerButton, pos2};
use mayfly_tests::inspect::Window;

const HELP: &str = "click NAME | double NAME | right NAME | at X Y | hover X Y | drag X Y X Y | \
                    scroll X Y DELTA [ctrl] | type TEXT | key [Ctrl+][Shift+][Alt+]KEY | \
                    wait NAME | gone NAME | size W H | shot FILE | tree | sleep MS";

fn main() -> Result<(), Box<dyn Error>> {
    let port = std::env::args().nth(1).ok_or("usage: drive PORT")?.parse()?;
    let mut window = Window::connect(port)?;
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        match run(&mut window, line.trim()) {
            Ok(()) => println!("ok {line}"),
            Err(error) => println!("FAILED {line}: {error}"),
        }
    }
    Ok(())
}

fn run(window: &mut Window, line: &str) -> Result<(), Box<dyn Error>> {
    let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
    let numbers: Vec<f32> = rest.split(' ').filter_map(|word| word.parse().ok()).collect();
    match (verb, numbers.as_slice()) {
        ("click", _) => window.click(rest)?,
        ("double", _) => window.double_click(rest)?,
        ("right", _) => window.right_click(rest)?,
        ("at", [x, y]) => window.press_at(pos2(*x, *y), PointerButton::Primary)?,
        ("hover", [x, y]) => window.hover(pos2(*x, *y))?,
        ("drag", [a, b, c, d]) => window.drag(pos2(*a, *b), pos2(*c, *d))?,
        ("scroll", [x, y, delta]) => {
            let held = if rest.ends_with("ctrl") { Modifiers::COMMAND } else { Modifiers::NONE };
            window.scroll(pos2(*x, *y), *delta, held)?;
        }
        ("type", _) => window.type_text(rest)?,
        ("key", _) => press(window, rest)?,
        ("wait", _) => drop(window.wait_for(rest, Duration::from_secs(20))?),
        ("gone", _) => window.wait_until_gone(rest, Duration::from_secs(90))?,
        ("size", _) => {
            let (width, height) = rest.split_once(' ').ok_or(HELP)?;
            window.resize(width.parse()?, height.parse()?)?;
        }
        ("shot", _) => window.screenshot(Path::new(rest))?,
        ("sleep", [milliseconds]) => {
            std::thread::sleep(Duration::from_secs_f32(milliseconds / 1000.0));
        }
        ("tree", _) => {
            for control in window.controls()? {
                println!("{control:?}");
            }
        }
        _ => return Err(HELP.into()),
    }
    Ok(())
}

fn press(window: &mut Window, chord: &str) -> Result<(), Box<dyn Error>> {
    let mut modifiers = Modifiers::NONE;
    let mut name = chord;
    while let Some((held, rest)) = name.split_once('+') {
        modifiers |= match held {
            "Ctrl" => Modifiers::COMMAND | Modifiers::CTRL,
            "Shift" => Modifiers::SHIFT,
            "Alt" => Modifiers::ALT,
            _ => return Err(format!("no modifier {held}").into()),
        };
        name = rest;
    }
    let key = Key::from_name(name).ok_or_else(|| format!("no key {name}"))?;
    window.key(key, modifiers).map_err(Into::into)
}
