//! How many controls a view has on the screen. One that is seldom needed belongs into a menu.

use super::room::controls;
use super::support::Window;

/// Controls around and in the demo's Expiry view at 1440×900.
const EXPIRY_MAX: usize = 30;
/// The same with its Documents view.
const DOCUMENTS_MAX: usize = 30;

/// The names of the controls on the screen. Left out are rows of data, and what a simulated clock
/// brings: these tests have one, and the demo has not. *Run pass* is next to the real clock instead.
fn counted(window: &Window) -> Vec<String> {
    let time = window.place("SIMULATED").y_range();
    let data = ["Collection ", "Database ", "session-", "Document ", "Select Document "];
    let is_data = |name: &str| data.iter().any(|part| name.starts_with(part));
    let screen = window.harness.ctx.content_rect();
    let on_screen = controls(window).into_iter().filter(|(_, place)| screen.intersects(*place));
    let names = on_screen
        .filter(|(name, place)| !time.contains(place.center().y) && name != "Simulated time")
        .map(|(name, _)| name)
        .filter(|name| !is_data(name));
    names.chain(["Run pass".to_owned()]).collect()
}

#[test]
fn the_demo_has_few_controls() {
    let mut window = Window::open_demo();
    window.harness.set_size(egui::vec2(1_440.0, 900.0));
    window.until_named("Will expire");
    let names = counted(&window);
    assert!(names.len() > 20, "{names:#?}");
    assert!(names.len() <= EXPIRY_MAX, "{} controls: {names:#?}", names.len());
    window.click("Documents");
    window.until_named("Document 'session");
    let names = counted(&window);
    assert!(names.len() > 20, "{names:#?}");
    assert!(names.len() <= DOCUMENTS_MAX, "{} controls: {names:#?}", names.len());
}
