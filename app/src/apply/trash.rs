//! The trash.

use std::path::PathBuf;

use bson::Document;
use mayfly_engine::reply::{TrashPage, TrashRow};

use super::documents::bulk;
use super::{Apply, QUEUE_FULL, TOO_MUCH, reaper};
use crate::action::TrashAction;
use crate::commands;
use crate::job::TrashScope;
use crate::job::bulk::{BulkChange, BulkEnd, BulkReport};
use crate::limits::TRASH_PAGE_ROWS;
use crate::state::documents::Origin;
use crate::state::operations::OperationId;
use crate::state::purpose::TrashPurpose;
use crate::state::toasts::Kind;
use crate::state::trash::{RestoreOutcome, Row, Trash, TrashDraft, running};
use crate::state::{Dialog, Namespace, Purpose, State};
use crate::worker::Reply;

/// Carries out one action.
pub fn apply(action: TrashAction, cx: &mut Apply<'_>) {
    match action {
        TrashAction::Open(filter) => {
            cx.state.trash = Trash { filter, ..Trash::default() };
            cx.state.dialogs.show(Dialog::Trash(TrashDraft::default()));
            refresh(cx);
        }
        TrashAction::List(filter) => {
            cx.state.trash.filter = filter;
            cx.state.trash.clear_rows();
            refresh(cx);
        }
        TrashAction::More => {
            if let Some(next) = cx.state.trash.next.take() {
                cx.state.trash.asked = Some(next);
                list(Some(next), TRASH_PAGE_ROWS, cx);
            }
        }
        TrashAction::Keep(secs) => {
            change(TrashPurpose::Keep, "admin", commands::trash::keep(secs), cx);
        }
        TrashAction::Restore(restore) => {
            cx.state.trash.result = None;
            if let Some(scope) = restore.scope {
                return restore_many(scope, None, cx);
            }
            let purpose = TrashPurpose::Restore;
            change(purpose, &restore.db, restore.command, cx);
        }
    }
}

/// Restores documents in steps, or continues what has this journal.
pub(super) fn restore_many(scope: TrashScope, journal: Option<PathBuf>, cx: &mut Apply<'_>) {
    if running(cx.state).is_some() {
        let words = "Documents are being restored from the trash; try again when that has ended";
        return cx.state.toasts.push(Kind::Warning, words, None, cx.state.uptime);
    }
    cx.state.trash.error = None;
    let namespace = scope.of.clone().unwrap_or_else(|| Namespace::new("admin", ""));
    bulk::begin(None, namespace, (BulkChange::Restore(scope), journal), Origin::Person, cx);
}

/// A restore in steps ended.
pub(super) fn restored(operation: OperationId, report: &BulkReport, cx: &mut Apply<'_>) {
    if bulk::take(operation, cx.state).is_none() {
        return;
    }
    let outcome = RestoreOutcome {
        restored: report.changed,
        existing: report.unchanged,
        refused: report.refused,
        not_found: 0,
        is_held: report.is_held,
        remaining: report.remaining,
    };
    let (is_done, mut words) = outcome.sentence();
    match &report.end {
        BulkEnd::Complete => {}
        BulkEnd::Cancelled => words = format!("Canceled. {words}"),
        BulkEnd::Failed(message) if !is_done => words.clone_from(message),
        BulkEnd::Failed(message) => words = format!("{words}. It failed then: {message}"),
    }
    if let Some(refusal) = &report.refusal {
        words = format!("{words}. The first was rejected because: {refusal}");
    }
    if report.is_unfinished {
        words.push_str("; see Unfinished operations in the menu to continue it");
    }
    bulk::end(operation, &report.end, &words, cx.state);
    let is_whole = is_done && report.end == BulkEnd::Complete;
    if is_shown(cx.state) {
        cx.state.trash.result = Some((is_whole, words));
    } else {
        let kind = match report.end {
            BulkEnd::Complete if is_done => Kind::Done,
            BulkEnd::Cancelled => Kind::Warning,
            _ => Kind::Error,
        };
        cx.state.toasts.push(kind, words, None, cx.state.uptime);
    }
    cx.state.changes.note(None);
    refresh(cx);
    reaper::ask(cx);
}

fn change(purpose: TrashPurpose, db: &str, command: Document, cx: &mut Apply<'_>) {
    cx.state.trash.is_waiting = true;
    cx.state.trash.error = None;
    cx.write(Purpose::Trash(purpose), db, command);
}

