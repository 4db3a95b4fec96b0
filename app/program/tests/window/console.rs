//! The console in the drawer.

use bson::{Document, doc};
use egui::{Key, Modifiers};
use mayfly::action::{Action, StoreAction};
use mayfly::source::OpenRequest;
use mayfly::state::Namespace;
use mayfly::state::tabs::ViewKind;
use mayfly::state::view::Drawer;

use super::support::{START_MS, Window};

const INPUT: &str = "Console input";

fn notes() -> Document {
    doc! {"insert": "notes", "documents": [{"_id": 1, "n": 1}]}
}

/// A window with the console open.
fn console() -> Window {
    let mut window = Window::open_after(&[notes()]);
    window.until("a collection is shown", |state| state.tabs.active().is_some());
    window.key(Key::F9);
    assert_eq!(window.state().settings.drawer, Some(Drawer::Console));
    assert!(window.is_focused(INPUT));
    window
}

/// Enters a line once the one before it has ended: until then the console keeps what is typed.
fn run(window: &mut Window, text: &str) {
    until_idle(window);
    window.type_into(INPUT, text);
    window.key(Key::Enter);
}

fn until_idle(window: &mut Window) {
    window.until("the input ends", |state| state.console.running.is_none());
}

#[test]
fn enter_runs_what_was_typed() {
    let mut window = console();
    assert_eq!(window.value("Console prompt"), "test>");
    run(&mut window, "print(db.runCommand({ping: 1}).ok + 41)");
    window.until_named("42");
    assert!(window.has("test> print(db.runCommand({ping: 1}).ok + 41)"));
    assert_eq!(window.value(INPUT), "");
    assert!(window.is_focused(INPUT), "the next input can be typed");
    until_idle(&mut window);
    run(&mut window, "throw new Error('no luck')");
    window.until_named("no luck");
    until_idle(&mut window);
    run(&mut window, "use demo");
    window.until("the prompt follows", |state| state.console_database() == "demo");
    assert_eq!(window.value("Console prompt"), "demo>");
}

#[test]
fn the_views_follow_what_typed_commands_make_and_remove() {
    let mut window = Window::open();
    window.until_named("This store is empty");
    window.key(Key::F9);
    run(
        &mut window,
        r#"db.visits.insertMany([{ _id: "ada", seen: new Date() }, { _id: "edsger", seen: "no" }])"#,
    );
    // With its index it would open on its deadlines.
    window.until("the collection opens on its documents", |state| {
        state.tabs.active().is_some_and(|tab| tab.view == ViewKind::Documents && tab.is_view_chosen)
    });
    for line in [
        "db.visits.createIndex({ seen: 1 }, { expireAfterSeconds: 60 })",
        r#"clock.advance("2m")"#,
        "db.visits.find()",
    ] {
        run(&mut window, line);
    }
    window.until_named("[ { _id: 'edsger'");
    window.until("the list has one document", |state| {
        state.tabs.active().is_some_and(|tab| tab.documents.pages.total() == Some(1))
    });
    window.until("the sidebar knows the TTL index", |state| state.tree.can_expire());
    let visits = Namespace::new("test", "visits");
    window.until("the sidebar counts one document", |state| {
        state.tree.collection(&visits).and_then(|known| known.documents) == Some(1)
    });
}

#[test]
fn an_open_bracket_waits_for_its_end() {
    let mut window = console();
    run(&mut window, "if (true) {");
    assert_eq!(window.value(INPUT), "if (true) {\n");
    window.harness.event(egui::Event::Text("print('with' + 'in') }".to_owned()));
    window.key(Key::Enter);
    window.until_named("within");
    window.type_into(INPUT, "1");
    window.keys(Modifiers::SHIFT, Key::Enter);
    assert_eq!(window.value(INPUT), "1\n", "Shift adds a line to a whole input");
}

#[test]
fn ctrl_enter_runs_the_selection() {
    let mut window = console();
    window.type_into(INPUT, "print('a' + 'b')");
    window.keys(Modifiers::SHIFT, Key::Enter);
    window.harness.event(egui::Event::Text("print('c' + 'd')".to_owned()));
    window.keys(Modifiers::SHIFT, Key::Home);
    window.keys(Modifiers::COMMAND, Key::Enter);
    window.until_named("cd");
    assert!(!window.has("ab"));
    assert_eq!(window.value(INPUT), "print('a' + 'b')\nprint('c' + 'd')");
    window.key(Key::End);
    until_idle(&mut window);
    window.keys(Modifiers::COMMAND, Key::Enter);
    window.until_named("ab");
    assert_eq!(window.value(INPUT), "");
}

