//! The Documents view of a tab.

mod damaged;
mod reading;
mod writing;

#[cfg(test)]
mod tests;

use bson::Bson;

pub use reading::{refresh, show_filter};
pub(super) use writing::first_write_error;

use super::Effects;
use crate::action::DocumentsAction;
use crate::action::documents::How;
use crate::limits::SELECTED_MAX;
use crate::state::documents::view::next_sort;
use crate::state::documents::{DocumentsView, Focused, Origin, Purpose, QueryText};
use crate::state::toasts::Kind;
use crate::state::{State, TabId};
use crate::worker::Reply;

/// Carries out one action.
pub fn apply(tab: TabId, action: DocumentsAction, state: &mut State, effects: &mut Effects) {
    match action {
        DocumentsAction::Refresh => refresh(tab, state, effects),
        DocumentsAction::Run => reading::run_draft(tab, state, effects),
        DocumentsAction::RunFilter(filter) => {
            state.drafts.tab(tab).documents.query.filter = filter;
            reading::run_draft(tab, state, effects);
        }
        DocumentsAction::Reset => {
            state.drafts.tab(tab).documents.query = QueryText::default();
            reading::run_draft(tab, state, effects);
        }
        DocumentsAction::Want(first, end) => reading::want(tab, first..end, state, effects),
        DocumentsAction::SetMode(mode) => {
            with(state, tab, |view| view.mode = mode);
            reading::save(tab, state);
        }
        DocumentsAction::Select { row, id, how } => select(tab, row, &id, how, state, effects),
        DocumentsAction::SelectNothing => with(state, tab, |view| view.selected.clear()),
        DocumentsAction::Sort(field) => sort(tab, &field, state, effects),
        DocumentsAction::SetHidden { field, hidden } => {
            with(state, tab, |view| {
                if hidden {
                    view.hidden.insert(field);
                } else {
                    view.hidden.remove(&field);
                }
            });
            reading::save(tab, state);
        }
        DocumentsAction::Add => writing::open_add(tab, state),
        DocumentsAction::Edit(id) => reading::open(tab, &id, false, state, effects),
        DocumentsAction::Clone(id) => reading::open(tab, &id, true, state, effects),
        DocumentsAction::SaveEditor => writing::save_editor(tab, state, effects),
        DocumentsAction::TakeTheirs => writing::take_theirs(tab, state),
        DocumentsAction::SaveField => writing::save_field(tab, state, effects),
        DocumentsAction::TellTooLong(bytes) => reading::too_long(bytes, state),
        DocumentsAction::AskDelete(id) => with(state, tab, |view| view.confirming = Some(id)),
        DocumentsAction::AskDeleteSelected => writing::ask_delete_selected(tab, state),
        DocumentsAction::KeepDocument => with(state, tab, |view| view.confirming = None),
        DocumentsAction::Delete(ids) => writing::delete(tab, &ids, state, effects),
        DocumentsAction::ShowDamaged => damaged::show(tab, state, effects),
        DocumentsAction::RemoveDamaged => damaged::remove(tab, state, effects),
        DocumentsAction::Undo => writing::undo(tab, state, effects),
        DocumentsAction::Redo => writing::redo(tab, state, effects),
        DocumentsAction::SkipUndo => writing::skip(tab, Origin::Undo, state),
        DocumentsAction::SkipRedo => writing::skip(tab, Origin::Redo, state),
    }
}

fn with(state: &mut State, tab: TabId, change: impl FnOnce(&mut DocumentsView)) {
    if let Some(tab) = state.tabs.get_mut(tab) {
        change(&mut tab.documents);
    }
}

fn select(tab: TabId, row: u64, id: &Bson, how: How, state: &mut State, effects: &mut Effects) {
    let edit = state.drafts.tab(tab).documents.field.as_ref();
    if edit.is_some_and(|edit| edit.is_changed() && edit.opened.get("_id") != Some(id)) {
        let text = "You have an unsaved edit in the inspector; save or cancel it first";
        state.toasts.push(Kind::Warning, text, None, state.uptime);
        return;
    }
    let mut room = true;
    with(state, tab, |view| {
        match how {
            How::Only => view.select_only(row, id),
            How::Toggle => room = view.toggle(row, id),
            How::Range => view.select_to(row),
        }
        if !view.is_focused(id) {
            let mut focus = Focused::new(id.clone());
            // What the list shows is shown at once; the whole follows.
            if view.query.is_whole() {
                focus.document = view.pages.row(row).map(|row| row.document.clone());
            }
            view.focus = Some(focus);
        }
    });
    if !room {
        let text = format!("You can select up to {SELECTED_MAX} documents");
        state.toasts.push(Kind::Warning, text, None, state.uptime);
    }
    reading::ask_focus(tab, state, effects);
}

fn sort(tab: TabId, field: &str, state: &mut State, effects: &mut Effects) {
    let Some(open) = state.tabs.get(tab) else { return };
    let sort = next_sort(field, open.documents.sorted_by(field));
    let text = QueryText { sort: sort.clone(), ..open.documents.text.clone() };
    state.drafts.tab(tab).documents.query.sort = sort;
    reading::run(tab, text, state, effects);
}

/// Takes over an answer.
pub fn answer(
    tab: TabId,
    purpose: &Purpose,
    _generation: u64,
    reply: &Reply,
    state: &mut State,
    effects: &mut Effects,
) {
    match purpose {
        Purpose::Page { run, first } => reading::page(tab, *run, *first, reply, state, effects),
        Purpose::Count { run } => reading::count(tab, *run, reply, state),
        Purpose::Indexes => reading::indexes(tab, reply, state, effects),
        Purpose::Due { .. } => reading::due(tab, reply, state),
        Purpose::Whole => reading::whole(tab, reply, state),
        Purpose::Verdict => reading::verdict(tab, reply, state),
        Purpose::Open { clone } => reading::opened(tab, *clone, reply, state),
        Purpose::Close => {}
        Purpose::Damaged => damaged::listed(tab, reply, state, effects),
        Purpose::RemoveDamaged => damaged::removed(tab, reply, state, effects),
        Purpose::Check => writing::checked(tab, reply, state, effects),
        Purpose::DeleteRead => writing::read_for_delete(tab, reply, state, effects),
        Purpose::Write => writing::written(tab, reply, state, effects),
    }
}

/// A job that will not be answered: what it was for may be asked again.
pub fn dropped(tab: TabId, purpose: &Purpose, state: &mut State) {
    match purpose {
        Purpose::Page { run, first } => {
            with(state, tab, |view| view.pages.failed(*run, *first));
        }
        Purpose::Check | Purpose::DeleteRead | Purpose::Write => writing::dropped(tab, state),
        Purpose::RemoveDamaged => damaged::dropped(tab, state),
        _ => {}
    }
}

/// Whether the window asks this by itself, to keep what it shows fresh.
#[must_use]
pub fn is_background(purpose: &Purpose) -> bool {
    !matches!(
        purpose,
        Purpose::Write | Purpose::Damaged | Purpose::RemoveDamaged | Purpose::Page { first: 0, .. }
    )
}
