//! The selection. The store is asked for the `_id`s of rows that are not loaded.

use bson::{Bson, Document};

use super::reading::{ask, ask_focus, want};
use super::tab::with;
use crate::action::view_actions::How;
use crate::apply::Apply;
use crate::apply::clipboard::copy_lines;
use crate::apply::question::Question;
use crate::job::bulk::Target;
use crate::job::reply::documents;
use crate::job::slow_read::SlowRead;
use crate::limits::{COPIED_DOCUMENTS_MAX, SELECTED_MAX};
use crate::state::documents::change::id_of;
use crate::state::documents::{
    CopyForm, DocumentsView, Focused, Query, Row, RowRange, Selection, clipboard,
};
use crate::state::number::{self, counted};
use crate::state::toasts::Kind;
use crate::state::{State, TabId};
use crate::worker::Reply;

pub fn select(tab: TabId, row: u64, id: &Bson, how: How, cx: &mut Apply<'_>) {
    if has_unsaved(tab, Some(id), cx.state) {
        return;
    }
    let (mut room, mut wanted) = (true, None);
    with(cx.state, tab, |view| {
        match how {
            How::Only => view.select_only(row, id),
            How::Toggle => room = view.toggle(row, id),
            How::Range => wanted = Some(view.range_to(row, Some(id))),
        }
        (view.cursor.row, view.cursor.waits) = (row, None);
        show(view, row, id);
    });
    if !room {
        too_many(None, cx.state);
    }
    if let Some(wanted) = wanted {
        range(tab, wanted, cx);
    }
    ask_focus(tab, cx);
}

/// Whether an edit has to be saved or given up first; a message says so. An edit of the document
/// `except` does not count.
pub fn has_unsaved(tab: TabId, except: Option<&Bson>, state: &mut State) -> bool {
    let edit = state.drafts.tab(tab).documents.field.as_ref();
    let unsaved = edit.is_some_and(|edit| {
        edit.is_changed() && (except.is_none() || edit.opened.get("_id") != except)
    });
    if unsaved {
        let text = "You have an unsaved value; save or cancel it first";
        state.toast(Kind::Warning, text);
    }
    unsaved
}

/// Puts a document into the inspector.
pub fn show(view: &mut DocumentsView, row: u64, id: &Bson) {
    if view.is_focused(id) {
        return;
    }
    let mut focus = Focused::new(id.clone());
    // The listed document is shown at once, and the whole one follows.
    if view.query.is_whole() {
        let row = view.pages.row(row).filter(|row| row.id == *id);
        focus.document = row.map(|row| row.document.clone());
    }
    view.focus = Some(focus);
}

/// Goes to a row with the keyboard. One that is not loaded yet is selected as soon as it is.
pub fn go(tab: TabId, row: u64, extends: bool, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let loaded = open.documents.pages.row(row).filter(|row| row.has_id());
    if let Some(id) = loaded.map(|row| row.id.clone()) {
        let how = if extends { How::Range } else { How::Only };
        return select(tab, row, &id, how, cx);
    }
    if has_unsaved(tab, None, cx.state) {
        return;
    }
    with(cx.state, tab, |view| {
        view.cursor.row = row;
        view.cursor.waits = Some(extends);
    });
    want(tab, row..row + 1, cx);
}

/// The row that the keyboard went to may have come.
pub fn arrived(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let view = &open.documents;
    let (row, Some(extends)) = (view.cursor.row, view.cursor.waits) else { return };
    if view.pages.row(row).is_some_and(Row::has_id) {
        go(tab, row, extends, cx);
    }
}

/// Selects a range of rows, or says that it is too long and selects nothing new.
fn range(tab: TabId, range: RowRange, cx: &mut Apply<'_>) {
    if range.count > SELECTED_MAX as u64 {
        too_many(Some(range.count), cx.state);
        return;
    }
    let Some(open) = cx.state.tabs.get_mut(tab) else { return };
    if open.documents.select_loaded(&range) {
        open.documents.cursor.range = None;
        return;
    }
    let command = open.documents.find_ids(&open.namespace.collection, range.first, range.count);
    open.documents.cursor.range = Some(range);
    ask(tab, Range(tab), command, cx);
}

/// Selects every document that matches. Those that are too many for a list are named by the filter.
pub fn all(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get_mut(tab) else { return };
    let view = &mut open.documents;
    if let Some(total) = view.pages.total().filter(|total| *total > SELECTED_MAX as u64) {
        if view.is_named_by_filter() {
            view.selected = Selection::all(total);
        } else {
            too_many(Some(total), cx.state);
        }
        return;
    }
    let (collection, count) = (&open.namespace.collection, SELECTED_MAX as u64 + 1);
    let command = open.documents.find_ids(collection, 0, count);
    ask(tab, All(tab), command, cx);
}

