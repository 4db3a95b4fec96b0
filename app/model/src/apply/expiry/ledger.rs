//! The ledger of removed documents: copied, saved, and restored from.

use bson::{Bson, Document};
use mayfly_engine::reply::TrashPage;
use mayfly_engine::value::extjson::{self, Layout, Style};

use super::tab::with;
use crate::apply::effects::TOO_MUCH;
use crate::apply::question::Question;
use crate::apply::reaper::RestoreDocuments;
use crate::apply::transfer::show_export;
use crate::apply::{Apply, clipboard};
use crate::commands;
use crate::limits::KEPT_PAGE_ROWS;
use crate::state::expiry::{Keeper, Mode};
use crate::state::toasts::Kind;
use crate::state::transfer::ExportDraft;
use crate::state::transfer::export::Content;
use crate::state::{Namespace, TabId, number};
use crate::worker::Reply;

/// Copies the ledger as NDJSON.
pub(super) fn copy(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let rows = open.expiry.ledger_rows(&open.namespace);
    let lines: Vec<String> = rows.iter().map(line).collect();
    let count = lines.len() as u64;
    clipboard::copy_lines(lines.join("\n"), cx);
    let removed = number::counted(count, "removed document", "removed documents");
    cx.toast(Kind::Info, format!("Copied {removed} as NDJSON"));
}

fn line(row: &Document) -> String {
    let raw = bson::RawDocumentBuf::try_from(row);
    raw.map(|raw| extjson::write_document(&raw, Style::Relaxed, Layout::OneLine))
        .unwrap_or_default()
}

/// Opens the dialog that writes the ledger to a file.
pub(super) fn save(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let namespace = open.namespace.clone();
    let command = commands::expiry::rows(open.expiry.ledger_rows(&namespace));
    let removals = ExportDraft::of(namespace, Content::Removals(command), cx.state.now_ms());
    show_export(removals, cx);
}

/// Queries what the trash and the archive have of the removed documents, while one is shown.
pub(super) fn ask_kept(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let view = &open.expiry;
    let is_shown = view.mode == Mode::Removed || view.selected_removed_ms.is_some();
    if !is_shown || view.ledger.is_empty() {
        return;
    }
    let (db, collection) = (open.namespace.db.clone(), open.namespace.collection.clone());
    let trash = commands::trash::page(collection.as_str().into(), KEPT_PAGE_ROWS, None);
    cx.ask(InTrash { tab, is_first: true }, &db, trash);
    let archive = commands::archive::page(&collection, KEPT_PAGE_ROWS, None, None);
    cx.ask(InArchive { tab, is_first: true }, &db, archive);
}

/// The trash's copies of the removed documents.
#[derive(Debug, PartialEq)]
struct InTrash {
    tab: TabId,
    /// The newest; else those after the listed ones.
    is_first: bool,
}

impl Question for InTrash {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let Self { tab, is_first } = *self;
        let next = take_kept(tab, Keeper::Trash, is_first, &reply, in_trash, cx);
        if let Some((Namespace { db, collection }, after)) = next {
            let command = commands::trash::page(collection.into(), KEPT_PAGE_ROWS, Some(after));
            cx.ask(Self { tab, is_first: false }, &db, command);
        }
    }
}

/// The archive's copies of them. A collection without an archive has none.
#[derive(Debug, PartialEq)]
struct InArchive {
    tab: TabId,
    /// The newest; else those after the listed ones.
    is_first: bool,
}

impl Question for InArchive {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let Self { tab, is_first } = *self;
        let next = take_kept(tab, Keeper::Archive, is_first, &reply, in_archive, cx);
        if let Some((Namespace { db, collection }, after)) = next {
            let command = commands::archive::page(&collection, KEPT_PAGE_ROWS, None, Some(after));
            cx.ask(Self { tab, is_first: false }, &db, command);
        }
    }
}

/// Takes a page. Returns where the next one begins, if it may have removals of the ledger.
fn take_kept<N>(
    tab: TabId,
    keeper: Keeper,
    is_first: bool,
    reply: &Reply,
    read: impl FnOnce(&Document) -> Page<N>,
    cx: &mut Apply<'_>,
) -> Option<(Namespace, N)> {
    if reply.error() == Some(TOO_MUCH) {
        with(cx.state, tab, |view| view.asked = false);
        return None;
    }
    let (page, next) = reply.ok().map_or_else(|| (Vec::new(), None), read);
    let open = cx.state.tabs.get_mut(tab)?;
    let since_ms = open.expiry.ledger_since_ms().unwrap_or(i64::MAX);
    let is_enough = page.last().is_none_or(|(_, removed_ms)| *removed_ms < since_ms);
    let next = next.filter(|_| !is_enough);
    open.expiry.take_kept(keeper, page, (is_first, next.is_none()));
    Some((open.namespace.clone(), next?))
}

/// A page: `_id`s and when they were removed, and where the next page begins.
type Page<N> = (Vec<(Bson, i64)>, Option<N>);

fn in_trash(found: &Document) -> Page<i64> {
    let Some(page) = TrashPage::from_document(found) else { return Page::default() };
    let next = page.next.and_then(|next| next.as_i64());
    (page.batch.into_iter().map(|row| (row.id, row.removed_ms)).collect(), next)
}

fn in_archive(found: &Document) -> Page<Document> {
    let batch = found.get_array("batch").map(Vec::as_slice).unwrap_or_default();
    let row = |row: &Document| {
        Some((row.get("_id")?.clone(), row.get_datetime("removed").ok()?.timestamp_millis()))
    };
    let rows = batch.iter().filter_map(|one| row(one.as_document()?)).collect();
    (rows, found.get_document("next").ok().cloned())
}

/// Restores the chosen documents from where they are kept.
pub(super) fn restore(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let namespace = open.namespace.clone();
    let [of_trash, of_archive] =
        [Keeper::Trash, Keeper::Archive].map(|keeper| open.expiry.picked_in(keeper));
    if !of_trash.is_empty() {
        let command = commands::trash::restore_ids(&namespace.collection, of_trash);
        cx.change(RestoreDocuments, &namespace.db, command);
    }
    if !of_archive.is_empty() {
        let command = commands::archive::restore(&namespace.collection, of_archive, None);
        cx.change(RestoreDocuments, &namespace.db, command);
    }
    with(cx.state, tab, |view| view.picked.clear());
}
