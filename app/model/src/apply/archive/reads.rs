//! The settings and the contents of an archive.

use bson::{Bson, Document};

use crate::apply::Apply;
use crate::apply::question::Question;
use crate::commands::archive;
use crate::job::reply::number;
use crate::limits::ARCHIVE_PAGE_ROWS;
use crate::state::Namespace;
use crate::state::archive::{Archive, Status};
use crate::worker::Reply;

#[derive(Debug, PartialEq)]
pub(super) struct ArchiveStatus;

impl Question for ArchiveStatus {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let archive = &mut cx.state.archive;
        let Some(shown) = archive.namespace.as_ref().filter(|shown| shown.db == reply.db) else {
            return;
        };
        archive.is_known = true;
        match reply.result {
            Ok(found) => archive.status = status_of(&found, shown),
            Err(error) => {
                failed(error, archive);
                // The earlier settings may have been changed since, so the typed text is nearer to
                // them.
                if let Some(draft) = cx.state.dialogs.archive_mut() {
                    draft.is_filled = true;
                }
            }
        }
    }
}

/// Some of the archived documents.
#[derive(Debug, PartialEq)]
pub(super) struct ListArchived {
    /// The newest; else those after the listed ones.
    pub is_first: bool,
}

impl Question for ListArchived {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let archive = &mut cx.state.archive;
        if !is_of_shown(&reply, archive) || !is_asked(self.is_first, &reply, archive) {
            return;
        }
        match reply.result {
            Ok(found) => {
                if self.is_first {
                    archive.clear_rows();
                }
                archive.error = None;
                archive.asked = None;
                archive.add(rows(&found));
                archive.next = found.get_document("next").ok().cloned();
            }
            // Without an archive there is no page; the status says so.
            Err(_) if archive.status.is_none() => archive.clear_rows(),
            Err(error) => failed(error, archive),
        }
    }
}

/// Whether the page is the last one requested, with the current filter.
fn is_asked(is_first: bool, reply: &Reply, archive: &Archive) -> bool {
    let (filter, after) = (reply.command.get("filter"), reply.command.get_document("after").ok());
    archive.is_listed_by(filter.and_then(Bson::as_document))
        && (is_first || after == archive.asked.as_ref())
}

fn status_of(found: &Document, namespace: &Namespace) -> Option<Status> {
    let name = namespace.to_string();
    let archives = found.get_array("archives").ok()?;
    // The last is that of the collection as it is now; others belong to dropped ones.
    let found = archives
        .iter()
        .rev()
        .filter_map(Bson::as_document)
        .find(|one| one.get_str("ns").is_ok_and(|ns| ns == name))?;
    let text = |name| found.get_str(name).ok().map(ToOwned::to_owned);
    let instant = |name| found.get_datetime(name).ok().map(|at| at.timestamp_millis());
    Some(Status {
        on: found.get_bool("on").unwrap_or(false),
        target: text("target").unwrap_or_default(),
        max_bytes: number(found, "maxBytes"),
        max_age_secs: number(found, "maxAgeSecs"),
        problem: text("sentence").or_else(|| text("error")),
        documents: number(found, "documents").unwrap_or(0),
        segments: number(found, "segments").unwrap_or(0),
        bytes: number(found, "bytes").unwrap_or(0),
        oldest_ms: instant("oldest"),
        newest_ms: instant("newest"),
        waiting: number(found, "waiting").unwrap_or(0),
        unreadable: number(found, "unreadableBytes").unwrap_or(0),
        missing: number(found, "missingDocuments").unwrap_or(0),
    })
}

fn rows(found: &Document) -> Vec<(Bson, i64, String, Document)> {
    let batch = found.get_array("batch").map(Vec::as_slice).unwrap_or_default();
    let row = |row: &Document| {
        Some((
            row.get("_id")?.clone(),
            row.get_datetime("removed").ok()?.timestamp_millis(),
            row.get_str("index").ok()?.to_owned(),
            row.get_document("document").ok()?.clone(),
        ))
    };
    batch.iter().filter_map(Bson::as_document).filter_map(row).collect()
}

/// Queries the archive again, and its first page.
pub(super) fn refresh(cx: &mut Apply<'_>) {
    let Some(db) = cx.state.archive.namespace.as_ref().map(|name| name.db.clone()) else { return };
    cx.ask(ArchiveStatus, &db, archive::status());
    cx.state.archive.asked = None;
    list(cx, None);
}

pub(super) fn list(cx: &mut Apply<'_>, after: Option<Document>) {
    let Some(Namespace { db, collection }) = cx.state.archive.namespace.clone() else { return };
    let is_first = after.is_none();
    let filter = cx.state.archive.filter.as_ref();
    let command = archive::page(&collection, ARCHIVE_PAGE_ROWS, filter, after);
    cx.ask(ListArchived { is_first }, &db, command);
}

/// Whether a reply is about the collection that is shown.
pub(super) fn is_of_shown(reply: &Reply, archive: &Archive) -> bool {
    let Some(shown) = &archive.namespace else { return false };
    let of = reply.command.iter().next().and_then(|(_, value)| value.as_str());
    reply.db == shown.db && of == Some(&*shown.collection)
}

pub(super) fn failed(error: String, archive: &mut Archive) {
    archive.is_waiting = false;
    archive.error = Some(error);
    // The page can be requested again.
    archive.next = archive.next.take().or(archive.asked.take());
}
