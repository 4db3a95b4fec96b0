//! The questions of the list, the count and the inspector, and the changes that their answers make.

use std::collections::BTreeSet;
use std::time::Duration;

use bson::{Bson, oid::ObjectId};
use mayfly_engine::reply::{Verdict, Verdicts};

use super::reading::{ask, ask_pages, refresh, save, too_long};
use super::tab::with;
use super::{damaged, selection};
use crate::apply::effects::TOO_MUCH;
use crate::apply::question::Question;
use crate::apply::{Apply, cursor};
use crate::commands;
use crate::job::Namespace;
use crate::job::reply::{cursor, documents, number};
use crate::job::slow_read::SlowRead;
use crate::limits::{EDITED_TEXT_BYTES_MAX, PAGE_DOCUMENTS};
use crate::state::documents::due::{Due, TtlIndex, is_on_modification};
use crate::state::documents::editor::text_of;
use crate::state::documents::{Dialog, Editor};
use crate::state::toasts::Kind;
use crate::state::{Dialog as AnyDialog, TabId};
use crate::worker::{Reply, code};

/// The first documents of this run of the query.
#[derive(Debug, PartialEq)]
pub(super) struct FirstPage {
    pub tab: TabId,
    pub run: u64,
}

impl Question for FirstPage {
    type Answer = Reply;

    fn slow_read(&self) -> Option<(TabId, SlowRead)> {
        Some((self.tab, SlowRead::Rows))
    }

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        page(self.tab, self.run, 0, &reply, cx);
    }
}

/// Documents of this run of the query from a later row on.
#[derive(Debug, PartialEq)]
pub(super) struct Page {
    pub tab: TabId,
    pub run: u64,
    pub first: u64,
}

impl Question for Page {
    type Answer = Reply;

    const BACKGROUND: bool = true;

    fn slow_read(&self) -> Option<(TabId, SlowRead)> {
        Some((self.tab, SlowRead::Rows))
    }

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        page(self.tab, self.run, self.first, &reply, cx);
    }
}

fn page(tab: TabId, run: u64, first: u64, reply: &Reply, cx: &mut Apply<'_>) {
    let error = match &reply.result {
        Ok(found) => {
            let documents = documents(found);
            let asked = reply.command.get_i64("limit").unwrap_or(0);
            let open = cursor(found);
            let count = documents.len();
            let cut = open.is_some() && i64::try_from(count).is_ok_and(|got| got < asked);
            with(cx.state, tab, |view| {
                view.micros = reply.micros;
                view.take(run, first, documents, cut);
            });
            ask_due(tab, first, count, cx);
            if let (Some(cursor), Ok(collection)) = (open, reply.command.get_str("find")) {
                cursor::close(&Namespace::new(&reply.db, collection), cursor, cx);
            }
            ask_pages(tab, cx);
            return selection::arrived(tab, cx);
        }
        Err(error) => error,
    };
    with(cx.state, tab, |view| view.pages.failed(run, first));
    // It is asked for again while its rows are on the screen.
    if error == TOO_MUCH || damaged::leave_out(tab, reply, cx) {
        return;
    }
    let is_of_the_query =
        reply.code.as_ref().is_some_and(|code| code::is_of_the_query(code.number));
    let mut goes_back = false;
    with(cx.state, tab, |view| {
        if run != view.pages.run() {
        } else if is_of_the_query {
            goes_back = view.refuse(error.clone());
        } else if reply.is_stopped() {
            view.stopped_after = Some(Duration::from_micros(reply.micros));
        } else {
            view.error = Some(error.clone());
        }
    });
    if goes_back {
        save(tab, cx.state);
        refresh(tab, cx);
    }
}

/// How many documents there are.
#[derive(Debug, PartialEq)]
pub(super) struct Count {
    pub tab: TabId,
    pub run: u64,
}

impl Question for Count {
    type Answer = Reply;

    const BACKGROUND: bool = true;

    fn slow_read(&self) -> Option<(TabId, SlowRead)> {
        Some((self.tab, SlowRead::Rows))
    }

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let Some(total) = reply.ok().and_then(|found| number(found, "n")) else { return };
        with(cx.state, self.tab, |view| {
            if self.run == view.pages.run() {
                view.pages.set_total(total);
                view.selected.set_count(total);
            }
        });
    }
}

/// The TTL indexes of the collection.
#[derive(Debug, PartialEq)]
pub(super) struct Indexes(pub TabId);

