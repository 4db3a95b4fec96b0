//! Queries, pages, the count, and the document in the inspector.

use std::collections::BTreeSet;
use std::ops::Range;

use bson::{Bson, Document, oid::ObjectId};
use mayfly_engine::reply::{Verdict, Verdicts};

use super::{damaged, selection, with};
use crate::apply::{Apply, explain};
use crate::commands;
use crate::job::purpose::SlowRead;
use crate::limits::{EDITED_TEXT_BYTES_MAX, KNOWN_SAMPLE_DOCUMENTS, PAGE_DOCUMENTS};
use crate::state::documents::change::{self, id_of};
use crate::state::documents::due::{Due, TtlIndex, is_on_modification};
use crate::state::documents::editor::text_of;
use crate::state::documents::{Dialog, Editor, Purpose, QueryText, Scroll, filter_text};
use crate::state::tabs::ViewKind;
use crate::state::toasts::Kind;
use crate::state::{Dialog as AnyDialog, Namespace, Purpose as AnyPurpose, State, TabId, number};
use crate::worker::{Reply, code};

/// Queries everything the view shows. Called when the view is first shown, when the user asks, and
/// when the data changed while the view is shown. The shown rows stay until they are replaced.
pub fn refresh(tab: TabId, cx: &mut Apply<'_>) {
    let (now_ms, mode) = (cx.state.now_ms(), cx.state.settings.documents_mode);
    let Some(open) = cx.state.tabs.get_mut(tab) else { return };
    open.documents.restore(&open.saved_documents, mode, now_ms);
    let view = &mut open.documents;
    view.asked = true;
    view.error = None;
    let is_first = view.sampled.is_none();
    view.sampled.get_or_insert_default();
    let run = view.pages.begin_run();
    let namespace = open.namespace.clone();
    let count = view.count(&namespace.collection);
    let text = view.text.clone();
    let draft = &mut cx.state.drafts.tab(tab).documents;
    if !draft.restored {
        draft.restored = true;
        draft.options = text.has_options();
        draft.query = text;
    }
    cx.abandon(tab, &[SlowRead::Rows]);
    ask(tab, Purpose::Indexes, commands::indexes::list(&namespace.collection), cx);
    ask(tab, Purpose::Count { run }, count, cx);
    ask_pages(tab, cx);
    ask_focus(tab, cx);
    if is_first {
        let from_end = true;
        let sample =
            commands::schema::sample(&namespace.collection, KNOWN_SAMPLE_DOCUMENTS, from_end);
        ask(tab, Purpose::Known, sample, cx);
    }
}

/// Learns the fields of documents from the end of the collection.
pub fn known(tab: TabId, reply: &Reply, state: &mut State) {
    let cursor = reply.ok().and_then(|reply| reply.get_document("cursor").ok());
    let batch = cursor.and_then(|cursor| cursor.get_array("firstBatch").ok());
    let documents = batch.into_iter().flatten().filter_map(Bson::as_document);
    with(state, tab, |view| {
        let sampled = view.sampled.get_or_insert_default();
        documents.for_each(|document| sampled.add(document));
    });
}

/// Sets the filter of a tab, shows its documents and runs the filter.
pub fn show_filter(tab: TabId, filter: impl Into<String>, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get_mut(tab) else { return };
    open.view = ViewKind::Documents;
    cx.state.tabs.activate(tab);
    show_query(tab, QueryText::of_filter(filter), cx);
}

/// Runs a query in a tab, in place of what is typed there.
pub fn show_query(tab: TabId, text: QueryText, cx: &mut Apply<'_>) {
    let (now_ms, mode) = (cx.state.now_ms(), cx.state.settings.documents_mode);
    let Some(open) = cx.state.tabs.get_mut(tab) else { return };
    open.documents.restore(&open.saved_documents, mode, now_ms);
    let draft = &mut cx.state.drafts.tab(tab).documents;
    draft.restored = true;
    draft.options |= text.has_options();
    draft.query = text;
    run_draft(tab, cx);
}

