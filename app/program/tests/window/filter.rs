//! The line of the filter: completion, pairs, several lines, history, favorites, code of queries.

use bson::{Document, doc};
use egui::{Event, Key, Modifiers};
use mayfly::action::{Action, TabsAction};
use mayfly::state::Namespace;
use mayfly::state::documents::QueryField;
use mayfly::state::tabs::ViewKind;

use super::documents::{notes, window};
use super::support::Window;

/// Types characters one after another, as a keyboard does.
fn keyboard(window: &mut Window, text: &str) {
    for c in text.chars() {
        window.harness.input_mut().events.push(Event::Text(c.to_string()));
        window.harness.run_steps(1);
    }
}

fn focus(window: &mut Window) {
    window.type_into("Filter", "");
}

#[test]
fn a_filter_is_completed_with_fields_operators_and_values() {
    let mut window = window();
    focus(&mut window);
    keyboard(&mut window, "te");
    window.until_named("Complete with text");
    window.key(Key::Tab);
    assert_eq!(window.value("Filter"), "{ text:  }");
    assert!(window.is_focused("Filter"));
    window.until_named("Complete with 'three'");
    keyboard(&mut window, "th");
    window.key(Key::ArrowDown);
    window.key(Key::Enter);
    assert_eq!(window.value("Filter"), "{ text: 'three' }");
    assert!(window.has("Document 1"), "Enter chose a word and did not run the filter");
    window.key(Key::Enter);
    window.until_gone("Document 1");
    window.until_named("1–1 of 1");
    assert!(!window.has_part("Complete with"));
}

#[test]
fn fields_at_the_end_of_a_collection_are_known_as_soon_as_it_opens() {
    let mut documents: Vec<Document> = (0..3_000).map(|n| doc! { "_id": n, "kind": "a" }).collect();
    documents.push(doc! { "_id": 3_000, "newer": { "field": "rare" } });
    let mut window =
        Window::open_view(&[doc! { "insert": "many", "documents": documents }], "Documents");
    window.until("the sample is there", |state| {
        let sampled = state.tabs.active().and_then(|tab| tab.documents.sampled.as_ref());
        sampled.is_some_and(|sampled| sampled.documents() > 0)
    });
    focus(&mut window);
    keyboard(&mut window, "fiel");
    window.until_named("Complete with newer.field");
    window.key(Key::Tab);
    window.until_named("Complete with 'rare'");
    assert!(!window.tab().schema.asked, "the Schema view was not shown");
    let sent = window.sent();
    assert!(!sent.iter().any(|text| text.contains("$natural")), "it asks by itself: {sent:?}");
}

#[test]
fn enter_runs_what_is_typed_while_words_are_offered() {
    let mut window = window();
    focus(&mut window);
    keyboard(&mut window, "{_id: {$gt");
    window.until_named("Complete with $gte");
    keyboard(&mut window, ": 2");
    assert_eq!(window.value("Filter"), "{_id: {$gt: 2}}", "brackets are closed");
    window.key(Key::Enter);
    window.until_gone("Document 1");
    assert!(window.has("Document 3"));
}

/// Enter would open the chosen document, and the typing after it would go into that.
#[test]
fn escape_leaves_no_filter_that_has_not_run() {
    let mut window = window();
    window.point("Document 1");
    focus(&mut window);
    keyboard(&mut window, "{_id: 2");
    for _ in 0..3 {
        window.key(Key::Escape);
        assert!(window.is_focused("Filter"));
    }
    window.key(Key::Enter);
    window.until_gone("Document 3");
    assert!(window.state().dialogs.open().is_none());
    window.key(Key::Escape);
    assert!(!window.is_focused("Filter"), "it has run");
}

#[test]
fn escape_closes_the_list_and_a_press_takes_a_word() {
    let mut window = window();
    focus(&mut window);
    keyboard(&mut window, "{ pla");
    window.until_named("Complete with place");
    window.key(Key::Escape);
    assert!(!window.has("Complete with place"));
    assert!(window.is_focused("Filter"), "Escape closed the list alone");
    window.keys(Modifiers::CTRL, Key::Space);
    window.click("Complete with place.city");
    assert_eq!(window.value("Filter"), "{ 'place.city': }");
    keyboard(&mut window, " ");
    window.until_named("Complete with 'İzmir'");
}

