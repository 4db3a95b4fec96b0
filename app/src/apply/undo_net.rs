//! The undo net.

use bson::{Bson, Document};

use super::{Effects, TOO_MUCH, reaper, store::number};
use crate::action::UndoNetAction;
use crate::limits::UNDO_NET_PAGE_ROWS;
use crate::state::purpose::UndoNetPurpose;
use crate::state::toasts::Kind;
use crate::state::undo_net::{Row, UndoNet, UndoNetDraft, keep_command};
use crate::state::{Dialog, Namespace, Purpose, State};
use crate::worker::Reply;

/// Carries out one action.
pub fn apply(action: UndoNetAction, state: &mut State, effects: &mut Effects) {
    match action {
        UndoNetAction::Open(filter) => {
            state.undo_net = UndoNet { filter, ..UndoNet::default() };
            state.dialogs.show(Dialog::UndoNet(UndoNetDraft::default()));
            refresh(state, effects);
        }
        UndoNetAction::List(filter) => {
            state.undo_net.filter = filter;
            state.undo_net.clear_rows();
            refresh(state, effects);
        }
        UndoNetAction::More => {
            if let Some(next) = state.undo_net.next.take() {
                state.undo_net.asked = Some(next);
                list(Some(next), UNDO_NET_PAGE_ROWS, state, effects);
            }
        }
        UndoNetAction::Keep(secs) => {
            change(UndoNetPurpose::Keep, "admin", keep_command(secs), state, effects);
        }
        UndoNetAction::PutBack(put_back) => {
            state.undo_net.result = None;
            let purpose = UndoNetPurpose::PutBack;
            change(purpose, &put_back.db, put_back.command, state, effects);
        }
    }
}

fn change(
    purpose: UndoNetPurpose,
    db: &str,
    command: Document,
    state: &mut State,
    effects: &mut Effects,
) {
    state.undo_net.is_waiting = true;
    state.undo_net.error = None;
    effects.write(state, Purpose::UndoNet(purpose), db, command);
}

/// Asks for the first page again, and for as much behind it as is listed.
fn refresh(state: &mut State, effects: &mut Effects) {
    let listed = i32::try_from(state.undo_net.rows.len()).unwrap_or(i32::MAX);
    state.undo_net.asked = None;
    list(None, listed.max(UNDO_NET_PAGE_ROWS), state, effects);
}

fn list(after: Option<i64>, limit: i32, state: &mut State, effects: &mut Effects) {
    let (db, command) = state.undo_net.page_command(after, limit);
    let purpose = UndoNetPurpose::Page { is_first: after.is_none() };
    effects.read(state, Purpose::UndoNet(purpose), &db, command);
}

/// A pass has ended: what it removed has come into the net, and what was in it may have left.
pub fn pass_ended(state: &mut State, effects: &mut Effects) {
    if is_shown(state) {
        refresh(state, effects);
    }
}

/// Takes over an answer.
pub fn answer(purpose: &UndoNetPurpose, reply: &Reply, state: &mut State, effects: &mut Effects) {
    match (purpose, &reply.result) {
        (UndoNetPurpose::Page { is_first }, Ok(found)) => {
            page(*is_first, reply, found, &mut state.undo_net);
            let secs = u64::try_from(state.undo_net.secs).unwrap_or(0);
            state.reaper.undo_secs = secs;
        }
        (UndoNetPurpose::Keep, Ok(_)) => {
            state.undo_net.is_waiting = false;
            refresh(state, effects);
            reaper::ask(state, effects);
        }
        (UndoNetPurpose::PutBack, Ok(found)) => {
            state.undo_net.is_waiting = false;
            let (is_done, sentence) = reaper::put_back(found);
            if !is_shown(state) {
                let kind = if is_done { Kind::Done } else { Kind::Error };
                state.toasts.push(kind, sentence.clone(), None, state.uptime);
            }
            state.undo_net.result = Some((is_done, sentence));
            refresh(state, effects);
            reaper::ask(state, effects);
        }
        (purpose, Err(error)) => failed(purpose, error, state),
    }
}

fn is_shown(state: &State) -> bool {
    matches!(state.dialogs.open(), Some(Dialog::UndoNet(_)))
}

/// What failed is told in the dialog; a change whose dialog was closed meanwhile, in a message.
fn failed(purpose: &UndoNetPurpose, error: &str, state: &mut State) {
    if !is_shown(state) && !matches!(purpose, UndoNetPurpose::Page { .. }) {
        state.toasts.push(Kind::Error, error, None, state.uptime);
    }
    state.undo_net.is_waiting = false;
    state.undo_net.is_known = true;
    state.undo_net.error = Some(error.to_owned());
    // The page can be asked for once more.
    state.undo_net.next = state.undo_net.next.or(state.undo_net.asked.take());
}

/// A command came back without having been done, because too much was asked at once.
pub fn dropped(purpose: &UndoNetPurpose, state: &mut State) {
    failed(purpose, TOO_MUCH, state);
}

/// Takes a page over, unless something else has been asked for since.
fn page(is_first: bool, reply: &Reply, found: &Document, net: &mut UndoNet) {
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
    let Ok(undo) = found.get_document("undo") else { return };
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