/// Sets the filter of a tab and runs it with the other options of its query, whatever view is
/// shown.
pub fn set_filter(tab: TabId, filter: String, cx: &mut Apply<'_>) {
    let (now_ms, mode) = (cx.state.now_ms(), cx.state.settings.documents_mode);
    let Some(open) = cx.state.tabs.get_mut(tab) else { return };
    open.documents.restore(&open.saved_documents, mode, now_ms);
    let text = QueryText { filter, ..open.documents.text.clone() };
    let draft = &mut cx.state.drafts.tab(tab).documents;
    draft.restored = true;
    draft.query.clone_from(&text);
    run(tab, text, cx);
}

/// Runs the query that is typed.
pub fn run_draft(tab: TabId, cx: &mut Apply<'_>) {
    let text = cx.state.drafts.tab(tab).documents.query.clone();
    let is_readable = text.read(cx.state.now_ms()).is_ok();
    if let Some(open) = cx.state.tabs.get(tab).filter(|_| is_readable) {
        cx.state.queries.note(&open.namespace, &text);
    }
    run(tab, text, cx);
}

/// Runs the typed filter with one more condition.
pub fn narrow(tab: TabId, condition: &Document, cx: &mut Apply<'_>) {
    let query = &mut cx.state.drafts.tab(tab).documents.query;
    query.filter = filter_text::and(&query.filter, condition);
    run_draft(tab, cx);
}

pub fn run(tab: TabId, text: QueryText, cx: &mut Apply<'_>) {
    let query = match text.read(cx.state.now_ms()) {
        Ok(query) => query,
        Err(error) => {
            cx.warn(error.message);
            return;
        }
    };
    let Some(open) = cx.state.tabs.get_mut(tab) else { return };
    let another = open.documents.query != query;
    open.documents.set_query(text, query);
    if another {
        abandon(tab, cx);
        cx.state.drafts.tab(tab).documents.scroll = Scroll::default();
    }
    // Its documents are wanted now, not how the last query was answered.
    explain::close(tab, false, cx);
    save(tab, cx.state);
    refresh(tab, cx);
}

/// Ends every query of a tab that runs: its answer is of no use any more.
pub fn abandon(tab: TabId, cx: &mut Apply<'_>) {
    cx.abandon(tab, SlowRead::QUERIES);
    with(cx.state, tab, |view| view.running.clear());
}

/// Ends the queries of a tab because the user has waited enough. What came already stays.
pub fn stop(tab: TabId, cx: &mut Apply<'_>) {
    abandon(tab, cx);
}

/// Keeps the query and the choices for the next start.
pub fn save(tab: TabId, state: &mut State) {
    if let Some(tab) = state.tabs.get_mut(tab) {
        tab.saved_documents = tab.documents.saved();
    }
}

/// These rows are on the screen.
pub fn want(tab: TabId, rows: Range<u64>, cx: &mut Apply<'_>) {
    with(cx.state, tab, |view| view.pages.want(rows));
    ask_pages(tab, cx);
}

fn ask_pages(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get_mut(tab) else { return };
    let view = &mut open.documents;
    let run = view.pages.run();
    let collection = open.namespace.collection.clone();
    let places = view.pages.ask();
    let commands: Vec<(u64, Document)> = places
        .into_iter()
        .map(|(first, count)| (first, view.find(&collection, first, count)))
        .collect();
    for (first, command) in commands {
        ask(tab, Purpose::Page { run, first }, command, cx);
    }
}

/// Queries the whole document in the inspector, and when it expires.
pub fn ask_focus(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let Some(focus) = &open.documents.focus else { return };
    let collection = open.namespace.collection.clone();
    let id = focus.id.clone();
    ask(tab, Purpose::Whole, change::read(&collection, std::slice::from_ref(&id)), cx);
    ask(tab, Purpose::Verdict, commands::expiry::verdict(&collection, id), cx);
}