#[test]
fn a_time_may_be_relative_to_now() {
    let mut window = window();
    window.type_into("Filter", "{ at: { $gt: now - 20s } }");
    window.key(Key::Enter);
    window.until_named("No documents match the filter");
    window.type_into("Filter", "{ at: { $gt: now - 1min } }");
    window.key(Key::Enter);
    window.until_named("1–2 of 2");
    assert!(window.sent().iter().any(|sent| sent.contains("2026-06-01T11:59:00.000Z")));
}

#[test]
fn shift_enter_begins_a_line_and_an_error_moves_nothing() {
    let mut window = window();
    let list = window.place("Document 1").top();
    let find = window.place("Find");
    focus(&mut window);
    assert!((find.height() - 30.0).abs() < 1.0 && find.right() < 1_280.0, "{find}");
    keyboard(&mut window, "{ _id:");
    window.until_named("Filter: ");
    assert!((window.place("Document 1").top() - list).abs() < 0.1, "the list stays in its place");
    keyboard(&mut window, " 3,");
    window.keys(Modifiers::SHIFT, Key::Enter);
    keyboard(&mut window, "text: 'three");
    assert_eq!(window.value("Filter"), "{ _id: 3,\ntext: 'three'}");
    window.key(Key::Enter);
    window.until_gone("Document 1");
    window.until_named("1–1 of 1");
}

#[test]
fn a_query_is_found_again_by_its_name_and_from_other_collections() {
    let mut commands = notes();
    commands.push(doc! {"insert": "other", "documents": [{"_id": 7, "text": "seven"}]});
    let mut window = Window::open_view(&commands, "Documents");
    window.until_named("Document 4");
    window.type_into("Filter", "{ _id: 3 }");
    window.key(Key::Enter);
    window.until_gone("Document 1");
    window.click("Options");
    window.type_into("Sort", "{ _id: -1 }");
    window.type_into("Filter", "{ _id: { $lt: 3 } }");
    window.key(Key::Enter);
    window.until_named("Document 2");
    window.point("Filter history");
    window.type_into("Favorite name", "Low ids");
    window.click("Add favorite");
    window.until_named("Added the favorite Low ids");
    let other = Namespace::new("test", "other");
    window.ask(Action::Tabs(TabsAction::ShowView(other, ViewKind::Documents)));
    window.until_named("Document 7");
    window.point("Filter history");
    window.type_into("Search queries", "low");
    assert!(!window.has("{ _id: 3 }"));
    window.click("Low ids: { _id: { $lt: 3 } } · sort { _id: -1 }");
    window.until_named("Document 2");
    assert_eq!(window.tab().namespace.collection, "notes");
    assert_eq!(window.value("Sort"), "{ _id: -1 }");
    window.point("Filter history");
    window.click("Forget { _id: 3 }");
    assert!(!window.has("{ _id: 3 }"));
}

#[test]
fn queries_come_back_when_their_store_is_opened_again() {
    let mut window = window();
    window.type_into("Filter", "{ _id: 3 }");
    window.key(Key::Enter);
    window.until_gone("Document 1");
    let folder = window.folder.path().join("store");
    let mut state = mayfly::state::State::default();
    state.queries = window.state().queries.clone();
    state.store.shown = Some(folder.clone());
    state.note_tabs();
    let text = serde_json::to_string(&state.settings).expect("it is written");
    let settings: mayfly::state::Settings = serde_json::from_str(&text).expect("it is read");
    assert_eq!(settings.queries.of(&folder), window.state().queries);
}

