//! The ledger of removed documents: copied, saved, and restored from.

use bson::{Bson, Document};
use mayfly_engine::reply::TrashPage;
use mayfly_engine::value::extjson::{self, Layout, Style};

use super::with;
use crate::action::{Action, TransferAction};
use crate::apply::reaper::RestoreDocuments;
use crate::apply::{Apply, archive, clipboard};
use crate::commands;
use crate::limits::KEPT_PAGE_ROWS;
use crate::state::expiry::{Keeper, Mode, Purpose};
use crate::state::toasts::Kind;
use crate::state::{Purpose as AnyPurpose, TabId, number};
use crate::worker::Reply;

/// Copies the ledger as NDJSON.
pub(super) fn copy(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let rows = open.expiry.ledger_rows(&open.namespace);
    let lines: Vec<String> = rows.iter().map(line).collect();
    let count = lines.len() as u64;
    clipboard::copy_lines(lines.join("\n"), cx);
    let removed = number::counted(count, "removed document", "removed documents");
    cx.state.toasts.push(Kind::Info, format!("Copied {removed} as NDJSON"), None, cx.state.uptime);
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
    let save = TransferAction::SaveLedger { namespace, command };
    crate::apply::apply(Action::Transfer(save), cx);
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
    cx.read(AnyPurpose::Expiry(tab, Purpose::InTrash { is_first: true }), &db, trash);
    let archive = commands::archive::page(&collection, KEPT_PAGE_ROWS, None, None);
    cx.read(AnyPurpose::Expiry(tab, Purpose::InArchive { is_first: true }), &db, archive);
}

/// Takes a page of the trash or of the archive, and asks for the next one. A collection without an
/// archive has none.
pub(super) fn take_kept(tab: TabId, purpose: &Purpose, reply: &Reply, cx: &mut Apply<'_>) {
    let (keeper, is_first) = match purpose {
        Purpose::InTrash { is_first } => (Keeper::Trash, *is_first),
        Purpose::InArchive { is_first } => (Keeper::Archive, *is_first),
        _ => return,
    };
    let found = reply.ok();
    let (page, next) = match keeper {
        Keeper::Trash => in_trash(found),
        Keeper::Archive => in_archive(found),
    };
    let Some(open) = cx.state.tabs.get_mut(tab) else { return };
    let since_ms = open.expiry.ledger_since_ms().unwrap_or(i64::MAX);
    let is_enough = page.last().is_none_or(|(_, removed_ms)| *removed_ms < since_ms);
    let next = next.filter(|_| !is_enough);
    let is_last = next.is_none();
    open.expiry.take_kept(keeper, page, (is_first, is_last));
    let (db, collection) = (open.namespace.db.clone(), open.namespace.collection.clone());
    let Some(next) = next else { return };
    let (purpose, command) = match (keeper, next) {
        (Keeper::Trash, Bson::Int64(after)) => (
            Purpose::InTrash { is_first: false },
            commands::trash::page(collection.as_str().into(), KEPT_PAGE_ROWS, Some(after)),
        ),
        (Keeper::Archive, Bson::Document(after)) => (
            Purpose::InArchive { is_first: false },
            commands::archive::page(&collection, KEPT_PAGE_ROWS, None, Some(after)),
        ),
        _ => return,
    };
    cx.read(AnyPurpose::Expiry(tab, purpose), &db, command);
}

/// A page: `_id`s and when they were removed, and where the next page begins.
type Page = (Vec<(Bson, i64)>, Option<Bson>);

fn in_trash(found: Option<&Document>) -> Page {
    let Some(page) = found.and_then(TrashPage::from_document) else { return Page::default() };
    let next = page.next.and_then(|next| i64::try_from(next).ok()).map(Bson::Int64);
    (page.batch.into_iter().map(|row| (row.id, row.removed_ms)).collect(), next)
}

fn in_archive(found: Option<&Document>) -> Page {
    let Some(found) = found else { return Page::default() };
    let batch = found.get_array("batch").map(Vec::as_slice).unwrap_or_default();
    let row = |row: &Document| {
        Some((row.get("_id")?.clone(), row.get_datetime("removed").ok()?.timestamp_millis()))
    };
    let rows = batch.iter().filter_map(|one| row(one.as_document()?)).collect();
    (rows, found.get_document("next").ok().cloned().map(Bson::Document))
}

/// Restores the chosen documents from where they are kept. Nearly all of an archive would expire at
/// once, so its dialog shows the result and offers what to do then.
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
        archive::restore_ids(&namespace, of_archive, cx);
    }
    with(cx.state, tab, |view| view.picked.clear());
}