/// Reloads the first page, with as many rows as are listed.
fn refresh(cx: &mut Apply<'_>) {
    let listed = i32::try_from(cx.state.trash.rows.len()).unwrap_or(i32::MAX);
    cx.state.trash.asked = None;
    list(None, listed.max(TRASH_PAGE_ROWS), cx);
}

fn list(after: Option<i64>, limit: i32, cx: &mut Apply<'_>) {
    let (db, command) = cx.state.trash.page_command(after, limit);
    let purpose = TrashPurpose::Page { is_first: after.is_none() };
    cx.read(Purpose::Trash(purpose), &db, command);
}

/// A pass has ended: the trash has new documents, and older ones may have left.
pub fn pass_ended(cx: &mut Apply<'_>) {
    if is_shown(cx.state) {
        refresh(cx);
    }
}

/// Handles a reply.
pub fn answer(purpose: &TrashPurpose, reply: &Reply, cx: &mut Apply<'_>) {
    match (purpose, &reply.result) {
        (TrashPurpose::Page { is_first }, Ok(found)) => {
            page(*is_first, reply, found, &mut cx.state.trash);
            let secs = u64::try_from(cx.state.trash.secs).unwrap_or(0);
            let now_ms = cx.state.now_ms();
            cx.state.reaper.set_trash_secs(secs, now_ms);
        }
        (TrashPurpose::Keep, Ok(_)) => {
            cx.state.trash.is_waiting = false;
            refresh(cx);
            reaper::ask(cx);
        }
        (TrashPurpose::Restore, Ok(found)) => {
            cx.state.trash.is_waiting = false;
            let (is_done, sentence) = reaper::restore_outcome(found).sentence();
            if !is_shown(cx.state) {
                let kind = if is_done { Kind::Done } else { Kind::Error };
                cx.state.toasts.push(kind, sentence.clone(), None, cx.state.uptime);
            }
            cx.state.trash.result = Some((is_done, sentence));
            refresh(cx);
            reaper::ask(cx);
        }
        // Its report says how it ended.
        (TrashPurpose::RestoreMany(_), _) => {}
        (purpose, Err(error)) => failed(purpose, error, cx.state),
    }
}

fn is_shown(state: &State) -> bool {
    matches!(state.dialogs.open(), Some(Dialog::Trash(_)))
}

/// A failure is shown in the dialog; if that was closed since, in a message.
fn failed(purpose: &TrashPurpose, error: &str, state: &mut State) {
    if !is_shown(state) && !matches!(purpose, TrashPurpose::Page { .. }) {
        state.toasts.push(Kind::Error, error, None, state.uptime);
    }
    state.trash.is_waiting = false;
    state.trash.is_known = true;
    state.trash.error = Some(error.to_owned());
    // The page can be requested again.
    state.trash.next = state.trash.next.or(state.trash.asked.take());
}

/// A command came back without having been done, because too much was asked at once.
pub fn dropped(purpose: &TrashPurpose, cx: &mut Apply<'_>) {
    match purpose {
        TrashPurpose::RestoreMany(operation) => {
            restored(*operation, &BulkReport::failed(QUEUE_FULL.to_owned()), cx);
        }
        _ => failed(purpose, TOO_MUCH, cx.state),
    }
}

/// Takes a page over, unless something else has been asked for since.
fn page(is_first: bool, reply: &Reply, found: &Document, net: &mut Trash) {
    let after = reply.command.get_i64("after").ok();
    let (db, wanted) = net.page_command(None, 0);
    let is_of_filter =
        reply.db == db && reply.command.get("mayflyTrash") == wanted.get("mayflyTrash");
    if !is_of_filter || (!is_first && after != net.asked) {
        return;
    }
    if is_first {
        net.clear_rows();
    }
    net.is_known = true;
    net.asked = None;
    let Some(found) = TrashPage::from_document(found) else { return };
    net.next = found.next.and_then(|next| i64::try_from(next).ok());
    net.add(found.batch.into_iter().filter_map(row));
    let Some(status) = found.status else { return };
    net.secs = status.secs;
    net.documents = status.documents;
    net.bytes = status.bytes;
    net.max_bytes = status.max_bytes;
}

fn row(row: TrashRow) -> Option<Row> {
    let (db, collection) = row.ns.split_once('.')?;
    Some(Row {
        number: i64::try_from(row.number).ok()?,
        namespace: Namespace::new(db, collection),
        id: row.id,
        bytes: row.bytes,
        index: row.index,
        pass: row.pass.and_then(|pass| i64::try_from(pass).ok()),
        removed_ms: row.removed_ms,
        until_ms: row.until_ms,
        is_newest: true,
    })
}