#[test]
fn a_query_is_copied_as_code() {
    let mut window = window();
    window.click("Options");
    window.type_into("Filter", "{ _id: { $gt: 2 } }");
    for (language, part) in [
        ("mongosh", "db.getSiblingDB(\"test\").getCollection(\"notes\").find({ _id: { $gt: 2 } })"),
        ("Extended JSON", "{\"_id\":{\"$gt\":2}}"),
        ("Python", "collection.find(\n    { \"_id\": { \"$gt\": 2 } },"),
        ("Node.js", "await collection.find({ _id: { $gt: 2 } }).toArray();"),
        ("Java", "collection.find(new Document(\"_id\", new Document(\"$gt\", 2)));"),
        (
            "C#",
            "collection.Find(new BsonDocument { { \"_id\", new BsonDocument { { \"$gt\", 2 } } } })",
        ),
        ("Rust", ".find(doc! { \"_id\": { \"$gt\": 2 } })"),
    ] {
        window.point("Copy query as");
        let copied = window.copied(language);
        assert!(copied.contains(part), "{language}: {copied}");
        window.key(Key::Escape);
    }
    window.type_into("Filter", "{ _id:");
    assert!(!window.is_enabled("Copy query as"));
}

#[test]
fn a_query_has_a_time_limit() {
    let mut window = window();
    window.click("Options");
    assert!(!window.has("Time limit (s)") && !window.has("Hint"));
    window.click("More options");
    window.type_into("Time limit (s)", "soon");
    window.until_named("Time limit: Enter seconds");
    window.type_into("Time limit (s)", "2.5");
    window.click("Find");
    window.until("it is sent", |state| {
        state.commands.records().iter().any(|record| record.text.contains("2500"))
    });
}

#[test]
fn a_long_filter_has_five_lines_and_then_scrolls() {
    let mut window = window();
    let top = |window: &Window| window.place("Document 1").top();
    let first = top(&window);
    focus(&mut window);
    keyboard(&mut window, "{text: 'three'");
    assert!((top(&window) - first).abs() < 0.5, "one line takes no more room");
    let mut tops = Vec::new();
    for _ in 0..9 {
        window.keys(Modifiers::SHIFT, Key::Enter);
        window.harness.run_steps(2);
        tops.push(top(&window));
    }
    let line = tops[1] - tops[0];
    assert!(tops[0] > first && line > 10.0, "further lines are shown: {tops:?}");
    assert!((tops[3] - tops[0] - 3.0 * line).abs() < 1.0, "five lines: {tops:?}");
    assert!((tops[8] - tops[3]).abs() < 2.0, "further lines scroll inside: {tops:?}");
    window.point("Select Document 1");
    assert!(!window.is_focused("Filter"));
    assert!((top(&window) - tops[8]).abs() < 0.5, "nothing moves under the pointer");
}

#[test]
fn the_fields_of_the_options_stand_in_one_line() {
    let mut window = window();
    window.click("Options");
    window.click("More options");
    for size in [[1280.0, 800.0], [1024.0, 640.0]] {
        window.harness.set_size(size.into());
        window.harness.run_steps(4);
        let names =
            ["Projection", "Sort", "Sort as: Default", "Skip", "Limit", "Hint", "Time limit (s)"];
        let tops = names.map(|name| window.place(name).top());
        assert!(tops.iter().all(|top| (top - tops[0]).abs() < 0.5), "{size:?}: {tops:?}");
    }
}

/// Words that bytes, German and German without case sort differently.
fn words() -> Window {
    let words = ["Zebra", "äpfel", "b10", "b2", "APFEL", "apfel"];
    let documents: Vec<Document> =
        (0..).zip(words).map(|(id, w)| doc! { "_id": id, "w": w }).collect();
    Window::open_view(&[doc! { "insert": "words", "documents": documents }], "Documents")
}

/// The words of the list from the first row on.
fn listed(window: &Window) -> Vec<String> {
    let rows = window.tab().documents.pages.rows();
    rows.filter_map(|(_, row)| row.document.get_str("w").ok().map(ToOwned::to_owned)).collect()
}

/// Waits until the list has these words.
fn until_listed(window: &mut Window, expected: &[&str]) {
    window.until(&format!("{expected:?}"), |state| {
        let Some(tab) = state.tabs.active() else { return false };
        let rows = tab.documents.pages.rows();
        rows.filter_map(|(_, row)| row.document.get_str("w").ok()).eq(expected.iter().copied())
    });
}

