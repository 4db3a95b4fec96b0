//! The open collections.

use mayfly_engine::value::named;
use serde::{Deserialize, Serialize};

use super::Namespace;
use super::aggregate::{AggregateView, SavedAggregate};
use super::documents::{DocumentsView, QueryText, SavedDocuments};
use super::expiry::{ExpiryView, SavedExpiry};
use super::explain::Explain;
use super::indexes::IndexesView;
use super::schema::SchemaView;
pub use crate::job::TabId;
use crate::limits::{CLOSED_TABS_MAX, TABS_MAX};

named! {
    /// The views of a collection.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
    pub enum ViewKind {
        Documents => "Documents",
        Schema => "Schema",
        Aggregate => "Aggregate",
        #[default]
        Expiry => "Expiry",
        Indexes => "Indexes",
    }
    /// The word in the strip.
    pub fn label;
}

/// One open collection.
#[derive(Debug, Clone, PartialEq)]
pub struct Tab {
    /// Its name in this window.
    pub id: TabId,
    pub namespace: Namespace,
    pub view: ViewKind,
    /// Whether the user chose the view; else it follows from the collection's TTL indexes.
    pub is_view_chosen: bool,
    pub documents: DocumentsView,
    pub schema: SchemaView,
    pub aggregate: AggregateView,
    pub expiry: ExpiryView,
    /// How the store answers its query or pipeline, while that is shown.
    pub explain: Option<Explain>,
    pub indexes: IndexesView,
    /// Shown at the right of the views' names, such as `3 indexes · 1.2 MB`.
    pub summary: String,
    /// Restored when the Documents view is first shown.
    pub saved_documents: SavedDocuments,
    /// Restored when the Aggregate view is first shown.
    pub saved_aggregate: SavedAggregate,
    /// Restored when the Expiry view is first shown.
    pub saved_expiry: SavedExpiry,
}

impl Tab {
    /// Forgets the questions that have no answer yet.
    pub fn stop_waiting(&mut self) {
        // An answer will find no tab, so the question is asked again when the tab is shown.
        self.documents.running.clear();
        if !self.aggregate.running.is_empty() {
            self.aggregate.running.clear();
            self.aggregate.asked = false;
        }
        if self.schema.is_reading() {
            self.schema.stage = super::schema::Stage::Idle;
            self.schema.asked = false;
        }
        self.explain.take_if(|explain| explain.answer.is_none());
    }

    /// Whether the view that is shown has something for the inspector.
    pub fn has_inspector(&self) -> bool {
        match self.view {
            ViewKind::Documents => {
                // The picture of a plan has the room.
                let is_explained = self.explain.as_ref().is_some_and(|shown| !shown.is_pipeline);
                self.documents.focus.is_some() && !is_explained
            }
            ViewKind::Schema => self.schema.selected_field().is_some(),
            ViewKind::Expiry => self.expiry.selected_lane().is_some(),
            ViewKind::Aggregate | ViewKind::Indexes => false,
        }
    }
}

/// A tab as it is kept for the next start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SavedTab {
    pub namespace: Namespace,
    #[serde(default)]
    pub view: ViewKind,
    #[serde(default)]
    pub documents: SavedDocuments,
    #[serde(default)]
    pub aggregate: SavedAggregate,
    #[serde(default)]
    pub expiry: SavedExpiry,
}

