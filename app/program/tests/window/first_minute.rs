//! The first minute of a newcomer: explained words, help, callouts.

use bson::{Document, doc};
use mayfly::action::{Action, ViewAction};
use mayfly::job::glossary::Term;
use mayfly::state::Zone;
use mayfly::state::report::VERSION;
use mayfly::state::settings::ZoneChoice;

use crate::support::{Window, at};

/// Two documents that expire one after the other, and one that never does.
fn sessions() -> Vec<Document> {
    vec![
        doc! {"createIndexes": "sessions", "indexes": [
            {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 60},
        ]},
        doc! {"insert": "sessions", "documents": [
            {"_id": "first", "at": at(0)},
            {"_id": "second", "at": at(60)},
            {"_id": "third", "at": "soon"},
        ]},
    ]
}

fn hover(window: &mut Window, name: &str) {
    let at = window.place(name).center();
    window.harness.input_mut().events.push(egui::Event::PointerMoved(at));
}

#[test]
fn a_word_is_explained_where_the_pointer_rests_on_it() {
    let mut window = Window::open_view(&sessions(), "Expiry");
    hover(&mut window, "TTL monitor");
    window.until_named(Term::Monitor.sentence());
    assert!(window.has(Term::Pass.sentence()));
    window.until_named("Never expires: 1");
    hover(&mut window, "Never expires: 1");
    window.until_named(Term::NeverExpires.sentence());
    window.until_gone(Term::Monitor.sentence());
    window.click("Indexes");
    window.until_named("at_1");
    hover(&mut window, "TTL");
    window.until_named(Term::TtlIndex.sentence());
}

#[test]
fn the_menu_fits_into_a_small_window() {
    let mut window = Window::open_view(&sessions(), "Expiry");
    window.harness.set_size(egui::vec2(1_024.0, 640.0));
    window.harness.run_steps(2);
    window.point("Menu");
    let place = window.place("Help");
    assert!(place.bottom() <= 640.0, "{place}");
}

#[test]
fn the_menu_has_help() {
    let mut window = Window::open();
    window.point("Menu");
    window.point("What is TTL?");
    window.until_named("A document without a date in that field never expires.");
    window.click("Done");
    window.point("Menu");
    window.point("Help");
    window.point("About Mayfly");
    window.until_named(&format!("Version: {VERSION}"));
    window.key(egui::Key::Escape);
    window.until_gone("Version: ");
}

#[test]
fn a_report_has_facts_to_copy() {
    let mut window = Window::open();
    window.keys(egui::Modifiers::COMMAND, egui::Key::P);
    window.type_into("Find a command", "bug");
    window.key(egui::Key::Enter);
    window.until_named("Mayfly has no public issue tracker yet.");
    let facts = window.copied("Copy the facts");
    assert!(facts.starts_with(&format!("Mayfly {VERSION}\nSystem: ")), "{facts}");
    assert!(facts.contains("Clock: simulated"), "{facts}");
}

#[test]
fn the_glossary_lists_every_word() {
    let mut window = Window::open();
    window.keys(egui::Modifiers::COMMAND, egui::Key::P);
    window.type_into("Find a command", "glossary");
    window.key(egui::Key::Enter);
    for term in Term::ALL {
        window.until_named(term.sentence());
    }
}

#[test]
fn callouts_introduce_the_expiry_view_and_lead_to_the_lessons() {
    let mut window = Window::open_view(&sessions(), "Documents");
    assert!(!window.state().settings.callouts_seen);
    window.point("Menu");
    window.point("Help");
    window.point("Show the introduction");
    window.until_named("Each bar is a document. It expires when it reaches now.");
    window.point("What is TTL?");
    window.until_named("A document without a date in that field never expires.");
    window.click("Done");
    window.until_named("Each bar is a document. It expires when it reaches now.");
    window.point("Next");
    window.until_named("In each pass, the TTL monitor removes the overdue documents.");
    window.point("Next");
    window.until_named("Try it");
    window.point("Next");
    window.until_named("Lessons of a few minutes explain the rules, on a clock that you control.");
    window.point("Open the lessons");
    window.until_named("half-hour path");
    assert!(window.state().settings.callouts_seen);
    window.click("Close the Lessons page");
    window.ask(Action::View(ViewAction::ShowCallouts));
    window.point("Next");
    window.point("Next");
    window.point("Try it");
    window.until_named("TTL to try");
    assert!(window.state().settings.callouts_seen);
    assert!(window.state().dialogs.open().is_none(), "the lanes stay on the screen");
    assert!(!window.has("Try it"));
}

#[test]
fn callouts_give_way_to_dialogs_and_escape_skips_them() {
    let mut window = Window::open_view(&sessions(), "Expiry");
    let first = "Each bar is a document. It expires when it reaches now.";
    window.ask(Action::View(ViewAction::ShowCallouts));
    window.until_named(first);
    window.keys(egui::Modifiers::COMMAND, egui::Key::Comma);
    window.until_gone(first);
    window.key(egui::Key::Escape);
    window.until_named(first);
    window.click("Documents");
    window.until_gone(first);
    window.click("Expiry");
    window.until_named(first);
    window.key(egui::Key::Escape);
    window.until_gone(first);
    assert!(window.state().settings.callouts_seen);
}

#[test]
fn times_are_local_until_the_user_chooses_utc() {
    let mut window = Window::open_in_zone(&sessions(), Zone::Fixed(2 * 3_600));
    window.until("a collection is shown", |state| state.tabs.active().is_some());
    window.click("Expiry");
    window.until_named("first expires at 14:01:00");
    hover(&mut window, "Simulated time");
    window.until_named("2026-06-01 14:00:00 local time (UTC+02:00)\n2026-06-01 12:00:00 UTC");
    window.click("View: Table");
    window.until_named("2026-06-01 14:01:00.000");
    assert!(window.has("Expires at"));
    window.choose("Simulated time", "UTC");
    window.until_named("2026-06-01 12:01:00.000Z");
    assert!(window.has("Expires at (UTC)") && window.state().settings.zone == ZoneChoice::Utc);
    window.choose("Simulated time", "Local time");
    window.until_named("2026-06-01 14:01:00.000");
    assert!(window.state().settings.zone == ZoneChoice::Local);
}
