//! The Aggregate view: stages, the documents after each, results, and what writes.

use bson::{Document, doc};
use egui::{Key, Modifiers};
use mayfly::action::{Action, LessonAction, TabsAction};
use mayfly::job::lesson::LessonSource;
use mayfly::state::tabs::ViewKind;

use super::support::{Window, at};

/// Orders of three customers, most of them paid.
pub fn orders() -> Vec<Document> {
    let order = |id: i32, user: &str, is_paid: bool, total: f64| {
        let status = if is_paid { "paid" } else { "open" };
        doc! {"_id": id, "user": user, "status": status, "total": total, "at": at(id.into()),
        "items": ["a", "b"]}
    };
    vec![doc! {"insert": "orders", "documents": [
        order(1, "ann", true, 10.0),
        order(2, "bob", true, 20.5),
        order(3, "ann", true, 30.0),
        order(4, "cat", false, 40.0),
        order(5, "ann", false, 50.0),
    ]}]
}

fn window() -> Window {
    let mut window = Window::open_view(&orders(), "Aggregate");
    window.until_named("5 documents");
    window
}

/// Types into a stage and runs the pipeline.
fn set(window: &mut Window, stage: usize, text: &str) {
    window.type_into(&format!("Stage {stage} value"), text);
    window.keys(Modifiers::COMMAND, Key::Enter);
}

fn add(window: &mut Window, stage: usize, name: &str, text: &str) {
    window.point("Add stage");
    // It may be further down in the list.
    window.click(name);
    set(window, stage, text);
}

/// The results of the last run, as text.
fn results(window: &Window) -> Vec<Document> {
    let results = window.tab().aggregate.results.as_ref().expect("results");
    results.rows.iter().map(|row| row.document.clone()).collect()
}

fn collection(window: &Window, name: &str) -> Vec<Document> {
    let reply = window.run("test", &doc! {"find": name, "sort": {"_id": 1}});
    let batch = reply.get_document("cursor").and_then(|cursor| cursor.get_array("firstBatch"));
    let batch = batch.expect("a batch").iter();
    batch.filter_map(|found| found.as_document().cloned()).collect()
}

#[test]
fn each_stage_says_how_many_documents_are_after_it() {
    let mut window = window();
    add(&mut window, 1, "$match", "{ status: 'paid' }");
    window.until_named("After stage 1: 3 documents");
    add(&mut window, 2, "$group", "{ _id: '$user', n: { $sum: '$total' } }");
    window.until_named("After stage 2: 2 documents");
    add(&mut window, 3, "$sort", "{ _id: 1 }");
    window.until_named("After stage 3: 2 documents");
    assert_eq!(results(&window), [doc! {"_id": "ann", "n": 40.0}, doc! {"_id": "bob", "n": 20.5}]);
    // The window's own requests are not among the user's.
    let sent = window.sent();
    assert!(sent.iter().any(|text| text.contains("$group")), "{sent:?}");
    assert!(!sent.iter().any(|text| text.contains("$count")), "{sent:?}");
}

#[test]
fn the_documents_after_a_stage_are_shown() {
    let mut window = window();
    add(&mut window, 1, "$match", "{ user: 'ann' }");
    add(&mut window, 2, "$count", "'n'");
    window.click("After stage 1: 3 documents");
    window.until_named("After stage 1: 3 documents");
    let after = window.tab().aggregate.after.as_ref().expect("documents");
    assert_eq!(after.rows.len(), 3);
    window.click("Show the results");
    window.until_gone("Show the results");
    assert_eq!(results(&window), [doc! {"n": 3}]);
}

#[test]
fn a_stage_that_is_off_does_not_run_and_stays() {
    let mut window = window();
    add(&mut window, 1, "$limit", "1");
    add(&mut window, 2, "$count", "'n'");
    assert_eq!(results(&window), [doc! {"n": 1}]);
    window.click("Turn stage 1 off");
    window.until_gone("After stage 1");
    assert_eq!(results(&window), [doc! {"n": 5}]);
    window.click("Turn stage 1 on");
    window.until_named("After stage 1: 1 document");
    assert_eq!(results(&window), [doc! {"n": 1}]);
}

