//! How the store answers a query or a pipeline: the picture, the sentence, the index that helps.

use bson::{Document, doc};
use egui::{Color32, Key, Modifiers, Rect, Shape};
use mayfly::theme::colors::DARK;

use super::support::Window;

/// The colors of what is drawn in a part of the window.
fn inks(window: &Window, part: Rect) -> Vec<Color32> {
    let mut found = Vec::new();
    for clipped in &window.harness.output().shapes {
        if !part.contains_rect(clipped.shape.visual_bounding_rect()) {
            continue;
        }
        match &clipped.shape {
            Shape::Text(text) => {
                found.extend(text.override_text_color);
                found.extend(text.galley.job.sections.iter().map(|part| part.format.color));
            }
            Shape::Rect(rect) => found.extend([rect.fill, rect.stroke.color]),
            _ => {}
        }
    }
    found
}

/// Visits of two hundred users, of which one is looked for.
fn visits() -> Vec<Document> {
    let visits: Vec<Document> =
        (0..400).map(|id| doc! {"_id": id, "user": id % 200, "at": id, "kind": id % 2}).collect();
    vec![doc! {"insert": "visits", "documents": visits}]
}

fn window(view: &str) -> Window {
    let mut window = Window::open_view(&visits(), view);
    window.until_named("400 documents");
    window
}

fn filter(window: &mut Window, text: &str) {
    window.type_into("Filter", text);
    window.key(Key::Enter);
}

#[test]
fn a_slow_filter_names_the_index_that_helps_and_creates_it() {
    let mut window = window("Documents");
    filter(&mut window, "{ user: 7 }");
    window.click("Explain the query");
    let sentence = "Read 400 documents to return 2: an index on user would help";
    window.until_named(sentence);
    window.until_named("Plan stage COLLSCAN: 400 documents read, 2 returned");
    assert!(window.value("Reply of explain").contains("winningPlan"));
    let below = window.place("Close the explanation").top() - 8.0;
    let inks = inks(&window, Rect::everything_below(below));
    assert!(inks.contains(&DARK.text) && window.has("Costly"));
    for amber in [DARK.overdue, DARK.overdue_background] {
        assert!(!inks.contains(&amber), "amber is for documents that are late or go");
    }
    window.click("Create that index…");
    window.until_named("Create index");
    assert!(window.value("Command").contains("user: 1"));
    window.key(Key::Escape);
    window.run(
        "test",
        &doc! {"createIndexes": "visits", "indexes": [
            {"key": {"user": 1}, "name": "user_1"},
        ]},
    );
    window.click("Explain again");
    window.until_named("Read 2 keys and 2 documents to return 2");
    window.until_named("Plan stage IXSCAN: 2 keys read, 2 returned");
    assert!(!window.has("Create that index…"));
    window.click("Close the explanation");
    window.until_named("Document 7");
}

#[test]
fn a_sort_in_memory_is_seen() {
    let mut window = window("Documents");
    window.type_into("Filter", "{ kind: 1 }");
    window.click("Options");
    window.type_into("Sort", "{ at: -1 }");
    window.key(Key::Enter);
    window.click("Explain the query");
    window.until_named("and sorted them in memory: an index on kind and at would help");
    window.until_named("Sort in memory");
    assert!(!window.has_part("0 returned"), "the store doesn't count them there");
    window.click("Create that index…");
    window.until_named("Create index");
    assert!(window.value("Command").contains("{ kind: 1, at: -1 }"));
}

#[test]
fn a_pipeline_is_explained_beside_its_stages() {
    let mut window = window("Aggregate");
    window.choose("Add stage", "$group");
    window.type_into("Stage 1 value", "{ _id: '$user' }");
    window.keys(Modifiers::COMMAND, Key::Enter);
    window.click("Explain the pipeline");
    window.until_named("Read 400 documents: the pipeline begins with no $match");
    window.until_named("Plan stage $group: 200 returned");
    assert!(window.has("Stage 1 value"));
    window.click("Explained as: Reply");
    window.until_named("Reply of explain");
    window.click("Close the explanation");
    window.until_named("200 documents");
}

#[test]
fn nothing_is_written_by_an_explanation() {
    let mut window = window("Aggregate");
    window.point("Add stage");
    window.click("$out");
    window.type_into("Stage 1 value", "'copy'");
    window.click("Explain the pipeline");
    window.until_named("Read 400 documents");
    let names = window.run("test", &doc! {"listCollections": 1, "nameOnly": true});
    assert!(!names.to_string().contains("copy"), "{names}");
}

#[test]
fn a_new_filter_shows_its_documents_again() {
    let mut window = window("Documents");
    window.click("Explain the query");
    window.until_named("Read 400 documents: the query has no filter");
    filter(&mut window, "{ user: 7 }");
    window.until_gone("Close the explanation");
    window.until_named("Document 207");
}

#[test]
fn a_query_that_is_refused_has_no_plan() {
    let mut window = window("Documents");
    filter(&mut window, "{ user: { $nope: 1 } }");
    window.click("Explain the query");
    window.until_named("unknown operator: $nope");
    window.click("Close");
}
