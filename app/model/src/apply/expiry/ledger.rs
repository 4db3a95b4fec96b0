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
use crate::job::TrashScope;
use crate::limits::KEPT_PAGE_ROWS;
use crate::state::expiry::Mode;
use crate::state::toasts::Kind;
use crate::state::transfer::ExportDraft;
use crate::state::transfer::export::Content;
use crate::state::trash::Place;
use crate::state::{TabId, number};
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

/// Queries what is kept of the removed documents, while one is shown.
pub(super) fn ask_kept(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let view = &open.expiry;
    let is_shown = view.mode == Mode::Removed || view.selected_removed_ms.is_some();
    if is_shown && !view.ledger.is_empty() {
        ask_page(tab, None, cx);
    }
}

fn ask_page(tab: TabId, after: Option<Bson>, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let scope = TrashScope { of: Some(open.namespace.clone()), ..TrashScope::default() };
    let is_first = after.is_none();
    let command = commands::trash::page(&scope, KEPT_PAGE_ROWS, false, after);
    cx.ask(KeptOfLedger { tab, is_first }, &scope.home().0, command);
}

/// The removed documents that are kept, in the trash and in archives.
#[derive(Debug, PartialEq)]
struct KeptOfLedger {
    tab: TabId,
    /// The newest; else those after the listed ones.
    is_first: bool,
}

impl Question for KeptOfLedger {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let Self { tab, is_first } = *self;
        if reply.error() == Some(TOO_MUCH) {
            with(cx.state, tab, |view| view.asked = false);
            return;
        }
        let page = reply.ok().and_then(TrashPage::from_document).unwrap_or_default();
        let Some(open) = cx.state.tabs.get_mut(tab) else { return };
        // Older removals are not in the ledger.
        let since_ms = open.expiry.ledger_since_ms().unwrap_or(i64::MAX);
        let is_enough = page.batch.last().is_none_or(|row| row.removed_ms < since_ms);
        let next = page.next.filter(|_| !is_enough);
        let kept = page.batch.into_iter().map(|row| {
            let place = Place::of(&row);
            (row.id, row.removed_ms, place)
        });
        open.expiry.take_kept(kept, (is_first, next.is_none()));
        if next.is_some() {
            ask_page(tab, next, cx);
        }
    }
}

/// Restores the chosen documents from where they are kept.
pub(super) fn restore(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let (namespace, ids) = (open.namespace.clone(), open.expiry.picked_kept());
    if !ids.is_empty() {
        let command = commands::trash::restore_ids(&namespace.collection, ids, None);
        cx.change(RestoreDocuments, &namespace.db, command);
    }
    with(cx.state, tab, |view| view.picked.clear());
}
