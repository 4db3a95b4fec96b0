//! The Documents view of a tab.

pub mod bulk;
mod damaged;
mod fields;
mod lookup;
mod queries;
mod reading;
mod selection;
mod writing;

#[cfg(test)]
mod tests;

use bulk::Asked;
pub use reading::{abandon, refresh, set_filter, show_filter};
pub(super) use writing::first_write_error;

use super::Apply;
use super::lock;
use crate::action::DocumentsAction;
use crate::state::documents::view::{next_sort, sort_text};
use crate::state::documents::{DocumentsView, Origin, Purpose, QueryText};
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
        DocumentsAction::RunQuery(text) => queries::run(tab, *text, cx),
        DocumentsAction::OpenQuery(query) => queries::open(*query, cx),
        DocumentsAction::KeepQuery(name) => queries::keep(tab, &name, cx),
        DocumentsAction::ForgetQuery(query) => cx.state.queries.forget(&query),
        DocumentsAction::CopyAs(language) => queries::copy_as(tab, language, cx),
        DocumentsAction::Stop => reading::stop(tab, cx),
        DocumentsAction::Want(first, end) => reading::want(tab, first..end, cx),
        DocumentsAction::SetMode(mode) => {
            cx.state.settings.documents_mode = mode;
            with(cx.state, tab, |view| view.mode = mode);
            reading::save(tab, cx.state);
        }
        DocumentsAction::Select { row, id, how } => selection::select(tab, row, &id, how, cx),
        DocumentsAction::Go { row, extends } => selection::go(tab, row, extends, cx),
        DocumentsAction::FoldAll(all) => cx.state.drafts.tab(tab).documents.folds.set_all(all),
        DocumentsAction::SelectAll => selection::all(tab, cx),
        DocumentsAction::Copy(form) => selection::copy(tab, form, cx),
        DocumentsAction::SelectNothing => with(cx.state, tab, |view| view.selected.clear()),
        DocumentsAction::Sort(field) => sort(tab, &field, cx),
        DocumentsAction::SortBy(path, up) => sort_by(tab, &path, up, cx),
        DocumentsAction::Narrow(condition) => reading::narrow(tab, &condition, cx),
        DocumentsAction::SetHidden { field, hidden } => {
            with(cx.state, tab, |view| view.set_hidden(field, hidden));
            reading::save(tab, cx.state);
        }
        DocumentsAction::SetExpanded { field, expanded } => {
            with(cx.state, tab, |view| view.set_expanded(field, expanded));
            reading::save(tab, cx.state);
        }
        DocumentsAction::Add => writing::open_add(tab, cx.state),
        DocumentsAction::Paste(text) => writing::open_paste(tab, text, cx),
        DocumentsAction::Edit(id) => reading::open(tab, &id, false, cx),
        DocumentsAction::Clone(id) => reading::open(tab, &id, true, cx),
        DocumentsAction::SaveEditor => writing::save_editor(tab, cx),
        DocumentsAction::TakeTheirs => writing::take_theirs(tab, cx.state),
        DocumentsAction::Field { id, task } => fields::ask(tab, &id, task, cx),
        DocumentsAction::Compare(ids) => lookup::compare(tab, &ids, cx),
        DocumentsAction::SaveField => writing::save_field(tab, cx),
        DocumentsAction::AskDelete(id) => with(cx.state, tab, |view| view.confirming = Some(id)),
        DocumentsAction::AskDeleteSelected => bulk::open(tab, Asked::Delete, cx),
        DocumentsAction::AskUpdateSelected => bulk::open(tab, Asked::Update, cx),
        DocumentsAction::AskCopySelected => bulk::open(tab, Asked::Copy, cx),
        DocumentsAction::Change(_) if lock::refuses(cx.state) => {}
        DocumentsAction::Change(change) => bulk::start(tab, *change, Origin::Person, cx),
        DocumentsAction::KeepDocument => with(cx.state, tab, |view| view.confirming = None),
        DocumentsAction::Delete(id) => writing::delete(tab, id, cx),
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

fn sort_by(tab: TabId, path: &str, up: Option<bool>, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let sort = up.map(|up| sort_text(path, up)).unwrap_or_default();
    let text = QueryText { sort: sort.clone(), ..open.documents.text.clone() };
    cx.state.drafts.tab(tab).documents.query.sort = sort;
    reading::run(tab, text, cx);
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
        Purpose::Range => selection::ranged(tab, reply, cx.state),
        Purpose::All => selection::all_found(tab, reply, cx),
        Purpose::Copy(form) => selection::copy_read(tab, *form, reply, cx),
        Purpose::Whole => reading::whole(tab, reply, cx.state),
        Purpose::Verdict => reading::verdict(tab, reply, cx.state),
        Purpose::Open { clone } => reading::opened(tab, *clone, reply, cx.state),
        Purpose::Compare { left } => lookup::compared(tab, left, reply, cx.state),
        Purpose::Reference(collection) => lookup::reference(tab, collection, reply, cx),
        Purpose::Field(task) => fields::read(tab, task, reply, cx),
        // A command of its work. Its end has a separate outcome.
        Purpose::Close | Purpose::Bulk(_) => {}
        Purpose::Damaged => damaged::listed(tab, reply, cx),
        Purpose::RemoveDamaged => damaged::removed(tab, reply, cx),
        Purpose::Check => writing::checked(tab, reply, cx),
        Purpose::DeleteRead => writing::read_for_delete(tab, reply, cx),
        Purpose::Write => writing::written(tab, reply, cx),
        Purpose::Measure => bulk::measured(tab, reply, cx.state),
        Purpose::Known => reading::known(tab, reply, cx.state),
        Purpose::Sample => bulk::sampled(tab, reply, cx.state),
    }
}

/// A query is answered, or will not be.
pub fn ended(tab: TabId, generation: u64, state: &mut State) {
    with(state, tab, |view| view.running.retain(|of, _| *of != generation));
}

/// A job that will not be answered: what it was for may be asked again.
pub fn dropped(tab: TabId, purpose: &Purpose, cx: &mut Apply<'_>) {
    let state = &mut *cx.state;
    match purpose {
        Purpose::Page { run, first } => {
            with(state, tab, |view| view.pages.failed(*run, *first));
        }
        Purpose::Check | Purpose::DeleteRead | Purpose::Write => writing::dropped(tab, state),
        Purpose::RemoveDamaged => damaged::dropped(tab, state),
        Purpose::Bulk(operation) => bulk::dropped(*operation, cx),
        // The others may still find it, but not all have said so.
        Purpose::Reference(_) => with(state, tab, |view| view.reference = None),
        _ => {}
    }
}

/// Whether the window asks this by itself, to keep what it shows fresh.
pub fn is_background(purpose: &Purpose) -> bool {
    !matches!(
        purpose,
        Purpose::Write
            | Purpose::Bulk(_)
            | Purpose::Damaged
            | Purpose::RemoveDamaged
            | Purpose::Page { first: 0, .. }
    )
}
