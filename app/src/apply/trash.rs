//! The trash.

use bson::{Bson, Document};

use super::{Effects, TOO_MUCH, reaper, store::number};
use crate::action::TrashAction;
use crate::limits::TRASH_PAGE_ROWS;
use crate::state::purpose::TrashPurpose;
use crate::state::toasts::Kind;
use crate::state::trash::{Row, Trash, TrashDraft, keep_command};
use crate::state::{Dialog, Namespace, Purpose, State};
use crate::worker::Reply;

/// Carries out one action.
pub fn apply(action: TrashAction, state: &mut State, effects: &mut Effects) {
    match action {
        TrashAction::Open(filter) => {
            state.trash = Trash { filter, ..Trash::default() };
            state.dialogs.show(Dialog::Trash(TrashDraft::default()));
            refresh(state, effects);
        }
        TrashAction::List(filter) => {
            state.trash.filter = filter;
            state.trash.clear_rows();
            refresh(state, effects);
        }
        TrashAction::More => {
            if let Some(next) = state.trash.next.take() {
                state.trash.asked = Some(next);
                list(Some(next), TRASH_PAGE_ROWS, state, effects);
            }
        }
        TrashAction::Keep(secs) => {
            change(TrashPurpose::Keep, "admin", keep_command(secs), state, effects);
        }
        TrashAction::PutBack(put_back) => {
            state.trash.result = None;
            let purpose = TrashPurpose::PutBack;
            change(purpose, &put_back.db, put_back.command, state, effects);
        }
    }
}

fn change(
    purpose: TrashPurpose,
    db: &str,
    command: Document,
    state: &mut State,
    effects: &mut Effects,
) {
    state.trash.is_waiting = true;
    state.trash.error = None;
    effects.write(state, Purpose::Trash(purpose), db, command);
}

/// Asks for the first page again, and for as many rows as are listed.
fn refresh(state: &mut State, effects: &mut Effects) {
    let listed = i32::try_from(state.trash.rows.len()).unwrap_or(i32::MAX);
    state.trash.asked = None;
    list(None, listed.max(TRASH_PAGE_ROWS), state, effects);
}

fn list(after: Option<i64>, limit: i32, state: &mut State, effects: &mut Effects) {
    let (db, command) = state.trash.page_command(after, limit);
    let purpose = TrashPurpose::Page { is_first: after.is_none() };
    effects.read(state, Purpose::Trash(purpose), &db, command);
}

/// A pass has ended: what it removed has come into the net, and what was in it may have left.
pub fn pass_ended(state: &mut State, effects: &mut Effects) {
    if is_shown(state) {
        refresh(state, effects);
    }
}

/// Takes over an answer.
pub fn answer(purpose: &TrashPurpose, reply: &Reply, state: &mut State, effects: &mut Effects) {
    match (purpose, &reply.result) {
        (TrashPurpose::Page { is_first }, Ok(found)) => {
            page(*is_first, reply, found, &mut state.trash);
            let secs = u64::try_from(state.trash.secs).unwrap_or(0);
            state.reaper.trash_secs = secs;
        }
        (TrashPurpose::Keep, Ok(_)) => {
            state.trash.is_waiting = false;
            refresh(state, effects);
            reaper::ask(state, effects);
        }
        (TrashPurpose::PutBack, Ok(found)) => {
            state.trash.is_waiting = false;
            let (is_done, sentence) = reaper::put_back(found);
            if !is_shown(state) {
                let kind = if is_done { Kind::Done } else { Kind::Error };
                state.toasts.push(kind, sentence.clone(), None, state.uptime);
            }
            state.trash.result = Some((is_done, sentence));
            refresh(state, effects);
            reaper::ask(state, effects);
        }
        (purpose, Err(error)) => failed(purpose, error, state),
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
pub fn dropped(purpose: &TrashPurpose, state: &mut State) {
    failed(purpose, TOO_MUCH, state);
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
    net.next = number(found, "next").and_then(|next| i64::try_from(next).ok());
    net.add(rows(found));
    let Ok(undo) = found.get_document("trash") else { return };
    net.secs = number(undo, "secs").and_then(|secs| i64::try_from(secs).ok()).unwrap_or(0);
    net.documents = number(undo, "documents").unwrap_or(0);
    net.bytes = number(undo, "bytes").unwrap_or(0);
    net.max_bytes = number(undo, "maxBytes").unwrap_or(0);
}

fn rows(found: &Document) -> Vec<Row> {
    let batch = found.get_array("batch").map(Vec::as_slice).unwrap_or_default();
    let row = |row: &Document| {
        let (db, collection) = row.get_str("ns").ok()?.split_once('.')?;
        let instant = |name| row.get_datetime(name).ok().map(|at| at.timestamp_millis());
        Some(Row {
            number: row.get_i64("number").ok()?,
            namespace: Namespace::new(db, collection),
            id: row.get("_id")?.clone(),
            bytes: number(row, "size").unwrap_or(0),
            index: row.get_str("index").ok()?.to_owned(),
            pass: row.get_i64("pass").ok(),
            removed_ms: instant("removed")?,
            until_ms: instant("until")?,
            is_newest: true,
        })
    };
    batch.iter().filter_map(Bson::as_document).filter_map(row).collect()
}
