//! The counts of the Expiry view beside what else it shows.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use bson::{Bson, Document, doc};
use mayfly::source::{Capabilities, Events, Source};

use super::support::{Window, at};

/// A store whose first answer to some command is another one.
struct First {
    inner: Arc<dyn Source>,
    is_meant: fn(&Document) -> bool,
    answer: fn(Document) -> Document,
    asked: AtomicU32,
}

impl First {
    fn new(
        inner: Arc<dyn Source>,
        is_meant: fn(&Document) -> bool,
        answer: fn(Document) -> Document,
    ) -> Arc<dyn Source> {
        Arc::new(Self { inner, is_meant, answer, asked: AtomicU32::new(0) })
    }
}

impl Source for First {
    fn run(&self, db: &str, command: &Document) -> Document {
        let reply = self.inner.run(db, command);
        let is_first =
            (self.is_meant)(command) && self.asked.fetch_add(1, Ordering::Relaxed) == 0;
        if is_first { (self.answer)(reply) } else { reply }
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

/// Two overdue documents, one that will expire, and one with a text where its date belongs.
fn carts() -> Vec<Document> {
    vec![
        doc! {"createIndexes": "carts", "indexes": [
            {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 0},
        ]},
        doc! {"insert": "carts", "documents": [
            {"_id": "a", "at": at(-9)}, {"_id": "b", "at": at(-5)}, {"_id": "c", "at": at(600)},
            {"_id": "text", "at": "2020-01-01"},
        ]},
    ]
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

#[test]
fn the_empty_state_is_never_shown_over_counted_documents() {
    let mut window = Window::open_as(folder(), &carts(), |inner| {
        // The sidebar asks for one document.
        let lists = |command: &Document| {
            command.contains_key("mayflyExpiring") && command.get("limit") != Some(&Bson::Int32(1))
        };
        First::new(inner, lists, |mut reply| {
            reply.insert("batch", Bson::Array(Vec::new()));
            reply
        })
    });
    window.until("a collection is shown", |state| state.tabs.active().is_some());
    window.click("Expiry");
    window.until_frame("the documents", |window| {
        assert!(!window.has_part("No documents will expire"), "2 are overdue, 1 will expire");
        window.has_part("a expired at")
    });
    window.until_named("Overdue: 2");
}
