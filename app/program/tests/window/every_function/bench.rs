//! A window on a server with a little data.

use bson::{Bson, DateTime, Document, RawDocumentBuf, doc};
use egui::Key;
use mayfly::action::view_actions::How;
use mayfly::action::{Action, DocumentsAction, Entry, TabsAction, entries};
use mayfly::state::tabs::ViewKind;
use mayfly::state::{Namespace, State};
use mayfly_tests::documentdb::{DocumentDb, Habits};

use super::super::documentdb::attached;
use super::super::support::Window;

/// The TTL of the collection, in seconds: longer than its documents are old.
pub const FAR_SECS: i64 = 8_640_000;

/// The documents of `shop.orders`.
pub const ORDERS: usize = 12;

/// A window, and the server that it shows.
pub struct Bench {
    pub window: Window,
    pub server: DocumentDb,
}

impl Bench {
    /// Twelve orders, one for each of the last days, with a TTL index and a plain one.
    fn start(habits: Habits) -> Self {
        let server = DocumentDb::start(habits);
        let order = |id: i32| {
            let at = DateTime::from_millis(server.now_ms() - i64::from(id) * 86_400_000);
            doc! { "_id": id, "n": id % 3, "name": format!("order {id}"), "at": at }
        };
        let documents: Vec<Document> = (0..12).map(order).collect();
        server.prepare("shop", &doc! { "insert": "orders", "documents": documents });
        let indexes = vec![
            doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": FAR_SECS },
            doc! { "key": { "n": 1 }, "name": "n_1" },
        ];
        server.prepare("shop", &doc! { "createIndexes": "orders", "indexes": indexes });
        let window = attached(&server);
        Self { window, server }
    }

    /// A connection that is locked, as each is at first.
    pub fn locked(habits: Habits) -> Self {
        Self::start(habits)
    }

    /// A connection that takes changes.
    pub fn unlocked(habits: Habits) -> Self {
        let mut bench = Self::start(habits);
        bench.window.choose("Locked", "Unlock this connection…");
        bench.window.click("Unlock");
        bench
    }

    /// Closes what is open, and shows all documents of the collection.
    pub fn begin(&mut self, label: &str) {
        for _ in 0..8 {
            let state = self.window.state();
            let is_open = state.dialogs.open().is_some()
                || state.view.palette
                || state.view.is_start_shown
                || state.view.guide.is_some()
                || state.view.is_presented()
                || state.view.callout.is_some();
            if !is_open {
                break;
            }
            self.window.key(Key::Escape);
        }
        assert!(self.window.state().dialogs.open().is_none(), "before {label}");
        self.window.ask(Action::Tabs(TabsAction::ShowView(orders(), ViewKind::Documents)));
        self.window.until_named("Document 0");
        let tab = self.window.tab().id;
        self.window.ask(Action::Documents(tab, DocumentsAction::SelectNothing));
    }

    pub fn entry(label: &str) -> &'static Entry {
        entries().find(|entry| entry.label == label).unwrap_or_else(|| panic!("no entry {label}"))
    }

    /// The action of an entry, while it can be used.
    pub fn action(&self, label: &str) -> Option<Action> {
        Self::entry(label).now(self.window.state())
    }

    /// Uses an entry as the palette does.
    pub fn press(&mut self, label: &str) {
        let reason = || mayfly::action::lookup::missing(Self::entry(label), self.window.state());
        let action = self.action(label).unwrap_or_else(|| panic!("{label}: {}", reason()));
        self.window.ask(action);
    }

    /// Uses an entry, then waits for words on the screen.
    pub fn shows(&mut self, label: &str, words: &str) {
        self.press(label);
        self.window.until_named(words);
    }

    /// Uses an entry, then waits until the window is so.
    pub fn leads_to(&mut self, label: &str, is_so: impl Fn(&State) -> bool) {
        self.press(label);
        self.window.until(label, is_so);
    }

    /// Shows a view of the collection.
    pub fn view(&mut self, view: ViewKind) {
        self.window.ask(Action::Tabs(TabsAction::View(view)));
    }

    /// Opens a second collection in a tab, which is shown.
    pub fn second_tab(&mut self) {
        let second = Namespace::new("shop", "nothing");
        self.window.ask(Action::Tabs(TabsAction::Show(second)));
        assert!(self.window.state().tabs.open().len() > 1);
    }

    /// Selects documents by their `_id`, which is their row as well.
    pub fn select(&mut self, ids: &[i32]) {
        let tab = self.window.tab().id;
        for id in ids {
            let (row, how) = (u64::from(id.unsigned_abs()), How::Toggle);
            let select = DocumentsAction::Select { row, id: Bson::Int32(*id), how };
            self.window.ask(Action::Documents(tab, select));
        }
        let selected = self.window.tab().documents.selected.len();
        assert_eq!(usize::try_from(selected).ok(), Some(ids.len()));
    }

    /// The documents of a collection on the server, by `_id`.
    pub fn stored(&self, collection: &str) -> Vec<Document> {
        let found = self.server.stored("shop", collection).into_iter();
        found.map(|one| Document::try_from(one).expect("a document")).collect()
    }

    /// One document of the orders on the server.
    pub fn order(&self, id: i32) -> Option<Document> {
        self.stored("orders").into_iter().find(|one| one.get_i32("_id").ok() == Some(id))
    }

    /// The names of the collections on the server, sorted.
    pub fn collections(&self, db: &str) -> Vec<String> {
        let reply = self.server.run(db, &doc! { "listCollections": 1, "nameOnly": true });
        let mut names: Vec<String> = batch(&reply)
            .iter()
            .filter_map(|one| Some(one.get_str("name").ok()?.to_owned()))
            .collect();
        names.sort();
        names
    }

    /// The indexes of a collection on the server.
    pub fn indexes(&self, collection: &str) -> Vec<Document> {
        batch(&self.server.run("shop", &doc! { "listIndexes": collection }))
    }

    /// The TTL of an index of the orders, in seconds.
    pub fn secs(&self, name: &str) -> Option<i64> {
        let found = self
            .indexes("orders")
            .into_iter()
            .find(|one| one.get_str("name").ok() == Some(name))?;
        found.get("expireAfterSeconds").and_then(mayfly_engine::value::whole)
    }

    /// All that a change may change.
    pub fn contents(&self) -> (Vec<String>, Vec<RawDocumentBuf>, Vec<Document>) {
        let documents = self.server.stored("shop", "orders");
        (self.collections("shop"), documents, self.indexes("orders"))
    }

    /// Shows or hides something, and the same again.
    pub fn toggles(&mut self, label: &str, is_on: fn(&State) -> bool) {
        let before = is_on(self.window.state());
        self.leads_to(label, |state| is_on(state) != before);
        self.leads_to(label, |state| is_on(state) == before);
    }
}

/// The collection of all scripts.
pub fn orders() -> Namespace {
    Namespace::new("shop", "orders")
}

fn batch(reply: &Document) -> Vec<Document> {
    let found = reply.get_document("cursor").and_then(|cursor| cursor.get_array("firstBatch"));
    let found = found.unwrap_or_else(|_| panic!("{reply}"));
    found.iter().filter_map(Bson::as_document).cloned().collect()
}
