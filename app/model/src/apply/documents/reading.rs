//! Queries, pages, the count, and the document in the inspector.

use std::ops::Range;

use bson::{Bson, Document};

use super::answers::{Count, FirstPage, FocusExpires, Indexes, Known, Open, Page, Whole};
use super::tab::with;
use crate::apply::question::Question;
use crate::apply::{Apply, explain};
use crate::commands;
use crate::job::slow_read::SlowRead;
use crate::limits::{EDITED_TEXT_BYTES_MAX, KNOWN_SAMPLE_DOCUMENTS};
use crate::state::documents::change::{self, id_of};
use crate::state::documents::{QueryText, Scroll, filter_text};
use crate::state::tabs::ViewKind;
use crate::state::toasts::Kind;
use crate::state::{State, TabId, number};
use crate::worker::Reply;

/// Queries everything the view shows. Called when the view is first shown, when the user asks, and
/// when the data changed while the view is shown. The shown rows stay until they are replaced.
pub fn refresh(tab: TabId, cx: &mut Apply<'_>) {
    let (now_ms, mode) = (cx.state.now_ms(), cx.state.settings.documents_mode);
    let Some(open) = cx.state.tabs.get_mut(tab) else { return };
    open.documents.restore(&open.saved_documents, mode, now_ms);
    let view = &mut open.documents;
    view.asked = true;
    (view.error, view.stopped_after) = (None, None);
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
    ask(tab, Indexes(tab), commands::indexes::list(&namespace.collection), cx);
    ask(tab, Count { tab, run }, count, cx);
    ask_pages(tab, cx);
    ask_focus(tab, cx);
    if is_first {
        let from_end = true;
        let sample =
            commands::schema::sample(&namespace.collection, KNOWN_SAMPLE_DOCUMENTS, from_end);
        ask(tab, Known(tab), sample, cx);
    }
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

pub(super) fn ask_pages(tab: TabId, cx: &mut Apply<'_>) {
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
        if first == 0 {
            ask(tab, FirstPage { tab, run }, command, cx);
        } else {
            ask(tab, Page { tab, run, first }, command, cx);
        }
    }
}

/// Queries the whole document in the inspector, and when it expires.
pub fn ask_focus(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let Some(focus) = &open.documents.focus else { return };
    let collection = open.namespace.collection.clone();
    let id = focus.id.clone();
    ask(tab, Whole(tab), change::read(&collection, std::slice::from_ref(&id)), cx);
    ask(tab, FocusExpires(tab), commands::expiry::verdict(&collection, id), cx);
}

/// Reads a document to open it in the editor.
pub fn open(tab: TabId, id: &Bson, clone: bool, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let command = change::read(&open.namespace.collection, std::slice::from_ref(id));
    ask(tab, Open { tab, clone }, command, cx);
}

pub(super) fn ask(
    tab: TabId,
    question: impl Question<Answer = Reply>,
    command: Document,
    cx: &mut Apply<'_>,
) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let db = open.namespace.db.clone();
    let is_query = question.slow_read().is_some();
    let generation = cx.ask(question, &db, command);
    if is_query {
        let since = cx.state.uptime;
        with(cx.state, tab, |view| view.running.extend([(generation, since)]));
    }
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