#[test]
fn stages_are_moved_by_dragging_by_keys_and_by_menu() {
    let mut window = window();
    add(&mut window, 1, "$limit", "2");
    add(&mut window, 2, "$match", "{ status: 'open' }");
    assert!(results(&window).is_empty());
    let from = window.place("Move stage 2").center();
    let to = window.place("Move stage 1").center() - egui::vec2(0.0, 8.0);
    drag(&mut window, from, to);
    window.until_named("Stage 1: $match");
    assert_eq!(results(&window).len(), 2);
    window.choose("More for stage 1", "Move down");
    window.until_named("Stage 1: $limit");
    assert!(results(&window).is_empty());
    window.harness.run_steps(2);
    focus(&mut window, "Move stage 2");
    window.key(Key::ArrowUp);
    window.until_named("Stage 1: $match");
    assert_eq!(results(&window).len(), 2);
    window.choose("More for stage 2", "Remove");
    window.until_gone("Stage 2: $limit");
}

fn drag(window: &mut Window, from: egui::Pos2, to: egui::Pos2) {
    let button = |pos, pressed| egui::Event::PointerButton {
        pos,
        button: egui::PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    let moved = egui::Event::PointerMoved;
    for event in
        [moved(from), button(from, true), moved(from.lerp(to, 0.5)), moved(to), button(to, false)]
    {
        window.harness.input_mut().events.push(event);
        window.harness.run_steps(1);
    }
}

fn focus(window: &mut Window, name: &str) {
    use egui_kittest::kittest::Queryable;
    window.harness.get_by_label(name).focus();
    window.harness.run_steps(2);
    assert!(window.is_focused(name));
}

#[test]
fn an_error_is_at_its_stage() {
    let mut window = window();
    add(&mut window, 1, "$match", "{ status: 'paid' }");
    add(&mut window, 2, "$group", "{ _id: '$user', n: { $total: 1 } }");
    window.until_named("unknown group operator");
    let error = window.tab().aggregate.error.clone().expect("an error");
    let second = window.state().drafts.tabs[&window.tab().id].aggregate.pipeline.cards[1].id;
    assert_eq!(error.card, Some(second));
    window.until_named("After stage 1: 3 documents");
    window.until_named("The pipeline has an error, so there are no results");
    set(&mut window, 2, "{ _id: ");
    window.until_gone("unknown group operator");
    assert!(window.tab().aggregate.error.as_ref().is_some_and(|error| error.offset.is_some()));
    set(&mut window, 2, "{ _id: null }");
    window.until_named("After stage 2: 1 document");
    assert_eq!(window.tab().aggregate.error, None);
}

#[test]
fn a_stage_that_is_not_supported_says_so() {
    let mut window = window();
    window.point("Add stage");
    assert!(!window.is_enabled("$densify") && window.is_enabled("$lookup"));
    window.key(Key::Escape);
    window.click("Pipeline as: Text");
    window.type_into("Pipeline", "[ { $fill: {} } ]");
    window.keys(Modifiers::COMMAND, Key::Enter);
    window.until_named("$fill is not supported by Mayfly");
}

#[test]
fn the_whole_is_text_too() {
    let mut window = window();
    add(&mut window, 1, "$match", "{ user: 'ann' }");
    window.choose("More for stage 1", "Duplicate");
    window.until_named("Stage 2: $match");
    window.click("Turn stage 2 off");
    window.click("Pipeline as: Text");
    let text = window.value("Pipeline");
    assert_eq!(text, "[\n  { $match: { user: 'ann' } },\n  // { $match: { user: 'ann' } },\n]");
    window.type_into("Pipeline", "[{$match: {user: 'ann'}}, {$limit: 2}, {$unset: ['items']}]");
    window.keys(Modifiers::COMMAND, Key::Enter);
    assert_eq!(results(&window).len(), 2);
    window.type_into("Pipeline", "[{$match: ");
    window.click("Pipeline as: Stages");
    assert!(window.has("Pipeline"), "what can't be read stays text");
    window.type_into("Pipeline", "[{$limit: 4}]");
    window.click("Pipeline as: Stages");
    window.until_named("After stage 1: 4 documents");
    assert_eq!(window.value("Stage 1 value"), "4");
}

#[test]
fn a_pipeline_is_saved_and_opened_by_name() {
    let mut window = window();
    add(&mut window, 1, "$match", "{ user: 'ann' }");
    window.choose("Saved pipelines", "Save the pipeline…");
    assert!(window.is_focused("Pipeline name"));
    assert!(!window.is_enabled("Save"));
    window.type_into("Pipeline name", "Of Ann");
    window.key(Key::Enter);
    window.until_named("Dismiss: Saved the pipeline Of Ann");
    window.choose("More for the pipeline", "Remove all stages");
    window.until_gone("Stage 1: $match");
    window.choose("Saved pipelines", "Of Ann");
    window.until_named("After stage 1: 3 documents");
}

#[test]
fn nothing_is_written_before_it_is_confirmed() {
    let mut window = window();
    window.run("test", &doc! {"insert": "totals", "documents": [{"_id": "old"}]});
    add(&mut window, 1, "$group", "{ _id: '$user', n: { $sum: 1 } }");
    add(&mut window, 2, "$out", "'totals'");
    window.until_named("After stage 1: 3 documents");
    assert_eq!(collection(&window, "totals"), [doc! {"_id": "old"}]);
    window.click("Write to test.totals…");
    window.until_named("Replace test.totals?");
    window.until_named("of test.totals are replaced by 3 results");
    assert!(window.value("Command to send").contains("$out: 'totals'"));
    window.key(Key::Enter);
    assert!(!window.has("Write 3 documents"), "Enter is for the button that loses nothing");
    assert_eq!(collection(&window, "totals"), [doc! {"_id": "old"}]);
    window.click("Write to test.totals…");
    window.click("Write 3 documents");
    window.until_named("Dismiss: Wrote 3 documents to test.totals");
    assert_eq!(collection(&window, "totals").len(), 3);
}

#[test]
fn a_merge_names_its_target() {
    let mut window = window();
    add(&mut window, 1, "$project", "{ user: 1 }");
    add(&mut window, 2, "$merge", "{ into: 'users' }");
    window.until_named("After stage 1: 5 documents");
    window.click("Write to test.users…");
    window.until_named("Merge into test.users?");
    window.until_named("test.users doesn't exist yet. It is created with 5 results");
    window.click("Write 5 documents");
    window.until_named("Dismiss: Wrote 5 documents to test.users");
    assert_eq!(collection(&window, "users").len(), 5);
}

#[test]
fn a_view_of_the_pipeline_is_created() {
    let mut window = window();
    add(&mut window, 1, "$match", "{ status: 'paid' }");
    window.choose("More for the pipeline", "Create a view…");
    window.until_named("A view runs the pipeline on test.orders whenever it is read");
    window.type_into("View name", "orders");
    window.until_named("A collection with this name already exists");
    window.type_into("View name", "paid");
    assert!(window.value("Command to send").contains("viewOn: 'orders'"));
    window.key(Key::Enter);
    window.until_named("Dismiss: Created the view test.paid");
    assert_eq!(collection(&window, "paid").len(), 3);
    window.until("the view is shown", |state| {
        state.tabs.active().is_some_and(|tab| tab.namespace.collection == "paid")
    });
    window.until_named("Document 1");
}

#[test]
fn results_are_shown_as_table_json_and_chart() {
    let mut window = window();
    add(&mut window, 1, "$group", "{ _id: '$user', n: { $sum: '$total' } }");
    window.until_named("ann");
    window.click("Results as: JSON");
    window.until_named("Result 1");
    window.click("Results as: Chart");
    window.until_named("Chart of n by _id, 3 points");
    set(&mut window, 1, "{ _id: '$user' }");
    window.until_named("A chart needs a number besides the category");
}

#[test]
fn the_pipeline_waits_for_run_if_the_user_wants_so() {
    let mut window = window();
    window.choose("More for the pipeline", "Run after each change");
    window.choose("Add stage", "$count");
    assert_eq!(results(&window).len(), 5);
    window.click("Run the pipeline");
    window.until_named("After stage 1: 1 document");
    assert_eq!(results(&window), [doc! {"count": 5}]);
}

#[test]
fn more_results_are_loaded_on_request() {
    let mut commands = orders();
    let many: Vec<Document> = (10..1_210).map(|id| doc! {"_id": id}).collect();
    commands.push(doc! {"insert": "orders", "documents": many});
    let mut window = Window::open_view(&commands, "Aggregate");
    add(&mut window, 1, "$match", "{ }");
    window.until_named("500 of 1,205 documents");
    window.click("Load more");
    window.until_named("1,000 of 1,205 documents");
    window.click("Load more");
    window.until_gone("Load more");
    assert_eq!(results(&window).len(), 1_205);
}

#[test]
fn results_are_exported_without_those_of_a_stage_that_writes() {
    let mut window = window();
    add(&mut window, 1, "$group", "{ _id: '$user', n: { $sum: 1 } }");
    add(&mut window, 2, "$sort", "{ _id: 1 }");
    add(&mut window, 3, "$out", "'totals'");
    window.choose("More for the pipeline", "Export results…");
    window.until_named("The pipeline on test.orders runs again");
    assert!(!window.value("Command to send").contains("$out"));
    window.click("Format: CSV, exact text");
    let path = window.folder.path().join("totals.csv");
    window.type_into("File path", &path.display().to_string());
    window.click("Export");
    window.until_named("Dismiss: Exported 3 documents to");
    let text = std::fs::read_to_string(path).expect("a file");
    assert_eq!(text, "_id,n\r\nann,3\r\nbob,1\r\ncat,1\r\n");
    assert!(collection(&window, "totals").is_empty());
}

#[test]
fn changed_data_is_told_and_the_pipeline_not_run_by_itself() {
    let mut window = window();
    add(&mut window, 1, "$count", "'n'");
    assert_eq!(results(&window), [doc! {"n": 5}]);
    window.run("test", &doc! {"insert": "orders", "documents": [{"_id": 9}]});
    window.until_named("The data has changed since");
    assert_eq!(results(&window), [doc! {"n": 5}]);
    window.click("Run the pipeline");
    window.until_gone("The data has changed since");
    assert_eq!(results(&window), [doc! {"n": 6}]);
}

#[test]
fn results_are_old_only_when_documents_changed() {
    let old = "The data has changed since";
    let mut window = window();
    add(&mut window, 1, "$count", "'n'");
    assert_eq!(results(&window), [doc! {"n": 5}]);
    let in_lesson = |window: &mut Window, writes: bool| {
        let lesson = LessonSource::Shipped("01-the-threshold".to_owned());
        window.ask(Action::Lesson(LessonAction::Open(lesson)));
        window.until("the lesson is open", |state| state.lessons.view().is_some());
        if writes {
            window.run("test", &doc! {"insert": "orders", "documents": [{"_id": 9}]});
        }
        window.ask(Action::Lesson(LessonAction::ShowPage(true)));
        window.ask(Action::Lesson(LessonAction::ShowPage(false)));
        window.until("the store is shown", |state| state.is_open() && state.tree.loaded);
    };
    in_lesson(&mut window, false);
    window.ask(Action::Tabs(TabsAction::View(ViewKind::Indexes)));
    let index = doc! {"key": {"n": 1}, "name": "by_n"};
    window.run("test", &doc! {"createIndexes": "orders", "indexes": [index]});
    window.until_named("by_n");
    window.ask(Action::Tabs(TabsAction::View(ViewKind::Aggregate)));
    window.settle_and_draw(4);
    assert!(!window.has_part(old));
    in_lesson(&mut window, true);
    window.until_named(old);
}

#[test]
fn a_slow_pipeline_can_be_stopped() {
    let many: Vec<Document> = (0..2_000).map(|id| doc! {"_id": id}).collect();
    let many = doc! {"insert": "a", "documents": many};
    let mut window = Window::open_view(&[many], "Aggregate");
    window.choose("Add stage", "$match");
    let slow = "{ $expr: { $lt: [{ $sum: { $map: { input: { $range: [0, 100000] }, \
                in: { $pow: ['$$this', 2] } } } }, 0] } }";
    window.type_into("Stage 1 value", slow);
    window.harness.key_press_modifiers(Modifiers::COMMAND, Key::Enter);
    window.harness.run_steps(3);
    window.until_frame("the pipeline can be stopped", |window| window.has("Stop the pipeline"));
    window.click("Stop the pipeline");
    window.until_named("Stopped after ");
    assert!(window.has("Run again") && window.tab().aggregate.error.is_none());
    assert!(window.harness.state().is_idle(), "the pipeline still runs");
}

#[test]
fn stages_are_completed_with_operators_and_fields() {
    let mut window = window();
    window.choose("Add stage", "$group");
    window.type_into("Stage 1 value", "{ _id: '$us");
    window.until_named("Complete with '$user'");
    window.key(Key::Tab);
    assert_eq!(window.value("Stage 1 value"), "{ _id: '$user'");
    assert!(!window.has_part("Complete with"));
    window.type_into("Stage 1 value", "{ _id: null, n: { $addTo");
    window.until_named("Complete with $addToSet");
    window.key(Key::ArrowDown);
    window.key(Key::Enter);
    assert_eq!(window.value("Stage 1 value"), "{ _id: null, n: { $addToSet: ");
    window.type_into("Stage 1 value", "{ _id: null, n: { $su");
    window.until_named("Complete with $sum");
    window.key(Key::Escape);
    assert!(!window.has_part("Complete with") && window.is_focused("Stage 1 value"));
}

#[test]
fn the_keyboard_is_in_a_new_card_and_offers_values() {
    let mut window = window();
    window.choose("Add stage", "$match");
    assert!(window.is_focused("Stage 1 value"));
    window.type_into("Stage 1 value", "{ user: 'b");
    window.until_named("Complete with 'bob'");
    window.key(Key::Tab);
    assert_eq!(window.value("Stage 1 value"), "{ user: 'bob'");
}
