//! The list of what was removed, and the archives.

use bson::{Bson, Document};
use mayfly_engine::reply::TrashPage;

use crate::apply::Apply;
use crate::apply::question::Question;
use crate::commands::archive;
use crate::job::reply::number;
use crate::limits::TRASH_PAGE_ROWS;
use crate::state::archive::Status;
use crate::state::trash::{Row, Trash};
use crate::state::{Dialog, State};
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
    let command = &reply.command;
    let (db, wanted) = trash.page_command(None, 0);
    let is_of_scope = reply.db == db
        && command.get("mayflyTrash") == wanted.get("mayflyTrash")
        && trash.is_listed_by(command.get("filter").and_then(Bson::as_document));
    if !is_of_scope || (!is_first && command.get("after") != trash.asked.as_ref()) {
        return;
    }
    if is_first {
        trash.clear_rows();
    }
    trash.is_known = true;
    trash.asked = None;
    let Some(found) = TrashPage::from_document(found) else { return };
    trash.next = found.next;
    trash.add(found.batch.into_iter().filter_map(Row::of));
    let Some(status) = found.status else { return };
    trash.secs = status.secs;
    trash.documents = status.documents;
    trash.bytes = status.bytes;
    trash.max_bytes = status.max_bytes;
    trash.unclaimed = status.unclaimed;
}

/// The archives of all collections.
#[derive(Debug, PartialEq)]
struct ListArchives;

impl Question for ListArchives {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        match reply.result {
            Ok(found) => {
                let all = found.get_array("archives").map(Vec::as_slice).unwrap_or_default();
                let all = all.iter().filter_map(Bson::as_document).map(status);
                cx.state.trash.archives = Some(all.collect());
            }
            Err(error) => cx.state.trash.error = Some(error),
        }
    }
}

fn status(found: &Document) -> Status {
    let text = |name| found.get_str(name).ok().map(ToOwned::to_owned);
    let instant = |name| found.get_datetime(name).ok().map(|at| at.timestamp_millis());
    Status {
        ns: text("ns").unwrap_or_default(),
        on: found.get_bool("on").unwrap_or(false),
        target: text("target").unwrap_or_default(),
        max_bytes: number(found, "maxBytes"),
        max_age_secs: number(found, "maxAgeSecs"),
        problem: text("sentence").or_else(|| text("error")),
        is_unread: found.contains_key("error"),
        documents: number(found, "documents").unwrap_or(0),
        segments: number(found, "segments").unwrap_or(0),
        bytes: number(found, "bytes").unwrap_or(0),
        oldest_ms: instant("oldest"),
        newest_ms: instant("newest"),
        waiting: number(found, "waiting").unwrap_or(0),
        left: text("left"),
        unreadable: number(found, "unreadableBytes").unwrap_or(0),
        missing: number(found, "missingDocuments").unwrap_or(0),
    }
}

/// Reloads the first page, with as many rows as are listed, and the archives.
pub(super) fn refresh(cx: &mut Apply<'_>) {
    let listed = i32::try_from(cx.state.trash.rows.len()).unwrap_or(i32::MAX);
    cx.state.trash.asked = None;
    list(None, listed.max(TRASH_PAGE_ROWS), cx);
    cx.ask(ListArchives, "admin", archive::status());
}

pub(super) fn list(after: Option<Bson>, limit: i32, cx: &mut Apply<'_>) {
    let is_first = after.is_none();
    let (db, command) = cx.state.trash.page_command(after, limit);
    cx.ask(ListTrash { is_first }, &db, command);
}

pub(super) fn is_shown(state: &State) -> bool {
    matches!(state.dialogs.open(), Some(Dialog::Trash(_)))
}

pub(super) fn failed(error: String, trash: &mut Trash) {
    trash.is_waiting = false;
    trash.is_known = true;
    trash.error = Some(error);
    // The page can be requested again.
    trash.next = trash.next.take().or(trash.asked.take());
}
