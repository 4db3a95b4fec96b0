//! Tabs and views.

use super::question::Question;
use super::recount::stale;
use super::{Apply, aggregate, documents, expiry, indexes, recount, schema};
use crate::action::TabsAction;
use crate::commands;
use crate::job::slow_read::SlowRead;
use crate::limits::TABS_MAX;
use crate::state::changes::Change;
use crate::state::store::{Next, Order};
use crate::state::tabs::ViewKind;
use crate::state::toasts::Kind;
use crate::state::view::Focus;
use crate::state::{Namespace, State, TabId};
use crate::worker::Reply;

/// Carries out one action.
pub fn apply(action: TabsAction, cx: &mut Apply<'_>) {
    let is_kept =
        matches!(&action, TabsAction::Close(_) | TabsAction::CloseOthers(_) | TabsAction::Focus(_));
    if !is_kept {
        cx.state.lessons.is_page_shown = false;
        cx.state.view.is_start_shown = false;
    }
    match action {
        TabsAction::Show(namespace) => {
            show(&namespace, cx.state);
            choose_view(&namespace, cx);
        }
        TabsAction::ShowView(namespace, view) => {
            show(&namespace, cx.state);
            set_view(view, cx.state);
        }
        TabsAction::Activate(id) => cx.state.tabs.activate(id),
        TabsAction::Close(id) => close(id, cx),
        TabsAction::CloseOthers(kept) => {
            let others: Vec<TabId> =
                cx.state.tabs.open().iter().map(|tab| tab.id).filter(|id| *id != kept).collect();
            for id in others {
                close(id, cx);
            }
        }
        TabsAction::Reopen => {
            cx.state.tabs.reopen();
        }
        TabsAction::Step { forward } => cx.state.tabs.step(forward),
        TabsAction::View(view) => set_view(view, cx.state),
        TabsAction::Focus(focus) => {
            // Only Documents has a filter; what is typed next must not be lost.
            if focus == Focus::Filter {
                set_view(ViewKind::Documents, cx.state);
            }
            cx.state.view.focus = Some(focus);
        }
    }
    freshen(cx);
}

/// Queries what the shown view lacks.
pub fn freshen(cx: &mut Apply<'_>) {
    if !cx.state.is_open() {
        return;
    }
    if let Some(tab) = cx.state.tabs.active().map(|tab| tab.id) {
        freshen_tab(tab, cx);
    }
    // A lesson may show several collections together.
    for tab in cx.state.tabs_together() {
        freshen_tab(tab, cx);
    }
}

fn freshen_tab(id: TabId, cx: &mut Apply<'_>) {
    let Some(tab) = cx.state.tabs.get(id) else { return };
    match tab.view {
        ViewKind::Documents if !tab.documents.asked => documents::refresh(id, cx),
        ViewKind::Schema if schema::is_outdated(id, cx.state) => schema::refresh(id, cx),
        ViewKind::Aggregate if !tab.aggregate.asked => aggregate::refresh(id, cx),
        ViewKind::Expiry if !tab.expiry.asked => expiry::refresh(id, cx),
        ViewKind::Indexes if !tab.indexes.asked => indexes::refresh(id, cx),
        _ => {}
    }
}

/// Documents of a collection changed, or of any.
pub fn data_changed(namespace: Option<&Namespace>, cx: &mut Apply<'_>) {
    changed(namespace, Change::Documents, cx);
}

/// Marks what every tab of a collection shows as old, then queries what is on the screen.
pub fn changed(namespace: Option<&Namespace>, change: Change, cx: &mut Apply<'_>) {
    recount::note(namespace, cx.state);
    for tab in cx.state.tabs.open_mut() {
        if namespace.is_none_or(|changed| *changed == tab.namespace) {
            tab.documents.asked = false;
            tab.expiry.asked = false;
            tab.indexes.asked = false;
            if change == Change::Documents {
                // A pipeline may read everything: the user runs it again.
                tab.aggregate.is_old = tab.aggregate.asked;
                // Reading everything again with each change would never end.
                tab.schema.is_stale = tab.schema.asked;
            }
        }
    }
    freshen(cx);
}

/// Closes a tab, ends its queries and forgets what was typed in it.
fn close(id: TabId, cx: &mut Apply<'_>) {
    cx.abandon(id, SlowRead::ALL);
    cx.state.tabs.close(id);
    cx.state.drafts.tabs.remove(&id);
}

pub(super) fn show(namespace: &Namespace, state: &mut State) {
    if state.tabs.show(namespace).is_none() {
        let text = format!("{TABS_MAX} tabs are open; close one first");
        state.toast(Kind::Warning, text);
    }
}

/// Queries when the first document of some more collections expires, if their order depends on it.
/// Each reply queries one more, until all are known.
pub(super) fn ask_unseen(max: usize, cx: &mut Apply<'_>) {
    if cx.state.settings.order == Order::Soonest {
        for namespace in cx.state.tree.take_unseen(max) {
            next(&namespace, cx);
        }
    }
}

/// Asks when the next document of a collection expires.
pub(super) fn next(namespace: &Namespace, cx: &mut Apply<'_>) {
    let command = commands::expiry::expiring(&namespace.collection, 1.into(), None);
    cx.ask(Soonest(namespace.clone()), &namespace.db, command);
}

/// The soonest document of a collection.
#[derive(Debug, PartialEq)]
pub(super) struct Soonest(pub(super) Namespace);

impl Question for Soonest {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let next = reply.result.as_ref().map_or(Next::Unknown, Next::of);
        if let Some(collection) = cx.state.tree.collection_mut(&self.0) {
            collection.next = next;
        }
        if next != Next::Unknown {
            choose_view(&self.0, cx);
            freshen(cx);
        }
        ask_unseen(1, cx);
    }

    fn refused(&self, _: u64, _: Reply, cx: &mut Apply<'_>) {
        stale(&self.0, cx.state);
    }
}

/// A collection without a TTL index has nothing to show in time: it opens on its documents.
pub fn choose_view(namespace: &Namespace, cx: &mut Apply<'_>) {
    let known = cx.state.tree.collection(namespace).map(|collection| collection.next);
    let open = cx.state.tabs.open_mut().iter_mut().find(|tab| tab.namespace == *namespace);
    let Some(tab) = open.filter(|tab| !tab.is_view_chosen) else { return };
    match known {
        Some(Next::Unknown) => next(namespace, cx),
        Some(Next::NoTtl) => {
            tab.view = ViewKind::Documents;
            tab.is_view_chosen = true;
        }
        Some(Next::Never | Next::At(_)) => tab.is_view_chosen = true,
        None => {}
    }
}

pub(super) fn set_view(view: ViewKind, state: &mut State) {
    if let Some(tab) = state.tabs.active_mut() {
        tab.is_view_chosen = true;
        tab.view = view;
    }
}
