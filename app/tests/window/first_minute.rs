//! What a newcomer meets first: explained words, help, callouts.

use bson::{Document, doc};
use mayfly::job::glossary::Term;

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