#[test]
fn a_loop_without_end_is_stopped() {
    let mut window = console();
    for stop in ["button", "keys"] {
        run(&mut window, "while (true) {}");
        window.until_frame("it runs", |window| window.has("Stop"));
        if stop == "button" {
            window.click("Stop");
        } else {
            window.harness.event(egui::Event::Copy);
        }
        until_idle(&mut window);
        assert!(window.has("Stopped"));
        window.ask(Action::Console(mayfly::action::ConsoleAction::Clear));
        window.type_into(INPUT, "");
    }
    run(&mut window, "print(1 + 1)");
    window.until_named("2");
}

#[test]
fn the_arrows_walk_the_history() {
    let mut window = console();
    for text in ["print('first')", "print('second')"] {
        run(&mut window, text);
        until_idle(&mut window);
    }
    window.harness.event(egui::Event::Text("typed".to_owned()));
    window.key(Key::ArrowUp);
    assert_eq!(window.value(INPUT), "print('second')");
    window.key(Key::ArrowUp);
    assert_eq!(window.value(INPUT), "print('first')");
    window.key(Key::ArrowDown);
    window.key(Key::ArrowDown);
    assert_eq!(window.value(INPUT), "typed");
    window.type_into(INPUT, "first");
    window.keys(Modifiers::COMMAND, Key::R);
    assert_eq!(window.value(INPUT), "print('first')");
}

#[test]
fn a_value_is_copied_as_json() {
    let mut window = console();
    run(&mut window, "({a: 1})");
    window.until_named("Copy result 2 as JSON");
    let json = window.copied("Copy result 2 as JSON");
    let parsed: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(parsed["a"], 1);
    let text = window.copied("Copy result 2 as shell text");
    assert!(text.contains('a') && text.contains('1'), "{text}");
}

#[test]
fn long_outputs_are_folded() {
    let mut window = console();
    run(&mut window, "for (let i = 0; i < 580; i++) print('line ' + i)");
    window.until_named("… 480 more lines");
    assert!(window.has("line 579"), "the end is in sight");
    window.point("… 480 more lines");
    window.until_gone("more lines");
    assert_eq!(window.state().console.transcript.rows(), 581);
    run(&mut window, "for (let i = 0; i < 100000; i++) print('line ' + i)");
    window.until("it ends", |state| state.console.running.is_none());
    assert!(window.state().console.transcript.rows() < 10_000);
}

#[test]
fn ctrl_l_clears_only_while_the_console_has_the_keyboard() {
    let mut window = console();
    run(&mut window, "print(1)");
    until_idle(&mut window);
    window.keys(Modifiers::COMMAND, Key::L);
    assert!(window.state().console.transcript.is_empty());
    assert!(window.is_focused(INPUT));
    run(&mut window, "print(1)");
    until_idle(&mut window);
    window.key(Key::Escape);
    assert!(!window.is_focused(INPUT));
    window.click("Documents");
    window.keys(Modifiers::COMMAND, Key::L);
    assert!(!window.state().console.transcript.is_empty());
    assert!(window.is_focused("Filter"));
}

#[test]
fn escape_leaves_the_console_and_does_nothing_else() {
    let mut window = console();
    window.click("Documents");
    window.until_named("Document 1");
    window.key(Key::Escape);
    window.keys(Modifiers::COMMAND, Key::A);
    assert_eq!(window.tab().documents.selected.len(), 1);
    window.key(Key::F9);
    assert!(window.is_focused(INPUT));
    window.key(Key::Escape);
    assert!(!window.is_focused(INPUT));
    assert_eq!(window.tab().documents.selected.len(), 1, "the selection stays");
    window.key(Key::Escape);
    assert_eq!(window.tab().documents.selected.len(), 0);
}

#[test]
fn the_window_follows_what_the_console_writes() {
    let mut window = console();
    run(&mut window, "db.runCommand({insert: 'fresh', documents: [{_id: 9}]}).ok");
    window.until_named("Collection test.fresh");
    let sent = window.sent();
    assert!(sent.iter().any(|text| text.contains("fresh")), "{sent:?}");
    window.click("Activity");
    let records = window.state().commands.records();
    let found = records.iter().find(|record| record.text.contains("fresh"));
    let number = found.map_or(0, |record| record.number);
    window.click(&format!("Open command {number} in the console"));
    assert_eq!(window.state().settings.drawer, Some(Drawer::Console));
    assert!(window.value(INPUT).contains("fresh") && window.is_focused(INPUT));
}

#[test]
fn the_window_follows_what_the_console_switches() {
    let mut window = console();
    assert!(window.state().reaper.enabled);
    run(&mut window, "db.adminCommand({setParameter: 1, ttlMonitorEnabled: false}).ok");
    window.until("the monitor is paused", |state| !state.reaper.enabled);
    let before_ms = window.state().now_ms();
    run(&mut window, "db.adminCommand({mayflyClock: 1, advanceMS: 90000}).ok");
    window.until("time has moved", |state| state.now_ms() >= before_ms + 90_000);
    window.click("Indexes");
    let index = "{key: {n: 1}, name: 'by n'}";
    run(&mut window, &format!("db.runCommand({{createIndexes: 'notes', indexes: [{index}]}}).ok"));
    window.until_named("by n");
}

