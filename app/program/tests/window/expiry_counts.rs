//! The counts of the Expiry view, and whether they agree with its other parts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bson::{Bson, Document, doc};
use mayfly::source::{Capabilities, Events, Source};

use super::support::{Window, at};

/// A store some of whose answers are others: `alter` gets the command and its answer.
pub struct Altered {
    pub inner: Arc<dyn Source>,
    pub alter: fn(&Document, Document) -> Document,
}

impl Source for Altered {
    fn run(&self, db: &str, command: &Document) -> Document {
        (self.alter)(command, self.inner.run(db, command))
    }

    fn subscribe(&self) -> Events {
        self.inner.subscribe()
    }

    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn close(&self) {
        self.inner.close();
    }
}

/// Two overdue documents, one that will expire, and one with a text where its date belongs, in a
/// window that shows Expiry.
fn window(seen: fn(Arc<dyn Source>) -> Arc<dyn Source>) -> Window {
    let carts = [
        doc! {"createIndexes": "carts", "indexes": [
            {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 0},
        ]},
        doc! {"insert": "carts", "documents": [
            {"_id": "a", "at": at(-9)}, {"_id": "b", "at": at(-5)}, {"_id": "c", "at": at(600)},
            {"_id": "text", "at": "2020-01-01"},
        ]},
    ];
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut window = Window::open_as(folder, &carts, seen);
    window.until("a collection is shown", |state| state.tabs.active().is_some());
    window.click("Expiry");
    window
}

#[test]
fn the_empty_state_is_never_shown_over_counted_documents() {
    static IS_LISTED: AtomicBool = AtomicBool::new(false);
    let mut window = window(|inner| {
        Arc::new(Altered {
            inner,
            alter: |command, mut reply| {
                // The sidebar asks for one document.
                let is_list = command.contains_key("mayflyExpiring")
                    && command.get("limit") != Some(&Bson::Int32(1));
                // The first answer is from before the index.
                if is_list && !IS_LISTED.swap(true, Ordering::Relaxed) {
                    reply.insert("batch", Bson::Array(Vec::new()));
                }
                reply
            },
        })
    });
    window.until_frame("the documents", |window| {
        assert!(!window.has_part("No documents will expire"), "2 are overdue, 1 will expire");
        window.has_part("a expired at")
    });
    window.until_named("Overdue: 2");
}

#[test]
fn an_empty_collection_does_not_lack_dates() {
    let index = doc! {"createIndexes": "carts", "indexes": [
        {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 0},
    ]};
    let mut window = Window::open_view(&[index], "Expiry");
    window.until_named("The collection has no documents");
    assert!(!window.has_part("none has a date"));
    window.run("test", &doc! {"insert": "carts", "documents": [{"_id": 1, "at": "text"}]});
    window.until_named("No documents will expire: none has a date in the TTL field");
}

#[test]
fn reasons_are_counted_in_the_open_menu() {
    static IS_REFUSED: AtomicBool = AtomicBool::new(true);
    // The window counts them by itself, which fails at first.
    let mut window = window(|inner| {
        Arc::new(Altered {
            inner,
            alter: |command, reply| {
                if command.contains_key("mayflyWhatIf") && IS_REFUSED.load(Ordering::Relaxed) {
                    return doc! {"ok": 0.0, "code": 50, "errmsg": "too slow"};
                }
                reply
            },
        })
    });
    window.until_named("Never expires: 1");
    window.until("refused", |state| {
        state.tabs.active().is_some_and(|tab| tab.expiry.reasons_refused.is_some())
    });
    IS_REFUSED.store(false, Ordering::Relaxed);
    window.click("Never expires: 1");
    window.until_named("string: 1");
    window.click("string: 1");
    window.until("they are shown", |state| {
        let filter = state.tabs.active().map(|tab| tab.documents.text.filter.as_str());
        filter.is_some_and(|filter| filter.contains("at"))
    });
}
