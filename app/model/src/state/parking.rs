//! A store taken off the screen, and shown again.

use std::collections::HashMap;

use super::parked_store::{ParkedStore, StoreBeside};
use crate::job::OpenRequest;
use crate::state::changes::Changes;
use crate::state::drafts::TabDraft;
use crate::state::{Namespace, Phase, State, Tab, TabId, Tabs};

impl ParkedStore {
    /// Takes what is known of the store out of the state, which then shows none.
    #[must_use]
    pub fn park(state: &mut State) -> Self {
        let mut tabs = state.tabs.clone();
        tabs.open_mut().iter_mut().for_each(Tab::stop_waiting);
        // Answers that are under way must find no tab of the lesson.
        state.tabs.clear();
        let walker = state.store.request.walker.clone();
        let store = std::mem::take(&mut state.store);
        state.store.request = OpenRequest { walker, ..OpenRequest::default() };
        let clock = state.clock.clone();
        state.first_tab = None;
        state.switched_at = state.generation;
        Self {
            store,
            clock,
            tabs,
            reaper: std::mem::take(&mut state.reaper),
            tree: std::mem::take(&mut state.tree),
            maintenance: std::mem::take(&mut state.maintenance),
            listener: std::mem::take(&mut state.listener),
            trash: std::mem::take(&mut state.trash),
            console: std::mem::take(&mut state.console),
            changes: std::mem::take(&mut state.changes),
            tab_drafts: std::mem::take(&mut state.drafts.tabs),
            console_draft: std::mem::take(&mut state.drafts.console),
            queries: std::mem::take(&mut state.queries),
        }
    }

    /// The changes to follow when it is shown again.
    pub fn changes_mut(&mut self) -> &mut Changes {
        &mut self.changes
    }

    /// Shows it again. What was shown before is gone.
    pub fn unpark(self, state: &mut State) {
        let mut tabs = self.tabs;
        tabs.number_after(&state.tabs);
        let zone = state.clock.zone();
        state.tabs = tabs;
        state.store = self.store;
        state.commands.continue_store(state.store.number);
        state.clock = self.clock;
        state.clock.set_zone(zone);
        state.reaper = self.reaper;
        state.tree = self.tree;
        state.maintenance = self.maintenance;
        state.listener = self.listener;
        state.trash = self.trash;
        state.console = self.console;
        state.changes = self.changes;
        state.drafts.tabs = self.tab_drafts;
        state.drafts.console = self.console_draft;
        state.queries = self.queries;
        state.first_tab = None;
        state.switched_at = state.generation;
    }
}

impl StoreBeside {
    /// Takes the store that is shown, in which no import, export or conversion runs, off the screen.
    #[must_use]
    pub fn set_aside(state: &mut State) -> Self {
        let mut transfer = std::mem::take(&mut state.transfer);
        // An operation may be asked for again in any store.
        state.transfer.again = std::mem::take(&mut transfer.again);
        state.transfer.folder.clone_from(&transfer.folder);
        Self { parked: ParkedStore::park(state), transfer }
    }

    /// Shows it again. What was shown before is gone.
    pub fn show(mut self, state: &mut State) {
        self.transfer.again = std::mem::take(&mut state.transfer.again);
        state.transfer = self.transfer;
        self.parked.unpark(state);
    }

    pub fn is_sandbox(&self) -> bool {
        self.parked.store.request.sandbox.is_some()
    }

    /// Its number among the open stores.
    pub fn slot(&self) -> u32 {
        self.parked.store.slot
    }
}

/// The collections of open tabs in which a value was typed that is not saved.
fn unsaved_in(tabs: &Tabs, drafts: &HashMap<TabId, TabDraft>) -> impl Iterator<Item = Namespace> {
    let is_unsaved = |tab: &&Tab| drafts.get(&tab.id).is_some_and(TabDraft::has_unsaved_value);
    tabs.open().iter().filter(is_unsaved).map(|tab| tab.namespace.clone())
}

impl State {
    /// The open store of this number while it is not on the screen.
    pub fn parked_mut(&mut self, slot: u32) -> Option<&mut ParkedStore> {
        let own = self.lessons.playing.iter_mut().map(|playing| &mut *playing.own);
        let parked = self.beside.iter_mut().map(|beside| &mut beside.parked).chain(own);
        parked.into_iter().find(|parked| parked.store.slot == slot)
    }

    /// The collections in which a value was typed that is not saved, in every open store.
    pub fn unsaved_values(&self) -> impl Iterator<Item = Namespace> {
        let own = self.lessons.playing.iter().map(|playing| &*playing.own);
        let parked = self.beside.iter().map(|beside| &beside.parked).chain(own);
        let shown = unsaved_in(&self.tabs, &self.drafts.tabs);
        shown.chain(parked.flat_map(|parked| unsaved_in(&parked.tabs, &parked.tab_drafts)))
    }

    /// Why the store on the screen can neither be left open nor be closed, as a clause after its
    /// name. `None` if it can.
    pub fn why_store_stays(&self) -> Option<&'static str> {
        let runs = !self.transfer.running.is_empty()
            || !self.bulk.is_empty()
            || self.maintenance.running.is_some();
        let writes = self.tabs.open().iter().any(|tab| tab.documents.writing.is_some());
        match self.store.phase {
            Phase::Away(_) => Some("is being worked on; wait for it to end"),
            Phase::Opening => Some("is being opened; wait for it"),
            _ if writes => Some("has a change on its way; wait for its answer"),
            _ if runs => Some("has an operation under way; wait for it or stop it in Operations"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Namespace;

    #[test]
    fn a_question_without_an_answer_is_asked_again() {
        let mut state = State::default();
        let id = state.tabs.show(&Namespace::new("demo", "sessions")).expect("a tab");
        let tab = state.tabs.get_mut(id).expect("it is open");
        tab.documents.running.insert(1, std::time::Duration::ZERO);
        tab.aggregate.asked = true;
        tab.aggregate.running.insert(2, std::time::Duration::ZERO);
        tab.schema.begin(bson::Document::new(), 3);
        ParkedStore::park(&mut state).unpark(&mut state);
        let tab = state.tabs.get(id).expect("it is back");
        assert!(tab.documents.running.is_empty() && tab.aggregate.running.is_empty());
        assert!(!tab.aggregate.asked && !tab.schema.asked && !tab.schema.is_reading());
    }

    #[test]
    fn a_parked_store_comes_back_and_no_tab_number_is_given_twice() {
        let mut state = State::default();
        let own = state.tabs.show(&Namespace::new("demo", "sessions"));
        state.generation = 7;
        state.store.name = "mine".to_owned();
        let parked = ParkedStore::park(&mut state);
        assert!(state.tabs.open().is_empty() && state.store.name.is_empty());
        assert_eq!(state.switched_at, 7);
        let lesson = state.tabs.show(&Namespace::new("lesson", "sessions"));
        assert_ne!(own, lesson);
        parked.unpark(&mut state);
        assert_eq!(state.tabs.active().map(|tab| tab.id), own);
        assert_eq!(state.store.name, "mine");
        let next = state.tabs.show(&Namespace::new("demo", "other"));
        assert!(next != own && next != lesson);
    }
}
