//! The contents of the trash.

use bson::Document;
use mayfly_engine::reply::{TrashPage, TrashRow};

use crate::apply::Apply;
use crate::apply::question::Question;
use crate::limits::TRASH_PAGE_ROWS;
use crate::state::trash::{Row, Trash};
use crate::state::{Dialog, Namespace, State};
use crate::worker::Reply;

#[derive(Debug, PartialEq)]
pub(super) struct ListTrash {
    /// The latest removals; else those after the listed ones.
    pub is_first: bool,
}

impl Question for ListTrash {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        match &reply.result {
            Ok(found) => {
                page(self.is_first, &reply, found, &mut cx.state.trash);
                let secs = u64::try_from(cx.state.trash.secs).unwrap_or(0);
                let now_ms = cx.state.now_ms();
                cx.state.reaper.set_trash_secs(secs, now_ms);
            }
            Err(error) => failed(error.clone(), &mut cx.state.trash),
        }
    }
}

/// Takes a page over, unless something else has been asked for since.
fn page(is_first: bool, reply: &Reply, found: &Document, trash: &mut Trash) {
    let after = reply.command.get_i64("after").ok();
    let (db, wanted) = trash.page_command(None, 0);
    let is_of_filter =
        reply.db == db && reply.command.get("mayflyTrash") == wanted.get("mayflyTrash");
    if !is_of_filter || (!is_first && after != trash.asked) {
        return;
    }
    if is_first {
        trash.clear_rows();
    }
    trash.is_known = true;
    trash.asked = None;
    let Some(found) = TrashPage::from_document(found) else { return };
    trash.next = found.next.and_then(|next| next.as_i64());
    trash.add(found.batch.into_iter().filter_map(row));
    let Some(status) = found.status else { return };
    trash.secs = status.secs;
    trash.documents = status.documents;
    trash.bytes = status.bytes;
    trash.max_bytes = status.max_bytes;
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
        until_ms: row.until_ms.unwrap_or(i64::MAX),
        is_moved: row.archive.is_some(),
        is_newest: true,
    })
}

/// Reloads the first page, with as many rows as are listed.
pub(super) fn refresh(cx: &mut Apply<'_>) {
    let listed = i32::try_from(cx.state.trash.rows.len()).unwrap_or(i32::MAX);
    cx.state.trash.asked = None;
    list(None, listed.max(TRASH_PAGE_ROWS), cx);
}

pub(super) fn list(after: Option<i64>, limit: i32, cx: &mut Apply<'_>) {
    let (db, command) = cx.state.trash.page_command(after, limit);
    cx.ask(ListTrash { is_first: after.is_none() }, &db, command);
}

pub(super) fn is_shown(state: &State) -> bool {
    matches!(state.dialogs.open(), Some(Dialog::Trash(_)))
}

pub(super) fn failed(error: String, trash: &mut Trash) {
    trash.is_waiting = false;
    trash.is_known = true;
    trash.error = Some(error);
    // The page can be requested again.
    trash.next = trash.next.or(trash.asked.take());
}
