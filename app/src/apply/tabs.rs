//! Tabs and views.

use super::{Effects, documents, expiry, indexes};
use crate::action::TabsAction;
use crate::limits::TABS_MAX;
use crate::state::tabs::ViewKind;
use crate::state::toasts::Kind;
use crate::state::{Namespace, State, TabId};

/// Carries out one action.
pub fn apply(action: TabsAction, state: &mut State, effects: &mut Effects) {
    match action {
        TabsAction::Show(namespace) => show(&namespace, state),
        TabsAction::ShowView(namespace, view) => {
            show(&namespace, state);
            set_view(view, state);
        }
        TabsAction::Activate(id) => state.tabs.activate(id),
        TabsAction::Close(id) => close(id, state),
        TabsAction::CloseOthers(kept) => {
            let others: Vec<TabId> =
                state.tabs.open().iter().map(|tab| tab.id).filter(|id| *id != kept).collect();
            for id in others {
                close(id, state);
            }
        }
        TabsAction::Reopen => {
            state.tabs.reopen();
        }
        TabsAction::Step { forward } => state.tabs.step(forward),
        TabsAction::View(view) => set_view(view, state),
        TabsAction::Focus(focus) => state.view.focus = Some(focus),
    }
    freshen(state, effects);
}

/// Asks for what the shown view lacks.
pub fn freshen(state: &mut State, effects: &mut Effects) {
    if !state.is_open() {
        return;
    }
    let Some(tab) = state.tabs.active() else { return };
    let id = tab.id;
    match tab.view {
        ViewKind::Documents if !tab.documents.asked => documents::refresh(id, state, effects),
        ViewKind::Expiry if !tab.expiry.asked => expiry::refresh(id, state, effects),
        ViewKind::Indexes if !tab.indexes.asked => indexes::refresh(id, state, effects),
        _ => {}
    }
}

/// Marks what every tab of a collection shows as old, then asks for what is on the screen.
pub fn data_changed(namespace: Option<&Namespace>, state: &mut State, effects: &mut Effects) {
    for tab in state.tabs.open_mut() {
        if namespace.is_none_or(|changed| *changed == tab.namespace) {
            tab.documents.asked = false;
            tab.expiry.asked = false;
            tab.indexes.asked = false;
        }
    }
    freshen(state, effects);
}

/// Closes a tab and forgets what was typed in it.
fn close(id: TabId, state: &mut State) {
    state.tabs.close(id);
    state.drafts.tabs.remove(&id);
}

fn show(namespace: &Namespace, state: &mut State) {
    if state.tabs.show(namespace).is_none() {
        let text = format!("{TABS_MAX} tabs are open; close one first");
        state.toasts.push(Kind::Warning, text, None, state.uptime);
    }
}

pub(super) fn set_view(view: ViewKind, state: &mut State) {
    if let Some(tab) = state.tabs.active_mut() {
        tab.view = view;
    }
}