/// Reads a document to open it in the editor.
pub fn open(tab: TabId, id: &Bson, clone: bool, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let command = change::read(&open.namespace.collection, std::slice::from_ref(id));
    ask(tab, Purpose::Open { clone }, command, cx);
}

pub(super) fn ask(tab: TabId, purpose: Purpose, command: Document, cx: &mut Apply<'_>) {
    let Some(Namespace { db, .. }) = cx.state.tabs.get(tab).map(|open| open.namespace.clone())
    else {
        return;
    };
    let purpose = AnyPurpose::Documents(tab, purpose);
    let is_query = purpose.slow_read().is_some();
    let generation = cx.read(purpose, &db, command);
    if is_query {
        let since = cx.state.uptime;
        with(cx.state, tab, |view| view.running.extend([(generation, since)]));
    }
}

/// A page of documents came.
pub fn page(tab: TabId, run: u64, first: u64, reply: &Reply, cx: &mut Apply<'_>) {
    match &reply.result {
        Ok(found) => {
            let documents = documents(found);
            let asked = reply.command.get_i64("limit").unwrap_or(0);
            let open = cursor_id(found);
            let count = documents.len();
            let cut = open.is_some() && i64::try_from(count).is_ok_and(|got| got < asked);
            with(cx.state, tab, |view| {
                view.micros = reply.micros;
                view.take(run, first, documents, cut);
            });
            ask_due(tab, first, count, cx);
            if let (Some(cursor), Ok(collection)) = (open, reply.command.get_str("find")) {
                let close = commands::documents::close_cursor(collection, cursor);
                ask(tab, Purpose::Close, close, cx);
            }
            ask_pages(tab, cx);
            selection::arrived(tab, cx);
        }
        Err(error) => {
            with(cx.state, tab, |view| view.pages.failed(run, first));
            if damaged::leave_out(tab, reply, cx) {
                return;
            }
            let is_of_the_query =
                reply.code.as_ref().is_some_and(|code| code::is_of_the_query(code.number));
            let mut goes_back = false;
            with(cx.state, tab, |view| {
                if run != view.pages.run() {
                } else if is_of_the_query {
                    goes_back = view.refuse(error.clone());
                } else {
                    view.error = Some(error.clone());
                }
            });
            if goes_back {
                save(tab, cx.state);
                refresh(tab, cx);
            }
        }
    }
}

/// The count came.
pub fn count(tab: TabId, run: u64, reply: &Reply, state: &mut State) {
    let Some(total) = reply.ok().and_then(|found| crate::apply::number::number(found, "n")) else {
        return;
    };
    with(state, tab, |view| {
        if run == view.pages.run() {
            view.pages.set_total(total);
            view.selected.set_count(total);
        }
    });
}

/// The indexes came.
pub fn indexes(tab: TabId, reply: &Reply, cx: &mut Apply<'_>) {
    let Some(found) = reply.ok() else { return };
    let indexes = documents(found);
    let ttl: Vec<TtlIndex> = indexes.iter().filter_map(TtlIndex::read).collect();
    let asks_due = indexes.iter().any(is_on_modification);
    let Some(open) = cx.state.tabs.get_mut(tab) else { return };
    if open.documents.asks_due == asks_due && open.documents.ttl == ttl {
        return;
    }
    open.documents.set_ttl(ttl, asks_due);
    // The rows that were loaded before the indexes were known.
    let rows = open.documents.pages.rows().map(|(row, _)| row);
    let pages: BTreeSet<u64> = rows.map(|row| row - row % PAGE_DOCUMENTS).collect();
    for first in pages {
        let count = usize::try_from(PAGE_DOCUMENTS).unwrap_or(usize::MAX);
        ask_due(tab, first, count, cx);
    }
}

fn ask_due(tab: TabId, first: u64, count: usize, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let ids = open.documents.due_ids(first, count);
    if !ids.is_empty() {
        let command = commands::expiry::verdicts(&open.namespace.collection, ids);
        ask(tab, Purpose::Due { first }, command, cx);
    }
}