impl SavedTab {
    /// The tab of a collection that was not open before.
    pub fn new(namespace: Namespace) -> Self {
        Self {
            namespace,
            view: ViewKind::default(),
            documents: SavedDocuments::default(),
            aggregate: SavedAggregate::default(),
            expiry: SavedExpiry::default(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tabs {
    open: Vec<Tab>,
    active: Option<TabId>,
    closed: Vec<SavedTab>,
    last_id: u64,
}

impl Tabs {
    /// The open tabs, from left to right.
    pub fn open(&self) -> &[Tab] {
        &self.open
    }

    /// The open tabs, to change them.
    pub fn open_mut(&mut self) -> &mut [Tab] {
        &mut self.open
    }

    /// The tab that is shown.
    pub fn active(&self) -> Option<&Tab> {
        self.active.and_then(|id| self.get(id))
    }

    /// The tab that is shown, to change it.
    pub fn active_mut(&mut self) -> Option<&mut Tab> {
        self.active.and_then(|id| self.get_mut(id))
    }

    /// A tab by its name.
    pub fn get(&self, id: TabId) -> Option<&Tab> {
        self.open.iter().find(|tab| tab.id == id)
    }

    /// A tab by its name, to change it.
    pub fn get_mut(&mut self, id: TabId) -> Option<&mut Tab> {
        self.open.iter_mut().find(|tab| tab.id == id)
    }

    /// Shows the tab of a collection, opening one if there is none. `None` if too many are open.
    ///
    /// A collection that was closed opens on the view it had, with its history of filters.
    pub fn show(&mut self, namespace: &Namespace) -> Option<TabId> {
        if let Some(tab) = self.open.iter().find(|tab| tab.namespace == *namespace) {
            self.active = Some(tab.id);
            return self.active;
        }
        let last = self.closed.iter().rev().find(|tab| tab.namespace == *namespace);
        let mut saved = last.cloned().unwrap_or_else(|| SavedTab::new(namespace.clone()));
        // It shows every document again; a closed tab that is reopened shows what it showed.
        saved.documents.query = QueryText::default();
        let is_chosen = last.is_some();
        let id = self.add(saved)?;
        if let Some(tab) = self.get_mut(id) {
            tab.is_view_chosen = is_chosen;
        }
        Some(id)
    }

    /// Opens a saved tab. `None` if too many are open.
    pub fn add(&mut self, saved: SavedTab) -> Option<TabId> {
        if self.open.len() >= TABS_MAX {
            return None;
        }
        self.last_id += 1;
        let id = TabId(self.last_id);
        self.open.push(Tab {
            id,
            namespace: saved.namespace,
            view: saved.view,
            is_view_chosen: true,
            documents: DocumentsView::default(),
            schema: SchemaView::default(),
            aggregate: AggregateView::default(),
            expiry: ExpiryView::default(),
            explain: None,
            indexes: IndexesView::default(),
            summary: String::new(),
            saved_documents: saved.documents,
            saved_aggregate: saved.aggregate,
            saved_expiry: saved.expiry,
        });
        self.active = Some(id);
        Some(id)
    }

    /// Shows a tab.
    pub fn activate(&mut self, id: TabId) {
        if self.get(id).is_some() {
            self.active = Some(id);
        }
    }

    /// Closes a tab and shows its neighbor.
    pub fn close(&mut self, id: TabId) {
        let Some(at) = self.open.iter().position(|tab| tab.id == id) else { return };
        let tab = self.open.remove(at);
        self.closed.push(saved(tab));
        if self.closed.len() > CLOSED_TABS_MAX {
            self.closed.remove(0);
        }
        if self.active == Some(id) {
            let neighbour = self.open.get(at).or(self.open.last());
            self.active = neighbour.map(|tab| tab.id);
        }
    }

    /// Closes every tab that `gone` picks, without keeping it for reopening.
    pub fn forget(&mut self, gone: impl Fn(&Namespace) -> bool) {
        let ids: Vec<TabId> =
            self.open.iter().filter(|tab| gone(&tab.namespace)).map(|tab| tab.id).collect();
        for id in ids {
            self.close(id);
        }
        self.closed.retain(|tab| !gone(&tab.namespace));
    }

    /// Forgets every tab, because another store is shown.
    pub fn clear(&mut self) {
        // No id is given twice: an answer that is about a tab of the old store must find none.
        *self = Self { last_id: self.last_id, ..Self::default() };
    }

    /// Gives no name that these tabs gave.
    pub fn number_after(&mut self, other: &Self) {
        self.last_id = self.last_id.max(other.last_id);
    }

    /// Whether a closed tab can be opened again.
    pub fn can_reopen(&self) -> bool {
        !self.closed.is_empty()
    }

    /// The tabs that can be reopened, the one that was closed last at the end.
    pub fn closed(&self) -> &[SavedTab] {
        &self.closed
    }

    /// Sets the tabs that can be reopened.
    pub fn set_closed(&mut self, closed: Vec<SavedTab>) {
        self.closed = closed;
        let surplus = self.closed.len().saturating_sub(CLOSED_TABS_MAX);
        self.closed.drain(..surplus);
    }

    /// Opens the tab that was closed last.
    pub fn reopen(&mut self) -> Option<TabId> {
        let saved = self.closed.pop()?;
        if let Some(tab) = self.open.iter().find(|tab| tab.namespace == saved.namespace) {
            self.active = Some(tab.id);
            return self.active;
        }
        self.add(saved)
    }

    /// Shows the next tab to the right, or to the left, round and round.
    pub fn step(&mut self, forward: bool) {
        let Some(active) = self.active else { return };
        let Some(at) = self.open.iter().position(|tab| tab.id == active) else { return };
        let count = self.open.len();
        let next = if forward { at + 1 } else { at + count - 1 } % count;
        self.active = self.open.get(next).map(|tab| tab.id);
    }

    /// The tabs as they are kept for the next start, and which one is shown.
    pub fn save(&self) -> (Vec<SavedTab>, Option<usize>) {
        let active = self.open.iter().position(|tab| Some(tab.id) == self.active);
        (self.open.iter().cloned().map(saved).collect(), active)
    }
}

fn saved(tab: Tab) -> SavedTab {
    SavedTab {
        namespace: tab.namespace,
        view: tab.view,
        documents: tab.saved_documents,
        aggregate: tab.saved_aggregate,
        expiry: tab.saved_expiry,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tabs(names: &[&str]) -> Tabs {
        let mut tabs = Tabs::default();
        for name in names {
            assert!(tabs.show(&Namespace::new("d", *name)).is_some());
        }
        tabs
    }

    fn shown(tabs: &Tabs) -> &str {
        tabs.active().map_or("", |tab| tab.namespace.collection.as_str())
    }

    #[test]
    fn a_collection_has_one_tab() {
        let mut tabs = tabs(&["a", "b"]);
        tabs.show(&Namespace::new("d", "a"));
        assert_eq!((tabs.open().len(), shown(&tabs)), (2, "a"));
    }

    #[test]
    fn closing_shows_the_neighbour_and_reopening_brings_it_back() {
        let mut tabs = tabs(&["a", "b", "c"]);
        tabs.close(tabs.open()[2].id);
        assert_eq!(shown(&tabs), "b");
        tabs.close(tabs.open()[0].id);
        assert_eq!(shown(&tabs), "b");
        tabs.reopen();
        assert_eq!(shown(&tabs), "a");
        tabs.reopen();
        assert_eq!(shown(&tabs), "c");
        assert!(!tabs.can_reopen());
    }

    #[test]
    fn a_collection_that_is_opened_again_has_its_choices_and_no_filter() {
        let mut tabs = tabs(&["a"]);
        let id = tabs.open()[0].id;
        let documents = SavedDocuments {
            query: QueryText::of_filter("{n: 1}"),
            hidden: ["n".to_owned()].into(),
            ..SavedDocuments::default()
        };
        let tab = tabs.get_mut(id).expect("a tab");
        (tab.saved_documents, tab.view) = (documents.clone(), ViewKind::Indexes);
        tabs.close(id);
        tabs.show(&Namespace::new("d", "a"));
        let shown = tabs.active().expect("a tab");
        let expected = SavedDocuments { query: QueryText::default(), ..documents.clone() };
        assert_eq!((&shown.saved_documents, shown.view), (&expected, ViewKind::Indexes));
        let again = shown.id;
        tabs.close(again);
        tabs.reopen();
        tabs.close(tabs.open()[0].id);
        tabs.set_closed(vec![SavedTab {
            documents: documents.clone(),
            ..tabs.closed()[0].clone()
        }]);
        tabs.reopen();
        let reopened = tabs.active().expect("a tab");
        assert_eq!(reopened.saved_documents, documents, "a reopened tab shows what it showed");
    }

    #[test]
    fn stepping_goes_round() {
        let mut tabs = tabs(&["a", "b", "c"]);
        tabs.step(true);
        assert_eq!(shown(&tabs), "a");
        tabs.step(false);
        assert_eq!(shown(&tabs), "c");
        Tabs::default().step(true);
    }

    #[test]
    fn a_name_is_never_given_twice() {
        let mut tabs = tabs(&["a"]);
        let old = tabs.open()[0].id;
        tabs.clear();
        assert!(tabs.open().is_empty() && !tabs.can_reopen());
        assert_ne!(tabs.show(&Namespace::new("d", "a")), Some(old));
        assert_eq!(tabs.get(old), None);
    }

    #[test]
    fn a_dropped_collection_does_not_come_back() {
        let mut tabs = tabs(&["a", "b"]);
        tabs.forget(|namespace| namespace.collection == "b");
        assert_eq!(shown(&tabs), "a");
        assert!(!tabs.can_reopen());
    }
}