#[test]
fn examples_are_put_into_the_input() {
    let mut window = console();
    window.click("db.notes.find()");
    assert_eq!(window.value(INPUT), "db.notes.find()");
    assert!(window.is_focused(INPUT));
    assert!(window.has("clock.advance(\"60s\"); reaper.pass()"), "the clock is simulated");
}

#[test]
fn a_long_paste_runs_as_it_is() {
    let mut window = console();
    let page = "print('x');\n".repeat(20_000);
    window.harness.event(egui::Event::Paste(page));
    window.until_named("Pasted text: 20,000 lines");
    window.click("Discard");
    window.until_gone("Pasted text");
    assert_eq!(window.value(INPUT), "");
    window.harness.event(egui::Event::Paste("// \n".repeat(50_000) + "print(6 * 7)"));
    window.until_named("Pasted text: 50,001 lines");
    window.click("Run (Enter)");
    window.until_named("42");
}

#[test]
fn a_pasted_page_runs_statement_by_statement() {
    let mut window = console();
    let page = "use shop\n// two documents\ndb.a.insertMany([{_id: 1}, {_id: 2}])\n\
                db.a.countDocuments() + 40\nthrow new Error('halt')\ndb.a.drop()\n";
    window.harness.event(egui::Event::Paste(page.to_owned()));
    window.key(Key::Enter);
    window.until_named("halt");
    until_idle(&mut window);
    assert!(window.has("switched to db shop") && window.has("42"));
    window.until_named("Collection shop.a");
}

#[test]
fn another_store_has_a_console_of_its_own() {
    let mut window = console();
    run(&mut window, "var x = 'kept'; while (true) {}");
    window.until_frame("it runs", |window| window.has("Stop"));
    let folder = Some(window.folder.path().join("other"));
    let request =
        OpenRequest { folder, simulated_start_ms: Some(START_MS), ..OpenRequest::default() };
    window.ask(Action::Store(StoreAction::Open(request)));
    window.until("the other store", |state| state.is_open() && state.tabs.active().is_none());
    assert!(window.state().console.transcript.is_empty());
    assert!(window.state().console.history.inputs().is_empty());
    assert!(window.state().console.running.is_none());
    run(&mut window, "print(typeof x)");
    window.until_named("undefined");
    let first = Some(window.folder.path().join("store"));
    let request =
        OpenRequest { folder: first, simulated_start_ms: Some(START_MS), ..OpenRequest::default() };
    window.ask(Action::Store(StoreAction::Open(request)));
    window.until("the first store", |state| state.is_open() && state.tabs.active().is_some());
    assert_eq!(window.state().console.history.inputs().len(), 1, "its history is back");
}

#[test]
fn tab_completes_what_was_typed() {
    let mut window = console();
    window.type_into(INPUT, "db.no");
    window.key(Key::Tab);
    window.until_window("the only word", |window| window.value(INPUT) == "db.notes");
    assert!(window.is_focused(INPUT), "Tab stays in the field");
    window.harness.event(egui::Event::Text(".findOneAnd".to_owned()));
    for key in [Key::Escape, Key::Enter] {
        window.key(Key::Tab);
        window.until_named("findOneAndUpdate");
        window.key(Key::ArrowDown);
        window.key(key);
        assert!(!window.has("findOneAndUpdate") && window.is_focused(INPUT));
        let word = if key == Key::Enter { "findOneAndReplace" } else { "findOneAnd" };
        assert_eq!(window.value(INPUT), format!("db.notes.{word}"));
    }
    assert!(window.state().console.transcript.is_empty(), "Enter chose the word and ran nothing");
}

#[test]
fn escape_closes_the_list_and_leaves_what_is_typed() {
    let mut window = console();
    window.click("Documents");
    window.until_named("Document 1");
    window.point("Document 1");
    window.key(Key::F9);
    window.type_into(INPUT, "show db");
    for _ in 0..3 {
        window.key(Key::Escape);
        assert!(window.is_focused(INPUT));
    }
    window.harness.event(egui::Event::Text("s".to_owned()));
    window.key(Key::Enter);
    until_idle(&mut window);
    assert!(window.has("test> show dbs") && window.state().dialogs.open().is_none());
    window.key(Key::Escape);
    assert!(!window.is_focused(INPUT), "an empty input is left");
}

#[test]
fn tab_leaves_an_empty_input_and_shift_tab_any() {
    let mut window = console();
    window.key(Key::Tab);
    assert!(!window.is_focused(INPUT), "nothing is there to complete");
    window.type_into(INPUT, "db.no");
    window.key(Key::Tab);
    window.until_window("it completes", |window| window.value(INPUT) == "db.notes");
    assert!(window.is_focused(INPUT));
    window.keys(Modifiers::SHIFT, Key::Tab);
    assert!(!window.is_focused(INPUT));
    assert_eq!(window.value(INPUT), "db.notes");
}