/// Handles the reply that says when documents of the list expire.
pub fn due(tab: TabId, reply: &Reply, state: &mut State) {
    let Some(found) = reply.ok().and_then(Verdicts::from_document) else { return };
    let known: Vec<(Bson, Due)> = found
        .documents
        .into_iter()
        .map(|told| (told.id, Due::new(told.base_ms, told.threshold_ms)))
        .collect();
    with(state, tab, |view| view.set_due(&known));
}

/// The whole of the document in the inspector came.
pub fn whole(tab: TabId, reply: &Reply, state: &mut State) {
    let Some(found) = reply.ok() else { return };
    let asked = reply.command.get_document("filter").and_then(|filter| filter.get_document("_id"));
    let Some(id) = asked.ok().and_then(|id| id.get("$eq")).cloned() else { return };
    let now = documents(found).into_iter().next();
    with(state, tab, |view| {
        if let Some(focus) = view.focus.as_mut().filter(|focus| focus.id == id) {
            focus.gone = now.is_none();
            if now.is_some() {
                focus.document = now;
            }
        }
    });
}

/// Takes the verdicts of the TTL indexes on the document in the inspector.
pub fn verdict(tab: TabId, reply: &Reply, state: &mut State) {
    let verdict = reply.ok().and_then(Verdict::from_document);
    let id = reply.command.get("id").cloned();
    with(state, tab, |view| {
        if let Some(focus) = view.focus.as_mut().filter(|focus| Some(&focus.id) == id.as_ref()) {
            focus.verdict = verdict;
        }
    });
}

/// A document for the editor arrived.
pub fn opened(tab: TabId, clone: bool, reply: &Reply, state: &mut State) {
    let document = match &reply.result {
        Ok(found) => documents(found).into_iter().next(),
        Err(error) => {
            state.toast(Kind::Error, error.clone());
            return;
        }
    };
    let Some(document) = document else {
        let text = "The document was removed; refresh the list";
        state.toast(Kind::Warning, text);
        return;
    };
    let bytes = text_of(&document).len();
    if bytes > EDITED_TEXT_BYTES_MAX {
        too_long(bytes, state);
        return;
    }
    let (base, now_ms) = (ObjectId::new(), state.now_ms());
    let editor = if clone {
        Editor::copy_of(&document, base, now_ms)
    } else {
        Editor::edit(document, base, now_ms)
    };
    state.dialogs.show(AnyDialog::Documents(tab, Dialog::Editor(Box::new(editor))));
}

/// A document or a value is too long to be edited as text.
pub fn too_long(bytes: usize, state: &mut State) {
    let [has, fits] = [bytes, EDITED_TEXT_BYTES_MAX].map(|bytes| number::bytes(bytes as u64));
    let text = format!(
        "This document is {has} as text; the editor takes up to {fits}. Edit single values \
         instead, or export and reimport it"
    );
    state.toast(Kind::Warning, text);
}

/// The documents of a reply's first batch.
pub fn documents(found: &Document) -> Vec<Document> {
    let batch = found.get_document("cursor").and_then(|cursor| cursor.get_array("firstBatch"));
    let batch = batch.map(Vec::as_slice).unwrap_or_default();
    batch.iter().filter_map(Bson::as_document).cloned().collect()
}

fn cursor_id(found: &Document) -> Option<i64> {
    let id = found.get_document("cursor").ok()?.get_i64("id").ok()?;
    (id != 0).then_some(id)
}

/// Whether a document is the one in the inspector; then the inspector shows this version.
pub fn learn(tab: TabId, document: &Document, state: &mut State) {
    with(state, tab, |view| {
        let id = id_of(document);
        if let Some(focus) = view.focus.as_mut().filter(|focus| focus.id == id) {
            focus.document = Some(document.clone());
            focus.gone = false;
        }
    });
}
