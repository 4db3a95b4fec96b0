//! The Documents view of a tab.

mod answers;
pub mod bulk;
mod damaged;
mod fields;
mod lookup;
mod queries;
mod reading;
mod selection;
mod tab;
mod writing;

#[cfg(test)]
mod tests;

use bulk::Asked;
pub use reading::{abandon, refresh, set_filter, show_filter};
pub(super) use writing::first_write_error;

use self::tab::with;
use super::Apply;
use super::lock;
use crate::action::DocumentsAction;
use crate::state::TabId;
use crate::state::documents::view::{next_sort, sort_text};
use crate::state::documents::{Origin, QueryText};

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