/// Says how many documents can be selected.
pub fn too_many(count: Option<u64>, state: &mut State) {
    let most = number::count(SELECTED_MAX as u64);
    let text = match count {
        Some(count) => format!(
            "You can select up to {most} documents; these are {}. Use a filter, or Ctrl+A to \
             select all that match",
            number::count(count)
        ),
        None => format!("You can select up to {most} documents"),
    };
    state.toast(Kind::Warning, text);
}

/// The `_id` of each row of a range that is to be selected.
#[derive(Debug, PartialEq)]
struct Range(TabId);

impl Question for Range {
    type Answer = Reply;

    const BACKGROUND: bool = true;

    fn slow_read(&self) -> Option<(TabId, SlowRead)> {
        Some((self.0, SlowRead::Documents))
    }

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let Some(open) = cx.state.tabs.get(self.0) else { return };
        let collection = &open.namespace.collection;
        let Some(range) = open.documents.cursor.range.clone() else { return };
        // By now another query may run.
        if open.documents.find_ids(collection, range.first, range.count) != reply.command {
            return;
        }
        let Some(ids) = ids(&reply, cx.state) else { return };
        select_ids(self.0, range.within(ids), range.count, cx.state);
    }
}

/// The `_id` of every document that matches, to select them all.
#[derive(Debug, PartialEq)]
struct All(TabId);

impl Question for All {
    type Answer = Reply;

    const BACKGROUND: bool = true;

    fn slow_read(&self) -> Option<(TabId, SlowRead)> {
        Some((self.0, SlowRead::Documents))
    }

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let state = &mut *cx.state;
        let Some(open) = state.tabs.get(self.0) else { return };
        let count = SELECTED_MAX as u64 + 1;
        if open.documents.find_ids(&open.namespace.collection, 0, count) != reply.command {
            return;
        }
        let total = open.documents.pages.total();
        let Some(ids) = ids(&reply, state) else { return };
        if ids.len() <= SELECTED_MAX {
            let expected = total.unwrap_or(ids.len() as u64);
            select_ids(self.0, ids, expected, state);
        } else if total.is_some_and(|total| total >= count) {
            all(self.0, cx);
        } else {
            let text = "The documents are still being counted; try again in a moment";
            state.toast(Kind::Info, text);
        }
    }
}

fn ids(reply: &Reply, state: &mut State) -> Option<Vec<Bson>> {
    match &reply.result {
        Ok(found) => Some(documents(found).iter().map(id_of).collect()),
        Err(error) => {
            state.toast(Kind::Error, error.clone());
            None
        }
    }
}

fn select_ids(tab: TabId, ids: Vec<Bson>, expected: u64, state: &mut State) {
    let found = ids.len() as u64;
    with(state, tab, |view| view.selected = Selection::of(ids));
    if found < expected {
        let text = format!(
            "Selected {} of {} documents; the others were removed or have very long _id values",
            number::count(found),
            number::count(expected)
        );
        state.toast(Kind::Info, text);
    }
}

/// Reads the selected documents for the clipboard, in the order of the list.
pub fn copy(tab: TabId, form: CopyForm, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    if open.documents.selected.is_empty() {
        return;
    }
    let command = copied(&open.documents, &open.namespace.collection);
    ask(tab, CopyRead { tab, form }, command, cx);
}

fn copied(view: &DocumentsView, collection: &str) -> Document {
    let filter = view.selected.target_of(&view.query).filter();
    let query = Query { filter, skip: 0, limit: None, ..view.query.clone() };
    let mut command = query.find(collection, 0, COPIED_DOCUMENTS_MAX);
    command.insert("singleBatch", true);
    command
}

/// The selected documents, for the clipboard.
#[derive(Debug, PartialEq)]
struct CopyRead {
    tab: TabId,
    form: CopyForm,
}

impl Question for CopyRead {
    type Answer = Reply;

    const BACKGROUND: bool = true;

    fn slow_read(&self) -> Option<(TabId, SlowRead)> {
        Some((self.tab, SlowRead::Documents))
    }

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let mut found = match reply.result {
            Ok(found) => documents(&found),
            Err(error) => return cx.toast(Kind::Error, error),
        };
        let Some(open) = cx.state.tabs.get(self.tab) else { return };
        if let Target::Ids(ids) = open.documents.selected.target_of(&open.documents.query) {
            // The collation of the order also finds an `_id` that is only equal to one of these.
            found.retain(|document| ids.contains(&id_of(document)));
        }
        let columns = open.documents.shown_columns();
        let selected = open.documents.selected.len();
        let (text, count) = clipboard::text(self.form, &found, &columns);
        let what = counted(count as u64, "document", "documents");
        let (kind, words) = if count == 0 {
            (Kind::Info, "Nothing to copy: the documents were removed".to_owned())
        } else if (count as u64) < selected {
            let all = number::count(selected);
            (Kind::Warning, format!("Copied {what} of {all}; export them to have all in a file"))
        } else {
            (Kind::Done, format!("Copied {what}"))
        };
        if count > 0 {
            copy_lines(text, cx);
        }
        cx.toast(kind, words);
    }
}