#[test]
fn a_language_is_chosen_for_the_sort_and_the_filter() {
    let mut window = words();
    window.click("Options");
    window.type_into("Sort", "{ w: 1 }");
    window.key(Key::Enter);
    until_listed(&mut window, &["APFEL", "Zebra", "apfel", "b10", "b2", "äpfel"]);
    window.point("Sort as: Default");
    assert!(!window.is_enabled("Case does not matter"), "bytes have no case");
    window.point("Deutsch");
    until_listed(&mut window, &["apfel", "APFEL", "äpfel", "b10", "b2", "Zebra"]);
    window.point("Numbers by value: 2 before 10");
    until_listed(&mut window, &["apfel", "APFEL", "äpfel", "b2", "b10", "Zebra"]);
    window.point("Neither matters");
    window.until_named("Sort as: Deutsch, any case and accent, 2 before 10");
    window.key(Key::Escape);
    window.type_into("Filter", "{ w: 'Apfel' }");
    window.key(Key::Enter);
    window.until_named("1–3 of 3");
    let sent = "collation: { locale: 'de', strength: 1, numericOrdering: true }";
    let is_sent = |name: &str| {
        let records = window.state().commands.records();
        records.iter().any(|it| it.text.contains(name) && it.text.contains(sent))
    };
    assert!(is_sent("find") && is_sent("count"));
    window.point("Copy query as");
    assert!(window.copied("mongosh").contains(&format!(".collation({})", &sent[11..])));
    window.key(Key::Escape);

    // It is kept with the tab and with the queries that were run.
    let text = window.tab().saved_documents.query.collation.clone();
    assert_eq!(text, sent[11..].to_owned());
    window.click("Reset");
    window.until_named("Sort as: Default");
    window.click("Filter history");
    window.type_into("Search queries", "strength");
    let known = window.part("{ w: 'Apfel' } · sort");
    window.click(&known);
    window.until_named("Sort as: Deutsch, any case and accent, 2 before 10");
    assert_eq!(listed(&window).len(), 3);
}

#[test]
fn a_locale_that_is_not_known_is_refused_in_the_words_of_the_engine() {
    let mut window = words();
    window.click("Options");
    window.point("Sort as: Default");
    window.type_into("Other locale", "xx");
    window.key(Key::Enter);
    window.until_named("Sort as: xx");
    window.until("the refusal is shown", |state| {
        let view = &state.tabs.active().expect("a tab").documents;
        view.refusal.as_ref().is_some_and(|refusal| {
            refusal.error.field == QueryField::Collation && refusal.error.message.contains("xx")
        })
    });
    window.key(Key::Escape);
    assert!(window.has_part("Sort as: "));
    window.point("Sort as: xx");
    window.point("Default");
    window.until_named("Sort as: Default");
    window.until_named("6 documents");
}

#[test]
fn an_index_helps_only_with_its_own_collation() {
    let mut window = words();
    window.run(
        "test",
        &doc! { "createIndexes": "words", "indexes": [{ "key": { "w": 1 }, "name": "w_1" }] },
    );
    window.type_into("Filter", "{ w: 'apfel' }");
    window.click("Options");
    window.point("Sort as: Default");
    window.point("Deutsch");
    window.key(Key::Escape);
    window.until_named("1–1 of 1");
    window.click("Explain the query");
    let sentence = "an index on w with this collation would help";
    window.until("the sentence", |state| {
        let explain = state.tabs.active().and_then(|tab| tab.explain.as_ref());
        let answer = explain.and_then(|explain| explain.answer.as_ref()?.as_ref().ok());
        answer.is_some_and(|answer| answer.advice.sentence.contains(sentence))
    });
    window.click("Create that index…");
    window.until_named("Create index");
    window.until_named("Sort as: Deutsch");
    assert!(window.value("Command").contains("collation: { locale: 'de' }"));
    window.type_into("Index name", "w_de");
    window.click("Create index");
    window.until_gone("Index name");
    window.ask(Action::Tabs(TabsAction::View(ViewKind::Indexes)));
    window.until("it is there", |state| {
        let tab = state.tabs.active().expect("a tab");
        let rows = tab.indexes.rows.as_deref().unwrap_or_default();
        rows.iter().any(|row| row.name == "w_de")
    });
    window.ask(Action::Tabs(TabsAction::View(ViewKind::Documents)));
    window.until_named("Sort as: Deutsch");
    window.point("Sort as: Deutsch");
    window.until_named("The index w_de has this collation");
    window.point("Neither matters");
    window.until_named("No index has this collation, so none helps with text");
}
