//! The Documents view of a tab.

mod damaged;
mod reading;
mod selection;
mod writing;

#[cfg(test)]
mod tests;

use bson::Bson;

pub use reading::{abandon, refresh, show_filter};
pub(super) use writing::first_write_error;

use super::Apply;
use crate::action::DocumentsAction;
use crate::action::documents::How;
use crate::state::documents::view::next_sort;
use crate::state::documents::{DocumentsView, Focused, Origin, Purpose, QueryText};
use crate::state::toasts::Kind;
use crate::state::{State, TabId};
use crate::worker::Reply;

/// Carries out one action.
pub fn apply(tab: TabId, action: DocumentsAction, cx: &mut Apply<'_>) {
    match action {
        DocumentsAction::Refresh => refresh(tab, cx),
        DocumentsAction::Run => reading::run_draft(tab, cx),
        DocumentsAction::RunFilter(filter) => {
            cx.state.drafts.tab(tab).documents.query.filter = filter;
            reading::run_draft(tab, cx);
        }
        DocumentsAction::Reset => {
            cx.state.drafts.tab(tab).documents.query = QueryText::default();
            reading::run_draft(tab, cx);
        }
        DocumentsAction::Stop => reading::stop(tab, cx),
        DocumentsAction::Want(first, end) => reading::want(tab, first..end, cx),
        DocumentsAction::SetMode(mode) => {
            with(cx.state, tab, |view| view.mode = mode);
            reading::save(tab, cx.state);
        }
        DocumentsAction::Select { row, id, how } => select(tab, row, &id, how, cx),
        DocumentsAction::SelectAll => selection::all(tab, cx),
        DocumentsAction::SelectNothing => with(cx.state, tab, |view| view.selected.clear()),
        DocumentsAction::Sort(field) => sort(tab, &field, cx),
        DocumentsAction::SetHidden { field, hidden } => {
            with(cx.state, tab, |view| {
                if hidden {
                    view.hidden.insert(field);
                } else {
                    view.hidden.remove(&field);
                }
            });
            reading::save(tab, cx.state);
        }
        DocumentsAction::Add => writing::open_add(tab, cx.state),
        DocumentsAction::Edit(id) => reading::open(tab, &id, false, cx),
        DocumentsAction::Clone(id) => reading::open(tab, &id, true, cx),
        DocumentsAction::SaveEditor => writing::save_editor(tab, cx),
        DocumentsAction::TakeTheirs => writing::take_theirs(tab, cx.state),
        DocumentsAction::SaveField => writing::save_field(tab, cx),
        DocumentsAction::TellTooLong(bytes) => reading::too_long(bytes, cx.state),
        DocumentsAction::AskDelete(id) => with(cx.state, tab, |view| view.confirming = Some(id)),
        DocumentsAction::AskDeleteSelected => writing::ask_delete_selected(tab, cx.state),
        DocumentsAction::KeepDocument => with(cx.state, tab, |view| view.confirming = None),
        DocumentsAction::Delete(ids) => writing::delete(tab, &ids, cx),
        DocumentsAction::ShowDamaged => damaged::show(tab, cx),
        DocumentsAction::RemoveDamaged => damaged::remove(tab, cx),
        DocumentsAction::Undo => writing::undo(tab, cx),
        DocumentsAction::Redo => writing::redo(tab, cx),
        DocumentsAction::SkipUndo => writing::skip(tab, Origin::Undo, cx.state),
        DocumentsAction::SkipRedo => writing::skip(tab, Origin::Redo, cx.state),
    }
}

fn with(state: &mut State, tab: TabId, change: impl FnOnce(&mut DocumentsView)) {
    if let Some(tab) = state.tabs.get_mut(tab) {
        change(&mut tab.documents);
    }
}

fn select(tab: TabId, row: u64, id: &Bson, how: How, cx: &mut Apply<'_>) {
    let edit = cx.state.drafts.tab(tab).documents.field.as_ref();
    if edit.is_some_and(|edit| edit.is_changed() && edit.opened.get("_id") != Some(id)) {
        let text = "You have an unsaved edit in the inspector; save or cancel it first";
        cx.state.toasts.push(Kind::Warning, text, None, cx.state.uptime);
        return;
    }
    let (mut room, mut range) = (true, None);
    with(cx.state, tab, |view| {
        match how {
            How::Only => view.select_only(row, id),
            How::Toggle => room = view.toggle(row, id),
            How::Range => range = Some(view.range_to(row, id)),
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
        selection::too_many(None, cx.state);
    }
    if let Some(range) = range {
        selection::range(tab, range, cx);
    }
    reading::ask_focus(tab, cx);
}

fn sort(tab: TabId, field: &str, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let sort = next_sort(field, open.documents.sorted_by(field));
    let text = QueryText { sort: sort.clone(), ..open.documents.text.clone() };
    cx.state.drafts.tab(tab).documents.query.sort = sort;
    reading::run(tab, text, cx);
}

/// Handles a reply.
pub fn answer(tab: TabId, purpose: &Purpose, generation: u64, reply: &Reply, cx: &mut Apply<'_>) {
    ended(tab, generation, cx.state);
    match purpose {
        Purpose::Page { run, first } => reading::page(tab, *run, *first, reply, cx),
        Purpose::Count { run } => reading::count(tab, *run, reply, cx.state),
        Purpose::Indexes => reading::indexes(tab, reply, cx),
        Purpose::Due { .. } => reading::due(tab, reply, cx.state),
        Purpose::Range(range) => selection::ranged(tab, range, reply, cx.state),
        Purpose::All => selection::all_found(tab, reply, cx.state),
        Purpose::Whole => reading::whole(tab, reply, cx.state),
        Purpose::Verdict => reading::verdict(tab, reply, cx.state),
        Purpose::Open { clone } => reading::opened(tab, *clone, reply, cx.state),
        Purpose::Close => {}
        Purpose::Damaged => damaged::listed(tab, reply, cx),
        Purpose::RemoveDamaged => damaged::removed(tab, reply, cx),
        Purpose::Check => writing::checked(tab, reply, cx),
        Purpose::DeleteRead => writing::read_for_delete(tab, reply, cx),
        Purpose::Write => writing::written(tab, reply, cx),
    }
}

/// A query is answered, or will not be.
pub fn ended(tab: TabId, generation: u64, state: &mut State) {
    with(state, tab, |view| view.running.retain(|of, _| *of != generation));
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