impl Question for Indexes {
    type Answer = Reply;

    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let Some(found) = reply.ok() else { return };
        let indexes = documents(found);
        let ttl: Vec<TtlIndex> = indexes.iter().filter_map(TtlIndex::read).collect();
        let asks_due = indexes.iter().any(is_on_modification);
        let Some(open) = cx.state.tabs.get_mut(self.0) else { return };
        if open.documents.asks_due == asks_due && open.documents.ttl == ttl {
            return;
        }
        open.documents.set_ttl(ttl, asks_due);
        // The rows that were loaded before the indexes were known.
        let rows = open.documents.pages.rows().map(|(row, _)| row);
        let pages: BTreeSet<u64> = rows.map(|row| row - row % PAGE_DOCUMENTS).collect();
        for first in pages {
            let count = usize::try_from(PAGE_DOCUMENTS).unwrap_or(usize::MAX);
            ask_due(self.0, first, count, cx);
        }
    }
}

fn ask_due(tab: TabId, first: u64, count: usize, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let ids = open.documents.due_ids(first, count);
    if !ids.is_empty() {
        let command = commands::expiry::verdicts(&open.namespace.collection, ids);
        ask(tab, Expires { tab, first }, command, cx);
    }
}

/// When documents of the list expire, from this row on.
#[derive(Debug, PartialEq)]
struct Expires {
    tab: TabId,
    first: u64,
}

impl Question for Expires {
    type Answer = Reply;

    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let Some(found) = reply.ok().and_then(Verdicts::from_document) else { return };
        let known: Vec<(Bson, Due)> = found
            .documents
            .into_iter()
            .map(|told| (told.id, Due::new(told.base_ms, told.threshold_ms)))
            .collect();
        with(cx.state, self.tab, |view| view.set_due(&known));
    }
}

/// The whole of the document in the inspector.
#[derive(Debug, PartialEq)]
pub(super) struct Whole(pub TabId);

impl Question for Whole {
    type Answer = Reply;

    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let Some(found) = reply.ok() else { return };
        let filter = reply.command.get_document("filter");
        let asked = filter.and_then(|filter| filter.get_document("_id"));
        let Some(id) = asked.ok().and_then(|id| id.get("$eq")).cloned() else { return };
        let now = documents(found).into_iter().next();
        with(cx.state, self.0, |view| {
            if let Some(focus) = view.focus.as_mut().filter(|focus| focus.id == id) {
                focus.gone = now.is_none();
                if now.is_some() {
                    focus.document = now;
                }
            }
        });
    }
}

/// When the document in the inspector expires, and why.
#[derive(Debug, PartialEq)]
pub(super) struct FocusExpires(pub TabId);

impl Question for FocusExpires {
    type Answer = Reply;

    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let verdict = reply.ok().and_then(Verdict::from_document);
        let id = reply.command.get("id");
        with(cx.state, self.0, |view| {
            if let Some(focus) = view.focus.as_mut().filter(|focus| Some(&focus.id) == id) {
                focus.verdict = verdict;
            }
        });
    }
}

/// Documents from the end of the collection, whose fields complete filters.
#[derive(Debug, PartialEq)]
pub(super) struct Known(pub TabId);

impl Question for Known {
    type Answer = Reply;

    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let found = reply.ok().map(documents).unwrap_or_default();
        with(cx.state, self.0, |view| {
            let sampled = view.sampled.get_or_insert_default();
            for document in &found {
                sampled.add(document);
            }
        });
    }
}

/// The whole of a document, to open it in the editor.
#[derive(Debug, PartialEq)]
pub(super) struct Open {
    pub tab: TabId,
    /// Whether to add a copy of it.
    pub clone: bool,
}

impl Question for Open {
    type Answer = Reply;

    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let found = match reply.result {
            Ok(found) => documents(&found).into_iter().next(),
            Err(error) => return cx.toast(Kind::Error, error),
        };
        let Some(document) = found else {
            return cx.warn("The document was removed; refresh the list");
        };
        let bytes = text_of(&document).len();
        if bytes > EDITED_TEXT_BYTES_MAX {
            return too_long(bytes, cx.state);
        }
        let (base, now_ms) = (ObjectId::new(), cx.state.now_ms());
        let editor = if self.clone {
            Editor::copy_of(&document, base, now_ms)
        } else {
            Editor::edit(document, base, now_ms)
        };
        let dialog = Dialog::Editor(Box::new(editor));
        cx.state.dialogs.show(AnyDialog::Documents(self.tab, dialog));
    }
}
